#include "store/conflicts.h"

#include "store/pages_own.h"
#include "store/store_own.h"

enum { GET, WANT, NEXT, PUT, LATER, DISMISSED, DISMISS };
// clang-format off
static const struct kb_sql sql[] = {
	[GET] = { "conflicts_get", "i",
		"SELECT content, dismissed, index_version, made_at, wanted_at FROM conflicts WHERE agent_id = $1" },
	[WANT] = { "conflicts_want", "ii",
		"INSERT INTO conflicts (agent_id, content, dismissed, index_version, made_at, wanted_at) "
		"VALUES ($1, '', '', 0, 0, $2) ON CONFLICT (agent_id) DO UPDATE SET wanted_at = $2" },
	[NEXT] = { "conflicts_next", "i",
		"SELECT agent_id FROM conflicts WHERE wanted_at > 0 AND wanted_at <= $1 AND "
		KB_AGENT_SHOWN("agent_id") " ORDER BY wanted_at LIMIT 1" },
	[PUT] = { "conflicts_put", "iiti",
		"UPDATE conflicts SET content = $3, index_version = $2, made_at = $4, wanted_at = 0 "
		"WHERE agent_id = $1" },
	[LATER] = { "conflicts_later", "ii", "UPDATE conflicts SET wanted_at = $2 WHERE agent_id = $1" },
	[DISMISSED] = { "conflicts_dismissed", "i", "SELECT dismissed FROM conflicts WHERE agent_id = $1" },
	[DISMISS] = { "conflicts_dismiss", "it",
		"INSERT INTO conflicts (agent_id, content, dismissed, index_version, made_at, wanted_at) "
		"VALUES ($1, '', $2, 0, 0, 0) ON CONFLICT (agent_id) DO UPDATE SET dismissed = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_conflicts = { "conflicts", sql, KB_COUNTOF(sql) };

bool kb_store_conflicts_get(struct kb_store *store, struct kb_arena *arena,
                            const struct kb_agent *agent, struct kb_conflicts_row *out,
                            struct kb_err *err)
{
	int64_t since = kb_store_now(store) - KB_CONFLICTS_AGAIN_S * KB_SECOND_US, made_at;
	struct kb_db_rows rows;

	*out = (struct kb_conflicts_row){ .content = KB_SV(""),
		                          .dismissed = KB_SV(""),
		                          .wanted = true };
	kb_rows_take(&rows, store->db, &sql[GET], KB_VALUES(kb_int(agent->id)));
	while (kb_rows_next(&rows)) {
		out->content = kb_rows_text(&rows, arena, 0);
		out->dismissed = kb_rows_text(&rows, arena, 1);
		made_at = kb_rows_int(&rows, 3);
		out->is_coming = kb_rows_int(&rows, 4) > 0;
		out->wanted = !out->is_coming && kb_rows_int(&rows, 2) != agent->index_version
		              && made_at < since;
	}
	return kb_rows_close(&rows, err);
}

bool kb_store_conflicts_next(struct kb_store *store, int64_t *agent_id, struct kb_err *err)
{
	return kb_db_read_int(store->db, &sql[NEXT], KB_VALUES(kb_int(kb_store_now(store))), 0,
	                      agent_id, err);
}

bool kb_store_conflicts_want(struct kb_store *store, int64_t agent_id, struct kb_err *err)
{
	return kb_db_write_run(store->db, &sql[WANT],
	                       KB_VALUES(kb_int(agent_id), kb_int(kb_store_now(store))), NULL, err);
}

bool kb_store_conflicts_put(struct kb_store *store, int64_t agent_id, int64_t index_version,
                            struct kb_sv content, struct kb_err *err)
{
	return kb_db_write_run(store->db, &sql[PUT],
	                       KB_VALUES(kb_int(agent_id), kb_int(index_version), kb_text(content),
	                                 kb_int(kb_store_now(store))),
	                       NULL, err);
}

bool kb_store_conflicts_later(struct kb_store *store, int64_t agent_id, struct kb_err *err)
{
	int64_t at = kb_store_now(store) + KB_CONFLICTS_LATER_S * KB_SECOND_US;

	return kb_db_write_run(store->db, &sql[LATER], KB_VALUES(kb_int(agent_id), kb_int(at)),
	                       NULL, err);
}

/* The others, and behind them the pair where it is dismissed. */
static struct kb_sv dismissed_after(struct kb_arena *arena, const struct kb_conflict_pair *pair,
                                    struct kb_sv before)
{
	struct kb_sv line = kb_arena_printf(arena, "%" PRId64 " %" PRId64, pair->a, pair->b);
	struct kb_sv out = KB_SV(""), one;
	size_t count = 0;

	for (struct kb_sv rest = before; rest.n && kb_sv_split(&rest, '\n', &one);)
		count += one.n > 0;
	while (before.n && kb_sv_split(&before, '\n', &one)) {
		if (!one.n || kb_sv_eq(one, line) || count-- > KB_CONFLICTS_DISMISSED)
			continue;
		out = kb_arena_printf(arena, "%.*s%.*s\n", KB_SV_ARG(out), KB_SV_ARG(one));
	}
	if (pair->dismissed)
		out = kb_arena_printf(arena, "%.*s%.*s\n", KB_SV_ARG(out), KB_SV_ARG(line));
	return out;
}

struct dismiss {
	struct kb_arena arena;
	const struct kb_conflict_pair *pair;
};

static bool is_there(struct kb_db_conn *conn, struct dismiss *in, int64_t id, struct kb_err *err)
{
	struct kb_page_row row = { 0 };

	return kb_page_load(conn, &in->arena, in->pair->agent_id, id, &row, err)
	       && (row.page.id || kb_page_not_found(err, id));
}

static bool dismiss(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct dismiss *in = arg;
	struct kb_db_value agent = kb_int(in->pair->agent_id);
	struct kb_sv before = KB_SV("");
	struct kb_db_rows rows;
	int64_t version;

	if (!kb_agent_lock(conn, in->pair->agent_id, &version, err)
	    || !is_there(conn, in, in->pair->a, err) || !is_there(conn, in, in->pair->b, err))
		return false;
	kb_rows_open(&rows, conn, &sql[DISMISSED], KB_VALUES(agent));
	while (kb_rows_next(&rows))
		before = kb_rows_text(&rows, &in->arena, 0);
	return kb_rows_close(&rows, err)
	       && kb_db_run(
	               conn, &sql[DISMISS],
	               KB_VALUES(agent, kb_text(dismissed_after(&in->arena, in->pair, before))),
	               NULL, err);
}

bool kb_store_conflicts_dismiss(struct kb_store *store, const struct kb_conflict_pair *pair,
                                struct kb_err *err)
{
	struct dismiss in = { .pair = pair };
	bool ok = kb_db_write(store->db, dismiss, &in, err);

	kb_arena_fini(&in.arena);
	return ok;
}
