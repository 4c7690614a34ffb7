/* What programs ask of the authorization server: what it is, tokens, and that they end. */
#include "api/oauth.h"

#include "api/audit.h"
#include "api/routes.h"
#include "base/base64.h"
#include "base/hash.h"

enum { SECRET_CHARS = 200, ADDRESS_CHARS = 2000, VERIFIER_MIN = 43, VERIFIER_MAX = 128 };

bool kb_oauth_is_on(const struct kb_call *call)
{
	return call->api->public_url && !call->api->oidc;
}

bool kb_oauth_check_on(struct kb_call *call, struct kb_err *err)
{
	return kb_oauth_is_on(call)
	       || kb_fail(err, KB_E_NOT_FOUND,
	                  call->api->oidc ? "the provider lets programs in, not this service"
	                                  : "no --public-url says what this service is called");
}

bool kb_oauth_resource(struct kb_call *call, struct kb_sv resource, int64_t *agent_id,
                       struct kb_err *err)
{
	struct kb_sv start = kb_arena_printf(call->arena, "%s" KB_MCP_PATH, call->api->public_url);

	if (kb_sv_starts(resource, start)
	    && kb_sv_to_int(kb_sv_from(resource, start.n), 1, INT64_MAX, agent_id)
	    && kb_sv_eq(resource,
	                kb_arena_printf(call->arena, "%.*s%" PRId64, KB_SV_ARG(start), *agent_id)))
		return true;
	call->error_word = "invalid_target";
	return kb_fail(err, KB_E_INVALID, "resource is not the address of an agent here");
}

bool kb_oauth_key(struct kb_call *call, const struct kb_consent *program, struct kb_key *out,
                  struct kb_err *err)
{
	*out = (struct kb_key){ .account_id = program->account_id,
		                .person_id = program->person_id };
	return !program->key_id
	       || kb_store_key_get(call->api->store, call->arena, program->key_id, out, err)
	       || (err->code == KB_E_NOT_FOUND
	           && kb_fail(err, KB_E_UNAUTHORIZED, "the key that let it in is revoked"));
}

/* Whoever let that program in becomes who calls, for asking alone. KB_E_UNAUTHORIZED where they are
 * gone, or their key is. */
static bool become(struct kb_call *call, const struct kb_consent *program, struct kb_err *err)
{
	struct kb_key key;

	if (!kb_oauth_key(call, program, &key, err) || !kb_call_by_key(call, &key, err))
		return false;
	call->who.is_program = true;
	return true;
}

void kb_oauth_note(struct kb_call *call, enum kb_audit_action action,
                   const struct kb_consent *program)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_call_audit_as(call, action);
	kb_buf_init(&buf, KB_KIB(16));
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key(&jw, "client_id");
	kb_jw_array(&jw);
	kb_jw_null(&jw);
	kb_jw_sv(&jw, program->client);
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	kb_call_audit_changes(call, kb_arena_sv(call->arena, kb_buf_view(&buf)));
	kb_buf_fini(&buf);
	call->audit->entry.agent_id = program->agent_id;
	if (program->id)
		call->audit->entry.object =
		        kb_arena_printf(call->arena, "program %" PRId64, program->id);
}

void kb_oauth_write_refusal(struct kb_call *call, struct kb_jw *jw, int status, const char *message)
{
	kb_jw_object(jw);
	kb_jw_key_str(jw, "error",
	              call->error_word ? call->error_word
	              : status >= 500  ? "server_error"
	                               : "invalid_request");
	kb_jw_key_str(jw, "error_description", message);
	kb_jw_end(jw);
}

/* ---- what it says of itself (RFC 8414) ---- */

static void write_list(struct kb_jw *jw, const char *name, const char *first, const char *second)
{
	kb_jw_key(jw, name);
	kb_jw_array(jw);
	kb_jw_str(jw, first);
	if (second)
		kb_jw_str(jw, second);
	kb_jw_end(jw);
}

