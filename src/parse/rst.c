/*
 * reStructuredText: sections by their adornments, lists, definitions, literal blocks, tables, and
 * directives, of which notes and their like are text, code is code, and pictures, tables of
 * contents and comments are nothing; of a tree of pages the titles it gives are a list. Inline
 * marks go, as in Markdown.
 *
 * The reader goes by indentation, as the language does: a body is the run of lines that are
 * indented more than the line that leads to it. Bodies within bodies are read by the same function
 * up to a depth; deeper ones are paragraphs.
 *
 * Source: the reStructuredText Markup Specification of Docutils.
 */
#include <stdlib.h>
#include <string.h>

#include "parse/format.h"

enum {
	STYLES_MAX = 12,  /* of adornments, each a level */
	DEPTH_MAX = 12,   /* of bodies in each other */
	COLUMNS_MAX = 64, /* of a table drawn with lines */
	TAB = 8,
	VALUE_MAX = 100, /* bytes of a definition that is a value */
};

struct line {
	struct kb_sv text; /* without blanks at its end */
	uint32_t indent;
};

struct rst {
	struct kb_doc *doc;
	struct line *lines;
	size_t count;
	struct kb_buf text;         /* of the block in hand */
	char styles[STYLES_MAX][2]; /* mark, and whether there is a line above */
	int style_count;
	bool titled, has_tree;
	struct kb_list_count lists;          /* one for each list item we are in */
	size_t item_ends[KB_ITEM_DEPTH_MAX]; /* the line behind the last item of such depth */
};

/* A run of lines whose text begins at `indent` or further right. */
struct body {
	size_t from, end;
	uint32_t indent;
	int depth;
	bool item; /* of a list */
};

static void read_body(struct rst *r, struct body body);

/* ---- lines */

static struct kb_sv bare(const struct rst *r, size_t i)
{
	return kb_sv_trim(r->lines[i].text);
}

static bool is_empty(const struct rst *r, size_t i)
{
	return !r->lines[i].text.n;
}

static void split_lines(struct rst *r, struct kb_sv text)
{
	struct kb_sv rest = text, line;
	size_t capacity = 0;

	while (kb_sv_split(&rest, '\n', &line)) {
		struct line *to;
		size_t n = 0;
		uint32_t indent = 0;

		for (; n < line.n && (line.p[n] == ' ' || line.p[n] == '\t'); n++)
			indent += line.p[n] == '\t' ? TAB - indent % TAB : 1;
		KB_GROW(r->lines, capacity, r->count + 1);
		to = &r->lines[r->count++];
		line = kb_sv_from(line, n);
		while (line.n && strchr(" \t\r", line.p[line.n - 1]))
			line.n--;
		*to = (struct line){ .text = line, .indent = line.n ? indent : 0 };
	}
}

/* The first line at or behind `i` that belongs no longer to what is indented by more than `indent`;
 * empty lines at its end are not of it. */
static size_t body_end(const struct rst *r, size_t i, size_t end, uint32_t indent)
{
	size_t last = i;

	for (; i < end && (is_empty(r, i) || r->lines[i].indent > indent); i++)
		if (!is_empty(r, i))
			last = i + 1;
	return last;
}

static size_t skip_empty(const struct rst *r, size_t i, size_t end)
{
	while (i < end && is_empty(r, i))
		i++;
	return i;
}

/* The indentation of a run: that of its leftmost line. */
static uint32_t indent_of(const struct rst *r, size_t from, size_t end)
{
	uint32_t indent = UINT32_MAX;

	for (size_t i = from; i < end; i++)
		if (!is_empty(r, i))
			indent = KB_MIN(indent, r->lines[i].indent);
	return indent == UINT32_MAX ? 0 : indent;
}

/* ---- inline marks */

/* Bytes beyond ASCII count as letters: marks are ASCII, and stand between words or none at all. */
static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
	       || (unsigned char)c >= 0x80;
}

/* "text <target>" is its text; a role's target alone loses the marks of links. */
static void add_role(struct kb_buf *out, struct kb_sv text)
{
	ptrdiff_t angle = kb_sv_find(text, KB_SV(" <"));

	if (angle > 0 && kb_sv_ends(text, KB_SV(">")))
		text = kb_sv_sub(text, 0, (size_t)angle);
	else if (kb_sv_starts(text, KB_SV("<")) && kb_sv_ends(text, KB_SV(">")))
		text = kb_sv_sub(text, 1, text.n - 2);
	if (kb_sv_starts(text, KB_SV("~")) || kb_sv_starts(text, KB_SV("!")))
		text = kb_sv_from(text, 1);
	kb_buf_sv(out, text);
}

