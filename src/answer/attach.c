#include "answer/attach.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "answer/mask.h"
#include "base/hash.h"
#include "base/temp.h"
#include "passages/document.h"

static bool add(struct kb_attached *attached, struct kb_arena *arena, struct kb_sv name,
                const struct kb_parsed *parsed, struct kb_err *err)
{
	struct kb_origin origin = { .filename = name };
	struct kb_document document;

	if (!kb_document_read(arena, &origin, parsed, &document, err))
		return false;
	for (size_t i = 0; attached->masked && i < document.chunks.count; i++)
		document.chunks.v[i].text = kb_mask(arena, document.chunks.v[i].text);
	if (!attached->writer) {
		attached->writer = kb_segment_writer_new();
		kb_segment_writer_passing(attached->writer);
	}
	KB_GROW(attached->names, attached->capacity, attached->count + 1);
	attached->names[attached->count++] = name;
	kb_document_add(attached->writer, -(int64_t)attached->count, &document);
	return true;
}

bool kb_attached_add(struct kb_attached *attached, struct kb_arena *arena, struct kb_sv name,
                     const struct kb_parsed *parsed, struct kb_err *err)
{
	return add(attached, arena, name, parsed, err)
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
	(void)add(attached, arena, KB_SV(""), &parsed, NULL); /* empty text is no context */
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
