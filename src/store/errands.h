/*
 * Errands: a page of an address waits in the line of its host until somebody has fetched it; then
 * it waits for ingestion, as an upload does (pages.h). store.h's rules hold.
 *
 *              lease                  done(FETCHED)
 *   WAITING ----------> LEASED ------------------------------> QUEUED, for ingestion
 *      ^                  |  AGAIN            UNCHANGED, FAILED -> DONE      GONE -> no row
 *      +------------------+
 *
 * A page that can be found keeps its text whatever comes of an errand, but for GONE.
 */
#ifndef KB_STORE_ERRANDS_H
#define KB_STORE_ERRANDS_H

#include "store/hosts.h"
#include "store/pages.h"

/* A host with pages that wait for it, and when the first of them may be asked for. */
struct kb_host_line {
	struct kb_sv host; /* as of kb_page_host() */
	int64_t due_at;    /* of the first page */
	int64_t wait_us;   /* until the host may be asked (hosts.h), or to ask again; 0: now */
	bool is_failing;   /* it did not answer when it was last asked, some minutes ago at most */
};
/* Leased pages stand in it too, due when their lease ends. At most `max` hosts, the one that is due
 * first before the others. */
bool kb_store_host_lines(struct kb_store *store, struct kb_arena *arena, size_t max,
                         struct kb_host_line **lines, size_t *count,
                         struct kb_err *err) KB_MUST_CHECK;

/* A page whose host is held for it, to be given back (hosts.h). */
struct kb_errand_lease {
	struct kb_lease page; /* of no id: there was none */
	struct kb_host_hold hold;
};
/* Where the host may be asked: of the agents with a page that is due there the one whose turn it
 * is, and of its pages the one that is due for longest. */
bool kb_store_errand_lease(struct kb_store *store, struct kb_arena *arena, struct kb_sv host,
                           int64_t lease_us, struct kb_errand_lease *out,
                           struct kb_err *err) KB_MUST_CHECK;

enum kb_errand_outcome {
	KB_ERRAND_FETCHED,
	KB_ERRAND_UNCHANGED, /* what can be found is what the host has */
	KB_ERRAND_AGAIN,     /* at next_try_at, for `reason` */
	KB_ERRAND_RELEASED,  /* the same, and this one did not count */
	KB_ERRAND_FAILED,    /* for `reason` */
	KB_ERRAND_LIMITED,   /* the plan has no room for it: `reason` */
	KB_ERRAND_GONE,      /* delete the page */
};
struct kb_errand {
	int64_t agent_id, page_id, epoch;
	enum kb_errand_outcome outcome;
	struct kb_sv reason;
	int64_t next_try_at;
	struct kb_sv blob, content_type, etag, last_modified; /* of FETCHED */
	int64_t size;
	/* Of a page of a website. */
	bool is_of_crawl;
	int64_t robots;    /* kb_page's */
	struct kb_sv name; /* the address where it really is, which takes the place of the page's;
	                      the page goes where the agent has one for that. Empty: no other */
	enum kb_rendering rendering; /* FETCHED, AGAIN: kb_page's from now on */
	bool is_alias;               /* GONE: its address stays known as no page */
};
/* An errand whose lease has passed changes nothing, and is no error. */
bool kb_store_errand_done(struct kb_store *store, const struct kb_errand *errand,
                          struct kb_err *err) KB_MUST_CHECK;

#endif
