/*
 * Flat JSON objects, fast: the lines of a file of records.
 *
 * Only objects whose members are strings or whole numbers that are not negative are read here. What
 * is accepted means the same to kb_json_parse(), and nothing is accepted that it refuses; a caller
 * asks that one wherever this reader gives up, and so gets its message for what is malformed.
 * Pure but for the arena; any thread.
 */
#ifndef KB_BASE_JSON_FLAT_H
#define KB_BASE_JSON_FLAT_H

#include "base/arena.h"

struct kb_json_member {
	const char *name;
	struct kb_sv value; /* into the text or the arena; of a number its digits */
	bool found, number;
};

/* Fills the named members; others are skipped. false: gave up, the members mean nothing. */
bool kb_json_flat(struct kb_arena *arena, struct kb_sv text, struct kb_json_member *members,
                  size_t count);

#endif
