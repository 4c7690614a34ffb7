/* The multipart parser: a table of bodies, each fed in every way of cutting it once. */
#include "http/multipart.h"

#include "base/buf.h"
#include "test.h"

/* What the parser said, as text: "[name|filename|type]data;" */
static bool on_part(void *arg, const struct kb_multipart_part *part, struct kb_err *err)
{
	struct kb_buf *log = arg;

	(void)err;
	kb_buf_printf(log, "[%.*s|%.*s|%.*s]", KB_SV_ARG(part->name),
	              KB_SV_ARG(part->filename.p ? part->filename : KB_SV("-")),
	              KB_SV_ARG(part->content_type));
	return true;
}

static bool on_data(void *arg, struct kb_sv bytes, struct kb_err *err)
{
	(void)err;
	KB_ASSERT(bytes.n > 0);
	kb_buf_sv(arg, bytes);
	return true;
}

static bool on_part_end(void *arg, struct kb_err *err)
{
	(void)err;
	kb_buf_byte(arg, ';');
	return true;
}

static const struct kb_multipart_events events = { on_part, on_data, on_part_end };

/* Feeds the body cut at `cut`, the second half byte by byte if `trickle`. */
static bool parse(struct kb_sv body, size_t cut, bool trickle, struct kb_buf *log)
{
	struct kb_multipart parser;
	struct kb_err err;
	bool ok;

	kb_buf_init(log, KB_MIB(1));
	ok = kb_multipart_init(&parser, KB_SV("multipart/form-data; boundary=b"), &events, log,
	                       &err);
	ok = ok && kb_multipart_feed(&parser, kb_sv_sub(body, 0, cut), &err);
	body = kb_sv_from(body, cut);
	while (ok && trickle && body.n) {
		ok = kb_multipart_feed(&parser, kb_sv_sub(body, 0, 1), &err);
		body = kb_sv_from(body, 1);
	}
	ok = ok && kb_multipart_feed(&parser, body, &err) && kb_multipart_finish(&parser, &err);
	kb_multipart_fini(&parser);
	return ok;
}

#define CD "Content-Disposition: form-data; "

static const struct {
	const char *name;
	struct kb_sv body;
	const char *want; /* NULL: refused */
} rows[] = {
	{ "one field", KB_SV_INIT("--b\r\n" CD "name=\"a\"\r\n\r\nhello\r\n--b--\r\n"),
	  "[a|-|]hello;" },
	{ "two fields",
	  KB_SV_INIT("--b\r\n" CD "name=a\r\n\r\n1\r\n--b\r\n" CD "name=c\r\n\r\n2\r\n--b--"),
	  "[a|-|]1;[c|-|]2;" },
	{ "a file with its type",
	  KB_SV_INIT("--b\r\n" CD "name=\"f\"; filename=\"x y.txt\"\r\nContent-Type: text/plain\r\n"
	             "\r\nab\r\n--b--\r\n"),
	  "[f|x y.txt|text/plain]ab;" },
	{ "an encoded file name",
	  KB_SV_INIT("--b\r\n" CD
	             "name=f; filename=\"x\"; filename*=UTF-8''a%20b\r\n\r\n1\r\n--b--"),
	  "[f|a b|]1;" },
	{ "field names have no case",
	  KB_SV_INIT("--b\r\ncontent-DISPOSITION: form-data; name=a\r\n\r\n1\r\n--b--"),
	  "[a|-|]1;" },
	{ "an empty part", KB_SV_INIT("--b\r\n" CD "name=a\r\n\r\n\r\n--b--"), "[a|-|];" },
	{ "an empty part without its line end", KB_SV_INIT("--b\r\n" CD "name=a\r\n\r\n--b--"),
	  "[a|-|];" },
	{ "line ends and dashes in the data",
	  KB_SV_INIT("--b\r\n" CD "name=a\r\n\r\n\r\r\n\r\n-\r\n--\r\n--a\r\n--b--"),
	  "[a|-|]\r\r\n\r\n-\r\n--\r\n--a;" },
	{ "data that begins like a boundary", KB_SV_INIT("--b\r\n" CD "name=a\r\n\r\n--c\r\n--b--"),
	  "[a|-|]--c;" },
	{ "a preamble and an epilogue",
	  KB_SV_INIT("hello\r\n--b\r\n" CD "name=a\r\n\r\n1\r\n--b--\r\nbye\r\n--b\r\n"),
	  "[a|-|]1;" },
	{ "a preamble that begins like a boundary",
	  KB_SV_INIT("--a\r\n--b\r\n" CD "name=a\r\n\r\n1\r\n--b--"), "[a|-|]1;" },
	{ "blanks behind the boundary", KB_SV_INIT("--b \t\r\n" CD "name=a\r\n\r\n1\r\n--b--"),
	  "[a|-|]1;" },
	{ "no name", KB_SV_INIT("--b\r\nX: y\r\n\r\n1\r\n--b--"), "[|-|]1;" },
	{ "no parts", KB_SV_INIT("--b--\r\n"), "" },
	{ "a part without head", KB_SV_INIT("--b\r\n\r\n1\r\n--b--"), "[|-|]1;" },
	{ "cut in the data", KB_SV_INIT("--b\r\n" CD "name=a\r\n\r\nhel"), NULL },
	{ "cut before the end", KB_SV_INIT("--b\r\n" CD "name=a\r\n\r\n1\r\n--b"), NULL },
	{ "empty", KB_SV_INIT(""), NULL },
	{ "no boundary at all", KB_SV_INIT("hello"), NULL },
	{ "another boundary with the same beginning",
	  KB_SV_INIT("--b\r\n" CD "name=a\r\n\r\n1\r\n--bc\r\n"), NULL },
	{ "a bare LF in the head", KB_SV_INIT("--b\r\n" CD "name=a\n\r\n1\r\n--b--"), NULL },
	{ "a head line without colon", KB_SV_INIT("--b\r\nabc\r\n\r\n1\r\n--b--"), NULL },
	{ "NUL in the head", KB_SV_INIT("--b\r\n" CD "name=\"a\0\"\r\n\r\n1\r\n--b--"), NULL },
	{ "an attachment", KB_SV_INIT("--b\r\nContent-Disposition: attachment\r\n\r\n1\r\n--b--"),
	  NULL },
};

