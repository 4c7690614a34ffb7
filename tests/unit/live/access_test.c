/* The access table against a naive one, over random labels, documents and filters. */
#include "live/access.h"

#include <stdlib.h>

#include "test.h"

enum { LABELS = 12, PAGES = 300, SOURCES = 4, ROUNDS = 300, FIRST_PAGE = 1000, FIRST_SOURCE = 7 };

struct world {
	struct kb_arena arena;
	uint64_t seed;
	bool living[LABELS + 1];                   /* by label id, from 1 */
	uint32_t carried[PAGES], sources[SOURCES]; /* a bit a label id */
	int parent[PAGES], source[PAGES];          /* -1: none; a page's parent comes before it */
	struct kb_index_state state;
};

static uint64_t draw(struct world *world, uint64_t below)
{
	world->seed = world->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (world->seed >> 33) % below;
}

static uint32_t some_labels(struct world *world)
{
	return (uint32_t)(draw(world, 3) ? draw(world, 1 << 12) & draw(world, 1 << 12) : 0) << 1;
}

/* What the store says of who keeps whom: those that carry labels, all the way up. */
static void make_keepers(struct world *world)
{
	struct kb_index_state *state = &world->state;

	state->keepers = KB_NEW_ARRAY(&world->arena, PAGES * (PAGES + 1), struct kb_keeper_row);
	for (int i = 0; i < PAGES; i++) {
		for (int up = world->parent[i]; up >= 0; up = world->parent[up])
			if (world->carried[up])
				state->keepers[state->keeper_count++] =
				        (struct kb_keeper_row){ FIRST_PAGE + 3 * i,
					                        FIRST_PAGE + 3 * up, false };
		if (world->source[i] >= 0 && world->sources[world->source[i]])
			state->keepers[state->keeper_count++] =
			        (struct kb_keeper_row){ FIRST_PAGE + 3 * i,
				                        FIRST_SOURCE + world->source[i], true };
	}
}

static void make_world(struct world *world)
{
	struct kb_index_state *state = &world->state;
	bool has_sources = draw(world, 2), has_parts = draw(world, 2);

	state->labels = KB_NEW_ARRAY(&world->arena, LABELS, struct kb_label_row);
	state->page_labels = KB_NEW_ARRAY(&world->arena, PAGES * LABELS, struct kb_page_label_row);
	for (int64_t id = 1; id <= LABELS; id++) {
		world->living[id] = draw(world, 4) > 0;
		if (world->living[id])
			state->labels[state->label_count++] = (struct kb_label_row){
				id, kb_arena_printf(&world->arena, "label %" PRId64, id * 7 % 13)
			};
	}
	for (int i = 0; i < PAGES; i++) {
		uint32_t some = some_labels(world);

		world->carried[i] = some;
		world->parent[i] =
		        has_parts && i && draw(world, 2) ? (int)draw(world, (uint64_t)i) : -1;
		world->source[i] = has_sources ? (int)draw(world, SOURCES) : -1;
		for (int64_t id = 1; id <= LABELS; id++)
			if (some >> id & 1)
				state->page_labels[state->page_label_count++] =
				        (struct kb_page_label_row){ FIRST_PAGE + 3 * i, id };
	}
	state->source_labels =
	        KB_NEW_ARRAY(&world->arena, SOURCES * LABELS, struct kb_source_label_row);
	for (int i = 0; i < SOURCES; i++) {
		world->sources[i] = some_labels(world);
		for (int64_t id = 1; id <= LABELS; id++)
			if (world->sources[i] >> id & 1)
				state->source_labels[state->source_label_count++] =
				        (struct kb_source_label_row){ FIRST_SOURCE + i, id };
	}
	make_keepers(world);
}

