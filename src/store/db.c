/*
 * The database above its driver: the writer thread with its group commit, and the readers.
 *
 * Syncing a commit costs far more than the changes in it, so the writer takes everything that
 * waits, runs it in one transaction and commits once. While it syncs, the next batch gathers.
 */
#include "store/db.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/fault.h"
#include "base/pool.h"

enum {
	BATCH_MAX = 256,    /* writes of one transaction */
	WAITING_MAX = 4096, /* writes in the queue */
	READERS_MAX = 8,
};

/* A write in the queue; it lives on its caller's stack. */
struct job {
	kb_write_fn *fn;
	void *arg;
	bool ok;
	struct kb_err err;
	struct kb_fault_state fault; /* the caller's, while the writer carries the call */
	sem_t done;
	struct job *next;
	int64_t queued_at;
};

struct kb_db {
	struct kb_db_config config;
	char *where;

	pthread_mutex_t lock; /* of the queue */
	pthread_cond_t wake;
	struct job *first, **last;
	size_t waiting;
	bool closing;
	pthread_t thread;
	struct kb_db_conn *writer; /* the writer thread's */

	pthread_mutex_t readers_lock;
	pthread_cond_t reader_free;
	struct kb_db_conn *free_readers[READERS_MAX];
	int free_count, open_count;

	_Atomic int64_t commits, writes, reads, write_wait_us;
};

/* ---- the writer ---- */

static void carry(struct job *job)
{
	job->fault = kb_fault_swap(job->fault);
}

/* Those that had succeeded, or have not run yet. */
static void fail_jobs(struct job **jobs, size_t count, const struct kb_err *err)
{
	for (size_t i = 0; i < count; i++) {
		if (jobs[i]->err.code == KB_OK)
			jobs[i]->err = *err;
		jobs[i]->ok = false;
	}
}

/* One write inside the batch's transaction. False when the whole transaction is lost. */
static bool run_job(struct kb_db_conn *conn, struct job *job, bool alone)
{
	const struct kb_driver *driver = conn->driver;
	size_t notes = conn->note_count;

	job->ok = (alone || driver->savepoint(conn, KB_SET, &job->err))
	          && job->fn(conn, job->arg, &job->err)
	          && (alone || driver->savepoint(conn, KB_KEEP, &job->err));
	if (job->ok)
		return true;
	conn->note_count = notes;
	return driver->in_transaction(conn) && !alone && driver->savepoint(conn, KB_UNDO, NULL);
}

/* Runs jobs in one transaction, as many as it takes: one that takes the transaction with it ends
 * the round. Returns how many have their result. */
static size_t run_round(struct kb_db *db, struct job **jobs, size_t count)
{
	struct kb_db_conn *conn = db->writer;
	const struct kb_driver *driver = conn->driver;
	struct kb_err err = { 0 };
	size_t done = 0, good = 0;
	bool ok;

	conn->note_count = 0;
	carry(jobs[0]);
	ok = driver->begin(conn, true, &err);
	carry(jobs[0]);
	if (!ok) {
		fail_jobs(jobs, count, &err);
		return count;
	}
	while (ok && done < count) {
		struct job *job = jobs[done];

		carry(job);
		ok = run_job(conn, job, count == 1);
		carry(job);
		done++;
		good += job->ok;
	}
	if (!ok) {
		driver->rollback(conn);
		err = jobs[done - 1]->err;
		fail_jobs(jobs, done, &err);
		return done;
	}
	carry(jobs[0]);
	ok = driver->commit(conn, &err);
	carry(jobs[0]);
	if (!ok) {
		driver->rollback(conn);
		fail_jobs(jobs, done, &err);
		return done;
	}
	atomic_fetch_add_explicit(&db->commits, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&db->writes, (int64_t)good, memory_order_relaxed);
	for (size_t i = 0; i < conn->note_count; i++)
		db->config.committed(db->config.arg, &conn->notes[i]);
	return done;
}

static size_t take_batch(struct kb_db *db, struct job **jobs)
{
	size_t count = 0;

	pthread_mutex_lock(&db->lock);
	while (!db->first && !db->closing)
		pthread_cond_wait(&db->wake, &db->lock);
	while (db->first && count < BATCH_MAX) {
		jobs[count++] = db->first;
		db->first = db->first->next;
	}
	if (!db->first)
		db->last = &db->first;
	db->waiting -= count;
	pthread_mutex_unlock(&db->lock);
	return count;
}

static void *write_loop(void *arg)
{
	struct kb_db *db = arg;
	struct job *jobs[BATCH_MAX];
	size_t count;

	while ((count = take_batch(db, jobs)) > 0) {
		size_t done = 0;

		while (done < count) {
			size_t more = run_round(db, jobs + done, count - done);

			/* A job may be gone as soon as its caller knows. */
			for (size_t i = 0; i < more; i++)
				sem_post(&jobs[done + i]->done);
			done += more;
		}
	}
	return NULL;
}

