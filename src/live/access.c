#include "live/access.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* Different lists of small numbers, each once; [0] is empty and nothing's. */
struct lists {
	struct list {
		const uint32_t *v;
		size_t count;
	} * v;
	size_t count;
	uint32_t *known; /* while they are made: places in v by hash; 0 is free */
	uint64_t mask;
};

/* Under `lock`: what has to open for the document to open. Below combinations.count it is that one
 * combination of labels, else one of `locks`: several. */
struct slot {
	int64_t page_id; /* 0: free; ids start at 1 */
	uint32_t lock;
};

struct kb_access {
	atomic_int count;
	struct kb_arena arena;
	struct kb_label_row *by_id, *by_key;
	size_t label_count;
	uint32_t *places; /* of by_key's labels in by_id */
	/* Labels that a document or a source carries, as places in by_id; deleted ones, which no
	 * request can name, are left out. */
	struct lists combinations;
	/* Combinations that all have to open: a document's, its containers', its source's. */
	struct lists locks;
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
	struct kb_label_row wanted = { .id = id }, *found;
	int64_t guess;

	if (!access->label_count)
		return -1;
	/* Mostly an agent's labels were made one after another. */
	if (!__builtin_sub_overflow(id, access->by_id[0].id, &guess) && guess >= 0
	    && guess < (int64_t)access->label_count && access->by_id[guess].id == id)
		return (ptrdiff_t)guess;
	found = bsearch(&wanted, access->by_id, access->label_count, sizeof(wanted), compare_id);
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

static uint64_t table_size(size_t count)
{
	uint64_t size = 8;

	while (size < 2 * (uint64_t)count)
		size *= 2;
	return size;
}

/* Room for that many more than the empty one; what is known of them lives in `scratch`. */
static void lists_init(struct lists *lists, struct kb_arena *arena, struct kb_arena *scratch,
                       size_t most)
{
	lists->v = KB_NEW_ARRAY(arena, most + 1, struct list);
	lists->count = 1;
	lists->mask = table_size(most) - 1;
	lists->known = KB_NEW_ARRAY(scratch, lists->mask + 1, uint32_t);
}

static uint32_t intern(struct lists *lists, struct kb_arena *arena, const uint32_t *v, size_t count)
{
	struct kb_sv bytes = kb_sv((const char *)v, count * sizeof(*v));
	uint64_t at = kb_hash64(bytes) & lists->mask;

	for (; lists->known[at]; at = (at + 1) & lists->mask) {
		const struct list *other = &lists->v[lists->known[at]];

		if (other->count == count && (count == 0 || memcmp(other->v, v, bytes.n) == 0))
			return lists->known[at];
	}
	lists->known[at] = (uint32_t)lists->count;
	lists->v[lists->count].count = count;
	if (count)
		lists->v[lists->count].v =
		        (const uint32_t *)memcpy(KB_NEW_ARRAY(arena, count, uint32_t), v, bytes.n);
	return (uint32_t)lists->count++;
}

/* ---- what carries labels ---- */

/* A page or a source, and the combination that it carries. */
struct carrier {
	int64_t id;
	uint32_t combination;
};
struct carriers {
	struct carrier *v; /* by id */
	size_t count;
};

/* What the table is made of. */
struct making {
	struct kb_access *access;
	const struct kb_index_state *state;
	struct kb_arena scratch;
	struct carriers pages, sources;
	uint32_t *labels; /* of one carrier */
	size_t label_count;
	size_t kept, widest; /* pages that are kept, and by how many at most */
};

static void add_label(struct making *m, struct carriers *to, int64_t id, int64_t label_id)
{
	ptrdiff_t place = place_of_id(m->access, label_id);

	if (!to->count || to->v[to->count - 1].id != id) {
		to->v[to->count++].id = id;
		m->label_count = 0;
	}
	if (place >= 0)
		m->labels[m->label_count++] = (uint32_t)place;
}

static void end_carrier(struct making *m, struct carriers *to)
{
	to->v[to->count - 1].combination =
	        intern(&m->access->combinations, &m->access->arena, m->labels, m->label_count);
}

static void read_carriers(struct making *m)
{
	const struct kb_page_label_row *own = m->state->page_labels;
	const struct kb_source_label_row *sources = m->state->source_labels;
	size_t own_count = m->state->page_label_count, count = m->state->source_label_count;
	size_t pages = 0;

	for (size_t i = 0; i < own_count; i++)
		pages += i == 0 || own[i].page_id != own[i - 1].page_id;
	m->pages.v = KB_NEW_ARRAY(&m->scratch, pages, struct carrier);
	m->sources.v = KB_NEW_ARRAY(&m->scratch, count, struct carrier);
	m->labels = KB_NEW_ARRAY(&m->scratch, KB_MAX(own_count, count), uint32_t);
	lists_init(&m->access->combinations, &m->access->arena, &m->scratch, pages + count);
	for (size_t i = 0; i < own_count; i++) {
		add_label(m, &m->pages, own[i].page_id, own[i].label_id);
		if (i + 1 == own_count || own[i + 1].page_id != own[i].page_id)
			end_carrier(m, &m->pages);
	}
	for (size_t i = 0; i < count; i++) {
		add_label(m, &m->sources, sources[i].source_id, sources[i].label_id);
		if (i + 1 == count || sources[i + 1].source_id != sources[i].source_id)
			end_carrier(m, &m->sources);
	}
}

static int compare_carrier(const void *a, const void *b)
{
	int64_t x = ((const struct carrier *)a)->id, y = ((const struct carrier *)b)->id;

	return (x > y) - (x < y);
}

static uint32_t combination_of(const struct making *m, const struct kb_keeper_row *row)
{
	const struct carriers *in = row->is_source ? &m->sources : &m->pages;
	struct carrier wanted = { .id = row->keeper_id };
	const struct carrier *found;

	KB_ASSERT(in->count); /* both were read in one transaction */
	found = bsearch(&wanted, in->v, in->count, sizeof(wanted), compare_carrier);
	KB_ASSERT(found);
	return found->combination;
}

/* ---- what has to open for a document ---- */

static int compare_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Of these combinations, which it sorts. */
static uint32_t lock_of(struct making *m, uint32_t *needs, size_t count)
{
	struct kb_access *access = m->access;
	size_t kept = 0;

	if (count > 1)
		qsort(needs, count, sizeof(*needs), compare_number);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || needs[i] != needs[kept - 1])
			needs[kept++] = needs[i];
	if (kept == 1)
		return needs[0];
	return (uint32_t)access->combinations.count
	       + intern(&access->locks, &access->arena, needs, kept);
}

