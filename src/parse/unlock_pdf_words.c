#include "parse/unlock_pdf_words.h"

#include <string.h>

/* ---- words ---- */

bool kb_pdf_is_white(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\0';
}

static bool is_regular(char c)
{
	return !kb_pdf_is_white(c) && kb_sv_find_byte(KB_SV("()<>[]{}/%"), c) < 0;
}

static size_t skip_white(struct kb_sv bytes, size_t at)
{
	while (at < bytes.n && (kb_pdf_is_white(bytes.p[at]) || bytes.p[at] == '%'))
		if (bytes.p[at] == '%')
			while (at < bytes.n && bytes.p[at] != '\n' && bytes.p[at] != '\r')
				at++;
		else
			at++;
	return at;
}

/* Behind a "(…)" that begins there. */
static size_t end_of_literal(struct kb_sv bytes, size_t at)
{
	size_t depth = 0;

	for (; at < bytes.n; at++) {
		if (bytes.p[at] == '\\')
			at++;
		else if (bytes.p[at] == '(')
			depth++;
		else if (bytes.p[at] == ')' && --depth == 0)
			return at + 1;
	}
	return bytes.n;
}

static enum kb_pdf_kind kind_of(struct kb_sv word)
{
	for (size_t i = 0; i < word.n; i++)
		if (kb_sv_find_byte(KB_SV("0123456789+-."), word.p[i]) < 0)
			return KB_PDF_WORD;
	return KB_PDF_NUMBER;
}

struct kb_pdf_token kb_pdf_next(struct kb_sv bytes, size_t at)
{
	static const struct {
		const char *text;
		enum kb_pdf_kind kind;
	} marks[] = { { "<<", KB_PDF_OPEN_DICT },
		      { ">>", KB_PDF_CLOSE_DICT },
		      { "[", KB_PDF_OPEN_ARRAY },
		      { "]", KB_PDF_CLOSE_ARRAY } };
	struct kb_pdf_token t = { .start = skip_white(bytes, at) };
	struct kb_sv rest = kb_sv_from(bytes, t.start);

	t.end = t.start;
	if (!rest.n)
		return t;
	for (size_t i = 0; i < KB_COUNTOF(marks); i++)
		if (kb_sv_starts(rest, kb_sv_str(marks[i].text))) {
			t.kind = marks[i].kind;
			t.end += strlen(marks[i].text);
			return t;
		}
	if (*rest.p == '(') {
		t.kind = KB_PDF_LITERAL;
		t.end = end_of_literal(bytes, t.start);
	} else if (*rest.p == '<') {
		ptrdiff_t close = kb_sv_find_byte(rest, '>');

		t.kind = KB_PDF_HEX;
		t.end = close < 0 ? bytes.n : t.start + (size_t)close + 1;
	} else {
		t.end++;
		while ((*rest.p == '/' || is_regular(*rest.p)) && t.end < bytes.n
		       && is_regular(bytes.p[t.end]))
			t.end++;
		t.kind = *rest.p == '/' ? KB_PDF_NAME
		                        : kind_of(kb_sv_sub(bytes, t.start, t.end - t.start));
	}
	return t;
}

struct kb_sv kb_pdf_text(struct kb_sv bytes, struct kb_pdf_token t)
{
	return kb_sv_sub(bytes, t.start, t.end - t.start);
}

bool kb_pdf_is(struct kb_sv bytes, struct kb_pdf_token t, const char *text)
{
	return kb_sv_eq_str(kb_pdf_text(bytes, t), text);
}

bool kb_pdf_number(struct kb_sv bytes, struct kb_pdf_token t, int64_t *n)
{
	return t.kind == KB_PDF_NUMBER
	       && kb_sv_to_int(kb_pdf_text(bytes, t), INT32_MIN, UINT32_MAX, n);
}

/* Behind the value that begins there: a word, what is between brackets, or "12 0 R". */
size_t kb_pdf_skip(struct kb_sv bytes, size_t at)
{
	struct kb_pdf_token t = kb_pdf_next(bytes, at), second, third;
	size_t depth = 0;

	if (t.kind == KB_PDF_NUMBER) {
		second = kb_pdf_next(bytes, t.end);
		third = kb_pdf_next(bytes, second.end);
		return second.kind == KB_PDF_NUMBER && kb_pdf_is(bytes, third, "R") ? third.end
		                                                                    : t.end;
	}
	for (;; t = kb_pdf_next(bytes, t.end)) {
		depth += t.kind == KB_PDF_OPEN_DICT || t.kind == KB_PDF_OPEN_ARRAY;
		if (t.kind == KB_PDF_END
		    || ((t.kind == KB_PDF_CLOSE_DICT || t.kind == KB_PDF_CLOSE_ARRAY) && !depth))
			return t.start;
		depth -= t.kind == KB_PDF_CLOSE_DICT || t.kind == KB_PDF_CLOSE_ARRAY;
		if (!depth)
			return t.end;
	}
}

