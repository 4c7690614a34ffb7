/*
 * What documentation tools add to Markdown, put into words that Markdown has.
 *
 * MkDocs, Docusaurus, VuePress, VitePress, Starlight, Mintlify, GitBook, Hugo, Jekyll and Hexo
 * write boxes (":::note", "!!! tip"), folded questions ("???", <details>, <Accordion
 * question="…">), tabs, tags ("{% … %}", "{{< … >}}"), imports and tables of contents. None of it
 * is prose. A box gives its title as a paragraph and its text; a folded question, a shortcode's
 * too, becomes a heading one level below the one it stands under, and its end a comment that the
 * reader of Markdown takes the level back at. So does a question of a list of definitions; another
 * term stands before its meanings. Code is left as it is. Line by line, in one pass; what is not
 * understood stays.
 */
#include "parse/markdown_plain.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"

enum {
	BOXES_MAX = 16,     /* boxes and components in each other; deeper ones have no end */
	MARKUP_MAX = 3000,  /* bytes of one tag or span of code; so that time grows with the text */
	TAG_LINES_MAX = 40, /* lines of one tag of a component */
	TITLE_MAX = 300,    /* bytes of a heading made of a component's title */
	INDENT = 4,         /* of what stands in a box of MkDocs */
	TERM_INDENT = 1,    /* of what goes on behind the first line of a term's meaning */
	LEVELS = 6,
	FENCE_MAX = 200, /* marks of a fence that are told apart */
};

enum box_kind { BOX_COLONS, BOX_INDENT, BOX_ELEMENT, BOX_TAG };

struct box {
	enum box_kind kind;
	size_t size;       /* colons, or the columns that its lines are indented by */
	struct kb_sv name; /* of the element or the tool's markup */
	int level;         /* of the heading it has; 0: none */
	int around;        /* the level before it */
};

struct plain {
	struct kb_arena *arena;
	struct kb_buf out;
	struct kb_sv rest; /* the lines that come */
	struct box boxes[BOXES_MAX];
	size_t box_count;
	int level;  /* of the heading in force */
	char fence; /* '`' or '~' within code; 0: without */
	size_t fence_size;
	bool tag_code; /* the code began with a tag: {% codeblock %} */
	bool blank;    /* the line before was empty */
	bool dropping; /* lines of an export, up to an empty one */
};

/* ---- lines out */

static void put_line(struct plain *p, struct kb_sv line)
{
	kb_buf_sv(&p->out, line);
	kb_buf_byte(&p->out, '\n');
	p->blank = !kb_sv_trim(line).n;
}

static void put_blank(struct plain *p)
{
	if (!p->blank)
		put_line(p, KB_SV(""));
}

/* A paragraph of its own; nothing for an empty one. */
static void put_paragraph(struct plain *p, struct kb_sv text)
{
	put_blank(p);
	if (!kb_sv_trim(text).n)
		return;
	put_line(p, kb_sv_trim(text));
	put_blank(p);
}

/* A heading one level below the one in force; returns the level. */
static int put_question(struct plain *p, struct kb_sv text)
{
	int level = KB_MIN(p->level + 1, LEVELS);

	put_blank(p);
	kb_buf_add(&p->out, "######", (size_t)level);
	kb_buf_byte(&p->out, ' ');
	put_line(p, text);
	put_blank(p);
	return level;
}

/* ---- boxes */

static struct box *open_box(struct plain *p, enum box_kind kind, size_t size, struct kb_sv name)
{
	struct box *box;

	if (p->box_count == BOXES_MAX)
		return NULL;
	box = &p->boxes[p->box_count++];
	*box = (struct box){ .kind = kind, .size = size, .name = name, .around = p->level };
	return box;
}

static void title_box(struct plain *p, struct box *box, struct kb_sv title, bool folded)
{
	title = kb_sv_trim(kb_sv_sub(title, 0, TITLE_MAX));
	if (box && folded && title.n)
		p->level = box->level = put_question(p, title);
	else
		put_paragraph(p, title);
}

static void close_box(struct plain *p)
{
	const struct box *box = &p->boxes[--p->box_count];

	put_blank(p);
	if (!box->level)
		return;
	kb_buf_printf(&p->out, KB_MARKDOWN_END, box->level);
	put_line(p, KB_SV(""));
	put_blank(p);
	p->level = box->around;
}

