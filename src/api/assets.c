/*
 * Pictures for everybody: what an <img> in a foreign page loads, so without a key.
 *
 * /assets/agents/{agentId}/{file}   a picture that the agent's settings name now; the file's name
 *                                   is the hash of its bytes, which nobody guesses
 * /assets/users/{userId}/{file}     the account's picture, in the same way
 * /assets/{file}                    a built-in one
 */
#include <string.h>

#include "api/builtin/builtin.h"
#include "api/routes.h"
#include "settings/image.h"
#include "store/personas.h"

/* Bytes under such a name never change. */
#define FOREVER KB_SV("public, max-age=31536000, immutable")
#define A_DAY   KB_SV("public, max-age=86400")

struct kb_sv kb_asset_url(struct kb_arena *arena, struct kb_sv base, int64_t agent_id,
                          struct kb_sv image)
{
	for (size_t i = 0; i < kb_builtin_count; i++)
		if (kb_sv_eq_str(image, kb_builtins[i].name))
			return kb_arena_printf(arena, "%.*s/assets/%.*s", KB_SV_ARG(base),
			                       KB_SV_ARG(image));
	return kb_arena_printf(arena, "%.*s/assets/agents/%" PRId64 "/%.*s", KB_SV_ARG(base),
	                       agent_id, KB_SV_ARG(image));
}

static struct kb_response head_of(const char *mime, struct kb_sv cache)
{
	return (struct kb_response){
		.status = 200,
		.content_type = mime,
		.fields = {
			{ KB_SV("cache-control"), cache },
			{ KB_SV("content-security-policy"), KB_SV("default-src 'none'; sandbox") },
			{ KB_SV("cross-origin-resource-policy"), KB_SV("cross-origin") },
		},
	};
}

static bool not_found(struct kb_err *err)
{
	return kb_fail(err, KB_E_NOT_FOUND, "There is no such picture");
}

struct kb_sv kb_photo_url(struct kb_call *call, const struct kb_account *account)
{
	if (account->photo.n == 0)
		return (struct kb_sv){ 0 };
	return kb_arena_printf(call->arena, "%.*s/assets/users/%" PRId64 "/%.*s.%.*s",
	                       KB_SV_ARG(kb_call_base_url(call)), account->id,
	                       KB_SV_ARG(account->photo), KB_SV_ARG(account->photo_type));
}

/* Serves "<hash>.<type>" where `known` says that the owner, the path's id, has it now. */
static bool serve(struct kb_call *call,
                  bool (*known)(struct kb_store *store, int64_t owner, struct kb_sv blob, bool *yes,
                                struct kb_err *err),
                  struct kb_err *err)
{
	struct kb_sv file = call->req->params[1], blob;
	const char *mime = kb_image_mime(file);
	struct kb_response head;
	int64_t owner;
	bool yes;

	blob = kb_sv_sub(file, 0, KB_HASH_HEX - 1);
	if (!mime || file.n <= KB_HASH_HEX || file.p[KB_HASH_HEX - 1] != '.'
	    || kb_sv_find_byte(blob, '.') >= 0
	    || !kb_sv_to_int(call->req->params[0], 1, INT64_MAX, &owner))
		return not_found(err);
	if (!known(call->api->store, owner, blob, &yes, err))
		return false;
	if (!yes)
		return not_found(err);
	head = head_of(mime, FOREVER);
	return kb_call_respond_blob(call, &head, blob, false, err);
}

bool kb_assets_agent(struct kb_call *call, struct kb_err *err)
{
	return serve(call, kb_store_agent_image, err);
}

bool kb_assets_user(struct kb_call *call, struct kb_err *err)
{
	return serve(call, kb_store_account_photo, err);
}

bool kb_assets_builtin(struct kb_call *call, struct kb_err *err)
{
	for (size_t i = 0; i < kb_builtin_count; i++)
		if (kb_sv_eq_str(call->req->params[0], kb_builtins[i].name)) {
			struct kb_response head =
			        head_of(kb_image_mime(call->req->params[0]), A_DAY);

			head.body = kb_sv((const char *)kb_builtins[i].bytes, kb_builtins[i].n);
			kb_call_respond(call, &head);
			return true;
		}
	return not_found(err);
}
