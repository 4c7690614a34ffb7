#include "index/query.h"

#include "base/hash.h"
#include "index/codes.h"

#define QUERY_K3        8.0f
#define FUNCTION_WEIGHT .15f

/* A code outweighs the other words together even where these are said thrice in a short passage
 * and the code once in a long one: their parts of BM25 differ by a factor of 1.5 or so. */
#define CODE_LEAST    4.0f
#define CODE_FACTOR   1.5f
#define CODE_MOST     60.0f
#define CODE_PART     1.0f
#define NUMBER_FACTOR 1.5f

enum {
	TERMS_MAX = 4096, /* different ones; a question has a dozen */
	CODES_MAX = 200,
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
		                * (order[i]->function ? FUNCTION_WEIGHT : 1);
	}
	query->question = terms;
	query->terms = out;
	query->term_count = count;
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
