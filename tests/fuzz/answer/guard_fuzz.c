/* Any text through the guard: however it is cut, the same comes out; with nothing named no address
 * is left, in code or not, and none stands where a reader may take it for a target; and a quote is
 * its text with blanks. */
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

/* Whether what follows could be an address, to who skips all that may be skipped. */
static bool is_address(struct kb_sv text)
{
	size_t n = 0;

	while (text.n && text.p[0] && strchr(" \t\n\r<>-*+.)0123456789", text.p[0]))
		text = kb_sv_from(text, 1);
	if (text.n > 1 && (text.p[0] == '/' || text.p[0] == '\\')
	    && (text.p[1] == '/' || text.p[1] == '\\'))
		return true;
	while (n < text.n && ((text.p[n] | 32) >= 'a' && (text.p[n] | 32) <= 'z'))
		n++;
	return n && n < text.n && text.p[n] == ':';
}

/* Targets, and tags with an address in them. */
static void check_targets(struct kb_sv text)
{
	for (size_t i = 0; i + 1 < text.n; i++) {
		struct kb_sv rest = kb_sv_from(text, i);
		ptrdiff_t end = kb_sv_find_byte(rest, '>');

		if (kb_sv_starts(rest, KB_SV("](")) || kb_sv_starts(rest, KB_SV("]:")))
			KB_ASSERT(!is_address(kb_sv_from(rest, 2)));
		if (text.p[i] != '<' || (rest.p[1] | 32) < 'a' || (rest.p[1] | 32) > 'z')
			continue;
		KB_ASSERT(end > 0);
		rest = kb_sv_sub(rest, 0, (size_t)end);
		KB_ASSERT(kb_sv_find(rest, KB_SV("//")) < 0 && kb_sv_find(rest, KB_SV("&")) < 0);
	}
}

/* Whether the second text is the first but for blanks. */
static bool is_parted(struct kb_sv text, struct kb_sv parted)
{
	size_t i = 0;

	for (size_t k = 0; k < parted.n; k++)
		if (i < text.n && parted.p[k] == text.p[i])
			i++;
		else if (parted.p[k] != ' ')
			return false;
	return i == text.n;
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
	check_targets(none);
	none = kb_outguard_quote(&arena, text);
	check_targets(none);
	KB_ASSERT(is_parted(text, none));
	KB_ASSERT(kb_sv_eq(none, kb_outguard_quote(&arena, none)));
	kb_arena_fini(&arena);
	return 0;
}
