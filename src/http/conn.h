/*
 * What the server's own files share; nobody else includes it.
 *
 * A lane is one loop thread with its listening sockets, its connections and its scratch memory. A
 * connection belongs to one lane and only its thread touches it. A call is one request with what
 * the server knows about it; it is held by its connection and by each worker job on it, and dies
 * with its last holder.
 *
 * A connection is always in one of these steps (conn.c runs them; PARK means: wait for an event):
 *
 *            .-----------------------------------------------------------------.
 *            v                                                                 |
 *   HEAD -> (ADMIT) -> (BODY) -> WORK -> SEND | STREAM -------- keep-alive ----'
 *    |         |         |                 |
 *    |         '---------+---> refused --> SEND --> LINGER --> CLOSED
 *    '--> CLOSED (idle, gone)                '----------------> CLOSED
 *
 *   HEAD    reads a request head, parses it and chooses what to do; a `fast` answer stays here
 *   ADMIT   a worker asks the application whether the body may come
 *   BODY    reads the body into memory, to nowhere, or in pieces to workers that store the upload
 *   WORK    a worker has the request, nothing is read
 *   SEND    writes what is left of the answer
 *   STREAM  somebody writes an answer of unknown length
 *   LINGER  the answer is out but the peer may still be sending: reads to nowhere for a moment, so
 *           that the answer is not lost to a reset
 *   CLOSED  the descriptor is gone; the struct waits for the worker that still holds the call
 */
#ifndef KB_HTTP_CONN_H
#define KB_HTTP_CONN_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "http/config.h"
#include "http/http.h"
#include "http/loop.h"
#include "http/peers.h"
#include "http/router.h"
#include "http/tls.h"
#include "http/upload.h"

enum {
	KB_RECV_BYTES = 64 * 1024,      /* scratch memory of a lane for what arrives */
	KB_RECV_HEAD_BYTES = 16 * 1024, /* read at once where pipelined requests may wait */
	KB_BODY_PIECE = 256 * 1024,     /* bytes of an upload handed to a worker at once */
	KB_BODY_DROP_MAX = 64 * 1024,   /* body nobody wants, read to keep the connection */
	KB_OUT_GATHER = 32 * 1024,      /* pipelined answers sent together */
	KB_TURN_REQUESTS = 32,          /* a connection's share of one turn of the loop */
	KB_TURN_BYTES = 1024 * 1024,
	KB_LINGER_MS = 5000,
	KB_OWNERS_MS = 500, /* between questions whether answers may go on */
	KB_LISTENERS_MAX = 4,
	KB_SPARE_CALLS = 64,
	KB_SPARE_ARENA_MAX = 4096,
	KB_PEER_TEXT = 64, /* room for KB_ADDRESS_TEXT */
	KB_LOG_CONTEXT = 48,
	KB_SERVER_TAG = 6, /* letters and digits: requests of another process have others */
};

enum kb_http_step {
	KB_STEP_HEAD,
	KB_STEP_ADMIT,
	KB_STEP_BODY,
	KB_STEP_WORK,
	KB_STEP_SEND,
	KB_STEP_STREAM,
	KB_STEP_LINGER,
	KB_STEP_CLOSED,
	KB_STEP_COUNT,
	KB_STEP_PARK, /* no step: stay in this one until something happens */
	KB_STEP_GONE, /* no step: the connection has been freed */
};

struct kb_lane {
	struct kb_server *server;
	struct kb_loop *loop;
	pthread_t thread;
	struct kb_listener {
		struct kb_loop_fd source;
		struct kb_lane *lane;
	} listeners[KB_LISTENERS_MAX];
	struct kb_timer accept_again; /* after running out of descriptors */
	struct kb_task stop, kill, quit;
	struct kb_task pulse; /* kb_server_turns() */
	_Atomic bool pulse_waits;
	struct kb_timer owners_time; /* owners.c */
	bool asking_owners;          /* a worker does */

	struct kb_http_conn *conns;   /* all of them */
	struct kb_http_conn *current; /* the one being run: its answers may be gathered */
	struct kb_http_exchange *spare_calls;
	int spare_count;
	char *scratch;            /* KB_RECV_BYTES, what has just arrived */
	struct kb_http_head head; /* of the request being parsed */
	struct kb_buf out;        /* unsent answers of the connection being run */
	int64_t last_id;
	int64_t date_s;
	char date[32];

	/* Written by the lane's thread alone (kb_count), read by kb_server_stats(). */
	_Atomic int64_t requests, bytes_in, bytes_out, streams;
	_Atomic int64_t refused; /* by any thread */
};

