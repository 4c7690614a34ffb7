/*
 * String views: text that came from somewhere, with its length and without a terminator.
 *
 * A view owns nothing; whoever hands it out says how long the bytes live. All functions are pure
 * and may be called from any thread.
 */
#ifndef KB_BASE_SV_H
#define KB_BASE_SV_H

#include <string.h>

#include "base/common.h"

struct kb_sv {
	const char *p;
	size_t n;
};

/* Of a literal; also usable in initializers as KB_SV_INIT. */
#define KB_SV(literal) ((struct kb_sv){ "" literal, sizeof(literal) - 1 })
#define KB_SV_INIT(literal)                                                                        \
	{                                                                                          \
		"" literal, sizeof(literal) - 1                                                    \
	}
/* For printf("%.*s"). */
#define KB_SV_ARG(sv) (int)KB_MIN((sv).n, (size_t)INT32_MAX), (sv).p

static inline struct kb_sv kb_sv(const char *p, size_t n)
{
	return (struct kb_sv){ p, n };
}
struct kb_sv kb_sv_str(const char *s); /* NULL gives the empty view */

static inline bool kb_sv_eq(struct kb_sv a, struct kb_sv b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
bool kb_sv_eq_str(struct kb_sv a, const char *b);
bool kb_sv_ieq(struct kb_sv a, struct kb_sv b); /* ASCII letters without case */
bool kb_sv_ieq_str(struct kb_sv a, const char *b);
static inline bool kb_sv_starts(struct kb_sv text, struct kb_sv prefix)
{
	return text.n >= prefix.n && (prefix.n == 0 || memcmp(text.p, prefix.p, prefix.n) == 0);
}
bool kb_sv_istarts(struct kb_sv text, struct kb_sv prefix);
bool kb_sv_ends(struct kb_sv text, struct kb_sv suffix);
int kb_sv_cmp(struct kb_sv a, struct kb_sv b); /* bytewise, like memcmp */

/* Place of the first occurrence, or -1. */
ptrdiff_t kb_sv_find(struct kb_sv text, struct kb_sv needle);
ptrdiff_t kb_sv_find_byte(struct kb_sv text, char byte);

/* From byte `from` on, at most n bytes; both are clipped to the text. */
static inline struct kb_sv kb_sv_sub(struct kb_sv text, size_t from, size_t n)
{
	if (from > text.n)
		from = text.n;
	if (!from) /* nothing may be added to a view of nothing, not even nothing */
		return kb_sv(text.p, KB_MIN(n, text.n));
	return kb_sv(text.p + from, KB_MIN(n, text.n - from));
}
static inline struct kb_sv kb_sv_from(struct kb_sv text, size_t from)
{
	return kb_sv_sub(text, from, text.n);
}

/* Whether the word is one of a list that has a blank before and behind each: " a an the ". No
 * word is longer than 96 bytes. */
bool kb_sv_in_list(struct kb_sv list, struct kb_sv word);

/* Without ASCII blanks, tabs and line ends at both ends. */
struct kb_sv kb_sv_trim(struct kb_sv text);

/* Takes the part before the next `separator` from *rest; false once *rest is used up. "a,,b" gives
 * "a", "" and "b"; a text that ends with the separator gives a last empty part. Start with
 * rest->p != NULL. */
bool kb_sv_split(struct kb_sv *rest, char separator, struct kb_sv *part);

/* Decimal integer, the whole of it: an optional '-', digits, nothing else. false (and *n untouched)
 * when it is malformed or outside min..max. */
bool kb_sv_to_int(struct kb_sv text, int64_t min, int64_t max, int64_t *n) KB_MUST_CHECK;
/* Decimal number as strtod reads it without hexadecimal, infinity and NaN. */
bool kb_sv_to_double(struct kb_sv text, double *n) KB_MUST_CHECK;

#endif
