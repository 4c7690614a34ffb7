/*
 * Whether a backup comes back: it is restored into a temporary place and asked.
 *
 * The database is fetched and compared with its hashes, its references are checked as `docent
 * check` does; every blob that it names has to be in the lists, and is read and compared with its
 * name; then each agent that can find anything is asked: what people have asked it last and it has
 * answered, or the titles of its documents, until one is answered. Blobs are read where they are:
 * of the installation nothing is needed. The backup is not changed.
 */
#ifndef KB_BACKUP_DRILL_H
#define KB_BACKUP_DRILL_H

#include "backup/place.h"
#include "base/log.h"

struct kb_meaning;
struct kb_drill {
	struct kb_blobs *place;
	const char *at;       /* as in kb_backup_choose() */
	const char *temp_dir; /* for the database, in a folder of the drill's own */
	/* What is wrong; from any thread, one at a time. */
	void (*say)(void *arg, const char *finding);
	void *arg;
	const struct kb_log *log;
	const struct kb_cancel *cancel;

	char id[KB_BACKUP_ID]; /* which it was */
	int64_t findings, blobs, agents, asked;
};
/* False: it could not be told, or the database does not come back; err says so. */
bool kb_drill_run(struct kb_drill *drill, struct kb_err *err) KB_MUST_CHECK;

#endif
