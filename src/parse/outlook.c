/* Outlook messages: each property is a stream, named by its number and kind. What is attached is
 * not read. */
#include "base/buf.h"
#include "parse/charset.h"
#include "parse/html.h"
#include "parse/old_office.h"

/* The names of a property's streams: in UTF-16, in the sender's code page, as bytes. */
static const struct property {
	const char *wide, *narrow, *bytes;
} subject = { "__substg1.0_0037001F", "__substg1.0_0037001E", NULL },
  sender = { "__substg1.0_0C1A001F", "__substg1.0_0C1A001E", NULL },
  receivers = { "__substg1.0_0E04001F", "__substg1.0_0E04001E", NULL },
  body = { "__substg1.0_1000001F", "__substg1.0_1000001E", NULL },
  page = { "__substg1.0_1013001F", "__substg1.0_1013001E", "__substg1.0_10130102" };

static struct kb_sv value(const struct kb_ole *ole, const struct property *property)
{
	struct kb_sv bytes, text;
	struct kb_buf buf;

	if (kb_ole_stream(ole, property->wide, &bytes)) {
		kb_buf_init(&buf, SIZE_MAX);
		kb_ole_text(&buf, bytes, true);
		text = kb_arena_sv(ole->arena, kb_buf_view(&buf));
		kb_buf_fini(&buf);
		return text;
	}
	if (kb_ole_stream(ole, property->narrow, &bytes)
	    || (property->bytes && kb_ole_stream(ole, property->bytes, &bytes)))
		return kb_charset_to_utf8(ole->arena, bytes, KB_SV(""), NULL);
	return KB_SV("");
}

/* Paragraphs lie between empty lines. */
static void add_body(struct kb_doc *doc, struct kb_sv text)
{
	struct kb_sv line;
	struct kb_buf paragraph;

	kb_buf_init(&paragraph, doc->text.max);
	while (text.p && kb_sv_split(&text, '\n', &line)) {
		line = kb_sv_trim(line);
		if (line.n) {
			if (paragraph.n)
				kb_buf_byte(&paragraph, ' ');
			kb_buf_sv(&paragraph, line);
			continue;
		}
		kb_doc_add(doc, KB_BLOCK_PARAGRAPH, kb_buf_view(&paragraph));
		kb_buf_clear(&paragraph);
	}
	kb_doc_add(doc, KB_BLOCK_PARAGRAPH, kb_buf_view(&paragraph));
	kb_buf_fini(&paragraph);
}

bool kb_outlook_read(struct kb_doc *doc, const struct kb_ole *ole, struct kb_err *err)
{
	struct kb_sv title = kb_sv_trim(value(ole, &subject)), text = value(ole, &body);
	struct kb_sv from = kb_sv_trim(value(ole, &sender));
	struct kb_sv to = kb_sv_trim(value(ole, &receivers));

	(void)err;
	kb_doc_meta(doc, KB_DOC_TITLE, title);
	kb_doc_heading(doc, 1, title);
	if (from.n)
		kb_doc_add(doc, KB_BLOCK_PARAGRAPH,
		           kb_arena_printf(doc->arena, to.n ? "From: %.*s; To: %.*s" : "From: %.*s",
		                           KB_SV_ARG(from), KB_SV_ARG(to)));
	if (kb_sv_trim(text).n)
		add_body(doc, text);
	else
		kb_html_fragment(doc, value(ole, &page));
	return true;
}
