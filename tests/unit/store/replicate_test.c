/* A copy of an agent: all of it, under ids of its own, and from then on alone. */
#include <sqlite3.h>

#include "base/fault.h"
#include "db/db.h"
#include "fixture.h"
#include "store/labels.h"
#include "store/statements.h"

/* ---- every table and column has been thought of ---- */

/* What a copy does not take along, and why. */
static const char *const left_out[] = {
	"turns",         /* made anew where pages wait */
	"conversations", /* the original's */
	"messages",      /* the original's */
	"answers",       /* those that are being written there */
	"visitors",      /* the original's */
	"talk_links",    /* of conversations, which stay */
	"embed_secrets", /* a site signs for one agent */
	"chores",        /* what the rule made is copied; a model is not asked twice */
	"starters",      /* made again where somebody asks */
	"conflicts",     /* likewise */
	"openings",      /* likewise */
	"leads",         /* of conversations, which stay */
	"gaps",          /* likewise, and so the next three */
	"gap_queue",
	"gap_questions",
	"gap_turns",
	"agent_slugs", /* its public address */
	"talk_link_hashes",
	"agent_months", /* what the original has spent */
	"model_usage",
	"license_keys",
	"licenses",      /* their holders have them from the original */
	"work",          /* leases of what is done with the original */
	"web_pictures",  /* fetched when somebody looks at the copy */
	"cited_pages",   /* by answers of the original */
	"audit",         /* what was done with the original */
	"deleted_pages", /* the original can take them back */
	"deleted_labels",
	"programs", /* who was let in to the original was not to the copy */
	"repairs",  /* a copy finds out for itself what is damaged */
};

/* The statement that fills the table, or NULL. */
static const char *filling(const char *table)
{
	char begin[100];

	snprintf(begin, sizeof(begin), "INSERT INTO %s (", table);
	for (size_t i = 0; i < kb_sql_replicate.count; i++)
		if (strncmp(kb_sql_replicate.rows[i].text, begin, strlen(begin)) == 0)
			return kb_sql_replicate.rows[i].text + strlen(begin);
	return NULL;
}

static bool lists(const char *columns, const char *name)
{
	struct kb_sv rest = kb_sv(columns, strcspn(columns, ")")), column;

	while (kb_sv_split(&rest, ',', &column))
		if (kb_sv_eq_str(kb_sv_trim(column), name))
			return true;
	return false;
}

static void test_tables(struct kb_test *t)
{
	sqlite3_stmt *stmt;
	sqlite3 *handle;
	int columns = 0;

	CHECK(t, sqlite3_open(":memory:", &handle) == SQLITE_OK);
	for (size_t i = 0; i < kb_migration_count; i++)
		CHECK(t, !kb_migration_is_for(&kb_migrations[i], &kb_driver_sqlite)
		                 || sqlite3_exec(handle, kb_migrations[i].text, NULL, NULL, NULL)
		                            == SQLITE_OK);
	CHECK(t, sqlite3_prepare_v2(handle,
	                            "SELECT m.name, c.name FROM sqlite_master m, "
	                            "pragma_table_info(m.name) c WHERE m.type = 'table' AND "
	                            "EXISTS (SELECT 1 FROM pragma_table_info(m.name) a WHERE "
	                            "a.name = 'agent_id')",
	                            -1, &stmt, NULL)
	                 == SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		const char *table = (const char *)sqlite3_column_text(stmt, 0), *into;
		bool out = false;

		for (size_t i = 0; i < KB_COUNTOF(left_out); i++)
			out = out || strcmp(table, left_out[i]) == 0;
		if (out)
			continue;
		t->row = table;
		into = filling(table);
		/* A new table of agents: copy it in replicate.c, or say above why not. */
		CHECK(t, into);
		t->row = (const char *)sqlite3_column_text(stmt, 1);
		CHECK(t, into && lists(into, t->row));
		columns++;
	}
	t->row = NULL;
	CHECK(t, columns > 80);
	sqlite3_finalize(stmt);
	sqlite3_close(handle);
}

/* ---- what is in a copy ---- */

static struct kb_agent replicate(struct fixture *f, int64_t id)
{
	struct kb_agent copy;

	NEED(f, kb_store_agent_replicate(f->store, &f->arena,
	                                 &(struct kb_agent_copy){ .account_id = f->account.id,
	                                                          .id = id,
	                                                          .name = KB_SV("The copy") },
	                                 &copy, &f->err));
	return copy;
}

static struct kb_index_state state_of(struct fixture *f, int64_t id)
{
	struct kb_index_state state;

