/* The sweep of a bucket goes by its ledger: slowly, a page at a time, and never past a put. */
#include "upkeep/sweep_bucket.h"

#include "../s3_double.h"
#include "../store/fixture.h"
#include "store/blobs.h"
#include "upkeep/installation.h"

enum { HOUR_S = 3600 };

struct world {
	struct fixture f;
	char where[64];
	struct kb_blobs *blobs;
	struct kb_sweep_limits limits;
	struct kb_sweep sum;
	bool more;
	int64_t agent_id;
};

static struct kb_blobs *open_bucket(struct world *w)
{
	struct kb_blobs *blobs = kb_blobs_open_bucket(
	        &(struct kb_blobs_bucket){
	                .options = { .where = w->where,
	                             .endpoint = kb_double.url,
	                             .key_id = "TESTKEY",
	                             .secret = "testsecret" },
	                .patience = { .stall_ms = kb_test_patient(5000), .pause_ms = 10 } },
	        &w->f.err);

	NEED(&w->f, blobs);
	return blobs;
}

static void world_init(struct world *w, struct kb_test *t, const char *bucket)
{
	static int count;

	*w = (struct world){ .limits = kb_sweep_usual() };
	fixture_init(&w->f, t);
	snprintf(w->where, sizeof(w->where), "s3://%s/%d", bucket, count++);
	w->blobs = open_bucket(w);
	kb_sweep_keep_ledger(w->blobs, w->f.store);
	w->agent_id = fixture_agent(&w->f, "a").id;
}

static void world_fini(struct world *w)
{
	kb_blobs_close(w->blobs);
	fixture_fini(&w->f);
}

static void hours_pass(struct world *w, int hours)
{
	kb_clock_advance(&w->f.clock, hours * HOUR_S * KB_SECOND_US);
}

static void sweep(struct world *w)
{
	NEED(&w->f,
	     kb_sweep_bucket(w->f.store, w->blobs, &w->limits, &w->sum, &w->more, &w->f.err));
}

static struct kb_blob_name put(struct world *w, const char *text)
{
	struct kb_blob_name name;

	NEED(&w->f, kb_blob_put(w->blobs, kb_sv_str(text), &name, &w->f.err));
	return name;
}

static bool there(struct world *w, const struct kb_blob_name *name)
{
	struct kb_err err;
	int64_t size;

	return kb_blob_stat(w->blobs, name->hex, &size, &err);
}

static void name_in_store(struct world *w, const struct kb_blob_name *name)
{
	int64_t first;
	struct kb_page_new page = {
		.filename = KB_SV("a.txt"), .blob = kb_sv_str(name->hex), .is_ours = true, .size = 1
	};

	NEED(&w->f, kb_store_pages_add(w->f.store, w->agent_id, &page, 1, &first, &w->f.err));
}

static bool note(struct world *w, const struct kb_blob_name *name)
{
	bool known;

	return kb_store_blob_note(w->f.store,
	                          &(struct kb_blob_note){ .name = kb_sv_str(name->hex) }, &known,
	                          &w->f.err);
}

/* ---- slowly ---- */

static void test_slowly(struct kb_test *t)
{
	struct kb_blob_name named, stray, made;
	struct world w;

	world_init(&w, t, "sweep");
	named = put(&w, "named");
	stray = put(&w, "stray");
	made = put(&w, "KBSEG\r\n\x1a and its sections");
	name_in_store(&w, &named);
	sweep(&w);
	CHECK(t, w.sum.blobs == 3 && w.sum.unnamed == 2 && w.sum.discarded == 0);
	hours_pass(&w, 1); /* what can be made again leaves first, and goes for good */
	sweep(&w);
	CHECK_INT(t, w.sum.discarded, 1);
	CHECK(t, there(&w, &made));
	hours_pass(&w, 1);
	fixture_reopen(&w.f); /* rows remember */
	kb_sweep_keep_ledger(w.blobs, w.f.store);
	sweep(&w);
	CHECK_INT(t, w.sum.removed, 1);
	CHECK(t, !there(&w, &made) && there(&w, &stray));
	hours_pass(&w, 23);
	sweep(&w);
	CHECK_INT(t, w.sum.discarded, 1);
	CHECK_INT(t, w.sum.in_trash, 1);
	hours_pass(&w, 71);
	sweep(&w);
	CHECK(t, there(&w, &stray));
	hours_pass(&w, 2);
	sweep(&w);
	CHECK(t, w.sum.removed == 1 && w.sum.in_trash == 0);
	CHECK(t, !there(&w, &stray) && there(&w, &named));
	hours_pass(&w, 1000);
	sweep(&w);
	CHECK(t, w.sum.blobs == 1 && w.sum.unnamed == 0);
	CHECK(t, there(&w, &named));
	world_fini(&w);
}

