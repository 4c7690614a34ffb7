/*
 * How far a command is with many things: a bar on a terminal, which names only what failed, and a
 * line a thing elsewhere: state, name and, where there is one, the reason, with tabs between.
 */
#ifndef KB_CLI_TALLY_H
#define KB_CLI_TALLY_H

#include "base/sv.h"

/* What the service says of the documents: those it was done with since the command began, those it
 * has before it, and how fast it goes. */
struct kb_tally_pace {
	int64_t finished, queued;
	int64_t per_minute, left_s; /* -1: it cannot be said */
};

struct kb_tally {
	bool bar; /* stdout is a terminal */
	size_t count, done, failed;
	int64_t began_us;           /* of kb_clock_mono_us(); 0: not yet */
	struct kb_tally_pace *pace; /* takes the place of our own counting; NULL: none is known */
	const char *note;           /* of what is going on now; may be NULL */
};

/* "about 2 min left" after so long, and a little later "about 40 s left"; empty while that would be
 * a guess. */
enum { KB_TALLY_LEFT_CHARS = 40 };
void kb_tally_left(const struct kb_tally *tally, int64_t took_us, char out[KB_TALLY_LEFT_CHARS]);

/* "in about 2 min". */
void kb_tally_in(int64_t left_s, char out[KB_TALLY_LEFT_CHARS]);

/* What stands in the bar, without the moves of the cursor: "[###...] 3 of 6, 1 failed, …". */
enum { KB_TALLY_BAR_CHARS = 240 };
void kb_tally_bar(const struct kb_tally *tally, int64_t took_us, char out[KB_TALLY_BAR_CHARS]);

void kb_tally_show(struct kb_tally *tally);
/* One is done. */
void kb_tally_line(struct kb_tally *tally, bool failed, const char *state, struct kb_sv name,
                   struct kb_sv reason);
/* Behind the last one. */
void kb_tally_end(const struct kb_tally *tally);

#endif
