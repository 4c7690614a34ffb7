/* The linear algebra under the latent factors, against what it promises. */
#include <math.h>
#include <stdlib.h>

#include "index/subspace.h"
#include "test.h"
#include "world.h"

enum { ROWS = 700, WIDTH = 32 };

static float *made_tall(struct dice *dice, size_t rows, unsigned width)
{
	float *tall = kb_xcalloc(rows * width, sizeof(*tall));

	for (size_t i = 0; i < rows * width; i++)
		tall[i] = (float)roll(dice, 2001) / 1000 - 1;
	return tall;
}

static void test_gather_and_scatter(struct kb_test *t)
{
	struct dice dice = { 3 };
	float *tall = made_tall(&dice, ROWS, WIDTH),
	      *before = kb_xcalloc(ROWS * WIDTH, sizeof(float));
	const uint32_t ids[] = { 5, 0, ROWS - 1, 17 };
	const float w[] = { .5f, -1, 2, .125f };
	float y[WIDTH];

	kb_sub_gather(y, tall, WIDTH, ids, w, KB_COUNTOF(ids));
	for (unsigned k = 0; k < WIDTH; k++) {
		float want = 0;

		for (size_t i = 0; i < KB_COUNTOF(ids); i++)
			want += w[i] * tall[ids[i] * WIDTH + k];
		CHECK(t, fabsf(y[k] - want) < 1e-6f);
	}
	memcpy(before, tall, ROWS * WIDTH * sizeof(float));
	kb_sub_scatter(tall, y, WIDTH, ids, w, KB_COUNTOF(ids));
	for (size_t r = 0; r < ROWS; r++) {
		float factor = 0;

		for (size_t i = 0; i < KB_COUNTOF(ids); i++)
			factor += ids[i] == r ? w[i] : 0;
		for (unsigned k = 0; k < WIDTH; k++)
			CHECK(t,
			      fabsf(tall[r * WIDTH + k] - (before[r * WIDTH + k] + factor * y[k]))
			              < 1e-5f);
	}
	free(tall);
	free(before);
}

/* Columns have length 1 and stand upright on each other; two that say the same leave one of zeros.
 */
static void test_orthonormal(struct kb_test *t)
{
	struct dice dice = { 4 };
	float *tall = made_tall(&dice, ROWS, WIDTH);
	double gram[WIDTH * WIDTH], worst = 0;

	for (size_t r = 0; r < ROWS; r++) {
		tall[r * WIDTH + 1] =
		        tall[r * WIDTH] * 20 + tall[r * WIDTH + 1]; /* near parallel */
		tall[r * WIDTH + 9] = 3 * tall[r * WIDTH + 4];
	}
	CHECK(t, kb_sub_orthonormal(&(struct kb_tall){ tall, ROWS, WIDTH }, NULL, NULL));
	CHECK(t, kb_sub_cross(gram, &(struct kb_tall){ tall, ROWS, WIDTH },
	                      &(struct kb_tall){ tall, ROWS, WIDTH }, NULL, NULL));
	for (unsigned i = 0; i < WIDTH; i++)
		for (unsigned k = 0; k < WIDTH; k++)
			worst = fmax(worst, fabs(gram[i * WIDTH + k] - (i == k && i != 9)));
	CHECK(t, worst < 1e-4);
	free(tall);
}

static void test_eigen(struct kb_test *t)
{
	struct dice dice = { 5 };
	double a[WIDTH * WIDTH], kept[WIDTH * WIDTH], v[WIDTH * WIDTH], values[WIDTH];

	for (unsigned i = 0; i < WIDTH; i++)
		for (unsigned k = 0; k <= i; k++)
			a[i * WIDTH + k] = a[k * WIDTH + i] = (double)roll(&dice, 2001) / 1000 - 1;
	memcpy(kept, a, sizeof(a));
	kb_sub_eigen(a, v, values, WIDTH);
	for (unsigned j = 0; j < WIDTH; j++) {
		CHECK(t, j == 0 || values[j] <= values[j - 1]);
		for (unsigned i = 0; i < WIDTH; i++) {
			double left = 0, dot = 0;

			for (unsigned k = 0; k < WIDTH; k++) {
				left += kept[i * WIDTH + k] * v[k * WIDTH + j];
				dot += v[k * WIDTH + i] * v[k * WIDTH + j];
			}
			CHECK(t, fabs(left - values[j] * v[i * WIDTH + j]) < 1e-9);
			CHECK(t, fabs(dot - (i == j)) < 1e-9);
		}
	}
}

static void test_apply(struct kb_test *t)
{
	struct dice dice = { 6 };
	float *tall = made_tall(&dice, ROWS, WIDTH),
	      *before = kb_xcalloc(ROWS * WIDTH, sizeof(float));
	double square[WIDTH * WIDTH];

	memcpy(before, tall, ROWS * WIDTH * sizeof(float));
	for (unsigned i = 0; i < WIDTH * WIDTH; i++)
		square[i] = (double)roll(&dice, 2001) / 1000 - 1;
	CHECK(t, kb_sub_apply(&(struct kb_tall){ tall, ROWS, WIDTH }, square, NULL, NULL));
	for (size_t r = 0; r < ROWS; r += 31)
		for (unsigned k = 0; k < WIDTH; k++) {
			double want = 0;

			for (unsigned i = 0; i < WIDTH; i++)
				want += (double)before[r * WIDTH + i] * square[i * WIDTH + k];
			CHECK(t, fabs((double)tall[r * WIDTH + k] - want) < 1e-4);
		}
	free(tall);
	free(before);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "rows are gathered and scattered by their weights", test_gather_and_scatter },
		{ "columns become orthonormal, doubles zero", test_orthonormal },
		{ "eigenvectors are that, the greatest value first", test_eigen },
		{ "each row is multiplied", test_apply },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
