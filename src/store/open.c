/* Opening and closing the store: the lock against a second server, the schema, the caches. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/file.h"
#include "base/hash.h"
#include "store/accounts_own.h"
#include "store/agents_own.h"
#include "store/lookups.h"
#include "store/move_own.h"
#include "store/nodes_own.h"
#include "store/store_own.h"

enum {
	LOCK_TRIES = 100, /* for another tool that brings the schema up to date */
	LOCK_PAUSE_MS = 50,
	NODE_NAME_MAX = 100,
	SCHEMA_TRIES = 20,
	/* A server that was killed while it started a child has left its lock to it until the child
	 * runs its own program: some milliseconds, seconds under load. Of one that is still there,
	 * or whose number says nothing here, the first of them is waited for. */
	LOCK_LEFT_TRIES = 20,
};
#define PROBE_GOOD_US KB_SECOND_US

enum { PROBE_READ, PROBE_WRITE };
// clang-format off
static const struct kb_sql sql[] = {
	[PROBE_READ]  = { "probe_read",  "", "SELECT count(*) FROM probes" },
	[PROBE_WRITE] = { "probe_write", "i",
		"INSERT INTO probes (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = $1" },
};
// clang-format on
static const struct kb_sql_table kb_sql_store = { "store", sql, KB_COUNTOF(sql) };

const struct kb_sql_table *const kb_sql_tables[] = {
	&kb_sql_account_keys,
	&kb_sql_accounts,
	&kb_sql_agents,
	&kb_sql_answers,
	&kb_sql_arrival,
	&kb_sql_attempts,
	&kb_sql_audit,
	&kb_sql_audit_told,
	&kb_sql_backups,
	&kb_sql_blobs,
	&kb_sql_chores,
	&kb_sql_cites,
	&kb_sql_commits,
	&kb_sql_conflicts,
	&kb_sql_content,
	&kb_sql_conversations,
	&kb_sql_crawl_twins,
	&kb_sql_crawls,
	&kb_sql_dates,
	&kb_sql_deleted,
	&kb_sql_directory,
	&kb_sql_directory_find,
	&kb_sql_directory_groups,
	&kb_sql_errands,
	&kb_sql_gap_groups,
	&kb_sql_gaps,
	&kb_sql_guesses,
	&kb_sql_hosts,
	&kb_sql_kept,
	&kb_sql_keys,
	&kb_sql_labels,
	&kb_sql_leads,
	&kb_sql_licenses,
	&kb_sql_listing,
	&kb_sql_lookups,
	&kb_sql_messages,
	&kb_sql_migrate,
	&kb_sql_moves,
	&kb_sql_nodes,
	&kb_sql_openings,
	&kb_sql_pages,
	&kb_sql_pages_change,
	&kb_sql_paths,
	&kb_sql_people,
	&kb_sql_people_arrive,
	&kb_sql_personas,
	&kb_sql_pictures,
	&kb_sql_programs,
	&kb_sql_progress,
	&kb_sql_publish,
	&kb_sql_purge,
	&kb_sql_queue,
	&kb_sql_queue_finish,
	&kb_sql_remove,
	&kb_sql_repairs,
	&kb_sql_replicate,
	&kb_sql_reports,
	&kb_sql_robots,
	&kb_sql_secrets,
	&kb_sql_segments,
	&kb_sql_signins,
	&kb_sql_sources,
	&kb_sql_sources_queue,
	&kb_sql_starters,
	&kb_sql_store,
	&kb_sql_takeback,
	&kb_sql_talklinks,
	&kb_sql_upkeep,
	&kb_sql_vectors,
	&kb_sql_verified,
	&kb_sql_verify,
	&kb_sql_views,
	&kb_sql_visitors,
	&kb_sql_work,
};
const size_t kb_sql_table_count = KB_COUNTOF(kb_sql_tables);

static void committed(void *arg, const struct kb_db_note *note)
{
	struct kb_store *store = arg;

	if (note->topic == KB_TOPIC_AGENT)
		atomic_fetch_add(&store->changes, 1);
	kb_cache_drop(note->topic == KB_TOPIC_KEY ? store->keys : store->agents, note->id);
}

/* ---- the lock: held by a server for its life, by a tool while it changes the schema ---- */

