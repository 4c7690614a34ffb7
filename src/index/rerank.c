#include "index/rerank.h"

#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "index/forward.h"
#include "index/snapshot.h"
#include "index/unicode.h"

enum {
	WORDS_MAX = 64,   /* different words of a question that are looked for: bits of a mask */
	PIECES_MAX = 512, /* different pieces */
	PAIR_REACH = 3,
	FULL_LENGTH = 6, /* words; longer questions get less of P, U, F */
	CACHE_SLOTS = 1 << 14,
	PIECE_SLOTS = 1 << 11,
	HITS_MAX = 1 << 16, /* piece hits of the words seen, summed */
};
#define NO_WORD 255

const struct kb_rerank_parts kb_rerank_weights = {
	.pieces = .15f, .pairs = .3f, .sentence = .1f, .first = .5f
};

static const struct {
	float k1, k3, body_b, title_b, title_weight;
} piece_scoring = { .k1 = 1.2f, .k3 = 8, .body_b = .75f, .title_b = .5f, .title_weight = 3 };

/* A word of a part's passages, as far as the question asks. */
struct seen {
	uint32_t word;
	uint32_t stamp; /* of the part; another one: free */
	uint8_t asked;  /* place among the question's words, or NO_WORD */
	uint8_t piece_count;
	uint16_t hit_count; /* pieces that the question has too */
	uint32_t hits;      /* in rerank.hits[] */
};

struct rerank {
	const struct kb_snapshot *snapshot;

	/* The question. */
	struct kb_sv words[WORDS_MAX]; /* terms, each once */
	float idf[WORDS_MAX];
	size_t word_count;
	float pairs[WORDS_MAX][WORDS_MAX]; /* weight of a followed by b */
	bool any_pair[WORDS_MAX];          /* by b */
	size_t length;                     /* n */
	uint32_t pieces[PIECES_MAX];
	float piece_gain[PIECES_MAX];
	size_t piece_count;
	uint16_t piece_slots[PIECE_SLOTS]; /* by hash: place + 1 */
	float body_average, title_average;

	/* The part in hand. */
	const struct kb_segment *segment;
	uint32_t terms[WORDS_MAX]; /* term numbers there; UINT32_MAX: it has no such term */
	struct seen *cache;        /* CACHE_SLOTS */
	uint32_t stamp;            /* from 1 */
	size_t cached;
	uint16_t *hits;
	size_t hit_count;
};

static uint16_t *piece_slot(struct rerank *r, uint32_t piece)
{
	uint32_t slot = piece % PIECE_SLOTS;

	while (r->piece_slots[slot] && r->pieces[r->piece_slots[slot] - 1] != piece)
		slot = (slot + 1) % PIECE_SLOTS;
	return &r->piece_slots[slot];
}

static double inverse_frequency(const struct rerank *r, double df)
{
	double n = (double)r->snapshot->passages;

	return log(1 + (n - KB_MIN(df, n) + .5) / (df + .5));
}

/* The question's words and neighbours. */
static void ask_words(struct rerank *r, const struct kb_terms *question)
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
			r->idf[w] = (float)inverse_frequency(r, (double)df);
			r->word_count++;
		}
		if (before != NO_WORD) {
			r->pairs[before][w] += (r->idf[before] + r->idf[w]) / 2;
			r->any_pair[w] = true;
		}
		before = w;
	}
}

static bool is_cjk(struct kb_sv word)
{
	uint32_t cp;

	kb_utf8_decode(word, &cp);
	return cp != KB_UTF8_BAD && kb_char_kind(cp) == KB_CHAR_CJK;
}

