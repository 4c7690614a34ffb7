/* The question, what the best passages say of its words, and the sum. Reading is in
 * rerank_passage.c. */
#include "index/rerank.h"

#include <math.h>
#include <stdlib.h>

#include "index/rerank_passage.h"

#define PIECE_K3 8.0f /* as of words in query.c */

enum { PIECE_SAMPLE = 64 }; /* passages whose pieces are counted where others are hidden */

const char *const kb_rerank_names[KB_RERANK_FIGURES] = {
	[KB_RERANK_PIECES] = "pieces",     [KB_RERANK_PAIRS] = "pairs",
	[KB_RERANK_NEAR] = "near",         [KB_RERANK_FIRST] = "first",
	[KB_RERANK_SENTENCE] = "sentence", [KB_RERANK_TELLING] = "telling_sentence",
	[KB_RERANK_TITLE] = "title",
};

/* Of each figure in the formulas, and what it is multiplied with beside. */
static const struct {
	float weights[KB_PURPOSES]; /* for answers, for search */
	bool by_length, by_best;
} weighing[KB_RERANK_FIGURES] = {
	[KB_RERANK_PIECES] = { { .15f, .125f } },
	[KB_RERANK_PAIRS] = { { .3f, .33f }, .by_length = true },
	[KB_RERANK_NEAR] = { { 0, .53f }, .by_length = true },
	[KB_RERANK_FIRST] = { { .5f, 1.75f }, .by_length = true },
	[KB_RERANK_SENTENCE] = { { .1f, 0 }, .by_length = true },
	[KB_RERANK_TELLING] = { { 0, .53f }, .by_best = true },
	[KB_RERANK_TITLE] = { { 0, .55f }, .by_length = true, .by_best = true },
};

static double inverse_frequency(double n, double df)
{
	return log(1 + (n - KB_MIN(df, n) + .5) / (df + .5));
}

/* The question's words and neighbours. */
static void ask_words(struct kb_rerank *r, const struct kb_terms *question)
{
	size_t before = NO_WORD;

	for (size_t i = 0; i < question->count; i++) {
		const struct kb_term *term = &question->v[i];
		size_t w = 0;

		if (kb_place_kind(term) != KB_PLACE_WORD)
			continue;
		r->length++;
		while (w < r->word_count && !kb_sv_eq(r->words[w], term->term))
			w++;
		if (w == WORDS_MAX) {
			before = NO_WORD;
			continue;
		}
		if (w == r->word_count) {
			int64_t df = kb_snapshot_df(r->snapshot, term->term);

			r->words[w] = term->term;
			r->idf[w] =
			        (float)inverse_frequency((double)r->snapshot->alive, (double)df);
			r->word_count++;
		}
		if (before != NO_WORD) {
			r->pairs[before][w] += (r->idf[before] + r->idf[w]) / 2;
			r->any_pair[w] = true;
		}
		before = w;
	}
}

static bool hides(const struct kb_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->part_count; i++)
		if (snapshot->parts[i].hides)
			return true;
	return false;
}

/* Reads up to PIECE_SAMPLE living passages, evenly spread. Returns how many. */
static uint32_t read_sample(struct kb_rerank *r)
{
	uint64_t step = r->snapshot->alive / PIECE_SAMPLE + 1, at = 0;
	uint32_t read = 0;
	struct found found;

	for (size_t i = 0; i < r->snapshot->part_count; i++) {
		const struct kb_part *part = &r->snapshot->parts[i];

		if (!part->alive)
			continue;
		kb_rerank_enter(r, part->segment);
		for (uint32_t doc = 0; doc < part->segment->passages; doc++)
			if (kb_part_alive(part, doc) && at++ % step == 0) {
				kb_rerank_look_at(r, doc, &found);
				read++;
			}
	}
	return read;
}

/* What is known of pieces: passages that were counted, how many of them have each, and the sums of
 * their fields' pieces. */
struct piece_counts {
	double of, df[PIECES_MAX];
	struct kb_piece_sums sums;
};

