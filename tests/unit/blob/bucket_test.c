/* Where a bucket is: what the options may say, and the addresses that follow. */
#include "blob/bucket.h"

#include "test.h"

static void test_options(struct kb_test *t)
{
	static const struct {
		const char *name;
		struct kb_bucket_options o;
		const char *base, *prefix, *host, *shown; /* of what is right */
		const char *wrong;                        /* a part of the sentence */
	} rows[] = {
		// clang-format off
		{ "Amazon's own, by host", { "s3://docs", NULL, "eu-central-1" },
		  "https://docs.s3.eu-central-1.amazonaws.com", "", "docs.s3.eu-central-1.amazonaws.com",
		  "the bucket docs at s3.eu-central-1.amazonaws.com", NULL },
		{ "a region need not be named", { "s3://docs/", NULL, NULL },
		  "https://docs.s3.us-east-1.amazonaws.com", "", "docs.s3.us-east-1.amazonaws.com",
		  "the bucket docs at s3.us-east-1.amazonaws.com", NULL },
		{ "another server, by path", { "s3://docs/a/b-2", "http://127.0.0.1:9000" },
		  "http://127.0.0.1:9000/docs", "a/b-2/", "127.0.0.1",
		  "the bucket docs at 127.0.0.1:9000", NULL },
		{ "below a path", { "s3://docs/a/", "https://store.example/s3/" },
		  "https://store.example/s3/docs", "a/", "store.example",
		  "the bucket docs at store.example", NULL },
		{ "by host where that is said", { "s3://docs", "https://store.example:8443", .addressing = "host" },
		  "https://docs.store.example:8443", "", "docs.store.example",
		  "the bucket docs at store.example:8443", NULL },
		{ "by path where that is said", { "s3://docs", NULL, NULL, .addressing = "path" },
		  "https://s3.us-east-1.amazonaws.com/docs", "", "s3.us-east-1.amazonaws.com",
		  "the bucket docs at s3.us-east-1.amazonaws.com", NULL },
		{ "IPv6", { "s3://docs", "http://[::1]:9000" }, "http://[::1]:9000/docs", "", "[::1]",
		  "the bucket docs at [::1]:9000", NULL },
		{ "no name", { "s3://" }, .wrong = "names the bucket ;" },
		{ "capitals", { "s3://Docs" }, .wrong = "names the bucket Docs; a bucket's name has 3 to 63" },
		{ "a short name", { "s3://ab" }, .wrong = "names the bucket ab" },
		{ "an empty part", { "s3://docs/a//b" }, .wrong = "has the prefix a//b" },
		{ "the parent", { "s3://docs/a/../b" }, .wrong = "has the prefix a/../b" },
		{ "letters that an address encodes", { "s3://docs/a b" }, .wrong = "has the prefix a b" },
		{ "a password in the address", { "s3://docs", "http://me:hush@store.example" },
		  .wrong = "--s3-endpoint holds a user or password; give them as --s3-key-id" },
		{ "no address", { "s3://docs", "store.example" }, .wrong = "--s3-endpoint: " },
		{ "another scheme", { "s3://docs", "ftp://store.example" }, .wrong = "--s3-endpoint is ftp://store.example" },
		{ "a query", { "s3://docs", "http://store.example/?a" }, .wrong = "no question mark" },
		{ "a region that is an address", { "s3://docs", NULL, "a/b" }, .wrong = "--s3-region is a/b" },
		{ "a third way", { "s3://docs", .addressing = "both" }, .wrong = "must be path or host" },
		{ "by host at a number", { "s3://docs", "http://127.0.0.1:1", .addressing = "host" },
		  .wrong = "needs a name in --s3-endpoint" },
		{ "no key", { "s3://docs", .key_id = "" }, .wrong = "needs --s3-key-id" },
		{ "no secret", { "s3://docs", .secret = "" }, .wrong = "needs --s3-secret" },
		{ "a secret with a line end", { "s3://docs", .secret = "hush\n" },
		  .wrong = "--s3-secret must be at most 1000 bytes" },
		// clang-format on
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_bucket_options o = rows[i].o;
		struct kb_arena arena = { 0 };
		struct kb_err err = { 0 };
		struct kb_bucket bucket;

		t->row = rows[i].name;
		o.key_id = o.key_id ? o.key_id : "id";
		o.secret = o.secret ? o.secret : "hush";
		CHECK(t, kb_bucket_is_named(o.where));
		if (rows[i].wrong) {
			CHECK(t, !kb_bucket_check(&arena, &o, &bucket, &err));
			CHECK_INT(t, err.code, KB_E_INVALID);
			if (!strstr(err.msg, rows[i].wrong))
				CHECK_SV(t, kb_sv_str(err.msg), rows[i].wrong);
			CHECK(t, !strstr(err.msg, "hush"));
		} else {
			CHECK(t, kb_bucket_check(&arena, &o, &bucket, &err));
			CHECK_SV(t, bucket.base, rows[i].base);
			CHECK_SV(t, bucket.prefix, rows[i].prefix);
			CHECK_SV(t, bucket.host, rows[i].host);
			CHECK_SV(t, bucket.shown, rows[i].shown);
		}
		kb_arena_fini(&arena);
	}
	t->row = NULL;
	CHECK(t, !kb_bucket_is_named("/var/lib/docent") && !kb_bucket_is_named(NULL));
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = { { "options", test_options } };

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
