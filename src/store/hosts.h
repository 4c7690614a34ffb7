/*
 * Courtesy, for all processes that fetch pages: of each host one thing is asked at a time, with a
 * pause before the next. A host that fails is asked more and more seldom until it answers.
 *
 * And fairness: agents take turns at a host, and pages with readings of sources. A thing that lasts
 * is overtaken by one thing of another agent at a time, on a second line; a host that failed has
 * none.
 *
 * A row a host, and all that is true is in it: the lines with their ends, the pause, the failures,
 * whose turn it is. A process that died leaves a line that is free when it starts anew or is known
 * to be gone, at the latest at its end. A page takes its line as it is leased (errands.h).
 * store.h's rules hold.
 */
#ifndef KB_STORE_HOSTS_H
#define KB_STORE_HOSTS_H

#include "store/store.h"

#define KB_HOST_STUCK_US (3 * KB_SECOND_US)   /* what has lasted so long may be overtaken */
#define KB_HOST_LINE_US  (600 * KB_SECOND_US) /* longer than any fetch lasts */

/* A line that an agent has to a host. */
struct kb_host_hold {
	struct kb_sv host; /* as of kb_page_host() */
	int64_t agent_id;
	int64_t since; /* 0: none */
};

/* Takes a line for a reading of a source, if it is its turn. The hold's host is the caller's. */
struct kb_host_turn {
	struct kb_host_hold hold;
	int64_t wait_us; /* without one: when to ask again */
	bool pauses;     /* and nobody asks the host before that */
};
bool kb_store_host_enter(struct kb_store *store, struct kb_sv host, int64_t agent_id,
                         struct kb_host_turn *out, struct kb_err *err) KB_MUST_CHECK;

/* Gives a line back; nobody asks the host for pause_us, or for longer where it fails. A line that
 * has ended meanwhile is no error. */
enum kb_host_outcome { KB_HOST_NOT_ASKED, KB_HOST_ANSWERED, KB_HOST_FAILED };
bool kb_store_host_leave(struct kb_store *store, const struct kb_host_hold *hold, int64_t pause_us,
                         enum kb_host_outcome outcome, struct kb_err *err) KB_MUST_CHECK;

#endif
