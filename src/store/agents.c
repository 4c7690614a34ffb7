/* Agents: their rows, totals and versions, and the cache the loop threads read. */
#include "store/agents.h"

#include <string.h>

#include "store/agents_own.h"
#include "store/cache.h"
#include "store/leases.h"
#include "store/lists.h"
#include "store/page_status.h"
#include "store/store_own.h"
#include "store/texts.h"

enum {
	ADD,
	ADD_TOTALS,
	BY_ID,
	BY_SLUG,
	SLUG_TAKE,
	SLUG_DROP,
	UPDATE,
	COUNT,
	WORDS,
	TOTALS,
	IS_CHILD,
	MASTERS_OF,
	SET_CHILDREN,
	SET_STATE,
	DELETE,
	DELETED,
	TAKE_BACK,
	COPIED,
	VOID_COPIES,
	MAKE_COPY,
	HOLD,
	LIST_COUNT,
	LIST_FIRST, /* + 2 * by_created_at + ascending */
	LIST_LAST = LIST_FIRST + 3,
};
// clang-format off
/* With what is no column of it: whether something of it is being made anew. */
#define AGENT_READ \
	"SELECT " KB_NAMES(AGENTS) ", (SELECT count(*) FROM repairs r WHERE r.agent_id = agents.id)"
#define LIST_WHERE \
	" FROM agents WHERE account_id = $1 AND state = " KB_SQL(AGENT_THERE) " " \
	"AND ($2 = '' OR name_key LIKE $2 ESCAPE '\\') " \
	"AND created_at >= $3 AND ($4 = '' OR $4 LIKE '%,' || CAST(id AS TEXT) || ',%')"
/* Pages p of deleted sources s, which are still there and in the totals. */
#define DYING       "s.dead_version > 0 AND p.agent_id = s.agent_id AND p.source_id = s.id "
#define LIST(order) AGENT_READ LIST_WHERE " ORDER BY " order " LIMIT $5 OFFSET $6"
/* The columns of agents (columns.h): the store's own, and those of who changes an agent. */
#define AGENT_OWN(FIRST, NEXT) \
	FIRST(i, id,                   agent.id) \
	NEXT (i, account_id,           agent.account_id) \
	NEXT (i, is_active,            agent.is_active) \
	NEXT (i, index_version,        agent.index_version) \
	NEXT (i, created_at,           agent.created_at)
#define AGENT_CHANGED(FIRST, NEXT) \
	FIRST(t, name,                 agent.name) \
	NEXT (n, sitemap_path,         agent.sitemap_path) \
	NEXT (t, type,                 agent.type) \
	NEXT (n, shareable_slug,       agent.shareable_slug) \
	NEXT (i, is_master,            agent.is_master) \
	NEXT (i, is_shared,            agent.is_shared) \
	NEXT (i, are_licenses_allowed, agent.are_licenses_allowed) \
	NEXT (t, options,              agent.options) \
	NEXT (t, settings,             agent.settings) \
	NEXT (t, children,             agent.children) \
	NEXT (i, updated_at,           agent.updated_at)
/* Made from the name, to find it by; never read. */
#define AGENT_KEY(FIRST, NEXT) \
	FIRST(t, name_key,             name_key)

#define AGENTS(FIRST, NEXT)       AGENT_OWN(FIRST, NEXT) AGENT_CHANGED(NEXT, NEXT)
#define AGENTS_WHOLE(FIRST, NEXT) AGENTS(FIRST, NEXT) AGENT_KEY(NEXT, NEXT)
#define AGENT_PUT(FIRST, NEXT)    AGENT_CHANGED(FIRST, NEXT) AGENT_KEY(NEXT, NEXT)

