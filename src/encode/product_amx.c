/*
 * Products by AMX, the matrix unit of newer Intel processors.
 *
 * A tile register has 16 rows of 64 bytes. One holds 64 columns of a tile of weights just as they
 * lie in the file, another 64 values of 16 tokens, and one instruction adds all their products to
 * 16 x 16 sums in a third. Four registers of sums, for 32 tokens and two tiles, keep the unit busy:
 * each register that is read serves two instructions.
 *
 * Where columns are no multiple of 64, the products go the way of AVX-512, which such a processor
 * has as well.
 */
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "encode/product_path.h"

enum { TILE = KB_PRODUCT_TILE, DEPTH = 64, TOKENS = 16, FEW = 8 };

/* What the instruction that sets the registers up reads. */
struct shape {
	uint8_t palette, start, reserved[14];
	uint16_t row_bytes[16];
	uint8_t rows[16];
};

/* The kernel keeps eight kilobytes for each thread that uses the registers, so it wants to be
 * asked, once for the process. */
static bool permitted(void)
{
	enum { REQUEST = 0x1023, TILE_DATA = 18 }; /* ARCH_REQ_XCOMP_PERM of asm/prctl.h */

	return syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0;
}

static bool available(void)
{
	unsigned a, b, c, d;

	return kb_product_avx512_vnni.available() && __get_cpuid_count(7, 0, &a, &b, &c, &d)
	       && (d >> 24 & 1) && (d >> 25 & 1) && permitted();
}

static float round_token(const float *in, uint32_t cols, void *out)
{
	return kb_product_avx512_vnni.round(in, cols, out);
}

/* Two times 16 tokens with two tiles: sums[token half][tile]. */
typedef int32_t square[TOKENS][TILE];

/* Registers 0 to 3 are sums, 4 and 5 tokens, 6 and 7 weights; the instructions take numbers alone.
 */
static void sum_four(const uint8_t *tokens, const int8_t *tile, size_t cols, square sums[2][2])
{
	const uint8_t *more_tokens = tokens + TOKENS * cols;
	const int8_t *next_tile = tile + TILE * cols;

	_tile_zero(0);
	_tile_zero(1);
	_tile_zero(2);
	_tile_zero(3);
	for (size_t c = 0; c < cols; c += DEPTH) {
		_tile_loadd(6, tile + c * TILE, DEPTH);
		_tile_loadd(7, next_tile + c * TILE, DEPTH);
		_tile_loadd(4, tokens + c, cols);
		_tile_loadd(5, more_tokens + c, cols);
		_tile_dpbusd(0, 4, 6);
		_tile_dpbusd(1, 4, 7);
		_tile_dpbusd(2, 5, 6);
		_tile_dpbusd(3, 5, 7);
	}
	_tile_stored(0, sums[0][0], TILE * sizeof(int32_t));
	_tile_stored(1, sums[0][1], TILE * sizeof(int32_t));
	_tile_stored(2, sums[1][0], TILE * sizeof(int32_t));
	_tile_stored(3, sums[1][1], TILE * sizeof(int32_t));
}

static void sum_two(const uint8_t *tokens, const int8_t *tile, size_t cols, square sums[2][2])
{
	const int8_t *next_tile = tile + TILE * cols;

	_tile_zero(0);
	_tile_zero(1);
	for (size_t c = 0; c < cols; c += DEPTH) {
		_tile_loadd(6, tile + c * TILE, DEPTH);
		_tile_loadd(7, next_tile + c * TILE, DEPTH);
		_tile_loadd(4, tokens + c, cols);
		_tile_dpbusd(0, 4, 6);
		_tile_dpbusd(1, 4, 7);
	}
	_tile_stored(0, sums[0][0], TILE * sizeof(int32_t));
	_tile_stored(1, sums[0][1], TILE * sizeof(int32_t));
}

/* Tokens came with 128 added. */
static void finish(const struct kb_product_matrix *m, const float *token_scales, size_t n,
                   size_t row, square sums, float *out)
{
	__m512 scales = _mm512_loadu_ps(m->scales + row), bias = _mm512_loadu_ps(m->bias + row);
	__m512i too_much = _mm512_slli_epi32(_mm512_loadu_si512(m->row_sums + row), 7);

	for (size_t t = 0; t < n; t++) {
		__m512i sum = _mm512_sub_epi32(_mm512_loadu_si512(sums[t]), too_much);
		__m512 scale = _mm512_mul_ps(_mm512_set1_ps(token_scales[t]), scales);

		_mm512_storeu_ps(
		        out + t * m->rows + row,
		        _mm512_add_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(sum), scale), bias));
	}
}

static void multiply(const struct kb_product_matrix *m, const struct kb_product_in *in, float *out)
{
	const size_t tiles = m->rows / TILE;
	struct shape shape = { .palette = 1 };
	square sums[2][2];

	if (m->cols % DEPTH || tiles % 2 || in->n <= FEW) {
		kb_product_avx512_vnni.multiply(m, in, out);
		return;
	}
	for (int r = 0; r < 8; r++) {
		shape.row_bytes[r] = DEPTH;
		shape.rows[r] = TILE;
	}
	_tile_loadconfig(&shape);
	for (size_t token = 0; token < in->n; token += (size_t)2 * TOKENS)
		for (size_t tile = 0; tile < tiles; tile += 2) {
			size_t left = in->n - token;
			const uint8_t *tokens = (const uint8_t *)in->values + token * m->cols;

			if (left > TOKENS)
				sum_four(tokens, kb_product_tile(m, tile), m->cols, sums);
			else
				sum_two(tokens, kb_product_tile(m, tile), m->cols, sums);
			for (size_t half = 0; half * TOKENS < KB_MIN(left, (size_t)2 * TOKENS);
			     half++)
				for (size_t k = 0; k < 2; k++)
					finish(m, in->scales + token + half * TOKENS,
					       KB_MIN(left - half * TOKENS, (size_t)TOKENS),
					       (tile + k) * TILE, sums[half][k],
					       out + (token + half * TOKENS) * m->rows);
		}
	_tile_release();
}

const struct kb_product_path kb_product_amx = { "AMX", available, 1, round_token, multiply };
