/* RTF: groups and control words; text in the code page of its font or as \u characters. Pictures,
 * objects, lists of fonts and styles, hidden and deleted text, heads and feet stay out. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "parse/charset.h"
#include "parse/format.h"

enum { DEPTH_MAX = 1000, FONTS_MAX = 2000, CELLS_MAX = 256, WORD_MAX = 32 };

struct state {
	bool skip, hidden, fonts, info, title;
	int font, unicode_skip, outline;
	bool in_table;
};

struct rtf {
	struct kb_doc *doc;
	struct kb_sv text;
	size_t at;
	struct state states[DEPTH_MAX];
	size_t depth;
	struct {
		int number, page;
	} fonts[FONTS_MAX];
	size_t font_count;
	int page;            /* the document's code page */
	struct kb_buf bytes; /* not decoded yet */
	int bytes_page;
	struct kb_buf out; /* the paragraph */
	struct kb_sv cells[CELLS_MAX];
	size_t cell_count, to_skip;
	uint32_t high; /* first half of a surrogate pair */
	bool row_open, table_open;
};

/* \fcharset numbers (Windows' charset identifiers) to code pages. */
static const struct {
	int charset, page;
} charsets[] = {
	{ 0, 1252 },   { 77, 10000 }, { 128, 932 },  { 129, 949 },  { 130, 1361 }, { 134, 936 },
	{ 136, 950 },  { 161, 1253 }, { 162, 1254 }, { 163, 1258 }, { 177, 1255 }, { 178, 1256 },
	{ 186, 1257 }, { 204, 1251 }, { 222, 874 },  { 238, 1250 }, { 254, 437 },  { 255, 850 },
};

static struct state *state(struct rtf *r)
{
	return &r->states[r->depth];
}

static int page_of_font(const struct rtf *r, int number)
{
	for (size_t i = 0; i < r->font_count; i++)
		if (r->fonts[i].number == number && r->fonts[i].page)
			return r->fonts[i].page;
	return r->page;
}

static struct kb_sv label_of(struct kb_arena *arena, int page)
{
	static const struct {
		int page;
		struct kb_sv label;
	} labels[] = {
		{ 874, KB_SV_INIT("windows-874") }, { 932, KB_SV_INIT("shift_jis") },
		{ 936, KB_SV_INIT("gb18030") },     { 949, KB_SV_INIT("ks_c_5601") },
		{ 950, KB_SV_INIT("big5") },        { 10000, KB_SV_INIT("macintosh") },
	};

	for (size_t i = 0; i < KB_COUNTOF(labels); i++)
		if (labels[i].page == page)
			return labels[i].label;
	return kb_arena_printf(arena, "%s%d", page >= 1250 && page <= 1258 ? "windows-" : "ibm",
	                       page);
}

/* Bytes are gathered and decoded together: a character of a double-byte page comes as two escapes,
 * and the font decides the page, so a run ends where the page changes. A page that nobody knows is
 * read as Western European: that keeps the letters that all pages share. */
static void decode(struct rtf *r)
{
	struct kb_sv text;

	if (!r->bytes.n)
		return;
	if (!kb_charset_decode(r->doc->arena, kb_buf_view(&r->bytes),
	                       label_of(r->doc->arena, r->bytes_page), &text)
	    && !kb_charset_decode(r->doc->arena, kb_buf_view(&r->bytes), KB_SV("windows-1252"),
	                          &text))
		text = KB_SV("");
	kb_buf_sv(&r->out, text);
	kb_buf_clear(&r->bytes);
}

/* Behind \u stand as many bytes for readers without Unicode as \uc said: they are passed over. */
static void add_byte(struct rtf *r, char byte)
{
	const struct state *s = state(r);
	int page = page_of_font(r, s->font);

	if (r->to_skip) {
		r->to_skip--;
		return;
	}
	if ((s->skip && !s->title) || s->hidden)
		return;
	if (r->bytes.n && page != r->bytes_page)
		decode(r);
	r->bytes_page = page;
	kb_buf_byte(&r->bytes, byte);
}

