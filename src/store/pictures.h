/*
 * Pictures of pages of the web, as agents show them: which blob holds what an address gave.
 * store.h's rules hold.
 *
 * A row says what its host answered last, also that there was nothing to show; a later row stands
 * in the place of an earlier one. Rows that nobody has used for a while go, and an agent's go with
 * it; the blobs follow with a sweep.
 */
#ifndef KB_STORE_PICTURES_H
#define KB_STORE_PICTURES_H

#include "store/store.h"

struct kb_picture_row {
	int64_t agent_id;
	struct kb_sv hash; /* of the address */
	struct kb_sv blob; /* empty: nothing that can be shown */
	struct kb_sv type; /* "png", …, as kb_image_check() says it */
	int64_t fetched_at;
};

/* Fills in what follows row->hash, and notes that it was used. KB_E_NOT_FOUND. */
bool kb_store_picture_find(struct kb_store *store, struct kb_arena *arena,
                           struct kb_picture_row *row, struct kb_err *err) KB_MUST_CHECK;
/* Sets row->fetched_at: now. */
bool kb_store_picture_put(struct kb_store *store, struct kb_picture_row *row,
                          struct kb_err *err) KB_MUST_CHECK;
/* Forgets what was not used for so many days. */
bool kb_store_pictures_forget(struct kb_store *store, int64_t unused_days, int64_t *gone,
                              struct kb_err *err) KB_MUST_CHECK;

#endif
