/* How texts are brought into form and cut into pieces, with a handful of pieces. */
#include "encode/pieces.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "small.h"
#include "test.h"

enum { MOST = 20 };

/* A file with the small network, opened, and what reads pieces by it. */
struct world {
	struct small small;
	struct kb_encoder encoder;
	struct kb_pieces *pieces;
};

static void open_world(struct world *w)
{
	char path[64];
	struct kb_err err;

	snprintf(path, sizeof(path), "/tmp/docent-pieces-test-%d", (int)getpid());
	*w = (struct world){ 0 };
	small_make(&w->small);
	small_write(&w->small, path);
	KB_ASSERT(kb_encoder_read(&w->encoder, path, &err));
	unlink(path);
	w->pieces = kb_xcalloc(1, sizeof(*w->pieces));
	w->pieces->encoder = &w->encoder;
}

static void close_world(struct world *w)
{
	kb_encoder_unread(&w->encoder);
	small_fini(&w->small);
	free(w->pieces);
}

/* The pieces between the marks, a bar between two, ? for one that is unknown. */
static void spell(struct world *w, const uint32_t *numbers, uint32_t count, struct kb_buf *out)
{
	KB_ASSERT(numbers[0] == KB_PIECE_BEGIN && numbers[count - 1] == KB_PIECE_END);
	for (uint32_t i = 1; i + 1 < count; i++) {
		const char *word = "?";

		if (numbers[i] != KB_PIECE_UNKNOWN)
			word = small_pieces[w->small.order[numbers[i] - KB_PIECES_SPECIAL]].word;
		kb_buf_add(out, "|", i > 1);
		kb_buf_add(out, word, strlen(word));
	}
}

static void cut(struct kb_test *t, struct world *w, struct kb_sv text, const char *want)
{
	uint32_t numbers[MOST];
	uint32_t count = kb_pieces_read(w->pieces, kb_sv_str(""), text, NULL, MOST, numbers);
	struct kb_err err = { 0 };
	struct kb_buf out;
	struct kb_sv got;

	kb_buf_init(&out, 4096);
	spell(w, numbers, count, &out);
	KB_ASSERT(kb_buf_done(&out, &got, &err));
	CHECK_SV(t, got, want);
	kb_buf_fini(&out);
}

static void test_cutting(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *want;
	} cases[] = {
		{ "nothing", "", "" },
		{ "blanks alone", " \t\n\xe3\x80\x80", "" },
		{ "a blank belongs to the word behind it", "a", " a" },
		{ "the likeliest way, not the longest piece first", "abc", " a|bc" },
		{ "two words, many blanks", "a  \n a", " a| a" },
		{ "a word that begins with no piece of its own", "b", " |b" },
		{ "several letters of a piece", "日本", " |日本" },
		{ "a letter that no piece has", "x", " |?" },
		{ "several such are one", "xyz", " |?" },
		{ "and one that has a blank before it", "ax xa", " a|?| |?|a" },
		{ "an unknown letter of several bytes", "a☃☃b", " a|?|b" },
		{ "compatible forms", "ａｂｃ", " a|bc" },
		{ "a letter and its mark are one", "e\xcc\x81", " |é" },
		{ "what controls is left out",
		  "a\x01\x7f"
		  "bc",
		  " a|bc" },
		{ "bytes that are no UTF-8 are blanks",
		  "a\xff\xfe"
		  "a\xe6\x97",
		  " a| a" },
		{ "so is U+2581, which stands for one", "▁a▁▁b", " a| |b" },
		{ "and a mark of byte order",
		  "\xef\xbb\xbf"
		  "a",
		  " a" },
	};
	struct world w;

	open_world(&w);
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].name;
		cut(t, &w, kb_sv_str(cases[i].text), cases[i].want);
	}
	t->row = "a zero byte is left out";
	cut(t, &w, kb_sv("a\0bc", 4), " a|bc");
	t->row = NULL;
	close_world(&w);
}

static void test_longest(struct kb_test *t)
{
	uint32_t all[MOST], some[MOST];
	struct world w;

	open_world(&w);
	CHECK_INT(
	        t,
	        kb_pieces_read(w.pieces, kb_sv_str("q: "), kb_sv_str("a b c ab"), NULL, MOST, all),
	        9);
	for (uint32_t longest = 2; longest <= 9; longest++) {
		uint32_t count = kb_pieces_read(w.pieces, kb_sv_str("q: "), kb_sv_str("a b c ab"),
		                                NULL, longest, some);

		CHECK_INT(t, count, longest);
		CHECK(t, memcmp(all, some, (longest - 1) * sizeof(*all)) == 0);
		CHECK_INT(t, some[count - 1], KB_PIECE_END);
	}
	close_world(&w);
}

