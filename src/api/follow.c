#include "api/follow.h"

#include <stdlib.h>

#include "base/bell.h"
#include "base/pool.h"
#include "store/answers.h"
#include "write/underway.h"

enum {
	SHARE = 5,    /* of the time, one part of so many at most */
	FAILED = 502, /* as the answer's own stream says */
};
#define LOOK_US    (250 * INT64_C(1000))
#define COMMENT_US (15 * KB_SECOND_US) /* after so long without an event */

struct kb_followers {
	struct kb_store *store;
	const struct kb_clock *clock;
	const struct kb_log *log;
	struct kb_bell bell;
	pthread_t thread;
	struct kb_follower *all; /* the thread's own */
	pthread_mutex_t lock;
	struct kb_follower *come;
	bool quits;
	int64_t end_us; /* of the grace (kb_clock_mono_us()); 0: not stopped */
};

/* ---- one reader ---- */

/* The text from where the reader is. */
static void send_rest(struct kb_follower *follower, struct kb_sv text)
{
	size_t at = KB_MIN((size_t)follower->events.at, text.n);

	while (at && at < text.n && ((unsigned char)text.p[at] & 0xc0) == 0x80)
		at--;
	if (at == text.n)
		return;
	follower->events.at = (int64_t)at;
	kb_events_progress(&follower->events, kb_sv_from(text, at));
}

void kb_follow_end(struct kb_follower *follower, const struct kb_message *message)
{
	struct kb_err err;

	send_rest(follower, message->response);
	if (!message->failed) {
		kb_events_finish(&follower->events,
		                 &(struct kb_events_end){ .message = message,
		                                          .session_id = follower->session.id,
		                                          .for_visitor = follower->for_visitor });
		return;
	}
	kb_fail(&err, KB_E_UPSTREAM, "the answer is not whole: what wrote it has failed");
	err.status = FAILED;
	kb_events_error(&follower->events, &err);
}

/* It is written no more: its message tells the rest, or it was deleted. */
static void end(struct kb_followers *followers, struct kb_follower *follower,
                struct kb_arena *arena)
{
	struct kb_message message;
	struct kb_err err = { 0 };

	if (kb_store_message_get(followers->store, arena, &follower->session, follower->message.id,
	                         &message, &err))
		kb_follow_end(follower, &message);
	else
		kb_events_error(&follower->events, &err);
}

static void say_nothing(struct kb_followers *followers, struct kb_follower *follower)
{
	int64_t since = follower->message.created_at;

	if (!follower->was_silent && !follower->events.at
	    && kb_clock_now_us(followers->clock) - since >= KB_UNDERWAY_SILENT_MS * INT64_C(1000)) {
		follower->was_silent = true;
		kb_events_waiting(&follower->events, follower->hang_in_there);
	}
	if (kb_clock_mono_us() - follower->events.sent_us >= COMMENT_US)
		kb_events_comment(&follower->events);
}

/* False when its stream is at its end. */
static bool look(struct kb_followers *followers, struct kb_follower *follower)
{
	struct kb_answer_progress progress;
	struct kb_arena arena = { 0 };
	struct kb_err err = { 0 };
	bool goes_on = true;

	if (!kb_store_answer_look(followers->store, &arena, &follower->message, follower->events.at,
	                          &progress, &err)) {
		/* The next look may go better. */
		kb_warn(followers->log, "running answer not read error=%s", err.msg);
	} else if (!progress.running) {
		end(followers, follower, &arena);
		goes_on = false;
	} else if (progress.text.p) {
		send_rest(follower, progress.text);
	} else {
		say_nothing(followers, follower);
	}
	kb_arena_fini(&arena);
	return goes_on && !follower->events.gone;
}

/* ---- all of them ---- */

static void take_come(struct kb_followers *followers)
{
	struct kb_follower *come;

	pthread_mutex_lock(&followers->lock);
	come = followers->come;
	followers->come = NULL;
	pthread_mutex_unlock(&followers->lock);
	while (come) {
		struct kb_follower *next = come->next;

		come->next = followers->all;
		followers->all = come;
		come = next;
	}
}

static bool is_over(struct kb_followers *followers)
{
	bool over;

	pthread_mutex_lock(&followers->lock);
	over = followers->end_us && kb_clock_mono_us() >= followers->end_us;
	pthread_mutex_unlock(&followers->lock);
	return over;
}

static void look_at_all(struct kb_followers *followers)
{
	struct kb_follower **at = &followers->all;
	bool over = is_over(followers);

	while (*at) {
		struct kb_follower *follower = *at;

		if (!over && look(followers, follower)) {
			at = &follower->next;
			continue;
		}
		*at = follower->next;
		kb_stream_end(follower->events.stream); /* the follower may be gone now */
	}
}

/* Whether the thread has anything left to do. */
static bool goes_on(struct kb_followers *followers)
{
	bool on;

	pthread_mutex_lock(&followers->lock);
	on = !followers->quits || followers->all || followers->come;
	pthread_mutex_unlock(&followers->lock);
	return on;
}

static void *serve(void *arg)
{
	struct kb_followers *followers = arg;
	uint64_t heard = 0;

	while (goes_on(followers)) {
		int64_t began = kb_clock_mono_us(), pause;

		take_come(followers);
		look_at_all(followers);
		pause = KB_MAX(LOOK_US, SHARE * (kb_clock_mono_us() - began));
		kb_bell_wait(&followers->bell, &heard,
		             kb_clock_steady_us(followers->clock)
		                     + (followers->all ? pause : KB_DAY_US));
	}
	return NULL;
}

void kb_follow(struct kb_followers *followers, struct kb_follower *follower)
{
	pthread_mutex_lock(&followers->lock);
	follower->next = followers->come;
	followers->come = follower;
	pthread_mutex_unlock(&followers->lock);
	kb_bell_ring(&followers->bell);
}

struct kb_followers *kb_followers_open(struct kb_store *store, const struct kb_clock *clock,
                                       const struct kb_log *log)
{
	struct kb_followers *followers = kb_xcalloc(1, sizeof(*followers));

	followers->store = store;
	followers->clock = clock;
	followers->log = log;
	kb_bell_init(&followers->bell, clock);
	pthread_mutex_init(&followers->lock, NULL);
	followers->thread = kb_thread_start("follow", serve, followers);
	return followers;
}

void kb_followers_stop(struct kb_followers *followers, int64_t grace_ms)
{
	if (!followers)
		return;
	pthread_mutex_lock(&followers->lock);
	followers->end_us = kb_clock_mono_us() + grace_ms * 1000;
	pthread_mutex_unlock(&followers->lock);
	kb_bell_ring(&followers->bell);
}

void kb_followers_close(struct kb_followers *followers)
{
	if (!followers)
		return;
	pthread_mutex_lock(&followers->lock);
	followers->quits = true;
	pthread_mutex_unlock(&followers->lock);
	kb_bell_ring(&followers->bell);
	pthread_join(followers->thread, NULL);
	kb_bell_fini(&followers->bell);
	pthread_mutex_destroy(&followers->lock);
	free(followers);
}
