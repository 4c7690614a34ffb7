/*
 * How good replies are: figures that need no model. Answers are judged as SQuAD does it (words
 * without case, punctuation and articles; characters of scripts without blanks are words), rankings
 * as trec_eval does it: by score, ties to the higher id, nDCG with the grade as gain, means over
 * all questions that have a relevant document.
 */
#ifndef KB_CLI_EVAL_SCORE_H
#define KB_CLI_EVAL_SCORE_H

#include "cli/eval_rows.h"

struct kb_eval_tokens {
	struct kb_sv *v;
	size_t count;
};
void kb_eval_tokenize(struct kb_arena *arena, struct kb_sv text, struct kb_eval_tokens *out);
bool kb_eval_exact(const struct kb_eval_tokens *said, const struct kb_eval_tokens *gold);
double kb_eval_f1(const struct kb_eval_tokens *said, const struct kb_eval_tokens *gold);
/* Whether gold stands in the text, in order and together; an empty one does not. */
bool kb_eval_contains(const struct kb_eval_tokens *text, const struct kb_eval_tokens *gold);

bool kb_eval_is_document(const struct kb_eval_document *document, struct kb_sv name);
/* What a run calls it: as the row does, else its file without extension, else its id. */
struct kb_sv kb_eval_document_name(struct kb_arena *arena, const struct kb_eval_row *row,
                                   const struct kb_eval_document *document);

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
/* Best first, by score and then by id, the higher first. */
void kb_eval_rank(struct kb_eval_ranked *v, size_t count);
/* Of one question; false where nothing is relevant. */
bool kb_eval_judge_ranking(const struct kb_eval_ranked *v, size_t count,
                           const struct kb_eval_wanted *wanted, size_t wanted_count,
                           double out[KB_EVAL_RANK_FIGURES]);
/* The documents of a reply's passages, ranked by the best of each. */
size_t kb_eval_documents(struct kb_arena *arena, const struct kb_eval_row *row,
                         const struct kb_eval_reply *reply, struct kb_eval_ranked **out);

/* One row, judged. */
enum { KB_EVAL_DEEP = 5 }; /* passages that "contained" and "hit" look at */
struct kb_eval_verdict {
	enum kb_eval_why why;
	bool phrase;     /* a gold phrase stands in the answer */
	bool first, any; /* the document cited first is right; one of them is */
	size_t place;    /* of the first passage that has what answers; 0: none has */
	double exact, f1;
	bool contained_1, contained_5, hit_1, hit_5;
	double precision, recall; /* of citations */
	double ranking[KB_EVAL_RANK_FIGURES];
	bool is_ranked;
};
void kb_eval_judge(struct kb_arena *arena, const struct kb_eval_row *row,
                   const struct kb_eval_reply *reply, struct kb_eval_verdict *out);

/* All rows together. A figure is a share, but for the last two, which are milliseconds. */
enum kb_eval_figure {
	KB_EVAL_F_PASSED,
	KB_EVAL_F_ANSWERED,
	KB_EVAL_F_REFUSED,
	KB_EVAL_F_PHRASE,
	KB_EVAL_F_FIRST,
	KB_EVAL_F_DOCUMENT,
	KB_EVAL_F_SUPPORTED,
	KB_EVAL_F_PLACE,
	KB_EVAL_F_EXACT,
	KB_EVAL_F_F1,
	KB_EVAL_F_CONTAINED_1,
	KB_EVAL_F_CONTAINED_5,
	KB_EVAL_F_HIT_1,
	KB_EVAL_F_HIT_5,
	KB_EVAL_F_PRECISION,
	KB_EVAL_F_RECALL,
	KB_EVAL_F_EXACT_ALL,
	KB_EVAL_F_F1_ALL,
	KB_EVAL_F_RANKING, /* KB_EVAL_RANK_FIGURES of them */
	KB_EVAL_F_MS_50 = KB_EVAL_F_RANKING + KB_EVAL_RANK_FIGURES,
	KB_EVAL_F_MS_95,
	KB_EVAL_FIGURES
};
struct kb_eval_sums {
	double value[KB_EVAL_FIGURES];
	size_t of[KB_EVAL_FIGURES]; /* rows that it is a mean of; 0: there is none */
	size_t why[KB_EVAL_WHYS];
	size_t rows;
};
void kb_eval_sum(struct kb_arena *arena, const struct kb_eval_table *table,
                 const struct kb_eval_reply *replies, const struct kb_eval_verdict *verdicts,
                 struct kb_eval_sums *out);
/* "answered", "ndcg@10", …, and what it says. */
const char *kb_eval_figure_name(enum kb_eval_figure figure);
const char *kb_eval_figure_doc(enum kb_eval_figure figure);

/* How likely so many better and worse rows, or more uneven ones, are by chance. */
double kb_eval_sign_test(size_t better, size_t worse);

#endif
