/*
 * Reports on an agent: what was asked, from where, and what became of it.
 *
 * A report has parts; `filters` of the query picks some of them. It comes as filters=a&filters=b,
 * as filters[]=a, as filters=a,b, or not at all, which is all of them.
 *
 *   /traffic, /queries, /conversations   sums over all there is
 *   /analysis                            the last seven days by day (interval=weekly), or the last
 *                                        24 hours by hour (daily), or from start_date to end_date
 *                                        by day or by several days; times are UTC
 *   /models                              tokens and cost by model, of the last 30 days
 *   /intelligence                        the questions one by one
 *   /leads                               addresses that visitors left for a person
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "answer/chore.h"
#include "answer/smalltalk.h"
#include "api/browser.h"
#include "api/routes.h"
#include "base/utf8.h"
#include "store/gaps.h"
#include "store/leads.h"
#include "store/reports.h"
#include "write/claims.h"

enum {
	PARTS_MAX = 4,
	BUCKETS_MAX = 92, /* a quarter by day */
	BUCKETS_USUAL = 30,
	ROWS = 100, /* of a page */
	MODEL_DAYS = 30,
};

/* ---- the parts that are wanted ---- */

/* Not given unless they are named: clients compare what this report has always had. */
static const char outcomes[] = "outcomes", gaps[] = "gaps";

static bool pick(const char *const *parts, struct kb_sv word, bool *wanted, struct kb_err *err)
{
	char list[100] = "";

	for (int i = 0; i < PARTS_MAX && parts[i]; i++) {
		if (kb_sv_eq_str(word, parts[i])) {
			wanted[i] = true;
			return true;
		}
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? ", " : "",
		         parts[i]);
	}
	return kb_fail(err, KB_E_INVALID, "this report has no \"%.*s\", only %s",
	               KB_SV_ARG(kb_utf8_cut(word, 60)), list);
}

static bool read_filters(struct kb_call *call, const char *const *parts, bool *wanted,
                         struct kb_err *err)
{
	struct kb_sv rest = call->req->query, name, value, word;
	bool any = false;

	for (int i = 0; i < PARTS_MAX; i++)
		wanted[i] = false;
	while (kb_urlencoded_next(call->arena, &rest, &name, &value)) {
		if (!kb_sv_eq_str(name, "filters")
		    && !(kb_sv_starts(name, KB_SV("filters[")) && kb_sv_ends(name, KB_SV("]"))))
			continue;
		while (value.n > 0 && kb_sv_split(&value, ',', &word)) {
			word = kb_sv_trim(word);
			if (word.n == 0)
				continue;
			if (!pick(parts, word, wanted, err))
				return false;
			any = true;
		}
	}
	for (int i = 0; i < PARTS_MAX && parts[i]; i++)
		wanted[i] = wanted[i] || (!any && parts[i] != outcomes && parts[i] != gaps);
	return true;
}

/* ---- sums ---- */