bool kb_pdf_find(struct kb_sv bytes, size_t at, const char *name, struct kb_pdf_member *out)
{
	struct kb_pdf_token t = kb_pdf_next(bytes, at);

	if (t.kind != KB_PDF_OPEN_DICT)
		return false;
	for (t = kb_pdf_next(bytes, t.end); t.kind == KB_PDF_NAME;
	     t = kb_pdf_next(bytes, out->end)) {
		*out = (struct kb_pdf_member){ .key = t.start,
			                       .start = kb_pdf_next(bytes, t.end).start,
			                       .end = kb_pdf_skip(bytes, t.end) };
		if (kb_pdf_is(bytes, t, name))
			return true;
	}
	return false;
}

bool kb_pdf_find_number(struct kb_sv bytes, size_t at, const char *name, int64_t *n)
{
	struct kb_pdf_member m;

	return kb_pdf_find(bytes, at, name, &m)
	       && kb_pdf_number(bytes, kb_pdf_next(bytes, m.start), n);
}

struct kb_sv kb_pdf_find_text(struct kb_sv bytes, size_t at, const char *name)
{
	struct kb_pdf_member m;

	return kb_pdf_find(bytes, at, name, &m) ? kb_sv_sub(bytes, m.start, m.end - m.start)
	                                        : KB_SV("");
}

/* ---- strings ---- */

static int digit_of(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                              : -1;
}

static void decode_hex(struct kb_buf *out, struct kb_sv text)
{
	int high = -1;

	for (size_t i = 0; i < text.n; i++) {
		int digit = digit_of(text.p[i]);

		if (digit < 0)
			continue;
		if (high >= 0)
			kb_buf_byte(out, (char)(high * 16 + digit));
		high = high < 0 ? digit : -1;
	}
	if (high >= 0)
		kb_buf_byte(out, (char)(high * 16));
}

/* The escape behind the backslash at text.p[i]; where it ends. */
static size_t decode_escape(struct kb_buf *out, struct kb_sv text, size_t i)
{
	static const char names[] = "nrtbf", codes[] = "\n\r\t\b\f";
	char c = i + 1 < text.n ? text.p[i + 1] : '\\';
	const char *name = memchr(names, c, sizeof(names) - 1);
	unsigned octal = 0;
	size_t n = 0;

	for (; n < 3 && i + 1 + n < text.n && text.p[i + 1 + n] >= '0' && text.p[i + 1 + n] <= '7';
	     n++)
		octal = octal * 8 + (unsigned)(text.p[i + 1 + n] - '0');
	if (n) {
		kb_buf_byte(out, (char)octal);
		return i + n;
	}
	if (c == '\r' && i + 2 < text.n && text.p[i + 2] == '\n')
		return i + 2;
	if (name)
		kb_buf_byte(out, codes[name - names]);
	else if (c != '\n' && c != '\r')
		kb_buf_byte(out, c);
	return i + 1;
}

static void decode_literal(struct kb_buf *out, struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\\') {
			i = decode_escape(out, text, i);
		} else if (text.p[i] == '\r') {
			kb_buf_byte(out, '\n');
			i += i + 1 < text.n && text.p[i + 1] == '\n';
		} else {
			kb_buf_byte(out, text.p[i]);
		}
}

/* What a string stands for: "(…)" or "<…>". */
void kb_pdf_decode(struct kb_buf *out, struct kb_sv text)
{
	struct kb_sv within = text.n > 1 ? kb_sv_sub(text, 1, text.n - 2) : KB_SV("");

	if (kb_sv_starts(text, KB_SV("(")))
		decode_literal(out, within);
	else if (kb_sv_starts(text, KB_SV("<")))
		decode_hex(out, within);
}

static bool is_balanced(struct kb_sv text)
{
	size_t depth = 0;

	for (size_t i = 0; i < text.n; i++) {
		depth += text.p[i] == '(';
		if (text.p[i] == ')' && depth-- == 0)
			return false;
	}
	return depth == 0;
}

/* Writes it as a string of at most so many bytes, filled up with blanks; what has no room is left
 * out. */
void kb_pdf_encode(struct kb_sv text, char *out, size_t room)
{
	const char *escaped = is_balanced(text) ? "\\\r" : "\\\r()";
	size_t n = 0;

	out[n++] = '(';
	for (size_t i = 0; i < text.n; i++) {
		bool escape = text.p[i] && strchr(escaped, text.p[i]);

		if (n + escape + 2 > room)
			break;
		if (escape)
			out[n++] = '\\';
		out[n++] = escape && text.p[i] == '\r' ? 'r' : text.p[i];
	}
	out[n++] = ')';
	memset(out + n, ' ', room - n);
}
