/*
 * What searches have found, as the sources that a model is given (context.h): in the order of each
 * search, with what stands around a passage read from where it was found.
 */
#ifndef KB_WRITE_SOURCES_H
#define KB_WRITE_SOURCES_H

#include "answer/places.h"
#include "answer/steps.h"
#include "write/context.h"

/* While steps->searched is held; texts live in the arena. */
void kb_sources_build(struct kb_arena *arena, const struct kb_steps *steps,
                      const struct kb_context_limits *limits, struct kb_excerpt **out,
                      size_t *count);

/* Tells of those whose documents say otherwise than each other when that was, and which is believed
 * (fresh.h). */
void kb_sources_date(const struct kb_steps *steps, struct kb_excerpt *sources, size_t count);

/* Where an answer from these sources may lead: to what its documents are, to what they name, to
 * what the agent's owner names. The places live in the arena. Reads the store. */
struct kb_sources {
	const struct kb_excerpt *v;
	size_t count;
};
bool kb_sources_places(struct kb_store *store, struct kb_arena *arena,
                       const struct kb_answer_request *request, const struct kb_sources *sources,
                       struct kb_named **out, struct kb_err *err) KB_MUST_CHECK;

#endif