/* Numbers of \u are signed 16-bit ones, and a character beyond them comes as two of those. */
static void add_character(struct rtf *r, int64_t value)
{
	uint32_t cp = (uint32_t)(value < 0 ? value + 65536 : value);
	char utf8[4];

	if ((state(r)->skip && !state(r)->title) || state(r)->hidden)
		return;
	if (cp >= 0xd800 && cp < 0xdc00) {
		r->high = cp;
		return;
	}
	if (cp >= 0xdc00 && cp < 0xe000 && r->high)
		cp = 0x10000 + ((r->high - 0xd800) << 10) + (cp - 0xdc00);
	r->high = 0;
	decode(r);
	kb_buf_add(&r->out, utf8, kb_utf8_encode(cp, utf8));
}

static void end_paragraph(struct rtf *r)
{
	const struct state *s = state(r);

	decode(r);
	if (s->skip)
		return;
	if (r->row_open || s->in_table) {
		kb_buf_byte(&r->out, ' ');
		return;
	}
	if (r->table_open) {
		kb_doc_table_end(r->doc);
		r->table_open = false;
	}
	if (s->outline)
		kb_doc_heading(r->doc, s->outline, kb_buf_view(&r->out));
	else
		kb_doc_add(r->doc, KB_BLOCK_PARAGRAPH, kb_buf_view(&r->out));
	kb_buf_clear(&r->out);
}

static void end_cell(struct rtf *r)
{
	decode(r);
	if (r->cell_count < CELLS_MAX)
		r->cells[r->cell_count++] =
		        kb_arena_sv(r->doc->arena, kb_sv_trim(kb_buf_view(&r->out)));
	kb_buf_clear(&r->out);
}

/* There are no tables in RTF, only rows that follow one another: the first row begins one, and a
 * paragraph outside of any row ends it (end_paragraph). */
static void end_row(struct rtf *r)
{
	if (!r->table_open) {
		kb_doc_table(r->doc);
		r->table_open = true;
	}
	kb_doc_row(r->doc, r->cells, r->cell_count, false);
	r->cell_count = 0;
	r->row_open = false;
}

/* What a control word does. Most of the hundreds there are say how text looks: they have no row. */
enum action {
	SKIP,  /* the group stays out */
	FONTS, /* so does the list of fonts, which is read for their charsets */
	CHARACTER,
	CODE_PAGE, /* of the document; the row's, or else the word's number */
	FONT,
	VISIBLE,
	UNICODE_SKIP,
	UNICODE,
	PARAGRAPH,
	CELL,
	ROW,
	ROW_BEGINS,
	PARAGRAPH_RESETS,
	IN_TABLE,
	OUTLINE,
	HIDDEN,
	INFO,
	TITLE,
	BINARY,
};

