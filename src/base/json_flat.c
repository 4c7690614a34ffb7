#include "base/json_flat.h"

#include "base/utf8.h"

enum {
	NAMES_MAX = 16, /* members of one object; double ones are looked for among them */
	DIGITS_MAX = 18,
};

struct reader {
	struct kb_arena *arena;
	const char *p, *end;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool take(struct reader *r, char c)
{
	while (r->p < r->end && is_blank(*r->p))
		r->p++;
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

/* The next quote, backslash or control character from p on; *high: bytes before it are not ASCII.
 * Eight bytes are looked at together: the tests set the top bit of a byte that passes them, and
 * perhaps of later ones, which the loop over single bytes puts right. */
static const char *skip_plain(const char *p, const char *end, bool *high)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
	uint64_t all = 0;

	for (; end - p >= 8; p += 8) {
		uint64_t word, quote, slash;

		memcpy(&word, p, sizeof(word));
		quote = word ^ ones * '"';
		slash = word ^ ones * '\\';
		if (((quote - ones) & ~quote & tops) | ((slash - ones) & ~slash & tops)
		    | ((word - ones * ' ') & ~word & tops))
			break;
		all |= word;
	}
	*high |= (all & tops) != 0;
	for (; p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= ' '; p++)
		*high |= (unsigned char)*p >= 0x80;
	return p;
}

static bool read_hex(struct reader *r, uint32_t *out)
{
	*out = 0;
	if (r->end - r->p < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		char c = *r->p++;

		if (c >= '0' && c <= '9')
			*out = *out << 4 | (uint32_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			*out = *out << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
		else
			return false;
	}
	return true;
}

/* \u and what follows; characters above U+FFFF are two of them. */
static bool read_unicode(struct reader *r, uint32_t *cp)
{
	uint32_t low;

	if (!read_hex(r, cp) || *cp == 0)
		return false;
	if (*cp < 0xd800 || *cp > 0xdfff)
		return true;
	if (*cp >= 0xdc00 || r->end - r->p < 2 || r->p[0] != '\\' || r->p[1] != 'u')
		return false;
	r->p += 2;
	if (!read_hex(r, &low) || low < 0xdc00 || low > 0xdfff)
		return false;
	*cp = 0x10000 + ((*cp - 0xd800) << 10 | (low - 0xdc00));
	return true;
}

/* What follows a backslash; returns the bytes written to out, 0: malformed. */
static size_t read_escape(struct reader *r, char out[4])
{
	static const char from[] = "\"\\/nrtbf", to[] = "\"\\/\n\r\t\b\f";
	const char *at;
	uint32_t cp;

	if (r->p == r->end)
		return 0;
	if (*r->p == 'u') {
		r->p++;
		return read_unicode(r, &cp) ? kb_utf8_encode(cp, out) : 0;
	}
	at = *r->p ? strchr(from, *r->p) : NULL;
	if (!at)
		return 0;
	r->p++;
	out[0] = to[at - from];
	return 1;
}

/* After the opening quote. An escape never takes less than what it stands for. */
static bool read_string(struct reader *r, struct kb_sv *out)
{
	const char *start = r->p;
	bool high = false;
	char *copy;
	size_t n;

	r->p = skip_plain(start, r->end, &high);
	if (r->p == r->end || (unsigned char)*r->p < ' ')
		return false;
	if (*r->p == '"') {
		*out = kb_sv(start, (size_t)(r->p++ - start));
		return !high || kb_utf8_valid(*out);
	}
	copy = kb_arena_bytes(r->arena, (size_t)(r->end - start));
	n = 0;
	for (;;) {
		size_t plain = (size_t)(r->p - start), written;

		memcpy(copy + n, start, plain);
		n += plain;
		if (r->p == r->end || (unsigned char)*r->p < ' ')
			return false;
		if (*r->p++ == '"')
			break;
		written = read_escape(r, copy + n);
		if (!written)
			return false;
		n += written;
		start = r->p;
		r->p = skip_plain(start, r->end, &high);
	}
	*out = kb_sv(copy, n);
	return !high || kb_utf8_valid(*out);
}

static bool read_number(struct reader *r, struct kb_sv *out)
{
	const char *start = r->p;

	while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
		r->p++;
	*out = kb_sv(start, (size_t)(r->p - start));
	if (!out->n || out->n > DIGITS_MAX || (out->n > 1 && *start == '0'))
		return false;
	return r->p < r->end && (is_blank(*r->p) || *r->p == ',' || *r->p == '}');
}

static bool read_member(struct reader *r, struct kb_sv *names, size_t *name_count,
                        struct kb_json_member *members, size_t count)
{
	struct kb_sv name, value;
	bool number;

	if (!take(r, '"') || !read_string(r, &name) || *name_count == NAMES_MAX)
		return false;
	for (size_t i = 0; i < *name_count; i++)
		if (kb_sv_eq(names[i], name))
			return false;
	names[(*name_count)++] = name;
	if (!take(r, ':'))
		return false;
	number = !take(r, '"'); /* which has skipped the blanks */
	if (number ? !read_number(r, &value) : !read_string(r, &value))
		return false;
	for (size_t i = 0; i < count; i++)
		if (kb_sv_eq_str(name, members[i].name)) {
			members[i].value = value;
			members[i].found = true;
			members[i].number = number;
		}
	return true;
}

bool kb_json_flat(struct kb_arena *arena, struct kb_sv text, struct kb_json_member *members,
                  size_t count)
{
	struct reader r = { arena, text.p, text.p + text.n };
	struct kb_sv names[NAMES_MAX];
	size_t name_count = 0;

	for (size_t i = 0; i < count; i++)
		members[i] = (struct kb_json_member){ .name = members[i].name };
	if (!text.n || !take(&r, '{'))
		return false;
	if (!take(&r, '}')) {
		do
			if (!read_member(&r, names, &name_count, members, count))
				return false;
		while (take(&r, ','));
		if (!take(&r, '}'))
			return false;
	}
	while (r.p < r.end && is_blank(*r.p))
		r.p++;
	return r.p == r.end;
}
