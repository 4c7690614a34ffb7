/*
 * When to leave a server alone.
 *
 *   closed ──(KB_BREAKER_FAILURES in a row, or it said how long to wait)──▶ open
 *   open ──(its pause is over)──▶ half-open: one request is let through, the others are not
 *   half-open ──(that one went well)──▶ closed          ──(it did not)──▶ open, for twice as long
 *
 * Failures that are all of one asker's may be that asker's doing: then it is open for that one
 * alone. What others ask goes out, and one failure of theirs shows that it is not.
 *
 * Pure: time and chance are passed in. The caller has a lock.
 */
#ifndef KB_OUT_BREAKER_H
#define KB_OUT_BREAKER_H

#include "base/common.h"

enum {
	KB_BREAKER_FAILURES = 5,
	KB_BREAKER_PAUSE_MS = 1000, /* the first; each doubles the one before */
	KB_BREAKER_PAUSE_MAX_MS = 30000,
	KB_BREAKER_WISH_MAX_MS = 600000, /* of what a server asks for itself (Retry-After) */
};

enum kb_breaker_state { KB_BREAKER_CLOSED, KB_BREAKER_OPEN, KB_BREAKER_HALF_OPEN };

/* Zeroed: closed. */
struct kb_breaker {
	enum kb_breaker_state state;
	int failures; /* in a row */
	int64_t pause_ms;
	int64_t until_us; /* open: the first moment of the next try */
	bool trying;      /* half-open: the one request is on its way */
	int64_t whose;    /* all of the failures; 0: of several, or nobody's in particular */
};

/* Whether a request may go out now. Whoever got true says how it went, with one of the next three.
 * whose: the asker's number; 0: nobody's in particular. */
bool kb_breaker_admit(struct kb_breaker *breaker, int64_t now_us, int64_t whose);
void kb_breaker_good(struct kb_breaker *breaker);
/* wish_ms: how long the server asked to be left alone, 0: nothing said. chance: 0 to 1, spreads the
 * pauses of many clients over half of their length. */
struct kb_breaker_failure {
	int64_t now_us, wish_ms, whose;
	double chance;
};
void kb_breaker_bad(struct kb_breaker *breaker, const struct kb_breaker_failure *failure);
/* It came to nothing that says anything of the server. */
void kb_breaker_void(struct kb_breaker *breaker);

const char *kb_breaker_name(enum kb_breaker_state state);

#endif
