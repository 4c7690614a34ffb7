/* Passages to sources: what is chosen, what is joined, and where a place stands. */
#include "test.h"
#include "write/context.h"

#define P(page, ord, at, words)                                                                    \
	{                                                                                          \
		.page_id = page, .ordinal = ord, .offset = at, .page_no = ord + 1,                 \
		.text = KB_SV_INIT(words), .title = KB_SV_INIT("T"), .heading = KB_SV_INIT("H")    \
	}

static const struct kb_passage passages[] = {
	P(1, 0, 0, "alpha beta gamma"),
	P(1, 1, 17, "delta epsilon"),
	P(1, 2, 23, "epsilon zeta"),
	P(2, 0, 0, "eta theta"),
	P(3, 0, 0, "beta"),
	P(4, 0, 0, "eta theta iota"),
	P(5, 0, 0, "one one"),
	P(5, 1, 8, "two two"),
	P(5, 2, 16, "three"),
	P(5, 3, 22, "four four"),
	P(6, 0, 0, "five"),
	P(7, 0, 0, "six"),
	P(8, 0, 0, "seven"),
	P(9, 0, 0, "eight"),
	P(10, 0, 0, "nine"),
};

/* The documents are those passages. */
static const struct kb_passage *beside(void *arg, const struct kb_passage *passage, int by)
{
	const struct kb_passage *other = passage + by;

	(void)arg;
	return other >= passages && other < passages + KB_COUNTOF(passages)
	                       && other->page_id == passage->page_id
	               ? other
	               : NULL;
}

static const struct {
	const char *name;
	int order[8]; /* of passages, best first; -1: the end */
	struct kb_context_limits limits;
	const char *want[8];
	bool sections; /* what stands beside a passage can be read */
} cases[] = {
	{ "nothing found", { -1 }, { 6, 1000 }, { NULL } },
	{ "best first", { 3, 0, -1 }, { 6, 1000 }, { "eta theta", "alpha beta gamma", NULL } },
	{ "as many as the depth allows", { 3, 0, -1 }, { 1, 1000 }, { "eta theta", NULL } },
	{ "as many tokens as the depth allows", { 3, 0, -1 }, { 6, 20 }, { "eta theta", NULL } },
	{ "a shorter one may still fit", { 0, 1, 4, -1 }, { 6, 29 }, { "alpha beta gamma", NULL } },
	{ "neighbours are one, in reading order",
	  { 1, 3, 0, -1 },
	  { 6, 1000 },
	  { "alpha beta gamma\ndelta epsilon", "eta theta", NULL } },
	{ "what neighbours share stands once",
	  { 2, 1, -1 },
	  { 6, 1000 },
	  { "delta epsilon zeta", NULL } },
	{ "what another one holds is left out",
	  { 3, 5, 4, 0, -1 },
	  { 6, 1000 },
	  { "eta theta iota", "alpha beta gamma", NULL } },
	{ "the first is cut where it alone is too long",
	  { 0, -1 },
	  { 6, 14 },
	  { "alpha beta ", NULL } },
	{ "the section of a passage is given whole where there is room",
	  { 7, -1 },
	  { 1, 1000 },
	  { "one one\ntwo two\nthree\nfour four", NULL },
	  true },
	{ "or not at all", { 7, -1 }, { 6, 40 }, { "two two", NULL }, true },
	{ "but for what parts two of its passages",
	  { 8, 6, -1 },
	  { 6, 45 },
	  { "one one\ntwo two\nthree", NULL },
	  true },
	{ "behind the best six come their sections, then the others",
	  { 6, 3, 10, 11, 12, 13, 14, -1 },
	  { 40, 170 },
	  { "one one\ntwo two\nthree\nfour four", "eta theta", "five", "six", "seven", "eight",
	    "nine", NULL },
	  true },
	{ "a section for which there is no room keeps nothing out",
	  { 6, 3, 10, 11, 12, 13, 14, -1 },
	  { 40, 130 },
	  { "one one", "eta theta", "five", "six", "seven", "eight", "nine", NULL },
	  true },
};

static void test_sources(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		const struct kb_passage *list[8];
		struct kb_arena arena = { 0 };
		struct kb_excerpt *sources;
		size_t n = 0, count;

		t->row = cases[i].name;
		while (cases[i].order[n] >= 0) {
			list[n] = &passages[cases[i].order[n]];
			n++;
		}
		kb_context_build(&arena,
		                 &(struct kb_context_found){ &(struct kb_context_list){ list, n },
		                                             1, cases[i].sections ? beside : NULL,
		                                             NULL },
		                 &cases[i].limits, &sources, &count);
		for (size_t k = 0; k < count; k++)
			CHECK_SV(t, sources[k].text, cases[i].want[k] ? cases[i].want[k] : "");
		CHECK(t, count < 8 && !cases[i].want[count]);
		kb_arena_fini(&arena);
	}
}

/* Several searches take turns. */
static void test_turns(struct kb_test *t)
{
	const struct kb_passage *first[] = { &passages[0], &passages[1] },
	                        *second[] = { &passages[3] };
	const struct kb_context_list lists[] = { { first, 2 }, { second, 1 } };
	struct kb_arena arena = { 0 };
	struct kb_excerpt *sources;
	size_t count;

	kb_context_build(&arena, &(struct kb_context_found){ lists, 2, NULL, NULL },
	                 &(struct kb_context_limits){ 2, 1000 }, &sources, &count);
	CHECK_INT(t, count, 2);
	CHECK_SV(t, sources[1].text, "eta theta");
	kb_arena_fini(&arena);
}

static void test_places(struct kb_test *t)
{
	const struct kb_passage *list[] = { &passages[1], &passages[2] };
	struct kb_arena arena = { 0 };
	struct kb_excerpt *sources;
	uint32_t page_no, offset;
	size_t count;

	kb_context_build(
	        &arena,
	        &(struct kb_context_found){ &(struct kb_context_list){ list, 2 }, 1, NULL, NULL },
	        &(struct kb_context_limits){ 6, 1000 }, &sources, &count);
	CHECK_INT(t, count, 1);
	kb_excerpt_place(&sources[0], 6, &page_no, &offset);
	CHECK(t, page_no == 2 && offset == 23);
	kb_excerpt_place(&sources[0], 14, &page_no, &offset);
	CHECK(t, page_no == 3 && offset == 31);
	kb_arena_fini(&arena);
}

static void test_depths(struct kb_test *t)
{
	static const char *const names[] = { "compact", "balanced", "extended", "rich", "max" };
	struct kb_settings settings;
	size_t before = 0;

	kb_settings_defaults(&settings);
	for (size_t i = 0; i < KB_COUNTOF(names); i++) {
		settings.context_depth = kb_sv_str(names[i]);
		CHECK(t, kb_context_depth(&settings, 700).passages > before);
		before = kb_context_depth(&settings, 700).passages;
	}
	settings.context_depth = KB_SV("custom");
	CHECK_INT(t, kb_context_depth(&settings, 700).tokens, 700);
	settings.context_depth = kb_sv(NULL, 0);
	CHECK_INT(t, kb_context_depth(&settings, 700).passages, 6);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "passages become sources", test_sources },
		{ "the parts of a question take turns", test_turns },
		{ "a place in a source is one in its document", test_places },
		{ "each context_depth gives more", test_depths },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
