#include "index/meaning_rank.h"

#include <math.h>
#include <stdlib.h>

#include "index/forward.h"
#include "index/meaning_table.h"
#include "index/snapshot.h"

enum {
	FULL_LENGTH = 5,       /* words; longer questions get less */
	CACHE_SLOTS = 1 << 13, /* words of passages that are kept, a power of two */
	CACHE_ROWS = CACHE_SLOTS * 2,
	LANES = 16,
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

/* A text's vector in the making. */
struct sum {
	float v[KB_MEANING_DIMS];
	uint32_t *seen; /* by row: the text it was added to last */
	uint32_t text, rows;
};

struct reading {
	const struct kb_meaning *meaning;
	struct kb_meaning_words words;
	float question[KB_MEANING_DIMS]; /* length 1 */
	float known;                     /* the share of its words, by rarity, that have a row */
	uint32_t length;                 /* of these words and the others */
	struct known *cache;
	uint32_t *rows;
	size_t cached, row_count;
	struct sum passage, sentence, title;
};

static void begin(struct sum *sum)
{
	memset(sum->v, 0, sizeof(sum->v));
	sum->text++;
	sum->rows = 0;
}

static void add(const struct reading *reading, struct sum *sum, uint32_t row)
{
	if (row == KB_MEANING_NONE || sum->seen[row] == sum->text)
		return;
	sum->seen[row] = sum->text;
	sum->rows++;
	kb_meaning_add(reading->meaning, row, sum->v);
}

static float dot(const float *a, const float *b)
{
	float sums[LANES] = { 0 }, sum = 0;

	/* Side by side, so that one need not wait for the other. */
	for (int k = 0; k < KB_MEANING_DIMS; k += LANES)
		for (int i = 0; i < LANES; i++)
			sums[i] += a[k + i] * b[k + i];
	for (int i = 0; i < LANES; i++)
		sum += sums[i];
	return sum;
}

static float cosine(const struct reading *reading, const struct sum *sum)
{
	float square = dot(sum->v, sum->v);

	return square > 0 ? dot(sum->v, reading->question) / sqrtf(square) : 0;
}

static void start_sum(const struct reading *reading, struct kb_arena *arena, struct sum *sum)
{
	sum->seen =
	        KB_NEW_ARRAY(arena, (size_t)reading->words.count + reading->words.groups, uint32_t);
}

/* ---- the question ---- */

/* Adds the rows of a word of the question. */
static void ask(struct reading *reading, struct kb_sv word, struct kb_sv before)
{
	uint32_t rows[KB_MEANING_PIECES_MAX];
	size_t n = kb_meaning_rows(&reading->words, word, rows);

	for (size_t k = 0; k < n; k++)
		add(reading, &reading->passage, rows[k]);
	if (before.n)
		add(reading, &reading->passage, kb_meaning_pair(&reading->words, before, word));
}

static void weigh(const struct kb_snapshot *snapshot, const struct reading *reading,
                  const struct kb_term *term, double sums[2])
{
	double rarity = log(
	        1 + (double)snapshot->alive / (1 + (double)kb_snapshot_df(snapshot, term->term)));

	sums[0] += rarity;
	if (reading->words.find(reading->words.arg, kb_meaning_key(term->word)) != KB_MEANING_NONE)
		sums[1] += rarity;
}

static bool place_question(struct reading *reading, const struct kb_snapshot *snapshot,
                           const struct kb_terms *question)
{
	struct sum *sum = &reading->passage; /* not in use yet */
	struct kb_sv before = { 0 };
	double rarities[2] = { 0 };
	float square;

	begin(sum);
	for (size_t i = 0; i < question->count; i++) {
		const struct kb_term *term = &question->v[i];
		enum kb_place_kind kind = kb_place_kind(term);
		bool single = kind == KB_PLACE_WORD && kb_meaning_is_single(term->word);

		if (kind == KB_PLACE_WORD) {
			ask(reading, term->word, single ? before : KB_SV(""));
			weigh(snapshot, reading, term, rarities);
			reading->length++;
		}
		if (kind != KB_PLACE_NONE)
			before = single ? term->word : KB_SV("");
	}
	square = dot(sum->v, sum->v);
	if (!(square > 0) || !(rarities[0] > 0))
		return false;
	reading->known = (float)(rarities[1] / rarities[0]);
	for (int k = 0; k < KB_MEANING_DIMS; k++)
		reading->question[k] = sum->v[k] / sqrtf(square);
	return true;
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
	known->count = (uint8_t)kb_meaning_rows(&reading->words, known->text,
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
		*best = KB_MAX(*best, cosine(reading, &reading->sentence));
	begin(&reading->sentence);
}

static void read_passage(struct reading *reading, const struct kb_segment *segment,
                         const struct kb_hit *hit, struct nearness *out)
{
	struct kb_sv stream = kb_forward_stream(segment, hit->doc), before = { 0 };
	const uint8_t *p = (const uint8_t *)stream.p, *end = stream.n ? p + stream.n : p;
	unsigned fields = 0;
	float best = 0;

	begin(&reading->passage);
	begin(&reading->sentence);
	begin(&reading->title);
	while (p && p < end) {
		const struct known *known;
		struct sum *own;
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
			uint32_t row = kb_meaning_pair(&reading->words, before, known->text);

			add(reading, own, row);
			add(reading, &reading->passage, row);
		}
		before = known->single ? known->text : KB_SV("");
	}
	end_sentence(reading, &best);
	out->cosines[PASSAGE] = cosine(reading, &reading->passage);
	out->cosines[SENTENCE] = best;
	out->cosines[TITLE] = cosine(reading, &reading->title);
}

/* NULL: the table knows no word of the question. */
static struct reading *start(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                             const struct kb_query *query)
{
	struct reading *reading = KB_NEW(arena, struct reading);

	reading->meaning = query->meaning;
	kb_meaning_words(query->meaning, &reading->words);
	start_sum(reading, arena, &reading->passage);
	if (!place_question(reading, snapshot, &query->question))
		return NULL;
	start_sum(reading, arena, &reading->sentence);
	start_sum(reading, arena, &reading->title);
	reading->cache = KB_NEW_ARRAY(arena, CACHE_SLOTS, struct known);
	reading->rows = KB_NEW_ARRAY(arena, CACHE_ROWS, uint32_t);
	return reading;
}

/* ---- the score ---- */

static int by_score(const void *a, const void *b)
{
	const struct kb_hit *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->doc < y->doc ? -1 : x->doc > y->doc;
}

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
	float shortness = KB_MIN(1.0f, (float)FULL_LENGTH / (float)reading->length);

	return shortness * shortness * shortness * reading->known * reading->known;
}

void kb_meaning_rerank(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                       const struct kb_query *query, struct kb_hit *hits, size_t count)
{
	size_t best = KB_MIN(count, (size_t)KB_MEANING_BEST);
	float max = best ? hits[0].score : 0, share;
	struct reading *reading;
	struct nearness *near;

	if (best < 2 || !(max > 0) || !(reading = start(snapshot, arena, query)))
		return;
	near = KB_NEW_ARRAY(arena, best, struct nearness);
	for (size_t i = 0; i < best; i++)
		read_passage(reading, snapshot->parts[hits[i].part].segment, &hits[i], &near[i]);
	share = max * trust(reading);
	for (int f = 0; f < FIGURES; f++) {
		standardise(near, best, f);
		for (size_t i = 0; i < best; i++)
			hits[i].score += share * weights[f] * near[i].cosines[f];
	}
	qsort(hits, count, sizeof(*hits), by_score);
}
