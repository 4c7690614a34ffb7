/*
 * A question that compares two things: "the difference between A and B", "A vs. B", "compare A with
 * B". Each side is looked for by itself, for no one passage need speak of both.
 *
 * Known in the languages of the table in compare.c. Pure; any thread.
 */
#ifndef KB_ANSWER_COMPARE_H
#define KB_ANSWER_COMPARE_H

#include "base/arena.h"
#include "index/lang.h"

enum { KB_COMPARE_SIDES = 2 };

/* The two sides, views of the text; false: it compares nothing that this knows. */
bool kb_compare_sides(enum kb_lang lang, struct kb_sv text, struct kb_sv sides[KB_COMPARE_SIDES]);

#endif
