/*
 * The passages with the greatest cosine: filter, pre-filter, exact scan.
 *
 * Filters come first: a bit a passage says who may be found at all. Where many may and the column
 * has sign bits, the passages whose bits differ least from the question's are picked, many more
 * than are wanted; they, or all, are scored exactly. Scoring reads the question's high bytes; their
 * rounding is worth no more than `margin`, so only rows that may still come in are read again for
 * the low ones. What comes out does not depend on blocks, path or order.
 */
#include "index/vector_search.h"

#include <math.h>
#include <string.h>

#include "index/best.h"

enum {
	BLOCK = 512, /* rows scored at a time */
	WORD = 64,
	SIGN_BLOCK = 1024, /* groups whose differences are counted at a time */
	/* How many the pre-filter picks: the most of these. Measured with bench/vectors on
	 * clustered, low-rank and shifted vectors. */
	PICK_MIN = 2500,
	PICK_PER_HIT = 60,
	PICK_SHARE = 125, /* one in so many */
};

struct scan {
	const struct kb_vector_path *path;
	const struct kb_part *part;
	const struct kb_vectors *vectors;
	const struct kb_vector *vector;
	struct kb_best *best;
	uint32_t number; /* of the part */
	float per_high;  /* a row's high dot product times its scale and this: nearly the cosine */
	float margin;    /* by how much at most it differs */
	int32_t dots[BLOCK];
};

/* ---- who may be found ---- */

/* The bits of those that live and have a vector; NULL: all. */
static const uint64_t *make_mask(const struct scan *scan, struct kb_arena *arena, uint32_t *allowed)
{
	const struct kb_vectors *vectors = scan->vectors;
	uint32_t passages = scan->part->segment->passages;
	size_t words = ((size_t)passages + WORD - 1) / WORD;
	uint64_t *mask;

	*allowed = passages;
	if (!scan->part->dead && vectors->info.filled == passages)
		return NULL;
	mask = KB_NEW_ARRAY(arena, words, uint64_t);
	memset(mask, 0xff, words * sizeof(*mask));
	if (passages % WORD)
		mask[words - 1] >>= WORD - passages % WORD;
	*allowed = 0;
	for (size_t w = 0; w < words; w++) {
		if (scan->part->dead)
			mask[w] &= ~scan->part->dead[w];
		if (vectors->info.filled < passages)
			for (uint32_t doc = (uint32_t)w * WORD;
			     doc < KB_MIN((uint32_t)(w + 1) * WORD, passages); doc++)
				if (!(vectors->scales[doc] > 0))
					mask[w] &= ~(UINT64_C(1) << doc % WORD);
		*allowed += (uint32_t)__builtin_popcountll(mask[w]);
	}
	return mask;
}

/* ---- scoring ---- */

static int32_t bar_of(const struct scan *scan)
{
	return (int32_t)kb_best_bar(scan->best) - KB_COSINE_ONE - 1;
}

/* Scores up to BLOCK rows; without docs those from `first` on. They come in ascending order. */
static void score(struct scan *scan, uint32_t first, const uint32_t *docs, size_t n)
{
	const struct kb_vectors *vectors = scan->vectors;
	const int8_t *rows = vectors->rows + (docs ? 0 : first * vectors->stride);
	/* A little less for the rounding of the floats themselves. */
	float bar = kb_cosine_float(bar_of(scan)) - scan->margin - 1e-5f;
	uint32_t near[BLOCK];
	int32_t high[BLOCK];
	size_t count = 0;

	scan->path->dots(rows, vectors->stride, docs, n, scan->vector->high, scan->dots);
	for (size_t i = 0; i < n; i++) {
		uint32_t doc = docs ? docs[i] : first + (uint32_t)i;

		if ((float)scan->dots[i] * vectors->scales[doc] * scan->per_high < bar)
			continue;
		near[count] = doc;
		high[count++] = scan->dots[i];
	}
	if (!count)
		return;
	scan->path->dots(vectors->rows, vectors->stride, near, count, scan->vector->low,
	                 scan->dots);
	for (size_t i = 0; i < count; i++) {
		int32_t cosine = kb_cosine_fixed(high[i], scan->dots[i], vectors->scales[near[i]],
		                                 scan->vector->scale);

		kb_best_offer(scan->best, (uint32_t)(cosine + KB_COSINE_ONE + 1), scan->number,
		              near[i]);
	}
}