struct kb_server {
	struct kb_server_config config;
	struct kb_router *router;
	struct kb_tls *tls;
	struct kb_peers *peers;
	struct kb_lane *lanes;
	int lane_count, port;
	char tag[KB_SERVER_TAG + 1];
	_Atomic int64_t connections;
	_Atomic int64_t questions; /* on their way: they point to their lanes */
	_Atomic bool stopping;
};

/* A piece of output that waits for the peer. */
struct kb_http_block {
	struct kb_http_block *next;
	struct kb_buf bytes;
};

struct kb_http_conn {
	struct kb_loop_fd source; /* fd -1: closed */
	struct kb_lane *lane;
	struct kb_http_conn *prev, *next;
	struct kb_tls_conn *tls;
	struct kb_http_exchange *call; /* the request in hand */
	uint8_t step;                  /* enum kb_http_step */
	bool readable, writable;
	bool peer_done;   /* the peer has closed its direction; what it sent may still be read */
	bool end_seen;    /* … and has been read to its end */
	bool closing;     /* close after what is to be sent */
	bool served;      /* it has had an answer */
	bool flush_first; /* send gathered answers before reading on */
	bool unread;      /* the peer may still send what nobody will read */
	bool put_off;     /* `later` is queued */
	bool refuse_all;  /* taken only to be told that the server is full */
	bool is_proxy;    /* of the operator's: it says who its requests are from */

	struct kb_sv in; /* arrived and not yet understood: in the lane's scratch or in own */
	char *own;       /* NULL while there is nothing to keep */
	size_t own_size;
	struct kb_http_scan scan;
	int64_t begun_us; /* when the first byte of this head was there; 0: not yet */

	struct kb_http_block *out, **out_tail;
	size_t out_at; /* bytes of the first block that are sent */
	size_t out_bytes;
	int64_t stalled_us; /* since when nothing of it could be sent; 0: not stalled */
	bool sent_some;
	/* What the peer takes while it keeps us waiting; 0: it does not. The queues are the
	 * kernel's, at the start of the window and when it last was seen to move. */
	int64_t send_window_us, send_window_bytes;
	int send_window_queue, stalled_queue;

	int budget_requests;
	int64_t budget_bytes;
	struct kb_timer timer;
	int64_t deadline_us; /* 0: none; the timer may be set earlier */
	struct kb_task later;
	struct kb_peer_key key;
	char peer[KB_PEER_TEXT];
};

enum kb_framing { KB_BODY_NONE, KB_BODY_LENGTH, KB_BODY_CHUNKED };
enum kb_sink { KB_SINK_DROP, KB_SINK_MEMORY, KB_SINK_UPLOAD };

/* A request's body while it arrives. */
struct kb_body {
	uint8_t framing, sink;
	bool done;
	bool storing; /* a worker has `piece` */
	bool held_up; /* nothing is read until the worker is done: the peer is not slow */
	int64_t left; /* of a Content-Length */
	int64_t received;
	struct kb_chunked chunked;
	struct kb_buf bytes; /* MEMORY: the body; UPLOAD: the next piece */
	struct kb_buf piece; /* UPLOAD: what the worker has */
	struct kb_upload *upload;
	const struct kb_err *store_err; /* the worker's, valid while it is not storing */
	struct kb_err *refusal;         /* the loop's own, to be told when the worker is done */
	int64_t last_us, window_us, window_bytes; /* for the idle deadline and the rate */
};

/* What a worker tells the loop about a call. */
enum kb_news { KB_NEWS_ANSWER, KB_NEWS_ADMITTED, KB_NEWS_STORED };

struct kb_http_exchange {
	struct kb_request req; /* first: a request is its call */
	struct kb_arena arena;
	struct kb_lane *lane;
	_Atomic int refs;
	_Atomic bool answered;
	_Atomic bool deserted; /* the peer has closed, or sends no more */
	bool out;  /* a worker or a writer has it and will tell; the loop thread knows */
	bool done; /* its answer is with the connection */
	bool head_only, http10, keep_alive, expect_continue;
	bool refused;
	const char *allow; /* of a 405 */
	struct kb_body body;
	const struct kb_err
	        *err; /* why the request is refused once its body has been read; or NULL */

	struct kb_task task;
	uint8_t news; /* enum kb_news */
	struct kb_http_block *answer;
	bool answer_close;
	int file_fd; /* -1: none */
	int64_t file_at, file_left;
	struct kb_stream *stream;
	struct kb_http_exchange *next_spare;
	char log_context[KB_LOG_CONTEXT];
};

static inline struct kb_http_exchange *kb_exchange_of(struct kb_request *req)
{
	return (struct kb_http_exchange *)req;
}

static inline void kb_count(_Atomic int64_t *counter, int64_t n)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
	                      memory_order_relaxed);
}

/* ---- conn.c ---- */

enum kb_flush { KB_FLUSH_DONE, KB_FLUSH_WAIT, KB_FLUSH_BROKEN };

