#include "passages/chunk.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "test.h"

/* A document in the making: blocks get their offsets as the parser gives them. */
struct doc {
	struct kb_arena arena;
	struct kb_block blocks[200];
	struct kb_parsed parsed;
	struct kb_buf whole; /* the text of all blocks, joined by line ends */
};

static void doc_init(struct doc *d)
{
	memset(d, 0, sizeof(*d));
	kb_buf_init(&d->whole, 1 << 24);
	d->parsed.blocks = d->blocks;
}

static void doc_fini(struct doc *d)
{
	kb_buf_fini(&d->whole);
	kb_arena_fini(&d->arena);
}

static void add(struct doc *d, enum kb_block_type type, const char *heading, struct kb_sv text)
{
	if (d->whole.n)
		kb_buf_byte(&d->whole, '\n');
	d->blocks[d->parsed.block_count++] = (struct kb_block){
		.type = type,
		.offset = (uint32_t)d->whole.n,
		.heading = kb_sv_str(heading),
		.text = text,
	};
	kb_buf_sv(&d->whole, text);
}

/* Sentences of ten words, "W word1 … word9.", n words in all. */
static struct kb_sv words(struct doc *d, int n, const char *word)
{
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, 1 << 20);
	for (int i = 0; i < n; i++)
		kb_buf_printf(&buf, "%s%s%s%d%s", i ? " " : "", i % 10 ? "" : "The", word, i,
		              i % 10 == 9 ? "." : "");
	out = kb_arena_sv(&d->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

/* What holds for every document: each passage is a slice of the whole text at its offset. */
static void check_slices(struct kb_test *t, const struct doc *d, const struct kb_chunks *chunks)
{
	for (size_t i = 0; i < chunks->count; i++) {
		const struct kb_chunk *chunk = &chunks->v[i];
		struct kb_sv slice =
		        kb_sv_sub(kb_buf_view(&d->whole), chunk->offset, chunk->text.n);

		CHECK(t, kb_sv_eq(chunk->text, slice));
		CHECK(t, kb_count_words(chunk->text) <= KB_CHUNK_MAX_WORDS + 20);
	}
}

static void test_paragraphs(struct kb_test *t)
{
	struct kb_chunks chunks;
	struct doc d;

	doc_init(&d);
	for (int i = 0; i < 6; i++)
		add(&d, KB_BLOCK_PARAGRAPH, "Guide", words(&d, 70, "p"));
	kb_chunk(&d.arena, &d.parsed, &chunks);
	CHECK_INT(t, chunks.count, 2);
	CHECK_INT(t, chunks.words, 420);
	CHECK_SV(t, chunks.v[0].heading, "Guide");
	check_slices(t, &d, &chunks);
	doc_fini(&d);
}

static void test_marks(struct kb_test *t)
{
	struct kb_chunks chunks;
	struct doc d;

	doc_init(&d);
	add(&d, KB_BLOCK_HEADING, "A", KB_SV("A"));
	add(&d, KB_BLOCK_PARAGRAPH, "A", words(&d, 240, "a"));
	for (uint32_t i = 1; i <= 3; i++) {
		add(&d, KB_BLOCK_LIST, "A", words(&d, 60, "i"));
		d.blocks[d.parsed.block_count - 1].depth = 1;
		d.blocks[d.parsed.block_count - 1].number = i;
	}
	add(&d, KB_BLOCK_LIST, "A", words(&d, 10, "more"));
	add(&d, KB_BLOCK_CODE, "A", KB_SV("a();\n\nb();"));
	add(&d, KB_BLOCK_HEADING, "B", KB_SV("B"));
	add(&d, KB_BLOCK_PARAGRAPH, "B", words(&d, 20, "b"));
	add(&d, KB_BLOCK_HEADING, "C", KB_SV("C"));
	add(&d, KB_BLOCK_PARAGRAPH, "C", words(&d, 20, "c"));
	kb_chunk(&d.arena, &d.parsed, &chunks);
	CHECK_INT(t, chunks.count, 3);
	CHECK_INT(t, chunks.v[0].mark_count, 0);
	CHECK_INT(t, chunks.v[1].mark_count, 6);
	CHECK_INT(t, chunks.v[1].marks[3].kind, KB_MARK_LISTED);
	CHECK_INT(t, chunks.v[1].marks[5].kind, KB_MARK_CODE);
	CHECK(t, kb_sv_eq(kb_sv_from(chunks.v[1].text, chunks.v[1].marks[5].at), KB_SV("b();")));
	CHECK_INT(t, chunks.v[2].mark_count, 1);
	CHECK_INT(t, chunks.v[2].marks[0].kind, KB_MARK_HEADING);
	CHECK_INT(t, chunks.v[1].marks[0].at, 0);
	CHECK_INT(t, chunks.v[1].marks[2].number, 3);
	CHECK(t,
	      kb_sv_starts(kb_sv_from(chunks.v[1].text, chunks.v[1].marks[2].at), KB_SV("Thei0")));
	check_slices(t, &d, &chunks);
	doc_fini(&d);
}

static void test_headings(struct kb_test *t)
{
	struct kb_chunks chunks;
	struct doc d;

	doc_init(&d);
	add(&d, KB_BLOCK_HEADING, "A", KB_SV("A"));
	add(&d, KB_BLOCK_PARAGRAPH, "A", words(&d, 80, "a"));
	add(&d, KB_BLOCK_HEADING, "A > B", KB_SV("B"));
	add(&d, KB_BLOCK_PARAGRAPH, "A > B", words(&d, 10, "b"));
	add(&d, KB_BLOCK_HEADING, "C", KB_SV("C"));
	add(&d, KB_BLOCK_PARAGRAPH, "C", words(&d, 80, "c"));
	kb_chunk(&d.arena, &d.parsed, &chunks);
	CHECK_INT(t, chunks.count, 2);
	/* The short section B joins what follows, its heading is in its path and not in the text.
	 */
	CHECK_SV(t, chunks.v[0].heading, "A");
	CHECK_SV(t, chunks.v[1].heading, "A > B");
	CHECK(t, kb_sv_starts(chunks.v[0].text, KB_SV("Thea0")));
	CHECK(t, kb_sv_starts(chunks.v[1].text, KB_SV("Theb0")));
	CHECK(t, kb_sv_find(chunks.v[1].text, KB_SV("\nC\nThec0")) > 0);
	check_slices(t, &d, &chunks);
	doc_fini(&d);
}

/* However short the answers are, each stands with its own question. */
static void test_questions(struct kb_test *t)
{
	static const char *const questions[] = { "Who pays?", "And when?",
		                                 "\xe4\xbd\x95\xe6\x99\x82\xef\xbc\x9f" };
	struct kb_chunks chunks;
	struct doc d;

	doc_init(&d);
	add(&d, KB_BLOCK_PARAGRAPH, "FAQ", words(&d, 10, "intro"));
	for (size_t i = 0; i < KB_COUNTOF(questions); i++) {
		const char *path = kb_arena_printf(&d.arena, "FAQ > %s%c", questions[i], 0).p;

		add(&d, KB_BLOCK_HEADING, "FAQ", kb_sv_str(questions[i]));
		add(&d, KB_BLOCK_PARAGRAPH, path, words(&d, 10, "answer"));
	}
	add(&d, KB_BLOCK_HEADING, "", KB_SV("Contact"));
	add(&d, KB_BLOCK_PARAGRAPH, "Contact", words(&d, 10, "contact"));
	kb_chunk(&d.arena, &d.parsed, &chunks);
	check_slices(t, &d, &chunks);
	CHECK_INT(t, chunks.count, 5);
	for (size_t i = 0; i < KB_COUNTOF(questions) && chunks.count == 5; i++)
		CHECK(t, kb_sv_ends(chunks.v[i + 1].heading, kb_sv_str(questions[i])));
	doc_fini(&d);
}

/* "Yes." says nothing without its question; a longer answer does. */
static void test_few_words(struct kb_test *t)
{
	static const char *const answers[] = { "Yes.",
		                               "Yes, the lid comes off, and so does all of it." };
	static const char *const texts[] = { "Can I clean it?\nYes.", NULL };

	for (size_t i = 0; i < KB_COUNTOF(answers); i++) {
		struct kb_chunks chunks;
		struct doc d;

		doc_init(&d);
		add(&d, KB_BLOCK_HEADING, "", KB_SV("Can I clean it?"));
		add(&d, KB_BLOCK_PARAGRAPH, "Can I clean it?", kb_sv_str(answers[i]));
		kb_chunk(&d.arena, &d.parsed, &chunks);
		check_slices(t, &d, &chunks);
		CHECK_INT(t, chunks.count, 1);
		CHECK_SV(t, chunks.v[0].text, texts[i] ? texts[i] : answers[i]);
		CHECK_SV(t, chunks.v[0].heading, "Can I clean it?");
		doc_fini(&d);
	}
}

/* A heading that came too late for the passage at hand leads the next one. */
static void test_heading_at_the_end(struct kb_test *t)
{
	struct kb_chunks chunks;
	struct doc d;

	doc_init(&d);
	add(&d, KB_BLOCK_PARAGRAPH, "A", words(&d, 40, "short"));
	add(&d, KB_BLOCK_HEADING, "", KB_SV("B"));
	add(&d, KB_BLOCK_PARAGRAPH, "B", words(&d, 270, "long"));
	kb_chunk(&d.arena, &d.parsed, &chunks);
	check_slices(t, &d, &chunks);
	CHECK_INT(t, chunks.count, 2);
	CHECK(t, kb_sv_ends(chunks.v[0].text, KB_SV(".")));
	CHECK_SV(t, chunks.v[1].heading, "B");
	doc_fini(&d);
}

static void test_rows_and_lines(struct kb_test *t)
{
	struct kb_chunks chunks;
	struct kb_buf code;
	struct doc d;

	doc_init(&d);
	for (int i = 0; i < 60; i++)
		add(&d, KB_BLOCK_TABLE, "T",
		    kb_arena_printf(&d.arena, "Name: part %d; Price: %d euros and some more words",
		                    i, i * 3));
	kb_buf_init(&code, 1 << 20);
	for (int i = 0; i < 300; i++)
		kb_buf_printf(&code, "%s  line %d does a thing;", i ? "\n" : "", i);
	add(&d, KB_BLOCK_CODE, "T", kb_buf_view(&code));
	kb_chunk(&d.arena, &d.parsed, &chunks);
	CHECK(t, chunks.count > 5);
	check_slices(t, &d, &chunks);
	for (size_t i = 0; i < chunks.count; i++) {
		struct kb_sv text = chunks.v[i].text;

		CHECK(t,
		      kb_sv_starts(text, KB_SV("Name: ")) || kb_sv_starts(text, KB_SV("  line ")));
		CHECK(t, kb_sv_ends(text, KB_SV("words")) || kb_sv_ends(text, KB_SV("thing;")));
	}
	kb_buf_fini(&code);
	doc_fini(&d);
}

static void test_long_paragraph(struct kb_test *t)
{
	struct kb_chunks chunks;
	struct doc d;

	doc_init(&d);
	add(&d, KB_BLOCK_PARAGRAPH, "", words(&d, 1000, "w"));
	kb_chunk(&d.arena, &d.parsed, &chunks);
	CHECK(t, chunks.count >= 4 && chunks.count <= 6);
	check_slices(t, &d, &chunks);
	for (size_t i = 0; i < chunks.count; i++)
		CHECK(t, kb_sv_ends(chunks.v[i].text, KB_SV(".")));
	doc_fini(&d);
}

/* Text that a person would never write, so many times over. */
static void test_hard_length(struct kb_test *t)
{
	static const struct {
		const char *name, *piece;
		int times;
		enum kb_block_type type;
		size_t max;          /* bytes of a passage, at most */
		const char *ends[2]; /* what each passage but the last ends with, one of these */
	} cases[] = {
		{ "one letter", "x", 20000, KB_BLOCK_PARAGRAPH, 6000, { "x" } },
		{ "one letter in a row", "x", 20000, KB_BLOCK_TABLE, 6000, { "x" } },
		{ "one letter in a code line", "x", 20000, KB_BLOCK_CODE, 6000, { "x" } },
		{ "one letter in a list", "x", 20000, KB_BLOCK_LIST, 6000, { "x" } },
		{ "words without a stop",
		  "lorem ipsum ",
		  2000,
		  KB_BLOCK_PARAGRAPH,
		  6000,
		  { "lorem", "ipsum" } },
		{ "Han without a stop",
		  "\xe6\xb8\xac\xe8\xa9\xa6",
		  10000,
		  KB_BLOCK_PARAGRAPH,
		  6000,
		  { "\xe6\xb8\xac", "\xe8\xa9\xa6" } },
		{ "Cyrillic without a stop",
		  "\xd0\xb6",
		  20000,
		  KB_BLOCK_PARAGRAPH,
		  12000,
		  { "\xd0\xb6" } },
		{ "pictures of four bytes",
		  "\xf0\x9f\x90\x98",
		  20000,
		  KB_BLOCK_PARAGRAPH,
		  24000,
		  { "\xf0\x9f\x90\x98" } },
		/* e with two marks; a family of three, joined; a flag of two letters */
		{ "letters with marks",
		  "e\xcc\x81\xcc\xa3",
		  7001,
		  KB_BLOCK_PARAGRAPH,
		  24000,
		  { "\xcc\xa3" } },
		{ "joined pictures",
		  "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7",
		  3001,
		  KB_BLOCK_PARAGRAPH,
		  24000,
		  { "\xf0\x9f\x91\xa7" } },
		{ "flags",
		  "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa",
		  7001,
		  KB_BLOCK_PARAGRAPH,
		  24000,
		  { "\xf0\x9f\x87\xaa" } },
		{ "nothing but marks",
		  "\xcc\x81",
		  20000,
		  KB_BLOCK_PARAGRAPH,
		  24000,
		  { "\xcc\x81" } },
		{ "empty code lines", "a\n\n\n\n\n\n\n", 20000, KB_BLOCK_CODE, 6000, { "a" } },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_chunks chunks;
		struct kb_buf text;
		struct doc d;

		t->row = cases[i].name;
		doc_init(&d);
		kb_buf_init(&text, 1 << 24);
		for (int k = 0; k < cases[i].times; k++)
			kb_buf_add(&text, cases[i].piece, strlen(cases[i].piece));
		add(&d, cases[i].type, "", kb_buf_view(&text));
		kb_chunk(&d.arena, &d.parsed, &chunks);
		CHECK(t, chunks.count > 1);
		for (size_t k = 0; k < chunks.count; k++) {
			struct kb_sv chunk = chunks.v[k].text;

			CHECK(t, chunk.n > 0 && chunk.n <= cases[i].max && kb_utf8_valid(chunk));
			CHECK(t, kb_sv_eq(chunk, kb_sv_sub(kb_buf_view(&d.whole),
			                                   chunks.v[k].offset, chunk.n)));
			CHECK(t, k + 1 == chunks.count
			                 || kb_sv_ends(chunk, kb_sv_str(cases[i].ends[0]))
			                 || (cases[i].ends[1]
			                     && kb_sv_ends(chunk, kb_sv_str(cases[i].ends[1]))));
		}
		kb_buf_fini(&text);
		doc_fini(&d);
	}
}

/* The path has room for the beginning of a heading; its end is found as text. */
static void test_long_heading(struct kb_test *t)
{
	struct kb_chunks chunks;
	struct kb_buf text;
	struct doc d;

	doc_init(&d);
	kb_buf_init(&text, 1 << 20);
	for (int k = 0; k < 1000; k++)
		kb_buf_printf(&text, "%sheading%d", k ? " " : "", k);
	add(&d, KB_BLOCK_HEADING, "heading0", kb_buf_view(&text));
	kb_chunk(&d.arena, &d.parsed, &chunks);
	CHECK_INT(t, chunks.count, 1);
	CHECK(t, kb_sv_ends(chunks.v[0].text, KB_SV(" heading999")));
	kb_buf_fini(&text);
	doc_fini(&d);
}

static void test_nothing(struct kb_test *t)
{
	struct kb_chunks chunks;
	struct doc d;

	doc_init(&d);
	kb_chunk(&d.arena, &d.parsed, &chunks);
	CHECK_INT(t, chunks.count, 0);
	doc_fini(&d);
}

/* Headings that nothing stands under, and those that are sentences, are text. */
static void test_saying_headings(struct kb_test *t)
{
	struct kb_chunks chunks;
	struct doc d;

	doc_init(&d);
	add(&d, KB_BLOCK_HEADING, "", KB_SV("Opening hours"));
	kb_chunk(&d.arena, &d.parsed, &chunks);
	CHECK_INT(t, chunks.count, 1);
	CHECK_SV(t, chunks.v[0].text, "Opening hours");
	check_slices(t, &d, &chunks);
	doc_fini(&d);

	doc_init(&d);
	add(&d, KB_BLOCK_HEADING, "", KB_SV("Alpha"));
	add(&d, KB_BLOCK_HEADING, "Alpha", KB_SV("Closed on Sunday"));
	add(&d, KB_BLOCK_HEADING, "Alpha", KB_SV("Tickets cost 12 euros"));
	add(&d, KB_BLOCK_HEADING, "Alpha > Tickets cost 12 euros", KB_SV("Prices"));
	add(&d, KB_BLOCK_PARAGRAPH, "Alpha > Tickets cost 12 euros > Prices",
	    KB_SV("The pump costs 499 euros."));
	kb_chunk(&d.arena, &d.parsed, &chunks);
	CHECK_INT(t, chunks.count, 1);
	CHECK_SV(t, chunks.v[0].heading, "Alpha");
	CHECK_SV(t, chunks.v[0].text,
	         "Closed on Sunday\nTickets cost 12 euros\nPrices\nThe pump costs 499 euros.");
	check_slices(t, &d, &chunks);
	doc_fini(&d);

	doc_init(&d);
	add(&d, KB_BLOCK_HEADING, "", KB_SV("The shop is closed on Sunday"));
	add(&d, KB_BLOCK_PARAGRAPH, "The shop is closed on Sunday", KB_SV("We rest."));
	kb_chunk(&d.arena, &d.parsed, &chunks);
	CHECK_INT(t, chunks.count, 1);
	CHECK_SV(t, chunks.v[0].heading, "The shop is closed on Sunday");
	CHECK_SV(t, chunks.v[0].text, "The shop is closed on Sunday\nWe rest.");
	doc_fini(&d);
}

/* Adds what a picture shows. */
static void add_shown(struct doc *d, uint32_t picture, const char *text)
{
	add(d, KB_BLOCK_PARAGRAPH, "Guide", kb_sv_str(text));
	d->blocks[d->parsed.block_count - 1].picture = picture;
}

static void test_pictures(struct kb_test *t)
{
	static const char *const want[] = { "Before it.", "A ship.\nIt is white.", "A pier.",
		                            "After it.\nAnd further." };
	struct kb_chunks chunks;
	struct doc d;

	doc_init(&d);
	add(&d, KB_BLOCK_HEADING, "", KB_SV("Guide"));
	add(&d, KB_BLOCK_PARAGRAPH, "Guide", KB_SV("Before it."));
	add_shown(&d, 1, "A ship.");
	add_shown(&d, 1, "It is white.");
	add_shown(&d, 2, "A pier.");
	add(&d, KB_BLOCK_PARAGRAPH, "Guide", KB_SV("After it."));
	add(&d, KB_BLOCK_PARAGRAPH, "Guide", KB_SV("And further."));
	kb_chunk(&d.arena, &d.parsed, &chunks);
	CHECK_INT(t, chunks.count, KB_COUNTOF(want));
	for (size_t i = 0; i < chunks.count && i < KB_COUNTOF(want); i++)
		CHECK_SV(t, chunks.v[i].text, want[i]);
	check_slices(t, &d, &chunks);
	doc_fini(&d);
}

static void test_count_words(struct kb_test *t)
{
	static const struct {
		const char *text;
		int64_t want;
	} cases[] = {
		{ "", 0 },
		{ "one  two\nthree", 3 },
		{ "\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97\xe7\xac\xa6", 2 }, /* four characters */
		{ "ab \xe4\xb8\xad\xe6\x96\x87 cd", 3 },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].text;
		CHECK_INT(t, kb_count_words(kb_sv_str(cases[i].text)), cases[i].want);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "paragraphs under one heading make passages of about 200 words",
		  test_paragraphs },
		{ "a heading begins a passage unless the one before is short", test_headings },
		{ "items, headings and code are told by their places", test_marks },
		{ "a question stands alone with its answer", test_questions },
		{ "a few words stand with their question", test_few_words },
		{ "a heading goes with what follows it", test_heading_at_the_end },
		{ "table rows and code lines are not cut", test_rows_and_lines },
		{ "a long paragraph is cut between sentences", test_long_paragraph },
		{ "no passage is longer than its limit, and none is cut within a character",
		  test_hard_length },
		{ "the rest of a heading that is too long is text", test_long_heading },
		{ "a document without text has no passage", test_nothing },
		{ "headings that say something themselves are text", test_saying_headings },
		{ "what a picture shows is a passage of its own", test_pictures },
		{ "words are counted as people count them", test_count_words },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
