/*
 * The database above its driver: the writer threads with their group commit, and the readers.
 *
 * Syncing a commit costs far more than the changes in it, so a writer takes everything that waits,
 * runs it in one transaction and commits once. While it syncs, the next batch gathers.
 *
 * Where other processes write to the same database, two transactions that hold several rows each
 * would soon wait for each other. So only what appends shares transactions there, on the first
 * writer; the other writers take one write at a time.
 *
 * There the connection may end when a commit was sent and nothing was heard of it. So each
 * transaction writes its number into a row of its writer's, and one that is uncertain begins anew
 * with that: where the row has the number already, or gets it from the transaction before, which
 * may still be at work and is waited for, all of it is done.
 */
#include "db/db.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fault.h"
#include "base/hash.h"
#include "base/pool.h"
#include "db/beside.h"

enum {
	BATCH_MAX = 256,       /* writes of one transaction */
	SHARED_BATCH_MAX = 60, /* where one that fails has the others run anew */
	WAITING_MAX = 4096,    /* writes in a queue */
	READERS_MAX = 8,
	TRIES_MAX = 5,            /* of a transaction that fails for the moment */
	UNCERTAIN_TRIES_MAX = 14, /* of asking what became of a commit: some seconds */
	FIRST_PAUSE_MS = 10,      /* before the second of them; then twice that, and so on */
	DOUBLINGS_MAX = 6,
};

