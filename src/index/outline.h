/*
 * What a snapshot holds, without a question: counts, and the sections of a page.
 *
 * Dead and hidden passages are in neither, nor in a count what its filter refuses. Any thread.
 */
#ifndef KB_INDEX_OUTLINE_H
#define KB_INDEX_OUTLINE_H

#include "index/index.h"

struct kb_snapshot_size {
	int64_t pages, passages; /* living, and allowed */
};
/* allow: as kb_snapshot_hiding() asks; NULL: all. Takes a look at each page, not at each passage.
 */
void kb_snapshot_size(const struct kb_snapshot *snapshot, bool (*allow)(void *arg, int64_t page_id),
                      void *arg, struct kb_snapshot_size *out);

/* The different heading paths of a page's passages, in their order. */
struct kb_sections {
	struct kb_sv *v;
	size_t count;
	bool more; /* there are others */
};
/* At most `max`, in the arena. A page of more than KB_OUTLINE_PASSAGES passages is read so far
 * only. */
enum { KB_OUTLINE_PASSAGES = 200 };
bool kb_snapshot_sections(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                          int64_t page_id, size_t max, struct kb_sections *out,
                          struct kb_err *err) KB_MUST_CHECK;

#endif
