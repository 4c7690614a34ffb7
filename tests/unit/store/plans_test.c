/* No statement of the hot paths reads a whole table, or all rows of an agent: SQLite says how it
 * would run each. The verify statements are meant to read everything. */
#include <sqlite3.h>

#include "store/db.h"
#include "test.h"

/* Statements that read a whole table or index on purpose. */
static const char *const scans[] = {
	"key_list",          /* docent key list */
	"key_count",         /* keys of all accounts are few */
	"key_first",         /* the first of them */
	"probe_read",        /* one row */
	"queue_void_leases", /* the queue, at start */
	"host_void_lines",   /* hosts that were visited lately, at start */
	"queue_length",      /* the queue, for metrics */
	"queue_share_next",  /* accounts with something in the queue, in their order; stops early */
	"queue_next_due",    /* agents with something in the queue, each by its index */
	"remove_source",     /* deleted sources: there are none, or few for a moment */
	"segment_candidate", /* the segments' key, in housekeeping */
	"blob_names",        /* the sweep */
	"strays",            /* the same */
	"view_forget",       /* pages that were looked at and all originals, before the sweep */
	"picture_forget",    /* pictures of the web, before the sweep */
	"vectors_missing",   /* the segments' key from a place on; stops early; in the background */
	"vectors_unfolded",  /* the same */
	"factors_due",       /* the same */
	"repair_count",      /* agents under repair: none, or few for a while */
	"chore_count",       /* what waits for a model: what came in some hours at most */
	"migrations_version",
	"migrations_count",
	"migrations_known",
	"node_alive", /* a row a process, of which there are few */
	"node_other",
	"node_holding",
	"node_freed",
	"node_forget",
	"node_forget_commits",    /* a row a connection of the last day, when a node starts */
	"chore_void_leases",      /* the same as chore_count, when a node starts */
	"repair_void_leases",     /* the same as repair_count, when a node starts */
	"lookup_account_handles", /* accounts, licenses and so on, when a node of several starts */
	"lookup_gone_account_handles",
	"lookup_license_keys",
	"lookup_gone_license_keys",
	"lookup_agent_slugs",
	"lookup_gone_agent_slugs",
	"lookup_talk_link_hashes",
	"lookup_gone_talk_link_hashes",
};

/* Statements that read all rows of an agent, or those of a time, in its widest tables on purpose.
 * Any other has to name the conversation, the page or the source, or a partial index has to. */
static const struct {
	const char *head, *step, *why; /* step: the head of the one that may; "": any */
} wide[] = {
	{ "conversation_list_", "", "a page of a list; stops early, or counts" },
	{ "page_list_", "", "the same" },
	{ "queue_", "", "pages that wait, by a partial index" },
	{ "replicate_", "", "a copy reads everything" },
	{ "repair_pages", "", "a repair does too" },
	{ "remove_", "", "slices of what is deleted; each stops early" },
	{ "crawl_waiting", "", "pages of a website that wait, by a partial index" },
	{ "report_", "", "reports over a time" },
	{ "purge_due", "SEARCH c ", "conversations older than a day, once an hour" },
	{ "state_dead", "SEARCH dead_pages ", "dead pages, of which there are few" },
	{ "state_dead_and_dying", "SEARCH p ", "pages of deleted sources, until they are removed" },
	{ "label_state_kept", "SEARCH p ",
	  "pages of sources that carry labels, as if each carried them itself" },
	{ "account_words", "SEARCH p ", "pages of deleted sources" },
	{ "agent_totals", "SEARCH p ", "the same" },
	{ "page_of_source", "", "the newest of it; stops early" },
	{ "listing_unseen", "", "slices, when a reading has ended" },
	{ "dead_sweep", "", "the same" },
};

