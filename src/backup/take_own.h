/* A backup in the making: what take.c, which has the turn and the place, and take_send.c, which
 * copies what the place lacks, share. */
#ifndef KB_BACKUP_TAKE_OWN_H
#define KB_BACKUP_TAKE_OWN_H

#include <pthread.h>
#include <stdatomic.h>

#include "backup/copies.h"
#include "backup/take.h"
#include "base/bell.h"
#include "base/temp.h"
#include "store/upkeep.h"

enum { KB_MAKING_FOLDER = KB_TEMP_PATH - 32 };

struct kb_making {
	const struct kb_backup_task *task;
	struct kb_backup_made *out;
	struct kb_arena arena; /* of all passes */
	struct kb_store *store;
	struct kb_blobs *place;
	/* Of this turn alone, for the copy of the database and those of blobs: who has lost a turn
	 * and goes on for a moment touches nothing of the next one. */
	char dir[KB_MAKING_FOLDER], copy_dir[KB_MAKING_FOLDER];
	int64_t epoch;
	struct kb_installation installation;
	bool has_base;
	struct kb_backup_record base;   /* what it names is there */
	struct kb_backup_record record; /* of this pass */
	struct kb_copies copies;
	_Atomic int64_t new_bytes; /* beside blobs */

	/* Whether to go on: nobody asks to stop, and the turn is still ours. */
	struct kb_cancel cancel;
	struct kb_bell bell;
	pthread_t keeper;
	_Atomic bool turn_lost;
	_Atomic int64_t turn_until; /* as far as we know; of the steady clock */
};

/* The copy of the database in `dir`, piece by piece, as far as the base has not the same. Fills
 * what the record says of it. */
bool kb_making_send_database(struct kb_making *m, struct kb_err *err) KB_MUST_CHECK;
/* All blobs that the copy names and the base did not. What is lost is counted and left out. */
bool kb_making_send_blobs(struct kb_making *m, struct kb_err *err) KB_MUST_CHECK;

#endif
