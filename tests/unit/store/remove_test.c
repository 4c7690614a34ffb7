/* What is deleted is gone for every call at once; its rows go in slices, whatever happens between.
 */
#include <pthread.h>

#include "raw.h"
#include "store/labels.h"
#include "store/licenses.h"

/* Rows of the agent in all tables that have agents. */
static int64_t rows_of(struct fixture *f, int64_t agent_id)
{
	struct kb_sv tables = raw_agent_tables(f);
	int64_t n = 0;

	for (char *save, *name = strtok_r(kb_arena_str(&f->arena, tables), " ", &save); name;
	     name = strtok_r(NULL, " ", &save)) {
		char query[200];

		snprintf(query, sizeof(query), "SELECT count(*) FROM %s WHERE agent_id = %" PRId64,
		         name, agent_id);
		n += raw_int(f, query);
	}
	return n;
}

static struct kb_source add_source(struct fixture *f, int64_t agent_id, const char *url,
                                   size_t page_count)
{
	struct kb_source source = {
		.agent_id = agent_id,
		.url = kb_sv_str(url),
		.settings = KB_SV("{}"),
		.status = KB_STATUS_QUEUED,
		.due_at = kb_clock_now_us(&f->clock),
	};
	struct kb_page_new *pages = KB_NEW_ARRAY(&f->arena, page_count, struct kb_page_new);
	int64_t first;

	NEED(f, kb_store_source_add(f->store, &source, NULL, &f->err));
	for (size_t i = 0; i < page_count; i++)
		pages[i] = (struct kb_page_new){
			.url = kb_arena_printf(&f->arena, "%s/%zu", url, i),
			.source_id = source.id,
		};
	NEED(f, kb_store_pages_add(f->store, agent_id, pages, page_count, &first, &f->err));
	return source;
}

/* Fetches what the host's line has; gives how many. */
static int visit_all(struct fixture *f, const char *host)
{
	struct kb_lease lease;

	for (int n = 0;; n++) {
		if (!fixture_visit(f, host, 60 * KB_SECOND_US, &lease))
			return n;
		NEED(f, kb_store_errand_done(f->store,
		                             &(struct kb_errand){ .agent_id = lease.page.agent_id,
		                                                  .page_id = lease.page.id,
		                                                  .epoch = lease.epoch,
		                                                  .outcome = KB_ERRAND_FETCHED,
		                                                  .blob = KB_SV("aa"),
		                                                  .size = 7 },
		                             &f->err));
	}
}

static size_t index_all(struct fixture *f)
{
	size_t sum = 0, count;

	while ((count = fixture_index(f, 10)))
		sum += count;
	return sum;
}

static int64_t page_total(struct fixture *f, int64_t agent_id)
{
	struct kb_page_filter filter = { .list = { 1, 100, true }, .crawl = -1, .index = -1 };
	struct kb_page_list pages;

	NEED(f, kb_store_page_list(f->store, &f->arena, agent_id, &filter, &pages, &f->err));
	CHECK_INT(f->t, pages.count, pages.total);
	return pages.total;
}

static bool is_gone(struct fixture *f, bool ok)
{
	return !ok && f->err.code == KB_E_NOT_FOUND;
}

