/*
 * Codes as wholes: part numbers, versions, identifiers.
 *
 * The tokenizer (analysis.h) cuts "ERR-4012" into two words, as it must for "mother-in-law". A
 * code is also a term of its own, which documents always have and questions use where closer
 * matching is wanted (query.h). It begins with '=', which no word does, and is written in one way:
 * lower case, without what joins its parts, but for a '.' between digits. So ERR-4012, err_4012 and
 * ERR4012 are "=err4012", and 12-34 is not 123-4.
 *
 * A code is a run of ASCII letters and digits, perhaps joined by single '-', '_', '.' or hyphens of
 * Unicode, that has letters and digits, or an underscore, or more than one dot or hyphen between
 * numbers, or a hyphen between numbers, or capitals alone in several parts (USB-C), or is a dotted
 * name (config.yaml). A number, decimals included, is none: the tokenizer keeps it whole.
 *
 * Its parts are its beginnings of two or more parts ("=ab77" of AB-77-X, "=12.4" of 12.4.1) and
 * numbers joined within it ("=2.0" of v2.0). A name without digits has none: its words are terms
 * anyway. Pure; any thread.
 */
#ifndef KB_INDEX_CODES_H
#define KB_INDEX_CODES_H

#include "base/arena.h"

enum {
	KB_CODE_BYTES = 64, /* a longer run is no code: an address, a hash in lines */
	KB_CODE_PARTS = 8,
};

struct kb_code {
	struct kb_sv term;
	uint32_t start, end; /* bytes of the text */
	bool part;           /* of the whole code before it */
};

/* In the order of the text; each whole code is followed by its parts. decimals: "12.4" too, which
 * a question needs so that it meets the beginning of 12.4.1. */
void kb_codes(struct kb_arena *arena, struct kb_sv text, bool decimals, struct kb_code **out,
              size_t *count);

#endif
