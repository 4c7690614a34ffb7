/*
 * Finding passages by words and, where there is a model for it, by vectors and a reranker: what
 * answers and the search endpoint share.
 *
 * The question is embedded by the model that embeds passages (index/vectorizer.h). Passages of
 * segments that have that model's column are found by vectors too; others, and all of them when the
 * model is slow or away, by words alone. A document takes part as soon as it has words and gains
 * vectors later, and so does an agent whose operator changes the model. Labels and deletions hold
 * for both ways. Without models it is kb_search(), byte for byte.
 */
#ifndef KB_ANSWER_RETRIEVE_H
#define KB_ANSWER_RETRIEVE_H

#include "answer/answerer_impl.h"
#include "answer/evidence.h"
#include "index/rank.h"

struct kb_retrieval {
	const struct kb_snapshot *snapshot;
	const struct kb_query *words; /* its limit is the result's */
	struct kb_sv question;        /* what is embedded, and read by the reranker */
	bool rerank;                  /* the agent's capability is worth a reranker */
};

/* How a search by meaning went; for the explanation. */
enum kb_vectors_use {
	KB_VECTORS_OFF,    /* nobody makes vectors */
	KB_VECTORS_NONE,   /* no passage has a vector of that model */
	KB_VECTORS_FAILED, /* it did not embed the question in time */
	KB_VECTORS_USED,
};
enum kb_reranker_use {
	KB_RERANKER_OFF, /* there is none, or the agent's capability does not ask for it */
	KB_RERANKER_FAILED,
	KB_RERANKER_USED,
};

struct kb_retrieved {
	struct kb_hit *hits; /* best first, the scores fused */
	size_t count;
	enum kb_vectors_use vectors;
	enum kb_reranker_use reranker;
	struct kb_hybrid_trace trace;
	/* Where vectors are used: the question's, its column, and how near what was found is. */
	struct kb_vector_column column;
	const struct kb_vector *asked;
	struct kb_nearness nearness;
};
void kb_retrieve(const struct kb_answerer *answerer, struct kb_arena *arena,
                 const struct kb_retrieval *retrieval, struct kb_retrieved *out);

/* Gives the hits the scores that they have by words alone, as kb_search() computes them in its
 * first two steps where it did not list them, and leaves their order. */
void kb_retrieved_word_scores(struct kb_arena *arena, const struct kb_retrieval *retrieval,
                              const struct kb_retrieved *retrieved, struct kb_hit *hits,
                              size_t count);

/* Fills in how near the candidate of that part and doc is to the question, and how near its
 * sentences are. Where either has no vector, nothing, and the nearness is not known any more. */
void kb_retrieved_measure(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                          struct kb_retrieved *retrieved, struct kb_candidate *candidate);

#endif
