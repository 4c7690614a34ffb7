/*
 * Answers of unknown length: a writer on any thread, the connection on its own.
 *
 * Between the two stands `pending` under a lock. The first write into it posts the stream's task;
 * until the loop has taken the bytes, further writes only append, so that many events cost one
 * wake-up. The writer owns the stream until kb_stream_end(); after that, the loop does.
 */
#include <stdlib.h>

#include "http/conn.h"
#include "http/head.h"

struct kb_stream {
	pthread_mutex_t lock;
	pthread_cond_t sent; /* `unsent` became smaller, or the peer is gone */
	struct kb_http_exchange *call;
	struct kb_task task;
	struct kb_buf pending;
	size_t unsent; /* bytes in pending, and with the connection */
	bool posted, ended, gone, waiting;
	bool chunked, silent; /* silent: a HEAD request, nothing follows the head */
	bool close;
	bool begun; /* the loop has seen it; the loop's own */
};

static void on_stream(struct kb_task *task);

/* With the lock held. */
static void post(struct kb_stream *stream)
{
	if (stream->posted)
		return;
	stream->posted = true;
	kb_loop_post(stream->call->lane->loop, &stream->task);
}

struct kb_stream *kb_stream_begin(struct kb_request *req, const struct kb_response *head)
{
	struct kb_http_exchange *call = kb_exchange_of(req);
	struct kb_stream *stream = KB_NEW(&call->arena, struct kb_stream);
	struct kb_head_facts facts = { .status = kb_head_status(head), .length = -1 };

	KB_ASSERT(!atomic_exchange(&call->answered, true));
	pthread_mutex_init(&stream->lock, NULL);
	pthread_cond_init(&stream->sent, NULL);
	stream->call = call;
	stream->task.run = on_stream;
	stream->chunked = facts.chunked = !call->http10;
	stream->silent = call->head_only;
	stream->close = facts.close = kb_head_closes(call, head) || !stream->chunked;
	kb_buf_init(&stream->pending, SIZE_MAX / 2);
	kb_head_write(&stream->pending, call, head, &facts);
	pthread_mutex_lock(&stream->lock);
	stream->unsent = stream->pending.n;
	post(stream);
	pthread_mutex_unlock(&stream->lock);
	return stream;
}

static void add_chunk(struct kb_stream *stream, struct kb_sv bytes)
{
	struct kb_buf *buf = &stream->pending;
	static const char digits[] = "0123456789abcdef";
	char size[20];
	size_t at = sizeof(size);

	if (!stream->chunked) {
		kb_buf_sv(buf, bytes);
		return;
	}
	size[--at] = '\n';
	size[--at] = '\r';
	for (size_t n = bytes.n; n; n >>= 4)
		size[--at] = digits[n & 15];
	kb_buf_room(buf, bytes.n + sizeof(size) + 2);
	kb_buf_add(buf, size + at, sizeof(size) - at);
	kb_buf_sv(buf, bytes);
	kb_buf_add(buf, "\r\n", 2);
}

bool kb_stream_write(struct kb_stream *stream, struct kb_sv bytes)
{
	bool ok;

	pthread_mutex_lock(&stream->lock);
	KB_ASSERT(!stream->ended);
	if (!stream->gone
	    && stream->unsent + bytes.n > stream->call->lane->server->config.stream_buffer_max) {
		/* The peer reads too slowly: to us, it is gone. */
		stream->gone = true;
		post(stream);
	}
	ok = !stream->gone && !stream->silent;
	if (ok && bytes.n) {
		size_t before = stream->pending.n;

		add_chunk(stream, bytes);
		stream->unsent += stream->pending.n - before;
		post(stream);
	}
	pthread_mutex_unlock(&stream->lock);
	return ok;
}

bool kb_stream_wait(struct kb_stream *stream, size_t low_bytes)
{
	bool ok;

	pthread_mutex_lock(&stream->lock);
	stream->waiting = true;
	while (!stream->gone && stream->unsent >= KB_MAX(low_bytes, (size_t)1))
		pthread_cond_wait(&stream->sent, &stream->lock);
	stream->waiting = false;
	ok = !stream->gone;
	pthread_mutex_unlock(&stream->lock);
	return ok;
}

void kb_stream_end(struct kb_stream *stream)
{
	pthread_mutex_lock(&stream->lock);
	KB_ASSERT(!stream->ended);
	if (stream->chunked && !stream->gone && !stream->silent) {
		kb_buf_add(&stream->pending, "0\r\n\r\n", 5);
		stream->unsent += 5;
	}
	stream->ended = true;
	post(stream); /* before the unlock: from then on the loop may free the stream */
	pthread_mutex_unlock(&stream->lock);
}

/* ---- on the loop ---- */

static void free_stream(struct kb_stream *stream)
{
	kb_buf_fini(&stream->pending);
	pthread_cond_destroy(&stream->sent);
	pthread_mutex_destroy(&stream->lock);
}

/* Takes what the writer has left. */
static struct kb_http_block *collect(struct kb_stream *stream, bool *ended, bool *gone)
{
	struct kb_http_block *block = NULL;

	pthread_mutex_lock(&stream->lock);
	stream->posted = false;
	*ended = stream->ended;
	*gone = stream->gone;
	if (stream->pending.n) {
		block = kb_block_new(0);
		block->bytes = stream->pending;
		kb_buf_init(&stream->pending, SIZE_MAX / 2);
	}
	pthread_mutex_unlock(&stream->lock);
	return block;
}

static void on_stream(struct kb_task *task)
{
	struct kb_stream *stream = KB_OUTER(task, struct kb_stream, task);
	struct kb_http_exchange *call = stream->call;
	struct kb_http_conn *conn = call->req.conn;
	bool ended, gone;
	struct kb_http_block *block = collect(stream, &ended, &gone);

	if (!stream->begun) {
		stream->begun = true;
		call->stream = stream;
		call->out = true;
		kb_count(&call->lane->streams, 1);
		if (conn->source.fd >= 0) {
			conn->closing = conn->closing || stream->close;
			conn->step = KB_STEP_STREAM;
			kb_owners_watch(call->lane);
		} else {
			kb_stream_lost(stream);
		}
	}
	if (ended) {
		kb_count(&call->lane->streams, -1);
		call->out = false;
		call->done = true;
		call->stream = NULL;
		free_stream(stream);
	}
	if (conn->source.fd < 0 || gone) {
		kb_block_free(block);
		kb_conn_kill(conn);
		return;
	}
	if (block)
		kb_conn_queue(conn, block);
	if (ended)
		conn->step = KB_STEP_SEND;
	kb_conn_run(conn);
}

enum kb_http_step kb_stream_step(struct kb_http_conn *conn)
{
	struct kb_stream *stream = conn->call->stream;

	/* A peer that has closed its direction does not read on either: event streams end so. */
	if (conn->peer_done)
		return KB_STEP_CLOSED;
	if (kb_conn_send(conn) == KB_FLUSH_BROKEN)
		return KB_STEP_CLOSED;
	pthread_mutex_lock(&stream->lock);
	stream->unsent = conn->out_bytes + stream->pending.n;
	if (stream->waiting)
		pthread_cond_signal(&stream->sent);
	pthread_mutex_unlock(&stream->lock);
	return KB_STEP_PARK;
}

void kb_stream_lost(struct kb_stream *stream)
{
	pthread_mutex_lock(&stream->lock);
	stream->gone = true;
	kb_buf_fini(&stream->pending);
	pthread_cond_signal(&stream->sent);
	pthread_mutex_unlock(&stream->lock);
}
