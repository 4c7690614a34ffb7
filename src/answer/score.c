/* Plain arithmetic in a fixed order, so that the same input gives the same bits. */
#include "answer/score.h"

#include <math.h>
#include <stdlib.h>

enum { SIX = 6 };

enum kb_table kb_table_of(enum kb_lang lang)
{
	switch (lang) {
	case KB_LANG_EN:
	case KB_LANG_NONE:
		return KB_TABLE_ENGLISH;
	case KB_LANG_ZH:
	case KB_LANG_JA:
	case KB_LANG_KO:
		return KB_TABLE_RUNS;
	default:
		return KB_TABLE_WORDS;
	}
}

const struct kb_weights *kb_table_weights(enum kb_table table, bool near)
{
	static const struct kb_weights *const tables[KB_TABLES][2] = {
		[KB_TABLE_ENGLISH] = { &kb_weights_english, &kb_weights_english_near },
		[KB_TABLE_WORDS] = { &kb_weights_words, &kb_weights_words_near },
		[KB_TABLE_RUNS] = { &kb_weights_runs, &kb_weights_runs_near },
	};

	return tables[table][near];
}

const struct kb_gate_weights *kb_gate_weights(const struct kb_evidence *evidence)
{
	return evidence->nearness.known ? &kb_weights_gate_near
	       : evidence->meaning      ? &kb_weights_gate_meant
	                                : &kb_weights_gate;
}

static float score_row(const struct kb_weights *weights, const float f[KB_FEATURES])
{
	float x[KB_FEATURES], z = 0;

	for (int i = 0; i < KB_FEATURES; i++) {
		x[i] = (f[i] - weights->mean[i]) * weights->scale[i];
		z += weights->linear[i] * x[i];
	}
	for (int h = 0; h < KB_HIDDEN; h++) {
		const float *w = weights->hidden[h];
		float sum[4] = { weights->bias[h], 0, 0, 0 };
		int i = 0;

		/* Four sums side by side: the compiler may not reorder one, but may widen four. */
		for (; i + 4 <= KB_FEATURES; i += 4)
			for (int k = 0; k < 4; k++)
				sum[k] += w[i + k] * x[i + k];
		for (; i < KB_FEATURES; i++)
			sum[0] += w[i] * x[i];
		sum[0] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
		if (sum[0] > 0)
			z += weights->out[h] * sum[0];
	}
	return z;
}

struct ranked {
	float z;
	uint32_t row;
};

static int better(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->z != y->z)
		return x->z > y->z ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

void kb_score_rows(struct kb_arena *arena, const struct kb_weights *weights,
                   const struct kb_features *features, float **z, uint32_t **order)
{
	size_t n = features->row_count;
	struct ranked *ranked = KB_NEW_ARRAY(arena, n, struct ranked);

	*z = KB_NEW_ARRAY(arena, n, float);
	*order = KB_NEW_ARRAY(arena, n, uint32_t);
	for (size_t i = 0; i < n; i++) {
		(*z)[i] = score_row(weights, features->rows[i].f);
		ranked[i] = (struct ranked){ (*z)[i], (uint32_t)i };
	}
	qsort(ranked, n, sizeof(*ranked), better);
	for (size_t i = 0; i < n; i++)
		(*order)[i] = ranked[i].row;
}

static float share_missing(uint64_t wanted, uint64_t have)
{
	return wanted ? (float)__builtin_popcountll(wanted & ~have)
	                        / (float)__builtin_popcountll(wanted)
	              : 0;
}

/* The set's share of the whole, by weight; of nothing, `none`. */
static float weight_share(const struct kb_features *features, uint64_t set, uint64_t whole,
                          float none)
{
	float all = kb_features_weight(features, whole);

	return all > 0 ? kb_features_weight(features, set & whole) / all : none;
}

/* The heaviest term of the set, and the second. */
static void heaviest_two(const struct kb_features *features, uint64_t set, float *first,
                         float *second)
{
	*first = *second = 0;
	for (; set; set &= set - 1) {
		float w = features->weights[__builtin_ctzll(set)];

		*second = KB_MAX(*second, KB_MIN(w, *first));
		*first = KB_MAX(*first, w);
	}
}

/* z of the best row less that of the best of another passage. */
static float lead(const struct kb_features *features, const float *z, const uint32_t *order)
{
	for (size_t i = 0; i < features->row_count; i++)
		if (features->rows[order[i]].candidate != features->rows[order[0]].candidate)
			return z[order[0]] - z[order[i]];
	return z[order[0]] - z[order[features->row_count - 1]];
}

