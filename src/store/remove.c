/* The rows of deleted agents and sources, and of copies that were never whole, in slices. */
#include "store/remove.h"

#include "store/crawls_own.h"
#include "store/deleted_own.h"
#include "store/labels_own.h"
#include "store/lists.h"
#include "store/store_own.h"
#include "store/work_own.h"

enum {
	ROWS_MIN = 20,
	ROWS_FIRST = 100,
	ROWS_MAX = 2000,
	SLICE_US = 4000, /* of the writer's time, to aim at */
	LEASE_S = 10,    /* of one node's turn; each slice prolongs it */
};

enum {
	AGENT,
	AGENT_GOES,
	SOURCE,
	LAST_OF,
	PAGES_WORTH,
	PAGES_DEAD,
	PAGES_LEANT_ON,
	PAGES_LEAN,
	PAGES_VERSIONS,
	PAGES_CHECKED,
	PAGES_LABELS,
	PAGES_CITED,
	PAGES,
	SOURCE_ROW,
	MONTHS,
	MONTH_KEEP,
	AGENT_FIRST, /* of all tables of agents: what refers to others before those */
};
/* $1 agent, $2 how many; the first of them by the rest of their key. */
#define DELETE(table, key)                                                                         \
	{                                                                                          \
		"remove_" table, "ii",                                                             \
		        "DELETE FROM " table " WHERE agent_id = $1 AND (" key ") IN (SELECT " key  \
		        " FROM " table " WHERE agent_id = $1 ORDER BY " key " LIMIT $2)"           \
	}
/* Tables with few rows an agent. */
#define DELETE_ALL(table)                                                                          \
	{                                                                                          \
		"remove_" table, "i", "DELETE FROM " table " WHERE agent_id = $1"                  \
	}
