/*
 * Pictures as chat models take them: "data:image/png;base64,…", of the four kinds that
 * settings/image.h knows. Pixels are not decoded. Pure; any thread.
 */
#ifndef KB_UPSTREAM_PICTURE_H
#define KB_UPSTREAM_PICTURE_H

#include "base/arena.h"

/* KB_E_INVALID when the bytes are none of the four or damaged, KB_E_TOO_LARGE. */
bool kb_picture_address(struct kb_arena *arena, struct kb_sv bytes, struct kb_sv *out,
                        struct kb_err *err) KB_MUST_CHECK;

/* The bytes of such an address, which may come from anybody; also those of other kinds that stand
 * behind "data:". KB_E_INVALID when it is no data: address in base64. */
bool kb_picture_bytes(struct kb_arena *arena, struct kb_sv address, struct kb_sv *out,
                      struct kb_err *err) KB_MUST_CHECK;

#endif
