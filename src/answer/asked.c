#include "answer/asked.h"

#include <math.h>

#include "answer/cues.h"
#include "base/hash.h"

/* Keys are their hashes, the lowest bit set: 0 is a free slot. Every word of every passage that is
 * read is looked up. A table is never full: a question has fewer words of a kind that count than it
 * has slots. */
static void put(struct kb_asked_table *table, struct kb_sv key, int value)
{
	uint64_t hash = kb_hash64(key) | 1;
	size_t i = hash >> 56;

	static_assert(KB_ASKED_SLOTS == 256, "the upper 8 bits of the hash choose the slot");
	for (size_t n = 0; n < KB_ASKED_SLOTS; n++, i = (i + 1) % KB_ASKED_SLOTS) {
		if (table->hash[i] == hash)
			return;
		if (table->hash[i] == 0) {
			table->hash[i] = hash;
			table->value[i] = (int16_t)value;
			return;
		}
	}
}

int kb_asked_find(const struct kb_asked_table *table, uint64_t hash)
{
	size_t i = (hash | 1) >> 56;

	for (; table->hash[i] != 0; i = (i + 1) % KB_ASKED_SLOTS)
		if (table->hash[i] == (hash | 1))
			return table->value[i];
	return -1;
}

static float idf(const struct kb_answer_stats *stats, struct kb_sv term)
{
	double n = (double)stats->passages;
	double df = (double)KB_MIN(stats->df(stats->arg, term), stats->passages);

	return (float)log(1 + (n - df + .5) / (df + .5));
}

/* A bit for each run of three bytes: how many two words have in common is an AND and a count, which
 * spares comparing most of them. */
uint64_t kb_word_threes(struct kb_sv word)
{
	uint64_t set = 0;

	for (size_t i = 0; i + 3 <= word.n; i++) {
		const unsigned char *p = (const unsigned char *)word.p + i;

		set |= UINT64_C(1) << ((p[0] * 37u + p[1] * 11u + p[2] * 5u) % 64);
	}
	return set;
}

static int add_term(struct kb_asked *a, const struct kb_term *t, float weight)
{
	int known = kb_asked_find(&a->stems, kb_hash64(t->term));
	struct kb_asked_term *term;

	if (known >= 0 || a->term_count == KB_ASKED_TERMS || !(weight > 0))
		return known;
	term = &a->terms[a->term_count];
	*term = (struct kb_asked_term){ .stem = t->term,
		                        .word = t->word,
		                        .weight = weight,
		                        .capital = t->flags & KB_TERM_CAPITAL,
		                        .number = t->flags & KB_TERM_NUMBER };
	if (!kb_is_cjk(t))
		term->grams = kb_word_threes(t->word);
	put(&a->stems, t->term, a->term_count);
	put(&a->forms, t->word, a->term_count);
	a->sum += weight;
	if (weight > a->heaviest) {
		a->heaviest = weight;
		a->main = a->term_count;
	}
	return a->term_count++;
}

/* A character that its neighbours, being function words, leave without a pair. */
static bool is_lone_character(const struct kb_terms *terms, size_t i)
{
	const struct kb_term *t = &terms->v[i];

	if (!kb_is_cjk(t) || !(t->flags & KB_TERM_PIECE) || kb_is_function(t))
		return false;
	for (size_t k = i < 3 ? 0 : i - 3; k < terms->count && k < i + 3; k++) {
		const struct kb_term *other = &terms->v[k];

		if (kb_is_cjk(other) && !(other->flags & KB_TERM_PIECE) && !kb_is_function(other)
		    && other->start <= t->start && other->end >= t->end)
			return false;
	}
	return true;
}

