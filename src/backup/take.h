/*
 * Making a backup (format.h) of an installation, while it is served or not.
 *
 * Nobody waits for it: the database is copied from one state that it was in (store/snapshot.h), and
 * then, of that state, what the place does not have yet: pieces of the database, blobs. A blob that
 * nothing names any more stays for at least a quarter of an hour; where copying takes so long that
 * one has gone meanwhile, the database is copied again, and by then there is little left to do.
 * One backup of an installation is made at a time (store/backups.h), on whatever node. One that was
 * ended in the middle leaves nothing that counts; what it has copied is not copied again.
 *
 * A place belongs to one installation, by its mark. After a restore, which makes a new mark, it is
 * that of the life before, until `take_over` says otherwise; then that one's backups are refused.
 */
#ifndef KB_BACKUP_TAKE_H
#define KB_BACKUP_TAKE_H

#include "backup/keep.h"
#include "backup/place.h"
#include "store/store.h"

struct kb_backup_task {
	const char *store_at; /* opened for this, beside whoever serves it */
	struct kb_blobs *blobs;
	const struct kb_backup_where *where;
	const char *temp_dir; /* for a copy of the database, in a folder of the turn's own */
	bool take_over;
	int64_t every_us;   /* only where the last one was begun so long ago; 0: in any case */
	int64_t planned_us; /* how often who calls makes one, as is told of; 0: by hand */
	const struct kb_keep *keep;
	/* Of each blob that could not be copied: it is missing or damaged. May be NULL. */
	void (*say)(void *arg, const char *name, const char *why);
	void *arg;
	const struct kb_clock *clock; /* NULL: the real one */
	const struct kb_log *log;     /* may be NULL */
	const struct kb_cancel *cancel;
};

struct kb_backup_made {
	bool made; /* else it is not time yet, or somebody else makes one */
	char id[KB_BACKUP_ID];
	int64_t bytes, new_bytes; /* of the database; sent to the place */
	int64_t blobs, copied, missing;
	int64_t kept, dropped, held_bytes;
};
/* KB_E_CONFLICT where the place is another installation's, has lost the backups that it had or has
 * one of a time to come, or where another backup is being made. */
bool kb_backup_make(const struct kb_backup_task *task, struct kb_backup_made *out,
                    struct kb_err *err) KB_MUST_CHECK;

/* The folder is there and holds no database: what is left of an earlier life is removed. */
bool kb_backup_scratch(const char *directory, struct kb_err *err) KB_MUST_CHECK;
void kb_backup_scratch_end(const char *directory);

#endif