/* Bytes of ":role:" before a backquote; 0: there is none. */
static size_t role_at(struct kb_sv text)
{
	size_t n = 1;

	if (text.n < 3 || text.p[0] != ':' || !is_word(text.p[1]))
		return 0;
	while (n < text.n && (is_word(text.p[n]) || strchr(":+.-_", text.p[n])))
		n++;
	return n < text.n && text.p[n] == '`' && text.p[n - 1] == ':' ? n : 0;
}

/* What stands between the marks at the start of the text, as ``code`` or **words**; the bytes of it
 * all, or 0. A blank inside of a mark makes it a sign of its own ("2 * 3 * 4"), and an empty pair
 * too. */
static size_t between(struct kb_sv text, const char *mark, struct kb_sv *inner)
{
	size_t n = strlen(mark);
	ptrdiff_t end;

	if (!kb_sv_starts(text, kb_sv_str(mark)) || text.n <= 2 * n || strchr(" \n", text.p[n]))
		return 0;
	end = kb_sv_find(kb_sv_from(text, n + 1), kb_sv_str(mark));
	if (end < 0 || strchr(" \n", text.p[n + (size_t)end]))
		return 0;
	*inner = kb_sv_sub(text, n, (size_t)end + 1);
	return 2 * n + (size_t)end + 1;
}

/* Footnotes and links that are named elsewhere: "[1]_", "word_", "`phrase`__". */
static size_t tail_marks(struct kb_sv text)
{
	size_t n = 0;

	while (n < 2 && n < text.n && text.p[n] == '_')
		n++;
	return n && (n == text.n || !is_word(text.p[n])) ? n : 0;
}

static void add_inline(struct kb_buf *out, struct kb_sv text)
{
	for (size_t i = 0; i < text.n;) {
		struct kb_sv here = kb_sv_from(text, i), inner;
		/* A mark within a word is none ("snake_case_name", "x*y*z"). */
		bool starts = !i || !is_word(text.p[i - 1]);
		size_t role = starts ? role_at(here) : 0, n = 0;

		/* What is escaped is itself; an escaped blank only parts a mark from a word. */
		if (here.p[0] == '\\' && here.n > 1) {
			if (here.p[1] != ' ')
				kb_buf_byte(out, here.p[1]);
			i += 2;
			continue;
		}
		if (starts && (n = between(here, "``", &inner)) > 0) {
			kb_buf_sv(out, inner);
		} else if (starts && (n = between(kb_sv_from(here, role), "`", &inner)) > 0) {
			add_role(out, inner);
			n += role;
			n += tail_marks(kb_sv_from(here, n));
		} else if (starts
		           && ((n = between(here, "**", &inner)) > 0
		               || (n = between(here, "*", &inner)) > 0)) {
			add_inline(out, inner);
		} else if (i && (!starts || text.p[i - 1] == ']') && tail_marks(here)) {
			n = tail_marks(here);
		}
		if (!n)
			kb_buf_byte(out, here.p[0]);
		i += n ? n : 1;
	}
}

/* ---- blocks out */

static struct kb_sv gathered(struct rst *r, size_t from, size_t end)
{
	struct kb_buf raw;

	kb_buf_init(&raw, SIZE_MAX / 2);
	for (size_t i = from; i < end; i++) {
		if (i > from)
			kb_buf_byte(&raw, '\n');
		kb_buf_sv(&raw, bare(r, i));
	}
	kb_buf_clear(&r->text);
	add_inline(&r->text, kb_buf_view(&raw));
	kb_buf_fini(&raw);
	return kb_buf_view(&r->text);
}

static void add_text(struct rst *r, const struct body *body, struct kb_sv text)
{
	kb_buf_clear(&r->text);
	add_inline(&r->text, kb_sv_trim(text));
	kb_doc_add(r->doc, body->item ? KB_BLOCK_LIST : KB_BLOCK_PARAGRAPH, kb_buf_view(&r->text));
}

static void add_code(struct rst *r, size_t from, size_t end)
{
	uint32_t indent = indent_of(r, from, end);

	kb_buf_clear(&r->text);
	for (size_t i = from; i < end; i++) {
		if (i > from)
			kb_buf_byte(&r->text, '\n');
		for (uint32_t n = indent; n < r->lines[i].indent; n++)
			kb_buf_byte(&r->text, ' ');
		kb_buf_sv(&r->text, r->lines[i].text);
	}
	kb_doc_add(r->doc, KB_BLOCK_CODE, kb_buf_view(&r->text));
}

/* ---- sections */

/* The mark of a line that is nothing but one mark; 0: it is another. */
static char adornment(struct kb_sv line)
{
	if (line.n < 2 || is_word(line.p[0]) || line.p[0] <= ' '
	    || (line.n < 4 && strchr(".:", line.p[0])))
		return 0;
	for (size_t i = 1; i < line.n; i++)
		if (line.p[i] != line.p[0])
			return 0;
	return line.p[0];
}

