/*
 * Documents are not equal: a changelog, release notes, a licence, an index or a page that says that
 * there is no page holds every word of a documentation, and answers few questions. The last of the
 * steps takes a fifth of the best score from their passages, unless the question asks for a
 * version, or for what is new or has changed.
 *
 * What a document is, its title says; passages carry it at the head of their sequence of words
 * (forward.h). Pure; any thread. Private to this folder.
 */
#ifndef KB_INDEX_PRIOR_H
#define KB_INDEX_PRIOR_H

#include "index/index.h"

enum { KB_PRIOR_BEST = 100 }; /* passages that are looked at */

/* hits are sorted by their scores, and are again afterwards. */
void kb_prior_rank(const struct kb_snapshot *snapshot, const struct kb_query *query,
                   struct kb_hit *hits, size_t count);

#endif