/* The question's pieces with their weights. */
static void ask_pieces(struct rerank *r, const struct kb_terms *question)
{
	struct kb_piece_sums sums = { 0 };
	float counts[PIECES_MAX] = { 0 };

	for (size_t i = 0; i < r->snapshot->part_count; i++) {
		struct kb_piece_sums part = kb_piece_sums(r->snapshot->parts[i].segment);

		sums.body += part.body;
		sums.title += part.title;
	}
	r->body_average = (float)sums.body / (float)KB_MAX(r->snapshot->passages, UINT64_C(1));
	r->title_average = (float)sums.title / (float)KB_MAX(r->snapshot->passages, UINT64_C(1));
	for (size_t i = 0; i < question->count; i++) {
		uint32_t pieces[KB_WORD_PIECES_MAX];
		size_t n;

		if (kb_place_kind(&question->v[i]) != KB_PLACE_WORD || is_cjk(question->v[i].word))
			continue;
		n = kb_word_pieces(kb_term_key(question->v[i].word), pieces);
		for (size_t k = 0; k < n; k++) {
			uint16_t *slot = piece_slot(r, pieces[k]);

			if (!*slot && r->piece_count < PIECES_MAX) {
				r->pieces[r->piece_count++] = pieces[k];
				*slot = (uint16_t)r->piece_count;
			}
			if (*slot)
				counts[*slot - 1]++;
		}
	}
	for (size_t i = 0; i < r->piece_count; i++) {
		double df = 0;

		for (size_t k = 0; k < r->snapshot->part_count; k++)
			df += kb_piece_df(r->snapshot->parts[k].segment, r->pieces[i]);
		df = inverse_frequency(r, df);
		r->piece_gain[i] = counts[i] * (piece_scoring.k3 + 1)
		                   / (counts[i] + piece_scoring.k3) * (float)(df * sqrt(df));
	}
}

static void enter_part(struct rerank *r, const struct kb_segment *segment)
{
	r->segment = segment;
	for (size_t w = 0; w < r->word_count; w++) {
		struct kb_dict_entry entry;

		r->terms[w] =
		        kb_dict_find(segment, r->words[w], &entry) ? entry.number : UINT32_MAX;
	}
	r->stamp++; /* empties the cache */
	r->cached = r->hit_count = 0;
}

static void look_up(struct rerank *r, uint32_t number, struct seen *seen)
{
	uint32_t pieces[KB_WORD_PIECES_MAX], term;
	struct kb_sv word;
	size_t n;

	*seen = (struct seen){
		.word = number, .stamp = r->stamp, .asked = NO_WORD, .hits = (uint32_t)r->hit_count
	};
	if (!kb_forward_word_at(r->segment, number, &word, &term))
		return;
	for (size_t w = 0; w < r->word_count; w++)
		if (r->terms[w] == term)
			seen->asked = (uint8_t)w;
	if (!word.n || is_cjk(word))
		return;
	n = kb_word_pieces(word, pieces);
	seen->piece_count = (uint8_t)KB_MIN(n, (size_t)UINT8_MAX);
	for (size_t i = 0; i < n && r->hit_count < HITS_MAX; i++) {
		uint16_t slot = *piece_slot(r, pieces[i]);

		if (slot)
			r->hits[r->hit_count++] = (uint16_t)(slot - 1);
	}
	seen->hit_count = (uint16_t)(r->hit_count - seen->hits);
}

static const struct seen *see(struct rerank *r, uint32_t number)
{
	uint32_t slot = number * UINT32_C(0x9e3779b1) >> 18;

	static_assert(CACHE_SLOTS == 1 << (32 - 18), "the shift fits the table");
	while (r->cache[slot].stamp == r->stamp && r->cache[slot].word != number)
		slot = (slot + 1) % CACHE_SLOTS;
	if (r->cache[slot].stamp != r->stamp) {
		if (r->cached == CACHE_SLOTS / 2) { /* a rare flood of words: start again */
			enter_part(r, r->segment);
			return see(r, number);
		}
		r->cached++;
		look_up(r, number, &r->cache[slot]);
	}
	return &r->cache[slot];
}