/* Characters, nearly: bytes that do not continue one. */
static size_t width(struct kb_sv text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += ((unsigned char)text.p[i] & 0xc0) != 0x80;
	return n;
}

/* Which mark is which level no rule says: the first that is met is the outermost, and the same mark
 * with a line above is another. */
static int level_of(struct rst *r, char mark, bool above)
{
	int i = 0;

	while (i < r->style_count && (r->styles[i][0] != mark || r->styles[i][1] != (char)above))
		i++;
	if (i == r->style_count && i < STYLES_MAX) {
		r->styles[i][0] = mark;
		r->styles[i][1] = (char)above;
		r->style_count++;
	}
	return i + 1;
}

/* Reads a title with its lines of marks; the lines it takes, or 0. */
static size_t read_title(struct rst *r, size_t i, size_t end)
{
	bool above = adornment(r->lines[i].text) && i + 2 < end && !is_empty(r, i + 1)
	             && adornment(r->lines[i + 2].text) == r->lines[i].text.p[0]
	             && !adornment(bare(r, i + 1));
	size_t title = i + above;
	char mark = title + 1 < end ? adornment(r->lines[title + 1].text) : 0;
	struct kb_sv text = bare(r, title);

	/* An indented title is a quotation, but under a line above it may be centred. The line of
	 * marks is to be as long as the title; people count wrong, so three will do. */
	if (!mark || !text.n || adornment(text) || r->lines[title + 1].indent
	    || (!above && r->lines[title].indent)
	    || r->lines[title + 1].text.n + (above ? 3 : 1) < KB_MIN(width(text), (size_t)4)
	    || (!above && r->lines[title + 1].text.n < 3 && width(text) > 3))
		return 0;
	kb_buf_clear(&r->text);
	add_inline(&r->text, text);
	if (!r->titled)
		kb_doc_meta(r->doc, KB_DOC_TITLE, kb_buf_view(&r->text));
	r->titled = true;
	kb_doc_heading(r->doc, level_of(r, mark, above), kb_buf_view(&r->text));
	return above ? 3 : 2;
}

/* ---- tables */

static void add_row(struct rst *r, struct kb_buf *cells, size_t count, bool header)
{
	struct kb_sv row[COLUMNS_MAX];
	size_t used = 0;

	for (size_t c = 0; c < count; c++) {
		struct kb_buf plain;

		kb_buf_init(&plain, SIZE_MAX / 2);
		add_inline(&plain, kb_sv_trim(kb_buf_view(&cells[c])));
		row[c] = kb_arena_sv(r->doc->arena, kb_buf_view(&plain));
		used += row[c].n;
		kb_buf_fini(&plain);
		kb_buf_clear(&cells[c]);
	}
	if (used)
		kb_doc_row(r->doc, row, count, header);
}

struct columns {
	uint32_t at[COLUMNS_MAX + 1]; /* where each begins, and where the last ends */
	size_t count;
};

static void add_cell_line(struct kb_buf *cell, struct kb_sv part)
{
	part = kb_sv_trim(part);
	if (part.n && cell->n)
		kb_buf_byte(cell, ' ');
	kb_buf_sv(cell, part);
}

/* Byte places: tables whose cells hold wide characters are drawn in columns of the screen, so a cut
 * is moved to the next border. */
static size_t border_near(struct kb_sv line, size_t at)
{
	for (size_t i = at; i < line.n && i < at + 40; i++)
		if (line.p[i] == '|' || line.p[i] == '+')
			return i;
	return KB_MIN(at, line.n);
}

/* +---+---+ with | between. */
static size_t read_grid(struct rst *r, size_t i, size_t end)
{
	struct columns columns = { .count = 0 };
	struct kb_buf cells[COLUMNS_MAX];
	struct kb_sv border = r->lines[i].text;
	size_t last = i, heads = 0;

	if (!kb_sv_starts(border, KB_SV("+-")) || border.p[border.n - 1] != '+')
		return 0;
	for (size_t k = 0; k < border.n && columns.count <= COLUMNS_MAX; k++)
		if (border.p[k] == '+')
			columns.at[columns.count++] = (uint32_t)k;
	if (columns.count < 2 || columns.count > COLUMNS_MAX)
		return 0;
	columns.count--; /* the last + ends the last column */
	/* Rows go on to the first line that begins with neither; the heads end at +===+. */
	while (last < end && !is_empty(r, last) && strchr("+|", r->lines[last].text.p[0])) {
		heads = kb_sv_starts(r->lines[last].text, KB_SV("+=")) ? last : heads;
		last++;
	}
	for (size_t c = 0; c < columns.count; c++)
		kb_buf_init(&cells[c], SIZE_MAX / 2);
	kb_doc_table(r->doc);
	for (size_t row = i + 1; row < last; row++) {
		struct kb_sv line = r->lines[row].text;
		size_t from = 0;

		if (kb_sv_starts(line, KB_SV("+-")) || kb_sv_starts(line, KB_SV("+="))) {
			add_row(r, cells, columns.count, row <= heads);
			continue;
		}
		for (size_t c = 0; c < columns.count && from < line.n; c++) {
			size_t to = border_near(line, columns.at[c + 1]);

			add_cell_line(&cells[c],
			              kb_sv_sub(line, from + 1, to - from - (to > from)));
			from = to;
		}
	}
	add_row(r, cells, columns.count, false);
	kb_doc_table_end(r->doc);
	for (size_t c = 0; c < columns.count; c++)
		kb_buf_fini(&cells[c]);
	return last - i;
}