static const struct word {
	const char *word;
	enum action action;
	uint16_t value; /* CHARACTER: the code point; CODE_PAGE */
} words[] = {
	// clang-format off
	{ "annotation", SKIP }, { "atnauthor", SKIP }, { "atnid", SKIP }, { "aftnsep", SKIP },
	{ "bkmkend", SKIP }, { "bkmkstart", SKIP }, { "colortbl", SKIP }, { "datastore", SKIP },
	{ "falt", SKIP }, { "filetbl", SKIP }, { "fldinst", SKIP }, { "footer", SKIP },
	{ "footerf", SKIP }, { "footerl", SKIP }, { "footerr", SKIP }, { "ftnsep", SKIP },
	{ "ftnsepc", SKIP }, { "generator", SKIP }, { "header", SKIP }, { "headerf", SKIP },
	{ "headerl", SKIP }, { "headerr", SKIP }, { "latentstyles", SKIP }, { "listoverridetable", SKIP },
	{ "listtable", SKIP }, { "listtext", SKIP }, { "nonshppict", SKIP }, { "object", SKIP },
	{ "panose", SKIP }, { "pgptbl", SKIP }, { "pict", SKIP }, { "pntext", SKIP },
	{ "revtbl", SKIP }, { "rsidtbl", SKIP }, { "stylesheet", SKIP }, { "themedata", SKIP },
	{ "xmlnstbl", SKIP },
	{ "fonttbl", FONTS },

	{ "bullet", CHARACTER, 0x2022 }, { "emdash", CHARACTER, 0x2014 }, { "emspace", CHARACTER, ' ' },
	{ "endash", CHARACTER, 0x2013 }, { "enspace", CHARACTER, ' ' }, { "ldblquote", CHARACTER, 0x201c },
	{ "line", CHARACTER, ' ' }, { "lquote", CHARACTER, 0x2018 }, { "qmspace", CHARACTER, ' ' },
	{ "rdblquote", CHARACTER, 0x201d }, { "rquote", CHARACTER, 0x2019 }, { "tab", CHARACTER, ' ' },

	{ "ansicpg", CODE_PAGE }, { "mac", CODE_PAGE, 10000 }, { "pc", CODE_PAGE, 437 },
	{ "f", FONT }, { "plain", VISIBLE }, { "v", HIDDEN }, { "deleted", HIDDEN },
	{ "u", UNICODE }, { "uc", UNICODE_SKIP },
	{ "par", PARAGRAPH }, { "sect", PARAGRAPH }, { "page", PARAGRAPH },
	{ "pard", PARAGRAPH_RESETS }, { "outlinelevel", OUTLINE },
	{ "trowd", ROW_BEGINS }, { "intbl", IN_TABLE }, { "cell", CELL }, { "nestcell", CELL },
	{ "row", ROW }, { "nestrow", ROW },
	{ "info", INFO }, { "title", TITLE }, { "bin", BINARY },
	// clang-format on
};

static const struct word *find_word(const char *word)
{
	for (size_t i = 0; i < KB_COUNTOF(words); i++)
		if (!strcmp(word, words[i].word))
			return &words[i];
	return NULL;
}

static void font_word(struct rtf *r, const char *word, int64_t number)
{
	if (!strcmp(word, "f") && r->font_count < FONTS_MAX) {
		r->fonts[r->font_count].number = (int)number;
		r->fonts[r->font_count++].page = 0;
	} else if (!strcmp(word, "fcharset") && r->font_count) {
		for (size_t i = 0; i < KB_COUNTOF(charsets); i++)
			if (charsets[i].charset == number && number)
				r->fonts[r->font_count - 1].page = charsets[i].page;
	}
}

static void act(struct rtf *r, const struct word *row, bool has_number, int64_t number)
{
	struct state *s = state(r);

	switch (row->action) {
	case SKIP:
	case FONTS:
		decode(r);
		s->skip = true;
		s->fonts = row->action == FONTS;
		break;
	case CHARACTER:
		add_character(r, row->value);
		break;
	case CODE_PAGE:
		r->page = row->value ? row->value : (int)number;
		break;
	case FONT:
		s->font = (int)number;
		break;
	case VISIBLE:
		s->hidden = false;
		break;
	case HIDDEN:
		s->hidden = !has_number || number;
		break;
	case UNICODE_SKIP:
		s->unicode_skip = (int)KB_MIN(KB_MAX(number, INT64_C(0)), INT64_C(16));
		break;
	case UNICODE:
		add_character(r, number);
		r->to_skip = (size_t)s->unicode_skip;
		break;
	case PARAGRAPH:
		end_paragraph(r);
		break;
	case PARAGRAPH_RESETS:
		s->outline = 0;
		s->in_table = false;
		break;
	case OUTLINE:
		s->outline = (int)KB_MIN(number, INT64_C(8)) + 1;
		break;
	case IN_TABLE:
		s->in_table = true;
		break;
	case ROW_BEGINS:
		r->row_open = true;
		break;
	case CELL:
		end_cell(r);
		break;
	case ROW:
		end_row(r);
		break;
	case INFO:
		s->skip = s->info = true;
		break;
	case TITLE:
		s->title = s->title || s->info;
		break;
	case BINARY:
		if (number > 0)
			r->at += KB_MIN((size_t)number, r->text.n - r->at);
		break;
	}
}

