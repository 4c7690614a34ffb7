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

/* ---- a page that is looked at: "Left side" at its lower left, of 600 by 800 points */

static const char page_of_pdf[] =
        "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]%s/Contents 4 0 R"
        "/Resources<</Font<</F 5 0 R>>>>>>endobj\n"
        "4 0 obj<</Length 41>>stream\nBT /F 20 Tf 60 80 Td (Left side) Tj ET   \nendstream endobj\n"
        "5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
        "trailer<</Size 6/Root 1 0 R>>\n%%%%EOF\n";

struct look {
	struct kb_parser *parser;
	struct kb_arena *arena;
	const char *extra; /* of the page's dictionary; NULL: no PDF at all */
	struct kb_page_look page;
};

static bool look_at(const struct look *look, struct kb_parsed *words, struct kb_sv *jpeg,
                    struct kb_err *err)
{
	struct kb_parse_request request = { .filename = KB_SV("a.pdf"), .look = look->page };
	char bytes[1024] = "plain text";
	bool ok;

	if (look->extra)
		snprintf(bytes, sizeof(bytes), page_of_pdf, look->extra);
	request.fd = memfd_create("document", MFD_CLOEXEC);
	ok = request.fd >= 0 && write(request.fd, bytes, strlen(bytes)) == (ssize_t)strlen(bytes)
	     && lseek(request.fd, 0, SEEK_SET) == 0
	     && (words ? kb_parse(look->parser, look->arena, &request, words, err)
	               : kb_parse_draw(look->parser, look->arena, &request, jpeg, err));
	close(request.fd);
	return ok;
}

static void test_words_of_page(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *extra; uint32_t width, height; uint16_t x0, y1;
	} cases[] = {
		{ "a word stands where it is painted", "", 600, 800, 1000, 9000 },
		{ "a page on its side: where it is seen", "/Rotate 90", 800, 600, 0, 0 },
		{ "a part of the page: where it stands in that", "/CropBox[30 40 330 440]", 300, 400, 1000, 9000 },
	};
	// clang-format on
	struct kb_parser *parser = open_parser(t, NULL);

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct look look = {
			parser, &arena, cases[i].extra, { 1, cases[i].width, cases[i].height }
		};
		struct kb_parsed words = { 0 };
		const struct kb_word_box *box;
		struct kb_err err = { 0 };

		t->row = cases[i].name;
		CHECK(t, look_at(&look, &words, NULL, &err));
		CHECK_SV(t, kb_sv_str(err.msg), "");
		CHECK_INT(t, words.block_count, 1);
		if (words.block_count != 1)
			continue;
		CHECK_SV(t, words.blocks[0].text, "Left side");
		CHECK_INT(t, words.blocks[0].page_no, 1);
		CHECK_INT(t, words.blocks[0].box_count, 2);
		box = words.blocks[0].boxes;
		CHECK(t, box[0].at == 0 && box[0].n == 4 && box[1].at == 5 && box[1].n == 4);
		CHECK(t, box[0].x0 < box[0].x1 && box[0].y0 < box[0].y1);
		if (cases[i].x0) {
			CHECK_INT(t, box[0].x0, cases[i].x0);
			CHECK(t, box[0].y1 > cases[i].y1 && box[0].y1 < cases[i].y1 + 120);
		} else { /* upright along the left edge, its first letter uppermost */
			CHECK(t, box[0].x1 < 1250 && box[0].y0 == 1000 && box[1].y0 > box[0].y1);
		}
		kb_arena_fini(&arena);
	}
	kb_parser_close(parser);
}

