/*
 * The search the service uses: block-max MAXSCORE over windows of passages.
 *
 * Passages are gone through in windows of WINDOW numbers. For each window every list has a bound:
 * no posting of it in the window counts more (from the pairs of its blocks, postings.h). The window
 * with the greatest sum of bounds comes first, so that the bar is high when the many poor ones
 * come, and the search ends with the first that cannot lift a passage over it. In a window lists
 * are sorted by their bounds; the longest run of the smallest ones that together cannot lift a
 * passage over the bar (the worst score that is still among the best) are the window's optional
 * lists: a passage that stands in no other list need not be looked at. The other, essential lists
 * are added up list by list into an array of the window; what comes close enough to the bar is
 * looked up in the optional lists, greatest bound first, and dropped as soon as it cannot reach the
 * bar any more. Where many come that close, adding up an optional list too is cheaper; a single
 * essential list needs no sums. What a posting counts comes from a table (worth.h), and none
 * is branched on. No block is unpacked that cannot pass the bar with all else.
 * (Turtle, Flood 1995; Ding, Suel 2011; the windows are those of Lucene's bulk scorer.)
 *
 * Nothing is lost: the same passages with the same scores as search_exact.c finds, bit by bit.
 */
#include "index/search.h"
#include "index/bound.h"
#include "index/sums.h"
#include "index/worth.h"

enum {
	WINDOW = KB_WINDOW,
	LOOK_UP_COST = 4, /* of one look-up, in postings added */
	EXACT = 1024,     /* postings: a list of fewer is unpacked for its bounds */
	MANY = 128,       /* postings in a window: most groups have one, so all are said to */
	DENSE = 16,       /* a list in more than 1 / DENSE of the passages is bound as a whole */
};

struct list {
	struct kb_cursor cursor;
	struct kb_worth *worth;
	float gain;
	uint32_t bound;   /* of the whole list */
	uint32_t *bounds; /* of each window; 0: no posting in it */
	uint32_t *first;  /* block of each window with a bound */
	uint32_t window_bound;
	uint32_t bounded, block_bound; /* a block, and the bound of its postings */
};

struct search {
	const struct kb_snapshot *snapshot;
	const struct kb_scoring *scoring;
	const struct kb_segment *segment;
	const struct kb_part *at;
	uint32_t part; /* the same */
	struct kb_best best;
	struct kb_arena *arena;
	struct kb_worth *worths;     /* of the scorer's terms */
	struct list *lists, **order; /* order: by window_bound, ascending */
	size_t count;
	uint32_t windows, window; /* of the part; the one at hand */
	uint32_t *totals;         /* of each window: its lists' bounds */
	uint32_t *heap;           /* windows to come, the one with the greatest total in front */
	uint32_t *space;          /* of the lists' bounds and first blocks */
	uint32_t candidates, docs[KB_SUMS_ROOM], scores[KB_SUMS_ROOM];
	struct kb_sums sums;
};

static uint32_t windows_of(const struct kb_segment *segment)
{
	return (segment->passages + (uint32_t)WINDOW - 1) / WINDOW;
}

/* Bounds of a short list: what its postings count. */
static void bound_exactly(const struct search *s, struct list *list)
{
	for (; list->cursor.count; kb_cursor_next_block(&list->cursor)) {
		kb_cursor_counts(&list->cursor);
		for (uint32_t i = 0; i < list->cursor.count; i++) {
			uint32_t doc = list->cursor.docs[i], *bound;

			if (doc >= s->segment->passages)
				break;
			bound = &list->bounds[doc / WINDOW];
			if (!*bound)
				list->first[doc / WINDOW] = list->cursor.block;
			*bound = KB_MAX(
			        *bound,
			        kb_bound_part(list->gain, kb_posting_part(s->scoring, s->segment,
			                                                  &list->cursor, i, doc)));
		}
	}
}

/* Bounds of a list with a directory. A block is in all windows from the end of the one before it
 * to its own. */
static void bound_blocks(const struct search *s, struct list *list)
{
	const struct kb_cursor *cursor = &list->cursor;
	bool by_block = cursor->df < s->segment->passages / DENSE;
	uint32_t w = 0;

	for (uint32_t b = 0; b < cursor->blocks; b++) {
		uint32_t end = KB_MIN(kb_cursor_block_last(cursor, b) / WINDOW, s->windows - 1);
		uint32_t bound =
		        by_block ? kb_bound_of(s->scoring, list->gain, cursor, b) : list->bound;

		for (;; w++) {
			if (!list->bounds[w])
				list->first[w] = b;
			list->bounds[w] = KB_MAX(list->bounds[w], bound);
			if (w >= end)
				break;
		}
	}
}