/* $1 agent, $2 source: its pages up to the id $3. */
#define OF_SOURCE "FROM pages WHERE agent_id = $1 AND source_id = $2 AND id <= $3"
// clang-format off
static const struct kb_sql sql[] = {
	[AGENT] = { "remove_agent", "i",
		"SELECT id FROM agents WHERE state > 0 "
		"AND state IN (" KB_SQL(AGENT_DELETED) ", " KB_SQL(AGENT_ARRIVING) ") AND gone_at <= $1 ORDER BY id LIMIT 1" },
	[AGENT_GOES] = { "remove_agent_goes", "i", "UPDATE agents SET gone_at = 0 WHERE id = $1" },
	[SOURCE] = { "remove_source", "",
		"SELECT agent_id, id, dead_version FROM sources WHERE dead_version > 0 AND "
		KB_AGENT_SHOWN("agent_id") " ORDER BY agent_id, id LIMIT 1" },
	[LAST_OF] = { "remove_last_of", "iii",
		"SELECT coalesce(max(id), 0) FROM (SELECT id FROM pages "
		"WHERE agent_id = $1 AND source_id = $2 ORDER BY id LIMIT $3) p" },
	[PAGES_WORTH] = { "remove_pages_worth", "iii",
		"SELECT count(*), coalesce(sum(CASE WHEN crawl_status = " KB_SQL(STATUS_OK) " THEN 1 ELSE 0 END), 0), "
		"coalesce(sum(CASE WHEN index_status = " KB_SQL(STATUS_OK) " THEN 1 ELSE 0 END), 0), "
		"coalesce(sum(CASE WHEN is_found = 1 THEN words ELSE 0 END), 0), coalesce(sum(size), 0) "
		OF_SOURCE },
	/* A page may be dead in a newer segment already: one that was refused. */
	[PAGES_DEAD] = { "remove_pages_dead", "iiii",
		"INSERT INTO dead_pages (agent_id, page_id, version) SELECT agent_id, id, $4 "
		OF_SOURCE " AND is_found = 1 AND EXISTS "
		"(SELECT 1 FROM segments s WHERE s.agent_id = $1 AND s.version < $4) "
		"ON CONFLICT (agent_id, page_id) DO UPDATE SET version = CASE "
		"WHEN dead_pages.version > $4 THEN dead_pages.version ELSE $4 END" },
	[PAGES_LEANT_ON] = { "remove_pages_leant_on", "iii",
		"UPDATE verified_cites SET gone = 1 WHERE agent_id = $1 AND cited_id IN (SELECT id " OF_SOURCE ")" },
	[PAGES_LEAN] = { "remove_pages_lean", "iii",
		"DELETE FROM verified_cites WHERE agent_id = $1 AND page_id IN (SELECT id " OF_SOURCE ")" },
	[PAGES_VERSIONS] = { "remove_pages_versions", "iii",
		"DELETE FROM verified_versions WHERE agent_id = $1 AND page_id IN (SELECT id " OF_SOURCE ")" },
	[PAGES_CHECKED] = { "remove_pages_checked", "iii",
		"DELETE FROM verified_answers WHERE agent_id = $1 AND page_id IN (SELECT id " OF_SOURCE ")" },
	[PAGES_LABELS] = { "remove_pages_labels", "iii",
		"DELETE FROM page_labels WHERE agent_id = $1 AND page_id IN (SELECT id " OF_SOURCE ")" },
	[PAGES_CITED] = { "remove_pages_cited", "iii",
		"DELETE FROM cited_pages WHERE agent_id = $1 AND page_id IN (SELECT id " OF_SOURCE ")" },
	[PAGES] = { "remove_pages_of", "iii", "DELETE " OF_SOURCE },
	[SOURCE_ROW] = { "remove_source_row", "ii",
		"DELETE FROM sources WHERE agent_id = $1 AND id = $2" },
	/* Its account has used that all the same. */
	[MONTHS] = { "remove_months", "i", "DELETE FROM agent_months WHERE agent_id = $1 "
		"RETURNING month, queries, model_tokens, model_cost" },
	[MONTH_KEEP] = { "remove_month_keep", "iiiii",
		"INSERT INTO account_months (account_id, month, queries, model_tokens, model_cost) "
		"SELECT account_id, $2, $3, $4, $5 FROM agents WHERE id = $1 "
		"ON CONFLICT (account_id, month) DO UPDATE SET queries = account_months.queries + $3, "
		"model_tokens = account_months.model_tokens + $4, model_cost = account_months.model_cost + $5" },

	[AGENT_FIRST] = DELETE("chores", "kind, subject"),
	DELETE("starters", "page"),
	DELETE("leads", "id"),
	DELETE("gap_queue", "message_id"),
	DELETE("gap_questions", "message_id"),
	DELETE("gaps", "id"),
	DELETE("kept_documents", "test_id, page_id"),
	DELETE("kept_tests", "id"),
	DELETE("messages", "conversation_id, id"),
	DELETE("answers", "conversation_id, id"),
	{ "remove_talk_link_hashes", "ii", "DELETE FROM talk_link_hashes WHERE hash IN "
	  "(SELECT hash FROM talk_links WHERE agent_id = $1 ORDER BY conversation_id LIMIT $2)" },
	DELETE("talk_links", "conversation_id"),
	DELETE("conversations", "id"),
	DELETE("visitors", "id"),
	DELETE("page_labels", "page_id, label_id"),
	DELETE("source_labels", "source_id, label_id"),
	DELETE("labels", "id"),
	DELETE("verified_cites", "page_id, cited_id"),
	DELETE("verified_versions", "page_id, version"),
	DELETE("verified_answers", "page_id"),
	DELETE("deleted_labels", "page_id, label_id"),
	DELETE("deleted_pages", "id"),
	DELETE("pages", "id"),
	DELETE("cited_pages", "page_id"),
	DELETE("dead_pages", "page_id"),
	DELETE("vectors", "segment_id, name"),
	DELETE("segments", "id"),
	DELETE("sources", "id"),
	DELETE("crawl_aliases", "url"),
	DELETE("crawl_shapes", "source_id, shape"),
	DELETE("crawls", "source_id"),
	DELETE("sub_personas", "version, slug"),
	DELETE("personas", "version"),
	{ "remove_license_keys", "ii", "DELETE FROM license_keys WHERE key IN "
	  "(SELECT key FROM licenses WHERE agent_id = $1 ORDER BY id LIMIT $2)" },
	DELETE("licenses", "id"),
	DELETE("programs", "id"),
	DELETE("agent_images", "blob"),
	DELETE("web_pictures", "hash"),
	DELETE("model_usage", "day, model"),
	DELETE_ALL("sub_persona_overrides"),
	DELETE_ALL("turns"),
	DELETE_ALL("work"),
	DELETE_ALL("repairs"),
	DELETE_ALL("factors"),
	DELETE_ALL("embed_secrets"),
	DELETE_ALL("plugins"),
	DELETE_ALL("gap_turns"),
	DELETE_ALL("kept_turns"),
	DELETE_ALL("openings"),
	DELETE_ALL("conflicts"),
	DELETE_ALL("agent_totals"),
	{ "remove_agent_slug", "i", "DELETE FROM agent_slugs WHERE agent_id = $1 "
	  "AND slug = (SELECT shareable_slug FROM agents WHERE id = $1)" },
	{ "remove_agents", "i", "DELETE FROM agents WHERE id = $1" },
};
// clang-format on
const struct kb_sql_table kb_sql_remove = { "remove", sql, KB_COUNTOF(sql) };

