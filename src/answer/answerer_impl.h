/*
 * The answerer's insides, for the files that take the steps of an answer or of a search.
 *
 * An analyzer belongs to one thread at a time: a call borrows one, and gives it back at its end.
 */
#ifndef KB_ANSWER_ANSWERER_IMPL_H
#define KB_ANSWER_ANSWERER_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "answer/moderate.h"
#include "base/histogram.h"
#include "index/fusion.h"
#include "index/vectorizer.h"
#include "live/catalog.h"

enum { KB_SPARE_ANALYZERS = 64 };

struct kb_answerer {
	struct kb_store *store;
	struct kb_catalog *catalog;
	const struct kb_log *log;
	struct kb_block_list *blocked;          /* NULL: none */
	const struct kb_vectorizer *vectorizer; /* NULL: none */
	const struct kb_reranker *reranker;     /* NULL: none; without a question */
	const struct kb_meaning *meaning;       /* NULL: none */
	pthread_mutex_t lock;
	_Atomic int64_t searches;
	struct kb_analyzer *spare[KB_SPARE_ANALYZERS]; /* those not in use */
	size_t spare_count;
	struct kb_histogram search_times; /* kb_answerer_search_times() */
};

/* What one call works with. */
struct kb_answer_job {
	struct kb_answerer *answerer;
	struct kb_analyzer *analyzer; /* borrowed for the call */
	struct kb_arena *arena;       /* what the call gives and needs lives here */
};

struct kb_analyzer *kb_analyzer_borrow(struct kb_answerer *answerer);
void kb_analyzer_give_back(struct kb_answerer *answerer, struct kb_analyzer *analyzer);

#endif
