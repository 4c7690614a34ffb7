#include "index/query.h"

#include "base/hash.h"

#define QUERY_K3        8.0f
#define FUNCTION_WEIGHT .15f

enum { TERMS_MAX = 4096 }; /* different ones; a question has a dozen */

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
