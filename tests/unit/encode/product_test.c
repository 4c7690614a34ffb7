#include "encode/product.h"

#include <math.h>

#include "../test.h"
#include "base/arena.h"

enum { TOKENS_MAX = 67, WIDTH_MAX = 1536 };

/* A matrix with its parts, and what they are multiplied with. */
struct world {
	struct kb_arena arena;
	struct kb_product_matrix m;
	int8_t *tiles;
	int32_t *row_sums;
	float *scales, *bias, *in, *want, *got;
	void *scratch;
	uint64_t state;
};

static uint32_t any(struct world *w)
{
	w->state = w->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(w->state >> 33);
}

static void *aligned(struct world *w, size_t size)
{
	uintptr_t p = (uintptr_t)kb_arena_alloc(&w->arena, size + KB_PRODUCT_ALIGN);

	return (void *)((p + KB_PRODUCT_ALIGN - 1) / KB_PRODUCT_ALIGN * KB_PRODUCT_ALIGN);
}

static void open_world(struct world *w, uint32_t rows, uint32_t cols, size_t n)
{
	*w = (struct world){ .state = rows * UINT64_C(77) + cols };
	w->tiles = aligned(w, (size_t)rows * cols);
	w->row_sums = KB_NEW_ARRAY(&w->arena, rows, int32_t);
	w->scales = KB_NEW_ARRAY(&w->arena, rows, float);
	w->bias = KB_NEW_ARRAY(&w->arena, rows, float);
	w->in = KB_NEW_ARRAY(&w->arena, n * cols, float);
	w->want = KB_NEW_ARRAY(&w->arena, n * rows, float);
	w->got = KB_NEW_ARRAY(&w->arena, n * rows, float);
	w->scratch = aligned(w, kb_product_scratch(cols, n));
	w->m = (struct kb_product_matrix){ w->tiles, w->scales, w->bias, w->row_sums, rows, cols };
}

static void set_weight(struct world *w, uint32_t row, uint32_t col, int8_t weight)
{
	int8_t *at = w->tiles + (size_t)(row / 16) * 16 * w->m.cols + (size_t)(col / 4) * 64
	             + row % 16 * 4 + col % 4;

	w->row_sums[row] += weight - *at;
	*at = weight;
}

static void fill(struct world *w, size_t n)
{
	for (uint32_t r = 0; r < w->m.rows; r++) {
		for (uint32_t c = 0; c < w->m.cols; c++)
			set_weight(w, r, c, (int8_t)((int)(any(w) % 255) - 127));
		w->scales[r] = (float)(any(w) % 1000 + 1) / 100000;
		w->bias[r] = (float)(any(w) % 1000) / 100 - 5;
	}
	for (size_t i = 0; i < n * w->m.cols; i++)
		w->in[i] = (float)(any(w) % 20001) / 10000 - 1;
}

static const struct kb_product_path *plain(void)
{
	size_t i = 0;

	while (kb_product_path(i + 1))
		i++;
	return kb_product_path(i);
}

/* Each path that this processor has gives the plain one's bits; of one that it lacks there is
 * nothing to say. */
static void compare(struct kb_test *t, struct world *w, size_t n)
{
	size_t size = n * w->m.rows * sizeof(float);

	kb_product_run(plain(), &w->m, w->in, n, w->want, w->scratch);
	for (size_t i = 0; kb_product_path(i) != plain(); i++) {
		t->row = kb_product_name(kb_product_path(i));
		if (!kb_product_available(kb_product_path(i)))
			continue;
		memset(w->got, 0xff, size);
		kb_product_run(kb_product_path(i), &w->m, w->in, n, w->got, w->scratch);
		CHECK(t, memcmp(w->got, w->want, size) == 0);
	}
	t->row = NULL;
}

/* By doubles, from the definition. The rounding of a token's values is at most half of its scale.
 */
static void test_definition(struct kb_test *t)
{
	enum { ROWS = 32, COLS = 36, N = 3 };
	struct world w;

	open_world(&w, ROWS, COLS, N);
	fill(&w, N);
	kb_product_run(plain(), &w.m, w.in, N, w.got, w.scratch);
	for (size_t i = 0; i < N; i++)
		for (size_t r = 0; r < ROWS; r++) {
			double sum = 0, weights = 0, max = 0;

			for (size_t c = 0; c < COLS; c++) {
				double weight = w.tiles[r / 16 * 16 * COLS + c / 4 * 64 + r % 16 * 4
				                        + c % 4]
				                * (double)w.scales[r];
				double value = (double)w.in[i * COLS + c];

				sum += weight * value;
				weights += fabs(weight);
				max = fmax(max, fabs(value));
			}
			CHECK(t, fabs((double)w.got[i * ROWS + r] - (double)w.bias[r] - sum)
			                 <= weights * max / 127 * .5001 + 1e-5);
		}
	kb_arena_fini(&w.arena);
}

