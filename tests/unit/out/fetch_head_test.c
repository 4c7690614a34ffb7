/* What a foreign server says before the body. */
#include "out/fetch_head.h"

#include "test.h"

static void feed(struct kb_fetch_head *head, struct kb_arena *arena, const char *text)
{
	struct kb_sv rest = kb_sv_str(text), line;

	while (kb_sv_split(&rest, '\n', &line))
		kb_fetch_head_line(head, arena, line);
}

static void test_lines(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_fetch_head head = { 0 };

	feed(&head, &arena,
	     "HTTP/1.1 103 Early Hints\r\nETag: \"early\"\r\n\r\n"
	     "HTTP/1.1 200 OK\r\ncontent-TYPE:  text/html; charset=utf-8 \r\nETag: \"a\"\r\n"
	     "Location: /first\r\nLocation: /second\r\nLast-Modified: x\r\nLast-Modified: y\r\n"
	     "Retry-After: \xff\r\nno colon\r\n: no name\r\n\r\n"
	     "ETag: \"a trailer\"\r\nHTTP/1.1 500 no\r\n");
	CHECK_INT(t, head.status, 200);
	CHECK(t, head.done);
	CHECK_SV(t, head.content_type, "text/html; charset=utf-8");
	CHECK_SV(t, head.etag, "\"a\"");
	CHECK_SV(t, head.location, "/first");
	CHECK_SV(t, head.last_modified, "y");
	CHECK_SV(t, head.retry_after, "");

	head = (struct kb_fetch_head){ 0 };
	feed(&head, &arena, "HTTP/2 404\r\nETag: a\x01\r");
	CHECK_INT(t, head.status, 404);
	CHECK(t, !head.done);
	CHECK_SV(t, head.etag, "");

	head = (struct kb_fetch_head){ 0 };
	feed(&head, &arena, "HTTP/1.1 302 a\r\nLocation: /caf\xe9?a=b c\r\nETag: \"\xe9\"\r");
	CHECK_SV(t, head.location, "/caf%E9?a=b c");
	CHECK_SV(t, head.etag, "");
	kb_arena_fini(&arena);
}

static void test_filenames(struct kb_test *t)
{
	static const struct {
		const char *name, *field, *want;
	} cases[] = {
		{ "a token", "attachment; filename=a.pdf", "a.pdf" },
		{ "quoted", "attachment; filename=\"a; b.pdf\"", "a; b.pdf" },
		{ "quoted with escapes", "inline; filename=\"a\\\"b.pdf\"", "a\"b.pdf" },
		{ "the extended one wins",
		  "attachment; filename=\"x.pdf\"; filename*=UTF-8''na%C3%AFve.pdf",
		  "na\xc3\xafve.pdf" },
		{ "an unknown character set",
		  "attachment; filename=x.pdf; filename*=iso-8859-1''%E9", "x.pdf" },
		{ "a malformed escape", "attachment; filename=x.pdf; filename*=UTF-8''%zz",
		  "x.pdf" },
		{ "without its quotes", "attachment; filename=x.pdf; filename*=UTF-8", "x.pdf" },
		{ "a path", "attachment; filename=\"../../etc/passwd\"", "passwd" },
		{ "a path of another system", "attachment; filename=\"C:/temp/b.doc\"", "b.doc" },
		{ "a hidden path", "attachment; filename*=UTF-8''..%2f..%2fc.txt", "c.txt" },
		{ "only dots", "attachment; filename=\"..\"", "" },
		{ "a directory", "attachment; filename=\"a/\"", "" },
		{ "a control", "attachment; filename*=UTF-8''a%0Ab", "" },
		{ "none", "attachment", "" },
		{ "nothing", "", "" },
	};
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].name;
		CHECK_SV(t, kb_fetch_filename(&arena, kb_sv_str(cases[i].field)), cases[i].want);
	}
	kb_arena_fini(&arena);
}

static void test_retry_after(struct kb_test *t)
{
	static const struct {
		const char *value;
		int64_t want;
	} cases[] = {
		{ "120", 120 },
		{ "0", 0 },
		{ "", 0 },
		{ "-5", 0 },
		{ "soon", 0 },
		{ "99999999999", KB_FETCH_RETRY_MAX_S },
		{ "99999999999999999999999", 0 },
		{ "Sun, 06 Nov 1994 08:50:37 GMT", 60 },
		{ "Sun, 06 Nov 1994 08:49:37 GMT", 0 },
		{ "Sun, 06 Nov 1993 08:49:37 GMT", 0 },
		{ "Sun, 06 Nov 2094 08:49:37 GMT", KB_FETCH_RETRY_MAX_S },
		{ "Sun, 06 anF 1994 08:50:37 GMT", 0 },
		{ "Sunday, 06-Nov-94 08:50:37 GMT", 0 },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].value;
		CHECK_INT(t, kb_fetch_retry_after(kb_sv_str(cases[i].value), 784111777),
		          cases[i].want);
	}
}

static void test_names(struct kb_test *t)
{
	static const struct {
		struct kb_sv name;
		bool ok;
	} cases[] = {
		{ KB_SV_INIT("Webhook-Signature"), true },
		{ KB_SV_INIT("x1_2.3~"), true },
		{ KB_SV_INIT(""), false },
		{ KB_SV_INIT("two words"), false },
		{ KB_SV_INIT("Name:"), false },
		{ KB_SV_INIT("Name\r\nX-Evil"), false },
		{ KB_SV_INIT("a\0b"), false },
		{ KB_SV_INIT("gr\xc3\xbc\xc3\x9f"), false },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].name.p;
		CHECK_INT(t, kb_fetch_field_ok(cases[i].name), cases[i].ok);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "fields come from the final head", test_lines },
		{ "a file's name is no path", test_filenames },
		{ "when to come back", test_retry_after },
		{ "a field's name is a token", test_names },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