static void test_agent(struct kb_test *t)
{
	struct kb_index_state state;
	struct kb_agent_stats stats;
	struct kb_agent agent, kept;
	struct kb_agent_list agents;
	struct kb_conversation conversation;
	struct kb_source source;
	struct kb_source_list sources;
	struct kb_source_lease reading;
	struct kb_page page;
	struct kb_leases leases;
	struct fixture f;
	int64_t first, n, due, version;
	struct kb_agent_ids ids;
	int64_t gone;

	fixture_init(&f, t);
	kept = fixture_agent(&f, "kept");
	agent = fixture_agent(&f, "gone");
	gone = agent.id;
	first = fixture_pages(&f, agent.id, 9);
	CHECK_INT(t, fixture_index(&f, 5), 5);
	source = add_source(&f, agent.id, "http://w.example", 5);
	for (int i = 0; i < 7; i++)
		fixture_say_to(&f, agent.id, i < 4 ? "s" : "t", "q");
	fixture_say_to(&f, kept.id, "s", "q");
	CHECK(t, kb_store_agent_delete(f.store, f.account.id, gone, &f.err));

	/* Every row is still there, and no call knows of one. */
	CHECK(t, rows_of(&f, gone) > 20);
	CHECK(t, is_gone(&f, kb_store_agent_get(f.store, &f.arena, f.account.id, gone, &agent,
	                                        &f.err)));
	CHECK(t, is_gone(&f, kb_store_agent_find(f.store, &f.arena, gone, &agent, &f.err)));
	CHECK(t, !kb_store_peek_agent(f.store, &f.arena, f.account.id, gone, &agent));
	CHECK(t, is_gone(&f, kb_store_agent_delete(f.store, f.account.id, gone, &f.err)));
	CHECK(t, is_gone(&f, kb_store_page_find(f.store, &f.arena, f.account.id, first, &page,
	                                        &f.err)));
	CHECK(t, is_gone(&f, kb_store_page_delete(f.store, gone, first, &f.err)));
	CHECK(t, is_gone(&f, kb_store_page_requeue(f.store, gone, first, &f.err)));
	CHECK(t, is_gone(&f, kb_store_index_state(f.store, &f.arena, gone, &state, &f.err)));
	CHECK(t, is_gone(&f, kb_store_index_version(f.store, gone, &version, &f.err)));
	CHECK(t, is_gone(&f, kb_store_source_delete(f.store, gone, source.id, &f.err)));
	CHECK(t, is_gone(&f, kb_store_conversation_create(
	                             f.store, &f.arena,
	                             &(struct kb_session){ .agent_id = gone,
	                                                   .id = KB_SV("u"),
	                                                   .account_id = f.account.id },
	                             KB_SV("u"), &conversation, &f.err)));
	CHECK(t,
	      is_gone(&f, kb_store_message_add(f.store, &f.arena,
	                                       &(struct kb_session){ .agent_id = gone,
	                                                             .id = KB_SV("s"),
	                                                             .account_id = f.account.id },
	                                       &(struct kb_message){ 0 }, &conversation, &f.err)));
	CHECK(t, is_gone(&f, kb_store_agent_replicate(
	                             f.store, &f.arena,
	                             &(struct kb_agent_copy){ .account_id = f.account.id,
	                                                      .id = gone,
	                                                      .name = KB_SV("c") },
	                             &agent, &f.err)));
	CHECK(t, kb_store_agent_list(f.store, &f.arena, f.account.id,
	                             &(struct kb_agent_filter){ .list = { 1, 10, true } }, &agents,
	                             &f.err));
	CHECK_INT(t, agents.total, 1);
	CHECK_INT(t, agents.v[0].id, kept.id);
	CHECK(t, kb_store_agent_ids(f.store, &f.arena, 0, 10, &ids, &f.err));
	CHECK_INT(t, ids.count, 1);
	CHECK(t, kb_store_agent_count(f.store, f.account.id, &n, &f.err));
	CHECK_INT(t, n, 1);
	CHECK(t, kb_store_account_words(f.store, f.account.id, &n, &f.err));
	CHECK_INT(t, n, 0);
	CHECK(t, kb_store_queue_length(f.store, &n, &f.err));
	CHECK_INT(t, n, 0);
	CHECK(t, kb_store_pages_lease(f.store, &f.arena,
	                              &(struct kb_lease_want){ .max = 9, .lease_us = KB_SECOND_US },
	                              &leases, &f.err));
	CHECK_INT(t, leases.count, 0);
	CHECK_INT(t, leases.next_due_at, 0);
	CHECK_INT(t, visit_all(&f, "w.example"), 0);
	CHECK(t, kb_store_source_lease(f.store, &f.arena, KB_SECOND_US, &reading, &due, &f.err));
	CHECK(t, !reading.source.id && due == 0);
	CHECK(t, kb_store_merge_candidate(f.store, 1, &n, &f.err));
	CHECK_INT(t, n, 0);

	/* Nothing is wrong after any slice, and nothing of it is left after the last. */
	fixture_sound(&f);
	fixture_remove_rows(&f);
	CHECK_INT(t, rows_of(&f, gone), 0);
	CHECK_INT(t, raw_int(&f, "SELECT count(*) FROM agents"), 1);
	CHECK(t, kb_store_agent_stats(f.store, kept.id, &stats, &f.err));
	CHECK_INT(t, stats.queries, 1);
	CHECK(t, kb_store_source_list(f.store, &f.arena, kept.id, &sources, &f.err));
	CHECK_INT(t, sources.count, 1);
	fixture_fini(&f);
}

