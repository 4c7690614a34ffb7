/* A source's settings and calendar. */
#include "crawl/source.h"

#include <stdlib.h>

#include "base/clock.h"
#include "test.h"

static void test_calendar(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *settings, *after, *want;
	} rows[] = {
		{ "never", "{}", "2025-01-31 10:00:00", "" },
		{ "daily", "{\"data_refresh_frequency\":\"daily\"}", "2025-01-31 10:00:00", "2025-02-01T10:00:00.000000Z" },
		{ "weekly", "{\"data_refresh_frequency\":\"weekly\"}", "2025-01-31 10:00:00", "2025-02-07T10:00:00.000000Z" },
		{ "monthly", "{\"data_refresh_frequency\":\"monthly\"}", "2025-01-31 10:00:00", "2025-03-02T10:00:00.000000Z" },
		/* 31 January 2025 is a Friday, day 5. */
		{ "later today", "{\"data_refresh_frequency\":\"advanced\",\"refresh_schedule\":[{\"days\":[5],\"hours\":[\"10:01\"]}]}",
		  "2025-01-31 10:00:00", "2025-01-31T10:01:00.000000Z" },
		{ "not this minute again", "{\"data_refresh_frequency\":\"advanced\",\"refresh_schedule\":[{\"days\":[5],\"hours\":[\"10:00\"]}]}",
		  "2025-01-31 10:00:00", "2025-02-07T10:00:00.000000Z" },
		{ "the nearest of several", "{\"data_refresh_frequency\":\"advanced\",\"refresh_schedule\":[{\"days\":[3],\"hours\":[\"1:00\"]},"
		  "{\"days\":[0,2],\"hours\":[\"23:00\",\"07:30\"]}]}", "2025-01-31 10:00:00", "2025-02-02T07:30:00.000000Z" },
		{ "a bare object", "{\"data_refresh_frequency\":\"advanced\",\"refresh_schedule\":{\"days\":[6],\"hours\":[\"00:00\"]}}",
		  "2025-01-31 10:00:00", "2025-02-01T00:00:00.000000Z" },
		{ "no hour", "{\"data_refresh_frequency\":\"advanced\",\"refresh_schedule\":{\"days\":[6],\"hours\":[]}}", "2025-01-31 10:00:00", "" },
	};
	// clang-format on

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_source_settings settings;
		char text[KB_TIME_TEXT] = "";
		int64_t after, next;

		t->row = rows[i].name;
		CHECK(t, kb_time_parse(kb_sv_str(rows[i].after), &after));
		kb_source_settings_read(&arena, kb_sv_str(rows[i].settings), &settings);
		next = kb_source_next(&settings, after);
		if (next)
			kb_time_format(text, next);
		CHECK_SV(t, kb_sv_str(text), rows[i].want);
		/* What is written is read back the same. */
		kb_source_settings_read(&arena, kb_source_settings_text(&arena, &settings),
		                        &settings);
		CHECK_INT(t, kb_source_next(&settings, after), next);
		kb_arena_fini(&arena);
	}
	t->row = NULL;
}

static void test_names(struct kb_test *t)
{
	static const struct {
		const char *url;
		bool list, certain;
	} rows[] = {
		{ "https://a.example/sitemap.xml", true, true },
		{ "https://a.example/sitemap_index.xml.gz?x=1", true, true },
		{ "https://a.example/sitemap", true, false },
		{ "https://a.example/feed/", true, false },
		{ "https://a.example/blog/rss", true, false },
		{ "https://a.example/my-sitemap.txt", true, true },
		{ "https://a.example/notes.txt", false, false },
		{ "https://a.example/about/sitemap-help.html", false, false },
		{ "https://a.example/sitemap/page", false, false },
		{ "https://a.example/", false, false },
		{ "https://a.example/?file=sitemap.xml", false, false },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		bool certain;

		t->row = rows[i].url;
		CHECK_INT(t, kb_source_is_list(kb_sv_str(rows[i].url), &certain), rows[i].list);
		CHECK_INT(t, certain, rows[i].certain);
	}
	t->row = NULL;
}

static void test_content(struct kb_test *t)
{
	static const struct {
		const char *name, *head;
		bool list;
	} rows[] = {
		{ "a sitemap", "<?xml version='1.0'?>\n<urlset xmlns='x'>", true },
		{ "an index, after remarks", "\xEF\xBB\xBF <!-- a > b --><sitemapindex>", true },
		{ "a feed with a type", "<!DOCTYPE rss SYSTEM 'x'><rss version='2.0'>", true },
		{ "Atom", "<feed>", true },
		{ "RDF with a prefix", "<rdf:RDF xmlns:rdf='x'>", true },
		{ "a sitemap with a prefix", "<sm:urlset/>", true },
		{ "a page", "<!doctype html><html><body><rss></rss>", false },
		{ "another document", "<?xml version='1.0'?><rssish>", false },
		{ "a root that is cut", "<urlset", false },
		{ "a remark without an end", "<!-- <urlset>", false },
		{ "a text", "urlset", false },
		{ "nothing", "", false },
		{ "a colon at the end", "<a:", false },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		CHECK_INT(t, kb_source_is_list_content(kb_sv_str(rows[i].head)), rows[i].list);
	}
	t->row = NULL;
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "the next reading by each kind of calendar", test_calendar },
		{ "sitemaps and feeds by their names", test_names },
		{ "a list is known by its root", test_content },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
