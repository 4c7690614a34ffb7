/* Cleaning of extracted text: one pass over the characters, then NFC where it can matter. */
#include "parse/clean.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/utf8.h"

enum {
	TAB_BLANKS = 4,
	JOINED = 0x627, /* a letter that joiners may follow */
	ESCAPE = 0x1b,
};

enum action { KEEP, DROP, BLANK, LINE };

static bool in(uint32_t cp, uint32_t from, uint32_t to)
{
	return cp >= from && cp <= to;
}

/* Characters without a word in them, used to hide or to reorder text. */
static bool is_invisible(uint32_t cp)
{
	return cp < 0x20 || in(cp, 0x7f, 0x9f) || cp == 0xad || cp == 0x34f || cp == 0x61c
	       || in(cp, 0x115f, 0x1160) || in(cp, 0x17b4, 0x17b5) || in(cp, 0x180b, 0x180f)
	       || in(cp, 0x200b, 0x200f) || in(cp, 0x202a, 0x202e) || in(cp, 0x2060, 0x206f)
	       || cp == 0x3164 || cp == 0xfeff || cp == 0xffa0 || in(cp, 0xfff0, 0xfffb)
	       || in(cp, 0x1d173, 0x1d17a) || in(cp, 0xe0000, 0xe0fff) || in(cp, 0xfe00, 0xfe0f)
	       || (cp & 0xfffe) == 0xfffe /* noncharacters */
	       || in(cp, 0xfdd0, 0xfdef);
}

static bool is_blank(uint32_t cp)
{
	return cp == ' ' || cp == '\t' || cp == 0xa0 || cp == 0x1680 || in(cp, 0x2000, 0x200a)
	       || cp == 0x202f || cp == 0x205f || cp == 0x3000;
}

static bool is_line_end(uint32_t cp)
{
	return cp == '\n' || cp == '\r' || cp == '\v' || cp == '\f' || cp == 0x85
	       || in(cp, 0x2028, 0x2029);
}

/* ZWNJ and ZWJ spell words in Arabic and Indic scripts and join emoji; nowhere else. */
static bool joins(uint32_t cp, uint32_t before)
{
	return (cp == 0x200c || cp == 0x200d) && before >= 0x590 && !in(before, 0x2000, 0x206f);
}

/* One variation selector says which form of a sign is meant; a row of them spells hidden bytes. */
static bool selects(uint32_t cp, uint32_t before)
{
	return in(cp, 0xfe00, 0xfe0f) && before > ' ' && !in(before, 0xfe00, 0xfe0f);
}

static enum action action_of(uint32_t cp, uint32_t before)
{
	if (is_line_end(cp))
		return LINE;
	if (is_blank(cp))
		return BLANK;
	return is_invisible(cp) && !joins(cp, before) && !selects(cp, before) ? DROP : KEEP;
}

/* What ends a string to a terminal, in bytes: BEL, or ST in either spelling. */
static size_t string_end(struct kb_sv text)
{
	if (kb_sv_starts(text, KB_SV("\a")))
		return 1;
	return kb_sv_starts(text, KB_SV("\x1b\\")) || kb_sv_starts(text, KB_SV("\xc2\x9c")) ? 2 : 0;
}

/*
 * What a terminal obeys (ECMA-48) at the head of the text, in bytes; 0 for none: a control sequence
 * up to its letter (ESC [ 2 J), a string such as a window's title up to its end (ESC ] 0 ; x BEL),
 * or ESC with one more character. One that does not end, or not before another control character,
 * is no sequence: of that the first character goes, as any of its kind does. No byte is looked at
 * by two.
 */
static size_t escape(struct kb_sv text)
{
	bool is_short = text.n && (unsigned char)text.p[0] == 0xc2; /* U+0080 to U+009F: in one */
	unsigned char kind;
	size_t i = 2;

	if (text.n < 2 || (text.p[0] != ESCAPE && !is_short))
		return 0;
	kind = (unsigned char)(text.p[1] - (is_short ? 0x40 : 0));
	if (kind == '[') {
		while (i < text.n && in((unsigned char)text.p[i], 0x20, 0x3f))
			i++;
		return i < text.n && in((unsigned char)text.p[i], 0x40, 0x7e) ? i + 1 : 0;
	}
	if (kind && strchr("]P^_X", kind)) {
		while (i < text.n && (unsigned char)text.p[i] >= 0x20
		       && !kb_sv_starts(kb_sv_from(text, i), KB_SV("\xc2\x9c")))
			i++;
		return string_end(kb_sv_from(text, i)) ? i + string_end(kb_sv_from(text, i)) : 0;
	}
	if (is_short)
		return 0;
	for (i = 1; i < text.n && in((unsigned char)text.p[i], 0x20, 0x2f);)
		i++;
	return i < text.n && in((unsigned char)text.p[i], 0x30, 0x7e) ? i + 1 : 0;
}

