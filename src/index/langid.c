/*
 * Which language a text is in. Long texts by their function words where these leave no doubt
 * (langwords.h), else by the statistics of cld2 (Compact Language Detector 2), which take fifty
 * times as long; questions, which are too short for both, by script, function words and the letters
 * that only some languages use.
 */
#include "index/langid.h"

#include <string.h>

#include "base/utf8.h"
#include "index/cld2_shim.h"
#include "index/langwords.h"
#include "index/stopwords.h"
#include "index/unicode.h"

// clang-format off
static const char codes[KB_LANG_COUNT][4] = {
	[KB_LANG_NONE] = "und", [KB_LANG_EN] = "en", [KB_LANG_DE] = "de", [KB_LANG_FR] = "fr",
	[KB_LANG_ES] = "es", [KB_LANG_IT] = "it", [KB_LANG_PT] = "pt", [KB_LANG_NL] = "nl",
	[KB_LANG_SV] = "sv", [KB_LANG_DA] = "da", [KB_LANG_NO] = "no", [KB_LANG_FI] = "fi",
	[KB_LANG_HU] = "hu", [KB_LANG_RO] = "ro", [KB_LANG_TR] = "tr", [KB_LANG_RU] = "ru",
	[KB_LANG_UK] = "uk", [KB_LANG_PL] = "pl", [KB_LANG_CS] = "cs", [KB_LANG_EL] = "el",
	[KB_LANG_AR] = "ar", [KB_LANG_FA] = "fa", [KB_LANG_HE] = "he", [KB_LANG_HI] = "hi",
	[KB_LANG_VI] = "vi", [KB_LANG_ID] = "id", [KB_LANG_TH] = "th", [KB_LANG_LO] = "lo",
	[KB_LANG_KM] = "km", [KB_LANG_MY] = "my", [KB_LANG_ZH] = "zh", [KB_LANG_JA] = "ja",
	[KB_LANG_KO] = "ko", [KB_LANG_CA] = "ca", [KB_LANG_LT] = "lt", [KB_LANG_HY] = "hy",
	[KB_LANG_EU] = "eu", [KB_LANG_GA] = "ga", [KB_LANG_SR] = "sr", [KB_LANG_NE] = "ne",
	[KB_LANG_TA] = "ta", [KB_LANG_YI] = "yi",
};

/* Other codes of the same languages; Malay is near enough to Indonesian. */
static const struct { char code[4]; enum kb_lang lang; } aliases[] = {
	{ "iw", KB_LANG_HE }, { "nb", KB_LANG_NO }, { "nn", KB_LANG_NO }, { "in", KB_LANG_ID },
	{ "ms", KB_LANG_ID }, { "ji", KB_LANG_YI }, { "sh", KB_LANG_SR }, { "bs", KB_LANG_SR },
	{ "hr", KB_LANG_SR }, { "yue", KB_LANG_ZH }, { "cmn", KB_LANG_ZH },
};
// clang-format on

const char *kb_lang_code(enum kb_lang lang)
{
	return codes[(unsigned)lang < KB_LANG_COUNT ? lang : KB_LANG_NONE];
}

enum kb_lang kb_lang_from_code(struct kb_sv code)
{
	size_t n = 0;

	while (n < code.n && code.p[n] != '-' && code.p[n] != '_')
		n++;
	code.n = n;
	for (int i = 1; i < KB_LANG_COUNT; i++)
		if (kb_sv_ieq_str(code, codes[i]))
			return (enum kb_lang)i;
	for (size_t i = 0; i < KB_COUNTOF(aliases); i++)
		if (kb_sv_ieq_str(code, aliases[i].code))
			return aliases[i].lang;
	return KB_LANG_NONE;
}

enum script {
	LATIN,
	CYRILLIC,
	GREEK,
	ARABIC,
	HEBREW,
	DEVANAGARI,
	ARMENIAN,
	TAMIL,
	THAI,
	LAO,
	KHMER,
	BURMESE,
	HAN,
	KANA,
	HANGUL,
	SCRIPT_COUNT
};