/* Pages that carry labels and those that are kept, both by id. */
static void fill_slots(struct making *m)
{
	const struct kb_keeper_row *keepers = m->state->keepers;
	size_t count = m->state->keeper_count;
	uint32_t *needs = KB_NEW_ARRAY(&m->scratch, m->widest + 1, uint32_t);

	for (size_t own = 0, kept = 0; own < m->pages.count || kept < count;) {
		int64_t id = own < m->pages.count ? m->pages.v[own].id : INT64_MAX;
		struct slot *slot;
		size_t n = 0;

		if (kept < count && keepers[kept].page_id < id)
			id = keepers[kept].page_id;
		if (own < m->pages.count && m->pages.v[own].id == id)
			needs[n++] = m->pages.v[own++].combination;
		for (; kept < count && keepers[kept].page_id == id; kept++)
			needs[n++] = combination_of(m, &keepers[kept]);
		slot = slot_of(m->access, id);
		slot->page_id = id;
		slot->lock = lock_of(m, needs, n);
	}
}

static void count_kept(struct making *m)
{
	const struct kb_keeper_row *keepers = m->state->keepers;

	for (size_t i = 0, first = 0; i < m->state->keeper_count; i++) {
		if (i == 0 || keepers[i].page_id != keepers[first].page_id) {
			first = i;
			m->kept++;
		}
		m->widest = KB_MAX(m->widest, i - first + 1);
	}
}

static void copy_pages(struct kb_access *access, const struct kb_index_state *state)
{
	struct making m = { .access = access, .state = state };

	read_carriers(&m);
	count_kept(&m);
	lists_init(&access->locks, &access->arena, &m.scratch, m.kept);
	access->mask = table_size(m.pages.count + m.kept) - 1;
	access->slots = KB_NEW_ARRAY(&access->arena, access->mask + 1, struct slot);
	fill_slots(&m);
	access->combinations.known = access->locks.known = NULL;
	kb_arena_fini(&m.scratch);
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
	pass->open = KB_NEW_ARRAY(arena, access->combinations.count + access->locks.count, bool);
	pass->open[0] = !filter->exclusive;
	pass->all_open = pass->open[0];
	for (size_t i = 1; i < access->combinations.count; i++) {
		const struct list *labels = &access->combinations.v[i];
		uint32_t met = 0;

		for (size_t j = 0; j < labels->count; j++)
			met |= groups[labels->v[j]];
		pass->open[i] = filter->group_count > 0 && met == all;
		pass->all_open = pass->all_open && pass->open[i];
	}
	for (size_t i = 1; i < access->locks.count; i++) {
		const struct list *needs = &access->locks.v[i];
		bool open = true;

		for (size_t j = 0; j < needs->count; j++)
			open = open && pass->open[needs->v[j]];
		pass->open[access->combinations.count + i] = open;
	}
}

bool kb_pass_allows(void *pass, int64_t page_id)
{
	const struct kb_pass *judged = pass;
	const struct slot *slot = slot_of(judged->access, page_id);

	return judged->open[slot->lock];
}