static bool is_rule(struct kb_sv line)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] != '=' && line.p[i] != ' ')
			return false;
	return kb_sv_find(line, KB_SV("= =")) > 0 || kb_sv_find(line, KB_SV("=  =")) > 0;
}

/* ===  === above, below the head, and at the end. */
static size_t read_simple_table(struct rst *r, size_t i, size_t end)
{
	struct columns columns = { .count = 0 };
	struct kb_buf cells[COLUMNS_MAX];
	struct kb_sv rule = r->lines[i].text;
	size_t last = 0, heads = 0;
	uint32_t indent = r->lines[i].indent;

	if (!is_rule(rule))
		return 0;
	for (size_t k = 0; k < rule.n && columns.count < COLUMNS_MAX; k++)
		if (rule.p[k] == '=' && (!k || rule.p[k - 1] == ' '))
			columns.at[columns.count++] = (uint32_t)k;
	columns.at[columns.count] = UINT32_MAX;
	/* To the first empty line behind a rule; before any, one empty line parts rows and two end
	 * it. Where more than one rule follows, the first of them is below the heads. */
	for (size_t k = i + 1; k < end && !(last && is_empty(r, k)); k++)
		if (is_rule(r->lines[k].text)) {
			heads = last && !heads ? last : heads;
			last = k;
		} else if (is_empty(r, k) && k + 1 < end && is_empty(r, k + 1)) {
			break;
		}
	if (!last)
		return 0;
	for (size_t c = 0; c < columns.count; c++)
		kb_buf_init(&cells[c], SIZE_MAX / 2);
	kb_doc_table(r->doc);
	for (size_t row = i + 1; row < last; row++) {
		struct kb_sv line = r->lines[row].text;
		/* Indentation was taken off the text, columns count from the rule's. */
		uint32_t shift = r->lines[row].indent > indent ? r->lines[row].indent - indent : 0;

		if (is_rule(line) || is_empty(r, row))
			continue;
		if (!shift) /* text in the first column begins a row */
			add_row(r, cells, columns.count, heads && row < heads && cells[0].n == 0);
		for (size_t c = 0; c < columns.count; c++) {
			size_t from = columns.at[c] > shift ? columns.at[c] - shift : 0;
			size_t to = columns.at[c + 1] == UINT32_MAX ? line.n
			            : columns.at[c + 1] > shift     ? columns.at[c + 1] - shift
			                                            : 0;

			if (to > from)
				add_cell_line(&cells[c], kb_sv_sub(line, from, to - from));
		}
		/* In a table with heads a rule below a row ends it, whatever its first column. */
		if (heads
		    && (row + 1 == heads || (row + 1 < last && is_rule(r->lines[row + 1].text))))
			add_row(r, cells, columns.count, row < heads);
	}
	add_row(r, cells, columns.count, false);
	kb_doc_table_end(r->doc);
	for (size_t c = 0; c < columns.count; c++)
		kb_buf_fini(&cells[c]);
	return last + 1 - i;
}

/* ---- lists */

/* Bytes of "- ", "* ", "1. ", "#. ", "(a) " at the start of a line; 0: it is no item. */
static size_t item_mark(struct kb_sv line)
{
	size_t i = 0, digits;

	if (line.n > 1 && strchr("-*+", line.p[0]) && line.p[1] == ' ')
		return 2;
	if (kb_sv_starts(line, KB_SV("\xe2\x80\xa2 ")))
		return 4;
	i += kb_sv_starts(line, KB_SV("("));
	digits = i;
	while (i < line.n && i < digits + 3 && line.p[i] >= '0' && line.p[i] <= '9')
		i++;
	if (i == digits && i < line.n
	    && (line.p[i] == '#' || (is_word(line.p[i]) && (unsigned char)line.p[i] < 0x80)))
		i++;
	return i > digits && i + 1 < line.n && strchr(".)", line.p[i]) && line.p[i + 1] == ' '
	               ? i + 2
	               : 0;
}

