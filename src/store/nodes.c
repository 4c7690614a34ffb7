#include "store/nodes.h"

#include <stdlib.h>

#include "base/bell.h"
#include "base/pool.h"
#include "store/agents_own.h"
#include "store/answers_own.h"
#include "store/chores_own.h"
#include "store/hosts_own.h"
#include "store/nodes_own.h"
#include "store/queue.h"
#include "store/repairs_own.h"
#include "store/sources_own.h"
#include "store/store_own.h"

enum {
	KEPT_S = 30 * 86400, /* rows of nodes that are gone */
	COMMITS_KEPT_S = 86400,
	AGAIN_S = 60, /* by then a commit of a node that fell silent has come, or will not */
};

enum { JOIN, BEAT, LEAVE, ALIVE, HOLDING, FREED, OTHER, FORGET, FORGET_COMMITS };
// clang-format off
static const struct kb_sql sql[] = {
	[JOIN] = { "node_join", "iti",
		"INSERT INTO nodes (id, name, life, started_at, beat_at) VALUES ($1, $2, 1, $3, $3) "
		"ON CONFLICT (name) DO UPDATE SET life = nodes.life + 1, started_at = excluded.started_at, "
		"beat_at = excluded.beat_at, free_at = 0 RETURNING id, life" },
	[BEAT] = { "node_beat", "iii",
		"UPDATE nodes SET beat_at = $3, free_at = 0 WHERE id = $1 AND life = $2" },
	[LEAVE] = { "node_leave", "ii", "UPDATE nodes SET beat_at = 0 WHERE id = $1 AND life = $2" },
	[ALIVE] = { "node_alive", "i", "SELECT count(*) FROM nodes WHERE beat_at > $1" },
	/* Silent since $1: what they held is to be freed by $2. */
	[HOLDING] = { "node_holding", "ii",
		"SELECT count(*) FROM nodes WHERE beat_at <= $1 AND free_at <= $2" },
	[FREED] = { "node_freed", "iiii",
		"UPDATE nodes SET free_at = CASE WHEN free_at = 0 THEN $3 ELSE $4 END "
		"WHERE beat_at <= $1 AND free_at <= $2" },
	[OTHER] = { "node_other", "i", "SELECT name FROM nodes WHERE beat_at > $1 ORDER BY id LIMIT 1" },
	[FORGET] = { "node_forget", "i", "DELETE FROM nodes WHERE beat_at < $1 AND started_at < $1" },
	/* Of connections that have long ended; one that still lives makes its row anew. */
	[FORGET_COMMITS] = { "node_forget_commits", "i", "DELETE FROM commits WHERE at < $1" },
};
// clang-format on
const struct kb_sql_table kb_sql_nodes = { "nodes", sql, KB_COUNTOF(sql) };

struct kb_nodes {
	struct kb_store *store;
	struct kb_store_config config;
	char *name;
	pthread_t thread;
	struct kb_bell bell;
	_Atomic int64_t alive;
	_Atomic bool replaced;
	bool missed; /* the thread's own: at the last beat a node was silent that still holds */
};

/* ---- the database's clock ---- */

/* All its processes go by one clock: leases end by it. What a machine's time is off by is known no
 * better than by the time that asking took. */
bool kb_nodes_read_clock(struct kb_store *store, struct kb_db_conn *conn, struct kb_err *err)
{
	int64_t before = kb_clock_mono_us(), now, took, off;

	if (!conn->driver->now)
		return true;
	if (!conn->driver->now(conn, &now, err))
		return false;
	took = kb_clock_mono_us() - before;
	off = now + took / 2 - kb_clock_now_us(NULL) - kb_clock_skew_us(store->clock);
	if (off >= -took && off <= took)
		return true;
	kb_clock_set_skew(store->clock, kb_clock_skew_us(store->clock) + off);
	if (off < -KB_SECOND_US || off > KB_SECOND_US)
		kb_warn(store->log,
		        "this machine's time is not the database's, which counts ahead_s=%" PRId64,
		        -kb_clock_skew_us(store->clock) / KB_SECOND_US);
	return true;
}

/* ---- coming and beating ---- */

struct join {
	struct kb_sv name;
	int64_t now, id, life;
};

