/* Markdown (GitHub's dialect, by md4c): headings, paragraphs, lists, tables as rows, code. Front
 * matter gives title, description and language; HTML blocks pass through the HTML reader. */
#include <md4c.h>
#include <string.h>

#include "out/url.h"
#include "parse/format.h"
#include "parse/html.h"
#include "parse/markdown_plain.h"

struct reader {
	struct kb_doc *doc;
	struct kb_buf text; /* of the block or cell in hand */
	struct kb_buf html; /* raw HTML, gathered until something else comes */
	struct kb_sv cells[KB_DOC_COLUMNS_MAX];
	size_t cell_count;
	size_t cell_start;
	int item_depth;
	struct kb_list_count lists; /* that we are in */
	bool head;
	bool first_heading;
	bool in_html; /* within a block of raw HTML */
	struct kb_url base;
	bool has_base;
};

static void flush(struct reader *r, enum kb_block_type type)
{
	if (r->text.n)
		kb_doc_add(r->doc, type, kb_buf_view(&r->text));
	kb_buf_clear(&r->text);
}

static enum kb_block_type prose(const struct reader *r)
{
	return r->item_depth ? KB_BLOCK_LIST : KB_BLOCK_PARAGRAPH;
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
	struct reader *r = arg;

	switch (type) {
	case MD_BLOCK_UL:
	case MD_BLOCK_OL:
		flush(r, prose(r));
		kb_list_enter(&r->lists, type == MD_BLOCK_OL
		                                 ? (int64_t)((MD_BLOCK_OL_DETAIL *)detail)->start
		                                 : -1);
		break;
	case MD_BLOCK_LI:
		flush(r, prose(r));
		r->item_depth++;
		kb_list_item(&r->lists, r->doc);
		break;
	case MD_BLOCK_TABLE:
		flush(r, prose(r));
		kb_doc_table(r->doc);
		break;
	case MD_BLOCK_TR:
		r->cell_count = 0;
		kb_buf_clear(&r->text);
		break;
	case MD_BLOCK_TH:
	case MD_BLOCK_TD:
		r->head = type == MD_BLOCK_TH;
		r->cell_start = r->text.n;
		break;
	case MD_BLOCK_DOC:
	case MD_BLOCK_THEAD:
	case MD_BLOCK_TBODY:
		break;
	default:
		flush(r, prose(r));
		r->in_html = type == MD_BLOCK_HTML;
		break;
	}
	return 0;
}

static void end_row(struct reader *r)
{
	size_t at = 0;

	/* The buffer may have moved while it grew: only the lengths were kept. */
	for (size_t i = 0; i < r->cell_count; i++) {
		r->cells[i].p = r->text.n ? r->text.p + at : ""; /* a row of empty cells has none */
		at += r->cells[i].n;
	}
	kb_doc_row(r->doc, r->cells, r->cell_count, r->head);
	kb_buf_clear(&r->text);
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
	struct reader *r = arg;

	switch (type) {
	case MD_BLOCK_H: {
		unsigned level = ((MD_BLOCK_H_DETAIL *)detail)->level;

		if (level == 1 && r->first_heading) {
			kb_doc_meta(r->doc, KB_DOC_TITLE, kb_buf_view(&r->text));
			r->first_heading = false;
		}
		kb_doc_heading(r->doc, (int)level, kb_buf_view(&r->text));
		kb_buf_clear(&r->text);
		break;
	}
	case MD_BLOCK_UL:
	case MD_BLOCK_OL:
		kb_list_leave(&r->lists);
		break;
	case MD_BLOCK_LI:
		flush(r, prose(r));
		r->item_depth--;
		kb_doc_item(r->doc, 0, 0);
		break;
	case MD_BLOCK_P:
		flush(r, prose(r));
		break;
	case MD_BLOCK_CODE:
		flush(r, KB_BLOCK_CODE);
		break;
	case MD_BLOCK_HTML:
		if (kb_markdown_end(kb_buf_view(&r->html)))
			kb_doc_heading_end(r->doc, kb_markdown_end(kb_buf_view(&r->html)));
		else
			kb_html_fragment(r->doc, kb_buf_view(&r->html));
		kb_buf_clear(&r->html);
		r->in_html = false;
		break;
	case MD_BLOCK_TH:
	case MD_BLOCK_TD:
		if (r->cell_count < KB_DOC_COLUMNS_MAX)
			r->cells[r->cell_count++].n = r->text.n - r->cell_start;
		break;
	case MD_BLOCK_TR:
		end_row(r);
		break;
	case MD_BLOCK_TABLE:
		kb_doc_table_end(r->doc);
		break;
	default:
		break;
	}
	return 0;
}