/* Closes the innermost box that fits, with all that was left open in it; false: there is none. */
static bool close_to(struct plain *p, enum box_kind kind, size_t size, struct kb_sv name)
{
	size_t i = p->box_count;

	while (i
	       && !(p->boxes[i - 1].kind == kind && p->boxes[i - 1].size <= size
	            && kb_sv_ieq(p->boxes[i - 1].name, name)))
		i--;
	if (!i)
		return false;
	while (p->box_count >= i)
		close_box(p);
	return true;
}

/* ---- small readers */

static size_t indent_of(struct kb_sv line)
{
	size_t n = 0, columns = 0;

	for (; n < line.n && (line.p[n] == ' ' || line.p[n] == '\t'); n++)
		columns += line.p[n] == '\t' ? INDENT - columns % INDENT : 1;
	return columns;
}

/* Without so many columns of indentation; a tab that reaches further becomes blanks. */
static struct kb_sv dedent(struct kb_arena *arena, struct kb_sv line, size_t columns)
{
	size_t n = 0, at = 0;

	for (; n < line.n && at < columns && (line.p[n] == ' ' || line.p[n] == '\t'); n++)
		at += line.p[n] == '\t' ? INDENT - at % INDENT : 1;
	if (at <= columns)
		return kb_sv_from(line, n);
	return kb_arena_printf(arena, "%*s%.*s", (int)(at - columns), "",
	                       KB_SV_ARG(kb_sv_from(line, n)));
}

static size_t run_of(struct kb_sv text, char mark)
{
	size_t n = 0;

	while (n < text.n && text.p[n] == mark)
		n++;
	return n;
}

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
	       || c == '_' || c == '-' || c == '.';
}

static struct kb_sv name_of(struct kb_sv text)
{
	size_t n = 0;

	while (n < text.n && is_name_byte(text.p[n]))
		n++;
	return kb_sv_sub(text, 0, n);
}

static bool is_one_of(struct kb_sv name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (kb_sv_ieq_str(name, list[i]))
			return true;
	return false;
}

/* Names of what is shown folded, one of several, or as a part with a title. */
static bool is_folded(struct kb_sv name)
{
	static const char *const folded[] = {
		"accordion", "accordionitem", "collapse", "collapsible", "collapsibleitem",
		"details",   "dropdown",      "expand",   "expander",    "expandable",
		"faq",       "faqitem",       "question", "spoiler",     "step",
		"tab",       "tabitem",       "tabpanel", "update",      "toggle",
	};

	return is_one_of(name, folded, KB_COUNTOF(folded));
}

static struct kb_sv unquoted(struct kb_sv text)
{
	text = kb_sv_trim(text);
	if (text.n > 1 && (text.p[0] == '"' || text.p[0] == '\'' || text.p[0] == '`')
	    && text.p[text.n - 1] == text.p[0])
		return kb_sv_sub(text, 1, text.n - 2);
	return text;
}

/* ---- tags: <Name attribute="value" other={expression}> */

/* Where the tag at the start of the text ends, behind its '>'; 0: not within the text. */
static size_t tag_end(struct kb_sv text)
{
	int braces = 0;
	char quote = 0;

	text = kb_sv_sub(text, 0, MARKUP_MAX);
	for (size_t i = 1; i < text.n; i++) {
		char c = text.p[i];

		if (quote) {
			quote = c == quote ? 0 : quote;
		} else if (c == '"' || (c == '\'' && text.p[i - 1] == '=')
		           || (c == '`' && braces)) {
			quote = c;
		} else if (c == '{') {
			braces++;
		} else if (c == '}') {
			braces -= braces > 0;
		} else if (c == '>' && !braces) {
			return i + 1;
		} else if (c == '<' && !braces) {
			return 0;
		}
	}
	return 0;
}

/* <Name or </Name of a component, or of a fold of HTML's own. */
static struct kb_sv component(struct kb_sv text, bool *closes)
{
	struct kb_sv name;

	*closes = kb_sv_starts(text, KB_SV("</"));
	if (!kb_sv_starts(text, KB_SV("<")))
		return KB_SV("");
	name = name_of(kb_sv_from(text, *closes ? 2 : 1));
	text = kb_sv_from(text, (size_t)(*closes ? 2 : 1) + name.n);
	if (text.n && !strchr(" \t/>", text.p[0])) /* "Map<K, V>" */
		return KB_SV("");
	if (name.n && ((name.p[0] >= 'A' && name.p[0] <= 'Z') || kb_sv_ieq_str(name, "details")))
		return name;
	return KB_SV("");
}

