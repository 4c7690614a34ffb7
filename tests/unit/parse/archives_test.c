/* What the blocks of documents are that are zips of XML: Word, Excel, PowerPoint, OpenDocument,
 * EPUB. */
#include "base/clock.h"
#include "formats.h"

#define RELATION(id, type, target)                                                                 \
	"<Relationship Id='" id "' Type='http://x/" type "' Target='" target "'/>"

#define P(text)  "<w:p><w:r><w:t>" text "</w:t></w:r></w:p>"
#define TC(text) "<w:tc>" P(text) "</w:tc>"
#define STYLED(style, text)                                                                        \
	"<w:p><w:pPr><w:pStyle w:val='" style "'/></w:pPr><w:r><w:t>" text "</w:t></w:r></w:p>"

static void test_docx(struct kb_test *t)
{
	// clang-format off
	static const struct { const char *name, *body, *want; } rows[] = {
		{ "headings by style, and by what a style is based on",
		  STYLED("H1", "Top") P("a") STYLED("Mine", "Sub") P("b"),
		  "h Top\np[Top] a\nh[Top] Sub\np[Top > Sub] b\n" },
		{ "items by numbering", "<w:p><w:pPr><w:numPr><w:numId w:val='3'/></w:numPr></w:pPr><w:r><w:t>x"
		  "</w:t></w:r></w:p>", "l x\n" },
		{ "deleted and hidden text is out", "<w:p><w:r><w:t>keep</w:t></w:r><w:del><w:r><w:delText>no"
		  "</w:delText></w:r></w:del><w:r><w:rPr><w:vanish/></w:rPr><w:t>no</w:t></w:r><w:r><w:rPr>"
		  "<w:color w:val='FFFFFF'/></w:rPr><w:t>no</w:t></w:r><w:ins><w:r><w:t xml:space='preserve'> it"
		  "</w:t></w:r></w:ins></w:p>", "p keep it\n" },
		{ "a table's first row names its columns", "<w:tbl><w:tblPr><w:tblLook w:firstRow='1'/></w:tblPr>"
		  "<w:tr>" TC("A") TC("B") "</w:tr><w:tr>" TC("1") TC("2") "</w:tr></w:tbl>" P("after"),
		  "t#1 A: 1; B: 2\np after\n" },
		{ "merged cells carry over", "<w:tbl><w:tr><w:tc><w:tcPr><w:vMerge w:val='restart'/></w:tcPr>"
		  P("m") "</w:tc>" TC("1") "</w:tr><w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr>" P("") "</w:tc>"
		  TC("2") "</w:tr></w:tbl>", "t#1 m; 1\nt#1 m; 2\n" },
		{ "a box around text is text", "<w:tbl><w:tr>" TC("boxed") "</w:tr></w:tbl>", "p boxed\n" },
		{ "a text box is a paragraph, its older twin is not", "<w:p><w:r><w:t>out</w:t></w:r><w:r>"
		  "<mc:AlternateContent><mc:Choice><w:txbxContent>" P("in") "</w:txbxContent></mc:Choice>"
		  "<mc:Fallback><w:txbxContent>" P("in") "</w:txbxContent></mc:Fallback></mc:AlternateContent>"
		  "</w:r></w:p>", "p in\np out\n" },
		{ "a footnote follows its paragraph", "<w:p><w:r><w:t>said</w:t></w:r><w:r>"
		  "<w:footnoteReference w:id='2'/></w:r></w:p>" P("next"), "p said\np the note\np next\n" },
	};
	// clang-format on
	static const char head[] =
	        "<?xml version='1.0'?><w:document xmlns:w='w' xmlns:mc='m'><w:body>";

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv body =
		        kb_arena_printf(&arena, "%s%s</w:body></w:document>", head, rows[i].body);
		const struct member members[] = {
			TYPES,
			{ "_rels/.rels",
			  "<Relationships><Relationship Id='a' Type='http://x/officeDocument' "
			  "Target='word/doc.xml'/></Relationships>" },
			{ "word/_rels/doc.xml.rels",
			  "<Relationships><Relationship Id='b' Type='http://x/styles' "
			  "Target='styles.xml'/><Relationship Id='c' Type='http://x/footnotes' "
			  "Target='/word/footnotes.xml'/></Relationships>" },
			{ "word/styles.xml",
			  "<w:styles xmlns:w='w'><w:style w:styleId='H1'><w:name w:val='heading "
			  "1'/></w:style>"
			  "<w:style w:styleId='H2'><w:name w:val='heading 2'/></w:style>"
			  "<w:style w:styleId='Mine'><w:name w:val='Mine'/><w:basedOn "
			  "w:val='H2'/></w:style></w:styles>" },
			{ "word/footnotes.xml",
			  "<w:footnotes xmlns:w='w'><w:footnote w:id='2'><w:p><w:r><w:t>the "
			  "note</w:t></w:r></w:p></w:footnote></w:footnotes>" },
			{ "word/doc.xml", body.p },
		};

		t->row = rows[i].name;
		check(t, "a.docx", make_zip(&arena, members, KB_COUNTOF(members)), "docx",
		      rows[i].want);
		kb_arena_fini(&arena);
	}
}

