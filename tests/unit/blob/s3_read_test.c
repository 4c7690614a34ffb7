/* What an S3 server says: elements, entities, and errors in our words. */
#include "blob/s3_read.h"

#include "test.h"

static void test_elements(struct kb_test *t)
{
	static const struct {
		const char *name, *xml, *element, *want;
	} rows[] = {
		{ "a text", "<?xml version=\"1.0\"?><E><Code>NoSuchKey</Code></E>", "Code",
		  "NoSuchKey" },
		{ "the first", "<a><K>1</K><K>2</K></a>", "K", "1" },
		{ "with attributes", "<E xmlns=\"x\"><Code type='a'>b</Code></E>", "Code", "b" },
		{ "not a longer name", "<Keys>1</Keys><Key>2</Key>", "Key", "2" },
		{ "entities", "<K>&lt;&amp;&quot;&#34;&gt;&#39;&apos;</K>", "K", "<&\"\">''" },
		{ "an entity that is none", "<K>a & b &nbsp; &#x41;</K>", "K",
		  "a & b &nbsp; &#x41;" },
		{ "empty", "<K></K>", "K", "" },
		{ "closed at once", "<K/><K>1</K>", "K", "1" },
		{ "without an end", "<K>1", "K", "" },
		{ "cut in its tag", "<K", "K", "" },
		{ "cut in its end", "<K>1</K", "K", "" },
		{ "no XML", "Service Unavailable", "Code", "" },
		{ "nothing", "", "Code", "" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };

		t->row = rows[i].name;
		CHECK_SV(t, kb_s3_text(&arena, kb_sv_str(rows[i].xml), rows[i].element),
		         rows[i].want);
		kb_arena_fini(&arena);
	}
	t->row = NULL;
}

static void test_each_element(struct kb_test *t)
{
	struct kb_sv rest = KB_SV("<L><C><K>a</K></C><C>b</C></L>"), content;

	CHECK(t, kb_s3_element(&rest, "C", &content));
	CHECK_SV(t, content, "<K>a</K>");
	CHECK(t, kb_s3_element(&rest, "C", &content));
	CHECK_SV(t, content, "b");
	CHECK(t, !kb_s3_element(&rest, "C", &content));
}

static void test_refusals(struct kb_test *t)
{
	static const struct {
		const char *name;
		struct kb_s3_refusal refusal;
		const char *want;
		bool may_pass;
	} rows[] = {
		// clang-format off
		{ "a code", { 404, KB_SV_INIT("NoSuchBucket") }, "there is no such bucket", false },
		{ "what was asked for", { 403, KB_SV_INIT("AccessDenied"), .doing = "removed" },
		  "the key of --s3-key-id does not allow that anything is removed", false },
		{ "a refusal without a word", { 403, .doing = "read" },
		  "the key of --s3-key-id does not allow that anything is read", false },
		{ "the time there", { 403, KB_SV_INIT("RequestTimeTooSkewed"), .date = KB_SV_INIT("noon") },
		  "the clock of this machine and that of its server are too far apart (there it is noon)", false },
		{ "a region that is not named", { 400, KB_SV_INIT("AuthorizationHeaderMalformed") },
		  "it is in another region (not said) than --s3-region names", false },
		{ "asked too much", { 503, KB_SV_INIT("SlowDown") }, "its server asks to be asked less", true },
		{ "a gateway in between", { 502 }, "its server answers 502", true },
		{ "too many requests", { 429 }, "its server answers 429", true },
		{ "a code nobody knows", { 418, KB_SV_INIT("Teapot") }, "its server answers 418", false },
		{ "a full server passes only when somebody acts", { 507, KB_SV_INIT("InsufficientStorage") },
		  "its server has no space left", false },
		{ "a redirect", { 307 },
		  "its server sends elsewhere: --s3-endpoint or --s3-region is not the bucket's", false },
		// clang-format on
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };

		t->row = rows[i].name;
		CHECK_SV(t, kb_s3_explain(&arena, &rows[i].refusal), rows[i].want);
		CHECK_INT(t, kb_s3_may_pass(&rows[i].refusal), rows[i].may_pass);
		kb_arena_fini(&arena);
	}
	t->row = NULL;
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "elements", test_elements },
		{ "each element", test_each_element },
		{ "refusals", test_refusals },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
