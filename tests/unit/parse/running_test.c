/* Which lines at the edges of pages are running heads and feet, and which are text. */
#include "parse/running.h"
#include "test.h"

enum { PAGES_MAX = 16, HEAD = 4, FOOT = 96, MIDDLE = 50 };

/* A line of each page, so many hundredths of the page from its top. */
struct repeated {
	const char *name;
	int place;
	const char *texts[PAGES_MAX];
	bool stays;
};

static void check_line(struct kb_test *t, const struct repeated *row)
{
	struct kb_running running = { 0 };
	size_t pages = 0, marked = 0;

	while (pages < PAGES_MAX && row->texts[pages])
		pages++;
	for (size_t i = 0; i < pages; i++)
		kb_running_add(&running, (uint32_t)i, NULL, kb_sv_str(row->texts[i]),
		               (float)row->place / 100, (float)(row->place + 1) / 100);
	kb_running_find(&running, pages);
	for (size_t i = 0; i < running.count; i++)
		marked += running.lines[i].runs;
	CHECK_INT(t, marked, row->stays ? 0 : pages);
	kb_running_fini(&running);
}

static void test_lines(struct kb_test *t)
{
	// clang-format off
	static const struct repeated rows[] = {
		{ "a head", HEAD, { "Harbour Office of Velm", "Harbour Office of Velm", "Harbour Office of Velm" }, false },
		{ "capitals and blanks aside", FOOT, { "Harbour Office", "HARBOUR OFFICE", "Harbour  Office" }, false },
		{ "the same figures on each", HEAD, { "Report 2023", "Report 2023", "Report 2023" }, false },
		{ "two pages are too few", HEAD, { "Harbour Office", "Harbour Office" }, true },
		{ "what stands in the middle is text", MIDDLE, { "Harbour Office", "Harbour Office", "Harbour Office" }, true },
		{ "amounts are text", FOOT, { "Amount due: 412.50 euro", "Amount due: 198.00 euro", "Amount due: 77.25 euro" }, true },
		{ "bare amounts, too", FOOT, { "412.50", "198.00", "77.25" }, true },
		{ "and such as count on", FOOT, { "10.50", "11.50", "12.50" }, true },
		{ "and euros without cents", FOOT, { "\xe2\x82\xac 101", "\xe2\x82\xac 102", "\xe2\x82\xac 103" }, true },
		{ "numbers of invoices are text", HEAD, { "Invoice 101", "Invoice 102", "Invoice 103" }, true },
		{ "with a hyphen", HEAD, { "INV-101", "INV-102", "INV-103" }, true },
		{ "with a dash", HEAD, { "Invoice \xe2\x80\x93 1", "Invoice \xe2\x80\x93 2", "Invoice \xe2\x80\x93 3" }, true },
		{ "so are days", HEAD, { "25/11/2026", "26/11/2026", "27/11/2026" }, true },
		{ "and days of a month", HEAD, { "3 de mayo", "4 de mayo", "5 de mayo" }, true },
		{ "and times", FOOT, { "Read at 14:01", "Read at 14:02", "Read at 14:03" }, true },
		{ "one day on all pages is a foot", FOOT, { "Printed 27/11/2026", "Printed 27/11/2026", "Printed 27/11/2026" }, false },
		{ "a page's number", FOOT, { "7", "8", "9" }, false },
		{ "framed", FOOT, { "- 7 -", "- 8 -", "- 9 -" }, false },
		{ "by dashes", FOOT, { "\xe2\x80\x94 7 \xe2\x80\x94", "\xe2\x80\x94 8 \xe2\x80\x94", "\xe2\x80\x94 9 \xe2\x80\x94" }, false },
		{ "of how many", FOOT, { "Page 1 of 9", "Page 2 of 9", "Page 3 of 9" }, false },
		{ "without the word", FOOT, { "1 of 3", "2 of 3", "3 of 3" }, false },
		{ "behind a slash", FOOT, { "1/12", "2/12", "3/12" }, false },
		{ "behind the chapter's", FOOT, { "3-12", "3-13", "3-14" }, false },
		{ "abbreviated", FOOT, { "S. 31", "S. 32", "S. 33" }, false },
		{ "in Russian", FOOT, { "\xd0\xa1\xd1\x82\xd1\x80. 1", "\xd0\xa1\xd1\x82\xd1\x80. 2", "\xd0\xa1\xd1\x82\xd1\x80. 3" }, false },
		{ "in Chinese", FOOT, { "\xe7\xac\xac 1 \xe9\xa1\xb5", "\xe7\xac\xac 2 \xe9\xa1\xb5", "\xe7\xac\xac 3 \xe9\xa1\xb5" }, false },
		{ "in Hungarian", FOOT, { "9. oldal", "10. oldal", "11. oldal" }, false },
		{ "behind a bar", FOOT, { "Handbook 2023 | 98", "Handbook 2023 | 99", "Handbook 2023 | 100" }, false },
		{ "before one", HEAD, { "7 \xc2\xb7 The Harbour", "8 \xc2\xb7 The Harbour", "9 \xc2\xb7 The Harbour" }, false },
		{ "the date beside it", FOOT, { "27.11.2026, page 1", "27.11.2026, page 2", "27.11.2026, page 3" }, false },
		{ "of pages that do not follow it, it is none", FOOT, { "Page 3", "Page 9", "Page 4" }, true },
		{ "nor behind days that differ", FOOT, { "1 May, page 1", "7 May, page 2", "9 May, page 3" }, true },
		{ "long lines are text", HEAD, {
		  "whoever comes to the harbour of Velm by night waits at the pier until the master of the harbour has given the ship a berth, and comes in with the tide, if there is one.",
		  "whoever comes to the harbour of Velm by night waits at the pier until the master of the harbour has given the ship a berth, and comes in with the tide, if there is one.",
		  "whoever comes to the harbour of Velm by night waits at the pier until the master of the harbour has given the ship a berth, and comes in with the tide, if there is one." }, true },
		{ "three of sixteen are too few", HEAD, { "a", "a", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n" }, true },
	};
	// clang-format on

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		check_line(t, &rows[i]);
	}
}

static size_t marked_of(struct kb_running *running, size_t pages)
{
	size_t marked = 0;

	kb_running_find(running, pages);
	for (size_t i = 0; i < running->count; i++)
		marked += running->lines[i].runs;
	kb_running_fini(running);
	return marked;
}

static void test_nearest(struct kb_test *t)
{
	struct kb_running running = { 0 };

	/* Of five equal rows at the top of each page, in any order, the outer three count. */
	for (uint32_t page = 0; page < 3; page++)
		for (int i = 0; i < 5; i++) {
			static const char *const names[] = { "e", "d", "c", "b", "a" };

			kb_running_add(&running, page, NULL, kb_sv_str(names[i]),
			               (float)(5 - i) / 50, (float)(5 - i) / 50 + 0.01f);
		}
	CHECK_INT(t, running.count, 9);
	for (size_t i = 0; i < running.count; i++)
		CHECK(t, strchr("abc", running.lines[i].text.p[0]));
	CHECK_INT(t, marked_of(&running, 3), 9);
}

static void test_pages(struct kb_test *t)
{
	struct kb_running running = { 0 };

	/* A word that stands three times at the edge of one page repeats on none. */
	for (int i = 0; i < 3; i++)
		kb_running_add(&running, 0, NULL, KB_SV("yes"), 0.02f * (float)i,
		               0.02f * (float)i + 0.01f);
	CHECK_INT(t, marked_of(&running, 3), 0);
	/* A foot is none for being a head elsewhere. */
	for (uint32_t page = 0; page < 3; page++)
		kb_running_add(&running, page, NULL, KB_SV("Velm"), page ? 0.02f : 0.95f,
		               page ? 0.04f : 0.97f);
	CHECK_INT(t, marked_of(&running, 3), 0);
	/* A page that lies on its side has lines as high as itself. */
	for (uint32_t page = 0; page < 3; page++)
		kb_running_add(&running, page, NULL, KB_SV("Velm"), 0.05f, 0.6f);
	CHECK_INT(t, marked_of(&running, 3), 0);
	/* A number that was misread is kept; the others go. */
	for (uint32_t page = 0; page < 5; page++) {
		const char *const texts[] = { "page 1", "page 2", "page 8", "page 4", "page 5" };

		kb_running_add(&running, page, NULL, kb_sv_str(texts[page]), 0.95f, 0.97f);
	}
	CHECK_INT(t, marked_of(&running, 5), 4);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "lines that come again are told from text", test_lines },
		{ "the lines nearest the edge are looked at", test_nearest },
		{ "a line comes again on other pages, at the same edge", test_pages },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
