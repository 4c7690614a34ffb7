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

#endif
