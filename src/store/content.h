/*
 * Documents as their owner looks through them: by what they are called, their kind and origin, what
 * became of them, and how often answers cite them. The rules of store.h hold.
 */
#ifndef KB_STORE_CONTENT_H
#define KB_STORE_CONTENT_H

#include "store/pages.h"

/* What became of a document. An address that was left out or does not answer is UNREAD: of a
 * website with dead links there may be many, and nobody can mend them here. */
enum kb_content_state {
	KB_CONTENT_SHOWN, /* all but those that are UNREAD */
	KB_CONTENT_READY,
	KB_CONTENT_WAITING,
	KB_CONTENT_AMISS, /* failed, limited, or a file that was not read */
	KB_CONTENT_UNREAD,
	KB_CONTENT_ALL,
	KB_CONTENT_STATES
};
enum kb_content_sort {
	KB_CONTENT_NEWEST, /* descending; the other way round, the oldest first */
	KB_CONTENT_BY_TITLE,
	KB_CONTENT_BY_CHANGE,
	KB_CONTENT_BY_CITED,
	KB_CONTENT_BY_WORDS,
	KB_CONTENT_SORTS
};

enum { KB_CONTENT_ENDINGS = 4 };

struct kb_content_filter {
	struct kb_list list;
	enum kb_content_sort sort;
	enum kb_content_state state;
	struct kb_sv search; /* in title, file name and address; '*' and '?' are wild */
	int64_t source_id;   /* 0: any */
	bool is_address;     /* only what has an address of its own */
	/* Only files whose names end with one of them; empty ones are none, and so is a list of
	 * them. */
	struct kb_sv endings[KB_CONTENT_ENDINGS];
	bool never_cited;
	bool review_due; /* the review of their own is over; not that of their source */
	int64_t after;   /* only ids above */
};

struct kb_content_row {
	struct kb_page page;
	int64_t cited;
	int64_t review_at; /* with its source's (dates.h); 0: never */
	bool is_due;
};
struct kb_content_list {
	struct kb_content_row *v;
	size_t count;
	int64_t total; /* of all pages of the list */
};
bool kb_store_content_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                           const struct kb_content_filter *filter, struct kb_content_list *out,
                           struct kb_err *err) KB_MUST_CHECK;

/* How many of a source's documents are not as they should be. */
struct kb_content_origin {
	int64_t source_id, amiss, unread, waiting;
};
struct kb_content_summary {
	struct kb_content_origin *origins; /* those that have any */
	size_t origin_count;
	int64_t uploads;             /* the source of all uploads */
	int64_t total, ready, cited; /* cited: of those that are ready */
};
bool kb_store_content_summary(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                              struct kb_content_summary *out, struct kb_err *err) KB_MUST_CHECK;

/* One transaction for some documents; those that are gone meanwhile are left out. */
bool kb_store_content_delete(struct kb_store *store, const struct kb_page_ids *ids,
                             struct kb_err *err) KB_MUST_CHECK;
/* The same, into the queue. */
bool kb_store_content_requeue(struct kb_store *store, const struct kb_page_ids *ids,
                              struct kb_err *err) KB_MUST_CHECK;

#endif
