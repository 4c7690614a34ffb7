/*
 * A thread takes calls, and one more each answers a call:
 *
 *   head ─▶ which origin? permitted? ─▶ judged addresses ─▶ connected ─▶ bytes both ways to the end
 *
 * What was asked by its whole address (http) is asked of the host by its path, and the connection
 * is closed behind it; CONNECT (https) gives bytes that nobody here can read.
 */
#include "out/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/pool.h"
#include "out/gate_head.h"

enum {
	CALLS_MAX = 24,
	HEAD_MAX = 64 << 10,
	PIECE = 32 << 10,
	LOOK_MS = 100, /* between looks at whether the gate is closed */
};

struct origin {
	char *name; /* "host:port" */
	struct origin *next;
};

struct kb_gate {
	struct kb_fetcher *fetcher;
	struct kb_gate_limits limits;
	int listener, port;
	pthread_t thread;
	atomic_bool closed;
	_Atomic int64_t bytes;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t fewer;
	int calls;
	struct origin *origins;
};

/* ---- what is open ---- */

static bool is_permitted(struct kb_gate *gate, struct kb_sv name)
{
	bool found = gate->limits.is_open;

	pthread_mutex_lock(&gate->lock);
	for (const struct origin *o = gate->origins; o && !found; o = o->next)
		found = kb_sv_eq_str(name, o->name);
	pthread_mutex_unlock(&gate->lock);
	return found;
}

void kb_gate_permit(struct kb_gate *gate, const struct kb_url *url)
{
	struct kb_arena arena = { 0 };
	struct kb_sv name = kb_gate_origin(&arena, url);

	if (!is_permitted(gate, name)) {
		struct origin *origin = kb_xcalloc(1, sizeof(*origin));

		origin->name = kb_xstrdup(kb_arena_str(&arena, name));
		pthread_mutex_lock(&gate->lock);
		origin->next = gate->origins;
		gate->origins = origin;
		pthread_mutex_unlock(&gate->lock);
	}
	kb_arena_fini(&arena);
}

bool kb_gate_is_full(struct kb_gate *gate)
{
	return atomic_load(&gate->bytes) > gate->limits.bytes_max;
}

static bool is_over(struct kb_gate *gate)
{
	return atomic_load(&gate->closed) || kb_gate_is_full(gate)
	       || kb_fetcher_is_cancelled(gate->fetcher);
}

/* ---- a call ---- */

struct call {
	struct kb_gate *gate;
	struct kb_arena arena;
	int client, host;
	struct kb_gate_head head;
};

/* Waits until one of them can be read or written; false when that is over. deadline_us: of silence.
 */
static bool wait_for(struct kb_gate *gate, struct pollfd *fds, nfds_t count, int64_t deadline_us)
{
	while (!is_over(gate) && kb_clock_mono_us() < deadline_us) {
		int n = poll(fds, count, LOOK_MS);

		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR)
			return false;
	}
	return false;
}

static int64_t silence(const struct kb_gate *gate)
{
	return kb_clock_mono_us() + gate->limits.patience.slow * KB_SECOND_US;
}

static bool send_all(struct call *c, int fd, struct kb_sv bytes)
{
	while (bytes.n) {
		struct pollfd wanted = { .fd = fd, .events = POLLOUT };
		ssize_t n = send(fd, bytes.p, bytes.n, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0)
			bytes = kb_sv_from(bytes, (size_t)n);
		else if ((n < 0 && errno != EAGAIN && errno != EINTR)
		         || !wait_for(c->gate, &wanted, 1, silence(c->gate)))
			return false;
	}
	return true;
}

static bool read_head(struct call *c, struct kb_sv *all)
{
	int64_t deadline_us = silence(c->gate);
	char *bytes = kb_arena_bytes(&c->arena, HEAD_MAX);

	*all = kb_sv(bytes, 0);
	while (kb_sv_find(*all, KB_SV("\r\n\r\n")) < 0) {
		struct pollfd wanted = { .fd = c->client, .events = POLLIN };
		ssize_t n;

		if (all->n == HEAD_MAX || !wait_for(c->gate, &wanted, 1, deadline_us))
			return false;
		n = recv(c->client, bytes + all->n, HEAD_MAX - all->n, 0);
		if (n <= 0)
			return false;
		all->n += (size_t)n;
	}
	return true;
}

static int connect_one(struct call *c, const struct kb_address *address, int64_t deadline_us)
{
	struct sockaddr_storage to = { 0 };
	int fd = socket(address->family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), failed = 0;
	struct pollfd wanted = { .fd = fd, .events = POLLOUT };
	socklen_t n = sizeof(failed), to_n;

	if (address->family == AF_INET) {
		struct sockaddr_in *in = (struct sockaddr_in *)(void *)&to;

		to_n = sizeof(*in);
		*in = (struct sockaddr_in){ .sin_family = AF_INET,
			                    .sin_port =
			                            htons((uint16_t)kb_url_port(&c->head.url)) };
		memcpy(&in->sin_addr, address->bytes, 4);
	} else {
		struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)(void *)&to;

		to_n = sizeof(*in6);
		*in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6,
			                      .sin6_port =
			                              htons((uint16_t)kb_url_port(&c->head.url)) };
		memcpy(&in6->sin6_addr, address->bytes, 16);
	}
	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&to, to_n) == 0
	    || (errno == EINPROGRESS && wait_for(c->gate, &wanted, 1, deadline_us)
	        && getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &n) == 0 && failed == 0))
		return fd;
	close(fd);
	return -1;
}