static const struct kb_sql sql[] = {
	[ADD] = { "agent_add", KB_TYPES(AGENTS_WHOLE), KB_INSERT("agents", AGENTS_WHOLE) },
	[ADD_TOTALS] = { "agent_add_totals", "i",
		"INSERT INTO agent_totals (agent_id, pages_found, pages_crawled, pages_indexed, "
		"words_indexed, storage_bytes, crawl_credits, query_credits, queries) "
		"VALUES ($1, 0, 0, 0, 0, 0, 0, 0, 0)" },
	[BY_ID] = { "agent_by_id", "i", AGENT_READ " FROM agents WHERE id = $1 AND state = " KB_SQL(AGENT_THERE) },
	[BY_SLUG] = { "agent_by_slug", "t", AGENT_READ " FROM agents WHERE id = "
		"(SELECT agent_id FROM agent_slugs WHERE slug = $1) AND state = " KB_SQL(AGENT_THERE) },
	[SLUG_TAKE] = { "agent_slug_take", "ti", "INSERT INTO agent_slugs (slug, agent_id) VALUES ($1, $2)" },
	[SLUG_DROP] = { "agent_slug_drop", "ti", "DELETE FROM agent_slugs WHERE slug = $1 AND agent_id = $2" },
	[UPDATE] = { "agent_update", "ii" KB_TYPES(AGENT_PUT),
		KB_UPDATE("agents", AGENT_PUT) "WHERE id = $1 AND account_id = $2" },
	/* Held, it is not deleted before its master is written, and then leaves it. */
	[IS_CHILD] = { "agent_is_child", "ii",
		"UPDATE agents SET index_version = index_version WHERE id = $1 AND account_id = $2 AND is_master = 0 "
		"AND state = " KB_SQL(AGENT_THERE) " RETURNING id" },
	[MASTERS_OF] = { "agent_masters_of", "it",
		"SELECT id, children FROM agents WHERE account_id = $1 AND is_master = 1 "
		"AND ',' || children || ',' LIKE $2" },
	[SET_CHILDREN] = { "agent_set_children", "iti",
		"UPDATE agents SET children = $2, updated_at = $3 WHERE id = $1" },
	[WORDS] = { "account_words", "i",
		"SELECT coalesce(sum(t.words_indexed), 0) - coalesce((SELECT sum(p.words) "
		"FROM agents b CROSS JOIN sources s CROSS JOIN pages p WHERE b.account_id = $1 "
		"AND b.state < " KB_SQL(AGENT_DELETED) " AND s.agent_id = b.id AND " DYING "AND p.is_found = 1), 0) "
		"FROM agent_totals t "
		"JOIN agents a ON a.id = t.agent_id WHERE a.account_id = $1 AND a.state < " KB_SQL(AGENT_DELETED) },
	/* Copies in the making count: they are nearly there. */
	[COUNT] = { "agent_count", "i",
		"SELECT count(*) FROM agents WHERE account_id = $1 AND state < " KB_SQL(AGENT_DELETED) },
	[TOTALS] = { "agent_totals", "i",
		"SELECT pages_found - found, pages_crawled - crawled, pages_indexed - indexed, "
		"crawl_credits, query_credits, queries, words_indexed - words, storage_bytes - bytes "
		"FROM agent_totals, (SELECT count(p.id) AS found, "
		"coalesce(sum(CASE WHEN p.crawl_status = " KB_SQL(STATUS_OK) " THEN 1 ELSE 0 END), 0) AS crawled, "
		"coalesce(sum(CASE WHEN p.index_status = " KB_SQL(STATUS_OK) " THEN 1 ELSE 0 END), 0) AS indexed, "
		"coalesce(sum(CASE WHEN p.is_found = 1 THEN p.words ELSE 0 END), 0) AS words, "
		"coalesce(sum(p.size), 0) AS bytes FROM sources s CROSS JOIN pages p WHERE s.agent_id = $1 "
		"AND " DYING ") w "
		"WHERE agent_id = $1" },
	[SET_STATE] = { "agent_set_state", "ii", "UPDATE agents SET state = $2 WHERE id = $1" },
	[DELETE] = { "agent_delete", "iii",
		"UPDATE agents SET state = " KB_SQL(AGENT_DELETED) ", deleted_at = $2, gone_at = $3 WHERE id = $1" },
	[DELETED] = { "agent_deleted", "ii",
		"SELECT id, name, deleted_at, gone_at FROM agents WHERE account_id = $1 AND state > 0 AND state = "
		KB_SQL(AGENT_DELETED) " AND gone_at > $2 ORDER BY deleted_at DESC, id DESC" },
	[TAKE_BACK] = { "agent_take_back", "iii",
		"UPDATE agents SET state = " KB_SQL(AGENT_THERE) ", deleted_at = 0, gone_at = 0 "
		"WHERE id = $1 AND account_id = $2 AND state > 0 AND state = " KB_SQL(AGENT_DELETED) " AND gone_at > $3" },
	[COPIED] = { "agent_copied", "iii",
		"UPDATE agents SET state = " KB_SQL(AGENT_THERE) ", index_version = $2, is_active = $3 "
		"WHERE id = $1 AND state = " KB_SQL(AGENT_COPIED) },
	/* Whatever its state. */
	[HOLD] = { "agent_hold", "i", "UPDATE agents SET index_version = index_version WHERE id = $1" },
	[VOID_COPIES] = { "agent_void_copies", "ii",
		"UPDATE agents SET state = " KB_SQL(AGENT_DELETED) " WHERE state > 0 AND state = " KB_SQL(AGENT_COPIED)
		" AND lease_node NOT IN " KB_NODES_THERE("$1", "$2") },
	[MAKE_COPY] = { "agent_make_copy", "ii",
		"UPDATE agents SET state = " KB_SQL(AGENT_COPIED) ", lease_node = $2 WHERE id = $1" },
	[LIST_COUNT] = { "agent_list_count", "itit", "SELECT count(*)" LIST_WHERE },
	[LIST_FIRST + 0] = { "agent_list_id_desc",      "ititii", LIST("id DESC") },
	[LIST_FIRST + 1] = { "agent_list_id_asc",       "ititii", LIST("id") },
	[LIST_FIRST + 2] = { "agent_list_created_desc", "ititii", LIST("created_at DESC, id DESC") },
	[LIST_FIRST + 3] = { "agent_list_created_asc",  "ititii", LIST("created_at, id") },
};
// clang-format on
const struct kb_sql_table kb_sql_agents = { "agents", sql, KB_COUNTOF(sql) };

