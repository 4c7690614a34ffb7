/*
 * Products of 8-bit matrices with rows of floats: where the network's time goes.
 *
 *   out[t][r] = bias[r] + sum over c of weight[r][c] * in[t][c]
 *
 * A weight is a signed byte times the scale of its row. A row of `in`, a token, is rounded to
 * signed bytes times a scale of its own, its largest value to 127; the sums are of integers and
 * exact, and the floats behind them are multiplied and added in one fixed order. So every path
 * gives the same bits on every processor, and a test holds each one against the plain path.
 *
 * Pure: nothing is kept and nothing allocated; any thread may call at any time with scratch memory
 * of its own.
 */
#ifndef KB_ENCODE_PRODUCT_H
#define KB_ENCODE_PRODUCT_H

#include "encode/product_matrix.h"

/* One way to multiply. */
struct kb_product_path;

/* The best path that this processor has. */
const struct kb_product_path *kb_product_best(void);
/* For tests and benches: the i-th path of this build, the best first, the plain one last; NULL
 * behind it. It may be one that this processor lacks. */
const struct kb_product_path *kb_product_path(size_t i);
const char *kb_product_name(const struct kb_product_path *path);
bool kb_product_available(const struct kb_product_path *path);

/* Bytes of scratch memory for n tokens of `cols` values, whichever the path. */
size_t kb_product_scratch(uint32_t cols, size_t n);

/*
 * in: n tokens of cols floats; out: n of rows floats; scratch: kb_product_scratch(cols, n) bytes.
 * A token that holds an infinity or no number becomes all NaN, so that it cannot pass for a result;
 * one of values too small to be told from zero (1e-30) counts as zeros.
 */
void kb_product_run(const struct kb_product_path *path, const struct kb_product_matrix *m,
                    const float *in, size_t n, float *out, void *scratch);

#endif
