#include "write/write.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "answer/given.h"
#include "answer/plain.h"
#include "answer/planned.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/pool.h"
#include "index/query.h"
#include "upstream/moderation.h"
#include "write/live.h"
#include "write/prompt.h"
#include "write/reply.h"
#include "write/route.h"
#include "write/sources.h"
#include "write/tokens.h"

enum {
	THREADS = 16,
	QUEUED_MAX = 1 << 17,
	MODERATING = 32, /* prompts at once, and how many more may wait */
	MODERATING_MAX = 4096,
	TEXT_MAX = 1 << 20, /* bytes of an answer */
	SHORT_MAX = 4000,   /* bytes of what a step before the answer gets */
	SHARE = 90, /* of a hundred tokens of the context: the model counts otherwise than we do */
	TURNS_SHARE = 4, /* earlier turns have a fourth of it */
	SOURCES_LEAST = 200,
	IMAGE_TOKENS = 1500, /* of a picture of the question, about */
};

/* Below the gate, but near enough that a model may read what was found. Set on a few questions by
 * hand; the check of what the model writes is what refuses. */
static const double NEAR_Z = -2.5;

struct writing {
	struct kb_writer *writer;
	struct kb_arena *arena;
	const struct kb_answer_request *request;
	struct kb_answer_request *again; /* with the rewritten question; NULL: there is none */
	const struct kb_answer_request *asked; /* which of the two was searched for last */
	size_t passages;                       /* as many as a model reads */
	struct kb_answer_sink sink;
	struct kb_answer *out;
	struct kb_answer plain; /* what stands in for the model */
	/* What was found, until the model is asked: it is large, and found again if need be. */
	struct kb_arena scratch;
	struct kb_plain *found;
	struct kb_view view; /* of the search; the check asks it how common words are */
	const struct kb_model_set *set;
	const struct kb_model *choices[KB_MODEL_CHOICES_MAX];
	size_t choice_count, choice;
	struct kb_prompt_turn *turns;
	struct kb_context_limits limits;
	int64_t turn_tokens; /* that the turns may have at most */
	/* Of the last request for an answer. */
	int64_t sent_sources, sent_turns; /* tokens */
	bool halved;
	struct kb_excerpt *sources;
	size_t source_count;
	struct kb_marker_ids ids;
	struct kb_reply *reply; /* of the call that writes */
	struct kb_cite_result cited;
	struct kb_buf text;
	size_t told;                   /* bytes of it that the sink has */
	bool held;                     /* until it is sure that the documents say so */
	struct kb_chat_result *result; /* of the call that ended last; NULL: none has */
	void (*next)(struct writing *w);

	pthread_mutex_t lock;      /* of the text and what it tells, too */
	struct kb_chat_call *call; /* NULL: none */
	bool cancelled;
	bool unwanted; /* its conversation is gone */
	bool spoke;    /* the sink has something */
	bool entered;
	struct kb_live_answer live;
};

struct kb_writer {
	struct kb_answerer *answerer;
	struct kb_models *models;
	struct kb_moderator *moderator; /* NULL: none */
	const struct kb_log *log;
	struct kb_pool *pool;
	struct kb_pool *moderating; /* NULL: nobody moderates */
	struct kb_live *live;
	int64_t custom_depth;
};

/* ---- what was found ---- */

static void forget(struct writing *w)
{
	if (w->found)
		kb_snapshot_release(w->found->steps.searched);
	kb_arena_fini(&w->scratch);
	w->found = NULL;
}

/* Searches, and makes the plain answer of it. */
static bool search(struct writing *w, const struct kb_answer_request *request, struct kb_err *err)
{
	struct kb_answer_request *own;

	forget(w);
	w->asked = request;
	own = kb_arena_copy(&w->scratch, request, sizeof(*request));
	own->passages = w->passages;
	w->found = KB_NEW(&w->scratch, struct kb_plain);
	if (!kb_answer_plain(w->writer->answerer, &w->scratch, own, NULL, w->found, err)) {
		forget(w);
		return false;
	}
	kb_view_release(&w->view);
	w->view = w->found->view;
	return true;
}

