/* Checked answers: made, listed, changed and deleted by an agent's keepers. */
#include "store/verified.h"

#include "api/routes.h"
#include "base/utf8.h"
#include "parse/clean.h"
#include "parse/format.h"
#include "store/labels.h"

/* ---- answers ---- */

static const char *state_of(const struct kb_verified *answer)
{
	const char *state = "ok";

	for (size_t i = 0; i < answer->cite_count; i++) {
		if (answer->cites[i].gone)
			return "source_deleted";
		if (answer->cites[i].changed)
			state = "source_changed";
	}
	if (answer->is_due)
		return "review_due";
	return state;
}

static void key_optional(struct kb_jw *jw, const char *key, struct kb_sv text)
{
	kb_jw_key_opt(jw, key, text.n ? text : (struct kb_sv){ 0 });
}

static void write_questions(struct kb_jw *jw, struct kb_sv questions)
{
	struct kb_sv one;

	kb_jw_key(jw, "questions");
	kb_jw_array(jw);
	while (questions.p && kb_sv_split(&questions, '\n', &one))
		kb_jw_sv(jw, one);
	kb_jw_end(jw);
}

static void write_cites(struct kb_jw *jw, const struct kb_verified *answer)
{
	kb_jw_key(jw, "citations");
	kb_jw_array(jw);
	for (size_t i = 0; i < answer->cite_count; i++) {
		const struct kb_verified_cite *cite = &answer->cites[i];

		kb_jw_object(jw);
		kb_jw_key_int(jw, "page_id", cite->page_id);
		kb_jw_key_str(jw, "state",
		              cite->gone      ? "deleted"
		              : cite->changed ? "changed"
		                              : "ok");
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

static void write_members(struct kb_jw *jw, const struct kb_verified *answer)
{
	kb_jw_key_int(jw, "id", answer->page_id);
	kb_jw_key_int(jw, "project_id", answer->agent_id);
	kb_jw_key_int(jw, "version", answer->version);
	kb_jw_key_str(jw, "state", state_of(answer));
	write_questions(jw, answer->questions);
	kb_jw_key_sv(jw, "answer", answer->answer);
	write_cites(jw, answer);
	key_optional(jw, "owner", answer->owner);
	key_optional(jw, "checked_by", answer->checked_by);
	kb_jw_key_time(jw, "checked_at", answer->checked_at);
	kb_jw_key_time_opt(jw, "review_at", answer->review_at);
	kb_jw_key_time(jw, "created_at", answer->created_at);
	kb_jw_key_time(jw, "updated_at", answer->updated_at);
}

static void answer_row(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i)
{
	(void)call;
	kb_jw_object(jw);
	write_members(jw, (const struct kb_verified *)rows + i);
	kb_jw_end(jw);
}

static bool reply_answer(struct kb_call *call, int status, const struct kb_verified *answer,
                         struct kb_err *err)
{
	struct kb_label_list labels;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_page_labels(call->api->store, call->arena, answer->agent_id, answer->page_id,
	                          &labels, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	write_members(&jw, answer);
	kb_jw_key(&jw, "label_ids");
	kb_jw_array(&jw);
	for (size_t i = 0; i < labels.count; i++)
		kb_jw_int(&jw, labels.v[i].id);
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	return kb_call_reply(call, status, &buf, &jw, err);
}

/* ---- what is sent ---- */

/* As a document's text is kept, line by line: what is quoted must stand in the document word for
 * word. Lines without a word go; of an answer one empty line between others stays. */
static struct kb_sv clean_lines(struct kb_arena *arena, struct kb_sv text, bool gaps)
{
	struct kb_buf buf, one;
	struct kb_sv line, out;
	bool gap = false;

	kb_buf_init(&buf, SIZE_MAX);
	kb_buf_init(&one, SIZE_MAX);
	while (text.p && kb_sv_split(&text, '\n', &line)) {
		kb_buf_clear(&one);
		kb_clean(&one, line, KB_CLEAN_LINE);
		if (!kb_doc_says(kb_buf_view(&one))) {
			gap = gaps;
			continue;
		}
		if (buf.n)
			kb_buf_str(&buf, gap ? "\n\n" : "\n");
		kb_buf_sv(&buf, kb_buf_view(&one));
		gap = false;
	}
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&one);
	kb_buf_fini(&buf);
	return out;
}

static bool check_questions(struct kb_sv questions, struct kb_err *err)
{
	struct kb_sv one;
	size_t count = 0;

	if (!questions.n)
		return kb_fail(err, KB_E_INVALID, "questions can't be empty");
	while (kb_sv_split(&questions, '\n', &one)) {
		size_t chars = kb_utf8_count(one);

		if (++count > KB_VERIFIED_QUESTIONS_MAX)
			return kb_fail(err, KB_E_INVALID, "questions holds more than %d questions",
			               KB_VERIFIED_QUESTIONS_MAX);
		if (chars > KB_VERIFIED_QUESTION_CHARS)
			return kb_fail(err, KB_E_INVALID,
			               "questions[%zu] has %zu characters, the limit is %d",
			               count - 1, chars, KB_VERIFIED_QUESTION_CHARS);
	}
	return true;
}

/* An array, or `question` for one. */
static bool read_questions(struct kb_call *call, struct kb_sv *out, struct kb_err *err)
{
	const json_t *json = kb_inputs_json(&call->inputs, call->arena, "questions"), *item;
	struct kb_buf buf;
	size_t i;

	if (!json)
		json = kb_inputs_json(&call->inputs, call->arena, "question");
	if (!json)
		return out->n || kb_fail(err, KB_E_INVALID, "questions can't be empty");
	if (json_is_string(json)) {
		*out = kb_sv(json_string_value(json), json_string_length(json));
		*out = kb_utf8_line(call->arena, *out, out->n);
	} else if (json_is_array(json)) {
		kb_buf_init(&buf, SIZE_MAX);
		json_array_foreach(json, i, item)
		{
			struct kb_sv text =
			        kb_sv(json_string_value(item), json_string_length(item));

			if (!json_is_string(item)) {
				kb_buf_fini(&buf);
				return kb_fail(err, KB_E_INVALID, "questions[%zu] must be a string",
				               i);
			}
			kb_buf_sv(&buf, kb_utf8_line(call->arena, text, text.n));
			kb_buf_byte(&buf, '\n');
		}
		*out = kb_arena_sv(call->arena, kb_buf_view(&buf));
		kb_buf_fini(&buf);
	} else {
		return kb_fail(err, KB_E_INVALID, "questions must be an array of strings");
	}
	*out = clean_lines(call->arena, *out, false);
	return check_questions(*out, err);
}

static bool read_answer(struct kb_call *call, struct kb_sv *out, struct kb_err *err)
{
	struct kb_sv text = { 0 };

	if (!kb_inputs_text(&call->inputs, call->arena, "answer", KB_VERIFIED_ANSWER_CHARS, &text,
	                    err))
		return false;
	if (text.p)
		*out = clean_lines(call->arena, text, true);
	return out->n || kb_fail(err, KB_E_INVALID, "answer can't be empty");
}

static bool read_cites(struct kb_call *call, struct kb_verified_put *put, struct kb_err *err)
{
	struct kb_input_ids ids = { "citations", KB_VERIFIED_CITES_MAX, put->cited,
		                    put->cited_count };

	if (!kb_inputs_ids(&call->inputs, call->arena, &ids, err))
		return false;
	put->cited = ids.v;
	put->cited_count = ids.count;
	return true;
}

static bool read_name(struct kb_call *call, const char *field, struct kb_sv *out,
                      struct kb_err *err)
{
	struct kb_sv text = *out;

	if (!kb_inputs_text(&call->inputs, call->arena, field, KB_VERIFIED_NAME_CHARS, &text, err))
		return false;
	*out = text.p ? kb_utf8_line(call->arena, text, KB_VERIFIED_NAME_CHARS) : KB_SV("");
	return true;
}

/* Who asks has checked it, unless they name somebody. */
static bool read_checked_by(struct kb_call *call, struct kb_sv *out, struct kb_err *err)
{
	struct kb_account account;

	if (kb_inputs_find(&call->inputs, "checked_by"))
		return read_name(call, "checked_by", out, err);
	if (!kb_store_account_get(call->api->store, call->arena, call->who.account, &account, err))
		return false;
	*out = kb_utf8_line(call->arena, account.name, KB_VERIFIED_NAME_CHARS);
	return true;
}

/* The document's file, under the words of the first question. */
static bool make_file(struct kb_call *call, struct kb_verified_put *put, struct kb_err *err)
{
	struct kb_blob_name *name = KB_NEW(call->arena, struct kb_blob_name);
	struct kb_sv rest = put->questions, first;
	struct kb_sv file = kb_arena_printf(call->arena, "%s%.*s\n\n%.*s\n", KB_ANSWER_MARK,
	                                    KB_SV_ARG(put->questions), KB_SV_ARG(put->answer));

	(void)kb_sv_split(&rest, '\n', &first);
	put->page = (struct kb_page_new){ .filename = first,
		                          .content_type = KB_SV("text/plain"),
		                          .is_ours = true,
		                          .size = (int64_t)file.n };
	if (!kb_blob_put(call->api->blobs, file, name, err))
		return false;
	put->page.blob = kb_sv_str(name->hex);
	return true;
}

/* What the body says over what there was. */
static bool read_put(struct kb_call *call, const struct kb_verified *before,
                     struct kb_verified_put *put, struct kb_err *err)
{
	int64_t *cited = KB_NEW_ARRAY(call->arena, before->cite_count, int64_t);

	*put = (struct kb_verified_put){ .agent_id = call->agent.id,
		                         .page_id = before->page_id,
		                         .version = before->version,
		                         .questions = before->questions,
		                         .answer = before->answer,
		                         .owner = before->owner,
		                         .review_at = before->review_at,
		                         .cited = cited };
	for (size_t i = 0; i < before->cite_count; i++)
		cited[put->cited_count++] = before->cites[i].page_id;
	if (!read_questions(call, &put->questions, err) || !read_answer(call, &put->answer, err)
	    || !read_cites(call, put, err) || !read_name(call, "owner", &put->owner, err)
	    || !kb_inputs_date(&call->inputs, call->arena, "review_at", &put->review_at, NULL, err)
	    || !read_checked_by(call, &put->checked_by, err)
	    || !kb_inputs_int(&call->inputs, "version", 0, INT64_MAX, &put->version, err))
		return false;
	return !kb_inputs_find(&call->inputs, "label_ids")
	       || kb_label_ids_read(call, &put->label_ids, &put->label_count, err);
}

/* ---- routes ---- */

bool kb_query_flag(struct kb_call *call, const char *name, bool *out, struct kb_err *err)
{
	struct kb_sv text = kb_request_query(call->req, name);

	*out = kb_sv_eq_str(text, "true") || kb_sv_eq_str(text, "1");
	return !text.n || *out || kb_sv_eq_str(text, "false") || kb_sv_eq_str(text, "0")
	       || kb_fail(err, KB_E_INVALID, "%s must be true or false", name);
}

bool kb_answers_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_verified_filter filter = { .list = kb_call_list(call, 20) };
	struct kb_verified_list answers;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_query_flag(call, "to_look_at", &filter.to_look_at, err)
	    || !kb_store_verified_list(call->api->store, call->arena, call->agent.id, &filter,
	                               &answers, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_call_paginate(call, &jw,
	                 &(struct kb_paginator){ .list = &filter.list,
	                                         .total = answers.total,
	                                         .count = answers.count,
	                                         .rows = answers.v,
	                                         .row = answer_row });
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_answers_put(struct kb_call *call, const struct kb_verified *before,
                    struct kb_verified *answer, struct kb_err *err)
{
	struct kb_verified_put put;

	if (!read_put(call, before, &put, err) || !make_file(call, &put, err)
	    || !kb_store_verified_put(call->api->store, call->arena, &put, answer, err))
		return false;
	kb_api_wake(call->api);
	return true;
}

bool kb_answers_create(struct kb_call *call, struct kb_err *err)
{
	const struct kb_verified none = { .questions = KB_SV(""), .answer = KB_SV("") };
	struct kb_verified answer;

	return kb_answers_put(call, &none, &answer, err) && reply_answer(call, 201, &answer, err);
}

static bool read_one(struct kb_call *call, struct kb_verified *out, struct kb_err *err)
{
	int64_t id;

	return kb_call_id(call, 1, "Answer", &id, err)
	       && kb_store_verified_get(call->api->store, call->arena, call->agent.id, id, out,
	                                err);
}

bool kb_answers_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_verified answer;

	return read_one(call, &answer, err) && reply_answer(call, 200, &answer, err);
}

bool kb_answers_update(struct kb_call *call, struct kb_err *err)
{
	struct kb_verified before, answer;

	return read_one(call, &before, err) && kb_answers_put(call, &before, &answer, err)
	       && reply_answer(call, 200, &answer, err);
}

bool kb_answers_delete(struct kb_call *call, struct kb_err *err)
{
	struct kb_verified answer;

	return read_one(call, &answer, err)
	       && kb_store_page_delete(call->api->store, call->agent.id, answer.page_id, err)
	       && kb_call_reply_flag(call, 200, "deleted", err);
}

bool kb_answers_versions(struct kb_call *call, struct kb_err *err)
{
	struct kb_verified_list versions;
	struct kb_buf buf;
	struct kb_jw jw;
	int64_t id;

	if (!kb_call_id(call, 1, "Answer", &id, err)
	    || !kb_store_verified_versions(call->api->store, call->arena, call->agent.id, id,
	                                   &versions, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_array(&jw);
	for (size_t i = 0; i < versions.count; i++) {
		kb_jw_object(&jw);
		kb_jw_key_int(&jw, "version", versions.v[i].version);
		write_questions(&jw, versions.v[i].questions);
		kb_jw_key_sv(&jw, "answer", versions.v[i].answer);
		key_optional(&jw, "checked_by", versions.v[i].checked_by);
		kb_jw_key_time(&jw, "checked_at", versions.v[i].checked_at);
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}
