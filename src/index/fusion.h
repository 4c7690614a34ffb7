/*
 * Several ways of finding, one list: by words, by vectors, and what a reranker says of the best.
 *
 * Fusing is arithmetic over lists of hits; nothing here knows where they come from. Reciprocal
 * ranks (Cormack, Clarke, Büttcher 2009): the hit at place p of a list, from 1, counts
 * weight / (5 + p), and nothing in a list that it is not in. So scores that mean nothing to each
 * other need not be compared. One score says more: where the first of the words' list leads the
 * second by a share x of its score, it counts 1 + 4 x times as much. A question in the document's
 * own words, or a code, is found by words with a wide lead; one in other words has a list of near
 * equals. Words weigh half of what vectors do. Fitted on ten sets of natural questions and fifteen
 * others at once (docs/decisions/2026-11-27-fusion.md).
 *
 * Pure but for the arena; any thread.
 */
#ifndef KB_INDEX_FUSION_H
#define KB_INDEX_FUSION_H

#include "index/index.h"

struct kb_hit_list {
	const struct kb_hit *hits; /* best first, each passage once */
	size_t count;
	float weight;
	bool leads; /* its first counts by its lead */
};
/* What the list adds to a hit's fused score; NAN: the hit is not in it. */
float kb_fuse_part(const struct kb_hit_list *list, const struct kb_hit *hit);
/* The best `limit` of all lists, best first, equal scores by (part, doc). */
void kb_fuse(struct kb_arena *arena, const struct kb_hit_list *lists, size_t list_count,
             size_t limit, struct kb_hit **hits, size_t *count);

/* What each way of finding said, for whoever asks why. Lives in the arena. */
struct kb_hybrid_trace {
	struct kb_hit_list lists[2]; /* words, vectors, as they were fused */
	struct kb_hit *fused; /* before the reranker; NULL where nothing was found by vectors */
	size_t fused_count;
	const struct kb_hit
	        *judged; /* what the reranker said of the best, in the fused order; the
	                    score is the reranker's own. NULL: it was not asked, or failed */
	size_t judged_count;
};

struct kb_health_stats; /* out/health.h */

/* A model that reads question and passage together: a server's (upstream/rerank.h), or one in the
 * process. Who has a question takes a copy and puts it in. */
struct kb_reranker {
	/* Fills a score for each passage, greater is better, of any range. False leaves the order
	 * as it is; whoever gave the function says why. May block. */
	bool (*score)(void *arg, struct kb_sv question, const struct kb_passage *passages,
	              size_t count, float *scores);
	/* How it does. Never blocks. */
	void (*stats)(void *arg, struct kb_health_stats *out);
	void *arg;
	struct kb_sv question;
	size_t top;   /* how many of the best it gets */
	float weight; /* of its scores, brought to 0 to 1; the fused ones have the rest to 1 */
};
/* Ranks the best `top` anew. Afterwards these have scores from 1 to 2, the others from 0 to 1 in
 * their old order. False: a passage could not be read, or the reranker failed or gave what is no
 * number; the hits are unchanged. */
bool kb_rerank_by(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                  const struct kb_reranker *reranker, struct kb_hit *hits, size_t count,
                  struct kb_hybrid_trace *trace);

#endif