/* The plain answer stays when what it was made of goes. */
static void keep_plain(struct writing *w)
{
	const struct kb_answer *from = &w->found->answer;
	struct kb_answer *to = &w->plain;

	*to = *from;
	to->text = kb_arena_sv(w->arena, from->text);
	to->citations =
	        kb_arena_copy(w->arena, from->citations, from->citation_count * sizeof(int64_t));
	to->quotes = kb_arena_copy(w->arena, from->quotes, from->quote_count * sizeof(*to->quotes));
	for (size_t i = 0; i < to->quote_count; i++) {
		struct kb_quote *quote = &to->quotes[i];

		quote->text = kb_arena_sv(w->arena, quote->text);
		quote->title = kb_arena_sv(w->arena, quote->title);
		quote->heading = kb_arena_sv(w->arena, quote->heading);
	}
}

/* ---- from the models' thread to one that may block ---- */

static void run_next(void *arg)
{
	struct writing *w = arg;

	w->next(w);
}

/* The call has ended: `next` goes on on a thread of the writer's. */
static void on_end(void *arg, const struct kb_chat_result *result)
{
	struct writing *w = arg;

	if (!w->result)
		w->result = KB_NEW(w->arena, struct kb_chat_result);
	*w->result = *result;
	/* There is never more in it than answers being written. */
	if (!kb_pool_submit(w->writer->pool, run_next, w))
		run_next(w);
}

/* On the models' thread. */
static bool is_heard(void *arg)
{
	struct writing *w = arg;

	return !w->sink.is_heard || w->sink.is_heard(w->sink.arg);
}

static void done(struct writing *w, struct kb_err *err);

/* From here on others can see it. False: it is over. */
static bool make_row(struct writing *w)
{
	const struct kb_answer_request *request = w->request;
	struct kb_err err = { 0 };
	struct kb_answer_row row;

	if (!request->row || w->live.message)
		return true;
	row = *request->row;
	row.ending = kb_settings_text_in(request->settings, request->lang, KB_TEXT_SIESTA);
	if (kb_live_begin(w->writer->live, &w->live, w->arena, &row, &err))
		return true;
	done(w, &err);
	return false;
}

static void start_call(struct writing *w, const struct kb_model *model,
                       const struct kb_chat_ask *ask, void (*next)(struct writing *w))
{
	struct kb_chat_ask own = *ask;

	if (!make_row(w))
		return;
	own.on_end = on_end;
	own.is_heard = is_heard;
	own.account_id = w->request->agent->account_id;
	own.arg = w;
	pthread_mutex_lock(&w->lock);
	w->next = next;
	w->call = kb_chat_start(model->line, &own);
	if (w->cancelled)
		kb_chat_cancel(w->call);
	forget(w);
	/* From here on it may be over, but for who waits at this lock. */
	pthread_mutex_unlock(&w->lock);
}

static void end_call(struct writing *w, const struct kb_model *model)
{
	const struct kb_chat_usage *usage = &w->result->usage;
	struct kb_answer *out = w->out;

	pthread_mutex_lock(&w->lock);
	kb_chat_release(w->call);
	w->call = NULL;
	pthread_mutex_unlock(&w->lock);
	out->prompt_tokens += KB_MAX(usage->prompt_tokens, (int64_t)0);
	out->completion_tokens += KB_MAX(usage->completion_tokens, (int64_t)0);
	out->cost_micros += kb_model_cost(model, usage->prompt_tokens, usage->completion_tokens);
}

/* ---- the end ---- */

/* No message will take its place. */
static void drop_row(struct writing *w)
{
	struct kb_err err = { 0 };

	if (!kb_store_answer_drop(w->writer->answerer->store, w->live.message, &err))
		kb_warn(w->writer->log, "running answer not dropped agent=%" PRId64 " error=%s",
		        w->request->agent->id, err.msg);
}

static void done(struct writing *w, struct kb_err *err)
{
	struct kb_answer_sink sink = w->sink;

	if (err->code == KB_OK)
		kb_answer_log(w->writer->answerer, w->request, w->out);
	if (w->entered)
		kb_live_leave(w->writer->live, &w->live);
	if (w->unwanted)
		kb_fail(err, KB_E_NOT_FOUND, "the conversation was deleted");
	if (err->code != KB_OK && w->live.message)
		drop_row(w);
	forget(w);
	kb_view_release(&w->view);
	kb_model_set_release(w->set);
	kb_buf_fini(&w->text);
	pthread_mutex_destroy(&w->lock);
	sink.done(sink.arg, err); /* w may be gone then */
}

/* Says a text of ours in one piece. */
static void say_all(struct writing *w, struct kb_sv text)
{
	w->out->text = text;
	pthread_mutex_lock(&w->lock);
	w->spoke = true;
	if (text.n && w->sink.take)
		w->sink.take(w->sink.arg, text);
	pthread_mutex_unlock(&w->lock);
}

