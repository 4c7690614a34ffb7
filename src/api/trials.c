/*
 * A trial: a question that is asked to learn how the agent does, not to have an answer. It goes the
 * way of every question, a model included, but nothing of it is stored, it is no query of the plan,
 * and it takes nothing of the key's rate. What keeps the node for others is that few go on at once.
 */
#include "answer/find.h"
#include "api/routes.h"
#include "api/session.h"
#include "parse/parse.h"

enum {
	TRIALS_MOST = 2, /* of a node, at once */
	TRIAL_AGAIN_S = 1,
	PASSAGES_DEFAULT = 10,
	PASSAGES_MOST = 1000, /* as deep as runs are judged */
};

struct trial {
	struct kb_turn turn;
	int64_t passages;
	bool answer;
	int64_t began_us;
};

/* ---- what is sent ---- */

static bool read_turns(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	const json_t *json = kb_inputs_json(&call->inputs, call->arena, "turns");
	size_t count = json_array_size(json);
	struct kb_sv *turns;

	if (!json || json_is_null(json))
		return true;
	if (!json_is_array(json) || count > KB_HISTORY_TURNS)
		return kb_fail(err, KB_E_INVALID, "turns must be an array of at most %d questions",
		               KB_HISTORY_TURNS);
	turn->turns = turns = KB_NEW_ARRAY(call->arena, count, struct kb_sv);
	for (size_t i = 0; i < count; i++) {
		const json_t *one = json_array_get(json, i);

		if (!json_is_string(one))
			return kb_fail(err, KB_E_INVALID, "turns[%zu] must be a string", i);
		turns[i] = kb_sv(json_string_value(one), json_string_length(one));
	}
	turn->turn_count = count;
	return true;
}

static bool read_trial(struct kb_call *call, struct trial *trial, struct kb_err *err)
{
	struct kb_turn *turn = &trial->turn;

	turn->source = KB_SOURCE_API;
	turn->is_trial = true;
	trial->passages = PASSAGES_DEFAULT;
	trial->answer = true;
	if (!kb_inputs_text(&call->inputs, call->arena, "question", KB_PROMPT_CHARS, &turn->prompt,
	                    err)
	    || !kb_inputs_int(&call->inputs, "passages", 0, PASSAGES_MOST, &trial->passages, err)
	    || !kb_inputs_bool(&call->inputs, "answer", &trial->answer, err)
	    || !kb_call_labels(call, &call->inputs, &turn->labels, err)
	    || !kb_turn_read_lang(call, turn, err) || !read_turns(call, turn, err))
		return false;
	if (kb_sv_trim(turn->prompt.p ? turn->prompt : KB_SV("")).n == 0)
		return kb_fail(err, KB_E_INVALID, "question can't be empty");
	kb_turn_new_session(call, turn);
	return true;
}

/* ---- what is answered ---- */

static void key_text(struct kb_jw *jw, const char *key, struct kb_sv text)
{
	kb_jw_key_opt(jw, key, text.n ? text : (struct kb_sv){ 0 });
}

static void write_document(struct kb_call *call, struct kb_jw *jw, int64_t id,
                           const struct kb_page *page)
{
	kb_jw_key_int(jw, "page_id", id);
	key_text(jw, "filename", page->is_ours ? page->filename : KB_SV(""));
	key_text(jw, "title", page->id ? kb_page_title(page) : KB_SV(""));
	key_text(jw, "url", page->id ? kb_page_link(call, page) : KB_SV(""));
}

/* Documents of whoever answered; of one that was deleted meanwhile the id is left. */
static bool write_documents(struct kb_call *call, struct kb_jw *jw, const struct kb_page_ids *ids,
                            struct kb_err *err)
{
	struct kb_page *pages = KB_NEW_ARRAY(call->arena, ids->count, struct kb_page);

	if (!kb_store_pages_get(call->api->store, call->arena, ids, pages, err))
		return false;
	kb_jw_array(jw);
	for (size_t i = 0; i < ids->count; i++) {
		kb_jw_object(jw);
		write_document(call, jw, ids->v[i], &pages[i]);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
	return true;
}

static bool write_closest(struct kb_call *call, struct kb_jw *jw, const struct kb_turn *turn,
                          struct kb_err *err)
{
	const struct kb_closest_list *list = &turn->answer.closest;
	int64_t *ids = KB_NEW_ARRAY(call->arena, list->count, int64_t);

	for (size_t i = 0; i < list->count; i++)
		ids[i] = list->v[i].page_id;
	return write_documents(call, jw, &(struct kb_page_ids){ turn->agent->id, ids, list->count },
	                       err);
}

/* Of quotes, those that stand in a document; of a model's text its sentences, and those that a
 * source supports. */
static void write_support(struct kb_jw *jw, const struct kb_answer *answer)
{
	size_t statements = answer->statements, supported = 0;

	if (answer->kind == KB_ANSWER_WRITTEN) {
		supported = statements - KB_MIN(answer->unsupported, statements);
	} else {
		statements = answer->quote_count;
		for (size_t i = 0; i < statements; i++)
			supported += answer->quotes[i].page_id != 0;
	}
	kb_jw_key_int(jw, "statements", (int64_t)statements);
	kb_jw_key_int(jw, "supported", (int64_t)supported);
}

static bool write_answer(struct kb_call *call, struct kb_jw *jw, const struct trial *trial,
                         struct kb_err *err)
{
	const struct kb_turn *turn = &trial->turn;
	const struct kb_answer *answer = &turn->answer;
	const struct kb_page_ids cited = { turn->agent->id, answer->citations,
		                           answer->citation_count };