struct row {
	struct kb_agent agent; /* first: what is read and cached is this alone */
	struct kb_sv name_key;
};
static_assert(offsetof(struct row, agent) == 0, "a row does not begin with its agent");

#define ROW(letter, column, member) KB_COLUMN(struct row, letter, column, member)
const struct kb_db_columns kb_agent_columns = KB_COLUMNS(struct kb_agent, AGENTS(ROW, ROW));
static const struct kb_db_columns whole = KB_COLUMNS(struct row, AGENTS_WHOLE(ROW, ROW));
static const struct kb_db_columns changed = KB_COLUMNS(struct row, AGENT_PUT(ROW, ROW));

static void read_agent(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_agent *out)
{
	kb_columns_read(&kb_agent_columns, rows, 0, arena, out);
	out->is_repairing = kb_rows_bool(rows, (int)kb_agent_columns.count);
}

static struct row row_of(struct kb_arena *arena, const struct kb_agent *agent)
{
	return (struct row){ .agent = *agent, .name_key = kb_store_fold(arena, agent->name) };
}

void kb_agent_read_begin(struct kb_db_conn *conn, int64_t id, struct kb_db_rows *rows)
{
	kb_rows_open(rows, conn, &sql[BY_ID], KB_VALUES(kb_int(id)));
}

void kb_agent_read_public_begin(struct kb_db_conn *conn, struct kb_sv slug, struct kb_db_rows *rows)
{
	kb_rows_open(rows, conn, &sql[BY_SLUG], KB_VALUES(kb_text(slug)));
}

bool kb_agent_read_end(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_agent *out,
                       struct kb_err *err)
{
	*out = (struct kb_agent){ 0 };
	while (kb_rows_next(rows))
		read_agent(rows, arena, out);
	return kb_rows_close(rows, err);
}

static bool load(struct kb_db_conn *conn, struct kb_arena *arena, int64_t id, struct kb_agent *out,
                 struct kb_err *err)
{
	struct kb_db_rows rows;
	struct kb_agent agent;

	kb_agent_read_begin(conn, id, &rows);
	if (!kb_agent_read_end(&rows, arena, &agent, err))
		return false;
	if (!agent.id)
		return kb_agent_missing(err, id);
	*out = agent;
	return true;
}

