#include "write/tokens.h"

#include <utf8proc.h>

#include "base/utf8.h"
#include "index/langid.h"

enum {
	LETTERS_A_TOKEN = 6,
	LANG_BYTES = 512, /* that are looked at for the language */
};

/* Letters a token, by judgement after how the vocabularies of open models cut everyday sentences;
 * what is not here has 2. */
static const struct {
	enum kb_lang lang;
	int letters;
} pieces[] = {
	{ KB_LANG_EN, LETTERS_A_TOKEN },
	{ KB_LANG_NONE, 3 },
	{ KB_LANG_DE, 3 },
	{ KB_LANG_FR, 3 },
	{ KB_LANG_ES, 3 },
	{ KB_LANG_IT, 3 },
	{ KB_LANG_PT, 3 },
	{ KB_LANG_CA, 3 },
	{ KB_LANG_RO, 3 },
	{ KB_LANG_NL, 3 },
	{ KB_LANG_SV, 3 },
	{ KB_LANG_DA, 3 },
	{ KB_LANG_NO, 3 },
	{ KB_LANG_ID, 3 },
};

/* Scripts without spaces between words, from and to. */
static const struct {
	uint32_t first, last;
} dense[] = {
	{ 0x0E00, 0x0EFF }, /* Thai, Lao */
	{ 0x1000, 0x109F }, /* Burmese */
	{ 0x1100, 0x11FF }, /* Hangul */
	{ 0x1780, 0x17FF }, /* Khmer */
	{ 0x2E80, 0xD7FF }, /* Han, Kana, Hangul and their signs */
	{ 0xF900, 0xFAFF }, /* Han */
	{ 0x20000, 0x3FFFF },
};

enum kind { SPACE, LETTER, SINGLE };

static enum kind kind_of(uint32_t cp)
{
	for (size_t i = 0; i < KB_COUNTOF(dense); i++)
		if (cp >= dense[i].first && cp <= dense[i].last && cp != 0x3000)
			return SINGLE;
	switch (utf8proc_category((utf8proc_int32_t)cp)) {
	case UTF8PROC_CATEGORY_LU:
	case UTF8PROC_CATEGORY_LL:
	case UTF8PROC_CATEGORY_LT:
	case UTF8PROC_CATEGORY_LM:
	case UTF8PROC_CATEGORY_LO:
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_MC:
	case UTF8PROC_CATEGORY_ND:
		return LETTER;
	case UTF8PROC_CATEGORY_ZS:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
	case UTF8PROC_CATEGORY_CC:
	case UTF8PROC_CATEGORY_CF:
		return SPACE;
	default:
		return SINGLE;
	}
}

static int64_t count(struct kb_sv text, int letters_a_token)
{
	int64_t count = 0, letters = 0; /* of the word in hand */

	while (text.n) {
		uint32_t cp;
		size_t n = kb_utf8_decode(text, &cp);
		enum kind kind = kind_of(cp);

		text = kb_sv_from(text, n);
		letters = kind == LETTER ? letters + 1 : 0;
		count += kind == SINGLE || (letters && (letters - 1) % letters_a_token == 0);
	}
	return count;
}

int64_t kb_tokens_count(struct kb_sv text)
{
	return count(text, LETTERS_A_TOKEN);
}

int64_t kb_tokens_estimate(struct kb_sv text, enum kb_lang lang)
{
	if (lang == KB_LANG_NONE)
		lang = kb_lang_of_text(kb_utf8_cut(text, LANG_BYTES));
	for (size_t i = 0; i < KB_COUNTOF(pieces); i++)
		if (pieces[i].lang == lang)
			return count(text, pieces[i].letters);
	return count(text, 2);
}
