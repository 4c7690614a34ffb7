/*
 * Wrong keys, links and tokens: how many have come from an address, or named one key, on all nodes
 * together (store/guesses.h).
 *
 * What is right is never asked here, and costs nothing: it always gets in. The secrets are made by
 * us, of 256 bits, so nobody is kept from guessing them; what is counted is told to wait, costs
 * less, and is seen (docs/decisions/2026-11-29-wrong-keys.md). A node remembers some thousand of
 * those who guess, and asks the store about none of them that is over; it writes so many rows a
 * span and so many times a second at the most, whoever comes.
 */
#ifndef KB_API_GUESSES_H
#define KB_API_GUESSES_H

#include "api/api.h"

struct kb_guesses;
/* most: of one address or key, in ten minutes; 0: nothing is counted. */
struct kb_guesses *kb_guesses_new(int64_t most);
void kb_guesses_free(struct kb_guesses *guesses);

/* For /metrics. */
struct kb_guesses_stats {
	int64_t seen;    /* all */
	int64_t refused; /* that were told to wait */
	int64_t shut;    /* addresses and keys beyond the limit, a span each */
};
void kb_guesses_stats(struct kb_guesses *guesses, struct kb_guesses_stats *out);

/* What the call has shown is none: counts it, where err says that nobody is known by it. `text` is
 * what was shown, which may name a key; empty: nothing was, and nothing is counted. Where it is one
 * too many, err says when to come back. */
void kb_call_guessed(struct kb_call *call, struct kb_sv text, struct kb_err *err);

#endif
