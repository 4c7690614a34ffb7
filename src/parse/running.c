#include "parse/running.h"

#include <stdlib.h>

#include "base/hash.h"

enum {
	EDGE_LINES = 3,       /* at each edge of a page that may be a head or a foot */
	LINE_MAX_BYTES = 160, /* and is no longer */
	REPEAT_PAGES = 3,     /* what comes on so many pages … */
	REPEAT_SHARE = 4,     /* … and on one in so many … */
	REPEAT_ENOUGH = 12,   /* … which are that many at most, is one */
	COUNTERS_MAX = 4,     /* figures of a line that may count pages */
	DIGITS_MAX = 5,       /* of a page's number */
};
static const float edge_share = 0.13f; /* of the page's height; a line is no higher either */

/* ---- collecting */

/* A page's lines at an edge are the last of the list, among those at its other edge. */
void kb_running_add(struct kb_running *running, uint32_t page, void *what, struct kb_sv text,
                    float from, float to)
{
	bool top = from < 1 - to;
	struct kb_edge_line line = {
		.text = text, .what = what, .page = page, .at = top ? from : 1 - to, .top = top
	};
	struct kb_edge_line *farthest = NULL;
	int there = 0;

	if (line.at >= edge_share || to - from >= edge_share || !text.n || text.n > LINE_MAX_BYTES)
		return;
	for (size_t i = running->count; i && running->lines[i - 1].page == page; i--) {
		struct kb_edge_line *other = &running->lines[i - 1];

		if (other->top != top)
			continue;
		there++;
		if (!farthest || other->at > farthest->at)
			farthest = other;
	}
	if (there == EDGE_LINES) {
		if (line.at < farthest->at)
			*farthest = line;
		return;
	}
	KB_GROW(running->lines, running->capacity, running->count + 1);
	running->lines[running->count++] = line;
}

void kb_running_fini(struct kb_running *running)
{
	free(running->lines);
	*running = (struct kb_running){ 0 };
}

/* ---- figures that count pages */

struct figure {
	size_t from, end;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c & 0x80) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool next_figure(struct kb_sv text, size_t from, struct figure *figure)
{
	while (from < text.n && !is_digit(text.p[from]))
		from++;
	figure->from = figure->end = from;
	while (figure->end < text.n && is_digit(text.p[figure->end]))
		figure->end++;
	return figure->end > from;
}

/* What stands before a page's number, without the blanks and dots between. */
static struct kb_sv before(struct kb_sv text, size_t at)
{
	struct kb_sv left = kb_sv_sub(text, 0, at);

	while (left.n && (left.p[left.n - 1] == ' ' || left.p[left.n - 1] == '.'))
		left.n--;
	return left;
}

static struct kb_sv after(struct kb_sv text, size_t at)
{
	while (at < text.n && (text.p[at] == ' ' || text.p[at] == '.'))
		at++;
	return kb_sv_from(text, at);
}

/* Marks that are set between, or round, a page's number and what else stands in the line. Dashes
 * count only where there are no words: "Invoice - 3" has one too. */
static const char *const bars[] = { "|", "\xc2\xb7", "\xe2\x80\xa2" };
static const char *const dashes[] = { "\xe2\x80\x93", "\xe2\x80\x94", "\xe2\x80\x92",
	                              "\xe2\x88\x92" };

/* The length of the mark that the text begins with, or 0. */
static size_t mark_at(struct kb_sv text, const char *const *marks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (kb_sv_starts(text, kb_sv_str(marks[i])))
			return kb_sv_str(marks[i]).n;
	return 0;
}

static bool has_words(struct kb_sv text)
{
	for (size_t i = 0; i < text.n;) {
		struct kb_sv rest = kb_sv_from(text, i);
		size_t mark = mark_at(rest, bars, KB_COUNTOF(bars));

		mark = mark ? mark : mark_at(rest, dashes, KB_COUNTOF(dashes));
		if (!mark && is_letter(text.p[i]))
			return true;
		i += mark ? mark : 1;
	}
	return false;
}

/* Money, shares and numbers of things are no pages. */
static bool has_unit(struct kb_sv text)
{
	static const char *const units[] = { "$",        "%",        "#",       "\xe2\x82\xac",
		                             "\xc2\xa3", "\xc2\xa5", "\xc2\xb0" };

	for (size_t i = 0; i < KB_COUNTOF(units); i++)
		if (kb_sv_find(text, kb_sv_str(units[i])) >= 0)
			return true;
	return false;
}

/* One of several figures that a dot, colon, slash or hyphen joins: "412.50", "14:03", "3/9",
 * "27/11/26". A page may stand with one other behind a slash or a hyphen. */
