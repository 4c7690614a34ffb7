#include "base/sv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct kb_sv kb_sv_str(const char *s)
{
	return (struct kb_sv){ s ? s : "", s ? strlen(s) : 0 };
}

bool kb_sv_eq_str(struct kb_sv a, const char *b)
{
	return kb_sv_eq(a, kb_sv_str(b));
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool kb_sv_ieq(struct kb_sv a, struct kb_sv b)
{
	return a.n == b.n && kb_sv_istarts(a, b);
}

bool kb_sv_ieq_str(struct kb_sv a, const char *b)
{
	return kb_sv_ieq(a, kb_sv_str(b));
}

bool kb_sv_istarts(struct kb_sv text, struct kb_sv prefix)
{
	if (text.n < prefix.n)
		return false;
	for (size_t i = 0; i < prefix.n; i++)
		if (lower(text.p[i]) != lower(prefix.p[i]))
			return false;
	return true;
}

bool kb_sv_ends(struct kb_sv text, struct kb_sv suffix)
{
	return text.n >= suffix.n && kb_sv_eq(kb_sv_from(text, text.n - suffix.n), suffix);
}

int kb_sv_cmp(struct kb_sv a, struct kb_sv b)
{
	size_t n = KB_MIN(a.n, b.n);
	int order = n ? memcmp(a.p, b.p, n) : 0;

	if (order)
		return order;
	return a.n < b.n ? -1 : a.n > b.n;
}

ptrdiff_t kb_sv_find(struct kb_sv text, struct kb_sv needle)
{
	const char *at;

	if (needle.n == 0)
		return 0;
	if (text.n == 0)
		return -1;
	at = memmem(text.p, text.n, needle.p, needle.n);
	return at ? at - text.p : -1;
}

bool kb_sv_in_list(struct kb_sv list, struct kb_sv word)
{
	char needle[98];

	if (!list.n || !word.n || word.n + 2 > sizeof(needle))
		return false;
	needle[0] = ' ';
	memcpy(needle + 1, word.p, word.n);
	needle[word.n + 1] = ' ';
	return memmem(list.p, list.n, needle, word.n + 2) != NULL;
}

ptrdiff_t kb_sv_find_byte(struct kb_sv text, char byte)
{
	const char *at = text.n ? memchr(text.p, byte, text.n) : NULL;

	return at ? at - text.p : -1;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct kb_sv kb_sv_trim(struct kb_sv text)
{
	while (text.n && is_blank(text.p[0]))
		text = kb_sv_from(text, 1);
	while (text.n && is_blank(text.p[text.n - 1]))
		text.n--;
	return text;
}

bool kb_sv_split(struct kb_sv *rest, char separator, struct kb_sv *part)
{
	ptrdiff_t at;

	if (!rest->p)
		return false;
	at = kb_sv_find_byte(*rest, separator);
	if (at < 0) {
		*part = *rest;
		*rest = (struct kb_sv){ 0 };
		return true;
	}
	*part = kb_sv_sub(*rest, 0, (size_t)at);
	*rest = kb_sv_from(*rest, (size_t)at + 1);
	return true;
}

bool kb_sv_to_int(struct kb_sv text, int64_t min, int64_t max, int64_t *n)
{
	bool negative = text.n && text.p[0] == '-';
	int64_t value = 0;
	size_t i = negative;

	if (i == text.n)
		return false;
	for (; i < text.n; i++) {
		int digit = text.p[i] - '0';

		if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value)
		    || __builtin_sub_overflow(value, digit, &value))
			return false; /* built as a negative number: INT64_MIN fits, its opposite
			                 not */
	}
	if (!negative && __builtin_sub_overflow((int64_t)0, value, &value))
		return false;
	if (value < min || value > max)
		return false;
	*n = value;
	return true;
}

bool kb_sv_to_double(struct kb_sv text, double *n)
{
	char copy[64];
	char *end;
	double value;

	if (text.n == 0 || text.n >= sizeof(copy))
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (!strchr("0123456789+-.eE", text.p[i]) || text.p[i] == '\0')
			return false;
	memcpy(copy, text.p, text.n);
	copy[text.n] = '\0';
	value = strtod(copy, &end);
	if (*end || !isfinite(value))
		return false;
	*n = value;
	return true;
}
