#include "index/meaning_rank.h"

#include <math.h>
#include <stdlib.h>

#include "index/forward.h"
#include "index/meaning_sum.h"
#include "index/snapshot.h"

enum {
	FULL_LENGTH = 5,       /* words; longer questions get less */
	CACHE_SLOTS = 1 << 13, /* words of passages that are kept, a power of two */
	CACHE_ROWS = CACHE_SLOTS * 2,
};

/* The deviation of cosines among the best 50 passages is .08 to .12. */
#define EXPECTED_DEVIATION .1f
#define EXPECTED_OF        10.0f

/* Cosines with the question; 0 where a text has no known word. */
enum figure {
	PASSAGE,  /* all of it */
	SENTENCE, /* the best one */
	TITLE,    /* title and headings */
	FIGURES
};

struct nearness {
	float cosines[FIGURES];
};

/* What the table has of a word of some part. */
struct known {
	uint32_t part, word; /* both + 1; 0: free */
	uint32_t first;      /* in reading.rows */
	uint8_t count;
	bool single;       /* an ideograph */
	struct kb_sv text; /* of it */
};

struct reading {
	struct kb_meaning_question question;
	float known; /* the share of its words, by rarity, that have a row */
	struct known *cache;
	uint32_t *rows;
	size_t cached, row_count;
	struct kb_meaning_sum passage, sentence, title;
};

static void add(const struct reading *reading, struct kb_meaning_sum *sum, uint32_t row)
{
	kb_meaning_sum_row(reading->question.meaning, sum, row);
}

/* ---- the question ---- */

/* The share of the question, by how rare its words are, that the table has. */
static float known_share(const struct kb_snapshot *snapshot, const struct reading *reading,
                         const struct kb_terms *question)
{
	const struct kb_meaning_words *words = &reading->question.words;
	double all = 0, known = 0;

	for (size_t i = 0; i < question->count; i++) {
		const struct kb_term *term = &question->v[i];
		double rarity;

		if (kb_place_kind(term) != KB_PLACE_WORD)
			continue;
		rarity = log(1
		             + (double)snapshot->alive
		                       / (1 + (double)kb_snapshot_df(snapshot, term->term)));
		all += rarity;
		if (words->find(words->arg, kb_meaning_key(term->word)) != KB_MEANING_NONE)
			known += rarity;
	}
	return all > 0 ? (float)(known / all) : 0;
}

/* ---- passages ---- */

static void look_up(struct reading *reading, const struct kb_segment *segment, uint32_t number,
                    struct known *known)
{
	uint32_t term;

	known->first = (uint32_t)reading->row_count;
	if (!kb_forward_word_at(segment, number, &known->text, &term) || !known->text.n)
		return;
	known->single = kb_meaning_is_single(known->text);
	known->count = (uint8_t)kb_meaning_rows(&reading->question.words, known->text,
	                                        reading->rows + reading->row_count);
	reading->row_count += known->count;
}

static const struct known *know(struct reading *reading, const struct kb_segment *segment,
                                uint32_t part, uint32_t number)
{
	uint32_t slot = (number * UINT32_C(0x9e3779b1) + part) & (CACHE_SLOTS - 1);
	struct known *known;

	if (reading->cached == CACHE_SLOTS / 2
	    || reading->row_count + KB_MEANING_PIECES_MAX > CACHE_ROWS) {
		memset(reading->cache, 0, CACHE_SLOTS * sizeof(*reading->cache));
		reading->cached = reading->row_count = 0;
	}
	for (;; slot = (slot + 1) & (CACHE_SLOTS - 1)) {
		known = &reading->cache[slot];
		if (!known->part)
			break;
		if (known->part == part + 1 && known->word == number + 1)
			return known;
	}
	*known = (struct known){ .part = part + 1, .word = number + 1 };
	reading->cached++;
	look_up(reading, segment, number, known);
	return known;
}

static void end_sentence(struct reading *reading, float *best)
{
	if (reading->sentence.rows)
		*best = KB_MAX(*best, kb_meaning_near(&reading->question, &reading->sentence));
	kb_meaning_sum_begin(&reading->sentence);
}

static void read_passage(struct reading *reading, const struct kb_segment *segment,
                         const struct kb_hit *hit, struct nearness *out)
{
	struct kb_sv stream = kb_forward_stream(segment, hit->doc), before = { 0 };
	const uint8_t *p = (const uint8_t *)stream.p, *end = stream.n ? p + stream.n : p;
	unsigned fields = 0;
	float best = 0;

	kb_meaning_sum_begin(&reading->passage);
	kb_meaning_sum_begin(&reading->sentence);
	kb_meaning_sum_begin(&reading->title);
	while (p && p < end) {
		const struct known *known;
		struct kb_meaning_sum *own;
		uint64_t value;

		p = kb_get_varint(p, end, &value);
		if (value < KB_FWD_WORD) {
			if (value == KB_FWD_SENTENCE && fields >= 2)
				end_sentence(reading, &best);
			fields += value == KB_FWD_FIELD;
			before = KB_SV("");
			continue;
		}
		known = know(reading, segment, hit->part, (uint32_t)(value - KB_FWD_WORD));
		own = fields >= 2 ? &reading->sentence : &reading->title;
		for (size_t i = 0; i < known->count; i++) {
			add(reading, own, reading->rows[known->first + i]);
			add(reading, &reading->passage, reading->rows[known->first + i]);
		}
		if (known->single && before.n) {
			uint32_t row =
			        kb_meaning_pair(&reading->question.words, before, known->text);

			add(reading, own, row);
			add(reading, &reading->passage, row);
		}
		before = known->single ? known->text : KB_SV("");
	}
	end_sentence(reading, &best);
	out->cosines[PASSAGE] = kb_meaning_near(&reading->question, &reading->passage);
	out->cosines[SENTENCE] = best;
	out->cosines[TITLE] = kb_meaning_near(&reading->question, &reading->title);
}

