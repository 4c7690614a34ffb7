/*
 * How values of header fields and parts of addresses are written: media types and parameters
 * (RFC 9110 5.6.6, 8.3.1), percent escapes (RFC 3986 2.1). The server, the way out and whoever
 * reads a name from an address share this one reading of them.
 *
 * Pure functions; what they make lies in the caller's arena.
 */
#ifndef KB_BASE_FIELD_H
#define KB_BASE_FIELD_H

#include "base/arena.h"

/* 0 to 15, or -1. */
int kb_hex_digit(char c);

/* Decodes %XX into the arena; the text itself where there is nothing to decode. false for a
 * malformed escape and for %00. */
bool kb_percent_decode(struct kb_arena *arena, struct kb_sv text, struct kb_sv *out) KB_MUST_CHECK;

/* Everything but letters, digits, "-._~" and what `kept` has as %XX. */
struct kb_sv kb_percent_encode(struct kb_arena *arena, struct kb_sv text, const char *kept);

/* The media type of a Content-Type value, without its parameters. */
struct kb_sv kb_media_type(struct kb_sv content_type);
/* The value of a parameter ("boundary", "filename") of a field like `form-data; name="a"`, its
 * quotes resolved into the arena; p == NULL: none. */
struct kb_sv kb_field_param(struct kb_arena *arena, struct kb_sv value, const char *name);

#endif
