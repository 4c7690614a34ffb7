/* Base64 for addresses, without filling (RFC 4648, 5): what tokens are written in. Pure. */
#ifndef KB_BASE_BASE64_H
#define KB_BASE_BASE64_H

#include "base/arena.h"

/* False where it is none; bits behind the last byte have to be zero. */
bool kb_base64url_decode(struct kb_arena *arena, struct kb_sv text,
                         struct kb_sv *out) KB_MUST_CHECK;
struct kb_sv kb_base64url_encode(struct kb_arena *arena, struct kb_sv bytes);
/* With filling and the ordinary letters, as HTTP has it for a name and a password. */
struct kb_sv kb_base64_encode(struct kb_arena *arena, struct kb_sv bytes);

#endif
