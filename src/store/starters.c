#include "store/starters.h"

#include "base/hash.h"
#include "store/chores_own.h"
#include "store/starters_own.h"
#include "store/store_own.h"

enum { GET, PAGE, COUNT, FORGET, WANT, PUT };
// clang-format off
static const struct kb_sql sql[] = {
	[GET] = { "starters_get", "ii",
		"SELECT title, address, questions, index_version, asked_at FROM starters "
		"WHERE agent_id = $1 AND page = $2" },
	[PAGE] = { "starters_page", "ii",
		"SELECT title, address FROM starters WHERE agent_id = $1 AND page = $2" },
	[COUNT] = { "starters_count", "ii",
		"SELECT count(*) FROM starters WHERE agent_id = $1 AND asked_at > $2" },
	[FORGET] = { "starters_forget", "ii", "DELETE FROM starters WHERE agent_id = $1 AND asked_at < $2" },
	[WANT] = { "starters_want", "iittii",
		"INSERT INTO starters (agent_id, page, title, address, questions, index_version, asked_at) "
		"VALUES ($1, $2, $3, $4, '', $5, $6) ON CONFLICT (agent_id, page) DO UPDATE SET "
		"questions = CASE WHEN starters.title = $3 AND starters.address = $4 THEN starters.questions "
		"ELSE '' END, title = $3, address = $4, index_version = $5, asked_at = $6" },
	[PUT] = { "starters_put", "iit",
		"UPDATE starters SET questions = $3 WHERE agent_id = $1 AND page = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_starters = { "starters", sql, KB_COUNTOF(sql) };

static int64_t page_id(const struct kb_starters_page *page)
{
	struct kb_hash64 *hash;
	uint64_t id;

	if (!page->title.n && !page->address.n)
		return 0;
	hash = kb_hash64_new();
	kb_hash64_add(hash, page->title.p, page->title.n);
	kb_hash64_add(hash, "\n", 1);
	kb_hash64_add(hash, page->address.p, page->address.n);
	id = kb_hash64_end(hash);
	kb_hash64_free(hash);
	return (int64_t)(id >> 1) | 1;
}

struct row {
	struct kb_starters_page page;
	struct kb_sv questions;
	int64_t index_version, asked_at;
	bool there;
};

static bool read_row(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                     const struct kb_starters_page *page, struct row *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct row){ 0 };
	kb_rows_open(&rows, conn, &sql[GET], KB_VALUES(kb_int(agent_id), kb_int(page_id(page))));
	while (kb_rows_next(&rows)) {
		out->page.title = kb_rows_text(&rows, arena, 0);
		out->page.address = kb_rows_text(&rows, arena, 1);
		out->questions = kb_rows_text(&rows, arena, 2);
		out->index_version = kb_rows_int(&rows, 3);
		out->asked_at = kb_rows_int(&rows, 4);
		/* A hash is no proof. */
		out->there = kb_sv_eq(out->page.title, page->title)
		             && kb_sv_eq(out->page.address, page->address);
	}
	return kb_rows_close(&rows, err);
}

static bool is_wanted(const struct row *row, const struct kb_agent *agent, int64_t now)
{
	if (!row->there)
		return true;
	if (!row->questions.n)
		return row->asked_at < now - KB_DAY_US;
	return row->index_version != agent->index_version
	       && row->asked_at < now - KB_STARTERS_AGAIN_S * KB_SECOND_US;
}

bool kb_store_starters_get(struct kb_store *store, struct kb_arena *arena,
                           const struct kb_agent *agent, const struct kb_starters_page *page,
                           struct kb_starters *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	struct row row;
	bool ok;

	if (!conn)
		return false;
	ok = read_row(conn, arena, agent->id, page, &row, err);
	kb_db_give(store->db, conn);
	if (!ok)
		return false;
	out->questions = row.there ? row.questions : KB_SV("");
	out->wanted =
	        atomic_load(&store->chores_wanted) && is_wanted(&row, agent, kb_store_now(store));
	return true;
}

struct want {
	const struct kb_agent *agent;
	const struct kb_starters_page *page;
	int64_t now;
};

static bool want(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct want *in = arg;
	const struct kb_starters_page *page = in->page;
	const struct kb_chore chore = { .agent_id = in->agent->id,
		                        .kind = KB_CHORE_STARTERS,
		                        .subject = page_id(page) };
	struct kb_db_value agent = kb_int(in->agent->id);
	struct kb_arena arena = { 0 };
	struct row row;
	int64_t count = 0;
	bool ok;

	/* Another request, of any node, may have been first. */
	ok = read_row(conn, &arena, in->agent->id, page, &row, err);
	kb_arena_fini(&arena);
	if (!ok)
		return false;
	if (!is_wanted(&row, in->agent, in->now))
		return true;
	if (!kb_db_int(conn, &sql[COUNT], KB_VALUES(agent, kb_int(in->now - KB_DAY_US)), 0, &count,
	               err))
		return false;
	if (count >= KB_STARTERS_A_DAY)
		return true;
	return kb_db_run(conn, &sql[FORGET],
	                 KB_VALUES(agent, kb_int(in->now - KB_STARTERS_KEPT_DAYS * KB_DAY_US)),
	                 NULL, err)
	       && kb_db_run(conn, &sql[WANT],
	                    KB_VALUES(agent, kb_int(chore.subject), kb_text(page->title),
	                              kb_text(page->address), kb_int(in->agent->index_version),
	                              kb_int(in->now)),
	                    NULL, err)
	       && kb_chore_add(conn, &chore, in->now, err);
}

bool kb_store_starters_want(struct kb_store *store, const struct kb_agent *agent,
                            const struct kb_starters_page *page, struct kb_err *err)
{
	struct want in = { agent, page, kb_store_now(store) };

	return kb_db_write(store->db, want, &in, err);
}

bool kb_store_starters_page(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                            int64_t page, struct kb_starters_page *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	struct kb_db_rows rows;
	bool found = false, ok;

	if (!conn)
		return false;
	kb_rows_open(&rows, conn, &sql[PAGE], KB_VALUES(kb_int(agent_id), kb_int(page)));
	while (kb_rows_next(&rows)) {
		found = true;
		out->title = kb_rows_text(&rows, arena, 0);
		out->address = kb_rows_text(&rows, arena, 1);
	}
	ok = kb_rows_close(&rows, err);
	kb_db_give(store->db, conn);
	return ok && (found || kb_fail(err, KB_E_NOT_FOUND, "nobody has asked for that page"));
}

bool kb_starters_put(struct kb_db_conn *conn, const struct kb_chore *chore, struct kb_sv questions,
                     struct kb_err *err)
{
	return kb_db_run(
	        conn, &sql[PUT],
	        KB_VALUES(kb_int(chore->agent_id), kb_int(chore->subject), kb_text(questions)),
	        NULL, err);
}
