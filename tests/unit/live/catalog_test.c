/* The catalog: agents open at their first question and close by least use; columns come along, are
 * merged, and may be damaged without anybody noticing but the log. */
#include <dirent.h>
#include <fcntl.h>

#include "../store/fixture.h"
#include "base/file.h"
#include "index/vectors.h"
#include "ingest/ingest.h"
#include "live/catalog.h"
#include "store/vectors.h"
#include "upkeep/merge.h"

enum { DIMS = 16, PASSAGES = 6 };

struct world {
	struct fixture f;
	char blob_dir[80], temp[112];
	struct kb_blobs *blobs;
	struct kb_catalog *catalog;
};

static void world_init(struct world *w, struct kb_test *t, size_t agents_max)
{
	fixture_init(&w->f, t);
	snprintf(w->blob_dir, sizeof(w->blob_dir), "%s-blobs", w->f.dir);
	snprintf(w->temp, sizeof(w->temp), "%s/new", w->blob_dir);
	w->blobs = kb_blobs_open(w->blob_dir, &w->f.err);
	NEED(&w->f, w->blobs);
	w->catalog = kb_catalog_open(
	        w->f.store, w->blobs,
	        &(struct kb_catalog_limits){ .agents = agents_max, .heap_bytes = INT64_MAX }, NULL);
}

static void world_fini(struct world *w)
{
	char command[128];

	kb_catalog_close(w->catalog);
	kb_blobs_close(w->blobs);
	fixture_fini(&w->f);
	snprintf(command, sizeof(command), "rm -rf '%s'", w->blob_dir);
	CHECK(w->f.t, system(command) == 0);
}

static bool merge(struct world *w, int64_t agent_id, bool *merged)
{
	struct kb_merge_places places = { .catalog = w->catalog,
		                          .store = w->f.store,
		                          .blobs = w->blobs,
		                          .temp_dir = w->blob_dir };

	return kb_merge_agent(&places, agent_id, NULL, merged, &w->f.err);
}

static struct kb_sv take(struct world *w, int64_t *bytes)
{
	struct kb_blob_name name;

	NEED(&w->f, kb_blob_take(w->blobs, w->temp, &name, bytes, &w->f.err));
	return kb_arena_sv(&w->f.arena, kb_sv_str(name.hex));
}

/* A segment of one page's passages, as a blob. */
static struct kb_segment_new make_segment(struct world *w, int64_t page_id)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_segment_new out = { .passages = PASSAGES, .pages = 1 };
	struct kb_segment_info info;

	for (uint32_t i = 0; i < PASSAGES; i++)
		kb_segment_writer_add(writer, &(struct kb_passage){ .page_id = page_id,
		                                                    .ordinal = i,
		                                                    .text = KB_SV("a passage") });
	NEED(&w->f, kb_segment_writer_finish(writer, w->temp, &info, &w->f.err));
	kb_segment_writer_free(writer);
	out.blob = take(w, &out.bytes);
	return out;
}

/* Passage i points where dimension (first + i) % DIMS does. */
static struct kb_vectors_new make_column(struct world *w, int64_t segment_id, uint32_t first)
{
	struct kb_vectors_writer *writer =
	        kb_vectors_writer_new(KB_SV("lsi"), KB_SV("m"), DIMS, PASSAGES);
	struct kb_vectors_new out = { .segment_id = segment_id,
		                      .name = KB_SV("lsi"),
		                      .model = KB_SV("m"),
		                      .filled = PASSAGES };

	for (uint32_t i = 0; i < PASSAGES; i++) {
		float v[DIMS] = { 0 };

		v[(first + i) % DIMS] = 1;
		kb_vectors_writer_set(writer, i, v);
	}
	NEED(&w->f, kb_vectors_writer_finish(writer, w->temp, &out.bytes, &w->f.err));
	kb_vectors_writer_free(writer);
	out.blob = take(w, &out.bytes);
	return out;
}

/* The agent's next page, indexed in this segment or, with `make`, in a new one. Gives the page's
 * id. */
