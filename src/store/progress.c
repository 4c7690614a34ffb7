#include "store/progress.h"

#include "store/agents_own.h"
#include "store/pages_own.h"
#include "store/store_own.h"

enum { WORKING, SOURCES, AMISS, PACE, READING, WAITING };
#define COLUMNS "id, url, filename, is_file, reason, attempts, due_at"
// clang-format off
static const struct kb_sql sql[] = {
	/* All, and those of them that are to be fetched. */
	[WORKING] = { "queue_working", "i",
		"SELECT count(*), coalesce(sum(to_fetch), 0) FROM pages WHERE agent_id = $1 AND state > 0 AND " KB_PAGE_SHOWN("$1") },
	[SOURCES] = { "progress_sources", "i",
		"SELECT count(*) FROM sources WHERE agent_id = $1 AND status = 0 AND dead_version = 0" },
	[AMISS] = { "queue_amiss", "ii",
		"SELECT count(*) FROM pages WHERE agent_id = $1 AND index_status = $2 "
		"AND index_status > " KB_SQL(STATUS_OK) " AND " KB_PAGE_SHOWN("$1") },
	/* None in the last minute: then nobody knows. */
	[PACE] = { "progress_pace", "ii",
		"SELECT finished - old_finished, last_at - old_at FROM agent_totals "
		"WHERE agent_id = $1 AND last_at > $2 - 60000000" },
	[READING] = { "queue_reading", "ii",
		"SELECT " COLUMNS " FROM pages WHERE agent_id = $1 AND state = " KB_SQL(PAGE_LEASED) " AND "
		KB_PAGE_SHOWN("$1") " ORDER BY id LIMIT $2" },
	[WAITING] = { "queue_waiting", "iii",
		"SELECT " COLUMNS " FROM pages WHERE agent_id = $1 AND state > 0 AND state = "
		KB_SQL(PAGE_QUEUED) " AND to_fetch = $3 AND " KB_PAGE_SHOWN("$1") " ORDER BY is_slow, due_at, id LIMIT $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_progress = { "progress", sql, KB_COUNTOF(sql) };

static bool count_work(struct kb_db_conn *conn, int64_t agent_id, struct kb_progress *out,
                       struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[WORKING], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		out->working = kb_rows_int(&rows, 0);
		out->fetching = kb_rows_int(&rows, 1);
	}
	return kb_rows_close(&rows, err);
}

static bool take_pages(struct kb_db_rows *rows, struct kb_arena *arena, bool reading,
                       struct kb_progress *out, struct kb_err *err)
{
	while (kb_rows_next(rows)) {
		struct kb_progress_page *page = &out->pages[out->page_count++];
		int64_t due_at = kb_rows_int(rows, 6);

		*page = (struct kb_progress_page){
			.id = kb_rows_int(rows, 0),
			.name = kb_rows_text(rows, arena, kb_rows_bool(rows, 3) ? 2 : 1),
			.is_reading = reading,
			.reason = kb_rows_text(rows, arena, 4),
			.attempts = kb_rows_int(rows, 5),
			.next_try_at = reading || due_at == KB_DUE_NEVER ? 0 : due_at,
		};
	}
	return kb_rows_close(rows, err);
}

/* Those that are read now; then what is to be read, and what is to be fetched for that. */
static bool read_pages(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                       struct kb_progress *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[READING],
	             KB_VALUES(kb_int(agent_id), kb_int(KB_PROGRESS_PAGES)));
	if (!take_pages(&rows, arena, true, out, err))
		return false;
	for (int64_t to_fetch = 0; to_fetch <= 1 && out->page_count < KB_PROGRESS_PAGES;
	     to_fetch++) {
		kb_rows_open(&rows, conn, &sql[WAITING],
		             KB_VALUES(kb_int(agent_id),
		                       kb_int(KB_PROGRESS_PAGES - (int64_t)out->page_count),
		                       kb_int(to_fetch)));
		if (!take_pages(&rows, arena, false, out, err))
			return false;
	}
	return true;
}

static bool read_pace(struct kb_db_conn *conn, int64_t agent_id, int64_t now,
                      struct kb_progress *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[PACE], KB_VALUES(kb_int(agent_id), kb_int(now)));
	while (kb_rows_next(&rows)) {
		out->lately = kb_rows_int(&rows, 0);
		out->lately_us = kb_rows_int(&rows, 1);
	}
	return kb_rows_close(&rows, err);
}

static bool count_amiss(struct kb_db_conn *conn, int64_t agent_id, enum kb_status status,
                        int64_t *out, struct kb_err *err)
{
	return kb_db_int(conn, &sql[AMISS], KB_VALUES(kb_int(agent_id), kb_int(status)), 0, out,
	                 err);
}

bool kb_store_progress(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                       struct kb_progress *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	struct kb_agent_stats stats;
	bool ok;

	*out = (struct kb_progress){ 0 };
	if (!conn)
		return false;
	ok = kb_agent_there(conn, agent_id, err) && kb_agent_stats(conn, agent_id, &stats, err)
	     && count_work(conn, agent_id, out, err)
	     && kb_db_int(conn, &sql[SOURCES], KB_VALUES(kb_int(agent_id)), 0, &out->sources, err)
	     && count_amiss(conn, agent_id, KB_STATUS_FAILED, &out->failed, err)
	     && count_amiss(conn, agent_id, KB_STATUS_LIMITED, &out->limited, err)
	     && read_pace(conn, agent_id, kb_store_now(store), out, err)
	     && read_pages(conn, arena, agent_id, out, err);
	kb_db_give(store->db, conn);
	if (ok) {
		out->total = stats.pages_found;
		out->done = stats.pages_indexed;
	}
	return ok;
}
