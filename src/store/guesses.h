/*
 * Wrong keys, links and tokens, counted for all nodes in spans of ten minutes. The rules of store.h
 * hold. Who asks bounds how many rows there are, and how often they are written (api/guesses.h).
 */
#ifndef KB_STORE_GUESSES_H
#define KB_STORE_GUESSES_H

#include "store/store.h"

#define KB_GUESS_SPAN_US INT64_C(600000000)

struct kb_guess {
	struct kb_sv who; /* "address 203.0.113.7", "key 1012" */
	struct kb_sv
	        object;     /* of the audit row: what they were tried at, or where they came from */
	int64_t account_id; /* whose audit log it is for; 0: of the installation */
	int64_t times;      /* that are to be added */
	int64_t sum;        /* as it came out: in this span, on all nodes */
};

/* When the span ends that now is in. */
int64_t kb_guess_span_end(int64_t now);

/* Counts them. Those that go beyond `most` with this leave a row in the audit log, in the same
 * transaction: one a span, whichever node it is. */
bool kb_store_guess(struct kb_store *store, struct kb_guess *guesses, size_t count, int64_t most,
                    struct kb_sv address, struct kb_err *err) KB_MUST_CHECK;

/* Takes away what is of spans that are over. */
bool kb_store_guesses_purge(struct kb_store *store, struct kb_err *err) KB_MUST_CHECK;

#endif
