/*
 * A bounded queue of jobs and the threads that run them.
 *
 * Threads start when they are needed, up to the number given, and stay; where the system has no
 * further one, those that run do all the work. A full queue refuses (the caller answers 503) rather
 * than growing. Any thread may submit, also from within a job.
 */
#ifndef KB_BASE_POOL_H
#define KB_BASE_POOL_H

#include <pthread.h>

#include "base/common.h"

struct kb_pool;

struct kb_pool *kb_pool_open(const char *name, int max_threads, size_t max_queued);
/* Runs what is queued, waits for it, ends the threads. NULL is fine. */
void kb_pool_close(struct kb_pool *pool);

/* false when the queue is full, the pool is closing, or not one thread can be started. */
bool kb_pool_submit(struct kb_pool *pool, void (*fn)(void *arg), void *arg) KB_MUST_CHECK;
/* Jobs waiting, for metrics. */
size_t kb_pool_waiting(struct kb_pool *pool);

/* pthread_create with a name, a 512 KiB stack and all signals blocked; ends the process when the
 * system has no thread left. */
pthread_t kb_thread_start(const char *name, void *(*fn)(void *arg), void *arg);
/* The same for work that can be refused: false when there is none left. */
bool kb_thread_try_start(pthread_t *thread, const char *name, void *(*fn)(void *arg),
                         void *arg) KB_MUST_CHECK;
/* This thread, and the processes that it starts, get a smaller share of the processors (nice 0 to
 * 19); without effect where the system does not do that by thread. */
void kb_thread_set_nice(int nice);

#endif