/* The plain answer is the answer; stands_in: because the model has failed. */
static void end_plain(struct writing *w, bool stands_in)
{
	struct kb_answer spent = *w->out;
	struct kb_err ok = { 0 };

	*w->out = w->plain;
	w->out->stands_in = stands_in;
	w->out->model = spent.model;
	w->out->prompt_tokens = spent.prompt_tokens;
	w->out->completion_tokens = spent.completion_tokens;
	w->out->cost_micros = spent.cost_micros;
	say_all(w, w->plain.text);
	done(w, &ok);
}

/* What is known of the question whoever answers. */
static void copy_figures(struct writing *w)
{
	const struct kb_answer *plain = &w->plain;
	struct kb_answer *out = w->out;

	out->confidence = plain->confidence;
	out->steps = plain->steps;
	out->lang = plain->lang;
	out->type = plain->type;
	out->retrieve_us = plain->retrieve_us;
	out->rank_us = plain->rank_us;
}

static bool is_unwanted(struct writing *w)
{
	bool unwanted;

	pthread_mutex_lock(&w->lock);
	unwanted = w->unwanted;
	pthread_mutex_unlock(&w->lock);
	return unwanted;
}

/* There is no answer but that something failed. */
static void fail(struct writing *w, const struct kb_err *why)
{
	struct kb_err ok = { 0 };

	w->out->kind = KB_ANSWER_FAILED;
	w->out->failure = kb_arena_copy(w->arena, why, sizeof(*why));
	if (is_unwanted(w)) {
		done(w, &ok);
		return;
	}
	say_all(w, kb_settings_text_in(w->request->settings, w->request->lang, KB_TEXT_SIESTA));
	done(w, &ok);
}

/* No model is left. */
static void fail_all(struct writing *w)
{
	kb_warn(w->writer->log, "model failed agent=%" PRId64 " model=%.*s error=%s",
	        w->request->agent->id, KB_SV_ARG(w->out->model), w->result->err.msg);
	if (w->plain.kind == KB_ANSWER_QUOTES && w->result->err.code != KB_E_CANCELLED) {
		end_plain(w, true);
		return;
	}
	copy_figures(w);
	fail(w, &w->result->err);
}

static void refuse(struct writing *w)
{
	struct kb_err ok = { 0 };

	copy_figures(w);
	w->out->kind = KB_ANSWER_NONE;
	say_all(w, kb_settings_text_in(w->request->settings, w->request->lang, KB_TEXT_NO_ANSWER));
	done(w, &ok);
}

/* ---- write ---- */

static void stop(struct writing *w)
{
	pthread_mutex_lock(&w->lock);
	w->cancelled = true;
	kb_chat_cancel(w->call);
	pthread_mutex_unlock(&w->lock);
}

/* Checked text, on its way out. */
static void keep(void *arg, struct kb_sv text)
{
	struct writing *w = arg;

	pthread_mutex_lock(&w->lock);
	kb_buf_sv(&w->text, text);
	pthread_mutex_unlock(&w->lock);
}

static void tell(struct writing *w)
{
	struct kb_sv rest;

	pthread_mutex_lock(&w->lock);
	rest = kb_sv_from(kb_buf_view(&w->text), w->told);
	w->spoke = w->spoke || rest.n;
	if (rest.n && w->sink.take)
		w->sink.take(w->sink.arg, rest);
	w->told = w->text.n;
	pthread_mutex_unlock(&w->lock);
}

static void hear(void *arg, struct kb_sv text)
{
	struct writing *w = arg;
	struct kb_analyzer *analyzer = kb_analyzer_borrow(w->writer->answerer);

	kb_reply_feed(w->reply, analyzer, text);
	kb_analyzer_give_back(w->writer->answerer, analyzer);
	if (w->text.failed)
		stop(w);
	w->held = w->held && !kb_reply_is_sound(w->reply);
	if (!w->held)
		tell(w);
}

static void ask_model(struct writing *w);

static void quote_place(struct writing *w, const struct kb_cited *sentence,
                        const struct kb_cite_place *place)
{
	struct kb_answer *out = w->out;
	struct kb_quote *quote = &out->quotes[out->quote_count++];
	const struct kb_excerpt *source;

	*quote = (struct kb_quote){
		.at = sentence->at,
		.text = kb_sv_sub(out->text, sentence->at, sentence->bytes),
	};
	if (!place)
		return;
	source = &w->sources[place->source];
	quote->page_id = source->page_id;
	quote->length = place->bytes;
	quote->score = (double)place->share;
	kb_excerpt_place(source, place->start, &quote->page_no, &quote->offset);
}

