#include "answer/answerer.h"

#include <stdlib.h>

#include "answer/answerer_impl.h"

struct kb_answerer *kb_answerer_open(struct kb_store *store, struct kb_catalog *catalog,
                                     const struct kb_log *log)
{
	struct kb_answerer *answerer = kb_xcalloc(1, sizeof(*answerer));

	answerer->store = store;
	answerer->catalog = catalog;
	answerer->log = log;
	pthread_mutex_init(&answerer->lock, NULL);
	return answerer;
}

void kb_answerer_close(struct kb_answerer *answerer)
{
	if (!answerer)
		return;
	for (size_t i = 0; i < answerer->spare_count; i++)
		kb_analyzer_free(answerer->spare[i]);
	pthread_mutex_destroy(&answerer->lock);
	free(answerer);
}

int64_t kb_answerer_searches(struct kb_answerer *answerer)
{
	return atomic_load(&answerer->searches);
}

void kb_answerer_block(struct kb_answerer *answerer, struct kb_block_list *list)
{
	answerer->blocked = list;
}

void kb_answerer_models(struct kb_answerer *answerer, const struct kb_vectorizer *vectorizer,
                        const struct kb_reranker *reranker)
{
	answerer->vectorizer = vectorizer;
	answerer->reranker = reranker;
}

void kb_answerer_means(struct kb_answerer *answerer, const struct kb_meaning *meaning)
{
	answerer->meaning = meaning;
}

const struct kb_meaning *kb_answerer_meaning(const struct kb_answerer *answerer)
{
	return answerer->meaning;
}

struct kb_analyzer *kb_analyzer_borrow(struct kb_answerer *answerer)
{
	struct kb_analyzer *analyzer = NULL;

	pthread_mutex_lock(&answerer->lock);
	if (answerer->spare_count)
		analyzer = answerer->spare[--answerer->spare_count];
	pthread_mutex_unlock(&answerer->lock);
	return analyzer ? analyzer : kb_analyzer_new();
}

void kb_analyzer_give_back(struct kb_answerer *answerer, struct kb_analyzer *analyzer)
{
	pthread_mutex_lock(&answerer->lock);
	if (answerer->spare_count < KB_SPARE_ANALYZERS) {
		answerer->spare[answerer->spare_count++] = analyzer;
		analyzer = NULL;
	}
	pthread_mutex_unlock(&answerer->lock);
	kb_analyzer_free(analyzer);
}
