/* The products as they are meant: what every other path has to equal. */
#include "encode/product_path.h"

static bool always(void)
{
	return true;
}

static void multiply(const struct kb_product_matrix *m, const struct kb_product_in *in, float *out)
{
	for (size_t t = 0; t < in->n; t++) {
		const int8_t *token = (const int8_t *)in->values + t * m->cols;

		for (size_t r = 0; r < m->rows; r++) {
			const int8_t *row = kb_product_tile(m, r / KB_PRODUCT_TILE)
			                    + r % KB_PRODUCT_TILE * KB_PRODUCT_STEP;
			int32_t sum = 0;
			float scale = in->scales[t] * m->scales[r];

			for (size_t c = 0; c < m->cols; c++)
				sum += token[c]
				       * row[c / KB_PRODUCT_STEP * KB_PRODUCT_TILE * KB_PRODUCT_STEP
				             + c % KB_PRODUCT_STEP];
			out[t * m->rows + r] = (float)sum * scale + m->bias[r];
		}
	}
}

const struct kb_product_path kb_product_plain = { "plain", always, 1, kb_product_round_signed,
	                                          multiply };