static bool join(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct join *in = arg;
	struct kb_db_rows rows;
	int64_t id;

	if (!kb_db_next_id(conn, "node", 1, &id, err))
		return false;
	kb_rows_open(&rows, conn, &sql[JOIN],
	             KB_VALUES(kb_int(id), kb_text(in->name), kb_int(in->now)));
	while (kb_rows_next(&rows)) {
		in->id = kb_rows_int(&rows, 0);
		in->life = kb_rows_int(&rows, 1);
	}
	return kb_rows_close(&rows, err)
	       && kb_db_run(conn, &sql[FORGET], KB_VALUES(kb_int(in->now - KEPT_S * KB_SECOND_US)),
	                    NULL, err)
	       && kb_db_run(conn, &sql[FORGET_COMMITS],
	                    KB_VALUES(kb_int(in->now - COMMITS_KEPT_S * KB_SECOND_US)), NULL, err);
}

struct beat {
	struct kb_store *store;
	int64_t now, changed, alive, holding;
};

static int64_t silent_since(const struct beat *in)
{
	return in->now - KB_NODE_ALIVE_US;
}

static bool beat(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct beat *in = arg;

	return kb_db_run(
	               conn, &sql[BEAT],
	               KB_VALUES(kb_int(in->store->node), kb_int(in->store->life), kb_int(in->now)),
	               &in->changed, err)
	       && kb_db_int(conn, &sql[ALIVE], KB_VALUES(kb_int(silent_since(in))), 1, &in->alive,
	                    err)
	       && kb_db_int(conn, &sql[HOLDING],
	                    KB_VALUES(kb_int(silent_since(in)), kb_int(in->now)), 0, &in->holding,
	                    err);
}

static bool freed(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct beat *in = arg;

	return kb_db_run(conn, &sql[FREED],
	                 KB_VALUES(kb_int(silent_since(in)), kb_int(in->now),
	                           kb_int(in->now + AGAIN_S * KB_SECOND_US), kb_int(KB_DUE_NEVER)),
	                 NULL, err);
}

static bool leave(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct kb_store *store = arg;

	return kb_db_run(conn, &sql[LEAVE], KB_VALUES(kb_int(store->node), kb_int(store->life)),
	                 NULL, err);
}

static bool beat_once(struct kb_nodes *nodes, struct beat *in)
{
	struct kb_err err;

	*in = (struct beat){ .store = nodes->store, .now = kb_store_now(nodes->store) };
	if (!kb_db_append(nodes->store->db, &(struct kb_db_append){ 0 }, beat, in, &err)) {
		kb_warn(nodes->store->log, "the node cannot say that it is there error=%s",
		        err.msg);
		return false;
	}
	atomic_store(&nodes->alive, KB_MAX(in->alive, INT64_C(1)));
	if (in->changed || atomic_exchange(&nodes->replaced, true))
		return true;
	kb_warn(nodes->store->log,
	        "another process serves under the name of this node, which ends node=%" PRId64,
	        nodes->store->node);
	if (nodes->config.replaced)
		nodes->config.replaced(nodes->config.replaced_arg);
	return true;
}

/* ---- leases of nodes that are gone, and of those of which nobody heard ---- */

bool kb_store_void_leases(struct kb_store *store, int64_t me, struct kb_err *err)
{
	return kb_queue_void_leases(store, me, err) && kb_sources_void_leases(store, me, err)
	       && kb_hosts_void_lines(store, me, err) && kb_answers_void_leases(store, me, err)
	       && kb_chores_void_leases(store, me, err) && kb_repairs_void_leases(store, me, err)
	       && kb_agents_void_copies(store, me, err);
}

/* A copy that is being made is left alone. */
static bool free_copies(struct kb_store *store, struct kb_err *err)
{
	bool ok;

	if (pthread_mutex_trylock(&store->copy_lock))
		return kb_fail(err, KB_E_BUSY, "an agent is being copied");
	ok = kb_agents_void_copies(store, store->node, err);
	pthread_mutex_unlock(&store->copy_lock);
	return ok;
}

void kb_store_unheard_free(struct kb_store *store)
{
	struct kb_err err;

	if (!atomic_exchange(&store->lease_unheard, false))
		return;
	if (free_copies(store, &err) && kb_queue_void_leases(store, store->node, &err)
	    && kb_sources_void_leases(store, store->node, &err)
	    && kb_hosts_void_lines(store, store->node, &err)
	    && kb_chores_void_leases(store, store->node, &err)) {
		kb_info(store->log, "leases given up, since nobody heard of one of them");
		return;
	}
	atomic_store(&store->lease_unheard, true);
	kb_debug(store->log, "a lease that nobody heard of is not free yet error=%s", err.msg);
}