/* The places in the documents that the sentences lean on; one without a page for a statement that
 * none of them supports. */
static void make_quotes(struct writing *w)
{
	size_t count = 0;

	for (size_t i = 0; i < w->cited.count; i++)
		count += w->cited.sentences[i].place_count + 1;
	w->out->quotes = KB_NEW_ARRAY(w->arena, count, struct kb_quote);
	for (size_t i = 0; i < w->cited.count; i++) {
		const struct kb_cited *sentence = &w->cited.sentences[i];

		for (size_t k = 0; k < sentence->place_count; k++)
			quote_place(w, sentence, &sentence->places[k]);
		if (sentence->statement && !sentence->supported)
			quote_place(w, sentence, NULL);
	}
}

/* Whether the text may not be the answer: one from the documents alone that they do not say. What
 * its reader has seen already stays. */
static bool is_unfounded(const struct writing *w)
{
	bool own = kb_settings_response_source(w->request->settings) != KB_RESPONSE_LLM_CONTENT;

	return own && !w->told && kb_reply_is_unsupported(&w->cited);
}

/* The model's text is here, whole or not. */
static void finish(struct writing *w)
{
	enum kb_citations mode = kb_settings_citations(w->request->settings);
	struct kb_answer *out = w->out;
	struct kb_err ok = { 0 };

	copy_figures(w);
	out->statements = w->cited.statements;
	out->unsupported = w->cited.unsupported;
	if (is_unfounded(w)) {
		refuse(w);
		return;
	}
	tell(w);
	out->kind = KB_ANSWER_WRITTEN;
	if (w->result->err.code != KB_OK) {
		out->failure = &w->result->err;
		kb_warn(w->writer->log,
		        "model failed in its answer agent=%" PRId64 " model=%.*s error=%s",
		        w->request->agent->id, KB_SV_ARG(out->model), w->result->err.msg);
	}
	out->text = kb_arena_sv(w->arena, kb_buf_view(&w->text));
	make_quotes(w);
	if (mode != KB_CITATIONS_NONE) {
		out->citations = w->cited.pages;
		out->citation_count = w->cited.page_count;
	}
	done(w, &ok);
}

static void end_reply(struct writing *w)
{
	struct kb_analyzer *analyzer = kb_analyzer_borrow(w->writer->answerer);

	kb_reply_end(w->reply, analyzer, &w->cited);
	kb_analyzer_give_back(w->writer->answerer, analyzer);
}

/* The model reads less than its configuration says, so that what was sent counts, not what may be.
 */
static void halve(struct writing *w)
{
	w->halved = true;
	w->limits.passages = (w->limits.passages + 1) / 2;
	w->limits.tokens = w->sent_sources / 2;
	w->turn_tokens = w->sent_turns / 2;
}

static void after_writing(struct writing *w)
{
	const struct kb_err *err = &w->result->err;

	end_call(w, w->choices[w->choice]);
	end_reply(w);
	if (w->text.failed) /* that is why it was stopped */
		kb_fail(&w->result->err, KB_E_UPSTREAM,
		        "the model %.*s does not come to an end: its answer has more than %d bytes",
		        KB_SV_ARG(w->choices[w->choice]->id), TEXT_MAX);
	if (w->text.n || (err->code == KB_OK && w->result->has_text)) {
		finish(w);
	} else if (err->code == KB_OK) {
		kb_fail(&w->result->err, KB_E_UPSTREAM, "the model %.*s answers without a text",
		        KB_SV_ARG(w->choices[w->choice]->id));
		fail_all(w);
	} else if (err->code == KB_E_TOO_LARGE && !w->halved) {
		halve(w);
		ask_model(w);
	} else if (err->code != KB_E_CANCELLED && w->choice + 1 < w->choice_count) {
		w->choice++;
		ask_model(w);
	} else {
		fail_all(w);
	}
}

/* ---- context ---- */

static void build_sources(struct writing *w, const struct kb_context_limits *limits)
{
	kb_sources_build(&w->scratch, &w->found->steps, limits, &w->sources, &w->source_count);
	kb_marker_draw(&w->ids, w->arena, w->source_count);
}

/* ---- the check ---- */

