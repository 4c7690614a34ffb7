/* Character kinds and folding, from utf8proc's tables and a few ranges of our own. */
#include "index/unicode.h"

#include <utf8proc.h>

#include "base/utf8.h"

struct range {
	uint32_t first, last;
};

static bool within(const struct range *ranges, size_t count, uint32_t cp)
{
	for (size_t i = 0; i < count; i++)
		if (cp >= ranges[i].first && cp <= ranges[i].last)
			return true;
	return false;
}

/* The common ones first: the search is linear. */
static const struct range cjk[] = {
	{ 0x4e00, 0x9fff },   { 0x3041, 0x3096 }, { 0x30a1, 0x30fa }, { 0x30fc, 0x30ff },
	{ 0xac00, 0xd7a3 },   { 0x3400, 0x4dbf }, { 0x3005, 0x3007 }, { 0x3021, 0x3029 },
	{ 0x3031, 0x3035 },   { 0x3099, 0x309a }, { 0x309d, 0x309f }, { 0x3105, 0x312f },
	{ 0x3131, 0x318e },   { 0x31a0, 0x31bf }, { 0x31f0, 0x31ff }, { 0x1100, 0x11ff },
	{ 0xa960, 0xa97c },   { 0xd7b0, 0xd7fb }, { 0xf900, 0xfaff }, { 0xff66, 0xffdc },
	{ 0x20000, 0x3ffff },
};

/* Thai and Lao, Burmese with its extensions, Khmer. */
static const struct range sea[] = {
	{ 0x0e01, 0x0eff }, { 0x1000, 0x109f }, { 0x1780, 0x17ff },
	{ 0xa9e0, 0xa9ff }, { 0xaa60, 0xaa7f },
};

/* Soft hyphen, joiners, the word joiner, variation selectors, signs drawn around a character, the
 * byte order mark. */
static const struct range ignored[] = {
	{ 0x00ad, 0x00ad }, { 0x200c, 0x200d }, { 0x2060, 0x2060 },   { 0xfe00, 0xfe0f },
	{ 0x20d0, 0x20ff }, { 0xfeff, 0xfeff }, { 0xe0100, 0xe01ef },
};

enum kb_char_kind kb_char_kind(uint32_t cp)
{
	if (cp < 0x80) {
		if (cp >= '0' && cp <= '9')
			return KB_CHAR_DIGIT;
		return (cp | 0x20) >= 'a' && (cp | 0x20) <= 'z' ? KB_CHAR_LETTER : KB_CHAR_BREAK;
	}
	if (cp > 0x10ffff)
		return KB_CHAR_BREAK;
	switch (utf8proc_category((utf8proc_int32_t)cp)) {
	case UTF8PROC_CATEGORY_ND:
	case UTF8PROC_CATEGORY_NL:
	case UTF8PROC_CATEGORY_NO:
		return cp >= 0x3005 && within(cjk, KB_COUNTOF(cjk), cp) ? KB_CHAR_CJK
		                                                        : KB_CHAR_DIGIT;
	case UTF8PROC_CATEGORY_LU:
	case UTF8PROC_CATEGORY_LL:
	case UTF8PROC_CATEGORY_LT:
		return KB_CHAR_LETTER;
	case UTF8PROC_CATEGORY_LM:
	case UTF8PROC_CATEGORY_LO:
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_MC:
	case UTF8PROC_CATEGORY_ME:
		if (cp < 0x0e01)
			return KB_CHAR_LETTER;
		if (within(cjk, KB_COUNTOF(cjk), cp))
			return KB_CHAR_CJK;
		if (within(sea, KB_COUNTOF(sea), cp))
			return KB_CHAR_SEA;
		return within(ignored, KB_COUNTOF(ignored), cp) ? KB_CHAR_IGNORED : KB_CHAR_LETTER;
	case UTF8PROC_CATEGORY_CF:
		return within(ignored, KB_COUNTOF(ignored), cp) ? KB_CHAR_IGNORED : KB_CHAR_BREAK;
	default:
		return KB_CHAR_BREAK;
	}
}

bool kb_char_joins(uint32_t before, uint32_t cp, int32_t *state)
{
	return !utf8proc_grapheme_break_stateful((utf8proc_int32_t)before, (utf8proc_int32_t)cp,
	                                         state);
}

bool kb_char_is_capital(uint32_t cp)
{
	utf8proc_category_t category;

	if (cp < 0x80)
		return cp >= 'A' && cp <= 'Z';
	category = utf8proc_category((utf8proc_int32_t)cp);
	return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LT;
}