/* What a node that is gone had leased is taken up by the others. Where the database itself was away
 * all are silent: so each has a beat more to say that it is there. Of those that were silent at the
 * beat all has been freed when their rows say so, whoever did it. */
static void free_gone(struct kb_nodes *nodes, struct beat *in)
{
	bool again = in->holding && nodes->missed;
	struct kb_err err;

	nodes->missed = in->holding != 0;
	if (!again)
		return;
	if (!kb_store_void_leases(nodes->store, 0, &err)
	    || !kb_db_write(nodes->store->db, freed, in, &err))
		kb_warn(nodes->store->log, "leases of a node that is gone not freed error=%s",
		        err.msg);
	else
		kb_info(nodes->store->log, "leases of nodes that are gone freed nodes=%" PRId64,
		        in->holding);
}

/* ---- the thread ---- */

/* Once more what open() does: a machine's time drifts, and is set. */
static void follow_clock(struct kb_store *store)
{
	struct kb_err err;
	struct kb_db_conn *conn = kb_db_take(store->db, false, &err);

	if (!conn)
		return; /* when the server is there again */
	if (!kb_nodes_read_clock(store, conn, &err))
		kb_warn(store->log, "the database does not say its time error=%s", err.msg);
	kb_db_give(store->db, conn);
}

static void *work(void *arg)
{
	struct kb_nodes *nodes = arg;
	struct beat in;

	while (kb_bell_rest(&nodes->bell, kb_clock_steady_us(NULL) + KB_NODE_BEAT_US)) {
		follow_clock(nodes->store);
		if (beat_once(nodes, &in))
			free_gone(nodes, &in);
		else
			nodes->missed = false; /* the others may not have been heard either */
	}
	return NULL;
}

bool kb_nodes_join(struct kb_store *store, const char *name, const struct kb_store_config *config,
                   struct kb_err *err)
{
	struct join in = { .name = kb_sv_str(name), .now = kb_store_now(store) };
	struct kb_nodes *nodes;
	struct beat first;

	if (!kb_db_write(store->db, join, &in, err))
		return false;
	store->node = in.id;
	store->life = in.life;
	nodes = kb_xcalloc(1, sizeof(*nodes));
	nodes->store = store;
	nodes->config = *config;
	nodes->name = kb_xstrdup(name);
	nodes->alive = 1;
	kb_bell_init(&nodes->bell, NULL);
	beat_once(nodes, &first);
	if (config->joined)
		config->joined(config->joined_arg, nodes->name);
	nodes->thread = kb_thread_start("node", work, nodes);
	store->nodes = nodes;
	return true;
}

void kb_nodes_leave(struct kb_store *store)
{
	struct kb_nodes *nodes = store->nodes;
	struct kb_err err;

	if (!nodes)
		return;
	kb_bell_stop(&nodes->bell);
	pthread_join(nodes->thread, NULL);
	kb_bell_fini(&nodes->bell);
	/* If it fails, the others notice a little later. */
	if (!kb_db_write(store->db, leave, store, &err))
		kb_warn(store->log, "the node could not say that it ends error=%s", err.msg);
	free(nodes->name);
	free(nodes);
	store->nodes = NULL;
}

bool kb_nodes_none(struct kb_store *store, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_sv name = { 0 };
	struct kb_db_rows rows;
	bool ok;

	kb_rows_take(&rows, store->db, &sql[OTHER],
	             KB_VALUES(kb_int(kb_store_now(store) - KB_NODE_ALIVE_US)));
	while (kb_rows_next(&rows))
		name = kb_rows_text(&rows, &arena, 0);
	ok = kb_rows_close(&rows, err)
	     && (!name.n
	         || kb_fail(err, KB_E_CONFLICT, "the database is in use by node %.*s",
	                    KB_SV_ARG(name)));
	kb_arena_fini(&arena);
	return ok;
}

int64_t kb_store_nodes(const struct kb_store *store)
{
	return store->nodes ? atomic_load(&store->nodes->alive) : 1;
}

const char *kb_store_node_name(const struct kb_store *store)
{
	return store->nodes ? store->nodes->name : NULL;
}
