#include "answer/numerals.h"

#include "base/utf8.h"

static const struct {
	enum kb_lang lang;
	const char *words;
} counts[] = {
	{ KB_LANG_EN, " one two three four five six seven eight nine ten eleven twelve " },
	{ KB_LANG_DE, " eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf " },
	{ KB_LANG_FR, " un deux trois quatre cinq six sept huit neuf dix onze douze " },
	{ KB_LANG_ES, " uno dos tres cuatro cinco seis siete ocho nueve diez once doce " },
	{ KB_LANG_IT, " uno due tre quattro cinque sei sette otto nove dieci undici dodici " },
	{ KB_LANG_PT, " um dois três quatro cinco seis sete oito nove dez onze doze " },
	{ KB_LANG_NL, " een twee drie vier vijf zes zeven acht negen tien elf twaalf " },
};

int kb_numeral_word(enum kb_lang lang, struct kb_sv word)
{
	for (size_t i = 0; i < KB_COUNTOF(counts); i++) {
		struct kb_sv list = kb_sv_str(counts[i].words), part;
		int n = 0;

		if (counts[i].lang != lang)
			continue;
		list = kb_sv_sub(list, 1, list.n - 2);
		while (kb_sv_split(&list, ' ', &part)) {
			n++;
			if (kb_sv_eq(part, word))
				return n;
		}
	}
	return 0;
}

static int roman_digit(char c)
{
	switch (c | 0x20) {
	case 'i':
		return 1;
	case 'v':
		return 5;
	case 'x':
		return 10;
	case 'l':
		return 50;
	default:
		return 0;
	}
}

int kb_numeral_roman(struct kb_sv word)
{
	int sum = 0, run = 0;

	for (size_t i = 0; i < word.n; i++) {
		int digit = roman_digit(word.p[i]);
		int next = i + 1 < word.n ? roman_digit(word.p[i + 1]) : 0;

		run = i > 0 && word.p[i] == word.p[i - 1] ? run + 1 : 1;
		/* No letter four times, and before a larger one only its fifth or tenth. */
		if (!digit || run > 3 || (next > digit && (digit * 10 < next || run > 1)))
			return 0;
		sum += next > digit ? -digit : digit;
	}
	return sum > 0 && sum < 90 ? sum : 0;
}

/* 0 to 9, 10 for ten, -1. */
static int chinese_digit(uint32_t cp)
{
	static const uint32_t digits[] = { 0x96f6, 0x4e00, 0x4e8c, 0x4e09, 0x56db, 0x4e94,
		                           0x516d, 0x4e03, 0x516b, 0x4e5d, 0x5341 };

	for (size_t i = 0; i < KB_COUNTOF(digits); i++)
		if (digits[i] == cp)
			return (int)i;
	return cp == 0x3007 ? 0 : -1; /* 〇 */
}

size_t kb_numeral_chinese(struct kb_sv text, int *value)
{
	enum { TEN = 10, MOST = 100000 };
	int sum = 0, before = -1, digit;
	bool tens = false;
	uint32_t cp;
	size_t n = 0, size;

	for (; n < text.n; n += size, before = digit) {
		size = kb_utf8_decode(kb_sv_from(text, n), &cp);
		digit = chinese_digit(cp);
		if (digit < 0 || sum >= MOST || (digit == TEN && (tens || sum > 9)))
			break;
		if (digit == TEN)
			sum = before < 0 ? TEN : sum * TEN;
		else
			sum = tens ? sum + digit : sum * TEN + digit;
		if (tens && digit != TEN) {
			n += size;
			break;
		}
		tens |= digit == TEN;
	}
	*value = sum;
	return n;
}
