/*
 * What a question is judged by: the passages that a search has found, and how common words are
 * where they come from. Plain data; what it points to is the caller's.
 */
#ifndef KB_ANSWER_EVIDENCE_H
#define KB_ANSWER_EVIDENCE_H

#include "index/index.h"
#include "index/meaning.h"

enum {
	KB_SELECT_CANDIDATES = 32, /* passages looked at; more are left out */
	KB_SELECT_ADVISED = 20,    /* passages to ask kb_question_query()'s search for */
};

struct kb_candidate {
	struct kb_passage passage;
	float score;  /* of the search by words */
	float meant;  /* with what a table of meanings says; without one, the same */
	float cosine; /* the cosine of its vector and the question's; 0: not known */
	/* Of its sentences, the first of them, as cosine is of all of it. */
	const float *cosines;
	size_t cosine_count;
	uint32_t place;     /* in the order of the whole search, vectors and reranker too */
	uint32_t part, doc; /* where it lies in what was searched */
};

struct kb_answer_stats {
	int64_t passages;                            /* N */
	int64_t (*df)(void *arg, struct kb_sv term); /* passages that hold the term */
	void *arg;
};

/* How near in meaning passages are to the question, by the model that answers are fitted to. */
struct kb_nearness {
	bool known; /* every candidate has a cosine of that model */
	float best; /* of any passage */
	float tail; /* of the last that was looked at, some fifty behind the best */
};

struct kb_evidence {
	const struct kb_candidate *candidates; /* best first */
	size_t count;
	struct kb_answer_stats stats;     /* of the index that the candidates are from */
	const struct kb_meaning *meaning; /* NULL: none */
	struct kb_nearness nearness;
};

#endif
