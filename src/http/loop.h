/*
 * The event loop: descriptors, timers and messages from other threads, on epoll.
 *
 * One thread runs a loop; all calls belong to that thread, except kb_loop_post(), which any thread
 * may make. Timers are a binary heap of the callers' own structs, so 20,000 of them cost an array
 * of pointers. A posted task is a node the caller owns; while the loop has not taken it, further
 * posts cost one atomic exchange and no system call.
 */
#ifndef KB_HTTP_LOOP_H
#define KB_HTTP_LOOP_H

#include <sys/epoll.h>

#include "base/err.h"

struct kb_loop;

struct kb_loop_fd {
	int fd;
	void (*ready)(struct kb_loop_fd *source, uint32_t events); /* EPOLLIN, … */
};

struct kb_timer {
	int64_t at_us;
	size_t place; /* in the heap, from 1; 0: not set */
	void (*fire)(struct kb_timer *timer);
};

struct kb_task {
	struct kb_task *next;
	void (*run)(struct kb_task *task);
};

struct kb_loop *kb_loop_new(struct kb_err *err) KB_MUST_CHECK;
void kb_loop_free(struct kb_loop *loop);

/* Serves until kb_loop_quit(). The calling thread is the loop's thread from then on. */
void kb_loop_run(struct kb_loop *loop);
void kb_loop_quit(struct kb_loop *loop);
bool kb_loop_is_here(const struct kb_loop *loop); /* does the calling thread run it? */
/* Monotonic; read once a turn. */
int64_t kb_loop_now_us(const struct kb_loop *loop);

/* source must stay where it is until it is removed. A callback may remove its own source, and free
 * it once it has returned; tasks and timers may remove and free any: they run when no event of
 * their turn is left. */
bool kb_loop_add(struct kb_loop *loop, struct kb_loop_fd *source, uint32_t events,
                 struct kb_err *err) KB_MUST_CHECK;
void kb_loop_remove(struct kb_loop *loop, struct kb_loop_fd *source);

/* Sets or moves a timer. It fires once, not before its time. */
void kb_timer_set(struct kb_loop *loop, struct kb_timer *timer, int64_t at_us);
void kb_timer_clear(struct kb_loop *loop, struct kb_timer *timer);

/* Any thread: runs task->run on the loop thread, in the order of the posts of one thread. The node
 * may be posted again once run() has been called. */
void kb_loop_post(struct kb_loop *loop, struct kb_task *task);
/* The loop's thread: runs the task in the next turn, after other descriptors had theirs. */
void kb_loop_later(struct kb_loop *loop, struct kb_task *task);

#endif
