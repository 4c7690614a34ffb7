/*
 * The move of an installation's rows from one store into another, on whatever databases. store.h's
 * rules hold.
 *
 * Both stores are opened for it (KB_STORE_MOVE), so that no server is at either. Rows are read by
 * their keys, some hundred at a time, and written with the place that the move has come to in one
 * transaction: a move that was killed goes on from there. What is written has its ids and times.
 * Left out is what belongs to a database and not to an installation: its nodes, leases of work,
 * and rows of blobs, whose place may be another one.
 *
 *   the one before: (none) ──begin──▶ leaving ──arrive──▶ gone
 *                                       │  ▲
 *              opened by anybody else   ▼  │ begin, anew
 *                                      void
 *   the new one:    (none) ──begin──▶ coming ──arrive──▶ arrived
 *
 * While rows are coming nobody else may open the store. Once they have gone no server does, nor a
 * tool; `docent check` may, and `docent adopt` takes it back into use.
 *
 * Where only blobs are moved the two are one store: its row is leaving, and then arrived.
 */
#ifndef KB_STORE_MOVE_H
#define KB_STORE_MOVE_H

#include "store/upkeep.h"

struct kb_move {
	struct kb_store *from, *to;
	const char *from_place, *to_place; /* for sentences, and to know the move again */
	bool discard; /* another move into the same store, which has not ended */
	/* Of each table with rows, once it is whole; may be NULL. */
	void (*say)(void *arg, const char *table, int64_t rows);
	void *arg;

	char token[KB_INSTALLATION_MARK];
	struct kb_sv step, after; /* how far it has come; in the caller's arena */
	bool resumed;             /* begin found a part of it done */
	bool arrived;             /* all of it: there is nothing left but kb_move_arrive() */
};

/* KB_E_CONFLICT where the target holds something else. */
bool kb_move_begin(struct kb_move *move, struct kb_arena *arena, struct kb_err *err) KB_MUST_CHECK;
/* Copies what is not there yet. KB_E_CONFLICT when somebody has opened the source meanwhile. */
bool kb_move_rows(struct kb_move *move, struct kb_err *err) KB_MUST_CHECK;
/* Reads all rows of both: KB_E_CORRUPT names the table that differs. */
struct kb_move_sum {
	int64_t tables, rows;
};
bool kb_move_verify(const struct kb_move *move, struct kb_move_sum *out,
                    struct kb_err *err) KB_MUST_CHECK;

/* Blobs follow the rows. Their names, in KB_MOVE_SLICES slices; `done`: all that were before it
 * are written. */
enum { KB_MOVE_SLICES = 256 };
bool kb_move_blob_names(const struct kb_move *move, struct kb_arena *arena, int slice,
                        struct kb_sv **names, size_t *count, struct kb_err *err) KB_MUST_CHECK;
bool kb_move_blobs_done(struct kb_move *move, int slices, struct kb_err *err) KB_MUST_CHECK;
/* The first slice that is not. */
int kb_move_blobs_next(const struct kb_move *move);

/* The counters of ids go on where they were, the new store may be opened, and the one before may
 * not. Where only blobs are moved, the store and they have the token for their mark. */
bool kb_move_arrive(struct kb_move *move, struct kb_err *err) KB_MUST_CHECK;

/* The operator takes a store back into use that was moved away. */
bool kb_move_forget(struct kb_store *store, struct kb_err *err) KB_MUST_CHECK;

#endif
