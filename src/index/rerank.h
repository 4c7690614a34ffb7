/*
 * The second ranking step: the best passages of the first, looked at word by word.
 *
 *   S2 = S1 + .15 C4 + min(1, 6 / n) (.3 P + .1 U + .5 F)
 *
 * n is the number of the question's words without function words.
 * C4: BM25F over letter pieces (forward.h) of the unstemmed words, title and heading together
 *     times 3: near spellings, parts of compounds, words the stemmer missed.
 * P: for each two neighbours a, b of the question (function words skipped)
 *     (idf a + idf b) / 2 * c / (c + 1), c = how often b stands 1 to 3 words after a.
 * U: the best sentence's sum of idf over the different words of the question in it.
 * F: 1 / (1 + ln(1 + p)), p the place of the first word of the question, title first.
 *
 * What each is worth stands in docs/search.md. Pure but for the arena; any thread.
 */
#ifndef KB_INDEX_RERANK_H
#define KB_INDEX_RERANK_H

#include "index/index.h"

enum { KB_RERANK_DEFAULT = 200 };

/* What the step makes of one passage: the figures of the formula, and what they add to its score.
 */
struct kb_rerank_parts {
	float pieces, pairs, sentence, first; /* C4, P, U, F */
	float share;                          /* min(1, 6 / n) */
	float sum;
};

/* Adds what the step finds to the scores of hits and sorts them again. Hits of parts without
 * sequences of words keep their scores. */
void kb_rerank(const struct kb_snapshot *snapshot, struct kb_arena *arena,
               const struct kb_terms *question, struct kb_hit *hits, size_t count);

/* What kb_rerank() adds to the score of each hit, and why. */
void kb_rerank_explain(const struct kb_snapshot *snapshot, const struct kb_terms *question,
                       const struct kb_hit *hits, size_t count, struct kb_rerank_parts *out);
/* The weight of each figure in the formula. */
extern const struct kb_rerank_parts kb_rerank_weights;

#endif
