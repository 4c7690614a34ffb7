/* A passage as the question sees it. */
#include <string.h>

#include "answer/asked.h"
#include "answer/cues.h"
#include "base/hash.h"
#include "index/sentence.h"

enum {
	PREFIX = 5,     /* characters */
	PART_MIN = 4,   /* bytes of a common part that count */
	PART_WORD = 48, /* bytes of a word that are compared */
};

#define PART_SHARE 0.6f /* of the longer word, from which a common part counts */
#define KIN_LEAST  0.2f /* cosine of two words' vectors from which they are kin */

/* Length of the longest part two words have in common. */
static size_t common_part(struct kb_sv a, struct kb_sv b)
{
	uint8_t row[PART_WORD + 1] = { 0 };
	size_t best = 0;

	a.n = KB_MIN(a.n, (size_t)PART_WORD);
	b.n = KB_MIN(b.n, (size_t)PART_WORD);
	for (size_t i = 0; i < a.n; i++)
		for (size_t k = b.n; k > 0; k--) {
			row[k] = a.p[i] == b.p[k - 1] ? (uint8_t)(row[k - 1] + 1) : 0;
			best = KB_MAX(best, (size_t)row[k]);
		}
	return best;
}

/* The content term most like the word, by their longest common part. */
static void find_like(const struct kb_asked *a, struct kb_sv word, struct kb_asked_memo *memo)
{
	uint64_t grams = word.n >= PART_MIN ? kb_word_threes(word) : 0;

	for (int i = 0; i < a->term_count; i++) {
		const struct kb_asked_term *term = &a->terms[i];
		int both = __builtin_popcountll(grams & term->grams);
		float share;

		float least = PART_SHARE * (float)KB_MAX(word.n, term->word.n);

		/* A common part of n bytes has n - 2 threes; a few may fall together. */
		if (term->number || both < 2 || (float)KB_MIN(word.n, term->word.n) < least
		    || (float)(both + 4) < least)
			continue;
		share = (float)common_part(word, term->word) / (float)KB_MAX(word.n, term->word.n);
		if (share >= PART_SHARE && share > memo->share) {
			memo->share = share;
			memo->term = (int16_t)i;
		}
	}
}

/* The content term next to the word in meaning. */
static void find_kin(const struct kb_asked *a, struct kb_sv word, struct kb_asked_memo *memo)
{
	float v[KB_MEANING_DIMS];

	if (!kb_meaning_word(&a->meaning->question, word, v))
		return;
	for (int i = 0; i < a->term_count; i++) {
		float nearness = kb_meaning_dot(v, a->meaning->terms[i]);

		if (nearness >= KIN_LEAST && nearness > memo->nearness) {
			memo->nearness = nearness;
			memo->kin = (int16_t)i;
		}
	}
}

static const struct kb_asked_memo *look_at(struct kb_asked *a, const struct kb_term *t,
                                           uint64_t hash)
{
	struct kb_asked_memo *memo = &a->memo[hash % KB_ASKED_MEMO];

	if (memo->hash != hash) {
		*memo = (struct kb_asked_memo){ .hash = hash, .term = -1, .kin = -1 };
		if (!kb_is_cjk(t))
			find_like(a, t->word, memo);
		if (a->meaning)
			find_kin(a, t->word, memo);
	}
	return memo;
}

/* The term that the word's first five characters begin, as a bit set of terms. */
static bool same_prefix(struct kb_sv a, struct kb_sv b)
{
	size_t chars = 0, i = 0;

	for (; i < a.n && i < b.n; i++) {
		if (((unsigned char)a.p[i] & 0xc0) != 0x80 && chars++ == PREFIX)
			return true;
		if (a.p[i] != b.p[i])
			return false;
	}
	return chars >= PREFIX && (i < a.n ? ((unsigned char)a.p[i] & 0xc0) != 0x80 : true);
}

static bool is_year(struct kb_sv word)
{
	if (word.n != 4)
		return false;
	for (size_t i = 0; i < 4; i++)
		if (word.p[i] < '0' || word.p[i] > '9')
			return false;
	return word.p[0] == '1' || (word.p[0] == '2' && word.p[1] <= '1');
}

static void read_token(struct kb_asked *a, const struct kb_term *t, struct kb_read_token *token,
                       struct kb_read_sentence *s)
{
	uint64_t stem = kb_hash64(t->term), form = stem;
	const struct kb_asked_memo *memo;

	if (t->word.n != t->term.n)
		form = kb_hash64(t->word);
	*token = (struct kb_read_token){ .term = (int16_t)kb_asked_find(&a->stems, stem),
		                         .word = (int16_t)kb_asked_find(&a->words, stem),
		                         .like = -1,
		                         .capital = t->flags & KB_TERM_CAPITAL,
		                         .digit = t->flags & KB_TERM_NUMBER,
		                         .function = kb_is_function(t) };
	token->year = token->digit && is_year(t->word);
	if (token->term >= 0)
		s->terms |= UINT64_C(1) << token->term;
	token->raw = token->term >= 0 && kb_asked_find(&a->forms, form) == token->term;
	if (token->raw)
		s->raw |= UINT64_C(1) << token->term;
	if (token->word < 0 && a->q->type != KB_Q_OTHER && !kb_is_cjk(t))
		token->cue = kb_cue_in(a->cue_words, t->word);
	if (token->term >= 0 || token->function)
		return;
	memo = look_at(a, t, form);
	token->like = memo->term;
	token->share = memo->share;
	if (memo->kin >= 0)
		s->kin[memo->kin] = KB_MAX(s->kin[memo->kin], memo->nearness);
	if (token->like >= 0) {
		s->like[token->like] = KB_MAX(s->like[token->like], token->share);
		s->likes |= UINT64_C(1) << token->like;
		if (same_prefix(a->terms[token->like].word, t->word))
			s->soft |= UINT64_C(1) << token->like;
	}
}

