/*
 * The name of a file, as it is kept and shown.
 *
 * A name comes from whoever sends the file and is read by people who decide by it what to open, so
 * it must look like what it is: the last part of a path, one line, in NFC, without control,
 * zero-width, tag and bidi-control characters ("gpj.exe" that reads as "exe.jpg"). Joiners stay
 * between letters of scripts that spell with them and between emoji. Nothing on disk has such a
 * name. Pure.
 */
#ifndef KB_PARSE_FILENAME_H
#define KB_PARSE_FILENAME_H

#include "base/arena.h"

enum { KB_FILENAME_CHARS = 255 };

/* "document" where nothing is left that is a name. */
struct kb_sv kb_filename_clean(struct kb_arena *arena, struct kb_sv name);

#endif