/* Goes into a list, or on with the one that an item before has left. */
static void begin_item(struct rst *r, size_t i, struct kb_sv mark)
{
	int depth = r->lists.depth;
	int64_t next = depth < KB_ITEM_DEPTH_MAX ? r->lists.next[depth] : -1, number = -1;
	bool goes_on = depth < KB_ITEM_DEPTH_MAX && r->item_ends[depth]
	               && skip_empty(r, r->item_ends[depth], r->count) == i;

	if (mark.n > 2 && mark.p[mark.n - 3] == '#')
		number = goes_on && next > 0 ? next : 1;
	else if (!kb_sv_to_int(kb_sv_sub(mark, 0, mark.n - 2), 0, KB_ITEM_NUMBER_MAX, &number))
		number = -1;
	kb_list_enter(&r->lists, number);
	kb_list_item(&r->lists, r->doc);
}

/* An item: its text, then what is indented under it. */
static size_t read_item(struct rst *r, size_t i, const struct body *around)
{
	size_t mark = item_mark(r->lines[i].text), end;
	struct line *line = &r->lines[i];
	uint32_t indent = line->indent;

	/* The line is read again without its mark, as the first of the item's body, which stands as
	 * far right as the text behind the mark. */
	end = body_end(r, i + 1, around->end, indent);
	begin_item(r, i, kb_sv_sub(line->text, 0, mark));
	line->text = kb_sv_trim(kb_sv_from(line->text, mark));
	line->indent += (uint32_t)mark;
	read_body(r, (struct body){ i, KB_MAX(end, i + 1), line->indent, around->depth + 1, true });
	kb_list_leave(&r->lists);
	kb_doc_item(r->doc, 0, 0);
	if (r->lists.depth < KB_ITEM_DEPTH_MAX)
		r->item_ends[r->lists.depth] = KB_MAX(end, i + 1);
	return KB_MAX(end, i + 1) - i;
}

/* ---- directives */

/* A directive that the table lacks is TEXT: of "note", "warning" and what extensions add, the words
 * count. DROP is for those whose body tells a program something, not a reader. */
enum what {
	DROP, /* with all in it */
	TEXT, /* its title and its body are text */
	TERM, /* its title is a heading over its body */
	BODY, /* its body is text */
	CODE,
	ROWS,   /* a table of comma-separated values */
	LISTED, /* a table written as a list of lists */
	TREE,   /* other pages, perhaps with their titles */
};

static const struct {
	const char *name;
	enum what what;
} directives[] = {
	{ "image", DROP },
	{ "contents", DROP },
	{ "toctree", TREE },
	{ "include", DROP },
	{ "raw", DROP },
	{ "index", DROP },
	{ "highlight", DROP },
	{ "meta", DROP },
	{ "role", DROP },
	{ "default-role", DROP },
	{ "sectionauthor", DROP },
	{ "codeauthor", DROP },
	{ "currentmodule", DROP },
	{ "module", DROP },
	{ "literalinclude", DROP },
	{ "automodule", DROP },
	{ "autoclass", DROP },
	{ "autofunction", DROP },
	{ "sectnum", DROP },
	{ "header", DROP },
	{ "footer", DROP },
	{ "title", DROP },
	{ "tabularcolumns", DROP },
	{ "graphviz", DROP },
	{ "youtube", DROP },
	{ "video", DROP },
	{ "figure", BODY },
	{ "only", BODY },
	{ "ifconfig", BODY },
	{ "class", BODY },
	{ "rst-class", BODY },
	{ "container", BODY },
	{ "compound", BODY },
	{ "function", TERM },
	{ "method", TERM },
	{ "attribute", TERM },
	{ "data", TERM },
	{ "exception", TERM },
	{ "option", TERM },
	{ "cmdoption", TERM },
	{ "envvar", TERM },
	{ "confval", TERM },
	{ "describe", TERM },
	{ "object", TERM },
	{ "dropdown", TERM },
	{ "details", TERM },
	{ "collapse", TERM },
	{ "tab", TERM },
	{ "tab-item", TERM },
	{ "topic", TERM },
	{ "glossary", BODY },
	{ "code", CODE },
	{ "code-block", CODE },
	{ "sourcecode", CODE },
	{ "parsed-literal", CODE },
	{ "prompt", CODE },
	{ "math", CODE },
	{ "doctest", CODE },
	{ "testcode", CODE },
	{ "productionlist", CODE },
	{ "csv-table", ROWS },
	{ "list-table", LISTED },
};

static enum what what_of(struct kb_sv name)
{
	for (size_t i = 0; i < KB_COUNTOF(directives); i++)
		if (kb_sv_ieq_str(name, directives[i].name))
			return directives[i].what;
	return TEXT;
}

