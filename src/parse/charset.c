/* Charset declarations, conversion by ICU, and the guess where nothing is declared. */
#include "parse/charset.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/ucnv.h>
#include <unicode/ucsdet.h>

#include "base/utf8.h"

enum {
	DECLARATION_BYTES = 4096, /* looked at for a declaration; the HTML standard says 1024 */
	DETECT_BYTES = 65536,     /* given to the detector */
	LABEL_MAX = 40,
	CYRILLIC_BYTES = 8192,
	CYRILLIC_LETTERS = 20, /* fewer tell nothing */
};

/* Labels that mean another encoding on the web than their name says (WHATWG Encoding), and names
 * ICU does not know. */
static const struct {
	const char *label, *icu;
} aliases[] = {
	{ "iso-8859-1", "windows-1252" },
	{ "iso8859-1", "windows-1252" },
	{ "latin1", "windows-1252" },
	{ "l1", "windows-1252" },
	{ "us-ascii", "windows-1252" },
	{ "ascii", "windows-1252" },
	{ "ansi", "windows-1252" },
	{ "iso-8859-9", "windows-1254" },
	{ "iso-8859-11", "windows-874" },
	{ "tis-620", "windows-874" },
	{ "gb2312", "gb18030" },
	{ "gbk", "gb18030" },
	{ "x-gbk", "gb18030" },
	{ "gb_2312-80", "gb18030" },
	{ "ks_c_5601-1987", "ms949" },
	{ "ks_c_5601", "ms949" },
	{ "euc-kr", "ms949" },
	{ "cp949", "ms949" },
	{ "uhc", "ms949" },
	{ "shift_jis", "windows-31j" },
	{ "shift-jis", "windows-31j" },
	{ "sjis", "windows-31j" },
	{ "x-sjis", "windows-31j" },
	{ "big5", "big5-hkscs" },
	{ "x-x-big5", "big5-hkscs" },
	{ "maccyrillic", "x-mac-cyrillic" },
	{ "mac-cyrillic", "x-mac-cyrillic" },
	{ "x-mac-roman", "macintosh" },
	{ "johab", "johab" },
	{ "cp866", "ibm866" },
	{ "cp1252", "windows-1252" },
};

static bool convert(struct kb_arena *arena, struct kb_sv bytes, const char *charset, size_t *bad,
                    struct kb_sv *out)
{
	UErrorCode status = U_ZERO_ERROR;
	UConverter *from = ucnv_open(charset, &status);
	UConverter *to = U_SUCCESS(status) ? ucnv_open("UTF-8", &status) : NULL;
	UChar pivot[1024], *pivot_source = pivot, *pivot_target = pivot;
	char *text = NULL;
	size_t n = 0, capacity = 0;
	const char *at = bytes.p, *end = bytes.p + bytes.n;
	bool first = true;

	if (U_FAILURE(status))
		goto out;
	do {
		char *target;

		KB_GROW(text, capacity, n + bytes.n / 2 + 4096);
		target = text + n;
		status = U_ZERO_ERROR;
		ucnv_convertEx(to, from, &target, text + capacity, &at, end, pivot, &pivot_source,
		               &pivot_target, pivot + KB_COUNTOF(pivot), first, true, &status);
		first = false;
		n = (size_t)(target - text);
	} while (status == U_BUFFER_OVERFLOW_ERROR);
	if (status == U_TRUNCATED_CHAR_FOUND) /* a cut text is still text */
		status = U_ZERO_ERROR;
	if (U_SUCCESS(status)) {
		*out = kb_arena_sv(arena, kb_sv(text, n));
		*bad = 0;
		for (size_t i = 0; i + 2 < n; i++)
			*bad += !memcmp(text + i, "\xef\xbf\xbd", 3);
	}
out:
	free(text);
	ucnv_close(from);
	ucnv_close(to);
	return U_SUCCESS(status);
}

static const char *icu_name(struct kb_sv label, char buf[LABEL_MAX])
{
	label = kb_sv_trim(label);
	if (!label.n || label.n >= LABEL_MAX)
		return NULL;
	for (size_t i = 0; i < KB_COUNTOF(aliases); i++)
		if (kb_sv_ieq_str(label, aliases[i].label))
			return aliases[i].icu;
	memcpy(buf, label.p, label.n);
	buf[label.n] = 0;
	return buf;
}

bool kb_charset_decode(struct kb_arena *arena, struct kb_sv bytes, struct kb_sv charset,
                       struct kb_sv *out)
{
	char buf[LABEL_MAX];
	const char *name = icu_name(charset, buf);
	size_t bad;

	if (!name)
		return false;
	if (kb_sv_ieq_str(kb_sv_trim(charset), "utf-8")) {
		*out = kb_utf8_mend(arena, bytes);
		return true;
	}
	return convert(arena, bytes, name, &bad, out);
}

/* ---- what the text says of itself */

static bool is_label_byte(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
	       || strchr("-_.:+()", c);
}