static void count_in_files(const struct kb_rerank *r, struct piece_counts *out)
{
	const struct kb_snapshot *snapshot = r->snapshot;

	out->of = (double)snapshot->passages;
	for (size_t i = 0; i < snapshot->part_count; i++) {
		struct kb_piece_sums part = kb_piece_sums(snapshot->parts[i].segment);

		out->sums.body += part.body;
		out->sums.title += part.title;
		for (size_t k = 0; k < r->piece_count; k++)
			out->df[k] += kb_piece_df(snapshot->parts[i].segment, r->pieces[k]);
	}
}

/*
 * The files' figures are of all their passages: to whom some are hidden, four letters of a name
 * would tell that it stands there. The shares of a sample take their place; they are near them
 * where it matters, with pieces that are common.
 */
static void count_in_sample(struct kb_rerank *r, struct piece_counts *out)
{
	out->of = read_sample(r);
	for (size_t k = 0; k < r->piece_count; k++)
		out->df[k] = r->piece_seen[k];
	out->sums = r->seen_sums;
}

/* The question's pieces with their weights. */
static void ask_pieces(struct kb_rerank *r, const struct kb_terms *question)
{
	struct piece_counts known = { 0 };
	float counts[PIECES_MAX] = { 0 };

	for (size_t i = 0; i < question->count; i++) {
		uint32_t pieces[KB_WORD_PIECES_MAX];
		size_t n;

		if (kb_place_kind(&question->v[i]) != KB_PLACE_WORD
		    || kb_rerank_is_cjk(question->v[i].word))
			continue;
		n = kb_word_pieces(kb_term_key(question->v[i].word), pieces);
		for (size_t k = 0; k < n; k++) {
			uint16_t *slot = kb_rerank_slot(r, pieces[k]);

			if (!*slot && r->piece_count < PIECES_MAX) {
				r->pieces[r->piece_count++] = pieces[k];
				*slot = (uint16_t)r->piece_count;
			}
			if (*slot)
				counts[*slot - 1]++;
		}
	}
	if (hides(r->snapshot))
		count_in_sample(r, &known);
	else
		count_in_files(r, &known);
	r->body_average = (float)known.sums.body / (float)KB_MAX(known.of, 1);
	r->title_average = (float)known.sums.title / (float)KB_MAX(known.of, 1);
	for (size_t i = 0; i < r->piece_count; i++) {
		double df = inverse_frequency(known.of, known.df[i]);

		r->piece_gain[i] = counts[i] * (PIECE_K3 + 1) / (counts[i] + PIECE_K3)
		                   * (float)(df * sqrt(df));
	}
}

static void sum_up(const struct kb_rerank *r, struct found *found)
{
	struct kb_rerank_parts *parts = &found->parts;
	float best = 0, telling = 0;

	for (size_t i = 0; i < found->sentence_count; i++) {
		best = KB_MAX(best, kb_rerank_sum(r->idf, found->sentences[i]));
		telling = KB_MAX(telling, kb_rerank_sum(r->telling, found->sentences[i]));
	}
	parts->values[KB_RERANK_SENTENCE] = best;
	if (r->telling_sum > 0)
		parts->values[KB_RERANK_TELLING] = telling / r->telling_sum;
	memcpy(parts->weights, r->weights, sizeof(parts->weights));
	for (size_t i = 0; i < KB_RERANK_FIGURES; i++)
		parts->sum += parts->weights[i] * parts->values[i];
}

static struct kb_rerank *prepare(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                                 const struct kb_query *query, float best)
{
	struct kb_rerank *r = KB_NEW(arena, struct kb_rerank);
	float share;

	r->snapshot = snapshot;
	kb_rerank_ready(r, arena);
	ask_words(r, &query->question);
	ask_pieces(r, &query->question);
	share = r->length > FULL_LENGTH ? (float)FULL_LENGTH / (float)r->length : 1;
	for (size_t i = 0; i < KB_RERANK_FIGURES; i++)
		r->weights[i] = weighing[i].weights[query->purpose]
		                * (weighing[i].by_length ? share : 1)
		                * (weighing[i].by_best ? best : 1);
	return r;
}

