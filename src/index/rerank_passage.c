/* The half that reads passages: their words as far as the question asks, counted. */
#include "index/rerank_passage.h"

#include <math.h>

enum {
	SEEN_SLOTS = 1 << 14,
	SEEN_MAX = SEEN_SLOTS / 2, /* words in hand */
	HITS_MAX = 1 << 16,        /* piece hits of the words seen, summed */
};

static const struct {
	float k1, body_b, title_b, title_weight;
} piece_scoring = { .k1 = 1.2f, .body_b = .75f, .title_b = .5f, .title_weight = 3 };

/* A word of a part's passages, as far as the question asks. */
struct seen {
	uint32_t word;
	uint8_t asked; /* place among the question's words, or NO_WORD */
	uint8_t piece_count;
	uint16_t hit_count; /* pieces that the question has too */
	uint32_t hits;      /* in rerank.hits[] */
};

void kb_rerank_enter(struct kb_rerank *r, const struct kb_segment *segment)
{
	r->segment = segment;
	for (size_t w = 0; w < r->word_count; w++) {
		struct kb_dict_entry entry;

		r->terms[w] =
		        kb_dict_find(segment, r->words[w], &entry) ? entry.number : UINT32_MAX;
	}
	if (r->seen_count)
		memset(r->slots, 0, SEEN_SLOTS * sizeof(*r->slots));
	r->seen_count = r->hit_count = 0;
}

static void look_up(struct kb_rerank *r, uint32_t number, struct seen *seen)
{
	uint32_t pieces[KB_WORD_PIECES_MAX], term;
	struct kb_sv word;
	size_t n;

	*seen = (struct seen){ .word = number, .asked = NO_WORD, .hits = (uint32_t)r->hit_count };
	if (!kb_forward_word_at(r->segment, number, &word, &term))
		return;
	for (size_t w = 0; w < r->word_count; w++)
		if (r->terms[w] == term)
			seen->asked = (uint8_t)w;
	if (!word.n || kb_rerank_is_cjk(word))
		return;
	n = kb_word_pieces(word, pieces);
	seen->piece_count = (uint8_t)KB_MIN(n, (size_t)UINT8_MAX);
	for (size_t i = 0; i < n && r->hit_count < HITS_MAX; i++) {
		uint16_t slot = *kb_rerank_slot(r, pieces[i]);

		if (slot)
			r->hits[r->hit_count++] = (uint16_t)(slot - 1);
	}
	seen->hit_count = (uint16_t)(r->hit_count - seen->hits);
}

static const struct seen *see(struct kb_rerank *r, uint32_t number)
{
	uint32_t slot = number * UINT32_C(0x9e3779b1) >> 18;
	struct seen *seen;

	static_assert(SEEN_SLOTS == 1 << (32 - 18), "the shift fits the table");
	for (; r->slots[slot]; slot = (slot + 1) % SEEN_SLOTS) {
		seen = &r->seen[r->slots[slot] - 1];
		if (seen->word == number)
			return seen;
	}
	if (r->seen_count == SEEN_MAX) { /* a rare flood of words: start again */
		kb_rerank_enter(r, r->segment);
		return see(r, number);
	}
	seen = &r->seen[r->seen_count++];
	r->slots[slot] = (uint16_t)r->seen_count;
	look_up(r, number, seen);
	return seen;
}

/* One passage's counts. */
struct tally {
	uint16_t counts[2][PIECES_MAX]; /* title and heading, body */
	uint16_t touched[PIECES_MAX];
	size_t touched_count;
	uint32_t lengths[2]; /* in pieces */
	uint16_t pair_counts[WORDS_MAX][WORDS_MAX];
	float nearest[WORDS_MAX][WORDS_MAX]; /* a < b */
	struct pair {
		uint8_t a, b;
	} pairs[WORDS_MAX * WORDS_MAX], near[WORDS_MAX * WORDS_MAX / 2];
	size_t pair_count, near_count;
	uint64_t sentence;       /* words of the question in the sentence in hand */
	uint32_t place, first;   /* words so far; of the first asked one, UINT32_MAX: none */
	uint32_t sentence_start; /* its place */
	uint64_t title;          /* words of the question there */
	uint32_t title_words;
	uint8_t recent[RECENT]; /* words of the question at the last places, by place */
	struct found *found;
};

