/*
 * An agent comes from a file (parcel_file.h), into whatever store, while that is served or not.
 *
 * The file is read twice. The first time nothing is written: a file that is cut off or damaged, or
 * whose rows are not as the store would write them, is refused. The second time its blobs are put
 * and its rows follow (store/parcel.h). Nobody sees the agent until it is whole, and what is there
 * of one that was ended before that is removed by whoever serves the store.
 */
#ifndef KB_BACKUP_PARCEL_IN_H
#define KB_BACKUP_PARCEL_IN_H

#include "backup/parcel_file.h"
#include "blob/blob.h"

struct kb_parcel_in {
	struct kb_store *store; /* opened for this (KB_STORE_TOOL) */
	struct kb_blobs *blobs; /* with their ledger */
	const char *from;
	const char *account;  /* its handle; made where there is none and the file is good */
	const char *temp_dir; /* on the file system of blobs in a directory */
	const struct kb_cancel *cancel; /* may be NULL */
	/* Right before the write that lets the agent be seen, on the same thread. */
	void (*coming)(void *arg, int64_t account_id, int64_t agent_id);
	void *arg;
};
struct kb_parcel_came {
	struct kb_parcel_head head; /* in the arena, as is the name */
	struct kb_arrived arrived;
	int64_t blobs, new_blobs;
};
bool kb_parcel_import(const struct kb_parcel_in *task, struct kb_arena *arena,
                      struct kb_parcel_came *out, struct kb_err *err) KB_MUST_CHECK;

#endif