static bool may_read_widely(const char *name, const char *step)
{
	for (size_t i = 0; i < KB_COUNTOF(wide); i++)
		if (strncmp(name, wide[i].head, strlen(wide[i].head)) == 0
		    && strncmp(step, wide[i].step, strlen(wide[i].step)) == 0)
			return true;
	return false;
}

/* "SEARCH messages USING INDEX messages_by_time (agent_id=? AND created_at>?)": the agent alone, or
 * one of its sources, which may be a website, of a table that has many rows an agent. Short names
 * are what our statements call these tables. */
static bool reads_widely(const char *step)
{
	static const char *const tables[] = { "messages ", "m ", "conversations ", "c ",
		                              "pages ",    "p ", "dead_pages " };
	const char *key = strstr(step, "(agent_id=?");

	if (strncmp(step, "SEARCH ", 7) != 0 || !key)
		return false;
	key += strlen("(agent_id=?");
	if (*key != ')' && strncmp(key, " AND created_at", 15) != 0
	    && strncmp(key, " AND source_id=?)", 17) != 0)
		return false;
	for (size_t i = 0; i < KB_COUNTOF(tables); i++)
		if (strncmp(step + 7, tables[i], strlen(tables[i])) == 0)
			return true;
	return false;
}

static bool may_scan(const char *name)
{
	for (size_t i = 0; i < KB_COUNTOF(scans); i++)
		if (strcmp(name, scans[i]) == 0)
			return true;
	return false;
}

/* How it runs, a line a step: does one read all of a table? */
static void check_plan(struct kb_test *t, sqlite3 *handle, const struct kb_sql *sql)
{
	char text[4096];
	sqlite3_stmt *stmt;

	snprintf(text, sizeof(text), "EXPLAIN QUERY PLAN %s", sql->text);
	CHECK(t, sqlite3_prepare_v2(handle, text, -1, &stmt, NULL) == SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		const char *step = (const char *)sqlite3_column_text(stmt, 3);

		if (strncmp(step, "SCAN ", 5) == 0 && !strstr(step, "CONSTANT ROW")
		    && strcmp(step, "SCAN w") != 0 && strcmp(step, "SCAN h") != 0
		    && strcmp(step, "SCAN n") != 0 /* nodes: KB_NODES_THERE() */
		    && strcmp(step, "SCAN (subquery-1)") != 0)
			kb_test_fail(t, __FILE__, __LINE__, step);
		if (reads_widely(step) && !may_read_widely(sql->name, step))
			kb_test_fail(t, __FILE__, __LINE__, step);
		if (strstr(step, "AUTOMATIC"))
			kb_test_fail(t, __FILE__, __LINE__, step);
	}
	sqlite3_finalize(stmt);
}

static void test_plans(struct kb_test *t)
{
	sqlite3 *handle;
	size_t checked = 0;

	CHECK(t, sqlite3_open(":memory:", &handle) == SQLITE_OK);
	CHECK(t, sqlite3_exec(handle, kb_sql_migrate.rows[0].text, NULL, NULL, NULL) == SQLITE_OK);
	for (size_t i = 0; i < kb_migration_count; i++)
		CHECK(t, !kb_migration_is_for(&kb_migrations[i], &kb_driver_sqlite)
		                 || sqlite3_exec(handle, kb_migrations[i].text, NULL, NULL, NULL)
		                            == SQLITE_OK);
	for (size_t i = 0; i < kb_sql_table_count; i++) {
		for (size_t j = 0; j < kb_sql_tables[i]->count; j++) {
			const struct kb_sql *sql = &kb_sql_tables[i]->rows[j];

			if (kb_sql_tables[i] == &kb_sql_verify || may_scan(sql->name)
			    || strncmp(sql->text, "CREATE", 6) == 0)
				continue;
			t->row = sql->name;
			check_plan(t, handle, sql);
			checked++;
		}
	}
	t->row = NULL;
	CHECK(t, checked > 60);
	sqlite3_close(handle);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "no hot statement reads a whole table, or all of an agent", test_plans },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
