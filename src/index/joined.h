/*
 * Words that a question writes apart and the documents in one, or the other way round: back up,
 * back-up, backup; Passwort ändern, Passwortänderung; "ich logge mich ein", einloggen.
 *
 * Two neighbours whose words make one that the index knows add it to the query, and so do a German
 * verb and the particle that it sent to the end of the sentence. A word that no passage holds adds
 * the two known words that it is made of. All at half the weight of what they were made of: they
 * are other writings at best. Function words are joined only as the second of two (up, out, off),
 * for a question is full of others.
 *
 * Costs a look-up for each two neighbours. Pure but for the arena; any thread, with an analyzer of
 * its own.
 */
#ifndef KB_INDEX_JOINED_H
#define KB_INDEX_JOINED_H

#include "index/index.h"

/* For a query of kb_query_build() and its language: adds to the terms, in a new array. */
void kb_query_join(struct kb_analyzer *analyzer, struct kb_arena *arena,
                   const struct kb_snapshot *snapshot, enum kb_lang lang, struct kb_query *query);

#endif
