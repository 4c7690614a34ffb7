/* Where a sentence stands among the words of a page. */
#include "view/mark.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

enum { BLOCKS = 8, WORDS = 64 };

/* A document of some blocks, all of page 2 but for what begins with '^', which is of page 1; '|' is
 * a row of a table. */
static struct kb_parsed document(struct kb_arena *arena, const char *const *texts)
{
	struct kb_parsed parsed = { .format = KB_SV("pdf"), .pages = 2 };
	uint32_t offset = 0;

	parsed.blocks = KB_NEW_ARRAY(arena, BLOCKS, struct kb_block);
	for (size_t i = 0; i < BLOCKS && texts[i]; i++) {
		struct kb_block *block = &parsed.blocks[parsed.block_count++];
		bool before = texts[i][0] == '^';

		block->page_no = before ? 1 : 2;
		block->type = texts[i][0] == '|' ? KB_BLOCK_TABLE : KB_BLOCK_PARAGRAPH;
		block->text = kb_sv_str(texts[i] + (before || texts[i][0] == '|'));
		block->offset = offset;
		offset += (uint32_t)block->text.n + 1;
	}
	return parsed;
}

/* The page's lines, each word with a place. */
static struct kb_parsed page(struct kb_arena *arena, const char *const *lines)
{
	struct kb_parsed parsed = document(arena, lines);

	for (size_t i = 0; i < parsed.block_count; i++) {
		struct kb_block *block = &parsed.blocks[i];
		struct kb_word_box *boxes = KB_NEW_ARRAY(arena, WORDS, struct kb_word_box);
		struct kb_sv rest = block->text, word;

		while (rest.n) {
			kb_sv_split(&rest, ' ', &word);
			boxes[block->box_count++] =
			        (struct kb_word_box){ .at = (uint32_t)(word.p - block->text.p),
				                      .n = (uint32_t)word.n,
				                      /* A line and the next beside each other. */
				                      .y0 = (uint16_t)((i + 1) / 2 * 1000),
				                      .y1 = (uint16_t)((i + 1) / 2 * 1000 + 100) };
		}
		block->boxes = boxes;
	}
	return parsed;
}

/* "3+2 9+1": the runs. */
static struct kb_sv runs_of(struct kb_arena *arena, const struct kb_parsed *text,
                            const struct kb_parsed *words, struct kb_mark_place place)
{
	size_t count;
	const struct kb_mark_run *runs = kb_mark_find(arena, text, words, 2, place, &count);
	struct kb_sv out = KB_SV("");

	for (size_t i = 0; i < count; i++)
		out = kb_arena_printf(arena, "%.*s%s%zu+%zu", KB_SV_ARG(out), out.n ? " " : "",
		                      runs[i].first, runs[i].count);
	return out;
}

static void test_marks(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name;
		const char *text[BLOCKS], *lines[BLOCKS];
		const char *quote; /* which of them, where there are several: a figure before it */
		const char *want;
	} cases[] = {
		{ "a sentence over two lines", { "It is hot. Goods may be returned. Yes." },
		  { "It is hot. Goods may", "be returned. Yes." }, "Goods may be returned.", "3+4" },
		{ "a word that the line's end has cut", { "An example of it" },
		  { "An exam-", "ple of it" }, "example of", "1+3" },
		{ "a running head that the text leaves out", { "One two. Three four." },
		  { "Handbook 7", "One two. Three", "four." }, "Three four.", "4+2" },
		{ "a sentence that stands twice: the second", { "A b c. Now x.", "A b c. Then y." },
		  { "A b c. Now x.", "A b c. Then y." }, "2A b c.", "5+3" },
		{ "the first of them", { "A b c. Now x.", "A b c. Then y." },
		  { "A b c. Now x.", "A b c. Then y." }, "A b c.", "0+3" },
		{ "with nothing around it: the one as far down", { "Total 5", "Total 5", "Total 5" },
		  { "Total 5", "Total 5", "Total 5" }, "2Total 5", "2+2" },
		{ "ligatures, capitals and blanks within", { "The \xef\xac\x81re of K iln" },
		  { "THE fire", "of Kiln" }, "\xef\xac\x81re of K iln", "1+3" },
		{ "Chinese", { "\xe6\x88\x91\xe4\xbb\xac\xe5\x9c\xa8\xe8\xbf\x99\xe9\x87\x8c" },
		  { "\xe6\x88\x91\xe4\xbb\xac", "\xe5\x9c\xa8\xe8\xbf\x99\xe9\x87\x8c" },
		  "\xe4\xbb\xac\xe5\x9c\xa8", "0+2" },
		{ "two blocks with something between them", { "Head one", "tail two" },
		  { "Head one", "see page 9", "tail two" }, "Head one\ntail two", "0+2 5+2" },
		{ "the part of it that is on this page", { "^begins here", "and ends. So." },
		  { "and ends. So." }, "begins here\nand ends.", "0+2" },
		{ "nothing of it is", { "^begins here", "and ends. So." }, { "and ends. So." },
		  "begins here", "" },
		{ "what the page does not show", { "Invisible words", "seen" }, { "seen" },
		  "Invisible words", "" },
		{ "a row of a table: its values, wherever their names stand", { "|Part: Bell; Price: 12", "|Part: Lamp; Price: 12" },
		  { "Part Price", "Bell", "12", "Lamp", "12" }, "Part: Lamp; Price: 12", "4+1 5+1" },
		{ "a row with nothing of its own on the page", { "|a: 5; b: 6" }, { "5 6 5 6" }, "a: 5; b: 6", "" },
		{ "no letter at all", { "a * b" }, { "a * b" }, "*", "" },
	};
	// clang-format on
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_parsed text = document(&arena, cases[i].text);
		struct kb_parsed words = page(&arena, cases[i].lines);
		struct kb_sv quote = kb_sv_str(cases[i].quote), whole = KB_SV("");
		bool second = quote.p[0] == '2';
		struct kb_mark_place place;
		ptrdiff_t at;

		t->row = cases[i].name;
		for (size_t b = 0; b < text.block_count; b++)
			whole = kb_arena_printf(&arena, "%.*s%s%.*s", KB_SV_ARG(whole),
			                        b ? "\n" : "", KB_SV_ARG(text.blocks[b].text));
		quote = kb_sv_from(quote, second);
		at = kb_sv_find(whole, quote);
		if (second)
			at += 1 + kb_sv_find(kb_sv_from(whole, (size_t)at + 1), quote);
		place = (struct kb_mark_place){ (uint32_t)at, (uint32_t)quote.n };
		CHECK_SV(t, runs_of(&arena, &text, &words, place), cases[i].want);
	}
	kb_arena_fini(&arena);
}

