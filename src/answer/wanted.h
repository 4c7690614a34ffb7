/*
 * The kind of thing that a question asks for by name (a length, a colour, a price, a discount), and
 * whether a text tells one. A passage on the very subject that tells none does not answer, however
 * near it is.
 *
 * Lists of words of the larger languages together: units and signs are mostly the same in all of
 * them. What no list has is no kind. Pure; any thread.
 */
#ifndef KB_ANSWER_WANTED_H
#define KB_ANSWER_WANTED_H

#include "base/sv.h"

enum kb_wanted {
	KB_WANTED_NOTHING, /* that these lists know */
	KB_WANTED_DISCOUNT,
	KB_WANTED_PHONE,
	KB_WANTED_MAIL,
	KB_WANTED_COLOUR,
	KB_WANTED_WEIGHT,
	KB_WANTED_TEMPERATURE,
	KB_WANTED_POWER,
	KB_WANTED_NOISE,
	KB_WANTED_PRICE,
	KB_WANTED_DURATION,
	KB_WANTED_LENGTH,
	KB_WANTED_KINDS
};

/* Of a question; where it asks for several, the first of the list. One that asks how something is
 * done, whether one may, why, or who, when and where, asks for none, whatever it names. */
enum kb_wanted kb_wanted_of(struct kb_sv question);

/* Whether the text tells such a thing: a unit behind a figure, a sign, a word for it. Of a long
 * text its first KB_WANTED_BYTES are looked at. */
enum { KB_WANTED_BYTES = 2000 };
bool kb_wanted_in(enum kb_wanted kind, struct kb_sv text);

#endif
