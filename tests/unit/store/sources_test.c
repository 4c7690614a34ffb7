/* Sources and visits: due times by a clock that is set, leases with epochs, what a reading and a
 * visit leave behind. */
#include "fixture.h"

static struct kb_source add(struct fixture *f, int64_t agent_id, const char *url, bool page)
{
	struct kb_source source = {
		.agent_id = agent_id,
		.url = kb_sv_str(url),
		.settings = KB_SV("{}"),
		.status = KB_STATUS_QUEUED,
		.due_at = kb_clock_now_us(&f->clock),
	};

	NEED(f, kb_store_source_add(f->store, &source,
	                            page ? &(struct kb_page_new){ .url = source.url } : NULL,
	                            &f->err));
	return source;
}

static bool lease(struct fixture *f, struct kb_source_lease *out, int64_t *due)
{
	NEED(f, kb_store_source_lease(f->store, &f->arena, 60 * KB_SECOND_US, out, due, &f->err));
	return out->source.id != 0;
}

static struct kb_source get(struct fixture *f, const struct kb_source *source)
{
	struct kb_source now;

	NEED(f,
	     kb_store_source_get(f->store, &f->arena, source->agent_id, source->id, &now, &f->err));
	return now;
}

static bool finish(struct fixture *f, const struct kb_source_lease *lease, enum kb_status status,
                   int64_t due_at)
{
	return kb_store_source_finish(f->store, lease,
	                              &(struct kb_source_result){ .status = status,
	                                                          .reason = KB_SV("because"),
	                                                          .due_at = due_at },
	                              &f->err);
}

static int64_t found(struct fixture *f, const struct kb_source_lease *lease,
                     struct kb_listing listing, const char *const *urls)
{
	struct kb_listed listed[8] = { 0 };
	int64_t queued;

	for (; urls[listing.count]; listing.count++)
		listed[listing.count].url = kb_sv_str(urls[listing.count]);
	listing.v = listed;
	NEED(f, kb_store_source_found(f->store, lease, &listing, &queued, &f->err));
	return queued;
}

/* "a:queued b:ok" of the agent's pages: the last letter of the URL, the index status. */
static struct kb_sv pages(struct fixture *f, int64_t agent_id)
{
	struct kb_page_filter filter = { .list = { .page = 1, .limit = 100, .ascending = true },
		                         .crawl = -1,
		                         .index = -1 };
	struct kb_sv text = KB_SV("");
	struct kb_page_list rows;

	NEED(f, kb_store_page_list(f->store, &f->arena, agent_id, &filter, &rows, &f->err));
	for (size_t i = 0; i < rows.count; i++)
		text = kb_arena_printf(&f->arena, "%.*s%s%c:%s", KB_SV_ARG(text), i ? " " : "",
		                       rows.v[i].url.p[rows.v[i].url.n - 1],
		                       kb_status_name(rows.v[i].index));
	return text;
}

/* Fetches (with that outcome) what is due for the host; gives how many. */
static int visit_all(struct fixture *f, const char *host, enum kb_errand_outcome outcome)
{
	struct kb_lease lease;
	int n = 0;

	for (;; n++) {
		if (!fixture_visit(f, host, 60 * KB_SECOND_US, &lease))
			return n;
		NEED(f, kb_store_errand_done(f->store,
		                             &(struct kb_errand){ .agent_id = lease.page.agent_id,
		                                                  .page_id = lease.page.id,
		                                                  .epoch = lease.epoch,
		                                                  .outcome = outcome,
		                                                  .reason = KB_SV("because"),
		                                                  .blob = KB_SV("aa"),
		                                                  .etag = KB_SV("\"e\""),
		                                                  .size = 7 },
		                             &f->err));
	}
}

#define W "http://w.example/"

