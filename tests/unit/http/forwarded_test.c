/* Who is behind a proxy, and who says so in vain. */
#include "http/forwarded.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "test.h"

static const struct {
	const char *name;
	const char *values[3]; /* of as many X-Forwarded-For fields */
	const char *want;      /* NULL: they do not say */
} rows[] = {
	{ "no field", { NULL }, NULL },
	{ "an empty one", { "" }, NULL },
	{ "the client", { "203.0.113.5" }, "203.0.113.5" },
	{ "with a port", { "203.0.113.5:4711" }, "203.0.113.5" },
	{ "of IPv6", { "2001:DB8:0:0::1" }, "2001:db8::1" },
	{ "of IPv6 in brackets, with a port", { "[2001:db8::1]:443" }, "2001:db8::1" },
	{ "IPv4 in IPv6", { "::ffff:203.0.113.5" }, "203.0.113.5" },
	{ "what stands before it was made up", { "127.0.0.1, 203.0.113.5" }, "203.0.113.5" },
	{ "several made up", { "a, b;c , 1.1.1.1,203.0.113.5" }, "203.0.113.5" },
	{ "through two proxies", { "9.9.9.9, 203.0.113.5, 10.1.2.3" }, "203.0.113.5" },
	{ "through two proxies, a field each",
	  { "9.9.9.9", "203.0.113.5", "10.1.2.3" },
	  "203.0.113.5" },
	{ "a proxy's own request", { "10.1.2.3" }, "10.1.2.3" },
	{ "a proxy that does not know", { "203.0.113.5, unknown" }, NULL },
	{ "a proxy behind one that does not know", { "unknown, 10.1.2.3" }, "10.1.2.3" },
	{ "no address", { "203.0.113.5.6" }, NULL },
	{ "a bracket too few", { "[2001:db8::1" }, NULL },
	{ "commas alone", { ",,," }, NULL },
	{ "an empty last one", { "203.0.113.5," }, NULL },
};

static void test_client(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_guard proxies;
	struct kb_err err;

	CHECK(t, kb_guard_read(&arena, "127.0.0.1, 10.0.0.0/8", &proxies, &err));
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_http_field fields[5] = { { KB_SV("host"), KB_SV("a") },
			                           { KB_SV("forwarded"), KB_SV("for=9.9.9.9") } };
		char out[KB_ADDRESS_TEXT] = "as it was";
		size_t count = 2;

		t->row = rows[i].name;
		for (size_t k = 0; k < KB_COUNTOF(rows[i].values) && rows[i].values[k]; k++)
			fields[count++] = (struct kb_http_field){ KB_SV("x-forwarded-for"),
				                                  kb_sv_str(rows[i].values[k]) };
		CHECK_INT(t, kb_forwarded_client(&proxies, fields, count, out),
		          rows[i].want != NULL);
		CHECK_SV(t, kb_sv_str(out), rows[i].want ? rows[i].want : "as it was");
	}
	kb_arena_fini(&arena);
}

static void test_place(struct kb_test *t)
{
	static const struct {
		const char *name, *protos[2], *hosts[2];
		bool tls;
		const char *host;
	} places[] = {
		{ "nothing is said", { NULL }, { NULL }, false, "inner:8080" },
		{ "both", { "https" }, { "kb.example.com" }, true, "kb.example.com" },
		{ "any letters",
		  { "HTTPS" },
		  { "KB.example.com:8443" },
		  true,
		  "KB.example.com:8443" },
		{ "the last of a list", { "https, http" }, { "evil.example, b" }, false, "b" },
		{ "the last of two fields",
		  { "http", "https" },
		  { "evil.example", "b" },
		  true,
		  "b" },
		{ "neither of the two", { "ftp" }, { NULL }, false, "inner:8080" },
		{ "no host", { NULL }, { "a b" }, false, "inner:8080" },
		{ "no host either", { NULL }, { "evil/\"x" }, false, "inner:8080" },
		{ "an empty one", { "" }, { "" }, false, "inner:8080" },
	};

	for (size_t i = 0; i < KB_COUNTOF(places); i++) {
		struct kb_http_field fields[4];
		struct kb_sv host = KB_SV("inner:8080");
		bool tls = false;
		size_t count = 0;

		t->row = places[i].name;
		for (size_t k = 0; k < 2 && places[i].protos[k]; k++)
			fields[count++] = (struct kb_http_field){ KB_SV("x-forwarded-proto"),
				                                  kb_sv_str(places[i].protos[k]) };
		for (size_t k = 0; k < 2 && places[i].hosts[k]; k++)
			fields[count++] = (struct kb_http_field){ KB_SV("x-forwarded-host"),
				                                  kb_sv_str(places[i].hosts[k]) };
		kb_forwarded_place(fields, count, &tls, &host);
		CHECK_INT(t, tls, places[i].tls);
		CHECK_SV(t, host, places[i].host);
	}
	t->row = NULL;
}

static void test_trusted(struct kb_test *t)
{
	static const struct {
		const char *address;
		bool trusted;
	} peers[] = {
		{ "127.0.0.1", true }, { "127.0.0.2", false },      { "10.200.3.4", true },
		{ "11.0.0.1", false }, { "::ffff:10.1.1.1", true }, { "fd00::7", true },
		{ "fe80::7", false },
	};
	struct kb_arena arena = { 0 };
	struct kb_guard proxies, none;
	struct kb_err err;

	CHECK(t, kb_guard_read(&arena, "127.0.0.1, 10.0.0.0/8, fd00::/8", &proxies, &err));
	CHECK(t, kb_guard_read(&arena, NULL, &none, &err));
	for (size_t i = 0; i < KB_COUNTOF(peers); i++) {
		union {
			struct sockaddr any;
			struct sockaddr_in v4;
			struct sockaddr_in6 v6;
		} at = { .v6 = { .sin6_family = AF_INET6 } };

		t->row = peers[i].address;
		if (inet_pton(AF_INET6, peers[i].address, &at.v6.sin6_addr) != 1) {
			at.v4.sin_family = AF_INET;
			CHECK(t, inet_pton(AF_INET, peers[i].address, &at.v4.sin_addr) == 1);
		}
		CHECK_INT(t, kb_proxy_is_trusted(&proxies, &at.any), peers[i].trusted);
		CHECK(t, !kb_proxy_is_trusted(&none, &at.any));
	}
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "the client is the last address that is no proxy's", test_client },
		{ "scheme and host are those of the proxy in front", test_place },
		{ "proxies are known by their networks", test_trusted },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
