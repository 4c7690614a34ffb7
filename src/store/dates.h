/*
 * When documents were written, and until when their owner stands for them. The rules of store.h
 * hold.
 *
 * A document's date is the one that it gives itself, else its sitemap's, else its host's. Past its
 * review, its own or its source's, it comes behind its equals, and its owner is told.
 */
#ifndef KB_STORE_DATES_H
#define KB_STORE_DATES_H

#include "store/pages.h"

/* 0: none. */
int64_t kb_page_date(const struct kb_page *page);

struct kb_page_dates {
	int64_t page_id;   /* 0: there is no such document */
	int64_t dated_at;  /* kb_page_date() */
	int64_t review_at; /* with its source's; 0: never */
	bool is_due;
};
/* Of these, each in the place of its id, in few trips. */
bool kb_store_page_dates(struct kb_store *store, struct kb_arena *arena,
                         const struct kb_page_ids *ids, struct kb_page_dates *out,
                         struct kb_err *err) KB_MUST_CHECK;

#endif
