/* The sweep ends what no row names, slowly; store and blobs that do not belong together are told.
 */
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#include "../store/fixture.h"
#include "base/file.h"
#include "store/upkeep.h"
#include "upkeep/installation.h"
#include "upkeep/sweep.h"

enum { HOUR_S = 3600 };

static int64_t passing_s; /* for nftw(), which passes no argument on */

struct world {
	struct fixture f;
	char blob_dir[80];
	struct kb_blobs *blobs;
	struct kb_sweep_limits limits;
	struct kb_sweep sum;
};

static void world_init(struct world *w, struct kb_test *t)
{
	fixture_init(&w->f, t);
	snprintf(w->blob_dir, sizeof(w->blob_dir), "%s-blobs", w->f.dir);
	w->blobs = kb_blobs_open(w->blob_dir, &w->f.err);
	NEED(&w->f, w->blobs);
	w->limits = kb_sweep_usual();
}

static void world_fini(struct world *w)
{
	char command[128];

	kb_blobs_close(w->blobs);
	fixture_fini(&w->f);
	snprintf(command, sizeof(command), "rm -rf '%s'", w->blob_dir);
	CHECK(w->f.t, system(command) == 0);
}

static int make_older(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	struct timespec then = st->st_mtim;

	(void)ftw;
	then.tv_sec -= passing_s;
	return type == FTW_F ? utimensat(AT_FDCWD, path, (struct timespec[]){ then, then }, 0) : 0;
}

/* The store's clock goes on, and all files get older. */
static void hours_pass(struct world *w, int hours)
{
	passing_s = hours * HOUR_S;
	kb_clock_advance(&w->f.clock, passing_s * KB_SECOND_US);
	if (nftw(w->blob_dir, make_older, 16, FTW_PHYS) != 0)
		abort();
}

static void sweep(struct world *w)
{
	NEED(&w->f, kb_sweep_blobs(w->f.store, w->blobs, &w->limits, &w->sum, &w->f.err));
}

static struct kb_blob_name put(struct world *w, const char *text)
{
	struct kb_blob_name name;

	NEED(&w->f, kb_blob_put(w->blobs, kb_sv_str(text), &name, &w->f.err));
	return name;
}

/* In its place, not in the trash. */
static bool in_place(struct world *w, const struct kb_blob_name *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%.2s/%.2s/%s", w->blob_dir, name->hex, name->hex + 2,
	         name->hex);
	return access(path, F_OK) == 0;
}

static void name_in_store(struct world *w, int64_t agent_id, const struct kb_blob_name *name)
{
	int64_t first;
	struct kb_page_new page = {
		.filename = KB_SV("a.txt"), .blob = kb_sv_str(name->hex), .is_ours = true, .size = 1
	};

	NEED(&w->f, kb_store_pages_add(w->f.store, agent_id, &page, 1, &first, &w->f.err));
}

static void test_slowly(struct kb_test *t)
{
	struct kb_blob_name named, stray, made;
	struct world w;
	int64_t agent_id;

	world_init(&w, t);
	agent_id = fixture_agent(&w.f, "a").id;
	named = put(&w, "named");
	stray = put(&w, "stray");
	made = put(&w, "KBSEG\r\n\x1a and its sections");
	name_in_store(&w, agent_id, &named);
	sweep(&w); /* what was just put may be named in a moment */
	CHECK_INT(t, w.sum.unnamed, 0);
	hours_pass(&w, 30); /* old, but nobody has looked yet */
	sweep(&w);
	CHECK_INT(t, w.sum.unnamed, 2);
	CHECK(t, in_place(&w, &stray) && in_place(&w, &made));
	hours_pass(&w, 1); /* what can be made again goes first, and for good */
	sweep(&w);
	CHECK_INT(t, w.sum.removed, 1);
	CHECK(t, in_place(&w, &stray) && !in_place(&w, &made));
	fixture_reopen(&w.f); /* rows remember */
	hours_pass(&w, 23);
	sweep(&w);
	CHECK_INT(t, w.sum.discarded, 1);
	CHECK(t, in_place(&w, &named) && !in_place(&w, &stray));
	hours_pass(&w, 71);
	sweep(&w);
	CHECK_INT(t, w.sum.in_trash, 1);
	hours_pass(&w, 2);
	sweep(&w);
	CHECK(t, w.sum.removed == 1 && w.sum.in_trash == 0);
	CHECK(t, kb_blob_verify(w.blobs, named.hex, &w.f.err));
	CHECK(t, !kb_blob_verify(w.blobs, stray.hex, &w.f.err));
	world_fini(&w);
}