static int script_of(uint32_t cp)
{
	static const struct {
		uint32_t first, last;
		enum script script;
	} ranges[] = {
		{ 0x00c0, 0x024f, LATIN },    { 0x1e00, 0x1eff, LATIN },
		{ 0x0370, 0x03ff, GREEK },    { 0x1f00, 0x1fff, GREEK },
		{ 0x0400, 0x052f, CYRILLIC }, { 0x0531, 0x058f, ARMENIAN },
		{ 0x0590, 0x05ff, HEBREW },   { 0x0600, 0x06ff, ARABIC },
		{ 0x0750, 0x077f, ARABIC },   { 0xfb50, 0xfdff, ARABIC },
		{ 0xfe70, 0xfefe, ARABIC },   { 0x0900, 0x097f, DEVANAGARI },
		{ 0x0b80, 0x0bff, TAMIL },    { 0x0e00, 0x0e7f, THAI },
		{ 0x0e80, 0x0eff, LAO },      { 0x1780, 0x17ff, KHMER },
		{ 0x1000, 0x109f, BURMESE },  { 0x3041, 0x30ff, KANA },
		{ 0x31f0, 0x31ff, KANA },     { 0xff66, 0xff9f, KANA },
		{ 0x3400, 0x4dbf, HAN },      { 0x4e00, 0x9fff, HAN },
		{ 0xf900, 0xfaff, HAN },      { 0x20000, 0x3ffff, HAN },
		{ 0xac00, 0xd7a3, HANGUL },   { 0x1100, 0x11ff, HANGUL },
		{ 0x3131, 0x318e, HANGUL },
	};

	if (cp < 0x80)
		return (cp | 0x20) >= 'a' && (cp | 0x20) <= 'z' ? LATIN : -1;
	for (size_t i = 0; i < KB_COUNTOF(ranges); i++)
		if (cp >= ranges[i].first && cp <= ranges[i].last)
			return (int)ranges[i].script;
	return -1;
}

/* Letters that speak for a language among those of its script; each kind counts once. */
static const struct {
	enum kb_lang lang;
	const char *letters;
} telling[] = {
	{ KB_LANG_TR, "şğıİ" },
	{ KB_LANG_RO, "ășțţ" },
	{ KB_LANG_ES, "ñ¿¡" },
	{ KB_LANG_VI, "đơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ" },
	{ KB_LANG_DE, "ßäö" },
	{ KB_LANG_PL, "łżźćśńęą" },
	{ KB_LANG_CS, "řěůčžďť" },
	{ KB_LANG_HU, "őű" },
	{ KB_LANG_PT, "ãõ" },
	{ KB_LANG_FR, "œ" },
	{ KB_LANG_SV, "å" },
	{ KB_LANG_DA, "æø" },
	{ KB_LANG_NO, "æø" },
	{ KB_LANG_LT, "ėįųū" },
	{ KB_LANG_UK, "іїєґ" },
	{ KB_LANG_SR, "ђјљњћџ" },
	{ KB_LANG_RU, "ыэъё" },
	{ KB_LANG_FA, "پچژگکی" },
};

/* The languages a script leaves to choose from; the first is the one without evidence. */
static const enum kb_lang latin[] = { KB_LANG_EN, KB_LANG_DE, KB_LANG_FR, KB_LANG_ES, KB_LANG_IT,
	                              KB_LANG_PT, KB_LANG_NL, KB_LANG_SV, KB_LANG_DA, KB_LANG_NO,
	                              KB_LANG_FI, KB_LANG_HU, KB_LANG_RO, KB_LANG_TR, KB_LANG_PL,
	                              KB_LANG_CS, KB_LANG_VI, KB_LANG_ID, KB_LANG_CA, KB_LANG_LT,
	                              KB_LANG_EU, KB_LANG_GA, KB_LANG_SR };
static const enum kb_lang cyrillic[] = { KB_LANG_RU, KB_LANG_UK, KB_LANG_SR };
static const enum kb_lang arabic[] = { KB_LANG_AR, KB_LANG_FA };
static const enum kb_lang devanagari[] = { KB_LANG_HI, KB_LANG_NE };
static const enum kb_lang hebrew[] = { KB_LANG_HE, KB_LANG_YI };