/* Whether the first row of a table is its head: ":header-rows: 1". */
static bool has_head(const struct rst *r, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		if (kb_sv_starts(bare(r, i), KB_SV(":header-rows:"))
		    && !kb_sv_ends(bare(r, i), KB_SV(" 0")))
			return true;
	return false;
}

/* Its ":header:" is its first row. */
static void read_csv_table(struct rst *r, size_t from, size_t content, size_t end)
{
	struct kb_err err;
	struct kb_buf text;

	kb_buf_init(&text, SIZE_MAX / 2);
	for (size_t i = from; i < content; i++)
		if (kb_sv_starts(bare(r, i), KB_SV(":header:"))) {
			kb_buf_sv(&text, kb_sv_trim(kb_sv_from(bare(r, i), 8)));
			kb_buf_byte(&text, '\n');
		}
	for (size_t i = content; i < end; i++) {
		kb_buf_sv(&text, r->lines[i].text);
		kb_buf_byte(&text, '\n');
	}
	r->doc->text.failed |= !kb_csv_read(
	        &(struct kb_parse_input){ .bytes = kb_buf_view(&text), .fd = -1 }, r->doc, &err);
	kb_buf_fini(&text);
}

/* "* - a" begins a row, "  - b" goes on with it. */
static void read_list_table(struct rst *r, size_t from, size_t content, size_t end)
{
	struct kb_buf cells[COLUMNS_MAX];
	bool head = has_head(r, from, content);
	size_t count = 0;

	kb_doc_table(r->doc);
	for (size_t i = content; i < end; i++) {
		struct kb_sv line = bare(r, i);
		bool row = kb_sv_starts(line, KB_SV("* "));

		if (row) {
			if (count) {
				add_row(r, cells, count, head);
				head = false;
			}
			for (size_t c = 0; c < count; c++)
				kb_buf_fini(&cells[c]);
			count = 0;
			line = kb_sv_trim(kb_sv_from(line, 2));
		}
		if ((kb_sv_starts(line, KB_SV("- ")) || kb_sv_eq_str(line, "-"))
		    && count < COLUMNS_MAX) {
			kb_buf_init(&cells[count++], SIZE_MAX / 2);
			line = kb_sv_trim(kb_sv_from(line, 1));
		}
		if (count)
			add_cell_line(&cells[count - 1], line);
	}
	if (count)
		add_row(r, cells, count, head);
	for (size_t c = 0; c < count; c++)
		kb_buf_fini(&cells[c]);
	kb_doc_table_end(r->doc);
}

/* Where a directive's options end: ":name: value" lines right below it. */
static size_t after_options(const struct rst *r, size_t i, size_t end)
{
	while (i < end && !is_empty(r, i) && bare(r, i).p[0] == ':'
	       && kb_sv_find_byte(kb_sv_from(bare(r, i), 1), ':') > 0)
		i++;
	return i;
}

/* A box whose text begins on the directive's own line, or has a title of its own; what is left of
 * its body begins at the line given back. */
static size_t read_box(struct rst *r, struct kb_sv title, const struct body *in, size_t content)
{
	size_t end = in->from;

	if (title.n && content == in->from) /* it goes on right below */
		while (end < in->end && !is_empty(r, end))
			end++;
	else
		end = content;
	if (content == in->from && end > in->from)
		title = kb_arena_printf(r->doc->arena, "%.*s\n%.*s", KB_SV_ARG(title),
		                        KB_SV_ARG(gathered(r, in->from, end)));
	add_text(r, in, title);
	return skip_empty(r, end, in->end);
}

/* "Title <path>" a line; a path alone says nothing to readers. */
static void read_tree(struct rst *r, size_t from, size_t end)
{
	r->has_tree = true;
	for (size_t i = from; i < end; i++) {
		struct kb_sv line = bare(r, i);
		ptrdiff_t path = kb_sv_find(line, KB_SV(" <"));

		if (path > 0 && kb_sv_ends(line, KB_SV(">")))
			kb_doc_add(r->doc, KB_BLOCK_LIST, kb_sv_sub(line, 0, (size_t)path));
	}
}

