/*
 * What of a strict answer waits until it is decided: text that has been made of sentences and may
 * still be taken back. In a strict answer nothing leaves that the documents do not say.
 *
 *   undecided   the sentence on its way, and before it what states nothing (a heading, a courtesy):
 *               it goes with the statement that follows it
 *   sure        statements that hold, before the first one that has a citation
 *   out         with that one the answer is open, and what is sure leaves at once
 *
 * What is struck goes back to where the sure part ends. Sentences and pages are only counted here;
 * who keeps them cuts its lists to the counts. One thread at a time.
 */
#ifndef KB_WRITE_WAITING_H
#define KB_WRITE_WAITING_H

#include "base/buf.h"

enum {
	KB_WAITING_MAX = 1 << 16,  /* bytes; what is longer is struck */
	KB_WAITING_REMEMBERS = 64, /* statements, to know them again */
};

/* How many of each there are. */
struct kb_waiting_counts {
	size_t sentences, pages;
};

struct kb_waiting {
	struct kb_buf text;
	size_t sure; /* bytes of it */
	struct kb_waiting_counts sure_counts;
	bool open;        /* something has left */
	bool struck_last; /* nothing holds behind what was struck */
	uint64_t said[KB_WAITING_REMEMBERS];
	size_t said_count;
	size_t repeats; /* statements in a row that had been said before */
	size_t struck;  /* statements */
};

void kb_waiting_init(struct kb_waiting *waiting);
void kb_waiting_fini(struct kb_waiting *waiting);
/* Whether this statement was said before, in the same words. Remembers it. */
bool kb_waiting_repeats(struct kb_waiting *waiting, struct kb_sv statement);
/* What waits has more than KB_WAITING_MAX bytes: it is to be struck. */
bool kb_waiting_is_too_long(const struct kb_waiting *waiting);
/* All that waits holds. */
void kb_waiting_keep(struct kb_waiting *waiting, struct kb_waiting_counts counts);
/* Takes back what is not sure; the counts that are left. */
struct kb_waiting_counts kb_waiting_take_back(struct kb_waiting *waiting);
/* The same where that is a statement which does not hold. */
struct kb_waiting_counts kb_waiting_strike(struct kb_waiting *waiting);
/* Hands out what is sure, without the blanks that the answer would begin with. */
void kb_waiting_leave(struct kb_waiting *waiting, void (*emit)(void *arg, struct kb_sv text),
                      void *arg);
/* Whether nothing will come of the answer: it goes round in circles, or so much of it was struck
 * and nothing has left. */
bool kb_waiting_is_lost(const struct kb_waiting *waiting);

#endif