static void prepare_terms(struct kb_asked *a, const struct kb_answer_stats *stats, float *unknown)
{
	const struct kb_terms *terms = &a->q->terms;
	enum kb_lang lang = a->q->lang;
	bool thai = lang == KB_LANG_TH || lang == KB_LANG_LO || lang == KB_LANG_KM
	            || lang == KB_LANG_MY;

	for (int pass = 0; pass < 2 && a->term_count == 0; pass++)
		for (size_t i = 0; i < terms->count; i++) {
			const struct kb_term *t = &terms->v[i];
			bool content = !kb_is_function(t) && !(t->flags & KB_TERM_PIECE);

			/* A question of function words alone is taken at its word. */
			if (pass == 1)
				content = !(t->flags & (KB_TERM_STOP | KB_TERM_PIECE));
			if (content || (!thai && is_lone_character(terms, i)))
				add_term(a, t, idf(stats, t->term));
		}
	for (size_t i = 0; i < a->q->carried_count; i++) {
		const struct kb_query_term *c = &a->q->carried[i];
		struct kb_term t = { .term = c->term, .word = c->term };
		int own = a->term_count;

		add_term(a, &t, c->weight * idf(stats, c->term));
		if (a->term_count > own)
			a->carried |= UINT64_C(1) << own;
	}
	for (int i = 0; i < a->term_count; i++) {
		if (!a->terms[i].capital)
			a->plain |= UINT64_C(1) << i;
		if (stats->df(stats->arg, a->terms[i].stem) == 0)
			*unknown += a->terms[i].weight;
		if (a->terms[i].number)
			a->numbers |= UINT64_C(1) << i;
	}
	if (a->sum > 0)
		*unknown /= a->sum;
	for (size_t i = 0; i < terms->count; i++) {
		const struct kb_term *t = &terms->v[i];
		float weight;

		if (!kb_is_cjk(t) || !(t->flags & KB_TERM_PIECE) || kb_is_function(t)
		    || a->gram_count == KB_ASKED_GRAMS
		    || kb_asked_find(&a->grams, kb_hash64(t->term)) >= 0)
			continue;
		weight = idf(stats, t->term);
		put(&a->grams, t->term, a->gram_count);
		a->gram_weight[a->gram_count++] = weight;
		a->gram_sum += weight;
	}
}

static void prepare_words(struct kb_asked *a)
{
	const struct kb_terms *terms = &a->q->terms;
	int before = -1, content_before = -1, last = -1;
	bool asked_word = false, first = true, determined = false;

	a->focus = a->last = -1;
	for (size_t i = 0; i < terms->count; i++) {
		const struct kb_term *t = &terms->v[i];
		int word, term;

		if (t->flags & KB_TERM_PIECE)
			continue;
		word = kb_asked_find(&a->words, kb_hash64(t->term));
		term = kb_asked_find(&a->stems, kb_hash64(t->term));
		if (word < 0 && a->word_count < KB_ASKED_WORDS) {
			word = a->word_count++;
			put(&a->words, t->term, word);
			a->word_function[word] = kb_is_function(t);
			a->function_count += kb_is_function(t);
			a->word_weight[word] = term >= 0 ? a->terms[term].weight : 0;
		}
		if (word >= 0 && before >= 0 && !a->next[before][word] && a->pair_count < 64)
			a->next[before][word] = (uint8_t)(++a->pair_count);
		if (term >= 0 && !kb_is_function(t)) {
			float w = a->terms[term].weight;

			if (last >= 0 && last != term && a->near_count < KB_ASKED_TERMS)
				a->pairs[a->near_count++] =
				        (struct kb_asked_pair){ last, term,
					                        (w + a->terms[last].weight) / 2 };
			if (content_before >= 0 && content_before != term
			    && a->beside_count < KB_ASKED_TERMS)
				a->beside[a->beside_count++] = (struct kb_asked_pair){
					content_before, term,
					(w + a->terms[content_before].weight) / 2
				};
			if (!first && t->flags & KB_TERM_CAPITAL)
				a->names |= UINT64_C(1) << term;
			if (determined)
				a->subjects |= UINT64_C(1) << term;
			determined = false;
			if (asked_word && a->focus < 0)
				a->focus = term;
			last = content_before = term;
			a->last = term;
		} else {
			content_before = -1;
			determined = determined || kb_determiner_word(a->q->lang, t->word);
			/* The question word is a function word that is no stop word. */
			if (t->flags & KB_TERM_FUNCTION && !(t->flags & KB_TERM_STOP))
				asked_word = true;
		}
		before = word;
		first = false;
	}
	/* German begins every noun with a capital letter. */
	a->proper = a->q->lang == KB_LANG_DE ? 0 : a->names;
	a->subjects |= a->proper | a->numbers;
}

void kb_asked_prepare(struct kb_asked *asked, const struct kb_question *question,
                      const struct kb_answer_stats *stats, float *unknown)
{
	asked->q = question;
	asked->cue_words = kb_cue_words(question->lang, question->type);
	asked->cue_list = kb_cue_list(question->lang, question->type);
	prepare_terms(asked, stats, unknown);
	if (asked->term_count)
		prepare_words(asked);
}

float kb_asked_weight(const struct kb_asked *a, uint64_t set)
{
	float sum = 0;

	for (; set; set &= set - 1)
		sum += a->terms[__builtin_ctzll(set)].weight;
	return sum;
}
