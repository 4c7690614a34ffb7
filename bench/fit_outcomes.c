#include "fit_outcomes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "answer/closest.h"
#include "answer/parts.h"

enum { BINS = 10, STEPS = 9 };
#define FIRST_Z (-5.0)
#define STEP_Z  0.5

void fit_selection(struct kb_arena *arena, const struct fit_case *c, bool answered,
                   struct kb_selection *out)
{
	*out = (struct kb_selection){ .shape = c->shape,
		                      .count = c->features.row_count,
		                      .answered = answered };
	out->sentences = KB_NEW_ARRAY(arena, out->count, struct kb_scored_sentence);
	for (size_t i = 0; i < out->count; i++) {
		const struct kb_feature_row *row = &c->features.rows[c->order[i]];

		out->sentences[i] =
		        (struct kb_scored_sentence){ row->candidate, row->start, row->end,
			                             c->z[c->order[i]], row->leans };
	}
}

void fit_report_reliability(const struct bench *b, const float *z, float shift)
{
	double weight[BINS] = { 0 }, said[BINS] = { 0 }, is[BINS] = { 0 }, error = 0, all = 0;

	for (size_t i = 0; i < b->count; i++) {
		double p = 1 / (1 + exp(-(double)(z[i] + shift)));
		int bin = KB_MIN((int)(p * BINS), BINS - 1);

		weight[bin] += (double)b->cases[i]->weight;
		said[bin] += (double)b->cases[i]->weight * p;
		is[bin] += b->cases[i]->answerable ? (double)b->cases[i]->weight : 0;
	}
	printf("reliability: share of the questions, mean probability, answerable\n");
	for (int i = 0; i < BINS; i++)
		all += weight[i];
	for (int i = 0; i < BINS; i++) {
		if (weight[i] <= 0)
			continue;
		printf("  %.1f to %.1f  %.3f  %.3f  %.3f\n", (double)i / BINS,
		       (double)(i + 1) / BINS, weight[i] / all, said[i] / weight[i],
		       is[i] / weight[i]);
		error += fabs(said[i] - is[i]) / all;
	}
	printf("  mean difference %.3f\n", error);
}

/* Whether the answer, or what is shown as closest in its place, holds the gold. */
static void find_gold(const struct bench *b, size_t i, bool *answer, bool *closest)
{
	const struct fit_case *c = b->cases[i];
	struct kb_arena scratch = { 0 };
	const struct fit_gold *gold = fit_gold_new(&scratch, c->from, b->asks[i]);
	struct kb_steps *steps = KB_NEW(&scratch, struct kb_steps);
	struct kb_answer_step *step = &steps->v[0];
	struct kb_settings settings;
	struct kb_closest_list list;
	struct kb_answer_part *parts;
	struct kb_sv text = KB_SV("");
	size_t count;

	kb_settings_defaults(&settings);
	steps->count = 1;
	step->candidates = b->candidates[i];
	for (size_t r = 0; r < c->features.row_count; r++)
		step->candidate_count =
		        KB_MAX(step->candidate_count, (size_t)c->features.rows[r].candidate + 1);
	fit_selection(&scratch, c, true, &step->selection);
	kb_answer_parts(&scratch, step->candidates, &step->selection, &parts, &count);
	for (size_t k = 0; k < count; k++)
		text = kb_arena_printf(
		        &scratch, "%.*s %.*s", KB_SV_ARG(text),
		        KB_SV_ARG(kb_sv_sub(step->candidates[parts[k].candidate].passage.text,
		                            parts[k].start, parts[k].end - parts[k].start)));
	*answer = fit_gold_in(&scratch, gold, text);
	*closest = false;
	step->selection.answered = false;
	kb_closest_find(&scratch, steps, &settings, &list);
	for (size_t k = 0; k < list.count; k++)
		*closest |= fit_gold_in(&scratch, gold, list.v[k].excerpt);
	kb_arena_fini(&scratch);
}

struct shown {
	double asked, gold[STEPS], nothing[STEPS];
	double others[2], passages[2][STEPS]; /* near, far */
};

static void add_case(const struct bench *b, size_t i, float z, struct shown *s)
{
	const struct fit_case *c = b->cases[i];
	bool answer = false, closest = false;

	if (c->answerable && c->gated)
		find_gold(b, i, &answer, &closest);
	s->asked += c->answerable;
	s->others[c->far] += !c->answerable;
	for (int k = 0; k < STEPS; k++) {
		bool opens = (double)z >= FIRST_Z + k * STEP_Z;

		if (c->answerable) {
			s->gold[k] += z >= 0 ? answer : opens && closest;
			s->nothing[k] += !opens;
		} else {
			s->passages[c->far][k] += z < 0 && opens;
		}
	}
}

void fit_report_outcomes(const struct bench *b, const float *z)
{
	printf("closest from:   ");
	for (int k = 0; k < STEPS; k++)
		printf("  %-19.1f", FIRST_Z + k * STEP_Z);
	printf("\n                  gold shown, nothing | near, far shown passages\n");
	for (size_t p = 0; p < (size_t)POOLS; p++) {
		struct shown s = { 0 };

		if (!b->have[p])
			continue;
		for (size_t i = 0; i < b->count; i++)
			if (b->cases[i]->set == (int)p)
				add_case(b, i, z[i], &s);
		printf("%-16s", pools[p].name);
		for (int k = 0; k < STEPS; k++)
			printf("  %.2f %.2f|%.2f %.2f", s.gold[k] / KB_MAX(s.asked, 1.),
			       s.nothing[k] / KB_MAX(s.asked, 1.),
			       s.passages[0][k] / KB_MAX(s.others[0], 1.),
			       s.passages[1][k] / KB_MAX(s.others[1], 1.));
		printf("\n");
	}
}
