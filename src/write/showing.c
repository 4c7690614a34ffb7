/* What is seen of an answer that a model writes: its checked words while they come, and how it
 * ends.
 */
#include "index/sentence.h"
#include "write/refusal.h"
#include "write/writing.h"

/* ---- while it is written ---- */

bool kb_writing_is_heard(void *arg)
{
	struct kb_writing *w = arg;

	return !w->sink.is_heard || w->sink.is_heard(w->sink.arg);
}

static void stop(struct kb_writing *w)
{
	pthread_mutex_lock(&w->lock);
	w->cancelled = true;
	kb_chat_cancel(w->call);
	pthread_mutex_unlock(&w->lock);
}

void kb_writing_keep(void *arg, struct kb_sv text)
{
	struct kb_writing *w = arg;

	pthread_mutex_lock(&w->lock);
	kb_buf_sv(&w->text, text);
	pthread_mutex_unlock(&w->lock);
}

static void tell(struct kb_writing *w)
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

/* Nothing more will come of it: what there is, is the answer. */
static void end_early(struct kb_writing *w)
{
	pthread_mutex_lock(&w->lock);
	w->ended_early = true;
	kb_chat_cancel(w->call);
	pthread_mutex_unlock(&w->lock);
}

void kb_writing_hear(void *arg, struct kb_sv text)
{
	struct kb_writing *w = arg;
	struct kb_analyzer *analyzer = kb_analyzer_borrow(w->writer->answerer);

	kb_reply_feed(w->reply, analyzer, text);
	kb_analyzer_give_back(w->writer->answerer, analyzer);
	if (w->text.failed)
		stop(w);
	else if (kb_reply_is_lost(w->reply))
		end_early(w);
	tell(w);
}

void kb_writing_tell_reading(struct kb_writing *w)
{
	pthread_mutex_lock(&w->lock);
	if (w->sink.reading && w->source_count)
		w->sink.reading(w->sink.arg, w->source_count);
	pthread_mutex_unlock(&w->lock);
}

/* ---- as others see it (underway.h) ---- */

static struct kb_writing *writing_of(struct kb_underway_answer *answer)
{
	return KB_OUTER(answer, struct kb_writing, underway);
}

static bool show(struct kb_underway_answer *answer, struct kb_arena *arena, size_t beyond,
                 struct kb_sv *out)
{
	struct kb_writing *w = writing_of(answer);
	bool more;

	pthread_mutex_lock(&w->lock);
	more = w->told > beyond;
	if (more)
		*out = kb_arena_sv(arena, kb_sv_sub(kb_buf_view(&w->text), 0, w->told));
	pthread_mutex_unlock(&w->lock);
	return more;
}

static void say_nothing(struct kb_underway_answer *answer)
{
	struct kb_writing *w = writing_of(answer);

	pthread_mutex_lock(&w->lock);
	if (!w->spoke && w->sink.silent)
		w->sink.silent(w->sink.arg);
	pthread_mutex_unlock(&w->lock);
}

static void give_up(struct kb_underway_answer *answer)
{
	struct kb_writing *w = writing_of(answer);

	pthread_mutex_lock(&w->lock);
	w->unwanted = true;
	pthread_mutex_unlock(&w->lock);
	stop(w);
}

struct kb_underway_answer kb_writing_underway(const struct kb_answer_request *request)
{
	return (struct kb_underway_answer){ .text = show,
		                            .silent = say_nothing,
		                            .stop = give_up,
		                            .agent_id = request->conversation_of,
		                            .session_id = request->session_id };
}

/* ---- the end ---- */

void kb_writing_say(struct kb_writing *w, struct kb_sv text)
{
	w->out->text = text;
	pthread_mutex_lock(&w->lock);
	w->spoke = true;
	if (text.n && w->sink.take)
		w->sink.take(w->sink.arg, text);
	pthread_mutex_unlock(&w->lock);
}

/* What is known of the question whoever answers. */
static void copy_figures(struct kb_writing *w)
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

static bool is_unwanted(struct kb_writing *w)
{
	bool unwanted;

	pthread_mutex_lock(&w->lock);
	unwanted = w->unwanted;
	pthread_mutex_unlock(&w->lock);
	return unwanted;
}

enum kb_write_step kb_write_plain(struct kb_writing *w)
{
	struct kb_answer spent = *w->out;

