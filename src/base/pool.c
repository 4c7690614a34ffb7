#include "base/pool.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fault.h"

/* JSON of 2,048 levels, which is the most that is read, takes 200 KiB of it. */
enum {
#ifdef __SANITIZE_THREAD__
	STACK_BYTES = 4 << 20, /* ThreadSanitizer keeps its own notes of a thread there too */
#else
	STACK_BYTES = 512 << 10,
#endif
};

struct job {
	void (*fn)(void *arg);
	void *arg;
};

struct kb_pool {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct job *ring;
	size_t capacity, first, count;
	pthread_t *threads;
	int started, max_threads, idle;
	bool closing;
	char name[16];
};

/* 0, or why there is no thread. */
static int start_thread(pthread_t *thread, const char *name, void *(*fn)(void *arg), void *arg)
{
	char short_name[16];
	pthread_attr_t attr;
	sigset_t all, before;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	failed = kb_fault() ? EAGAIN : pthread_create(thread, &attr, fn, arg);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed)
		return failed;
	snprintf(short_name, sizeof(short_name), "%s", name);
	pthread_setname_np(*thread, short_name);
	return 0;
}

pthread_t kb_thread_start(const char *name, void *(*fn)(void *arg), void *arg)
{
	struct kb_fault_state state = kb_fault_swap((struct kb_fault_state){ 0 });
	pthread_t thread;
	int failed = start_thread(&thread, name, fn, arg);

	kb_fault_swap(state);
	if (failed) {
		fprintf(stderr, "docent: cannot start the thread %s: %s\n", name, strerror(failed));
		abort();
	}
	return thread;
}

void kb_thread_set_nice(int nice)
{
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), nice);
}

bool kb_thread_try_start(pthread_t *thread, const char *name, void *(*fn)(void *arg), void *arg)
{
	return start_thread(thread, name, fn, arg) == 0;
}

static void *work(void *arg)
{
	struct kb_pool *pool = arg;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		struct job job;

		while (pool->count == 0 && !pool->closing) {
			pool->idle++;
			pthread_cond_wait(&pool->wake, &pool->lock);
			pool->idle--;
		}
		if (pool->count == 0)
			break;
		job = pool->ring[pool->first];
		pool->first = (pool->first + 1) % pool->capacity;
		pool->count--;
		pthread_mutex_unlock(&pool->lock);
		job.fn(job.arg);
		pthread_mutex_lock(&pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

struct kb_pool *kb_pool_open(const char *name, int max_threads, size_t max_queued)
{
	struct kb_pool *pool = kb_xcalloc(1, sizeof(*pool));

	KB_ASSERT(max_threads > 0 && max_queued > 0);
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->wake, NULL);
	pool->ring = kb_xcalloc(max_queued, sizeof(*pool->ring));
	pool->capacity = max_queued;
	pool->threads = kb_xcalloc((size_t)max_threads, sizeof(*pool->threads));
	pool->max_threads = max_threads;
	snprintf(pool->name, sizeof(pool->name), "%s", name);
	return pool;
}

void kb_pool_close(struct kb_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->closing = true;
	pthread_cond_broadcast(&pool->wake);
	pthread_mutex_unlock(&pool->lock);
	for (int i = 0; i < pool->started; i++)
		pthread_join(pool->threads[i], NULL);
	pthread_cond_destroy(&pool->wake);
	pthread_mutex_destroy(&pool->lock);
	free(pool->ring);
	free(pool->threads);
	free(pool);
}

/* One more thread where the jobs want it and the system has one. False: there is none at all. */
static bool grow(struct kb_pool *pool)
{
	if ((size_t)pool->idle <= pool->count && pool->started < pool->max_threads
	    && kb_thread_try_start(&pool->threads[pool->started], pool->name, work, pool))
		pool->started++;
	return pool->started > 0;
}

bool kb_pool_submit(struct kb_pool *pool, void (*fn)(void *arg), void *arg)
{
	bool ok;

	pthread_mutex_lock(&pool->lock);
	ok = !pool->closing && pool->count < pool->capacity && grow(pool);
	if (ok) {
		pool->ring[(pool->first + pool->count) % pool->capacity] = (struct job){ fn, arg };
		pool->count++;
		pthread_cond_signal(&pool->wake);
	}
	pthread_mutex_unlock(&pool->lock);
	return ok;
}

size_t kb_pool_waiting(struct kb_pool *pool)
{
	size_t count;

	pthread_mutex_lock(&pool->lock);
	count = pool->count;
	pthread_mutex_unlock(&pool->lock);
	return count;
}
