/* Tests that are kept: questions with what they have to be answered, asked by themselves after each
 * change; made, changed and looked at by who checks answers. */
#include "answer/kept.h"
#include "api/routes.h"
#include "base/utf8.h"
#include "store/labels.h"

enum { ROWS = 20 /* of a page of the list */ };

static const char *const states[] = {
	[KB_KEPT_WAITING] = "waiting",
	[KB_KEPT_PASSED] = "passed",
	[KB_KEPT_FAILED] = "failed",
};

/* ---- records ---- */

static void write_lines(struct kb_jw *jw, const char *key, struct kb_sv lines)
{
	struct kb_sv one;

	kb_jw_key(jw, key);
	kb_jw_array(jw);
	while (lines.n && kb_sv_split(&lines, '\n', &one))
		kb_jw_sv(jw, one);
	kb_jw_end(jw);
}

static void write_document(struct kb_jw *jw, const struct kb_kept_document *document,
                           const struct kb_page *page, const struct kb_page *seen)
{
	kb_jw_object(jw);
	kb_jw_key_int(jw, "page_id", document->page_id);
	kb_jw_key_opt(jw, "title", seen->id ? kb_page_title(seen) : (struct kb_sv){ 0 });
	kb_jw_key_str(jw, "state",
	              document->gone || !page->id ? "deleted"
	              : document->changed         ? "changed"
	                                          : "ok");
	kb_jw_end(jw);
}

/* What came of it; of a test that has not been asked nothing, and what is said to somebody who
 * finds more than who calls is told to others. */
static void write_result(struct kb_jw *jw, const struct kb_kept_test *test, bool told)
{
	bool asked = test->state != KB_KEPT_WAITING;

	kb_jw_key_str(jw, "state", states[test->state]);
	kb_jw_key_opt(jw, "why",
	              asked ? kb_sv_str(kb_kept_why_name(test->why)) : (struct kb_sv){ 0 });
	kb_jw_key_opt(jw, "answer", asked && told ? test->answer : (struct kb_sv){ 0 });
	kb_jw_key_opt(jw, "answer_before",
	              test->turned_at && told ? test->answer_before : (struct kb_sv){ 0 });
	kb_jw_key_time_opt(jw, "turned_at", test->turned_at);
	kb_jw_key_time_opt(jw, "asked_at", test->asked_at);
}

/* A test with its documents. */
struct shown {
	struct kb_kept_test test;
	struct kb_page *pages;
	struct kb_page *seen; /* the same where who calls may see them, else zeroed */
};

static void test_row(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i)
{
	const struct shown *shown = (const struct shown *)rows + i;
	const struct kb_kept_test *test = &shown->test;

	kb_jw_object(jw);
	kb_jw_key_int(jw, "id", test->id);
	kb_jw_key_int(jw, "project_id", test->agent_id);
	kb_jw_key_sv(jw, "question", test->question);
	write_lines(jw, "turns", test->turns);
	write_lines(jw, "phrases", test->phrases);
	write_lines(jw, "labels", test->labels);
	kb_jw_key(jw, "documents");
	kb_jw_array(jw);
	for (size_t k = 0; k < test->document_count; k++)
		write_document(jw, &test->documents[k], &shown->pages[k], &shown->seen[k]);
	kb_jw_end(jw);
	kb_jw_key_bool(jw, "refuse", test->refuse);
	write_result(jw, test, kb_call_has_labels(call, test->labels, NULL));
	kb_jw_key_time(jw, "created_at", test->created_at);
	kb_jw_key_time(jw, "updated_at", test->updated_at);
	kb_jw_end(jw);
}

/* Documents of all tests in one trip. */
static bool show(struct kb_call *call, const struct kb_kept_test *tests, size_t count,
                 struct shown **out, struct kb_err *err)
{
	struct shown *shown = KB_NEW_ARRAY(call->arena, count, struct shown);
	size_t all = 0, at = 0;
	struct kb_page *pages, *seen;
	int64_t *ids;

