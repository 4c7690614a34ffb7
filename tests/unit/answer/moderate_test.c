/* The block list: what it takes from its file and what it finds. */
#include "answer/moderate.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "test.h"

static struct kb_block_list *list_of(const char *text, struct kb_err *err)
{
	char path[] = "/tmp/docent-block-XXXXXX";
	struct kb_block_list *list;
	int fd = mkstemp(path);

	if (fd < 0 || !kb_fd_write_all(fd, kb_sv_str(text), path, err))
		abort();
	close(fd);
	list = kb_block_list_read(path, err);
	unlink(path);
	return list;
}

static void test_hits(struct kb_test *t)
{
	static const char file[] = "# words of the operator\n\nforbidden\r\nred herring\nÜberfall\n"
	                           "違法\nวัตถุระเบิด\n  make a bomb  \n";
	static const struct {
		const char *name, *text;
		bool hit;
	} rows[] = {
		{ "nothing", "", false },
		{ "a harmless text", "What does it cost?", false },
		{ "the word", "this is forbidden here", true },
		{ "the word alone", "forbidden", true },
		{ "in capitals", "FORBIDDEN!", true },
		{ "in wide letters", "ｆｏｒｂｉｄｄｅｎ", true },
		{ "with a soft hyphen",
		  "for\xc2\xad"
		  "bidden",
		  true },
		{ "part of a longer word", "unforbidden forbiddenly", false },
		{ "the phrase", "a red herring", true },
		{ "the phrase over a line end", "a red\n  herring", true },
		{ "the phrase with punctuation", "red, herring", true },
		{ "its words apart", "red big herring", false },
		{ "its words in another order", "herring red", false },
		{ "its first word twice", "red red herring", true },
		{ "letters beyond ASCII", "der überfall", true },
		{ "decomposed",
		  "der u\xcc\x88"
		  "berfall",
		  true },
		{ "Chinese within a sentence", "这是違法行为", true },
		{ "Thai within a sentence", "ซื้อวัตถุระเบิดที่ไหน", true },
		{ "a phrase of three words", "how to MAKE a Bomb?", true },
		{ "the comment is no phrase", "words of the operator", false },
		{ "bad bytes divide words",
		  "\xff"
		  "forbidden\xff",
		  true },
	};
	struct kb_err err = { 0 };
	struct kb_block_list *list = list_of(file, &err);

	CHECK(t, list != NULL);
	CHECK_INT(t, kb_block_list_count(list), 6);
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		CHECK_INT(t, kb_block_list_hits(list, kb_sv_str(rows[i].text)), rows[i].hit);
	}
	t->row = NULL;
	kb_block_list_free(list);
}

/* The longest phrase, at each place of a text. */
static void test_longest(struct kb_test *t)
{
	struct kb_err err = { 0 };
	struct kb_block_list *list = list_of("a b c d e f g h i j k l m n o p\n", &err);
	char text[400];

	CHECK(t, list != NULL);
	for (int before = 0; before < 40; before++) {
		for (int i = 0; i < before; i++)
			snprintf(text + 2 * i, 3, "%s", i % 3 ? "a " : "b ");
		snprintf(text + 2 * before, 40, "a b c d e f g h i j k l m n o p");
		CHECK(t, kb_block_list_hits(list, kb_sv_str(text)));
		text[strlen(text) - 1] = 'q';
		CHECK(t, !kb_block_list_hits(list, kb_sv_str(text)));
	}
	kb_block_list_free(list);
}

static void test_take(struct kb_test *t)
{
	struct kb_err err;
	struct kb_block_list *list = list_of("one\n", &err),
	                     *newer = list_of("two of them\n", &err);

	CHECK(t, list && newer);
	kb_block_list_take(list, newer);
	CHECK_INT(t, kb_block_list_count(list), 1);
	CHECK(t, !kb_block_list_hits(list, KB_SV("one")));
	CHECK(t, kb_block_list_hits(list, KB_SV("the two of them")));
	kb_block_list_free(list);
}

static void test_many(struct kb_test *t)
{
	struct kb_err err = { 0 };
	struct kb_buf buf;
	struct kb_block_list *list;

	kb_buf_init(&buf, 1 << 20);
	for (int i = 0; i < 20000; i++)
		kb_buf_printf(&buf, "word%d\n", i);
	kb_buf_byte(&buf, '\0');
	list = list_of(buf.p, &err);
	CHECK(t, list != NULL);
	CHECK_INT(t, kb_block_list_count(list), 20000);
	CHECK(t, kb_block_list_hits(list, KB_SV("x word19999 y")));
	CHECK(t, kb_block_list_hits(list, KB_SV("word0")));
	CHECK(t, !kb_block_list_hits(list, KB_SV("word20000")));
	kb_block_list_free(list);
	kb_buf_fini(&buf);
}

static void test_refusals(struct kb_test *t)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "fine\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n",
		  ":2: the phrase has 17 words, the limit is 16" },
		{ "fine\n\n***\n", ":3: no word in the line" },
		{ "\xff\n", ":1: not valid UTF-8" },
	};
	struct kb_err err;

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].want;
		CHECK(t, !list_of(rows[i].text, &err));
		CHECK(t, strstr(err.msg, rows[i].want) != NULL);
	}
	t->row = NULL;
	CHECK(t, !kb_block_list_read("/no/such/file", &err));
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "whole words and phrases are found", test_hits },
		{ "the longest phrase is found anywhere", test_longest },
		{ "a newer list takes the place of the one before", test_take },
		{ "a long list is taken whole", test_many },
		{ "a bad file is refused with its line", test_refusals },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