/* ---- inside transactions of this and other files ---- */

bool kb_agent_load(struct kb_db_conn *conn, struct kb_arena *arena, int64_t account_id, int64_t id,
                   struct kb_agent *out, struct kb_err *err)
{
	return load(conn, arena, id, out, err)
	       && (out->account_id == account_id || kb_agent_missing(err, id));
}

/* The way from its public address, in place of that from the one before; p == NULL: none. */
static bool put_slug(struct kb_db_conn *conn, int64_t id, struct kb_sv before, struct kb_sv after,
                     struct kb_err *err)
{
	if (kb_sv_eq(before, after))
		return true;
	return (!before.p
	        || kb_db_run(conn, &sql[SLUG_DROP], KB_VALUES(kb_text(before), kb_int(id)), NULL,
	                     err))
	       && (!after.p
	           || kb_db_run(conn, &sql[SLUG_TAKE], KB_VALUES(kb_text(after), kb_int(id)), NULL,
	                        err));
}

bool kb_agent_insert_row(struct kb_db_conn *conn, struct kb_agent *agent, int64_t now,
                         struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct row row;
	bool ok;

	if (agent->options.n == 0)
		agent->options = KB_SV("{}");
	if (agent->settings.n == 0)
		agent->settings = KB_SV("{}");
	agent->created_at = agent->updated_at = now;
	if (!kb_db_next_id(conn, "agent", 1, &agent->id, err))
		return false;
	row = row_of(&arena, agent);
	ok = kb_columns_write(&whole, conn, &sql[ADD], KB_NO_VALUES, &row, err)
	     && put_slug(conn, agent->id, kb_sv(NULL, 0), agent->shareable_slug, err);
	kb_arena_fini(&arena);
	return ok;
}

bool kb_agent_insert_totals(struct kb_db_conn *conn, int64_t agent_id, struct kb_err *err)
{
	return kb_db_run(conn, &sql[ADD_TOTALS], KB_VALUES(kb_int(agent_id)), NULL, err);
}

bool kb_agent_set_state(struct kb_db_conn *conn, int64_t agent_id, enum kb_agent_state state,
                        struct kb_err *err)
{
	return kb_db_run(conn, &sql[SET_STATE], KB_VALUES(kb_int(agent_id), kb_int(state)), NULL,
	                 err);
}

bool kb_agent_make_copy(struct kb_db_conn *conn, int64_t agent_id, int64_t node, struct kb_err *err)
{
	return kb_db_run(conn, &sql[MAKE_COPY], KB_VALUES(kb_int(agent_id), kb_int(node)), NULL,
	                 err);
}

/* ---- read ---- */

/* Where other nodes change agents, what is known here may be a second old: a question that comes
 * after the change elsewhere was answered has to be answered by it. */
static struct kb_agent *cached(struct kb_store *store, struct kb_arena *arena, int64_t id)
{
	return store->is_shared ? NULL : kb_cache_get(store->agents, arena, id);
}

bool kb_store_peek_agent(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                         int64_t id, struct kb_agent *out)
{
	struct kb_agent *agent = cached(store, arena, id);

	if (!agent || agent->account_id != account_id)
		return false;
	*out = *agent;
	return true;
}

bool kb_store_agent_find(struct kb_store *store, struct kb_arena *arena, int64_t id,
                         struct kb_agent *out, struct kb_err *err)
{
	struct kb_agent *known = cached(store, arena, id);
	struct kb_cache_mark mark;
	struct kb_db_conn *conn;
	bool ok;

	if (known) {
		*out = *known;
		return true;
	}
	mark = kb_cache_mark(store->agents, id);
	conn = kb_db_take(store->db, false, err);
	if (!conn)
		return false;
	ok = load(conn, arena, id, out, err);
	kb_db_give(store->db, conn);
	if (ok && !store->is_shared)
		kb_cache_put(store->agents, id, mark, out);
	return ok;
}

bool kb_store_agent_get(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                        int64_t id, struct kb_agent *out, struct kb_err *err)
{
	if (!kb_store_agent_find(store, arena, id, out, err))
		return false;
	return out->account_id == account_id || kb_agent_missing(err, id);
}

