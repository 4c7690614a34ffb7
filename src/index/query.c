#include "index/query.h"

#include <math.h>

#include "base/hash.h"
#include "index/codes.h"
#include "index/snapshot.h"

#define QUERY_K3 8.0f

/* A code outweighs the other words together even where these are said thrice in a short passage
 * and the code once in a long one: their parts of BM25 differ by a factor of 1.5 or so. */
#define CODE_LEAST    4.0f
#define CODE_FACTOR   1.5f
#define CODE_MOST     60.0f
#define CODE_PART     1.0f
#define NUMBER_FACTOR 1.5f

/* A function word speaks for its language as much as a word that seven times as many passages know
 * in that language's stem. */
#define WORD_EVIDENCE 2.0

enum {
	TERMS_MAX = 4096, /* different ones; a question has a dozen */
	CODES_MAX = 200,
	/* A question's language: points by which the best must lead to be taken unseen, languages
	 * that are tried, those that one passage in so many is in, words that are looked up. */
	SURE_POINTS = 2 * KB_LANG_WORD_POINTS,
	READINGS_MAX = 8,
	READ_SHARE = 200,
	READ_TERMS_MAX = 24,
};

struct counted {
	struct kb_sv term;
	unsigned count;
	bool function; /* everywhere it stands */
};

/* The term's place in an open-addressed table, the first free one if it is new. */
static struct counted *place_of(struct counted *table, size_t slots, struct kb_sv term)
{
	size_t slot = kb_hash64(term) & (slots - 1);

	while (table[slot].count && !kb_sv_eq(table[slot].term, term))
		slot = (slot + 1) & (slots - 1);
	return &table[slot];
}

void kb_query_build(struct kb_analyzer *analyzer, struct kb_arena *arena, struct kb_sv text,
                    enum kb_lang lang, struct kb_query *query)
{
	struct kb_query_term *out;
	struct counted *table, **order;
	struct kb_terms terms;
	size_t slots = 16, count = 0;

	kb_analyze(analyzer, arena, lang, text, &terms);
	while (slots < 2 * KB_MIN(terms.count, (size_t)TERMS_MAX))
		slots *= 2;
	table = KB_NEW_ARRAY(arena, slots, struct counted);
	order = KB_NEW_ARRAY(arena, terms.count, struct counted *);
	for (size_t i = 0; i < terms.count && count < TERMS_MAX; i++) {
		const struct kb_term *term = &terms.v[i];
		bool function = term->flags & KB_TERM_FUNCTION;
		struct counted *place;

		if (term->flags & KB_TERM_STOP)
			continue;
		place = place_of(table, slots, term->term);
		if (!place->count) {
			order[count++] = place;
			*place = (struct counted){ .term = term->term, .function = true };
		}
		place->count++;
		place->function &= function;
	}
	out = KB_NEW_ARRAY(arena, count, struct kb_query_term);
	for (size_t i = 0; i < count; i++) {
		float n = (float)order[i]->count;

		out[i].term = order[i]->term;
		out[i].weight = n * (QUERY_K3 + 1) / (n + QUERY_K3)
		                * (order[i]->function ? KB_FUNCTION_WEIGHT : 1);
	}
	query->question = terms;
	query->terms = out;
	query->term_count = count;
}

/* How well the snapshot knows the text's words, read in a language. */
static double familiarity(struct kb_analyzer *analyzer, struct kb_arena *arena,
                          const struct kb_snapshot *snapshot, struct kb_sv text, enum kb_lang lang)
{
	struct kb_terms terms;
	double sum = 0;

	kb_analyze(analyzer, arena, lang, text, &terms);
	for (size_t i = 0; i < KB_MIN(terms.count, (size_t)READ_TERMS_MAX); i++)
		if (!(terms.v[i].flags
		      & (KB_TERM_STOP | KB_TERM_FUNCTION | KB_TERM_PIECE | KB_TERM_NUMBER)))
			sum += log(1 + (double)kb_snapshot_df(snapshot, terms.v[i].term));
	return sum;
}

enum kb_lang kb_query_lang(struct kb_analyzer *analyzer, struct kb_arena *arena,
                           const struct kb_snapshot *snapshot, struct kb_sv text)
{
	struct kb_lang_guess guesses[KB_LANG_COUNT];
	size_t count = kb_lang_guesses(text, guesses), tried = 0;
	uint64_t held[KB_LANG_COUNT] = { 0 };
	enum kb_lang best = guesses[0].lang;
	double most = -1;

	if (count == 1 || guesses[0].points >= guesses[1].points + SURE_POINTS)
		return best;
	for (size_t p = 0; p < snapshot->part_count; p++)
		kb_part_langs(&snapshot->parts[p], held);
	for (size_t i = 0; i < count && tried < READINGS_MAX; i++) {
		enum kb_lang lang = guesses[i].lang;
		double sum;

		if (guesses[i].points + SURE_POINTS <= guesses[0].points)
			break;
		if (i && held[lang] * READ_SHARE < snapshot->alive)
			continue;
		tried++;
		sum = familiarity(analyzer, arena, snapshot, text, lang)
		      + WORD_EVIDENCE * (double)guesses[i].points / KB_LANG_WORD_POINTS;
		/* Words that are the same in both: the passages are rather in the one. */
		if (sum > most || (sum >= most && held[lang] > held[best])) {
			most = sum;
			best = lang;
		}
	}
	return best;
}

static bool has_digit(struct kb_sv term)
{
	for (size_t i = 0; i < term.n; i++)
		if (term.p[i] >= '0' && term.p[i] <= '9')
			return true;
	return false;
}

static void raise_term(struct kb_query_term *terms, size_t *count, struct kb_sv term, float weight)
{
	for (size_t i = 0; i < *count; i++)
		if (kb_sv_eq(terms[i].term, term)) {
			terms[i].weight = KB_MAX(terms[i].weight, weight);
			return;
		}
	terms[(*count)++] = (struct kb_query_term){ term, weight };
}

void kb_query_codes(struct kb_arena *arena, struct kb_sv text, struct kb_query *query)
{
	struct kb_query_term *terms;
	struct kb_code *codes;
	size_t count, total = query->term_count;
	float sum = 0;

	kb_codes(arena, text, true, &codes, &count);
	count = KB_MIN(count, (size_t)CODES_MAX);
	if (count) {
		/* Search's weights, the factors and the table of meanings grow with the best score,
		 * so with a code's: they would lift what shares only the other words. */
		query->purpose = KB_FOR_ANSWERS;
		query->factors /= 2;
		query->meaning = NULL;
	}
	terms = KB_NEW_ARRAY(arena, total + count, struct kb_query_term);
	for (size_t i = 0; i < total; i++) {
		terms[i] = query->terms[i];
		if (has_digit(terms[i].term))
			terms[i].weight *= NUMBER_FACTOR;
		sum += terms[i].weight;
	}
	sum = KB_MIN(KB_MAX(CODE_LEAST, CODE_FACTOR * sum), CODE_MOST);
	for (size_t i = 0; i < count; i++)
		raise_term(terms, &total, codes[i].term, codes[i].part ? CODE_PART : sum);
	query->terms = terms;
	query->term_count = total;
}