static int64_t commit(struct world *w, int64_t agent_id, struct kb_segment_new *segment, bool make,
                      bool prepared)
{
	char path[160];
	struct kb_page_result result;
	struct kb_leases leases;

	fixture_pages(&w->f, agent_id, 1);
	NEED(&w->f,
	     kb_store_pages_lease(w->f.store, &w->f.arena,
	                          &(struct kb_lease_want){ .max = 1, .lease_us = KB_SECOND_US },
	                          &leases, &w->f.err));
	result = fixture_result(&leases.v[0]);
	if (make)
		*segment = make_segment(w, leases.v[0].page.id);
	if (prepared) {
		kb_catalog_prepare(w->catalog, agent_id, segment->blob);
		snprintf(path, sizeof(path), "%s/%.2s/%.2s/%.*s", w->blob_dir, segment->blob.p,
		         segment->blob.p + 2, KB_SV_ARG(segment->blob));
		NEED(&w->f, unlink(path) == 0);
	}
	NEED(&w->f, kb_store_pages_finish(w->f.store, agent_id, &result, 1, segment, &w->f.err));
	if (prepared)
		kb_catalog_refresh(w->catalog, agent_id, segment->blob);
	return leases.v[0].page.id;
}

/* Indexes one more page of the agent in a segment of its own; gives the segment's id. `prepared`:
 * as the ingest threads do it, and the segment's file goes away before anybody asks. */
static int64_t add(struct world *w, int64_t agent_id, bool prepared)
{
	struct kb_segment_new segment;
	struct kb_index_state state;

	commit(w, agent_id, &segment, true, prepared);
	NEED(&w->f, kb_store_index_state(w->f.store, &w->f.arena, agent_id, &state, &w->f.err));
	return state.segments[state.segment_count - 1].id;
}

static int64_t add_segment(struct world *w, int64_t agent_id)
{
	return add(w, agent_id, false);
}

static void get(struct world *w, int64_t agent_id, int64_t passages)
{
	struct kb_live live;

	CHECK(w->f.t, kb_catalog_get(w->catalog, agent_id, &live, &w->f.err));
	if (live.snapshot)
		CHECK_INT(w->f.t, kb_snapshot_passages(live.snapshot), passages);
	kb_live_release(&live);
}

static bool is_open(struct world *w, int64_t agent_id)
{
	struct kb_catalog_stats stats;

	return kb_catalog_agent_stats(w->catalog, agent_id, &stats);
}

