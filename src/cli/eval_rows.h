/*
 * docent eval: a table of questions with what they have to be answered, asked of an agent as trials
 * (api/trials.c), and judged without a model.
 *
 *   table (eval_table.h) -> asked (eval_ask.h) -> judged (eval_score.h) -> told (eval_tell.h)
 *
 * Everything lives in the command's arena. One thread.
 */
#ifndef KB_CLI_EVAL_ROWS_H
#define KB_CLI_EVAL_ROWS_H

#include "base/arena.h"

/* A document as the table names it: by id, title, address, or file name with or without its
 * extension. */
struct kb_eval_wanted {
	struct kb_sv name;
	int64_t grade; /* how relevant: 1, or what the judgments say */
};

/* A row of the table. */
struct kb_eval_row {
	struct kb_sv id; /* the question where the table has none */
	struct kb_sv question;
	struct kb_sv *answers; /* gold phrases; one of them has to stand in the answer */
	size_t answer_count;
	struct kb_eval_wanted *documents;
	size_t document_count;
	struct kb_sv *labels; /* of who asks */
	size_t label_count;
	struct kb_sv *turns; /* questions before it, newest last */
	size_t turn_count;
	bool refuse; /* nothing may be answered */
	int64_t line;
};

struct kb_eval_table {
	struct kb_eval_row *v;
	size_t count;
};

struct kb_eval_document {
	int64_t id;
	struct kb_sv filename, title, url; /* empty: none */
};
struct kb_eval_passage {
	struct kb_eval_document document;
	struct kb_sv text;
	double score;
};

/* What came of it. */
struct kb_eval_reply {
	struct kb_sv error; /* why there is none; empty: there is one */
	struct kb_sv answer, outcome, model;
	bool answered; /* the outcome is an answer */
	bool failed;   /* the model did */
	bool cut;      /* it wrote as much as it may */
	bool opened;   /* what was not found is found where every label is open */
	int64_t statements, supported;
	struct kb_eval_document *cited;
	size_t cited_count;
	struct kb_eval_passage *passages; /* best first */
	size_t passage_count;
	int64_t took_us;
};

/* Why a row failed, in one of eight words. */
enum kb_eval_why {
	KB_EVAL_PASSED,
	KB_EVAL_NOT_FOUND,      /* no passage has what answers */
	KB_EVAL_REFUSED,        /* one has, and nothing was answered */
	KB_EVAL_WRONG_SENTENCE, /* one has, and something else was answered; or there is no answer
	                         */
	KB_EVAL_WRONG_DOCUMENT, /* another document is cited */
	KB_EVAL_LABEL,          /* its label is closed; or was open and should not */
	KB_EVAL_CUT,            /* the answer ends before the phrase does */
	KB_EVAL_MODEL,          /* the model failed, or wrote something else */
	KB_EVAL_ERROR,          /* there was no reply */
	KB_EVAL_WHYS
};
/* "passed", "not found", "found but refused", … */
const char *kb_eval_why_name(enum kb_eval_why why);

#endif
