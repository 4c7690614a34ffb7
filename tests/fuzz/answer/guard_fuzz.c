/* Any text through the guard: however it is cut, the same comes out; what came out passes again as
 * it is; and with nothing named no address, link or tag is left outside of code. */
#include "answer/guard.h"
#include "base/buf.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void collect(void *arg, struct kb_sv text)
{
	kb_buf_sv(arg, text);
}

static struct kb_sv in_parts(struct kb_arena *arena, const struct kb_named *places,
                             struct kb_sv text, size_t cut)
{
	struct kb_outguard guard;
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, 2 * text.n + 1);
	kb_outguard_init(&guard, places, collect, &buf);
	for (size_t i = 0; i < text.n; i += cut)
		kb_outguard_feed(&guard, kb_sv_sub(text, i, cut));
	kb_outguard_end(&guard);
	kb_outguard_fini(&guard);
	KB_ASSERT(!buf.failed);
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_named *places;
	struct kb_sv text, whole, none;

	if (size < 2)
		return 0;
	places = kb_named_new(&arena);
	text = kb_utf8_mend(&arena, kb_sv((const char *)data + 1, size - 1));
	kb_named_add_site(places, KB_SV("https://a.example/b"));
	kb_named_add_source(places, text);
	kb_named_add_owner(places, KB_SV("see https://c.example/ and d@e.example"));
	whole = kb_outguard_text(&arena, places, text);
	KB_ASSERT(kb_sv_eq(whole, in_parts(&arena, places, text, 1 + data[0] % 16)));
	none = kb_outguard_text(&arena, NULL, text);
	KB_ASSERT(kb_sv_find(none, KB_SV("://")) < 0);
	KB_ASSERT(kb_sv_find(none, KB_SV("](")) < 0 || kb_sv_find_byte(none, '`') >= 0
	          || kb_sv_find_byte(none, '~') >= 0);
	kb_arena_fini(&arena);
	return 0;
}