/* ---- Excel */

#define ROW(cells)         "<row>" cells "</row>"
#define SHARED(ref, n)     "<c r='" ref "' t='s'><v>" n "</v></c>"
#define NUMBER(ref, value) "<c r='" ref "'><v>" value "</v></c>"

static void test_xlsx(struct kb_test *t)
{
	// clang-format off
	static const struct { const char *name, *sheet, *want; } rows[] = {
		{ "a first row of words names the columns",
		  ROW(SHARED("A1", "0") SHARED("B1", "1")) ROW(SHARED("A2", "2") NUMBER("B2", "7")),
		  "h Stock\nt#1[Stock] Part: Kiln; Count: 7\np[Stock] boxed\n" },
		{ "no header where the first row has figures",
		  ROW(NUMBER("A1", "1") NUMBER("B1", "2")), "h Stock\nt#1[Stock] 1; 2\np[Stock] boxed\n" },
		{ "cells that are left out keep their columns",
		  ROW(SHARED("A1", "0") SHARED("B1", "1") SHARED("C1", "2")) ROW(NUMBER("C2", "5")),
		  "h Stock\nt#1[Stock] Kiln: 5\np[Stock] boxed\n" },
		{ "dates by number format, built in and of one's own; times; truth",
		  ROW("<c r='A1' s='1'><v>43831</v></c><c r='B1' s='2'><v>43831.5</v></c>"
		      "<c r='C1' s='1'><v>0.25</v></c><c r='D1' t='b'><v>1</v></c>"),
		  "h Stock\nt#1[Stock] 2020-01-01; 2020-01-01 12:00; 06:00:00; TRUE\np[Stock] boxed\n" },
		{ "a fraction as a person typed it", ROW(NUMBER("A1", "0.10000000000000001") NUMBER("B1", "2")),
		  "h Stock\nt#1[Stock] 0.1; 2\np[Stock] boxed\n" },
		{ "inline text and the last result of a formula",
		  ROW("<c r='A1' t='inlineStr'><is><t>in</t></is></c><c r='B1' t='str'><f>A1</f><v>out</v></c>"
		      "<c r='C1'><v>3</v></c>"), "h Stock\nt#1[Stock] in; out; 3\np[Stock] boxed\n" },
		{ "hidden rows stay out",
		  "<row hidden='1'>" NUMBER("A1", "1") NUMBER("B1", "1") "</row>"
		  ROW(NUMBER("A2", "2") NUMBER("B2", "2")), "h Stock\nt#1[Stock] 2; 2\np[Stock] boxed\n" },
		{ "a reference to a string that is not there is empty",
		  ROW(SHARED("A1", "99") NUMBER("B1", "2")), "h Stock\nt#1[Stock] 2\np[Stock] boxed\n" },
	};
	// clang-format on

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv sheet = kb_arena_printf(
		        &arena, "<worksheet><sheetData>%s</sheetData></worksheet>", rows[i].sheet);
		const struct member members[] = {
			TYPES,
			{ "_rels/.rels",
			  "<Relationships>" RELATION("a", "officeDocument",
			                             "xl/workbook.xml") "</Relationships>" },
			{ "xl/_rels/workbook.xml.rels",
			  "<Relationships>" RELATION("s", "sharedStrings", "sharedStrings.xml")
			          RELATION("y", "styles", "styles.xml")
			                  RELATION("one", "worksheet", "worksheets/one.xml")
			                          RELATION("two", "worksheet",
			                                   "worksheets/two.xml") "</"
			                                                         "Relationships>" },
			{ "xl/workbook.xml",
			  "<workbook xmlns:r='r'><sheets><sheet name='Stock' r:id='one'/>"
			  "<sheet name='Secret' state='hidden' r:id='two'/></sheets></workbook>" },
			{ "xl/sharedStrings.xml",
			  "<sst><si><t>Part</t></si><si><r><t>Co</t></r><r><t>unt</t></r></si>"
			  "<si><t>Kiln</t><rPh><t>no</t></rPh></si></sst>" },
			{ "xl/styles.xml", "<styleSheet><numFmts><numFmt numFmtId='200' "
			                   "formatCode='yyyy\\-mm'/></numFmts>"
			                   "<cellXfs><xf numFmtId='0'/><xf numFmtId='14'/><xf "
			                   "numFmtId='200'/></cellXfs>"
			                   "</styleSheet>" },
			{ "xl/worksheets/_rels/one.xml.rels",
			  "<Relationships>" RELATION("d", "drawing",
			                             "../drawings/d.xml") "</Relationships>" },
			{ "xl/drawings/d.xml",
			  "<wsDr xmlns:a='a'><a:p><a:r><a:t>boxed</a:t></a:r></a:p></wsDr>" },
			{ "xl/worksheets/two.xml",
			  "<worksheet><sheetData><row><c r='A1'><v>13</v></c>"
			  "</row></sheetData></worksheet>" },
			{ "xl/worksheets/one.xml", sheet.p },
		};

		t->row = rows[i].name;
		check(t, "a.xlsx", make_zip(&arena, members, KB_COUNTOF(members)), "xlsx",
		      rows[i].want);
		kb_arena_fini(&arena);
	}
}