static void control_word(struct rtf *r, const char *word, bool has_number, int64_t number)
{
	const struct word *row = find_word(word);

	/* In the list of fonts only what stays out altogether means what it means elsewhere. */
	if (state(r)->fonts && (!row || row->action > FONTS))
		font_word(r, word, number);
	else if (row)
		act(r, row, has_number, number);
}

/* A group begins with a copy of what holds around it, and its end gives that back: so what is
 * hidden or left out ends with the group that said so, whatever stood in between. */
static void close_group(struct rtf *r)
{
	if (state(r)->title) {
		decode(r);
		kb_doc_meta(r->doc, KB_DOC_TITLE, kb_buf_view(&r->out));
		kb_buf_clear(&r->out);
	}
	r->to_skip = 0;
	if (r->depth) {
		decode(r);
		r->depth--;
	}
}

static int hex(char c)
{
	return c >= '0' && c <= '9'                     ? c - '0'
	       : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
	                                                : 0;
}

static void control(struct rtf *r)
{
	char word[WORD_MAX];
	size_t n = 0, start;
	int64_t number = 1;
	bool has_number = false;
	char c = r->at < r->text.n ? r->text.p[r->at] : 0;

	if (!((c | 0x20) >= 'a' && (c | 0x20) <= 'z')) {
		r->at++;
		if (c == '\'' && r->at + 2 <= r->text.n) {
			char byte = (char)(hex(r->text.p[r->at]) << 4 | hex(r->text.p[r->at + 1]));

			r->at += 2;
			add_byte(r, byte);
		} else if (c == '~') {
			add_character(r, ' ');
		} else if (c == '_') {
			add_character(r, '-');
		} else if (c == '*') {
			state(r)->skip = true;
		} else if (c == '\\' || c == '{' || c == '}') {
			add_byte(r, c);
		} else if (c == '\n' || c == '\r') {
			end_paragraph(r);
		}
		return;
	}
	while (r->at < r->text.n && (r->text.p[r->at] | 0x20) >= 'a'
	       && (r->text.p[r->at] | 0x20) <= 'z') {
		if (n + 1 < WORD_MAX)
			word[n++] = r->text.p[r->at];
		r->at++;
	}
	word[n] = 0;
	start = r->at;
	if (r->at < r->text.n && r->text.p[r->at] == '-')
		r->at++;
	while (r->at < r->text.n && r->text.p[r->at] >= '0' && r->text.p[r->at] <= '9')
		r->at++;
	if (r->at > start)
		has_number = kb_sv_to_int(kb_sv_sub(r->text, start, r->at - start), INT32_MIN,
		                          INT32_MAX, &number);
	if (r->at < r->text.n && r->text.p[r->at] == ' ')
		r->at++;
	control_word(r, word, has_number, number);
}

bool kb_rtf_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	struct rtf *r = KB_NEW(doc->arena, struct rtf);
	bool ok = true;

	r->doc = doc;
	r->text = in->bytes;
	r->page = 1252;
	r->states[0].unicode_skip = 1;
	kb_buf_init(&r->bytes, doc->text.max);
	kb_buf_init(&r->out, doc->text.max);
	while (ok && r->at < r->text.n && !r->out.failed) {
		char c = r->text.p[r->at++];

		if (c == '{') {
			decode(r);
			r->to_skip = 0;
			if (r->depth + 1 == DEPTH_MAX) {
				ok = kb_fail(err, KB_E_INVALID,
				             "the RTF is nested deeper than %d levels", DEPTH_MAX);
			} else {
				r->states[r->depth + 1] = r->states[r->depth];
				r->states[++r->depth].title = false;
			}
		} else if (c == '}') {
			close_group(r);
		} else if (c == '\\') {
			control(r);
		} else if (c != '\r' && c != '\n' && c) {
			add_byte(r, c);
		}
	}
	r->depth = 0;
	r->row_open = false;
	state(r)->skip = state(r)->in_table = false;
	end_paragraph(r);
	doc->text.failed |= r->out.failed;
	kb_buf_fini(&r->bytes);
	kb_buf_fini(&r->out);
	return ok;
}