static int64_t df(void *arg, struct kb_sv term)
{
	return kb_snapshot_df(arg, term);
}

static struct kb_support *make_support(struct writing *w)
{
	struct kb_support_source *sources =
	        KB_NEW_ARRAY(&w->scratch, w->source_count, struct kb_support_source);
	struct kb_snapshot *snapshot = w->view.snapshot;
	struct kb_answer_stats *stats = KB_NEW(w->arena, struct kb_answer_stats);
	struct kb_analyzer *analyzer = kb_analyzer_borrow(w->writer->answerer);
	struct kb_support *support;

	*stats = (struct kb_answer_stats){
		.passages = KB_MAX(kb_snapshot_passages(snapshot), (int64_t)KB_WEIGHED_LEAST),
		.df = df,
		.arg = snapshot,
	};
	for (size_t i = 0; i < w->source_count; i++)
		sources[i] = (struct kb_support_source){ .title = w->sources[i].title,
			                                 .heading = w->sources[i].heading,
			                                 .text = w->sources[i].text,
			                                 .lang = w->sources[i].lang };
	support = kb_support_new(w->arena, analyzer, sources, w->source_count, stats);
	kb_analyzer_give_back(w->writer->answerer, analyzer);
	return support;
}

static bool begin_reply(struct writing *w, struct kb_err *err)
{
	const struct kb_sources sources = { w->sources, w->source_count };
	struct kb_named *places;
	enum kb_citations mode = kb_settings_citations(w->request->settings);
	int64_t *pages = KB_NEW_ARRAY(w->arena, w->source_count, int64_t);

	if (!kb_sources_places(w->writer->answerer->store, w->arena, w->request, &sources, &places,
	                       err))
		return false;
	for (size_t i = 0; i < w->source_count; i++)
		pages[i] = w->sources[i].page_id;
	w->out->given = pages;
	w->out->given_count = w->source_count;
	w->held = kb_settings_response_source(w->request->settings) != KB_RESPONSE_LLM_CONTENT;
	w->reply = kb_reply_new(w->arena, &(struct kb_reply_config){
	                                          .ids = &w->ids,
	                                          .pages = pages,
	                                          .support = make_support(w),
	                                          .places = places,
	                                          .numbers = w->request->inline_citations
	                                                     && (mode == KB_CITATIONS_INLINE
	                                                         || mode == KB_CITATIONS_BOTH),
	                                          .emit = keep,
	                                          .arg = w,
	                                  });
	return true;
}

/* ---- prompt ---- */

static bool wants_markers(const struct writing *w)
{
	return kb_settings_citations(w->request->settings) != KB_CITATIONS_NONE;
}

/* What is still asked of the sources when their texts are gone. */
static void keep_places(struct writing *w)
{
	struct kb_excerpt *kept =
	        kb_arena_copy(w->arena, w->sources, w->source_count * sizeof(*kept));

	for (size_t i = 0; i < w->source_count; i++) {
		kept[i].title = kept[i].heading = kept[i].text = KB_SV("");
		kept[i].pieces = kb_arena_copy(w->arena, kept[i].pieces,
		                               kept[i].piece_count * sizeof(*kept[i].pieces));
	}
	w->sources = kept;
}

static void note_sent(struct writing *w, const struct kb_chat_message *messages, size_t count)
{
	w->sent_sources = w->sent_turns = 0;
	for (size_t i = 0; i < w->source_count; i++)
		w->sent_sources += kb_tokens_count(w->sources[i].text);
	for (size_t i = 1; i + 1 < count; i++)
		w->sent_turns += kb_tokens_count(messages[i].text);
}