/* Whether NFC can change a text that has this character: false for the scripts that make up most
 * of what passes here and have no combining forms in these ranges. */
static bool may_compose(uint32_t cp)
{
	return cp >= 0x300 && !in(cp, 0x400, 0x482) && !in(cp, 0x2010, 0x2027)
	       && !in(cp, 0x3041, 0x3096) && !in(cp, 0x30a1, 0x30fe) && !in(cp, 0x3001, 0x3029)
	       && !in(cp, 0x4e00, 0x9fff) && !in(cp, 0xac00, 0xd7a3) && !in(cp, 0xff01, 0xff60);
}

/* Drops blanks at the end of what was written since `start`. */
static void trim_end(struct kb_buf *out, size_t start)
{
	while (out->n > start && out->p[out->n - 1] == ' ')
		out->n--;
}

static void add_blanks(struct kb_buf *out, size_t n)
{
	while (n--)
		kb_buf_byte(out, ' ');
}

static void compose(struct kb_buf *out, size_t start)
{
	utf8proc_uint8_t *composed = NULL;
	utf8proc_ssize_t n;

	if (out->failed)
		return;
	n = utf8proc_map((const utf8proc_uint8_t *)out->p + start,
	                 (utf8proc_ssize_t)(out->n - start), &composed,
	                 UTF8PROC_STABLE | UTF8PROC_COMPOSE);
	if (n >= 0) {
		out->n = start;
		kb_buf_add(out, composed, (size_t)n);
	}
	free(composed);
}

void kb_clean(struct kb_buf *out, struct kb_sv text, enum kb_clean_mode mode)
{
	size_t start = out->n, line = out->n;
	uint32_t before = 0;
	bool blank = false, to_compose = false;

	while (text.n) {
		uint32_t cp;
		size_t n = 1, plain = 0;

		/* The ordinary case first: a run of visible ASCII. */
		while (plain < text.n && (unsigned char)text.p[plain] > ' '
		       && (unsigned char)text.p[plain] < 0x7f)
			plain++;
		if (plain) {
			if (blank)
				kb_buf_byte(out, ' ');
			blank = false;
			kb_buf_add(out, text.p, plain);
			before = (unsigned char)text.p[plain - 1];
			text = kb_sv_from(text, plain);
			continue;
		}
		plain = escape(text);
		if (plain) {
			text = kb_sv_from(text, plain);
			continue;
		}
		n = kb_utf8_decode(text, &cp);
		switch (cp == KB_UTF8_BAD ? KEEP : action_of(cp, before)) {
		case DROP:
			break;
		case LINE:
			before = ' ';
			if (mode == KB_CLEAN_LINE) {
				blank = out->n > start;
				break;
			}
			if (cp == '\r' && text.n > 1 && text.p[1] == '\n')
				n = 2;
			trim_end(out, line);
			kb_buf_byte(out, '\n');
			line = out->n;
			break;
		case BLANK:
			before = ' ';
			if (mode == KB_CLEAN_LINE)
				blank = out->n > start;
			else
				add_blanks(out, cp == '\t' ? TAB_BLANKS : 1);
			break;
		case KEEP:
			if (blank)
				kb_buf_byte(out, ' ');
			blank = false;
			if (cp == KB_UTF8_BAD)
				kb_buf_str(out, "\xef\xbf\xbd");
			else
				kb_buf_add(out, text.p, n);
			to_compose |= may_compose(cp);
			before = cp == KB_UTF8_BAD ? ' ' : cp;
			break;
		}
		text = kb_sv_from(text, n);
	}
	if (mode == KB_CLEAN_CODE) {
		size_t first = start;

		trim_end(out, line);
		while (out->n > start && out->p[out->n - 1] == '\n') {
			out->n--;
			trim_end(out, start);
		}
		/* Blank lines at the start; the first line keeps its indentation. */
		for (size_t i = start; i < out->n && (out->p[i] == ' ' || out->p[i] == '\n'); i++)
			if (out->p[i] == '\n')
				first = i + 1;
		if (first > start) {
			memmove(out->p + start, out->p + first, out->n - first);
			out->n -= first - start;
		}
	}
	if (to_compose)
		compose(out, start);
}

bool kb_clean_is(struct kb_sv text, bool lines)
{
	while (text.n) {
		uint32_t cp;
		size_t n = kb_utf8_decode(text, &cp);
		/* Composition may have changed what stands before a joiner, so they pass anywhere.
		 */
		enum action action = cp == KB_UTF8_BAD ? DROP : action_of(cp, JOINED);

		if (action == DROP || (action == LINE && !(lines && cp == '\n')))
			return false;
		text = kb_sv_from(text, n);
	}
	return true;
}
