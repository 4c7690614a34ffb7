/* The event loop: see loop.h. Nothing here knows of HTTP. */
#include "http/loop.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"

enum {
	EVENTS_A_TURN = 256,
	LONGEST_WAIT_MS = 60 * 1000,
};

struct kb_loop {
	int epoll_fd, wake_fd;
	bool quit;
	pthread_t thread;
	int64_t now_us;
	struct kb_timer **heap; /* heap[0] is unused: the children of i are 2i and 2i + 1 */
	size_t timers, heap_capacity;
	struct kb_task *later, **later_tail;
	_Alignas(64) _Atomic(struct kb_task *) posted; /* newest first */
	_Atomic int posting; /* threads within kb_loop_post(): free waits for them */
};

struct kb_loop *kb_loop_new(struct kb_err *err)
{
	struct kb_loop *loop = aligned_alloc(64, (sizeof(*loop) + 63) & ~(size_t)63);
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	if (!loop) {
		kb_fail(err, KB_E_IO, "out of memory for an event loop");
		return NULL;
	}
	*loop = (struct kb_loop){ .later_tail = &loop->later };
	loop->thread = pthread_self();
	loop->now_us = kb_clock_mono_us();
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	loop->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (loop->epoll_fd < 0 || loop->wake_fd < 0
	    || epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, loop->wake_fd, &event) < 0) {
		kb_fail_errno(err, "cannot make an event loop");
		kb_loop_free(loop);
		return NULL;
	}
	return loop;
}

void kb_loop_free(struct kb_loop *loop)
{
	if (!loop)
		return;
	/* What was posted may have run, and ended the loop, before the poster has returned. */
	while (atomic_load_explicit(&loop->posting, memory_order_acquire))
		sched_yield();
	kb_fd_close(&loop->epoll_fd);
	kb_fd_close(&loop->wake_fd);
	free(loop->heap);
	free(loop);
}

bool kb_loop_add(struct kb_loop *loop, struct kb_loop_fd *source, uint32_t events,
                 struct kb_err *err)
{
	struct epoll_event event = { .events = events, .data.ptr = source };

	if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, source->fd, &event) < 0)
		return kb_fail_errno(err, "cannot watch descriptor %d", source->fd);
	return true;
}

void kb_loop_remove(struct kb_loop *loop, struct kb_loop_fd *source)
{
	KB_ASSERT(epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, source->fd, NULL) == 0);
}

int64_t kb_loop_now_us(const struct kb_loop *loop)
{
	return loop->now_us;
}

bool kb_loop_is_here(const struct kb_loop *loop)
{
	return pthread_equal(pthread_self(), loop->thread);
}

void kb_loop_quit(struct kb_loop *loop)
{
	loop->quit = true;
}

/* ---- timers ---- */

static void put(struct kb_loop *loop, size_t place, struct kb_timer *timer)
{
	loop->heap[place] = timer;
	timer->place = place;
}

/* Moves the timer at `place` up or down to where it belongs. */
static void settle(struct kb_loop *loop, size_t place)
{
	struct kb_timer *timer = loop->heap[place];

	while (place > 1 && loop->heap[place / 2]->at_us > timer->at_us) {
		put(loop, place, loop->heap[place / 2]);
		place /= 2;
	}
	for (;;) {
		size_t child = place * 2;

		if (child > loop->timers)
			break;
		if (child < loop->timers && loop->heap[child + 1]->at_us < loop->heap[child]->at_us)
			child++;
		if (loop->heap[child]->at_us >= timer->at_us)
			break;
		put(loop, place, loop->heap[child]);
		place = child;
	}
	put(loop, place, timer);
}

void kb_timer_set(struct kb_loop *loop, struct kb_timer *timer, int64_t at_us)
{
	timer->at_us = at_us;
	if (!timer->place) {
		KB_GROW(loop->heap, loop->heap_capacity, loop->timers + 2);
		put(loop, ++loop->timers, timer);
	}
	settle(loop, timer->place);
}

void kb_timer_clear(struct kb_loop *loop, struct kb_timer *timer)
{
	size_t place = timer->place;
	struct kb_timer *last;

	if (!place)
		return;
	timer->place = 0;
	last = loop->heap[loop->timers--];
	if (last == timer)
		return;
	put(loop, place, last);
	settle(loop, place);
}

static void fire_timers(struct kb_loop *loop)
{
	while (loop->timers && loop->heap[1]->at_us <= loop->now_us) {
		struct kb_timer *timer = loop->heap[1];

		kb_timer_clear(loop, timer);
		timer->fire(timer);
	}
}

/* ---- tasks ---- */

void kb_loop_post(struct kb_loop *loop, struct kb_task *task)
{
	struct kb_task *first = atomic_load_explicit(&loop->posted, memory_order_relaxed);
	const uint64_t one = 1;

	atomic_fetch_add_explicit(&loop->posting, 1, memory_order_relaxed);
	do
		task->next = first;
	while (!atomic_compare_exchange_weak_explicit(&loop->posted, &first, task,
	                                              memory_order_release, memory_order_relaxed));
	/* Whoever made the list non-empty wakes the loop; it takes all that came until then. The
	 * write fails only when the counter is full, and then the loop is awake. */
	if (!first && write(loop->wake_fd, &one, sizeof(one)) < 0)
		KB_ASSERT(errno == EAGAIN);
	atomic_fetch_sub_explicit(&loop->posting, 1, memory_order_release);
}

static void run_tasks(struct kb_task *task)
{
	while (task) {
		struct kb_task *next = task->next;

		task->run(task);
		task = next;
	}
}

static void run_posted(struct kb_loop *loop)
{
	struct kb_task *newest, *oldest = NULL;

	if (!atomic_load_explicit(&loop->posted, memory_order_relaxed))
		return;
	newest = atomic_exchange_explicit(&loop->posted, NULL, memory_order_acquire);
	while (newest) {
		struct kb_task *next = newest->next;

		newest->next = oldest;
		oldest = newest;
		newest = next;
	}
	run_tasks(oldest);
}

void kb_loop_later(struct kb_loop *loop, struct kb_task *task)
{
	task->next = NULL;
	*loop->later_tail = task;
	loop->later_tail = &task->next;
}

/* What has been put off until now, in its order. */
static struct kb_task *take_later(struct kb_loop *loop)
{
	struct kb_task *task = loop->later;

	loop->later = NULL;
	loop->later_tail = &loop->later;
	return task;
}

static int wait_ms(const struct kb_loop *loop)
{
	int64_t us;

	if (loop->later)
		return 0;
	if (!loop->timers)
		return -1;
	us = loop->heap[1]->at_us - kb_clock_mono_us();
	if (us <= 0)
		return 0;
	return (int)KB_MIN((us + 999) / 1000, (int64_t)LONGEST_WAIT_MS);
}

void kb_loop_run(struct kb_loop *loop)
{
	struct epoll_event events[EVENTS_A_TURN];

	loop->thread = pthread_self();
	while (!loop->quit) {
		int n = epoll_wait(loop->epoll_fd, events, EVENTS_A_TURN, wait_ms(loop));
		/* What is put off from now on runs in the next turn. */
		struct kb_task *put_off = take_later(loop);

		KB_ASSERT(n >= 0 || errno == EINTR);
		loop->now_us = kb_clock_mono_us();
		for (int i = 0; i < n; i++) {
			struct kb_loop_fd *source = events[i].data.ptr;

			if (source)
				source->ready(source, events[i].events);
		}
		/* From here on any source may be freed: no event is left. */
		run_tasks(put_off);
		run_posted(loop);
		fire_timers(loop);
	}
	run_tasks(take_later(loop));
}
