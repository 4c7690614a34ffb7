/* Gaps: questions that were not answered well, in groups; seen, answered and dismissed by who
 * checks answers. */
#include "store/gaps.h"

#include "answer/anew.h"
#include "api/routes.h"
#include "base/utf8.h"
#include "index/unicode.h"
#include "store/verified.h"

enum {
	ROWS = 20,       /* of a page of the list */
	SHOWN = 20,      /* questions of one, the last ones */
	ASKED_FORMS = 10 /* of them, that an answer is made for */
};

static const char *const states[] = {
	[KB_GAP_OPEN] = "open",
	[KB_GAP_ANSWERED] = "answered",
	[KB_GAP_DISMISSED] = "dismissed",
};

/* -1: there is none of that name. */
static int64_t state_of(struct kb_sv name)
{
	for (size_t i = 0; i < KB_COUNTOF(states); i++)
		if (kb_sv_eq_str(name, states[i]))
			return (int64_t)i;
	return -1;
}

static bool no_state(struct kb_err *err)
{
	return kb_fail(err, KB_E_INVALID, "state must be open, answered or dismissed");
}

/* ---- records ---- */

static void key_int_or_null(struct kb_jw *jw, const char *key, int64_t n, bool known)
{
	if (known)
		kb_jw_key_int(jw, key, n);
	else
		kb_jw_key_null(jw, key);
}

static void write_members(struct kb_jw *jw, const struct kb_gap *gap)
{
	kb_jw_key_int(jw, "id", gap->id);
	kb_jw_key_int(jw, "project_id", gap->agent_id);
	kb_jw_key_sv(jw, "question", gap->question);
	kb_jw_key_str(jw, "state", states[gap->state]);
	kb_jw_key_opt(jw, "owner", gap->owner.n ? gap->owner : (struct kb_sv){ 0 });
	key_int_or_null(jw, "answer_id", gap->answer_id, gap->answer_id != 0);
	kb_jw_key_int(jw, "asked", gap->asked);
	kb_jw_key_int(jw, "people", gap->people);
	kb_jw_key_int(jw, "unanswered", gap->unanswered);
	kb_jw_key_int(jw, "disliked", gap->disliked);
	kb_jw_key_int(jw, "shaky", gap->shaky);
	kb_jw_key_time(jw, "first_at", gap->first_at);
	kb_jw_key_time(jw, "last_at", gap->last_at);
	key_int_or_null(jw, "answers", gap->answers, gap->tried > 0);
	key_int_or_null(jw, "of", gap->tried, gap->tried > 0);
	kb_jw_key_time_opt(jw, "tried_at", gap->tried_at);
	kb_jw_key_bool(jw, "by_itself", gap->by_itself);
	kb_jw_key_time_opt(jw, "closed_at", gap->closed_at);
}

static void gap_row(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i)
{
	(void)call;
	kb_jw_object(jw);
	write_members(jw, (const struct kb_gap *)rows + i);
	kb_jw_end(jw);
}

