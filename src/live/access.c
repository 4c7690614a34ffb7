#include "live/access.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* A combination of labels that some document carries, as places in the table of labels; deleted
 * ones, which no request can name, are left out. */
struct combination {
	const uint32_t *labels;
	size_t count;
};

struct slot {
	int64_t page_id; /* 0: free; ids start at 1 */
	uint32_t combination;
};

struct kb_access {
	atomic_int count;
	struct kb_arena arena;
	struct kb_label_row *by_id, *by_key;
	size_t label_count;
	uint32_t *places;                 /* of by_key's labels in by_id */
	struct combination *combinations; /* [0] is empty and no document's */
	size_t combination_count;
	struct slot *slots;
	uint64_t mask; /* slots, a power of two, less one */
};

static uint64_t mix(int64_t page_id)
{
	/* The multiplier of splitmix64: ids in a row spread over the table. */
	uint64_t x = (uint64_t)page_id * UINT64_C(0xbf58476d1ce4e5b9);

	return x ^ x >> 32;
}

static struct slot *slot_of(const struct kb_access *access, int64_t page_id)
{
	uint64_t at = mix(page_id) & access->mask;

	while (access->slots[at].page_id && access->slots[at].page_id != page_id)
		at = (at + 1) & access->mask;
	return &access->slots[at];
}

static int compare_id(const void *a, const void *b)
{
	int64_t x = ((const struct kb_label_row *)a)->id, y = ((const struct kb_label_row *)b)->id;

	return (x > y) - (x < y);
}

static int compare_key(const void *a, const void *b)
{
	return kb_sv_cmp(((const struct kb_label_row *)a)->key,
	                 ((const struct kb_label_row *)b)->key);
}

/* The label's place in by_id, or -1. */
static ptrdiff_t place_of_id(const struct kb_access *access, int64_t id)
{
	struct kb_label_row wanted = { .id = id }, *found = NULL;

	if (access->label_count)
		found = bsearch(&wanted, access->by_id, access->label_count, sizeof(wanted),
		                compare_id);
	return found ? found - access->by_id : -1;
}

static ptrdiff_t place_of(const struct kb_access *access, const struct kb_label_ref *ref)
{
	struct kb_label_row wanted = { .key = ref->name }, *found = NULL;

	if (ref->id)
		return place_of_id(access, ref->id);
	if (access->label_count && ref->name.n)
		found = bsearch(&wanted, access->by_key, access->label_count, sizeof(wanted),
		                compare_key);
	return found ? (ptrdiff_t)access->places[found - access->by_key] : -1;
}

static void copy_labels(struct kb_access *access, const struct kb_index_state *state)
{
	size_t count = state->label_count;

	access->label_count = count;
	access->by_id = KB_NEW_ARRAY(&access->arena, count, struct kb_label_row);
	access->by_key = KB_NEW_ARRAY(&access->arena, count, struct kb_label_row);
	access->places = KB_NEW_ARRAY(&access->arena, count, uint32_t);
	for (size_t i = 0; i < count; i++) {
		access->by_id[i].id = state->labels[i].id;
		access->by_id[i].key = kb_arena_sv(&access->arena, state->labels[i].key);
		access->by_key[i] = access->by_id[i];
	}
	if (count)
		qsort(access->by_key, count, sizeof(*access->by_key), compare_key);
	for (size_t i = 0; i < count; i++)
		access->places[i] = (uint32_t)place_of_id(access, access->by_key[i].id);
}

/* Combinations met so far, while the table is made: places in access->combinations by their hash;
 * 0 is free. */
struct known {
	uint32_t *v;
	uint64_t mask;
};

static uint32_t intern(struct kb_access *access, struct known *known, const uint32_t *labels,
                       size_t count)
{
	struct kb_sv bytes = kb_sv((const char *)labels, count * sizeof(*labels));
	uint64_t at = kb_hash64(bytes) & known->mask;

	for (; known->v[at]; at = (at + 1) & known->mask) {
		const struct combination *other = &access->combinations[known->v[at]];

		if (other->count == count
		    && (count == 0 || memcmp(other->labels, labels, bytes.n) == 0))
			return known->v[at];
	}
	known->v[at] = (uint32_t)access->combination_count;
	access->combinations[access->combination_count].count = count;
	if (count)
		access->combinations[access->combination_count].labels = (const uint32_t *)memcpy(
		        KB_NEW_ARRAY(&access->arena, count, uint32_t), labels, bytes.n);
	return (uint32_t)access->combination_count++;
}

