/*
 * An agent's sub-personas (notes.h) as a request gets them: its own text, else the agent's, else
 * the generated one, else one that is made now by rule. Belongs to a worker: it reads the store.
 */
#ifndef KB_ANSWER_GIVEN_H
#define KB_ANSWER_GIVEN_H

#include "answer/answerer.h"
#include "answer/request.h"

struct kb_given_notes {
	struct kb_answerer *answerer;
	struct kb_arena *arena; /* texts live here */
	const struct kb_agent *agent;
	const struct kb_settings *settings;
	const struct kb_note_override *own; /* KB_NOTE_COUNT of the request; NULL: none */
};

/* Empty: there is none. */
struct kb_sv kb_given_summary(const struct kb_given_notes *notes);
struct kb_sv kb_given_planner(const struct kb_given_notes *notes);

#endif
