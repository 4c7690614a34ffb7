/*
 * Statements that say the same but for a figure: "A locker costs 12 euros a month", "A locker costs
 * 15 euros a month". Two are alike where their words are the same, by their stems and in their
 * order, but for those that say nothing, and their figures stand at the same places.
 *
 * A number is no figure but a part of what is said where it tells which thing is meant: of a code
 * ("A4"), behind what it counts off ("room 12", "version 2.1"), and a year beside another figure
 * ("In 2023 there were 14").
 *
 * Pure but for the arena and the analyzer, which is the calling thread's.
 */
#ifndef KB_ANSWER_STATEMENT_H
#define KB_ANSWER_STATEMENT_H

#include "index/analysis.h"

struct kb_statement {
	uint64_t words;   /* of all that is no figure; 0: it says too little to be compared */
	uint64_t figures; /* of those, in their order; 0: it has none */
};

void kb_statement_read(struct kb_analyzer *analyzer, enum kb_lang lang, struct kb_sv text,
                       struct kb_statement *out);

/* They say the same, perhaps with other figures. */
static inline bool kb_statement_alike(const struct kb_statement *a, const struct kb_statement *b)
{
	return a->words && a->words == b->words && !a->figures == !b->figures;
}

/* Not both can be so. */
static inline bool kb_statement_differs(const struct kb_statement *a, const struct kb_statement *b)
{
	return kb_statement_alike(a, b) && a->figures != b->figures;
}

#endif
