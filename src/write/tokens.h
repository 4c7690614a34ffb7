/*
 * How many tokens a text has, near enough.
 *
 * Every model cuts text into tokens of its own, and most answers come of no model. So this is a
 * count by rule, the same for all: a word has one for each begun six letters or digits; a letter of
 * scripts that write words without spaces (Chinese, Japanese, Korean, Thai and their neighbours) is
 * one; so is any other character that is no space. Pure; any thread.
 */
#ifndef KB_WRITE_TOKENS_H
#define KB_WRITE_TOKENS_H

#include "base/sv.h"
#include "index/lang.h"

int64_t kb_tokens_count(struct kb_sv text);

/* What a model may make of it, for who has to stay within its context: most vocabularies are made
 * of English first, so that a word of another language falls into more pieces. KB_LANG_NONE: it is
 * found out. */
int64_t kb_tokens_estimate(struct kb_sv text, enum kb_lang lang);

#endif