/* The value after the next `key` and '=', quoted or not. */
static struct kb_sv value_after(struct kb_sv text, const char *key, size_t *end)
{
	size_t n = strlen(key);

	for (size_t i = 0; i + n < text.n; i++) {
		size_t at = i + n, from;

		if (!kb_sv_ieq_str(kb_sv_sub(text, i, n), key))
			continue;
		while (at < text.n && strchr(" \t\r\n", text.p[at]))
			at++;
		if (at == text.n || text.p[at] != '=')
			continue;
		at++;
		while (at < text.n && strchr(" \t\r\n\"'", text.p[at]))
			at++;
		for (from = at; at < text.n && text.p[at] && is_label_byte(text.p[at]);)
			at++;
		*end = at;
		return kb_sv_sub(text, from, at - from);
	}
	return (struct kb_sv){ NULL, 0 };
}

static struct kb_sv declared_inside(struct kb_sv bytes)
{
	struct kb_sv head = kb_sv_sub(bytes, 0, DECLARATION_BYTES), label;
	ptrdiff_t meta = 0;
	size_t end;

	if (kb_sv_starts(kb_sv_trim(head), KB_SV("<?xml"))) {
		ptrdiff_t close = kb_sv_find(head, KB_SV("?>"));

		label = value_after(kb_sv_sub(head, 0, close < 0 ? 200 : (size_t)close), "encoding",
		                    &end);
		if (label.n)
			return label;
	}
	/* Only within a <meta …> tag: prose about charsets declares nothing. */
	for (size_t i = 0; i + 5 < head.n; i++) {
		if (!kb_sv_ieq_str(kb_sv_sub(head, i, 5), "<meta"))
			continue;
		meta = kb_sv_find_byte(kb_sv_from(head, i), '>');
		if (meta < 0)
			break;
		label = value_after(kb_sv_sub(head, i, (size_t)meta), "charset", &end);
		if (label.n)
			return label;
	}
	return (struct kb_sv){ NULL, 0 };
}

static struct kb_sv declared_outside(struct kb_sv content_type)
{
	size_t end;

	return value_after(content_type, "charset", &end);
}

/* ---- Unicode without a declaration */

static const char *by_mark(struct kb_sv bytes, size_t *skip)
{
	// clang-format off
	static const struct { struct kb_sv mark; const char *name; } marks[] = {
		{ KB_SV_INIT("\xef\xbb\xbf"), "UTF-8" },
		{ KB_SV_INIT("\xff\xfe\0\0"), "UTF-32LE" },
		{ KB_SV_INIT("\0\0\xfe\xff"), "UTF-32BE" },
		{ KB_SV_INIT("\xff\xfe"), "UTF-16LE" },
		{ KB_SV_INIT("\xfe\xff"), "UTF-16BE" },
	};
	// clang-format on

	for (size_t i = 0; i < KB_COUNTOF(marks); i++)
		if (kb_sv_starts(bytes, marks[i].mark)) {
			*skip = marks[i].mark.n;
			return marks[i].name;
		}
	return NULL;
}

/* Text has blanks, digits and line ends, and in UTF-16 and -32 these have zero bytes at one place
 * of each unit and none at the others. */
static const char *by_zeros(struct kb_sv bytes)
{
	size_t zero[4] = { 0 }, units = KB_MIN(bytes.n, (size_t)DETECT_BYTES) / 4;

	if (units < 2 || !memchr(bytes.p, 0, units * 4))
		return NULL;
	for (size_t i = 0; i < units * 4; i++)
		zero[i & 3] += !bytes.p[i];
	if (zero[3] == units && zero[2] > units / 2 && zero[0] < units / 8)
		return "UTF-32LE";
	if (zero[0] == units && zero[1] > units / 2 && zero[3] < units / 8)
		return "UTF-32BE";
	if (zero[1] + zero[3] > units / 8 && zero[0] + zero[2] < units / 64 + 1)
		return "UTF-16LE";
	if (zero[0] + zero[2] > units / 8 && zero[1] + zero[3] < units / 64 + 1)
		return "UTF-16BE";
	return NULL;
}

static bool is_escaped_7bit(struct kb_sv bytes)
{
	return kb_sv_find(bytes, KB_SV("\x1b$")) >= 0;
}

/* ---- guesses */

/* ICU's detector knows three of the six encodings Russian is found in, and takes the others for one
 * of them or for a Western one. Text in the right one is made of small letters, the frequent ones
 * most of all, and has no capitals inside words. */
static double cyrillic_fit(struct kb_sv text)
{
	static const struct kb_sv frequent = KB_SV_INIT("оеаинтсрвлкмдпу");
	double good = 0, all = 0;
	bool small_before = false;

	while (text.n) {
		uint32_t cp;
		size_t n = kb_utf8_decode(text, &cp);
		bool small = cp >= 0x430 && cp <= 0x45f, capital = cp >= 0x400 && cp < 0x430;

		if (cp >= 0x80) {
			all++;
			if (small && n == 2 && kb_sv_find(frequent, kb_sv_sub(text, 0, 2)) >= 0)
				good++;
			else if (!small && !capital)
				good -= 1;
		}
		if (capital && small_before)
			good -= 2;
		small_before = small;
		text = kb_sv_from(text, n);
	}
	return all > 0 ? good / all : 0;
}

