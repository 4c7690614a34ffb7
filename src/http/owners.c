/*
 * Answers that go on while their owner may lose the right to them.
 *
 * While an answer waits for its reader, or is a stream, its lane asks the application now and then
 * whether the owner still holds: a timer collects the owners of such answers, a worker asks about
 * them, and the lane closes the connections of those that do not. A lane without such answers has
 * no timer.
 */
#include <stdlib.h>

#include "http/conn.h"

struct question {
	struct kb_task task; /* first: a question is its task */
	struct kb_lane *lane;
	size_t count; /* of owners, then of those that do not hold any more */
	int64_t owners[];
};

/* Of the answer that the connection is giving; 0: none is to be asked about. */
static int64_t owner_of(const struct kb_http_conn *conn)
{
	bool answering = conn->step == KB_STEP_SEND || conn->step == KB_STEP_STREAM;

	/* In other steps a worker may have the request. */
	return conn->source.fd >= 0 && answering && conn->call ? conn->call->req.owner : 0;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static bool is_among(const struct question *q, int64_t owner)
{
	return bsearch(&owner, q->owners, q->count, sizeof(owner), compare) != NULL;
}

static void on_answer(struct kb_task *task)
{
	struct question *q = (struct question *)(void *)task;
	struct kb_lane *lane = q->lane;
	struct kb_http_conn *next;

	for (struct kb_http_conn *conn = lane->conns; conn; conn = next) {
		int64_t owner = owner_of(conn);

		next = conn->next;
		if (owner && is_among(q, owner))
			kb_conn_kill(conn);
	}
	free(q);
	lane->asking_owners = false;
	kb_owners_watch(lane);
	atomic_fetch_sub(&lane->server->questions, 1);
}

static void ask(void *arg)
{
	struct question *q = arg;
	const struct kb_server_config *config = &q->lane->server->config;
	size_t lost = 0;

	for (size_t i = 0; i < q->count; i++)
		if (!config->owner_holds(config->app, q->owners[i]))
			q->owners[lost++] = q->owners[i];
	q->count = lost;
	kb_loop_post(q->lane->loop, &q->task);
}

/* The owners of the lane's answers, each once; NULL: none. */
static struct question *collect(struct kb_lane *lane)
{
	struct question *q;
	size_t n = 0, kept = 0;

	for (const struct kb_http_conn *conn = lane->conns; conn; conn = conn->next)
		n += owner_of(conn) != 0;
	if (n == 0)
		return NULL;
	q = kb_xmalloc(sizeof(*q) + n * sizeof(*q->owners));
	*q = (struct question){ .task.run = on_answer, .lane = lane };
	for (const struct kb_http_conn *conn = lane->conns; conn; conn = conn->next)
		if (owner_of(conn))
			q->owners[q->count++] = owner_of(conn);
	qsort(q->owners, q->count, sizeof(*q->owners), compare);
	for (size_t i = 0; i < q->count; i++)
		if (i == 0 || q->owners[i] != q->owners[i - 1])
			q->owners[kept++] = q->owners[i];
	q->count = kept;
	return q;
}

static void on_time(struct kb_timer *timer)
{
	struct kb_lane *lane = KB_OUTER(timer, struct kb_lane, owners_time);
	struct question *q = collect(lane);

	if (!q)
		return;
	lane->asking_owners = true;
	atomic_fetch_add(&lane->server->questions, 1);
	if (kb_pool_submit(lane->server->config.workers, ask, q))
		return;
	/* All workers are busy: nobody is known to have lost it, and it is asked again. */
	q->count = 0;
	on_answer(&q->task);
}

void kb_owners_watch(struct kb_lane *lane)
{
	if (!lane->server->config.owner_holds || lane->asking_owners || lane->owners_time.place)
		return;
	lane->owners_time.fire = on_time;
	kb_timer_set(lane->loop, &lane->owners_time,
	             kb_loop_now_us(lane->loop) + KB_OWNERS_MS * INT64_C(1000));
}