static int entries_of(const char *path)
{
	DIR *dir = opendir(path);
	int count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

static int maps(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	int count = 0;

	for (int c; file && (c = getc(file)) != EOF;)
		count += c == '\n';
	if (file)
		fclose(file);
	return count;
}

static void test_prepared(struct kb_test *t)
{
	struct kb_catalog_stats stats;
	struct kb_index_state state;
	struct world w;
	int64_t id;

	world_init(&w, t, 3);
	id = fixture_agent(&w.f, "a").id;
	add_segment(&w, id);
	get(&w, id, PASSAGES);
	add(&w, id, true);
	CHECK(t, kb_catalog_agent_stats(w.catalog, id, &stats));
	CHECK_INT(t, stats.files, 2); /* before anybody asked */
	get(&w, id, 2 * PASSAGES);
	/* What is not open is not opened for it, and the missing files show. */
	kb_catalog_forget(w.catalog, id);
	add(&w, id, true);
	CHECK(t, !is_open(&w, id));
	get(&w, id, PASSAGES);
	CHECK(t, kb_store_index_state(w.f.store, &w.f.arena, id, &state, &w.f.err));
	CHECK(t, state.segment_count == 1 && state.damaged_count == 2);
	world_fini(&w);
}

static void test_least_use(struct kb_test *t)
{
	struct kb_catalog_stats stats, one;
	struct world w;
	int64_t ids[4];

	world_init(&w, t, 3);
	for (int i = 0; i < 4; i++) {
		ids[i] = fixture_agent(&w.f, "a").id;
		add_segment(&w, ids[i]);
	}
	for (int i = 0; i < 3; i++)
		get(&w, ids[i], PASSAGES);
	get(&w, ids[0], PASSAGES);
	get(&w, ids[3], PASSAGES);
	CHECK(t, is_open(&w, ids[0]) && !is_open(&w, ids[1]) && is_open(&w, ids[2]));
	get(&w, ids[1], PASSAGES);
	CHECK(t, is_open(&w, ids[0]) && is_open(&w, ids[1]) && !is_open(&w, ids[2]));
	kb_catalog_stats(w.catalog, &stats);
	CHECK_INT(t, stats.agents, 3);
	CHECK_INT(t, stats.files, 3);
	CHECK(t, kb_catalog_agent_stats(w.catalog, ids[1], &one));
	CHECK(t, one.agents == 1 && one.files == 1);
	CHECK(t, one.mapped_bytes > 0 && one.heap_bytes > 0);

	/* A new version takes the place of the old one. */
	add_segment(&w, ids[1]);
	get(&w, ids[1], 2 * PASSAGES);
	kb_catalog_stats(w.catalog, &stats);
	CHECK_INT(t, stats.agents, 3);
	CHECK_INT(t, stats.files, 4);
	for (int i = 0; i < 4; i++)
		kb_catalog_forget(w.catalog, ids[i]);
	kb_catalog_stats(w.catalog, &stats);
	CHECK(t, !stats.agents && !stats.files && !stats.mapped_bytes && !stats.heap_bytes);
	world_fini(&w);
}

static void test_memory(struct kb_test *t)
{
	enum { AGENTS = 6, ROOM = 3 };
	struct kb_catalog_stats one, stats;
	struct kb_catalog_limits limits = { .agents = AGENTS };
	int64_t ids[AGENTS], loads;
	struct world w;

	world_init(&w, t, AGENTS);
	for (int i = 0; i < AGENTS; i++) {
		ids[i] = fixture_agent(&w.f, "a").id;
		add_segment(&w, ids[i]);
	}
	get(&w, ids[0], PASSAGES);
	CHECK(t, kb_catalog_agent_stats(w.catalog, ids[0], &one));
	kb_catalog_close(w.catalog);

	limits.heap_bytes = ROOM * one.heap_bytes + one.heap_bytes / 2;
	w.catalog = kb_catalog_open(w.f.store, w.blobs, &limits, NULL);
	for (int i = 0; i < AGENTS; i++)
		get(&w, ids[i], PASSAGES);
	for (int i = 0; i < AGENTS; i++)
		CHECK_INT(t, is_open(&w, ids[i]), i >= AGENTS - ROOM);
	kb_catalog_stats(w.catalog, &stats);
	CHECK(t, stats.heap_bytes <= limits.heap_bytes);
	loads = stats.loads;
	get(&w, ids[0], PASSAGES); /* opened anew, and finds the same */
	kb_catalog_stats(w.catalog, &stats);
	CHECK_INT(t, stats.loads, loads + 1);
	CHECK_INT(t, stats.agents, ROOM);

	/* No room at all is room for one. */
	kb_catalog_close(w.catalog);
	limits.heap_bytes = 1;
	w.catalog = kb_catalog_open(w.f.store, w.blobs, &limits, NULL);
	get(&w, ids[0], PASSAGES);
	get(&w, ids[1], PASSAGES);
	CHECK(t, !is_open(&w, ids[0]) && is_open(&w, ids[1]));
	world_fini(&w);
}

static void test_many_agents(struct kb_test *t)
{
	enum { AGENTS = KB_TEST_UNDER_SANITIZER ? 200 : 2500, OPEN = 60 };
	static int64_t ids[AGENTS];
	struct kb_catalog_stats stats;
	int descriptors, before;
	struct world w;

	world_init(&w, t, OPEN);
	for (int i = 0; i < AGENTS; i++) {
		ids[i] = fixture_agent(&w.f, "a").id;
		add_segment(&w, ids[i]);
	}
	kb_catalog_stats(w.catalog, &stats);
	CHECK_INT(t, stats.agents, 0); /* nobody has asked yet */
	get(&w, ids[0], PASSAGES);
	descriptors = entries_of("/proc/self/fd");
	before = maps();
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < AGENTS; i++)
			get(&w, ids[(i * 7919) % AGENTS], PASSAGES);
	kb_catalog_stats(w.catalog, &stats);
	CHECK_INT(t, stats.agents, OPEN);
	CHECK_INT(t, stats.files, OPEN);
	CHECK_INT(t, entries_of("/proc/self/fd"), descriptors);
	CHECK(t, maps() <= before + 2 * OPEN);
	world_fini(&w);
}

static const struct kb_vectors *column_of(const struct kb_live *live, uint32_t part)
{
	return kb_snapshot_vectors(live->snapshot, part, KB_SV("lsi"), KB_SV("m"));
}

