/*
 * The little linear algebra that learning latent factors takes. Private to this folder; pure.
 *
 * Tall matrices are arrays of rows of `width` floats; square ones are width * width doubles. Sums
 * run in a fixed order in every build of the kernels, without fused products, so the same input
 * gives the same bits on every machine.
 */
#ifndef KB_INDEX_SUBSPACE_H
#define KB_INDEX_SUBSPACE_H

#include "base/err.h"

enum { KB_SUB_LANES = 16, KB_SUB_WIDTH_MAX = 512 };

struct kb_tall {
	float *v; /* row by row */
	size_t rows;
	unsigned width; /* floats of a row: a multiple of KB_SUB_LANES, at most KB_SUB_WIDTH_MAX */
};

/* y = sum of w[i] * tall[ids[i]] */
void kb_sub_gather(float *y, const float *tall, unsigned width, const uint32_t *ids, const float *w,
                   size_t count);
/* tall[ids[i]] += w[i] * y */
void kb_sub_scatter(float *tall, const float *y, unsigned width, const uint32_t *ids,
                    const float *w, size_t count);
/* The three below may take seconds, and what they were making is worth nothing once they were
 * cancelled. */
/* out = aT * b, of the same shape. */
bool kb_sub_cross(double *out, const struct kb_tall *a, const struct kb_tall *b,
                  const struct kb_cancel *cancel, struct kb_err *err);
/* Each row of tall times the square matrix. */
bool kb_sub_apply(const struct kb_tall *tall, const double *square, const struct kb_cancel *cancel,
                  struct kb_err *err);
/* Makes the columns orthonormal; what depends on columns before it becomes zero. */
bool kb_sub_orthonormal(const struct kb_tall *tall, const struct kb_cancel *cancel,
                        struct kb_err *err);
/* Eigenvectors of the symmetric matrix as columns of `vectors`, the greatest value first. Destroys
 * the matrix. */
void kb_sub_eigen(double *matrix, double *vectors, double *values, unsigned width);

#endif
