/*
 * Readers who continue an answer: after a broken line or a reload, in any process.
 *
 * One thread serves all of them. It looks at the rows of the answers (store/answers.h), a few times
 * a second while there are few readers and seldomer with many, and sends on what has come; when an
 * answer has ended, the finished message tells the rest. No worker waits for it.
 */
#ifndef KB_API_FOLLOW_H
#define KB_API_FOLLOW_H

#include "api/events.h"

struct kb_followers;

/* All of them outlive it. */
struct kb_followers *kb_followers_open(struct kb_store *store, const struct kb_clock *clock,
                                       const struct kb_log *log);
/* Streams may go on for so long; then they end, and new ones at once. Any thread; NULL is fine. */
void kb_followers_stop(struct kb_followers *followers, int64_t grace_ms);
/* NULL is fine. */
void kb_followers_close(struct kb_followers *followers);

/* What a reader has and wants; in the call's arena. */
struct kb_follower {
	struct kb_session session;
	struct kb_message message; /* as it was found */
	struct kb_events events;   /* begun and numbered; at: what it has */
	struct kb_sv hang_in_there;
	bool for_visitor; /* as in struct kb_events_end */

	struct kb_follower *next;
	bool was_silent;
};
/* Ends the stream when the answer has ended. */
void kb_follow(struct kb_followers *followers, struct kb_follower *follower);
/* What the message has beyond what the reader has, and the last event. The stream stays open. */
void kb_follow_end(struct kb_follower *follower, const struct kb_message *message);

#endif
