#include "store/openings.h"

#include "store/store_own.h"

enum { GET, WANT, NEXT, PUT, LATER, ASKED };
enum { RECENT = 300 };
// clang-format off
static const struct kb_sql sql[] = {
	[GET] = { "opening_get", "i",
		"SELECT content, index_version, made_at, wanted_at FROM openings WHERE agent_id = $1" },
	[WANT] = { "opening_want", "ii",
		"INSERT INTO openings (agent_id, content, index_version, made_at, wanted_at) "
		"VALUES ($1, '', 0, 0, $2) ON CONFLICT (agent_id) DO UPDATE SET wanted_at = $2" },
	[NEXT] = { "opening_next", "i",
		"SELECT agent_id FROM openings WHERE wanted_at > 0 AND wanted_at <= $1 AND "
		KB_AGENT_SHOWN("agent_id") " ORDER BY wanted_at LIMIT 1" },
	[PUT] = { "opening_put", "iiti",
		"UPDATE openings SET content = $3, index_version = $2, made_at = $4, wanted_at = 0 "
		"WHERE agent_id = $1" },
	[LATER] = { "opening_later", "ii", "UPDATE openings SET wanted_at = $2 WHERE agent_id = $1" },
	/* Of the last ones, each counted once a visitor. */
	[ASKED] = { "opening_asked", "iiii",
		"SELECT m.query, count(DISTINCT c.visitor_id) AS visitors FROM (SELECT agent_id, conversation_id, query "
		"FROM messages WHERE agent_id = $1 AND created_at > $2 AND answered = 1 "
		"ORDER BY created_at DESC LIMIT $3) m "
		"JOIN conversations c ON c.agent_id = m.agent_id AND c.id = m.conversation_id "
		"WHERE c.visitor_id > 0 GROUP BY m.query HAVING count(DISTINCT c.visitor_id) > 2 "
		"ORDER BY visitors DESC, m.query LIMIT $4" },
};
// clang-format on
const struct kb_sql_table kb_sql_openings = { "openings", sql, KB_COUNTOF(sql) };

bool kb_store_opening_get(struct kb_store *store, struct kb_arena *arena,
                          const struct kb_agent *agent, struct kb_opening_row *out,
                          struct kb_err *err)
{
	int64_t now = kb_store_now(store), made_at;
	struct kb_db_rows rows;

	*out = (struct kb_opening_row){ .content = KB_SV(""), .wanted = true };
	kb_rows_take(&rows, store->db, &sql[GET], KB_VALUES(kb_int(agent->id)));
	while (kb_rows_next(&rows)) {
		out->content = kb_rows_text(&rows, arena, 0);
		made_at = kb_rows_int(&rows, 2);
		out->is_coming = kb_rows_int(&rows, 3) > 0;
		out->wanted = !out->is_coming
		              && (made_at < now - KB_OPENING_KEPT_S * KB_SECOND_US
		                  || (kb_rows_int(&rows, 1) != agent->index_version
		                      && made_at < now - KB_OPENING_AGAIN_S * KB_SECOND_US));
	}
	return kb_rows_close(&rows, err);
}

bool kb_store_opening_next(struct kb_store *store, int64_t *agent_id, struct kb_err *err)
{
	return kb_db_read_int(store->db, &sql[NEXT], KB_VALUES(kb_int(kb_store_now(store))), 0,
	                      agent_id, err);
}

bool kb_store_opening_want(struct kb_store *store, int64_t agent_id, struct kb_err *err)
{
	return kb_db_write_run(store->db, &sql[WANT],
	                       KB_VALUES(kb_int(agent_id), kb_int(kb_store_now(store))), NULL, err);
}

bool kb_store_opening_put(struct kb_store *store, int64_t agent_id, int64_t index_version,
                          struct kb_sv content, struct kb_err *err)
{
	return kb_db_write_run(store->db, &sql[PUT],
	                       KB_VALUES(kb_int(agent_id), kb_int(index_version), kb_text(content),
	                                 kb_int(kb_store_now(store))),
	                       NULL, err);
}

bool kb_store_opening_later(struct kb_store *store, int64_t agent_id, struct kb_err *err)
{
	int64_t at = kb_store_now(store) + KB_OPENING_LATER_S * KB_SECOND_US;

	return kb_db_write_run(store->db, &sql[LATER], KB_VALUES(kb_int(agent_id), kb_int(at)),
	                       NULL, err);
}

bool kb_store_opening_asked(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                            struct kb_sv *out, size_t *count, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	int64_t since = kb_store_now(store) - KB_OPENING_ASKED_DAYS * KB_DAY_US;
	struct kb_db_rows rows;
	bool ok;

	*count = 0;
	if (!conn)
		return false;
	kb_rows_open(&rows, conn, &sql[ASKED],
	             KB_VALUES(kb_int(agent_id), kb_int(since), kb_int(RECENT),
	                       kb_int(KB_OPENING_ASKED)));
	while (kb_rows_next(&rows))
		out[(*count)++] = kb_rows_text(&rows, arena, 0);
	ok = kb_rows_close(&rows, err);
	kb_db_give(store->db, conn);
	return ok;
}