/* ---- PowerPoint */

#define SHAPE(kind, text)                                                                          \
	"<p:sp><p:nvPr>" kind "</p:nvPr><p:txBody><a:p><a:r><a:t>" text                            \
	"</a:t></a:r></a:p></p:txBody></p:sp>"

static void test_pptx(struct kb_test *t)
{
	// clang-format off
	static const struct { const char *name, *slide, *want; } rows[] = {
		{ "the title is a heading, the body is items, the notes follow",
		  SHAPE("<p:ph type='title'/>", "Kilns") SHAPE("<p:ph idx='1'/>", "fired on Fridays"),
		  "h1 Kilns\nl1[Kilns] fired on Fridays\np1[Kilns] say it slowly\nh2 Second\n" },
		{ "slide numbers and dates stay out",
		  SHAPE("<p:ph type='sldNum'/>", "7") SHAPE("<p:ph type='dt'/>", "May") SHAPE("", "kept"),
		  "p1 kept\np1 say it slowly\nh2 Second\n" },
		{ "a table whose first row names the columns",
		  "<p:graphicFrame><a:tbl><a:tblPr firstRow='1'/><a:tr><a:tc><a:p><a:r><a:t>A</a:t></a:r></a:p></a:tc>"
		  "<a:tc><a:p><a:r><a:t>B</a:t></a:r></a:p></a:tc></a:tr><a:tr><a:tc><a:p><a:r><a:t>1</a:t></a:r></a:p>"
		  "</a:tc><a:tc><a:p><a:r><a:t>2</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:graphicFrame>",
		  "t1#1 A: 1; B: 2\np1 say it slowly\nh2 Second\n" },
	};
	// clang-format on
	static const char head[] = "<p:sld xmlns:p='p' xmlns:a='a'>";

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv slide = kb_arena_printf(&arena, "%s%s</p:sld>", head, rows[i].slide);
		const struct member members[] = {
			TYPES,
			{ "_rels/.rels",
			  "<Relationships>" RELATION("a", "officeDocument",
			                             "ppt/presentation.xml") "</Relationships>" },
			{ "ppt/_rels/presentation.xml.rels",
			  "<Relationships>" RELATION("r1", "slide", "slides/z.xml")
			          RELATION("r2", "slide", "slides/a.xml") RELATION(
			                  "r3", "slide", "slides/h.xml") "</"
			                                                 "Relationships>" },
			{ "ppt/presentation.xml",
			  "<p:presentation xmlns:p='p' xmlns:r='r'><p:sldIdLst><p:sldId id='256' "
			  "r:id='r1'/>"
			  "<p:sldId id='257' r:id='r2'/><p:sldId id='258' r:id='r3'/></p:sldIdLst>"
			  "</p:presentation>" },
			{ "ppt/slides/_rels/z.xml.rels",
			  "<Relationships>" RELATION("n", "notesSlide",
			                             "../notesSlides/n.xml") "</Relationships>" },
			{ "ppt/notesSlides/n.xml",
			  "<p:notes xmlns:p='p' xmlns:a='a'>" SHAPE("<p:ph type='hdr'/>", "no")
			          SHAPE("<p:ph type='body'/>", "say it slowly") "</p:notes>" },
			{ "ppt/slides/a.xml",
			  "<p:sld xmlns:p='p' xmlns:a='a'>" SHAPE("<p:ph type='ctrTitle'/>",
			                                          "Second") "</p:sld>" },
			{ "ppt/slides/h.xml", "<p:sld show='0' xmlns:p='p' xmlns:a='a'>" SHAPE(
			                              "", "hidden") "</p:sld>" },
			{ "ppt/slides/z.xml", slide.p },
		};

		t->row = rows[i].name;
		check(t, "a.pptx", make_zip(&arena, members, KB_COUNTOF(members)), "pptx",
		      rows[i].want);
		kb_arena_fini(&arena);
	}
}