static void test_named_again(struct kb_test *t)
{
	struct kb_blob_name noted, discarded;
	struct world w;
	int64_t agent_id;

	world_init(&w, t);
	agent_id = fixture_agent(&w.f, "a").id;
	noted = put(&w, "noted");
	discarded = put(&w, "discarded");
	hours_pass(&w, 1);
	sweep(&w);
	hours_pass(&w, 20);
	name_in_store(&w, agent_id, &noted);
	sweep(&w); /* its time is forgotten */
	hours_pass(&w, 5);
	sweep(&w);
	CHECK_INT(t, w.sum.discarded, 1);
	CHECK(t, in_place(&w, &noted) && !in_place(&w, &discarded));
	name_in_store(&w, agent_id, &discarded); /* as after a database was put back */
	hours_pass(&w, 100);
	sweep(&w);
	CHECK_INT(t, w.sum.recalled, 1);
	CHECK(t, in_place(&w, &discarded));
	world_fini(&w);
}

static void test_share(struct kb_test *t)
{
	enum { BLOBS = 40 };
	struct world w;

	world_init(&w, t);
	w.limits.least = 5;
	for (int i = 0; i < BLOBS; i++) {
		char text[32];

		snprintf(text, sizeof(text), "blob %d", i);
		put(&w, text);
	}
	hours_pass(&w, 1);
	sweep(&w);
	hours_pass(&w, 25);
	for (int left = BLOBS; left > 0;) {
		int ended = KB_MIN(left, KB_MAX(5, left / 4));

		sweep(&w);
		CHECK_INT(t, w.sum.blobs, left);
		CHECK_INT(t, w.sum.discarded, ended);
		left -= ended;
		CHECK_INT(t, w.sum.left, left);
	}
	CHECK(t, kb_sweep_is_much(&w.limits, 40, 11) && !kb_sweep_is_much(&w.limits, 40, 10));
	CHECK(t, kb_sweep_is_much(&w.limits, 6, 6) && !kb_sweep_is_much(&w.limits, 5, 5));
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
	enum { BLOBS = 10 };
	static const struct {
		const char *name;
		int times, hours, discarded, removed;
	} rows[] = {
		{ "while it looks", 3, 0, 0, 0 },
		{ "while it puts into the trash", BLOBS + 4, 0, 3, 0 },
		{ "while it empties the trash", 4, 200, 0, 3 },
	};
	struct world w;

	world_init(&w, t);
	for (int i = 0; i < BLOBS; i++)
		put(&w, (char[]){ (char)('a' + i), '\0' });
	hours_pass(&w, 1);
	sweep(&w);
	hours_pass(&w, 25);
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		int times = rows[i].times;
		struct kb_cancel cancel = { is_enough, &times };

		t->row = rows[i].name;
		if (rows[i].hours) {
			w.limits.cancel = NULL;
			sweep(&w);
			hours_pass(&w, rows[i].hours);
		}
		w.limits.cancel = &cancel;
		CHECK(t, !kb_sweep_blobs(w.f.store, w.blobs, &w.limits, &w.sum, &w.f.err));
		CHECK_INT(t, w.f.err.code, KB_E_CANCELLED);
		CHECK_INT(t, w.sum.discarded, rows[i].discarded);
		CHECK_INT(t, w.sum.removed, rows[i].removed);
	}
	t->row = NULL;
	w.limits.cancel = NULL;
	sweep(&w);
	CHECK_INT(t, w.sum.removed, BLOBS - 3);
	world_fini(&w);
}

static void test_turns(struct kb_test *t)
{
	int64_t one, two;
	struct world w;

	world_init(&w, t);
	CHECK(t,
	      kb_store_upkeep_take(w.f.store, "sweep", KB_SECOND_US, &one, &w.f.err) && one == 1);
	CHECK(t, kb_store_upkeep_take(w.f.store, "sweep", KB_SECOND_US, &two, &w.f.err) && !two);
	kb_clock_advance(&w.f.clock, 2 * KB_SECOND_US); /* who had it has died */
	CHECK(t,
	      kb_store_upkeep_take(w.f.store, "sweep", KB_SECOND_US, &two, &w.f.err) && two == 2);
	CHECK(t, kb_store_upkeep_done(w.f.store, "sweep", one, 0, &w.f.err)); /* or not: too late */
	CHECK(t, kb_store_upkeep_take(w.f.store, "sweep", KB_SECOND_US, &one, &w.f.err) && !one);
	CHECK(t, kb_store_upkeep_done(w.f.store, "sweep", two, 0, &w.f.err));
	CHECK(t,
	      kb_store_upkeep_take(w.f.store, "sweep", KB_SECOND_US, &one, &w.f.err) && one == 3);
	world_fini(&w);
}

