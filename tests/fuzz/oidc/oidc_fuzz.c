/* A provider's description, its keys and its tokens, whatever they are: the first byte says which.
 * Behind keys and a line end stands a token for them. */
#include <string.h>

#include "base/utf8.h"
#include "oidc/discovery.h"
#include "oidc/token.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_description(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_oidc_discovery found;
	struct kb_err err;

	if (!kb_oidc_discovery_read(arena, text, KB_SV("https://id.example"), &found, &err)) {
		KB_ASSERT(err.code == KB_E_UPSTREAM);
		return;
	}
	KB_ASSERT(found.algorithms && found.algorithms < 1U << KB_OIDC_ALG_COUNT);
	KB_ASSERT(kb_sv_starts(found.token, KB_SV("https://"))
	          && kb_sv_starts(found.keys, KB_SV("https://"))
	          && kb_sv_starts(found.authorization, KB_SV("https://")));
}

static void check_token(struct kb_arena *arena, struct kb_sv token, const struct kb_oidc_keys *keys)
{
	const struct kb_oidc_expected expected = { .issuer = KB_SV("https://id.example"),
		                                   .client_id = KB_SV("docent"),
		                                   .nonce = KB_SV("n"),
		                                   .algorithms = 7,
		                                   .now = INT64_C(1700000000000000) };
	struct kb_oidc_claims claims;
	struct kb_err err;

	if (!kb_oidc_id_token_read(arena, token, keys, &expected, &claims, &err))
		KB_ASSERT(err.code == KB_E_UNAUTHORIZED || err.code == KB_E_NOT_FOUND);
	else
		KB_ASSERT(claims.subject.n > 0 && !kb_utf8_has_control(claims.subject));
	if (kb_oidc_logout_token_read(arena, token, keys, &expected, &claims, &err))
		KB_ASSERT(claims.subject.n > 0 || claims.sid.n > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_sv text = kb_sv((const char *)data, size);
	struct kb_arena arena = { 0 };
	struct kb_oidc_keys *keys;
	ptrdiff_t cut;
	struct kb_err err;

	if (size && data[0] == 'd') {
		check_description(&arena, kb_sv_from(text, 1));
	} else {
		cut = kb_sv_find_byte(text, '\n');
		keys = kb_oidc_keys_read(cut < 0 ? text : kb_sv_sub(text, 0, (size_t)cut), &err);
		if (keys && cut >= 0)
			check_token(&arena, kb_sv_from(text, (size_t)cut + 1), keys);
		if (keys)
			KB_ASSERT(kb_oidc_keys_count(keys) > 0
			          && kb_oidc_keys_count(keys) <= KB_OIDC_KEYS_MAX);
		kb_oidc_keys_free(keys);
	}
	kb_arena_fini(&arena);
	return 0;
}
