/*
 * A backup (format.h) comes back: its database as a file, compared with what it was.
 */
#ifndef KB_BACKUP_RESTORE_H
#define KB_BACKUP_RESTORE_H

#include "backup/place.h"

/* Writes the database into directory/docent.db, by way of docent.db.part: where the first is there,
 * it is whole, and nothing is done. A failure leaves neither; KB_E_CORRUPT and KB_E_NOT_FOUND say
 * what the place lacks. */
bool kb_backup_fetch(struct kb_blobs *place, const struct kb_backup_record *record,
                     const char *directory, const struct kb_cancel *cancel,
                     struct kb_err *err) KB_MUST_CHECK;

#endif