static const char *by_cyrillic(struct kb_arena *arena, struct kb_sv bytes)
{
	static const char *const candidates[] = { "windows-1251",   "KOI8-R",     "IBM866",
		                                  "x-mac-cyrillic", "ISO-8859-5", "IBM855" };
	static const double least = 0.6; /* Russian and Bulgarian texts have 0.68 to 0.80 */
	const char *best = NULL;
	double most = least;
	size_t high = 0;

	bytes = kb_sv_sub(bytes, 0, CYRILLIC_BYTES);
	for (size_t i = 0; i < bytes.n; i++)
		high += (unsigned char)bytes.p[i] >= 0x80;
	if (high < CYRILLIC_LETTERS || high * 10 < bytes.n)
		return NULL;
	for (size_t i = 0; i < KB_COUNTOF(candidates); i++) {
		struct kb_sv text;
		size_t bad;
		double fit;

		if (!convert(arena, bytes, candidates[i], &bad, &text))
			continue;
		fit = cyrillic_fit(text);
		if (fit > most) {
			most = fit;
			best = candidates[i];
		}
	}
	return best;
}

static const char *by_guess(struct kb_arena *arena, struct kb_sv bytes, char buf[LABEL_MAX])
{
	UErrorCode status = U_ZERO_ERROR;
	UCharsetDetector *detector;
	const UCharsetMatch *match;
	const char *name = by_cyrillic(arena, bytes);

	if (name)
		return name;
	detector = ucsdet_open(&status);
	ucsdet_enableInputFilter(detector, kb_sv_starts(kb_sv_trim(bytes), KB_SV("<")));
	ucsdet_setText(detector, bytes.p, (int32_t)KB_MIN(bytes.n, (size_t)DETECT_BYTES), &status);
	match = ucsdet_detect(detector, &status);
	if (U_SUCCESS(status) && match) /* the name is copied: it ends with the detector */
		name = icu_name(kb_sv_str(ucsdet_getName(match, &status)), buf);
	ucsdet_close(detector);
	return name;
}

struct kb_sv kb_charset_to_utf8(struct kb_arena *arena, struct kb_sv bytes,
                                struct kb_sv content_type, const char **name)
{
	char buf[3][LABEL_MAX];
	const char *candidates[3], *ignored = NULL;
	size_t skip = 0, bad, best_bad = SIZE_MAX;
	struct kb_sv text, best = bytes;

	name = name ? name : &ignored;
	*name = by_mark(bytes, &skip);
	if (!*name)
		*name = by_zeros(bytes);
	if (*name) {
		bytes = kb_sv_from(bytes, skip);
		if (!strcmp(*name, "UTF-8"))
			return kb_utf8_mend(arena, bytes);
		if (convert(arena, bytes, *name, &bad, &text))
			return text;
	}
	*name = "UTF-8";
	if (kb_utf8_valid(bytes) && !is_escaped_7bit(bytes))
		return bytes;
	candidates[0] = icu_name(declared_outside(content_type), buf[0]);
	candidates[1] = icu_name(declared_inside(bytes), buf[1]);
	candidates[2] = NULL;
	for (int i = 0; i < 3; i++) {
		if (i == 2)
			candidates[2] = by_guess(arena, bytes, buf[2]);
		if (!candidates[i] || kb_sv_ieq_str(kb_sv_str(candidates[i]), "utf-8")
		    || !convert(arena, bytes, candidates[i], &bad, &text))
			continue;
		if (bad < best_bad) {
			best = text;
			best_bad = bad;
		}
		if (bad <= bytes.n / 500) { /* a few damaged places do not refute it */
			*name = "declared or detected";
			return text;
		}
	}
	/* Mostly UTF-8 with some damage is UTF-8. */
	text = kb_utf8_mend(arena, bytes);
	bad = 0;
	for (size_t i = 0; i + 2 < text.n; i++)
		bad += !memcmp(text.p + i, "\xef\xbf\xbd", 3);
	if (bad <= bytes.n / 100 + 1 || bad <= best_bad)
		return text;
	*name = "windows-1252";
	if (best_bad == SIZE_MAX && convert(arena, bytes, *name, &bad, &text))
		best = text;
	return kb_utf8_mend(arena, best);
}

void kb_charset_warm(void)
{
	static const char sample[] = "\xc4\xe3\xba\xc3 text \x8e\x9a";
	struct kb_arena arena = { 0 };

	kb_charset_to_utf8(&arena, kb_sv(sample, sizeof(sample) - 1),
	                   KB_SV("text/plain; charset=windows-1251"), NULL);
	kb_charset_to_utf8(&arena, kb_sv(sample, sizeof(sample) - 1), KB_SV(""), NULL);
	kb_arena_fini(&arena);
}