/* Ids and names, of living, deleted and unknown labels. */
static void make_filter(struct world *world, struct kb_label_filter *filter)
{
	size_t count = draw(world, 4);
	struct kb_label_group *groups = KB_NEW_ARRAY(&world->arena, count, struct kb_label_group);

	for (size_t i = 0; i < count; i++) {
		size_t n = draw(world, 5);
		struct kb_label_ref *refs = KB_NEW_ARRAY(&world->arena, n, struct kb_label_ref);

		for (size_t j = 0; j < n; j++) {
			int64_t id = (int64_t)draw(world, LABELS + 3);

			refs[j].id = id;
			if (draw(world, 2)) {
				refs[j].id = 0;
				refs[j].name = kb_arena_printf(&world->arena, "label %" PRId64,
				                               id * 7 % 13);
			}
		}
		groups[i] = (struct kb_label_group){ refs, n };
	}
	*filter = (struct kb_label_filter){ groups, count, draw(world, 2) };
}

static bool names(const struct world *world, const struct kb_label_ref *ref, int64_t id)
{
	if (!world->living[id])
		return false;
	if (ref->id)
		return ref->id == id;
	for (size_t i = 0; i < world->state.label_count; i++)
		if (world->state.labels[i].id == id)
			return kb_sv_eq(world->state.labels[i].key, ref->name);
	return false;
}

/* The rule as it is told: of one that carries labels. */
static bool opens(const struct world *world, const struct kb_label_filter *filter, uint32_t carried)
{
	for (size_t i = 0; i < filter->group_count; i++) {
		bool met = false;

		for (size_t j = 0; j < filter->groups[i].count; j++)
			for (int64_t id = 1; id <= LABELS; id++)
				met = met
				      || ((carried >> id & 1)
				          && names(world, &filter->groups[i].v[j], id));
		if (!met)
			return false;
	}
	return filter->group_count > 0;
}

/* Its own labels, those of what it is in, and of its source. */
static bool expected(const struct world *world, const struct kb_label_filter *filter, int page)
{
	uint32_t source = world->source[page] < 0 ? 0 : world->sources[world->source[page]];
	bool labelled = source, open = !source || opens(world, filter, source);

	for (int up = page; up >= 0; up = world->parent[up]) {
		labelled = labelled || world->carried[up];
		open = open && (!world->carried[up] || opens(world, filter, world->carried[up]));
	}
	return labelled ? open : !filter->exclusive;
}

static void test_naive(struct kb_test *t)
{
	int64_t opened = 0, closed = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct world world = { .seed = (uint64_t)round + 1 };
		struct kb_label_filter filter;
		struct kb_access *access;
		struct kb_pass pass;
		bool all = true;

		make_world(&world);
		make_filter(&world, &filter);
		access = kb_access_new(&world.state);
		kb_pass_init(&pass, access, &world.arena, &filter);
		for (int i = 0; i < PAGES; i++) {
			bool want = expected(&world, &filter, i);

			CHECK(t, kb_pass_allows(&pass, FIRST_PAGE + 3 * i) == want);
			all = all && want;
			opened += world.carried[i] && want;
			closed += !want;
		}
		/* A document that the table has never heard of has no labels. */
		CHECK(t, kb_pass_allows(&pass, 5) == !filter.exclusive);
		CHECK(t, !pass.all_open || (all && !filter.exclusive));
		kb_access_release(access);
		kb_arena_fini(&world.arena);
	}
	CHECK(t, opened > 1000 && closed > 1000);
}

static void test_nothing(struct kb_test *t)
{
	static const struct kb_label_filter open = { 0 }, exclusive = { .exclusive = true };
	struct kb_access *access = kb_access_new(&(struct kb_index_state){ 0 });
	struct kb_arena arena = { 0 };
	struct kb_pass pass;

	kb_pass_init(&pass, access, &arena, &open);
	CHECK(t, pass.all_open && kb_pass_allows(&pass, 1));
	kb_pass_init(&pass, access, &arena, &exclusive);
	CHECK(t, !pass.all_open && !kb_pass_allows(&pass, 1));
	kb_access_release(kb_access_hold(access));
	kb_access_release(access);
	kb_access_release(NULL);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a filter opens what the rule says, of parts and sources too", test_naive },
		{ "an agent without labels is open", test_nothing },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
