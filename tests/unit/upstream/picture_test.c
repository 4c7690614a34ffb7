/* Pictures as models take them. */
#include "upstream/picture.h"

#include "test.h"

/* One dot, as PNG. */
#define DOT                                                                                        \
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E" \
	"rkJggg=="

static void test_bytes(struct kb_test *t)
{
	static const struct {
		const char *name, *address, *bytes, *problem;
	} cases[] = {
		{ "base64", "data:image/png;base64,SGFsbG8=", "Hallo", NULL },
		{ "of any kind: who takes the bytes looks at them",
		  "data:text/plain;base64,SGFsbG8=", "Hallo", NULL },
		{ "an address of the web", "https://a.example/;base64,SGFsbG8=", NULL,
		  "a picture must be a data: address in base64; nothing is fetched" },
		{ "nothing", "", NULL,
		  "a picture must be a data: address in base64; nothing is fetched" },
		{ "no base64", "data:image/png,Hallo", NULL,
		  "a picture must be a data: address in base64; nothing is fetched" },
		{ "bad base64", "data:image/png;base64,SGFs bG8=", NULL,
		  "the data: address of a picture is no base64" },
		{ "cut", "data:image/png;base64,SGFsbG8", NULL,
		  "the data: address of a picture is no base64" },
		{ "empty", "data:image/png;base64,", NULL,
		  "the data: address of a picture is no base64" },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_err err = { 0 };
		struct kb_sv bytes;
		bool ok = kb_picture_bytes(&arena, kb_sv_str(cases[i].address), &bytes, &err);

		t->row = cases[i].name;
		CHECK(t, ok == (cases[i].bytes != NULL));
		if (ok)
			CHECK_SV(t, bytes, cases[i].bytes);
		else
			CHECK_SV(t, kb_sv_str(err.msg), cases[i].problem);
		kb_arena_fini(&arena);
	}
}

static void test_address(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_err err = { 0 };
	struct kb_sv bytes, address;

	t->row = "a picture there and back is the same";
	CHECK(t, kb_picture_bytes(&arena, KB_SV("data:x;base64," DOT), &bytes, &err));
	CHECK(t, kb_picture_address(&arena, bytes, &address, &err));
	CHECK_SV(t, address, "data:image/png;base64," DOT);
	t->row = "what is none is not sent";
	CHECK(t, !kb_picture_address(&arena, KB_SV("%PDF-1.4"), &address, &err));
	CHECK_INT(t, err.code, KB_E_INVALID);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "bytes of an address", test_bytes },
		{ "address of a picture", test_address },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
