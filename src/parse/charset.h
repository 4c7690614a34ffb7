/*
 * Bytes of text to UTF-8.
 *
 * In this order: a byte-order mark; UTF-16 or -32 without one, told by its zero bytes; UTF-8 when
 * the bytes are; what the text or its sender declares, if the bytes fit it; else a guess (ICU's
 * detector, with our own weights for the code pages it does not know); at last windows-1252.
 */
#ifndef KB_PARSE_CHARSET_H
#define KB_PARSE_CHARSET_H

#include "base/arena.h"

/* content_type may carry "; charset=…"; empty: none. *name, if not NULL, gets the encoding's name.
 * The result may hold U+FFFD for what could not be read; without a byte-order mark. */
struct kb_sv kb_charset_to_utf8(struct kb_arena *arena, struct kb_sv bytes,
                                struct kb_sv content_type, const char **name);

/* Bytes in a named encoding (any alias ICU or the web knows); false when it knows none. */
bool kb_charset_decode(struct kb_arena *arena, struct kb_sv bytes, struct kb_sv charset,
                       struct kb_sv *out);

/* Loads what conversion needs, before a sandbox closes the way to it. */
void kb_charset_warm(void);

#endif