	*w->out = w->plain;
	w->out->stands_in = spent.stands_in;
	w->out->model = spent.model;
	w->out->prompt_tokens = spent.prompt_tokens;
	w->out->completion_tokens = spent.completion_tokens;
	w->out->cost_micros = spent.cost_micros;
	kb_writing_say(w, w->plain.text);
	return KB_WRITE_OVER;
}

enum kb_write_step kb_writing_fails(struct kb_writing *w, const struct kb_err *why)
{
	w->out->kind = KB_ANSWER_FAILED;
	w->out->failure = kb_arena_copy(w->arena, why, sizeof(*why));
	if (!is_unwanted(w))
		kb_writing_say(w, kb_settings_text_in(w->request->settings, w->request->lang,
		                                      KB_TEXT_SIESTA));
	return KB_WRITE_OVER;
}

enum kb_write_step kb_write_fail(struct kb_writing *w)
{
	kb_warn(w->writer->log, "model failed agent=%" PRId64 " model=%.*s error=%s",
	        w->request->agent->id, KB_SV_ARG(w->out->model), w->result->err.msg);
	if (w->plain.kind == KB_ANSWER_QUOTES && w->result->err.code != KB_E_CANCELLED) {
		w->out->stands_in = true;
		return KB_WRITE_PLAIN;
	}
	copy_figures(w);
	return kb_writing_fails(w, &w->result->err);
}

enum kb_write_step kb_write_refuse(struct kb_writing *w)
{
	copy_figures(w);
	w->out->kind = KB_ANSWER_NONE;
	w->out->closest = w->closest;
	kb_writing_say(
	        w, kb_settings_text_in(w->request->settings, w->request->lang, KB_TEXT_NO_ANSWER));
	return KB_WRITE_OVER;
}

static void quote_place(struct kb_writing *w, const struct kb_cite_sentence *sentence,
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
static void make_quotes(struct kb_writing *w)
{
	size_t count = 0;

	for (size_t i = 0; i < w->cited.count; i++)
		count += w->cited.sentences[i].place_count + 1;
	w->out->quotes = KB_NEW_ARRAY(w->arena, count, struct kb_quote);
	for (size_t i = 0; i < w->cited.count; i++) {
		const struct kb_cite_sentence *sentence = &w->cited.sentences[i];

		for (size_t k = 0; k < sentence->place_count; k++)
			quote_place(w, sentence, &sentence->places[k]);
		if (sentence->statement && !sentence->supported)
			quote_place(w, sentence, NULL);
	}
}

/* Nothing is left of a text that may only say what the documents say. */
static bool is_struck(const struct kb_writing *w)
{
	return w->strict && !w->text.n;
}

/* What the model has said is struck. Where it said that it does not know, so it is; else the
 * documents may know all the same. */
static enum kb_write_step strike(struct kb_writing *w)
{
	struct kb_sv no_answer =
	        kb_settings_text_in(w->request->settings, w->request->lang, KB_TEXT_NO_ANSWER);

	if (w->plain.kind != KB_ANSWER_QUOTES
	    || kb_refuses(kb_reply_beginning(w->reply), no_answer))
		return KB_WRITE_REFUSE;
	w->out->stands_in = true;
	return KB_WRITE_PLAIN;
}

/* What is cut off in a sentence says so; it is told with the rest. */
static void mark_cut(struct kb_writing *w)
{
	w->out->cut = w->result->err.code == KB_OK && w->result->finish == KB_CHAT_LENGTH;
	if (w->out->cut && w->text.n && !kb_ends_in_stop(kb_sv_trim(kb_buf_view(&w->text))))
		kb_writing_keep(w, KB_SV(" \u2026"));
}

/* The model's text is here, whole or not. */
enum kb_write_step kb_write_finish(struct kb_writing *w)
{
	enum kb_citations mode = kb_settings_citations(w->request->settings);
	struct kb_answer *out = w->out;

	copy_figures(w);
	out->statements = w->cited.statements;
	out->unsupported = w->cited.unsupported;
	if (is_struck(w))
		return strike(w);
	mark_cut(w);
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
	kb_answer_conflicts(w->arena, &w->conflicts, out);
	if (mode != KB_CITATIONS_NONE) {
		out->citations = w->cited.pages;
		out->citation_count = w->cited.page_count;
	}
	return KB_WRITE_OVER;
}
