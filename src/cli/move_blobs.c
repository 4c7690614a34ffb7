#include "cli/move_blobs.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/temp.h"

static void say_lost(void *arg, const char *name, const char *why)
{
	(void)arg;
	printf("blob %s: %s\n", name, why);
}

bool kb_move_blobs(struct kb_copies *blobs, struct kb_move *move, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	bool ok = kb_dir_make(blobs->temp, err) && kb_temp_clean(blobs->temp, KB_TEMP_ALL, err);

	blobs->say = say_lost;
	/* Those that are lost are come upon again by a later run. */
	for (int i = kb_move_blobs_next(move); ok && i < KB_MOVE_SLICES; i++) {
		struct kb_sv *names;
		size_t count;

		ok = kb_move_blob_names(move, &arena, i, &names, &count, err)
		     && kb_copies_make(blobs, names, count, NULL, err)
		     && (!count || blobs->lost || kb_move_blobs_done(move, i + 1, err));
		kb_arena_reset(&arena);
	}
	kb_arena_fini(&arena);
	rmdir(blobs->temp);
	return ok;
}
