/*
 * Documents that an owner has deleted, and may take back for a while. store.h's rules hold.
 *
 * A document that is deleted is no page any more: nothing finds it, lists it or counts it. Its row,
 * those of its parts and their labels stand aside as they were (migrations/0094), and keep their
 * blobs from the sweep, until they are taken back (takeback.h), forgotten or overdue; the remover
 * (remove.h) forgets what is overdue. A checked answer is not kept: its versions go with it.
 */
#ifndef KB_STORE_DELETED_H
#define KB_STORE_DELETED_H

#include "store/pages.h"

/* The document that was deleted; its parts went with it and come back with it. */
struct kb_deleted {
	struct kb_page page;
	int64_t deleted_at, gone_at; /* gone_at: from then on it cannot be taken back */
	int64_t parts;
};
struct kb_deleted_list {
	struct kb_deleted *v;
	size_t count;
	int64_t total;
};
/* What was deleted last comes first. */
bool kb_store_deleted_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                           const struct kb_list *list, struct kb_deleted_list *out,
                           struct kb_err *err) KB_MUST_CHECK;
/* The document and its parts, as they were. KB_E_NOT_FOUND. */
bool kb_store_deleted_pages(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                            int64_t id, struct kb_page_list *out, struct kb_err *err) KB_MUST_CHECK;
/* For good, with its parts. KB_E_NOT_FOUND. */
bool kb_store_deleted_forget(struct kb_store *store, int64_t agent_id, int64_t id,
                             struct kb_err *err) KB_MUST_CHECK;

#endif
