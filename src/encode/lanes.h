/*
 * What the network does in floats: norms, gelu, attention. Each in one way for every width of
 * vector registers, written once (lanes_path.c) and compiled for each. Private to this folder.
 *
 * Pure: nothing is kept, nothing allocated. Ways differ from each other in the last bits; one way
 * gives the same figures for a token or a text wherever it stands among others.
 */
#ifndef KB_ENCODE_LANES_H
#define KB_ENCODE_LANES_H

#include "base/common.h"

enum { KB_LANES_MOST = 16, KB_LANES_ROWS = 8, KB_LANES_ALIGN = 64 };

/* One head of one text. A token's values stand `stride` floats behind the one's before. */
struct kb_attention {
	const float *query, *key, *value;
	float *out;
	size_t tokens, width, stride, out_stride;
	float *scratch; /* kb_attention_scratch() floats, aligned */
};

struct kb_lanes {
	const char *name;
	bool (*available)(void);
	/* x = (x + add) with mean 0 and variance 1, times weight, plus bias; add may be NULL. */
	void (*norm)(float *x, const float *add, const float *weight, const float *bias,
	             size_t width, float eps);
	/* out = x times by, value for value. */
	void (*times)(const float *x, const float *by, float *out, size_t width);
	/* x = x times the share of the normal distribution below it; count is a multiple of 16. */
	void (*gelu)(float *x, size_t count);
	/* out = the values' mean, each weighed by e to the product of query and key. */
	void (*attend)(const struct kb_attention *attention);
};

size_t kb_attention_scratch(size_t tokens, size_t width);

/* The best way that this processor has. */
const struct kb_lanes *kb_lanes_best(void);
/* For tests: the i-th way of this build, the best first, the plain one last; NULL behind it. It may
 * be one that this processor lacks. */
const struct kb_lanes *kb_lanes_way(size_t i);

#endif
