/*
 * Sources: where an agent's documents come from. store.h's rules hold.
 *
 * Each agent has one source of uploads from its start, and as many of addresses (type "sitemap") as
 * it is given. Reading such a source, its sync, is work like that of pages: a row that is due is
 * leased, with an epoch, and what a reader with an older epoch brings is refused (KB_E_CONFLICT).
 *
 *              add, sync, schedule         lease               finish
 *   (rests) ------------------------> (due) ---> (is read) -----------------> (rests)
 *                                       ^            | or a pause, to try again, or the lease's end
 *                                       +------------+
 */
#ifndef KB_STORE_SOURCES_H
#define KB_STORE_SOURCES_H

#include "store/pages.h"

struct kb_source {
	int64_t agent_id, id;
	struct kb_sv type;     /* "sitemap" or "upload" */
	struct kb_sv url;      /* a sitemap's or a page's; empty: uploads */
	struct kb_sv settings; /* JSON object (crawl/source.h) */
	enum kb_status status; /* of the last reading: queued, ok, failed; n/a: none yet */
	struct kb_sv reason;   /* why it is queued or failed; may be empty */
	bool is_read;          /* right now */
	int64_t due_at;        /* the next reading; 0: none is planned */
	int64_t synced_at;     /* the last complete reading; 0: none */
	/* Its pages open only where these open as well; deleted labels too. Read for records of
	 * sources, not for those that are leased. */
	const int64_t *label_ids;
	size_t label_count;
	int64_t created_at, updated_at;
	int64_t review_at; /* of its pages that have none of their own (dates.h); 0: never */
};

bool kb_store_source_upload(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                            struct kb_source *out, struct kb_err *err) KB_MUST_CHECK;
struct kb_source_list {
	struct kb_source *v; /* oldest first */
	size_t count;
};
bool kb_store_source_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          struct kb_source_list *out, struct kb_err *err) KB_MUST_CHECK;
bool kb_store_source_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                         int64_t id, struct kb_source *out, struct kb_err *err) KB_MUST_CHECK;

/* The newest pages of the source, at most that many. */
bool kb_store_source_pages(struct kb_store *store, struct kb_arena *arena,
                           const struct kb_source *source, int64_t max, struct kb_page_list *out,
                           struct kb_err *err) KB_MUST_CHECK;

/* Adds a source of an address with up to one page in one transaction. url, settings, status,
 * reason, due_at and label_ids are the caller's; the rest is filled in. KB_E_CONFLICT: there is one
 * for it. KB_E_INVALID for a label as in kb_store_page_set_labels(). */
bool kb_store_source_add(struct kb_store *store, struct kb_source *source,
                         const struct kb_page_new *page, struct kb_err *err) KB_MUST_CHECK;

/* Which source is edited, and how: `change` may edit url, settings, status, reason, due_at,
 * review_at and label_ids of the source as it is in the transaction, with the duties it has in
 * struct kb_agent_edit. The due_at of one that is being read is not its to change. The very next
 * question sees other labels. */
struct kb_source_edit {
	int64_t agent_id, id;
	bool (*change)(void *arg, struct kb_arena *arena, struct kb_source *source,
	               struct kb_err *err);
	void *arg;
};
/* KB_E_CONFLICT: another source has that address. */
bool kb_store_source_update(struct kb_store *store, struct kb_arena *arena,
                            const struct kb_source_edit *edit, struct kb_source *out,
                            struct kb_err *err) KB_MUST_CHECK;

/*
 * The source with all its pages: no call knows them from now on, the next question sees none of
 * them. Their rows go in slices (remove.h). That of uploads is followed by a new, empty one with
 * the same labels.
 */
bool kb_store_source_delete(struct kb_store *store, int64_t agent_id, int64_t id,
                            struct kb_err *err) KB_MUST_CHECK;

/* Which source is to be read now, and how long ago it must have been asked for last. */
struct kb_source_sync {
	int64_t agent_id, id;
	int64_t min_interval_us;
};
/* Makes it due now. KB_E_FORBIDDEN, in the interface's words, for uploads and when it was asked for
 * too lately. */
bool kb_store_source_sync(struct kb_store *store, struct kb_arena *arena,
                          const struct kb_source_sync *sync, struct kb_source *out,
                          struct kb_err *err) KB_MUST_CHECK;

/* ---- reading ---- */

struct kb_source_lease {
	struct kb_source source;
	int64_t epoch, attempts; /* attempts: this one included */
};
/* The one that is due for longest; where none is, its id is 0 and *next_due_at is when one will be
 * (0: never). */
bool kb_store_source_lease(struct kb_store *store, struct kb_arena *arena, int64_t lease_us,
                           struct kb_source_lease *out, int64_t *next_due_at,
                           struct kb_err *err) KB_MUST_CHECK;
bool kb_store_source_renew(struct kb_store *store, const struct kb_source_lease *lease,
                           int64_t lease_us, struct kb_err *err) KB_MUST_CHECK;

/* An address that the source lists. */
struct kb_listed {
	struct kb_sv url, image;
	int64_t modified_at; /* 0: unknown */
};
enum kb_refetch { KB_REFETCH_NEVER, KB_REFETCH_ALWAYS, KB_REFETCH_IF_UPDATED };
struct kb_listing {
	const struct kb_listed *v;
	size_t count;
	bool add_new;            /* what the agent has no page for, and what failed before */
	enum kb_refetch refetch; /* pages of this source that are done */
	bool add_images, replace_images; /* of pages that are there */
	/* Errands are planned this far apart, from the one after `planned` on. */
	int64_t planned, pause_us;
	/* Of a website: the depth of new pages, and how many it may have in all. */
	int64_t depth, pages_most;
};
/*
 * One transaction; give a few hundred at a time. *queued counts the pages that are in the queue for
 * it. Addresses that the agent has a page for from another source are left to that.
 */
bool kb_store_source_found(struct kb_store *store, const struct kb_source_lease *lease,
                           const struct kb_listing *listing, int64_t *queued,
                           struct kb_err *err) KB_MUST_CHECK;
/* Deletes up to `max` of its pages that this reading has not found, in the order of their ids;
 * *removed counts them. *after: 0, or as the call before has left it. */
bool kb_store_source_drop_unseen(struct kb_store *store, const struct kb_source_lease *lease,
                                 size_t max, int64_t *after, int64_t *removed,
                                 struct kb_err *err) KB_MUST_CHECK;

struct kb_source_result {
	enum kb_status status; /* QUEUED: try again at due_at */
	struct kb_sv reason;
	int64_t due_at;
	bool is_crawl;  /* of a website: its own page tells what became of it */
	bool is_no_try; /* QUEUED: this was no attempt; its pages are being fetched */
};
/*
 * Ends the reading. A source whose settings were changed meanwhile is due at once. FAILED leaves a
 * page for the source's own address that says why, and OK takes it away.
 */
bool kb_store_source_finish(struct kb_store *store, const struct kb_source_lease *lease,
                            const struct kb_source_result *result,
                            struct kb_err *err) KB_MUST_CHECK;

#endif
