/*
 * The two fits: sentences by conditional logit over each question's candidates, through a small
 * network (Adam, fixed seed), and the gate by logistic regression. Same data, same numbers.
 */
#ifndef BENCH_FIT_MODEL_H
#define BENCH_FIT_MODEL_H

#include "answer/score.h"

struct fit_set;

struct fit_case {
	struct kb_features features;
	uint8_t *right; /* a row: 1 in a right document and holds the gold; 2 holds it somewhere; */
	uint8_t *doc;   /* 1 in a right document */
	uint64_t group;
	enum kb_lang lang;
	enum kb_shape shape;
	int set;
	const struct fit_set *from;
	bool answerable, far; /* far: of another subject */
	float weight;         /* in the gate's fit */
	float gate[KB_GATE_FEATURES];
	bool gated; /* has a best row */
	float *z;
	uint32_t *order;
};

void fit_weights(struct fit_case **cases, size_t count, struct kb_weights *out);
void fit_gate(struct fit_case **cases, size_t count, struct kb_gate_weights *out);
float fit_gate_z(const struct kb_gate_weights *weights, const struct fit_case *c);

#endif
