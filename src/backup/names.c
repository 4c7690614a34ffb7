#include "backup/names.h"

#include <stdlib.h>
#include <string.h>

#include "backup/format.h"
#include "base/arena.h"

enum { PART = 16, FIRST = 1024 };

/* The slot that has it, or the free one where it would be. Names are hashes: any part of one will
 * do for its place. */
static unsigned char *slot_of(const struct kb_names *names, const unsigned char *part)
{
	static const unsigned char none[PART];
	size_t at;

	memcpy(&at, part, sizeof(at));
	for (;; at++) {
		unsigned char *slot = names->slots + at % names->size * PART;

		if (memcmp(slot, part, PART) == 0 || memcmp(slot, none, PART) == 0)
			return slot;
	}
}

static void grow(struct kb_names *names)
{
	struct kb_names larger = { .size = names->size ? 2 * names->size : FIRST };
	static const unsigned char none[PART];

	larger.slots = kb_xcalloc(larger.size, PART);
	for (size_t i = 0; i < names->size; i++)
		if (memcmp(names->slots + i * PART, none, PART) != 0)
			memcpy(slot_of(&larger, names->slots + i * PART), names->slots + i * PART,
			       PART);
	larger.count = names->count;
	free(names->slots);
	*names = larger;
}

void kb_names_fini(struct kb_names *names)
{
	free(names->slots);
	*names = (struct kb_names){ 0 };
}

bool kb_names_add(struct kb_names *names, struct kb_sv name)
{
	unsigned char raw[KB_HASH_BYTES], *slot;
	bool is_name = kb_unhex(name, raw);

	KB_ASSERT(is_name);
	raw[PART - 1] |= 1; /* a slot of nothing but zeros is free */
	if (2 * (names->count + 1) > names->size)
		grow(names);
	slot = slot_of(names, raw);
	if (memcmp(slot, raw, PART) == 0)
		return false;
	memcpy(slot, raw, PART);
	names->count++;
	return true;
}

bool kb_names_has(const struct kb_names *names, struct kb_sv name)
{
	unsigned char raw[KB_HASH_BYTES];

	if (!names->size || !kb_unhex(name, raw))
		return false;
	raw[PART - 1] |= 1;
	return memcmp(slot_of(names, raw), raw, PART) == 0;
}