/* ---- belonging together ---- */

/* What stands where, before a start. */
enum { NONE, OURS, THEIRS };
enum { NO_BLOBS, NAMED, HALF_NAMED, UNNAMED };

static void test_join(struct kb_test *t)
{
	static const struct {
		const char *name;
		int store, blobs; /* the marks */
		int there;
		bool names, bound, joins;
		const char *why;
	} rows[] = {
		{ "both new", NONE, NONE, NO_BLOBS, false, false, true, "" },
		{ "both from before there were marks", NONE, NONE, NAMED, true, false, true, "" },
		{ "the same, and most blobs are somewhere else", NONE, NONE, HALF_NAMED, true,
		  false, false, "2 are not in" },
		{ "a new store beside blobs of somebody", NONE, NONE, UNNAMED, false, false, false,
		  "there are blobs in" },
		{ "a new store beside blobs with a mark", NONE, THEIRS, UNNAMED, false, false,
		  false, "another installation" },
		{ "a new store beside another's empty blobs", NONE, THEIRS, NO_BLOBS, false, false,
		  false, "another installation" },
		{ "an old store beside marked blobs", NONE, OURS, NAMED, true, false, false,
		  "docent adopt" },
		{ "the same mark", OURS, OURS, NAMED, true, true, true, "" },
		{ "the same mark, all blobs deleted", OURS, OURS, NO_BLOBS, false, true, true, "" },
		{ "a first start that ended between the two", OURS, NONE, NAMED, true, false, true,
		  "" },
		{ "the same of a new installation", OURS, NONE, NO_BLOBS, false, false, true, "" },
		{ "the same, a moment later", OURS, OURS, NO_BLOBS, false, false, true, "" },
		{ "two marks", OURS, THEIRS, NAMED, true, true, false, "another installation" },
		{ "blobs that are not mounted", OURS, NONE, NO_BLOBS, true, true, false,
		  "is empty" },
		{ "a lost mark", OURS, NONE, NAMED, true, true, false, "lost the mark" },
		{ "a lost mark beside nothing", OURS, NONE, NO_BLOBS, false, true, true, "" },
	};
	static const char *const marks[] = { "", "0123456789abcdef0123456789abcdef",
		                             "ffffffffffffffffffffffffffffffff" };

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_installation mark = { .bound = rows[i].bound }, after;
		struct kb_blob_name absent = { "" };
		struct kb_installed in;
		char beside[KB_BLOB_MARK];
		struct world w;
		int64_t agent_id;

		t->row = rows[i].name;
		world_init(&w, t);
		in = (struct kb_installed){ w.f.store, w.blobs, w.f.dir, w.blob_dir };
		agent_id = fixture_agent(&w.f, "a").id;
		if (rows[i].store) {
			snprintf(mark.mark, sizeof(mark.mark), "%s", marks[rows[i].store]);
			NEED(&w.f, kb_store_installation_set(w.f.store, &mark, &w.f.err));
		}
		if (rows[i].blobs)
			NEED(&w.f, kb_blobs_set_mark(w.blobs, marks[rows[i].blobs], &w.f.err));
		memset(absent.hex, 'a', sizeof(absent.hex) - 1);
		if (rows[i].there == NAMED || rows[i].there == HALF_NAMED) {
			struct kb_blob_name name = put(&w, "text");

			name_in_store(&w, agent_id, &name);
		} else if (rows[i].there == UNNAMED) {
			put(&w, "text");
		}
		if (rows[i].names && rows[i].there != NAMED)
			name_in_store(&w, agent_id, &absent);
		absent.hex[0] = 'b';
		if (rows[i].there == HALF_NAMED)
			name_in_store(&w, agent_id, &absent);

		CHECK_INT(t, kb_installation_join(&in, &w.f.err), rows[i].joins);
		if (!rows[i].joins)
			CHECK(t, w.f.err.code == KB_E_CONFLICT && strstr(w.f.err.msg, rows[i].why));
		NEED(&w.f, kb_store_installation(w.f.store, &after, &w.f.err));
		NEED(&w.f, kb_blobs_mark(w.blobs, beside, &w.f.err));
		if (rows[i].joins) {
			CHECK(t, after.bound && after.mark[0] && strcmp(after.mark, beside) == 0);
			CHECK(t, !rows[i].store || strcmp(after.mark, mark.mark) == 0);
			CHECK(t, kb_installation_join(&in, &w.f.err));
		} else {
			CHECK_SV(t, kb_sv_str(after.mark), marks[rows[i].store]);
			CHECK_SV(t, kb_sv_str(beside), marks[rows[i].blobs]);
		}
		world_fini(&w);
	}
	t->row = NULL;
}