static void write_address(struct kb_call *call, struct kb_jw *jw, const char *name,
                          const char *path)
{
	kb_jw_key_sv(
	        jw, name,
	        kb_arena_printf(call->arena, "%s" KB_OAUTH_PATH "%s", call->api->public_url, path));
}

bool kb_oauth_about(struct kb_call *call, struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_oauth_check_on(call, err))
		return false;
	kb_buf_init(&buf, KB_KIB(16));
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "issuer", call->api->public_url);
	write_address(call, &jw, "authorization_endpoint", "authorize");
	write_address(call, &jw, "token_endpoint", "token");
	write_address(call, &jw, "revocation_endpoint", "revoke");
	write_list(&jw, "scopes_supported", KB_OAUTH_SCOPE, NULL);
	write_list(&jw, "response_types_supported", "code", NULL);
	write_list(&jw, "response_modes_supported", "query", NULL);
	write_list(&jw, "grant_types_supported", "authorization_code", "refresh_token");
	write_list(&jw, "code_challenge_methods_supported", "S256", NULL);
	write_list(&jw, "token_endpoint_auth_methods_supported", "none", NULL);
	write_list(&jw, "revocation_endpoint_auth_methods_supported", "none", NULL);
	kb_jw_key_bool(&jw, "client_id_metadata_document_supported", true);
	kb_jw_key_bool(&jw, "authorization_response_iss_parameter_supported", true);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* ---- tokens ---- */

static bool refuse(struct kb_call *call, const char *word, struct kb_err *err, const char *sentence)
{
	call->error_word = word;
	return kb_fail(err, KB_E_INVALID, "%s", sentence);
}

static bool read_text(struct kb_call *call, const char *name, size_t max, struct kb_sv *out,
                      struct kb_err *err)
{
	*out = KB_SV("");
	if (!kb_inputs_text(&call->inputs, call->arena, name, max, out, err))
		return false;
	if (!out->p)
		*out = KB_SV("");
	return true;
}

/* What the verifier comes to, where it is one; else what fits no challenge. */
static struct kb_sv challenge_of(struct kb_call *call, struct kb_sv verifier)
{
	unsigned char hash[KB_SHA256_BYTES];

	if (verifier.n < VERIFIER_MIN || verifier.n > VERIFIER_MAX)
		return KB_SV("");
	kb_sha256(verifier, hash);
	return kb_base64url_encode(call->arena, kb_sv((const char *)hash, sizeof(hash)));
}

static bool read_claim(struct kb_call *call, struct kb_program_claim *out, struct kb_err *err)
{
	struct kb_sv grant, verifier, resource;

	if (!read_text(call, "grant_type", SECRET_CHARS, &grant, err)
	    || !read_text(call, "client_id", ADDRESS_CHARS, &out->client, err)
	    || !read_text(call, "redirect_uri", ADDRESS_CHARS, &out->redirect, err)
	    || !read_text(call, "code_verifier", SECRET_CHARS, &verifier, err)
	    || !read_text(call, "resource", ADDRESS_CHARS, &resource, err))
		return false;
	if (kb_sv_eq_str(grant, "authorization_code")) {
		if (!read_text(call, "code", SECRET_CHARS, &out->code, err))
			return false;
		out->challenge = challenge_of(call, verifier);
	} else if (!kb_sv_eq_str(grant, "refresh_token")) {
		return refuse(call, "unsupported_grant_type", err,
		              "grant_type is neither authorization_code nor refresh_token");
	} else if (!read_text(call, "refresh_token", SECRET_CHARS, &out->refresh, err)) {
		return false;
	}
	if (!out->client.n)
		return refuse(call, "invalid_client", err, "client_id is missing");
	return !resource.n || kb_oauth_resource(call, resource, &out->agent_id, err);
}

/* What was given to it ends: somebody has presented a part of it who should not have it. Nobody but
 * who let it in is told. */