static void score_all(struct scan *scan)
{
	uint32_t passages = scan->vectors->info.passages;

	for (uint32_t first = 0; first < passages; first += BLOCK)
		score(scan, first, NULL, KB_MIN((uint32_t)BLOCK, passages - first));
}

static void score_docs(struct scan *scan, const uint32_t *docs, size_t n)
{
	for (size_t i = 0; i < n; i += BLOCK)
		score(scan, 0, docs + i, KB_MIN((size_t)BLOCK, n - i));
}

static void score_masked(struct scan *scan, const uint64_t *mask)
{
	size_t words = ((size_t)scan->vectors->info.passages + WORD - 1) / WORD, count = 0;
	uint32_t docs[BLOCK];

	for (size_t w = 0; w < words; w++) {
		if (count > BLOCK - WORD) {
			score(scan, 0, docs, count);
			count = 0;
		}
		for (uint64_t bits = mask[w]; bits; bits &= bits - 1)
			docs[count++] = (uint32_t)(w * WORD) + (uint32_t)__builtin_ctzll(bits);
	}
	if (count)
		score(scan, 0, docs, count);
}

/* ---- the pre-filter ---- */

/* The `want` passages with the fewest differing bits; among equals those that come first. */
struct pick {
	size_t want, count, capacity;
	uint32_t *docs;
	uint16_t *differences;
	uint32_t bar; /* only fewer than these can come in */
	uint32_t counts[KB_VECTOR_DIMS_MAX + 2];
};

/* Keeps the best `want` in their order and sets the bar to the worst of them. */
static void narrow(struct pick *pick)
{
	size_t below = 0, equals, kept = 0;
	uint32_t worst = 0;

	if (pick->count < pick->want)
		return;
	memset(pick->counts, 0, sizeof(pick->counts));
	for (size_t i = 0; i < pick->count; i++)
		pick->counts[pick->differences[i]]++;
	while (below + pick->counts[worst] < pick->want)
		below += pick->counts[worst++];
	equals = pick->want - below;
	for (size_t i = 0; i < pick->count; i++) {
		uint16_t n = pick->differences[i];

		if (n > worst || (n == worst && !equals))
			continue;
		equals -= n == worst;
		pick->docs[kept] = pick->docs[i];
		pick->differences[kept++] = n;
	}
	pick->count = kept;
	pick->bar = worst;
}

static void pick_block(struct pick *pick, const uint16_t *differences, uint32_t first, size_t n,
                       const uint64_t *mask)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t doc = first + (uint32_t)i;

		if (differences[i] >= pick->bar || (mask && !(mask[doc / WORD] >> doc % WORD & 1)))
			continue;
		pick->docs[pick->count] = doc;
		pick->differences[pick->count++] = differences[i];
		if (pick->count == pick->capacity)
			narrow(pick);
	}
}

static void sign_question(const struct kb_vectors *vectors, const struct kb_vector *vector,
                          uint64_t *out)
{
	float turned[KB_VECTOR_DIMS_MAX], centre[KB_VECTOR_DIMS_MAX];

	memcpy(turned, vector->v, vector->dims * sizeof(*turned));
	memcpy(centre, vectors->centre, vector->dims * sizeof(*centre));
	kb_rotate(turned, vector->dims);
	kb_rotate(centre, vector->dims);
	kb_signs(turned, centre, vector->dims, out);
}

