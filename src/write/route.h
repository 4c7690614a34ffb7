/*
 * Which of a master's agents a question is for.
 *
 *   by rule    the one whose documents pass the gate with the highest confidence, the first of
 *              equals
 *   by model   what the agents are and what the search has found in each is told to a model, which
 *              names one (write.h asks it); an answer that is no such number leaves the rule's
 *
 * A document that the request's labels do not open takes no part in either. Belongs to a worker.
 */
#ifndef KB_WRITE_ROUTE_H
#define KB_WRITE_ROUTE_H

#include "answer/answerer.h"
#include "answer/request.h"
#include "answer/searched.h"
#include "upstream/chat.h"

enum {
	KB_ROUTE_FOUND = 3,
	KB_ROUTE_MAX = 40,    /* more agents than that are left to the rule */
	KB_ROUTE_TOKENS = 64, /* of the model's answer */
};

struct kb_route_agent {
	const struct kb_agent *agent;
	/* What the rule finds. */
	bool answers;
	double confidence;
	struct kb_sv found[KB_ROUTE_FOUND]; /* where the best passages stand */
	size_t found_count;
};

struct kb_master_route {
	struct kb_route_agent *v;
	size_t count;
	ptrdiff_t best; /* by rule; -1: none */
	/* What was found in the best, or in the last where none answers, so that its answer
	 * searches for nothing once more; whoever had the routing made ends it. */
	struct kb_searched searched;
	bool asks; /* it is a question, no small talk */
	/* For the model's choice, if it is not the rule's: puts another agent into the request,
	 * before anything is searched for. On a thread that may block. NULL: no model is asked. */
	bool (*choose)(void *arg, ptrdiff_t which, struct kb_err *err);
	void *arg;
};

/* Fills what is left of `routing` when its agents are named. Only prompt, turns, labels and what
 * settings and request say of searching count; an agent that is deleted meanwhile has no say. */
bool kb_route_by_rule(struct kb_answerer *answerer, struct kb_arena *arena,
                      const struct kb_answer_request *request, struct kb_master_route *routing,
                      struct kb_err *err) KB_MUST_CHECK;

struct kb_prompt_turn;
/* The request to the model. */
void kb_route_ask(struct kb_answerer *answerer, struct kb_arena *arena,
                  const struct kb_answer_request *request, const struct kb_prompt_turn *turns,
                  struct kb_chat_ask *out);
/* What the model's text names; the rule's where it names nothing that can be used, or none of the
 * agents although the rule has one. */
ptrdiff_t kb_route_read(const struct kb_master_route *routing, struct kb_sv text);

#endif
