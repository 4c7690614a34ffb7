/*
 * What a request to the chat endpoint asks for: its messages, and arguments that are not served.
 */
#ifndef KB_API_COMPLETIONS_READ_H
#define KB_API_COMPLETIONS_READ_H

#include "api/session.h"

/* KB_E_UNSUPPORTED or KB_E_INVALID for what no answer of ours could do justice to. */
bool kb_completions_refuse_unserved(const json_t *body, struct kb_err *err);

/* The last user message is the prompt, the ones before it are the history. *tokens: of them all. */
bool kb_completions_read_messages(struct kb_call *call, struct kb_turn *turn, int64_t *tokens,
                                  struct kb_err *err);

#endif
