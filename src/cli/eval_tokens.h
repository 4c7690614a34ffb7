/* Texts as SQuAD's evaluation compares them: words without case, punctuation and articles;
 * characters of scripts without blanks are words. */
#ifndef KB_CLI_EVAL_TOKENS_H
#define KB_CLI_EVAL_TOKENS_H

#include "base/arena.h"

struct kb_eval_tokens {
	struct kb_sv *v;
	size_t count;
};
void kb_eval_tokenize(struct kb_arena *arena, struct kb_sv text, struct kb_eval_tokens *out);
bool kb_eval_exact(const struct kb_eval_tokens *said, const struct kb_eval_tokens *gold);
double kb_eval_f1(const struct kb_eval_tokens *said, const struct kb_eval_tokens *gold);
/* Whether gold stands in the text, in order and together; an empty one does not. */
bool kb_eval_contains(const struct kb_eval_tokens *text, const struct kb_eval_tokens *gold);

#endif
