/* Words on a page that stand in rows and columns, and such that only seem to. */
#include "formats.h"
#include "parse/pdf.h"

enum { PLACES_MAX = 40 };

/* A line of letters of 10 points; its block: of the line before, or a new one. */
struct place {
	float x, y;
	const char *text;
	bool same_block;
};

static void put_line(struct kb_pdf *pdf, const struct place *place)
{
	static const float letter = 5;
	struct kb_sv text = kb_sv_str(place->text);

	KB_GROW(pdf->lines, pdf->line_capacity, pdf->line_count + 1);
	pdf->lines[pdf->line_count] = (struct kb_pdf_line){
		.block = pdf->line_count && place->same_block
		                 ? pdf->lines[pdf->line_count - 1].block
		                 : (uint32_t)pdf->line_count + 1,
		.x0 = place->x,
		.y0 = place->y,
		.x1 = place->x + letter * (float)text.n,
		.y1 = place->y + 10,
		.size = 10,
		.text = text,
	};
	pdf->line_count++;
}

static void check_page(struct kb_test *t, const struct place *places, const char *want)
{
	struct kb_arena arena = { 0 };
	struct kb_pdf pdf = { .arena = &arena };
	struct kb_parsed parsed;
	struct kb_err err;
	struct kb_doc doc;
	struct kb_buf out;

	KB_GROW(pdf.pages, pdf.page_capacity, 1);
	for (size_t i = 0; i < PLACES_MAX && places[i].text; i++)
		put_line(&pdf, &places[i]);
	pdf.pages[pdf.page_count++] =
	        (struct kb_pdf_page){ .width = 600, .height = 800, .count = pdf.line_count };
	kb_doc_init(&doc, &arena, KB_MIB(1));
	kb_buf_init(&out, KB_MIB(1));
	kb_pdf_find_tables(&pdf);
	kb_pdf_write(&pdf, &doc);
	CHECK(t, kb_doc_done(&doc, &parsed, &err));
	dump(&parsed, &out);
	CHECK_SV(t, kb_buf_view(&out), want);
	kb_buf_fini(&out);
	kb_doc_fini(&doc);
	kb_pdf_fini(&pdf);
	kb_arena_fini(&arena);
}

static void test_tables(struct kb_test *t)
{
	// clang-format off
	static const struct { const char *name; struct place places[PLACES_MAX]; const char *want; } rows[] = {
		{ "a first row without figures names the columns", {
		  { 50, 50, "These are the prices of the harbour this year." },
		  { 50, 80, "Service" }, { 250, 80, "Unit" }, { 400, 80, "Price" },
		  { 50, 98, "Berth" }, { 250, 98, "night" }, { 400, 98, "9.00" },
		  { 50, 116, "Water" }, { 250, 116, "cubic metre" }, { 400, 116, "2.50" },
		  { 50, 134, "Power" }, { 400, 134, "0.31" },
		  { 50, 170, "All of them hold until the end of the year, with tax." } },
		  "p1 These are the prices of the harbour this year.\n"
		  "t1#1 Service: Berth; Unit: night; Price: 9.00\n"
		  "t1#1 Service: Water; Unit: cubic metre; Price: 2.50\n"
		  "t1#1 Service: Power; Price: 0.31\n"
		  "p1 All of them hold until the end of the year, with tax.\n" },
		{ "cells of several lines are one", {
		  { 50, 80, "Place" }, { 150, 80, "What is there" }, { 400, 80, "Open" },
		  { 50, 100, "Office" }, { 150, 100, "Papers, keys and the" }, { 150, 111, "tide ta-", true },
		  { 150, 122, "bles", true }, { 400, 100, "9 to 17" },
		  { 50, 142, "Slip" }, { 150, 142, "A ramp for boats" }, { 400, 142, "always" },
		  { 50, 162, "Shop" }, { 150, 162, "Bread, rope, gas" }, { 400, 162, "7 to 12" } },
		  "t1#1 Place: Office; What is there: Papers, keys and the tide tables; Open: 9 to 17\n"
		  "t1#1 Place: Slip; What is there: A ramp for boats; Open: always\n"
		  "t1#1 Place: Shop; What is there: Bread, rope, gas; Open: 7 to 12\n" },
		{ "two columns without names are names and values", {
		  { 50, 80, "Length" }, { 200, 80, "31 m" }, { 50, 96, "Width:" }, { 200, 96, "8 m" },
		  { 50, 112, "Built" }, { 200, 112, "1931" } },
		  "t1#1 Length: 31 m\nt1#1 Width: 8 m\nt1#1 Built: 1931\n" },
		{ "columns of running text are read one after the other", {
		  { 50, 80, "The harbour of Velm has nine berths" }, { 50, 92, "for ships of up to thirty metres,", true },
		  { 50, 104, "and a pier for those that wait.", true },
		  { 300, 80, "At night a ship waits until the" }, { 300, 92, "master of the harbour has given it", true },
		  { 300, 104, "a berth, and then comes in.", true } },
		  "p1 The harbour of Velm has nine berths for ships of up to thirty metres, and a pier for those "
		  "that wait.\n"
		  "p1 At night a ship waits until the master of the harbour has given it a berth, and then comes in.\n" },
		{ "marks that stand apart are no column", {
		  { 50, 80, "1." }, { 80, 80, "Moor the ship" }, { 50, 96, "2." }, { 80, 96, "Pay the fee" },
		  { 50, 112, "3." }, { 80, 112, "Sleep well" } },
		  "p1 1.\np1 Moor the ship\np1 2.\np1 Pay the fee\np1 3.\np1 Sleep well\n" },
		{ "two rows are no table", {
		  { 50, 80, "The harbour" }, { 400, 80, "in May 2026" }, { 50, 96, "of Velm" }, { 400, 96, "page 3" } },
		  "p1 The harbour\np1 in May 2026\np1 of Velm\np1 page 3\n" },
	};
	// clang-format on

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		check_page(t, rows[i].places, rows[i].want);
	}
	t->row = NULL;
}

/* A page of nothing but cells is read in no time, whatever they are. */
static void test_many(struct kb_test *t)
{
	enum { MANY = 1000 };
	struct kb_arena arena = { 0 };
	struct kb_pdf pdf = { .arena = &arena };

	KB_GROW(pdf.pages, pdf.page_capacity, 1);
	for (int i = 0; i < MANY; i++)
		put_line(&pdf, &(struct place){ .x = (float)(i * 37 % 500),
		                                .y = (float)(i / 3 * 12),
		                                .text = "cell" });
	pdf.pages[pdf.page_count++] =
	        (struct kb_pdf_page){ .width = 600, .height = 800, .count = pdf.line_count };
	kb_pdf_find_tables(&pdf);
	for (size_t i = 1; i < pdf.table_count; i++)
		CHECK(t, pdf.tables[i].at > pdf.tables[i - 1].at);
	kb_pdf_fini(&pdf);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "tables of a page", test_tables },
		{ "a page of cells", test_many },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