static bool is_part(struct kb_sv text, struct figure figure)
{
	size_t from = figure.from, end = figure.end, others = 0;

	while (from > 1 && is_digit(text.p[from - 2]) && !is_letter(text.p[from - 1])
	       && text.p[from - 1] != ' ') {
		if (text.p[from - 1] != '/' && text.p[from - 1] != '-')
			return true;
		for (from--, others++; from && is_digit(text.p[from - 1]);)
			from--;
	}
	while (end + 1 < text.n && is_digit(text.p[end + 1]) && !is_letter(text.p[end])
	       && text.p[end] != ' ') {
		if (text.p[end] != '/' && text.p[end] != '-')
			return true;
		for (end++, others++; end < text.n && is_digit(text.p[end]);)
			end++;
	}
	return others > 1;
}

/* "Page", "Seite", … before the figure. */
static bool follows_page_word(struct kb_sv text, size_t at)
{
	static const char *const words[] = {
		"page",
		"pages",
		"p",
		"pp",
		"pg",
		"pag",
		"p\xc3\xa1g",
		"p\xc3\xa1gina",
		"pagina",
		"seite",
		"s",
		"bl",
		"blatt",
		"sheet",
		"folio",
		"sida",
		"side",
		"sivu",
		"strona",
		"str",
		"strana",
		"stranica",
		"stran",
		"lapa",
		"puslapis",
		"lk",
		"sayfa",
		"trang",
		"halaman",
		"hal",
		"orria",
		"leathanach",
		"\xd1\x81\xd1\x82\xd1\x80",                                         /* стр */
		"\xd0\xa1\xd1\x82\xd1\x80",                                         /* Стр */
		"\xd1\x81\xd1\x82\xd1\x80\xd0\xb0\xd0\xbd\xd0\xb8\xd1\x86\xd0\xb0", /* страница */
		"\xd0\xa1\xd1\x82\xd1\x80\xd0\xb0\xd0\xbd\xd0\xb8\xd1\x86\xd0\xb0", /* Страница */
		"\xd1\x81\xd1\x82\xd0\xbe\xd1\x80\xd1\x96\xd0\xbd\xd0\xba\xd0\xb0", /* сторінка */
		"\xd0\xa1\xd1\x82\xd0\xbe\xd1\x80\xd1\x96\xd0\xbd\xd0\xba\xd0\xb0", /* Сторінка */
		"\xcf\x83\xce\xb5\xce\xbb\xce\xaf\xce\xb4\xce\xb1",             /* σελίδα */
		"\xce\xa3\xce\xb5\xce\xbb\xce\xaf\xce\xb4\xce\xb1",             /* Σελίδα */
		"\xd8\xb5\xd9\x81\xd8\xad\xd8\xa9",                             /* صفحة */
		"\xd8\xb5\xd9\x81\xd8\xad\xd9\x87",                             /* صفحه */
		"\xd7\xa2\xd7\x9e\xd7\x95\xd7\x93",                             /* עמוד */
		"\xe0\xa4\xaa\xe0\xa5\x83\xe0\xa4\xb7\xe0\xa5\x8d\xe0\xa4\xa0", /* पृष्ठ */
		"\xe0\xb8\xab\xe0\xb8\x99\xe0\xb9\x89\xe0\xb8\xb2",             /* หน้า */
		"\xe7\xac\xac",                                                 /* 第 */
	};
	struct kb_sv left = before(text, at);
	size_t from = left.n;

	while (from && is_letter(left.p[from - 1]))
		from--;
	left = kb_sv_from(left, from);
	for (size_t i = 0; left.n && i < KB_COUNTOF(words); i++)
		if (kb_sv_ieq(left, kb_sv_str(words[i])))
			return true;
	return false;
}

/* "3. oldal", "3ページ". */
static bool precedes_page_word(struct kb_sv text, size_t end)
{
	static const char *const words[] = {
		"oldal",        "\xe9\xa0\x81",
		"\xe9\xa1\xb5", "\xe3\x83\x9a\xe3\x83\xbc\xe3\x82\xb8",
		"\xec\xaa\xbd", "\xed\x8e\x98\xec\x9d\xb4\xec\xa7\x80"
	};
	struct kb_sv right = after(text, end);

	for (size_t i = 0; i < KB_COUNTOF(words); i++)
		if (kb_sv_istarts(right, kb_sv_str(words[i])))
			return true;
	return false;
}

