/*
 * The ledger of a bucket's blobs: a row for each, written before its bytes are. store.h's rules
 * hold.
 *
 *   (none) ──note──▶ here ──swept, named by no row──▶ leaving ──so for long enough──▶ going ──▶
 * (none) ▲───────note, or named again───────┘
 *
 * A put that finds its name going waits: the object is being removed, and a removal that is late
 * would take the new one. Every step of a sweep names the state and the time that it has seen, so a
 * put in between, on whatever node, makes it come to nothing.
 */
#ifndef KB_STORE_BLOBS_H
#define KB_STORE_BLOBS_H

#include "store/store.h"

enum kb_blob_state { KB_BLOB_HERE, KB_BLOB_LEAVING, KB_BLOB_GOING };

/* So long a removal may take; then a put, or another sweep, goes over it. */
#define KB_BLOB_GOING_US (900 * KB_SECOND_US)

/* The blob is about to be put. *known: there was a row, so that the bytes may be there. KB_E_BUSY
 * while it is going. */
struct kb_blob_note {
	struct kb_sv name;
	int64_t bytes;
	bool made; /* by the index */
};
bool kb_store_blob_note(struct kb_store *store, const struct kb_blob_note *note, bool *known,
                        struct kb_err *err) KB_MUST_CHECK;
/* Rows for blobs that have none; of those that have nothing changes. */
bool kb_store_blobs_enter(struct kb_store *store, const struct kb_blob_note *notes, size_t count,
                          struct kb_err *err) KB_MUST_CHECK;

struct kb_blob_row {
	struct kb_sv name;
	enum kb_blob_state state;
	int64_t at;
	bool made;
};
/* A page of the round: the rows behind where the sweep has come to, and the names that any row of
 * the store has in that range, both sorted. */
struct kb_blob_page {
	struct kb_blob_row *rows;
	size_t count;
	struct kb_sv *named;
	size_t named_count;
	struct kb_sv after; /* the page ends with this name; empty: with the round */
	bool in_flux;       /* as in kb_store_blob_names() */
	int64_t now;
};
bool kb_store_blobs_page(struct kb_store *store, struct kb_arena *arena, size_t max,
                         struct kb_blob_page *out, struct kb_err *err) KB_MUST_CHECK;
/* The sweep has come to there. */
bool kb_store_blobs_turn(struct kb_store *store, struct kb_sv after,
                         struct kb_err *err) KB_MUST_CHECK;

/* A row as it was read becomes another; *done says whether it still was so. `at` is the new one. */
struct kb_blob_step {
	const struct kb_blob_row *from;
	enum kb_blob_state to;
	int64_t at;
	bool done;
};
bool kb_store_blobs_step(struct kb_store *store, struct kb_blob_step *steps, size_t count,
                         struct kb_err *err) KB_MUST_CHECK;
/* It is removed. */
bool kb_store_blob_gone(struct kb_store *store, struct kb_sv name, int64_t at,
                        struct kb_err *err) KB_MUST_CHECK;

#endif
