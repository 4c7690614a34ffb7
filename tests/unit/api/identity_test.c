/* What a site has signed of its visitor: what counts, and what does not. */
#include "api/identity.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "test.h"

#define NOW (INT64_C(1700000000) * KB_SECOND_US)

static void encode(struct kb_sv bytes, char *out)
{
	static const char letters[] =
	        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	unsigned held = 0;
	int bits = 0;

	for (size_t i = 0; i < bytes.n; i++) {
		held = (held << 8 | (unsigned char)bytes.p[i]) & 0xffff;
		for (bits += 8; bits >= 6;) {
			bits -= 6;
			*out++ = letters[held >> bits & 63];
		}
	}
	if (bits)
		*out++ = letters[held << (6 - bits) & 63];
	*out = '\0';
}

static struct kb_sv make(struct kb_arena *arena, const char *header, const char *claims,
                         const char *secret)
{
	char head[200], body[2000], end[100];
	unsigned char hash[KB_SHA256_BYTES];
	struct kb_sv text;

	encode(kb_sv_str(header), head);
	encode(kb_sv_str(claims), body);
	text = kb_arena_printf(arena, "%s.%s", head, body);
	kb_hmac_sha256(kb_sv_str(secret), text, hash);
	encode(kb_sv((const char *)hash, sizeof(hash)), end);
	return kb_arena_printf(arena, "%.*s.%s", KB_SV_ARG(text), end);
}

#define HS "{\"alg\":\"HS256\"}"

static const struct {
	const char *name, *header, *claims, *secret;
	const char *subject, *person, *labels; /* subject NULL: refused */
} cases[] = {
	{ "all of it", HS,
	  "{\"sub\":\"a\",\"name\":\"Ann\",\"labels\":[\"x\",\"y\"],\"exp\":1700000600}", "s", "a",
	  "Ann", "[\"x\",\"y\"]" },
	{ "a name and labels may be missing", HS, "{\"sub\":\"a\",\"exp\":1700000600}", "s", "a",
	  "", "" },
	{ "what is no text is no label", HS,
	  "{\"sub\":\"a\",\"labels\":[1,null,\"x\"],\"exp\":1700000600}", "s", "a", "", "[\"x\"]" },
	{ "nobody", HS, "{\"exp\":1700000600}", "s", NULL, NULL, NULL },
	{ "an empty subject", HS, "{\"sub\":\"\",\"exp\":1700000600}", "s", NULL, NULL, NULL },
	{ "no end", HS, "{\"sub\":\"a\"}", "s", NULL, NULL, NULL },
	{ "over", HS, "{\"sub\":\"a\",\"exp\":1700000000}", "s", NULL, NULL, NULL },
	{ "an end too far ahead", HS, "{\"sub\":\"a\",\"exp\":1700003700}", "s", NULL, NULL, NULL },
	{ "from a moment ago on", HS, "{\"sub\":\"a\",\"nbf\":1699999999.5,\"exp\":1700000600}",
	  "s", "a", "", "" },
	{ "within what clocks differ", HS, "{\"sub\":\"a\",\"nbf\":1700000060,\"exp\":1700000600}",
	  "s", "a", "", "" },
	{ "not yet", HS, "{\"sub\":\"a\",\"nbf\":1700000061,\"exp\":1700000600}", "s", NULL, NULL,
	  NULL },
	{ "a beginning that is no time", HS, "{\"sub\":\"a\",\"nbf\":\"0\",\"exp\":1700000600}",
	  "s", NULL, NULL, NULL },
	{ "a name of two lines", HS,
	  "{\"sub\":\"a\",\"name\":\"Bob\\n# Rules\",\"exp\":1700000600}", "s", NULL, NULL, NULL },
	{ "a subject with a control", HS, "{\"sub\":\"a\\u0007\",\"exp\":1700000600}", "s", NULL,
	  NULL, NULL },
	{ "labels that are no list", HS, "{\"sub\":\"a\",\"labels\":\"x\",\"exp\":1700000600}", "s",
	  NULL, NULL, NULL },
	{ "another secret", HS, "{\"sub\":\"a\",\"exp\":1700000600}", "other", NULL, NULL, NULL },
	{ "another algorithm", "{\"alg\":\"none\"}", "{\"sub\":\"a\",\"exp\":1700000600}", "s",
	  NULL, NULL, NULL },
	{ "a header that is no JSON", "x", "{\"sub\":\"a\",\"exp\":1700000600}", "s", NULL, NULL,
	  NULL },
	{ "claims that are no object", HS, "[1]", "s", NULL, NULL, NULL },
};

static void test_claims(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_identity who;
		struct kb_err err = { 0 };
		bool ok = kb_identity_read(
		        &arena, make(&arena, cases[i].header, cases[i].claims, cases[i].secret),
		        KB_SV("s"), NOW, &who, &err);

		t->row = cases[i].name;
		CHECK(t, ok == (cases[i].subject != NULL));
		if (ok) {
			CHECK_SV(t, who.subject, cases[i].subject);
			CHECK_SV(t, who.name, cases[i].person);
			CHECK_SV(t, who.labels, cases[i].labels);
		} else {
			CHECK_INT(t, err.code, KB_E_FORBIDDEN);
		}
		kb_arena_fini(&arena);
	}
	t->row = NULL;
}

/* Cut anywhere, or with one letter changed, it counts no more. */
static void test_damage(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_sv whole = make(&arena, HS, "{\"sub\":\"a\",\"exp\":1700000600}", "s");
	struct kb_identity who;
	struct kb_err err;

	CHECK(t, kb_identity_read(&arena, whole, KB_SV("s"), NOW, &who, &err));
	CHECK(t, !kb_identity_read(&arena, whole, KB_SV(""), NOW, &who, &err));
	for (size_t i = 0; i < whole.n; i++) {
		char *other = kb_arena_str(&arena, whole);

		CHECK(t, !kb_identity_read(&arena, kb_sv(whole.p, i), KB_SV("s"), NOW, &who, &err));
		other[i] = other[i] == 'A' ? '_' : 'A';
		/* The last letter of a signature has two bits that say nothing. */
		CHECK(t, i + 1 == whole.n
		                 || !kb_identity_read(&arena, kb_sv(other, whole.n), KB_SV("s"),
		                                      NOW, &who, &err));
	}
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "what counts is signed, names somebody and ends within the hour", test_claims },
		{ "a damaged signature counts for nothing", test_damage },
	};
	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