static void test_bodies(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		for (size_t cut = 0; cut <= rows[i].body.n; cut++) {
			for (int trickle = 0; trickle < 2; trickle++) {
				struct kb_buf log;
				bool ok = parse(rows[i].body, cut, trickle, &log);

				CHECK_INT(t, ok, rows[i].want != NULL);
				if (ok && rows[i].want)
					CHECK_SV(t, kb_buf_view(&log), rows[i].want);
				kb_buf_fini(&log);
			}
		}
	}
}

static void test_boundaries(struct kb_test *t)
{
	static const struct {
		const char *name, *type;
		bool ok;
	} types[] = {
		{ "plain", "multipart/form-data; boundary=----WebKit", true },
		{ "quoted, with a charset", "multipart/form-data; charset=utf-8; boundary=\"a:b\"",
		  true },
		{ "none", "multipart/form-data", false },
		{ "empty", "multipart/form-data; boundary=", false },
		{ "70 characters",
		  "multipart/form-data; boundary="
		  "1234567890123456789012345678901234567890123456789012345678901234567890",
		  true },
		{ "71 characters",
		  "multipart/form-data; boundary="
		  "12345678901234567890123456789012345678901234567890123456789012345678901",
		  false },
		{ "a control byte", "multipart/form-data; boundary=\"a\x01\"", false },
	};

	for (size_t i = 0; i < KB_COUNTOF(types); i++) {
		struct kb_multipart parser;
		struct kb_err err;
		bool ok = kb_multipart_init(&parser, kb_sv_str(types[i].type), &events, NULL, &err);

		t->row = types[i].name;
		CHECK_INT(t, ok, types[i].ok);
		if (ok)
			kb_multipart_fini(&parser);
	}
}

/* Endless heads and preambles do not grow memory. */
static void test_limits(struct kb_test *t)
{
	static const char *const openings[] = { "--b\r\nX: ", "" };

	for (size_t i = 0; i < KB_COUNTOF(openings); i++) {
		struct kb_multipart parser;
		struct kb_buf log;
		struct kb_err err;
		size_t fed = 0;

		t->row = i ? "preamble" : "head";
		kb_buf_init(&log, KB_MIB(1));
		CHECK(t, kb_multipart_init(&parser, KB_SV("x; boundary=b"), &events, &log, &err));
		CHECK(t, kb_multipart_feed(&parser, kb_sv_str(openings[i]), &err));
		while (fed < KB_MIB(1) && kb_multipart_feed(&parser, KB_SV("0123456789"), &err))
			fed += 10;
		CHECK(t, fed <= KB_PART_PREAMBLE_MAX);
		kb_multipart_fini(&parser);
		kb_buf_fini(&log);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "bodies give their parts, wherever they are cut", test_bodies },
		{ "boundaries", test_boundaries },
		{ "heads and preambles are limited", test_limits },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
