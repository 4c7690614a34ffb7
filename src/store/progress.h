/* How far an agent's documents are: figures, and the first of those in work. The rules of store.h
 * hold. */
#ifndef KB_STORE_PROGRESS_H
#define KB_STORE_PROGRESS_H

#include "store/pages.h"

enum { KB_PROGRESS_PAGES = 12 };

struct kb_progress_page {
	int64_t id;
	struct kb_sv name; /* its file's, or its address */
	bool is_reading;   /* now; otherwise it waits */
	struct kb_sv reason;
	int64_t attempts, next_try_at; /* of one that waits; 0: it is its turn */
};

struct kb_progress {
	int64_t total, done, working, failed, limited;
	int64_t sources;  /* that wait to be read, or are */
	int64_t fetching; /* of those in work: they wait for their host, or are fetched */
	/* Documents that were done with lately, in so long; 0: it cannot be said. */
	int64_t lately, lately_us;
	/* Those that are read now, then those that come next. */
	struct kb_progress_page pages[KB_PROGRESS_PAGES];
	size_t page_count;
};

/* Costs what is in work, not what there is. */
bool kb_store_progress(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                       struct kb_progress *out, struct kb_err *err) KB_MUST_CHECK;

#endif
