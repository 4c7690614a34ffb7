#include "api/mcp_signin.h"

#include "api/gateway.h"
#include "api/oauth.h"
#include "api/routes.h"
#include "oidc/provider.h"

#define ABOUT_PATH "/.well-known/oauth-protected-resource"

bool kb_mcp_takes_tokens(const struct kb_call *call)
{
	return call->api->public_url;
}

static struct kb_sv address_of(struct kb_call *call, const char *before, int64_t agent_id)
{
	return kb_arena_printf(call->arena, "%s%s" KB_MCP_PATH "%" PRId64, call->api->public_url,
	                       before, agent_id);
}

bool kb_mcp_is_program(const struct kb_call *call)
{
	return kb_oauth_is_on(call) && kb_sv_starts(call->req->path, KB_SV(KB_MCP_PATH))
	       && kb_sv_starts(kb_request_bearer(call->req), KB_SV(KB_PROGRAM_TOKEN));
}

/* A key has no dots, a signed token has two. */
static bool has_signed_token(const struct kb_call *call)
{
	return call->api->oidc && call->api->public_url
	       && kb_sv_starts(call->req->path, KB_SV(KB_MCP_PATH))
	       && kb_sv_find_byte(kb_request_bearer(call->req), '.') >= 0;
}

bool kb_mcp_has_token(const struct kb_call *call)
{
	return has_signed_token(call) || kb_mcp_is_program(call);
}

static bool check_program(struct kb_call *call, struct kb_key *out, struct kb_err *err)
{
	struct kb_consent program;
	int64_t id;

	return kb_call_id(call, 0, "Agent", &id, err)
	       && kb_store_program_check(call->api->store, call->arena,
	                                 kb_request_bearer(call->req), &program, err)
	       && (program.agent_id == id
	           || kb_fail(err, KB_E_UNAUTHORIZED, "the token is for another agent"))
	       && kb_oauth_key(call, &program, out, err);
}

static bool find_person(struct kb_call *call, struct kb_sv subject, struct kb_key *out,
                        struct kb_err *err)
{
	struct kb_signing_out who = { .issuer = kb_oidc_issuer(call->api->oidc),
		                      .subject = subject };
	struct kb_person person;

	if (!kb_store_signing_out(call->api->store, &who, err))
		return false;
	if (!who.person_id)
		return kb_fail(err, KB_E_UNAUTHORIZED, "nobody who is here signed in as that");
	if (!kb_store_person_get(call->api->store, call->arena, who.account_id, who.person_id,
	                         &person, err))
		return err->code == KB_E_NOT_FOUND
		       && kb_fail(err, KB_E_UNAUTHORIZED, "they are gone just now");
	if (kb_clock_now_us(call->api->clock) - person.seen_at >= KB_GATEWAY_LASTS_US)
		return kb_fail(err, KB_E_UNAUTHORIZED,
		               "their groups were read too long ago: they have to sign in to the "
		               "dashboard again");
	*out = (struct kb_key){ .account_id = who.account_id, .person_id = who.person_id };
	return true;
}

bool kb_mcp_token_check(struct kb_call *call, struct kb_key *out, struct kb_err *err)
{
	struct kb_oidc_claims claims;
	int64_t id;

	if (kb_mcp_is_program(call))
		return check_program(call, out, err);
	if (kb_call_id(call, 0, "Agent", &id, err)
	    && kb_oidc_asks_for(call->api->oidc, call->arena, kb_request_bearer(call->req),
	                        address_of(call, "", id), &claims, err)
	    && find_person(call, claims.subject, out, err))
		return true;
	kb_warn(&call->req->log, "a provider's token was refused error=%s reason=%s",
	        kb_err_info(err->code)->name, err->msg);
	return false;
}

struct kb_sv kb_mcp_challenge(struct kb_call *call)
{
	struct kb_err ignored;
	int64_t id;

	if (!kb_mcp_takes_tokens(call) || !kb_sv_starts(call->req->path, KB_SV(KB_MCP_PATH))
	    || !kb_call_id(call, 0, "Agent", &id, &ignored))
		return KB_SV("Bearer");
	return kb_arena_printf(call->arena, "Bearer %sresource_metadata=\"%.*s\"",
	                       kb_request_bearer(call->req).n ? "error=\"invalid_token\", " : "",
	                       KB_SV_ARG(address_of(call, ABOUT_PATH, id)));
}

/* Says nothing of whether there is such an agent. */
bool kb_mcp_about(struct kb_call *call, struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;
	int64_t id;

	if (!kb_mcp_takes_tokens(call))
		return kb_fail(err, KB_E_NOT_FOUND,
		               "no --public-url says what this service is called");
	if (!kb_call_id(call, 0, "Agent", &id, err))
		return false;
	kb_buf_init(&buf, KB_KIB(16));
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, "resource", address_of(call, "", id));
	kb_jw_key(&jw, "authorization_servers");
	kb_jw_array(&jw);
	kb_jw_sv(&jw, call->api->oidc ? kb_oidc_issuer(call->api->oidc)
	                              : kb_sv_str(call->api->public_url));
	kb_jw_end(&jw);
	/* Each provider of OpenID Connect has that one, and some ask nobody without one. */
	kb_jw_key(&jw, "scopes_supported");
	kb_jw_array(&jw);
	kb_jw_str(&jw, call->api->oidc ? "openid" : KB_OAUTH_SCOPE);
	kb_jw_end(&jw);
	kb_jw_key(&jw, "bearer_methods_supported");
	kb_jw_array(&jw);
	kb_jw_str(&jw, "header");
	kb_jw_end(&jw);
	kb_jw_key_str(&jw, "resource_name", "Docent");
	return kb_call_reply(call, 200, &buf, &jw, err);
}