static bool end_misused(struct kb_call *call, const struct kb_consent *program, struct kb_err *err)
{
	const struct kb_session_owner of = { .account_id = program->account_id };
	struct kb_err ignored;

	if (become(call, program, &ignored))
		kb_oauth_note(call, KB_AUDIT_PROGRAM_REVOKE, program);
	if (!kb_store_program_end(call->api->store, &of, program->id, err)
	    && err->code != KB_E_NOT_FOUND)
		return false;
	/* It is done, whatever the call is answered with. */
	kb_call_audit_end(call, NULL);
	call->audit = NULL;
	return true;
}

/* Whether its person may still ask that agent. */
static bool may_ask(struct kb_call *call, const struct kb_consent *program, struct kb_err *err)
{
	return become(call, program, err) && kb_principal_reaches(&call->who, program->agent_id)
	       && kb_store_agent_get(call->api->store, call->arena, call->who.account,
	                             program->agent_id, &call->agent, err)
	       && kb_principal_is(&call->who, KB_ROLE_ASKER, program->agent_id, err);
}

static bool reply_tokens(struct kb_call *call, const struct kb_program_tokens *tokens,
                         struct kb_err *err)
{
	struct kb_response response = {
		.status = 200,
		.content_type = "application/json",
		.fields = { { KB_SV("cache-control"), KB_SV("no-store") } },
	};
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, KB_KIB(4));
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "access_token", tokens->access);
	kb_jw_key_str(&jw, "token_type", "Bearer");
	kb_jw_key_int(&jw, "expires_in", KB_PROGRAM_ACCESS_US / KB_SECOND_US);
	kb_jw_key_str(&jw, "refresh_token", tokens->refresh);
	kb_jw_key_str(&jw, "scope", KB_OAUTH_SCOPE);
	kb_jw_end(&jw);
	return kb_call_respond_buf(call, &response, &buf, err);
}

bool kb_oauth_token(struct kb_call *call, struct kb_err *err)
{
	struct kb_program_claim claim = { 0 };
	struct kb_program_tokens tokens;
	struct kb_consent program;
	struct kb_err why = { 0 };

	if (!kb_oauth_check_on(call, err) || !read_claim(call, &claim, err))
		return false;
	if (kb_store_program_claim(call->api->store, call->arena, &claim, &tokens, &program,
	                           &why)) {
		if (may_ask(call, &program, &why))
			return reply_tokens(call, &tokens, err);
		if (!why.code)
			kb_fail(&why, KB_E_UNAUTHORIZED, "the agent is out of reach");
	}
	kb_warn(&call->req->log, "a program was given no token error=%s reason=%s",
	        kb_err_info(why.code)->name, why.msg);
	if (why.code != KB_E_UNAUTHORIZED && why.code != KB_E_NOT_FOUND
	    && why.code != KB_E_FORBIDDEN)
		return kb_fail(err, why.code, "%s", why.msg);
	if (program.id && !end_misused(call, &program, err))
		return false;
	return refuse(call, "invalid_grant", err,
	              "the code or token is used, revoked, too old, or was not given to you");
}

bool kb_oauth_revoke(struct kb_call *call, struct kb_err *err)
{
	struct kb_response response = {
		.status = 200,
		.content_type = "application/json",
		.body = KB_SV("{}"),
		.fields = { { KB_SV("cache-control"), KB_SV("no-store") } },
	};
	struct kb_consent program;
	struct kb_sv token, client;

	if (!kb_oauth_check_on(call, err) || !read_text(call, "token", SECRET_CHARS, &token, err)
	    || !read_text(call, "client_id", ADDRESS_CHARS, &client, err))
		return false;
	if (!token.n || !client.n)
		return kb_fail(err, KB_E_INVALID, "token or client_id is missing");
	if (!kb_store_program_find(call->api->store, call->arena, token, client, &program, err)
	    || (program.id && !end_misused(call, &program, err)))
		return false;
	/* What does not count is revoked (RFC 7009, 2.2). */
	kb_call_respond(call, &response);
	return true;
}
