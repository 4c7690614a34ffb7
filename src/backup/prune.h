/* Letting go of backups that were kept long enough (keep.h), and of what none names any more. Only
 * who has the turn (store/backups.h) does so: nobody else is writing there. */
#ifndef KB_BACKUP_PRUNE_H
#define KB_BACKUP_PRUNE_H

#include "backup/keep.h"
#include "backup/place.h"

struct kb_pruned {
	int64_t kept, dropped; /* backups */
	int64_t removed,
	        held_bytes; /* of the sweep: what it removed, and the bytes that are left */
};
/* Drops the records that are not kept any more. */
bool kb_backup_prune(struct kb_blobs *place, const struct kb_keep *keep, int64_t now,
                     struct kb_pruned *out, struct kb_err *err) KB_MUST_CHECK;
/* Removes bytes that no record names and that are a day old: a backup of somebody who has lost the
 * turn and does not know it yet has put them. Reads all records, and lists all that is there. */
bool kb_backup_sweep(struct kb_blobs *place, const struct kb_cancel *cancel, struct kb_pruned *out,
                     struct kb_err *err) KB_MUST_CHECK;

#endif