struct slice {
	struct kb_store *store;
	struct kb_arena *arena;
	int64_t now, rows, removed, took_us;
	bool worked;
};

/* Months of the agent become its account's. */
static bool keep_months(struct kb_db_conn *conn, struct slice *slice, int64_t id,
                        struct kb_err *err)
{
	struct month {
		int64_t month, queries, tokens, cost;
	} *months = NULL;
	size_t count = 0;
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[MONTHS], KB_VALUES(kb_int(id)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(slice->arena, months, count)
		[count] = (struct month){ kb_rows_int(&rows, 0), kb_rows_int(&rows, 1),
			                  kb_rows_int(&rows, 2), kb_rows_int(&rows, 3) };
		count++;
	}
	if (!kb_rows_close(&rows, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!kb_db_run(conn, &sql[MONTH_KEEP],
		               KB_VALUES(kb_int(id), kb_int(months[i].month),
		                         kb_int(months[i].queries), kb_int(months[i].tokens),
		                         kb_int(months[i].cost)),
		               NULL, err))
			return false;
	return true;
}

static bool remove_agent(struct kb_db_conn *conn, struct slice *slice, int64_t id,
                         struct kb_err *err)
{
	/* From now on it cannot be taken back, whatever another node's clock says. */
	if (!kb_db_run(conn, &sql[AGENT_GOES], KB_VALUES(kb_int(id)), NULL, err)
	    || !keep_months(conn, slice, id, err))
		return false;
	for (size_t i = AGENT_FIRST; i < KB_COUNTOF(sql) && slice->removed < slice->rows; i++) {
		int64_t changed;

		if (sql[i].types[1]
		            ? !kb_db_run(
		                    conn, &sql[i],
		                    KB_VALUES(kb_int(id), kb_int(slice->rows - slice->removed)),
		                    &changed, err)
		            : !kb_db_run(conn, &sql[i], KB_VALUES(kb_int(id)), &changed, err))
			return false;
		slice->removed += changed;
	}
	return true;
}

/* What is to go: an agent, or with source_id one of its sources, or with page_id what is kept of a
 * document. */
struct leaving {
	int64_t agent_id, source_id, page_id; /* agent_id 0: nothing */
	int64_t version;                      /* from which on the source's pages are dead */
};

/* The source's pages up to that id. */
static bool remove_pages(struct kb_db_conn *conn, struct slice *slice, const struct leaving *source,
                         int64_t last, struct kb_err *err)
{
	struct kb_db_values pages =
	        KB_VALUES(kb_int(source->agent_id), kb_int(source->source_id), kb_int(last));
	struct kb_totals totals = { 0 };
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[PAGES_WORTH], pages);
	while (kb_rows_next(&rows))
		totals = (struct kb_totals){
			.pages_found = -kb_rows_int(&rows, 0),
			.pages_crawled = -kb_rows_int(&rows, 1),
			.pages_indexed = -kb_rows_int(&rows, 2),
			.words_indexed = -kb_rows_int(&rows, 3),
			.storage_bytes = -kb_rows_int(&rows, 4),
		};
	if (!kb_rows_close(&rows, err)
	    || !kb_db_run(conn, &sql[PAGES_DEAD],
	                  KB_VALUES(kb_int(source->agent_id), kb_int(source->source_id),
	                            kb_int(last), kb_int(source->version)),
	                  NULL, err))
		return false;
	for (int i = PAGES_LEANT_ON; i <= PAGES; i++)
		if (!kb_db_run(conn, &sql[i], pages, NULL, err))
			return false;
	slice->removed = -totals.pages_found;
	return kb_totals_add(conn, source->agent_id, &totals, err)
	       && kb_turn_settle(conn, source->agent_id, err);
}

