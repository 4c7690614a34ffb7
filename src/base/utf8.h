/* UTF-8: decoding, checking, mending and cutting. Pure functions; Unicode properties are not here
 * (the index's analysis has them). */
#ifndef KB_BASE_UTF8_H
#define KB_BASE_UTF8_H

#include "base/arena.h"

#define KB_UTF8_BAD UINT32_C(0xffffffff)

/* The first character of a text that is not empty: its length in bytes, *cp its code point. For an
 * ill-formed sequence (overlong, surrogate, above U+10FFFF, cut) the length of its maximal part,
 * at least 1, and *cp = KB_UTF8_BAD. */
size_t kb_utf8_decode(struct kb_sv text, uint32_t *cp);
/* 1 to 4 bytes at out; a code point that cannot be written gives U+FFFD. */
size_t kb_utf8_encode(uint32_t cp, char out[4]);

bool kb_utf8_valid(struct kb_sv text);
/* The text itself when it is valid, else a copy with each bad part as U+FFFD. */
struct kb_sv kb_utf8_mend(struct kb_arena *arena, struct kb_sv text);
/* Characters; a bad part counts as one. */
size_t kb_utf8_count(struct kb_sv text);
/* The first n characters. */
struct kb_sv kb_utf8_head(struct kb_sv text, size_t n);
/* At most max bytes, cut between characters. */
struct kb_sv kb_utf8_cut(struct kb_sv text, size_t max);

/* Whether a character of it says how text is laid out rather than what it says: controls, line
 * ends, marks of direction, tags. Joiners, which names are written with, are none. */
bool kb_utf8_has_control(struct kb_sv text);
/* The first n characters as one line: what is white or a control is one space, none at its ends. */
struct kb_sv kb_utf8_line(struct kb_arena *arena, struct kb_sv text, size_t n);

#endif
