/* Which texts are copies of each other, though not byte for byte. */
#include "passages/likeness.h"

#include "base/buf.h"
#include "base/simhash.h"
#include "test.h"

enum { WORDS = 400 };

struct text {
	const char *title, *heading;
	int words;
	int swapped;         /* so many of the words are others */
	const char *last;    /* said at the end */
	const char *between; /* words; NULL: a blank */
};

static uint64_t likeness_of(const struct text *text)
{
	struct kb_block block = { .heading = kb_sv_str(text->heading ? text->heading : "") };
	struct kb_parsed parsed = { .title = kb_sv_str(text->title ? text->title : ""),
		                    .blocks = &block,
		                    .block_count = 1 };
	struct kb_buf buf;
	uint64_t likeness;

	kb_buf_init(&buf, KB_MIB(1));
	for (int i = 0; i < text->words; i++) {
		int n = i < text->swapped ? i + 5000 : i;

		kb_buf_printf(&buf, "%c%c%c%c%s", 'a' + n % 7, 'c' + n / 7 % 11, 'b' + n / 77 % 13,
		              'a' + n / 1001, text->between ? text->between : " ");
	}
	kb_buf_str(&buf, text->last ? text->last : "");
	block.text = kb_buf_view(&buf);
	likeness = kb_likeness(&parsed);
	kb_buf_fini(&buf);
	return likeness;
}

static void test_likeness(struct kb_test *t)
{
	static const struct text whole = { .title = "Parcels", .heading = "Halls", .words = WORDS };
	static const struct {
		const char *name;
		struct text text;
		bool near;
	} rows[] = {
		{ "the same text", { "Parcels", "Halls", WORDS }, true },
		{ "another title over the same heading",
		  { "Parcels - print", "Halls", WORDS },
		  true },
		{ "other case and signs", { "Parcels", "HALLS!", WORDS, 0, ".", ", " }, true },
		{ "a word more", { "Parcels", "Halls", WORDS, 0, "goodbye" }, true },
		{ "another heading", { "Parcels", "Vaults", WORDS }, false },
		{ "a figure more", { "Parcels", "Halls", WORDS, 0, "30" }, false },
		{ "a tenth of the words are others",
		  { "Parcels", "Halls", WORDS, WORDS / 10 },
		  false },
		{ "half of it", { "Parcels", "Halls", WORDS / 2 }, false },
	};
	uint64_t likeness = likeness_of(&whole);

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		int distance = kb_simhash_distance(likeness, likeness_of(&rows[i].text));

		t->row = rows[i].name;
		CHECK(t, (distance <= KB_SIMHASH_NEAR) == rows[i].near);
	}
}

static void test_titles(struct kb_test *t)
{
	struct text one = { .title = "Red shoes", .words = WORDS };
	struct text other = { .title = "Blue shoes", .words = WORDS };

	CHECK(t, kb_simhash_distance(likeness_of(&one), likeness_of(&other)) > KB_SIMHASH_NEAR);
}

static void test_short(struct kb_test *t)
{
	CHECK(t, likeness_of(&(struct text){ .words = KB_LIKENESS_WORDS_MIN - 1 }) == 0);
	CHECK(t, likeness_of(&(struct text){ .words = KB_LIKENESS_WORDS_MIN }) != 0);
	CHECK(t, likeness_of(&(struct text){ 0 }) == 0);
	/* Without blanks each character is a word. */
	CHECK(t, likeness_of(&(struct text){ .words = KB_LIKENESS_WORDS_MIN,
	                                     .between = "\xe4\xb8\xad" })
	                 != 0);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "copies are near, and what differs in a heading or a figure is none",
		  test_likeness },
		{ "without headings the title tells texts apart", test_titles },
		{ "a short text is like no other", test_short },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