static void test_calendar(struct kb_test *t)
{
	struct kb_source_lease one, two;
	struct kb_agent agent;
	struct kb_source source;
	struct fixture f;
	int64_t due, now;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	source = add(&f, agent.id, W "sitemap.xml", false);
	CHECK(t, lease(&f, &one, &due));
	CHECK(t, get(&f, &source).is_read);
	CHECK(t, !lease(&f, &two, &due));
	now = kb_clock_now_us(&f.clock);
	CHECK(t, finish(&f, &one, KB_STATUS_OK, now + KB_DAY_US));
	source = get(&f, &source);
	CHECK_INT(t, source.status, KB_STATUS_OK);
	CHECK(t, source.synced_at >= now && !source.is_read);
	/* A day later it is due again. */
	CHECK(t, !lease(&f, &one, &due));
	CHECK_INT(t, due, now + KB_DAY_US);
	kb_clock_advance(&f.clock, KB_DAY_US);
	CHECK(t, lease(&f, &one, &due));
	CHECK_INT(t, one.epoch, 2);
	CHECK_INT(t, one.attempts, 1);
	/* A pause, to try again, counts; the reader whose lease ended may not finish. */
	CHECK(t, finish(&f, &one, KB_STATUS_QUEUED, kb_clock_now_us(&f.clock)));
	CHECK(t, lease(&f, &one, &due));
	CHECK_INT(t, one.attempts, 2);
	kb_clock_advance(&f.clock, 61 * KB_SECOND_US);
	CHECK(t, lease(&f, &two, &due));
	CHECK(t, !finish(&f, &one, KB_STATUS_OK, 0));
	CHECK_INT(t, f.err.code, KB_E_CONFLICT);
	CHECK(t, !kb_store_source_renew(f.store, &one, KB_SECOND_US, &f.err));
	CHECK(t, kb_store_source_renew(f.store, &two, 60 * KB_SECOND_US, &f.err));
	/* A power cut frees it. */
	fixture_reopen(&f);
	CHECK(t, lease(&f, &one, &due));
	CHECK(t, finish(&f, &one, KB_STATUS_OK, 0));
	CHECK(t, !lease(&f, &one, &due));
	CHECK_INT(t, due, 0);
	fixture_fini(&f);
}

static bool weekly(void *arg, struct kb_arena *arena, struct kb_source *source, struct kb_err *err)
{
	(void)arg;
	(void)arena;
	(void)err;
	source->settings = KB_SV("{\"data_refresh_frequency\":\"weekly\"}");
	source->due_at = 1; /* refused while it is read */
	return true;
}

static void test_changed_meanwhile(struct kb_test *t)
{
	struct kb_source_lease one;
	struct kb_agent agent;
	struct kb_source source, after;
	struct fixture f;
	int64_t due;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	source = add(&f, agent.id, W "sitemap.xml", false);
	CHECK(t, lease(&f, &one, &due));
	CHECK(t, kb_store_source_update(f.store, &f.arena,
	                                &(struct kb_source_edit){ .agent_id = agent.id,
	                                                          .id = source.id,
	                                                          .change = weekly },
	                                &after, &f.err));
	CHECK(t, after.due_at > kb_clock_now_us(&f.clock));
	CHECK(t, finish(&f, &one, KB_STATUS_OK, 0));
	CHECK(t, lease(&f, &one, &due)); /* again, with the new settings */
	CHECK_SV(t, one.source.settings, "{\"data_refresh_frequency\":\"weekly\"}");
	/* At once when asked, but not too often. */
	CHECK(t, finish(&f, &one, KB_STATUS_OK, 0));
	CHECK(t, kb_store_source_sync(f.store, &f.arena,
	                              &(struct kb_source_sync){ .agent_id = agent.id,
	                                                        .id = source.id,
	                                                        .min_interval_us = KB_DAY_US },
	                              &after, &f.err));
	CHECK(t, lease(&f, &one, &due) && finish(&f, &one, KB_STATUS_OK, 0));
	kb_clock_advance(&f.clock, KB_DAY_US - 90 * KB_SECOND_US);
	CHECK(t, !kb_store_source_sync(f.store, &f.arena,
	                               &(struct kb_source_sync){ .agent_id = agent.id,
	                                                         .id = source.id,
	                                                         .min_interval_us = KB_DAY_US },
	                               &after, &f.err));
	CHECK_INT(t, f.err.code, KB_E_FORBIDDEN);
	CHECK_SV(t, kb_sv_str(f.err.msg), "Next instant sync will be available in 90 seconds");
	kb_clock_advance(&f.clock, 91 * KB_SECOND_US);
	CHECK(t, kb_store_source_sync(f.store, &f.arena,
	                              &(struct kb_source_sync){ .agent_id = agent.id,
	                                                        .id = source.id,
	                                                        .min_interval_us = KB_DAY_US },
	                              &after, &f.err));
	CHECK(t, kb_store_source_upload(f.store, &f.arena, agent.id, &source, &f.err));
	CHECK(t, !kb_store_source_sync(
	                 f.store, &f.arena,
	                 &(struct kb_source_sync){ .agent_id = agent.id, .id = source.id }, &after,
	                 &f.err));
	CHECK_SV(t, kb_sv_str(f.err.msg), "Agent source can't be synced");
	fixture_fini(&f);
}