static void test_back(struct kb_test *t)
{
	struct kb_blob_name named, again;
	struct world w;

	world_init(&w, t, "sweep");
	named = put(&w, "named in time");
	again = put(&w, "put in time");
	hours_pass(&w, 30);
	sweep(&w);
	CHECK_INT(t, w.sum.discarded, 2);
	hours_pass(&w, 60);
	name_in_store(&w, &named);
	put(&w, "put in time");
	sweep(&w);
	CHECK_INT(t, w.sum.recalled, 1);
	hours_pass(&w, 20);
	sweep(&w); /* of a put that is a day old nobody may think that it is not committed yet */
	CHECK(t, w.sum.removed == 0 && w.sum.discarded == 0);
	hours_pass(&w, 20);
	sweep(&w);
	CHECK_INT(t, w.sum.discarded, 1);
	CHECK(t, there(&w, &named) && there(&w, &again));
	world_fini(&w);
}

static void test_pages(struct kb_test *t)
{
	struct kb_blob_name names[5];
	struct world w;
	int64_t seen = 0, removed = 0;
	int pages = 0;

	world_init(&w, t, "sweep");
	w.limits.page = 2;
	for (int i = 0; i < 5; i++)
		names[i] = put(&w, (char[]){ (char)('a' + i), '\0' });
	name_in_store(&w, &names[2]);
	do {
		sweep(&w);
		seen += w.sum.blobs;
		pages++;
		/* Another node, or another life, goes on where this one has stopped. */
		fixture_reopen(&w.f);
		kb_sweep_keep_ledger(w.blobs, w.f.store);
	} while (w.more);
	CHECK_INT(t, seen, 5);
	CHECK_INT(t, pages, 3);
	for (int round = 0; round < 2; round++) {
		hours_pass(&w, 100);
		do {
			sweep(&w);
			removed += w.sum.removed;
		} while (w.more);
	}
	CHECK_INT(t, removed, 4);
	CHECK(t, there(&w, &names[2]));
	world_fini(&w);
}

/* ---- stepped through ---- */

static struct kb_blob_page read_page(struct world *w)
{
	struct kb_blob_page page;

	NEED(&w->f, kb_store_blobs_page(w->f.store, &w->f.arena, 100, &page, &w->f.err));
	return page;
}

static bool step(struct world *w, const struct kb_blob_row *row, enum kb_blob_state to)
{
	struct kb_blob_step one = { .from = row, .to = to, .at = kb_clock_now_us(&w->f.clock) };

	NEED(&w->f, kb_store_blobs_step(w->f.store, &one, 1, &w->f.err));
	return one.done;
}

static void test_put_between(struct kb_test *t)
{
	struct kb_blob_page page;
	struct kb_blob_name name;
	struct world w;

	world_init(&w, t, "sweep");
	name = put(&w, "text");
	hours_pass(&w, 30);

	t->row = "a put after the page was read, before it leaves";
	page = read_page(&w);
	CHECK(t, note(&w, &name));
	CHECK(t, !step(&w, &page.rows[0], KB_BLOB_LEAVING));

	t->row = "a put after the page was read, before it goes";
	hours_pass(&w, 30);
	page = read_page(&w);
	CHECK(t, step(&w, &page.rows[0], KB_BLOB_LEAVING));
	page = read_page(&w);
	CHECK(t, note(&w, &name));
	CHECK(t, !step(&w, &page.rows[0], KB_BLOB_GOING));

	t->row = "two sweeps of one row";
	hours_pass(&w, 30);
	page = read_page(&w);
	CHECK(t, step(&w, &page.rows[0], KB_BLOB_LEAVING));
	CHECK(t, !step(&w, &page.rows[0], KB_BLOB_LEAVING));

	t->row = "a put while it is removed waits";
	page = read_page(&w);
	CHECK(t, step(&w, &page.rows[0], KB_BLOB_GOING));
	CHECK(t, !note(&w, &name) && w.f.err.code == KB_E_BUSY);
	page = read_page(&w);
	NEED(&w.f, kb_store_blob_gone(w.f.store, page.rows[0].name, page.rows[0].at, &w.f.err));
	CHECK(t, note(&w, &name));

	t->row = "a removal that never ends is gone over";
	hours_pass(&w, 30);
	page = read_page(&w);
	CHECK(t, step(&w, &page.rows[0], KB_BLOB_LEAVING));
	page = read_page(&w);
	CHECK(t, step(&w, &page.rows[0], KB_BLOB_GOING));
	page = read_page(&w);
	hours_pass(&w, 1);
	CHECK(t, note(&w, &name));
	NEED(&w.f, kb_store_blob_gone(w.f.store, page.rows[0].name, page.rows[0].at, &w.f.err));
	CHECK_INT(t, read_page(&w).count, 1);
	t->row = NULL;
	world_fini(&w);
}

