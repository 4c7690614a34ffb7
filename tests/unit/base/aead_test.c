/* Bytes that are sealed with a key. */
#include "base/aead.h"

#include <string.h>

#include "base/hash.h"
#include "test.h"

static const unsigned char key[KB_AEAD_KEY] = { 1, 2, 3 }, other[KB_AEAD_KEY] = { 1, 2, 4 };

/* Test case 16 of the paper on GCM (McGrew and Viega), as nonce, bytes and tag. */
static void test_known(struct kb_test *t)
{
	static const unsigned char known[KB_AEAD_KEY] = {
		0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c, 0x6d, 0x6a, 0x8f,
		0x94, 0x67, 0x30, 0x83, 0x08, 0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65,
		0x73, 0x1c, 0x6d, 0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83, 0x08,
	};
	static const unsigned char about[] = { 0xfe, 0xed, 0xfa, 0xce, 0xde, 0xad, 0xbe,
		                               0xef, 0xfe, 0xed, 0xfa, 0xce, 0xde, 0xad,
		                               0xbe, 0xef, 0xab, 0xad, 0xda, 0xd2 };
	static const unsigned char sealed[] = {
		0xca, 0xfe, 0xba, 0xbe, 0xfa, 0xce, 0xdb, 0xad, 0xde, 0xca, 0xf8, 0x88, 0x52,
		0x2d, 0xc1, 0xf0, 0x99, 0x56, 0x7d, 0x07, 0xf4, 0x7f, 0x37, 0xa3, 0x2a, 0x84,
		0x42, 0x7d, 0x64, 0x3a, 0x8c, 0xdc, 0xbf, 0xe5, 0xc0, 0xc9, 0x75, 0x98, 0xa2,
		0xbd, 0x25, 0x55, 0xd1, 0xaa, 0x8c, 0xb0, 0x8e, 0x48, 0x59, 0x0d, 0xbb, 0x3d,
		0xa7, 0xb0, 0x8b, 0x10, 0x56, 0x82, 0x88, 0x38, 0xc5, 0xf6, 0x1e, 0x63, 0x93,
		0xba, 0x7a, 0x0a, 0xbc, 0xc9, 0xf6, 0x62, 0x76, 0xfc, 0x6e, 0xce, 0x0f, 0x4e,
		0x17, 0x68, 0xcd, 0xdf, 0x88, 0x53, 0xbb, 0x2d, 0x55, 0x1b,
	};
	struct kb_arena arena = { 0 };
	struct kb_sv plain;

	CHECK(t, kb_aead_open(&arena, known, kb_sv((const char *)about, sizeof(about)),
	                      kb_sv((const char *)sealed, sizeof(sealed)), &plain));
	CHECK_INT(t, (int64_t)plain.n, 60);
	CHECK(t, memcmp(plain.p, "\xd9\x31\x32\x25\xf8\x84\x06\xe5", 8) == 0);
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
