/*
 * Who answers: one for the process, with what all answers share. The request is request.h, the
 * answer answer.h, a search without an answer find.h.
 *
 * main() opens it before the first question and closes it after the last; any number of threads may
 * use it at once. The store, the catalog and the log outlive it.
 */
#ifndef KB_ANSWER_ANSWERER_H
#define KB_ANSWER_ANSWERER_H

#include "answer/moderate.h"
#include "live/catalog.h"

struct kb_answerer;

struct kb_answerer *kb_answerer_open(struct kb_store *store, struct kb_catalog *catalog,
                                     const struct kb_log *log);
void kb_answerer_close(struct kb_answerer *answerer);
/* How long finding and ranking took, of each answer. Lives as long as the answerer. */
struct kb_histogram *kb_answerer_search_times(struct kb_answerer *answerer);
/* Refuse prompts that the list holds; before the first answer. The list outlives the answerer. */
void kb_answerer_block(struct kb_answerer *answerer, struct kb_block_list *list);

/* Searches for questions so far, in the documents of one agent each. */
int64_t kb_answerer_searches(struct kb_answerer *answerer);

/* Search by vectors too, and let a reranker judge where an agent's capability asks for it; before
 * the first answer. Either may be NULL; they outlive the answerer. */
struct kb_vectorizer;
struct kb_reranker;
void kb_answerer_models(struct kb_answerer *answerer, const struct kb_vectorizer *vectorizer,
                        const struct kb_reranker *reranker);

/* Search by what words mean (index/meaning.h); before the first answer. NULL: no. The table
 * outlives the answerer. */
struct kb_meaning;
void kb_answerer_means(struct kb_answerer *answerer, const struct kb_meaning *meaning);
/* That table. */
const struct kb_meaning *kb_answerer_meaning(const struct kb_answerer *answerer);

#endif
