/* Plain text: paragraphs between blank lines, form feeds as pages, list marks and underlined
 * headings as people write them. */
#include <string.h>

#include "parse/format.h"

/* "- ", "* ", "• ", "1. ", "a) " at the start of a line. */
static bool is_item(struct kb_sv line)
{
	size_t i = 0;

	if (kb_sv_starts(line, KB_SV("\xe2\x80\xa2"))) /* • */
		return true;
	if (line.n > 2 && strchr("-*+", line.p[0]) && line.p[1] == ' ')
		return true;
	while (i < line.n && i < 3 && line.p[i] >= '0' && line.p[i] <= '9')
		i++;
	return i && i + 1 < line.n && strchr(".)", line.p[i]) && line.p[i + 1] == ' ';
}

/* A line of one repeated mark under a title, as in reStructuredText and old READMEs. */
static bool is_underline(struct kb_sv line, size_t title)
{
	if (line.n < 3 || line.n + 3 < title || !strchr("=-~^\"#*+", line.p[0]))
		return false;
	for (size_t i = 1; i < line.n; i++)
		if (line.p[i] != line.p[0])
			return false;
	return true;
}

static void flush(struct kb_doc *doc, struct kb_sv text, size_t *start, size_t end, bool item)
{
	if (end > *start)
		kb_doc_add(doc, item ? KB_BLOCK_LIST : KB_BLOCK_PARAGRAPH,
		           kb_sv_sub(text, *start, end - *start));
	*start = end;
}

static void read_page(struct kb_doc *doc, struct kb_sv text)
{
	struct kb_sv rest = text, line, before = { NULL, 0 };
	size_t start = 0;
	bool item = false;

	if (!text.p)
		return;
	while (kb_sv_split(&rest, '\n', &line)) {
		size_t at = (size_t)(line.p - text.p);
		struct kb_sv bare = kb_sv_trim(line);

		if (!bare.n) {
			flush(doc, text, &start, at, item);
			item = false;
		} else if (before.n && before.p == kb_sv_trim(kb_sv_from(text, start)).p
		           && is_underline(bare, before.n)) {
			kb_doc_heading(doc,
			               bare.p[0] == '='   ? 1
			               : bare.p[0] == '-' ? 2
			                                  : 3,
			               before);
			start = at + line.n;
		} else if (is_item(bare)) {
			flush(doc, text, &start, at, item);
			item = true;
		}
		before = bare;
	}
	flush(doc, text, &start, text.n, item);
}

bool kb_text_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	struct kb_sv rest = kb_input_text(in, doc->arena), page;
	bool pages = kb_sv_find_byte(kb_sv_trim(rest), '\f') >= 0;
	uint32_t page_no = 0;

	(void)err;
	if (!rest.p)
		return true;
	while (kb_sv_split(&rest, '\f', &page)) {
		page_no++;
		if (pages && kb_sv_trim(page).n)
			kb_doc_page(doc, page_no);
		read_page(doc, page);
	}
	return true;
}
