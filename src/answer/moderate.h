/*
 * The operator's block list: words and phrases that a prompt may not hold.
 *
 * The file has one word or phrase a line; '#' begins a comment line. A phrase matches whole words
 * in its order, whatever their case, width and punctuation between; scripts that do not divide
 * their words match anywhere. Time is linear in the prompt. Any thread may ask at any time,
 * also while a newer list takes the place of the one that there was.
 */
#ifndef KB_ANSWER_MODERATE_H
#define KB_ANSWER_MODERATE_H

#include "base/arena.h"

struct kb_block_list;

/* NULL with *err set: unreadable, over 8 MiB, not UTF-8, or a phrase over 16 words (its line is
 * named). */
struct kb_block_list *kb_block_list_read(const char *path, struct kb_err *err) KB_MUST_CHECK;
void kb_block_list_free(struct kb_block_list *list);
size_t kb_block_list_count(const struct kb_block_list *list);

/* `list` is what `newer` was, which is gone. One thread at a time. */
void kb_block_list_take(struct kb_block_list *list, struct kb_block_list *newer);

bool kb_block_list_hits(struct kb_block_list *list, struct kb_sv text);

#endif