static void count_pieces(const struct kb_rerank *r, struct tally *tally, const struct seen *seen,
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

static void count_pairs(const struct kb_rerank *r, struct tally *tally, uint8_t word)
{
	for (unsigned back = 1; back <= PAIR_REACH && r->any_pair[word]; back++) {
		uint8_t a = tally->recent[(tally->place - back) % RECENT];

		if (a == NO_WORD || !(r->pairs[a][word] > 0))
			continue;
		if (!tally->pair_counts[a][word])
			tally->pairs[tally->pair_count++] = (struct pair){ a, word };
		if (tally->pair_counts[a][word] < UINT16_MAX)
			tally->pair_counts[a][word]++;
	}
}

static void count_near(struct tally *tally, uint8_t word)
{
	for (unsigned back = 1; back <= NEAR_REACH; back++) {
		uint8_t other = tally->recent[(tally->place - back) % RECENT];
		uint8_t a = KB_MIN(other, word), b = KB_MAX(other, word);
		float nearness = 1 / (1 + (float)back);

		if (b == NO_WORD || a == b)
			continue;
		if (tally->place - back < tally->sentence_start)
			nearness /= 2;
		if (!(tally->nearest[a][b] > 0))
			tally->near[tally->near_count++] = (struct pair){ a, b };
		tally->nearest[a][b] = KB_MAX(tally->nearest[a][b], nearness);
	}
}

static void count_word(const struct kb_rerank *r, struct tally *tally, uint8_t word)
{
	tally->first = KB_MIN(tally->first, tally->place);
	tally->sentence |= UINT64_C(1) << word;
	count_pairs(r, tally, word);
	count_near(tally, word);
}

/* Keeps the words of the sentence in hand. One that another has too says nothing; when there are
 * too many, the one that weighs least goes. */
static void end_sentence(const struct kb_rerank *r, struct tally *tally)
{
	struct found *found = tally->found;
	uint64_t words = tally->sentence;
	size_t least = 0;

	tally->sentence = 0;
	tally->sentence_start = tally->place;
	for (size_t i = 0; i < found->sentence_count; i++)
		if (!(words & ~found->sentences[i]))
			return;
	if (!words)
		return;
	found->words |= words;
	if (found->sentence_count < SENTENCES_MAX) {
		found->sentences[found->sentence_count++] = words;
		return;
	}
	for (size_t i = 1; i < SENTENCES_MAX; i++)
		if (kb_rerank_sum(r->idf, found->sentences[i])
		    < kb_rerank_sum(r->idf, found->sentences[least]))
			least = i;
	if (kb_rerank_sum(r->idf, words) > kb_rerank_sum(r->idf, found->sentences[least]))
		found->sentences[least] = words;
}

static void take_place(struct tally *tally, uint8_t word)
{
	tally->recent[tally->place++ % RECENT] = word;
}

static void read_passage(struct kb_rerank *r, struct tally *tally, uint32_t doc)
{
	struct kb_sv stream = kb_forward_stream(r->segment, doc);
	const uint8_t *p = (const uint8_t *)stream.p, *end = stream.n ? p + stream.n : p;
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
		if (!fields) {
			tally->title_words++;
			if (seen->asked != NO_WORD)
				tally->title |= UINT64_C(1) << seen->asked;
		}
		if (seen->asked != NO_WORD)
			count_word(r, tally, seen->asked);
		take_place(tally, seen->asked);
	}
	end_sentence(r, tally);
}

/* C4, and clears the counts for the next passage. */
static float score_pieces(struct kb_rerank *r, struct tally *tally)
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
		r->piece_seen[piece]++;
		tally->counts[0][piece] = tally->counts[1][piece] = 0;
	}
	r->seen_sums.title += tally->lengths[0];
	r->seen_sums.body += tally->lengths[1];
	tally->touched_count = 0;
	tally->lengths[0] = tally->lengths[1] = 0;
	return score;
}

static float score_pairs(const struct kb_rerank *r, struct tally *tally)
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

static float score_near(const struct kb_rerank *r, struct tally *tally)
{
	float score = 0;

	for (size_t i = 0; i < tally->near_count; i++) {
		struct pair pair = tally->near[i];

		score += sqrtf(r->idf[pair.a] * r->idf[pair.b]) * tally->nearest[pair.a][pair.b];
		tally->nearest[pair.a][pair.b] = 0;
	}
	tally->near_count = 0;
	return score;
}

/* All but the sentence's figure. */
void kb_rerank_look_at(struct kb_rerank *r, uint32_t doc, struct found *found)
{
	struct tally *tally = r->tally;
	float *values = found->parts.values;

	*found = (struct found){ 0 };
	tally->found = found;
	tally->place = tally->sentence_start = tally->title_words = 0;
	tally->title = 0;
	read_passage(r, tally, doc);
	values[KB_RERANK_PIECES] = score_pieces(r, tally);
	values[KB_RERANK_PAIRS] = score_pairs(r, tally);
	values[KB_RERANK_NEAR] = score_near(r, tally);
	if (tally->first != UINT32_MAX)
		values[KB_RERANK_FIRST] = 1 / (1 + logf(1 + (float)tally->first));
	if (tally->title_words)
		values[KB_RERANK_TITLE] =
		        (float)__builtin_popcountll(tally->title) / (float)tally->title_words;
}

void kb_rerank_ready(struct kb_rerank *r, struct kb_arena *arena)
{
	r->slots = KB_NEW_ARRAY(arena, SEEN_SLOTS, uint16_t);
	r->seen = KB_NEW_ROOM(arena, SEEN_MAX, struct seen);
	r->hits = KB_NEW_ROOM(arena, HITS_MAX, uint16_t);
	r->tally = KB_NEW(arena, struct tally);
}
