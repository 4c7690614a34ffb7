/* urlencoded pairs, query parameters, and the frames of event streams. */
#include "base/size.h"
#include "http/server.h"
#include "http/sse.h"
#include "http/upload.h"
#include "test.h"

static void test_pairs(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *want; /* "name=value;" for each pair */
	} rows[] = {
		{ "two pairs", "a=b&c=d", "a=b;c=d;" },
		{ "a pair twice", "a=1&a=2", "a=1;a=2;" },
		{ "without value", "a&b=", "a=;b=;" },
		{ "only the first = cuts", "a=b=c", "a=b=c;" },
		{ "blanks and escapes", "a+b=c%20d%2B", "a b=c d+;" },
		{ "empty pairs are none", "&&a=b&", "a=b;" },
		{ "an empty name", "=b", "=b;" },
		{ "an escape that is none", "a=%zz%4", "a=%zz%4;" },
		{ "names with brackets", "files%5B0%5D=x&l[]=y", "files[0]=x;l[]=y;" },
		{ "nothing", "", "" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv rest = kb_sv_str(rows[i].text), name, value, log = KB_SV("");
		struct kb_form_part *parts;
		struct kb_err err;
		size_t count, n = 0;

		t->row = rows[i].name;
		for (; kb_urlencoded_next(&arena, &rest, &name, &value); n++)
			log = kb_arena_printf(&arena, "%.*s%.*s=%.*s;", KB_SV_ARG(log),
			                      KB_SV_ARG(name), KB_SV_ARG(value));
		CHECK_SV(t, log, rows[i].want);
		CHECK(t, kb_form_pairs(&arena, kb_sv_str(rows[i].text), &parts, &count, &err));
		CHECK_INT(t, count, n);
		for (size_t k = 0; k < count; k++)
			CHECK(t, !parts[k].filename.p && !parts[k].path);
		kb_arena_fini(&arena);
	}
}

static void test_add(struct kb_test *t)
{
	static const struct {
		const char *value, *want;
	} rows[] = {
		{ "plain-._*9", "&a[]=plain-._*9" },
		{ "a b+c", "&a[]=a%20b%2Bc" },
		{ "&=#?%/", "&a[]=%26%3D%23%3F%25%2F" },
		{ "\xc3\xa9\n", "&a[]=%C3%A9%0A" },
		{ "", "&a[]=" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv rest, name, value;
		struct kb_buf buf;

		t->row = rows[i].value;
		kb_buf_init(&buf, 1000);
		kb_urlencoded_add(&buf, "a[]", kb_sv_str(rows[i].value));
		rest = kb_arena_sv(&arena, kb_buf_view(&buf));
		kb_buf_fini(&buf);
		CHECK_SV(t, rest, rows[i].want);
		CHECK(t, kb_urlencoded_next(&arena, &rest, &name, &value));
		CHECK_SV(t, name, "a[]");
		CHECK_SV(t, value, rows[i].value);
		kb_arena_fini(&arena);
	}
}

static void test_too_many_pairs(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_form_part *parts;
	struct kb_buf buf;
	struct kb_err err;
	size_t count;

	kb_buf_init(&buf, KB_MIB(1));
	for (int i = 0; i < KB_FORM_FIELDS_MAX; i++)
		kb_buf_str(&buf, "a=b&");
	CHECK(t, kb_form_pairs(&arena, kb_buf_view(&buf), &parts, &count, &err));
	kb_buf_str(&buf, "a=b");
	CHECK(t, !kb_form_pairs(&arena, kb_buf_view(&buf), &parts, &count, &err));
	CHECK_INT(t, err.code, KB_E_TOO_LARGE);
	kb_buf_fini(&buf);
	kb_arena_fini(&arena);
}

static void test_query(struct kb_test *t)
{
	static const struct {
		const char *name, *query, *key, *want; /* NULL: none */
	} rows[] = {
		{ "the first one wins", "stream=1&lang=en&stream=0", "stream", "1" },
		{ "decoded", "q=a+b%26", "q", "a b&" },
		{ "a name in escapes", "%71=1", "q", "1" },
		{ "brackets belong to the name", "files[]=1", "files", NULL },
		{ "brackets asked for", "files%5B%5D=1", "files[]", "1" },
		{ "without value", "flag", "flag", "" },
		{ "not there", "a=b", "c", NULL },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_request req = { .arena = &arena, .query = kb_sv_str(rows[i].query) };
		struct kb_sv got = kb_request_query(&req, rows[i].key);

		t->row = rows[i].name;
		CHECK_INT(t, got.p != NULL, rows[i].want != NULL);
		if (got.p && rows[i].want)
			CHECK_SV(t, got, rows[i].want);
		kb_arena_fini(&arena);
	}
}

static void test_sse(struct kb_test *t)
{
	struct kb_buf buf;

	kb_buf_init(&buf, 1000);
	kb_sse_event(&buf, "start", KB_SV("{\"status\":\"start\"}"));
	kb_sse_event(&buf, NULL, KB_SV("[DONE]"));
	CHECK_SV(t, kb_buf_view(&buf),
	         "event: start\ndata: {\"status\":\"start\"}\n\ndata: [DONE]\n\n");
	kb_buf_fini(&buf);
}

static void test_sizes(struct kb_test *t)
{
	static const struct {
		int64_t bytes;
		const char *want;
	} rows[] = {
		{ 0, "0 bytes" },         { 1023, "1023 bytes" },  { 1024, "1 KB" },
		{ 104857600, "100 MB" },  { 110100480, "105 MB" }, { 1073741824, "1 GB" },
		{ 1288490188, "1.1 GB" }, { 1536, "1.5 KB" },      { 1572864, "1.5 MB" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		char text[KB_SIZE_TEXT];

		t->row = rows[i].want;
		CHECK_SV(t, kb_sv_str(kb_size_text(text, rows[i].bytes)), rows[i].want);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "urlencoded pairs", test_pairs },
		{ "a pair that is added reads the same", test_add },
		{ "a thousand pairs and no more", test_too_many_pairs },
		{ "query parameters", test_query },
		{ "event stream frames, byte by byte", test_sse },
		{ "sizes in sentences", test_sizes },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
