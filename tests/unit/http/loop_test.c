/* Timers in order, posts from other threads, work put off. */
#include "http/loop.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/pool.h"
#include "test.h"

struct alarm {
	struct kb_timer timer;
	struct kb_loop *loop;
	int64_t *last_us;
	int *fired;
	int of;
	struct kb_test *t;
};

static void on_alarm(struct kb_timer *timer)
{
	struct alarm *alarm = (struct alarm *)(void *)timer;

	CHECK(alarm->t, timer->at_us >= *alarm->last_us);
	CHECK(alarm->t, kb_loop_now_us(alarm->loop) >= timer->at_us);
	*alarm->last_us = timer->at_us;
	if (++*alarm->fired == alarm->of)
		kb_loop_quit(alarm->loop);
}

/* 20,000 timers, every third moved, every seventh cleared, fire in the order of their times. */
static void test_timers(struct kb_test *t)
{
	enum { COUNT = 20000 };
	struct kb_err err;
	struct kb_loop *loop = kb_loop_new(&err);
	struct alarm *alarms = calloc(COUNT, sizeof(*alarms));
	int64_t now = kb_clock_mono_us(), last_us = 0;
	uint32_t seed = 1;
	int fired = 0, left = COUNT;

	for (int i = 0; i < COUNT; i++) {
		seed = seed * 1664525 + 1013904223;
		alarms[i] = (struct alarm){ { .fire = on_alarm }, loop, &last_us, &fired, 0, t };
		kb_timer_set(loop, &alarms[i].timer, now + seed % 50000);
	}
	for (int i = 0; i < COUNT; i += 3)
		kb_timer_set(loop, &alarms[i].timer, now + (i * 7) % 60000);
	for (int i = 0; i < COUNT; i += 7) {
		kb_timer_clear(loop, &alarms[i].timer);
		kb_timer_clear(loop, &alarms[i].timer);
		left--;
	}
	for (int i = 0; i < COUNT; i++)
		alarms[i].of = left;
	kb_loop_run(loop);
	CHECK_INT(t, fired, left);
	free(alarms);
	kb_loop_free(loop);
}

enum { POSTERS = 4, POSTS = 5000 };

struct message {
	struct kb_task task;
	struct poster *poster;
	int number;
};

struct poster {
	struct kb_loop *loop;
	struct kb_test *t;
	_Atomic int *seen;
	int next;
	struct message messages[POSTS];
};

static void on_message(struct kb_task *task)
{
	struct message *message = (struct message *)(void *)task;
	struct poster *poster = message->poster;

	CHECK_INT(poster->t, message->number, poster->next);
	CHECK(poster->t, kb_loop_is_here(poster->loop));
	poster->next++;
	if (atomic_fetch_add(poster->seen, 1) + 1 == POSTERS * POSTS)
		kb_loop_quit(poster->loop);
}

static void *post_all(void *arg)
{
	struct poster *poster = arg;

	for (int i = 0; i < POSTS; i++) {
		poster->messages[i] = (struct message){ { .run = on_message }, poster, i };
		kb_loop_post(poster->loop, &poster->messages[i].task);
	}
	return NULL;
}

static void test_posts(struct kb_test *t)
{
	struct poster *posters = calloc(POSTERS, sizeof(*posters));
	struct kb_err err;
	struct kb_loop *loop = kb_loop_new(&err);
	pthread_t threads[POSTERS];
	_Atomic int seen = 0;

	for (int i = 0; i < POSTERS; i++) {
		posters[i].loop = loop;
		posters[i].t = t;
		posters[i].seen = &seen;
		threads[i] = kb_thread_start("poster", post_all, &posters[i]);
	}
	kb_loop_run(loop);
	for (int i = 0; i < POSTERS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(t, atomic_load(&seen), POSTERS * POSTS);
	kb_loop_free(loop);
	free(posters);
}

struct again {
	struct kb_task task;
	struct kb_loop *loop;
	int left;
};

static void on_again(struct kb_task *task)
{
	struct again *again = (struct again *)(void *)task;

	if (again->left-- > 0)
		kb_loop_later(again->loop, task);
	else
		kb_loop_quit(again->loop);
}

static void test_later(struct kb_test *t)
{
	struct kb_err err;
	struct again again = { { .run = on_again }, kb_loop_new(&err), 5 };

	kb_loop_later(again.loop, &again.task);
	kb_loop_run(again.loop);
	CHECK_INT(t, again.left, -1);
	kb_loop_free(again.loop);
}

struct watched {
	struct kb_loop_fd source;
	struct kb_task task;
	struct kb_loop *loop;
	bool removed, ready_after;
};

static void on_ready(struct kb_loop_fd *source, uint32_t events)
{
	struct watched *watched = (struct watched *)(void *)source;

	(void)events;
	watched->ready_after = watched->removed;
}

static void on_removal(struct kb_task *task)
{
	struct watched *watched = KB_OUTER(task, struct watched, task);

	kb_loop_remove(watched->loop, &watched->source);
	watched->removed = true;
	kb_loop_quit(watched->loop);
}

/* The event and the task are of one turn: the task may free the source. */
static void test_removal(struct kb_test *t)
{
	static const char *const ways[] = { "a task put off", "a posted task" };

	for (size_t i = 0; i < KB_COUNTOF(ways); i++) {
		struct kb_err err;
		struct watched watched = { .source = { eventfd(1, EFD_NONBLOCK), on_ready },
			                   .task.run = on_removal,
			                   .loop = kb_loop_new(&err) };

		t->row = ways[i];
		CHECK(t, kb_loop_add(watched.loop, &watched.source, EPOLLIN | EPOLLET, &err));
		if (i == 0)
			kb_loop_later(watched.loop, &watched.task);
		else
			kb_loop_post(watched.loop, &watched.task);
		kb_loop_run(watched.loop);
		CHECK(t, watched.removed && !watched.ready_after);
		close(watched.source.fd);
		kb_loop_free(watched.loop);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "timers fire in order, none early, none cleared", test_timers },
		{ "posts of several threads arrive, in each one's order", test_posts },
		{ "a task put off runs in the next turn", test_later },
		{ "a source that a task removes has no event any more", test_removal },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
