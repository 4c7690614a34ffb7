/* Training in plain C: a few thousand questions, a hundred rows each. */
#include "fit_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	EPOCHS = 14,
	BATCH = 32,
	WARM_STEPS = 50,
	GATE_ROUNDS = 40, /* Newton steps; it has converged long before */
};

#define RATE       0.003
#define L2         0.012f
#define GATE_L2    2.0
#define FIRST_BIAS 0.1f

/* xorshift64*: the same numbers everywhere. */
static double uniform(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (double)((*state * UINT64_C(0x2545f4914f6cdd1d)) >> 11) * 0x1p-53;
}

static void standardize(struct fit_case **cases, size_t count, struct kb_weights *out)
{
	double sum[KB_FEATURES] = { 0 }, squares[KB_FEATURES] = { 0 }, n = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t r = 0; r < cases[i]->features.row_count; r++, n++)
			for (int k = 0; k < KB_FEATURES; k++) {
				double v = (double)cases[i]->features.rows[r].f[k];

				sum[k] += v;
				squares[k] += v * v;
			}
	for (int k = 0; k < KB_FEATURES; k++) {
		double mean = sum[k] / n, variance = squares[k] / n - mean * mean;

		out->mean[k] = (float)mean;
		out->scale[k] = variance > 1e-9 ? (float)(1 / sqrt(variance)) : 0;
	}
}

/* What Adam moves, as one array of numbers. */
struct params {
	float linear[KB_FEATURES], hidden[KB_HIDDEN][KB_FEATURES], bias[KB_HIDDEN], out[KB_HIDDEN];
};
enum { PARAMS = sizeof(struct params) / sizeof(float) };

struct work {
	struct params p;
	float gradient[PARAMS], first[PARAMS], second[PARAMS];
	float (*x)[KB_FEATURES];
	float (*h)[KB_HIDDEN];
	float *z;
	size_t capacity;
};

static void forward(struct work *w, const struct kb_weights *norm, const struct fit_case *c)
{
	size_t n = c->features.row_count;

	if (n > w->capacity) {
		w->capacity = n;
		w->x = kb_xrealloc(w->x, n * sizeof(*w->x));
		w->h = kb_xrealloc(w->h, n * sizeof(*w->h));
		w->z = kb_xrealloc(w->z, n * sizeof(*w->z));
	}
	for (size_t r = 0; r < n; r++) {
		float *x = w->x[r], z = 0;

		for (int k = 0; k < KB_FEATURES; k++) {
			x[k] = (c->features.rows[r].f[k] - norm->mean[k]) * norm->scale[k];
			z += w->p.linear[k] * x[k];
		}
		for (int h = 0; h < KB_HIDDEN; h++) {
			float t = w->p.bias[h];

			for (int k = 0; k < KB_FEATURES; k++)
				t += w->p.hidden[h][k] * x[k];
			w->h[r][h] = t > 0 ? t : 0;
			z += w->p.out[h] * w->h[r][h];
		}
		w->z[r] = z;
	}
}

/* Adds the gradient of -ln(share of the right rows in the softmax). */
static void backward(struct work *w, const struct fit_case *c)
{
	size_t n = c->features.row_count;
	float most = -INFINITY;
	double all = 0, right = 0;
	struct params *g = (struct params *)w->gradient;

	for (size_t r = 0; r < n; r++)
		most = KB_MAX(most, w->z[r]);
	for (size_t r = 0; r < n; r++) {
		double e = exp((double)(w->z[r] - most));

		all += e;
		if (c->right[r] & 1)
			right += e;
	}
	for (size_t r = 0; r < n; r++) {
		double e = exp((double)(w->z[r] - most));
		float d = (float)(e / all - (c->right[r] & 1 ? e / (right + 1e-30) : 0));
		const float *x = w->x[r];

		if (fabsf(d) < 1e-5f)
			continue;
		for (int k = 0; k < KB_FEATURES; k++)
			g->linear[k] += d * x[k];
		for (int h = 0; h < KB_HIDDEN; h++) {
			float dh = d * w->p.out[h];

			if (!(w->h[r][h] > 0))
				continue;
			g->out[h] += d * w->h[r][h];
			g->bias[h] += dh;
			for (int k = 0; k < KB_FEATURES; k++)
				g->hidden[h][k] += dh * x[k];
		}
	}
}

static void step(struct work *w, size_t batch, long n, long last)
{
	float *p = (float *)&w->p;
	double rate = RATE * (1 - (double)n / (double)last) + 1e-6;
	double c1 = 1 - pow(.9, (double)n), c2 = 1 - pow(.999, (double)n);

	rate *= n < WARM_STEPS ? (double)n / WARM_STEPS : 1;
	for (int i = 0; i < PARAMS; i++) {
		float g = w->gradient[i] / (float)batch + L2 * p[i];

		w->gradient[i] = 0;
		w->first[i] = .9f * w->first[i] + .1f * g;
		w->second[i] = .999f * w->second[i] + .001f * g * g;
		p[i] -= (float)(rate * ((double)w->first[i] / c1)
		                / (sqrt((double)w->second[i] / c2) + 1e-8));
	}
}

