/* Between the files of named.h: a text as tokens, and words that tell what a number is. */
#ifndef KB_ANSWER_NAMED_IMPL_H
#define KB_ANSWER_NAMED_IMPL_H

#include "answer/named.h"

enum kb_token_kind { KB_TOKEN_WORD, KB_TOKEN_NUMBER, KB_TOKEN_CHARACTER };

/* What stands before a token. */
enum kb_token_gap {
	KB_GAP_NONE,
	KB_GAP_BLANK,
	KB_GAP_JOINT, /* one '-', '_', '.', '/' and no blank */
	KB_GAP_LIST,  /* a comma */
	KB_GAP_SIGN,  /* other signs, the first is `mark` */
	KB_GAP_FAR,   /* the end of a sentence or a line, or the beginning of the text */
};

struct kb_token {
	struct kb_sv text; /* folded; numbers in one way: "1,000" is 1000, "2.0" stays */
	struct kb_sv raw;
	enum kb_token_kind kind;
	enum kb_token_gap gap;
	uint32_t mark; /* the first sign before it; 0: none */
	bool capital;  /* begins with one */
	bool capitals; /* nothing else */
	bool plain;    /* a number of digits alone */
};

struct kb_tokens {
	struct kb_token *v;
	size_t count, capacity;
};

/* Appends the text's tokens. */
void kb_tokens_add(struct kb_arena *arena, struct kb_sv text, struct kb_tokens *out);

static inline bool kb_token_is(const struct kb_tokens *t, size_t i, enum kb_token_kind kind)
{
	return i < t->count && t->v[i].kind == kind;
}

/* 0: it has other signs than digits, or too many of them. */
int kb_token_value(const struct kb_token *token);
/* Of a number that may be a year. */
bool kb_token_is_year(const struct kb_token *token);

enum kb_named_words {
	KB_WORDS_UNIT,         /* euros, kg, minutes, pm */
	KB_WORDS_NUMBER,       /* stands between a noun and its number: "room no. 9" */
	KB_WORDS_AMOUNT,       /* a number after it is an amount: about, costs, top */
	KB_WORDS_ORDINAL,      /* endings of numbers: th, st, er, ème */
	KB_WORDS_CALENDAR,     /* months, days, feasts */
	KB_WORDS_PEOPLE,       /* languages and nations, and words that English always writes so */
	KB_WORDS_OWN,          /* I, my, we, ich, unser */
	KB_WORDS_PLACE,        /* in, from, nach */
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