/* It holds the agent: what is added meanwhile waits for its turn, and whoever removes the same
 * counts only what is left. */
static bool remove_source(struct kb_db_conn *conn, struct slice *slice,
                          const struct leaving *source, struct kb_err *err)
{
	int64_t agent_id = source->agent_id, id = source->source_id, last, version;

	if (!kb_agent_lock(conn, agent_id, &version, err))
		return err->code == KB_E_NOT_FOUND; /* deleted as a whole now */
	if (!kb_db_int(conn, &sql[LAST_OF],
	               KB_VALUES(kb_int(agent_id), kb_int(id), kb_int(slice->rows)), 0, &last, err))
		return false;
	if (last)
		return remove_pages(conn, slice, source, last, err);
	slice->removed = 1;
	return kb_crawl_drop(conn, agent_id, id, err)
	       && kb_labels_drop_source(conn, agent_id, id, err)
	       && kb_db_run(conn, &sql[SOURCE_ROW], KB_VALUES(kb_int(agent_id), kb_int(id)), NULL,
	                    err);
}

/* The next one to work at. */
static bool find(struct kb_db_conn *conn, int64_t now, struct leaving *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct leaving){ 0 };
	if (!kb_db_int(conn, &sql[AGENT], KB_VALUES(kb_int(now)), 0, &out->agent_id, err))
		return false;
	if (out->agent_id)
		return true;
	kb_rows_open(&rows, conn, &sql[SOURCE], KB_NO_VALUES);
	while (kb_rows_next(&rows)) {
		out->agent_id = kb_rows_int(&rows, 0);
		out->source_id = kb_rows_int(&rows, 1);
		out->version = kb_rows_int(&rows, 2);
	}
	return kb_rows_close(&rows, err)
	       && (out->agent_id
	           || kb_deleted_overdue(conn, now, &out->agent_id, &out->page_id, err));
}

static bool forget_page(struct kb_db_conn *conn, struct slice *slice, const struct leaving *page,
                        struct kb_err *err)
{
	bool found;

	slice->removed = 1;
	return kb_deleted_drop(conn, page->agent_id, page->page_id, &found, err);
}

static bool remove_slice(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct slice *slice = arg;
	int64_t began = kb_clock_mono_us(), epoch;
	struct leaving next = { 0 };
	bool ok;

	slice->removed = 0; /* it may be run again */
	ok = kb_work_take(conn,
	                  &(struct kb_work_want){ .store = slice->store,
	                                          .kind = KB_WORK_REMOVE,
	                                          .now = slice->now,
	                                          .lease_us = LEASE_S * KB_SECOND_US },
	                  &epoch, err)
	     && (!epoch || find(conn, slice->now, &next, err));
	slice->worked = next.agent_id != 0;
	if (ok && next.source_id)
		ok = remove_source(conn, slice, &next, err);
	else if (ok && next.page_id)
		ok = forget_page(conn, slice, &next, err);
	else if (ok && next.agent_id)
		ok = remove_agent(conn, slice, next.agent_id, err);
	slice->took_us = kb_clock_mono_us() - began;
	return ok;
}

bool kb_store_remove_some(struct kb_store *store, struct kb_removal *removal, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct slice slice = { .store = store,
		               .arena = &arena,
		               .now = kb_store_now(store),
		               .rows = removal->slice ? removal->slice : ROWS_FIRST };
	struct leaving next;
	/* Mostly there is nothing: a reader finds that out without the writer. */
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool ok;

	removal->left = false;
	if (!conn)
		return false;
	ok = find(conn, slice.now, &next, err);
	kb_db_give(store->db, conn);
	if (!ok || next.agent_id == 0)
		return ok;
	ok = kb_db_write(store->db, remove_slice, &slice, err);
	kb_arena_fini(&arena);
	if (!ok)
		return false;
	removal->left = slice.worked;
	removal->rows += slice.removed;
	removal->took_us = slice.took_us;
	if (slice.took_us > SLICE_US)
		removal->slice = KB_MAX(slice.rows / 2, (int64_t)ROWS_MIN);
	else if (slice.took_us < SLICE_US / 2 && slice.removed >= slice.rows)
		removal->slice = KB_MIN(slice.rows * 2, (int64_t)ROWS_MAX);
	else
		removal->slice = slice.rows;
	return true;
}