static void test_source(struct kb_test *t)
{
	struct kb_index_state before, state;
	struct kb_agent_stats stats;
	struct kb_agent agent, copy;
	struct kb_source source, again, upload;
	struct kb_page page;
	struct fixture f;
	int64_t words;
	size_t count;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	fixture_pages(&f, agent.id, 3);
	source = add_source(&f, agent.id, "http://w.example", 9);
	CHECK_INT(t, visit_all(&f, "w.example"), 9);
	CHECK_INT(t, index_all(&f), 12);
	/* Some wait again, one is in hand. */
	CHECK(t, kb_store_page_requeue(f.store, agent.id, 5, &f.err));
	CHECK(t, kb_store_page_requeue(f.store, agent.id, 6, &f.err));
	NEED(&f, kb_store_index_state(f.store, &f.arena, agent.id, &before, &f.err));
	CHECK_INT(t, before.dead_count, 0);
	CHECK(t, kb_store_source_delete(f.store, agent.id, source.id, &f.err));

	CHECK_INT(t, raw_int(&f, "SELECT count(*) FROM pages"), 12);
	CHECK(t, is_gone(&f, kb_store_source_get(f.store, &f.arena, agent.id, source.id, &source,
	                                         &f.err)));
	CHECK(t, is_gone(&f, kb_store_source_delete(f.store, agent.id, source.id, &f.err)));
	CHECK(t, is_gone(&f, kb_store_page_get(f.store, &f.arena, agent.id, 4, &page, &f.err)));
	CHECK(t,
	      is_gone(&f, kb_store_page_find(f.store, &f.arena, f.account.id, 4, &page, &f.err)));
	CHECK(t, is_gone(&f, kb_store_page_delete(f.store, agent.id, 4, &f.err)));
	CHECK_INT(t, page_total(&f, agent.id), 3);
	NEED(&f, kb_store_agent_stats(f.store, agent.id, &stats, &f.err));
	CHECK_INT(t, stats.pages_found, 3);
	CHECK_INT(t, stats.pages_indexed, 3);
	CHECK_INT(t, stats.words_indexed, 30);
	CHECK_INT(t, stats.storage_bytes, 300);
	CHECK(t, kb_store_account_words(f.store, f.account.id, &words, &f.err));
	CHECK_INT(t, words, 30);
	/* Its passages are dead for the next question. */
	NEED(&f, kb_store_index_state(f.store, &f.arena, agent.id, &state, &f.err));
	CHECK_INT(t, state.version, before.version + 1);
	CHECK_INT(t, state.dead_count, 9);
	CHECK_INT(t, visit_all(&f, "w.example"), 0);
	CHECK_INT(t, index_all(&f), 0);
	/* A copy has nothing of it, and the address can be a source again. */
	NEED(&f, kb_store_agent_replicate(f.store, &f.arena,
	                                  &(struct kb_agent_copy){ .account_id = f.account.id,
	                                                           .id = agent.id,
	                                                           .name = KB_SV("c") },
	                                  &copy, &f.err));
	CHECK_INT(t, page_total(&f, copy.id), 3);
	NEED(&f, kb_store_index_state(f.store, &f.arena, copy.id, &state, &f.err));
	CHECK_INT(t, state.dead_count, 9);
	again = add_source(&f, agent.id, "http://w.example", 2);
	CHECK_INT(t, page_total(&f, agent.id), 5);

	fixture_sound(&f);
	fixture_remove_rows(&f);
	CHECK_INT(t, raw_int(&f, "SELECT count(*) FROM pages WHERE agent_id = 1"), 5);
	CHECK_INT(t, raw_int(&f, "SELECT count(*) FROM sources WHERE agent_id = 1"), 2);
	NEED(&f, kb_store_index_state(f.store, &f.arena, agent.id, &state, &f.err));
	CHECK_INT(t, state.dead_count, 9);
	CHECK_INT(t, state.version, before.version + 1);
	CHECK_INT(t, visit_all(&f, "w.example"), 2);

	/* The source of uploads has a new one in its place. */
	NEED(&f, kb_store_source_upload(f.store, &f.arena, agent.id, &upload, &f.err));
	CHECK(t, kb_store_source_delete(f.store, agent.id, upload.id, &f.err));
	CHECK_INT(t, page_total(&f, agent.id), 2);
	count = (size_t)upload.id;
	NEED(&f, kb_store_source_upload(f.store, &f.arena, agent.id, &upload, &f.err));
	CHECK(t, (size_t)upload.id != count);
	fixture_pages(&f, agent.id, 1);
	CHECK_INT(t, page_total(&f, agent.id), 3);
	fixture_remove_rows(&f);
	CHECK_INT(t, page_total(&f, agent.id), 3);
	CHECK_INT(t, raw_int(&f, "SELECT count(*) FROM pages WHERE agent_id = 1"), 3);
	CHECK_INT(t, again.agent_id, agent.id);
	fixture_fini(&f);
}

