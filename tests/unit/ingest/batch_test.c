/* A batch: turns, and commits that fail. */
#include "ingest/batch.h"

#include "../s3_double.h"
#include "../store/fixture.h"
#include "base/file.h"
#include "base/log.h"
#include "live/catalog.h"
#include "parse/parse.h"

enum {
	DOCUMENTS = 5,
	PASSAGE_MAX = 2000,
	LONG = KB_TEST_UNDER_SANITIZER ? 2 << 20 : 16 << 20, /* bytes that take long to be read */
};

struct world {
	struct fixture f;
	char blob_dir[80], temp_dir[112];
	struct kb_log log;
	struct kb_blobs *blobs;
	struct kb_catalog *catalog;
	struct kb_parser *parser;
	struct kb_agent agent;
	struct kb_ingest_config config;
	struct kb_batch_counts counts;
	struct kb_bell bell;
	struct kb_batcher batcher;
};

static char worker_program[4096];

/* bucket: NULL for a directory. */
static void world_init_in(struct world *w, struct kb_test *t, const char *bucket)
{
	const struct kb_blobs_bucket in = { .options = { .where = bucket,
		                                         .endpoint = kb_double.url,
		                                         .key_id = "TESTKEY",
		                                         .secret = "testsecret" } };
	struct kb_parser_config parsing;

	memset(w, 0, sizeof(*w));
	fixture_init(&w->f, t);
	snprintf(w->blob_dir, sizeof(w->blob_dir), "%s-blobs", w->f.dir);
	snprintf(w->temp_dir, sizeof(w->temp_dir), "%s", w->blob_dir);
	w->blobs = bucket ? kb_blobs_open_bucket(&in, &w->f.err)
	                  : kb_blobs_open(w->blob_dir, &w->f.err);
	NEED(&w->f, w->blobs);
	NEED(&w->f, kb_dir_make(w->temp_dir, &w->f.err));
	w->catalog = kb_catalog_open(
	        w->f.store, w->blobs,
	        &(struct kb_catalog_limits){ .agents = 4, .heap_bytes = INT64_MAX }, NULL);
	kb_parser_config_init(&parsing);
	parsing.program = worker_program;
	w->parser = kb_parser_open(&parsing, &w->f.err);
	NEED(&w->f, w->parser);
	w->config = (struct kb_ingest_config){ .store = w->f.store,
		                               .blobs = w->blobs,
		                               .catalog = w->catalog,
		                               .parser = w->parser,
		                               .clock = &w->f.clock,
		                               .temp_dir = w->temp_dir };
	kb_bell_init(&w->bell, &w->f.clock);
	w->batcher = (struct kb_batcher){ .config = &w->config,
		                          .bell = &w->bell,
		                          .writer = kb_segment_writer_new(),
		                          .counts = &w->counts };
	w->agent = fixture_agent(&w->f, "a");
}

static void world_init(struct world *w, struct kb_test *t)
{
	world_init_in(w, t, NULL);
}

static void world_fini(struct world *w)
{
	char command[128];

	kb_segment_writer_free(w->batcher.writer);
	kb_bell_fini(&w->bell);
	kb_parser_close(w->parser);
	kb_catalog_close(w->catalog);
	kb_blobs_close(w->blobs);
	fixture_fini(&w->f);
	snprintf(command, sizeof(command), "rm -rf '%s'", w->blob_dir);
	CHECK(w->f.t, system(command) == 0);
}

/* Documents of one short sentence each; that at `long_one` holds a stretch of so many letters.
 * Gives the first one's id. */