/* -1 with *holder set (0: unknown) when somebody has it. -2: *err is set. */
static int lock_take(const char *directory, int64_t *holder, struct kb_err *err)
{
	char path[4096], text[32] = "";
	int fd, n;

	*holder = 0;
	n = snprintf(path, sizeof(path), "%s/docent.lock", directory);
	if (n < 0 || (size_t)n >= sizeof(path)) {
		kb_fail(err, KB_E_INVALID, "the data directory's name is too long");
		return -2;
	}
	fd = kb_fault() ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0) {
		kb_fail_errno(err, "cannot open %s", path);
		return -2;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		n = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
		if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)n, 0) == n)
			return fd;
		kb_fail_errno(err, "cannot write %s", path);
		kb_fd_close(&fd);
		return -2;
	}
	if (errno != EWOULDBLOCK) {
		kb_fail_errno(err, "cannot lock %s", path);
		kb_fd_close(&fd);
		return -2;
	}
	n = (int)pread(fd, text, sizeof(text) - 1, 0);
	if (n > 0 && !kb_sv_to_int(kb_sv_trim(kb_sv(text, (size_t)n)), 1, INT32_MAX, holder))
		*holder = 0;
	kb_fd_close(&fd);
	return -1;
}

/* At the start alone, beside other processes: there is nobody who could ring. */
static void pause_ms(int ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000L }, NULL);
}

static bool is_gone(int64_t process)
{
	return process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

/* The server's own, for its life. */
static bool lock_hold(struct kb_store *store, struct kb_err *err)
{
	int64_t holder = 0;

	for (int i = 0; store->lock_fd == -1; i++) {
		store->lock_fd = lock_take(store->directory, &holder, err);
		if (store->lock_fd == -1 && i >= (is_gone(holder) ? LOCK_TRIES : LOCK_LEFT_TRIES))
			return kb_fail(err, KB_E_CONFLICT, "%s is in use by process %" PRId64,
			               store->directory, holder);
		if (store->lock_fd == -1)
			pause_ms(LOCK_PAUSE_MS);
	}
	if (store->lock_fd >= 0)
		return true;
	store->lock_fd = -1;
	return false;
}

/* ---- the schema ---- */

/* *whole: nothing is missing, nor an older one that came later. */
static bool schema_known(struct kb_db_conn *conn, bool *whole, struct kb_err *err)
{
	int64_t version;

	if (!kb_schema_version(conn, &version, err) || !kb_schema_whole(conn, whole, err))
		return false;
	if (version > kb_schema_newest())
		return kb_fail(err, KB_E_UNSUPPORTED,
		               "the store has schema %" PRId64 ", this program knows up to %" PRId64
		               ": use the newer program",
		               version, kb_schema_newest());
	return true;
}

/* Brings the schema up to date under the lock, which a server has already. */
static bool schema_update(struct kb_store *store, struct kb_db_conn *conn, struct kb_err *err)
{
	int64_t holder = 0;
	int fd = -1;
	bool whole, ok;

	for (int i = 0; store->lock_fd < 0 && fd < 0; i++) {
		if (!schema_known(conn, &whole, err))
			return false;
		if (whole)
			return true;
		fd = lock_take(store->directory, &holder, err);
		if (fd == -2)
			return false;
		if (fd == -1 && i == LOCK_TRIES)
			return kb_fail(err, KB_E_CONFLICT,
			               "%s is in use by process %" PRId64
			               " and has an older schema: stop that process first",
			               store->directory, holder);
		if (fd == -1)
			pause_ms(LOCK_PAUSE_MS);
	}
	ok = schema_known(conn, &whole, err)
	     && kb_schema_migrate(conn, kb_schema_newest(), kb_store_now(store), err)
	     && kb_path_sync(store->directory, err);
	kb_fd_close(&fd);
	return ok;
}

/* ---- open and close ---- */

/* Makes the database's file for its owner alone; its log gets the same rights from SQLite. A file
 * that is there is not opened: closing it would free SQLite's locks on it. */
static bool make_private(const char *path, struct kb_err *err)
{
	int fd = kb_fault() ? -1 : open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 && errno != EEXIST)
		return kb_fail_errno(err, "cannot create the database %s", path);
	kb_fd_close(&fd);
	return true;
}

