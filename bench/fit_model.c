/* Training in plain C: a few thousand questions, a hundred rows each. */
#include "fit_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	EPOCHS = 14,
	BATCH = 32,
	WARM_STEPS = 50,
	GATE_EPOCHS = 20,
	GATE_BATCH = 64,
};

#define RATE       0.003
#define L2         0.012f
#define GATE_L2    0.006f
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
	return kb_gate_z(weights, c->gate);
}

static void standardize_gate(struct fit_case **cases, size_t count, struct kb_gate_weights *out)
{
	double sum[KB_GATE_FEATURES] = { 0 }, squares[KB_GATE_FEATURES] = { 0 }, n = 0;

	for (size_t i = 0; i < count; i++)
		for (int k = 0; k < KB_GATE_FEATURES; k++) {
			double v = (double)cases[i]->gate[k], w = (double)cases[i]->weight;

			sum[k] += w * v;
			squares[k] += w * v * v;
			n += k == 0 ? w : 0;
		}
	for (int k = 0; k < KB_GATE_FEATURES; k++) {
		double mean = sum[k] / n, variance = squares[k] / n - mean * mean;

		out->mean[k] = (float)mean;
		out->scale[k] = variance > 1e-9 ? (float)(1 / sqrt(variance)) : 0;
	}
}

/* What Adam moves of the gate. */
struct gate_params {
	float linear[KB_GATE_FEATURES], hidden[KB_GATE_HIDDEN][KB_GATE_FEATURES];
	float hidden_bias[KB_GATE_HIDDEN], out[KB_GATE_HIDDEN], bias;
};
enum { GATE_PARAMS = sizeof(struct gate_params) / sizeof(float) };

/* Adds the gradient of the case's loss. */
static void gate_backward(const struct gate_params *p, const struct kb_gate_weights *norm,
                          const struct fit_case *c, struct gate_params *g)
{
	float x[KB_GATE_FEATURES], h[KB_GATE_HIDDEN], z = p->bias, d;

	for (int k = 0; k < KB_GATE_FEATURES; k++) {
		x[k] = (c->gate[k] - norm->mean[k]) * norm->scale[k];
		z += p->linear[k] * x[k];
	}
	for (int i = 0; i < KB_GATE_HIDDEN; i++) {
		float t = p->hidden_bias[i];

		for (int k = 0; k < KB_GATE_FEATURES; k++)
			t += p->hidden[i][k] * x[k];
		h[i] = t > 0 ? t : 0;
		z += p->out[i] * h[i];
	}
	d = c->weight * (1 / (1 + expf(-z)) - (c->answerable ? 1 : 0));
	g->bias += d;
	for (int k = 0; k < KB_GATE_FEATURES; k++)
		g->linear[k] += d * x[k];
	for (int i = 0; i < KB_GATE_HIDDEN; i++) {
		float dh = d * p->out[i];

		if (!(h[i] > 0))
			continue;
		g->out[i] += d * h[i];
		g->hidden_bias[i] += dh;
		for (int k = 0; k < KB_GATE_FEATURES; k++)
			g->hidden[i][k] += dh * x[k];
	}
}

static void gate_start(struct gate_params *p, uint64_t *seed)
{
	for (int i = 0; i < KB_GATE_HIDDEN; i++) {
		for (int k = 0; k < KB_GATE_FEATURES; k++)
			p->hidden[i][k] =
			        (float)((uniform(seed) - .5) * 2 * sqrt(3. / KB_GATE_FEATURES));
		p->out[i] = (float)((uniform(seed) - .5) * .4);
		p->hidden_bias[i] = FIRST_BIAS;
	}
}

void fit_gate(struct fit_case **cases, size_t count, struct kb_gate_weights *out)
{
	static struct gate_params p, g, first, second;
	struct fit_case **order = kb_xcalloc(count + 1, sizeof(*order));
	float *v = (float *)&p, *d = (float *)&g, *m = (float *)&first, *s = (float *)&second;
	uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
	size_t n = 0, batch = 0;
	long steps = 0, last;
	double mean = 0;

	memset(out, 0, sizeof(*out));
	p = g = first = second = (struct gate_params){ 0 };
	for (size_t i = 0; i < count; i++)
		if (cases[i]->gated)
			order[n++] = cases[i];
	standardize_gate(order, n, out);
	for (size_t i = 0; i < n; i++)
		mean += (double)order[i]->weight / (double)n;
	gate_start(&p, &seed);
	last = GATE_EPOCHS * (long)((n + GATE_BATCH - 1) / GATE_BATCH);
	for (int e = 0; e < GATE_EPOCHS; e++) {
		for (size_t i = n; i > 1; i--) {
			size_t k = (size_t)(uniform(&seed) * (double)i);
			struct fit_case *swap = order[i - 1];

			order[i - 1] = order[k];
			order[k] = swap;
		}
		for (size_t i = 0; i < n; i++) {
			double rate, c1, c2;

			gate_backward(&p, out, order[i], &g);
			if (++batch < GATE_BATCH && i + 1 < n)
				continue;
			steps++;
			rate = RATE * (1 - (double)steps / (double)last) + 1e-6;
			c1 = 1 - pow(.9, (double)steps);
			c2 = 1 - pow(.999, (double)steps);
			for (int k = 0; k < GATE_PARAMS; k++) {
				float gradient = d[k] / (float)((double)batch * mean)
				                 + (k + 1 < GATE_PARAMS ? GATE_L2 * v[k] : 0);

				d[k] = 0;
				m[k] = .9f * m[k] + .1f * gradient;
				s[k] = .999f * s[k] + .001f * gradient * gradient;
				v[k] -= (float)(rate * ((double)m[k] / c1)
				                / (sqrt((double)s[k] / c2) + 1e-8));
			}
			batch = 0;
		}
	}
	memcpy(out->linear, p.linear, sizeof(out->linear));
	memcpy(out->hidden, p.hidden, sizeof(out->hidden));
	memcpy(out->hidden_bias, p.hidden_bias, sizeof(out->hidden_bias));
	memcpy(out->out, p.out, sizeof(out->out));
	out->bias = p.bias;
	free(order);
}
