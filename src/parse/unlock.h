/*
 * A file that is locked with a password becomes the same without one. Runs in the sandboxed child:
 * the file is foreign bytes, and so is the password's owner no friend of ours by rule.
 *
 * The password is in the caller's memory alone, and no sentence names it.
 */
#ifndef KB_PARSE_UNLOCK_H
#define KB_PARSE_UNLOCK_H

#include "base/arena.h"

/* The bytes without the password, in the arena. KB_E_INVALID: another password opens it, or none
 * does here, and why. */
bool kb_unlock(struct kb_arena *arena, struct kb_sv bytes, struct kb_sv password, struct kb_sv *out,
               struct kb_err *err) KB_MUST_CHECK;

/* ---- private to unlock*.c ---- */

typedef bool kb_unlocker(struct kb_arena *arena, struct kb_sv bytes, struct kb_sv password,
                         struct kb_sv *out, struct kb_err *err);
kb_unlocker kb_unlock_pdf, kb_unlock_office;

/* Always false. */
bool kb_unlock_wrong(struct kb_err *err);  /* another password opens it */
bool kb_unlock_cannot(struct kb_err *err); /* none does here */

#endif
