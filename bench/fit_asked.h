/*
 * The questions of `asked`, to small agents: a few documents of a repository, asked what they
 * answer, what nobody answers, and what other documents of theirs do.
 */
#ifndef BENCH_FIT_ASKED_H
#define BENCH_FIT_ASKED_H

#include "fit_data.h"

struct fit_asked; /* all questions and passages, read once */

/* NULL: they are not to be had. */
struct fit_asked *fit_asked_read(const char *root);
void fit_asked_free(struct fit_asked *all);

size_t fit_asked_count(const struct fit_asked *all);

/* An agent of so many documents, the first of them the one that the nth question is about. Its asks
 * are those that it answers, then near misses of its documents, then what others of its repository
 * answer; `foreign` is true of none. Keeps views into `all`. false: there is none of that size. */
bool fit_asked_open(struct fit_set *set, struct fit_asked *all, size_t nth, size_t documents);

#endif