/* Of what is in hand. False: the store failed, and nothing is sent. */
static bool send_prompt(struct writing *w, struct kb_err *err)
{
	const struct kb_model *model = w->choices[w->choice];
	const struct kb_settings *settings = w->request->settings;
	struct kb_prompt prompt = {
		.name = w->request->agent->name,
		.persona = settings->persona_instructions,
		.lang = w->request->lang,
		.wishes = w->request->wishes,
		.no_answer = kb_settings_text_in(settings, w->request->lang, KB_TEXT_NO_ANSWER),
		.own_content = kb_settings_response_source(settings) != KB_RESPONSE_LLM_CONTENT,
		.markers = wants_markers(w),
		.turns = w->turns,
		.turn_count = w->request->turn_count,
		.question = w->request->prompt,
	};
	int64_t room, turn_tokens;
	struct kb_context_limits limits = w->limits;
	struct kb_chat_ask ask = { .max_tokens = model->max_tokens,
		                   .stream = true,
		                   .on_text = hear };
	struct kb_chat_message *messages;

	if (!kb_answer_asker(w->writer->answerer->store, &w->scratch, w->request, &prompt.asker,
	                     err))
		return false;
	room = (model->context - model->max_tokens) * SHARE / 100
	       - kb_prompt_tokens(&w->scratch, &prompt)
	       - (int64_t)w->request->image_count * IMAGE_TOKENS;
	turn_tokens = KB_MIN(room / TURNS_SHARE, w->turn_tokens);
	w->out->model = kb_arena_sv(w->arena, model->id);
	limits.tokens = KB_MIN(limits.tokens, KB_MAX(room - turn_tokens, (int64_t)SOURCES_LEAST));
	build_sources(w, &limits);
	if (!begin_reply(w, err))
		return false;
	prompt.sources = w->sources;
	prompt.source_count = w->source_count;
	prompt.ids = &w->ids;
	kb_prompt_answer(&w->scratch, &prompt, turn_tokens, &messages, &ask.message_count);
	note_sent(w, messages, ask.message_count);
	messages[ask.message_count - 1].images = w->request->images;
	messages[ask.message_count - 1].image_count = w->request->image_count;
	ask.messages = messages;
	keep_places(w);
	start_call(w, model, &ask, after_writing);
	return true;
}

static void ask_model(struct writing *w)
{
	struct kb_err err = { 0 };

	/* Another model, or fewer passages: what was found is gone. */
	if (!w->found && !search(w, w->asked, &w->result->err))
		fail_all(w);
	else if (!send_prompt(w, &err))
		done(w, &err);
}

/* ---- gate ---- */

/* Whether a model may read what was found: it passes the lenient gate, or comes near it, and does
 * not lack what the question names. */
static bool is_near(const struct writing *w)
{
	const struct kb_steps *steps = &w->found->steps;

	for (size_t i = 0; i < steps->count; i++)
		if (steps->v[i].candidate_count && steps->v[i].verdict != KB_NAMED_LACKING
		    && (steps->v[i].selection.answered
		        || (double)steps->v[i].selection.gate_z >= NEAR_Z))
			return true;
	return false;
}

static void pass_gate(struct writing *w)
{
	if (kb_settings_response_source(w->request->settings) != KB_RESPONSE_LLM_CONTENT
	    && !is_near(w))
		refuse(w);
	else
		ask_model(w);
}

/* ---- rewrite ---- */

static struct kb_given_notes given(struct writing *w)
{
	return (struct kb_given_notes){ .answerer = w->writer->answerer,
		                        .arena = &w->scratch,
		                        .agent = w->request->agent,
		                        .settings = w->request->settings,
		                        .own = w->request->notes };
}

static struct kb_sv summary(struct writing *w)
{
	struct kb_given_notes notes = given(w);

	return kb_given_summary(&notes);
}

/* The short request has ended: its text, empty where there is none that can be used. */
static struct kb_sv end_short(struct writing *w)
{
	struct kb_sv text = kb_arena_sv(w->arena, kb_sv_trim(kb_buf_view(&w->text)));
	bool ok = w->result->err.code == KB_OK && !w->text.failed;

	end_call(w, w->choices[0]);
	w->out->model = kb_arena_sv(w->arena, w->choices[0]->id);
	kb_buf_fini(&w->text);
	kb_buf_init(&w->text, TEXT_MAX);
	if (!w->again)
		w->again = KB_NEW(w->arena, struct kb_answer_request);
	*w->again = *w->request;
	return ok ? text : KB_SV("");
}

/* What the model said to search for is searched for, where `ok`; the rule's reading of the turn
 * stays where nothing as sure as `least` is found. */
static void search_again(struct writing *w, bool ok, double least)
{
	struct kb_err err = { 0 };

	if (w->result->err.code == KB_E_CANCELLED) {
		fail_all(w);
		return;
	}
	ok = ok && search(w, w->again, &err) && w->found->steps.count
	     && w->found->answer.confidence >= least;
	if (!ok && !search(w, w->request, &err)) {
		done(w, &err);
		return;
	}
	keep_plain(w);
	pass_gate(w);
}

static void after_rewriting(struct writing *w)
{
	struct kb_sv text = end_short(w);

	w->again->prompt = text;
	w->again->turn_count = 0;
	search_again(w, text.n > 0, w->plain.confidence);
}

