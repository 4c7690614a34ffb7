#include "base/field.h"

int kb_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool kb_percent_decode(struct kb_arena *arena, struct kb_sv text, struct kb_sv *out)
{
	char *to, *copy;

	*out = text;
	if (kb_sv_find_byte(text, '%') < 0)
		return true;
	copy = to = kb_arena_bytes(arena, text.n + 1);
	for (size_t i = 0; i < text.n; i++) {
		int high, low;

		if (text.p[i] != '%') {
			*to++ = text.p[i];
			continue;
		}
		if (text.n - i < 3)
			return false;
		high = kb_hex_digit(text.p[i + 1]);
		low = kb_hex_digit(text.p[i + 2]);
		if (high < 0 || low < 0 || high + low == 0)
			return false;
		*to++ = (char)(high * 16 + low);
		i += 2;
	}
	*to = '\0';
	*out = kb_sv(copy, (size_t)(to - copy));
	return true;
}

struct kb_sv kb_percent_encode(struct kb_arena *arena, struct kb_sv text, const char *kept)
{
	static const char digits[] = "0123456789ABCDEF";
	char *out = kb_arena_bytes(arena, 3 * text.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
		    || (c && (strchr("-._~", c) || strchr(kept, c)))) {
			out[n++] = (char)c;
		} else {
			out[n++] = '%';
			out[n++] = digits[c >> 4];
			out[n++] = digits[c & 15];
		}
	}
	return kb_sv(out, n);
}

struct kb_sv kb_media_type(struct kb_sv content_type)
{
	ptrdiff_t at = kb_sv_find_byte(content_type, ';');

	return kb_sv_trim(at < 0 ? content_type : kb_sv_sub(content_type, 0, (size_t)at));
}

/* Reads a quoted string at *at, which is behind its opening quote. Only \" and \\ are escapes:
 * some browsers send paths with single backslashes. */
static struct kb_sv read_quoted(struct kb_arena *arena, struct kb_sv text, size_t *at)
{
	char *copy = kb_arena_bytes(arena, text.n - *at + 1);
	size_t n = 0, i = *at;

	for (; i < text.n && text.p[i] != '"'; i++) {
		if (text.p[i] == '\\' && i + 1 < text.n
		    && (text.p[i + 1] == '"' || text.p[i + 1] == '\\'))
			i++;
		copy[n++] = text.p[i];
	}
	copy[n] = '\0';
	*at = KB_MIN(i + 1, text.n);
	return kb_sv(copy, n);
}

struct kb_sv kb_field_param(struct kb_arena *arena, struct kb_sv value, const char *name)
{
	size_t at = 0;

	while (at < value.n && value.p[at] != ';')
		at++;
	while (at < value.n) {
		struct kb_sv key, found;
		size_t from;

		while (at < value.n
		       && (value.p[at] == ';' || value.p[at] == ' ' || value.p[at] == '\t'))
			at++;
		for (from = at; at < value.n && value.p[at] != '=' && value.p[at] != ';';)
			at++;
		key = kb_sv_trim(kb_sv_sub(value, from, at - from));
		if (at == value.n || value.p[at] == ';')
			continue;
		at++;
		while (at < value.n && (value.p[at] == ' ' || value.p[at] == '\t'))
			at++;
		if (at < value.n && value.p[at] == '"') {
			at++;
			found = read_quoted(arena, value, &at);
		} else {
			for (from = at; at < value.n && value.p[at] != ';';)
				at++;
			found = kb_sv_trim(kb_sv_sub(value, from, at - from));
		}
		if (kb_sv_ieq_str(key, name))
			return found;
		while (at < value.n && value.p[at] != ';')
			at++;
	}
	return kb_sv(NULL, 0);
}
