/*
 * An agent becomes a file (parcel_file.h), of one state that its store was in, while it is served
 * or not. Nobody waits for it. A blob that goes while the others are copied was let go of since
 * that state: then the rows are read again, and what is there already is not copied twice. The file
 * has its name once it is whole.
 */
#ifndef KB_BACKUP_PARCEL_OUT_H
#define KB_BACKUP_PARCEL_OUT_H

#include "backup/parcel_file.h"
#include "blob/blob.h"

struct kb_parcel_out {
	struct kb_store *store; /* opened for this (KB_STORE_TOOL) */
	struct kb_blobs *blobs;
	int64_t agent_id;
	bool talks;                     /* with conversations, and what belongs to them */
	const char *to;                 /* KB_E_CONFLICT where it is there */
	const struct kb_cancel *cancel; /* may be NULL */
};
bool kb_parcel_export(const struct kb_parcel_out *task, struct kb_parcel_sums *sums, int64_t *bytes,
                      struct kb_err *err) KB_MUST_CHECK;

#endif
