/* What a model is asked for an answer: the short requests before it, and the one that writes: its
 * sources, its prompt, and how much room there is for them. */
#include "answer/given.h"
#include "answer/planned.h"
#include "index/query.h"
#include "write/route.h"
#include "write/sources.h"
#include "write/tokens.h"
#include "write/writing.h"

enum {
	SHORT_MAX = 4000, /* bytes of what a step before the answer gets */
	SOURCES_LEAST = 200,
	/* Of a picture of the question, about. By judgement: models count them each in a way of
	 * their own. */
	IMAGE_TOKENS = 1500,
	/* Of a hundred tokens of the context, for the model counts otherwise than we do
	 * (tokens.h). By judgement, not measured: a model that is sent too much says so, and gets
	 * half. */
	SHARE = 90,
	/* Earlier turns have a fourth of the room, so that a talk of long answers leaves the
	 * sources most of it. By judgement too. */
	TURNS_SHARE = 4,
};

/* ---- short requests, before the answer ---- */

static struct kb_given_notes given(struct kb_writing *w)
{
	return (struct kb_given_notes){ .answerer = w->writer->answerer,
		                        .arena = &w->scratch,
		                        .agent = w->request->agent,
		                        .settings = w->request->settings,
		                        .own = w->request->notes };
}

static void keep_short(void *arg, struct kb_sv text)
{
	struct kb_writing *w = arg;

	kb_buf_sv(&w->text, text);
}

/* Its text is short. */
static void leave_short(struct kb_writing *w, struct kb_chat_ask *ask)
{
	ask->on_text = keep_short;
	kb_buf_fini(&w->text);
	kb_buf_init(&w->text, SHORT_MAX);
	w->ask = *ask;
	w->model = w->choices[0];
}

struct kb_sv kb_writing_short(struct kb_writing *w)
{
	struct kb_sv text = kb_arena_sv(w->arena, kb_sv_trim(kb_buf_view(&w->text)));
	bool ok = w->result->err.code == KB_OK && !w->text.failed;

	w->out->model = kb_arena_sv(w->arena, w->choices[0]->id);
	kb_buf_fini(&w->text);
	kb_buf_init(&w->text, KB_WRITTEN_MAX);
	return ok ? text : KB_SV("");
}

enum kb_write_step kb_write_route(struct kb_writing *w)
{
	struct kb_chat_ask ask;

	kb_route_ask(w->writer->answerer, &w->scratch, w->request, w->turns, &ask);
	leave_short(w, &ask);
	return KB_WRITE_ROUTED;
}

enum kb_write_step kb_write_rewrite(struct kb_writing *w)
{
	struct kb_given_notes notes = given(w);
	struct kb_chat_ask ask = { .max_tokens = KB_REWRITE_TOKENS };
	struct kb_chat_message *messages;

	kb_prompt_rewrite(&w->scratch,
	                  &(struct kb_prompt_follow_up){ .about = kb_given_summary(&notes),
	                                                 .turns = w->turns,
	                                                 .turn_count = w->request->turn_count,
	                                                 .question = w->request->prompt },
	                  &messages, &ask.message_count);
	ask.messages = messages;
	leave_short(w, &ask);
	return KB_WRITE_REWRITTEN;
}

enum kb_write_step kb_write_plan(struct kb_writing *w)
{
	struct kb_given_notes notes = given(w);
	struct kb_chat_ask ask = { .max_tokens = KB_SEARCH_TOKENS };
	struct kb_chat_message *messages;
	size_t max;

	kb_steps_planned(w->request, &max);
	kb_prompt_search(&w->scratch,
	                 &(struct kb_prompt_search){ .planner = kb_given_planner(&notes),
	                                             .max = max,
	                                             .turns = w->turns,
	                                             .turn_count = w->request->turn_count,
	                                             .question = w->request->prompt },
	                 &messages, &ask.message_count);
	ask.messages = messages;
	leave_short(w, &ask);
	return KB_WRITE_PLANNED;
}

/* ---- sources and the check of what is made of them ---- */

static void build_sources(struct kb_writing *w, const struct kb_context_limits *limits)
{
	kb_sources_build(&w->scratch, &w->found->steps, limits, &w->sources, &w->source_count);
	kb_sources_date(&w->found->steps, w->sources, w->source_count);
	kb_marker_draw(&w->ids, w->arena, w->source_count);
}

static int64_t df(void *arg, struct kb_sv term)
{
	return kb_snapshot_df(arg, term);
}

static struct kb_support *make_support(struct kb_writing *w)
{
	struct kb_support_source *sources =
	        KB_NEW_ARRAY(&w->scratch, w->source_count, struct kb_support_source);
	struct kb_snapshot *snapshot = w->live.snapshot;
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

static bool begin_reply(struct kb_writing *w, struct kb_err *err)
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
	w->strict = kb_settings_response_source(w->request->settings) != KB_RESPONSE_LLM_CONTENT;
	w->ended_early = false;
	w->reply = kb_reply_new(w->arena, &(struct kb_reply_config){
	                                          .ids = &w->ids,
	                                          .pages = pages,
	                                          .support = make_support(w),
	                                          .places = places,
	                                          .numbers = w->request->inline_citations
	                                                     && (mode == KB_CITATIONS_INLINE
	                                                         || mode == KB_CITATIONS_BOTH),
	                                          .strict = w->strict,
	                                          .cited = mode != KB_CITATIONS_NONE,
	                                          .emit = kb_writing_keep,
	                                          .arg = w,
	                                  });
	return true;
}

