/*
 * The search the service uses: block-max MAXSCORE over windows of passages.
 *
 * Passages are gone through in windows of WINDOW numbers. For each window every list has a bound:
 * no posting of it in the window counts more (from the pairs of its blocks, postings.h). Lists are
 * sorted by their bounds; the longest run of the smallest ones that together cannot lift a passage
 * over the bar (the worst score that is still among the best) are the window's optional lists: a
 * passage that stands in no other list need not be looked at. The other, essential lists are added
 * up list by list into an array of the window; what comes close enough to the bar is looked up in
 * the optional lists, greatest bound first, and dropped as soon as it cannot reach the bar any
 * more. Where many passages come that close, adding up an optional list too is cheaper. (Turtle,
 * Flood 1995; Ding, Suel 2011; the windows are those of Lucene's bulk scorer.)
 *
 * Nothing is lost: the same passages with the same scores as search_exact.c finds, bit by bit.
 */
#include "index/search.h"
#include "index/factors.h"
#include "index/rerank.h"

enum {
	WINDOW = 4096,       /* passages; the array of scores fits the first cache */
	LOOK_UP_COST = 4,    /* of one look-up, in postings added */
	GROUP = WINDOW / 64, /* sums that a bit of `touched` stands for */
	DENSE = 16, /* a list of more than 1 / DENSE of the passages has its whole bound everywhere
	             */
};

struct list {
	struct kb_cursor cursor;
	float gain;
	uint32_t bound;              /* of the whole list */
	bool by_block;               /* the window's bound is taken from blocks */
	uint32_t near;               /* first block that may reach the window */
	uint32_t known, known_bound; /* the last block whose bound was worked out */
	uint32_t window_bound;
};

struct search {
	const struct kb_snapshot *snapshot;
	const struct kb_scoring *scoring;
	const struct kb_segment *segment;
	uint32_t part;
	struct kb_gate gate;
	struct kb_best best;
	struct list *lists;
	struct list **order; /* by window_bound, ascending */
	size_t count;
	uint32_t candidates, docs[WINDOW], scores[WINDOW];
	uint32_t sums[WINDOW]; /* below 2^31 */
	uint64_t touched;      /* groups of sums that are not all zero */
};

/* Above every part whose t / (k1 + t) is not greater than this in exact numbers; the floats' last
 * bits may differ. */
static uint32_t bound_of(float gain, float part)
{
	uint32_t n = kb_scorer_part(gain, part);

	return n + (n >> 20) + 2;
}

static uint32_t maxima_bound(const struct search *s, const struct list *list,
                             const struct kb_maxima *maxima)
{
	float t = 0;

	for (int f = 0; f < KB_FIELDS; f++) {
		float best = 0;

		for (unsigned i = 0; i < maxima->n[f]; i++) {
			uint8_t tf = maxima->pairs[f][2 * i];

			if (tf == UINT8_MAX) /* that or more */
				return bound_of(list->gain, 1);
			best = KB_MAX(
			        best,
			        (float)tf * s->scoring->per_count[f][maxima->pairs[f][2 * i + 1]]);
		}
		t += best;
	}
	return bound_of(list->gain, kb_saturate(t));
}

/* The greatest part of a list that is unpacked whole. */
static uint32_t small_bound(const struct search *s, const struct list *list)
{
	float best = 0;

	for (uint32_t i = 0; i < list->cursor.count; i++)
		if (list->cursor.docs[i] < s->segment->passages)
			best = KB_MAX(best, kb_posting_part(s->scoring, s->segment, &list->cursor,
			                                    i, list->cursor.docs[i]));
	return bound_of(list->gain, best);
}

static void open_list(struct search *s, struct list *list, const struct kb_dict_entry *entry,
                      float gain)
{
	struct kb_maxima maxima;

	kb_cursor_init(&list->cursor, entry->list, entry->df);
	list->gain = gain;
	list->near = 0;
	list->known = UINT32_MAX;
	list->by_block = false;
	if (entry->df < KB_BLOCK) {
		list->bound = small_bound(s, list);
	} else if (!kb_cursor_maxima(&list->cursor, KB_WHOLE_LIST, &maxima)) {
		list->bound = bound_of(gain, 1);
	} else {
		list->bound = maxima_bound(s, list, &maxima);
		list->by_block = entry->df < s->segment->passages / DENSE;
	}
}

static uint32_t block_bound(const struct search *s, struct list *list, uint32_t block)
{
	struct kb_maxima maxima;

	if (list->known != block) {
		list->known = block;
		list->known_bound = kb_cursor_maxima(&list->cursor, block, &maxima)
		                            ? maxima_bound(s, list, &maxima)
		                            : list->bound;
	}
	return list->known_bound;
}