/* The value of the first of the attributes that the tag has as text. */
static struct kb_sv tag_title(struct kb_sv tag)
{
	static const char *const names[] = { "question", "title",   "summary", "label",
		                             "header",   "heading", "caption" };

	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		for (size_t at = 1, n = strlen(names[i]); at + n + 2 < tag.n; at++) {
			struct kb_sv value = kb_sv_from(tag, at + n);
			ptrdiff_t end;

			if (is_name_byte(tag.p[at - 1])
			    || !kb_sv_starts(kb_sv_from(tag, at), kb_sv_str(names[i])))
				continue;
			value = kb_sv_trim(value);
			if (!kb_sv_starts(value, KB_SV("=")))
				continue;
			value = kb_sv_trim(kb_sv_from(value, 1));
			if (kb_sv_starts(value, KB_SV("{")))
				value = kb_sv_trim(kb_sv_from(value, 1));
			if (!value.n || !strchr("\"'`", value.p[0]))
				continue;
			end = kb_sv_find_byte(kb_sv_from(value, 1), value.p[0]);
			if (end > 0)
				return kb_sv_sub(value, 1, (size_t)end);
		}
	return KB_SV("");
}

/* Markup of a tool at the start of the text: its closing mark; empty: there is none. */
static struct kb_sv tool_close(struct kb_sv text)
{
	static const struct {
		struct kb_sv open, close;
	} marks[] = {
		{ KB_SV_INIT("{{%"), KB_SV_INIT("%}}") },
		{ KB_SV_INIT("{{<"), KB_SV_INIT(">}}") },
		{ KB_SV_INIT("{%"), KB_SV_INIT("%}") },
		{ KB_SV_INIT("{/*"), KB_SV_INIT("*/}") },
	};

	for (size_t i = 0; i < KB_COUNTOF(marks); i++)
		if (kb_sv_starts(text, marks[i].open))
			return marks[i].close;
	return KB_SV("");
}

/* Where the tag or the tool's markup at the start of the text ends; 0: not within the text. */
static size_t markup_end(struct kb_sv text)
{
	struct kb_sv close = tool_close(text);
	ptrdiff_t end;

	if (!close.n)
		return tag_end(text);
	end = kb_sv_find(kb_sv_sub(text, 0, MARKUP_MAX), close);
	return end < 0 ? 0 : (size_t)end + close.n;
}

/* Takes further lines until the markup at `at` ends; false: it does not, and nothing was taken. */
static bool gather(struct plain *p, struct kb_sv *line, size_t at)
{
	struct kb_sv rest = p->rest, next;
	struct kb_buf whole;
	bool found = markup_end(kb_sv_from(*line, at)) > 0;

	if (found || line->n > MARKUP_MAX)
		return found;
	kb_buf_init(&whole, SIZE_MAX / 2);
	kb_buf_sv(&whole, *line);
	for (int i = 0; i < TAG_LINES_MAX && !found && whole.n < at + MARKUP_MAX
	                && kb_sv_split(&rest, '\n', &next);
	     i++) {
		if (!kb_sv_trim(next).n)
			break;
		kb_buf_byte(&whole, ' ');
		kb_buf_sv(&whole, kb_sv_trim(next));
		found = markup_end(kb_sv_from(kb_buf_view(&whole), at)) > 0;
	}
	if (found) {
		*line = kb_arena_sv(p->arena, kb_buf_view(&whole));
		p->rest = rest;
	}
	kb_buf_fini(&whole);
	return found;
}

/* ---- within a line */

/* Where the code span that starts the text ends; 0: it is none. */
static size_t code_span(struct kb_sv text)
{
	size_t ticks = run_of(text, '`');

	text = kb_sv_sub(text, 0, MARKUP_MAX);
	for (size_t i = ticks; ticks && i < text.n;) {
		size_t n = run_of(kb_sv_from(text, i), '`');

		if (n == ticks)
			return i + n;
		i += n ? n : 1;
	}
	return 0;
}