static void test_begin(struct kb_test *t)
{
	struct kb_installed in = { .store_at = "the store" };
	struct world w;

	world_init(&w, t);
	in.blobs = w.blobs;
	in.blobs_at = w.blob_dir;
	CHECK(t, kb_installation_begin(&in, &w.f.err));
	put(&w, "text");
	CHECK(t, !kb_installation_begin(&in, &w.f.err));
	CHECK(t, strstr(w.f.err.msg, "the store holds no database, but the blobs in"));
	world_fini(&w);
	world_init(&w, t);
	in.blobs = w.blobs;
	NEED(&w.f, kb_blobs_set_mark(w.blobs, "0123456789abcdef0123456789abcdef", &w.f.err));
	CHECK(t, !kb_installation_begin(&in, &w.f.err));
	world_fini(&w);
}

static void test_adopt(struct kb_test *t)
{
	struct kb_installed in;
	struct kb_adopted sum;
	struct kb_blob_name name;
	char before[KB_BLOB_MARK], after[KB_BLOB_MARK];
	struct world w;
	int64_t agent_id;
	bool done;

	world_init(&w, t);
	in = (struct kb_installed){ w.f.store, w.blobs, w.f.dir, w.blob_dir };
	agent_id = fixture_agent(&w.f, "a").id;
	NEED(&w.f, kb_blobs_set_mark(w.blobs, "0123456789abcdef0123456789abcdef", &w.f.err));
	name = put(&w, "text");
	CHECK(t, !kb_installation_adopt(&in, false, &sum, &w.f.err));
	CHECK(t, strstr(w.f.err.msg, "names none of the 1 blobs"));
	CHECK(t, !kb_installation_join(&in, &w.f.err));
	name_in_store(&w, agent_id, &name);
	NEED(&w.f, kb_blob_discard(w.blobs, name.hex, 0, &done, &w.f.err));
	CHECK(t, kb_installation_adopt(&in, false, &sum, &w.f.err));
	CHECK(t, sum.named == 1 && sum.missing == 0 && sum.blobs == 1);
	CHECK(t, in_place(&w, &name));
	CHECK(t, kb_installation_join(&in, &w.f.err));
	/* Whoever used these blobs before does so no longer. */
	CHECK(t, kb_blobs_mark(w.blobs, before, &w.f.err));
	CHECK(t, strcmp(before, "0123456789abcdef0123456789abcdef") != 0);
	CHECK(t, kb_installation_adopt(&in, false, &sum, &w.f.err));
	CHECK(t, kb_blobs_mark(w.blobs, after, &w.f.err) && strcmp(before, after) != 0);
	world_fini(&w);

	world_init(&w, t);
	in = (struct kb_installed){ w.f.store, w.blobs, w.f.dir, w.blob_dir };
	put(&w, "text");
	CHECK(t, kb_installation_adopt(&in, true, &sum, &w.f.err));
	CHECK(t, sum.named == 0 && sum.blobs == 1 && kb_installation_join(&in, &w.f.err));
	world_fini(&w);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what no row names ends slowly", test_slowly },
		{ "what is named again stays, or comes back", test_named_again },
		{ "a sweep ends no more than a share", test_share },
		{ "a stop ends it before the next blob", test_cancelled },
		{ "one at a time sweeps", test_turns },
		{ "a server starts with a store and blobs that belong together", test_join },
		{ "no store is made beside blobs", test_begin },
		{ "the operator may say that they belong together", test_adopt },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