static void test_drawing(struct kb_test *t)
{
	struct kb_parser *parser = open_parser(t, NULL);
	struct kb_arena arena = { 0 };
	struct look look = { parser, &arena, "", { .page_no = 1 } };
	struct kb_parsed words;
	struct kb_sv jpeg;
	struct kb_err err = { 0 };

	CHECK(t, look_at(&look, NULL, &jpeg, &err));
	CHECK(t, kb_sv_starts(jpeg, KB_SV("\xff\xd8\xff")) && jpeg.n > 1000);

	look.page.page_no = 2;
	CHECK(t, !look_at(&look, NULL, &jpeg, &err));
	CHECK_SV(t, kb_sv_str(err.msg), "the PDF has no page 2");
	CHECK(t, !look_at(&look, &words, NULL, &err));
	CHECK_SV(t, kb_sv_str(err.msg), "the PDF has no page 2");
	look.extra = NULL;
	CHECK(t, !look_at(&look, NULL, &jpeg, &err));
	CHECK_SV(t, kb_sv_str(err.msg), "the file is no PDF: it has no pages to look at");
	CHECK(t, !look_at(&look, &words, NULL, &err));
	CHECK_SV(t, kb_sv_str(err.msg), "the file is no PDF: it has no pages to look at");
	kb_arena_fini(&arena);
	kb_parser_close(parser);
}

/* One dot, as PNG. */
static const char dot[] =
        "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\6\0\0\0\x1f\x15\xc4\x89"
        "\0\0\0\rIDATx\xda\x63\x64\xf8\xcf\x50\x0f\0\x03\x86\x01\x80\x5a\x34\x7d\x6b"
        "\0\0\0\0IEND\xae\x42\x60\x82";

static void test_picture(struct kb_test *t)
{
	static const struct {
		const char *name;
		struct kb_sv bytes;
		uint32_t page_no;
		enum kb_errc code;
		const char *problem;
	} cases[] = {
		{ "a picture becomes a JPEG", { dot, sizeof(dot) - 1 }, 1, KB_OK, "" },
		{ "it has one page",
		  { dot, sizeof(dot) - 1 },
		  2,
		  KB_E_NOT_FOUND,
		  "the picture has no page 2" },
		{ "a cut one fails",
		  { dot, 40 },
		  1,
		  KB_E_INVALID,
		  "the picture is damaged or too large to be read" },
		{ "so does a head alone", KB_SV_INIT("\xff\xd8\xff\xe0"), 1, KB_E_INVALID,
		  "the picture is damaged, or of a kind that cannot be read" },
	};
	struct kb_parser *parser = open_parser(t, NULL);

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_parse_request request = {
			.fd = memfd_create("picture", MFD_CLOEXEC),
			.look = { .page_no = cases[i].page_no, .side = 100 },
		};
		struct kb_err err = { 0 };
		struct kb_sv jpeg;
		bool ok;

		t->row = cases[i].name;
		CHECK(t, write(request.fd, cases[i].bytes.p, cases[i].bytes.n)
		                 == (ssize_t)cases[i].bytes.n);
		ok = kb_parse_draw(parser, &arena, &request, &jpeg, &err);
		CHECK(t, ok == (cases[i].code == KB_OK));
		CHECK_INT(t, err.code, cases[i].code);
		CHECK_SV(t, kb_sv_str(err.msg), cases[i].problem);
		if (ok)
			CHECK(t, kb_sv_starts(jpeg, KB_SV("\xff\xd8\xff")) && jpeg.n > 100);
		close(request.fd);
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
		{ "an old sheet that is cut", "a.doc", KB_SV_INIT(OLE "B\0o\0o\0k\0\0\0\0\0"),
		  "the file is damaged: its parts cannot be told apart" },
		{ "a container of nothing known", "a.doc", KB_SV_INIT(OLE "B\0o\0o\0k\0s\0"),
		  "the file is in the old binary Office format; save it as .docx, .xlsx or .pptx" },
#undef OLE
		{ "a picture", "a.pdf", KB_SV_INIT("\x89PNG\r\n\x1a\n"),
		  "the file is a picture, and text in pictures was left alone, because is_ocr_enabled was 0" },
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
		{ "words of a page that is looked at have their places", test_words_of_page },
		{ "a page is drawn", test_drawing },
		{ "a picture that is looked at is made smaller", test_picture },
		{ "500 documents from 8 threads all come back right", test_stress },
	};

	fixture_init(argv[0]);
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