/* NULL: the table knows no word of the question. */
static struct reading *start(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                             const struct kb_query *query)
{
	struct reading *reading = KB_NEW(arena, struct reading);

	kb_meaning_sum_init(arena, query->meaning, &reading->passage);
	if (!kb_meaning_question(query->meaning, &query->question, &reading->passage,
	                         &reading->question))
		return NULL;
	reading->known = known_share(snapshot, reading, &query->question);
	if (!(reading->known > 0))
		return NULL;
	kb_meaning_sum_init(arena, query->meaning, &reading->sentence);
	kb_meaning_sum_init(arena, query->meaning, &reading->title);
	reading->cache = KB_NEW_ARRAY(arena, CACHE_SLOTS, struct known);
	reading->rows = KB_NEW_ARRAY(arena, CACHE_ROWS, uint32_t);
	return reading;
}

/* ---- the score ---- */

/* How many standard deviations each is from the mean. Of a few passages the deviation is hardly
 * known: it is taken as that of EXPECTED_OF usual ones and theirs together, so that two that mean
 * nearly the same stay near one another. */
static void standardise(struct nearness *near, size_t count, int figure)
{
	float sum = 0, squares = EXPECTED_OF * EXPECTED_DEVIATION * EXPECTED_DEVIATION;
	float mean, deviation;

	for (size_t i = 0; i < count; i++)
		sum += near[i].cosines[figure];
	mean = sum / (float)count;
	for (size_t i = 0; i < count; i++)
		squares += (near[i].cosines[figure] - mean) * (near[i].cosines[figure] - mean);
	deviation = sqrtf(squares / ((float)count + EXPECTED_OF));
	for (size_t i = 0; i < count; i++)
		near[i].cosines[figure] = (near[i].cosines[figure] - mean) / deviation;
}

static const float weights[FIGURES] = {
	[PASSAGE] = .067f,
	[SENTENCE] = .05f,
	[TITLE] = .083f,
};

/* A long question says what it means in its own words, and what the table does not know of it
 * cannot be judged by the table. */
static float trust(const struct reading *reading)
{
	float shortness = KB_MIN(1.0f, (float)FULL_LENGTH / (float)reading->question.length);

	return shortness * shortness * shortness * reading->known * reading->known;
}

void kb_meaning_add_scores(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                           const struct kb_query *query, const struct kb_hit *hits, size_t count,
                           float *scores)
{
	size_t best = KB_MIN(count, (size_t)KB_MEANING_BEST);
	struct reading *reading;
	struct nearness *near;
	float max = 0, share;

	for (size_t i = 0; i < best; i++)
		max = KB_MAX(max, scores[i]);
	if (best < 2 || !(max > 0) || !(reading = start(snapshot, arena, query)))
		return;
	near = KB_NEW_ARRAY(arena, best, struct nearness);
	for (size_t i = 0; i < best; i++)
		read_passage(reading, snapshot->parts[hits[i].part].segment, &hits[i], &near[i]);
	share = max * trust(reading);
	for (int f = 0; f < FIGURES; f++) {
		standardise(near, best, f);
		for (size_t i = 0; i < best; i++)
			scores[i] += share * weights[f] * near[i].cosines[f];
	}
}

void kb_meaning_rerank(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                       const struct kb_query *query, struct kb_hit *hits, size_t count)
{
	float *scores = KB_NEW_ARRAY(arena, count, float);

	for (size_t i = 0; i < count; i++)
		scores[i] = hits[i].score;
	kb_meaning_add_scores(snapshot, arena, query, hits, count, scores);
	for (size_t i = 0; i < count; i++)
		hits[i].score = scores[i];
	qsort(hits, count, sizeof(*hits), kb_hit_by_score);
}

size_t kb_meaning_choose(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                         const struct kb_query *query, struct kb_hit *hits, size_t count,
                         size_t limit)
{
	struct kb_hit *best;
	size_t n = 0;

	if (count <= limit)
		return count;
	best = kb_arena_copy(arena, hits, count * sizeof(*hits));
	kb_meaning_rerank(snapshot, arena, query, best, count);
	qsort(best, limit, sizeof(*best), kb_hit_by_place);
	for (size_t i = 0; i < count; i++)
		if (bsearch(&hits[i], best, limit, sizeof(*best), kb_hit_by_place))
			hits[n++] = hits[i];
	return n;
}
