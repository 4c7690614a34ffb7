/*
 * How an agent introduces itself, in the words of its persona.
 *
 * A persona is written to the agent: "You are Gustav, the pump expert of Heron Ltd. You help
 * customers choose. Never tell the discount." Said by the agent, the first two are "I am Gustav,
 * the pump expert of Heron Ltd. I help customers choose." Only such sentences are used, near the
 * beginning, word for word but for the turn from "you are" to "I am"; where one goes on to rule,
 * to address the agent, or to name a code or figure, it ends before that, at a comma or the like,
 * or is not said at all. So what the owner keeps from readers stays there.
 *
 * Pure but for the arena; any thread.
 */
#ifndef KB_ANSWER_PERSONA_H
#define KB_ANSWER_PERSONA_H

#include "index/analysis.h"

/* Two sentences at most: who it is, and (with `purpose`, or where it does not say who) what it
 * does. In another language than the persona's its name alone; empty where the persona says nothing
 * of the kind. */
struct kb_sv kb_persona_intro(struct kb_arena *arena, struct kb_sv persona, enum kb_lang lang,
                              bool purpose);

/* The name that it gives the agent ("Gustav"); empty where it gives none. */
struct kb_sv kb_persona_name(struct kb_arena *arena, struct kb_sv persona);

#endif