static void test_columns(struct kb_test *t)
{
	struct kb_vectors_new column;
	struct kb_index_state state;
	int64_t agent_id, segments[8];
	struct kb_catalog_stats stats;
	struct kb_live old, live;
	bool merged;
	struct world w;

	world_init(&w, t, 10);
	agent_id = fixture_agent(&w.f, "a").id;
	for (int i = 0; i < 8; i++)
		segments[i] = add_segment(&w, agent_id);
	CHECK(t, kb_catalog_get(w.catalog, agent_id, &old, &w.f.err));
	CHECK(t, !column_of(&old, 0));
	for (uint32_t i = 1; i < 8; i++) { /* the first has none yet */
		column = make_column(&w, segments[i], i);
		CHECK(t, kb_store_vectors_put(w.f.store, agent_id, &column, &w.f.err));
	}
	CHECK(t, kb_catalog_get(w.catalog, agent_id, &live, &w.f.err));
	CHECK(t, !column_of(&live, 0) && column_of(&live, 1) && column_of(&live, 7));
	CHECK(t, !column_of(&old, 1)); /* who asked before sees what was */
	kb_live_release(&old);
	kb_live_release(&live);
	CHECK(t, kb_catalog_agent_stats(w.catalog, agent_id, &stats));
	CHECK_INT(t, stats.files, 15);

	CHECK(t, merge(&w, agent_id, &merged));
	CHECK(t, merged);
	NEED(&w.f, kb_store_index_state(w.f.store, &w.f.arena, agent_id, &state, &w.f.err));
	CHECK_INT(t, state.segment_count, 1);
	CHECK_INT(t, state.vectors_count, 1);
	if (state.vectors_count == 1) {
		CHECK_INT(t, state.vectors[0].filled, 7 * PASSAGES);
		CHECK_INT(t, state.vectors[0].pending, PASSAGES);
	}
	CHECK(t, kb_catalog_get(w.catalog, agent_id, &live, &w.f.err));
	CHECK(t, column_of(&live, 0));
	if (column_of(&live, 0)) {
		float v[DIMS] = { [7] = 1 };
		struct kb_vector_query query = {
			.name = KB_SV("lsi"), .model = KB_SV("m"), .v = v, .dims = DIMS, .limit = 20
		};
		struct kb_hit *hits;
		size_t count, right = 0;

		kb_vector_search(live.snapshot, &w.f.arena, &query, &hits, &count);
		for (size_t i = 0; i < count; i++)
			right += hits[i].score > .99f;
		/* Passage 7 - first of the columns 2 to 7. */
		CHECK_INT(t, right, 6);
	}
	kb_live_release(&live);
	world_fini(&w);
}

/*
 * One document after another is committed to an agent that has many already, a third of them is
 * deleted again, and segments are merged as soon as there are eight. Few segments stay, and what
 * was there before is not written again all the time.
 */
static void test_small_commits(struct kb_test *t)
{
	enum {
		COMMITS = KB_TEST_UNDER_SANITIZER ? 150 : 400,
		BASE = KB_TEST_UNDER_SANITIZER ? 20000 : 60000,
		SEGMENTS = 8,
		TIMES = 30,
	};
	int64_t written = 0, highest = 0, alive = 0, large = 0;
	const struct kb_segment_row *last;
	struct kb_live live;
	bool merged;
	struct kb_segment_new big;
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_segment_info info;
	struct kb_index_state state;
	int64_t agent_id, pages[COMMITS];
	struct world w;

	world_init(&w, t, 3);
	agent_id = fixture_agent(&w.f, "a").id;
	big = (struct kb_segment_new){ .passages = BASE, .pages = 1 };
	for (uint32_t i = 0; i < BASE; i++) {
		char text[64];

		snprintf(text, sizeof(text), "passage %u speaks of thing%u", i, i * 7919 % BASE);
		kb_segment_writer_add(writer,
		                      &(struct kb_passage){ .page_id = 1, /* the store's first */
		                                            .ordinal = i,
		                                            .text = kb_sv_str(text) });
	}
	NEED(&w.f, kb_segment_writer_finish(writer, w.temp, &info, &w.f.err));
	kb_segment_writer_free(writer);
	big.blob = take(&w, &big.bytes);
	CHECK_INT(t, commit(&w, agent_id, &big, false, false), 1);
	for (int i = 0; i < COMMITS; i++) {
		struct kb_segment_new segment;

		kb_arena_reset(&w.f.arena);
		pages[i] = commit(&w, agent_id, &segment, true, false);
		alive += PASSAGES;
		if (i % 3 == 2) {
			CHECK(t, kb_store_page_delete(w.f.store, agent_id, pages[i - 1], &w.f.err));
			alive -= PASSAGES;
		}
		NEED(&w.f, kb_store_index_state(w.f.store, &w.f.arena, agent_id, &state, &w.f.err));
		if (state.segment_count >= SEGMENTS) {
			CHECK(t, merge(&w, agent_id, &merged));
			CHECK(t, merged);
			NEED(&w.f, kb_store_index_state(w.f.store, &w.f.arena, agent_id, &state,
			                                &w.f.err));
			last = &state.segments[state.segment_count - 1];
			if (last->passages >= BASE)
				large++;
			else
				written += last->passages;
		}
		highest = KB_MAX(highest, (int64_t)state.segment_count);
	}
	CHECK(t, highest < SEGMENTS);
	CHECK(t, written < (int64_t)TIMES * COMMITS * PASSAGES);
	CHECK(t, large <= 2);
	if (getenv("KB_SHOW"))
		printf("%d commits: at most %" PRId64 " segments; %.1f passages written for one "
		       "added, %" PRId64 " times the large segment\n",
		       COMMITS, highest, (double)written / COMMITS / PASSAGES, large);
	get(&w, agent_id, alive + BASE);

	/* What is mostly dead does not rest. */
	CHECK(t, kb_store_page_delete(w.f.store, agent_id, 1, &w.f.err));
	for (size_t segments = state.segment_count; segments < SEGMENTS; segments++) {
		struct kb_segment_new segment;

		commit(&w, agent_id, &segment, true, false);
		alive += PASSAGES;
	}
	CHECK(t, merge(&w, agent_id, &merged));
	CHECK(t, kb_catalog_get(w.catalog, agent_id, &live, &w.f.err));
	if (live.snapshot)
		CHECK_INT(t, kb_snapshot_counted(live.snapshot), alive);
	kb_live_release(&live);
	world_fini(&w);
}

