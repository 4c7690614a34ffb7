#include "answer/blocks.h"

#include <string.h>

#include "base/utf8.h"
#include "index/sentence.h"

enum {
	LABEL_MAX = 80,  /* bytes of a heading between sections */
	ITEM_MAX = 240,  /* letters of an item that ends in a stop */
	COLUMN_MAX = 60, /* bytes of a column's name */
	WIDE_FROM = 0x2e80,
	WIDE = 2,
};

/* Bytes of the text up to so many letters; *letters is how many these are. */
static size_t measure(struct kb_sv text, size_t most, size_t *letters)
{
	size_t at = 0;

	for (*letters = 0; at < text.n;) {
		uint32_t cp;
		size_t n = kb_utf8_decode(kb_sv_from(text, at), &cp);
		size_t wide = cp >= WIDE_FROM ? WIDE : 1;

		if (*letters + wide > most)
			break;
		*letters += wide;
		at += n;
	}
	return at;
}

size_t kb_line_letters(struct kb_sv text)
{
	size_t count;

	measure(text, SIZE_MAX, &count);
	return count;
}

struct kb_sv kb_line_head(struct kb_sv text, size_t letters)
{
	size_t count;

	return kb_sv_sub(text, 0, measure(text, letters, &count));
}

/* ---- what a line looks like by itself ---- */

/* A few words that may be a heading, and no item, row or code: no signs, and no digits but those of
 * one word at the end ("Chapter 12", "ERR-4012"). */
static bool is_label(struct kb_sv text)
{
	struct kb_sv last = text;
	ptrdiff_t blank;

	if (!text.n || text.n > LABEL_MAX || kb_states(text))
		return false;
	while ((blank = kb_sv_find_byte(last, ' ')) >= 0)
		last = kb_sv_from(last, (size_t)blank + 1);
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if ((c && strchr(":;|=<>{}[]()*`$#@/\\+", c)) || (i == 0 && c == '-'))
			return false;
		if (c >= '0' && c <= '9' && text.p + i < last.p)
			return false;
	}
	return true;
}

/* "- ", "* ", "• ", "1. ", "2) ", "a) " */
static bool is_marked(struct kb_sv text)
{
	size_t n = 0;

	if (kb_sv_starts(text, KB_SV("\u2022")) || kb_sv_starts(text, KB_SV("\u2023")))
		return true;
	if (text.n > 2 && strchr("-*+", text.p[0]) && text.p[0])
		return text.p[1] == ' ';
	while (n < text.n && n < 3 && text.p[n] >= '0' && text.p[n] <= '9')
		n++;
	if (n == 0 && text.n && text.p[0] >= 'a' && text.p[0] <= 'z')
		return text.n > 2 && text.p[1] == ')' && text.p[2] == ' ';
	return n && n + 1 < text.n && (text.p[n] == '.' || text.p[n] == ')')
	       && text.p[n + 1] == ' ';
}

/* "Column" of a row, with its colon; empty: it is none. */
static struct kb_sv column_of(struct kb_sv text)
{
	ptrdiff_t colon = kb_sv_find(text, KB_SV(": "));

	return colon <= 0 || colon > COLUMN_MAX ? KB_SV("") : kb_sv_sub(text, 0, (size_t)colon + 1);
}

struct finder {
	const struct kb_line_sentence *sentences;
	struct kb_lines *lines;
};

static struct kb_sv text_of(const struct finder *f, size_t line)
{
	return f->sentences[f->lines->v[line].first].text;
}

static struct kb_sv last_of(const struct finder *f, size_t line)
{
	return f->sentences[f->lines->v[line].end - 1].text;
}

/* Ends in no stop: a heading, an item, a row, code. */
static bool is_open(const struct finder *f, size_t line)
{
	struct kb_sv last = last_of(f, line);

	return !kb_ends_in_stop(last) && !kb_introduces(last);
}

static size_t sentences_of(const struct kb_line *line)
{
	return line->end - line->first;
}

static bool goes_on(const struct finder *f, size_t line)
{
	return line + 1 < f->lines->count && !f->lines->v[line + 1].starts;
}

/* ---- what it is among its neighbours ---- */

static bool has_columns(struct kb_sv text)
{
	return kb_sv_find(text, KB_SV("; ")) > 0;
}

/* A neighbour begins with the same column, and one of the two has another. */
static bool is_row(const struct finder *f, size_t line)
{
	struct kb_sv text = text_of(f, line), column = column_of(text);

	for (int side = -1; column.n && side <= 1; side += 2) {
		struct kb_sv beside;

		if (side < 0 ? f->lines->v[line].starts : !goes_on(f, line))
			continue;
		beside = text_of(f, side < 0 ? line - 1 : line + 1);
		if (kb_sv_starts(beside, column) && (has_columns(text) || has_columns(beside)))
			return true;
	}
	return false;
}

/* Behind what ends there, and before a sentence, an introduction or a table: a heading stands
 * alone, items in a row. */
static bool is_head(const struct finder *f, size_t line)
{
	const struct kb_line *one = &f->lines->v[line];

	if (one->starts || sentences_of(one) > 1 || !is_open(f, line)
	    || !is_label(text_of(f, line)))
		return false;
	if (!goes_on(f, line)) /* of a section that is another passage */
		return is_row(f, line - 1);
	return (kb_ends_in_stop(last_of(f, line - 1)) || is_row(f, line - 1))
	       && (!is_open(f, line + 1) || is_row(f, line + 1));
}

static enum kb_line_kind kind_alone(const struct finder *f, size_t line)
{
	const struct kb_line_mark *mark = f->sentences[f->lines->v[line].first].mark;

