/*
 * Pages (documents), which are the work queue of ingestion too. The rules of store.h hold.
 *
 *        add            lease               finish(ok)
 *   (none) --> QUEUED --------> LEASED ----------------------> DONE
 *                ^                |  finish(failed, retry)       |
 *                |<---------------+----> DONE (failed)           | requeue (reindex)
 *                |   or the lease runs out                       |
 *                +-----------------------------------------------+
 *
 * A lease has an epoch: each lease of a page has a higher one, and a finish with an older epoch is
 * refused, so a worker that was believed dead cannot undo its successor. An open lease from an
 * earlier life of the process is void at the exclusive open of the store.
 */
#ifndef KB_STORE_PAGES_H
#define KB_STORE_PAGES_H

#include "store/store.h"

enum kb_status {
	KB_STATUS_QUEUED,
	KB_STATUS_OK,
	KB_STATUS_FAILED,
	KB_STATUS_NA,
	KB_STATUS_LIMITED
};
const char *kb_status_name(enum kb_status status); /* "queued", "ok", "failed", "n/a", "limited" */
bool kb_status_parse(struct kb_sv name, enum kb_status *status) KB_MUST_CHECK;

enum { KB_PAGE_NOINDEX = 1, KB_PAGE_NOFOLLOW = 2 };

/* Whether a browser is to run the scripts of a page, or has. */
enum kb_rendering {
	KB_RENDERING_NONE,
	KB_RENDERING_WANTED, /* the next errand to it is a browser's, where there is one */
	KB_RENDERING_DONE,   /* what was fetched is what a browser made of it */
	/* None did, though its text may need one: */
	KB_RENDERING_ABSENT,  /* there is none that can be run */
	KB_RENDERING_ENDLESS, /* in its time */
	KB_RENDERING_LARGE,   /* within its memory and bytes */
	KB_RENDERING_BROKEN,  /* it ended */
	KB_RENDERING_COUNT
};

struct kb_page {
	int64_t agent_id, id, source_id;
	/* The document that it is a part of, at `path`, or whose film its subtitles are of; 0: none
	 */
	int64_t parent_id;
	struct kb_sv
	        url; /* its address; empty: it has none, and the interface shows its preview's */
	/* Its bytes are ours to keep: they came once, and no host is asked for them again. Whether
	 * it has an address is another question (kb_page_has_address()). */
	bool is_ours;
	bool is_file_kept;         /* of one that is ours */
	struct kb_sv filename;     /* of an upload, cleaned for display */
	struct kb_sv path;         /* of an upload, in the folder it mirrors; empty: of none */
	struct kb_sv content_type; /* as declared */
	struct kb_sv content_hash; /* of an upload: its blob's name, also when that is not kept */
	int64_t size;              /* bytes of the original */
	struct kb_sv blob;         /* original; empty: not kept */
	struct kb_sv text_blob;    /* extracted text as JSON (parse.h); empty: none yet */
	/* QUEUED, and slow: what was parsed of it, for who reads on (ingest/put_off.h); else empty.
	 */
	struct kb_sv parsed_blob;
	enum kb_status crawl, index;
	struct kb_sv reason; /* why it is queued, failed or limited: a sentence; may be empty */
	int64_t attempts, next_try_at;
	struct kb_sv title, description, image, lang; /* of the document; empty: none */
	struct kb_sv own_image,
	        listed_image;    /* image is the first of them: its page's, a sitemap's */
	int64_t words, passages; /* passages > 0: it can be found, whatever its statuses say */
	/* Of an address: how its host names what we hold, which text it gave, and when. */
	struct kb_sv etag, last_modified, text_hash;
	int64_t likeness;     /* of its text (passages/likeness.h); 0: none */
	struct kb_sv copy_of; /* the address that is found in its place; empty: none */
	int64_t answered_at;  /* the last answer of its host; 0: none */
	int64_t dated_at;     /* the date it gives itself; 0: none (dates.h) */
	int64_t listed_at;    /* the date a sitemap gives it; 0: none */
	int64_t depth;        /* links from the start of its website, and one; 0: not of one */
	int64_t robots;       /* KB_PAGE_NOINDEX and _NOFOLLOW, as its host said beside it */
	enum kb_rendering rendering;
	/* What the owner put over them (PUT metadata); p == NULL: nothing. */
	struct kb_sv meta_title, meta_url, meta_description, meta_image;
	int64_t review_at; /* when its owner wants to look at it again; 0: never (dates.h) */
	int64_t created_at, updated_at;
};

static inline bool kb_page_has_address(const struct kb_page *page)
{
	return page->url.n > 0;
}

/* What it is called: its owner's words, its own, its file's name, its address. */
static inline struct kb_sv kb_page_title(const struct kb_page *page)
{
	return page->meta_title.n ? page->meta_title
	       : page->title.n    ? page->title
	       : page->filename.n ? page->filename
	                          : page->url;
}

