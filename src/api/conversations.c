/* Conversations, and reading the messages in them. */
#include <stdlib.h>
#include <string.h>

#include "answer/closest.h"
#include "answer/mask.h"
#include "api/routes.h"
#include "api/session.h"
#include "base/hash.h"
#include "base/utf8.h"

enum { NAME_CHARS = 255 };

static bool not_found(struct kb_call *call, struct kb_err *err)
{
	if (err->code == KB_E_NOT_FOUND)
		kb_fail(err, KB_E_NOT_FOUND, "Conversation with session id %.*s not found",
		        KB_SV_ARG(kb_utf8_cut(call->req->params[1], 128)));
	return false;
}

static bool reply_conversation(struct kb_call *call, int status,
                               const struct kb_conversation *conversation, struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_call_begin(call, &buf, &jw);
	kb_record_conversation(&jw, conversation);
	return kb_call_reply(call, status, &buf, &jw, err);
}

/* ---- opening the agent's index before it is asked for ---- */

struct warming {
	struct kb_catalog *catalog;
	const struct kb_log *log;
	int64_t agent_id;
};

static void warm(void *arg)
{
	struct warming *job = arg;
	struct kb_live live;
	struct kb_err err = { 0 };

	if (kb_catalog_get(job->catalog, job->agent_id, &live, &err))
		kb_live_release(&live);
	else
		kb_debug(job->log, "could not open ahead agent=%" PRId64 " error=%s", job->agent_id,
		         err.msg);
	free(job);
}

/* Who opens a conversation is about to ask: the index is opened meanwhile. Where the workers are
 * busy, the first question does it. */
static void open_ahead(struct kb_call *call)
{
	struct warming *job = kb_xcalloc(1, sizeof(*job));

	*job = (struct warming){ call->api->catalog, call->api->log, call->agent.id };
	if (!kb_pool_submit(call->api->workers, warm, job))
		free(job);
}

struct kb_session kb_call_session(const struct kb_call *call, struct kb_sv id)
{
	return (struct kb_session){
		.agent_id = call->agent.id,
		.id = id,
		.account_id = call->who.account,
		.visitor_id = call->who.person,
		.begun_by = kb_principal_person(&call->who),
	};
}

/* The name of the request, as the agent may keep it; p == NULL: none was given. */
static bool read_name(struct kb_call *call, struct kb_sv *name, struct kb_err *err)
{
	if (!kb_inputs_text(&call->inputs, call->arena, "name", NAME_CHARS, name, err))
		return false;
	if (name->p && kb_agent_anonymises(call, &call->agent))
		*name = kb_mask(call->arena, *name);
	if (name->p)
		*name = kb_sv_trim(*name);
	return true;
}

bool kb_conversations_create(struct kb_call *call, struct kb_err *err)
{
	struct kb_conversation conversation;
	struct kb_sv name = { 0 }, session_id = { 0 };
	struct kb_session session;

	if (!read_name(call, &name, err)
	    || !kb_inputs_handle(&call->inputs, call->arena, "session_id", 128, &session_id, err))
		return false;
	if (!kb_uuid_check(session_id))
		session_id = KB_SV("");
	session = kb_call_session(call, session_id);
	if (!kb_store_conversation_create(call->api->store, call->arena, &session,
	                                  name.p ? name : KB_SV(""), &conversation, err))
		return false;
	open_ahead(call);
	return reply_conversation(call, 201, &conversation, err);
}

static void conversation_row(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i)
{
	(void)call;
	kb_record_conversation(jw, (const struct kb_conversation *)rows + i);
}

/* userFilter; what is none of the words asks for all. */
static void read_creator(struct kb_call *call, struct kb_conversation_filter *filter)
{
	static const struct {
		const char *word;
		enum kb_creator by;
	} words[] = {
		{ "me", KB_BY_ACCOUNT },
		{ "team_member", KB_BY_MEMBER },
		{ "anonymous", KB_BY_VISITOR },
	};
	struct kb_sv word = kb_request_query(call->req, "userFilter");

	for (size_t i = 0; i < KB_COUNTOF(words); i++)
		if (kb_sv_eq_str(word, words[i].word))
			filter->by = words[i].by;
	filter->created_by = call->who.account;
	filter->visitor_id = call->who.person;
}

