/*
 * What a sentence of a model's text is: a statement, which wants support, or something beside the
 * matter: a heading, a question, what leads over to a list, a courtesy. Pure; any thread.
 */
#ifndef KB_WRITE_STATEMENT_H
#define KB_WRITE_STATEMENT_H

#include "write/support.h"

/* Content words by which a sentence is a statement whatever its form. */
enum { KB_STATEMENT_WORDS = 3 };

/* A sentence of fewer words is one where it says something of something ("You have been hacked.")
 * or names somebody ("Hester Quillby."), and not where it only calls out ("Good news!"). */
bool kb_is_statement(struct kb_sv text, const struct kb_judgement *judgement);

#endif
