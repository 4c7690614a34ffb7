/* A connection's life: events, and the steps drawn in conn.h. */
#include "http/conn.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "http/forwarded.h"

static struct kb_server_config *config_of(struct kb_http_conn *conn)
{
	return &conn->lane->server->config;
}

static bool stopping(struct kb_http_conn *conn)
{
	return atomic_load_explicit(&conn->lane->server->stopping, memory_order_relaxed);
}

static int64_t now_us(struct kb_http_conn *conn)
{
	return kb_loop_now_us(conn->lane->loop);
}

/* ---- the end ---- */

static void unlink_conn(struct kb_http_conn *conn)
{
	if (conn->prev)
		conn->prev->next = conn->next;
	else
		conn->lane->conns = conn->next;
	if (conn->next)
		conn->next->prev = conn->prev;
}

/* Closes what the world sees; the struct stays. */
static void shut(struct kb_http_conn *conn)
{
	if (conn->source.fd < 0)
		return;
	kb_timer_clear(conn->lane->loop, &conn->timer);
	conn->deadline_us = 0;
	kb_loop_remove(conn->lane->loop, &conn->source);
	kb_tls_close(conn->tls);
	conn->tls = NULL;
	kb_fd_close(&conn->source.fd);
	kb_conn_forget_input(conn);
	kb_conn_forget_output(conn);
	kb_peers_drop(conn->lane->server->peers, &conn->key);
}

/* Frees a closed connection, unless somebody still has its call: then the news of it do. */
static enum kb_http_step bury(struct kb_http_conn *conn)
{
	struct kb_http_exchange *call = conn->call;

	shut(conn);
	if (call)
		atomic_store(&call->deserted, true);
	if (conn->lane->current == conn)
		conn->lane->current = NULL;
	conn->step = KB_STEP_CLOSED;
	if (call && call->out) {
		if (call->stream)
			kb_stream_lost(call->stream);
		return KB_STEP_PARK;
	}
	conn->call = NULL;
	if (call)
		kb_exchange_release(call, true);
	unlink_conn(conn);
	atomic_fetch_sub(&conn->lane->server->connections, 1);
	if (conn->put_off)
		conn->step = KB_STEP_GONE; /* on_later() frees it */
	else
		free(conn);
	return KB_STEP_GONE;
}

void kb_conn_kill(struct kb_http_conn *conn)
{
	bury(conn);
}

/* ---- refusals ---- */

enum kb_http_step kb_conn_refuse(struct kb_http_conn *conn, const struct kb_err *err)
{
	struct kb_http_exchange *call = conn->call;

	conn->lane->current = conn;
	if (!call)
		call = conn->call = kb_exchange_new(conn);
	if (call->body.framing != KB_BODY_NONE && !call->body.done)
		conn->unread = true;
	kb_exchange_refuse(call, err);
	return KB_STEP_SEND;
}

enum kb_http_step kb_conn_refuse_busy(struct kb_http_conn *conn)
{
	struct kb_err err;

	kb_fail(&err, KB_E_BUSY, "the server is busy: all its workers have work waiting");
	return kb_conn_refuse(conn, &err);
}

/* ---- steps ---- */

static enum kb_http_step begin(struct kb_http_conn *conn, size_t head_n)
{
	struct kb_http_exchange *call = conn->call = kb_exchange_new(conn);
	char *head = kb_arena_bytes(&call->arena, head_n);
	struct kb_err why;

	memcpy(head, conn->in.p, head_n);
	kb_conn_take(conn, head_n);
	conn->scan = (struct kb_http_scan){ 0 };
	conn->begun_us = 0;
	kb_count(&conn->lane->requests, 1);
	if (!kb_http_parse_head(head, head_n, &conn->lane->head, &why)) {
		conn->unread = true;
		return kb_conn_refuse(conn, &why);
	}
	return kb_exchange_start(conn, call);
}

static enum kb_http_step step_head(struct kb_http_conn *conn)
{
	struct kb_err why;
	size_t head_n;

