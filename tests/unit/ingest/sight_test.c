/* A model's words of a picture as blocks of its page. */
#include "ingest/sight.h"

#include "test.h"

static void test_words(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *blocks[3];
	} cases[] = {
		{ "paragraphs between empty lines",
		  "One.\n\nTwo\nlines.\n\n\n\nThree.",
		  { "One.", "Two lines.", "Three." } },
		{ "markup is text",
		  "<b>One</b> [x](http://a.example/)",
		  { "<b>One</b> [x](http://a.example/)" } },
		{ "what a terminal would obey is gone", "One\x1b[2J.\x01", { "One." } },
		{ "nothing", "", { NULL } },
		{ "blanks", " \n\n \t\n\n", { NULL } },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_parsed page = { 0 };
		size_t n = 0;
		bool any;

		t->row = cases[i].name;
		while (n < KB_COUNTOF(cases[i].blocks) && cases[i].blocks[n])
			n++;
		any = kb_sight_read(&arena, 7, kb_sv_str(cases[i].text), &page);
		CHECK(t, any == (n > 0));
		CHECK_INT(t, any ? page.block_count : 0, n);
		for (size_t k = 0; any && k < n && k < page.block_count; k++) {
			const struct kb_block *block = &page.blocks[k];

			CHECK_SV(t, block->text, cases[i].blocks[k]);
			CHECK_INT(t, block->page_no, 7);
		}
		kb_arena_fini(&arena);
	}
}

static void test_place(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_parsed page;

	t->row = "its place is the whole page";
	CHECK(t, kb_sight_read(&arena, 1, KB_SV("A ship on blue water."), &page));
	CHECK_INT(t, page.blocks[0].box_count, 1);
	if (page.blocks[0].box_count) {
		const struct kb_word_box *box = page.blocks[0].boxes;

		CHECK(t, box->at == 0 && box->n == page.blocks[0].text.n);
		CHECK(t, box->x0 == 0 && box->y0 == 0 && box->x1 == KB_BOX_UNITS
		                 && box->y1 == KB_BOX_UNITS);
	}
	kb_arena_fini(&arena);
}

static void test_wanted(struct kb_test *t)
{
	static const struct {
		const char *name;
		struct kb_agent_options options;
		bool wanted;
	} cases[] = {
		{ "nobody asked", { 0 }, false },
		{ "OCR alone", { .is_ocr_enabled = 1 }, false },
		{ "a model in its place", { .is_ocr_enabled = 2 }, true },
		{ "pictures are described", { .is_vision_enabled = true }, true },
		{ "smaller ones, of nothing", { .is_vision_compress_image = true }, false },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].name;
		CHECK(t, kb_sight_is_wanted(&cases[i].options) == cases[i].wanted);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "a model's words", test_words },
		{ "their place", test_place },
		{ "who wants them", test_wanted },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