static int enter_span(MD_SPANTYPE type, void *detail, void *arg)
{
	struct reader *r = arg;
	const MD_SPAN_IMG_DETAIL *picture = detail;
	struct kb_url url;

	if (type == MD_SPAN_IMG && picture->src.size && picture->src.size <= KB_LINK_BYTES_MAX
	    && kb_url_parse(r->doc->arena, kb_sv(picture->src.text, picture->src.size),
	                    r->has_base ? &r->base : NULL, &url, NULL)
	    && kb_url_is_web(&url) && kb_url_document(r->doc->arena, &url).n <= KB_LINK_BYTES_MAX)
		kb_doc_picture(r->doc, kb_url_document(r->doc->arena, &url), KB_SV(""));
	return 0;
}

static int leave_span(MD_SPANTYPE type, void *detail, void *arg)
{
	(void)type;
	(void)detail;
	(void)arg;
	return 0;
}

static int add_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE n, void *arg)
{
	struct reader *r = arg;
	struct kb_sv sv = kb_sv(text, n);

	switch (type) {
	case MD_TEXT_NULLCHAR:
		break;
	case MD_TEXT_BR:
	case MD_TEXT_SOFTBR:
		kb_buf_byte(&r->text, '\n');
		break;
	case MD_TEXT_ENTITY:
		kb_html_entity(&r->text, sv);
		break;
	case MD_TEXT_HTML:
		/* Within a paragraph a tag is markup: "<br>" separates, the rest vanishes. */
		if (r->in_html)
			kb_buf_sv(&r->html, sv);
		else if (kb_sv_istarts(sv, KB_SV("<br")))
			kb_buf_byte(&r->text, '\n');
		break;
	default:
		kb_buf_sv(&r->text, sv);
		break;
	}
	return 0;
}

/* What generators of sites call the day of a page. */
static bool is_date_key(struct kb_sv key)
{
	static const char *const keys[] = { "date",    "updated",  "last_updated", "last_modified",
		                            "lastmod", "modified", "last-updated", "published" };

	for (size_t i = 0; i < KB_COUNTOF(keys); i++)
		if (kb_sv_ieq_str(key, keys[i]))
			return true;
	return false;
}

/* "---" lines at the very top with "key: value" between them. */
static struct kb_sv take_front_matter(struct kb_doc *doc, struct kb_sv text)
{
	struct kb_sv rest, line;

	if (!kb_sv_starts(text, KB_SV("---\n")) && !kb_sv_starts(text, KB_SV("---\r\n")))
		return text;
	rest = text;
	if (!kb_sv_split(&rest, '\n', &line))
		return text;
	while (kb_sv_split(&rest, '\n', &line)) {
		struct kb_sv key, value;
		ptrdiff_t colon;

		line = kb_sv_trim(line);
		if (kb_sv_eq_str(line, "---") || kb_sv_eq_str(line, "..."))
			return rest.p ? rest : KB_SV("");
		colon = kb_sv_find_byte(line, ':');
		if (colon < 0)
			continue;
		key = kb_sv_sub(line, 0, (size_t)colon);
		value = kb_sv_trim(kb_sv_from(line, (size_t)colon + 1));
		if (value.n > 1 && (value.p[0] == '"' || value.p[0] == '\'')
		    && value.p[value.n - 1] == value.p[0])
			value = kb_sv_sub(value, 1, value.n - 2);
		if (kb_sv_ieq_str(key, "title"))
			kb_doc_meta(doc, KB_DOC_TITLE, value);
		else if (kb_sv_ieq_str(key, "description") || kb_sv_ieq_str(key, "summary"))
			kb_doc_meta(doc, KB_DOC_DESCRIPTION, value);
		else if (kb_sv_ieq_str(key, "lang") || kb_sv_ieq_str(key, "language"))
			kb_doc_meta(doc, KB_DOC_LANG, value);
		else if (is_date_key(key))
			kb_doc_dated(doc, value);
	}
	return text; /* never closed: it was a rule, not front matter */
}

bool kb_markdown_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	static const MD_PARSER parser = {
		.flags = MD_FLAG_TABLES | MD_FLAG_TASKLISTS | MD_FLAG_PERMISSIVEAUTOLINKS,
		.enter_block = enter_block,
		.leave_block = leave_block,
		.enter_span = enter_span,
		.leave_span = leave_span,
		.text = add_text,
	};
	struct kb_sv text = take_front_matter(doc, kb_input_text(in, doc->arena));
	struct reader *r = KB_NEW(doc->arena, struct reader);
	int status;

	if (text.n > UINT32_MAX / 4)
		return kb_fail(err, KB_E_TOO_LARGE, "the Markdown file is larger than 1 GB");
	text = kb_markdown_plain(doc->arena, text);
	r->doc = doc;
	r->first_heading = true;
	r->has_base = kb_url_parse(doc->arena, in->url, NULL, &r->base, NULL);
	kb_buf_init(&r->text, doc->text.max);
	kb_buf_init(&r->html, doc->text.max);
	status = md_parse(text.p, (MD_SIZE)text.n, &parser, r);
	kb_buf_fini(&r->text);
	kb_buf_fini(&r->html);
	if (status)
		return kb_fail(err, KB_E_INVALID, "the Markdown could not be read");
	return true;
}