/* A new page as the caller knows it. */
struct kb_page_new {
	int64_t source_id; /* 0: the agent's upload source */
	int64_t parent_id; /* kb_page's */
	struct kb_sv url, filename, path, content_type, blob;
	struct kb_sv meta_url; /* kb_page's */
	bool is_ours;          /* likewise */
	int64_t size;
	int64_t depth; /* kb_page's; 1: the reading of a website begins with it */
};
/* A new page whose url is not empty is fetched first (errands.h); it gets no row when the agent has
 * one for that address. */

/* Adds pages, all queued, in one transaction; *first_id is the first of ids that follow each other
 * as the pages do. */
bool kb_store_pages_add(struct kb_store *store, int64_t agent_id, const struct kb_page_new *pages,
                        size_t count, int64_t *first_id, struct kb_err *err) KB_MUST_CHECK;

/* What a folder holds at new->path: a page there gets new bytes and is read again, with its id, its
 * labels and what its owner says of it; the same bytes leave it alone, unless it could not be read.
 * Where there is none it is added. */
bool kb_store_page_put(struct kb_store *store, int64_t agent_id, const struct kb_page_new *new,
                       int64_t *id, struct kb_err *err) KB_MUST_CHECK;

/* The file of a folder has another path now, and the last part of that for its name, which is read
 * again where it differs. KB_E_CONFLICT when there is a page at that path, or the bytes that would
 * have to be read are not kept. */
struct kb_page_move {
	int64_t agent_id, id;
	struct kb_sv path, filename;
	struct kb_sv meta_url; /* p == NULL: as before */
};
bool kb_store_page_move(struct kb_store *store, struct kb_arena *arena,
                        const struct kb_page_move *move, struct kb_page *out,
                        struct kb_err *err) KB_MUST_CHECK;

bool kb_store_page_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id, int64_t id,
                       struct kb_page *out, struct kb_err *err) KB_MUST_CHECK;
/* Those with these ids, each in the place of its id, in few trips: out[i].id is 0 where there is
 * none. */
struct kb_page_ids {
	int64_t agent_id;
	const int64_t *v;
	size_t count;
};
bool kb_store_pages_get(struct kb_store *store, struct kb_arena *arena,
                        const struct kb_page_ids *ids, struct kb_page *out,
                        struct kb_err *err) KB_MUST_CHECK;
/* By id alone, within the account (GET /preview/{pageId}). */
bool kb_store_page_find(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                        int64_t id, struct kb_page *out, struct kb_err *err) KB_MUST_CHECK;

struct kb_page_filter {
	struct kb_list list;
	struct kb_sv search; /* '*' and '?' are wild; substring of URL and filename without case */
	int crawl, index;    /* enum kb_status, or -1: all */
	bool unlabelled;     /* only those that everybody may find */
};
struct kb_page_list {
	struct kb_page *v;
	size_t count;
	int64_t total; /* of all pages of the list, where it has such */
};
bool kb_store_page_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                        const struct kb_page_filter *filter, struct kb_page_list *out,
                        struct kb_err *err) KB_MUST_CHECK;

/* One transaction: the row goes with those of its parts, they are dead in every segment, the index
 * version rises. Until the store's time for it has passed, they can be taken back (deleted.h). */
bool kb_store_page_delete(struct kb_store *store, int64_t agent_id, int64_t id,
                          struct kb_err *err) KB_MUST_CHECK;
/* Puts a page back in the queue (both statuses queued). */
bool kb_store_page_requeue(struct kb_store *store, int64_t agent_id, int64_t id,
                           struct kb_err *err) KB_MUST_CHECK;
/* The same of an upload, with other bytes in the place of those that it was read from: what was
 * asked of it was asked of these. KB_E_CONFLICT where it has others by now, or is being read. */
struct kb_page_swap {
	int64_t agent_id, id;
	struct kb_sv was, blob;
	int64_t size;
};
bool kb_store_page_swap(struct kb_store *store, const struct kb_page_swap *swap,
                        struct kb_err *err) KB_MUST_CHECK;
/* What the owner says of a page from now on. A text whose p is NULL stays as it is, an empty one is
 * taken away: two writers of different texts lose nothing. */
struct kb_page_metadata {
	int64_t agent_id, page_id;
	struct kb_sv title, url, description, image;
	bool has_review; /* else review_at stays too */
	int64_t review_at;
};
bool kb_store_page_set_metadata(struct kb_store *store, struct kb_arena *arena,
                                const struct kb_page_metadata *metadata, struct kb_page *out,
                                struct kb_err *err) KB_MUST_CHECK;

/* ---- the queue ---- */

struct kb_lease {
	struct kb_page page;
	int64_t epoch, account_id;
	bool is_slow; /* as are all of one lease */
};

struct kb_lease_want {
	size_t max; /* pages; of slow ones never more than one */
	int64_t lease_us;
	bool not_slow; /* for a thread that others must never wait long for */
	/* What the account is charged for this turn until the true time is known. */
	int64_t charge_us;
};

/*
 * Leases queued pages of one agent for lease_us. The account that has used the least time is first
 * and among its agents the one that waited longest: a large upload never starves a small one, nor
 * do slow documents quick ones. An account that had nothing to do saves up no time. Pages known to
 * be slow come after the agent's others, one at a time.
 */