/* One passage's counts. */
struct tally {
	uint16_t counts[2][PIECES_MAX]; /* title and heading, body */
	uint16_t touched[PIECES_MAX];
	size_t touched_count;
	uint32_t lengths[2]; /* in pieces */
	uint16_t pair_counts[WORDS_MAX][WORDS_MAX];
	struct pair {
		uint8_t a, b;
	} pairs[WORDS_MAX * PAIR_REACH];
	size_t pair_count;
	uint64_t sentence; /* words of the question in the sentence in hand */
	float best_sentence;
	uint32_t place, first;          /* words so far; of the first asked one, UINT32_MAX: none */
	uint8_t recent[PAIR_REACH + 1]; /* words of the question at the last places, by place */
};

static void count_pieces(const struct rerank *r, struct tally *tally, const struct seen *seen,
                         unsigned in_body)
{
	tally->lengths[in_body] += seen->piece_count;
	for (uint32_t i = 0; i < seen->hit_count; i++) {
		uint16_t piece = r->hits[seen->hits + i];

		if (!tally->counts[0][piece] && !tally->counts[1][piece])
			tally->touched[tally->touched_count++] = piece;
		tally->counts[in_body][piece]++;
	}
}

static void count_word(const struct rerank *r, struct tally *tally, uint8_t word)
{
	tally->first = KB_MIN(tally->first, tally->place);
	tally->sentence |= UINT64_C(1) << word;
	for (unsigned back = 1; back <= PAIR_REACH && r->any_pair[word]; back++) {
		uint8_t a = tally->recent[(tally->place - back) % (PAIR_REACH + 1)];

		if (a == NO_WORD || !(r->pairs[a][word] > 0))
			continue;
		if (!tally->pair_counts[a][word] && tally->pair_count < KB_COUNTOF(tally->pairs))
			tally->pairs[tally->pair_count++] = (struct pair){ a, word };
		tally->pair_counts[a][word]++;
	}
}

static void end_sentence(const struct rerank *r, struct tally *tally)
{
	float sum = 0;

	for (uint64_t left = tally->sentence; left; left &= left - 1)
		sum += r->idf[__builtin_ctzll(left)];
	tally->best_sentence = KB_MAX(tally->best_sentence, sum);
	tally->sentence = 0;
}

static void take_place(struct tally *tally, uint8_t word)
{
	tally->recent[tally->place++ % (PAIR_REACH + 1)] = word;
}

static void read_passage(struct rerank *r, struct tally *tally, uint32_t doc)
{
	struct kb_sv stream = kb_forward_stream(r->segment, doc);
	const uint8_t *p = (const uint8_t *)stream.p, *end = p + stream.n;
	unsigned fields = 0;

	memset(tally->recent, NO_WORD, sizeof(tally->recent));
	tally->first = UINT32_MAX;
	while (p && p < end) {
		const struct seen *seen;
		uint64_t value;

		p = kb_get_varint(p, end, &value);
		if (value < KB_FWD_GAP) {
			end_sentence(r, tally);
			if (value == KB_FWD_FIELD) {
				fields++;
				memset(tally->recent, NO_WORD, sizeof(tally->recent));
			}
			continue;
		}
		if (value < KB_FWD_WORD) {
			for (; value >= KB_FWD_GAP; value--)
				take_place(tally, NO_WORD);
			continue;
		}
		seen = see(r, (uint32_t)(value - KB_FWD_WORD));
		count_pieces(r, tally, seen, fields >= 2);
		if (seen->asked != NO_WORD)
			count_word(r, tally, seen->asked);
		take_place(tally, seen->asked);
	}
	end_sentence(r, tally);
}

/* C4, and clears the counts for the next passage. */
static float score_pieces(const struct rerank *r, struct tally *tally)
{
	float title = piece_scoring.title_weight
	              / (1 - piece_scoring.title_b
	                 + piece_scoring.title_b * (float)tally->lengths[0]
	                           / KB_MAX(r->title_average, 1e-6f));
	float body = 1
	             / (1 - piece_scoring.body_b
	                + piece_scoring.body_b * (float)tally->lengths[1]
	                          / KB_MAX(r->body_average, 1e-6f));
	float score = 0;

	for (size_t i = 0; i < tally->touched_count; i++) {
		uint16_t piece = tally->touched[i];
		float t = (float)tally->counts[0][piece] * title
		          + (float)tally->counts[1][piece] * body;

		score += r->piece_gain[piece] * t / (piece_scoring.k1 + t);
		tally->counts[0][piece] = tally->counts[1][piece] = 0;
	}
	tally->touched_count = 0;
	tally->lengths[0] = tally->lengths[1] = 0;
	return score;
}

