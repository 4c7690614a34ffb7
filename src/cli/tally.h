/*
 * How far a command is with many things: a bar on a terminal, which names only what failed, and a
 * line a thing elsewhere: state, name and, where there is one, the reason, with tabs between.
 */
#ifndef KB_CLI_TALLY_H
#define KB_CLI_TALLY_H

#include "base/sv.h"

struct kb_tally {
	bool bar; /* stdout is a terminal */
	size_t count, done, failed;
	int64_t began_us; /* of kb_clock_mono_us(); 0: not yet */
};

/* "about 2 min left" after so long, and a little later "about 40 s left"; empty while that would be
 * a guess. */
enum { KB_TALLY_LEFT_CHARS = 40 };
void kb_tally_left(const struct kb_tally *tally, int64_t took_us, char out[KB_TALLY_LEFT_CHARS]);

void kb_tally_show(struct kb_tally *tally);
/* One is done. */
void kb_tally_line(struct kb_tally *tally, bool failed, const char *state, struct kb_sv name,
                   struct kb_sv reason);
/* Behind the last one. */
void kb_tally_end(const struct kb_tally *tally);

#endif