static int64_t upload(struct world *w, size_t count, size_t long_one, size_t letter_count)
{
	struct kb_page_new pages[KB_BATCH_PAGES] = { 0 };
	int64_t first;

	for (size_t i = 0; i < count; i++) {
		struct kb_blob_name name;
		struct kb_sv text = kb_arena_printf(&w->f.arena, "Document %zu has a door.", i);

		if (i == long_one) {
			char *letters = kb_arena_bytes(&w->f.arena, letter_count);

			memset(letters, 'x', letter_count);
			text = kb_sv(letters, letter_count);
		}
		NEED(&w->f, kb_blob_put(w->blobs, text, &name, &w->f.err));
		pages[i] =
		        (struct kb_page_new){ .filename = KB_SV("a.txt"),
			                      .content_type = KB_SV("text/plain"),
			                      .blob = kb_arena_sv(&w->f.arena, kb_sv_str(name.hex)),
			                      .is_ours = true,
			                      .size = (int64_t)text.n };
	}
	NEED(&w->f, kb_store_pages_add(w->f.store, w->agent.id, pages, count, &first, &w->f.err));
	return first;
}

static size_t lease(struct world *w, struct kb_lease **leases)
{
	struct kb_leases got;

	NEED(&w->f, kb_store_pages_lease(w->f.store, &w->f.arena,
	                                 &(struct kb_lease_want){ .max = KB_BATCH_PAGES,
	                                                          .lease_us = 600 * KB_SECOND_US },
	                                 &got, &w->f.err));
	*leases = got.v;
	return got.count;
}

static struct kb_page page_of(struct world *w, int64_t id)
{
	struct kb_page page;

	NEED(&w->f, kb_store_page_get(w->f.store, &w->f.arena, w->agent.id, id, &page, &w->f.err));
	return page;
}

/* The segment takes no passage of more than PASSAGE_MAX bytes: so a document is made that cannot
 * be committed, whatever the cutting of passages makes of it. */
static void test_guilty(struct kb_test *t)
{
	struct kb_lease *leases;
	struct world w;
	int64_t first;
	size_t count;

	world_init(&w, t);
	kb_segment_writer_limit(w.batcher.writer, PASSAGE_MAX);
	first = upload(&w, DOCUMENTS, 2, 5000);
	count = lease(&w, &leases);
	CHECK_INT(t, count, DOCUMENTS);
	CHECK(t, kb_batch_run(&w.batcher, leases, count));
	for (int64_t i = 0; i < DOCUMENTS; i++) {
		struct kb_page page = page_of(&w, first + i);

		CHECK_INT(t, page.index, i == 2 ? KB_STATUS_FAILED : KB_STATUS_OK);
		CHECK_SV(t, page.reason, i == 2 ? "a passage is larger than 2000 bytes" : "");
	}
	CHECK_INT(t, w.counts.indexed, DOCUMENTS - 1);
	CHECK_INT(t, w.counts.failed, 1);
	CHECK_INT(t, lease(&w, &leases), 0);
	world_fini(&w);
}

static bool plan(void *arg, const struct kb_agent *agent, struct kb_ingest_limits *out,
                 struct kb_err *err)
{
	(void)agent;
	(void)err;
	*out = *(const struct kb_ingest_limits *)arg;
	return true;
}

/* What the batch had counted before it failed is not counted again, nor is what failed: the plan
 * has room for all the others. */
static void test_room(struct kb_test *t)
{
	static const struct {
		const char *name;
		struct kb_ingest_limits limits;
		int limited; /* how many the plan has no room for */
	} rows[] = {
		{ "room for all", { .pages_per_agent = DOCUMENTS }, 0 },
		{ "room for all that are read", { .pages_per_agent = DOCUMENTS - 1 }, 0 },
		{ "room for two", { .pages_per_agent = 2 }, DOCUMENTS - 3 },
		{ "words of one", { .words = 1 }, DOCUMENTS - 2 },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_lease *leases;
		struct world w;
		int limited = 0;
		int64_t first;
		size_t count;

		t->row = rows[i].name;
		world_init(&w, t);
		w.config.limits = plan;
		w.config.limits_arg = (void *)(uintptr_t)&rows[i].limits;
		kb_segment_writer_limit(w.batcher.writer, PASSAGE_MAX);
		first = upload(&w, DOCUMENTS, 0, 5000);
		count = lease(&w, &leases);
		CHECK(t, kb_batch_run(&w.batcher, leases, count));
		CHECK_INT(t, page_of(&w, first).index, KB_STATUS_FAILED);
		for (int64_t k = 1; k < DOCUMENTS; k++)
			limited += page_of(&w, first + k).index == KB_STATUS_LIMITED;
		CHECK_INT(t, limited, rows[i].limited);
		CHECK_INT(t, w.counts.indexed, DOCUMENTS - 1 - rows[i].limited);
		world_fini(&w);
	}
	t->row = NULL;
}

