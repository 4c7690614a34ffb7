#include "answer/retrieve.h"

#include <stdlib.h>

#include "index/explain.h"

enum { TAIL = 50 }; /* the place whose cosine says what is near by chance */

/* Whether any part has the column at all: else nobody needs to be asked for the question's vector.
 */
static bool has_column(const struct kb_snapshot *snapshot, const struct kb_vector_column *column)
{
	return kb_snapshot_column_parts(snapshot, column->name, column->model) > 0;
}

static enum kb_vectors_use embed(const struct kb_answerer *answerer, struct kb_arena *arena,
                                 const struct kb_retrieval *retrieval,
                                 struct kb_vector_query *query, struct kb_vector_column *column)
{
	const struct kb_vectorizer *with = answerer->vectorizer;
	struct kb_err err;

	if (!with)
		return KB_VECTORS_OFF;
	if (!with->known(with->arg, column) || !has_column(retrieval->snapshot, column))
		return KB_VECTORS_NONE;
	if (!with->question(with->arg, arena, retrieval->question, &query->v, &err)) {
		kb_debug(answerer->log, "question not embedded, words go on error=%s", err.msg);
		return KB_VECTORS_FAILED;
	}
	query->name = column->name;
	query->model = column->model;
	query->dims = column->dims;
	return KB_VECTORS_USED;
}

static void measure(const struct kb_answerer *answerer, struct kb_arena *arena,
                    const struct kb_vector_query *vectors, struct kb_retrieved *out)
{
	const struct kb_hit_list *list = &out->trace.lists[1];

	out->asked = kb_vector_new(arena, vectors->v, vectors->dims);
	if (!list->count || !answerer->vectorizer->fitted)
		return;
	out->nearness = (struct kb_nearness){
		.known = true,
		.best = list->hits[0].score,
		.tail = list->hits[KB_MIN(list->count, (size_t)TAIL) - 1].score,
	};
}

void kb_retrieved_measure(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                          struct kb_retrieved *retrieved, struct kb_candidate *candidate)
{
	const struct kb_vectors *vectors =
	        retrieved->asked ? kb_snapshot_vectors(
	                snapshot, candidate->part, retrieved->column.name, retrieved->column.model)
	                         : NULL;
	float cosine = vectors ? kb_vectors_cosine(vectors, candidate->doc, retrieved->asked) : -2;

	if (cosine < -1) {
		retrieved->nearness.known = false;
		return;
	}
	candidate->cosine = cosine;
	candidate->cosines = kb_vectors_part_cosines(vectors, arena, candidate->doc,
	                                             retrieved->asked, &candidate->cosine_count);
}

void kb_retrieve(const struct kb_answerer *answerer, struct kb_arena *arena,
                 const struct kb_retrieval *retrieval, struct kb_retrieved *out)
{
	struct kb_vector_query vectors = { 0 };
	struct kb_reranker reranker;
	struct kb_hybrid_query query = { .words = retrieval->words, .trace = &out->trace };

	*out = (struct kb_retrieved){ 0 };
	out->vectors = embed(answerer, arena, retrieval, &vectors, &out->column);
	if (out->vectors == KB_VECTORS_USED)
		query.vectors = &vectors;
	if (answerer->reranker && retrieval->rerank) {
		reranker = *answerer->reranker;
		reranker.question = retrieval->question;
		query.reranker = &reranker;
	}
	if (!query.vectors && !query.reranker) {
		kb_search(retrieval->snapshot, arena, retrieval->words, &out->hits, &out->count);
		return;
	}
	if (!kb_hybrid_search(retrieval->snapshot, arena, &query, &out->hits, &out->count))
		out->reranker = KB_RERANKER_FAILED;
	else if (query.reranker)
		out->reranker = KB_RERANKER_USED;
	if (query.vectors)
		measure(answerer, arena, &vectors, out);
}

void kb_retrieved_word_scores(struct kb_arena *arena, const struct kb_retrieval *retrieval,
                              const struct kb_retrieved *retrieved, struct kb_hit *hits,
                              size_t count)
{
	const struct kb_hit_list *list = &retrieved->trace.lists[0];
	struct kb_hit *listed, *missing;
	size_t *places, missing_count = 0;

	if (retrieved->vectors != KB_VECTORS_USED && retrieved->reranker == KB_RERANKER_OFF)
		return; /* they are the words' */
	listed = KB_NEW_ARRAY(arena, list->count, struct kb_hit);
	for (size_t i = 0; i < list->count; i++)
		listed[i] = list->hits[i];
	if (list->count)
		qsort(listed, list->count, sizeof(*listed), kb_hit_by_place);
	missing = KB_NEW_ARRAY(arena, count, struct kb_hit);
	places = KB_NEW_ARRAY(arena, count, size_t);
	for (size_t i = 0; i < count; i++) {
		const struct kb_hit *found = list->count ? bsearch(&hits[i], listed, list->count,
		                                                   sizeof(*listed), kb_hit_by_place)
		                                         : NULL;

		if (found) {
			hits[i].score = found->score;
			continue;
		}
		places[missing_count] = i;
		missing[missing_count++] = hits[i];
	}
	if (!missing_count)
		return;
	kb_explain_scores(retrieval->snapshot, arena, retrieval->words, missing, missing_count);
	for (size_t i = 0; i < missing_count; i++)
		hits[places[i]].score = missing[i].score;
}