static void score_picked(struct scan *scan, struct kb_arena *arena, const uint64_t *mask,
                         size_t want)
{
	const struct kb_vectors *vectors = scan->vectors;
	uint32_t passages = vectors->info.passages;
	uint16_t *differences = KB_NEW_ARRAY(arena, SIGN_BLOCK * KB_SIGNS_LANES, uint16_t);
	struct pick *pick = KB_NEW(arena, struct pick);
	uint64_t question[KB_VECTOR_DIMS_MAX / 64];
	uint32_t groups = (passages + KB_SIGNS_LANES - 1) / KB_SIGNS_LANES;

	pick->want = want;
	pick->capacity = 2 * want;
	pick->docs = KB_NEW_ARRAY(arena, pick->capacity, uint32_t);
	pick->differences = KB_NEW_ARRAY(arena, pick->capacity, uint16_t);
	pick->bar = KB_VECTOR_DIMS_MAX + 1;
	sign_question(vectors, scan->vector, question);
	for (uint32_t group = 0; group < groups; group += SIGN_BLOCK) {
		uint32_t first = group * KB_SIGNS_LANES;

		scan->path->differences(
		        vectors->signs + group * KB_SIGNS_LANES * vectors->sign_words,
		        vectors->sign_words, KB_MIN((uint32_t)SIGN_BLOCK, groups - group), question,
		        differences);
		pick_block(pick, differences, first,
		           KB_MIN((uint32_t)SIGN_BLOCK * KB_SIGNS_LANES, passages - first), mask);
	}
	narrow(pick);
	score_docs(scan, pick->docs, pick->count);
}

/* ---- all parts ---- */

static void search_part(struct scan *scan, const struct kb_vector_query *query,
                        struct kb_arena *arena)
{
	uint32_t allowed;
	const uint64_t *mask = make_mask(scan, arena, &allowed);
	size_t want = KB_MAX(KB_MAX((size_t)PICK_MIN, query->limit * PICK_PER_HIT),
	                     (size_t)allowed / PICK_SHARE);

	/* A pre-filter that picks a good part of all saves nothing. */
	if (scan->vectors->signs && !query->exhaustive && allowed >= KB_SIGNS_MIN
	    && want < allowed / 4)
		score_picked(scan, arena, mask, want);
	else if (mask)
		score_masked(scan, mask);
	else
		score_all(scan);
}

/* How long the low bytes' part of the question is, and so how much it can add to a cosine. */
static float margin_of(const struct kb_vector *vector)
{
	double sum = 0;

	for (uint32_t i = 0; i < vector->dims; i++)
		sum += vector->low[i] * vector->low[i];
	return (float)(sqrt(sum) * (double)vector->scale);
}

void kb_vector_search_by(const struct kb_vector_path *path, const struct kb_snapshot *snapshot,
                         struct kb_arena *arena, const struct kb_vector_query *query,
                         struct kb_hit **hits, size_t *count)
{
	struct scan *scan = KB_NEW(arena, struct scan);
	struct kb_best best;

	KB_ASSERT(query->dims && query->dims <= KB_VECTOR_DIMS_MAX);
	kb_best_init(&best, arena, snapshot, query->limit);
	scan->path = path;
	scan->best = &best;
	scan->vector = kb_vector_new(arena, query->v, query->dims);
	scan->per_high = (float)KB_VECTOR_RADIX * scan->vector->scale;
	scan->margin = margin_of(scan->vector);
	for (uint32_t i = 0; i < snapshot->part_count && best.limit && scan->vector->scale > 0;
	     i++) {
		scan->number = i;
		scan->part = &snapshot->parts[i];
		scan->vectors = kb_snapshot_vectors(snapshot, i, query->name, query->model);
		if (scan->vectors && scan->vectors->info.dims == query->dims)
			search_part(scan, query, arena);
	}
	kb_best_take(&best, arena, 1, hits, count);
	for (size_t i = 0; i < *count; i++)
		(*hits)[i].score = kb_cosine_float((int32_t)best.v[i].score - 1 - KB_COSINE_ONE);
}

void kb_vector_search(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                      const struct kb_vector_query *query, struct kb_hit **hits, size_t *count)
{
	kb_vector_search_by(kb_vector_path(), snapshot, arena, query, hits, count);
}
