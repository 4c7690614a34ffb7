/*
 * The closest passages of an answer that there is not (answer/closest.h), for ways out that have
 * nothing but text: a line that says what they are, and each with its title and where it opens.
 * Never stored: the message has them as passages.
 */
#ifndef KB_API_CLOSEST_TEXT_H
#define KB_API_CLOSEST_TEXT_H

#include "api/session.h"

/* The documents of turn->answer.closest, in its order; an id of 0: it has gone. */
const struct kb_page *kb_closest_pages(struct kb_call *call, const struct kb_turn *turn);

/* Of a turn that has been kept, without a line end at either side; empty where it shows none. A
 * document that has gone meanwhile takes its passage along. */
struct kb_sv kb_closest_text(struct kb_call *call, const struct kb_turn *turn);

#endif