/* The page is in hand when its source goes; what is brought of it is found by nobody. */
static void test_late_result(struct kb_test *t)
{
	struct kb_page_result result;
	struct kb_index_state state;
	struct kb_source source;
	struct kb_agent agent;
	struct kb_leases leases;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	source = add_source(&f, agent.id, "http://w.example", 2);
	visit_all(&f, "w.example");
	index_all(&f);
	CHECK(t, kb_store_page_requeue(f.store, agent.id, 1, &f.err));
	visit_all(&f, "w.example");
	NEED(&f, kb_store_pages_lease(f.store, &f.arena,
	                              &(struct kb_lease_want){ .max = 9, .lease_us = KB_SECOND_US },
	                              &leases, &f.err));
	CHECK_INT(t, leases.count, 1);
	CHECK(t, kb_store_source_delete(f.store, agent.id, source.id, &f.err));
	fixture_pages(&f, agent.id, 1);
	/* Its batch has a page that can be found, too. */
	result = fixture_result(&leases.v[0]);
	CHECK(t, kb_store_pages_finish(f.store, agent.id, &result, 1, &fixture_segment, &f.err));
	fixture_sound(&f);
	fixture_remove_rows(&f);
	CHECK_INT(t, index_all(&f), 1);
	NEED(&f, kb_store_index_state(f.store, &f.arena, agent.id, &state, &f.err));
	CHECK_INT(t, state.dead_count, 2);
	CHECK_INT(t, page_total(&f, agent.id), 1);
	fixture_fini(&f);
}

/* An agent that goes away while it is being copied, or changes. */
struct changes {
	struct fixture *f;
	int64_t agent_id, first;
	size_t count;
	_Atomic bool stop;
};

static void *change_it(void *arg)
{
	struct changes *c = arg;
	struct kb_err err;

	for (size_t i = 0; i < c->count && !c->stop; i++) {
		struct kb_page_new page = { .filename = KB_SV("new"),
			                    .blob = KB_SV("new"),
			                    .size = 1 };
		int64_t first;

		if (!kb_store_page_delete(c->f->store, c->agent_id, c->first + (int64_t)i, &err)
		    || !kb_store_pages_add(c->f->store, c->agent_id, &page, 1, &first, &err))
			abort();
	}
	return NULL;
}

static void test_copy_of_a_moment(struct kb_test *t)
{
	enum { PAGES = 2000 };
	struct kb_agent_stats stats;
	struct kb_agent agent, copy;
	struct changes changes;
	struct fixture f;
	pthread_t thread;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	changes = (struct changes){ .f = &f,
		                    .agent_id = agent.id,
		                    .first = fixture_pages(&f, agent.id, PAGES),
		                    .count = PAGES };
	fixture_index(&f, 100);
	pthread_create(&thread, NULL, change_it, &changes);
	for (int i = 0; i < 3; i++) {
		NEED(&f,
		     kb_store_agent_replicate(f.store, &f.arena,
		                              &(struct kb_agent_copy){ .account_id = f.account.id,
		                                                       .id = agent.id,
		                                                       .name = KB_SV("c") },
		                              &copy, &f.err));
		/* A page goes and another one comes: there are as many at any moment, or one less.
		 */
		NEED(&f, kb_store_agent_stats(f.store, copy.id, &stats, &f.err));
		CHECK(t, stats.pages_found == PAGES || stats.pages_found == PAGES - 1);
		fixture_sound(&f);
	}
	changes.stop = true;
	pthread_join(thread, NULL);
	/* What waits in them may be worked on. */
	CHECK(t, index_all(&f) > 3 * (PAGES - 101));
	fixture_fini(&f);
}

/* A copy that was in the making when the power went. */
static void test_half_a_copy(struct kb_test *t)
{
	struct kb_agent agent, copy;
	struct fixture f;
	int64_t n;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	fixture_pages(&f, agent.id, 5);
	fixture_index(&f, 3);
	NEED(&f, kb_store_agent_replicate(f.store, &f.arena,
	                                  &(struct kb_agent_copy){ .account_id = f.account.id,
	                                                           .id = agent.id,
	                                                           .name = KB_SV("c") },
	                                  &copy, &f.err));
	CHECK_INT(t, raw_int(&f, "UPDATE agents SET state = 1 WHERE name = 'c' RETURNING state"),
	          1);
	fixture_reopen(&f);
	CHECK(t, is_gone(&f, kb_store_agent_find(f.store, &f.arena, copy.id, &copy, &f.err)));
	CHECK(t, kb_store_agent_count(f.store, f.account.id, &n, &f.err));
	CHECK_INT(t, n, 1);
	/* As if it had just been deleted; its turn is one of those things. */
	raw_int(&f, "DELETE FROM turns WHERE agent_id = 2 RETURNING 1");
	fixture_remove_rows(&f);
	CHECK_INT(t, rows_of(&f, copy.id), 0);
	CHECK_INT(t, page_total(&f, agent.id), 5);
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a deleted agent is gone for every call, and its rows go in slices", test_agent },
		{ "a deleted source is gone with its pages, and they go in slices", test_source },
		{ "what is brought for a page of a deleted source is refused", test_late_result },
		{ "a copy is the agent of one moment, whatever happens to it meanwhile",
		  test_copy_of_a_moment },
		{ "half a copy is removed at the next start", test_half_a_copy },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
