#include "write/write.h"

#include <stdlib.h>

#include "answer/planned.h"
#include "answer/searched.h"
#include "base/pool.h"
#include "upstream/moderation.h"
#include "write/route.h"
#include "write/writing.h"

enum {
	THREADS = 16,
	QUEUED_MAX = 1 << 17,
	MODERATING = 32, /* prompts at once, and how many more may wait */
	MODERATING_MAX = 4096,
};

/* Below the gate, but near enough that a model may read what was found. Set on a few questions by
 * hand, not measured; the check of what the model writes is what refuses. */
static const double NEAR_Z = -2.5;

/* Above the gate by so much that the plain answer may stand without a model. Of 184 natural
 * questions, 40 of which nothing answers, 62 lie there: 46 of the plain answers hold the words that
 * answer, and none is to a question that nothing answers. */
static const double SURE_Z = 2;

/* ---- taking steps ---- */

static void go_on(void *arg);

/* The call has ended: the next step is taken on a thread of the writer's. */
static void on_end(void *arg, const struct kb_chat_result *result)
{
	struct kb_writing *w = arg;

	if (!w->result)
		w->result = KB_NEW(w->arena, struct kb_chat_result);
	*w->result = *result;
	/* There is never more in it than answers being written. */
	if (!kb_pool_submit(w->writer->pool, go_on, w))
		go_on(w);
}

/* From here on others can see it. */
static bool make_row(struct kb_writing *w)
{
	const struct kb_answer_request *request = w->request;
	struct kb_answer_row row;

	if (!request->row || w->underway.message)
		return true;
	row = *request->row;
	row.ending = kb_settings_text_in(request->settings, request->lang, KB_TEXT_SIESTA);
	return kb_underway_begin(w->writer->underway, &w->underway, w->arena, &row, &w->err);
}

static bool start_call(struct kb_writing *w)
{
	struct kb_chat_ask *ask = &w->ask;

	if (!make_row(w))
		return false;
	ask->on_end = on_end;
	ask->is_heard = kb_writing_is_heard;
	ask->account_id = w->request->agent->account_id;
	ask->arg = w;
	pthread_mutex_lock(&w->lock);
	w->call = kb_chat_start(w->model->line, ask);
	if (w->cancelled)
		kb_chat_cancel(w->call);
	if (w->step == KB_WRITE_WRITTEN) {
		kb_writing_forget(w);
		if (w->request->searched) /* what was found may be of that */
			kb_searched_fini(w->request->searched);
	}
	/* From here on it may be over, but for who waits at this lock. */
	pthread_mutex_unlock(&w->lock);
	return true;
}

static void end_call(struct kb_writing *w)
{
	const struct kb_chat_usage *usage = &w->result->usage;
	struct kb_answer *out = w->out;

	pthread_mutex_lock(&w->lock);
	kb_chat_release(w->call);
	w->call = NULL;
	pthread_mutex_unlock(&w->lock);
	out->prompt_tokens += KB_MAX(usage->prompt_tokens, (int64_t)0);
	out->completion_tokens += KB_MAX(usage->completion_tokens, (int64_t)0);
	out->cost_micros += kb_model_cost(w->model, usage->prompt_tokens, usage->completion_tokens);
	w->model = NULL;
}

/* No message will take its place. */
static void drop_row(struct kb_writing *w)
{
	struct kb_err err = { 0 };

	if (!kb_store_answer_drop(w->writer->answerer->store, w->underway.message, &err))
		kb_warn(w->writer->log, "running answer not dropped agent=%" PRId64 " error=%s",
		        w->request->agent->id, err.msg);
}

static void done(struct kb_writing *w)
{
	struct kb_answer_sink sink = w->sink;
	struct kb_err err = w->err;

	if (err.code == KB_OK)
		kb_answer_log(w->writer->answerer, w->request, w->out);
	if (w->entered)
		kb_underway_leave(w->writer->underway, &w->underway);
	if (w->unwanted)
		kb_fail(&err, KB_E_NOT_FOUND, "the conversation was deleted");
	if (err.code != KB_OK && w->underway.message)
		drop_row(w);
	kb_writing_forget(w);
	kb_live_release(&w->live);
	kb_model_set_release(w->set);
	kb_buf_fini(&w->text);
	pthread_mutex_destroy(&w->lock);
	sink.done(sink.arg, &err); /* w may be gone then */
}

/* Takes steps until one has left a request behind, or until it is over. */
static void go_on(void *arg)
{
	static enum kb_write_step (*const steps[])(struct kb_writing * w) = {
#define STEP(place, name) [KB_WRITE_##place] = kb_write_##name,
		KB_WRITE_STEPS(STEP)
	};
	struct kb_writing *w = arg;

	if (w->model)
		end_call(w);
	do
		w->step = steps[w->step](w);
	while (w->step != KB_WRITE_OVER && !w->model);
	if (w->step == KB_WRITE_OVER || !start_call(w))
		done(w);
}

