/* The account behind a key: who it is, and how much of its plan is used. */
#include "api/api.h"

enum { NAME_CHARS = 255 };

static bool reply_user(struct kb_call *call, struct kb_err *err)
{
	struct kb_account account;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_account_get(call->api->store, call->arena, call->key.account_id, &account,
	                          err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "id", account.id);
	kb_jw_key_sv(&jw, "email", account.email);
	kb_jw_key_sv(&jw, "name", account.name);
	kb_jw_key_int(&jw, "current_team_id", account.id);
	kb_jw_key_null(&jw, "profile_photo_url");
	kb_jw_key_time(&jw, "created_at", account.created_at);
	kb_jw_key_time(&jw, "updated_at", account.updated_at);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_user_read(struct kb_call *call, struct kb_err *err)
{
	return reply_user(call, err);
}

bool kb_user_update(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv name = { 0 };

	if (!kb_inputs_text(&call->inputs, call->arena, "name", NAME_CHARS, &name, err))
		return false;
	if (name.p && kb_sv_trim(name).n == 0)
		return kb_fail(err, KB_E_INVALID, "name can't be empty");
	if (name.p
	    && !kb_store_account_rename(call->api->store, call->key.account_id, kb_sv_trim(name),
	                                err))
		return false;
	return reply_user(call, err);
}

bool kb_limits_usage(struct kb_call *call, struct kb_err *err)
{
	struct kb_store *store = call->api->store;
	int64_t account = call->key.account_id, agents, words, queries;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_agent_count(store, account, &agents, err)
	    || !kb_store_account_words(store, account, &words, err)
	    || !kb_store_queries_this_month(store, account, &queries, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "max_projects_num", call->plan->agents); /* 0: no limit */
	kb_jw_key_int(&jw, "current_projects_num", agents);
	kb_jw_key_int(&jw, "max_total_storage_credits", call->plan->words);
	kb_jw_key_int(&jw, "current_total_storage_credits", words);
	kb_jw_key_int(&jw, "max_queries", call->plan->queries_per_month);
	kb_jw_key_int(&jw, "current_queries", queries);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}
