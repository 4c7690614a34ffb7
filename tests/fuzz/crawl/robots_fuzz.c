/* A foreign robots.txt behind a path in its first line: what it says does not depend on how its
 * lines end, and "*" alone never forbids what is allowed to us by name. */
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "crawl/robots.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_sv text = kb_sv((const char *)data, size), path, rest, address;
	ptrdiff_t cut = kb_sv_find_byte(text, '\n');
	struct kb_robots_word word, again;
	struct kb_arena arena = { 0 };
	char *copy;

	path = kb_sv_sub(text, 0, cut < 0 ? 0 : (size_t)cut);
	text = kb_sv_from(text, cut < 0 ? 0 : (size_t)cut + 1);
	word = kb_robots_ask(text, KB_SV("Docent/1"), path);
	KB_ASSERT(word.delay_us >= 0 && word.delay_us <= KB_ROBOTS_DELAY_MAX_S * KB_SECOND_US);
	copy = kb_arena_str(&arena, text);
	for (size_t i = 0; i < text.n; i++)
		copy[i] = (char)(copy[i] == '\n' ? '\r' : copy[i]);
	again = kb_robots_ask(kb_sv(copy, text.n), KB_SV("docent"), path);
	KB_ASSERT(again.allowed == word.allowed && again.delay_us == word.delay_us);
	rest = text;
	while (kb_robots_sitemap(&rest, &address))
		KB_ASSERT(address.n > 0);
	kb_arena_fini(&arena);
	return 0;
}
