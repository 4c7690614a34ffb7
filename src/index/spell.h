/*
 * Words of a question that no passage holds, as the words that were probably meant.
 *
 * An unknown word of four letters or more gets the words of the index that one slip away from it
 * (Damerau, 1964: one letter dropped, added, replaced, or two neighbours swapped), half as heavy,
 * the three most widespread of them; where there is none, the two known words that it is made of;
 * beside an unknown neighbour, the known word that the two make together. Words are made and looked
 * up, not searched for: the dictionary stays as it is. Words with digits and function words are
 * left alone, and so are scripts whose terms are runs of characters.
 *
 * A question of known words costs one look-up a word. Pure but for the arena; an analyzer belongs to
 * one thread.
 */
#ifndef KB_INDEX_SPELL_H
#define KB_INDEX_SPELL_H

#include "index/index.h"

/* For a query of kb_query_build(). Adds the meant words to its terms (a new array) and lets them
 * stand in `question` where the unknown ones stood. `lang`: that of kb_query_build(). */
void kb_query_spell(struct kb_analyzer *analyzer, struct kb_arena *arena,
                    const struct kb_snapshot *snapshot, enum kb_lang lang, struct kb_query *query);

#endif
