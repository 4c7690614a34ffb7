/* Conversations that were held elsewhere, as docent import brings them: whole, with their times. */
#include "api/routes.h"
#include "api/session.h"
#include "base/clock.h"
#include "store/pages.h"

enum {
	MESSAGES_MAX = 2000,
	TEXT_BYTES = 1 << 20,
	CITES_MAX = 200,
	HANDLE_BYTES = 255,
};

/* A text of a message, and which of them it is, for sentences. */
static bool read_text(const json_t *json, const char *name, size_t at, size_t max_bytes,
                      struct kb_sv *out, struct kb_err *err)
{
	const json_t *value = kb_json_get(json, name);

	*out = KB_SV("");
	if (!value || json_is_null(value))
		return true;
	if (!json_is_string(value) || json_string_length(value) > max_bytes)
		return kb_fail(err, KB_E_INVALID,
		               "history[%zu].%s must be a text of at most %zu bytes", at, name,
		               max_bytes);
	*out = kb_sv(json_string_value(value), json_string_length(value));
	return true;
}

static bool read_time(const struct kb_call *call, const json_t *json, size_t at, int64_t *out,
                      struct kb_err *err)
{
	struct kb_sv text = kb_json_sv(json, "created_at", KB_SV(""));

	return (kb_time_parse(text, out) && *out > 0 && *out <= kb_clock_now_us(call->api->clock))
	       || kb_fail(err, KB_E_INVALID, "history[%zu].created_at must be a time that has been",
	                  at);
}

/* Who may see a message may look at what it cites: it has to be the agent's own. */
static bool read_cite(struct kb_call *call, const json_t *json, int64_t *out, struct kb_err *err)
{
	struct kb_page page;

	*out = json_integer_value(json);
	return *out > 0
	       && kb_store_page_get(call->api->store, call->arena, call->agent.id, *out, &page,
	                            err);
}

static bool read_cites(struct kb_call *call, const json_t *json, size_t at, struct kb_message *out,
                       struct kb_err *err)
{
	const json_t *cited = kb_json_get(json, "citations");
	size_t count = json_array_size(cited);
	int64_t *ids = KB_NEW_ARRAY(call->arena, count + 1, int64_t);
	struct kb_err why = { .code = KB_E_NOT_FOUND };

	if (count > CITES_MAX)
		return kb_fail(err, KB_E_INVALID, "history[%zu] has %zu citations, the limit is %d",
		               at, count, CITES_MAX);
	for (size_t i = 0; i < count; i++)
		if (!read_cite(call, json_array_get(cited, i), &ids[i], &why))
			return why.code == KB_E_NOT_FOUND
			               ? kb_fail(err, KB_E_INVALID,
			                         "history[%zu].citations must be ids of the "
			                         "agent's documents",
			                         at)
			               : kb_fail(err, why.code, "%s", why.msg);
	out->citations = ids;
	out->citation_count = count;
	return true;
}

static bool read_message(struct kb_call *call, const json_t *json, size_t at,
                         struct kb_message *out, struct kb_err *err)
{
	struct kb_sv reaction;

	*out = (struct kb_message){ .agent_id = call->agent.id,
		                    .user_id = call->who.account,
		                    .source = KB_SV("api"),
		                    .user_ip = KB_SV(""),
		                    .user_agent = KB_SV(""),
		                    .details = KB_SV(""),
		                    .insight = KB_SV(""),
		                    .answered = kb_json_bool(json, "is_answered", true) };
	if (!read_text(json, "user_query", at, TEXT_BYTES, &out->query, err)
	    || !read_text(json, "llm_response", at, TEXT_BYTES, &out->response, err)
	    || !read_text(json, "external_id", at, HANDLE_BYTES, &out->external_id, err)
	    || !read_text(json, "reaction", at, HANDLE_BYTES, &reaction, err)
	    || !read_time(call, json, at, &out->created_at, err)
	    || !read_cites(call, json, at, out, err))
		return false;
	if (!out->query.n)
		return kb_fail(err, KB_E_INVALID, "history[%zu].user_query is missing", at);
	return !reaction.n || kb_reaction_read(reaction, &out->reaction)
	       || kb_fail(err, KB_E_INVALID,
	                  "history[%zu].reaction must be liked, disliked or neutral", at);
}

bool kb_history_bring(struct kb_call *call, struct kb_err *err)
{
	const json_t *json = kb_inputs_json(&call->inputs, call->arena, "history");
	struct kb_session session = kb_call_session(call, call->req->params[1]);
	struct kb_brought brought = { .count = json_array_size(json) };
	struct kb_buf buf;
	struct kb_jw jw;

	if (!brought.count || brought.count > MESSAGES_MAX)
		return kb_fail(err, KB_E_INVALID, "history must be a list of 1 to %d",
		               MESSAGES_MAX);
	if (!kb_session_id_check(session.id, err))
		return false;
	brought.v = KB_NEW_ARRAY(call->arena, brought.count, struct kb_message);
	for (size_t i = 0; i < brought.count; i++)
		if (!read_message(call, json_array_get(json, i), i, &brought.v[i], err))
			return false;
	if (!kb_store_messages_bring(call->api->store, call->arena, &session, &brought, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_record_conversation(&jw, &brought.conversation);
	return kb_call_reply(call, 201, &buf, &jw, err);
}
