#include "test.h"

#include "answer/blocks.h"
#include "index/sentence.h"

/* The text as the answer sees it: sentences of one passage. */
/* Of a line: #, a heading; c, code; l, it goes on with an item; a digit, an item of that number. */
static const struct kb_line_mark *mark_of(struct kb_arena *arena, char sign)
{
	struct kb_line_mark *mark = KB_NEW(arena, struct kb_line_mark);

	if (sign == '.')
		return NULL;
	mark->kind = sign == '#'   ? KB_MARK_HEADING
	             : sign == 'c' ? KB_MARK_CODE
	             : sign == 'l' ? KB_MARK_LISTED
	                           : KB_MARK_ITEM;
	if (mark->kind == KB_MARK_ITEM) {
		mark->depth = 1;
		mark->number = (uint32_t)(sign - '0');
	}
	return mark;
}

/* marks: a sign for each line; NULL: none has a mark. */
static void find(struct kb_arena *arena, struct kb_sv text, const char *marks, struct kb_lines *out)
{
	struct kb_line_sentence *all;
	struct kb_sentence *v;
	size_t count;

	kb_sentences(arena, text, &v, &count);
	all = KB_NEW_ARRAY(arena, count, struct kb_line_sentence);
	for (size_t i = 0; i < count; i++) {
		all[i].text = kb_sv_sub(text, v[i].start, v[i].end - v[i].start);
		all[i].letters = kb_line_letters(all[i].text);
		all[i].opens = v[i].start == 0 || text.p[v[i].start - 1] == '\n';
		all[i].first = i == 0;
		all[i].mark = marks && all[i].opens ? mark_of(arena, *marks++) : NULL;
	}
	kb_lines_find(arena, all, count, out);
}

#define LONG                                                                                       \
	"This paragraph stands for itself and goes on for as long as a paragraph does, so that "   \
	"nobody takes it for a step of what is to be done, which would be told in a few words "    \
	"or in a line, not in this many of them, however little they say at the end of the day."

/* Each line's kind: p, a paragraph; :, an introduction; ?, a question; i, an item; r, a row; h, a
 * heading; c, code. */
static const struct {
	const char *name, *text, *kinds, *marks;
} kinds[] = {
	{ "sentences of a paragraph are one line", "One is here. Two as well.", "p" },
	{ "lines without a stop stand in a row", "Apples\nPears\nPlums", "iii" },
	{ "one alone is a paragraph", "The door is open.\nRed door", "pp" },
	{ "steps that end in a stop, behind what introduces them",
	  "To start it:\nOpen the lid.\nPress the button. Wait.\n" LONG, ":iip" },
	{ "one sentence behind a colon is no list", "Mind this:\nIt is hot.", ":p" },
	{ "marks tell items", LONG "\n- One is red.\n- Two is blue.\n" LONG, "piip" },
	{ "numbers are marks", "1. Open the lid.\n2. Press the button.", "ii" },
	{ "rows name their columns", "Model: A; Price: 10\nModel: B; Price: 20", "rr" },
	{ "a note with a colon is no row", "Price: 10 crowns a day.\nGuests pay at the desk.",
	  "pp" },
	{ "lines of a protocol are no rows", "It sends:\nevent: start {}\nevent: end {}", ":ii" },
	{ "nor is the next section's heading one", "Size: S; Fee: 1\nSize: L; Fee: 2\nNext part",
	  "rrh" },
	{ "a heading stands between sentences", "It is warm.\nOpening hours\nWe open at nine.",
	  "php" },
	{ "and before a list or a table",
	  "It is warm.\nFees\nSize: S; Fee: 1\nSize: L; Fee: 2\n"
	  "Rules\nMind these:\nNo fire\nNo noise",
	  "phrrh:ii" },
	{ "a paragraph of several sentences ends steps of one",
	  "To start it:\nOpen the lid.\nPress it.\nIt is loud. Nobody minds.", ":iip" },
	{ "a sentence without a stop is none", "It is warm.\nThe shop is closed on Sunday\nAsk us.",
	  "ppp" },
	{ "a question alone in its line", "Is it hot?\nYes.\nIs it far? No.", "?pp" },
	{ "code", "Run this.\ntool build --all\ntool start", "pii" },
	{ "marks of the document say more than looks",
	  "Opening hours: all week\nOpen at nine.\nNot on Monday.\ntool run: now\nIt is warm.",
	  "hiicp", "#0lc." },
	{ "two lists beside a paragraph", "One.\nTwo.\n" LONG "\nOne.", "iipi", "12.1" },
};

