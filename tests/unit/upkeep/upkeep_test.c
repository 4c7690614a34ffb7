/* The threads of upkeep, by a clock that is moved: no hour is waited for. */
#include "upkeep/upkeep.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "../s3_double.h"
#include "../store/fixture.h"
#include "upkeep/sweep_bucket.h"

enum { HOUR_S = 3600, DAY_S = 24 * HOUR_S };

struct world {
	struct fixture f;
	char blob_dir[80];
	struct kb_blobs *blobs;
	struct kb_catalog *catalog;
	struct kb_upkeep *upkeep;
};

/* Conversations are kept for three days. */
static bool keep_days(void *arg, const struct kb_agent *agent, int64_t *days, struct kb_err *err)
{
	(void)arg;
	(void)agent;
	(void)err;
	*days = 3;
	return true;
}

/* bucket: NULL for a directory. */
static void world_init(struct world *w, struct kb_test *t, const char *bucket)
{
	const struct kb_blobs_bucket config = { .options = { .where = bucket,
		                                             .endpoint = kb_double.url,
		                                             .key_id = "TESTKEY",
		                                             .secret = "testsecret" } };

	fixture_init(&w->f, t);
	snprintf(w->blob_dir, sizeof(w->blob_dir), "%s-blobs", w->f.dir);
	w->blobs = bucket ? kb_blobs_open_bucket(&config, &w->f.err)
	                  : kb_blobs_open(w->blob_dir, &w->f.err);
	NEED(&w->f, w->blobs);
	kb_sweep_keep_ledger(w->blobs, w->f.store);
	w->catalog = kb_catalog_open(
	        w->f.store, w->blobs,
	        &(struct kb_catalog_limits){ .agents = 8, .heap_bytes = INT64_MAX }, NULL);
}

static void world_fini(struct world *w)
{
	char command[128];

	kb_upkeep_stop(w->upkeep);
	kb_catalog_close(w->catalog);
	kb_blobs_close(w->blobs);
	fixture_fini(&w->f);
	snprintf(command, sizeof(command), "rm -rf '%s'", w->blob_dir);
	CHECK(w->f.t, system(command) == 0);
}

static void start(struct world *w)
{
	struct kb_upkeep_config config = { .store = w->f.store,
		                           .blobs = w->blobs,
		                           .catalog = w->catalog,
		                           .clock = &w->f.clock,
		                           .temp_dir = w->blob_dir,
		                           .keep_days = keep_days,
		                           .sweep = kb_sweep_usual() };

	config.sweep.first_s = HOUR_S;
	w->upkeep = kb_upkeep_start(&config);
}

/* The clock goes on, and who waits looks at it. */
static void pass(struct world *w, int64_t seconds)
{
	kb_clock_advance(&w->f.clock, seconds * KB_SECOND_US);
	kb_upkeep_wake(w->upkeep);
}

/* What upkeep has done once so many messages are purged, which is the last thing of a round. A
 * round that never comes is the runner's to end. */
static struct kb_upkeep_stats stats_at(struct world *w, int64_t purged)
{
	struct kb_upkeep_stats stats;

	do {
		usleep(200);
		kb_upkeep_stats(w->upkeep, &stats);
	} while (stats.purged_messages < purged);
	return stats;
}

/* A blob that nobody names, five days old. */
static void stray(struct world *w)
{
	struct kb_blob_name name;
	char path[200];
	struct stat st;

	NEED(&w->f, kb_blob_put(w->blobs, KB_SV("stray"), &name, &w->f.err));
	snprintf(path, sizeof(path), "%s/%.2s/%.2s/%s", w->blob_dir, name.hex, name.hex + 2,
	         name.hex);
	if (stat(path, &st) != 0)
		abort();
	st.st_mtim.tv_sec -= 5 * DAY_S;
	if (utimensat(AT_FDCWD, path, (struct timespec[]){ st.st_mtim, st.st_mtim }, 0) != 0)
		abort();
}

static void test_calendar(struct kb_test *t)
{
	struct kb_upkeep_stats stats;
	struct world w;
	int64_t agent_id;

	world_init(&w, t, NULL);
	agent_id = fixture_agent(&w.f, "a").id;
	stray(&w);
	fixture_say_to(&w.f, agent_id, "one", "q");
	kb_clock_advance(&w.f.clock, 4 * DAY_S * KB_SECOND_US);
	fixture_say_to(&w.f, agent_id, "two", "q");

	t->row = "the first round purges, and does not sweep before its time";
	start(&w);
	stats = stats_at(&w, 1);
	CHECK_INT(t, stats.purged_messages, 1);
	CHECK_INT(t, stats.unnamed, 0);

	t->row = "after days it has swept, and purged what is due by then";
	pass(&w, 4 * DAY_S);
	stats = stats_at(&w, 2);
	CHECK_INT(t, stats.purged_messages, 2);
	CHECK_INT(t, stats.unnamed, 1);
	CHECK_INT(t, stats.discarded, 0);

	t->row = "what has been unnamed for a day goes into the trash";
	fixture_say_to(&w.f, agent_id, "three", "q");
	pass(&w, 4 * DAY_S);
	stats = stats_at(&w, 3);
	CHECK_INT(t, stats.discarded, 1);
	CHECK_INT(t, stats.in_trash, 1);
	world_fini(&w);
}

static bool there(struct world *w, const struct kb_blob_name *name)
{
	struct kb_err err;
	int64_t size;

	return kb_blob_stat(w->blobs, name->hex, &size, &err);
}

/* Each removal takes a while, of one after another. */
static void test_stop(struct kb_test *t)
{
	enum { BLOBS = 100 };
	struct kb_blob_name names[BLOBS];
	struct kb_upkeep_stats stats;
	struct world w;
	int first = 0, left = 0;

	world_init(&w, t, "s3://slow/upkeep");
	for (int i = 0; i < BLOBS; i++) {
		char text[16];

		snprintf(text, sizeof(text), "stray %d", i);
		NEED(&w.f, kb_blob_put(w.blobs, kb_sv_str(text), &names[i], &w.f.err));
		if (strcmp(names[i].hex, names[first].hex) < 0)
			first = i;
	}
	start(&w);
	pass(&w, 4 * DAY_S);
	do {
		usleep(200);
		kb_upkeep_stats(w.upkeep, &stats);
	} while (stats.discarded < BLOBS);
	/* The next sweep is due by when the last one ended, which may be after its last mark. */
	while (there(&w, &names[first])) {
		pass(&w, 4 * DAY_S);
		usleep(200);
	}
	kb_upkeep_stop(w.upkeep);
	w.upkeep = NULL;
	for (int i = 0; i < BLOBS; i++)
		left += there(&w, &names[i]);
	CHECK(t, left > BLOBS / 2);
	world_fini(&w);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "the calendar of upkeep is that of the service's clock", test_calendar },
		{ "a stop does not wait for the sweep of a slow bucket", test_stop },
	};
	int code;

	if (!kb_double_start()) {
		printf("skipped: upkeep in a bucket: node is not installed\n0 passed, %d failed\n",
		       getenv("DOCENT_NO_SKIPS") ? 1 : 0);
		return getenv("DOCENT_NO_SKIPS") != NULL;
	}
	code = kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
	kb_double_stop();
	return code;
}