static void test_listing(struct kb_test *t)
{
	struct kb_listing all = { .add_new = true };
	struct kb_source_lease one;
	struct kb_agent agent;
	struct kb_source source;
	struct fixture f;
	int64_t due, after = 0, removed;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	source = add(&f, agent.id, W "sitemap.xml", false);
	CHECK(t, lease(&f, &one, &due));
	CHECK_INT(t, found(&f, &one, all, (const char *[]){ W "a", W "b", W "a", W "c", NULL }), 3);
	CHECK_SV(t, pages(&f, agent.id), "a:queued b:queued c:queued");
	CHECK(t, finish(&f, &one, KB_STATUS_OK, 0));
	CHECK_INT(t, visit_all(&f, "w.example", KB_ERRAND_FETCHED), 3);
	CHECK_INT(t, fixture_index(&f, 10), 3);
	CHECK_SV(t, pages(&f, agent.id), "a:ok b:ok c:ok");

	/* Found again: left alone, visited, or added, as it is told. */
	CHECK(t, kb_store_source_sync(
	                 f.store, &f.arena,
	                 &(struct kb_source_sync){ .agent_id = agent.id, .id = source.id }, &source,
	                 &f.err));
	CHECK(t, lease(&f, &one, &due));
	CHECK_INT(t,
	          found(&f, &one, (struct kb_listing){ 0 }, (const char *[]){ W "a", W "d", NULL }),
	          0);
	CHECK_INT(t,
	          found(&f, &one,
	                (struct kb_listing){ .add_new = true, .refetch = KB_REFETCH_ALWAYS },
	                (const char *[]){ W "a", W "b", W "d", NULL }),
	          2); /* a was seen in this reading already */
	CHECK_SV(t, pages(&f, agent.id), "a:ok b:queued c:ok d:queued");
	/* What was not found can go; what another source has stays with it. */
	CHECK(t, kb_store_source_drop_unseen(f.store, &one, 10, &after, &removed, &f.err));
	CHECK_INT(t, removed, 1);
	CHECK_SV(t, pages(&f, agent.id), "a:ok b:queued d:queued");
	CHECK(t, finish(&f, &one, KB_STATUS_OK, 0));
	CHECK_INT(t, visit_all(&f, "w.example", KB_ERRAND_FETCHED), 2);
	source = add(&f, agent.id, W "other.xml", false);
	CHECK(t, lease(&f, &one, &due));
	CHECK_INT(t, found(&f, &one, all, (const char *[]){ W "a", W "e", NULL }), 1);
	CHECK(t, finish(&f, &one, KB_STATUS_OK, 0));
	CHECK(t, kb_store_source_delete(f.store, agent.id, source.id, &f.err));
	CHECK_SV(t, pages(&f, agent.id), "a:ok b:queued d:queued");
	CHECK(t, !kb_store_source_found(f.store, &one, &all, &removed, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	fixture_fini(&f);
}

static void test_own_page(struct kb_test *t)
{
	struct kb_source_lease one;
	struct kb_agent agent;
	struct kb_source source;
	struct fixture f;
	int64_t due;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	source = add(&f, agent.id, W "sitemap.xml", false);
	for (int i = 0; i < 2; i++) {
		CHECK(t, lease(&f, &one, &due));
		CHECK(t, finish(&f, &one, KB_STATUS_FAILED, 0));
		CHECK_SV(t, pages(&f, agent.id), "l:n/a");
		CHECK(t, kb_store_source_sync(
		                 f.store, &f.arena,
		                 &(struct kb_source_sync){ .agent_id = agent.id, .id = source.id },
		                 &source, &f.err));
	}
	CHECK(t, lease(&f, &one, &due));
	CHECK(t, finish(&f, &one, KB_STATUS_OK, 0));
	CHECK_SV(t, pages(&f, agent.id), "");
	fixture_fini(&f);
}

static void test_visits(struct kb_test *t)
{
	static const struct {
		const char *name;
		enum kb_errand_outcome outcome;
		const char *first, *again; /* never found before; found before */
	} rows[] = {
		{ "fetched", KB_ERRAND_FETCHED, "a:queued", "a:queued" },
		{ "failed", KB_ERRAND_FAILED, "a:n/a", "a:ok" },
		{ "limited", KB_ERRAND_LIMITED, "a:limited", "a:ok" },
		{ "gone", KB_ERRAND_GONE, "", "" },
		{ "unchanged", KB_ERRAND_UNCHANGED, NULL, "a:ok" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_host_line *lines;
		struct kb_lease lease, stale;
		struct kb_agent_stats stats;
		struct kb_agent agent;
		struct fixture f;
		size_t count;

		t->row = rows[i].name;
		fixture_init(&f, t);
		agent = fixture_agent(&f, "a");
		add(&f, agent.id, W "a", true);
		NEED(&f, kb_store_host_lines(f.store, &f.arena, 10, &lines, &count, &f.err));
		CHECK_INT(t, count, 1);
		CHECK_SV(t, lines[0].host, "w.example");
		if (rows[i].first) {
			CHECK_INT(t, visit_all(&f, "w.example", rows[i].outcome), 1);
			CHECK_SV(t, pages(&f, agent.id), rows[i].first);
			fixture_sound(&f);
			if (rows[i].outcome == KB_ERRAND_GONE) {
				fixture_fini(&f);
				continue;
			}
			NEED(&f, kb_store_page_requeue(f.store, agent.id, 1, &f.err));
		}
		/* Found: then the same once more. */
		CHECK_INT(t, visit_all(&f, "w.example", KB_ERRAND_FETCHED), 1);
		CHECK_INT(t, fixture_index(&f, 1), 1);
		NEED(&f, kb_store_page_requeue(f.store, agent.id, 1, &f.err));
		CHECK(t, fixture_visit(&f, "w.example", KB_SECOND_US, &stale));
		CHECK_SV(t, stale.page.etag, "\"e\"");
		kb_clock_advance(&f.clock, 2 * KB_SECOND_US);
		CHECK(t, fixture_visit(&f, "w.example", KB_SECOND_US, &lease)
		                 && lease.epoch == stale.epoch + 1);
		/* The one whose lease has ended changes nothing. */
		CHECK(t, kb_store_errand_done(f.store,
		                              &(struct kb_errand){ .agent_id = agent.id,
		                                                   .page_id = 1,
		                                                   .epoch = stale.epoch,
		                                                   .outcome = KB_ERRAND_GONE },
		                              &f.err));
		CHECK_SV(t, pages(&f, agent.id), "a:queued");
		CHECK(t, kb_store_errand_done(f.store,
		                              &(struct kb_errand){ .agent_id = agent.id,
		                                                   .page_id = 1,
		                                                   .epoch = lease.epoch,
		                                                   .outcome = rows[i].outcome,
		                                                   .blob = KB_SV("dd") },
		                              &f.err));
		CHECK_SV(t, pages(&f, agent.id), rows[i].again);
		NEED(&f, kb_store_agent_stats(f.store, agent.id, &stats, &f.err));
		CHECK_INT(t, stats.words_indexed, rows[i].again[0] ? 10 : 0);
		fixture_fini(&f);
	}
	t->row = NULL;
}

static void test_unchanged_text(struct kb_test *t)
{
	struct kb_page_result result;
	struct kb_index_state state;
	struct kb_leases leases;
	struct kb_agent agent;
	struct kb_page page;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	add(&f, agent.id, W "a", true);
	for (int i = 0; i < 2; i++) {
		CHECK_INT(t, visit_all(&f, "w.example", KB_ERRAND_FETCHED), 1);
		NEED(&f, kb_store_pages_lease(
		                 f.store, &f.arena,
		                 &(struct kb_lease_want){ .max = 1, .lease_us = KB_DAY_US },
		                 &leases, &f.err));
		result = fixture_result(&leases.v[0]);
		result.text_hash = KB_SV("hash");
		result.drop_original = true;
		result.unchanged = i == 1;
		CHECK(t, kb_store_pages_finish(f.store, agent.id, &result, 1,
		                               i == 0 ? &fixture_segment : NULL, &f.err));
		NEED(&f,
		     kb_store_page_get(f.store, &f.arena, agent.id, result.page_id, &page, &f.err));
		CHECK_SV(t, page.text_hash, "hash");
		CHECK_SV(t, page.etag, "\"e\"");
		CHECK_SV(t, page.blob, "");
		CHECK_INT(t, page.passages, 2);
		CHECK_INT(t, page.index, KB_STATUS_OK);
		NEED(&f, kb_store_index_state(f.store, &f.arena, agent.id, &state, &f.err));
		CHECK_INT(t, state.version, 1);
		CHECK_INT(t, state.dead_count, 0);
		if (i == 0)
			NEED(&f, kb_store_page_requeue(f.store, agent.id, page.id, &f.err));
	}
	fixture_fini(&f);
}

static void test_hosts(struct kb_test *t)
{
	static const struct {
		const char *url, *host;
	} rows[] = {
		{ "http://a.example/x", "a.example" },
		{ "https://a.example:8443", "a.example:8443" },
		{ "http://user:pw@a.example/@b", "a.example" },
		{ "http://[::1]:80/x?y", "[::1]:80" },
		{ "", "" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++)
		CHECK_SV(t, kb_page_host(kb_sv_str(rows[i].url)), rows[i].host);
}

/* The writer is kept by one delete of a large source; run by hand with an argument for its time. */
static void test_large_source(struct kb_test *t)
{
	enum { PIECES = 10, PIECE = 500 };
	struct kb_listing listing = { .add_new = true, .count = PIECE };
	struct kb_source_lease one;
	struct kb_agent agent;
	struct kb_source source;
	struct kb_agent_stats stats;
	struct fixture f;
	int64_t due, queued;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	source = add(&f, agent.id, W "sitemap.xml", false);
	CHECK(t, lease(&f, &one, &due));
	for (int i = 0; i < PIECES; i++) {
		struct kb_listed *listed = KB_NEW_ARRAY(&f.arena, PIECE, struct kb_listed);

		for (int j = 0; j < PIECE; j++)
			listed[j].url = kb_arena_printf(&f.arena, W "%d/%d", i, j);
		listing.v = listed;
		NEED(&f, kb_store_source_found(f.store, &one, &listing, &queued, &f.err));
		CHECK_INT(t, queued, PIECE);
	}
	CHECK(t, finish(&f, &one, KB_STATUS_OK, 0));
	CHECK(t, kb_store_source_delete(f.store, agent.id, source.id, &f.err));
	NEED(&f, kb_store_agent_stats(f.store, agent.id, &stats, &f.err));
	CHECK_INT(t, stats.pages_found, 0);
	fixture_fini(&f);
}

/* The agents of a host take turns, however many pages each has. */
static void test_turns(struct kb_test *t)
{
	struct fixture f;
	struct kb_agent agents[3];
	char order[10] = "";

	fixture_init(&f, t);
	for (size_t i = 0; i < KB_COUNTOF(agents); i++)
		agents[i] = fixture_agent(&f, (const char *[]){ "A", "B", "C" }[i]);
	for (int page = 0; page < 4; page++)
		add(&f, agents[0].id, kb_arena_printf(&f.arena, W "a%d", page).p, true);
	add(&f, agents[1].id, W "b", true);
	add(&f, agents[2].id, W "c0", true);
	add(&f, agents[2].id, W "c1", true);
	for (size_t n = 0; n < 7; n++) {
		struct kb_lease lease;

		CHECK(t, fixture_visit(&f, "w.example", 60 * KB_SECOND_US, &lease));
		order[n] = lease.page.url.p[sizeof(W) - 1];
	}
	CHECK_SV(t, kb_sv_str(order), "abcacaa");
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a source is read when it is due, by one reader", test_calendar },
		{ "new settings are read at once, and asking has its interval",
		  test_changed_meanwhile },
		{ "a reading adds, visits again and drops", test_listing },
		{ "a sitemap that fails has a page that says so", test_own_page },
		{ "what a visit leaves behind", test_visits },
		{ "a text that is the same changes nothing that can be found",
		  test_unchanged_text },
		{ "the host of an address", test_hosts },
		{ "a large source goes whole", test_large_source },
		{ "agents take turns in the line of a host", test_turns },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
