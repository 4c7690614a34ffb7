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
};

void kb_tally_show(const struct kb_tally *tally);
/* One is done. */
void kb_tally_line(struct kb_tally *tally, bool failed, const char *state, struct kb_sv name,
                   struct kb_sv reason);
/* Behind the last one. */
void kb_tally_end(const struct kb_tally *tally);

#endif