	NEED(f, kb_store_index_state(f->store, &f->arena, id, &state, &f->err));
	return state;
}

static struct kb_agent_stats stats_of(struct fixture *f, int64_t id)
{
	struct kb_agent_stats stats;

	NEED(f, kb_store_agent_stats(f->store, id, &stats, &f->err));
	return stats;
}

static size_t pages_of(struct fixture *f, int64_t id, struct kb_page **pages)
{
	struct kb_page_filter filter = { .list = { 1, 100, true }, .crawl = -1, .index = -1 };
	struct kb_page_list list;

	NEED(f, kb_store_page_list(f->store, &f->arena, id, &filter, &list, &f->err));
	*pages = list.v;
	return list.count;
}

static void test_copy(struct kb_test *t)
{
	struct kb_index_state old_state, new_state;
	struct kb_agent agent, other, copy, again;
	struct kb_page *old_pages, *new_pages;
	struct kb_agent_stats stats;
	struct fixture f;
	int64_t first, shift;
	size_t count;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "Original");
	other = fixture_agent(&f, "Between");
	first = fixture_pages(&f, agent.id, 3);
	CHECK_INT(t, fixture_index(&f, 10), 3);
	fixture_pages(&f, other.id, 5); /* so that the ids of the first have a gap */
	CHECK_INT(t, fixture_index(&f, 10), 5);
	fixture_pages(&f, agent.id, 2);
	CHECK_INT(t, fixture_index(&f, 10), 2);
	NEED(&f,
	     kb_store_page_delete(f.store, agent.id, first, &f.err)); /* dead, yet in a segment */
	fixture_pages(&f, agent.id, 1);                               /* waits */
	fixture_say_to(&f, agent.id, "s", "A question?");

	copy = replicate(&f, agent.id);
	CHECK_SV(t, copy.name, "The copy");
	CHECK(t, copy.id != agent.id);
	CHECK(t, copy.is_active);
	CHECK_SV(t, copy.options, "{\"is_ocr_enabled\":1}");
	fixture_sound(&f);

	count = pages_of(&f, agent.id, &old_pages);
	CHECK_INT(t, count, 5);
	CHECK_INT(t, pages_of(&f, copy.id, &new_pages), count);
	old_state = state_of(&f, agent.id);
	new_state = state_of(&f, copy.id);
	CHECK_INT(t, new_state.version, old_state.version);
	CHECK_INT(t, new_state.segment_count, 2);
	shift = new_state.segments[0].page_shift;
	for (size_t i = 0; i < count; i++) {
		CHECK_INT(t, new_pages[i].id, old_pages[i].id + shift);
		CHECK(t, kb_sv_eq(new_pages[i].filename, old_pages[i].filename));
		CHECK_INT(t, new_pages[i].index, old_pages[i].index);
		CHECK(t, new_pages[i].source_id != old_pages[i].source_id);
	}
	CHECK_INT(t, new_state.dead_count, 1);
	CHECK_INT(t, new_state.dead[0].page_id, first + shift);
	CHECK(t, kb_sv_eq(new_state.segments[0].blob, old_state.segments[0].blob));

	/* It has asked and crawled nothing itself. */
	stats = stats_of(&f, copy.id);
	CHECK_INT(t, stats.queries, 0);
	CHECK_INT(t, stats.crawl_credits, 0);
	CHECK_INT(t, stats.pages_indexed, 4);
	CHECK_INT(t, stats.words_indexed, stats_of(&f, agent.id).words_indexed);

	/* A copy of a copy adds up. */
	again = replicate(&f, copy.id);
	CHECK_INT(t, pages_of(&f, again.id, &new_pages), count);
	CHECK_INT(t, new_pages[1].id,
	          old_pages[1].id + state_of(&f, again.id).segments[0].page_shift);

	/* What waits, waits three times. */
	CHECK_INT(t, fixture_index(&f, 10), 1);
	CHECK_INT(t, fixture_index(&f, 10), 1);
	CHECK_INT(t, fixture_index(&f, 10), 1);
	CHECK_INT(t, fixture_index(&f, 10), 0);
	CHECK_INT(t, stats_of(&f, again.id).pages_indexed, 5);
	fixture_fini(&f);
}