/* A component's beginning or end within the line. Words behind it stay in the line. */
static void read_component(struct plain *p, struct kb_sv tag, struct kb_sv name, bool closes)
{
	struct kb_sv title = closes ? KB_SV("") : tag_title(tag);
	struct box *box;

	if (closes) {
		close_to(p, BOX_ELEMENT, SIZE_MAX, name);
		return;
	}
	if (kb_sv_ends(tag, KB_SV("/>"))) {
		if (title.n)
			put_paragraph(p, title);
		return;
	}
	if (!title.n && !is_folded(name))
		return;
	box = open_box(p, BOX_ELEMENT, 0, name);
	title_box(p, box, title, is_folded(name));
}

/* <summary>Question</summary> of the details around it. */
static size_t read_summary(struct plain *p, struct kb_sv text)
{
	ptrdiff_t end = kb_sv_find(kb_sv_sub(text, 0, MARKUP_MAX), KB_SV("</summary>"));
	ptrdiff_t start = kb_sv_find_byte(text, '>');
	struct box *box = p->box_count ? &p->boxes[p->box_count - 1] : NULL;
	struct kb_buf title;

	if (end < 0 || start < 0 || start > end)
		return 0;
	kb_buf_init(&title, TITLE_MAX);
	for (size_t i = (size_t)start + 1; i < (size_t)end;) {
		size_t tag = text.p[i] == '<' ? tag_end(kb_sv_from(text, i)) : 0;

		if (!tag)
			kb_buf_byte(&title, text.p[i]);
		i += tag ? tag : 1;
	}
	if (box && kb_sv_ieq_str(box->name, "details") && !box->level)
		title_box(p, box, kb_arena_sv(p->arena, kb_buf_view(&title)), true);
	else
		put_paragraph(p, kb_arena_sv(p->arena, kb_buf_view(&title)));
	kb_buf_fini(&title);
	return (size_t)end + strlen("</summary>");
}

/* A tool's markup: {{% faq "Question" %}}, {{< tab title="Linux" >}}, {% details Question %}; and
 * {{% /faq %}} or {% enddetails %}, which close it. */
struct tool {
	struct kb_sv name, title;
	bool closes;
};

static struct tool read_tool(struct kb_sv markup)
{
	struct tool tool = { 0 };
	bool plain = kb_sv_starts(markup, KB_SV("{%"));
	struct kb_sv text, close = tool_close(markup);

	text = kb_sv_sub(markup, close.n, markup.n - 2 * close.n);
	if (plain && kb_sv_starts(text, KB_SV("-")))
		text = kb_sv_from(text, 1);
	if (kb_sv_ends(text, KB_SV("-")) || kb_sv_ends(text, KB_SV("/")))
		text.n--;
	text = kb_sv_trim(text);
	tool.closes = kb_sv_starts(text, KB_SV("/"));
	text = kb_sv_trim(kb_sv_from(text, tool.closes));
	tool.name = name_of(text);
	text = kb_sv_trim(kb_sv_from(text, tool.name.n));
	if (plain && kb_sv_istarts(tool.name, KB_SV("end")) && tool.name.n > 3) {
		tool.closes = true;
		tool.name = kb_sv_from(tool.name, 3);
	}
	tool.title = tag_title(markup);
	if (tool.title.n || !text.n)
		return tool;
	if (strchr("\"'`", text.p[0])) {
		ptrdiff_t end = kb_sv_find_byte(kb_sv_from(text, 1), text.p[0]);

		tool.title = end < 0 ? KB_SV("") : kb_sv_sub(text, 1, (size_t)end);
	} else if (plain && kb_sv_find_byte(text, '=') < 0) {
		tool.title = text;
	}
	return tool;
}

/* Whether the mark that closes it comes soon. */
static bool is_closed(const struct plain *p, struct kb_sv after, struct kb_sv name)
{
	struct kb_sv ahead[] = { kb_sv_sub(after, 0, MARKUP_MAX),
		                 kb_sv_sub(p->rest, 0, MARKUP_MAX) };
	struct kb_sv marks[] = { kb_arena_printf(p->arena, "/%.*s", KB_SV_ARG(name)),
		                 kb_arena_printf(p->arena, "end%.*s", KB_SV_ARG(name)) };

	for (size_t i = 0; i < KB_COUNTOF(ahead); i++)
		for (size_t k = 0; k < KB_COUNTOF(marks); k++)
			if (kb_sv_find(ahead[i], marks[k]) >= 0)
				return true;
	return false;
}