enum { NUMBER };
// clang-format off
static const struct kb_sql sql[] = {
	[NUMBER] = { "commit_number", "iii",
		"INSERT INTO commits (writer, number, at) VALUES ($1, $2, $3) ON CONFLICT (writer) DO UPDATE "
		"SET number = $2, at = $3 WHERE commits.number < $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_commits = { "commits", sql, KB_COUNTOF(sql) };

/* A write in a queue; it lives on its caller's stack. */
struct job {
	kb_write_fn *fn;
	void *arg;
	bool ok;
	struct kb_err err;
	struct kb_db_append *append; /* NULL: of no order, and asks nothing first */
	struct kb_db_beside *beside; /* what goes along; NULL: nothing */
	bool came_again;             /* after what others had made or removed meanwhile */
	struct kb_fault_state fault; /* the caller's, while the writer carries the call */
	sem_t done;
	struct job *next;
	int64_t queued_at;
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct job *first, **last;
	size_t waiting;
	bool closing;
};

struct writer {
	struct kb_db *db;
	struct queue *queue;
	size_t batch_max;
	pthread_t thread;
	struct kb_db_conn *conn; /* NULL: to be opened */
	/* Where others write as well: its row of commits, and the number of its transaction. */
	int64_t id, number;
	bool is_uncertain; /* whether that was committed; these are its notes */
	struct kb_db_note *notes;
	size_t note_count;
};

struct kb_db {
	struct kb_db_config config;
	char *where;

	struct queue queues[2]; /* of all, or of what appends; of the rest */
	struct writer writers[KB_DB_WRITERS_MAX];

	pthread_mutex_t readers_lock;
	pthread_cond_t reader_free;
	struct kb_db_conn *free_readers[READERS_MAX];
	int free_count, open_count;

	_Atomic bool is_away; /* the last connection that was wanted could not be opened */
	_Atomic int64_t commits, writes, reads, write_wait_us;
	struct kb_histogram transactions;
};

/* A further connection. That there is none is said once in the log, with the reason, and to clients
 * without it. */
static struct kb_db_conn *open_more(struct kb_db *db, bool writes, struct kb_err *err)
{
	const struct kb_driver *driver = db->config.driver;
	struct kb_db_conn *conn = driver->open(db->where, writes, err);

	if (conn && atomic_exchange(&db->is_away, false))
		kb_info(db->config.log, "the database is reached again");
	if (conn || !driver->is_shared)
		return conn;
	if (!atomic_exchange(&db->is_away, true))
		kb_warn(db->config.log, "the database is away error=%s", err->msg);
	kb_fail(err, KB_E_BUSY, "the database cannot be reached");
	return NULL;
}

/* ---- the writers ---- */

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

/* Whether the transaction is to be run anew after a failure of this job. */
static bool comes_again(const struct kb_db_conn *conn, const struct job *job)
{
	return conn->again == KB_AGAIN_OFTEN || (conn->again == KB_AGAIN_ONCE && !job->came_again);
}

/* ---- what writes ask first ---- */

static int by_place(const void *a, const void *b)
{
	static const struct kb_db_append none = { 0 };
	const struct kb_db_append *x = (*(struct job *const *)a)->append,
	                          *y = (*(struct job *const *)b)->append;

	x = x ? x : &none;
	y = y ? y : &none;
	if (x->agent_id != y->agent_id)
		return x->agent_id < y->agent_id ? -1 : 1;
	return kb_sv_cmp(x->within, y->within);
}

/* Where a trip costs more than a statement. */
static bool asks_together(const struct kb_db_conn *conn)
{
	return conn->driver->defer != NULL;
}

/* Those that ask together, so that no answer depends on one of them: as they are sorted, up to the
 * second one within the same. */
static size_t together(struct job **jobs, size_t from, size_t count)
{
	size_t end = from + 1;

	while (end < count
	       && !(jobs[end]->append && jobs[end]->append->sql
	            && by_place(&jobs[end - 1], &jobs[end]) == 0))
		end++;
	return end;
}

static void begin_asking(struct kb_db_conn *conn, struct job *job)
{
	struct kb_db_append *append = job->append;

	if (append && append->sql) {
		carry(job);
		kb_rows_open(&append->rows, conn, append->sql, append->values);
		carry(job);
	}
}

/* What was not read of it: its write has failed, or was not run. */
static void end_asking(struct job *job)
{
	struct kb_err ignored;

	if (job->append && job->append->rows.conn)
		(void)!kb_rows_close(&job->append->rows, &ignored);
}

/* The ids that they want of the first one's sequence; the others see to it themselves. */
static bool read_ids(struct kb_db_conn *conn, struct job **jobs, size_t count, struct kb_err *err)
{
	const char *sequence = NULL;
	struct kb_db_rows rows;
	int64_t wanted = 0;

	for (size_t i = 0; i < count; i++) {
		struct kb_db_append *append = jobs[i]->append;

		if (!append || !append->sequence)
			continue;
		append->id = 0;
		sequence = sequence ? sequence : append->sequence;
		wanted += strcmp(append->sequence, sequence) == 0;
	}
	if (!wanted || !conn->driver->ids)
		return true;
	kb_rows_open(&rows, conn, conn->driver->ids,
	             KB_VALUES(kb_text(kb_sv_str(sequence)), kb_int(wanted)));
	for (size_t i = 0; i < count; i++) {
		struct kb_db_append *append = jobs[i]->append;

		if (append && append->sequence && strcmp(append->sequence, sequence) == 0
		    && kb_rows_next(&rows))
			append->id = kb_rows_int(&rows, 0);
	}
	return kb_rows_close(&rows, err);
}

/* Sends what they all want to know, in one trip. */
static bool ask(struct kb_db_conn *conn, struct job **jobs, size_t count)
{
	bool ok;

	for (size_t i = 0; i < count; i++)
		begin_asking(conn, jobs[i]);
	carry(jobs[0]);
	ok = read_ids(conn, jobs, count, &jobs[0]->err);
	carry(jobs[0]);
	return ok;
}

/* Where each asks for itself. */
static bool ask_alone(struct kb_db_conn *conn, struct job *job)
{
	struct kb_db_append *append = job->append;

	if (!append || asks_together(conn))
		return true;
	if (append->sql)
		kb_rows_open(&append->rows, conn, append->sql, append->values);
	return !append->sequence
	       || kb_db_next_id(conn, append->sequence, 1, &append->id, &job->err);
}

/* One write inside the batch's transaction. False when the whole transaction is lost. Where others
 * write too there is no savepoint: what fails there takes the transaction with it, and is run anew
 * with fewer and fewer others, in the end alone. That costs those that never fail nothing, and a
 * statement that was deferred may fail in place of a later one. */
static bool run_job(struct kb_db_conn *conn, struct job *job, bool alone)
{
	const struct kb_driver *driver = conn->driver;
	bool has_savepoint = !alone && !driver->is_shared;
	size_t notes = conn->note_count, counts = conn->counts.count;

	conn->again = KB_AGAIN_NEVER;
	conn->made = 0;
	job->ok =
	        (!has_savepoint || driver->savepoint(conn, KB_SET, &job->err))
	        && ask_alone(conn, job) && job->fn(conn, job->arg, &job->err)
	        && (!job->beside || job->beside->fn(conn, conn->made, job->beside->arg, &job->err))
	        && (!has_savepoint || driver->savepoint(conn, KB_KEEP, &job->err));
	end_asking(job);
	if (job->ok)
		return true;
	conn->note_count = notes;
	kb_db_counts_drop(conn, counts);
	return has_savepoint && driver->in_transaction(conn) && !comes_again(conn, job)
	       && driver->savepoint(conn, KB_UNDO, NULL);
}

/* The writer's connection, a new one where the last has ended. */
static bool connect_writer(struct writer *writer, struct kb_err *err)
{
	const struct kb_driver *driver = writer->db->config.driver;

	if (writer->conn && driver->usable && !driver->usable(writer->conn)) {
		driver->close(writer->conn);
		writer->conn = NULL;
	}
	if (!writer->conn)
		writer->conn = open_more(writer->db, true, err);
	return writer->conn != NULL;
}

static bool begin(struct kb_db_conn *conn, struct job *job, struct kb_err *err)
{
	bool ok;

	conn->note_count = 0;
	kb_db_counts_drop(conn, 0);
	conn->again = KB_AGAIN_NEVER;
	carry(job);
	ok = conn->driver->begin(conn, true, err);
	carry(job);
	return ok;
}

/* The number becomes the last of the writer's. *done: it was already, by a try of which nothing was
 * heard. */
static bool write_number(struct writer *writer, bool *done, struct kb_err *err)
{
	int64_t changed = 1;
	struct kb_db_values values = KB_VALUES(kb_int(writer->id), kb_int(writer->number),
	                                       kb_int(kb_clock_now_us(NULL)));
	bool ok = !writer->conn->driver->is_shared
	          || (writer->is_uncertain
	                      ? kb_db_run(writer->conn, &sql[NUMBER], values, &changed, err)
	                      : kb_db_defer(writer->conn, &sql[NUMBER], values, err));

	*done = ok && changed == 0;
	return ok;
}

/* What the transaction has to tell outlives its connection. */
static void keep_notes(struct writer *writer)
{
	struct kb_db_conn *conn = writer->conn;

	free(writer->notes);
	writer->notes = conn->notes;
	writer->note_count = conn->note_count;
	conn->notes = NULL;
	conn->note_count = conn->note_capacity = 0;
}

static void committed(struct kb_db *db, struct job **jobs, size_t count,
                      const struct kb_db_note *notes, size_t note_count)
{
	int64_t good = 0;

	for (size_t i = 0; i < count; i++)
		good += jobs[i]->ok;
	atomic_fetch_add_explicit(&db->commits, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&db->writes, good, memory_order_relaxed);
	for (size_t i = 0; i < note_count; i++)
		db->config.committed(db->config.arg, &notes[i]);
}

/* Begins the transaction, with its number. *done: there is nothing left to do. */
static bool begin_numbered(struct writer *writer, struct job **jobs, size_t count, bool *done,
                           struct kb_err *err)
{
	if (!begin(writer->conn, jobs[0], err))
		return false;
	if (!write_number(writer, done, err)) {
		writer->conn->driver->rollback(writer->conn);
		return false;
	}
	if (*done) {
		writer->conn->driver->rollback(writer->conn);
		committed(writer->db, jobs, count, writer->notes, writer->note_count);
	}
	writer->is_uncertain = false;
	return true;
}

/* Runs those that ask together, from *done on, and moves that on. False when the transaction is
 * lost, by the last of those that are done. */
static bool run_some(struct kb_db_conn *conn, struct job **jobs, size_t *done, size_t count)
{
	size_t end = asks_together(conn) ? together(jobs, *done, count) : *done + 1;
	bool ok = true;

	for (size_t i = *done; i < end; i++)
		jobs[i]->err.code = KB_OK;
	if (asks_together(conn) && !ask(conn, jobs + *done, end - *done)) {
		jobs[*done]->ok = ok = false;
		++*done;
	}
	for (; ok && *done < end; ++*done) {
		carry(jobs[*done]);
		ok = run_job(conn, jobs[*done], count == 1);
		carry(jobs[*done]);
	}
	for (size_t i = *done - !ok; i < end; i++)
		end_asking(jobs[i]);
	return ok;
}

/* Runs jobs in one transaction, as many as it takes: one that takes the transaction with it ends
 * the round. Returns how many have their result; *again: that may be another one the next time. */
static size_t try_round(struct writer *writer, struct job **jobs, size_t count, bool is_first,
                        bool *again)
{
	struct kb_db_conn *conn = writer->conn;
	const struct kb_driver *driver = conn->driver;
	bool was_uncertain = writer->is_uncertain, was_done = false;
	struct kb_err err = { 0 };
	int64_t began_us = kb_clock_mono_us();
	size_t done = 0;
	bool ok, was_counted = true, is_unclear;

	if (!begin_numbered(writer, jobs, count, &was_done, &err)) {
		*again = was_uncertain || comes_again(conn, jobs[0]);
		if (!was_uncertain)
			fail_jobs(jobs, count, &err);
		return count;
	}
	if (was_done)
		return count;
	for (ok = true; ok && done < count;)
		ok = run_some(conn, jobs, &done, count);
	if (ok && is_first && kb_fault_repeats_writes()) {
		*again = true;
		driver->rollback(conn);
		return done;
	}
	if (ok) {
		carry(jobs[0]);
		was_counted = kb_db_counts_flush(conn, &err);
		ok = was_counted && driver->commit(conn, &err);
		carry(jobs[0]);
		writer->is_uncertain = !ok && err.code == KB_E_UNCERTAIN && driver->is_shared;
	} else {
		err = jobs[done - 1]->err;
	}
	if (ok) {
		kb_histogram_add(&writer->db->transactions, kb_clock_mono_us() - began_us);
		committed(writer->db, jobs, count, conn->notes, conn->note_count);
		return done;
	}
	if (writer->is_uncertain)
		keep_notes(writer);
	is_unclear = (driver->is_shared || !was_counted) && count > 1; /* whose statement it was */
	*again = writer->is_uncertain || is_unclear || comes_again(conn, jobs[done - 1]);
	jobs[done - 1]->came_again |= conn->again == KB_AGAIN_ONCE && !is_unclear;
	driver->rollback(conn);
	if (!writer->is_uncertain)
		fail_jobs(jobs, done, &err);
	return done;
}

/* Two that were in each other's way do not come back at the same time. The writer's own thread
 * sleeps, for less than a second: a stop waits for its commit anyway. */
static void pause_before(int try)
{
	unsigned char random;
	int64_t us;

	kb_random(&random, 1);
	us = ((INT64_C(1000) * FIRST_PAUSE_MS) << KB_MIN(try, DOUBLINGS_MAX)) * (128 + random)
	     / 256;
	nanosleep(&(struct timespec){ .tv_sec = us / KB_SECOND_US,
	                              .tv_nsec = us % KB_SECOND_US * 1000 },
	          NULL);
}

static int tries_of(const struct writer *writer)
{
	return writer->is_uncertain ? UNCERTAIN_TRIES_MAX : TRIES_MAX;
}

/* Of jobs that get into others' way together fewer and fewer are tried, in the end one. Of a commit
 * that is uncertain they stay together. */
static size_t run_round(struct writer *writer, struct job **jobs, size_t count)
{
	size_t done = count;

	writer->number++;
	for (int try = 0; try < tries_of(writer); try++) {
		struct kb_err err = { 0 };
		bool again = true;

		if (try > 0)
			pause_before(try - 1);
		if (!writer->is_uncertain)
			for (size_t i = 0; i < count; i++)
				jobs[i]->err.code = KB_OK;
		if (connect_writer(writer, &err)) {
			again = false;
			done = try_round(writer, jobs, count, try == 0, &again);
			if (again && !writer->is_uncertain)
				count = KB_MAX(count / 4, (size_t)1);
		} else if (!writer->is_uncertain) {
			fail_jobs(jobs, count, &err);
			done = count;
		}
		if (!again)
			break;
	}
	if (writer->is_uncertain) {
		struct kb_err err;

		kb_fail(&err, KB_E_UNCERTAIN, "the database went away during the commit");
		fail_jobs(jobs, done, &err);
		writer->is_uncertain = false;
	}
	return done;
}

static size_t take_batch(struct queue *queue, struct job **jobs, size_t max)
{
	size_t count = 0;

	pthread_mutex_lock(&queue->lock);
	while (!queue->first && !queue->closing)
		pthread_cond_wait(&queue->wake, &queue->lock);
	while (queue->first && count < max) {
		jobs[count++] = queue->first;
		queue->first = queue->first->next;
	}
	if (!queue->first)
		queue->last = &queue->first;
	queue->waiting -= count;
	pthread_mutex_unlock(&queue->lock);
	return count;
}

static void *write_loop(void *arg)
{
	struct writer *writer = arg;
	struct job *jobs[BATCH_MAX];
	size_t count;

	while ((count = take_batch(writer->queue, jobs, writer->batch_max)) > 0) {
		size_t done = 0;

		if (writer->db->config.driver->is_shared)
			qsort(jobs, count, sizeof(struct job *), by_place);
		while (done < count) {
			size_t more = run_round(writer, jobs + done, count - done);

			/* A job may be gone as soon as its caller knows. */
			for (size_t i = 0; i < more; i++)
				sem_post(&jobs[done + i]->done);
			done += more;
		}
	}
	return NULL;
}

static bool write_by(struct kb_db *db, struct queue *queue, struct job *job, struct kb_err *err)
{
	bool full;

	sem_init(&job->done, 0, 0);
	job->queued_at = kb_clock_mono_us();
	job->fault = kb_fault_swap((struct kb_fault_state){ 0 });
	pthread_mutex_lock(&queue->lock);
	full = queue->waiting == WAITING_MAX;
	if (!full) {
		*queue->last = job;
		queue->last = &job->next;
		queue->waiting++;
		pthread_cond_signal(&queue->wake);
	}
	pthread_mutex_unlock(&queue->lock);
	if (full)
		kb_fail(&job->err, KB_E_BUSY, "%d writes wait for the database already",
		        WAITING_MAX);
	else
		while (sem_wait(&job->done) != 0)
			;
	kb_fault_swap(job->fault);
	sem_destroy(&job->done);
	atomic_fetch_add_explicit(&db->write_wait_us, kb_clock_mono_us() - job->queued_at,
	                          memory_order_relaxed);
	if (!job->ok && err)
		*err = job->err;
	return job->ok;
}

/* A caller waits for its write, so that what goes along is the calling thread's alone. */
static _Thread_local struct kb_db_beside *along;

void kb_db_take_along(struct kb_db_beside *beside)
{
	along = beside;
}

bool kb_db_write(struct kb_db *db, kb_write_fn *fn, void *arg, struct kb_err *err)
{
	struct job job = { .fn = fn, .arg = arg, .beside = along && !along->done ? along : NULL };

	if (!write_by(db, &db->queues[db->config.driver->is_shared], &job, err))
		return false;
	if (job.beside)
		job.beside->done = true;
	return true;
}

bool kb_db_write_alone(struct kb_db *db, kb_write_fn *fn, void *arg, struct kb_err *err)
{
	struct job job = { .fn = fn, .arg = arg };

	return write_by(db, &db->queues[db->config.driver->is_shared], &job, err);
}

bool kb_db_append(struct kb_db *db, struct kb_db_append *append, kb_write_fn *fn, void *arg,
                  struct kb_err *err)
{
	struct job job = { .fn = fn, .arg = arg, .append = append };

	return write_by(db, &db->queues[0], &job, err);
}

/* ---- the readers ---- */

struct kb_db_conn *kb_db_take(struct kb_db *db, bool snapshot, struct kb_err *err)
{
	struct kb_db_conn *conn = NULL;
	struct kb_err unasked = { 0 };

	err = err ? err : &unasked;
	pthread_mutex_lock(&db->readers_lock);
	while (!db->free_count && db->open_count == READERS_MAX)
		pthread_cond_wait(&db->reader_free, &db->readers_lock);
	if (db->free_count)
		conn = db->free_readers[--db->free_count];
	else
		db->open_count++;
	pthread_mutex_unlock(&db->readers_lock);
	if (conn && db->config.driver->usable && !db->config.driver->usable(conn)) {
		db->config.driver->close(conn);
		conn = NULL;
	}
	if (!conn)
		conn = open_more(db, false, err);
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

static void start_writers(struct kb_db *db)
{
	const struct kb_driver *driver = db->config.driver;

	for (int i = 0; i < driver->writers; i++) {
		struct writer *writer = &db->writers[i];

		writer->db = db;
		writer->queue = &db->queues[i > 0];
		kb_random(&writer->id, sizeof(writer->id));
		writer->batch_max = !driver->is_shared ? BATCH_MAX : i == 0 ? SHARED_BATCH_MAX : 1;
		writer->thread = kb_thread_start("store-writer", write_loop, writer);
	}
}

static void stop_writers(struct kb_db *db)
{
	for (size_t i = 0; i < KB_COUNTOF(db->queues); i++) {
		pthread_mutex_lock(&db->queues[i].lock);
		db->queues[i].closing = true;
		pthread_cond_broadcast(&db->queues[i].wake);
		pthread_mutex_unlock(&db->queues[i].lock);
	}
	for (int i = 0; i < db->config.driver->writers; i++)
		pthread_join(db->writers[i].thread, NULL);
}

struct kb_db *kb_db_open(const struct kb_db_config *config, struct kb_err *err)
{
	struct kb_db_conn *first = config->driver->open(config->where, true, err);
	struct kb_db *db;

	if (!first)
		return NULL;
	db = kb_xcalloc(1, sizeof(*db));
	db->config = *config;
	db->where = kb_xstrdup(config->where);
	db->config.where = db->where;
	db->writers[0].conn = first;
	for (size_t i = 0; i < KB_COUNTOF(db->queues); i++) {
		db->queues[i].last = &db->queues[i].first;
		pthread_mutex_init(&db->queues[i].lock, NULL);
		pthread_cond_init(&db->queues[i].wake, NULL);
	}
	pthread_mutex_init(&db->readers_lock, NULL);
	pthread_cond_init(&db->reader_free, NULL);
	start_writers(db);
	return db;
}

void kb_db_close(struct kb_db *db)
{
	if (!db)
		return;
	stop_writers(db);
	pthread_mutex_lock(&db->readers_lock);
	while (db->free_count < db->open_count)
		pthread_cond_wait(&db->reader_free, &db->readers_lock);
	pthread_mutex_unlock(&db->readers_lock);
	for (int i = 0; i < db->free_count; i++)
		db->config.driver->close(db->free_readers[i]);
	for (int i = 0; i < db->config.driver->writers; i++) /* last: SQLite tidies up then */
		if (db->writers[i].conn)
			db->config.driver->close(db->writers[i].conn);
	for (int i = 0; i < db->config.driver->writers; i++)
		free(db->writers[i].notes);
	pthread_cond_destroy(&db->reader_free);
	pthread_mutex_destroy(&db->readers_lock);
	for (size_t i = 0; i < KB_COUNTOF(db->queues); i++) {
		pthread_cond_destroy(&db->queues[i].wake);
		pthread_mutex_destroy(&db->queues[i].lock);
	}
	free(db->where);
	free(db);
}

void kb_db_stats(struct kb_db *db, struct kb_db_stats *out)
{
	*out = (struct kb_db_stats){
		.transactions = &db->transactions,
		.commits = atomic_load_explicit(&db->commits, memory_order_relaxed),
		.writes = atomic_load_explicit(&db->writes, memory_order_relaxed),
		.reads = atomic_load_explicit(&db->reads, memory_order_relaxed),
		.write_wait_us = atomic_load_explicit(&db->write_wait_us, memory_order_relaxed),
	};
}
