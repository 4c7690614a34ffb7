/*
 * What searches have found, as the sources that a model is given (context.h): in the order of each
 * search, with what stands around a passage read from where it was found.
 */
#ifndef KB_WRITE_SOURCES_H
#define KB_WRITE_SOURCES_H

#include "answer/steps.h"
#include "write/context.h"

/* While steps->searched is held; texts live in the arena. */
void kb_sources_build(struct kb_arena *arena, const struct kb_steps *steps,
                      const struct kb_context_limits *limits, struct kb_excerpt **out,
                      size_t *count);

#endif
