/* Tokens with which a directory of the organisation keeps the account's people (scim.h). */
#include "api/routes.h"

enum { NAME_CHARS = 100 };

bool kb_directory_tokens_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_directory_token *tokens;
	size_t count;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_directory_tokens(call->api->store, call->arena, call->who.account, &tokens,
	                               &count, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_array(&jw);
	for (size_t i = 0; i < count; i++) {
		kb_jw_object(&jw);
		kb_jw_key_int(&jw, "id", tokens[i].id);
		kb_jw_key_sv(&jw, "name", tokens[i].name);
		kb_jw_key_time(&jw, "created_at", tokens[i].created_at);
		kb_jw_key_time_opt(&jw, "seen_at", tokens[i].seen_at);
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_directory_tokens_create(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv name = KB_SV("");
	char text[KB_DIRECTORY_TOKEN_TEXT];
	struct kb_buf buf;
	struct kb_jw jw;
	int64_t id;

	if (!kb_inputs_text(&call->inputs, call->arena, "name", NAME_CHARS, &name, err)
	    || !kb_store_directory_token_create(call->api->store, call->who.account,
	                                        kb_sv_trim(name), &id, text, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "id", id);
	kb_jw_key_str(&jw, "token", text);
	kb_jw_key_sv(
	        &jw, "address",
	        kb_arena_printf(call->arena, "%.*s/scim/v2", KB_SV_ARG(kb_call_base_url(call))));
	kb_jw_end(&jw);
	return kb_call_reply(call, 201, &buf, &jw, err);
}

bool kb_directory_tokens_delete(struct kb_call *call, struct kb_err *err)
{
	int64_t id;

	return kb_call_id(call, 0, "Token", &id, err)
	       && kb_store_directory_token_revoke(call->api->store, call->who.account, id, err)
	       && kb_call_reply_flag(call, 200, "deleted", err);
}