bool kb_db_write(struct kb_db *db, kb_write_fn *fn, void *arg, struct kb_err *err)
{
	struct job job = { .fn = fn, .arg = arg, .queued_at = kb_clock_mono_us() };
	bool full;

	sem_init(&job.done, 0, 0);
	job.fault = kb_fault_swap((struct kb_fault_state){ 0 });
	pthread_mutex_lock(&db->lock);
	full = db->waiting == WAITING_MAX;
	if (!full) {
		*db->last = &job;
		/* cppcheck-suppress autoVariables ; the caller waits until the job is done */
		db->last = &job.next;
		db->waiting++;
		pthread_cond_signal(&db->wake);
	}
	pthread_mutex_unlock(&db->lock);
	if (full)
		kb_fail(&job.err, KB_E_BUSY, "%d writes wait for the database already",
		        WAITING_MAX);
	else
		while (sem_wait(&job.done) != 0)
			;
	kb_fault_swap(job.fault);
	sem_destroy(&job.done);
	atomic_fetch_add_explicit(&db->write_wait_us, kb_clock_mono_us() - job.queued_at,
	                          memory_order_relaxed);
	if (!job.ok && err)
		*err = job.err;
	return job.ok;
}

/* ---- the readers ---- */

struct kb_db_conn *kb_db_take(struct kb_db *db, bool snapshot, struct kb_err *err)
{
	struct kb_db_conn *conn = NULL;

	pthread_mutex_lock(&db->readers_lock);
	while (!db->free_count && db->open_count == READERS_MAX)
		pthread_cond_wait(&db->reader_free, &db->readers_lock);
	if (db->free_count)
		conn = db->free_readers[--db->free_count];
	else
		db->open_count++;
	pthread_mutex_unlock(&db->readers_lock);
	if (!conn)
		conn = db->config.driver->open(db->where, false, err);
	if (!conn) {
		pthread_mutex_lock(&db->readers_lock);
		db->open_count--;
		pthread_cond_signal(&db->reader_free);
		pthread_mutex_unlock(&db->readers_lock);
		return NULL;
	}
	atomic_fetch_add_explicit(&db->reads, 1, memory_order_relaxed);
	if (snapshot && !db->config.driver->begin(conn, false, err)) {
		kb_db_give(db, conn);
		return NULL;
	}
	return conn;
}

void kb_db_give(struct kb_db *db, struct kb_db_conn *conn)
{
	if (conn->driver->in_transaction(conn))
		conn->driver->rollback(conn);
	pthread_mutex_lock(&db->readers_lock);
	db->free_readers[db->free_count++] = conn;
	pthread_cond_signal(&db->reader_free);
	pthread_mutex_unlock(&db->readers_lock);
}

/* ---- all of it ---- */

struct kb_db *kb_db_open(const struct kb_db_config *config, struct kb_err *err)
{
	struct kb_db_conn *writer = config->driver->open(config->where, true, err);
	struct kb_db *db;

	if (!writer)
		return NULL;
	db = kb_xcalloc(1, sizeof(*db));
	db->config = *config;
	db->where = kb_xstrdup(config->where);
	db->config.where = db->where;
	db->writer = writer;
	db->last = &db->first;
	pthread_mutex_init(&db->lock, NULL);
	pthread_cond_init(&db->wake, NULL);
	pthread_mutex_init(&db->readers_lock, NULL);
	pthread_cond_init(&db->reader_free, NULL);
	db->thread = kb_thread_start("store-writer", write_loop, db);
	return db;
}

void kb_db_close(struct kb_db *db)
{
	if (!db)
		return;
	pthread_mutex_lock(&db->lock);
	db->closing = true;
	pthread_cond_signal(&db->wake);
	pthread_mutex_unlock(&db->lock);
	pthread_join(db->thread, NULL);
	pthread_mutex_lock(&db->readers_lock);
	while (db->free_count < db->open_count)
		pthread_cond_wait(&db->reader_free, &db->readers_lock);
	pthread_mutex_unlock(&db->readers_lock);
	for (int i = 0; i < db->free_count; i++)
		db->config.driver->close(db->free_readers[i]);
	db->config.driver->close(db->writer); /* last: it moves the log into the database */
	pthread_cond_destroy(&db->reader_free);
	pthread_mutex_destroy(&db->readers_lock);
	pthread_cond_destroy(&db->wake);
	pthread_mutex_destroy(&db->lock);
	free(db->where);
	free(db);
}

void kb_db_stats(struct kb_db *db, struct kb_db_stats *out)
{
	*out = (struct kb_db_stats){
		.commits = atomic_load_explicit(&db->commits, memory_order_relaxed),
		.writes = atomic_load_explicit(&db->writes, memory_order_relaxed),
		.reads = atomic_load_explicit(&db->reads, memory_order_relaxed),
		.write_wait_us = atomic_load_explicit(&db->write_wait_us, memory_order_relaxed),
	};
}
