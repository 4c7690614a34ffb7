/*
 * Those who watch how far an agent's documents are: each change as an event.
 *
 * One thread looks for all of them, as follow.h does for answers: no worker waits, and whichever
 * node is asked tells what the rows say.
 */
#ifndef KB_API_WATCH_H
#define KB_API_WATCH_H

#include "api/api.h"

struct kb_watchers;

/* The log outlives it. */
struct kb_watchers *kb_watchers_open(const struct kb_log *log);
/* The streams end. Any thread; NULL is fine. */
void kb_watchers_stop(struct kb_watchers *watchers);
/* NULL is fine. */
void kb_watchers_close(struct kb_watchers *watchers);

/* Answers the call with a stream of them, which ends after some minutes: whoever goes on asks
 * again, and is let in again. */
void kb_watch(struct kb_watchers *watchers, struct kb_call *call);

#endif
