/* The blobs of a move, for docent move and docent restore. */
#ifndef KB_CLI_MOVE_BLOBS_H
#define KB_CLI_MOVE_BLOBS_H

#include "backup/copies.h"
#include "store/move.h"

/* Goes on where an earlier run has come to, and makes the folder for copies. Says on stdout which
 * are lost. */
bool kb_move_blobs(struct kb_copies *blobs, struct kb_move *move, struct kb_err *err) KB_MUST_CHECK;

#endif
