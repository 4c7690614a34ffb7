/*
 * Groups of questions that ask the same, each known by one of them.
 *
 * Two ask the same where they are the same words but for case, marks and blanks; or where most of
 * their content words are the same, or they are near in meaning (index/meaning.h) and share some,
 * and both are bound to the same things (bound.h): numbers, names, units and words of negation. A
 * question is compared with the groups that share its rarest words alone, so that many take little
 * time, and with so many of them at most.
 *
 * What it takes is bounded by the groups that it may hold: a kilobyte or two each. One thread.
 */
#ifndef KB_ANSWER_ALIKE_H
#define KB_ANSWER_ALIKE_H

#include "base/sv.h"

struct kb_alike;
struct kb_meaning;

/* meaning: outlives it; NULL: words alone. most: groups that it may hold. */
struct kb_alike *kb_alike_new(const struct kb_meaning *meaning, size_t most);
void kb_alike_free(struct kb_alike *alike);
size_t kb_alike_count(const struct kb_alike *alike);

/* The group that the question belongs to; where there is none it becomes one itself, under that id.
 * before: what was asked before it, for one that says little by itself; may be empty. 0: it belongs
 * to none, and there is no room for more. */
int64_t kb_alike_place(struct kb_alike *alike, int64_t id, struct kb_sv question,
                       struct kb_sv before);

#endif
