/* How long a connection may take for each of its steps, and what happens when it takes longer. */
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "http/conn.h"

static struct kb_server_config *config_of(struct kb_http_conn *conn)
{
	return &conn->lane->server->config;
}

static int64_t now_us(struct kb_http_conn *conn)
{
	return kb_loop_now_us(conn->lane->loop);
}

void kb_conn_deadline(struct kb_http_conn *conn, int64_t at_us)
{
	conn->deadline_us = at_us;
	/* A timer that fires too early is set again: cheaper than moving it with every request. */
	if (at_us && (!conn->timer.place || conn->timer.at_us > at_us))
		kb_timer_set(conn->lane->loop, &conn->timer, at_us);
}

void kb_conn_deadline_in(struct kb_http_conn *conn, int64_t ms)
{
	kb_conn_deadline(conn, ms ? now_us(conn) + ms * 1000 : 0);
}

/* Bytes that the kernel has for the peer, not taken yet. It tells of room only when a good part of
 * its buffer is free again, which a slow peer may take minutes to see to. */
static int queued(struct kb_http_conn *conn)
{
	int n = 0;

	return ioctl(conn->source.fd, SIOCOUTQ, &n) == 0 ? n : 0;
}

static void begin_send_window(struct kb_http_conn *conn)
{
	conn->send_window_us = now_us(conn);
	conn->send_window_bytes = 0;
	conn->send_window_queue = queued(conn);
}

static void note_progress(struct kb_http_conn *conn)
{
	conn->stalled_us = now_us(conn);
	conn->stalled_queue = queued(conn);
}

static void set_send_deadline(struct kb_http_conn *conn)
{
	const struct kb_server_config *config = config_of(conn);

	kb_conn_deadline(
	        conn, KB_MIN(conn->stalled_us + config->write_timeout_ms * INT64_C(1000),
	                     conn->send_window_us + config->write_rate_window_ms * INT64_C(1000)));
}

enum kb_flush kb_conn_send(struct kb_http_conn *conn)
{
	enum kb_flush flush = kb_conn_flush(conn);

	if (flush == KB_FLUSH_WAIT) {
		kb_owners_watch(conn->lane);
		if (conn->sent_some || !conn->stalled_us)
			note_progress(conn);
		if (!conn->send_window_us)
			begin_send_window(conn);
		set_send_deadline(conn);
	} else {
		conn->stalled_us = 0;
		conn->send_window_us = 0;
		conn->deadline_us = 0;
	}
	conn->sent_some = false;
	return flush;
}

/* After a deadline of kb_conn_send(): whether the peer takes too little of its answer. A peer that
 * takes a byte now and then would hold it for ever, so that a stop is not all that counts. */
static bool is_slow_reader(struct kb_http_conn *conn)
{
	const struct kb_server_config *config = config_of(conn);
	int64_t now = now_us(conn);
	int left = queued(conn);

	if (left < conn->stalled_queue)
		note_progress(conn);
	if (now - conn->stalled_us >= config->write_timeout_ms * INT64_C(1000))
		return true;
	if (now - conn->send_window_us >= config->write_rate_window_ms * INT64_C(1000)) {
		int64_t taken = conn->send_window_bytes + conn->send_window_queue - left;

		if (taken < (int64_t)config->write_min_rate * config->write_rate_window_ms / 1000)
			return true;
		begin_send_window(conn);
	}
	set_send_deadline(conn);
	return false;
}

static void time_out(struct kb_http_conn *conn, const struct kb_err *err)
{
	struct kb_err late = *err;

	late.status = 408;
	/* Without lingering: a peer that was too slow gets no more time. */
	conn->step = (uint8_t)kb_conn_refuse(conn, &late);
	if (conn->step == KB_STEP_SEND && conn->source.fd >= 0)
		kb_conn_flush(conn);
	kb_conn_kill(conn);
}

static void on_deadline(struct kb_http_conn *conn)
{
	struct kb_err err;

	switch (conn->step) {
	case KB_STEP_HEAD:
		if (!conn->begun_us) {
			kb_conn_kill(conn);
			return;
		}
		kb_fail(&err, KB_E_TIMEOUT, "the request head was not complete after %d ms",
		        config_of(conn)->header_timeout_ms);
		time_out(conn, &err);
		return;
	case KB_STEP_BODY:
		if (kb_body_is_slow(conn, &err))
			time_out(conn, &err);
		return;
	case KB_STEP_SEND:
	case KB_STEP_STREAM:
		if (is_slow_reader(conn))
			kb_conn_kill(conn);
		return;
	default:
		kb_conn_kill(conn);
	}
}

void kb_conn_on_timer(struct kb_timer *timer)
{
	struct kb_http_conn *conn = KB_OUTER(timer, struct kb_http_conn, timer);

	if (conn->deadline_us == 0)
		return;
	if (conn->deadline_us > now_us(conn))
		kb_timer_set(conn->lane->loop, timer, conn->deadline_us);
	else
		on_deadline(conn);
}
