/* Receiving: from the socket or TLS into the lane's scratch memory, or behind what is kept. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "http/conn.h"

void kb_conn_forget_input(struct kb_http_conn *conn)
{
	free(conn->own);
	conn->own = NULL;
	conn->own_size = 0;
	conn->in = kb_sv("", 0);
}

void kb_conn_take(struct kb_http_conn *conn, size_t n)
{
	conn->in = kb_sv_from(conn->in, n);
	if (conn->in.n == 0)
		kb_conn_forget_input(conn);
}

/* Makes sure conn->in lies at the front of memory of its own with `room` free bytes behind it. */
static void own_input(struct kb_http_conn *conn, size_t room)
{
	size_t need = conn->in.n + room;
	char *own;

	if (conn->own && conn->in.p == conn->own && need <= conn->own_size)
		return;
	if (conn->own && need <= conn->own_size) {
		memmove(conn->own, conn->in.p, conn->in.n);
		conn->in.p = conn->own;
		return;
	}
	own = kb_xmalloc(need);
	if (conn->in.n)
		memcpy(own, conn->in.p, conn->in.n);
	free(conn->own);
	conn->own = own;
	conn->own_size = need;
	conn->in.p = own;
}

void kb_conn_keep(struct kb_http_conn *conn)
{
	if (conn->in.n && !conn->own)
		own_input(conn, 0);
}

enum kb_more kb_conn_receive(struct kb_http_conn *conn, char *to, size_t max, size_t *n)
{
	ssize_t got;

	if (conn->end_seen)
		return KB_MORE_END;
	if (!conn->readable)
		return KB_MORE_WAIT;
	if (conn->tls)
		got = kb_tls_recv(conn->tls, to, max);
	else
		got = recv(conn->source.fd, to, max, 0);
	if (got > 0) {
		*n = (size_t)got;
		conn->budget_bytes -= got;
		kb_count(&conn->lane->bytes_in, got);
		/* A short read has emptied the socket (epoll(7)); the next event comes with the
		 * next bytes. Not so when the peer's end waits behind them, and not under TLS. */
		if ((size_t)got < max && !conn->tls && !conn->peer_done)
			conn->readable = false;
		return KB_MORE_BYTES;
	}
	if (got < 0 && (errno == EAGAIN)) {
		conn->readable = false;
		return KB_MORE_WAIT;
	}
	conn->end_seen = true;
	return KB_MORE_END;
}

enum kb_more kb_conn_more(struct kb_http_conn *conn, size_t max)
{
	enum kb_more more;
	size_t n = 0;
	char *to;

	if (conn->in.n == 0) {
		kb_conn_forget_input(conn);
		to = conn->lane->scratch;
		max = KB_MIN(max, (size_t)KB_RECV_BYTES);
		conn->in.p = to;
	} else {
		/* Grow by what is there, so that a trickle costs no memory ahead of it. */
		size_t room = KB_MIN(max, KB_MAX(conn->in.n, (size_t)512));

		if (conn->own && conn->in.p == conn->own && conn->own_size > conn->in.n)
			room = conn->own_size - conn->in.n;
		else
			own_input(conn, room);
		max = room;
		to = conn->own + conn->in.n;
	}
	more = kb_conn_receive(conn, to, max, &n);
	conn->in.n += n;
	return more;
}