/* A bound for the postings of passages low to end - 1 that the cursor has not passed. */
static uint32_t window_bound(const struct search *s, struct list *list, uint32_t low, uint32_t end)
{
	const struct kb_cursor *cursor = &list->cursor;
	uint32_t bound = 0;

	if (kb_cursor_doc(cursor) >= end)
		return 0;
	if (!list->by_block)
		return list->bound;
	while (list->near < cursor->blocks && kb_cursor_block_last(cursor, list->near) < low)
		list->near++;
	for (uint32_t b = list->near; b < cursor->blocks; b++) {
		bound = KB_MAX(bound, block_bound(s, list, b));
		if (kb_cursor_block_last(cursor, b) >= end - 1)
			break;
	}
	return bound;
}

/* The first place of the cursor's block, from the one at hand on, that is not before `end`. */
static uint32_t place_of(const struct kb_cursor *cursor, uint32_t end)
{
	uint32_t low = cursor->at, high = cursor->count;

	if (cursor->docs[high - 1] < end)
		return high;
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (cursor->docs[middle] < end)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Adds a list's parts of passages low to end - 1 to the sums. */
static void add_list(struct search *s, struct list *list, uint32_t low, uint32_t end)
{
	struct kb_cursor *cursor = &list->cursor;
	const uint8_t *lengths = s->segment->lengths[KB_FIELD_BODY];
	const float gain = list->gain;
	uint64_t touched = 0;

	if (kb_cursor_seek(cursor, low) >= end)
		return;
	for (; cursor->count; kb_cursor_next_block(cursor)) {
		const uint32_t *docs = cursor->docs, *tf = cursor->tf[KB_FIELD_BODY];
		uint32_t i = cursor->at, stop = place_of(cursor, end);

		kb_cursor_counts(cursor);
		if (cursor->body_only && cursor->tf_limit <= KB_SATURATION_TF) {
			for (; i < stop; i++) { /* nearly all postings */
				uint32_t place = docs[i] - low;
				float part = s->scoring->saturation[tf[i]][lengths[docs[i]]];

				s->sums[place % WINDOW] += kb_scorer_part(gain, part);
				touched |= UINT64_C(1) << place / GROUP % 64;
			}
		}
		for (; i < stop; i++) {
			uint32_t doc = docs[i], place = doc - low;
			float part;

			if (place >= end - low) /* only in a damaged list */
				break;
			part = kb_posting_part(s->scoring, s->segment, cursor, i, doc);
			s->sums[place] += kb_scorer_part(gain, part);
			touched |= UINT64_C(1) << place / GROUP;
		}
		cursor->at = stop;
		if (stop < cursor->count)
			break;
	}
	s->touched |= touched;
}

typedef int32_t vec __attribute__((vector_size(16)));

/* Takes the sums that may still pass the bar with `rest` more, four by four. */
static void collect(struct search *s, uint32_t low, uint32_t rest)
{
	/* The window's optional lists together cannot pass the bar. */
	const int32_t least = (int32_t)(kb_best_bar(&s->best) - rest);
	const vec bits = { 1, 2, 4, 8 };
	enum { LANES = sizeof(vec) / sizeof(int32_t), STEP = 4 * LANES };

	s->candidates = 0;
	for (uint64_t left = s->touched; left; left &= left - 1) {
		uint32_t first = (uint32_t)__builtin_ctzll(left) * GROUP;

		for (uint32_t place = first; place < first + GROUP; place += STEP) {
			uint32_t *sums = &s->sums[place];
			vec v[4];
			uint64_t halves[2], above; /* a bit a sum */

			memcpy(v, sums, sizeof(v));
			v[0] = ((v[0] > least) & bits) | ((v[1] > least) & bits << 4)
			       | ((v[2] > least) & bits << 8) | ((v[3] > least) & bits << 12);
			memcpy(halves, v, sizeof(halves));
			above = halves[0] | halves[1];
			above = (above | above >> 32) & UINT16_MAX;
			for (; above; above &= above - 1) {
				uint32_t i = (uint32_t)__builtin_ctzll(above);
				uint32_t doc = low + place + i;

				if (!kb_gate_open(&s->gate, doc))
					continue;
				s->docs[s->candidates] = doc;
				s->scores[s->candidates++] = sums[i];
			}
		}
	}
}

static void clear_sums(struct search *s)
{
	for (uint64_t left = s->touched; left; left &= left - 1)
		memset(&s->sums[__builtin_ctzll(left) * GROUP], 0, GROUP * sizeof(*s->sums));
	s->touched = 0;
}

/* Keeps the candidates that may still pass the bar with `rest` more, after a list was added. */
static void sift(struct search *s, uint32_t low, uint32_t rest)
{
	uint32_t least = kb_best_bar(&s->best) - rest, kept = 0;

	for (uint32_t i = 0; i < s->candidates; i++) {
		uint32_t doc = s->docs[i], score = s->sums[doc - low];

		s->docs[kept] = doc;
		s->scores[kept] = score;
		kept += score > least;
	}
	s->candidates = kept;
}

/* Looks the candidates up in an optional list. rest: its bound and those of the lists after it. */
static void look_up(struct search *s, struct list *list, uint32_t low, uint32_t rest)
{
	uint32_t bar = kb_best_bar(&s->best), kept = 0;

	for (uint32_t i = 0; i < s->candidates; i++) {
		uint32_t doc = s->docs[i], score = s->scores[i];

		if (score + rest <= bar)
			continue;
		if (kb_cursor_seek(&list->cursor, doc) == doc) {
			kb_cursor_counts(&list->cursor);
			score += kb_scorer_part(list->gain, kb_posting_part(s->scoring, s->segment,
			                                                    &list->cursor,
			                                                    list->cursor.at, doc));
			s->sums[doc - low] = score;
		}
		s->docs[kept] = doc;
		s->scores[kept++] = score;
	}
	s->candidates = kept;
}

static void sort_lists(struct search *s)
{
	for (size_t i = 1; i < s->count; i++) {
		struct list *list = s->order[i];
		size_t at = i;

		for (; at && s->order[at - 1]->window_bound > list->window_bound; at--)
			s->order[at] = s->order[at - 1];
		s->order[at] = list;
	}
}

/* About how many postings a list has in a stretch of so many passages. */
static uint32_t postings_of(const struct search *s, const struct list *list, uint32_t passages)
{
	return (uint32_t)((uint64_t)list->cursor.df * passages / s->segment->passages);
}

static void search_window(struct search *s, uint32_t low, uint32_t end)
{
	uint32_t bar = kb_best_bar(&s->best), optional_bound = 0;
	size_t optional = 0;

	for (size_t i = 0; i < s->count; i++)
		s->lists[i].window_bound = window_bound(s, &s->lists[i], low, end);
	sort_lists(s);
	while (optional < s->count && optional_bound + s->order[optional]->window_bound <= bar)
		optional_bound += s->order[optional++]->window_bound;
	if (optional == s->count)
		return;
	for (size_t i = optional; i < s->count; i++)
		add_list(s, s->order[i], low, end);
	collect(s, low, optional_bound);
	while (optional-- && s->candidates) {
		struct list *list = s->order[optional];

		if (!list->window_bound)
			break;
		if (s->candidates * LOOK_UP_COST > postings_of(s, list, end - low)) {
			add_list(s, list, low, end);
			sift(s, low, optional_bound - list->window_bound);
		} else {
			look_up(s, list, low, optional_bound);
		}
		optional_bound -= list->window_bound;
	}
	clear_sums(s);
	for (uint32_t i = 0; i < s->candidates; i++)
		kb_best_offer(&s->best, s->scores[i], s->part, s->docs[i]);
}

static void search_part(struct search *s, uint32_t number, const struct kb_scorer *scorer,
                        const struct kb_query *query)
{
	s->part = number;
	s->segment = s->snapshot->parts[number].segment;
	s->gate = (struct kb_gate){ query, &s->snapshot->parts[number], .run = UINT32_MAX };
	s->count = 0;
	for (size_t i = 0; i < scorer->count; i++) {
		struct kb_dict_entry entry;

		if (!kb_dict_find(s->segment, scorer->terms[i], &entry))
			continue;
		s->order[s->count] = &s->lists[s->count];
		open_list(s, &s->lists[s->count++], &entry, scorer->gains[i]);
	}
	for (uint32_t low = 0; low < s->segment->passages;) {
		uint32_t end = low + KB_MIN(s->segment->passages - low, (uint32_t)WINDOW);

		search_window(s, low, end);
		low = end;
	}
}

static void search_first(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                         const struct kb_query *query, struct kb_hit **hits, size_t *count)
{
	struct search *s = KB_NEW(arena, struct search);
	struct kb_scorer scorer;

	s->snapshot = snapshot;
	s->scoring = &snapshot->scoring;
	kb_scorer_init(&scorer, snapshot, arena, query->terms, query->term_count);
	kb_best_init(&s->best, arena, snapshot, query->limit);
	s->lists = KB_NEW_ARRAY(arena, scorer.count, struct list);
	s->order = KB_NEW_ARRAY(arena, scorer.count, struct list *);
	for (uint32_t i = 0; i < snapshot->part_count && s->best.limit; i++)
		search_part(s, i, &scorer, query);
	kb_best_take(&s->best, arena, scorer.unit, hits, count);
}

void kb_search(const struct kb_snapshot *snapshot, struct kb_arena *arena,
               const struct kb_query *query, struct kb_hit **hits, size_t *count)
{
	struct kb_query first = *query;
	struct kb_rerank *second = NULL;
	bool factors = snapshot->factors && query->factors > 0;

	first.limit = KB_MAX(query->limit, query->rerank);
	if (factors)
		first.limit = KB_MAX(first.limit, (size_t)KB_FACTORS_RERANK);
	search_first(snapshot, arena, &first, hits, count);
	if (query->rerank)
		second = kb_rerank(snapshot, arena, query, *hits, KB_MIN(*count, query->rerank));
	if (factors)
		kb_factors_rerank(snapshot->factors, snapshot, arena, query, second, hits, count);
	*count = KB_MIN(*count, query->limit);
}
