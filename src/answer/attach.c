#include "answer/attach.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "answer/mask.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/temp.h"
#include "ingest/chunk.h"
#include "ingest/name.h"

static enum kb_lang language(const struct kb_parsed *parsed)
{
	enum { SAMPLE = 64 << 10 };
	struct kb_buf sample;
	enum kb_lang lang;

	kb_buf_init(&sample, SAMPLE);
	for (size_t i = 0; i < parsed->block_count && !sample.failed; i++) {
		kb_buf_sv(&sample, parsed->blocks[i].text);
		kb_buf_byte(&sample, '\n');
	}
	lang = kb_lang_of_text(kb_buf_view(&sample));
	kb_buf_fini(&sample);
	return lang == KB_LANG_NONE ? kb_lang_from_code(parsed->lang) : lang;
}

/* False when there is no text. */
static bool add(struct kb_attached *attached, struct kb_arena *arena, struct kb_sv name,
                const struct kb_parsed *parsed)
{
	enum kb_lang lang = language(parsed);
	struct kb_chunks chunks;
	struct kb_sv title;

	kb_chunk(arena, parsed, &chunks);
	if (chunks.count == 0)
		return false;
	title = parsed->title.n ? parsed->title : name;
	if (!attached->writer) {
		attached->writer = kb_segment_writer_new();
		kb_segment_writer_passing(attached->writer);
	}
	KB_GROW(attached->names, attached->capacity, attached->count + 1);
	attached->names[attached->count++] = name;
	for (size_t i = 0; i < chunks.count; i++) {
		const struct kb_chunk *chunk = &chunks.v[i];
		struct kb_sv text = chunk->text;

		kb_segment_writer_add(
		        attached->writer,
		        &(struct kb_passage){
		                .page_id = -(int64_t)attached->count,
		                .ordinal = (uint32_t)i,
		                .page_no = chunk->page_no,
		                .offset = chunk->offset,
		                .lang = lang,
		                .title = title,
		                .heading = chunk->heading,
		                .names = kb_name_words(arena, title, name),
		                .text = attached->masked ? kb_mask(arena, text) : text,
		        });
	}
	return true;
}

bool kb_attached_add(struct kb_attached *attached, struct kb_arena *arena, struct kb_sv name,
                     const struct kb_parsed *parsed, struct kb_err *err)
{
	return add(attached, arena, name, parsed)
	       || kb_fail(err, KB_E_INVALID, "there is no text in the file");
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Writes the next paragraph at p, its blanks and line ends as single blanks; false at the end of
 * the text. */
static bool next_paragraph(struct kb_sv *rest, char *p, size_t *n)
{
	size_t i = 0;
	int lines = 0; /* line ends since the last letter */

	*n = 0;
	for (; i < rest->n && !(*n && lines > 1 && !is_blank(rest->p[i])); i++) {
		char c = rest->p[i];

		if (is_blank(c)) {
			lines += c == '\n';
			continue;
		}
		if (*n && is_blank(rest->p[i - 1]))
			p[(*n)++] = ' ';
		lines = 0;
		p[(*n)++] = c;
	}
	*rest = kb_sv_from(*rest, i);
	return *n > 0;
}

void kb_attached_add_text(struct kb_attached *attached, struct kb_arena *arena, struct kb_sv text)
{
	char *p = kb_arena_bytes(arena, text.n + 1);
	struct kb_parsed parsed = { 0 };
	struct kb_block *blocks = NULL;
	size_t at = 0, capacity = 0, n;

	for (struct kb_sv rest = text; next_paragraph(&rest, p + at, &n); at += n + 1) {
		KB_GROW(blocks, capacity, parsed.block_count + 1);
		blocks[parsed.block_count++] = (struct kb_block){ .type = KB_BLOCK_PARAGRAPH,
			                                          .offset = (uint32_t)at,
			                                          .text = kb_sv(p + at, n) };
		p[at + n] = '\n';
	}
	parsed.blocks = blocks;
	(void)add(attached, arena, KB_SV(""), &parsed); /* empty text is no context */
	free(blocks);
}

bool kb_attached_done(struct kb_attached *attached, const char *temp_dir, struct kb_err *err)
{
	char path[KB_TEMP_PATH];
	bool ok;

	if (!attached->writer)
		return true;
	kb_temp_path(path, temp_dir, KB_TEMP_SEGMENT);
	ok = kb_segment_writer_finish(attached->writer, path, NULL, err);
	kb_segment_writer_free(attached->writer);
	attached->writer = NULL;
	if (ok)
		attached->segment = kb_segment_open(path, false, err);
	unlink(path); /* the map holds it */
	return ok && attached->segment;
}

void kb_attached_fini(struct kb_attached *attached)
{
	kb_segment_writer_free(attached->writer);
	kb_segment_release(attached->segment);
	free(attached->names);
	*attached = (struct kb_attached){ 0 };
}