static void test_paths(struct kb_test *t)
{
	static const struct {
		uint32_t rows, cols;
		size_t n[10];
	} cases[] = {
		{ 384, 384, { 1, 2, 3, 8, 9, 16, 17, 33, 47 } },
		{ 1536, 384, { 1, 7, 35 } },
		{ 384, 1536, { 1, 5, 31 } },
		{ 16, 4, { 1, 2, 13, 17 } },
		{ 48, 20, { 1, 6, 11, 32 } },
		{ 80, 64, { 1, 4, 23, 49 } },
		{ 32, 64, { 9, 15, 16, 64, 65 } },
		{ 144, 132, { 1, 2, 3, 4, 5, 6, 7, 8, 67 } },
	};
	struct world w;

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		open_world(&w, cases[i].rows, cases[i].cols, TOKENS_MAX);
		fill(&w, TOKENS_MAX);
		for (size_t k = 0; k < KB_COUNTOF(cases[i].n) && cases[i].n[k]; k++)
			compare(t, &w, cases[i].n[k]);
		kb_arena_fini(&w.arena);
	}
}

/* All weights and all values at one end or the other: the greatest sums there are. */
static void test_extremes(struct kb_test *t)
{
	enum { ROWS = 32, COLS = 1536, N = 19 };
	struct world w;

	open_world(&w, ROWS, COLS, N);
	fill(&w, N);
	for (int turn = 0; turn < 4; turn++) {
		for (uint32_t r = 0; r < ROWS; r++)
			for (uint32_t c = 0; c < COLS; c++)
				set_weight(&w, r, c, turn & 1 && (r + c) & 1 ? -127 : 127);
		for (size_t i = 0; i < (size_t)N * COLS; i++)
			w.in[i] = turn & 2 && i & 1 ? -3 : 3;
		compare(t, &w, N);
		if (turn == 0)
			CHECK(t, fabsf(w.want[0] - w.bias[0] - w.scales[0] * COLS * 127 * 3) < 1);
	}
	kb_arena_fini(&w.arena);
}

static bool only_bias(const struct world *w, const float *out)
{
	return memcmp(out, w->bias, w->m.rows * sizeof(*out)) == 0;
}

static bool all_nan(const struct world *w, const float *out)
{
	for (uint32_t r = 0; r < w->m.rows; r++)
		if (!isnan(out[r]))
			return false;
	return true;
}

/* What is no figure spoils its own token alone. */
static void test_odd_values(struct kb_test *t)
{
	enum { ROWS = 32, COLS = 64, N = 18 };
	static const struct {
		const char *name;
		float value;
		size_t at;
		bool zero;
	} cases[] = {
		{ "zeros", 0, 0, true },
		{ "too small to scale", 1e-38f, 5, true },
		{ "the least float", 1e-45f, 5, true },
		{ "infinity", INFINITY, 63, false },
		{ "minus infinity", -INFINITY, 17, false },
		{ "no number", NAN, 40, false },
	};
	struct world w;

	open_world(&w, ROWS, COLS, N);
	fill(&w, N);
	for (size_t k = 0; k < KB_COUNTOF(cases); k++) {
		memset(w.in + COLS, 0, COLS * sizeof(*w.in));
		w.in[COLS + cases[k].at] = cases[k].value;
		for (size_t i = 0; kb_product_path(i); i++) {
			if (!kb_product_available(kb_product_path(i)))
				continue;
			t->row = cases[k].name;
			kb_product_run(kb_product_path(i), &w.m, w.in, N, w.got, w.scratch);
			CHECK(t, cases[k].zero ? only_bias(&w, w.got + ROWS)
			                       : all_nan(&w, w.got + ROWS));
			CHECK(t, isfinite(w.got[0]) && isfinite(w.got[2 * ROWS]));
		}
	}
	t->row = NULL;
	kb_arena_fini(&w.arena);
}

static void test_best(struct kb_test *t)
{
	bool listed = false;

	for (size_t i = 0; kb_product_path(i); i++) {
		listed |= kb_product_path(i) == kb_product_best();
		if (!listed)
			CHECK(t, !kb_product_available(kb_product_path(i)));
	}
	CHECK(t, listed);
	CHECK(t, kb_product_available(kb_product_best()));
	CHECK(t, kb_product_available(plain()));
	printf("products by %s\n", kb_product_name(kb_product_best()));
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "the plain path computes what the header says", test_definition },
		{ "every path gives the plain one's bits", test_paths },
		{ "the greatest sums fit", test_extremes },
		{ "zeros, infinities and what is no number", test_odd_values },
		{ "the best path is the first that the processor has", test_best },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