static bool reply_gap(struct kb_call *call, int status, int64_t id, struct kb_err *err)
{
	struct kb_gap gap;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_gap_get(call->api->store, call->arena, call->agent.id, id, &gap, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	write_members(&jw, &gap);
	kb_jw_end(&jw);
	return kb_call_reply(call, status, &buf, &jw, err);
}

static bool read_gap(struct kb_call *call, struct kb_gap *out, struct kb_err *err)
{
	int64_t id;

	return kb_call_id(call, 1, "Gap", &id, err)
	       && kb_store_gap_get(call->api->store, call->arena, call->agent.id, id, out, err);
}

/* ---- the list ---- */

bool kb_gaps_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_gap_filter filter = { .list = kb_call_list(call, ROWS), .state = -1 };
	struct kb_sv state = kb_request_query(call->req, "state");
	struct kb_sv people = kb_request_query(call->req, "people");
	struct kb_gap_list gaps;
	struct kb_buf buf;
	struct kb_jw jw;

	if (state.n && (filter.state = state_of(state)) < 0)
		return no_state(err);
	if (people.n && !kb_sv_to_int(people, 0, INT32_MAX, &filter.people))
		return kb_fail(err, KB_E_INVALID, "people must be an integer");
	if (!kb_store_gap_list(call->api->store, call->arena, call->agent.id, &filter, &gaps, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_call_paginate(call, &jw,
	                 &(struct kb_paginator){ .list = &filter.list,
	                                         .total = gaps.total,
	                                         .count = gaps.count,
	                                         .rows = gaps.v,
	                                         .row = gap_row });
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* ---- one ---- */

static void write_whys(struct kb_jw *jw, int64_t why)
{
	static const struct {
		int64_t why;
		const char *name;
	} whys[] = {
		{ KB_GAP_UNANSWERED, "unanswered" },
		{ KB_GAP_DISLIKED, "disliked" },
		{ KB_GAP_SHAKY, "shaky" },
	};

	kb_jw_key(jw, "why");
	kb_jw_array(jw);
	for (size_t i = 0; i < KB_COUNTOF(whys); i++)
		if (why & whys[i].why)
			kb_jw_str(jw, whys[i].name);
	kb_jw_end(jw);
}

static void write_questions(struct kb_jw *jw, const struct kb_gap_questions *questions)
{
	kb_jw_key(jw, "questions");
	kb_jw_array(jw);
	for (size_t i = 0; i < questions->count; i++) {
		kb_jw_object(jw);
		kb_jw_key_int(jw, "message_id", questions->v[i].message_id);
		kb_jw_key_sv(jw, "question", questions->v[i].question);
		write_whys(jw, questions->v[i].why);
		kb_jw_key_time(jw, "asked_at", questions->v[i].asked_at);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

/* In words, for who reads no codes. */
static struct kb_sv explain(struct kb_arena *arena, const struct kb_anew_reason *reason)
{
	static const char *const sentences[] = {
		[KB_ANEW_ANSWERED] = "It is answered now.",
		[KB_ANEW_UNFOUND] = "No passage that everybody may find has its words.",
		[KB_ANEW_CLOSEST] = "Passages speak of the subject, and none answers for sure.",
		[KB_ANEW_NOTHING] = "Passages have some of its words, and speak of something else.",
	};
	struct kb_buf buf;
	struct kb_sv out;

	if (reason->why != KB_ANEW_NAMED)
		return kb_sv_str(sentences[reason->why]);
	kb_buf_init(&buf, SIZE_MAX);
	kb_buf_str(&buf, "No passage has what it names: ");
	for (size_t i = 0; i < reason->named_count; i++) {
		kb_buf_str(&buf, i ? ", " : "");
		kb_buf_sv(&buf, reason->named[i]);
	}
	kb_buf_byte(&buf, '.');
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

static void write_reason(struct kb_call *call, struct kb_jw *jw,
                         const struct kb_anew_reason *reason)
{
	kb_jw_key_str(jw, "why", kb_anew_why_name(reason->why));
	kb_jw_key_sv(jw, "explanation", explain(call->arena, reason));
	kb_jw_key(jw, "named");
	kb_jw_array(jw);
	for (size_t i = 0; i < reason->named_count; i++)
		kb_jw_sv(jw, reason->named[i]);
	kb_jw_end(jw);
	kb_jw_key(jw, "nearest");
	kb_jw_array(jw);
	for (size_t i = 0; i < reason->nearest_count; i++) {
		const struct kb_passage *passage = &reason->nearest[i].passage;

		kb_jw_object(jw);
		kb_jw_key_int(jw, "page_id", passage->page_id);
		kb_jw_key_opt(jw, "title", passage->title.n ? passage->title : (struct kb_sv){ 0 });
		kb_jw_key_opt(jw, "heading",
		              passage->heading.n ? passage->heading : (struct kb_sv){ 0 });
		kb_jw_key_sv(jw, "text", passage->text);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

static struct kb_anew_with anew_of(const struct kb_call *call)
{
	return (struct kb_anew_with){ call->api->answerer, call->api->store, NULL };
}

bool kb_gaps_read(struct kb_call *call, struct kb_err *err)
{
	const struct kb_anew_with with = anew_of(call);
	struct kb_gap_questions questions;
	struct kb_anew_reason reason;
	struct kb_gap gap;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!read_gap(call, &gap, err)
	    || !kb_store_gap_questions(call->api->store, call->arena, &gap, SHOWN, &questions, err)
	    || !kb_anew_reason(&with, call->arena, &call->agent, gap.question, &reason, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	write_members(&jw, &gap);
	write_questions(&jw, &questions);
	write_reason(call, &jw, &reason);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* ---- what a person says of it ---- */

bool kb_gaps_update(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv state = { 0 };
	struct kb_gap gap;

	if (!read_gap(call, &gap, err)
	    || !kb_inputs_text(&call->inputs, call->arena, "owner", KB_GAP_OWNER_CHARS, &gap.owner,
	                       err)
	    || !kb_inputs_text(&call->inputs, call->arena, "state", 20, &state, err))
		return false;
	gap.owner =
	        gap.owner.p ? kb_utf8_line(call->arena, gap.owner, KB_GAP_OWNER_CHARS) : KB_SV("");
	if (state.p) {
		int64_t is = state_of(state);

		if (is < 0)
			return no_state(err);
		gap.state = (enum kb_gap_state)is;
	}
	return kb_store_gap_set(call->api->store, &gap, err) && reply_gap(call, 200, gap.id, err);
}

/* Without case, marks and blanks. */
static struct kb_sv key_of(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_buf buf;
	struct kb_sv out;
	uint32_t cp;

	kb_buf_init(&buf, SIZE_MAX);
	for (size_t at = 0, n; at < text.n; at += n) {
		char bytes[4];

		n = kb_utf8_decode(kb_sv_from(text, at), &cp);
		if (cp != KB_UTF8_BAD && kb_char_kind(cp) != KB_CHAR_BREAK)
			kb_buf_add(&buf, bytes, kb_utf8_encode(kb_char_lower(cp), bytes));
	}
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

/* Its questions as people have put them, one a line: that by which it is shown, then others. */
static struct kb_sv forms_of(struct kb_call *call, const struct kb_gap *gap,
                             const struct kb_gap_questions *questions)
{
	struct kb_sv forms[ASKED_FORMS + 1] = { gap->question }, keys[ASKED_FORMS + 1];
	size_t count = 1;
	struct kb_buf buf;
	struct kb_sv out;

	keys[0] = key_of(call->arena, gap->question);
	for (size_t i = 0; i < questions->count && count < KB_COUNTOF(forms); i++) {
		struct kb_sv key = key_of(call->arena, questions->v[i].question);
		bool known = false;

		for (size_t k = 0; k < count; k++)
			known |= kb_sv_eq(keys[k], key);
		if (known)
			continue;
		keys[count] = key;
		forms[count++] = questions->v[i].question;
	}
	kb_buf_init(&buf, SIZE_MAX);
	for (size_t i = 0; i < count; i++) {
		kb_buf_str(&buf, i ? "\n" : "");
		kb_buf_sv(&buf, kb_utf8_line(call->arena, forms[i], KB_VERIFIED_QUESTION_CHARS));
	}
	out = kb_arena_sv(call->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

bool kb_gap_answer(struct kb_call *call, int64_t id, struct kb_gap *gap, struct kb_err *err)
{
	struct kb_verified before = { .answer = KB_SV("") }, answer;
	struct kb_store *store = call->api->store;
	struct kb_gap_questions questions;

	if (!kb_store_gap_get(store, call->arena, call->agent.id, id, gap, err)
	    || !kb_store_gap_questions(store, call->arena, gap, KB_ANEW_QUESTIONS, &questions, err))
		return false;
	before.questions = forms_of(call, gap, &questions);
	if (!kb_answers_put(call, &before, &answer, err))
		return false;
	gap->answer_id = answer.page_id;
	gap->state = KB_GAP_ANSWERED;
	return kb_store_gap_set(store, gap, err);
}

bool kb_gaps_answer(struct kb_call *call, struct kb_err *err)
{
	struct kb_gap gap;
	int64_t id;

	return kb_call_id(call, 1, "Gap", &id, err) && kb_gap_answer(call, id, &gap, err)
	       && reply_gap(call, 201, gap.id, err);
}

/* ---- asking anew ---- */

static bool replay(struct kb_call *call, const struct kb_gap_questions *questions, struct kb_jw *jw,
                   struct kb_gap_tried *tried, struct kb_err *err)
{
	const struct kb_anew_with with = anew_of(call);

	kb_jw_key(jw, "questions");
	kb_jw_array(jw);
	for (size_t i = 0; i < questions->count; i++) {
		struct kb_anew_said said;

		if (!kb_anew_question(&with, call->arena, &call->agent, &questions->v[i], &said,
		                      err))
			return false;
		tried->answers += said.mended;
		kb_jw_object(jw);
		kb_jw_key_int(jw, "message_id", questions->v[i].message_id);
		kb_jw_key_sv(jw, "question", questions->v[i].question);
		kb_jw_key_bool(jw, "mended", said.mended);
		kb_jw_key_sv(jw, "answer", said.text);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
	tried->tried = (int64_t)questions->count;
	tried->closes = tried->tried && tried->answers * 10 >= tried->tried * KB_ANEW_TENTHS;
	return kb_store_gap_tried(call->api->store, tried, err);
}

static bool reply_replay(struct kb_call *call, const struct kb_gap *gap, struct kb_err *err)
{
	struct kb_gap_tried tried = { .agent_id = gap->agent_id,
		                      .gap_id = gap->id,
		                      .version = call->agent.index_version };
	struct kb_gap_questions questions;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_gap_questions(call->api->store, call->arena, gap, KB_ANEW_QUESTIONS,
	                            &questions, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	if (!replay(call, &questions, &jw, &tried, err)) {
		kb_buf_fini(&buf);
		return false;
	}
	kb_jw_key_int(&jw, "answers", tried.answers);
	kb_jw_key_int(&jw, "of", tried.tried);
	kb_jw_key_bool(&jw, "closed", gap->state == KB_GAP_OPEN && tried.closes);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_gaps_replay(struct kb_call *call, struct kb_err *err)
{
	struct kb_api *api = call->api; /* behind a reply the call may be gone */
	struct kb_gap gap;
	bool ok;

	if (!read_gap(call, &gap, err) || !kb_trials_take(api, err))
		return false;
	ok = reply_replay(call, &gap, err);
	kb_trials_give(api);
	return ok;
}
