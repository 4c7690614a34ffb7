/* Words that tell what a number or a name is, of the languages most asked in. Pure; any thread. */
#ifndef KB_ANSWER_NAMED_WORDS_H
#define KB_ANSWER_NAMED_WORDS_H

#include "base/sv.h"

enum kb_named_words {
	KB_WORDS_UNIT,         /* euros, kg, minutes, pm */
	KB_WORDS_NUMBER,       /* stands between a noun and its number: "room no. 9" */
	KB_WORDS_AMOUNT,       /* a number after it is an amount: about, costs, top */
	KB_WORDS_ORDINAL,      /* endings of numbers: th, st, er, ème */
	KB_WORDS_CALENDAR,     /* months, days, feasts */
	KB_WORDS_PEOPLE,       /* languages and nations, and words that English always writes so */
	KB_WORDS_OWN,          /* I, my, we, ich, unser */
	KB_WORDS_PLACE,        /* in, from, nach */
	KB_WORDS_WAY,          /* to, from: of a way */
	KB_WORDS_TIME,         /* in, since, before: a year follows */
	KB_WORDS_AND,          /* and, or */
	KB_WORDS_RANGE,        /* to, until, bis */
	KB_WORDS_TITLE,        /* Frau, Herr, Dr: a name follows, in German too */
	KB_WORDS_CHINESE,      /* characters behind the number of a thing */
	KB_WORDS_CHINESE_UNIT, /* and behind an amount */
	KB_WORDS_KINDS
};
/* A folded word. */
bool kb_named_word(enum kb_named_words kind, struct kb_sv word);

#endif