/* ---- OpenDocument */

static void test_odf(struct kb_test *t)
{
	// clang-format off
	static const struct { const char *name, *kind, *body, *want; } rows[] = {
		{ "headings by level, items, blanks", "text",
		  "<text:h text:outline-level='1'>Top</text:h><text:h text:outline-level='2'>Sub</text:h>"
		  "<text:list><text:list-item><text:p>an<text:s/>item</text:p></text:list-item></text:list>"
		  "<text:p>after</text:p>",
		  "h Top\nh[Top] Sub\nl[Top > Sub] an item\np[Top > Sub] after\n" },
		{ "tracked deletions, notes to oneself and tables of contents stay out", "text",
		  "<text:tracked-changes><text:p>no</text:p></text:tracked-changes>"
		  "<text:table-of-content><text:p>no</text:p></text:table-of-content>"
		  "<text:p>kept<office:annotation><text:p>no</text:p></office:annotation></text:p>", "p kept\n" },
		{ "a note follows its paragraph", "text",
		  "<text:p>said<text:note><text:note-citation>1</text:note-citation><text:note-body>"
		  "<text:p>the note</text:p></text:note-body></text:note></text:p>", "p said\np the note\n" },
		{ "a table with a header row", "text",
		  "<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>A</text:p>"
		  "</table:table-cell><table:table-cell><text:p>B</text:p></table:table-cell></table:table-row>"
		  "</table:table-header-rows><table:table-row><table:table-cell><text:p>1</text:p></table:table-cell>"
		  "<table:table-cell><text:p>2</text:p></table:table-cell></table:table-row></table:table>",
		  "t#1 A: 1; B: 2\n" },
		{ "a sheet is a heading; a repeated cell is as many", "spreadsheet",
		  "<table:table table:name='Stock'><table:table-row><table:table-cell table:number-columns-repeated='2'>"
		  "<text:p>7</text:p></table:table-cell></table:table-row></table:table>",
		  "h Stock\nt#1[Stock] 7; 7\n" },
		{ "a page of slides", "presentation",
		  "<draw:page><text:p>one</text:p></draw:page><draw:page><text:p>two</text:p></draw:page>",
		  "p1 one\np2 two\n" },
	};
	// clang-format on

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv content = kb_arena_printf(
		        &arena,
		        "<office:document-content xmlns:office='o' xmlns:text='t' xmlns:table='b' "
		        "xmlns:draw='d'><office:body><office:%s>%s</office:%s></office:body>"
		        "</office:document-content>",
		        rows[i].kind, rows[i].body, rows[i].kind);
		struct kb_sv type = kb_arena_printf(&arena, "application/vnd.oasis.opendocument.%s",
		                                    rows[i].kind);
		const struct member members[] = { { "mimetype", type.p },
			                          { "content.xml", content.p } };

		t->row = rows[i].name;
		check(t, "a.odt", make_zip(&arena, members, KB_COUNTOF(members)), "odf",
		      rows[i].want);
		kb_arena_fini(&arena);
	}
}