void fit_weights(struct fit_case **cases, size_t count, struct kb_weights *out)
{
	struct work *w = kb_xcalloc(1, sizeof(*w));
	struct fit_case **learn = kb_xcalloc(count + 1, sizeof(*learn));
	uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
	size_t n = 0, in_batch = 0;
	long steps = 0, last;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < count; i++)
		for (size_t r = 0; r < cases[i]->features.row_count; r++)
			if (cases[i]->right[r] & 1) {
				learn[n++] = cases[i];
				break;
			}
	standardize(learn, n, out);
	for (int h = 0; h < KB_HIDDEN; h++) {
		for (int k = 0; k < KB_FEATURES; k++)
			w->p.hidden[h][k] =
			        (float)((uniform(&seed) - .5) * 1.4 * sqrt(3. / KB_FEATURES));
		w->p.out[h] = (float)((uniform(&seed) - .5) * .4);
		w->p.bias[h] = FIRST_BIAS;
	}
	last = EPOCHS * (long)((n + BATCH - 1) / BATCH);
	for (int e = 0; e < EPOCHS; e++) {
		for (size_t i = n; i > 1; i--) {
			size_t k = (size_t)(uniform(&seed) * (double)i);
			struct fit_case *swap = learn[i - 1];

			learn[i - 1] = learn[k];
			learn[k] = swap;
		}
		for (size_t i = 0; i < n; i++) {
			forward(w, out, learn[i]);
			backward(w, learn[i]);
			if (++in_batch == BATCH || i + 1 == n) {
				step(w, in_batch, ++steps, last);
				in_batch = 0;
			}
		}
	}
	memcpy(out->linear, w->p.linear, sizeof(out->linear));
	memcpy(out->hidden, w->p.hidden, sizeof(out->hidden));
	memcpy(out->bias, w->p.bias, sizeof(out->bias));
	memcpy(out->out, w->p.out, sizeof(out->out));
	free(w->x);
	free(w->h);
	free(w->z);
	free(w);
	free(learn);
}

float fit_gate_z(const struct kb_gate_weights *weights, const struct fit_case *c)
{
	float z = weights->bias;

	for (int i = 0; i < KB_GATE_FEATURES; i++)
		z += weights->w[i] * c->gate[i];
	return z;
}

/* Solves a x = b in place for a symmetric positive a (Cholesky). */
static void solve(double (*a)[KB_GATE_FEATURES + 1], double *b, int n)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k <= i; k++) {
			double sum = a[i][k];

			for (int j = 0; j < k; j++)
				sum -= a[i][j] * a[k][j];
			a[i][k] = i == k ? sqrt(sum > 1e-12 ? sum : 1e-12) : sum / a[k][k];
		}
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < i; j++)
			b[i] -= a[i][j] * b[j];
		b[i] /= a[i][i];
	}
	for (int i = n - 1; i >= 0; i--) {
		for (int j = i + 1; j < n; j++)
			b[i] -= a[j][i] * b[j];
		b[i] /= a[i][i];
	}
}

void fit_gate(struct fit_case **cases, size_t count, struct kb_gate_weights *out)
{
	enum { N = KB_GATE_FEATURES + 1 };
	double w[N] = { 0 };

	memset(out, 0, sizeof(*out));
	for (int round = 0; round < GATE_ROUNDS; round++) {
		double a[N][N] = { 0 }, b[N] = { 0 };

		for (int i = 0; i < N; i++) {
			a[i][i] = i < KB_GATE_FEATURES ? GATE_L2 : 1e-6;
			b[i] = i < KB_GATE_FEATURES ? -GATE_L2 * w[i] : 0;
		}
		for (size_t c = 0; c < count; c++) {
			const struct fit_case *x = cases[c];
			double z = w[N - 1], p, v[N];

			if (!x->gated)
				continue;
			for (int i = 0; i < KB_GATE_FEATURES; i++) {
				v[i] = (double)x->gate[i];
				z += w[i] * v[i];
			}
			v[N - 1] = 1;
			p = 1 / (1 + exp(-z));
			for (int i = 0; i < N; i++) {
				b[i] += (double)x->weight * ((x->answerable ? 1 : 0) - p) * v[i];
				for (int k = 0; k <= i; k++)
					a[i][k] += (double)x->weight * p * (1 - p) * v[i] * v[k];
			}
		}
		solve(a, b, N);
		for (int i = 0; i < N; i++)
			w[i] += b[i];
	}
	for (int i = 0; i < KB_GATE_FEATURES; i++)
		out->w[i] = (float)w[i];
	out->bias = (float)w[N - 1];
}
