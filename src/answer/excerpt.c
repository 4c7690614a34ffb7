#include "answer/excerpt.h"

#include <string.h>

#include "answer/blocks.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "index/sentence.h"
#include "index/unicode.h"

enum {
	TEXT_MAX = 1 << 20,
	HEADING_MAX = 80,
	TRIM_MAX = 300, /* bytes at the end of a sentence that are looked at */
};

/* ---- cleaning ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* How many bytes a mark has that begins with `open` and ends with `close` on the same line; 0: it
 * is none. */
static size_t enclosed(struct kb_sv text, const char *open, const char *close)
{
	struct kb_sv from = kb_sv_str(open), to = kb_sv_str(close);
	ptrdiff_t at;

	if (!kb_sv_starts(text, from))
		return 0;
	at = kb_sv_find(kb_sv_from(text, from.n), to);
	return at < 0 ? 0 : from.n + (size_t)at + to.n;
}

/* "[^1]"; "[^a-z]" is meant. */
static size_t footnote(struct kb_sv text)
{
	size_t n = enclosed(text, "[^", "]");

	for (size_t i = 2; i + 1 < n; i++)
		if (text.p[i] < '0' || text.p[i] > '9')
			return 0;
	return n;
}

/* What says how something is made, and nothing to who reads it. */
static size_t debris(struct kb_sv text)
{
	static const struct {
		const char *open, *close;
	} marks[] = {
		{ "{{<", ">}}" }, { "{{%", "%}}" }, { "{%", "%}" },    { "{#", "}" },
		{ "{:", "}" },    { "{.", "}" },    { "<!--", "-->" },
	};
	size_t n = 0;

	for (size_t i = 0; !n && i < KB_COUNTOF(marks); i++)
		n = enclosed(text, marks[i].open, marks[i].close);
	if (!n)
		n = footnote(text);
	if (!n && kb_sv_starts(text, KB_SV("**")))
		n = 2;
	return n ? n : text.n && text.p[0] == '`';
}

/* "[words](address)", of a picture too: its words; 0 bytes: it is none. */
static size_t link_of(struct kb_sv text, struct kb_sv *words)
{
	size_t open = kb_sv_starts(text, KB_SV("![")) ? 2 : 1;
	ptrdiff_t middle, end;

	if (text.n < 4 || (text.p[0] != '[' && open == 1))
		return 0;
	middle = kb_sv_find(text, KB_SV("]("));
	if (middle < (ptrdiff_t)open)
		return 0;
	*words = kb_sv_sub(text, open, (size_t)middle - open);
	end = kb_sv_find_byte(kb_sv_from(text, (size_t)middle), ')');
	if (kb_sv_find_byte(*words, '[') >= 0 || end < 0)
		return 0;
	return (size_t)middle + (size_t)end + 1;
}

static void say(struct kb_buf *buf, size_t from, char c)
{
	bool blank = is_blank(c);

	if (blank && (buf->n == from || is_blank(buf->p[buf->n - 1])))
		return;
	kb_buf_byte(buf, blank ? ' ' : c);
}

/* Within a line. `cells`: its bars part cells. */
static void clean_words(struct kb_buf *buf, struct kb_sv text, bool cells)
{
	size_t from = buf->n;

	for (size_t i = 0; i < text.n;) {
		struct kb_sv rest = kb_sv_from(text, i), words;
		size_t n = debris(rest);

		if (n) {
			i += n;
		} else if ((n = link_of(rest, &words))) {
			for (size_t k = 0; k < words.n; k++)
				say(buf, from, words.p[k]);
			i += n;
		} else if (cells && rest.p[0] == '|') {
			say(buf, from, ' ');
			kb_buf_str(buf, "· ");
			while (++i < text.n && is_blank(text.p[i]))
				;
		} else {
			say(buf, from, rest.p[0]);
			i++;
		}
	}
}

/* Whether there are no words in the line: what parts others, or is drawn under a heading. */
static bool is_rule(struct kb_sv line)
{
	for (size_t i = 0; i < line.n; i++)
		if (!strchr("|-:=*_~+` ", line.p[i]))
			return false;
	return true;
}

static void clean_line(struct kb_buf *buf, struct kb_sv line)
{
	bool cells = line.n > 2 && line.p[0] == '|' && line.p[line.n - 1] == '|';
	size_t marks = 0;

	while (marks < line.n && (line.p[marks] == '#' || line.p[marks] == '>'))
		marks++;
	if (marks && marks < line.n && is_blank(line.p[marks]))
		line = kb_sv_trim(kb_sv_from(line, marks));
	if (cells)
		line = kb_sv_trim(kb_sv_sub(line, 1, line.n - 2));
	if (line.n > 2 && strchr("-*+", line.p[0]) && is_blank(line.p[1])) {
		kb_buf_str(buf, "• ");
		line = kb_sv_trim(kb_sv_from(line, 2));
	}
	clean_words(buf, line, cells);
}

