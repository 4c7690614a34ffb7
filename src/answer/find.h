/*
 * Finding passages without answering: what a search of the interface gives.
 *
 * The same analysis, query, filter and ranking as the retrieve step of an answer. Nothing is stored
 * and no credit is counted. A call belongs to a worker; what it gives lives in the caller's arena.
 */
#ifndef KB_ANSWER_FIND_H
#define KB_ANSWER_FIND_H

#include "answer/retrieve.h"
#include "index/explain.h"

struct kb_find_request {
	int64_t agent_id;
	const struct kb_settings *settings;
	struct kb_sv text;
	struct kb_label_filter labels;
	size_t limit;
	bool words_only; /* the first ranking step alone, and no servers */
	bool explain;
};

/* Characters (code points) of the passage's text. */
struct kb_highlight {
	uint32_t start, length;
};

struct kb_found {
	struct kb_passage passage;
	float score;
	struct kb_highlight
	        *highlights; /* of words of the query, in order, apart from each other */
	size_t highlight_count;
};

/* How vectors and a reranker changed a passage's score; of a search that had them. A score, weight
 * or part that is NAN: the passage was not in that list. */
struct kb_fusion_why {
	float words, word_weight, word_part;      /* the score by words, and its part */
	float cosine, vector_weight, vector_part; /* the same of the vectors */
	float fused;                              /* both parts */
	float relevance;                          /* what the reranker said */
};

struct kb_findings {
	enum kb_lang lang;
	struct kb_found *v; /* best first */
	size_t count;
	struct kb_explanation *explanations; /* one a passage, or NULL: not asked for */
	const struct kb_meant *meant;        /* for words of the query that no passage holds */
	size_t meant_count;
	struct kb_fusion_why *fusions; /* one a passage, or NULL: words alone, or not asked */
	enum kb_vectors_use vectors;
	enum kb_reranker_use reranker;
	int64_t searched; /* passages that the request may find */
	int64_t took_us;
};

bool kb_find(struct kb_answerer *answerer, struct kb_arena *arena,
             const struct kb_find_request *request, struct kb_findings *out,
             struct kb_err *err) KB_MUST_CHECK;

/* What the query asks for, to be found again in a passage's text. */
struct kb_find_words {
	struct kb_terms terms;
	enum kb_lang lang;   /* they are in; texts are analysed in it too */
	struct kb_sv *codes; /* as codes.h writes them; found in any spelling */
	size_t code_count;
	const struct kb_meant *meant; /* for words of the query that no passage holds */
	size_t meant_count;
};

/* Content words, or any where the query has nothing else, and codes. */
void kb_find_highlights(struct kb_analyzer *analyzer, struct kb_arena *arena,
                        const struct kb_find_words *words, struct kb_sv text,
                        struct kb_highlight **out, size_t *count);

#endif