static float score_pairs(const struct rerank *r, struct tally *tally)
{
	float score = 0;

	for (size_t i = 0; i < tally->pair_count; i++) {
		struct pair pair = tally->pairs[i];
		float c = tally->pair_counts[pair.a][pair.b];

		score += r->pairs[pair.a][pair.b] * c / (c + 1);
		tally->pair_counts[pair.a][pair.b] = 0;
	}
	tally->pair_count = 0;
	return score;
}

static struct kb_rerank_parts score_passage(struct rerank *r, struct tally *tally, uint32_t doc)
{
	const struct kb_rerank_parts *weights = &kb_rerank_weights;
	struct kb_rerank_parts parts = { .share = r->length > FULL_LENGTH
		                                          ? (float)FULL_LENGTH / (float)r->length
		                                          : 1 };

	read_passage(r, tally, doc);
	parts.pieces = score_pieces(r, tally);
	parts.pairs = score_pairs(r, tally);
	parts.sentence = tally->best_sentence;
	parts.first = tally->first == UINT32_MAX ? 0 : 1 / (1 + logf(1 + (float)tally->first));
	parts.sum = weights->pieces * parts.pieces
	            + parts.share
	                      * (weights->pairs * parts.pairs + weights->sentence * parts.sentence
	                         + weights->first * parts.first);
	tally->best_sentence = 0;
	tally->place = 0;
	return parts;
}

static int by_place(const void *a, const void *b)
{
	const struct kb_hit *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->doc < y->doc ? -1 : x->doc > y->doc;
}

static int by_score(const void *a, const void *b)
{
	const struct kb_hit *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return by_place(a, b);
}

static struct rerank *prepare(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                              const struct kb_terms *question)
{
	struct rerank *r = KB_NEW(arena, struct rerank);

	r->snapshot = snapshot;
	r->cache = KB_NEW_ARRAY(arena, CACHE_SLOTS, struct seen);
	r->hits = KB_NEW_ARRAY(arena, HITS_MAX, uint16_t);
	ask_words(r, question);
	ask_pieces(r, question);
	return r;
}

void kb_rerank(const struct kb_snapshot *snapshot, struct kb_arena *arena,
               const struct kb_terms *question, struct kb_hit *hits, size_t count)
{
	struct tally *tally = KB_NEW(arena, struct tally);
	uint32_t part = UINT32_MAX;
	struct rerank *r;

	if (!count)
		return;
	r = prepare(snapshot, arena, question);
	qsort(hits, count, sizeof(*hits), by_place); /* reads the file in its order */
	for (size_t i = 0; i < count; i++) {
		if (hits[i].part != part) {
			part = hits[i].part;
			enter_part(r, snapshot->parts[part].segment);
		}
		hits[i].score += score_passage(r, tally, hits[i].doc).sum;
	}
	qsort(hits, count, sizeof(*hits), by_score);
}

void kb_rerank_explain(const struct kb_snapshot *snapshot, const struct kb_terms *question,
                       const struct kb_hit *hits, size_t count, struct kb_rerank_parts *out)
{
	struct kb_arena arena = { 0 };
	struct rerank *r = prepare(snapshot, &arena, question);
	struct tally *tally = KB_NEW(&arena, struct tally);

	for (size_t i = 0; i < count; i++) {
		if (!i || hits[i].part != hits[i - 1].part)
			enter_part(r, snapshot->parts[hits[i].part].segment);
		out[i] = score_passage(r, tally, hits[i].doc);
	}
	kb_arena_fini(&arena);
}
