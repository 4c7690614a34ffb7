#include "parse/html_writer.h"

#include <string.h>

#include "base/utf8.h"

void kb_html_flush(struct kb_html_writer *w)
{
	if (!w->text.n)
		return;
	if (w->heading)
		kb_doc_heading(w->doc, w->heading, kb_buf_view(&w->text));
	else
		kb_doc_add(w->doc,
		           w->pre     ? KB_BLOCK_CODE
		           : w->lists ? KB_BLOCK_LIST
		                      : KB_BLOCK_PARAGRAPH,
		           kb_buf_view(&w->text));
	kb_buf_clear(&w->text);
	w->breaks = 0;
}

bool kb_html_is_blank(struct kb_sv text)
{
	return !kb_sv_trim(text).n;
}

void kb_html_add_text(struct kb_html_writer *w, struct kb_sv text)
{
	if (!w->text.n && !w->pre && kb_html_is_blank(text))
		return;
	/* A picture of a link mark, as documentation tools put it behind headings. */
	if (w->heading && (kb_sv_eq_str(text, "\xc2\xb6") || kb_sv_eq_str(text, "#")))
		return;
	if (!kb_html_is_blank(text))
		w->breaks = 0;
	kb_buf_sv(&w->text, text);
}

void kb_html_gather(const struct kb_html_writer *w, uint32_t from, uint32_t end, struct kb_buf *out)
{
	for (uint32_t i = from; i < end; i++) {
		const struct kb_html_node *node = &w->tree->nodes[i];
		enum kb_html_kind kind = kb_html_kind(node->tag);

		if ((node->flags & w->skip) || kind == KB_HTML_SKIP) {
			i = node->end - 1;
			continue;
		}
		if (node->tag == KB_TAG_TEXT)
			kb_buf_sv(out, node->text);
		else if (kind != KB_HTML_INLINE)
			kb_buf_byte(out, ' ');
	}
}
