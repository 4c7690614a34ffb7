/* How docent backup, docent restore and the service are told of a place of backups: a directory, or
 * a bucket with the keys of the options. */
#ifndef KB_CLI_BACKUP_PLACE_H
#define KB_CLI_BACKUP_PLACE_H

#include "backup/place.h"
#include "cli/options.h"

bool kb_backup_where(struct kb_arena *arena, const char *place, const struct kb_options *options,
                     struct kb_backup_where *out, struct kb_err *err) KB_MUST_CHECK;

#endif
