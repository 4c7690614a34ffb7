/*
 * Personal details that only words give away: an address that is spelt out ("joe (at) example dot
 * com"), a bank account's number beside the word for one ("account 12345678, sort code 20-00-00").
 *
 * Both look a bounded way ahead of the beginning of a word. The text has its full-width characters
 * as plain ones (mask.c). Pure; any thread.
 */
#ifndef KB_ANSWER_MASK_WORDS_H
#define KB_ANSWER_MASK_WORDS_H

#include "base/sv.h"

/* Bytes of the address that begins at start; 0: none does. */
size_t kb_mask_spelled(struct kb_sv text, size_t start);

/* A number that the word at start says to be an account's, or that begins at start and is said to
 * be one by the word behind it; *number is where it begins. */
size_t kb_mask_account(struct kb_sv text, size_t start, size_t *number);

#endif