static uint64_t table_size(size_t count)
{
	uint64_t size = 8;

	while (size < 2 * (uint64_t)count)
		size *= 2;
	return size;
}

static void copy_pages(struct kb_access *access, const struct kb_index_state *state)
{
	const struct kb_page_label_row *rows = state->page_labels;
	size_t pages = 0, widest = 0;
	struct kb_arena scratch = { 0 };
	struct known known;
	uint32_t *labels;

	for (size_t i = 0, width = 0; i < state->page_label_count; i++) {
		bool first = i == 0 || rows[i].page_id != rows[i - 1].page_id;

		pages += first;
		width = first ? 1 : width + 1;
		widest = KB_MAX(widest, width);
	}
	access->mask = table_size(pages) - 1;
	access->slots = KB_NEW_ARRAY(&access->arena, access->mask + 1, struct slot);
	access->combinations = KB_NEW_ARRAY(&access->arena, pages + 1, struct combination);
	access->combination_count = 1;
	known.mask = access->mask;
	known.v = KB_NEW_ARRAY(&scratch, known.mask + 1, uint32_t);
	labels = KB_NEW_ARRAY(&scratch, widest, uint32_t);
	for (size_t i = 0; i < state->page_label_count;) {
		int64_t page_id = rows[i].page_id;
		struct slot *slot;
		size_t count = 0;

		for (; i < state->page_label_count && rows[i].page_id == page_id; i++) {
			ptrdiff_t place = place_of_id(access, rows[i].label_id);

			if (place >= 0)
				labels[count++] = (uint32_t)place;
		}
		slot = slot_of(access, page_id);
		slot->page_id = page_id;
		slot->combination = intern(access, &known, labels, count);
	}
	kb_arena_fini(&scratch);
}

struct kb_access *kb_access_new(const struct kb_index_state *state)
{
	struct kb_access *access = kb_xcalloc(1, sizeof(*access));

	atomic_init(&access->count, 1);
	copy_labels(access, state);
	copy_pages(access, state);
	return access;
}

struct kb_access *kb_access_hold(struct kb_access *access)
{
	atomic_fetch_add_explicit(&access->count, 1, memory_order_relaxed);
	return access;
}

void kb_access_release(struct kb_access *access)
{
	if (!access || atomic_fetch_sub_explicit(&access->count, 1, memory_order_acq_rel) != 1)
		return;
	kb_arena_fini(&access->arena);
	free(access);
}

int64_t kb_access_bytes(const struct kb_access *access)
{
	return (int64_t)(sizeof(*access) + access->arena.total);
}

/* ---- one query ---- */

/* The groups each label is in, a bit a group. */
static uint32_t *groups_by_label(const struct kb_access *access, struct kb_arena *arena,
                                 const struct kb_label_filter *filter)
{
	uint32_t *groups = KB_NEW_ARRAY(arena, access->label_count, uint32_t);

	for (size_t i = 0; i < filter->group_count; i++) {
		for (size_t j = 0; j < filter->groups[i].count; j++) {
			ptrdiff_t place = place_of(access, &filter->groups[i].v[j]);

			if (place >= 0)
				groups[place] |= UINT32_C(1) << i;
		}
	}
	return groups;
}

void kb_pass_init(struct kb_pass *pass, const struct kb_access *access, struct kb_arena *arena,
                  const struct kb_label_filter *filter)
{
	uint32_t all = (UINT32_C(1) << filter->group_count) - 1;
	uint32_t *groups;

	KB_ASSERT(filter->group_count <= KB_FILTER_GROUPS_MAX);
	groups = groups_by_label(access, arena, filter);
	pass->access = access;
	pass->open = KB_NEW_ARRAY(arena, access->combination_count, bool);
	pass->open[0] = !filter->exclusive;
	pass->all_open = pass->open[0];
	for (size_t i = 1; i < access->combination_count; i++) {
		const struct combination *combination = &access->combinations[i];
		uint32_t met = 0;

		for (size_t j = 0; j < combination->count; j++)
			met |= groups[combination->labels[j]];
		pass->open[i] = filter->group_count > 0 && met == all;
		pass->all_open = pass->all_open && pass->open[i];
	}
}

bool kb_pass_allows(void *pass, int64_t page_id)
{
	const struct kb_pass *judged = pass;
	const struct slot *slot = slot_of(judged->access, page_id);

	return judged->open[slot->combination];
}