/* Takes over a descriptor that was accepted. full: only to refuse it. */
void kb_conn_open(struct kb_lane *lane, int fd, const struct sockaddr *address,
                  const struct kb_peer_key *key, bool full);
/* Runs the connection's steps until it must wait. */
void kb_conn_run(struct kb_http_conn *conn);
void kb_conn_kill(struct kb_http_conn *conn);
/* Puts the rest off to the next turn; returns PARK. */
enum kb_http_step kb_conn_put_off(struct kb_http_conn *conn);
/* Has the application answer with a refusal. */
enum kb_http_step kb_conn_refuse(struct kb_http_conn *conn, const struct kb_err *err);
enum kb_http_step kb_conn_refuse_busy(struct kb_http_conn *conn);

/* ---- deadlines.c ---- */

void kb_conn_deadline(struct kb_http_conn *conn, int64_t at_us); /* 0: none */
void kb_conn_deadline_in(struct kb_http_conn *conn, int64_t ms); /* 0: none */
/* The connection's timer. */
void kb_conn_on_timer(struct kb_timer *timer);
/* kb_conn_flush() with the deadline for peers that stop reading. */
enum kb_flush kb_conn_send(struct kb_http_conn *conn);

/* ---- input.c ---- */

enum kb_more { KB_MORE_BYTES, KB_MORE_WAIT, KB_MORE_END };
/* Receives more behind conn->in, at most max bytes. */
enum kb_more kb_conn_more(struct kb_http_conn *conn, size_t max);
/* Receives into memory of the caller's; conn->in must be empty. */
enum kb_more kb_conn_receive(struct kb_http_conn *conn, char *to, size_t max, size_t *n);
void kb_conn_take(struct kb_http_conn *conn, size_t n); /* drops n bytes at the front of conn->in */
void kb_conn_keep(struct kb_http_conn *conn); /* moves conn->in out of the lane's scratch memory */
void kb_conn_forget_input(struct kb_http_conn *conn);

/* ---- output.c ---- */

/* Sends what waits: the lane's gathered answers, blocks, then the call's file. */
enum kb_flush kb_conn_flush(struct kb_http_conn *conn);
struct kb_http_block *kb_block_new(size_t capacity);
void kb_block_free(struct kb_http_block *block);
void kb_conn_queue(struct kb_http_conn *conn, struct kb_http_block *block); /* takes it over */
void kb_conn_forget_output(struct kb_http_conn *conn);

/* ---- call.c ---- */

struct kb_http_exchange *kb_exchange_new(struct kb_http_conn *conn);
/* here: the calling thread is the lane's. */
void kb_exchange_release(struct kb_http_exchange *call, bool here);
/* Chooses what to do with the request whose head is lane->head. */
enum kb_http_step kb_exchange_start(struct kb_http_conn *conn, struct kb_http_exchange *call);
/* The body, if any, is there: has a worker run the handler. */
enum kb_http_step kb_exchange_work(struct kb_http_conn *conn, struct kb_http_exchange *call);
/* Tells the loop; the caller is on a worker. */
void kb_exchange_tell(struct kb_http_exchange *call, enum kb_news news);
/* Submits fn(call) to the workers, which then hold the call too. */
bool kb_exchange_submit(struct kb_http_exchange *call, void (*fn)(void *call)) KB_MUST_CHECK;
/* On a worker, after the whole body: fills parts, runs the handler, lets go of the call. */
void kb_exchange_handle(struct kb_http_exchange *call);
/* A copy in the call's arena. */
const struct kb_err *kb_exchange_keep_err(struct kb_http_exchange *call, const struct kb_err *err);
/* Has the application write a refusal, on the calling thread. */
void kb_exchange_refuse(struct kb_http_exchange *call, const struct kb_err *err);

/* ---- body.c ---- */

/* Chooses where the body goes and refuses what is too large; then asks, reads, or both. */
enum kb_http_step kb_body_start(struct kb_http_conn *conn, struct kb_http_exchange *call);
enum kb_http_step kb_body_admitted(struct kb_http_conn *conn, struct kb_http_exchange *call);
enum kb_http_step kb_body_read(struct kb_http_conn *conn);
/* After a deadline: is the peer too slow (then *err says how), or when to look again. */
bool kb_body_is_slow(struct kb_http_conn *conn, struct kb_err *err);
void kb_body_fini(struct kb_body *body);

/* ---- owners.c ---- */

/* An answer of the lane's goes on: whether its owner still holds is asked soon. */
void kb_owners_watch(struct kb_lane *lane);

/* ---- stream.c ---- */

enum kb_http_step kb_stream_step(struct kb_http_conn *conn);
void kb_stream_lost(struct kb_stream *stream); /* the connection is closed */

#endif
