/*
 * A matrix of 8-bit weights as it lies in the encoder's file, mapped; product.h multiplies by it.
 */
#ifndef KB_ENCODE_PRODUCT_MATRIX_H
#define KB_ENCODE_PRODUCT_MATRIX_H

#include "base/common.h"

enum {
	KB_PRODUCT_TILE = 16,          /* rows of a tile; `rows` is a multiple of it */
	KB_PRODUCT_STEP = 4,           /* columns that lie together; `cols` is a multiple of it */
	KB_PRODUCT_COLS_MAX = 1 << 16, /* 255 * 127 * as many fit in 32 bits */
	KB_PRODUCT_ALIGN = 64,         /* of tiles and scratch memory */
};

struct kb_product_matrix {
	const int8_t *tiles;     /* [rows / 16][cols / 4][16 rows][4 columns], -127 to 127 */
	const float *scales;     /* a row */
	const float *bias;       /* a row */
	const int32_t *row_sums; /* of the row's weights */
	uint32_t rows, cols;
};

#endif