/* A tool's beginning or end within the line: what is folded has its title as a heading. */
static void put_tool(struct plain *p, const struct tool *tool, struct kb_sv after)
{
	if (tool->closes)
		close_to(p, BOX_TAG, SIZE_MAX, tool->name);
	else if (is_closed(p, after, tool->name))
		title_box(p, open_box(p, BOX_TAG, 0, tool->name), tool->title, true);
	else
		put_question(p, kb_sv_sub(tool->title, 0, TITLE_MAX));
}

/* What of a line is text. */
struct kept {
	struct kb_buf buf;
	size_t start; /* of what was not put yet */
	size_t blank; /* so far there are only blanks in it */
};

/* What stands before markup that begins or ends a part. */
static void put_kept(struct plain *p, struct kept *kept)
{
	struct kb_sv text = kb_buf_view(&kept->buf);

	if (kb_sv_trim(kb_sv_from(text, kept->blank)).n) {
		put_line(p, kb_sv_from(text, kept->start));
		kept->start = text.n;
	}
	kept->blank = text.n;
}

/* The line without a tool's markup and components; those open and close boxes on their way. */
static void put_prose(struct plain *p, struct kb_sv line)
{
	struct kept kept = { .start = 0 };
	struct kb_sv rest;
	bool changed = false, endless = false; /* endless: markup that never ends is text */

	kb_buf_init(&kept.buf, SIZE_MAX / 2);
	for (size_t i = 0; i < line.n;) {
		struct kb_sv here = kb_sv_from(line, i), name;
		bool closes;
		size_t n = code_span(here);

		if (n) {
			kb_buf_sv(&kept.buf, kb_sv_sub(here, 0, n));
			i += n;
			continue;
		}
		name = component(here, &closes);
		if ((name.n || tool_close(here).n) && !endless) {
			endless = !gather(p, &line, i);
			here = kb_sv_from(line, i);
			name = component(here, &closes);
			n = markup_end(here);
		}
		if (n && name.n) {
			if (is_folded(name) || tag_title(kb_sv_sub(here, 0, n)).n)
				put_kept(p, &kept);
			read_component(p, kb_sv_sub(here, 0, n), name, closes);
		} else if (n && tool_close(here).n) {
			struct tool tool = read_tool(kb_sv_sub(here, 0, n));

			if (tool.closes || (is_folded(tool.name) && tool.title.n)) {
				put_kept(p, &kept);
				put_tool(p, &tool, kb_sv_from(here, n));
			}
		} else if (!n && kb_sv_istarts(here, KB_SV("<summary"))) {
			n = read_summary(p, here);
		}
		changed |= n > 0;
		if (!n)
			kb_buf_byte(&kept.buf, line.p[i]);
		i += n ? n : 1;
	}
	rest = kb_sv_from(kb_buf_view(&kept.buf), kept.start);
	if (!changed || kb_sv_trim(rest).n)
		put_line(p, rest);
	kb_buf_fini(&kept.buf);
}

/* ---- lines in */

/* Code of a tag: {% codeblock %}, {% highlight c %}, {% code %}. */
static bool reads_code_tag(struct plain *p, struct kb_sv bare)
{
	static const char *const names[] = { "codeblock",    "highlight",    "code",
		                             "endcodeblock", "endhighlight", "endcode" };
	struct kb_sv name;

	if (!kb_sv_starts(bare, KB_SV("{%")) || markup_end(bare) != bare.n)
		return false;
	name = name_of(kb_sv_trim(kb_sv_from(bare, kb_sv_starts(bare, KB_SV("{%-")) ? 3 : 2)));
	if (!is_one_of(name, names, KB_COUNTOF(names)))
		return false;
	put_line(p, KB_SV("~~~~~~~~"));
	p->tag_code = !kb_sv_istarts(name, KB_SV("end"));
	return true;
}

/* True within code, whose lines are put as they are. */
static bool reads_code(struct plain *p, struct kb_sv line)
{
	struct kb_sv bare = kb_sv_trim(line);
	char mark = bare.n ? bare.p[0] : 0;
	size_t size = mark == '`' || mark == '~' ? run_of(bare, mark) : 0;

	if (p->tag_code) {
		if (!kb_sv_starts(bare, KB_SV("{%")) || !reads_code_tag(p, bare))
			put_line(p, line);
		return true;
	}
	if (p->fence) {
		if (mark == p->fence && size >= p->fence_size && size == bare.n)
			p->fence = 0;
		put_line(p, line);
		return true;
	}
	if (size >= 3 && (mark == '~' || kb_sv_find_byte(kb_sv_from(bare, size), '`') < 0)) {
		p->fence = mark;
		p->fence_size = KB_MIN(size, (size_t)FENCE_MAX);
		put_line(p, line);
		return true;
	}
	return reads_code_tag(p, bare);
}