	kb_jw_key_sv(jw, "answer", answer->text);
	kb_jw_key_str(jw, "outcome", kb_outcome_name(kb_answer_outcome(answer)));
	kb_jw_key_bool(jw, "failed", answer->failure != NULL);
	kb_jw_key_bool(jw, "cut", answer->cut);
	write_support(jw, answer);
	key_text(jw, "model", answer->model);
	if (answer->checked.page_id) {
		kb_jw_key(jw, "verified");
		kb_jw_object(jw);
		kb_jw_key_int(jw, "answer_id", answer->checked.page_id);
		kb_jw_key_int(jw, "version", answer->checked.version);
		key_text(jw, "by", answer->checked.by);
		kb_jw_key_time(jw, "at", answer->checked.at);
		kb_jw_end(jw);
	}
	kb_jw_key(jw, "citations");
	if (!write_documents(call, jw, &cited, err))
		return false;
	kb_jw_key(jw, "closest");
	return write_closest(call, jw, turn, err);
}

static void write_passage(struct kb_call *call, struct kb_jw *jw, const struct kb_found *found,
                          const struct kb_page *page)
{
	const struct kb_passage *passage = &found->passage;

	kb_jw_object(jw);
	write_document(call, jw, page->id, page);
	key_text(jw, "heading", passage->heading);
	kb_page_no_write(jw, passage->page_no);
	kb_jw_key_int(jw, "offset", passage->offset);
	kb_jw_key_sv(jw, "text", passage->text);
	kb_jw_key(jw, "score");
	kb_jw_double(jw, (double)found->score);
	kb_jw_end(jw);
}

/* What a search for the question's own words finds, best first. */
static bool write_passages(struct kb_call *call, struct kb_jw *jw, const struct trial *trial,
                           struct kb_err *err)
{
	const struct kb_turn *turn = &trial->turn;
	const struct kb_find_request request = { .agent_id = turn->agent->id,
		                                 .settings = &turn->settings,
		                                 .text = turn->prompt,
		                                 .labels = turn->labels,
		                                 .limit = (size_t)trial->passages };
	struct kb_findings findings = { 0 };
	struct kb_page *pages;
	int64_t *ids;

	if (trial->passages && !kb_find(call->api->answerer, call->arena, &request, &findings, err))
		return false;
	ids = KB_NEW_ARRAY(call->arena, findings.count, int64_t);
	pages = KB_NEW_ARRAY(call->arena, findings.count, struct kb_page);
	for (size_t i = 0; i < findings.count; i++)
		ids[i] = findings.v[i].passage.page_id;
	if (!kb_store_pages_get(call->api->store, call->arena,
	                        &(struct kb_page_ids){ turn->agent->id, ids, findings.count },
	                        pages, err))
		return false;
	kb_jw_key_int(jw, "searched", findings.searched);
	kb_jw_key(jw, "passages");
	kb_jw_array(jw);
	for (size_t i = 0; i < findings.count; i++)
		if (pages[i].id)
			write_passage(call, jw, &findings.v[i], &pages[i]);
	kb_jw_end(jw);
	return true;
}

static bool reply(struct kb_call *call, const struct trial *trial, int64_t took_us,
                  struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	if (!write_answer(call, &jw, trial, err) || !write_passages(call, &jw, trial, err)) {
		kb_buf_fini(&buf);
		return false;
	}
	kb_jw_key_int(&jw, "took_us", took_us);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_trials_take(struct kb_api *api, struct kb_err *err)
{
	if (atomic_fetch_add(&api->trials, 1) < TRIALS_MOST)
		return true;
	atomic_fetch_sub(&api->trials, 1);
	return kb_fail_for(err, KB_E_BUSY, TRIAL_AGAIN_S,
	                   "%d trials go on already; ask again in a moment", TRIALS_MOST);
}

void kb_trials_give(struct kb_api *api)
{
	atomic_fetch_sub(&api->trials, 1);
}

/* A model that failed is what the trial has found out; what failed otherwise fails the trial. */
static void end(struct kb_call *call, struct kb_turn *turn, struct kb_err *err, void *arg)
{
	struct trial *trial = arg;
	int64_t took_us = kb_clock_mono_us() - trial->began_us;

	kb_trials_give(call->api);
	if (turn->answer.failure)
		*err = (struct kb_err){ 0 };
	if (err->code != KB_OK || !reply(call, trial, took_us, err))
		kb_call_error(call, err);
}

bool kb_trials_run(struct kb_call *call, struct kb_err *err)
{
	struct trial *trial = KB_NEW(call->arena, struct trial);
	struct kb_turn *turn = &trial->turn;

	if (!read_trial(call, trial, err))
		return false;
	if (!kb_trials_take(call->api, err))
		return false;
	trial->began_us = kb_clock_mono_us();
	if (!kb_turn_begin(call, turn, true, err)) {
		kb_trials_give(call->api);
		return false;
	}
	if (trial->answer) {
		kb_turn_answer(call, turn, &(struct kb_turn_sink){ .done = end, .arg = trial });
		return true;
	}
	turn->answer = (struct kb_answer){ .kind = KB_ANSWER_NONE, .text = KB_SV("") };
	end(call, turn, err, trial);
	return true;
}