bool kb_reports_traffic(struct kb_call *call, struct kb_err *err)
{
	static const char *const parts[PARTS_MAX] = { "sources" };
	struct kb_report_source *sources;
	bool wanted[PARTS_MAX];
	size_t count;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!read_filters(call, parts, wanted, err)
	    || !kb_store_report_sources(call->api->store, call->arena, call->agent.id, &sources,
	                                &count, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key(&jw, "sources");
	kb_jw_array(&jw);
	for (size_t i = 0; i < count; i++) {
		kb_jw_object(&jw);
		kb_jw_key(&jw, "request_source");
		kb_jw_choice(&jw, sources[i].source);
		kb_jw_key_int(&jw, "request_source_number", sources[i].queries);
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_reports_models(struct kb_call *call, struct kb_err *err)
{
	int64_t since = kb_clock_now_us(call->api->clock) - MODEL_DAYS * KB_DAY_US;
	struct kb_report_models models;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_report_models(call->api->store, call->arena, call->agent.id, since, &models,
	                            err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key(&jw, "models");
	kb_jw_array(&jw);
	for (size_t i = 0; i < models.count; i++) {
		kb_jw_object(&jw);
		kb_jw_key_sv(&jw, "model", models.v[i].model);
		kb_jw_key_int(&jw, "answers", models.v[i].answers);
		kb_jw_key_int(&jw, "prompt_tokens", models.v[i].prompt_tokens);
		kb_jw_key_int(&jw, "completion_tokens", models.v[i].completion_tokens);
		kb_jw_key(&jw, "cost");
		kb_jw_double(&jw, (double)models.v[i].cost / 1e6);
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

static void write_status(struct kb_jw *jw, const char *status, int64_t count)
{
	kb_jw_object(jw);
	kb_jw_key_str(jw, "status", status);
	kb_jw_key_int(jw, "count", count);
	kb_jw_end(jw);
}

static void write_outcome(struct kb_jw *jw, enum kb_outcome outcome, int64_t count)
{
	kb_jw_object(jw);
	kb_jw_key_str(jw, "outcome", kb_outcome_name(outcome));
	kb_jw_key_int(jw, "count", count);
	kb_jw_end(jw);
}

/* Ours: the failed ones in two, and how many of them found it all the same. */
static void write_outcomes(struct kb_jw *jw, const struct kb_report_sums *sums)
{
	kb_jw_key(jw, "outcomes");
	kb_jw_array(jw);
	write_outcome(jw, KB_OUTCOME_ANSWER, sums->queries - sums->failed_queries);
	write_outcome(jw, KB_OUTCOME_CLOSEST, sums->closest);
	write_outcome(jw, KB_OUTCOME_NOTHING, sums->failed_queries - sums->closest);
	kb_jw_end(jw);
	kb_jw_key_int(jw, "found", sums->found);
}

/* What became of questions that were not answered well (gaps.c). */
static void write_gaps(struct kb_jw *jw, const struct kb_gap_counts *counts)
{
	kb_jw_key(jw, gaps);
	kb_jw_object(jw);
	kb_jw_key_int(jw, "open", counts->open);
	kb_jw_key_int(jw, "answered", counts->answered);
	kb_jw_key_int(jw, "by_itself", counts->by_itself);
	kb_jw_key_int(jw, "dismissed", counts->dismissed);
	kb_jw_key_int(jw, "waiting", counts->waiting);
	kb_jw_end(jw);
}

bool kb_reports_queries(struct kb_call *call, struct kb_err *err)
{
	struct kb_gap_counts counts;
	const char *const parts[PARTS_MAX] = { "total", "query_status", outcomes, gaps };
	struct kb_report_sums sums;
	bool wanted[PARTS_MAX];
	struct kb_buf buf;
	struct kb_jw jw;

	if (!read_filters(call, parts, wanted, err)
	    || !kb_store_report_sums(call->api->store, call->agent.id, &sums, err)
	    || !kb_store_gap_counts(call->api->store, call->agent.id, &counts, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	if (wanted[0])
		kb_jw_key_int(&jw, parts[0], sums.queries);
	if (wanted[1]) {
		kb_jw_key(&jw, parts[1]);
		kb_jw_array(&jw);
		write_status(&jw, "success", sums.queries - sums.failed_queries);
		write_status(&jw, "failed", sums.failed_queries);
		kb_jw_end(&jw);
	}
	if (wanted[2])
		write_outcomes(&jw, &sums);
	if (wanted[3])
		write_gaps(&jw, &counts);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* Queries for each conversation in which something was asked, to two digits; 0: nothing was. An
 * empty conversation is no short one, and one that goes on began in another stretch of time. */
static double average(int64_t n, int64_t of)
{
	int64_t hundredths = of ? (n * 100 + of / 2) / of : 0;

	return (double)hundredths / 100;
}

bool kb_reports_conversations(struct kb_call *call, struct kb_err *err)
{
	static const char *const parts[PARTS_MAX] = { "total", "average_queries_per_conversation" };
	struct kb_report_sums sums;
	bool wanted[PARTS_MAX];
	struct kb_buf buf;
	struct kb_jw jw;

	if (!read_filters(call, parts, wanted, err)
	    || !kb_store_report_sums(call->api->store, call->agent.id, &sums, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	if (wanted[0])
		kb_jw_key_int(&jw, parts[0], sums.conversations);
	if (wanted[1]) {
		kb_jw_key(&jw, parts[1]);
		kb_jw_double(&jw, average(sums.queries, sums.asking));
	}
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* ---- over time ---- */

/* start_date and end_date; an end that is a day is the end of that day. */
static bool read_dates(struct kb_call *call, int64_t *from, int64_t *until, struct kb_err *err)
{
	enum { DAY_CHARS = 10 };
	struct kb_sv start = kb_sv_trim(kb_request_query(call->req, "start_date"));
	struct kb_sv end = kb_sv_trim(kb_request_query(call->req, "end_date"));

	*from = 0;
	*until = INT64_MAX;
	if (start.n && !kb_time_parse(start, from))
		return kb_fail(err, KB_E_INVALID, "start_date must be a date or an ISO 8601 time");
	if (end.n && !kb_time_parse(end, until))
		return kb_fail(err, KB_E_INVALID, "end_date must be a date or an ISO 8601 time");
	if (end.n)
		*until += end.n == DAY_CHARS ? KB_DAY_US : 1;
	if (*from >= *until)
		return kb_fail(err, KB_E_INVALID, "start_date must not be after end_date");
	return true;
}

static const struct interval {
	const char *name;
	int64_t width_us;
	size_t count;
	bool by_hour;
} intervals[] = {
	{ "weekly", KB_DAY_US, 7, false },
	{ "daily", 3600 * KB_SECOND_US, 24, true },
};

/* "Sat" or "17:00"; "2026-11-20" where the client names the days. */
static struct kb_sv label_of(struct kb_arena *arena, const struct interval *interval, int64_t at)
{
	static const char *const days[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	time_t seconds = (time_t)(at / KB_SECOND_US);
	struct tm tm = { 0 };

	gmtime_r(&seconds, &tm);
	if (!interval)
		return kb_arena_printf(arena, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1,
		                       tm.tm_mday);
	return interval->by_hour ? kb_arena_printf(arena, "%02d:00", tm.tm_hour)
	                         : kb_sv_str(days[tm.tm_wday]);
}

/* Whole days, or as many at a time as make few enough stretches. */
static void between_dates(int64_t from, int64_t until, int64_t now, struct kb_report_series *series)
{
	int64_t days, each;

	if (until == INT64_MAX)
		until = KB_MAX(now - now % KB_DAY_US, from) + KB_DAY_US;
	if (from == 0)
		from = KB_MAX(until - BUCKETS_USUAL * KB_DAY_US, 0);
	from -= from % KB_DAY_US;
	days = (until - from + KB_DAY_US - 1) / KB_DAY_US;
	each = (days + BUCKETS_MAX - 1) / BUCKETS_MAX;
	series->start = from;
	series->width_us = each * KB_DAY_US;
	series->count = (size_t)((days + each - 1) / each);
}

/* The stretches that the query names; *interval is NULL where it names days. */
static bool read_series(struct kb_call *call, struct kb_report_series *series,
                        const struct interval **interval, struct kb_err *err)
{
	struct kb_sv name = kb_request_query(call->req, "interval");
	int64_t now = kb_clock_now_us(call->api->clock), from, until;

	*interval = &intervals[0];
	if (name.n && kb_sv_eq_str(name, intervals[1].name))
		*interval = &intervals[1];
	else if (name.n && !kb_sv_eq_str(name, intervals[0].name))
		return kb_fail(err, KB_E_INVALID, "interval must be daily or weekly");
	if (!read_dates(call, &from, &until, err))
		return false;
	if (from > 0 || until < INT64_MAX) {
		*interval = NULL;
		between_dates(from, until, now, series);
		return true;
	}
	/* The last stretch is the one that runs now. */
	series->width_us = (*interval)->width_us;
	series->count = (*interval)->count;
	series->start =
	        now - now % series->width_us - (int64_t)(series->count - 1) * series->width_us;
	return true;
}

static double of_bucket(const struct kb_report_bucket *bucket, int part)
{
	switch (part) {
	case 0:
		return (double)bucket->queries;
	case 1:
		return (double)bucket->conversations;
	default:
		return average(bucket->queries, bucket->asking);
	}
}

bool kb_reports_analysis(struct kb_call *call, struct kb_err *err)
{
	static const char *const parts[PARTS_MAX] = { "queries", "conversations",
		                                      "queries_per_conversation" };
	const struct interval *interval;
	struct kb_report_bucket buckets[BUCKETS_MAX];
	struct kb_report_series series = { .v = buckets };
	bool wanted[PARTS_MAX];
	struct kb_buf buf;
	struct kb_jw jw;

	if (!read_series(call, &series, &interval, err) || !read_filters(call, parts, wanted, err)
	    || !kb_store_report_buckets(call->api->store, call->agent.id, &series, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	for (int part = 0; part < PARTS_MAX; part++) {
		if (!wanted[part])
			continue;
		kb_jw_key(&jw, parts[part]);
		kb_jw_array(&jw);
		for (size_t i = 0; i < series.count; i++) {
			kb_jw_object(&jw);
			kb_jw_key(&jw, "queries_number");
			kb_jw_double(&jw, of_bucket(&buckets[i], part));
			kb_jw_key_sv(&jw, "created_at_interval",
			             label_of(call->arena, interval,
			                      series.start + (int64_t)i * series.width_us));
			kb_jw_end(&jw);
		}
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* ---- one by one ---- */

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
	if (!read_dates(call, &filter.from, &filter.until, err)
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
	kb_jw_key(jw, "query_id");
	if (lead->message_id)
		kb_jw_int(jw, lead->message_id);
	else
		kb_jw_null(jw);
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
	if (!read_dates(call, &filter.from, &filter.until, err)
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