static void keep_short(void *arg, struct kb_sv text)
{
	struct writing *w = arg;

	kb_buf_sv(&w->text, text);
}

/* A request of a step before the answer; its text is short. */
static void ask_short(struct writing *w, struct kb_chat_ask *ask, void (*next)(struct writing *w))
{
	ask->on_text = keep_short;
	kb_buf_fini(&w->text);
	kb_buf_init(&w->text, SHORT_MAX);
	start_call(w, w->choices[0], ask, next);
}

static bool is_follow_up(const struct writing *w)
{
	return w->request->turn_count && w->found->steps.v[0].question.follow_up;
}

static void rewrite(struct writing *w)
{
	struct kb_chat_ask ask = { .max_tokens = KB_REWRITE_TOKENS };
	struct kb_chat_message *messages;

	kb_prompt_rewrite(&w->scratch,
	                  &(struct kb_prompt_follow_up){ .about = summary(w),
	                                                 .turns = w->turns,
	                                                 .turn_count = w->request->turn_count,
	                                                 .question = w->request->prompt },
	                  &messages, &ask.message_count);
	ask.messages = messages;
	ask_short(w, &ask, after_rewriting);
}

/* ---- plan ---- */

static struct kb_sv planner(struct writing *w)
{
	struct kb_given_notes notes = given(w);

	return kb_given_planner(&notes);
}

static void after_planning(struct writing *w)
{
	struct kb_sv text = end_short(w), *searches;
	size_t max;

	searches = KB_NEW_ARRAY(w->arena, KB_PLAN_PARTS_MAX, struct kb_sv);
	kb_steps_planned(w->request, &max);
	w->again->searches = searches;
	w->again->search_count = kb_planned_read(w->arena, text, max, searches);
	w->again->turn_count = 0;
	search_again(w, w->again->search_count > 0, KB_MIN(w->plain.confidence, NEAR_Z));
}

static void plan(struct writing *w, size_t max)
{
	struct kb_chat_ask ask = { .max_tokens = KB_SEARCH_TOKENS };
	struct kb_chat_message *messages;

	kb_prompt_search(&w->scratch,
	                 &(struct kb_prompt_search){ .planner = planner(w),
	                                             .max = max,
	                                             .turns = w->turns,
	                                             .turn_count = w->request->turn_count,
	                                             .question = w->request->prompt },
	                 &messages, &ask.message_count);
	ask.messages = messages;
	ask_short(w, &ask, after_planning);
}

/* ---- begin ---- */

static void read_turns(struct writing *w)
{
	const struct kb_answer_request *request = w->request;

	w->turns = KB_NEW_ARRAY(w->arena, request->turn_count, struct kb_prompt_turn);
	for (size_t i = 0; i < request->turn_count; i++) {
		w->turns[i].question = request->turns[i];
		if (request->replies && request->replies[i].p)
			w->turns[i].answer = kb_prompt_unmarked(w->arena, request->replies[i]);
	}
}

/* ---- what others see of it ---- */

static struct writing *writing_of(struct kb_live_answer *answer)
{
	return KB_OUTER(answer, struct writing, live);
}

static bool show(struct kb_live_answer *answer, struct kb_arena *arena, size_t beyond,
                 struct kb_sv *out)
{
	struct writing *w = writing_of(answer);
	bool more;

	pthread_mutex_lock(&w->lock);
	more = w->told > beyond;
	if (more)
		*out = kb_arena_sv(arena, kb_sv_sub(kb_buf_view(&w->text), 0, w->told));
	pthread_mutex_unlock(&w->lock);
	return more;
}

static void say_nothing(struct kb_live_answer *answer)
{
	struct writing *w = writing_of(answer);

	pthread_mutex_lock(&w->lock);
	if (!w->spoke && w->sink.silent)
		w->sink.silent(w->sink.arg);
	pthread_mutex_unlock(&w->lock);
}

static void give_up(struct kb_live_answer *answer)
{
	struct writing *w = writing_of(answer);

	pthread_mutex_lock(&w->lock);
	w->unwanted = true;
	pthread_mutex_unlock(&w->lock);
	stop(w);
}

/* ---- begin ---- */

