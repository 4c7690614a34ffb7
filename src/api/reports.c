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
 *   /improvement                         of the last eight weeks, each
 *   /models                              tokens and cost by model, of the last 30 days
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "api/routes.h"
#include "base/utf8.h"
#include "store/gaps.h"
#include "store/reports.h"

enum {
	PARTS_MAX = 4,
	BUCKETS_MAX = 92, /* a quarter by day */
	BUCKETS_USUAL = 30,
	MODEL_DAYS = 30,
	WEEKS = 8,
	WEEK_DAYS = 7,
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

bool kb_reports_improvement(struct kb_call *call, struct kb_err *err)
{
	int64_t now = kb_clock_now_us(call->api->clock), end = now - now % KB_DAY_US + KB_DAY_US;
	struct kb_report_week weeks[WEEKS];
	struct kb_buf buf;
	struct kb_jw jw;

	for (int i = 0; i < WEEKS; i++) {
		weeks[i] = (struct kb_report_week){
			.from = end - (WEEKS - i) * WEEK_DAYS * KB_DAY_US,
			.until = end - (WEEKS - 1 - i) * WEEK_DAYS * KB_DAY_US,
		};
		if (!kb_store_report_week(call->api->store, call->agent.id, &weeks[i], err))
			return false;
	}
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key(&jw, "weeks");
	kb_jw_array(&jw);
	for (int i = 0; i < WEEKS; i++) {
		kb_jw_object(&jw);
		kb_jw_key_time(&jw, "from", weeks[i].from);
		kb_jw_key_int(&jw, "asked", weeks[i].asked);
		kb_jw_key_int(&jw, "answered", weeks[i].answered);
		kb_jw_key_int(&jw, "checked", weeks[i].checked);
		kb_jw_key_int(&jw, "mended", weeks[i].mended);
		kb_jw_key_int(&jw, "open", weeks[i].open);
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
	if (!kb_call_dates(call, &from, &until, err))
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