/* By the model of sentences: how near the passage is, and how much nearer than others. */
static void cosine_features(const struct kb_features *features, uint32_t candidate,
                            float out[KB_GATE_FEATURES])
{
	const struct kb_nearness *nearness = &features->nearness;
	float nearest[SIX] = { 0 }, sum = 0;
	size_t place = 0;

	for (size_t i = 0; i < features->passage_count; i++) {
		float cosine = features->passages[i].cosine;

		if (cosine > features->passages[place].cosine)
			place = i;
		for (size_t k = 0; k < SIX; k++)
			if (cosine > nearest[k]) {
				float next = nearest[k];

				nearest[k] = cosine;
				cosine = next;
			}
	}
	for (size_t k = 0; k < SIX; k++)
		sum += nearest[k] > 0 ? nearest[k] : nearness->tail;
	out[KB_G_COSINE] = features->passages[candidate].cosine;
	out[KB_G_COSINE_GAP] = nearness->best - features->passages[candidate].cosine;
	out[KB_G_COSINE_BEST] = nearness->best;
	out[KB_G_COSINE_OVER] = nearness->best - nearness->tail;
	out[KB_G_COSINE_NEXT] = nearest[0] - nearest[1];
	out[KB_G_COSINE_SIX] = sum / SIX - nearness->tail;
	out[KB_G_AGREE] = 1 / (1 + (float)place);
}

/* What the block and the passage lack, and whether others have it. */
static void miss_features(const struct kb_features *features, const struct kb_feature_row *best,
                          uint64_t own, float rarest, float out[KB_GATE_FEATURES])
{
	const struct kb_gate_passage *doc = &features->passages[best->candidate];
	uint64_t elsewhere = 0;
	float first, second;

	for (size_t i = 0; i < features->passage_count; i++)
		elsewhere |= features->passages[i].terms;
	heaviest_two(features, elsewhere & own & ~(doc->terms | doc->likes), &first, &second);
	out[KB_G_BLOCK] = best->block.cover;
	out[KB_G_BLOCK_MISS] = best->block.miss / rarest;
	out[KB_G_BLOCK_FOCUS] = best->block.focus / rarest;
	out[KB_G_BLOCK_LAST] = best->block.last / rarest;
	out[KB_G_KIN_MISS] = doc->miss / rarest;
	out[KB_G_ANY_MISS] = features->miss / rarest;
	out[KB_G_ELSEWHERE] = first / rarest;
	if (features->passages_known >= KB_GATE_SMALL)
		return;
	out[KB_G_SMALL_BLOCK] = out[KB_G_BLOCK_MISS];
	out[KB_G_SMALL_KIN] = out[KB_G_KIN_MISS];
	out[KB_G_SMALL_ANY] = out[KB_G_ANY_MISS];
}