/* ---- EPUB */

static void test_epub(struct kb_test *t)
{
	const struct member members[] = {
		{ "mimetype", "application/epub+zip" },
		{ "META-INF/container.xml", "<container><rootfiles><rootfile "
		                            "full-path='OPS/book.opf'/></rootfiles></container>" },
		{ "OPS/book.opf",
		  "<package><metadata xmlns:dc='d'><dc:title>The Kiln "
		  "Book</dc:title><dc:language>en"
		  "</dc:language></metadata><manifest><item id='b' href='two%20b.xhtml'/>"
		  "<item id='a' href='one.xhtml#top'/><item id='lost' "
		  "href='lost.xhtml'/></manifest>"
		  "<spine><itemref idref='a'/><itemref idref='lost'/><itemref "
		  "idref='b'/></spine></package>" },
		{ "OPS/one.xhtml", "<html><body><h1>One</h1><p>first</p></body></html>" },
		{ "OPS/two b.xhtml", "<html><body><p>second</p></body></html>" },
	};
	struct kb_arena arena = { 0 };
	struct kb_parsed parsed = { 0 };
	struct kb_err err = { 0 };
	struct kb_doc doc;
	struct kb_sv zip = make_zip(&arena, members, KB_COUNTOF(members));

	t->row = "chapters in reading order; one that is missing does not lose the others";
	check(t, "a.epub", zip, "epub", "h One\np[One] first\np second\n");
	t->row = "title and language of the package";
	CHECK(t, read_here(&arena, "a.epub", zip, &parsed, &doc, &err));
	CHECK_SV(t, parsed.title, "The Kiln Book");
	CHECK_SV(t, parsed.lang, "en");
	kb_doc_fini(&doc);
	kb_arena_fini(&arena);
}

/* ---- damage */

static void test_damage(struct kb_test *t)
{
	static const struct member no_book[] = {
		TYPES,
		{ "_rels/.rels", "<Relationships>" RELATION("a", "officeDocument",
		                                            "xl/workbook.xml") "</Relationships>" },
		{ "xl/other.xml", "<x/>" },
	};
	static const struct member cut[] = {
		{ "mimetype", "application/vnd.oasis.opendocument.text" },
		{ "content.xml", "<d><text:p xmlns:text='t'>whole</text:p><text:p>cu" },
	};
	struct kb_arena arena = { 0 };

	t->row = "a workbook that is not where its relation says";
	refuse(t, "a.xlsx", make_zip(&arena, no_book, KB_COUNTOF(no_book)),
	       "the document is damaged: it has no part xl/workbook.xml");
	t->row = "what stands before the damage of a text is read";
	check(t, "a.odt", make_zip(&arena, cut, KB_COUNTOF(cut)), "odf", "p whole\n");
	kb_arena_fini(&arena);
}

/* ---- dates */