bool kb_char_is_small(uint32_t cp)
{
	if (cp < 0x80)
		return cp >= 'a' && cp <= 'z';
	return utf8proc_category((utf8proc_int32_t)cp) == UTF8PROC_CATEGORY_LL;
}

uint32_t kb_char_lower(uint32_t cp)
{
	return (uint32_t)utf8proc_tolower((utf8proc_int32_t)cp);
}

/* 0 to 9 for the decimal digits of any script, else -1. */
static int digit_of(uint32_t cp)
{
	/* The zeros of the scripts whose digits people mix with ASCII ones. */
	static const uint32_t zeros[] = { '0',    0x0660, 0x06f0, 0x0966, 0x09e6, 0x0a66,
		                          0x0ae6, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50,
		                          0x0ed0, 0x1040, 0x17e0, 0xff10 };

	for (size_t i = 0; i < KB_COUNTOF(zeros); i++)
		if (cp >= zeros[i] && cp < zeros[i] + 10)
			return (int)(cp - zeros[i]);
	return -1;
}

/* kb_fold() of short ASCII text; false, with nothing done, for another. */
static bool fold_ascii(struct kb_sv text, char *out, size_t max, size_t *n)
{
	enum { SHORT = 128 };
	unsigned char all = 0;

	for (size_t i = 0; i < text.n; i++)
		all |= (unsigned char)text.p[i];
	if (all >= 0x80 || text.n > SHORT || text.n > max)
		return false;
	*n = 0;
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c >= 'A' && c <= 'Z')
			c |= 0x20;
		if (c == '.' || c == ',' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'))
			out[(*n)++] = c;
	}
	return true;
}

size_t kb_fold(struct kb_sv text, bool turkish, char *out, size_t max)
{
	/* A character decomposes into at most 18. */
	enum { LIMIT = 256, WIDEST = 18 };
	utf8proc_int32_t cps[LIMIT];
	size_t count = 0, n = 0;
	utf8proc_ssize_t composed;
	const utf8proc_option_t how = UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_STABLE;

	if (!turkish && fold_ascii(text, out, max, &n))
		return n;
	for (size_t i = 0; i < text.n && count + WIDEST <= LIMIT;) {
		uint32_t cp;
		int last = 0, digit;
		utf8proc_ssize_t got;

		i += kb_utf8_decode(kb_sv_from(text, i), &cp);
		if (cp == KB_UTF8_BAD || kb_char_kind(cp) == KB_CHAR_IGNORED)
			continue;
		if (turkish && cp == 'I')
			cp = 0x131;
		digit = digit_of(cp);
		if (digit >= 0)
			cp = '0' + (uint32_t)digit;
		if (cp < 0x80) {
			cps[count++] = (utf8proc_int32_t)cp;
			continue;
		}
		got = utf8proc_decompose_char((utf8proc_int32_t)cp, cps + count,
		                              (utf8proc_ssize_t)(LIMIT - count),
		                              UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE, &last);
		if (got > 0 && got <= (utf8proc_ssize_t)(LIMIT - count))
			count += (size_t)got;
	}
	/* Canonical order of marks; stable, as the standard wants it. */
	for (size_t i = 1; i < count; i++) {
		utf8proc_int32_t cp = cps[i];
		utf8proc_propval_t class = utf8proc_get_property(cp)->combining_class;
		size_t k = i;

		if (class == 0)
			continue;
		for (; k > 0; k--) {
			if (utf8proc_get_property(cps[k - 1])->combining_class <= class)
				break;
			cps[k] = cps[k - 1];
		}
		cps[k] = cp;
	}
	composed = utf8proc_normalize_utf32(cps, (utf8proc_ssize_t)count, how);
	for (utf8proc_ssize_t i = 0; i < composed; i++) {
		char bytes[4];
		size_t size;
		uint32_t cp = (uint32_t)cps[i];
		enum kb_char_kind kind = kb_char_kind(cp);

		/* What the compatibility form brings in besides letters, as in a fraction. */
		if (kind == KB_CHAR_BREAK && cp != '.' && cp != ',')
			continue;
		if (cp == 0x130) {
			cp = 'i';
		} else {
			cp = kb_char_lower(cp);
		}
		size = kb_utf8_encode(cp, bytes);
		if (n + size > max)
			break;
		for (size_t k = 0; k < size; k++)
			out[n++] = bytes[k];
	}
	return n;
}
