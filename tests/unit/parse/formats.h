/* What the tests of formats share: documents from memory, their blocks as lines, zips made here. A
 * block is "type page path | text" ("@second" for a page), with h, p, l, t, c for the types and the
 * path in square brackets. */
#ifndef KB_TEST_PARSE_FORMATS_H
#define KB_TEST_PARSE_FORMATS_H

#include <zip.h>

#include "fixture.h"
#include "parse/format.h"

static inline void dump(const struct kb_parsed *parsed, struct kb_buf *out)
{
	static const char letters[] = "hpltc";

	for (size_t i = 0; i < parsed->block_count; i++) {
		const struct kb_block *b = &parsed->blocks[i];

		kb_buf_byte(out, letters[b->type]);
		if (kb_is_moment(b->page_no))
			kb_buf_printf(out, "@%u", b->page_no - KB_MOMENT);
		else if (b->page_no)
			kb_buf_printf(out, "%u", b->page_no);
		if (b->table)
			kb_buf_printf(out, "#%u", b->table);
		if (b->heading.n)
			kb_buf_printf(out, "[%.*s]", KB_SV_ARG(b->heading));
		kb_buf_printf(out, " %.*s\n", KB_SV_ARG(b->text));
	}
}

static inline bool read_here(struct kb_arena *arena, const char *filename, struct kb_sv bytes,
                             struct kb_parsed *parsed, struct kb_doc *doc, struct kb_err *err)
{
	struct kb_parse_input in = { .bytes = bytes, .filename = kb_sv_str(filename), .fd = -1 };
	bool helper;

	kb_doc_init(doc, arena, KB_MIB(8));
	return kb_format_read(&in, doc, false, &helper, err) && kb_doc_done(doc, parsed, err);
}

static inline void check(struct kb_test *t, const char *filename, struct kb_sv bytes,
                         const char *format, const char *want)
{
	struct kb_arena arena = { 0 };
	struct kb_parsed parsed = { 0 };
	struct kb_err err = { 0 };
	struct kb_doc doc;
	struct kb_buf out;

	kb_buf_init(&out, KB_MIB(8));
	CHECK(t, read_here(&arena, filename, bytes, &parsed, &doc, &err));
	CHECK_SV(t, kb_sv_str(err.msg), "");
	CHECK_SV(t, parsed.format, format);
	dump(&parsed, &out);
	CHECK_SV(t, kb_buf_view(&out), want);
	kb_buf_fini(&out);
	kb_doc_fini(&doc);
	kb_arena_fini(&arena);
}

static inline void refuse(struct kb_test *t, const char *filename, struct kb_sv bytes,
                          const char *sentence)
{
	struct kb_arena arena = { 0 };
	struct kb_parsed parsed = { 0 };
	struct kb_err err = { 0 };
	struct kb_doc doc;

	CHECK(t, !read_here(&arena, filename, bytes, &parsed, &doc, &err));
	CHECK_SV(t, kb_sv_str(err.msg), sentence);
	kb_doc_fini(&doc);
	kb_arena_fini(&arena);
}

struct member {
	const char *name, *text;
};

static inline struct kb_sv make_zip(struct kb_arena *arena, const struct member *members,
                                    size_t count)
{
	zip_error_t error;
	zip_source_t *source = zip_source_buffer_create(NULL, 0, 0, &error);
	zip_t *zip = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error);
	struct kb_sv out = { NULL, 0 };
	zip_stat_t stat;
	char *bytes;

	zip_source_keep(source);
	for (size_t i = 0; i < count; i++)
		zip_file_add(zip, members[i].name,
		             zip_source_buffer(zip, members[i].text, strlen(members[i].text), 0),
		             0);
	if (zip_close(zip))
		return out;
	zip_source_stat(source, &stat);
	bytes = kb_arena_bytes(arena, stat.size);
	zip_source_open(source);
	out = kb_sv(bytes, (size_t)zip_source_read(source, bytes, stat.size));
	zip_source_close(source);
	zip_source_free(source);
	return out;
}

/* Every file of Microsoft's has one. */
#define TYPES                                                                                      \
	{                                                                                          \
		"[Content_Types].xml", "<Types/>"                                                  \
	}

#endif