static void read_directive(struct rst *r, struct kb_sv name, struct kb_sv title, struct body in)
{
	enum what what = what_of(name);
	size_t content = skip_empty(r, after_options(r, in.from, in.end), in.end);
	int level = 0;

	switch (what) {
	case DROP:
		return;
	case TREE:
		read_tree(r, content, in.end);
		return;
	case TEXT:
		content = read_box(r, title, &in, content);
		break;
	case TERM:
		level = KB_MIN(kb_doc_level(r->doc) + 1, (int)KB_DOC_LEVELS);
		kb_doc_heading(r->doc, level, title);
		break;
	case CODE:
		if (content < in.end)
			add_code(r, content, in.end);
		else if (kb_sv_find_byte(title, ' ') > 0)
			kb_doc_add(r->doc, KB_BLOCK_CODE, title);
		return;
	case ROWS:
	case LISTED:
		add_text(r, &in, title);
		(what == ROWS ? read_csv_table : read_list_table)(r, in.from, content, in.end);
		return;
	case BODY:
		break;
	}
	if (content < in.end)
		read_body(r, (struct body){ content, in.end, indent_of(r, content, in.end),
		                            in.depth, in.item });
	if (level)
		kb_doc_heading_end(r->doc, level);
}

/* ".. name:: title", ".. [1] note", ".. _target:", ".. |name| image::", ".. a comment". */
static size_t read_explicit(struct rst *r, size_t i, const struct body *around)
{
	struct kb_sv line = kb_sv_trim(kb_sv_from(r->lines[i].text, 2)), name, title;
	size_t end = KB_MAX(body_end(r, i + 1, around->end, r->lines[i].indent), i + 1);
	ptrdiff_t colons = kb_sv_find(line, KB_SV("::"));
	struct body in = { i + 1, end, 0, around->depth + 1, around->item };

	if (around->depth >= DEPTH_MAX)
		return end - i;
	if (kb_sv_starts(line, KB_SV("["))) { /* a footnote or a citation */
		ptrdiff_t close = kb_sv_find_byte(line, ']');

		r->lines[i].text = kb_sv_trim(kb_sv_from(line, close < 0 ? 0 : (size_t)close + 1));
		kb_doc_add(r->doc, KB_BLOCK_PARAGRAPH, gathered(r, i, end));
	} else if (colons > 0 && line.p[0] != '_' && line.p[0] != '|') {
		name = kb_sv_sub(line, 0, (size_t)colons);
		if (kb_sv_find_byte(name, ' ') >= 0) /* a comment that holds the marks */
			return end - i;
		for (ptrdiff_t domain; (domain = kb_sv_find_byte(name, ':')) >= 0;)
			name = kb_sv_from(name, (size_t)domain + 1); /* "py:function" */
		title = kb_sv_trim(kb_sv_from(line, (size_t)colons + 2));
		read_directive(r, name, title, in);
	}
	return end - i;
}

/* ---- paragraphs, definitions, literal blocks */

/* Whether a paragraph ends before this line. */
static bool ends_paragraph(const struct rst *r, size_t i, const struct body *body, uint32_t indent)
{
	return i >= body->end || is_empty(r, i) || r->lines[i].indent != indent;
}

/* The code behind "::", quoted by its indentation. */
static size_t read_literal(struct rst *r, size_t i, const struct body *body, uint32_t indent)
{
	size_t from = skip_empty(r, i, body->end), end = body_end(r, from, body->end, indent);

	if (end > from)
		add_code(r, from, end);
	return KB_MAX(end, i);
}

/* Whether lines [i, end) are one short paragraph: the value of a term rather than a text about it.
 */
static bool is_value(const struct rst *r, size_t i, size_t end)
{
	size_t bytes = 0;

	for (; i < end; i++) {
		if (is_empty(r, i) || item_mark(r->lines[i].text))
			return false;
		bytes += r->lines[i].text.n;
	}
	return bytes < VALUE_MAX;
}

/* The definition in lines [i, end) of the term in the line before. */
static void read_definition(struct rst *r, size_t i, size_t end, const struct body *body)
{
	struct kb_sv term = kb_arena_sv(r->doc->arena, gathered(r, i - 1, i));
	int level = KB_MIN(kb_doc_level(r->doc) + 1, (int)KB_DOC_LEVELS);

	if (is_value(r, i, end) && !kb_sv_ends(term, KB_SV("?"))) {
		struct kb_sv value = gathered(r, i, end);

		kb_doc_add(r->doc, KB_BLOCK_LIST,
		           kb_arena_printf(r->doc->arena, "%.*s: %.*s", KB_SV_ARG(term),
		                           KB_SV_ARG(value)));
		return;
	}
	kb_doc_heading(r->doc, level, term);
	read_body(r, (struct body){ i, end, indent_of(r, i, end), body->depth + 1, false });
	kb_doc_heading_end(r->doc, level);
}