/* ---- meaning ---- */

static void begin_meaning(struct kb_asked_meaning *m)
{
	kb_meaning_sum_begin(&m->passage);
	kb_meaning_sum_begin(&m->sentence);
	kb_meaning_sum_begin(&m->title);
}

static void read_meaning(struct kb_asked_meaning *m, struct kb_meaning_sum *own,
                         const struct kb_term *term)
{
	kb_meaning_sum_term(&m->question, term, own, &m->passage);
}

static void end_sentence(struct kb_asked_meaning *m, struct kb_read_sentence *sentence)
{
	sentence->near = kb_meaning_near(&m->question, &m->sentence);
	kb_meaning_sum_begin(&m->sentence);
}

/* What a word of a title has of a term. */
static void read_kin(struct kb_asked *a, const struct kb_term *t, float kin[KB_ASKED_TERMS])
{
	const struct kb_asked_memo *memo;

	if (t->flags & KB_TERM_PIECE || kb_is_function(t))
		return;
	memo = look_at(a, t, kb_hash64(t->word));
	if (memo->kin >= 0)
		kin[memo->kin] = KB_MAX(kin[memo->kin], memo->nearness);
	if (memo->term >= 0)
		kin[memo->term] = KB_MAX(kin[memo->term], memo->share);
}

float kb_asked_cover(const struct kb_read_sentence *sentence, int term)
{
	return sentence->terms >> term & 1 ? 1 : KB_MAX(sentence->like[term], sentence->kin[term]);
}

void kb_asked_read(struct kb_analyzer *analyzer, struct kb_arena *arena, struct kb_asked *a,
                   const struct kb_passage *from, struct kb_read_passage *out)
{
	struct kb_sentence *ranges;
	struct kb_terms terms;
	size_t s = 0, tokens = 0;

	if (a->meaning)
		begin_meaning(a->meaning);
	kb_sentences(arena, from->text, &ranges, &out->count);
	kb_analyze(analyzer, arena, a->q->lang, from->text, &terms);
	out->sentences = KB_NEW_ARRAY(arena, out->count, struct kb_read_sentence);
	out->tokens = KB_NEW_ARRAY(arena, terms.count, struct kb_read_token);
	for (size_t i = 0; i < out->count; i++) {
		out->sentences[i].start = ranges[i].start;
		out->sentences[i].end = ranges[i].end;
	}
	for (size_t i = 0; i < terms.count; i++) {
		const struct kb_term *t = &terms.v[i];
		struct kb_read_sentence *sentence;

		while (s < out->count && t->start >= ranges[s].end) {
			if (a->meaning)
				end_sentence(a->meaning, &out->sentences[s]);
			s++;
			if (s < out->count)
				out->sentences[s].first = tokens;
		}
		if (s == out->count)
			break;
		sentence = &out->sentences[s];
		if (a->meaning)
			read_meaning(a->meaning, &a->meaning->sentence, t);
		if (t->flags & KB_TERM_PIECE) {
			uint64_t hash = kb_hash64(t->term);
			int term = kb_asked_find(&a->stems, hash),
			    gram = kb_asked_find(&a->grams, hash);

			if (term >= 0)
				sentence->terms |= UINT64_C(1) << term;
			if (gram >= 0)
				sentence->grams |= UINT64_C(1) << gram;
			continue;
		}
		if (sentence->count == 0)
			sentence->leans = kb_pronoun_word(a->q->lang, t->word);
		read_token(a, t, &out->tokens[tokens++], sentence);
		sentence->count++;
	}
	if (a->meaning && s < out->count)
		end_sentence(a->meaning, &out->sentences[s]);
	for (int field = 0; field < 2; field++) {
		kb_analyze(analyzer, arena, a->q->lang, field ? from->heading : from->title,
		           &terms);
		for (size_t i = 0; i < terms.count; i++) {
			int term = kb_asked_find(&a->stems, kb_hash64(terms.v[i].term));

			if (term >= 0)
				out->title |= UINT64_C(1) << term;
			if (a->meaning)
				read_meaning(a->meaning, &a->meaning->title, &terms.v[i]);
			if (term < 0)
				read_kin(a, &terms.v[i], out->kin);
		}
	}
	if (a->meaning) {
		out->near.all = kb_meaning_near(&a->meaning->question, &a->meaning->passage);
		out->near.title = kb_meaning_near(&a->meaning->question, &a->meaning->title);
	}
	out->terms = out->title;
	for (size_t i = 0; i < out->count; i++)
		out->terms |= out->sentences[i].terms;
	out->soft = kb_asked_weight(a, out->terms);
	for (int t = 0; t < a->term_count; t++) {
		float best = 0;

		if (out->terms >> t & 1)
			continue;
		for (size_t i = 0; i < out->count; i++)
			best = KB_MAX(best, out->sentences[i].like[t]);
		if (best > 0)
			out->likes |= UINT64_C(1) << t;
		out->soft += best * a->terms[t].weight;
	}
	out->soft /= a->sum > 0 ? a->sum : 1;
}
