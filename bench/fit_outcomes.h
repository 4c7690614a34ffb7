/* What people are shown at each threshold of the gate, and whether its probability is one: reports
 * of fit_answers. */
#ifndef BENCH_FIT_OUTCOMES_H
#define BENCH_FIT_OUTCOMES_H

#include "answer/select.h"
#include "fit_pools.h"

/* The selection kb_select() would give, from the case's out-of-fold scores. */
void fit_selection(struct kb_arena *arena, const struct fit_case *c, bool answered,
                   struct kb_selection *out);

/* Of questions by the probability that the gate gave them, `z` and `shift` together: how many of
 * them can be answered. The pools weigh as in its fit. */
void fit_report_reliability(const struct bench *b, const float *z, float shift);

/* Where the answer stops at 0 and the closest passages at other thresholds: how often the gold is
 * shown in either, how often nothing is, and how many questions without an answer see passages. */
void fit_report_outcomes(const struct bench *b, const float *z);

#endif