static size_t read_paragraph(struct rst *r, size_t i, const struct body *body)
{
	uint32_t indent = r->lines[i].indent;
	size_t from = i;
	struct kb_sv text;
	bool literal;

	for (i++; !ends_paragraph(r, i, body, indent); i++)
		;
	text = bare(r, i - 1);
	literal = kb_sv_ends(text, KB_SV("::"));
	if (literal) /* "so:" and the code, or the marks alone */
		r->lines[i - 1].text.n -= text.n == 2 ? 2 : 1;
	/* One line, with its definition indented right below. */
	else if (i == from + 1 && i < body->end && !is_empty(r, i) && r->lines[i].indent > indent
	         && body->depth < DEPTH_MAX && !body->item && !strchr(".:", text.p[text.n - 1])) {
		size_t end = body_end(r, i, body->end, indent);

		read_definition(r, i, end, body);
		return end - from;
	}
	text = gathered(r, from, i);
	if (kb_sv_trim(text).n)
		kb_doc_add(r->doc, body->item ? KB_BLOCK_LIST : KB_BLOCK_PARAGRAPH, text);
	if (literal)
		i = read_literal(r, i, body, indent);
	return i - from;
}

/* ":name: value" of a field list: "name: value". */
static size_t read_field(struct rst *r, size_t i, const struct body *body)
{
	struct kb_sv line = r->lines[i].text, value;
	ptrdiff_t close = kb_sv_find(kb_sv_from(line, 1), KB_SV(":"));
	size_t end;

	if (line.p[0] != ':' || close < 1 || strchr(" `", line.p[1])
	    || (line.n > (size_t)close + 2 && line.p[close + 2] != ' '))
		return 0;
	end = KB_MAX(body_end(r, i + 1, body->end, r->lines[i].indent), i + 1);
	value = kb_sv_trim(kb_sv_from(line, (size_t)close + 2));
	r->lines[i].text =
	        kb_arena_printf(r->doc->arena, "%.*s: %.*s",
	                        KB_SV_ARG(kb_sv_sub(line, 1, (size_t)close)), KB_SV_ARG(value));
	if (value.n || end > i + 1)
		kb_doc_add(r->doc, KB_BLOCK_LIST, gathered(r, i, end));
	return end - i;
}

static size_t read_line_block(struct rst *r, size_t i, const struct body *body)
{
	size_t from = i;

	for (; i < body->end && kb_sv_starts(r->lines[i].text, KB_SV("|")); i++)
		r->lines[i].text = kb_sv_trim(kb_sv_from(r->lines[i].text, 1));
	if (i > from)
		kb_doc_add(r->doc, KB_BLOCK_PARAGRAPH, gathered(r, from, i));
	return i - from;
}

static size_t read_doctest(struct rst *r, size_t i, const struct body *body)
{
	size_t from = i;

	if (!kb_sv_starts(r->lines[i].text, KB_SV(">>> ")))
		return 0;
	while (i < body->end && !is_empty(r, i))
		i++;
	add_code(r, from, i);
	return i - from;
}

/* The lines that the block at line i takes. The order matters: a title's line of marks is a table's
 * border or a line across as well, and whatever nothing takes is a paragraph. */
static size_t read_block(struct rst *r, size_t i, const struct body *body)
{
	struct kb_sv line = r->lines[i].text;
	bool outermost = !body->depth && r->lines[i].indent <= body->indent;
	size_t n = 0;

	if (outermost)
		n = read_title(r, i, body->end);
	if (!n && (kb_sv_starts(line, KB_SV(".. ")) || kb_sv_eq_str(line, "..")))
		return read_explicit(r, i, body);
	if (!n && kb_sv_starts(line, KB_SV("__ ")))
		return 1; /* the target of a link without a name */
	if (!n)
		n = read_grid(r, i, body->end);
	if (!n)
		n = read_simple_table(r, i, body->end);
	if (!n && adornment(line) && line.n > 3)
		return 1; /* a line across */
	if (!n && body->depth < DEPTH_MAX && item_mark(line))
		return read_item(r, i, body);
	if (!n)
		n = read_line_block(r, i, body);
	if (!n)
		n = read_field(r, i, body);
	if (!n)
		n = read_doctest(r, i, body);
	return n ? n : read_paragraph(r, i, body);
}

static void read_body(struct rst *r, struct body body)
{
	for (size_t i = body.from; i < body.end;)
		i += is_empty(r, i) ? 1 : read_block(r, i, &body);
}

static bool has_text(const struct kb_doc *doc)
{
	for (size_t i = 0; i < doc->block_count; i++)
		if (doc->blocks[i].type != KB_BLOCK_HEADING)
			return true;
	return false;
}

bool kb_rst_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	struct rst r = { .doc = doc };

	split_lines(&r, kb_input_text(in, doc->arena));
	kb_buf_init(&r.text, doc->text.max);
	read_body(&r, (struct body){ .end = r.count });
	kb_buf_fini(&r.text);
	free(r.lines);
	return !r.has_tree || has_text(doc)
	       || kb_fail(
	               err, KB_E_INVALID,
	               "the page is only a table of contents: it leads to other pages and has no "
	               "text of its own");
}