/* ---- whom it is for, and by whom ---- */

static void read_turns(struct kb_writing *w)
{
	const struct kb_answer_request *request = w->request;

	w->turns = KB_NEW_ARRAY(w->arena, request->turn_count, struct kb_prompt_turn);
	for (size_t i = 0; i < request->turn_count; i++) {
		w->turns[i].question = request->turns[i];
		if (request->replies && request->replies[i].p)
			w->turns[i].answer = kb_prompt_unmarked(w->arena, request->replies[i]);
	}
}

/* What follows from the request, which routing may change. */
static void take_request(struct kb_writing *w)
{
	const struct kb_settings *settings = w->request->settings;

	w->choice_count = kb_model_choose(w->set, settings->chatbot_model,
	                                  kb_settings_capability(settings), w->choices);
	if (w->request->image_count)
		w->choice_count = kb_model_choose_seeing(w->set, w->choices, w->choice_count);
	w->limits = kb_context_depth(settings, w->writer->custom_depth);
	w->turn_tokens = INT64_MAX;
	w->passages = w->limits.passages;
}

enum kb_write_step kb_write_moderate(struct kb_writing *w)
{
	struct kb_err err = { 0 };
	bool flagged = false;

	if (!kb_moderator_flags(w->writer->moderator, w->request->prompt, &flagged, &err)) {
		kb_warn(w->writer->log, "prompt not moderated agent=%" PRId64 " error=%s",
		        w->request->agent->id, err.msg);
		return kb_writing_fails(w, &err);
	}
	if (!flagged)
		return KB_WRITE_BEGIN;
	w->out->kind = KB_ANSWER_MODERATED;
	kb_writing_say(w, kb_settings_text_in(w->request->settings, w->request->lang,
	                                      KB_TEXT_FAILED_MODERATION));
	return KB_WRITE_OVER;
}

static enum kb_write_step answer(const struct kb_writing *w)
{
	return w->choice_count ? KB_WRITE_SEARCH : KB_WRITE_WITHOUT;
}

enum kb_write_step kb_write_begin_turn(struct kb_writing *w)
{
	const struct kb_master_route *routing = w->request->routing;

	read_turns(w);
	if (w->choice_count && routing && routing->asks && routing->choose)
		return KB_WRITE_ROUTE;
	return answer(w);
}

enum kb_write_step kb_write_routed(struct kb_writing *w)
{
	const struct kb_master_route *routing = w->request->routing;
	ptrdiff_t which = kb_route_read(routing, kb_writing_short(w));

	if (w->result->err.code == KB_E_CANCELLED)
		return KB_WRITE_FAIL;
	if (which != routing->best && !routing->choose(routing->arg, which, &w->err))
		return KB_WRITE_OVER;
	take_request(w);
	return answer(w);
}

/* Who has no model to wait for says each sentence when it is there. */
enum kb_write_step kb_write_without(struct kb_writing *w)
{
	const struct kb_answer_listener listener = { w->sink.take, w->sink.arg };
	struct kb_plain *plain = KB_NEW(w->arena, struct kb_plain);
	struct kb_err err;

	if (kb_answer_plain(w->writer->answerer, w->arena, w->request,
	                    listener.take ? &listener : NULL, plain, &err)) {
		*w->out = plain->answer;
		kb_plain_release(plain);
	} else {
		w->err = err;
	}
	return KB_WRITE_OVER;
}

/* ---- what is found ---- */

static bool is_follow_up(const struct kb_writing *w)
{
	return w->request->turn_count && w->found->steps.v[0].question.follow_up;
}

enum kb_write_step kb_write_search(struct kb_writing *w)
{
	size_t max;

	if (!kb_writing_search(w, w->request, &w->err))
		return KB_WRITE_OVER;
	kb_writing_keep_plain(w);
	/* What a person has checked is said as it stands. */
	if (!w->found->steps.count || w->found->answer.checked.page_id)
		return KB_WRITE_PLAIN;
	if (kb_steps_planned(w->request, &max))
		return KB_WRITE_PLAN;
	return is_follow_up(w) ? KB_WRITE_REWRITE : KB_WRITE_GATE;
}

/* The request as a model would have it searched for. */
static struct kb_answer_request *ask_again(struct kb_writing *w)
{
	if (!w->again)
		w->again = KB_NEW(w->arena, struct kb_answer_request);
	*w->again = *w->request;
	w->again->turn_count = 0;
	return w->again;
}

/* What the model said to search for is searched for, where `ok`; the rule's reading of the turn
 * stays where nothing as sure as `least` is found. */
static enum kb_write_step search_again(struct kb_writing *w, bool ok, double least)
{
	if (w->result->err.code == KB_E_CANCELLED)
		return KB_WRITE_FAIL;
	if (ok)
		kb_writing_search_again(w, least);
	kb_writing_keep_plain(w);
	return KB_WRITE_GATE;
}