/* Who has no model to wait for says each sentence when it is there. */
static void answer_plainly(struct writing *w)
{
	const struct kb_answer_listener listener = { w->sink.take, w->sink.arg };
	struct kb_plain *plain = KB_NEW(w->arena, struct kb_plain);
	struct kb_err err = { 0 };

	if (kb_answer_plain(w->writer->answerer, w->arena, w->request,
	                    listener.take ? &listener : NULL, plain, &err)) {
		*w->out = plain->answer;
		kb_plain_release(plain);
		err = (struct kb_err){ 0 }; /* of a try that came to nothing on the way */
	}
	done(w, &err);
}

static void answer(struct writing *w)
{
	struct kb_err err = { 0 };
	size_t max;

	if (!w->choice_count) {
		answer_plainly(w);
		return;
	}
	if (!search(w, w->request, &err)) {
		done(w, &err);
		return;
	}
	keep_plain(w);
	if (!w->found->steps.count)
		end_plain(w, false);
	else if (kb_steps_planned(w->request, &max))
		plan(w, max);
	else if (is_follow_up(w))
		rewrite(w);
	else
		pass_gate(w);
}

/* What follows from the request, which routing may change. */
static void take_request(struct writing *w)
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

static void after_routing(struct writing *w)
{
	const struct kb_master_route *routing = w->request->routing;
	struct kb_err err = { 0 };
	ptrdiff_t which;

	which = kb_route_read(routing, end_short(w));
	if (w->result->err.code == KB_E_CANCELLED) {
		fail_all(w);
		return;
	}
	if (which != routing->best && !routing->choose(routing->arg, which, &err)) {
		done(w, &err);
		return;
	}
	take_request(w);
	answer(w);
}

static void route(struct writing *w)
{
	struct kb_chat_ask ask;

	kb_route_ask(w->writer->answerer, &w->scratch, w->request, w->turns, &ask);
	ask_short(w, &ask, after_routing);
}

static void begin(struct writing *w)
{
	const struct kb_master_route *routing = w->request->routing;

	read_turns(w);
	if (w->choice_count && routing && routing->asks && routing->choose)
		route(w);
	else
		answer(w);
}

static void moderate(struct writing *w)
{
	struct kb_err err = { 0 };
	bool flagged = false;

	if (!kb_moderator_flags(w->writer->moderator, w->request->prompt, &flagged, &err)) {
		kb_warn(w->writer->log, "prompt not moderated agent=%" PRId64 " error=%s",
		        w->request->agent->id, err.msg);
		fail(w, &err);
	} else if (flagged) {
		w->out->kind = KB_ANSWER_MODERATED;
		say_all(w, kb_settings_text_in(w->request->settings, w->request->lang,
		                               KB_TEXT_FAILED_MODERATION));
		done(w, &err);
	} else {
		begin(w);
	}
}

void kb_write_begin(struct kb_writer *writer, struct kb_arena *arena,
                    const struct kb_answer_request *request, const struct kb_answer_sink *sink,
                    struct kb_answer *out)
{
	struct writing *w = KB_NEW(arena, struct writing);

	*out = (struct kb_answer){ 0 };
	w->writer = writer;
	w->arena = arena;
	w->sink = *sink;
	w->out = out;
	w->request = request;
	w->live = (struct kb_live_answer){ .text = show,
		                           .silent = say_nothing,
		                           .stop = give_up,
		                           .agent_id = request->conversation_of,
		                           .session_id = request->session_id };
	pthread_mutex_init(&w->lock, NULL);
	kb_buf_init(&w->text, TEXT_MAX);
	w->set = kb_models_hold(writer->models);
	take_request(w);
	/* What waits for nobody is over before anybody looks at it. */
	w->entered = writer->moderator || w->choice_count;
	if (w->entered)
		kb_live_enter(writer->live, &w->live);
	if (!writer->moderator) {
		begin(w);
		return;
	}
	if (!make_row(w))
		return;
	w->next = moderate;
	if (!kb_pool_submit(writer->moderating, run_next, w))
		fail(w, &(struct kb_err){ KB_E_BUSY, "too many prompts wait to be moderated" });
}

void kb_write_cancel(struct kb_writer *writer, int64_t agent_id, struct kb_sv session_id)
{
	kb_live_stop(writer->live, agent_id, session_id);
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
	writer->live = kb_live_open(&(struct kb_live_config){
	        .store = config->answerer->store, .clock = config->clock, .log = config->log });
	return writer;
}

void kb_writer_close(struct kb_writer *writer)
{
	if (!writer)
		return;
	kb_pool_close(writer->moderating);
	kb_pool_close(writer->pool);
	kb_live_close(writer->live);
	free(writer);
}