enum {
	QUESTION_BYTES = 2000, /* of a question that are looked at */
	LETTER_POINTS = 8,     /* a telling letter weighs as much as two function words */
	WORD_POINTS = KB_LANG_WORD_POINTS,
	WORDS_MAX = 1000, /* that are counted */
};

static bool has_letter(const char *letters, uint32_t cp)
{
	char bytes[4];

	return cp >= 0x80 && memmem(letters, strlen(letters), bytes, kb_utf8_encode(cp, bytes));
}

/* How many words of each list a text has. */
struct words {
	size_t count;
	int listed[KB_LANG_COUNT];
};

static void count_word(struct words *words, struct kb_sv raw)
{
	char folded[64];
	struct kb_sv text = { folded, kb_fold(raw, false, folded, sizeof(folded)) };

	if (!text.n || words->count == WORDS_MAX)
		return;
	words->count++;
	for (uint64_t langs = kb_lang_lists(text); langs; langs &= langs - 1)
		words->listed[__builtin_ctzll(langs)]++;
}

/* How often the text has words of the language's list. */
static int count_listed(const struct words *words, enum kb_lang lang)
{
	return words->listed[lang];
}

/* Points of each language of a group by function words and telling letters, the best first; of
 * equals the earlier in the group. */
static size_t weigh(struct kb_sv text, const enum kb_lang *langs, size_t count,
                    struct kb_lang_guess *out)
{
	struct words words = { .count = 0 };
	size_t start = 0;
	bool in_word = false, high = false; /* no telling letter is ASCII */

	for (size_t i = 0; i <= text.n;) {
		uint32_t cp = ' ';
		size_t size = i < text.n ? kb_utf8_decode(kb_sv_from(text, i), &cp) : 1;
		enum kb_char_kind kind = kb_char_kind(cp);
		bool letter = kind == KB_CHAR_LETTER || kind == KB_CHAR_IGNORED;

		high |= cp >= 0x80;
		if (letter && !in_word)
			start = i;
		if (!letter && in_word)
			count_word(&words, kb_sv_sub(text, start, i - start));
		in_word = letter;
		i += size;
	}
	for (size_t l = 0; l < count; l++)
		out[l] = (struct kb_lang_guess){
			langs[l], words.count ? WORD_POINTS * count_listed(&words, langs[l]) : 0
		};
	for (size_t k = 0; k < KB_COUNTOF(telling) && high; k++)
		for (size_t l = 0; l < count; l++)
			for (size_t i = 0; langs[l] == telling[k].lang && i < text.n;) {
				uint32_t cp;

				i += kb_utf8_decode(kb_sv_from(text, i), &cp);
				if (cp == KB_UTF8_BAD
				    || !has_letter(telling[k].letters, kb_char_lower(cp)))
					continue;
				out[l].points += LETTER_POINTS;
				break;
			}
	for (size_t i = 1; i < count; i++) {
		struct kb_lang_guess guess = out[i];
		size_t k = i;

		for (; k > 0 && out[k - 1].points < guess.points; k--)
			out[k] = out[k - 1];
		out[k] = guess;
	}
	return count;
}

static size_t only(enum kb_lang lang, struct kb_lang_guess *out)
{
	out[0] = (struct kb_lang_guess){ lang, 0 };
	return 1;
}