struct kb_leases {
	struct kb_lease *v;
	size_t count;        /* 0: nothing is due */
	int64_t next_due_at; /* then: when something will be; 0: never */
};
bool kb_store_pages_lease(struct kb_store *store, struct kb_arena *arena,
                          const struct kb_lease_want *want, struct kb_leases *out,
                          struct kb_err *err) KB_MUST_CHECK;
/* What a turn of that account took beyond its charge, perhaps less than nothing. It is no part of
 * the next lease: that would hold one account while it waits for another. */
bool kb_store_turn_settle(struct kb_store *store, int64_t account_id, int64_t us,
                          struct kb_err *err) KB_MUST_CHECK;

/* What a page of a website leads to (crawls.h). */
struct kb_page_link {
	struct kb_sv url;
	struct kb_sv shape; /* how others like it are spelt; empty: none is */
	int64_t most;       /* of that shape; 0: any number */
	/* Of a list that names it; else 0 and empty. */
	int64_t listed_at, seen; /* its date there; the reading of the list */
	struct kb_sv image;
};
struct kb_page_found {
	struct kb_page_link *links;
	size_t count;
	int64_t pages_most;               /* of the website */
	int64_t deep, endless, forbidden; /* addresses that were left out already, and why */
	bool moved; /* the page only sends readers to its one link: it is no page of its own */
};

/* What became of a leased page. */
struct kb_page_result {
	int64_t page_id, epoch;
	enum kb_status crawl, index; /* QUEUED: try again at next_try_at */
	struct kb_sv reason;
	int64_t next_try_at;
	struct kb_sv text_blob, title, description, image, lang;
	struct kb_sv text_hash; /* of an address */
	int64_t likeness;       /* kb_page's */
	int64_t dated_at;       /* likewise */
	struct kb_sv copy_of;   /* kb_page's; the store finds it out */
	int64_t words, passages;
	int64_t pages_most;     /* of the agent's that may be OK by its plan; 0: any number */
	bool plain_description; /* no document's own, only its first words */
	bool drop_original;     /* the agent does not keep files, and of an address nobody does */
	/* The text is the one that can be found already: statuses and what its host said change,
	 * nothing else. */
	bool unchanged;
	/* QUEUED: it was not tried, so that this lease was no attempt. */
	bool untried;
	bool wants_browser;                /* QUEUED: it is fetched again, by a browser */
	bool is_slow;                      /* QUEUED: remembered for the next lease */
	struct kb_sv parsed_blob;          /* QUEUED: likewise */
	const struct kb_page_found *found; /* NULL: its links do not matter */
	/* Of an upload that is OK: the documents within it, each with a path of its own. They
	 * become pages, those whose bytes are known already stay as they are, others go. */
	const struct kb_page_new *parts;
	size_t part_count;
	/* Of an address that is OK: the subtitles of its films. They become pages under it that
	 * lead readers to it, and are fetched; those that are known stay, others go. */
	const struct kb_sv *tracks;
	size_t track_count;
};
/* A new segment, or none (blob empty). */
struct kb_segment_new {
	struct kb_sv blob;
	int64_t bytes, passages, pages;
};
/*
 * The commit point of ingestion, one transaction: the results of one agent's leased pages, the
 * segment that holds those that are OK, the death of their older passages, is_active, the next
 * index version. Pages deleted or leased anew meanwhile are left out and dead in the new segment.
 *
 * A page that was not OK before and would be one too many for the plan is limited instead: others
 * may have been read beside it when there was room for one more.
 *
 * The older passages of a page that is not OK this time stay: a failed errand never takes away what
 * was found before. Its title, text and words stay with them.
 *
 * KB_E_CONFLICT, and nothing has changed, when the segment holds a page that was leased anew while
 * passages of it can be found: a dead row cannot tell the new segment's copy from that one. The
 * worker commits its pages one by one then; those that it still holds go through.
 */
bool kb_store_pages_finish(struct kb_store *store, int64_t agent_id,
                           const struct kb_page_result *results, size_t count,
                           const struct kb_segment_new *segment, struct kb_err *err) KB_MUST_CHECK;

/* Why such a page is limited. */
struct kb_sv kb_page_over_plan(struct kb_arena *arena, int64_t pages_most);

/* held[i]: the lease is the page's newest and not finished. All of one agent. */
bool kb_store_pages_held(struct kb_store *store, const struct kb_lease *leases, size_t count,
                         bool *held, struct kb_err *err) KB_MUST_CHECK;

/* Makes the lease end so much later than now. *held: as above; false changes nothing. */
bool kb_store_page_hold(struct kb_store *store, const struct kb_lease *lease, int64_t lease_us,
                        bool *held, struct kb_err *err) KB_MUST_CHECK;

/* Queued and leased pages in all, for metrics and the demo. */
bool kb_store_queue_length(struct kb_store *store, int64_t *count,
                           struct kb_err *err) KB_MUST_CHECK;

/* "host" or "host:port" of an http address, as it stands there. */
struct kb_sv kb_page_host(struct kb_sv url);

#endif
