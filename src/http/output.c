/* Sending: gathered answers, waiting blocks, files. */
#include <errno.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/file.h"
#include "http/conn.h"

enum { FILE_PIECE = 256 * 1024, TLS_PIECE = 16 * 1024 };

struct kb_http_block *kb_block_new(size_t capacity)
{
	struct kb_http_block *block = kb_xmalloc(sizeof(*block));

	block->next = NULL;
	kb_buf_init(&block->bytes, SIZE_MAX / 2);
	if (capacity)
		kb_buf_room(&block->bytes, capacity);
	return block;
}

void kb_block_free(struct kb_http_block *block)
{
	if (!block)
		return;
	kb_buf_fini(&block->bytes);
	free(block);
}

static void append(struct kb_http_conn *conn, struct kb_http_block *block)
{
	*conn->out_tail = block;
	conn->out_tail = &block->next;
	conn->out_bytes += block->bytes.n;
}

/* What the lane has gathered for this connection becomes a block of its own, from `at` on. */
static void gathered_to_block(struct kb_http_conn *conn, size_t at)
{
	struct kb_buf *out = &conn->lane->out;

	if (at < out->n) {
		struct kb_http_block *block = kb_block_new(out->n - at);

		kb_buf_add(&block->bytes, out->p + at, out->n - at);
		append(conn, block);
	}
	kb_buf_clear(out);
}

void kb_conn_queue(struct kb_http_conn *conn, struct kb_http_block *block)
{
	gathered_to_block(conn, 0);
	append(conn, block);
}

static void drop_first_block(struct kb_http_conn *conn)
{
	struct kb_http_block *block = conn->out;

	conn->out = block->next;
	conn->out_at = 0;
	if (!conn->out)
		conn->out_tail = &conn->out;
	kb_block_free(block);
}

void kb_conn_forget_output(struct kb_http_conn *conn)
{
	kb_buf_clear(&conn->lane->out);
	while (conn->out)
		drop_first_block(conn);
	conn->out_bytes = 0;
}

/* What came of an attempt to send: > 0 bytes, 0 wait, -1 broken. */
static ssize_t judge(struct kb_http_conn *conn, ssize_t sent)
{
	if (sent > 0) {
		conn->sent_some = true;
		conn->send_window_bytes += sent;
		kb_count(&conn->lane->bytes_out, sent);
		return sent;
	}
	if (sent == 0 || errno == EAGAIN) {
		conn->writable = false;
		return 0;
	}
	return -1;
}

static ssize_t send_bytes(struct kb_http_conn *conn, const char *p, size_t n, bool more)
{
	if (!conn->writable)
		return 0;
	if (conn->tls)
		return judge(conn, kb_tls_send(conn->tls, p, n));
	return judge(conn, send(conn->source.fd, p, n, MSG_NOSIGNAL | (more ? MSG_MORE : 0)));
}

static ssize_t send_file_piece(struct kb_http_conn *conn, struct kb_http_exchange *call)
{
	size_t n = (size_t)KB_MIN(call->file_left, (int64_t)FILE_PIECE);
	char piece[TLS_PIECE];
	ssize_t got;

	if (!conn->writable)
		return 0;
	if (!conn->tls) {
		off_t at = call->file_at;

		got = sendfile(conn->source.fd, call->file_fd, &at, n);
		/* 0: the file is shorter than it was, and its length is promised. */
		return got == 0 ? -1 : judge(conn, got);
	}
	got = pread(call->file_fd, piece, KB_MIN(n, sizeof(piece)), call->file_at);
	if (got <= 0)
		return -1;
	return judge(conn, kb_tls_send(conn->tls, piece, (size_t)got));
}

static enum kb_flush flush_file(struct kb_http_conn *conn, struct kb_http_exchange *call)
{
	while (call->file_left) {
		ssize_t sent = send_file_piece(conn, call);

		if (sent < 0)
			return KB_FLUSH_BROKEN;
		if (sent == 0)
			return KB_FLUSH_WAIT;
		call->file_at += sent;
		call->file_left -= sent;
		conn->budget_bytes -= sent;
		if (conn->budget_bytes <= 0 && call->file_left) {
			kb_conn_put_off(conn);
			return KB_FLUSH_WAIT;
		}
	}
	kb_fd_close(&call->file_fd);
	return KB_FLUSH_DONE;
}

enum kb_flush kb_conn_flush(struct kb_http_conn *conn)
{
	struct kb_buf *out = &conn->lane->out;
	struct kb_http_exchange *call = conn->call;
	bool file = call && call->file_fd >= 0 && call->done;

	if (out->n && !conn->out) {
		ssize_t sent = send_bytes(conn, out->p, out->n, file);

		if (sent < 0)
			return KB_FLUSH_BROKEN;
		gathered_to_block(conn, (size_t)sent);
	} else {
		gathered_to_block(conn, 0);
	}
	while (conn->out) {
		struct kb_buf *bytes = &conn->out->bytes;
		ssize_t sent = send_bytes(conn, bytes->p + conn->out_at, bytes->n - conn->out_at,
		                          file || conn->out->next);

		if (sent < 0)
			return KB_FLUSH_BROKEN;
		if (sent == 0)
			return KB_FLUSH_WAIT;
		conn->out_at += (size_t)sent;
		conn->out_bytes -= (size_t)sent;
		if (conn->out_at == bytes->n)
			drop_first_block(conn);
	}
	return file ? flush_file(conn, call) : KB_FLUSH_DONE;
}