/* How many pieces, marks included, begin before each place of the text. */
static void test_bounds(struct kb_test *t)
{
	static const struct {
		const char *name, *text;
		uint32_t count, bytes[4], pieces[4];
	} cases[] = {
		/* " a", " ", "bc", " ab" */
		{ "at words", "a bc ab", 4, { 0, 2, 5, 7 }, { 1, 2, 4, 5 } },
		{ "in a blank", "a   bc", 3, { 1, 3, 6 }, { 2, 2, 4 } },
		{ "between two pieces of a word", "abc", 3, { 0, 1, 3 }, { 1, 2, 3 } },
		{ "in a piece", "bc", 3, { 0, 1, 2 }, { 1, 3, 3 } },
		{ "twice the same", "a b", 4, { 2, 2, 2, 3 }, { 2, 2, 2, 4 } },
		{ "without a text", "", 2, { 0, 0 }, { 1, 1 } },
	};
	uint32_t plain[MOST], numbers[MOST], places[4];
	struct world w;

	open_world(&w);
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_sv text = kb_sv_str(cases[i].text);
		const struct kb_pieces_bounds bounds = { cases[i].bytes, cases[i].count, places };
		uint32_t count = kb_pieces_read(w.pieces, KB_SV(""), text, NULL, MOST, plain);

		t->row = cases[i].name;
		CHECK_INT(t, kb_pieces_read(w.pieces, KB_SV(""), text, &bounds, MOST, numbers),
		          count);
		CHECK(t, memcmp(plain, numbers, count * sizeof(*plain)) == 0);
		for (uint32_t k = 0; k < cases[i].count; k++)
			CHECK_INT(t, places[k], cases[i].pieces[k]);
		/* Behind the last one that counts there are none. */
		CHECK_INT(t, kb_pieces_read(w.pieces, KB_SV(""), text, &bounds, 2, numbers), 2);
		CHECK_INT(t, places[cases[i].count - 1], 1);
	}
	t->row = NULL;
	close_world(&w);
}

/* A word as long as one likes, and a letter with as many marks. */
static void test_long_words(struct kb_test *t)
{
	enum { BYTES = 3 * KB_PIECES_WORD };
	uint32_t *numbers = kb_xcalloc(BYTES, sizeof(*numbers)), count;
	char *text = kb_xcalloc(1, BYTES);
	struct world w;

	open_world(&w);
	memset(text, 'b', BYTES);
	count = kb_pieces_read(w.pieces, kb_sv_str(""), kb_sv(text, BYTES / 2), NULL, BYTES,
	                       numbers);
	CHECK_INT(t, count, BYTES / 2 + 3); /* each b, the blank before the first, the marks */
	for (int i = 0; i + 1 < BYTES; i += 2)
		memcpy(text + i, "\xcc\x81", 2);
	count = kb_pieces_read(w.pieces, kb_sv_str(""), kb_sv(text, BYTES), NULL, BYTES, numbers);
	CHECK(t, count >= 4 && count < BYTES);
	close_world(&w);
	free(numbers);
	free(text);
}

static void test_normal(struct kb_test *t)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "ﬁ ① ½ ™", "fi 1 1⁄2 TM" },
		{ "ｶﾞ ﾊﾟ", "ガ パ" },
		{ "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", "한" },
		{ "Ａ～Ｚ", "A～Z" },
		{ "a\tb\r\nc", "a b  c" },
		{ "a\xe2\x80\x8b"
		  "b",
		  "a b" },
		{ "a\xe2\x80\x8d"
		  "b",
		  "a\xe2\x80\x8d"
		  "b" },
		{ "o\xcc\x88\xcc\x84", "ȫ" },
		{ "㍿", "株式会社" },
		{ "", "" },
	};
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_err err = { 0 };
		struct kb_normal normal;
		struct kb_buf out;
		struct kb_sv got;
		char letter[4];
		uint32_t cp;

		kb_buf_init(&out, 4096);
		kb_normal_begin(&normal, kb_sv_str(cases[i].text));
		while ((cp = kb_normal_next(&normal)) != KB_NORMAL_END)
			kb_buf_add(&out, letter, kb_utf8_encode(cp, letter));
		KB_ASSERT(kb_buf_done(&out, &got, &err));
		CHECK_SV(t, got, cases[i].want);
		kb_buf_fini(&out);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "words are cut by likelihood", test_cutting },
		{ "as many pieces as are wanted, the marks among them", test_longest },
		{ "where places of the text are among them", test_bounds },
		{ "no word is too long", test_long_words },
		{ "the form of letters", test_normal },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
