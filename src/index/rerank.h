/*
 * The second ranking step: the best passages of the first, looked at word by word.
 *
 *   S2 = S1 + .125 C4 + .53 M V + min(1, 6 / n) (.33 P + .53 N + 1.75 F + .55 M T)   for search
 *   S2 = S1 + .15 C4 + min(1, 6 / n) (.3 P + .1 U + .5 F)                             for answers
 *
 * n is the number of the question's words without function words, M the first step's best score.
 * C4: BM25F over letter pieces (forward.h) of the unstemmed words, title and heading together
 *     times 3: near spellings, parts of compounds, words the stemmer missed. Pieces of one word
 *     come together, so what all have in common would count many times: they weigh idf to the power
 *     of 1.5.
 * P: for each two neighbours a, b of the question (function words skipped)
 *     (idf a + idf b) / 2 * c / (c + 1), c = how often b stands 1 to 3 words after a.
 * N: for each two words of the question, neighbours there or not, that stand d <= 8 words apart in
 *     the passage, in any order: sqrt(idf a * idf b) * g, g the greatest 1 / (1 + d), half of it
 *     where a sentence ends between them (after Tao, Zhai 2007; Buettcher, Clarke, Lushman 2006).
 * F: 1 / (1 + ln(1 + p)), p the place of the first word of the question, title first.
 * U: the best sentence's sum of idf over the different words of the question in it.
 * V: the share of the question's words that the best sentence has, from 0 to 1. A word weighs
 *     ln((k + 1) / (df + .5)), df = how many of the first step's best k = 50 passages have it: what
 *     most of them have does not tell them apart; one that none of them has weighs nothing.
 * T: the share of the title's words that the question has, function words left out.
 *
 * The weights for search are fitted over all sets of docs/makers/search.md together, and judged
 * there with each set left out of the fit in its turn. Answers keep weights of their own: their
 * tables read these scores beside figures that say the same as V, N and T, and are better without.
 * Pure but for the arena; any thread.
 */
#ifndef KB_INDEX_RERANK_H
#define KB_INDEX_RERANK_H

#include "index/index.h"
#include "index/rerank_figures.h"

enum { KB_RERANK_DEFAULT = 200 };

/* The figures of the formula. */
extern const char *const kb_rerank_names[KB_RERANK_FIGURES];

/* A question as the step asks it of one snapshot, and what it learned of the best passages. */
struct kb_rerank;

/* Adds what the step finds to the scores of hits, the first step's best, and sorts them again. Hits
 * of parts without sequences of words keep their scores. What is returned lives in the arena. */
struct kb_rerank *kb_rerank(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                            const struct kb_query *query, struct kb_hit *hits, size_t count);

/* Adds the same to the first step's scores of other passages; leaves their order alone. */
void kb_rerank_more(struct kb_rerank *rerank, struct kb_hit *hits, size_t count);

/* What kb_rerank() learns of the first step's best, without ranking them: at least KB_RERANK_BEST,
 * if there were so many, with their scores. What is returned lives in the arena. */
enum { KB_RERANK_BEST = 50 };
struct kb_rerank *kb_rerank_learn(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                                  const struct kb_query *query, const struct kb_hit *best,
                                  size_t count);

/* What the step adds to the score of each hit, and why: out[i] is of hits[i]. */
void kb_rerank_explain(struct kb_rerank *rerank, const struct kb_hit *hits, size_t count,
                       struct kb_rerank_parts *out);

#endif
