/* docent eval draft: a table to begin with, from what people have asked and checked. */
#ifndef KB_CLI_EVAL_DRAFT_H
#define KB_CLI_EVAL_DRAFT_H

#include "base/buf.h"
#include "cli/remote.h"

/* JSON lines: each checked answer by each of its questions; and of conversations what was liked
 * (with what was answered), disliked or not answered, each question once. A column `note` says
 * which; a person says what is to be answered. */
bool kb_eval_draft(struct kb_remote *remote, struct kb_buf *out, struct kb_err *err) KB_MUST_CHECK;

#endif
