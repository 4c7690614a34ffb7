/*
 * The fourth ranking step: how near the question's meaning the best passages are, by a table of
 * word vectors (meaning.h). Private to this folder.
 *
 *   S4 = S + M g (.067 z(passage) + .05 z(best sentence) + .083 z(title and headings))
 *
 * S is the score so far, M its best. z are the cosines of the question's vector with the passage's,
 * that of its nearest sentence, and that of its title and headings, as standard scores over the
 * best KB_MEANING_BEST passages: to what all of these have in common the step says nothing. (Of few
 * passages the deviation is drawn towards the usual one.) g = k^2
 * min(1, 5 / n)^3: n is the number of the question's words without function words, k the share of
 * them, by rarity, that have a row of their own. So it has most to say of a short question in plain
 * words, least of a long one in terms of a science.
 *
 * A passage's words are read from its sequence (forward.h): nothing is stored for the step, and no
 * text is unpacked. Pure but for the arena; any thread.
 */
#ifndef KB_INDEX_MEANING_RANK_H
#define KB_INDEX_MEANING_RANK_H

#include "index/index.h"

enum { KB_MEANING_BEST = 50 };

/* Adds what the step finds of the first KB_MEANING_BEST hits to their scores, which are given
 * apart. The query has a table, as in the other two. */
void kb_meaning_add_scores(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                           const struct kb_query *query, const struct kb_hit *hits, size_t count,
                           float *scores);

/* Does so with the scores of hits, which are sorted, and sorts all of them again. */
void kb_meaning_rerank(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                       const struct kb_query *query, struct kb_hit *hits, size_t count);

/* The best `limit` of hits by the scores that kb_meaning_rerank() would give, with their own scores
 * and in their own order; returns how many. */
size_t kb_meaning_choose(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                         const struct kb_query *query, struct kb_hit *hits, size_t count,
                         size_t limit);

#endif