void kb_gate_features(const struct kb_features *features, const float *z, const uint32_t *order,
                      float out[KB_GATE_FEATURES])
{
	const struct kb_feature_row *best = &features->rows[order[0]];
	const struct kb_gate_passage *doc = &features->passages[best->candidate];
	const float *f = best->f;
	/* The weight of a term that no passage holds. */
	float rarest = (float)log(1 + (features->passages_known + .5) / .5);
	/* Terms of earlier turns help to find a passage; here they count for nothing. */
	uint64_t all = features->term_count < 64 ? (UINT64_C(1) << features->term_count) - 1
	                                         : ~UINT64_C(0);
	uint64_t own = all & ~features->carried ? all & ~features->carried : all;
	uint64_t near = doc->terms | doc->likes;
	float count = (float)__builtin_popcountll(own);
	float sum = kb_features_weight(features, own), miss, next, subject, other;

	heaviest_two(features, own & ~doc->terms, &miss, &next);
	heaviest_two(features, features->subjects & own & ~near, &subject, &other);
	for (int i = 0; i < KB_GATE_FEATURES; i++)
		out[i] = 0;
	for (size_t i = 0; i < features->passage_count; i++)
		out[KB_G_BEST_COV] =
		        KB_MAX(out[KB_G_BEST_COV],
		               weight_share(features, features->passages[i].terms, own, 0));
	/* Of the passage's score what its own terms have brought. */
	out[KB_G_IDEAL] = doc->score / sum * weight_share(features, own, doc->terms, 1);
	out[KB_G_DOC_COV] = weight_share(features, doc->terms, own, 0);
	out[KB_G_DOC_SOFT] =
	        features->carried ? weight_share(features, near, own, 0) : f[KB_F_DOC_SOFT];
	out[KB_G_COV] = weight_share(features, best->terms | doc->title, own, 0);
	out[KB_G_HEADED] = weight_share(features, doc->title, own, 0);
	out[KB_G_MISS] = miss / rarest;
	out[KB_G_MISS_NEXT] = next / rarest;
	out[KB_G_NAMES] = share_missing(features->names, doc->terms);
	out[KB_G_NUMBERS] = share_missing(features->numbers, doc->terms);
	out[KB_G_SUBJECT] = 1 - weight_share(features, near, features->subjects & own, 1);
	out[KB_G_SUBJECT_MISS] = subject / rarest;
	out[KB_G_UNKNOWN] = features->unknown;
	out[KB_G_TERMS] = logf(1 + count);
	out[KB_G_MATCHES] = logf(1 + (float)__builtin_popcountll(doc->terms & own));
	out[KB_G_SIZE] = (float)log(KB_MIN(KB_MAX(features->passages_known, 1.0), 1000.0));
	out[KB_G_SMALL_MISS] = features->passages_known < KB_GATE_SMALL ? out[KB_G_MISS] : 0;
	out[KB_G_SMALL_SUBJECT] = features->passages_known < KB_GATE_SMALL ? out[KB_G_SUBJECT] : 0;
	out[KB_G_PAIRS] = f[KB_F_PAIRS_ALL];
	out[KB_G_NEAR] = f[KB_F_S_NEAR];
	out[KB_G_DOC_PAIRS] = f[KB_F_DOC_PAIRS];
	out[KB_G_GAP] = KB_MIN(lead(features, z, order), 6.0f);
	out[KB_G_LEAD] = f[KB_F_DOC_LEAD];
	out[KB_G_TYPE_MISS] = f[KB_F_TYPE_MISS];
	out[KB_G_WANTED_MISS] = f[KB_F_WANTED_MISS];
	out[KB_G_WANTED_DOC] = f[KB_F_WANTED_DOC];
	out[KB_G_WANTED_SMALL] = features->passages_known < KB_GATE_SMALL ? f[KB_F_WANTED_DOC] : 0;
	out[KB_G_Z] = z[order[0]];
	out[KB_G_MASS] = sum / count / rarest;
	out[KB_G_SECTION] = features->shape == KB_SHAPE_SECTION;
	out[KB_G_SECTIONED] = features->sectioned;
	out[KB_G_MEANT] = doc->near;
	out[KB_G_MEANT_S] = best->near;
	out[KB_G_MEANT_TITLE] = doc->near_title;
	for (size_t i = 0; i < features->passage_count; i++)
		out[KB_G_MEANT_BEST] = KB_MAX(out[KB_G_MEANT_BEST], features->passages[i].near);
	out[KB_G_MEANT_KNOWN] = features->known;
	if (features->nearness.known)
		cosine_features(features, best->candidate, out);
	out[KB_G_S_COSINE] = f[KB_F_S_COSINE];
	out[KB_G_S_COSINE_GAP] = f[KB_F_S_COSINE_GAP];
	out[KB_G_S_COSINE_OVER] = f[KB_F_S_COSINE_OVER];
	out[KB_G_S_COSINE_BEST] = f[KB_F_S_COSINE] + f[KB_F_S_COSINE_GAP];
	miss_features(features, best, own, rarest, out);
	out[KB_G_CARRIED] = weight_share(features, ~doc->terms, features->carried, 0);
}

float kb_gate_z(const struct kb_gate_weights *weights, const float f[KB_GATE_FEATURES])
{
	float x[KB_GATE_FEATURES], z = weights->bias;

	for (int i = 0; i < KB_GATE_FEATURES; i++) {
		x[i] = (f[i] - weights->mean[i]) * weights->scale[i];
		z += weights->linear[i] * x[i];
	}
	for (int h = 0; h < KB_GATE_HIDDEN; h++) {
		float sum = weights->hidden_bias[h];

		for (int i = 0; i < KB_GATE_FEATURES; i++)
			sum += weights->hidden[h][i] * x[i];
		if (sum > 0)
			z += weights->out[h] * sum;
	}
	return z;
}