bool kb_store_agent_list(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                         const struct kb_agent_filter *filter, struct kb_agent_list *out,
                         struct kb_err *err)
{
	const struct kb_sql *list =
	        &sql[LIST_FIRST + 2 * filter->by_created_at + filter->list.ascending];
	struct kb_sv only = kb_ids_set(arena, filter->only, filter->only_count), pattern;
	struct kb_db_conn *conn;
	struct kb_db_rows rows;
	bool ok;

	*out = (struct kb_agent_list){ 0 };
	if (!kb_like_pattern(arena, filter->name, false, &pattern, err))
		return false;
	conn = kb_db_take(store->db, true, err);
	if (!conn)
		return false;
	kb_rows_open(&rows, conn, list,
	             KB_VALUES(kb_int(account_id), kb_text(pattern), kb_int(filter->created_after),
	                       kb_text(only), kb_int(kb_list_limit(&filter->list)),
	                       kb_int(kb_list_offset(&filter->list))));
	while (kb_rows_next(&rows)) {
		read_agent(&rows, arena, &KB_ROOM(arena, out->v, out->count)[out->count]);
		out->count++;
	}
	ok = kb_rows_close(&rows, err)
	     && kb_db_int(conn, &sql[LIST_COUNT],
	                  KB_VALUES(kb_int(account_id), kb_text(pattern),
	                            kb_int(filter->created_after), kb_text(only)),
	                  0, &out->total, err);
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_agent_count(struct kb_store *store, int64_t account_id, int64_t *count,
                          struct kb_err *err)
{
	return kb_db_read_int(store->db, &sql[COUNT], KB_VALUES(kb_int(account_id)), 0, count, err);
}

bool kb_store_account_words(struct kb_store *store, int64_t account_id, int64_t *words,
                            struct kb_err *err)
{
	return kb_db_read_int(store->db, &sql[WORDS], KB_VALUES(kb_int(account_id)), 0, words, err);
}

bool kb_agent_stats(struct kb_db_conn *conn, int64_t agent_id, struct kb_agent_stats *out,
                    struct kb_err *err)
{
	struct kb_db_rows rows;
	bool found = false;

	kb_rows_open(&rows, conn, &sql[TOTALS], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		*out = (struct kb_agent_stats){
			.pages_found = kb_rows_int(&rows, 0),
			.pages_crawled = kb_rows_int(&rows, 1),
			.pages_indexed = kb_rows_int(&rows, 2),
			.crawl_credits = kb_rows_int(&rows, 3),
			.query_credits = kb_rows_int(&rows, 4),
			.queries = kb_rows_int(&rows, 5),
			.words_indexed = kb_rows_int(&rows, 6),
			.storage_bytes = kb_rows_int(&rows, 7),
		};
		found = true;
	}
	return kb_rows_close(&rows, err) && (found || kb_agent_missing(err, agent_id));
}

bool kb_store_agent_stats(struct kb_store *store, int64_t agent_id, struct kb_agent_stats *out,
                          struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool ok;

	if (!conn)
		return false;
	ok = kb_agent_stats(conn, agent_id, out, err);
	kb_db_give(store->db, conn);
	return ok;
}

/* ---- change ---- */

struct update {
	struct kb_arena *arena;
	const struct kb_agent_edit *edit;
	int64_t now;
	struct kb_agent *out;
};

/* A master's children are agents of its account that are no masters. */
static bool check_children(struct kb_db_conn *conn, struct kb_arena *arena,
                           const struct kb_agent *agent, struct kb_err *err)
{
	size_t count;
	const int64_t *ids = kb_ids_parse(arena, agent->children, &count);

	if (count && !agent->is_master)
		return kb_fail(err, KB_E_INVALID,
		               "child_project_ids: agent %" PRId64 " is no master agent",
		               agent->id);
	for (size_t i = 0; i < count; i++) {
		int64_t known;

		if (!kb_db_int(conn, &sql[IS_CHILD],
		               KB_VALUES(kb_int(ids[i]), kb_int(agent->account_id)), 0, &known,
		               err))
			return false;
		if (!known)
			return kb_fail(err, KB_E_INVALID,
			               "child_project_ids: %" PRId64
			               " is no agent of this account, or itself a master",
			               ids[i]);
	}
	return true;
}

/* Takes a deleted agent out of its masters. */
static bool leave_masters(struct kb_db_conn *conn, struct kb_arena *arena, int64_t account_id,
                          int64_t id, int64_t now, struct kb_err *err)
{
	struct master {
		int64_t id;
		struct kb_sv children;
	} *masters = NULL;
	struct kb_db_rows rows;
	size_t count = 0;

	kb_rows_open(&rows, conn, &sql[MASTERS_OF],
	             KB_VALUES(kb_int(account_id),
	                       kb_text(kb_arena_printf(arena, "%%,%" PRId64 ",%%", id))));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, masters, count)
		[count] = (struct master){ .id = kb_rows_int(&rows, 0),
			                   .children = kb_rows_text(&rows, arena, 1) };
		count++;
	}
	if (!kb_rows_close(&rows, err))
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t n, kept = 0;
		const int64_t *ids = kb_ids_parse(arena, masters[i].children, &n);
		int64_t *left = KB_NEW_ARRAY(arena, n, int64_t);

		for (size_t j = 0; j < n; j++)
			if (ids[j] != id)
				left[kept++] = ids[j];
		if (!kb_db_run(conn, &sql[SET_CHILDREN],
		               KB_VALUES(kb_int(masters[i].id),
		                         kb_text(kb_ids_text(arena, left, kept)), kb_int(now)),
		               NULL, err)
		    || !kb_db_notify(conn, KB_TOPIC_AGENT, masters[i].id, err))
			return false;
	}
	return true;
}