/* Overwrites a byte of the blob's file. */
static void damage(struct world *w, struct kb_sv blob, off_t at)
{
	char path[256], byte = 0x55;
	int fd;

	snprintf(path, sizeof(path), "%s/%.2s/%.2s/%.*s", w->blob_dir, blob.p, blob.p + 2,
	         KB_SV_ARG(blob));
	fd = open(path, O_RDWR | O_CLOEXEC);
	CHECK(w->f.t, fd >= 0 && pwrite(fd, &byte, 1, at) == 1);
	kb_fd_close(&fd);
}

static void test_damage(struct kb_test *t)
{
	struct kb_vectors_missing *missing;
	struct kb_vectors_want want = { .name = KB_SV("lsi"), .model = KB_SV("m"), .limit = 10 };
	struct kb_vectors_new column, again;
	struct kb_live live;
	int64_t agent_id, segment;
	struct world w;
	size_t count;

	world_init(&w, t, 10);
	agent_id = fixture_agent(&w.f, "a").id;
	segment = add_segment(&w, agent_id);
	column = make_column(&w, segment, 0);
	CHECK(t, kb_store_vectors_put(w.f.store, agent_id, &column, &w.f.err));
	damage(&w, column.blob, column.bytes * 3 / 4); /* in the rows */
	CHECK(t, kb_catalog_get(w.catalog, agent_id, &live, &w.f.err));
	CHECK_INT(t, kb_snapshot_passages(live.snapshot), PASSAGES);
	CHECK(t, !column_of(&live, 0));
	kb_live_release(&live);
	NEED(&w.f,
	     kb_store_vectors_missing(w.f.store, &w.f.arena, &want, &missing, &count, &w.f.err));
	CHECK_INT(t, count, 1);

	/* Made again, it has the same name and is whole. */
	again = make_column(&w, segment, 0);
	CHECK(t, kb_sv_eq(again.blob, column.blob));
	CHECK(t, kb_store_vectors_put(w.f.store, agent_id, &again, &w.f.err));
	CHECK(t, kb_catalog_get(w.catalog, agent_id, &live, &w.f.err));
	CHECK(t, column_of(&live, 0));
	kb_live_release(&live);
	world_fini(&w);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a prepared version is open before anybody asks", test_prepared },
		{ "the agent that was not used for longest is closed", test_least_use },
		{ "agents close where their memory passes its limit", test_memory },
		{ "thousands of agents open and close without leaving anything", test_many_agents },
		{ "columns come with a new version and through a merge", test_columns },
		{ "small commits leave few segments and let the large ones rest",
		  test_small_commits },
		{ "a damaged column is forgotten and can be made again", test_damage },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