static void test_dates(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *filename, *part, *properties, *want;
	} rows[] = {
		{ "Word: the later of made and changed", "a.docx", "docProps/core.xml",
		  "<cp:coreProperties xmlns:cp='c' xmlns:dcterms='d'><dcterms:created>2023-01-02T03:04:05Z</dcterms:created>"
		  "<dcterms:modified>2024-05-06T07:08:09Z</dcterms:modified></cp:coreProperties>",
		  "2024-05-06T07:08:09.000000Z" },
		{ "Excel: made alone", "a.xlsx", "docProps/core.xml",
		  "<cp:coreProperties xmlns:cp='c' xmlns:dcterms='d'><dcterms:created>2023-01-02T03:04:05Z</dcterms:created>"
		  "</cp:coreProperties>", "2023-01-02T03:04:05.000000Z" },
		{ "PowerPoint: when it was printed is no such day", "a.pptx", "docProps/core.xml",
		  "<cp:coreProperties xmlns:cp='c' xmlns:dcterms='d'><cp:lastPrinted>2025-01-01T00:00:00Z</cp:lastPrinted>"
		  "<dcterms:modified>2024-05-06T07:08:09Z</dcterms:modified></cp:coreProperties>",
		  "2024-05-06T07:08:09.000000Z" },
		{ "OpenDocument, to the second", "a.odt", "meta.xml",
		  "<office:document-meta xmlns:office='o' xmlns:meta='m' xmlns:dc='d'><office:meta>"
		  "<meta:creation-date>2023-01-02T03:04:05</meta:creation-date><dc:date>2024-05-06T07:08:09.5</dc:date>"
		  "</office:meta></office:document-meta>", "2024-05-06T07:08:09.000000Z" },
		{ "what is no date says nothing", "a.docx", "docProps/core.xml",
		  "<cp:coreProperties xmlns:cp='c' xmlns:dcterms='d'><dcterms:modified>last week</dcterms:modified>"
		  "</cp:coreProperties>", "" },
		{ "no properties", "a.docx", "docProps/none.xml", "<x/>", "" },
	};
	// clang-format on

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		const struct member members[] = {
			{ "mimetype", "application/vnd.oasis.opendocument.text" },
			{ "content.xml",
			  "<o:document-content xmlns:o='o' xmlns:text='t'><o:body><o:text>"
			  "<text:p>text</text:p></o:text></o:body></o:document-content>" },
			{ rows[i].part, rows[i].properties },
			TYPES,
			{ "word/document.xml",
			  "<w:document xmlns:w='w'><w:body><w:p><w:r><w:t>text</w:t></w:r></w:p>"
			  "</w:body></w:document>" },
			{ "xl/workbook.xml", "<workbook><sheets/></workbook>" },
			{ "ppt/presentation.xml", "<p:presentation xmlns:p='p'/>" },
		};
		bool is_open = kb_sv_ends(kb_sv_str(rows[i].filename), KB_SV("odt"));
		struct kb_arena arena = { 0 };
		struct kb_parsed parsed = { 0 };
		char text[KB_TIME_TEXT] = "";
		struct kb_err err = { 0 };
		struct kb_doc doc;

		t->row = rows[i].name;
		CHECK(t, read_here(&arena, rows[i].filename,
		                   is_open ? make_zip(&arena, members, 3)
		                           : make_zip(&arena, members + 2, 5),
		                   &parsed, &doc, &err));
		CHECK_SV(t, kb_sv_str(err.msg), "");
		if (parsed.dated_at)
			kb_time_format(text, parsed.dated_at);
		CHECK_SV(t, kb_sv_str(text), rows[i].want);
		kb_doc_fini(&doc);
		kb_arena_fini(&arena);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "Word documents", test_docx },
		{ "Excel workbooks", test_xlsx },
		{ "PowerPoint slides", test_pptx },
		{ "OpenDocument texts, sheets and slides", test_odf },
		{ "EPUB books", test_epub },
		{ "when they were written", test_dates },
		{ "damaged ones", test_damage },
	};

	fixture_init(argv[0]);
	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
