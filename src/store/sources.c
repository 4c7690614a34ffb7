/* Sources: where an agent's documents come from. Each agent has one for uploads from its start. */
#include "store/agents.h"
#include "store/store_impl.h"

enum { ADD, LIST, UPLOAD, UPLOAD_ID };
#define COLUMNS "agent_id, id, type, settings, created_at, updated_at"
// clang-format off
static const struct kb_sql sql[] = {
	[ADD] = { "source_add", "iittii",
		"INSERT INTO sources (agent_id, id, type, settings, created_at, updated_at) "
		"VALUES ($1, $2, $3, $4, $5, $6)" },
	[LIST] = { "source_list", "i",
		"SELECT " COLUMNS " FROM sources WHERE agent_id = $1 ORDER BY id" },
	[UPLOAD] = { "source_upload", "i",
		"SELECT " COLUMNS " FROM sources WHERE agent_id = $1 AND type = 'upload' "
		"ORDER BY id LIMIT 1" },
	[UPLOAD_ID] = { "source_upload_id", "i",
		"SELECT id FROM sources WHERE agent_id = $1 AND type = 'upload' ORDER BY id LIMIT 1" },
};
// clang-format on
const struct kb_sql_table kb_sql_sources = { "sources", sql, KB_COUNTOF(sql) };

bool kb_source_insert_upload(struct kb_conn *conn, int64_t agent_id, int64_t now,
                             struct kb_err *err)
{
	int64_t id;

	return kb_db_next_id(conn, "source", 1, &id, err)
	       && kb_db_run(conn, &sql[ADD],
	                    KB_VALUES(kb_int(agent_id), kb_int(id), kb_text(KB_SV("upload")),
	                              kb_text(KB_SV("{}")), kb_int(now), kb_int(now)),
	                    NULL, err);
}

bool kb_source_upload_id(struct kb_conn *conn, int64_t agent_id, int64_t *id, struct kb_err *err)
{
	return kb_db_int(conn, &sql[UPLOAD_ID], KB_VALUES(kb_int(agent_id)), 0, id, err);
}

static bool list(struct kb_store *store, struct kb_arena *arena, const struct kb_sql *what,
                 int64_t agent_id, struct kb_source **sources, size_t *count, struct kb_err *err)
{
	struct kb_conn *conn = kb_db_take(store->db, false, err);
	struct kb_rows rows;
	bool ok;

	*sources = NULL;
	*count = 0;
	if (!conn)
		return false;
	kb_rows_open(&rows, conn, what, KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, *sources, *count)
		[*count] = (struct kb_source){
			.agent_id = kb_rows_int(&rows, 0),
			.id = kb_rows_int(&rows, 1),
			.type = kb_rows_text(&rows, arena, 2),
			.settings = kb_rows_text(&rows, arena, 3),
			.created_at = kb_rows_int(&rows, 4),
			.updated_at = kb_rows_int(&rows, 5),
		};
		++*count;
	}
	ok = kb_rows_close(&rows, err);
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_source_upload(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                            struct kb_source *out, struct kb_err *err)
{
	struct kb_source *sources;
	size_t count;

	if (!list(store, arena, &sql[UPLOAD], agent_id, &sources, &count, err))
		return false;
	if (count == 0)
		return kb_fail(err, KB_E_NOT_FOUND, "Agent with id %" PRId64 " not found",
		               agent_id);
	*out = sources[0];
	return true;
}

bool kb_store_source_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          struct kb_source **sources, size_t *count, struct kb_err *err)
{
	return list(store, arena, &sql[LIST], agent_id, sources, count, err);
}