/* Nothing can be written: the documents wait, and it was no attempt of theirs. */
static void test_world(struct kb_test *t)
{
	struct kb_lease *leases;
	struct world w;
	int64_t first;
	size_t count;

	world_init(&w, t);
	first = upload(&w, DOCUMENTS, DOCUMENTS, 0);
	w.config.temp_dir = "/nonexistent";
	for (int i = 0; i < 7; i++) {
		count = lease(&w, &leases);
		CHECK_INT(t, count, DOCUMENTS);
		CHECK(t, !kb_batch_run(&w.batcher, leases, count));
		CHECK_INT(t, page_of(&w, first).index, KB_STATUS_QUEUED);
		CHECK_INT(t, page_of(&w, first).attempts, 0);
		CHECK_INT(t, lease(&w, &leases), 0); /* not at once */
		kb_clock_advance(&w.f.clock, 3 * KB_SECOND_US);
	}
	w.config.temp_dir = w.temp_dir;
	count = lease(&w, &leases);
	CHECK(t, kb_batch_run(&w.batcher, leases, count));
	for (int64_t i = 0; i < DOCUMENTS; i++)
		CHECK_INT(t, page_of(&w, first + i).index, KB_STATUS_OK);
	CHECK_INT(t, w.counts.failed, 0);
	world_fini(&w);
}

/* Nor is it one when nothing can be kept: documents wait, however long that lasts, and their owner
 * is not told where they would be. */
static void test_outage(struct kb_test *t)
{
	struct kb_lease *leases;
	struct world w;
	int64_t first;
	size_t count;

	if (!kb_double_start()) {
		kb_test_skip(t, "node is not installed");
		return;
	}
	world_init_in(&w, t, "s3://outage/batch");
	first = upload(&w, DOCUMENTS, DOCUMENTS, 0);
	kb_double_stop();
	for (int i = 0; i < 7; i++) {
		count = lease(&w, &leases);
		CHECK_INT(t, count, DOCUMENTS);
		CHECK(t, !kb_batch_run(&w.batcher, leases, count));
		for (int64_t k = 0; k < DOCUMENTS; k++) {
			struct kb_page page = page_of(&w, first + k);

			CHECK_INT(t, page.index, KB_STATUS_QUEUED);
			CHECK_INT(t, page.attempts, 0);
			CHECK(t, page.reason.n && kb_sv_find(page.reason, KB_SV("outage")) < 0);
		}
		kb_clock_advance(&w.f.clock, 3 * KB_SECOND_US);
		count = lease(&w, &leases);
		CHECK_INT(t, count, DOCUMENTS - 1); /* who met it waits longer */
		CHECK(t, !kb_batch_run(&w.batcher, leases, count));
		kb_clock_advance(&w.f.clock, 13 * KB_SECOND_US);
	}
	CHECK_INT(t, w.counts.failed, 0);
	world_fini(&w);
}

/* Two seconds pass with each question whether to stop; nobody does. */
static bool takes_long(void *arg)
{
	kb_clock_advance(arg, 2 * KB_SECOND_US);
	return false;
}

static void test_turn(struct kb_test *t)
{
	struct kb_lease *leases;
	struct kb_cancel cancel;
	struct world w;
	size_t count;

	world_init(&w, t);
	cancel = (struct kb_cancel){ takes_long, &w.f.clock };
	w.batcher.cancel = &cancel;
	upload(&w, DOCUMENTS, DOCUMENTS, 0);
	count = lease(&w, &leases);
	CHECK_INT(t, count, DOCUMENTS);
	CHECK(t, kb_batch_run(&w.batcher, leases, count));
	CHECK_INT(t, w.counts.indexed, 1);
	CHECK_INT(t, lease(&w, &leases), DOCUMENTS - 1);
	world_fini(&w);
}

