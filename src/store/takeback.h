/* What was deleted and is kept (deleted.h, agents.h), taken back. store.h's rules hold. */
#ifndef KB_STORE_TAKEBACK_H
#define KB_STORE_TAKEBACK_H

#include "store/deleted.h"

/* A document: with the segments that hold what could be found of it and its parts. */
struct kb_takeback {
	int64_t agent_id, id;
	const struct kb_segment_new *segments;
	size_t segment_count;
};
/*
 * One transaction: the rows are as they were, with their ids, labels and times cited; the next
 * index version finds their passages again; what waited to be read waits again.
 *
 * KB_E_NOT_FOUND: it is not kept. KB_E_CONFLICT: where it was there is no place for it any more,
 * since its source or what it is a part of is gone, or its address or its path has a document.
 */
bool kb_store_page_take_back(struct kb_store *store, const struct kb_takeback *back,
                             struct kb_err *err) KB_MUST_CHECK;

#endif