/* The row as it is now; not what belongs to the store. */
static bool put(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_agent *agent,
                struct kb_err *err)
{
	struct row row = row_of(arena, agent);

	return kb_columns_write(&changed, conn, &sql[UPDATE],
	                        KB_VALUES(kb_int(agent->id), kb_int(agent->account_id)), &row, err)
	       && kb_db_notify(conn, KB_TOPIC_AGENT, agent->id, err);
}

bool kb_agent_change(struct kb_db_conn *conn, struct kb_arena *arena,
                     const struct kb_agent_edit *edit, int64_t now, struct kb_agent *after,
                     struct kb_err *err)
{
	struct kb_agent before = { 0 };

	/* What is read here is what is changed. */
	if (!kb_db_run(conn, &sql[HOLD], KB_VALUES(kb_int(edit->id)), NULL, err)
	    || !kb_agent_load(conn, arena, edit->account_id, edit->id, &before, err))
		return false;
	*after = before;
	if (!edit->change(edit->arg, arena, after, err)
	    || (!kb_sv_eq(before.children, after->children)
	        && !check_children(conn, arena, after, err)))
		return false;
	/* These belong to the store. */
	after->id = before.id;
	after->account_id = before.account_id;
	after->is_active = before.is_active;
	after->index_version = before.index_version;
	after->created_at = before.created_at;
	after->updated_at = now;
	return put_slug(conn, after->id, before.shareable_slug, after->shareable_slug, err)
	       && put(conn, arena, after, err);
}

static bool update(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct update *in = arg;

	return kb_agent_change(conn, in->arena, in->edit, in->now, in->out, err);
}

bool kb_store_agent_update(struct kb_store *store, struct kb_arena *arena,
                           const struct kb_agent_edit *edit, struct kb_agent *out,
                           struct kb_err *err)
{
	struct update in = { .arena = arena, .edit = edit, .now = kb_store_now(store), .out = out };

	return kb_db_write(store->db, update, &in, err);
}

/* Those of its children that have not been deleted while it was made. */
static bool children_now(struct kb_db_conn *conn, struct kb_arena *arena, struct kb_agent *copy,
                         struct kb_err *err)
{
	size_t count, kept = 0;
	const int64_t *ids = kb_ids_parse(arena, copy->children, &count);
	int64_t *there = KB_NEW_ARRAY(arena, count, int64_t);

