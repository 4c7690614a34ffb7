#include "answer/named_tokens.h"

#include "answer/named_words.h"
#include "answer/numerals.h"
#include "base/utf8.h"
#include "index/unicode.h"

enum {
	TOKEN_BYTES = 96, /* of a word that are folded */
	DIGITS_MAX = 24,  /* of a number */
	GROUP = 3,        /* digits between signs that part thousands */
	YEAR_FIRST = 1000,
	YEAR_LAST = 2999,
	VALUE_DIGITS = 9,
};

/* 0 to 9 for a decimal digit at i, *size its bytes; else -1. */
static int digit_at(struct kb_sv text, size_t i, size_t *size)
{
	char folded[8];
	uint32_t cp;

	*size = 1;
	if (i >= text.n)
		return -1;
	if (text.p[i] >= '0' && text.p[i] <= '9')
		return text.p[i] - '0';
	if ((unsigned char)text.p[i] < 0x80)
		return -1;
	*size = kb_utf8_decode(kb_sv_from(text, i), &cp);
	if (cp == KB_UTF8_BAD || kb_char_kind(cp) != KB_CHAR_DIGIT
	    || kb_fold(kb_sv_sub(text, i, *size), false, folded, sizeof(folded)) != 1
	    || folded[0] < '0' || folded[0] > '9')
		return -1;
	return folded[0] - '0';
}

static size_t digits_from(struct kb_sv text, size_t i)
{
	size_t n = 0, size;

	for (; n <= DIGITS_MAX && digit_at(text, i, &size) >= 0; i += size)
		n++;
	return n;
}

/* A sign that parts thousands or decimals at i: its bytes, 0: none. Blanks that do not break part
 * thousands alone. */
static size_t sign_at(struct kb_sv text, size_t i, bool *decimal)
{
	static const char *const signs[] = { ".",      ",",      "'",      "\u2019",
		                             "\u00a0", "\u202f", "\uff0e", "\uff0c" };

	for (size_t k = 0; k < KB_COUNTOF(signs); k++) {
		struct kb_sv sign = kb_sv_str(signs[k]);

		*decimal = k < 2 || k > 5;
		if (kb_sv_starts(kb_sv_from(text, i), sign))
			return sign.n;
	}
	return 0;
}

/* The number at i, without noughts before it; returns its end. */
static size_t read_number(struct kb_arena *arena, struct kb_sv text, size_t i, struct kb_token *out)
{
	char *digits = kb_arena_bytes(arena, DIGITS_MAX + 1);
	size_t n = 0, run = 0, size;
	bool decimal;

	out->plain = true;
	/* A sign before three digits parts thousands, if no longer run came before it; else
	 * decimals. So "1.234" and "1,234" are one number, and "12.50" is another than "1250". */
	for (;;) {
		int digit = digit_at(text, i, &size);
		size_t sign, more;

		if (digit >= 0) {
			if (n == 1 && digits[0] == '0')
				n = 0;
			if (n < DIGITS_MAX)
				digits[n++] = (char)('0' + digit);
			run++;
			i += size;
			continue;
		}
		sign = sign_at(text, i, &decimal);
		more = sign ? digits_from(text, i + sign) : 0;
		if (!more || (!decimal && more != GROUP))
			break;
		out->plain = false;
		if (more != GROUP || run > GROUP) {
			if (n < DIGITS_MAX)
				digits[n++] = '.';
		}
		run = 0;
		i += sign;
	}
	out->kind = KB_TOKEN_NUMBER;
	out->text = kb_sv(digits, n);
	return i;
}

static size_t read_word(struct kb_arena *arena, struct kb_sv text, size_t start,
                        struct kb_token *out)
{
	char *folded = kb_arena_bytes(arena, TOKEN_BYTES);
	size_t i = start, size;
	uint32_t cp;

	out->capitals = true;
	while (i < text.n) {
		enum kb_char_kind kind;

		size = kb_utf8_decode(kb_sv_from(text, i), &cp);
		kind = cp == KB_UTF8_BAD ? KB_CHAR_BREAK : kb_char_kind(cp);
		if (kind != KB_CHAR_LETTER && kind != KB_CHAR_IGNORED)
			break;
		if (i == start)
			out->capital = kb_char_is_capital(cp);
		out->capitals &= kb_char_is_capital(cp);
		i += size;
	}
	out->kind = KB_TOKEN_WORD;
	out->text = kb_sv(
	        folded, kb_fold(kb_sv_sub(text, start, KB_MIN(i - start, (size_t)TOKEN_BYTES / 2)),
	                        false, folded, TOKEN_BYTES));
	return i;
}

