#include "store/cites.h"

#include "store/statements.h"

enum { CLEAR, VERSIONS, ANSWER, GONE };
// clang-format off
static const struct kb_sql sql[] = {
	[CLEAR] = { "cites_clear", "ii",
		"DELETE FROM verified_cites WHERE agent_id = $1 AND page_id = $2" },
	[VERSIONS] = { "cites_versions", "ii",
		"DELETE FROM verified_versions WHERE agent_id = $1 AND page_id = $2" },
	[ANSWER] = { "cites_answer", "ii",
		"DELETE FROM verified_answers WHERE agent_id = $1 AND page_id = $2" },
	[GONE] = { "cites_gone", "ii",
		"UPDATE verified_cites SET gone = 1 WHERE agent_id = $1 AND cited_id = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_cites = { "cites", sql, KB_COUNTOF(sql) };

bool kb_cites_clear(struct kb_db_conn *conn, int64_t agent_id, int64_t page_id, struct kb_err *err)
{
	return kb_db_run(conn, &sql[CLEAR], KB_VALUES(kb_int(agent_id), kb_int(page_id)), NULL,
	                 err);
}

bool kb_cites_drop_page(struct kb_db_conn *conn, int64_t agent_id, int64_t page_id,
                        struct kb_err *err)
{
	for (size_t i = 0; i < KB_COUNTOF(sql); i++)
		if (!kb_db_run(conn, &sql[i], KB_VALUES(kb_int(agent_id), kb_int(page_id)), NULL,
		               err))
			return false;
	return true;
}