	for (size_t i = 0; i < count; i++)
		all += tests[i].document_count;
	ids = KB_NEW_ARRAY(call->arena, all, int64_t);
	pages = KB_NEW_ARRAY(call->arena, all, struct kb_page);
	seen = KB_NEW_ARRAY(call->arena, all, struct kb_page);
	for (size_t i = 0; i < count; i++) {
		shown[i] = (struct shown){ tests[i], pages + at, seen + at };
		for (size_t k = 0; k < tests[i].document_count; k++)
			ids[at++] = tests[i].documents[k].page_id;
	}
	*out = shown;
	if (!kb_store_pages_get(call->api->store, call->arena,
	                        &(struct kb_page_ids){ call->agent.id, ids, all }, pages, err))
		return false;
	for (size_t i = 0; i < all; i++)
		seen[i] = pages[i];
	return kb_call_hide(call, call->agent.id, seen, all, err);
}

static bool reply_test(struct kb_call *call, int status, const struct kb_kept_test *test,
                       struct kb_err *err)
{
	struct shown *shown;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!show(call, test, 1, &shown, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	test_row(call, &jw, shown, 0);
	return kb_call_reply(call, status, &buf, &jw, err);
}

/* ---- what is sent ---- */

static const struct lines_limit {
	const char *field;
	size_t lines, chars;
} turns_limit = { "turns", KB_KEPT_TURNS_MAX, KB_KEPT_QUESTION_CHARS },
  phrases_limit = { "phrases", KB_KEPT_PHRASES_MAX, KB_KEPT_PHRASE_CHARS },
  labels_limit = { "labels", KB_KEPT_LABELS_MAX, KB_LABEL_NAME_CHARS };

static bool add_line(struct kb_call *call, const struct lines_limit *limit, const json_t *item,
                     size_t i, struct kb_buf *buf, struct kb_err *err)
{
	struct kb_sv text = kb_sv(json_string_value(item), json_string_length(item));

	if (!json_is_string(item))
		return kb_fail(err, KB_E_INVALID, "%s[%zu] must be a string", limit->field, i);
	text = kb_sv_trim(kb_utf8_line(call->arena, text, text.n));
	if (!text.n)
		return kb_fail(err, KB_E_INVALID, "%s[%zu] can't be empty", limit->field, i);
	if (kb_utf8_count(text) > limit->chars)
		return kb_fail(err, KB_E_INVALID, "%s[%zu] has %zu characters, the limit is %zu",
		               limit->field, i, kb_utf8_count(text), limit->chars);
	kb_buf_str(buf, buf->n ? "\n" : "");
	kb_buf_sv(buf, text);
	return true;
}

/* An array of strings; null is none, and what is left out stays. */
static bool read_lines(struct kb_call *call, const struct lines_limit *limit, struct kb_sv *out,
                       struct kb_err *err)
{
	const json_t *json = kb_inputs_json(&call->inputs, call->arena, limit->field), *item;
	struct kb_buf buf;
	bool ok = true;
	size_t i;

	if (!json)
		return true;
	if (!json_is_array(json) && !json_is_null(json))
		return kb_fail(err, KB_E_INVALID, "%s must be an array of strings", limit->field);
	if (json_array_size(json) > limit->lines)
		return kb_fail(err, KB_E_INVALID, "%s holds %zu texts, the limit is %zu",
		               limit->field, json_array_size(json), limit->lines);
	kb_buf_init(&buf, SIZE_MAX);
	json_array_foreach(json, i, item) ok = ok && add_line(call, limit, item, i, &buf, err);
	*out = kb_arena_sv(call->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return ok;
}

static bool read_documents(struct kb_call *call, struct kb_kept_put *put, struct kb_err *err)
{
	struct kb_input_ids ids = { "documents", KB_KEPT_DOCUMENTS_MAX, put->documents,
		                    put->document_count };

	if (!kb_inputs_ids(&call->inputs, call->arena, &ids, err))
		return false;
	put->documents = ids.v;
	put->document_count = ids.count;
	return true;
}

/* What the body says over what there was. */
static bool read_put(struct kb_call *call, const struct kb_kept_test *before,
                     struct kb_kept_put *put, struct kb_err *err)
{
	int64_t *documents = KB_NEW_ARRAY(call->arena, before->document_count, int64_t);

