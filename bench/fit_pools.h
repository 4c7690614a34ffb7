/*
 * The pools that fit_answers asks: real and made-up agents, with questions that they answer, of
 * their own field and of others, each a case with its features and with what is right.
 */
#ifndef BENCH_FIT_POOLS_H
#define BENCH_FIT_POOLS_H

#include "fit_asked.h"
#include "fit_data.h"
#include "fit_model.h"
#include "natural_data.h"

/* Those with `lessons` teach the sentence tables; all teach the gate. */
enum pool_kind {
	WHOLE,   /* a set, or what is left of it */
	NATURAL, /* the natural questions' corpora, each by itself */
	AGAIN,   /* the same in the field's words */
	SWAPPED, /* with another subject */
	SMALL,   /* agents of a few documents of a set, */
	LARGER,  /* and of more, asked what other sets ask too */
	PLAIN,   /* of a few made-up documents */
	ASKED,   /* of a few documents of a repository (fit_asked.h) */
};

enum { POOLS = 39, FOREIGN = 12 };

extern const struct pool {
	const char *name;
	size_t lessons; /* how often the sentence tables learn from it */
	size_t every;   /* of so many questions one is taken */
	enum pool_kind kind;
	size_t documents;   /* of a small agent */
	float weight;       /* in the gate's fit */
	float shut;         /* of its questions without an answer against the others */
	const char *source; /* of SMALL: the set; NULL: squad */
} pools[POOLS];

/* What a question is to the pool that it is asked of. */
enum relation { OWN, NEAR, FAR };

/* Where questions come from that the pools do not answer. */
extern const char *const foreign[FOREIGN];

struct bench {
	const char *root;
	bool have[POOLS];
	struct fit_case **cases;
	struct kb_candidate **candidates; /* of each case; NULL for foreign ones */
	const struct fit_ask **asks;
	size_t count, capacity, candidate_capacity, ask_capacity;
	struct n_set natural;    /* the sets of its corpora keep views into it, */
	struct fit_asked *asked; /* and others into this; NULL: none */
	struct kb_arena arena;
	struct kb_analyzer *analyzer;
	struct kb_meaning *meaning; /* NULL: none */
	struct encoded *encoder;    /* NULL: none */
};

/* Fills the cases; where there are no data, none. */
void fit_pools_load(struct bench *bench);

/* Whether the two names are of one set, whole or in part. */
bool fit_same_root(const char *a, const char *b);

#endif
