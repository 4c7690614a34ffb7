/* Norm, gelu, attention: each way beside doubles, and to the bit beside the way that is there
 * always, at widths and lengths that do not fill registers. */
#include "encode/lanes.h"

#include <math.h>

#include "base/arena.h"
#include "test.h"

enum { WIDTH_MAX = 1024, TOKENS_MAX = 130, HEAD_MAX = 128 };

static float values[4][TOKENS_MAX * HEAD_MAX * 3];

static void fill(void)
{
	uint64_t state = 3;

	for (size_t i = 0; i < KB_COUNTOF(values); i++)
		for (size_t k = 0; k < KB_COUNTOF(values[i]); k++) {
			state = state * UINT64_C(6364136223846793005)
			        + UINT64_C(1442695040888963407);
			values[i][k] = (float)(state >> 40) / (1 << 22) - 2;
		}
}

static const struct kb_lanes *always(void)
{
	size_t i = 0;

	while (kb_lanes_way(i + 1))
		i++;
	return kb_lanes_way(i);
}

static bool near(float got, double want)
{
	return fabs((double)got - want) <= 2e-5 * (1 + fabs(want));
}

static bool norm_is_right(const float *x, const float *add, const float *got, size_t width)
{
	double mean = 0, variance = 0;

	for (size_t i = 0; i < width; i++)
		mean += ((double)x[i] + (add ? (double)add[i] : 0)) / (double)width;
	for (size_t i = 0; i < width; i++) {
		double from_mean = (double)x[i] + (add ? (double)add[i] : 0) - mean;

		variance += from_mean * from_mean / (double)width;
	}
	for (size_t i = 0; i < width; i++) {
		double v = (double)x[i] + (add ? (double)add[i] : 0);

		v = (v - mean) / sqrt(variance + 1e-6) * (double)values[2][i]
		    + (double)values[3][i];
		if (!near(got[i], v))
			return false;
	}
	return true;
}

static void check_norm(struct kb_test *t, const struct kb_lanes *lanes)
{
	static float x[WIDTH_MAX], same[WIDTH_MAX];

	for (size_t width = 32; width <= WIDTH_MAX; width = width * 3 / 2 / 32 * 32 + 32)
		for (int with = 0; with < 2; with++) {
			const float *add = with ? values[1] : NULL;

			memcpy(x, values[0], width * sizeof(*x));
			lanes->norm(x, add, values[2], values[3], width, 1e-6f);
			CHECK(t, norm_is_right(values[0], add, x, width));
			memcpy(same, values[0], width * sizeof(*same));
			always()->norm(same, add, values[2], values[3], width, 1e-6f);
			CHECK(t, memcmp(x, same, width * sizeof(*x)) == 0);
		}
}

static void check_times(struct kb_test *t, const struct kb_lanes *lanes)
{
	static float out[WIDTH_MAX];

	lanes->times(values[0], values[1], out, WIDTH_MAX);
	for (size_t i = 0; i < WIDTH_MAX; i++)
		CHECK(t, out[i] == values[0][i] * values[1][i]);
}

static void check_gelu(struct kb_test *t, const struct kb_lanes *lanes)
{
	static const float odd[16] = { 0, -0.0f, 1e-30f, -1e-30f, 30, -30, 1e6f, -1e6f };
	static float x[WIDTH_MAX], same[WIDTH_MAX];

	memcpy(x, values[0], sizeof(x));
	memcpy(x, odd, sizeof(odd));
	memcpy(same, x, sizeof(same));
	lanes->gelu(x, WIDTH_MAX);
	always()->gelu(same, WIDTH_MAX);
	CHECK(t, memcmp(x, same, sizeof(x)) == 0);
	for (size_t i = 0; i < WIDTH_MAX; i++) {
		double v = (double)(i < KB_COUNTOF(odd) ? odd[i] : values[0][i]);

		/* not to the last bit: it is rounded to a byte next */
		CHECK(t, fabs((double)x[i] - v * .5 * erfc(-v / sqrt(2))) < 6e-5 + fabs(v) * 2e-5);
	}
}

/* One query's mean by its definition. */
static void attend(const struct kb_attention *a, size_t query, double *out)
{
	double weights[TOKENS_MAX], most = -1e300, total = 0;

	for (size_t j = 0; j < a->tokens; j++) {
		weights[j] = 0;
		for (size_t d = 0; d < a->width; d++)
			weights[j] += (double)a->query[query * a->stride + d]
			              * (double)a->key[j * a->stride + d] / sqrt((double)a->width);
		most = fmax(most, weights[j]);
	}
	for (size_t j = 0; j < a->tokens; j++)
		total += weights[j] = exp(weights[j] - most);
	for (size_t d = 0; d < a->width; d++) {
		out[d] = 0;
		for (size_t j = 0; j < a->tokens; j++)
			out[d] += weights[j] / total * (double)a->value[j * a->stride + d];
	}
}

static void check_attention(struct kb_test *t, const struct kb_lanes *lanes)
{
	static const size_t tokens[] = { 1, 2, 7, 8, 9, 31, 32, 33, 64, 130 };
	static const size_t widths[] = { 16, 32, 48, 64, 128 };
	static float out[TOKENS_MAX * HEAD_MAX], same[TOKENS_MAX * HEAD_MAX];
	double want[HEAD_MAX];
	float *scratch = aligned_alloc(KB_LANES_ALIGN,
	                               kb_attention_scratch(TOKENS_MAX, HEAD_MAX) * sizeof(float));

	for (size_t w = 0; w < KB_COUNTOF(widths); w++)
		for (size_t n = 0; n < KB_COUNTOF(tokens); n++) {
			struct kb_attention a = { values[0],    values[1], values[2],
				                  out,          tokens[n], widths[w],
				                  3 * HEAD_MAX, HEAD_MAX,  scratch };
			bool right = true;

			memset(out, 0xff, sizeof(out));
			lanes->attend(&a);
			for (size_t i = 0; i < tokens[n]; i++) {
				attend(&a, i, want);
				for (size_t d = 0; d < widths[w]; d++)
					right = right && near(out[i * HEAD_MAX + d], want[d]);
			}
			CHECK(t, right);
			memset(same, 0xff, sizeof(same));
			a.out = same;
			always()->attend(&a);
			CHECK(t, memcmp(out, same, sizeof(out)) == 0);
			CHECK(t, widths[w] == HEAD_MAX || isnan(out[widths[w]]));
		}
	free(scratch);
}

static void each_way(struct kb_test *t, void (*check)(struct kb_test *, const struct kb_lanes *))
{
	fill();
	for (size_t i = 0; kb_lanes_way(i); i++) {
		t->row = kb_lanes_way(i)->name;
		if (kb_lanes_way(i)->available())
			check(t, kb_lanes_way(i));
	}
	t->row = NULL;
	CHECK(t, kb_lanes_best()->available());
}

static void test_norm(struct kb_test *t)
{
	each_way(t, check_norm);
}

static void test_times(struct kb_test *t)
{
	each_way(t, check_times);
}

static void test_gelu(struct kb_test *t)
{
	each_way(t, check_gelu);
}

static void test_attention(struct kb_test *t)
{
	each_way(t, check_attention);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a norm is one", test_norm },
		{ "values times factors", test_times },
		{ "gelu, also far out", test_gelu },
		{ "attention weighs as it is defined, and writes nothing else", test_attention },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