/* ---- the prompt ---- */

static bool wants_markers(const struct kb_writing *w)
{
	return kb_settings_citations(w->request->settings) != KB_CITATIONS_NONE;
}

/* What is still asked of the sources when their texts are gone. */
static void keep_places(struct kb_writing *w)
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

/* How many tokens of the model a token of the sources' limits is, which are in those of English:
 * that of the language for which it is most. */
static double pieces_a_token(const struct kb_writing *w)
{
	double most = 1;

	for (size_t i = 0; i < w->found->steps.count; i++) {
		const struct kb_answer_step *step = &w->found->steps.v[i];

		for (size_t k = 0; k < step->candidate_count; k++) {
			const struct kb_passage *passage = &step->candidates[k].passage;
			int64_t count = kb_tokens_count(passage->text);

			if (count)
				most = KB_MAX(most, (double)kb_tokens_estimate(passage->text,
				                                               passage->lang)
				                            / (double)count);
		}
	}
	return most;
}

static void note_sent(struct kb_writing *w, const struct kb_chat_message *messages, size_t count)
{
	w->sent_sources = w->sent_turns = 0;
	for (size_t i = 0; i < w->source_count; i++)
		w->sent_sources += kb_tokens_count(w->sources[i].text);
	for (size_t i = 1; i + 1 < count; i++)
		w->sent_turns += kb_tokens_estimate(messages[i].text, KB_LANG_NONE);
}

/* Which outcome the gate expects (answer/outcome.h). */
static bool is_answered(const struct kb_writing *w)
{
	const struct kb_steps *steps = &w->found->steps;

	for (size_t i = 0; i < steps->count; i++)
		if (steps->v[i].selection.answered && steps->v[i].verdict != KB_NAMED_LACKING)
			return true;
	return false;
}

/* Of what is in hand. False: the store failed. */
static bool leave_prompt(struct kb_writing *w, struct kb_err *err)
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
		.answers = is_answered(w),
		.markers = wants_markers(w),
		.turns = w->turns,
		.turn_count = w->request->turn_count,
		.question = w->request->prompt,
	};
	int64_t room, turn_tokens;
	struct kb_context_limits limits = w->limits;
	struct kb_chat_ask ask = { .max_tokens = model->max_tokens,
		                   .stream = true,
		                   .on_text = kb_writing_hear };
	struct kb_chat_message *messages;

	if (!kb_answer_asker(w->writer->answerer->store, &w->scratch, w->request, &prompt.asker,
	                     err))
		return false;
	room = (model->context - model->max_tokens) * SHARE / 100
	       - kb_prompt_tokens(&w->scratch, &prompt)
	       - (int64_t)w->request->image_count * IMAGE_TOKENS;
	turn_tokens = KB_MIN(room / TURNS_SHARE, w->turn_tokens);
	w->out->model = kb_arena_sv(w->arena, model->id);
	limits.tokens = KB_MIN(limits.tokens,
	                       KB_MAX((int64_t)((double)(room - turn_tokens) / pieces_a_token(w)),
	                              (int64_t)SOURCES_LEAST));
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
	w->ask = ask;
	w->model = model;
	return true;
}

enum kb_write_step kb_write_ask(struct kb_writing *w)
{
	/* Another model, or fewer passages: what was found is gone. */
	if (!w->found && !kb_writing_search(w, w->asked, &w->result->err))
		return KB_WRITE_FAIL;
	if (!leave_prompt(w, &w->err))
		return KB_WRITE_OVER;
	kb_writing_tell_reading(w);
	return KB_WRITE_WRITTEN;
}

/* ---- what came of it ---- */

static void end_reply(struct kb_writing *w)
{
	struct kb_analyzer *analyzer = kb_analyzer_borrow(w->writer->answerer);

	kb_reply_end(w->reply, analyzer, &w->cited);
	kb_analyzer_give_back(w->writer->answerer, analyzer);
}

/* The model reads less than its configuration says, so that what was sent counts, not what may be.
 */
static void halve(struct kb_writing *w)
{
	w->halved = true;
	w->limits.passages = (w->limits.passages + 1) / 2;
	w->limits.tokens = w->sent_sources / 2;
	w->turn_tokens = w->sent_turns / 2;
}

enum kb_write_step kb_write_written(struct kb_writing *w)
{
	const struct kb_model *model = w->choices[w->choice];
	struct kb_err *err = &w->result->err;

	end_reply(w);
	if (w->ended_early) /* by us */
		*err = (struct kb_err){ 0 };
	if (w->text.failed) /* that is why it was stopped */
		kb_fail(err, KB_E_UPSTREAM,
		        "the model %.*s does not come to an end: its answer has more than %d bytes",
		        KB_SV_ARG(model->id), KB_WRITTEN_MAX);
	if (w->text.n || (err->code == KB_OK && w->result->has_text))
		return KB_WRITE_FINISH;
	if (err->code == KB_OK) {
		kb_fail(err, KB_E_UPSTREAM, "the model %.*s answers without a text",
		        KB_SV_ARG(model->id));
		return KB_WRITE_FAIL;
	}
	if (err->code == KB_E_TOO_LARGE && !w->halved) {
		halve(w);
		return KB_WRITE_ASK;
	}
	if (err->code != KB_E_CANCELLED && w->choice + 1 < w->choice_count) {
		w->choice++;
		return KB_WRITE_ASK;
	}
	return KB_WRITE_FAIL;
}
