/* What the options of a server may say. */
#include "test.h"
#include "upstream/client.h"

static const struct {
	const char *url, *name, *key;
	const char *want; /* the address that is asked, or NULL: refused */
	const char *says; /* of a refusal */
} cases[] = {
	{ NULL, NULL, NULL, "", NULL },
	{ "http://127.0.0.1:8000/v1", "m", NULL, "http://127.0.0.1:8000/v1/embeddings", NULL },
	{ "http://127.0.0.1:8000/v1/", "m", "k", "http://127.0.0.1:8000/v1/embeddings", NULL },
	{ "https://Models.Example", "m", NULL, "https://models.example/embeddings", NULL },
	{ "http://[::1]:80/a/b//", "a/b:c-d", NULL, "http://[::1]/a/b/embeddings", NULL },
	{ "", "m", NULL, NULL, "--embed-url" },
	{ "models", "m", NULL, NULL, "--embed-url" },
	{ "file:///etc/passwd", "m", NULL, NULL, "must begin with http" },
	{ "http://a@x/v1", "m", NULL, NULL, "user or password" },
	{ "http://x/v1#f", "m", NULL, NULL, "must end with its path" },
	{ "http://x/v1?", "m", NULL, NULL, "must end with its path" },
	{ "http://x/v1", NULL, NULL, NULL, "--embed-url needs --embed-name" },
	{ "http://x/v1", "", NULL, NULL, "--embed-url needs --embed-name" },
	{ "http://x/v1", "a b", NULL, NULL, "--embed-name must be" },
	{ "http://x/v1", "m", "a\r\nX: y", NULL, "--embed-key must be" },
	{ NULL, "m", "k", NULL, "--embed-name needs --embed-url" },
	{ NULL, NULL, "k", NULL, "--embed-key needs --embed-url" },
};

static void test_options(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_upstream_option option = { "embed", cases[i].url, cases[i].name,
			                             cases[i].key };
		struct kb_arena arena = { 0 };
		struct kb_err err = { 0 };
		struct kb_sv url;
		bool ok = kb_upstream_check(&arena, &option, "/embeddings", &url, &err);

		t->row = cases[i].url ? cases[i].url : "no address";
		CHECK(t, ok == (cases[i].want != NULL));
		if (ok)
			CHECK_SV(t, url, cases[i].want ? cases[i].want : "");
		else
			CHECK(t, err.code == KB_E_INVALID && cases[i].says
			                 && strstr(err.msg, cases[i].says));
		kb_arena_fini(&arena);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "a server's options fit together or are refused by name", test_options },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
