/* Descriptions of programs that come by their address, and where they may send a browser. */
#include "api/oauth_client.h"

#include "test.h"

#define ID "https://client.example/program.json"
#define DOC(more)                                                                                  \
	"{\"client_id\":\"" ID "\",\"redirect_uris\":[\"http://127.0.0.1:9/back\",\"https://"      \
	"client.example/cb?a=1\"]" more "}"

static void documents(struct kb_test *t)
{
	static const struct {
		const char *name, *id, *json;
		bool ok;
		const char *shown;
	} cases[] = {
		{ "a program", ID, DOC(",\"client_name\":\" Desk \""), true, "Desk" },
		{ "without a name", ID, DOC(""), true, "" },
		{ "a name that is no text", ID, DOC(",\"client_name\":7"), true, "" },
		{ "a name that turns letters round", ID, DOC(",\"client_name\":\"a\\u202eb\""),
		  true, "" },
		{ "a name of two lines", ID, DOC(",\"client_name\":\"a\\nb\""), true, "" },
		{ "another one's", "https://client.example/other", DOC(""), false, NULL },
		{ "with a secret", ID, DOC(",\"client_secret\":\"s\""), false, NULL },
		{ "no object", ID, "[]", false, NULL },
		{ "no JSON", ID, "{", false, NULL },
		{ "nowhere to go back", ID, "{\"client_id\":\"" ID "\"}", false, NULL },
		{ "plain http", "http://client.example/program.json", DOC(""), false, NULL },
		{ "a slash too few", "https:/client.example/a", DOC(""), false, NULL },
		{ "no path", "https://client.example", DOC(""), false, NULL },
		{ "a user", "https://u@client.example/a", DOC(""), false, NULL },
		{ "a fragment", ID "#a", DOC(""), false, NULL },
		{ "dots", "https://client.example/a/../b", DOC(""), false, NULL },
		{ "dots in another spelling", "https://client.example/a/%2e%2E/b", DOC(""), false,
		  NULL },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_oauth_client client;
		struct kb_err err;
		bool ok;

		t->row = cases[i].name;
		ok = kb_oauth_client_read(&arena, kb_sv_str(cases[i].id), kb_sv_str(cases[i].json),
		                          &client, &err);
		CHECK(t, ok == cases[i].ok);
		if (ok)
			CHECK(t, kb_sv_eq_str(client.host, "client.example")
			                 && kb_sv_eq_str(client.name, cases[i].shown));
		else
			CHECK(t, err.code == KB_E_INVALID);
		kb_arena_fini(&arena);
	}
}

static void redirects(struct kb_test *t)
{
	static const struct {
		const char *name, *to;
		bool ok;
		const char *host;
	} cases[] = {
		{ "as listed", "http://127.0.0.1:9/back", true, "" },
		{ "another port of this machine", "http://127.0.0.1:4711/back", true, "" },
		{ "by TLS, as listed", "https://client.example/cb?a=1", true, "client.example" },
		{ "another port elsewhere", "https://client.example:8443/cb?a=1", false, NULL },
		{ "another name of this machine", "http://localhost:9/back", false, NULL },
		{ "a longer path", "http://127.0.0.1:9/back/x", false, NULL },
		{ "a query more", "http://127.0.0.1:9/back?x", false, NULL },
		{ "a fragment", "http://127.0.0.1:9/back#x", false, NULL },
		{ "a user", "http://u@127.0.0.1:9/back", false, NULL },
		{ "a script", "javascript:alert(1)", false, NULL },
		{ "plain http elsewhere", "http://client.example/cb?a=1", false, NULL },
		{ "a space", "http://127.0.0.1:9/back x", false, NULL },
		{ "nothing", "", false, NULL },
	};
	struct kb_arena arena = { 0 };
	struct kb_oauth_client client;
	struct kb_sv host;
	struct kb_err err;

	CHECK(t, kb_oauth_client_read(&arena, KB_SV(ID), KB_SV(DOC("")), &client, &err));
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		bool ok;

		t->row = cases[i].name;
		ok = kb_oauth_client_takes(&arena, &client, kb_sv_str(cases[i].to), &host, &err);
		CHECK(t, ok == cases[i].ok);
		if (ok)
			CHECK(t, kb_sv_eq_str(host, cases[i].host));
	}
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a program's description, right and wrong", documents },
		{ "where a browser may be sent back to", redirects },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