/* Several nodes may find the same older schema: each migrates under the lock of a row, and finds
 * nothing to do when another one has done it (migrate.c). */
static bool schema_update_shared(struct kb_store *store, struct kb_db_conn *conn,
                                 struct kb_err *err)
{
	bool whole;

	for (int i = 0;; i++) {
		conn->again = KB_AGAIN_NEVER;
		if (schema_known(conn, &whole, err)
		    && (whole
		        || kb_schema_migrate(conn, kb_schema_newest(), kb_store_now(store), err)))
			return true;
		/* Two that make the first table at once: one of them is told of a conflict. */
		if (i == SCHEMA_TRIES
		    || (conn->again != KB_AGAIN_OFTEN && err->code != KB_E_CONFLICT))
			return false;
		pause_ms(LOCK_PAUSE_MS);
	}
}

static bool open_driver(struct kb_store *store, const struct kb_driver *driver, const char *where,
                        struct kb_err *err)
{
	struct kb_db_config config = {
		.driver = driver,
		.where = where,
		.log = store->log,
		.committed = committed,
		.arg = store,
	};
	struct kb_db_conn *conn = driver->open(where, true, err);
	bool ok = conn && kb_nodes_read_clock(store, conn, err)
	          && (driver->is_shared ? schema_update_shared(store, conn, err)
	                                : schema_update(store, conn, err));

	if (conn)
		driver->close(conn);
	if (ok)
		store->db = kb_db_open(&config, err);
	return store->db != NULL;
}

static bool open_sqlite(struct kb_store *store, struct kb_err *err)
{
	size_t n = strlen(store->directory) + sizeof("/docent.db");
	char *path = kb_xmalloc(n);
	bool ok;

	snprintf(path, n, "%s/docent.db", store->directory);
	ok = make_private(path, err) && open_driver(store, &kb_driver_sqlite, path, err);
	free(path);
	return ok;
}

static bool open_directory(struct kb_store *store, const struct kb_store_config *config,
                           struct kb_err *err)
{
	if (!kb_dir_make(config->at, err))
		return false;
	store->directory = kb_xstrdup(config->at);
	if (config->use == KB_STORE_TOOL)
		return open_sqlite(store, err) && kb_move_gate(store, config->use, config->at, err);
	store->node = store->life = 1;
	return lock_hold(store, err) && open_sqlite(store, err)
	       && kb_move_gate(store, config->use, config->at, err)
	       && (config->use == KB_STORE_MOVE || kb_store_void_leases(store, store->node, err));
}

/* A name stands in log lines and in labels of figures. */
static bool is_name_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
	       || (c && strchr("-_.", c));
}

static bool check_node_name(struct kb_sv name, struct kb_err *err)
{
	bool ok = name.n >= 1 && name.n <= NODE_NAME_MAX;

	for (size_t i = 0; ok && i < name.n; i++)
		ok = is_name_letter(name.p[i]);
	return ok
	       || kb_fail(err, KB_E_INVALID,
	                  "the node's name has to be 1 to %d letters, digits, hyphens, underscores "
	                  "and dots (--node, or the file `node` of the data directory)",
	                  NODE_NAME_MAX);
}

/* The name that the home keeps, made at the first start there. */
static bool kept_name(const char *home, struct kb_arena *arena, struct kb_sv *name,
                      struct kb_err *err)
{
	enum { RANDOM_NAME = 8, NAME_MAX_BYTES = 200 };
	struct kb_sv path = kb_arena_printf(arena, "%s/node", home);
	char host[64] = "node", random[RANDOM_NAME + 1];
	struct kb_err none;

	if (kb_file_read(arena, path.p, NAME_MAX_BYTES, name, &none)) {
		*name = kb_sv_trim(*name);
		if (name->n)
			return true;
	}
	if (gethostname(host, sizeof(host) - 1) != 0)
		snprintf(host, sizeof(host), "node");
	for (char *c = host; *c; c++)
		*c = is_name_letter(*c) ? *c : '-';
	kb_random_text(random, RANDOM_NAME);
	*name = kb_arena_printf(arena, "%s-%s", host, random);
	return kb_file_replace(path.p, *name, err);
}

