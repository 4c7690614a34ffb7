/*
 * What came of an evaluation, for people and for programs. Each form is one text; whoever asks
 * writes it where it is wanted.
 */
#ifndef KB_CLI_EVAL_TELL_H
#define KB_CLI_EVAL_TELL_H

#include "base/buf.h"
#include "cli/eval_against.h"
#include "cli/eval_score.h"

struct kb_eval_told {
	const char *table; /* its name */
	const char *agent;
	const struct kb_eval_table *rows;
	const struct kb_eval_reply *replies;
	const struct kb_eval_verdict *verdicts;
	const struct kb_eval_sums *sums;
	const struct kb_eval_against *against; /* NULL: compared with nothing */
};

/* A line a figure, then a line a row that failed: tabs between. */
void kb_eval_tell_text(const struct kb_eval_told *told, struct kb_buf *out);
/* A test a row; a row without a reply is an error, another that did not pass a failure. */
void kb_eval_tell_junit(const struct kb_eval_told *told, struct kb_buf *out);
/* A table of figures and one of the rows that failed. */
void kb_eval_tell_markdown(const struct kb_eval_told *told, struct kb_buf *out);
/* A page of its own, with every row. */
void kb_eval_tell_html(const struct kb_eval_told *told, struct kb_buf *out);
/* A line a row, as --against reads it. */
void kb_eval_tell_lines(struct kb_arena *arena, const struct kb_eval_told *told,
                        struct kb_buf *out);
/* A line a document: what trec_eval reads as a run. */
void kb_eval_tell_run(struct kb_arena *arena, const struct kb_eval_told *told, struct kb_buf *out);

#endif
