/*
 * Pages of documents as they are looked at: which blob holds the picture of a page, and which its
 * words. store.h's rules hold.
 *
 * A row is found by the content it was made of, so it serves every document of that content, and
 * making it twice does no harm: the later row stands. It is no secret of an account: who may look
 * at a document is asked before. Rows that nobody has used for a while go, and so do those whose
 * original no document has any more; the blobs follow with a sweep.
 */
#ifndef KB_STORE_VIEWS_H
#define KB_STORE_VIEWS_H

#include "store/store.h"

/* What is kept under a number never changes: made in another way it gets another one. */
enum kb_view_kind { KB_VIEW_PICTURE = 1, KB_VIEW_WORDS = 2 };

struct kb_view_row {
	struct kb_sv source; /* the original's blob */
	int64_t page_no;     /* from 1 */
	enum kb_view_kind kind;
	struct kb_sv blob;
	int64_t width, height; /* of the picture, in dots */
};

/* Fills in what follows row->kind, and notes that it was used. KB_E_NOT_FOUND. */
bool kb_store_view_find(struct kb_store *store, struct kb_arena *arena, struct kb_view_row *row,
                        struct kb_err *err) KB_MUST_CHECK;
bool kb_store_view_put(struct kb_store *store, const struct kb_view_row *row,
                       struct kb_err *err) KB_MUST_CHECK;
/* Forgets what was not used for so many days, and what has lost its original. */
bool kb_store_views_forget(struct kb_store *store, int64_t unused_days, int64_t *gone,
                           struct kb_err *err) KB_MUST_CHECK;

#endif
