/*
 * Right-to-left lines of a PDF. pdftotext gives the words of a line, and the letters of a word,
 * from left to right as they are painted. A line that is mostly Arabic or Hebrew is turned round;
 * figures and Latin words within it run from left to right and stay as they are.
 */
#include "base/utf8.h"
#include "parse/pdf.h"

enum { LETTERS_MAX = 256 };

static bool is_in(uint32_t cp, uint32_t first, uint32_t last)
{
	return cp >= first && cp <= last;
}

static bool is_rtl(uint32_t cp)
{
	if (is_in(cp, 0x660, 0x669) || is_in(cp, 0x6f0, 0x6f9)) /* figures */
		return false;
	return is_in(cp, 0x590, 0x8ff) || is_in(cp, 0xfb1d, 0xfdff) || is_in(cp, 0xfe70, 0xfefc);
}

static bool is_ltr(uint32_t cp)
{
	return is_in(cp, '0', '9') || is_in(cp | 0x20, 'a', 'z') || is_in(cp, 0x660, 0x669)
	       || is_in(cp, 0x6f0, 0x6f9) || (cp >= 0xc0 && cp < 0x590);
}

/* What stands within figures: 1,250.75 and 12:30. */
static bool joins(uint32_t cp)
{
	return cp == '.' || cp == ',' || cp == ':' || cp == '/' || cp == '%';
}

static uint32_t mirrored(uint32_t cp)
{
	static const uint32_t pairs[][2] = {
		{ '(', ')' }, { '[', ']' }, { '{', '}' }, { '<', '>' }, { 0xab, 0xbb }
	};

	for (size_t i = 0; i < KB_COUNTOF(pairs); i++)
		for (int side = 0; side < 2; side++)
			if (pairs[i][side] == cp)
				return pairs[i][!side];
	return cp;
}

struct count {
	size_t rtl, ltr;
};

static struct count count_letters(struct kb_sv text)
{
	struct count n = { 0 };

	while (text.n) {
		uint32_t cp = 0;
		size_t bytes = kb_utf8_decode(text, &cp);

		n.rtl += is_rtl(cp);
		n.ltr += is_ltr(cp);
		text = kb_sv_from(text, KB_MAX(bytes, (size_t)1));
	}
	return n;
}

/* The end of what runs from left to right and begins at `at`; `at` itself where nothing does. */
static size_t end_of_run(struct kb_sv word, size_t at)
{
	size_t end = at;

	for (size_t i = at; i < word.n;) {
		uint32_t cp = 0;
		size_t bytes = KB_MAX(kb_utf8_decode(kb_sv_from(word, i), &cp), (size_t)1);

		if (!is_ltr(cp) && !(i > at && joins(cp)))
			break;
		i += bytes;
		if (is_ltr(cp))
			end = i;
	}
	return end;
}

/* Its letters from the last to the first. */
static void turn_word(struct kb_buf *out, struct kb_sv word)
{
	size_t starts[LETTERS_MAX + 1], count = 0;

	for (size_t i = 0; i < word.n && count < LETTERS_MAX;) {
		size_t run = end_of_run(word, i);
		uint32_t cp;

		starts[count++] = i;
		i = run > i ? run : i + KB_MAX(kb_utf8_decode(kb_sv_from(word, i), &cp), (size_t)1);
		starts[count] = i;
	}
	if (count == LETTERS_MAX) { /* no word */
		kb_buf_sv(out, word);
		return;
	}
	while (count--) {
		struct kb_sv piece =
		        kb_sv_sub(word, starts[count], starts[count + 1] - starts[count]);
		uint32_t cp = 0;
		char letter[4];

		if (kb_utf8_decode(piece, &cp) == piece.n && mirrored(cp) != cp)
			kb_buf_add(out, letter, kb_utf8_encode(mirrored(cp), letter));
		else
			kb_buf_sv(out, piece);
	}
}

struct word {
	struct kb_sv text;
	bool is_rtl, is_ltr;
};

static size_t split(struct kb_sv line, struct word *words)
{
	struct kb_sv part;
	size_t count = 0;

	while (line.n && count < KB_PDF_WORDS_MAX) {
		struct count n;

		kb_sv_split(&line, ' ', &part);
		n = count_letters(part);
		words[count++] = (struct word){ part, n.rtl > 0, n.ltr > 0 && !n.rtl };
	}
	return line.n ? 0 : count; /* more than a line holds: left as it is */
}

struct kb_sv kb_pdf_logical(struct kb_arena *arena, struct kb_sv line,
                            size_t order[KB_PDF_WORDS_MAX], size_t *count)
{
	struct count letters = count_letters(line);
	struct word words[KB_PDF_WORDS_MAX];
	struct kb_buf out;
	size_t i = letters.rtl > letters.ltr ? split(line, words) : 0;

	*count = 0;
	if (!i)
		return line;
	kb_buf_init(&out, 2 * line.n + 1);
	while (i) {
		size_t first = i - 1;

		/* Words that run from left to right and stand together stay in their order. */
		while (words[first].is_ltr && first > 0 && words[first - 1].is_ltr)
			first--;
		for (size_t j = first; j < i; j++) {
			order[(*count)++] = j;
			if (out.n)
				kb_buf_byte(&out, ' ');
			if (words[j].is_ltr)
				kb_buf_sv(&out, words[j].text);
			else
				turn_word(&out, words[j].text);
		}
		i = first;
	}
	if (out.failed)
		*count = 0;
	else
		line = kb_arena_sv(arena, kb_buf_view(&out));
	kb_buf_fini(&out);
	return line;
}