enum kb_write_step kb_write_rewritten(struct kb_writing *w)
{
	struct kb_answer_request *again = ask_again(w);

	again->prompt = kb_writing_short(w);
	return search_again(w, again->prompt.n > 0, w->plain.confidence);
}

enum kb_write_step kb_write_planned(struct kb_writing *w)
{
	struct kb_answer_request *again = ask_again(w);
	struct kb_sv *searches = KB_NEW_ARRAY(w->arena, KB_PLAN_PARTS_MAX, struct kb_sv);
	size_t max;

	kb_steps_planned(w->request, &max);
	again->searches = searches;
	again->search_count = kb_planned_read(w->arena, kb_writing_short(w), max, searches);
	return search_again(w, again->search_count > 0, KB_MIN(w->plain.confidence, NEAR_Z));
}

/* Whether a model may read what was found: it passes the lenient gate, or comes near it, and does
 * not lack what the question names. */
static bool is_near(const struct kb_writing *w)
{
	const struct kb_steps *steps = &w->found->steps;

	for (size_t i = 0; i < steps->count; i++)
		if (steps->v[i].candidate_count && steps->v[i].verdict != KB_NAMED_LACKING
		    && (steps->v[i].selection.answered
		        || (double)steps->v[i].selection.gate_z >= NEAR_Z))
			return true;
	return false;
}

/* Whether the agent leaves the question to the documents' own sentences. */
static bool is_left_to_quotes(const struct kb_writing *w)
{
	return w->request->settings->quote_sure_answers && w->plain.kind == KB_ANSWER_QUOTES
	       && w->plain.confidence >= SURE_Z && !w->request->image_count;
}

enum kb_write_step kb_write_gate(struct kb_writing *w)
{
	if (is_left_to_quotes(w))
		return KB_WRITE_PLAIN;
	return kb_settings_response_source(w->request->settings) == KB_RESPONSE_LLM_CONTENT
	                       || is_near(w)
	               ? KB_WRITE_ASK
	               : KB_WRITE_REFUSE;
}

/* ---- answers ---- */

void kb_write_begin(struct kb_writer *writer, struct kb_arena *arena,
                    const struct kb_answer_request *request, const struct kb_answer_sink *sink,
                    struct kb_answer *out)
{
	struct kb_writing *w = KB_NEW(arena, struct kb_writing);

	*out = (struct kb_answer){ 0 };
	w->writer = writer;
	w->arena = arena;
	w->sink = *sink;
	w->out = out;
	w->request = request;
	w->underway = kb_writing_underway(request);
	pthread_mutex_init(&w->lock, NULL);
	kb_buf_init(&w->text, KB_WRITTEN_MAX);
	w->set = kb_models_hold(writer->models);
	take_request(w);
	/* What waits for nobody is over before anybody looks at it. */
	w->entered = writer->moderator || w->choice_count;
	if (w->entered)
		kb_underway_enter(writer->underway, &w->underway);
	if (!writer->moderator) {
		w->step = KB_WRITE_BEGIN;
		go_on(w);
		return;
	}
	w->step = KB_WRITE_MODERATE;
	if (!make_row(w)) {
		done(w);
	} else if (!kb_pool_submit(writer->moderating, go_on, w)) {
		kb_writing_fails(
		        w, &(struct kb_err){ KB_E_BUSY, "too many prompts wait to be moderated" });
		done(w);
	}
}

size_t kb_write_passages(struct kb_writer *writer, const struct kb_settings *settings)
{
	const struct kb_model_set *set = kb_models_hold(writer->models);
	const struct kb_model *choices[KB_MODEL_CHOICES_MAX];
	size_t count = kb_model_choose(set, settings->chatbot_model,
	                               kb_settings_capability(settings), choices);

	kb_model_set_release(set);
	return count ? kb_context_depth(settings, writer->custom_depth).passages : 0;
}

void kb_write_cancel(struct kb_writer *writer, int64_t agent_id, struct kb_sv session_id)
{
	kb_underway_stop(writer->underway, agent_id, session_id);
}

struct kb_writer *kb_writer_open(const struct kb_writer_config *config)
{
	struct kb_writer *writer = kb_xcalloc(1, sizeof(*writer));

	writer->answerer = config->answerer;
	writer->models = config->models;
	writer->moderator = config->moderator;
	writer->log = config->log;
	writer->custom_depth = config->custom_depth;
	writer->pool = kb_pool_open("writer", THREADS, QUEUED_MAX);
	if (writer->moderator)
		writer->moderating = kb_pool_open("moderate", MODERATING, MODERATING_MAX);
	writer->underway = kb_underway_open(&(struct kb_underway_config){
	        .store = config->answerer->store, .clock = config->clock, .log = config->log });
	return writer;
}

void kb_writer_close(struct kb_writer *writer)
{
	if (!writer)
		return;
	kb_pool_close(writer->moderating);
	kb_pool_close(writer->pool);
	kb_underway_close(writer->underway);
	free(writer);
}