	if (mark && mark->kind == KB_MARK_HEADING)
		return kb_introduces(last_of(f, line)) ? KB_LINE_INTRO : KB_LINE_HEAD;
	if (mark)
		return mark->kind == KB_MARK_CODE ? KB_LINE_CODE : KB_LINE_ITEM;
	if (is_head(f, line))
		return KB_LINE_HEAD;
	if (is_row(f, line))
		return KB_LINE_ROW;
	if (is_marked(text_of(f, line)))
		return KB_LINE_ITEM;
	if (sentences_of(&f->lines->v[line]) == 1 && kb_asks(text_of(f, line)))
		return KB_LINE_ASKS;
	return kb_introduces(last_of(f, line)) ? KB_LINE_INTRO : KB_LINE_PROSE;
}

/* Lines that end in no stop are items where they stand in a row, or behind what introduces them. */
static void find_open_items(const struct finder *f)
{
	struct kb_line *v = f->lines->v;

	for (size_t i = 0; i < f->lines->count; i++) {
		bool after = !v[i].starts
		             && (v[i - 1].kind == KB_LINE_INTRO || v[i - 1].kind == KB_LINE_ITEM);
		bool before = goes_on(f, i) && v[i + 1].kind == KB_LINE_PROSE && is_open(f, i + 1);

		if (v[i].kind == KB_LINE_PROSE && is_open(f, i) && (after || before))
			v[i].kind = KB_LINE_ITEM;
	}
}

/* Of items that end in a stop only the line that introduces them tells: a list has two or more of
 * them, a long line is a paragraph, and so is one of several sentences behind items of one. */
static void find_stopped_items(const struct finder *f)
{
	struct kb_line *v = f->lines->v;

	for (size_t i = 0; i < f->lines->count; i++) {
		size_t end = i + 1;

		if (v[i].kind != KB_LINE_INTRO)
			continue;
		while (end < f->lines->count && !v[end].starts && v[end].kind == KB_LINE_PROSE
		       && v[end].letters <= ITEM_MAX
		       && (end < i + 3 || sentences_of(&v[end]) <= sentences_of(&v[i + 1])))
			end++;
		for (size_t k = i + 1; k < end && end - i > 2; k++)
			v[k].kind = KB_LINE_ITEM;
	}
}

/* Code right behind an item that introduces it is the item's, its last one's too. */
static void find_code_of_items(const struct finder *f)
{
	struct kb_line *v = f->lines->v;
	bool theirs = false; /* the code that the line is in */

	for (size_t i = 0; i < f->lines->count; i++) {
		if (v[i].kind != KB_LINE_CODE || v[i].starts)
			theirs = v[i].kind == KB_LINE_ITEM && kb_introduces(last_of(f, i));
		else if (theirs)
			v[i].kind = KB_LINE_ITEM;
	}
}

/* Steps of a list that its document numbers: code and paragraphs between two of them are theirs. */
static void find_between(const struct finder *f)
{
	struct kb_line *v = f->lines->v;
	size_t last = SIZE_MAX; /* item */

	for (size_t i = 0; i < f->lines->count; i++) {
		const struct kb_line_mark *mark = f->sentences[v[i].first].mark;

		if (v[i].starts || v[i].kind == KB_LINE_HEAD)
			last = SIZE_MAX;
		if (!mark || mark->kind != KB_MARK_ITEM)
			continue;
		for (size_t k = last; mark->number > 1 && k < i; k++)
			v[k].kind = KB_LINE_ITEM;
		last = i;
	}
}

void kb_lines_find(struct kb_arena *arena, const struct kb_line_sentence *sentences, size_t count,
                   struct kb_lines *out)
{
	struct finder f = { sentences, out };

	*out = (struct kb_lines){ KB_NEW_ARRAY(arena, count, struct kb_line), 0,
		                  KB_NEW_ARRAY(arena, count, size_t) };
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || sentences[i].opens || sentences[i].first)
			out->v[out->count++] =
			        (struct kb_line){ .first = i, .starts = sentences[i].first };
		out->of[i] = out->count - 1;
		out->v[out->count - 1].end = i + 1;
		out->v[out->count - 1].letters += sentences[i].letters;
	}
	for (size_t i = 0; i < out->count; i++)
		out->v[i].kind = kind_alone(&f, i);
	find_open_items(&f);
	find_stopped_items(&f);
	find_between(&f);
	find_code_of_items(&f);
}

/* ---- blocks ---- */

static bool is_listed(enum kb_line_kind kind)
{
	return kind == KB_LINE_ITEM || kind == KB_LINE_CODE || kind == KB_LINE_ROW;
}

void kb_lines_block(const struct kb_lines *lines, size_t line, size_t *first, size_t *end)
{
	const struct kb_line *v = lines->v;
	enum kb_line_kind kind = v[line].kind;

	*first = line;
	*end = line + 1;
	if (kind == KB_LINE_INTRO && *end < lines->count && !v[*end].starts)
		kind = v[*end].kind;
	if (is_listed(kind)) {
		while (is_listed(v[*first].kind) && !v[*first].starts && v[*first - 1].kind == kind)
			--*first;
		while (*end < lines->count && !v[*end].starts && v[*end].kind == kind)
			++*end;
		/* What stands before items or code belongs to them, if it is their heading. */
		if (is_listed(v[*first].kind) && !v[*first].starts
		    && (v[*first - 1].kind == KB_LINE_INTRO
		        || (kind != KB_LINE_ROW
		            && (v[*first - 1].kind == KB_LINE_PROSE
		                || v[*first - 1].kind == KB_LINE_HEAD))))
			--*first;
	} else if ((v[line].kind == KB_LINE_INTRO || v[line].kind == KB_LINE_ASKS)
	           && *end < lines->count && !v[*end].starts && kind != KB_LINE_HEAD) {
		++*end;
	}
}