bool kb_conversations_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_conversation_filter filter = {
		.list = kb_call_list(call, 10),
		.by_created_at = kb_sv_eq_str(kb_request_query(call->req, "orderBy"), "created_at"),
		.name = kb_request_query(call->req, "name"),
		.words = kb_request_query(call->req, "search"),
	};
	struct kb_sv after = kb_request_query(call->req, "lastUpdatedAfter");
	struct kb_conversation_list conversations;
	struct kb_buf buf;
	struct kb_jw jw;

	if (after.n && !kb_time_parse(after, &filter.updated_after))
		return kb_fail(err, KB_E_INVALID,
		               "lastUpdatedAfter must be a date or an ISO 8601 time");
	read_creator(call, &filter);
	if (!kb_store_conversation_list(call->api->store, call->arena, call->agent.id, &filter,
	                                &conversations, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_call_paginate(call, &jw,
	                 &(struct kb_paginator){ .list = &filter.list,
	                                         .total = conversations.total,
	                                         .count = conversations.count,
	                                         .rows = conversations.v,
	                                         .row = conversation_row });
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_conversations_update(struct kb_call *call, struct kb_err *err)
{
	struct kb_session session = kb_call_session(call, call->req->params[1]);
	struct kb_conversation conversation;
	struct kb_sv name = { 0 };

	if (!read_name(call, &name, err))
		return false;
	if (name.n == 0)
		return kb_fail(err, KB_E_INVALID, "name can't be empty");
	if (!kb_store_conversation_rename(call->api->store, call->arena, &session, name,
	                                  &conversation, err))
		return not_found(call, err);
	return reply_conversation(call, 200, &conversation, err);
}

bool kb_conversations_delete(struct kb_call *call, struct kb_err *err)
{
	struct kb_session session = kb_call_session(call, call->req->params[1]);

	if (!kb_store_conversation_delete(call->api->store, &session, err))
		return not_found(call, err);
	kb_write_cancel(call->api->writer, call->agent.id, call->req->params[1]);
	return kb_call_reply_flag(call, 200, "deleted", err);
}

static void message_row(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i)
{
	(void)call;
	kb_record_message(jw, (const struct kb_message *)rows + i);
}

static void insight_row(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i)
{
	kb_record_message_insights(call, jw, (const struct kb_message *)rows + i);
}

bool kb_messages_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_session session = kb_call_session(call, call->req->params[1]);
	struct kb_list list = kb_call_list(call, 20);
	struct kb_sv wanted = kb_request_query(call->req, "includeInsights");
	struct kb_transcript transcript;
	struct kb_buf buf;
	struct kb_jw jw;
	bool insights = false;

	if (wanted.n && !kb_text_to_bool(wanted, &insights))
		return kb_fail(err, KB_E_INVALID, "includeInsights must be true or false");
	if (!kb_store_message_list(call->api->store, call->arena, &session, &list, &transcript,
	                           err))
		return not_found(call, err);
	open_ahead(call);
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key(&jw, "conversation");
	kb_record_conversation(&jw, &transcript.conversation);
	kb_jw_key(&jw, "messages");
	kb_call_paginate(call, &jw,
	                 &(struct kb_paginator){ .list = &list,
	                                         .total = transcript.messages.total,
	                                         .count = transcript.messages.count,
	                                         .rows = transcript.messages.v,
	                                         .row = insights ? insight_row : message_row });
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_call_message(struct kb_call *call, struct kb_message *out, struct kb_err *err)
{
	struct kb_session session = kb_call_session(call, call->req->params[1]);
	int64_t id;

	if (!kb_call_id(call, 2, "Conversation message", &id, err))
		return false;
	if (kb_store_message_get(call->api->store, call->arena, &session, id, out, err))
		return true;
	if (err->code == KB_E_NOT_FOUND)
		kb_fail(err, KB_E_NOT_FOUND, "Conversation message with id %" PRId64 " not found",
		        id);
	return false;
}

bool kb_messages_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_message message;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_call_message(call, &message, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_record_message(&jw, &message);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* ---- feedback ---- */

bool kb_reaction_read(struct kb_sv text, enum kb_reaction *out)
{
	static const struct {
		const char *name;
		enum kb_reaction reaction;
	} names[] = {
		{ "liked", KB_REACTION_LIKED },
		{ "disliked", KB_REACTION_DISLIKED },
		{ "neutral", KB_REACTION_NEUTRAL },
	};

	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (kb_sv_eq_str(text, names[i].name)) {
			*out = names[i].reaction;
			return true;
		}
	return false;
}

/* "liked", "disliked", "neutral"; null takes the reaction away. */
static bool read_reaction(struct kb_call *call, enum kb_reaction *out, struct kb_err *err)
{
	const struct kb_api_input *input = kb_inputs_find(&call->inputs, "reaction");

	*out = KB_REACTION_NONE;
	if (input && (input->kind == KB_INPUT_NULL || (!input->json && input->text.n == 0)))
		return true;
	if (input && input->kind == KB_INPUT_TEXT && kb_reaction_read(input->text, out))
		return true;
	return kb_fail(err, KB_E_INVALID, "reaction must be liked, disliked, neutral or null");
}

/* found_page_id: the document of a closest passage that was it; null takes that back. Of a message
 * that shows closest passages, and one of theirs. */
static bool read_found(struct kb_call *call, struct kb_message_reaction *out, struct kb_err *err)
{
	const struct kb_api_input *input = kb_inputs_find(&call->inputs, "found_page_id");
	struct kb_message message;
	struct kb_closest_list list;

	out->finds = input != NULL;
	if (!out->finds || input->kind == KB_INPUT_NULL)
		return true;
	if (!kb_inputs_int(&call->inputs, "found_page_id", 1, INT64_MAX, &out->found_page_id, err)
	    || !kb_call_message(call, &message, err))
		return false;
	kb_closest_read(call->arena, message.details, &list);
	for (size_t i = 0; i < list.count; i++)
		if (list.v[i].page_id == out->found_page_id)
			return true;
	return kb_fail(err, KB_E_INVALID,
	               "found_page_id must be the page_id of a closest passage of this message");
}

static bool read_feedback(struct kb_call *call, struct kb_message_reaction *out, struct kb_err *err)
{
	out->user_id = kb_principal_user(&call->who);
	if (!kb_call_id(call, 2, "Conversation message", &out->message_id, err)
	    || !read_found(call, out, err))
		return false;
	/* Who says which passage was it need not say more. */
	out->reacts = !out->finds || kb_inputs_find(&call->inputs, "reaction");
	return !out->reacts || read_reaction(call, &out->reaction, err);
}

bool kb_messages_react(struct kb_call *call, struct kb_err *err)
{
	struct kb_session session = kb_call_session(call, call->req->params[1]);
	struct kb_message_reaction given = { 0 };
	struct kb_message message;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!read_feedback(call, &given, err))
		return false;
	if (!kb_store_message_react(call->api->store, call->arena, &session, &given, &message,
	                            err)) {
		if (err->code == KB_E_NOT_FOUND)
			kb_fail(err, KB_E_NOT_FOUND,
			        "Conversation message with id %" PRId64 " not found",
			        given.message_id);
		return false;
	}
	if (kb_principal_is_visitor(&call->who))
		kb_message_for_visitor(&message);
	kb_call_begin(call, &buf, &jw);
	kb_record_message(&jw, &message);
	return kb_call_reply(call, 200, &buf, &jw, err);
}
