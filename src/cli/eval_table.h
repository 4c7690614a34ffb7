/*
 * Tables of questions: CSV or TSV with a row of names, JSON lines, or a folder with queries.jsonl
 * and qrels/test.tsv.
 *
 *   id         what the row is called from run to run; without it that is the question
 *   question   what is asked
 *   answer     phrases one of which has to stand in the answer; '|' or an array between them
 *   document   what has to be cited: id, title, address or file name
 *   refuse     true: nothing may be answered
 *   labels     of who asks
 *   turns      the questions before it
 *
 * Names that other tables have for the same are read too (names[] in eval_table.c).
 */
#ifndef KB_CLI_EVAL_TABLE_H
#define KB_CLI_EVAL_TABLE_H

#include "cli/eval_rows.h"

/* KB_E_INVALID names the file, and the line where there is one. */
bool kb_eval_table_read(struct kb_arena *arena, const char *path, struct kb_eval_table *out,
                        struct kb_err *err) KB_MUST_CHECK;
/* Which documents answer which rows, by id: lines of "id document grade" with tabs or "id 0
 * document grade" with blanks. Rows without a judgment go. */
bool kb_eval_table_judge(struct kb_arena *arena, const char *path, struct kb_eval_table *table,
                         struct kb_err *err) KB_MUST_CHECK;

#endif
