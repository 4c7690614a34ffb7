/* What unlock.c and the kinds of files that it opens (unlock_*.c) share. */
#ifndef KB_PARSE_UNLOCK_OWN_H
#define KB_PARSE_UNLOCK_OWN_H

#include "base/arena.h"

/* As kb_unlock(). */
typedef bool kb_unlocker(struct kb_arena *arena, struct kb_sv bytes, struct kb_sv password,
                         struct kb_sv *out, struct kb_err *err);
kb_unlocker kb_unlock_pdf, kb_unlock_office;

/* Always false. */
bool kb_unlock_wrong(struct kb_err *err);  /* another password opens it */
bool kb_unlock_cannot(struct kb_err *err); /* none does here */

#endif
