/*
 * What reports (reports.c) tell one by one.
 *
 *   /intelligence   the questions, with what is known of each
 *   /leads          addresses that visitors left for a person
 */
#include "answer/chore.h"
#include "answer/smalltalk.h"
#include "api/browser.h"
#include "api/routes.h"
#include "store/leads.h"
#include "store/reports.h"
#include "write/claims.h"

enum { ROWS = 100 }; /* of a page */

/* What is known of one question, by its note and by rule; what is not known is null. */
struct insight {
	const char *content_source, *emotion, *intent, *feedback;
	struct kb_sv lang;
};

/* Whether a document of the agent is quoted; files of the message have ids below 0. */
static bool quotes_document(const json_t *details)
{
	const json_t *quote;
	size_t i;

	json_array_foreach(kb_json_get(details, "quotes"), i, quote)
	{
		if (kb_json_int(quote, "page_id", 0) > 0)
			return true;
	}
	return false;
}

static struct insight insight_of(struct kb_call *call, const struct kb_message *message)
{
	static const char *const reactions[] = { NULL, "liked", "disliked", "neutral" };
	static const char *const emotions[] = { NULL, "satisfied", "dissatisfied", "neutral" };
	const json_t *details =
	        message->details.n ? kb_json_parse(call->arena, message->details, NULL) : NULL;
	struct insight insight = { .feedback = reactions[message->reaction],
		                   .emotion = emotions[message->reaction] };
	enum kb_lang lang;
	enum kb_smalltalk talk = kb_smalltalk(message->query, KB_LANG_NONE, &lang);
	struct kb_insight said;
	struct kb_claims note;

	kb_claims_read(call->arena, message, &note);
	kb_insight_read(call->arena, message->insight, &said);
	if (quotes_document(details))
		insight.content_source = "own_content";
	if (talk == KB_TALK_NONE)
		insight.intent = "information";
	else if (talk == KB_TALK_META || talk == KB_TALK_TOPICS)
		insight.intent = "about_agent";
	else
		insight.intent = "small_talk";
	if (talk == KB_TALK_THANKS && !insight.emotion)
		insight.emotion = "satisfied";
	/* What people and documents say themselves stands; the rest a model tells better. */
	if (said.intent)
		insight.intent = said.intent;
	if (!insight.emotion)
		insight.emotion = said.emotion;
	if (!insight.content_source && message->answered)
		insight.content_source = said.content_source;
	insight.lang = note.lang.n ? note.lang
	                           : kb_sv_str(kb_lang_code(kb_lang_of_question(message->query)));
	if (kb_sv_eq_str(insight.lang, kb_lang_code(KB_LANG_NONE)))
		insight.lang = (struct kb_sv){ 0 };
	return insight;
}

static void intelligence_row(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i)
{
	const struct kb_message *message = (const struct kb_message *)rows + i;
	struct insight insight = insight_of(call, message);

	kb_jw_object(jw);
	kb_jw_key_int(jw, "prompt_id", message->id);
	kb_jw_key_int(jw, "conversation_id", message->conversation_id);
	kb_jw_key_int(jw, "project_id", message->agent_id);
	kb_jw_key_sv(jw, "user_query", message->query);
	kb_jw_key_sv(jw, "ai_response", message->response);
	kb_jw_key_time(jw, "created_at", message->created_at);
	kb_jw_key_str(jw, "content_source", insight.content_source);
	kb_jw_key_str(jw, "user_emotion", insight.emotion);
	kb_jw_key_str(jw, "user_intent", insight.intent);
	kb_jw_key_opt(jw, "language", insight.lang);
	kb_jw_key_str(jw, "feedback", insight.feedback);
	kb_jw_key_null(jw, "user_location"); /* nothing here tells where a user is */
	kb_jw_key(jw, "chatbot_deployment");
	kb_jw_choice(jw, message->source);
	kb_jw_key_str(jw, "browser", kb_browser_name(message->user_agent));
	if (message->closest) /* ours */
		kb_record_outcome(jw, message);
	if (message->found_page_id)
		kb_jw_key_int(jw, "found_page_id", message->found_page_id);
	kb_jw_end(jw);
}

bool kb_reports_intelligence(struct kb_call *call, struct kb_err *err)
{
	struct kb_report_filter filter = { .list = kb_call_list(call, ROWS) };
	struct kb_sv unanswered = kb_request_query(call->req, "unanswered");
	struct kb_report_sums sums;
	struct kb_message_list messages;
	struct kb_buf buf;
	struct kb_jw jw;

	if (unanswered.n && !kb_text_to_bool(unanswered, &filter.unanswered))
		return kb_fail(err, KB_E_INVALID, "unanswered must be true or false");
	if (!kb_call_dates(call, &filter.from, &filter.until, err)
	    || !kb_store_report_messages(call->api->store, call->arena, call->agent.id, &filter,
	                                 &messages, err)
	    || !kb_store_report_sums(call->api->store, call->agent.id, &sums, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_call_paginate_members(call, &jw,
	                         &(struct kb_paginator){ .list = &filter.list,
	                                                 .total = messages.total,
	                                                 .count = messages.count,
	                                                 .rows = messages.v,
	                                                 .row = intelligence_row });
	kb_jw_key_int(&jw, "total_queries", sums.queries);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

static void lead_row(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i)
{
	const struct kb_lead *lead = (const struct kb_lead *)rows + i;

	(void)call;
	kb_jw_object(jw);
	kb_jw_key_sv(jw, "session_id", lead->session_id);
	kb_jw_key_int_opt(jw, "query_id", lead->message_id);
	kb_jw_key_opt(jw, "name", lead->name.n ? lead->name : (struct kb_sv){ 0 });
	kb_jw_key_sv(jw, "email", lead->email);
	kb_jw_key_null(jw, "phone_number");
	kb_jw_key_null(jw, "company");
	kb_jw_key_time(jw, "captured_at", lead->created_at);
	kb_jw_key(jw, "other_data");
	kb_jw_object(jw);
	kb_jw_key_sv(jw, "question", lead->question);
	kb_jw_end(jw);
	kb_jw_key_null(jw, "user_defined");
	kb_jw_key_null(jw, "tags");
	kb_jw_end(jw);
}

bool kb_reports_leads(struct kb_call *call, struct kb_err *err)
{
	struct kb_lead_filter filter = { .list = kb_call_list(call, ROWS),
		                         .session_id = kb_request_query(call->req, "session_id") };
	struct kb_lead_list leads;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!filter.session_id.p)
		filter.session_id = KB_SV("");
	if (!kb_call_dates(call, &filter.from, &filter.until, err)
	    || !kb_store_lead_list(call->api->store, call->arena, call->agent.id, &filter, &leads,
	                           err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_call_paginate(call, &jw,
	                 &(struct kb_paginator){ .list = &filter.list,
	                                         .total = leads.total,
	                                         .count = leads.count,
	                                         .rows = leads.v,
	                                         .row = lead_row });
	return kb_call_reply(call, 200, &buf, &jw, err);
}
