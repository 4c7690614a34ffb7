/* Texts through the output guard, for the stories that show what comes out to readers of Markdown:
 * each ends with a NUL, in and out. "guarded quote" does it as for a document's words; otherwise
 * https://named.example/site/ and https://named.example/file.zip are named. Where it makes a
 * difference that a text comes letter by letter, or that a quote is looked at again, it says so and
 * ends. */
#include <stdio.h>

#include "answer/guard.h"
#include "base/buf.h"

enum { TEXT_MAX = 1 << 20 };

static void collect(void *arg, struct kb_sv text)
{
	kb_buf_sv(arg, text);
}

static struct kb_sv letter_by_letter(struct kb_arena *arena, const struct kb_named *places,
                                     struct kb_sv text)
{
	struct kb_outguard guard;
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, 2 * text.n + 1);
	kb_outguard_init(&guard, places, collect, &buf);
	for (size_t i = 0; i < text.n; i++)
		kb_outguard_feed(&guard, kb_sv_sub(text, i, 1));
	kb_outguard_end(&guard);
	kb_outguard_fini(&guard);
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

static bool differs(const char *how, struct kb_sv text, struct kb_sv one, struct kb_sv other)
{
	if (kb_sv_eq(one, other))
		return false;
	fprintf(stderr, "%s\nof    %.*s\ngives %.*s\nand   %.*s\n", how, KB_SV_ARG(text),
	        KB_SV_ARG(one), KB_SV_ARG(other));
	return true;
}

/* False: the guard does not agree with itself. */
static bool answer(struct kb_sv text, bool quote)
{
	struct kb_arena arena = { 0 };
	struct kb_named *places = kb_named_new(&arena);
	struct kb_sv out;
	bool same;

	kb_named_add_site(places, KB_SV("https://named.example/site/"));
	kb_named_add_source(places, KB_SV("It is at https://named.example/file.zip."));
	if (quote) {
		out = kb_outguard_quote(&arena, text);
		same = !differs("a second look", text, out, kb_outguard_quote(&arena, out));
	} else {
		out = kb_outguard_text(&arena, places, text);
		same = !differs("letter by letter", text, out,
		                letter_by_letter(&arena, places, text));
	}
	fwrite(out.p, 1, out.n, stdout);
	putchar('\0');
	kb_arena_fini(&arena);
	return same;
}

int main(int argc, char **argv)
{
	bool quote = argc > 1 && !strcmp(argv[1], "quote"), ok = true;
	struct kb_buf buf;
	int c;

	kb_buf_init(&buf, TEXT_MAX);
	while (ok && (c = getchar()) != EOF) {
		if (c) {
			kb_buf_byte(&buf, (char)c);
			continue;
		}
		ok = answer(kb_buf_view(&buf), quote);
		kb_buf_fini(&buf);
		kb_buf_init(&buf, TEXT_MAX);
	}
	kb_buf_fini(&buf);
	return ok ? 0 : 1;
}