static void test_deleted(struct kb_test *t)
{
	struct kb_lease *leases;
	struct world w;
	size_t count;

	world_init(&w, t);
	upload(&w, DOCUMENTS, DOCUMENTS, 0);
	count = lease(&w, &leases);
	NEED(&w.f, kb_store_agent_delete(w.f.store, w.f.account.id, w.agent.id, &w.f.err));
	CHECK(t, kb_batch_run(&w.batcher, leases, count));
	CHECK_INT(t, w.counts.indexed + w.counts.failed + w.counts.retried, 0);
	CHECK_INT(t, lease(&w, &leases), 0);
	fixture_remove_rows(&w.f);
	world_fini(&w);
}

/* In the reserve no document is waited for: it is left to the other threads. */
static void test_slow(struct kb_test *t)
{
	struct kb_lease *leases;
	struct world w;
	int64_t first;
	size_t count;

	world_init(&w, t);
	first = upload(&w, 1, 0, LONG);
	count = lease(&w, &leases);
	w.batcher.quick_ms = 1;
	CHECK(t, kb_batch_run(&w.batcher, leases, count));
	CHECK_INT(t, page_of(&w, first).index, KB_STATUS_QUEUED);
	CHECK_INT(t, page_of(&w, first).attempts, 0);
	count = lease(&w, &leases);
	CHECK_INT(t, count, 1);
	CHECK(t, leases[0].is_slow);
	w.batcher.quick_ms = 0;
	CHECK(t, kb_batch_run(&w.batcher, leases, count));
	CHECK_INT(t, page_of(&w, first).index, KB_STATUS_OK);
	world_fini(&w);
}

/* Another thread takes over when it is asked for the second time. */
static bool hand_on(void *arg)
{
	int *asked = arg;

	return ++*asked == 2;
}

/* It is parsed to its end where another thread takes over, and who was leased with it is let go. */
static void test_handed_on(struct kb_test *t)
{
	struct kb_lease *leases;
	struct world w;
	int64_t first[3];
	int asked = 0;

	world_init(&w, t);
	/* They take so long that whoever waits for them is awake meanwhile, on a busy machine too.
	 */
	for (size_t i = 0; i < KB_COUNTOF(first); i++)
		first[i] = upload(&w, 1, 0, LONG);
	CHECK_INT(t, lease(&w, &leases), 3);
	w.batcher.quick_ms = 1;
	w.batcher.hand_on = hand_on;
	w.batcher.hand_on_arg = &asked;
	CHECK(t, kb_batch_run(&w.batcher, leases, 3));
	CHECK_INT(t, asked, 2);
	CHECK_INT(t, page_of(&w, first[0]).index, KB_STATUS_QUEUED);
	CHECK_INT(t, page_of(&w, first[1]).index, KB_STATUS_OK);
	CHECK_INT(t, page_of(&w, first[2]).index, KB_STATUS_QUEUED);
	CHECK_INT(t, w.counts.parsed, 2);
	/* The third was only let go. */
	CHECK_INT(t, lease(&w, &leases), 1);
	CHECK_INT(t, leases[0].page.id, first[2]);
	CHECK(t, !leases[0].is_slow);
	CHECK_INT(t, leases[0].page.attempts, 1);
	world_fini(&w);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a document that cannot be committed fails alone", test_guilty },
		{ "a document that failed takes no room of the plan from the others", test_room },
		{ "a commit that fails for the world's reason is no attempt", test_world },
		{ "nor is one where nothing can be kept", test_outage },
		{ "a turn ends after a second or two, and the rest is given back", test_turn },
		{ "pages of an agent that was deleted meanwhile are let go", test_deleted },
		{ "a page that takes too long in the reserve is left to others", test_slow },
		{ "where another thread takes over, it is parsed to its end", test_handed_on },
	};
	const char *slash = strrchr(argv[0], '/');

	snprintf(worker_program, sizeof(worker_program), "%.*s/parse/parse_worker",
	         slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".");
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