static bool connect_host(struct call *c)
{
	int64_t deadline_us = kb_clock_mono_us() + c->gate->limits.patience.connect * KB_SECOND_US;
	struct kb_addresses *addresses = KB_NEW(&c->arena, struct kb_addresses);
	struct kb_err err;

	if (!kb_fetcher_judge(c->gate->fetcher,
	                      &(struct kb_fetch_target){ .url = &c->head.url,
	                                                 .asked = c->head.url.host,
	                                                 .deadline_us = deadline_us },
	                      addresses, &err))
		return false;
	for (size_t i = 0; i < addresses->count && c->host < 0; i++)
		c->host = connect_one(c, &addresses->v[i], deadline_us);
	return c->host >= 0;
}

/* Moves what is there; false at the end of it. */
static bool move(struct call *c, int from, int to)
{
	char piece[PIECE];
	ssize_t n = recv(from, piece, sizeof(piece), MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0)
		return false;
	if (from == c->host)
		atomic_fetch_add(&c->gate->bytes, n);
	return send_all(c, to, kb_sv(piece, (size_t)n));
}

/* Until one of them has no more to say: whoever asks has waited for the whole answer by then. */
static void relay(struct call *c)
{
	struct pollfd fds[2] = { { .fd = c->client, .events = POLLIN },
		                 { .fd = c->host, .events = POLLIN } };

	while (wait_for(c->gate, fds, 2, silence(c->gate))) {
		if (fds[1].revents && !move(c, c->host, c->client))
			break;
		if (fds[0].revents && !move(c, c->client, c->host))
			break;
	}
}

/* Whoever is refused gets no answer: one of ours would look like the host's. */
static void answer(struct call *c)
{
	static const struct kb_sv open = KB_SV_INIT("HTTP/1.1 200 Connection established\r\n\r\n");
	struct kb_sv all;

	if (read_head(c, &all) && kb_gate_head_read(&c->arena, all, &c->head)
	    && is_permitted(c->gate, kb_gate_origin(&c->arena, &c->head.url)) && connect_host(c)
	    && (!c->head.is_tunnel || send_all(c, c->client, open))
	    && send_all(c, c->host, c->head.onward))
		relay(c);
}

static void leave(struct kb_gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	gate->calls--;
	pthread_cond_broadcast(&gate->fewer);
	pthread_mutex_unlock(&gate->lock);
}

static void *run_call(void *arg)
{
	struct call *c = arg;
	struct kb_gate *gate = c->gate;

	answer(c);
	kb_fd_close(&c->client);
	kb_fd_close(&c->host);
	kb_arena_fini(&c->arena);
	free(c);
	leave(gate);
	return NULL;
}

/* ---- the gate ---- */

static void take_call(struct kb_gate *gate, int fd)
{
	struct call *c = kb_xcalloc(1, sizeof(*c));
	pthread_t thread;

	*c = (struct call){ .gate = gate, .client = fd, .host = -1 };
	pthread_mutex_lock(&gate->lock);
	gate->calls++;
	pthread_mutex_unlock(&gate->lock);
	if (kb_thread_try_start(&thread, "gate", run_call, c)) {
		pthread_detach(thread);
		return;
	}
	close(fd);
	free(c);
	leave(gate);
}

static bool has_room(struct kb_gate *gate)
{
	bool room;

	pthread_mutex_lock(&gate->lock);
	room = gate->calls < CALLS_MAX;
	pthread_mutex_unlock(&gate->lock);
	return room;
}

static void *run_gate(void *arg)
{
	struct kb_gate *gate = arg;

	while (!is_over(gate)) {
		struct pollfd wanted = { .fd = gate->listener, .events = POLLIN };
		int fd = -1;

		if (!has_room(gate)) /* for a tenth of a look: a call ends soon, and callers wait */
			usleep(LOOK_MS * 100);
		else if (poll(&wanted, 1, LOOK_MS) > 0)
			fd = accept4(gate->listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			take_call(gate, fd);
	}
	return NULL;
}

static bool listen_here(struct kb_gate *gate, struct kb_err *err)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
		                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(in);

	gate->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (gate->listener < 0 || bind(gate->listener, (struct sockaddr *)&in, n)
	    || listen(gate->listener, CALLS_MAX)
	    || getsockname(gate->listener, (struct sockaddr *)&in, &n))
		return kb_fail_errno(err, "cannot open a gate for a browser");
	gate->port = ntohs(in.sin_port);
	return true;
}

struct kb_gate *kb_gate_open(struct kb_fetcher *fetcher, const struct kb_gate_limits *limits,
                             struct kb_err *err)
{
	struct kb_gate *gate = kb_xcalloc(1, sizeof(*gate));

	*gate = (struct kb_gate){ .fetcher = fetcher, .limits = *limits, .listener = -1 };
	pthread_mutex_init(&gate->lock, NULL);
	pthread_cond_init(&gate->fewer, NULL);
	if (listen_here(gate, err)) {
		if (kb_thread_try_start(&gate->thread, "gate", run_gate, gate))
			return gate;
		kb_fail(err, KB_E_BUSY, "the system has no thread left");
	}
	kb_fd_close(&gate->listener);
	pthread_cond_destroy(&gate->fewer);
	pthread_mutex_destroy(&gate->lock);
	free(gate);
	return NULL;
}

int kb_gate_port(const struct kb_gate *gate)
{
	return gate->port;
}

void kb_gate_close(struct kb_gate *gate)
{
	if (!gate)
		return;
	atomic_store(&gate->closed, true);
	pthread_join(gate->thread, NULL);
	pthread_mutex_lock(&gate->lock);
	while (gate->calls)
		pthread_cond_wait(&gate->fewer, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
	kb_fd_close(&gate->listener);
	while (gate->origins) {
		struct origin *next = gate->origins->next;

		free(gate->origins->name);
		free(gate->origins);
		gate->origins = next;
	}
	pthread_cond_destroy(&gate->fewer);
	pthread_mutex_destroy(&gate->lock);
	free(gate);
}
