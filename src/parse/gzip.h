/* A gzip'ed file's bytes, capped while inflating. Pure. */
#ifndef KB_PARSE_GZIP_H
#define KB_PARSE_GZIP_H

#include "base/arena.h"

#define KB_GZIP_MAX KB_MIB(64) /* inflated */

/* Damaged or cut off anywhere: false. */
bool kb_gzip_inflate(struct kb_arena *arena, struct kb_sv bytes, struct kb_sv *out,
                     struct kb_err *err) KB_MUST_CHECK;

/* What can be inflated of it, up to max bytes; *whole tells whether that is all. */
void kb_gzip_inflate_some(struct kb_arena *arena, struct kb_sv bytes, size_t max, struct kb_sv *out,
                          bool *whole);

#endif
