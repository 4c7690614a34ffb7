/* docent add --answers: a table of questions with what is to be said to them. */
#ifndef KB_CLI_ADD_ANSWERS_H
#define KB_CLI_ADD_ANSWERS_H

#include "cli/remote.h"
#include "cli/tally.h"

/* Each row becomes a checked answer, or changes the one with the same first question; one that says
 * the same already stays as it is. Rows that are refused are told and counted in the tally. */
bool kb_cli_add_answers(struct kb_remote *remote, const char *file, struct kb_tally *tally,
                        struct kb_err *err) KB_MUST_CHECK;

#endif