static bool open_node(struct kb_store *store, const struct kb_store_config *config,
                      struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_sv name = config->node ? kb_sv_str(config->node) : KB_SV("one");
	bool ok = true;

	if (config->home) {
		store->directory = kb_xstrdup(config->home);
		ok = kb_dir_make(config->home, err) && lock_hold(store, err)
		     && (config->node || kept_name(config->home, &arena, &name, err));
	}
	ok = ok && check_node_name(name, err)
	     && kb_nodes_join(store, kb_arena_str(&arena, name), config, err)
	     && kb_store_void_leases(store, store->node, err) && kb_lookups_mend(store, err);
	kb_arena_fini(&arena);
	return ok;
}

static bool open_server(struct kb_store *store, const struct kb_store_config *config,
                        struct kb_err *err)
{
	store->is_shared = true;
	if (!open_driver(store, &kb_driver_postgres, config->at, err))
		return false;
	if ((config->use == KB_STORE_ALONE || config->use == KB_STORE_MOVE)
	    && !kb_nodes_none(store, err))
		return false;
	if (!kb_move_gate(store, config->use, config->at, err))
		return false;
	return config->use != KB_STORE_NODE || open_node(store, config, err);
}

struct kb_store *kb_store_open_as(const struct kb_store_config *config, struct kb_err *err)
{
	struct kb_store *store = kb_xcalloc(1, sizeof(*store));

	pthread_mutex_init(&store->ids_lock, NULL);
	pthread_mutex_init(&store->copy_lock, NULL);
	store->clock = config->clock ? config->clock : &store->own_clock;
	store->log = config->log;
	store->keep_deleted_us = config->keep_deleted_us;
	store->secret_keys = config->secret_keys;
	store->lock_fd = -1;
	store->keys = kb_cache_new(&kb_key_columns, store->clock);
	store->agents = kb_cache_new(&kb_agent_columns, store->clock);
	if (kb_store_is_address(config->at) ? open_server(store, config, err)
	                                    : open_directory(store, config, err))
		return store;
	kb_store_close(store);
	return NULL;
}

struct kb_store *kb_store_open(const char *at, bool exclusive, struct kb_clock *clock,
                               const struct kb_log *log, struct kb_err *err)
{
	return kb_store_open_as(
	        &(struct kb_store_config){ .at = at,
	                                   .use = exclusive ? KB_STORE_NODE : KB_STORE_TOOL,
	                                   .clock = clock,
	                                   .log = log },
	        err);
}

void kb_store_close(struct kb_store *store)
{
	if (!store)
		return;
	kb_nodes_leave(store);
	kb_db_close(store->db);
	kb_cache_free(store->keys);
	kb_cache_free(store->agents);
	kb_fd_close(&store->lock_fd);
	free(store->directory);
	kb_arena_fini(&store->move_statements);
	pthread_mutex_destroy(&store->copy_lock);
	pthread_mutex_destroy(&store->ids_lock);
	free(store);
}

/* ---- health ---- */

static bool probe_write(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	return kb_db_run(conn, &sql[PROBE_WRITE], KB_VALUES(kb_int(*(int64_t *)arg)), NULL, err);
}

bool kb_store_ready(struct kb_store *store, struct kb_err *err)
{
	int64_t start = kb_clock_mono_us(), now = kb_store_now(store), count;
	struct kb_db_conn *conn;
	bool ok;

	if (store->ready_at && start - store->ready_at < PROBE_GOOD_US)
		return true;
	conn = kb_db_take(store->db, false, err);
	if (!conn)
		return false;
	ok = kb_db_int(conn, &sql[PROBE_READ], KB_NO_VALUES, 0, &count, err);
	kb_db_give(store->db, conn);
	if (!ok || !kb_db_write(store->db, probe_write, &now, err))
		return false;
	store->ready_at = start;
	return true;
}

void kb_store_stats(struct kb_store *store, struct kb_store_stats *out)
{
	struct kb_db_stats stats;

	kb_db_stats(store->db, &stats);
	*out = (struct kb_store_stats){
		.commits = stats.commits,
		.writes = stats.writes,
		.reads = stats.reads,
		.write_wait_us = stats.write_wait_us,
		.transactions = stats.transactions,
	};
}

int64_t kb_store_changes(struct kb_store *store)
{
	return atomic_load(&store->changes);
}