static void test_kinds(struct kb_test *t)
{
	static const char signs[] = {
		[KB_LINE_PROSE] = 'p', [KB_LINE_INTRO] = ':', [KB_LINE_ASKS] = '?',
		[KB_LINE_ITEM] = 'i',  [KB_LINE_CODE] = 'c',  [KB_LINE_ROW] = 'r',
		[KB_LINE_HEAD] = 'h'
	};

	for (size_t i = 0; i < KB_COUNTOF(kinds); i++) {
		struct kb_arena arena = { 0 };
		struct kb_lines lines;
		char got[32];

		t->row = kinds[i].name;
		find(&arena, kb_sv_str(kinds[i].text), kinds[i].marks, &lines);
		for (size_t k = 0; k < lines.count && k < sizeof(got); k++)
			got[k] = signs[lines.v[k].kind];
		CHECK_SV(t, kb_sv(got, lines.count), kinds[i].kinds);
		kb_arena_fini(&arena);
	}
	t->row = NULL;
}

/* The block of a line, by the numbers of its first and last line. */
static const struct {
	const char *name, *text;
	size_t line, first, last;
	const char *marks;
} blocks[] = {
	{ "a paragraph alone", "It is warm.\nIt is light.", 0, 0, 0 },
	{ "a list from what introduces it to its end",
	  "It is warm.\nTo start it:\nOpen the lid.\nPress it.\nClose it.", 3, 1, 4 },
	{ "an introduction with what it introduces", "To start it:\nOpen the lid.\nPress it.", 0, 0,
	  2 },
	{ "a note behind a colon", "Mind this:\nIt is hot.\n" LONG, 0, 0, 1 },
	{ "a question with its answer", "Is it hot?\nYes.\nIs it far?\nNo.", 2, 2, 3 },
	{ "code with the sentence before it", "It is warm.\nRun this.\ntool build\ntool start", 3,
	  1, 3 },
	{ "a table without the paragraph before it",
	  "It is warm.\nSize: S; Fee: 1\nSize: L; Fee: 2", 2, 1, 2 },
	{ "a table with the line that introduces it", "Fees:\nSize: S; Fee: 1\nSize: L; Fee: 2", 2,
	  0, 2 },
	{ "code that is marked, with the sentence before it",
	  "It is warm.\nRun this.\nBuild. Go.\nrun", 3, 1, 3, "..cc" },
	{ "a heading that is marked leads to its list, whatever it looks like",
	  "It is warm.\n1. Hours: all\nOpen at nine.\nShut at six.", 2, 1, 3, ".#0l" },
	{ "steps with the code between them", "Do this:\nInstall it.\napt install it\nStart it.", 1,
	  0, 3, ".1c2" },
	{ "steps with the code of the last one",
	  "Do this:\nInstall it.\nSay so:\ntool say\nIt is warm.", 1, 0, 3, ".12c." },
	{ "but not with code that no step leads to",
	  "Do this:\nInstall it.\nSay so.\ntool say\nIt is warm.", 1, 0, 2, ".12c." },
	{ "not over a heading", "It is warm.\nOpening hours\nWe open at nine.\nWe shut at six.", 2,
	  2, 2 },
};

static void test_blocks(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(blocks); i++) {
		struct kb_arena arena = { 0 };
		struct kb_lines lines;
		size_t first, end;

		t->row = blocks[i].name;
		find(&arena, kb_sv_str(blocks[i].text), blocks[i].marks, &lines);
		kb_lines_block(&lines, blocks[i].line, &first, &end);
		CHECK_INT(t, first, blocks[i].first);
		CHECK_INT(t, end, blocks[i].last + 1);
		kb_arena_fini(&arena);
	}
	t->row = NULL;
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "kinds of lines", test_kinds },
		{ "blocks", test_blocks },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
