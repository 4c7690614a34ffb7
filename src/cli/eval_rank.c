/* Rankings, judged as trec_eval judges them. */
#include <math.h>
#include <string.h>

#include "cli/eval_rank.h"

enum { NDCG_DEPTH = 10, RECALL_DEPTH = 100, RR_DEPTH = 10, P_DEPTH = 5 };

static int64_t grade_of(const struct kb_eval_wanted *wanted, size_t count, struct kb_sv id)
{
	for (size_t i = 0; i < count; i++)
		if (kb_sv_eq(wanted[i].name, id))
			return KB_MAX(wanted[i].grade, (int64_t)0);
	return 0;
}

/* What the best order of all that is relevant would gain. */
static double ideal(const struct kb_eval_wanted *wanted, size_t count)
{
	int64_t best[NDCG_DEPTH] = { 0 };
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t grade = KB_MAX(wanted[i].grade, (int64_t)0);

		for (int k = 0; k < NDCG_DEPTH; k++)
			if (grade > best[k]) {
				int64_t next = best[k];

				best[k] = grade;
				grade = next;
			}
	}
	for (int k = 0; k < NDCG_DEPTH; k++)
		sum += (double)best[k] / log2(k + 2);
	return sum;
}

bool kb_eval_judge_ranking(const struct kb_eval_ranked *v, size_t count,
                           const struct kb_eval_wanted *wanted, size_t wanted_count,
                           double out[KB_EVAL_RANK_FIGURES])
{
	size_t relevant = 0, hits = 0, in_100 = 0, in_5 = 0, first = 0;
	double gain = 0, precisions = 0;

	for (size_t i = 0; i < wanted_count; i++)
		relevant += wanted[i].grade > 0;
	if (!relevant)
		return false;
	for (size_t i = 0; i < count; i++) {
		int64_t grade = grade_of(wanted, wanted_count, v[i].id);

		if (!grade)
			continue;
		hits++;
		precisions += (double)hits / (double)(i + 1);
		in_100 += i < RECALL_DEPTH;
		in_5 += i < P_DEPTH;
		if (i < NDCG_DEPTH)
			gain += (double)grade / log2((double)i + 2);
		if (hits == 1)
			first = i + 1;
	}
	out[KB_EVAL_NDCG_10] = gain / ideal(wanted, wanted_count);
	out[KB_EVAL_RECALL_100] = (double)in_100 / (double)relevant;
	out[KB_EVAL_MAP] = precisions / (double)relevant;
	out[KB_EVAL_MRR_10] = first && first <= RR_DEPTH ? 1 / (double)first : 0;
	out[KB_EVAL_P_5] = (double)in_5 / P_DEPTH;
	out[KB_EVAL_SUCCESS_1] = first == 1;
	return true;
}

/* Twice the smaller tail of a fair coin. */
double kb_eval_sign_test(size_t better, size_t worse)
{
	size_t n = better + worse, few = KB_MIN(better, worse);
	double sum = 0;

	for (size_t k = 0; k <= few; k++)
		sum += exp(lgamma((double)n + 1) - lgamma((double)k + 1)
		           - lgamma((double)(n - k) + 1) - (double)n * log(2));
	return KB_MIN(1.0, 2 * sum);
}