struct kb_sv kb_excerpt_clean(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_sv rest = text, line, out;
	struct kb_buf buf;

	kb_buf_init(&buf, TEXT_MAX);
	while (kb_sv_split(&rest, '\n', &line)) {
		size_t before = buf.n;

		line = kb_sv_trim(line);
		if (is_rule(line))
			continue;
		if (before)
			kb_buf_byte(&buf, '\n');
		clean_line(&buf, line);
		while (buf.n > before && is_blank(buf.p[buf.n - 1]))
			buf.n--;
		/* Nothing is left of it. */
		if (buf.n == before + (before > 0))
			buf.n = before;
	}
	out = kb_arena_sv(arena, kb_sv_trim(kb_buf_view(&buf)));
	kb_buf_fini(&buf);
	return out;
}

struct kb_sv kb_excerpt_trim(struct kb_sv sentence)
{
	size_t from = sentence.n > TRIM_MAX ? sentence.n - TRIM_MAX : 0;
	bool words = false;

	for (size_t i = sentence.n; i-- > from;) {
		struct kb_sv rest = kb_sv_from(sentence, i);

		if (!strchr("[{<", rest.p[0]) || !debris(rest) || debris(rest) < kb_sv_trim(rest).n)
			continue;
		sentence = kb_sv_trim(kb_sv_sub(sentence, 0, i));
		i = sentence.n;
	}
	for (size_t i = 0; i < sentence.n; i++)
		words = words || !strchr("|-:=*_~+`#> .", sentence.p[i]);
	return words ? sentence : KB_SV("");
}

/* ---- which sentences ---- */

/* The beginning of what is too long by itself, to the end of a word. */
static struct kb_sv cut(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_sv head = kb_line_head(text, KB_EXCERPT_LETTERS - 1);
	size_t end = head.n;

	while (end && !is_blank(head.p[end - 1]) && head.p[end - 1] != '\n')
		end--;
	/* Of a script without blanks, where it is full. */
	head = kb_sv_trim(kb_sv_sub(head, 0, end > head.n / 2 ? end : head.n));
	return kb_arena_printf(arena, "%.*s…", KB_SV_ARG(head));
}

struct sentences {
	struct kb_sv text;
	struct kb_sentence *v;
	size_t count;
};

static struct kb_sv sentence(const struct sentences *all, size_t i)
{
	return kb_sv_sub(all->text, all->v[i].start, all->v[i].end - all->v[i].start);
}

/* Sentences first to end - 1. */
static struct kb_sv span(struct kb_arena *arena, const struct sentences *all, size_t first,
                         size_t end)
{
	return kb_excerpt_clean(arena, kb_sv_sub(all->text, all->v[first].start,
	                                         all->v[end - 1].end - all->v[first].start));
}

/* A few words without a stop, which are no item or row. */
static bool is_label(struct kb_sv text)
{
	return text.n <= HEADING_MAX && !kb_ends_in_stop(text) && !kb_introduces(text)
	       && !strchr("-*+|0123456789", text.p[0]);
}

/* A label between two whole sentences stands above another section; labels in a row are a list. */
static bool is_heading(const struct sentences *all, size_t i)
{
	return is_label(sentence(all, i)) && (i == 0 || kb_ends_in_stop(sentence(all, i - 1)))
	       && i + 1 < all->count && kb_ends_in_stop(sentence(all, i + 1));
}

/* At the end of an excerpt: what leads to what is not there. */
static bool is_loose(const struct sentences *all, size_t i)
{
	return i + 1 < all->count
	       && (kb_introduces(sentence(all, i)) || is_label(sentence(all, i)));
}

static bool fits(struct kb_sv text)
{
	return kb_line_letters(text) <= KB_EXCERPT_LETTERS;
}

struct kb_sv kb_excerpt_of(struct kb_arena *arena, struct kb_sv text, size_t at)
{
	struct sentences all = { .text = text };
	struct kb_sv whole, more;
	size_t first = 0, end;

	kb_sentences(arena, text, &all.v, &all.count);
	while (first + 1 < all.count && all.v[first].end <= at)
		first++;
	if (!all.count)
		return KB_SV("");
	end = first + 1;
	whole = span(arena, &all, first, end);
	for (; end < all.count && !is_heading(&all, end); end++, whole = more) {
		more = span(arena, &all, first, end + 1);
		if (!fits(more))
			break;
	}
	if (end - first > 1 && is_loose(&all, end - 1))
		whole = span(arena, &all, first, --end);
	for (; first > 0 && !is_heading(&all, first - 1); first--, whole = more) {
		more = span(arena, &all, first - 1, end);
		if (!fits(more))
			break;
	}
	return fits(whole) ? whole : cut(arena, whole);
}

/* ---- copies ---- */

/* Its letters and digits, without case. */
static struct kb_sv squeezed(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_sv out;
	struct kb_buf buf;

	kb_buf_init(&buf, TEXT_MAX);
	for (size_t i = 0; i < text.n;) {
		uint32_t cp;
		char bytes[4];

		i += kb_utf8_decode(kb_sv_from(text, i), &cp);
		if (kb_char_kind(cp) != KB_CHAR_BREAK && kb_char_kind(cp) != KB_CHAR_IGNORED)
			kb_buf_add(&buf, bytes, kb_utf8_encode(kb_char_lower(cp), bytes));
	}
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

bool kb_excerpt_has(struct kb_arena *arena, struct kb_sv excerpt, struct kb_sv other)
{
	return kb_sv_find(squeezed(arena, excerpt), squeezed(arena, other)) >= 0;
}
