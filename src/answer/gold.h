/* Texts as SQuAD's evaluation compares them: words without case, punctuation and articles;
 * characters of scripts without blanks are words. */
#ifndef KB_ANSWER_GOLD_H
#define KB_ANSWER_GOLD_H

#include "base/arena.h"

struct kb_gold_tokens {
	struct kb_sv *v;
	size_t count;
};
void kb_gold_tokenize(struct kb_arena *arena, struct kb_sv text, struct kb_gold_tokens *out);
bool kb_gold_exact(const struct kb_gold_tokens *said, const struct kb_gold_tokens *gold);
double kb_gold_f1(const struct kb_gold_tokens *said, const struct kb_gold_tokens *gold);
/* Whether gold stands in the text, in order and together; an empty one does not. */
bool kb_gold_contains(const struct kb_gold_tokens *text, const struct kb_gold_tokens *gold);

#endif
