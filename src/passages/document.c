#include "passages/document.h"

#include "base/buf.h"
#include "passages/name.h"

/* Of the first part of the text; a text that has none has what the document says of itself. */
static enum kb_lang language(const struct kb_parsed *parsed)
{
	struct kb_buf whole;
	enum kb_lang lang;

	kb_buf_init(&whole, 64 << 10);
	for (size_t i = 0; i < parsed->block_count && !whole.failed; i++) {
		kb_buf_sv(&whole, parsed->blocks[i].text);
		kb_buf_byte(&whole, '\n');
	}
	lang = kb_lang_of_text(kb_buf_view(&whole));
	kb_buf_fini(&whole);
	return lang == KB_LANG_NONE ? kb_lang_from_code(parsed->lang) : lang;
}

bool kb_document_read(struct kb_arena *arena, const struct kb_origin *origin,
                      const struct kb_parsed *parsed, struct kb_document *out, struct kb_err *err)
{
	*out = (struct kb_document){ .lang = language(parsed) };
	kb_chunk(arena, parsed, &out->chunks);
	if (out->chunks.count == 0)
		return kb_fail(err, KB_E_INVALID, "the document holds no text");
	out->title = parsed->title.n      ? parsed->title
	             : origin->filename.n ? origin->filename
	                                  : origin->url;
	out->names = !origin->url.n ? kb_name_words(arena, out->title, origin->filename)
	                            : kb_address_words(arena, out->title, origin->url);
	return true;
}

int64_t kb_document_add(struct kb_segment_writer *writer, int64_t page_id,
                        const struct kb_document *document)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < document->chunks.count; i++) {
		const struct kb_chunk *chunk = &document->chunks.v[i];

		kb_segment_writer_add(writer, &(struct kb_passage){
		                                      .page_id = page_id,
		                                      .ordinal = (uint32_t)i,
		                                      .page_no = chunk->page_no,
		                                      .offset = chunk->offset,
		                                      .lang = document->lang,
		                                      .title = document->title,
		                                      .heading = chunk->heading,
		                                      .names = document->names,
		                                      .text = chunk->text,
		                                      .marks = chunk->marks,
		                                      .mark_count = chunk->mark_count,
		                              });
		bytes += (int64_t)chunk->text.n;
	}
	return bytes;
}