	for (;;) {
		enum kb_http_result result = KB_HTTP_MORE;

		if (conn->in.n) {
			/* Before the scan: a head it has found must not be asked for again. */
			if (conn->budget_requests <= 0) {
				kb_conn_deadline(conn, 0); /* it waits for us */
				return kb_conn_put_off(conn);
			}
			if (!conn->begun_us)
				conn->begun_us = now_us(conn);
			result = kb_http_scan_head(&conn->scan, conn->in, &head_n, &why);
		}
		if (result == KB_HTTP_BAD) {
			conn->unread = true;
			return kb_conn_refuse(conn, &why);
		}
		if (result == KB_HTTP_DONE) {
			conn->budget_requests--;
			return begin(conn, head_n);
		}
		if (conn->lane->out.n) {
			conn->flush_first = true;
			return KB_STEP_SEND;
		}
		switch (kb_conn_more(conn, KB_RECV_HEAD_BYTES)) {
		case KB_MORE_BYTES:
			break;
		case KB_MORE_END:
			return KB_STEP_CLOSED;
		default:
			if (conn->in.n)
				kb_conn_deadline(conn, conn->begun_us
				                               + config_of(conn)->header_timeout_ms
				                                         * INT64_C(1000));
			else if (stopping(conn))
				return KB_STEP_CLOSED;
			else
				kb_conn_deadline_in(conn,
				                    conn->tls && !conn->served
				                            ? config_of(conn)->header_timeout_ms
				                            : config_of(conn)->idle_timeout_ms);
			return KB_STEP_PARK;
		}
	}
}

static enum kb_http_step step_wait(struct kb_http_conn *conn)
{
	if (conn->out && kb_conn_flush(conn) == KB_FLUSH_BROKEN)
		return KB_STEP_CLOSED;
	return KB_STEP_PARK;
}

static enum kb_http_step close_politely(struct kb_http_conn *conn)
{
	bool linger = conn->unread || conn->in.n;

	if (conn->tls)
		kb_tls_bye(conn->tls);
	if (!linger || conn->end_seen || shutdown(conn->source.fd, SHUT_WR) < 0)
		return KB_STEP_CLOSED;
	kb_conn_forget_input(conn);
	kb_conn_deadline_in(conn, conn->refuse_all ? KB_LINGER_MS / 5 : KB_LINGER_MS);
	return KB_STEP_LINGER;
}

static enum kb_http_step step_send(struct kb_http_conn *conn)
{
	struct kb_http_exchange *call = conn->call;
	/* More requests are here already: their answers may go out together. */
	bool gather = !conn->closing && !conn->flush_first && conn->in.n && !conn->out
	              && conn->lane->out.n && conn->lane->out.n < KB_OUT_GATHER
	              && (!call || call->file_fd < 0);

	if (!gather) {
		conn->flush_first = false;
		switch (kb_conn_send(conn)) {
		case KB_FLUSH_BROKEN:
			return KB_STEP_CLOSED;
		case KB_FLUSH_WAIT:
			return KB_STEP_PARK;
		default:
			break;
		}
	}
	if (call) {
		conn->call = NULL;
		kb_exchange_release(call, true);
	}
	conn->served = true;
	return conn->closing ? close_politely(conn) : KB_STEP_HEAD;
}

static enum kb_http_step step_linger(struct kb_http_conn *conn)
{
	size_t n;

	for (;;) {
		switch (kb_conn_receive(conn, conn->lane->scratch, KB_RECV_BYTES, &n)) {
		case KB_MORE_END:
			return KB_STEP_CLOSED;
		case KB_MORE_WAIT:
			return KB_STEP_PARK;
		default:
			if (conn->budget_bytes <= 0)
				return kb_conn_put_off(conn);
		}
	}
}

void kb_conn_run(struct kb_http_conn *conn)
{
	static enum kb_http_step (*const steps[KB_STEP_COUNT])(struct kb_http_conn *) = {
		[KB_STEP_HEAD] = step_head,     [KB_STEP_ADMIT] = step_wait,
		[KB_STEP_BODY] = kb_body_read,  [KB_STEP_WORK] = step_wait,
		[KB_STEP_SEND] = step_send,     [KB_STEP_STREAM] = kb_stream_step,
		[KB_STEP_LINGER] = step_linger, [KB_STEP_CLOSED] = bury,
	};

	conn->lane->current = conn;
	conn->budget_requests = KB_TURN_REQUESTS;
	conn->budget_bytes = KB_TURN_BYTES;
	for (;;) {
		enum kb_http_step next = steps[conn->step](conn);

		if (next == KB_STEP_GONE)
			return;
		if (next == KB_STEP_PARK)
			break;
		conn->step = (uint8_t)next;
	}
	if (conn->lane->out.n && kb_conn_flush(conn) == KB_FLUSH_BROKEN) {
		kb_conn_kill(conn);
		return;
	}
	kb_conn_keep(conn);
	conn->lane->current = NULL;
}