/* ":::note Title", "::: details", ":::note[Title]", ":::". */
static bool reads_colons(struct plain *p, struct kb_sv bare)
{
	size_t colons = run_of(bare, ':');
	struct kb_sv rest = kb_sv_trim(kb_sv_from(bare, colons)), name, title;
	struct box *box;

	if (colons < 3)
		return false;
	if (!rest.n) {
		put_blank(p);
		close_to(p, BOX_COLONS, colons, KB_SV(""));
		return true;
	}
	if (kb_sv_starts(rest, KB_SV("{"))) { /* "{.class}", "{note}" */
		ptrdiff_t end = kb_sv_find_byte(rest, '}');

		name = name_of(kb_sv_from(rest, 1));
		title = end < 0 ? KB_SV("") : kb_sv_from(rest, (size_t)end + 1);
	} else {
		name = name_of(rest);
		if (!name.n)
			return false;
		title = kb_sv_trim(kb_sv_from(rest, name.n));
		if (kb_sv_starts(title, KB_SV("["))) {
			ptrdiff_t end = kb_sv_find_byte(title, ']');

			title = kb_sv_sub(title, 1, end < 1 ? title.n : (size_t)end - 1);
		} else if (kb_sv_starts(title, KB_SV("{"))) {
			title = KB_SV("");
		}
	}
	box = open_box(p, BOX_COLONS, colons, KB_SV(""));
	title_box(p, box, title, is_folded(name));
	return true;
}

/* '!!! note "Title"', '??? question "Title"', '=== "Tab"': what follows is indented. */
static bool reads_marks(struct plain *p, struct kb_sv line)
{
	struct kb_sv bare = kb_sv_trim(line), title;
	bool is_tab = kb_sv_starts(bare, KB_SV("=== \"")), is_fold;
	ptrdiff_t quote;

	is_fold = kb_sv_starts(bare, KB_SV("??? ")) || kb_sv_starts(bare, KB_SV("???+ "));
	if (!is_tab && !is_fold && !kb_sv_starts(bare, KB_SV("!!! ")) && !kb_sv_eq_str(bare, "!!!"))
		return false;
	quote = kb_sv_find_byte(bare, '"');
	title = quote < 0 ? KB_SV("") : unquoted(kb_sv_from(bare, (size_t)quote));
	title_box(p, open_box(p, BOX_INDENT, indent_of(line) + INDENT, KB_SV("")), title,
	          is_tab || is_fold);
	return true;
}

/* Takes the next line if it is ": What it means". */
static bool takes_meaning(struct plain *p, struct kb_sv *out)
{
	struct kb_sv rest = p->rest, line;

	if (!kb_sv_split(&rest, '\n', &line) || indent_of(line) >= INDENT
	    || !kb_sv_starts(kb_sv_trim(line), KB_SV(": ")))
		return false;
	*out = kb_sv_trim(kb_sv_from(kb_sv_trim(line), 1));
	p->rest = rest;
	return true;
}

/* A term and what it means in the next line: a line of both, or a question and its answer. Other
 * meanings follow. */
static bool reads_term(struct plain *p, struct kb_sv line)
{
	struct kb_sv next, term = kb_sv_trim(line);

	if (!p->blank || indent_of(line) >= INDENT || strchr("#|<>:-*+", term.p[0])
	    || !takes_meaning(p, &next))
		return false;
	if (kb_sv_ends(term, KB_SV("?"))) {
		title_box(p, open_box(p, BOX_INDENT, TERM_INDENT, KB_SV("")), term, true);
		put_prose(p, next);
	} else {
		put_prose(p, kb_arena_printf(p->arena, "%.*s: %.*s", KB_SV_ARG(term),
		                             KB_SV_ARG(next)));
	}
	while (takes_meaning(p, &next))
		put_prose(p, next);
	return true;
}

