/* What is a code, how it is written, and what a query makes of it. */
#include "index/codes.h"
#include "index/query.h"
#include "index/rank.h"
#include "test.h"
#include "world.h"

/* The terms by blanks, parts in brackets. */
static struct kb_sv show(struct kb_arena *arena, const char *text, bool decimals)
{
	struct kb_sv out = KB_SV("");
	struct kb_code *codes;
	size_t count;

	kb_codes(arena, kb_sv_str(text), decimals, &codes, &count);
	for (size_t i = 0; i < count; i++)
		out = kb_arena_printf(arena, codes[i].part ? "%.*s%s(%.*s)" : "%.*s%s%.*s",
		                      KB_SV_ARG(out), i ? " " : "", KB_SV_ARG(codes[i].term));
	return out;
}

static void test_codes(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *want;
	} rows[] = {
		{ "letters and a number", "see ERR-4012, please", "=err4012" },
		{ "however it is joined", "ERR_4012 err.4012 ERR4012",
		  "=err4012 =err4012 =err4012" },
		{ "hyphens of Unicode",
		  "AB\xe2\x80\x91"
		  "77 AB\xe2\x80\x93"
		  "77",
		  "=ab77 =ab77" },
		{ "beginnings are parts", "AB-77-X", "=ab77x (=ab77)" },
		{ "a version", "12.4.1", "=12.4.1 (=12.4)" },
		{ "a version with its letter", "v2.0.", "=v2.0 (=2.0)" },
		{ "of three numbers", "v1.2.3", "=v1.2.3 (=v1.2) (=1.2.3)" },
		{ "numbers stay apart", "12-34 123-4", "=12.34 =123.4" },
		{ "an advisory", "CVE-2024-1234", "=cve2024.1234 (=cve2024) (=2024.1234)" },
		{ "a date", "2024-01-15", "=2024.01.15 (=2024.01)" },
		{ "an identifier", "call foo_bar(x)", "=foobar" },
		{ "a longer one", "MAX_RETRY_COUNT", "=maxretrycount" },
		{ "a dotted name", "edit config.yaml now", "=configyaml" },
		{ "capitals in parts", "a USB-C plug", "=usbc" },
		{ "a number and a word in one", "mp3", "=mp3" },
		{ "beside signs of another script", "错误ERR-4012的", "=err4012" },
		{ "a word with hyphens is none", "a well-known mother-in-law", "" },
		{ "an abbreviation is none", "e.g. the U.S. fleet", "" },
		{ "a number is none", "in 1999, 1,000 or 3.14", "" },
		{ "a sentence's end joins nothing", "in 1999. Then", "" },
		{ "a joint at the end joins nothing", "err- 4012 -x _y_", "" },
		{ "two joints join nothing", "a--b1", "=b1" },
		{ "too long", "a1-a1-a1-a1-a1-a1-a1-a1-a1", "" },
		{ "too long in bytes",
		  "0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0", "" },
		{ "nothing", "", "" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };

		t->row = rows[i].name;
		CHECK_SV(t, show(&arena, rows[i].text, false), rows[i].want);
		kb_arena_fini(&arena);
	}
	t->row = "a question takes decimals too";
	{
		struct kb_arena arena = { 0 };

		CHECK_SV(t, show(&arena, "12.4 or 7", true), "=12.4");
		kb_arena_fini(&arena);
	}
}

/* One passage a page, then the question with and without its codes. */
static void test_ranking(struct kb_test *t)
{
	static const struct {
		const char *name, *question, *code, *words;
	} rows[] = {
		{ "an error code", "What should I do about printer error ERR-4012 on the display?",
		  "After some time the unit may stop: ERR-4012. Call the service.",
		  "What to do about a printer error on the display: the printer error display "
		  "shows each error. Do the display error test of the printer." },
		{ "written in one word", "printer error err4012",
		  "The unit stops with ERR-4012 and waits.",
		  "The printer error list: a printer error is an error of the printer." },
		{ "a version", "Which features came with release 12.4.1 of the program?",
		  "12.4.1: sorting by date.",
		  "Features of each release of the program came with the release: program "
		  "features, release features." },
		{ "a part of a version", "Which features came with release 12.4 of the program?",
		  "12.4.1: sorting by date.",
		  "Features of each release of the program came with the release: program "
		  "features, release features." },
		{ "a part number among its like", "price of spare part AB-77-X for the pump",
		  "AB-77-X costs five crowns.",
		  "The price of a spare part for the pump: AB-77-Y spare part price, X or Y." },
		{ "an identifier", "what does the option max_retry_count mean for the client",
		  "max_retry_count limits how often it tries.",
		  "The client option and what the client option does: count each retry up to the "
		  "max of the client." },
		{ "an advisory", "is the library hit by CVE-2024-1234 and by how much",
		  "CVE-2024-1234 does not touch us.",
		  "Is the library hit? The library was hit by much in 2024, by CVE-2024-9999 and "
		  "the 1234 others, so the library is hit." },
	};
	struct kb_analyzer *analyzer = kb_analyzer_new();

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_segment_writer *writer = kb_segment_writer_new();
		const char *path = world_path("codes", (int)i);
		struct kb_passage p = { .lang = KB_LANG_EN };
		struct kb_query query = { .limit = 2 };
		struct kb_arena arena = { 0 };
		struct kb_segment *segment;
		struct kb_snapshot *snapshot;
		size_t plain, count;
		struct kb_hit *hits;
		struct kb_err err = { 0 };

		t->row = rows[i].name;
		p.text = kb_sv_str(rows[i].words);
		kb_segment_writer_add(writer, &p);
		p.page_id = 1;
		p.text = kb_sv_str(rows[i].code);
		kb_segment_writer_add(writer, &p);
		for (p.page_id = 2; p.page_id < 30; p.page_id++) {
			p.text = KB_SV("Some other passage of a like length that says nothing.");
			kb_segment_writer_add(writer, &p);
		}
		CHECK(t, kb_segment_writer_finish(writer, path, NULL, &err));
		segment = kb_segment_open(path, true, &err);
		unlink(path);
		snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ segment, 1 }, 1, NULL, 0);
		kb_query_build(analyzer, &arena, kb_sv_str(rows[i].question), KB_LANG_EN, &query);
		plain = query.term_count;
		kb_search(snapshot, &arena, &query, &hits, &count);
		CHECK(t, count > 0);
		CHECK_INT(t, hits[0].doc, 0); /* without codes the common words win */
		kb_query_codes(&arena, kb_sv_str(rows[i].question), &query);
		CHECK(t, query.term_count > plain);
		kb_search(snapshot, &arena, &query, &hits, &count);
		CHECK_INT(t, hits[0].doc, 1);
		kb_snapshot_release(snapshot);
		kb_segment_release(segment);
		kb_segment_writer_free(writer);
		kb_arena_fini(&arena);
	}
	kb_analyzer_free(analyzer);
}

static void test_without(struct kb_test *t)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_arena arena = { 0 };
	struct kb_query query = { 0 };
	const struct kb_query_term *terms;
	struct kb_sv text = KB_SV("how do I return a broken lamp");
	size_t count;

	kb_query_build(analyzer, &arena, text, KB_LANG_EN, &query);
	terms = query.terms;
	count = query.term_count;
	kb_query_codes(&arena, text, &query);
	CHECK(t, query.term_count == count);
	for (size_t i = 0; i < count; i++)
		CHECK(t, query.terms[i].weight == terms[i].weight);
	kb_analyzer_free(analyzer);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what is a code and how it is written", test_codes },
		{ "a passage with the code outranks common words", test_ranking },
		{ "a question without codes stays as it is", test_without },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