/* A line of "3 of 9" alone. */
static bool is_share_of_pages(struct kb_sv text, struct figure figure)
{
	static const char *const words[] = { "of", "von", "de",
		                             "di", "sur", "van",
		                             "av", "af",  "\xd0\xb8\xd0\xb7" };
	struct kb_sv right = after(text, figure.end);
	struct figure all;

	if (before(text, figure.from).n)
		return false;
	for (size_t i = 0; i < KB_COUNTOF(words); i++)
		if (kb_sv_istarts(right, kb_sv_str(words[i]))) {
			right = after(right, kb_sv_str(words[i]).n);
			return next_figure(right, 0, &all) && !all.from && all.end == right.n;
		}
	return false;
}

/* At one end of the line, with a bar between it and the words. */
static bool stands_behind_bar(struct kb_sv text, struct figure figure)
{
	struct kb_sv left = before(text, figure.from), right = after(text, figure.end);

	if (!left.n)
		return mark_at(right, bars, KB_COUNTOF(bars)) > 0;
	for (size_t i = 0; !right.n && i < KB_COUNTOF(bars); i++)
		if (kb_sv_ends(left, kb_sv_str(bars[i])))
			return true;
	return false;
}

/* Whether the figure is where a page's number stands, whatever it is. */
static bool may_count_pages(struct kb_sv text, struct figure figure)
{
	if (figure.end - figure.from > DIGITS_MAX || is_part(text, figure) || has_unit(text))
		return false;
	return !has_words(text) || follows_page_word(text, figure.from)
	       || precedes_page_word(text, figure.end) || is_share_of_pages(text, figure)
	       || stands_behind_bar(text, figure);
}

/* ---- what repeats */

/* That a line is another's equal, in one way. */
struct claim {
	uint64_t key;
	size_t line;
	bool top;
};

static bool is_same(const struct claim *x, const struct claim *y)
{
	return x->key == y->key && x->top == y->top;
}

static int by_key(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	if (x->top != y->top)
		return x->top ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* The line without blanks and capitals; the figure that counts pages, if there is one, as what it
 * is ahead of them, which is the same on each. */
static uint64_t key_of(const struct kb_edge_line *line, const struct figure *counter)
{
	char key[LINE_MAX_BYTES + sizeof(int64_t) + 1];
	size_t n = 0;
	int64_t ahead = 0;

	for (size_t i = 0; i < line->text.n; i++) {
		char c = line->text.p[i];

		if (counter && i >= counter->from && i < counter->end) {
			ahead = ahead * 10 + (c - '0');
			c = '\1';
		}
		if (c != ' ' && !(c == '\1' && n && key[n - 1] == '\1'))
			key[n++] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
	}
	ahead -= line->page;
	for (size_t i = 0; counter && i < sizeof(ahead); i++)
		key[n++] = (char)(ahead >> (8 * i));
	return kb_hash64(kb_sv(key, n));
}

static size_t claims_of(const struct kb_running *running, size_t i, struct claim *out)
{
	const struct kb_edge_line *line = &running->lines[i];
	struct figure figure = { 0, 0 };
	size_t count = 0;

	out[count++] = (struct claim){ key_of(line, NULL), i, line->top };
	while (count <= COUNTERS_MAX && next_figure(line->text, figure.end, &figure))
		if (may_count_pages(line->text, figure))
			out[count++] = (struct claim){ key_of(line, &figure), i, line->top };
	return count;
}

/* Marks the lines of equal claims where they are on enough pages; where the next ones begin. */
static size_t judge(struct kb_running *running, const struct claim *claims, size_t count,
                    size_t least)
{
	size_t end = 0, pages = 0;

	for (; end < count && is_same(&claims[0], &claims[end]); end++)
		pages += !end
		         || running->lines[claims[end].line].page
		                    != running->lines[claims[end - 1].line].page;
	for (size_t i = 0; pages >= least && i < end; i++)
		running->lines[claims[i].line].runs = true;
	return end;
}

void kb_running_find(struct kb_running *running, size_t pages)
{
	size_t share = KB_MIN((pages + REPEAT_SHARE - 1) / REPEAT_SHARE, (size_t)REPEAT_ENOUGH);
	size_t least = KB_MAX(share, (size_t)REPEAT_PAGES), count = 0;
	struct claim *claims;

	if (running->count < least)
		return;
	claims = kb_xcalloc(running->count, (1 + COUNTERS_MAX) * sizeof(*claims));
	for (size_t i = 0; i < running->count; i++)
		count += claims_of(running, i, claims + count);
	qsort(claims, count, sizeof(*claims), by_key);
	for (size_t i = 0; i < count;)
		i += judge(running, claims + i, count - i, least);
	free(claims);
}
