/*
 * The third ranking step: passages that speak of the same thing in other words, by their latent
 * factors (factors.h). Private to this folder; any thread.
 *
 * S3 = .62 S2 / max S2 + .38 max(0, cos(q', d)), q' = q + .6 of the mean of the three best
 * passages' d. The second step has read only the best by words; it reads those besides whose cosine
 * is the greatest, so that they are judged by the same measure.
 */
#ifndef KB_INDEX_FACTORS_RANK_H
#define KB_INDEX_FACTORS_RANK_H

#include "index/factors.h"
#include "index/rerank.h"

enum {
	KB_FACTORS_RERANK = 500, /* best by words that are ranked anew, at least */
	KB_FACTORS_READ = 64,    /* passages that the second step reads for this one, at most */
	/* An index of so many passages is searched for near ones with each question; a larger one
	 * only where words find few. */
	KB_FACTORS_SCAN_MAX = 20000,
};

/* Cosine from which a passage may be found that is not among the best by words. */
#define KB_FACTORS_NEAR .4f

/*
 * Ranks the hits of the step before anew (query->factors is the weight) and sorts them; their
 * scores stay of the same size: S3 * max S2. Passages that have no vector yet keep their S2. Where
 * words found fewer than KB_FACTORS_RERANK passages, or the index is small enough, those join in
 * that are near the question by their vectors. `second`, which may be NULL: what kb_rerank() gave
 * for the first query->rerank hits. The snapshot has a model; does nothing where none of its
 * parts has a column of that, or the model knows none of the question's words.
 */
void kb_factors_rerank(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                       const struct kb_query *query, struct kb_rerank *second, struct kb_hit **hits,
                       size_t *count);

#endif
