/* A text as tokens: words, numbers in one way, and characters of scripts without blanks. Pure; any
 * thread. */
#ifndef KB_ANSWER_NAMED_TOKENS_H
#define KB_ANSWER_NAMED_TOKENS_H

#include "base/arena.h"

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

#endif