	for (size_t i = 0; i < count; i++) {
		int64_t known;

		if (!kb_db_int(conn, &sql[IS_CHILD],
		               KB_VALUES(kb_int(ids[i]), kb_int(copy->account_id)), 0, &known, err))
			return false;
		if (known)
			there[kept++] = ids[i];
	}
	copy->children = kb_ids_text(arena, there, kept);
	return true;
}

bool kb_agent_show_copy(struct kb_db_conn *conn, struct kb_arena *arena, struct kb_agent *copy,
                        struct kb_err *err)
{
	int64_t shown;

	/* Whoever believed this node to be gone has deleted it. */
	return children_now(conn, arena, copy, err) && put(conn, arena, copy, err)
	       && kb_db_run(conn, &sql[COPIED],
	                    KB_VALUES(kb_int(copy->id), kb_int(copy->index_version),
	                              kb_int(copy->is_active)),
	                    &shown, err)
	       && (shown || kb_fail(err, KB_E_CONFLICT, "the copy was given up by another node"));
}

bool kb_agents_void_copies(struct kb_store *store, int64_t me, struct kb_err *err)
{
	return kb_leases_void(store, &sql[VOID_COPIES], me, err);
}

struct delete
{
	int64_t account_id, id, now, gone_at;
};

static bool delete_agent(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct delete *in = arg;
	struct kb_arena arena = { 0 };
	struct kb_agent agent = { 0 };
	int64_t version;
	bool ok;

	ok = kb_agent_lock(conn, in->id, &version, err)
	     && kb_agent_load(conn, &arena, in->account_id, in->id, &agent, err)
	     && leave_masters(conn, &arena, in->account_id, in->id, in->now, err);
	kb_arena_fini(&arena);
	if (!ok)
		return false;
	/* It is gone; its rows follow (remove.c), unless it is taken back before. */
	return kb_db_run(conn, &sql[DELETE],
	                 KB_VALUES(kb_int(in->id), kb_int(in->now), kb_int(in->gone_at)), NULL, err)
	       && kb_turn_drop(conn, in->id, err)
	       && kb_db_notify(conn, KB_TOPIC_AGENT, in->id, err);
}

bool kb_store_agent_delete(struct kb_store *store, int64_t account_id, int64_t id,
                           struct kb_err *err)
{
	int64_t now = kb_store_now(store);
	struct delete in = { account_id, id, now, now + store->keep_deleted_us };

	return kb_db_write(store->db, delete_agent, &in, err);
}

bool kb_store_agents_deleted(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                             struct kb_deleted_agents *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_deleted_agents){ 0 };
	kb_rows_take(&rows, store->db, &sql[DELETED],
	             KB_VALUES(kb_int(account_id), kb_int(kb_store_now(store))));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, out->v, out->count)
		[out->count] = (struct kb_deleted_agent){
			.id = kb_rows_int(&rows, 0),
			.name = kb_rows_text(&rows, arena, 1),
			.deleted_at = kb_rows_int(&rows, 2),
			.gone_at = kb_rows_int(&rows, 3),
		};
		out->count++;
	}
	return kb_rows_close(&rows, err);
}

/* Whoever removes its rows has said so in its row before: then it is not kept any more. */
static bool take_agent_back(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct delete *in = arg;
	int64_t taken;

	return kb_db_run(conn, &sql[TAKE_BACK],
	                 KB_VALUES(kb_int(in->id), kb_int(in->account_id), kb_int(in->now)), &taken,
	                 err)
	       && (taken || kb_agent_missing(err, in->id)) && kb_turn_settle(conn, in->id, err)
	       && kb_db_notify(conn, KB_TOPIC_AGENT, in->id, err);
}

bool kb_store_agent_take_back(struct kb_store *store, int64_t account_id, int64_t id,
                              struct kb_err *err)
{
	struct delete in = { .account_id = account_id, .id = id, .now = kb_store_now(store) };

	return kb_db_write(store->db, take_agent_back, &in, err);
}

const int64_t *kb_agent_children(struct kb_arena *arena, const struct kb_agent *agent,
                                 size_t *count)
{
	return kb_ids_parse(arena, agent->children, count);
}

struct kb_sv kb_agent_children_text(struct kb_arena *arena, const int64_t *ids, size_t count)
{
	return kb_ids_text(arena, ids, count);
}
