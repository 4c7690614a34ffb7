/*
 * Words of a question that no living passage holds, and the words of living passages that were
 * probably meant.
 *
 * An unknown word of four letters or more gets the three most widespread words of the index that
 * are one slip away from it (Damerau 1964: a letter too many, too few or another one, or two
 * neighbours swapped), half as heavy; the likeliest stands in its place in the second ranking step
 * too. The words are made and looked up, so the dictionary needs nothing for it and the cost is
 * bounded. Function words, words with digits, and scripts whose terms are runs of characters are
 * left alone.
 *
 * A question of known words costs a look-up a word. Pure but for the arena; any thread, with an
 * analyzer of its own.
 */
#ifndef KB_INDEX_SPELL_H
#define KB_INDEX_SPELL_H

#include "index/index.h"

/* For a query of kb_query_build() and its language. Sets meant, adds to the terms (in a new array)
 * and lets the likeliest words stand in `question` where the unknown ones stood, but for short
 * names. */
void kb_query_spell(struct kb_analyzer *analyzer, struct kb_arena *arena,
                    const struct kb_snapshot *snapshot, enum kb_lang lang, struct kb_query *query);

#endif
