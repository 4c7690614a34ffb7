#include "base/utf8.h"

#include <string.h>

/* Only the byte behind the first has other bounds than 80 to bf, and only for four first bytes:
 * what is overlong, a surrogate or above U+10FFFF shows there (Unicode 3.9, table 3-7). So a
 * sequence is given up at its first byte that fits no character, which is where its maximal part
 * ends. */
size_t kb_utf8_decode(struct kb_sv text, uint32_t *cp)
{
	const unsigned char *p = (const unsigned char *)text.p;
	unsigned char c = p[0], low = 0x80, high = 0xbf;
	uint32_t value;
	size_t need;

	if (c < 0x80) {
		*cp = c;
		return 1;
	}
	*cp = KB_UTF8_BAD;
	if (c >= 0xc2 && c <= 0xdf) {
		need = 1;
		value = c & 0x1f;
	} else if (c >= 0xe0 && c <= 0xef) {
		need = 2;
		value = c & 0x0f;
		if (c == 0xe0)
			low = 0xa0; /* overlong */
		if (c == 0xed)
			high = 0x9f; /* surrogates */
	} else if (c >= 0xf0 && c <= 0xf4) {
		need = 3;
		value = c & 0x07;
		if (c == 0xf0)
			low = 0x90;
		if (c == 0xf4)
			high = 0x8f; /* above U+10FFFF */
	} else {
		return 1;
	}
	for (size_t i = 1; i <= need; i++) {
		if (i >= text.n || p[i] < low || p[i] > high)
			return i;
		value = value << 6 | (p[i] & 0x3f);
		low = 0x80;
		high = 0xbf;
	}
	*cp = value;
	return need + 1;
}

size_t kb_utf8_encode(uint32_t cp, char out[4])
{
	if (cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		cp = 0xfffd;
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

/* The bytes before the first ill-formed sequence. */
static size_t valid_part(struct kb_sv text)
{
	size_t i = 0;
	uint32_t cp;

	while (i < text.n) {
		uint64_t eight;
		size_t n;

		/* Most text is ASCII, of which no byte has its top bit. */
		if (i + 8 <= text.n) {
			memcpy(&eight, text.p + i, 8);
			if (!(eight & UINT64_C(0x8080808080808080))) {
				i += 8;
				continue;
			}
		}
		n = kb_utf8_decode(kb_sv_from(text, i), &cp);
		if (cp == KB_UTF8_BAD)
			return i;
		i += n;
	}
	return i;
}

bool kb_utf8_valid(struct kb_sv text)
{
	return valid_part(text) == text.n;
}

struct kb_sv kb_utf8_mend(struct kb_arena *arena, struct kb_sv text)
{
	size_t good = valid_part(text), n = good;
	char *out;
	uint32_t cp;

	if (good == text.n)
		return text;
	/* A bad part of a byte becomes U+FFFD, of three. */
	out = kb_arena_bytes(arena, good + (text.n - good) * 3 + 1);
	memcpy(out, text.p, good);
	for (size_t i = good; i < text.n;) {
		i += kb_utf8_decode(kb_sv_from(text, i), &cp);
		n += kb_utf8_encode(cp, out + n);
	}
	out[n] = '\0';
	return kb_sv(out, n);
}

size_t kb_utf8_count(struct kb_sv text)
{
	size_t count = 0;
	uint32_t cp;

	for (size_t i = 0; i < text.n; count++)
		i += kb_utf8_decode(kb_sv_from(text, i), &cp);
	return count;
}

struct kb_sv kb_utf8_head(struct kb_sv text, size_t n)
{
	size_t i = 0;
	uint32_t cp;

	for (; i < text.n && n; n--)
		i += kb_utf8_decode(kb_sv_from(text, i), &cp);
	return kb_sv(text.p, i);
}

struct kb_sv kb_utf8_cut(struct kb_sv text, size_t max)
{
	if (text.n <= max)
		return text;
	/* Back from the byte behind the cut to one that begins a character. */
	while (max && ((unsigned char)text.p[max] & 0xc0) == 0x80)
		max--;
	return kb_sv(text.p, max);
}

/* C0 and C1; marks of direction and line ends; the word joiner and its invisible kin; the byte
 * order mark; annotations; tags. U+200C and U+200D are joiners, and none. */
static bool is_control(uint32_t cp)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		// clang-format off
		{ 0x00, 0x1f },       { 0x7f, 0x9f },
		{ 0x200e, 0x200f },   { 0x2028, 0x202e }, { 0x2060, 0x206f },
		{ 0xfeff, 0xfeff },   { 0xfff9, 0xfffb },
		{ 0xe0000, 0xe007f },
		// clang-format on
	};

	for (size_t i = 0; i < KB_COUNTOF(ranges); i++)
		if (cp >= ranges[i].first && cp <= ranges[i].last)
			return true;
	return false;
}

bool kb_utf8_has_control(struct kb_sv text)
{
	uint32_t cp;

	for (size_t i = 0; i < text.n;) {
		i += kb_utf8_decode(kb_sv_from(text, i), &cp);
		if (is_control(cp))
			return true;
	}
	return false;
}

struct kb_sv kb_utf8_line(struct kb_arena *arena, struct kb_sv text, size_t n)
{
	/* A bad part of a byte may become three. */
	char *out = kb_arena_bytes(arena, text.n * 3 + 1);
	size_t count = 0, length = 0;
	bool space = false;
	uint32_t cp;

	for (size_t i = 0; i < text.n;) {
		i += kb_utf8_decode(kb_sv_from(text, i), &cp);
		if (cp == ' ' || cp == 0xa0 || is_control(cp)) {
			space = count > 0;
			continue;
		}
		if (count + space >= n)
			break;
		if (space)
			out[length++] = ' ';
		count += 1 + space;
		space = false;
		length += kb_utf8_encode(cp, out + length);
	}
	return kb_sv(out, length);
}