static void test_independent(struct kb_test *t)
{
	struct kb_agent agent, copy;
	struct kb_page *pages;
	struct kb_sv *names;
	struct fixture f;
	int64_t first;
	size_t count;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "Original");
	first = fixture_pages(&f, agent.id, 3);
	fixture_index(&f, 10);
	copy = replicate(&f, agent.id);
	pages_of(&f, copy.id, &pages);

	NEED(&f, kb_store_page_delete(f.store, copy.id, pages[0].id, &f.err));
	CHECK_INT(t, stats_of(&f, agent.id).pages_found, 3);
	CHECK_INT(t, stats_of(&f, copy.id).pages_found, 2);
	CHECK_INT(t, state_of(&f, agent.id).dead_count, 0);
	NEED(&f, kb_store_page_requeue(f.store, agent.id, first, &f.err));
	pages_of(&f, copy.id, &pages);
	CHECK_INT(t, pages[0].index, KB_STATUS_OK);
	CHECK(t, !kb_store_page_delete(f.store, copy.id, first, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	fixture_sound(&f);

	/* The segment's blob is named until the last of them goes. */
	NEED(&f, kb_store_agent_delete(f.store, f.account.id, agent.id, &f.err));
	CHECK_INT(t, pages_of(&f, copy.id, &pages), 2);
	NEED(&f, kb_store_blob_names(f.store, &f.arena, &names, &count, NULL, &f.err));
	CHECK_INT(t, count, 3);
	CHECK_SV(t, names[2], "cc");
	NEED(&f, kb_store_agent_delete(f.store, f.account.id, copy.id, &f.err));
	fixture_remove_rows(&f);
	NEED(&f, kb_store_blob_names(f.store, &f.arena, &names, &count, NULL, &f.err));
	CHECK_INT(t, count, 0);
	fixture_fini(&f);
}

static void test_labels(struct kb_test *t)
{
	struct kb_index_state before, after;
	struct kb_agent agent, copy;
	struct kb_label_list labels, page_labels;
	struct fixture f;
	int64_t first;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "Original");
	first = fixture_pages(&f, agent.id, 2);
	fixture_index(&f, 10);
	NEED(&f, kb_store_labels_make(
	                 f.store, &f.arena, agent.id,
	                 &(struct kb_label_names){
	                         .v = (struct kb_sv[]){ KB_SV("red"), KB_SV("blue") }, .count = 2 },
	                 &labels, &f.err));
	NEED(&f, kb_store_page_set_labels(f.store, &f.arena,
	                                  &(struct kb_page_labels){ .agent_id = agent.id,
	                                                            .page_id = first + 1,
	                                                            .ids = &labels.v[1].id,
	                                                            .count = 1 },
	                                  &page_labels, &f.err));
	copy = replicate(&f, agent.id);
	before = state_of(&f, agent.id);
	after = state_of(&f, copy.id);
	CHECK_INT(t, after.label_count, 2);
	CHECK_INT(t, after.page_label_count, 1);
	CHECK(t, after.labels[0].id != before.labels[0].id);
	CHECK(t, kb_sv_eq(after.labels[0].key, before.labels[0].key));
	CHECK_INT(t, after.page_labels[0].page_id - after.segments[0].page_shift, first + 1);
	CHECK_INT(t, after.page_labels[0].label_id - after.labels[0].id,
	          before.page_labels[0].label_id - before.labels[0].id);
	fixture_fini(&f);
}

/* ---- all or nothing ---- */

static void test_faults(struct kb_test *t)
{
	struct kb_agent agent, copy;
	struct fixture f;
	int64_t agents;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "Original");
	fixture_pages(&f, agent.id, 3);
	fixture_index(&f, 2);
	for (int n = 1;; n += KB_TEST_FAULT_STEP) {
		bool ok, fired;

		kb_fault_arm(n);
		ok = kb_store_agent_replicate(f.store, &f.arena,
		                              &(struct kb_agent_copy){ .account_id = f.account.id,
		                                                       .id = agent.id,
		                                                       .name = KB_SV("Copy") },
		                              &copy, &f.err);
		fired = kb_fault_disarm();
		CHECK(t, ok || fired);
		NEED(&f, kb_store_agent_count(f.store, f.account.id, &agents, &f.err));
		CHECK_INT(t, agents, ok ? 2 : 1);
		fixture_sound(&f);
		if (!fired)
			break;
		if (ok)
			NEED(&f, kb_store_agent_delete(f.store, f.account.id, copy.id, &f.err));
	}
	CHECK(t, !kb_store_agent_replicate(f.store, &f.arena,
	                                   &(struct kb_agent_copy){ .account_id = f.account.id + 1,
	                                                            .id = agent.id,
	                                                            .name = KB_SV("Copy") },
	                                   &copy, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a copy takes every table and column of an agent", test_tables },
		{ "a copy has all there is, under ids of its own", test_copy },
		{ "what happens to one side leaves the other as it is", test_independent },
		{ "labels and what they hide are copied", test_labels },
		{ "a copy that fails leaves nothing", test_faults },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
