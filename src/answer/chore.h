/*
 * What a model is asked beside the answers (store/chores.h): the requests, and what of its texts is
 * taken.
 *
 * What is written by others goes into a request as data, cut to a bound. What comes back is read
 * strictly: a text that is not of the form that was asked for, or that brings a link, markup or an
 * address, is none, and what the rule made stays. Of the lines of questions to begin with, those
 * count that are questions.
 *
 * tests/unit/answer/chore_test.c shows whole requests. Pure but for the arena; any thread.
 */
#ifndef KB_ANSWER_CHORE_H
#define KB_ANSWER_CHORE_H

#include "store/chores.h"
#include "upstream/chat.h"

/* What a chore is about: parts that stand one under the other. */
struct kb_chore_part {
	const char *label; /* "Question", "Document" … */
	struct kb_sv text; /* empty: the part is left out */
};
enum {
	KB_CHORE_PART_CHARS = 6000,
	KB_CHORE_TEXT_MAX = 8000, /* bytes that a model may answer */
	/* Questions to begin with, and characters of one. */
	KB_STARTERS_MAX = 3,
	KB_STARTER_CHARS_LEAST = 8,
	KB_STARTER_CHARS = 120,
};

/* Fills messages and max_tokens of the ask. */
void kb_chore_ask(struct kb_arena *arena, enum kb_chore_kind kind,
                  const struct kb_chore_part *parts, size_t count, struct kb_chat_ask *out);
/* What is stored of the model's text; p == NULL: it is of no use. */
struct kb_sv kb_chore_read(struct kb_arena *arena, enum kb_chore_kind kind, struct kb_sv text);

/* Whether the line is a question that a visitor may be offered: in form and length, and without
 * anything that could lead away. */
bool kb_starter_fits(struct kb_sv line);

/* What an insight says of a message, in words of the lists in chore.c; NULL: nothing. */
struct kb_insight {
	const char *intent, *emotion, *content_source;
};
void kb_insight_read(struct kb_arena *arena, struct kb_sv stored, struct kb_insight *out);

#endif