	*put = (struct kb_kept_put){ .agent_id = call->agent.id,
		                     .id = before->id,
		                     .question = before->question,
		                     .turns = before->turns,
		                     .phrases = before->phrases,
		                     .labels = before->labels,
		                     .refuse = before->refuse,
		                     .documents = documents };
	for (size_t i = 0; i < before->document_count; i++)
		if (!before->documents[i].gone)
			documents[put->document_count++] = before->documents[i].page_id;
	if (!kb_inputs_text(&call->inputs, call->arena, "question", KB_KEPT_QUESTION_CHARS,
	                    &put->question, err)
	    || !read_lines(call, &turns_limit, &put->turns, err)
	    || !read_lines(call, &phrases_limit, &put->phrases, err)
	    || !read_lines(call, &labels_limit, &put->labels, err)
	    || !kb_call_has_labels(call, put->labels, err) || !read_documents(call, put, err)
	    || !kb_inputs_bool(&call->inputs, "refuse", &put->refuse, err))
		return false;
	put->question = kb_sv_trim(
	        put->question.p ? kb_utf8_line(call->arena, put->question, put->question.n)
	                        : KB_SV(""));
	if (!put->question.n)
		return kb_fail(err, KB_E_INVALID, "question can't be empty");
	if (put->refuse && (put->phrases.n || put->document_count))
		return kb_fail(err, KB_E_INVALID,
		               "what is to be refused has no phrases and no documents");
	return true;
}

static bool put_test(struct kb_call *call, const struct kb_kept_test *before, int status,
                     struct kb_err *err)
{
	struct kb_kept_put put;
	struct kb_kept_test test;

	return read_put(call, before, &put, err)
	       && kb_store_kept_put(call->api->store, call->arena, &put, &test, err)
	       && reply_test(call, status, &test, err);
}

static bool read_one(struct kb_call *call, struct kb_kept_test *out, struct kb_err *err)
{
	int64_t id;

	return kb_call_id(call, 1, "Test", &id, err)
	       && kb_store_kept_get(call->api->store, call->arena, call->agent.id, id, out, err);
}

/* ---- routes ---- */

static bool read_filter(struct kb_call *call, struct kb_kept_filter *out, struct kb_err *err)
{
	struct kb_sv state = kb_request_query(call->req, "state");

	*out = (struct kb_kept_filter){ .list = kb_call_list(call, ROWS), .state = -1 };
	for (size_t i = 0; i < KB_COUNTOF(states); i++)
		if (kb_sv_eq_str(state, states[i]))
			out->state = (int64_t)i;
	if (state.n && out->state < 0)
		return kb_fail(err, KB_E_INVALID, "state must be waiting, passed or failed");
	return kb_query_flag(call, "to_look_at", &out->to_look_at, err);
}

bool kb_tests_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_kept_filter filter;
	struct kb_kept_list tests;
	struct shown *shown;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!read_filter(call, &filter, err)
	    || !kb_store_kept_list(call->api->store, call->arena, call->agent.id, &filter, &tests,
	                           err)
	    || !show(call, tests.v, tests.count, &shown, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_call_paginate(call, &jw,
	                 &(struct kb_paginator){ .list = &filter.list,
	                                         .total = tests.total,
	                                         .count = tests.count,
	                                         .rows = shown,
	                                         .row = test_row });
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_tests_create(struct kb_call *call, struct kb_err *err)
{
	const struct kb_kept_test none = { .turns = KB_SV(""),
		                           .phrases = KB_SV(""),
		                           .labels = KB_SV("") };

	return put_test(call, &none, 201, err);
}

bool kb_tests_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_kept_test test;

	return read_one(call, &test, err) && reply_test(call, 200, &test, err);
}

bool kb_tests_update(struct kb_call *call, struct kb_err *err)
{
	struct kb_kept_test before;

	return read_one(call, &before, err) && put_test(call, &before, 200, err);
}

bool kb_tests_delete(struct kb_call *call, struct kb_err *err)
{
	int64_t id;

	return kb_call_id(call, 1, "Test", &id, err)
	       && kb_store_kept_delete(call->api->store, call->agent.id, id, err)
	       && kb_call_reply_flag(call, 200, "deleted", err);
}

bool kb_tests_run(struct kb_call *call, struct kb_err *err)
{
	struct kb_api *api = call->api; /* behind a reply the call may be gone */
	const struct kb_anew_with with = { api->answerer, api->store, NULL };
	struct kb_kept_result result;
	struct kb_kept_test test;
	bool ok;

	if (!read_one(call, &test, err) || !kb_call_has_labels(call, test.labels, err)
	    || !kb_trials_take(api, err))
		return false;
	ok = kb_kept_ask(&with, call->arena, &call->agent, &test, &result, err)
	     && kb_store_kept_tried(api->store, &result, err)
	     && kb_store_kept_get(api->store, call->arena, call->agent.id, test.id, &test, err)
	     && reply_test(call, 200, &test, err);
	kb_trials_give(api);
	return ok;
}