/* ---- events ---- */

static void on_later(struct kb_task *task)
{
	struct kb_http_conn *conn = KB_OUTER(task, struct kb_http_conn, later);

	conn->put_off = false;
	if (conn->step == KB_STEP_GONE)
		free(conn);
	else if (conn->source.fd >= 0)
		kb_conn_run(conn);
}

enum kb_http_step kb_conn_put_off(struct kb_http_conn *conn)
{
	if (!conn->put_off)
		kb_loop_later(conn->lane->loop, &conn->later);
	conn->put_off = true;
	return KB_STEP_PARK;
}

static void on_event(struct kb_loop_fd *source, uint32_t events)
{
	struct kb_http_conn *conn = (struct kb_http_conn *)(void *)source;

	if (events & (EPOLLHUP | EPOLLERR)) {
		kb_conn_kill(conn);
		return;
	}
	/* TLS may have to write in order to read, and the other way round. */
	conn->readable = conn->readable || conn->tls || events & (EPOLLIN | EPOLLRDHUP);
	conn->writable = conn->writable || conn->tls || events & EPOLLOUT;
	conn->peer_done = conn->peer_done || events & EPOLLRDHUP;
	if (conn->call && events & EPOLLRDHUP)
		atomic_store(&conn->call->deserted, true);
	kb_conn_run(conn);
}

static void write_peer(const struct sockaddr *address, char out[KB_PEER_TEXT])
{
	const void *at = NULL;
	int family = address->sa_family;

	if (family == AF_INET) {
		at = &((const struct sockaddr_in *)(const void *)address)->sin_addr;
	} else if (family == AF_INET6) {
		const struct in6_addr *v6 =
		        &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;

		at = v6;
		if (IN6_IS_ADDR_V4MAPPED(v6)) {
			family = AF_INET;
			at = &v6->s6_addr[12];
		}
	}
	if (!at || !inet_ntop(family, at, out, KB_PEER_TEXT))
		snprintf(out, KB_PEER_TEXT, "unknown");
}

void kb_conn_open(struct kb_lane *lane, int fd, const struct sockaddr *address,
                  const struct kb_peer_key *key, bool full)
{
	struct kb_http_conn *conn = kb_xcalloc(1, sizeof(*conn));
	struct kb_err err;

	conn->source = (struct kb_loop_fd){ .fd = fd, .ready = on_event };
	conn->lane = lane;
	conn->timer.fire = kb_conn_on_timer;
	conn->later.run = on_later;
	conn->out_tail = &conn->out;
	conn->in = kb_sv("", 0);
	conn->key = *key;
	conn->readable = conn->writable = true; /* to be tried before the first event */
	write_peer(address, conn->peer);
	conn->is_proxy = kb_proxy_is_trusted(&lane->server->config.proxies, address);
	conn->next = lane->conns;
	if (conn->next)
		conn->next->prev = conn;
	lane->conns = conn;
	if (!kb_loop_add(lane->loop, &conn->source, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
	                 &err)) {
		kb_warn(lane->server->config.log, "connection dropped: %s", err.msg);
		kb_peers_drop(lane->server->peers, &conn->key);
		kb_fd_close(&conn->source.fd);
		kb_conn_kill(conn);
		return;
	}
	if (lane->server->tls) {
		conn->tls = kb_tls_open(lane->server->tls, fd);
		if (!conn->tls || full) {
			kb_conn_kill(conn);
			return;
		}
	}
	if (full) {
		conn->refuse_all = conn->unread = true;
		kb_fail(&err, KB_E_BUSY, "the server has as many connections as it may have");
		conn->step = (uint8_t)kb_conn_refuse(conn, &err);
	}
	kb_conn_run(conn);
}