/* A numeral in Chinese that is the number of a thing: 第九, 九号. Its end; 0: it is none. */
static size_t read_chinese(struct kb_arena *arena, struct kb_sv text, size_t start, bool first,
                           struct kb_token *out)
{
	int value;
	size_t n = kb_numeral_chinese(kb_sv_from(text, start), &value), size;
	struct kb_sv rest = kb_sv_from(text, start + n);
	uint32_t cp;

	if (!n || !rest.n)
		return 0;
	size = kb_utf8_decode(rest, &cp);
	if (!first && !kb_named_word(KB_WORDS_CHINESE, kb_sv_sub(rest, 0, size)))
		return 0;
	out->kind = KB_TOKEN_NUMBER;
	out->text = kb_arena_printf(arena, "%d", value);
	return start + n;
}

static bool is_joint(uint32_t cp)
{
	return cp == '-' || cp == '_' || cp == '.' || cp == '/' || (cp >= 0x2010 && cp <= 0x2013);
}

static bool ends_sentence(uint32_t cp)
{
	return cp == '\n' || cp == '?' || cp == '!' || cp == '|' || cp == 0x3002 || cp == 0xff1f
	       || cp == 0xff01;
}

/* What has been passed since the last token. */
struct between {
	size_t signs, blanks;
	uint32_t mark;
	bool far;
};

static void pass(struct between *b, uint32_t cp)
{
	if (ends_sentence(cp))
		b->far = true;
	if (cp == ' ' || cp == '\t' || cp == 0xa0 || cp == 0x202f || cp == 0x3000) {
		/* A stop is the end of a sentence where a blank follows. */
		b->blanks++;
		return;
	}
	if (b->signs++ == 0)
		b->mark = cp;
}

static enum kb_token_gap gap_of(const struct between *b)
{
	if (b->far)
		return KB_GAP_FAR;
	if (!b->signs)
		return b->blanks ? KB_GAP_BLANK : KB_GAP_NONE;
	if (b->signs == 1 && !b->blanks && is_joint(b->mark))
		return KB_GAP_JOINT;
	if (b->signs == 1 && (b->mark == ',' || b->mark == 0x3001 || b->mark == 0xff0c))
		return KB_GAP_LIST;
	return KB_GAP_SIGN;
}

static struct kb_token *add(struct kb_arena *arena, struct kb_tokens *out)
{
	if (out->count == out->capacity) {
		size_t more = KB_MAX(out->capacity * 2, (size_t)64);
		struct kb_token *v = KB_NEW_ARRAY(arena, more, struct kb_token);

		if (out->count)
			memcpy(v, out->v, out->count * sizeof(*v));
		out->v = v;
		out->capacity = more;
	}
	return &out->v[out->count++];
}

void kb_tokens_add(struct kb_arena *arena, struct kb_sv text, struct kb_tokens *out)
{
	struct between between = { .far = true };

	for (size_t i = 0, end; i < text.n; i = end) {
		struct kb_token token = { 0 };
		uint32_t cp;
		size_t size = kb_utf8_decode(kb_sv_from(text, i), &cp);
		enum kb_char_kind kind = cp == KB_UTF8_BAD ? KB_CHAR_BREAK : kb_char_kind(cp);
		bool ordinal = out->count && !between.signs && !between.blanks
		               && (kb_sv_eq(out->v[out->count - 1].text, KB_SV("\u7b2c"))
		                   || kb_sv_eq(out->v[out->count - 1].text, KB_SV("\uc81c")));

		end = i + size;
		if (digit_at(text, i, &size) >= 0) {
			end = read_number(arena, text, i, &token);
		} else if (kind == KB_CHAR_LETTER) {
			end = read_word(arena, text, i, &token);
		} else if (kind == KB_CHAR_CJK || kind == KB_CHAR_SEA) {
			size_t numeral = read_chinese(arena, text, i, ordinal, &token);

			end = numeral ? numeral : end;
			if (!numeral) {
				token.kind = KB_TOKEN_CHARACTER;
				token.text = kb_sv_sub(text, i, end - i);
			}
		} else if (kind == KB_CHAR_IGNORED) {
			continue;
		} else {
			pass(&between, cp);
			continue;
		}
		token.raw = kb_sv_sub(text, i, end - i);
		token.gap = gap_of(&between);
		token.mark = between.mark;
		*add(arena, out) = token;
		between = (struct between){ 0 };
	}
}

int kb_token_value(const struct kb_token *token)
{
	int value = 0;

	if (token->kind != KB_TOKEN_NUMBER || token->text.n > VALUE_DIGITS)
		return 0;
	for (size_t i = 0; i < token->text.n; i++) {
		if (token->text.p[i] < '0' || token->text.p[i] > '9')
			return 0;
		value = value * 10 + (token->text.p[i] - '0');
	}
	return value;
}

bool kb_token_is_year(const struct kb_token *token)
{
	int value = token->plain && token->text.n == 4 ? kb_token_value(token) : 0;

	return value >= YEAR_FIRST && value <= YEAR_LAST;
}