static void open_list(struct search *s, struct list *list, const struct kb_dict_entry *entry,
                      float gain)
{
	kb_cursor_init(&list->cursor, entry->list, entry->df);
	list->gain = gain;
	list->bounded = UINT32_MAX;
	memset(list->bounds, 0, s->windows * sizeof(*list->bounds));
	if (entry->df < EXACT) {
		bound_exactly(s, list);
	} else {
		list->bound = kb_bound_of(s->scoring, gain, &list->cursor, KB_WHOLE_LIST);
		bound_blocks(s, list);
	}
	for (uint32_t w = 0; w < s->windows; w++)
		s->totals[w] += list->bounds[w];
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

/* Whether no posting of a block can lift a passage over the bar, others counting so much. */
static bool is_poor(const struct search *s, struct list *list, uint32_t block, uint32_t others)
{
	uint32_t bar = kb_best_bar(&s->best);

	if (others >= bar || list->cursor.df < KB_BLOCK)
		return false;
	if (list->bounded != block) {
		list->bounded = block;
		list->block_bound = kb_bound_of(s->scoring, list->gain, &list->cursor, block);
	}
	return list->block_bound + others <= bar;
}

/* Brings the cursor to the start of a block, from wherever it is. */
static void enter(struct list *list, uint32_t block)
{
	if (list->cursor.block != block)
		kb_cursor_go(&list->cursor, block);
	list->cursor.at = 0;
}

/*
 * Brings the cursor to the window's first posting of a block, *block or the next that is not poor.
 * false: there is none. What is passed over stands in passages that cannot pass the bar, with or
 * without what else is added for them.
 */
static bool enter_next(const struct search *s, struct list *list, uint32_t *block, uint32_t low,
                       uint32_t end)
{
	struct kb_cursor *cursor = &list->cursor;
	uint32_t others = s->totals[s->window] - list->window_bound;

	for (; *block < cursor->blocks; ++*block) {
		if (*block > list->first[s->window]
		    && kb_cursor_block_last(cursor, *block - 1) >= end - 1)
			return false;
		if (is_poor(s, list, *block, others))
			continue;
		enter(list, *block);
		if (!cursor->count) /* damaged */
			continue;
		if (cursor->docs[0] < low)
			cursor->at = place_of(cursor, low);
		if (kb_cursor_doc(cursor) < end)
			return true;
	}
	return false;
}

/* About how many postings a list has in a stretch of so many passages. */
static uint32_t postings_of(const struct search *s, const struct list *list, uint32_t passages)
{
	return (uint32_t)((uint64_t)list->cursor.df * passages / s->segment->passages);
}

/* What a posting of the block in hand counts. */
static uint32_t part_of(const struct search *s, const struct list *list, uint32_t i)
{
	const struct kb_cursor *cursor = &list->cursor;

	return kb_scorer_part(list->gain,
	                      kb_posting_part(s->scoring, s->segment, cursor, i, cursor->docs[i]));
}

/* Adds a list's parts of passages low to end - 1 to the sums. */
static void add_list(struct search *s, struct list *list, uint32_t low, uint32_t end)
{
	struct kb_cursor *cursor = &list->cursor;
	const uint8_t *lengths = s->segment->lengths[KB_FIELD_BODY];
	bool many = postings_of(s, list, WINDOW) >= MANY;

	if (many)
		kb_sums_touch_all(&s->sums);
	for (uint32_t block = list->first[s->window]; enter_next(s, list, &block, low, end);
	     block++) {
		const uint32_t *docs = cursor->docs, *tf = cursor->tf[KB_FIELD_BODY];
		uint32_t i = cursor->at, stop = place_of(cursor, end);

		if (!many)
			for (uint32_t k = i; k < stop; k++)
				kb_sums_touch(&s->sums, docs[k] - low);
		kb_cursor_counts(cursor);
		if (kb_worth_of_block(list->worth, s->scoring, s->arena, cursor))
			for (; i < stop; i++) /* nearly all postings */
				s->sums.v[(docs[i] - low) % WINDOW] +=
				        list->worth->v[tf[i]][lengths[docs[i]]];
		for (; i < stop; i++) {
			uint32_t place = docs[i] - low;

			if (place >= end - low) /* only in a damaged list */
				break;
			s->sums.v[place] += part_of(s, list, i);
		}
	}
}

/* Leaves the candidates out that are deleted or hidden. */
static void keep_alive(struct search *s)
{
	uint32_t kept = 0;

	if (!s->at->dead)
		return;
	for (uint32_t i = 0; i < s->candidates; i++) {
		s->docs[kept] = s->docs[i];
		s->scores[kept] = s->scores[i];
		kept += kb_part_alive(s->at, s->docs[kept]);
	}
	s->candidates = kept;
}

/* Takes those of a block's postings whose part is above `least`, by the table. No branch depends on
 * them: it would be guessed wrong. */
static void take_block(struct search *s, const struct list *list, uint32_t i, uint32_t stop,
                       uint32_t least)
{
	const uint32_t *docs = list->cursor.docs, *tf = list->cursor.tf[KB_FIELD_BODY];
	const uint8_t *lengths = s->segment->lengths[KB_FIELD_BODY];
	uint32_t count = s->candidates;

	for (stop = KB_MIN(stop, i + WINDOW - count); i < stop; i++) {
		uint32_t score = list->worth->v[tf[i]][lengths[docs[i]]];

		s->docs[count] = docs[i];
		s->scores[count] = score;
		count += score > least;
	}
	s->candidates = count;
}

/* Takes a window's only essential list: what may pass the bar with `rest` more. */
static void take_list(struct search *s, struct list *list, uint32_t low, uint32_t end,
                      uint32_t rest)
{
	const uint32_t least = kb_best_bar(&s->best) - rest;
	struct kb_cursor *cursor = &list->cursor;

	s->candidates = 0;
	for (uint32_t block = list->first[s->window]; enter_next(s, list, &block, low, end);
	     block++) {
		uint32_t i = cursor->at, stop = place_of(cursor, end);

		kb_cursor_counts(cursor);
		if (kb_worth_of_block(list->worth, s->scoring, s->arena, cursor)) {
			take_block(s, list, i, stop, least);
			continue;
		}
		for (; i < stop && s->candidates < WINDOW; i++) {
			uint32_t score;

			if (cursor->docs[i] - low >= end - low) /* only in a damaged list */
				break;
			score = part_of(s, list, i);
			s->docs[s->candidates] = cursor->docs[i];
			s->scores[s->candidates] = score;
			s->candidates += score > least;
		}
	}
	keep_alive(s);
}

/* Takes the sums that may still pass the bar with `rest` more. */
static void collect(struct search *s, uint32_t low, uint32_t rest)
{
	struct kb_above above = { .docs = s->docs, .scores = s->scores };

	kb_sums_above(&s->sums, kb_best_bar(&s->best) - rest, low, &above);
	s->candidates = above.count;
	keep_alive(s);
}

/* Makes the candidates' sums what they are so far. */
static void put_back(struct search *s, uint32_t low)
{
	for (uint32_t i = 0; i < s->candidates; i++) {
		kb_sums_touch(&s->sums, s->docs[i] - low);
		s->sums.v[s->docs[i] - low] = s->scores[i];
	}
}

/* Keeps the candidates that may still pass the bar with `rest` more, after a list was added. */
static void sift(struct search *s, uint32_t low, uint32_t rest)
{
	uint32_t least = kb_best_bar(&s->best) - rest, kept = 0;

	for (uint32_t i = 0; i < s->candidates; i++) {
		uint32_t doc = s->docs[i], score = s->sums.v[doc - low];

		s->docs[kept] = doc;
		s->scores[kept] = score;
		kept += score > least;
	}
	s->candidates = kept;
}

/* Looks the candidates up in an optional list. rest: its bound and those of the lists after it. */
static void look_up(struct search *s, struct list *list, uint32_t rest)
{
	uint32_t bar = kb_best_bar(&s->best), kept = 0, block = list->first[s->window];
	struct kb_cursor *cursor = &list->cursor;

	if (cursor->block == block)
		cursor->at = 0;
	for (uint32_t i = 0; i < s->candidates; i++) {
		uint32_t doc = s->docs[i], score = s->scores[i];

		if (score + rest <= bar)
			continue;
		if (cursor->block != block || !cursor->count
		    || cursor->docs[cursor->count - 1] < doc) {
			block = kb_cursor_find_block(cursor, block, doc);
			if (block < cursor->blocks) {
				if (is_poor(s, list, block, score + rest - list->window_bound))
					continue;
				enter(list, block);
			}
		}
		if (block < cursor->blocks && kb_cursor_seek(cursor, doc) == doc) {
			kb_cursor_counts(cursor);
			score += part_of(s, list, cursor->at);
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

static void search_window(struct search *s, uint32_t window)
{
	uint32_t bar = kb_best_bar(&s->best), optional_bound = 0, low = window * WINDOW;
	uint32_t end = low + KB_MIN(s->segment->passages - low, (uint32_t)WINDOW);
	size_t optional = 0;
	bool summed; /* the candidates' scores are their sums */

	s->window = window;
	for (size_t i = 0; i < s->count; i++)
		s->lists[i].window_bound = s->lists[i].bounds[window];
	sort_lists(s);
	while (optional < s->count && optional_bound + s->order[optional]->window_bound <= bar)
		optional_bound += s->order[optional++]->window_bound;
	if (optional == s->count)
		return;
	summed = optional + 1 < s->count;
	if (!summed) {
		take_list(s, s->order[optional], low, end, optional_bound);
	} else {
		for (size_t i = optional; i < s->count; i++)
			add_list(s, s->order[i], low, end);
		collect(s, low, optional_bound);
	}
	while (optional-- && s->candidates) {
		struct list *list = s->order[optional];

		if (!list->window_bound)
			break;
		if (s->candidates * LOOK_UP_COST > postings_of(s, list, end - low)) {
			if (!summed)
				put_back(s, low);
			add_list(s, list, low, end);
			sift(s, low, optional_bound - list->window_bound);
			summed = true;
		} else {
			look_up(s, list, optional_bound);
			summed = false;
		}
		optional_bound -= list->window_bound;
	}
	kb_sums_clear(&s->sums);
	for (uint32_t i = 0; i < s->candidates; i++)
		if (s->scores[i] > kb_best_bar(&s->best))
			kb_best_offer(&s->best, s->scores[i], s->part, s->docs[i]);
}

static void search_windows(struct search *s)
{
	struct kb_bounds left = { .figures = s->totals, .heap = s->heap };

	for (uint32_t w = 0; w < s->windows; w++)
		if (s->totals[w])
			left.heap[left.count++] = w;
	kb_bounds_order(&left);
	while (left.count && s->totals[left.heap[0]] > kb_best_bar(&s->best))
		search_window(s, kb_bounds_take(&left));
}

static void search_part(struct search *s, uint32_t number, const struct kb_scorer *scorer)
{
	s->part = number;
	s->at = &s->snapshot->parts[number];
	s->segment = s->at->segment;
	s->count = 0;
	s->windows = windows_of(s->segment);
	memset(s->totals, 0, s->windows * sizeof(*s->totals));
	for (size_t i = 0; i < scorer->count; i++) {
		struct list *list = &s->lists[s->count];
		struct kb_dict_entry entry;

		if (!kb_dict_find(s->segment, scorer->terms[i], &entry))
			continue;
		list->worth = &s->worths[i];
		list->bounds = s->space + 2 * s->count * s->windows;
		list->first = list->bounds + s->windows;
		s->order[s->count++] = list;
		open_list(s, list, &entry, scorer->gains[i]);
	}
	search_windows(s);
}

void kb_search_first(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                     const struct kb_query *query, struct kb_hit **hits, size_t *count)
{
	struct search *s = KB_NEW(arena, struct search);
	uint32_t *parts = kb_parts_by_size(snapshot, arena);
	struct kb_scorer scorer;
	size_t windows;

	kb_scorer_init(&scorer, snapshot, arena, query->terms, query->term_count);
	kb_best_init(&s->best, arena, snapshot, query->limit);
	if (scorer.count == 1) {
		for (size_t i = 0; i < snapshot->part_count && s->best.limit; i++)
			kb_search_one(snapshot, arena, parts[i], scorer.terms[0], scorer.gains[0],
			              &s->best);
		kb_best_take(&s->best, arena, scorer.unit, hits, count);
		return;
	}
	s->snapshot = snapshot;
	s->scoring = &snapshot->scoring;
	s->arena = arena;
	s->worths = KB_NEW_ARRAY(arena, scorer.count, struct kb_worth);
	for (size_t i = 0; i < scorer.count; i++)
		s->worths[i].gain = scorer.gains[i];
	s->lists = KB_NEW_ARRAY(arena, scorer.count, struct list);
	s->order = KB_NEW_ARRAY(arena, scorer.count, struct list *);
	windows = snapshot->part_count ? windows_of(snapshot->parts[parts[0]].segment) : 0;
	s->totals = KB_NEW_ARRAY(arena, windows, uint32_t);
	s->heap = KB_NEW_ARRAY(arena, windows, uint32_t);
	s->space = KB_NEW_ROOM(arena, 2 * windows * scorer.count, uint32_t);
	for (size_t i = 0; i < snapshot->part_count && s->best.limit; i++)
		search_part(s, parts[i], &scorer);
	kb_best_take(&s->best, arena, scorer.unit, hits, count);
}
