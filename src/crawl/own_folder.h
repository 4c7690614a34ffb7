/*
 * Folders of the system's place for temporary files, each for one program that we start and that
 * may be somebody else there: it is made for him, goes with him, and is swept if we went first. Any
 * thread.
 */
#ifndef KB_CRAWL_OWN_FOLDER_H
#define KB_CRAWL_OWN_FOLDER_H

#include <limits.h>

#include "base/err.h"
#include "base/user.h"

struct kb_own_folder {
	char path[PATH_MAX]; /* empty: none */
	int fd;              /* held as long as its maker lives */
};

/* prefix: of its name, which tells its kind. Where the service is root it is that user's. On
 * failure remove() is still due. */
bool kb_own_folder_make(const char *prefix, enum kb_user user, struct kb_own_folder *out,
                        struct kb_err *err) KB_MUST_CHECK;
/* With all that is in it. Zeroed with fd -1 is fine. */
void kb_own_folder_remove(struct kb_own_folder *folder);
/* Those of that kind that nobody holds: what a crash has left. */
void kb_own_folder_sweep(const char *prefix);

#endif
