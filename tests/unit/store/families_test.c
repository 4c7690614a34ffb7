/* What each family of records does: accounts, agents, sources, pages. */
#include "fixture.h"
#include "store/agent_new.h"

/* ---- accounts ---- */

static bool rename_account(struct fixture *f, int64_t id, const char *name)
{
	struct kb_account after;

	return kb_store_account_update(f->store, &f->arena, id,
	                               &(struct kb_account_update){ .name = kb_sv_str(name) },
	                               &after, &f->err);
}

static void test_accounts(struct kb_test *t)
{
	struct kb_account again, other;
	struct fixture f;

	fixture_init(&f, t);
	CHECK(t,
	      kb_store_account_ensure(f.store, &f.arena, KB_SV("one"), KB_SV(""), &again, &f.err));
	CHECK_INT(t, again.id, f.account.id);
	CHECK_SV(t, again.plan, "default");
	CHECK(t, kb_store_account_ensure(f.store, &f.arena, KB_SV("one"), KB_SV("team"), &again,
	                                 &f.err)); /* a plan that is named becomes its plan */
	CHECK_INT(t, again.id, f.account.id);
	CHECK_SV(t, again.plan, "team");
	CHECK(t, kb_store_account_get(f.store, &f.arena, again.id, &again, &f.err));
	CHECK_SV(t, again.plan, "team");
	CHECK(t, kb_store_account_ensure(f.store, &f.arena, KB_SV("two"), KB_SV("pro"), &other,
	                                 &f.err));
	CHECK(t, other.id != f.account.id);
	CHECK_SV(t, other.plan, "pro");
	CHECK(t, rename_account(&f, other.id, "second"));
	CHECK(t, kb_store_account_get(f.store, &f.arena, other.id, &again, &f.err));
	CHECK_SV(t, again.name, "second");
	CHECK_SV(t, again.handle, "two");
	/* A name that is another's handle, or name, says nothing of who an account is. */
	CHECK(t, rename_account(&f, other.id, "one"));
	CHECK(t, rename_account(&f, f.account.id, "one"));
	CHECK(t,
	      kb_store_account_ensure(f.store, &f.arena, KB_SV("one"), KB_SV(""), &again, &f.err));
	CHECK_INT(t, again.id, f.account.id);
	CHECK(t, rename_account(&f, other.id, "ann@example.org"));
	CHECK(t, kb_store_account_get(f.store, &f.arena, other.id, &again, &f.err));
	CHECK(t, !again.email.p);
	CHECK(t, kb_store_account_ensure(f.store, &f.arena, KB_SV("ann@example.org"), KB_SV(""),
	                                 &again, &f.err));
	CHECK(t, again.id != other.id);
	CHECK_SV(t, again.email, "ann@example.org");
	CHECK_SV(t, again.name, "ann@example.org");
	CHECK(t, !rename_account(&f, 999, "x"));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	CHECK(t, !kb_store_account_get(f.store, &f.arena, 999, &again, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	CHECK(t, !kb_store_account_ensure(f.store, &f.arena, KB_SV(""), KB_SV(""), &again, &f.err));
	CHECK_INT(t, f.err.code, KB_E_INVALID);
	fixture_fini(&f);
}

/* ---- agents ---- */

static void test_agent_fields(struct kb_test *t)
{
	struct kb_source source;
	struct kb_source_list sources;
	struct kb_agent agent, read;
	struct fixture f;

	fixture_init(&f, t);
	agent = (struct kb_agent){
		.account_id = f.account.id,
		.name = KB_SV("Ägent \"x\" '; DROP TABLE agents; --"),
		.sitemap_path = KB_SV("https://example.com/sitemap.xml"),
		.type = KB_SV("SITEMAP"),
		.is_master = true,
		.is_active = true, /* not the caller's to say */
	};
	CHECK(t, kb_store_agent_create(f.store, &agent, &f.err));
	CHECK(t, !agent.is_active);
	CHECK(t, agent.created_at > 0 && agent.created_at == agent.updated_at);
	CHECK(t, kb_store_agent_get(f.store, &f.arena, f.account.id, agent.id, &read, &f.err));
	CHECK_SV(t, read.name, "Ägent \"x\" '; DROP TABLE agents; --");
	CHECK_SV(t, read.sitemap_path, "https://example.com/sitemap.xml");
	CHECK(t, read.shareable_slug.p == NULL);
	CHECK(t, read.is_master && !read.is_shared && !read.is_active);
	CHECK_SV(t, read.options, "{}");
	CHECK_SV(t, read.settings, "{}");
	CHECK_INT(t, read.created_at, agent.created_at);
	CHECK(t, kb_store_source_upload(f.store, &f.arena, agent.id, &source, &f.err));
	CHECK_SV(t, source.type, "upload");
	CHECK(t, kb_store_source_list(f.store, &f.arena, agent.id, &sources, &f.err));
	CHECK_INT(t, sources.count, 1);
	CHECK_INT(t, sources.v[0].id, source.id);
	fixture_fini(&f);
}

static bool give_up(void *arg, struct kb_arena *arena, struct kb_agent *agent, struct kb_err *err)
{
	(void)arg;
	(void)arena;
	agent->name = KB_SV("never stored");
	return kb_fail(err, KB_E_INVALID, "no");
}

static bool share(void *arg, struct kb_arena *arena, struct kb_agent *agent, struct kb_err *err)
{
	(void)arg;
	(void)arena;
	(void)err;
	agent->is_shared = true;
	agent->shareable_slug = KB_SV("0123456789abcdef0123456789abcdef");
	agent->settings = KB_SV("{\"default_prompt\":\"Ask\"}");
	return true;
}

static void test_agent_update(struct kb_test *t)
{
	struct kb_agent agent, read;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	kb_clock_advance(&f.clock, KB_SECOND_US);
	CHECK(t, !kb_store_agent_update(f.store, &f.arena,
	                                &(struct kb_agent_edit){ .account_id = f.account.id,
	                                                         .id = agent.id,
	                                                         .change = give_up },
	                                &read, &f.err));
	CHECK_INT(t, f.err.code, KB_E_INVALID);
	CHECK(t, kb_store_agent_get(f.store, &f.arena, f.account.id, agent.id, &read, &f.err));
	CHECK_SV(t, read.name, "a");
	CHECK(t, kb_store_agent_update(f.store, &f.arena,
	                               &(struct kb_agent_edit){ .account_id = f.account.id,
	                                                        .id = agent.id,
	                                                        .change = share },
	                               &read, &f.err));
	CHECK(t, read.is_shared);
	CHECK(t, kb_store_agent_get(f.store, &f.arena, f.account.id, agent.id, &read, &f.err));
	CHECK(t, read.is_shared);
	CHECK_SV(t, read.shareable_slug, "0123456789abcdef0123456789abcdef");
	CHECK_SV(t, read.settings, "{\"default_prompt\":\"Ask\"}");
	CHECK(t, read.updated_at > read.created_at);
	fixture_fini(&f);
}

static void test_agent_list(struct kb_test *t)
{
	static const struct {
		const char *name;
		struct kb_agent_filter filter;
		size_t only[3]; /* places of the agents that a key is limited to, from 1 */
		const char *want;
		int64_t total;
	} rows[] = {
		{ "newest first", { .list = { 1, 10, false } }, { 0 }, "edcba", 5 },
		{ "oldest first", { .list = { 1, 10, true } }, { 0 }, "abcde", 5 },
		{ "by creation",
		  { .list = { 1, 10, true }, .by_created_at = true },
		  { 0 },
		  "abcde",
		  5 },
		{ "by creation, newest first",
		  { .list = { 1, 10, false }, .by_created_at = true },
		  { 0 },
		  "edcba",
		  5 },
		{ "second page of two", { .list = { 2, 2, false } }, { 0 }, "cb", 5 },
		{ "last page", { .list = { 3, 2, false } }, { 0 }, "a", 5 },
		{ "past the end", { .list = { 9, 2, false } }, { 0 }, "", 5 },
		{ "past every end", { .list = { INT64_MAX, 1000, false } }, { 0 }, "", 5 },
		{ "page 0 is the first", { .list = { 0, 2, true } }, { 0 }, "ab", 5 },
		{ "name without case",
		  { .list = { 1, 10, true }, .name = KB_SV_INIT("ÜBER") },
		  { 0 },
		  "bd",
		  2 },
		{ "percent is no wild card",
		  { .list = { 1, 10, true }, .name = KB_SV_INIT("%") },
		  { 0 },
		  "c",
		  1 },
		{ "star is no wild card",
		  { .list = { 1, 10, true }, .name = KB_SV_INIT("*") },
		  { 0 },
		  "",
		  0 },
		{ "underscore is no wild card",
		  { .list = { 1, 10, true }, .name = KB_SV_INIT("_") },
		  { 0 },
		  "",
		  0 },
		{ "a limited key", { .list = { 1, 10, true } }, { 1, 4 }, "ad", 2 },
		{ "a limited key and a name",
		  { .list = { 1, 10, true }, .name = KB_SV_INIT("ber") },
		  { 1, 4 },
		  "d",
		  1 },
	};
	static const char *const names[] = { "a", "b über", "c 100 %", "d Über", "e" };
	struct kb_agent_list agents;
	struct fixture f;
	int64_t ids[5], total;

	fixture_init(&f, t);
	for (size_t i = 0; i < 5; i++) {
		ids[i] = fixture_agent(&f, names[i]).id;
		kb_clock_advance(&f.clock, KB_SECOND_US);
	}
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_agent_filter filter = rows[i].filter;
		int64_t only[3];

		t->row = rows[i].name;
		for (; filter.only_count < 3 && rows[i].only[filter.only_count];
		     filter.only_count++)
			only[filter.only_count] = ids[rows[i].only[filter.only_count] - 1];
		filter.only = only;
		CHECK(t, kb_store_agent_list(f.store, &f.arena, f.account.id, &filter, &agents,
		                             &f.err));
		CHECK_INT(t, agents.total, rows[i].total);
		CHECK_INT(t, agents.count, strlen(rows[i].want));
		for (size_t j = 0; j < agents.count; j++)
			CHECK_INT(t, agents.v[j].name.p[0], rows[i].want[j]);
	}
	t->row = NULL;
	CHECK(t, kb_store_agent_list(
	                 f.store, &f.arena, f.account.id,
	                 &(struct kb_agent_filter){ .list = { 1, 10, true },
	                                            .created_after = kb_clock_now_us(&f.clock)
	                                                             - 5 * KB_SECOND_US / 2 },
	                 &agents, &f.err));
	CHECK_INT(t, agents.total, 2);
	CHECK(t, kb_store_agent_count(f.store, f.account.id, &total, &f.err));
	CHECK_INT(t, total, 5);
	fixture_fini(&f);
}

static void test_agent_delete(struct kb_test *t)
{
	struct kb_agent agent, kept;
	struct kb_sv *names;
	struct fixture f;
	int64_t length;
	size_t count;

	fixture_init(&f, t);
	kept = fixture_agent(&f, "kept");
	agent = fixture_agent(&f, "gone");
	fixture_pages(&f, agent.id, 5);
	CHECK_INT(t, fixture_index(&f, 3), 3);
	fixture_say_to(&f, agent.id, "s", "q");
	fixture_say_to(&f, kept.id, "s", "q");
	CHECK(t, kb_store_blob_names(f.store, &f.arena, &names, &count, NULL, &f.err));
	CHECK_INT(t, count, 3);
	CHECK_SV(t, names[0], "aa");
	CHECK_SV(t, names[1], "bb");
	CHECK_SV(t, names[2], "cc");
	CHECK(t, kb_store_agent_delete(f.store, f.account.id, agent.id, &f.err));
	CHECK(t, !kb_store_agent_get(f.store, &f.arena, f.account.id, agent.id, &agent, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	CHECK(t, kb_store_queue_length(f.store, &length, &f.err));
	CHECK_INT(t, length, 0);
	fixture_remove_rows(&f);
	CHECK(t, kb_store_blob_names(f.store, &f.arena, &names, &count, NULL, &f.err));
	CHECK_INT(t, count, 0);
	CHECK(t, kb_store_agent_get(f.store, &f.arena, f.account.id, kept.id, &kept, &f.err));
	fixture_fini(&f);
}

/* ---- pages ---- */

static void test_page_list(struct kb_test *t)
{
	static const struct kb_page_new pages[] = {
		{ .url = KB_SV_INIT("https://example.com/Docs/Start.html") },
		{ .url = KB_SV_INIT("https://example.com/docs/a_b.html") },
		{ .url = KB_SV_INIT("https://example.com/über/ÉTÉ") },
		{ .filename = KB_SV_INIT("Straße 100%.pdf"), .is_ours = true },
		{ .filename = KB_SV_INIT("back\\slash.txt"), .is_ours = true },
	};
	static const struct {
		const char *search, *want; /* places of the pages, from 1 */
		int crawl;
	} rows[] = {
		{ "", "12345", -1 },
		{ "docs", "12", -1 },
		{ "DOCS", "12", -1 },
		{ "docs/*.html", "12", -1 },
		{ "example*html", "12", -1 },
		{ "a_b", "2", -1 },
		{ "a?b", "2", -1 },
		{ "a__b", "", -1 },
		{ "d?cs", "12", -1 },
		{ "d??cs", "", -1 },
		{ "%", "4", -1 },
		{ "100%", "4", -1 },
		{ "\\", "5", -1 },
		{ "Über", "3", -1 },
		{ "été", "3", -1 },
		{ "e\xcc\x81te\xcc\x81", "3", -1 }, /* decomposed */
		{ "STRASSE", "4", -1 },
		{ "stra?e", "", -1 }, /* folded to two letters */
		{ "stra??e", "4", -1 },
		{ "*", "12345", -1 },
		{ "***", "12345", -1 },
		{ "?", "12345", -1 },
		{ "pdf", "4", -1 },
		{ "docs*pdf", "", -1 },
		{ "' OR 1=1 --", "", -1 },
		{ "\xff\xfe", "", -1 },
		{ "docs", "12", KB_STATUS_QUEUED },
		{ "docs", "", KB_STATUS_OK },
	};
	char long_search[KB_KIB(2)];
	struct kb_page_list found;
	struct kb_agent agent;
	struct fixture f;
	int64_t first;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	NEED(&f, kb_store_pages_add(f.store, agent.id, pages, KB_COUNTOF(pages), &first, &f.err));
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_page_filter filter = {
			.list = { 1, 10, true },
			.search = kb_sv_str(rows[i].search),
			.crawl = rows[i].crawl,
			.index = -1,
		};

		t->row = rows[i].search;
		CHECK(t, kb_store_page_list(f.store, &f.arena, agent.id, &filter, &found, &f.err));
		CHECK_INT(t, found.total, strlen(rows[i].want));
		CHECK_INT(t, found.count, found.total);
		for (size_t j = 0; j < found.count; j++)
			CHECK_INT(t, found.v[j].id - first + '1', rows[i].want[j]);
	}
	t->row = NULL;
	memset(long_search, 'a', sizeof(long_search));
	CHECK(t, !kb_store_page_list(f.store, &f.arena, agent.id,
	                             &(struct kb_page_filter){
	                                     .search = kb_sv(long_search, sizeof(long_search)) },
	                             &found, &f.err));
	CHECK_INT(t, f.err.code, KB_E_TOO_LARGE);
	fixture_fini(&f);
}

static void test_pages_by_ids(struct kb_test *t)
{
	enum { ASKED = 20 }; /* more than are asked for at once */
	int64_t first, ids[ASKED];
	struct kb_page pages[ASKED];
	struct kb_agent agent;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	first = fixture_pages(&f, agent.id, ASKED);
	for (size_t i = 0; i < ASKED; i++)
		ids[i] = first + (int64_t)(ASKED - 1 - i);
	ids[3] = ids[12] = ids[0]; /* twice */
	ids[5] = first + ASKED;    /* not there */
	ids[6] = 0;
	ids[7] = fixture_pages(&f, fixture_agent(&f, "b").id, 1); /* another agent's */
	CHECK(t, kb_store_pages_get(f.store, &f.arena,
	                            &(struct kb_page_ids){ agent.id, ids, ASKED }, pages, &f.err));
	for (size_t i = 0; i < ASKED; i++) {
		CHECK_INT(t, pages[i].id, i >= 5 && i <= 7 ? 0 : ids[i]);
		CHECK(t, !pages[i].id || pages[i].filename.n);
	}
	CHECK(t, kb_store_pages_get(f.store, &f.arena, &(struct kb_page_ids){ agent.id, NULL, 0 },
	                            NULL, &f.err));
	fixture_fini(&f);
}

static void test_page_metadata(struct kb_test *t)
{
	struct kb_agent agent;
	struct kb_page page;
	struct fixture f;
	int64_t id;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	id = fixture_pages(&f, agent.id, 1);
	CHECK(t, kb_store_page_get(f.store, &f.arena, agent.id, id, &page, &f.err));
	CHECK(t, page.meta_title.p == NULL && page.meta_image.p == NULL);
	CHECK_SV(t, page.filename, "file 0.txt");
	CHECK(t, page.is_file_kept);
	CHECK(t, kb_store_page_set_metadata(f.store, &f.arena,
	                                    &(struct kb_page_metadata){ .agent_id = agent.id,
	                                                                .page_id = id,
	                                                                .title = KB_SV("T"),
	                                                                .url = KB_SV("U") },
	                                    &page, &f.err));
	CHECK(t, kb_store_page_set_metadata(f.store, &f.arena,
	                                    &(struct kb_page_metadata){ .agent_id = agent.id,
	                                                                .page_id = id,
	                                                                .url = KB_SV(""),
	                                                                .image = KB_SV("I") },
	                                    &page, &f.err));
	for (int i = 0; i < 2; i++) {
		CHECK_SV(t, page.meta_title, "T");
		CHECK(t, page.meta_url.p == NULL);
		CHECK(t, page.meta_description.p == NULL);
		CHECK_SV(t, page.meta_image, "I");
		CHECK(t, kb_store_page_get(f.store, &f.arena, agent.id, id, &page, &f.err));
	}
	fixture_fini(&f);
}

static void test_statuses(struct kb_test *t)
{
	enum kb_status status;

	for (int i = KB_STATUS_QUEUED; i <= KB_STATUS_LIMITED; i++) {
		CHECK(t, kb_status_parse(kb_sv_str(kb_status_name((enum kb_status)i)), &status));
		CHECK_INT(t, status, i);
	}
	CHECK_SV(t, kb_sv_str(kb_status_name(KB_STATUS_NA)), "n/a");
	CHECK(t, !kb_status_parse(KB_SV("OK"), &status));
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "an account is found by its handle or made, and never by its name",
		  test_accounts },
		{ "an agent keeps its fields and has an upload source", test_agent_fields },
		{ "an update is whole or not at all", test_agent_update },
		{ "agents are listed by filter, order and page", test_agent_list },
		{ "a deleted agent leaves nothing", test_agent_delete },
		{ "pages are searched without case, with wild cards", test_page_list },
		{ "pages with some ids are each in the place of its id", test_pages_by_ids },
		{ "metadata is set field by field", test_page_metadata },
		{ "a status has a name", test_statuses },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
