/* One evaluation beside an earlier one, row by row. */
#ifndef KB_CLI_EVAL_AGAINST_H
#define KB_CLI_EVAL_AGAINST_H

#include "cli/eval_score.h"

enum kb_eval_turn { KB_EVAL_SAME, KB_EVAL_BETTER, KB_EVAL_WORSE, KB_EVAL_NEW };
struct kb_eval_before {
	enum kb_eval_turn turn;
	struct kb_sv answer; /* of that time; empty: none */
};
struct kb_eval_against {
	struct kb_eval_before *v; /* one a row of the table */
	size_t better, worse, same, added, gone;
};
/* Reads what kb_eval_tell_lines() wrote. A row is the same by its id. */
bool kb_eval_compare(struct kb_arena *arena, const char *path, const struct kb_eval_table *table,
                     const struct kb_eval_verdict *verdicts, struct kb_eval_against *out,
                     struct kb_err *err) KB_MUST_CHECK;

#endif
