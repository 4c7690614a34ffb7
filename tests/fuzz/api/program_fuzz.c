/* The description of a program that wants to be let in, behind a line with its address and one with
 * where it would have the browser sent. */
#include "api/oauth_client.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_redirect(struct kb_arena *arena, const struct kb_oauth_client *client,
                           struct kb_sv redirect)
{
	struct kb_err err = { 0 };
	struct kb_sv host;

	if (!kb_oauth_client_takes(arena, client, redirect, &host, &err)) {
		KB_ASSERT(err.code == KB_E_INVALID && err.msg[0]);
		return;
	}
	KB_ASSERT(kb_sv_starts(redirect, KB_SV("https://")) || !host.n);
	KB_ASSERT(kb_sv_starts(redirect, KB_SV("http")));
	for (size_t i = 0; i < redirect.n; i++)
		KB_ASSERT(redirect.p[i] > ' ' && redirect.p[i] < 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_sv json = kb_sv((const char *)data, size), id, redirect;
	struct kb_arena arena = { 0 };
	struct kb_oauth_client client;
	struct kb_err err = { 0 };

	if (kb_sv_split(&json, '\n', &id) && kb_sv_split(&json, '\n', &redirect)) {
		if (kb_oauth_client_read(&arena, id, json, &client, &err)) {
			KB_ASSERT(client.host.n && client.redirect_count > 0
			          && client.redirect_count <= KB_OAUTH_CLIENT_REDIRECTS);
			KB_ASSERT(kb_sv_starts(id, KB_SV("https://"))
			          && kb_utf8_count(client.name) <= KB_OAUTH_CLIENT_NAME);
			check_redirect(&arena, &client, redirect);
			for (size_t i = 0; i < client.redirect_count; i++)
				check_redirect(&arena, &client, client.redirects[i]);
		} else {
			KB_ASSERT(err.code == KB_E_INVALID && err.msg[0]);
		}
	}
	kb_arena_fini(&arena);
	return 0;
}