/* Lines that are for the tool alone. */
static bool is_for_tool(struct kb_sv bare)
{
	static const char *const lines[] = { "[[toc]]", "[toc]", "[[_toc_]]", "${toc}", "{:toc}" };

	return is_one_of(bare, lines, KB_COUNTOF(lines)) || kb_sv_starts(bare, KB_SV("--8<--"))
	       || (kb_sv_starts(bare, KB_SV("{:")) && kb_sv_ends(bare, KB_SV("}")))
	       || (kb_sv_starts(bare, KB_SV("@include: ")));
}

/* "import X from 'y'", "export const …" at the left edge, where a paragraph would begin. */
static bool reads_module(struct plain *p, struct kb_sv line)
{
	bool quoted = kb_sv_find_byte(line, '\'') > 0 || kb_sv_find_byte(line, '"') > 0;
	bool is_import =
	        kb_sv_starts(line, KB_SV("import ")) && (kb_sv_find_byte(line, '{') > 0 || quoted);
	static const char *const words[] = {
		"const", "default", "function", "let", "var", "async"
	};

	if (p->dropping) {
		p->dropping = kb_sv_trim(line).n > 0;
		if (!p->dropping)
			put_blank(p);
		return true;
	}
	if (!p->blank)
		return false;
	if (is_import && quoted && !kb_sv_starts(kb_sv_from(line, 7), KB_SV("the ")))
		return true;
	if (is_import
	    || (kb_sv_starts(line, KB_SV("export "))
	        && is_one_of(name_of(kb_sv_from(line, 7)), words, KB_COUNTOF(words)))) {
		p->dropping = true;
		return true;
	}
	return false;
}

/* "## Title {#id}": the level, and the line without what is for the tool. */
static void put_heading(struct plain *p, struct kb_sv line)
{
	struct kb_sv bare = kb_sv_trim(line);
	size_t level = run_of(bare, '#');
	ptrdiff_t brace = kb_sv_find(bare, KB_SV(" {"));

	if (brace > 0 && kb_sv_ends(bare, KB_SV("}"))
	    && kb_sv_find_byte(kb_sv_from(bare, (size_t)brace), '#') == 2)
		bare = kb_sv_sub(bare, 0, (size_t)brace);
	p->level = (int)level;
	put_prose(p, bare);
}

static void read_line(struct plain *p, struct kb_sv line)
{
	struct kb_sv bare = kb_sv_trim(line);
	size_t hashes = run_of(bare, '#'), columns = 0;

	while (bare.n && p->box_count && p->boxes[p->box_count - 1].kind == BOX_INDENT
	       && indent_of(line) < p->boxes[p->box_count - 1].size)
		close_box(p);
	for (size_t i = 0; i < p->box_count; i++)
		if (p->boxes[i].kind == BOX_INDENT)
			columns = p->boxes[i].size;
	if (columns)
		line = dedent(p->arena, line, columns);
	if (reads_code(p, line))
		return;
	if (!bare.n) {
		put_line(p, line);
		p->dropping = false;
		return;
	}
	if (reads_module(p, line) || is_for_tool(bare) || reads_colons(p, bare)
	    || reads_marks(p, line) || reads_term(p, line))
		return;
	if (hashes && hashes <= LEVELS && bare.n > hashes && bare.p[hashes] == ' '
	    && indent_of(line) < INDENT)
		put_heading(p, line);
	else if (indent_of(line) >= INDENT && p->blank)
		put_line(p, line); /* code by its indentation, or a part of an item */
	else
		put_prose(p, line);
}

struct kb_sv kb_markdown_plain(struct kb_arena *arena, struct kb_sv text)
{
	struct plain p = { .arena = arena, .rest = text, .blank = true };
	struct kb_sv line;

	kb_buf_init(&p.out, SIZE_MAX / 2);
	while (kb_sv_split(&p.rest, '\n', &line)) {
		if (kb_sv_ends(line, KB_SV("\r")))
			line.n--;
		read_line(&p, line);
	}
	while (p.box_count)
		close_box(&p);
	line = kb_arena_sv(arena, kb_buf_view(&p.out));
	kb_buf_fini(&p.out);
	return line;
}

int kb_markdown_end(struct kb_sv html)
{
	struct kb_sv text = kb_sv_trim(html);

	for (int level = 1; level <= LEVELS; level++) {
		char mark[KB_MARKDOWN_END_MAX];
		int n = snprintf(mark, sizeof(mark), KB_MARKDOWN_END, level);

		if (kb_sv_eq(text, kb_sv(mark, (size_t)n)))
			return level;
	}
	return 0;
}
