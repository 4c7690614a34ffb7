/* The blobs of a move: each is read at the one place, checked against its name, and put at the
 * other, several at a time. docent move's own. */
#ifndef KB_CLI_MOVE_BLOBS_H
#define KB_CLI_MOVE_BLOBS_H

#include "blob/blob.h"
#include "store/move.h"

struct kb_move_blobs {
	struct kb_blobs *from, *to;
	const char *temp; /* a folder of its own, on the file system of blobs in a directory */
	/* What became of them. lost: missing or damaged where they come from. */
	int64_t copied, there, lost;
};

/* Goes on where an earlier run has come to. Says on stdout which are lost. */
bool kb_move_blobs(struct kb_move_blobs *blobs, struct kb_move *move,
                   struct kb_err *err) KB_MUST_CHECK;

#endif
