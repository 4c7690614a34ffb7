/* Documents through a real child, sandbox and all. */
#include "parse/parse.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"
#include "test.h"

static void test_formats(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *filename, *text, *format, *first;
	} cases[] = {
		{ "plain text is paragraphs", "a.txt", "one\ntwo\n\nthree", "text", "one two" },
		{ "Markdown has headings", "a.md", "# Kiln\n\nHot.", "markdown", "Kiln" },
		{ "HTML is told by its content", "a.txt", "<!doctype html><p>Hi there", "html", "Hi there" },
		{ "CSV rows name their columns", "a.csv", "name,age\nAnn,7\n", "csv", "name: Ann; age: 7" },
	};
	// clang-format on
	struct kb_parser *parser = open_parser(t, NULL);

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_parsed parsed;
		struct kb_err err = { 0 };

		t->row = cases[i].name;
		CHECK(t, parse_text(parser, &arena, cases[i].filename, kb_sv_str(cases[i].text),
		                    &parsed, &err));
		CHECK_SV(t, kb_sv_str(err.msg), "");
		CHECK_SV(t, parsed.format, cases[i].format);
		CHECK(t, parsed.block_count > 0);
		if (parsed.block_count)
			CHECK_SV(t, parsed.blocks[0].text, cases[i].first);
		kb_arena_fini(&arena);
	}
	kb_parser_close(parser);
}

static void test_refusals(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *filename; struct kb_sv bytes; const char *sentence;
	} cases[] = {
		{ "an empty file", "a.txt", KB_SV_INIT(""), "the file is empty" },
		{ "a file of blanks", "a.txt", KB_SV_INIT(" \n \n"), "there is no text in the file" },
		{ "bytes of no kind", "a.txt", KB_SV_INIT("\x01\x02\x03\0\x05\x06\x07\x0e"),
		  "the file is of a kind that cannot be read" },
#define OLE "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
		{ "a Visio drawing", "a.vsd", KB_SV_INIT(OLE "V\0i\0s\0i\0o\0D\0o\0c\0u\0m\0e\0n\0t\0\0\0\0\0"),
		  "the file is a Visio drawing; export it as PDF" },
		{ "a Publisher document", "a.pub", KB_SV_INIT(OLE "Q\0u\0i\0l\0l\0\0\0\0\0"),
		  "the file is a Publisher document; export it as PDF" },
		{ "an old sheet", "a.doc", KB_SV_INIT(OLE "B\0o\0o\0k\0\0\0\0\0"),
		  "the file is an old Excel sheet; save it as .xlsx" },
		{ "a container of nothing known", "a.doc", KB_SV_INIT(OLE "B\0o\0o\0k\0s\0"),
		  "the file is in the old binary Office format; save it as .docx, .xlsx or .pptx" },
#undef OLE
		{ "a picture", "a.pdf", KB_SV_INIT("\x89PNG\r\n\x1a\n"),
		  "the file is a picture, and text in pictures is read only where is_ocr_enabled is 1" },
	};
	// clang-format on
	struct kb_parser *parser = open_parser(t, NULL);

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_parsed parsed;
		struct kb_err err = { 0 };

		t->row = cases[i].name;
		CHECK(t, !parse_text(parser, &arena, cases[i].filename, cases[i].bytes, &parsed,
		                     &err));
		CHECK_INT(t, err.code, KB_E_INVALID);
		CHECK_SV(t, kb_sv_str(err.msg), cases[i].sentence);
		kb_arena_fini(&arena);
	}
	kb_parser_close(parser);
}

/* ---- many at once */

enum { THREADS = 8, DOCUMENTS = 500 };

struct stress {
	struct kb_parser *parser;
	struct kb_test *t;
	_Atomic int next, right;
};

static void *stress_thread(void *arg)
{
	struct stress *s = arg;

	for (int i; (i = atomic_fetch_add(&s->next, 1)) < DOCUMENTS;) {
		struct kb_arena arena = { 0 };
		struct kb_sv text = kb_arena_printf(&arena, "# Title %d\n\nBody of %d.", i, i);
		struct kb_sv want = kb_arena_printf(&arena, "Body of %d.", i);
		struct kb_parsed parsed;
		struct kb_err err = { 0 };

		if (parse_text(s->parser, &arena, "a.md", text, &parsed, &err)
		    && parsed.block_count == 2 && kb_sv_eq(parsed.blocks[1].text, want))
			atomic_fetch_add(&s->right, 1);
		kb_arena_fini(&arena);
	}
	return NULL;
}

static void test_stress(struct kb_test *t)
{
	struct stress s = { .parser = open_parser(t, NULL), .t = t };
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, stress_thread, &s);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(t, s.right, DOCUMENTS);
	kb_parser_close(s.parser);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a document of each kind goes through a child", test_formats },
		{ "what cannot be read is refused with a sentence", test_refusals },
		{ "500 documents from 8 threads all come back right", test_stress },
	};

	fixture_init(argv[0]);
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
