#include "parse/said.h"

#include <string.h>

enum {
	PARAGRAPH_BYTES = 500,
	PAUSE_S = 20, /* whoever is silent for so long begins anew */
};

static bool is_paragraph(struct kb_sv text)
{
	return text.n > PARAGRAPH_BYTES
	       || (text.n > PARAGRAPH_BYTES / 2 && strchr(".!?", text.p[text.n - 1]));
}

static void end_paragraph(struct kb_said *said)
{
	kb_doc_add(said->doc, KB_BLOCK_PARAGRAPH, kb_buf_view(&said->text));
	kb_buf_clear(&said->text);
}

void kb_said_init(struct kb_said *said, struct kb_doc *doc)
{
	*said = (struct kb_said){ .doc = doc };
	kb_buf_init(&said->text, doc->text.max);
}

void kb_said_add(struct kb_said *said, uint32_t second, struct kb_sv text)
{
	text = kb_sv_trim(text);
	if (!text.n)
		return;
	if (said->text.n
	    && (is_paragraph(kb_buf_view(&said->text))
	        || (second > said->before && second - said->before > PAUSE_S)))
		end_paragraph(said);
	if (said->text.n)
		kb_buf_byte(&said->text, ' ');
	else
		kb_doc_moment(said->doc, second);
	kb_buf_sv(&said->text, text);
	said->before = second;
}

void kb_said_fini(struct kb_said *said)
{
	end_paragraph(said);
	kb_buf_fini(&said->text);
}
