/* The parts of each kind of archive, foreign one first, with texts that make the rest a document.
 */
#define RELATIONS(type, target)                                                                    \
	"<Relationships><Relationship Id='r' Type='x/" type "' Target='" target                    \
	"'/></Relationships>"

// clang-format off
#define DOCX                                                                                       \
	{ "word/document.xml", "<w/>" },                                                           \
	{ "word/_rels/document.xml.rels", RELATIONS("image", "a.png") }

#define XLSX                                                                                       \
	{ "xl/sheet.xml", "<worksheet/>" },                                                        \
	{ "xl/strings.xml", "<sst><si><t>Kiln</t></si></sst>" },                                   \
	{ "xl/styles.xml", "<s><cellXfs><xf numFmtId='14'/></cellXfs></s>" },                      \
	{ "xl/workbook.xml", "<workbook><sheet name='Stock' id='r'/></workbook>" },                \
	{ "xl/_rels/workbook.xml.rels",                                                            \
	  "<R><Relationship Id='r' Type='x/worksheet' Target='sheet.xml'/>"                        \
	  "<Relationship Id='s' Type='x/sharedStrings' Target='strings.xml'/>"                     \
	  "<Relationship Id='t' Type='x/styles' Target='styles.xml'/></R>" },                      \
	{ "_rels/.rels", RELATIONS("officeDocument", "xl/workbook.xml") }

#define PPTX                                                                                       \
	{ "ppt/slide.xml", "<p:sld/>" },                                                           \
	{ "ppt/notes.xml", "<p:notes/>" },                                                         \
	{ "ppt/presentation.xml", "<p><sldSz cx='9' cy='7'/><sldId id='1'/><sldId id='r'/></p>" }, \
	{ "ppt/_rels/slide.xml.rels",                                                               \
	  "<R><Relationship Id='r' Type='x/notesSlide' Target='notes.xml'/>"                       \
	  "<Relationship Id='i' Type='x/image' Target='a.png'/></R>" },                            \
	{ "ppt/_rels/presentation.xml.rels", RELATIONS("slide", "slide.xml") },                    \
	{ "_rels/.rels", RELATIONS("officeDocument", "ppt/presentation.xml") }

#define ODF { "content.xml", "<d/>" }, { "meta.xml", "<title>Kiln</title>" }

#define EPUB                                                                                       \
	{ "a.xhtml", "<p>text</p>" },                                                              \
	{ "b.opf", "<p><item id='a' href='a.xhtml'/><itemref idref='a'/></p>" },                   \
	{ "META-INF/container.xml", "<c><rootfile full-path='b.opf'/></c>" }
// clang-format on
