#include "parse/filename.h"

#include "base/utf8.h"
#include "parse/clean.h"

static bool in(uint32_t cp, uint32_t from, uint32_t to)
{
	return cp >= from && cp <= to;
}

static bool is_joiner(uint32_t cp)
{
	return in(cp, 0x200c, 0x200d);
}

/* Syriac to Mongolian without Hangul's parts, the later Indic blocks, and what emoji are made of.
 */
static bool takes_joiners(uint32_t cp)
{
	return in(cp, 0x620, 0x10ff) || in(cp, 0x1200, 0x1cff) || in(cp, 0xa800, 0xabff)
	       || in(cp, 0xfb50, 0xfdcf) || in(cp, 0xfe70, 0xfefc) || in(cp, 0x10a00, 0x11fff)
	       || in(cp, 0x2190, 0x2bff) || cp == 0xfe0f || in(cp, 0x1f000, 0x1faff);
}

static struct kb_sv last_part(struct kb_sv name)
{
	size_t start = name.n;

	while (start > 0 && name.p[start - 1] != '/' && name.p[start - 1] != '\\')
		start--;
	return kb_sv_from(name, start);
}

/* kb_clean() looks at what stands before a joiner only: in a text a letter may show its joined form
 * before a blank. */
static void drop_loose_joiners(struct kb_buf *out, struct kb_sv name)
{
	uint32_t before = 0, cp, next;

	for (size_t n; name.n; name = kb_sv_from(name, n), before = cp) {
		n = kb_utf8_decode(name, &cp);
		if (is_joiner(cp)
		    && (!takes_joiners(before) || n == name.n
		        || (kb_utf8_decode(kb_sv_from(name, n), &next), !takes_joiners(next))))
			cp = before;
		else
			kb_buf_add(out, name.p, n);
	}
}

static bool is_dots(struct kb_sv name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] != '.' && name.p[i] != ' ')
			return false;
	return true;
}

struct kb_sv kb_filename_clean(struct kb_arena *arena, struct kb_sv name)
{
	struct kb_buf clean, out;
	struct kb_sv kept;

	kb_buf_init(&clean, SIZE_MAX);
	kb_buf_init(&out, SIZE_MAX);
	kb_clean(&clean, last_part(name), KB_CLEAN_LINE);
	drop_loose_joiners(&out, kb_buf_view(&clean));
	kept = kb_sv_trim(kb_utf8_head(kb_buf_view(&out), KB_FILENAME_CHARS));
	kept = is_dots(kept) ? KB_SV("document") : kb_arena_sv(arena, kept);
	kb_buf_fini(&clean);
	kb_buf_fini(&out);
	return kept;
}
