/* The account behind a key: who it is, and how much of its plan is used. */
#include "api/routes.h"
#include "settings/image.h"

enum { NAME_CHARS = 255 };

void kb_record_user(struct kb_call *call, struct kb_jw *jw, const struct kb_account *account)
{
	kb_jw_object(jw);
	kb_jw_key_int(jw, "id", account->id);
	kb_jw_key_opt(jw, "email", account->email);
	kb_jw_key_sv(jw, "name", account->name);
	kb_jw_key_int(jw, "current_team_id", account->id);
	kb_jw_key_opt(jw, "profile_photo_url", kb_photo_url(call, account));
	kb_jw_key_time(jw, "created_at", account->created_at);
	kb_jw_key_time(jw, "updated_at", account->updated_at);
	kb_jw_end(jw);
}

static bool reply_user(struct kb_call *call, const struct kb_account *account, struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_call_begin(call, &buf, &jw);
	kb_record_user(call, &jw, account);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_user_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_account account;

	return kb_store_account_get(call->api->store, call->arena, call->who.account, &account, err)
	       && reply_user(call, &account, err);
}

/* Checks the picture and keeps its bytes, before the account names them. null or an empty field
 * takes the picture away. */
static bool read_photo(struct kb_call *call, struct kb_account_update *change, struct kb_err *err)
{
	const struct kb_api_input *input = kb_inputs_find(&call->inputs, KB_PROFILE_PHOTO);
	struct kb_blob_name name;
	struct kb_image image;
	struct kb_sv bytes;

	if (!input)
		return true;
	if (input->kind == KB_INPUT_NULL
	    || (input->kind == KB_INPUT_TEXT && kb_sv_trim(input->text).n == 0)) {
		change->photo = change->photo_type = KB_SV("");
		return true;
	}
	if (input->kind != KB_INPUT_FILE)
		return kb_fail(err, KB_E_INVALID,
		               "Please upload a valid image file for " KB_PROFILE_PHOTO);
	if (!kb_input_bytes(call->arena, input, &bytes, err) || !kb_image_check(bytes, &image, err)
	    || !kb_blob_put(call->api->blobs, bytes, &name, err))
		return false;
	change->photo = kb_arena_sv(call->arena, kb_sv_str(name.hex));
	change->photo_type = kb_sv_str(image.extension);
	return true;
}

bool kb_user_update(struct kb_call *call, struct kb_err *err)
{
	struct kb_account_update change = { 0 };
	struct kb_account account;

	if (!kb_inputs_text(&call->inputs, call->arena, "name", NAME_CHARS, &change.name, err))
		return false;
	if (change.name.p) {
		change.name = kb_sv_trim(change.name);
		if (change.name.n == 0)
			return kb_fail(err, KB_E_INVALID, "name can't be empty");
	}
	if (!read_photo(call, &change, err))
		return false;
	if (!kb_store_account_update(call->api->store, call->arena, call->who.account, &change,
	                             &account, err))
		return err->code == KB_E_CONFLICT
		               ? kb_fail(err, KB_E_CONFLICT, "that name is not free")
		               : false;
	return reply_user(call, &account, err);
}

/* A team is one account: the only member that can be found is the caller. */
bool kb_user_search(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv email = kb_request_query(call->req, "email");
	struct kb_sv user_id = kb_request_query(call->req, "user_id");
	struct kb_account account;
	int64_t id = 0;

	if (email.n == 0 && user_id.n == 0)
		return kb_fail(err, KB_E_INVALID, "email or user_id is required");
	if (user_id.n && !kb_sv_to_int(user_id, INT64_MIN, INT64_MAX, &id))
		return kb_fail(err, KB_E_INVALID, "user_id must be integer");
	if (!kb_store_account_get(call->api->store, call->arena, call->who.account, &account, err))
		return false;
	if ((user_id.n && id != account.id)
	    || (email.n && (account.email.n == 0 || !kb_sv_ieq(email, account.email))))
		return kb_fail(err, KB_E_NOT_FOUND, "Team member not found");
	return reply_user(call, &account, err);
}

/* One limit and how much of it is used. Clients divide by the limit, and refuse their users where
 * it is not above the use: none at all is therefore the largest number that a signed one of 32 bits
 * holds, or the next one above the use. */
static void write_usage(struct kb_jw *jw, const char *limit_name, int64_t limit,
                        const char *used_name, int64_t used)
{
	kb_jw_key_int(jw, limit_name, limit ? limit : KB_MAX(INT32_MAX, used + 1));
	kb_jw_key_int(jw, used_name, used);
}

bool kb_limits_usage(struct kb_call *call, struct kb_err *err)
{
	struct kb_store *store = call->api->store;
	int64_t account = call->who.account, agents, words, queries;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_agent_count(store, account, &agents, err)
	    || !kb_store_account_words(store, account, &words, err)
	    || !kb_store_queries_this_month(store, account, &queries, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	write_usage(&jw, "max_projects_num", call->plan->agents, "current_projects_num", agents);
	write_usage(&jw, "max_total_storage_credits", call->plan->words,
	            "current_total_storage_credits", words);
	write_usage(&jw, "max_queries", call->plan->queries_per_month, "current_queries", queries);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}
