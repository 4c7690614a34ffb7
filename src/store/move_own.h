/* What a move has left at the door, for store.c, and whether it goes on, for move_verify.c. */
#ifndef KB_STORE_MOVE_OWN_H
#define KB_STORE_MOVE_OWN_H

#include "store/move.h"

/* Whether the store may be opened so, as far as moves are concerned; one that is being read for a
 * move is given up by it. */
bool kb_move_gate(struct kb_store *store, enum kb_store_use use, const char *at,
                  struct kb_err *err) KB_MUST_CHECK;

/* Nobody has opened the source since the move began: KB_E_CONFLICT where somebody has. */
bool kb_move_is_leaving(const struct kb_move *move, struct kb_err *err) KB_MUST_CHECK;

#endif
