/*
 * How good replies are: figures that need no model. Answers are judged as SQuAD does it
 * (answer/gold.h), rankings as trec_eval does it (eval_rank.h): means over all questions that have
 * a relevant document.
 */
#ifndef KB_CLI_EVAL_SCORE_H
#define KB_CLI_EVAL_SCORE_H

#include "answer/gold.h"
#include "cli/eval_rank.h"

bool kb_eval_is_document(const struct kb_eval_document *document, struct kb_sv name);
/* What a run calls it: as the row does, else its file without extension, else its id. */
struct kb_sv kb_eval_document_name(struct kb_arena *arena, const struct kb_eval_row *row,
                                   const struct kb_eval_document *document);

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

#endif
