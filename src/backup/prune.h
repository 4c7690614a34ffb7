/* Letting go of backups that were kept long enough (keep.h), and of what none names any more. Only
 * who has the turn (store/backups.h) does so: nobody else is writing there. */
#ifndef KB_BACKUP_PRUNE_H
#define KB_BACKUP_PRUNE_H

#include "backup/keep.h"
#include "backup/place.h"

struct kb_pruned {
	int64_t kept, dropped, removed;
	bool swept;         /* what follows was found out */
	int64_t held_bytes; /* of all that is there */
};
/* Drops the records first, then removes bytes that no record names and that are a day old: a backup
 * of somebody who has lost the turn and does not know it yet has put them. */
bool kb_backup_prune(struct kb_blobs *place, const struct kb_keep *keep, int64_t now,
                     const struct kb_cancel *cancel, struct kb_pruned *out,
                     struct kb_err *err) KB_MUST_CHECK;

#endif
