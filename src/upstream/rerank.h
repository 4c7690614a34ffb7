/*
 * Passages judged by a model that reads them together with the question: POST {url}/rerank with
 * {model, query, documents, top_n}, answered with {results: [{index, relevance_score}]}.
 *
 * Calls block; any thread but a loop's.
 */
#ifndef KB_UPSTREAM_RERANK_H
#define KB_UPSTREAM_RERANK_H

#include "index/fusion.h"
#include "upstream/client.h"

enum {
	KB_RANKER_MS = 2000,
	KB_RANKER_TOP = 50,          /* passages that it reads */
	KB_RANKER_TEXT_BYTES = 4000, /* of one of them */
};
/* Of its scores; the fused ones have the rest. No reranker was at hand to measure with: the word
 * and vector scores keep enough of a say that a bad one does not empty the first page. */
#define KB_RANKER_WEIGHT .7f

struct kb_ranker;

struct kb_ranker_config {
	struct kb_sv url; /* of kb_upstream_check(), with "/rerank" */
	const char *name, *key;
	const struct kb_log *log;
};
struct kb_ranker *kb_ranker_open(const struct kb_ranker_config *config,
                                 struct kb_err *err) KB_MUST_CHECK;
/* As the embedder's. NULL is fine, also below. */
void kb_ranker_cancel(struct kb_ranker *ranker);
void kb_ranker_close(struct kb_ranker *ranker);

/* What it is for. Lives as long as the ranker. */
const struct kb_reranker *kb_ranker_reranker(const struct kb_ranker *ranker);

/* Reads an answer: a finite score for each of `count` documents, each once, in any order. Members
 * that we do not know are passed over. KB_E_UPSTREAM says what is wrong with it. Pure. */
bool kb_rerank_read(struct kb_sv answer, size_t count, float *scores,
                    struct kb_err *err) KB_MUST_CHECK;

#endif
