/*
 * A program of this machine that reads something for a fetch (a browser, yt-dlp): which one, how
 * many may run at once, and what they read as a response. Any thread, once it is set up.
 */
#ifndef KB_CRAWL_PROGRAM_H
#define KB_CRAWL_PROGRAM_H

#include <pthread.h>

#include "out/fetch.h"

struct kb_program {
	const char *path; /* the caller's, or one of the usual; NULL: none */
	pthread_mutex_t lock;
	int running;
};

/* The one that is asked for, which must be able to run ("none": none), or the first of the usual
 * that can, if any does. KB_E_INVALID: nothing to free. */
bool kb_program_init(struct kb_program *program, const char *asked, const char *const *usual,
                     size_t count, struct kb_err *err) KB_MUST_CHECK;
void kb_program_fini(struct kb_program *program);

/* A place among `most`, without waiting. false: all are taken. Who has one leaves it. */
bool kb_program_enter(struct kb_program *program, int most) KB_MUST_CHECK;
void kb_program_leave(struct kb_program *program);

/* Text as the response's body: a file in memory, read from its beginning, which the caller closes.
 * `what` names it in a message. After a failure there is none. */
bool kb_program_hand_over(struct kb_sv text, const char *what, struct kb_fetch_response *out,
                          struct kb_err *err) KB_MUST_CHECK;

#endif