/* ---- what has no row ---- */

static void test_unknown(struct kb_test *t)
{
	struct kb_blob_name named, strange;
	struct kb_adopted sum;
	struct kb_installed in;
	struct world w;

	world_init(&w, t, "sweep");
	kb_blobs_close(w.blobs);
	w.blobs = open_bucket(&w); /* without a ledger: of another store, or of an earlier day */
	named = put(&w, "named");
	strange = put(&w, "strange");
	name_in_store(&w, &named);
	sweep(&w); /* what the store names gets its row */
	CHECK_INT(t, read_page(&w).count, 1);
	for (int i = 0; i < 3; i++) {
		hours_pass(&w, 100);
		sweep(&w);
	}
	CHECK(t, there(&w, &named) && there(&w, &strange));

	/* With the operator's word everything there is this store's, and what nothing names goes.
	 */
	in = (struct kb_installed){ w.f.store, w.blobs, "a store", "a bucket" };
	NEED(&w.f, kb_installation_adopt(&in, false, &sum, &w.f.err));
	CHECK(t, sum.named == 1 && sum.missing == 0 && sum.blobs == 2);
	for (int i = 0; i < 3; i++) {
		hours_pass(&w, 100);
		sweep(&w);
	}
	CHECK(t, there(&w, &named) && !there(&w, &strange));
	world_fini(&w);
}

/* Says that it is enough when it has been asked so many times. */
static bool is_enough(void *arg)
{
	int *times = arg;

	return --*times <= 0;
}

static void test_cancelled(struct kb_test *t)
{
	enum { BLOBS = 12, BEFORE = 4 };
	struct kb_blob_name names[BLOBS];
	int times = BEFORE, left = 0;
	struct kb_cancel cancel = { is_enough, &times };
	struct world w;

	world_init(&w, t, "sweep");
	for (int i = 0; i < BLOBS; i++)
		names[i] = put(&w, (char[]){ (char)('a' + i), '\0' });
	hours_pass(&w, 100);
	sweep(&w);
	hours_pass(&w, 100);
	w.limits.cancel = &cancel;
	CHECK(t, !kb_sweep_bucket(w.f.store, w.blobs, &w.limits, &w.sum, &w.more, &w.f.err));
	CHECK_INT(t, w.f.err.code, KB_E_CANCELLED);
	CHECK_INT(t, w.sum.removed, BEFORE - 1);

	/* Nobody waits for a removal that nobody makes, and the next sweep goes on. */
	for (int i = 0; i < BLOBS; i++)
		if (there(&w, &names[i]) && left++ == 0)
			CHECK(t, note(&w, &names[i]));
	CHECK_INT(t, left, BLOBS - BEFORE + 1);
	w.limits.cancel = NULL;
	sweep(&w);
	CHECK_INT(t, w.sum.removed, left - 1);
	world_fini(&w);
}

static void test_refused(struct kb_test *t)
{
	struct kb_blob_name names[2];
	int puts = 0;
	struct world w;

	/* Its key may write and not remove. */
	world_init(&w, t, "keep");
	names[0] = put(&w, "text");
	names[1] = put(&w, "another text");
	for (int i = 0; i < 2; i++) {
		hours_pass(&w, 100);
		CHECK_INT(t,
		          kb_sweep_bucket(w.f.store, w.blobs, &w.limits, &w.sum, &w.more, &w.f.err),
		          i == 0);
	}
	CHECK(t, strstr(w.f.err.msg, "does not allow that anything is removed"));
	for (int i = 0; i < 2; i++) {
		CHECK(t, there(&w, &names[i]));
		puts += note(&w, &names[i]);
	}
	CHECK_INT(t, puts, 1); /* the removal that failed may still come */
	world_fini(&w);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what no row names goes slowly", test_slowly },
		{ "what is named or put again comes back", test_back },
		{ "a round goes a page at a time", test_pages },
		{ "a put between the steps of a sweep", test_put_between },
		{ "what has no row is nobody's to remove", test_unknown },
		{ "a stop ends it before the next blob, and leaves no removal that nobody makes",
		  test_cancelled },
		{ "a bucket that removes nothing", test_refused },
	};
	int code;

	if (!kb_double_start()) {
		printf("skipped: the sweep of a bucket: node is not installed\n0 passed, %d "
		       "failed\n",
		       getenv("DOCENT_NO_SKIPS") ? 1 : 0);
		return getenv("DOCENT_NO_SKIPS") != NULL;
	}
	code = kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
	kb_double_stop();
	return code;
}