/* Words of a page, each with its column and height. */
struct printed {
	const char *text;
	uint16_t x, y;
};

static struct kb_parsed print(struct kb_arena *arena, const struct printed *words)
{
	struct kb_parsed parsed = { .format = KB_SV("pdf"), .pages = 2 };

	parsed.blocks = KB_NEW_ARRAY(arena, WORDS, struct kb_block);
	for (size_t i = 0; i < WORDS && words[i].text; i++) {
		struct kb_word_box *box = KB_NEW(arena, struct kb_word_box);

		*box = (struct kb_word_box){ .n = (uint32_t)strlen(words[i].text),
			                     .x0 = words[i].x,
			                     .x1 = (uint16_t)(words[i].x + 300),
			                     .y0 = words[i].y,
			                     .y1 = (uint16_t)(words[i].y + 100) };
		parsed.blocks[parsed.block_count++] = (struct kb_block){
			.page_no = 2, .text = kb_sv_str(words[i].text), .boxes = box, .box_count = 1
		};
	}
	return parsed;
}

static void test_cells(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *row;
		struct printed words[WORDS];
		const char *want;
	} cases[] = {
		{ "one cell over two lines, beside one of one", "|Part: Bell of the tower; Price: 12 crowns",
		  { { "Bell", 500, 1000 }, { "of", 900, 1000 }, { "12", 3000, 1000 }, { "crowns", 3400, 1000 },
		    { "the", 500, 1150 }, { "tower", 900, 1150 } }, "0+2 4+2 2+2" },
		{ "each cell over two lines", "|Part: Bell of the tower; Price: 12 crowns each",
		  { { "Bell", 500, 1000 }, { "of", 900, 1000 }, { "12", 3000, 1000 }, { "crowns", 3400, 1000 },
		    { "the", 500, 1150 }, { "tower", 900, 1150 }, { "each", 3000, 1150 } }, "0+2 4+2 2+2 6+1" },
		{ "the row, not the one above that begins alike", "|a: Bell of bronze; b: 7 pounds of tin",
		  { { "Bell", 500, 400 }, { "of", 900, 400 }, { "7", 3000, 400 }, { "crowns", 3400, 400 }, { "iron", 500, 550 },
		    { "Bell", 500, 1000 }, { "of", 900, 1000 }, { "7", 3000, 1000 }, { "pounds", 3400, 1000 },
		    { "bronze", 500, 1150 }, { "of", 3000, 1150 }, { "tin", 3400, 1150 } }, "5+2 9+1 7+2 10+2" },
		{ "a line further down is of another row", "|a: Bell of bronze; b: 12 crowns",
		  { { "Bell", 500, 1000 }, { "of", 900, 1000 }, { "12", 3000, 1000 }, { "crowns", 3400, 1000 },
		    { "bronze", 500, 1800 } }, "2+2" },
		{ "a line of another column is of another cell", "|a: Bell of bronze; b: 12 crowns",
		  { { "Bell", 500, 1000 }, { "of", 900, 1000 }, { "12", 3000, 1000 }, { "crowns", 3400, 1000 },
		    { "bronze", 3000, 1150 } }, "2+2" },
	};
	// clang-format on
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		const char *const texts[BLOCKS] = { cases[i].row };
		struct kb_parsed text = document(&arena, texts);
		struct kb_parsed words = print(&arena, cases[i].words);
		const struct kb_mark_place place = { 0, (uint32_t)text.blocks[0].text.n };

		t->row = cases[i].name;
		CHECK_SV(t, runs_of(&arena, &text, &words, place), cases[i].want);
	}
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a place of the text is found among the words of the page", test_marks },
		{ "cells of several lines are marked line by line", test_cells },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