static void look_at_all(struct kb_rerank *r, const struct kb_hit *hits, size_t count,
                        struct found *found)
{
	uint32_t part = UINT32_MAX;

	for (size_t i = 0; i < count; i++) {
		if (hits[i].part != part) {
			part = hits[i].part;
			kb_rerank_enter(r, r->snapshot->parts[part].segment);
		}
		kb_rerank_look_at(r, hits[i].doc, &found[i]);
	}
}

/* Weighs the words by how few of `of` passages have them. */
static void learn(struct kb_rerank *r, const uint32_t df[WORDS_MAX], size_t of)
{
	for (size_t w = 0; w < r->word_count; w++) {
		r->telling[w] = df[w] ? logf(((float)of + 1) / ((float)df[w] + .5f)) : 0;
		r->telling_sum += r->telling[w];
	}
}

static void count_words(const struct kb_rerank *r, const struct found *found,
                        uint32_t df[WORDS_MAX])
{
	for (size_t w = 0; w < r->word_count; w++)
		df[w] += found->words >> w & 1;
}

struct kb_rerank *kb_rerank(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                            const struct kb_query *query, struct kb_hit *hits, size_t count)
{
	struct found *found = KB_NEW_ARRAY(arena, count, struct found);
	size_t of = KB_MIN(count, (size_t)KB_RERANK_BEST);
	struct kb_rerank *r = prepare(snapshot, arena, query, count ? hits[0].score : 0);
	uint32_t df[WORDS_MAX] = { 0 };
	struct kb_hit last;

	if (!count)
		return r;
	last = hits[of - 1];
	qsort(hits, count, sizeof(*hits), kb_hit_by_place); /* reads the file in its order */
	look_at_all(r, hits, count, found);
	for (size_t i = 0; i < count; i++)
		if (kb_hit_by_score(&hits[i], &last) <= 0)
			count_words(r, &found[i], df);
	learn(r, df, of);
	for (size_t i = 0; i < count; i++) {
		sum_up(r, &found[i]);
		hits[i].score += found[i].parts.sum;
	}
	qsort(hits, count, sizeof(*hits), kb_hit_by_score);
	return r;
}

void kb_rerank_more(struct kb_rerank *rerank, struct kb_hit *hits, size_t count)
{
	struct found found;

	for (size_t i = 0; i < count; i++) {
		if (rerank->segment != rerank->snapshot->parts[hits[i].part].segment)
			kb_rerank_enter(rerank, rerank->snapshot->parts[hits[i].part].segment);
		kb_rerank_look_at(rerank, hits[i].doc, &found);
		sum_up(rerank, &found);
		hits[i].score += found.parts.sum;
	}
}

struct kb_rerank *kb_rerank_learn(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                                  const struct kb_query *query, const struct kb_hit *best,
                                  size_t count)
{
	size_t of = KB_MIN(count, (size_t)KB_RERANK_BEST);
	struct found *found = KB_NEW_ARRAY(arena, of, struct found);
	struct kb_rerank *r = prepare(snapshot, arena, query, of ? best[0].score : 0);
	uint32_t df[WORDS_MAX] = { 0 };

	look_at_all(r, best, of, found);
	for (size_t i = 0; i < of; i++)
		count_words(r, &found[i], df);
	learn(r, df, of);
	return r;
}

void kb_rerank_explain(struct kb_rerank *rerank, const struct kb_hit *hits, size_t count,
                       struct kb_rerank_parts *out)
{
	struct kb_arena arena = { 0 };
	struct found *found = KB_NEW_ARRAY(&arena, count, struct found);

	look_at_all(rerank, hits, count, found);
	for (size_t i = 0; i < count; i++) {
		sum_up(rerank, &found[i]);
		out[i] = found[i].parts;
	}
	kb_arena_fini(&arena);
}
