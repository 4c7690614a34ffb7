/* A title, a line end, and a file's name or an address: every word given stands in the name and not
 * in the title, and there are few of them. */
#include <string.h>

#include "passages/name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct kb_sv title, struct kb_sv name, struct kb_sv words)
{
	size_t count = 0;

	while (words.n) {
		ptrdiff_t end = kb_sv_find_byte(words, ' ');
		struct kb_sv word = end < 0 ? words : kb_sv_sub(words, 0, (size_t)end);

		KB_ASSERT(word.n > 0 && ++count <= 12);
		KB_ASSERT(!name.p || kb_sv_find(name, word) >= 0);
		KB_ASSERT(!kb_sv_starts(title, word));
		words = end < 0 ? (struct kb_sv){ 0 } : kb_sv_from(words, (size_t)end + 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_sv all = { (const char *)data, size }, title = { 0 }, name = all;
	ptrdiff_t end = kb_sv_find_byte(all, '\n');
	struct kb_arena arena = { 0 };

	if (end >= 0) {
		title = kb_sv_sub(all, 0, (size_t)end);
		name = kb_sv_from(all, (size_t)end + 1);
	}
	check(title, name, kb_name_words(&arena, title, name));
	check(title, (struct kb_sv){ 0 }, kb_address_words(&arena, title, name));
	kb_arena_fini(&arena);
	return 0;
}
