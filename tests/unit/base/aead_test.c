/* Bytes that are sealed with a key. */
#include "base/aead.h"

#include <sodium.h>
#include <string.h>

#include "base/hash.h"
#include "test.h"

static const unsigned char key[KB_AEAD_KEY] = { 1, 2, 3 }, other[KB_AEAD_KEY] = { 1, 2, 4 };

/* A.3.1 of the draft, as nonce, bytes and tag. */
static void test_known(struct kb_test *t)
{
	static const char hex[] =
	        "404142434445464748494a4b4c4d4e4f5051525354555657bd6d179d3e83d43b9576579493c0e939"
	        "572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216"
	        "cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
	        "21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49";
	static const unsigned char about[] = { 0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1,
		                               0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7 };
	unsigned char known[KB_AEAD_KEY], sealed[sizeof(hex) / 2];
	struct kb_arena arena = { 0 };
	struct kb_sv plain;

	for (size_t i = 0; i < sizeof(known); i++)
		known[i] = (unsigned char)(0x80 + i);
	CHECK(t,
	      sodium_hex2bin(sealed, sizeof(sealed), hex, sizeof(hex) - 1, NULL, NULL, NULL) == 0);
	CHECK(t, kb_aead_open(&arena, known, kb_sv((const char *)about, sizeof(about)),
	                      kb_sv((const char *)sealed, sizeof(sealed)), &plain));
	CHECK_SV(t, plain,
	         "Ladies and Gentlemen of the class of '99: If I could offer you only one tip "
	         "for the future, sunscreen would be it.");
	kb_arena_fini(&arena);
}

/* Each byte changed, each length, another key, another thing. */
static void test_refused(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	const struct kb_sv about = KB_SV("the secret of agent 12");
	struct kb_sv sealed = kb_aead_seal(&arena, key, about, KB_SV("open sesame")), plain;
	struct kb_sv again = kb_aead_seal(&arena, key, about, KB_SV("open sesame"));

	CHECK(t, kb_aead_open(&arena, key, about, sealed, &plain));
	CHECK_SV(t, plain, "open sesame");
	CHECK(t, !kb_sv_eq(sealed, again)); /* another nonce */
	CHECK(t, !kb_aead_open(&arena, other, about, sealed, &plain));
	CHECK(t, !kb_aead_open(&arena, key, KB_SV("the secret of agent 1"), sealed, &plain));
	CHECK(t, !kb_aead_open(&arena, key, KB_SV(""), sealed, &plain));
	for (size_t i = 0; i < sealed.n; i++) {
		char *changed = kb_arena_bytes(&arena, sealed.n);

		memcpy(changed, sealed.p, sealed.n);
		changed[i] ^= 1;
		CHECK(t, !kb_aead_open(&arena, key, about, kb_sv(changed, sealed.n), &plain));
		CHECK(t, !kb_aead_open(&arena, key, about, kb_sv(sealed.p, i), &plain));
	}
	sealed = kb_aead_seal(&arena, key, about, KB_SV(""));
	CHECK(t, kb_aead_open(&arena, key, about, sealed, &plain) && plain.n == 0);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what others have sealed opens", test_known },
		{ "what was changed, cut, sealed with another key or about another thing does not",
		  test_refused },
	};

	kb_crypto_init();
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
