/* Rankings as trec_eval judges them: nDCG with the grade as gain. */
#ifndef KB_CLI_EVAL_RANK_H
#define KB_CLI_EVAL_RANK_H

#include "cli/eval_rows.h"

/* A ranking of documents, judged. */
struct kb_eval_ranked {
	struct kb_sv id;
	double score;
};
enum {
	KB_EVAL_NDCG_10,
	KB_EVAL_RECALL_100,
	KB_EVAL_MAP,
	KB_EVAL_MRR_10,
	KB_EVAL_P_5,
	KB_EVAL_SUCCESS_1,
	KB_EVAL_RANK_FIGURES
};
/* Of one question, best first; false where nothing is relevant. */
bool kb_eval_judge_ranking(const struct kb_eval_ranked *v, size_t count,
                           const struct kb_eval_wanted *wanted, size_t wanted_count,
                           double out[KB_EVAL_RANK_FIGURES]);

/* How likely so many better and worse rows, or more uneven ones, are by chance. */
double kb_eval_sign_test(size_t better, size_t worse);

#endif
