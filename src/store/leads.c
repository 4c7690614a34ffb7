#include "store/leads.h"

#include "base/hash.h"
#include "store/lists.h"
#include "store/store_own.h"

enum { ADD, LIST, LIST_OLDEST, COUNT, PURGE };
enum { ID_CHARS = 22, PURGED_AT_ONCE = 500 };
// clang-format off
#define CHOSEN " FROM leads WHERE agent_id = $1 AND created_at >= $2 AND created_at < $3 AND ($4 = '' OR session_id = $4)"
#define COLUMNS "session_id, message_id, name, email, question, created_at"
static const struct kb_sql sql[] = {
	[ADD] = { "lead_add", "ittittti",
		"INSERT INTO leads (agent_id, id, session_id, message_id, name, email, question, created_at) "
		"VALUES ($1, $2, $3, $4, $5, $6, $7, $8)" },
	[LIST] = { "lead_list_newest", "iiitii",
		"SELECT " COLUMNS CHOSEN " ORDER BY created_at DESC, id DESC LIMIT $5 OFFSET $6" },
	[LIST_OLDEST] = { "lead_list_oldest", "iiitii",
		"SELECT " COLUMNS CHOSEN " ORDER BY created_at, id LIMIT $5 OFFSET $6" },
	[COUNT] = { "lead_list_count", "iiit", "SELECT count(*)" CHOSEN },
	[PURGE] = { "leads_purge", "iii",
		"DELETE FROM leads WHERE agent_id = $1 AND id IN (SELECT id FROM leads "
		"WHERE agent_id = $1 AND created_at < $2 ORDER BY created_at LIMIT $3)" },
};
// clang-format on
const struct kb_sql_table kb_sql_leads = { "leads", sql, KB_COUNTOF(sql) };

struct adding {
	const struct kb_lead *lead;
	char id[ID_CHARS + 1];
	int64_t now;
};

static bool add(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct adding *in = arg;
	const struct kb_lead *lead = in->lead;

	return kb_db_run(conn, &sql[ADD],
	                 KB_VALUES(kb_int(lead->agent_id), kb_text(kb_sv_str(in->id)),
	                           kb_text(lead->session_id), kb_int(lead->message_id),
	                           kb_text(lead->name), kb_text(lead->email),
	                           kb_text(lead->question), kb_int(in->now)),
	                 NULL, err);
}

bool kb_store_lead_add(struct kb_store *store, const struct kb_lead *lead, struct kb_err *err)
{
	struct adding in = { .lead = lead, .now = kb_store_now(store) };

	kb_random_text(in.id, ID_CHARS);
	return kb_db_write(store->db, add, &in, err);
}

bool kb_store_lead_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                        const struct kb_lead_filter *filter, struct kb_lead_list *out,
                        struct kb_err *err)
{
	const struct kb_list *list = &filter->list;
	struct kb_db_value agent = kb_int(agent_id), from = kb_int(filter->from),
	                   until = kb_int(filter->until), session = kb_text(filter->session_id);
	struct kb_db_rows rows;

	*out = (struct kb_lead_list){ 0 };
	if (!kb_db_read_int(store->db, &sql[COUNT], KB_VALUES(agent, from, until, session), 0,
	                    &out->total, err))
		return false;
	kb_rows_take(&rows, store->db, &sql[list->ascending ? LIST_OLDEST : LIST],
	             KB_VALUES(agent, from, until, session, kb_int(list->limit),
	                       kb_int((list->page - 1) * list->limit)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, out->v, out->count)
		[out->count] = (struct kb_lead){
			.agent_id = agent_id,
			.session_id = kb_rows_text(&rows, arena, 0),
			.message_id = kb_rows_int(&rows, 1),
			.name = kb_rows_text(&rows, arena, 2),
			.email = kb_rows_text(&rows, arena, 3),
			.question = kb_rows_text(&rows, arena, 4),
			.created_at = kb_rows_int(&rows, 5),
		};
		out->count++;
	}
	return kb_rows_close(&rows, err);
}

struct purging {
	int64_t agent_id, before, *removed;
};

static bool purge(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct purging *in = arg;

	return kb_db_run(
	        conn, &sql[PURGE],
	        KB_VALUES(kb_int(in->agent_id), kb_int(in->before), kb_int(PURGED_AT_ONCE)),
	        in->removed, err);
}

bool kb_store_leads_purge(struct kb_store *store, int64_t agent_id, int64_t before,
                          int64_t *removed, struct kb_err *err)
{
	struct purging in = { agent_id, before, removed };

	return kb_db_write(store->db, purge, &in, err);
}
