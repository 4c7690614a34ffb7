/* Which pages of a PDF show pictures, and where those stand, by what poppler's programs say. */
#include "parse/pdf_insets.h"

#include "formats.h"

/* An inset as "page x0 y0 x1 y1\n". */
static void check_insets(struct kb_test *t, struct kb_doc *doc, const char *want)
{
	struct kb_parsed parsed = { 0 };
	struct kb_err err = { 0 };
	struct kb_buf out;

	kb_buf_init(&out, KB_MIB(1));
	CHECK(t, kb_doc_done(doc, &parsed, &err));
	for (size_t i = 0; i < parsed.inset_count; i++) {
		const struct kb_inset *inset = &parsed.insets[i];

		kb_buf_printf(&out, "%u", inset->page_no);
		if (inset->x1)
			kb_buf_printf(&out, " %u %u %u %u", inset->x0, inset->y0, inset->x1,
			              inset->y1);
		kb_buf_byte(&out, '\n');
	}
	CHECK_SV(t, kb_buf_view(&out), want);
	kb_buf_fini(&out);
}

#define HEAD                                                                                       \
	"page   num  type   width height color comp bpc  enc interp  object ID x-ppi y-ppi size "  \
	"ratio\n-----------------------------------------------------------------------------\n"
#define IMAGE(page, size, object)                                                                  \
	"   " page "     0 image     " size "  gray    1   8  image  no         " object           \
	"  0   144   144  101B 0.1%\n"

static void test_list(struct kb_test *t)
{
	static const struct {
		const char *name, *list, *want;
	} rows[] = {
		{ "no pictures", HEAD, "" },
		{ "each page once",
		  HEAD IMAGE("1", "400   200", "6") IMAGE("1", "90 90", "7")
		          IMAGE("3", "90 90", "8"),
		  "1\n3\n" },
		{ "what an earlier page has shown is no reason to look again",
		  HEAD IMAGE("1", "400   200", "6") IMAGE("2", "400   200", "6"), "1\n" },
		{ "a picture without a number is its page's own",
		  HEAD IMAGE("1", "40 40", "[inline]") IMAGE("2", "40 40", "[inline]"), "1\n2\n" },
		{ "masks are none",
		  HEAD "   1     1 smask     400   200  gray    1   8  image  no         6  0  "
		       "144   144  101B 0.1%\n",
		  "" },
		{ "lines are none", HEAD IMAGE("1", "400   2", "6"), "" },
		{ "damage", HEAD "1 2\n\n \n image image image\n" IMAGE("x", "9 9", "1"), "" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_pdf_list *list;
		struct kb_doc doc;

		t->row = rows[i].name;
		kb_doc_init(&doc, &arena, KB_MIB(1));
		doc.wants_insets = true;
		list = kb_pdf_list_new(&doc);
		CHECK(t, kb_pdf_list_take(list, kb_sv_str(rows[i].list)));
		check_insets(t, &doc, rows[i].want);
		kb_pdf_list_free(list);
		kb_doc_fini(&doc);
		kb_arena_fini(&arena);
	}
}

#define SVG "<?xml version='1.0'?>\n<svg xmlns=\"x\" width=\"500pt\" viewBox=\"0 0 500 1000\">\n"
#define A                                                                                          \
	"<image id=\"a\" width=\"100\" height=\"50\" "                                             \
	"xlink:href=\"data:image/png;base64,QUJD\"/>\n"
#define B                                                                                          \
	"<image id=\"b\" width=\"100\" height=\"50\" "                                             \
	"xlink:href=\"data:image/png;base64,REVG\"/>\n"
#define USE(id, matrix) "<use xlink:href=\"#" id "\" transform=\"matrix(" matrix ")\"/>\n"

static void test_places(struct kb_test *t)
{
	static const struct {
		const char *name, *svg, *want;
	} rows[] = {
		{ "where it stands", SVG A USE("a", "1,0,0,1,50,100"), "4 1000 1000 3000 1500\n" },
		{ "larger than its dots", SVG A USE("a", "2 0 0 4 0 0"), "4 0 0 4000 2000\n" },
		{ "turned", SVG A USE("a", "0,1,-1,0,150,100"), "4 2000 1000 3000 2000\n" },
		{ "upside down", SVG A USE("a", "1,0,0,-1,50,150"), "4 1000 1000 3000 1500\n" },
		{ "over the edge of the page", SVG A USE("a", "1,0,0,1,450,-10"),
		  "4 9000 0 10000 400\n" },
		{ "without a matrix it stands in the corner", SVG A "<use xlink:href=\"#a\"/>",
		  "4 0 0 2000 500\n" },
		{ "two of them", SVG A B USE("a", "1,0,0,1,50,100") USE("b", "1,0,0,1,50,500"),
		  "4 1000 1000 3000 1500\n4 1000 5000 3000 5500\n" },
		{ "strips of one picture",
		  SVG A B USE("a", "1,0,0,1,50,100") USE("b", "1,0,0,1,50,150"),
		  "4 1000 1000 3000 2000\n" },
		{ "an ornament", SVG A USE("a", ".5,0,0,.5,50,100"), "" },
		{ "a ground", SVG A USE("a", "5,0,0,20,0,0"), "" },
		{ "a veil is none",
		  SVG A
		  "<mask id=\"m\">" USE("a", "1,0,0,1,50,100") "</mask>" USE("a", "1,0,0,1,50,500"),
		  "4 1000 5000 3000 5500\n" },
		{ "letters are none", SVG "<use xlink:href=\"#glyph0-1\" x=\"9\" y=\"9\"/>", "" },
		{ "figures that are none",
		  SVG A USE("a", "nan,0,0,1,50,100") USE("a", "1,0,0,inf,50,100") USE("a", "1,0,0")
		          USE("a", ""),
		  "" },
		{ "a page without sides", "<svg >" A USE("a", "1,0,0,1,50,100"), "" },
		{ "a page of no size", "<svg viewBox=\"0 0 0 -5\">" A USE("a", "1,0,0,1,50,100"),
		  "" },
		{ "cut off", SVG A "<use xlink:href=\"#a\" transform=\"matrix(1,0,0,1,50,", "" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++)
		for (size_t step = 1; step < 40; step += 19) {
			struct kb_sv rest = kb_sv_str(rows[i].svg);
			struct kb_pdf_svg *svg = kb_pdf_svg_new();
			struct kb_arena arena = { 0 };
			struct kb_doc doc;

			t->row = rows[i].name;
			kb_doc_init(&doc, &arena, KB_MIB(1));
			doc.wants_insets = true;
			for (; rest.n; rest = kb_sv_from(rest, KB_MIN(step, rest.n)))
				CHECK(t, kb_pdf_svg_take(svg, kb_sv_sub(rest, 0, step)));
			kb_pdf_svg_end(svg, 4, &doc);
			check_insets(t, &doc, rows[i].want);
			kb_pdf_svg_free(svg);
			kb_doc_fini(&doc);
			kb_arena_fini(&arena);
		}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "pages with pictures", test_list },
		{ "places of pictures", test_places },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
