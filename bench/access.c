/* What label filters cost: making the access table of an index version, judging a filter, asking
 * for documents; where each is by itself, and where they are in containers of a source that carry
 * labels too. access [DOCUMENTS]; prints medians of REPEATS runs. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"
#include "live/access.h"

enum { LABELS = 200, GROUPS = 10, PER_GROUP = 50, REPEATS = 31, IN_CONTAINER = 100 };

struct world {
	struct kb_arena arena;
	struct kb_index_state state;
	struct kb_label_filter filter;
	int64_t documents;
};

static uint64_t draw(uint64_t *seed, uint64_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*seed >> 33) % below;
}

/* Every document has one to five labels of 200; the filter is as large as it may be. */
static void make(struct world *world)
{
	struct kb_index_state *state = &world->state;
	struct kb_label_group *groups = KB_NEW_ARRAY(&world->arena, GROUPS, struct kb_label_group);
	uint64_t seed = 1;

	state->labels = KB_NEW_ARRAY(&world->arena, LABELS, struct kb_label_row);
	state->page_labels =
	        KB_NEW_ARRAY(&world->arena, (size_t)world->documents * 5, struct kb_page_label_row);
	for (int64_t id = 1; id <= LABELS; id++)
		state->labels[state->label_count++] =
		        (struct kb_label_row){ id, kb_arena_printf(&world->arena, "label %" PRId64,
			                                           id) };
	for (int64_t page = 1; page <= world->documents; page++) {
		int64_t step = 1 + (int64_t)draw(&seed, LABELS / 5),
		        n = 1 + (int64_t)draw(&seed, 5);

		for (int64_t i = 1; i <= n; i++)
			state->page_labels[state->page_label_count++] =
			        (struct kb_page_label_row){ page, i * step };
	}
	for (size_t i = 0; i < GROUPS; i++) {
		struct kb_label_ref *refs =
		        KB_NEW_ARRAY(&world->arena, PER_GROUP, struct kb_label_ref);

		for (size_t j = 0; j < PER_GROUP; j++)
			refs[j].name = kb_arena_printf(&world->arena, "label %" PRIu64,
			                               1 + draw(&seed, LABELS));
		groups[i] = (struct kb_label_group){ refs, PER_GROUP };
	}
	world->filter = (struct kb_label_filter){ groups, GROUPS, false };
}

/* Each hundredth document is the container of those behind it, and all are of one source. */
static void make_keepers(struct world *world)
{
	struct kb_index_state *state = &world->state;
	struct kb_arena *arena = &world->arena;

	state->source_labels = KB_NEW(arena, struct kb_source_label_row);
	*state->source_labels = (struct kb_source_label_row){ 1, 1 };
	state->source_label_count = 1;
	state->keepers = KB_NEW_ARRAY(arena, (size_t)world->documents * 2, struct kb_keeper_row);
	for (int64_t page = 1; page <= world->documents; page++) {
		int64_t container = page - (page - 1) % IN_CONTAINER;

		state->keepers[state->keeper_count++] = (struct kb_keeper_row){ page, 1, true };
		if (container != page)
			state->keepers[state->keeper_count++] =
			        (struct kb_keeper_row){ page, container, false };
	}
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t median(int64_t *times)
{
	qsort(times, REPEATS, sizeof(*times), by_size);
	return times[REPEATS / 2];
}

static void measure(const struct world *world, const char *what)
{
	int64_t build[REPEATS], judge[REPEATS], ask[REPEATS], open = 0;

	for (int i = 0; i < REPEATS; i++) {
		struct kb_arena arena = { 0 };
		struct kb_access *access;
		struct kb_pass pass;
		int64_t t0 = kb_clock_mono_us(), t1, t2;

		access = kb_access_new(&world->state);
		t1 = kb_clock_mono_us();
		kb_pass_init(&pass, access, &arena, &world->filter);
		t2 = kb_clock_mono_us();
		open = 0;
		for (int64_t page = 1; page <= world->documents; page++)
			open += kb_pass_allows(&pass, page);
		build[i] = t1 - t0;
		judge[i] = t2 - t1;
		ask[i] = kb_clock_mono_us() - t2;
		kb_access_release(access);
		kb_arena_fini(&arena);
	}
	printf("%" PRId64 " documents %s, %d labels, a filter of %d: table %" PRId64
	       " us, filter %" PRId64 " us, all documents %" PRId64 " us (%.1f ns each), %" PRId64
	       " open\n",
	       world->documents, what, LABELS, GROUPS * PER_GROUP, median(build), median(judge),
	       median(ask), (double)median(ask) * 1000 / (double)world->documents, open);
}

int main(int argc, char **argv)
{
	struct world world = { .documents = 10000 };

	kb_crypto_init();
	if (argc > 1 && !kb_sv_to_int(kb_sv_str(argv[1]), 1, 10000000, &world.documents))
		return 2;
	make(&world);
	measure(&world, "by themselves");
	make_keepers(&world);
	measure(&world, "in containers");
	kb_arena_fini(&world.arena);
	return 0;
}
