/*
 * Whether two questions ask for the same, as far as their words tell: what keeps a checked answer
 * (verified.h) from a question that is only near to one of its own. Pure but for the arena and the
 * analyzer, which is the calling thread's.
 */
#ifndef KB_ANSWER_BOUND_H
#define KB_ANSWER_BOUND_H

#include "index/analysis.h"

/* The words of a text as they are compared. They point into the text. */
struct kb_bound_words;
const struct kb_bound_words *kb_bound_read(struct kb_analyzer *analyzer, struct kb_arena *arena,
                                           enum kb_lang lang, struct kb_sv text);

/* All terms of the text, for who needs them too. */
const struct kb_terms *kb_bound_terms(const struct kb_bound_words *words);
/* With its texts, and no more than comparing by kb_bound_is() needs: kb_bound_same() finds it like
 * none. */
const struct kb_bound_words *kb_bound_copy(struct kb_arena *arena,
                                           const struct kb_bound_words *words);

/* Whether a normalised word turns what is said into its opposite: "not", "ohne". */
bool kb_bound_is_polar(enum kb_lang lang, struct kb_sv word);

/* The same words but for case, marks and blanks. */
bool kb_bound_same(const struct kb_bound_words *asked, const struct kb_bound_words *question);
/* The lesser of the shares of content words that one has of the other; of fewer than two, 0. */
float kb_bound_shared(const struct kb_bound_words *asked, const struct kb_bound_words *question);
/* Whether what is asked is bound to the same things as that question, which has that answer:
 * numbers, codes and words of negation the same, names and units in the question or the answer, no
 * opposites, and no single word put in another's place. is_sure: by its meaning it is so near that
 * one may stand there. */
bool kb_bound_is(const struct kb_bound_words *asked, const struct kb_bound_words *question,
                 const struct kb_bound_words *answer, bool is_sure);

#endif
