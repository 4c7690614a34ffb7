/*
 * The little linear algebra that learning latent factors takes. Private to this folder; pure.
 *
 * Tall matrices are arrays of rows of `width` floats, width a multiple of KB_SUB_LANES; square ones
 * are width * width doubles. Sums run in a fixed order in every build of the kernels, without fused
 * products, so the same input gives the same bits on every machine.
 */
#ifndef KB_INDEX_SUBSPACE_H
#define KB_INDEX_SUBSPACE_H

#include "base/err.h"

enum { KB_SUB_LANES = 16, KB_SUB_WIDTH_MAX = 512 };

/* y = sum of w[i] * tall[ids[i]] */
void kb_sub_gather(float *y, const float *tall, unsigned width, const uint32_t *ids, const float *w,
                   size_t count);
/* tall[ids[i]] += w[i] * y */
void kb_sub_scatter(float *tall, const float *y, unsigned width, const uint32_t *ids,
                    const float *w, size_t count);
/* The three below may take seconds, and what they were making is worth nothing once they were
 * cancelled. */
/* out = aT * b, of `rows` rows. */
bool kb_sub_cross(double *out, const float *a, const float *b, size_t rows, unsigned width,
                  const struct kb_cancel *cancel, struct kb_err *err);
/* Each row of tall times the square matrix. */
bool kb_sub_apply(float *tall, size_t rows, const double *square, unsigned width,
                  const struct kb_cancel *cancel, struct kb_err *err);
/* Makes the columns orthonormal; what depends on columns before it becomes zero. */
bool kb_sub_orthonormal(float *tall, size_t rows, unsigned width, const struct kb_cancel *cancel,
                        struct kb_err *err);
/* Eigenvectors of the symmetric matrix as columns of `vectors`, the greatest value first. Destroys
 * the matrix. */
void kb_sub_eigen(double *matrix, double *vectors, double *values, unsigned width);

#endif