size_t kb_lang_guesses(struct kb_sv text, struct kb_lang_guess out[KB_LANG_COUNT])
{
	static const enum kb_lang single[SCRIPT_COUNT] = {
		[GREEK] = KB_LANG_EL,   [ARMENIAN] = KB_LANG_HY, [TAMIL] = KB_LANG_TA,
		[THAI] = KB_LANG_TH,    [LAO] = KB_LANG_LO,      [KHMER] = KB_LANG_KM,
		[BURMESE] = KB_LANG_MY, [HANGUL] = KB_LANG_KO,
	};
	int letters[SCRIPT_COUNT] = { 0 };
	int best = LATIN, all = 0;

	text = kb_utf8_cut(text, QUESTION_BYTES);
	for (size_t i = 0; i < text.n;) {
		uint32_t cp;
		int script;

		i += kb_utf8_decode(kb_sv_from(text, i), &cp);
		script = cp == KB_UTF8_BAD ? -1 : script_of(cp);
		if (script >= 0) {
			letters[script]++;
			all++;
		}
	}
	if (all == 0)
		return only(KB_LANG_NONE, out);
	/* A character of these says as much as three letters, and they never stand in Latin text.
	 */
	if ((letters[HAN] + letters[KANA]) * 4 >= all)
		return only(letters[KANA] > 0 ? KB_LANG_JA : KB_LANG_ZH, out);
	if (letters[HANGUL] * 4 >= all)
		return only(KB_LANG_KO, out);
	for (int i = 0; i < SCRIPT_COUNT; i++)
		if (letters[i] > letters[best])
			best = i;
	/* Names of products and places stand in Latin letters in any language. */
	for (int i = CYRILLIC; best == LATIN && i <= BURMESE; i++)
		if (letters[i] * 3 >= all)
			best = i;
	switch (best) {
	case LATIN:
		return weigh(text, latin, KB_COUNTOF(latin), out);
	case CYRILLIC:
		return weigh(text, cyrillic, KB_COUNTOF(cyrillic), out);
	case ARABIC:
		return weigh(text, arabic, KB_COUNTOF(arabic), out);
	case DEVANAGARI:
		return weigh(text, devanagari, KB_COUNTOF(devanagari), out);
	case HEBREW:
		return weigh(text, hebrew, KB_COUNTOF(hebrew), out);
	default:
		return only(single[best], out);
	}
}

enum kb_lang kb_lang_of_question(struct kb_sv text)
{
	struct kb_lang_guess guesses[KB_LANG_COUNT];

	kb_lang_guesses(text, guesses);
	return guesses[0].lang;
}

/* The text from its beginning, and as much from the middle of a long one, as valid UTF-8. */
static enum kb_lang by_statistics(struct kb_sv text)
{
	enum { HALF = 2048 };
	char sample[2 * HALF + 1];
	size_t n = 0;
	int percent;
	bool reliable;
	enum kb_lang lang;

	for (int part = 0; part < 2; part++) {
		size_t from = part == 0 ? 0 : KB_MAX(text.n / 2, (size_t)HALF);

		for (size_t i = from; i < text.n && i < from + HALF - 4;) {
			uint32_t cp = (unsigned char)text.p[i];
			size_t size = 1;

			if (cp >= 0x80)
				size = kb_utf8_decode(kb_sv_from(text, i), &cp);
			if (cp == KB_UTF8_BAD || cp == 0) {
				sample[n++] = ' ';
			} else {
				for (size_t k = 0; k < size; k++)
					sample[n++] = text.p[i + k];
			}
			i += size;
		}
	}
	sample[n] = '\0';
	lang = kb_lang_from_code(kb_sv_str(kb_cld2_language(sample, (int)n, &percent, &reliable)));
	/* What it is unsure of is short or a list of names. */
	if (reliable && percent >= 50)
		return lang;
	return kb_lang_of_question(kb_sv(sample, n));
}

/* Looks at the beginning, the middle and the end, or at all of a short text. */
static enum kb_lang by_words(struct kb_sv text, size_t part)
{
	struct kb_lang_words words;

	words.words = words.high = words.foreign = words.hits = 0;
	if (text.n <= 3 * part) {
		kb_lang_words_add(&words, text);
	} else {
		kb_lang_words_add(&words, kb_sv_sub(text, 0, part));
		kb_lang_words_add(&words, kb_sv_sub(text, text.n / 2 - part / 2, part));
		kb_lang_words_add(&words, kb_sv_from(text, text.n - part));
	}
	return kb_lang_words_verdict(&words);
}

enum kb_lang kb_lang_of_text(struct kb_sv text)
{
	enum { FIRST = 192, SECOND = 1536 }; /* bytes of a part; ever more while it is unclear */
	enum kb_lang lang = by_words(text, FIRST);

	if (lang == KB_LANG_NONE && text.n > 3 * FIRST)
		lang = by_words(text, SECOND);
	return lang == KB_LANG_NONE ? by_statistics(text) : lang;
}
