/*
 * Answers written by a model from what the search has found, without a worker while it writes.
 *
 *   moderate   where the operator has a moderation server, it is asked first, about every prompt;
 *              what it flags is answered by chatbot_failed_moderation_msg, and while it cannot be
 *              asked nothing is answered
 *   route      a master's turn may be for another of its agents than the rule has picked: a short
 *              request to the model says so (route.h); if that fails, the rule's choice stays
 *   plain      the answer without a model (answer.h): small talk, overviews and refusals end here,
 *              and so does everything while no model is configured
 *   rewrite    a follow-up becomes a question of its own, by a short request to the model; then
 *              plain again. If that fails, the rule's reading of the turn stays
 *   plan       in planner mode the model says instead what is to be searched for (planned.h), in
 *              one short request for follow-ups too; if that fails, the rule's parts stay
 *   gate       with quote_sure_answers, where the plain answer is sure, it is the answer. With
 *              own_content, where the documents are nowhere near the question, no model is asked.
 *              Then, and where a model refuses or says what no source does, the passages that come
 *              closest are shown (closest.h)
 *   context    the sources, by context_depth and the model's own limit (context.h)
 *   prompt     one layout (prompt.h)
 *   write      the model's text comes in pieces and leaves checked
 *   finish     citations and figures. Of a text that no source supports nothing is left: then the
 *              plain answer stands in for it where the documents surely hold one, unless the model
 *              itself said that it does not know
 *
 * A model that fails before its first word leads to the next one of its fallbacks; a context that
 * is too long, to one more try with half of the sources and turns that were sent. When none is
 * left, the plain answer stands in for it if the documents surely hold one, else
 * chatbot_siesta_msg. What a model has said before it failed stays, and is marked.
 *
 * begin() belongs to a worker and does not wait for a model: the rest happens on the models' thread
 * (which only reads and hands on) and on threads of the writer's own. The sink is called by one of
 * these at a time.
 */
#ifndef KB_WRITE_WRITE_H
#define KB_WRITE_WRITE_H

#include "answer/answer.h"
#include "upstream/models.h"
#include "write/sink.h"

struct kb_writer;

struct kb_moderator;
/* All of them outlive the writer. */
struct kb_writer_config {
	struct kb_answerer *answerer;
	struct kb_models *models;
	struct kb_moderator *moderator; /* NULL: none */
	const struct kb_clock *clock;
	const struct kb_log *log;
	int64_t custom_depth; /* tokens of sources for agents whose context_depth is custom */
};
struct kb_writer *kb_writer_open(const struct kb_writer_config *config);
/* Every answer has ended: the server has stopped. NULL is fine. */
void kb_writer_close(struct kb_writer *writer);

/* *out is filled when done() is called. The arena, the request and what it points to live until
 * then, and nobody else uses the arena meanwhile. */
void kb_write_begin(struct kb_writer *writer, struct kb_arena *arena,
                    const struct kb_answer_request *request, const struct kb_answer_sink *sink,
                    struct kb_answer *out);

/* So many passages an answer with these settings searches for; 0: as many as are read anyway, for
 * no model writes it. */
size_t kb_write_passages(struct kb_writer *writer, const struct kb_settings *settings);

/* The conversation is gone, or with session_id.p == NULL the agent: the answers that are being
 * written in it end without one (KB_E_NOT_FOUND). Those that another process writes end at its next
 * turn (underway.h). Any thread. */
void kb_write_cancel(struct kb_writer *writer, int64_t agent_id, struct kb_sv session_id);

#endif
