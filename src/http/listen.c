/* Listening sockets: see listen.h. Each lane has its own ones, the kernel spreads connections. */
#include "http/listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "http/forwarded.h"

enum {
	BACKLOG = 4096,
	ACCEPTS_A_TURN = 64,
	PAUSE_MS = 100,    /* when descriptors have run out */
	REFUSALS_MAX = 64, /* connections over the cap that are told so; the rest is just closed */
	PORT_TRIES = 20,
};

struct place {
	struct sockaddr_storage address;
	socklen_t size;
	int family;
};

static bool resolve(const char *host, int port, struct place places[KB_LISTENERS_MAX],
                    size_t *count, struct kb_err *err)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC,
		                  .ai_socktype = SOCK_STREAM,
		                  .ai_flags = AI_PASSIVE };
	struct addrinfo *list = NULL;
	bool every = !host || !host[0] || strcmp(host, "*") == 0;
	char service[8];
	int failed;

	snprintf(service, sizeof(service), "%d", port);
	failed = getaddrinfo(every ? NULL : host, service, &hints, &list);
	if (failed)
		return kb_fail(err, KB_E_INVALID, "the address %s to listen on: %s",
		               every ? "*" : host, gai_strerror(failed));
	*count = 0;
	for (struct addrinfo *at = list; at && *count < KB_LISTENERS_MAX; at = at->ai_next) {
		struct place *place = &places[(*count)++];

		memcpy(&place->address, at->ai_addr, at->ai_addrlen);
		place->size = at->ai_addrlen;
		place->family = at->ai_family;
	}
	freeaddrinfo(list);
	return true;
}

static void set_port(struct place *place, int port)
{
	if (place->family == AF_INET6)
		((struct sockaddr_in6 *)(void *)&place->address)->sin6_port = htons((uint16_t)port);
	else
		((struct sockaddr_in *)(void *)&place->address)->sin_port = htons((uint16_t)port);
}

static int port_of(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} address = { .v6 = { 0 } };
	socklen_t size = sizeof(address);

	if (getsockname(fd, &address.any, &size) < 0)
		return 0;
	return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port
	                                               : address.v4.sin_port);
}

/* A bound, listening socket, or -1 with errno. */
static int open_socket(const struct place *place, bool shared)
{
	const int on = 1;
	int fd = socket(place->family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (shared)
		setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
	if (place->family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)); /* accepted sockets inherit it */
	if (bind(fd, (const struct sockaddr *)(const void *)&place->address, place->size) < 0
	    || listen(fd, BACKLOG) < 0) {
		int saved = errno;

		close(fd);
		errno = saved;
		return -1;
	}
	return fd;
}

/* SO_REUSEPORT would let a second server of the same user join in silence. A socket without it
 * finds out whether the port is taken, and picks one where none is given. */
static bool probe(struct place *place, int *port, struct kb_err *err)
{
	int fd;

	set_port(place, *port);
	fd = open_socket(place, false);
	if (fd < 0)
		return kb_fail_errno(err, "cannot listen on port %d", *port);
	*port = port_of(fd);
	set_port(place, *port);
	close(fd);
	return true;
}

static bool bind_lanes(struct kb_server *server, struct place *places, size_t count, int *port,
                       struct kb_err *err)
{
	for (size_t i = 0; i < count; i++)
		if (!probe(&places[i], port, err))
			return false;
	for (int l = 0; l < server->lane_count; l++) {
		for (size_t i = 0; i < count; i++) {
			int fd = open_socket(&places[i], true);

			if (fd < 0)
				return kb_fail_errno(err, "cannot listen on port %d", *port);
			server->lanes[l].listeners[i].source.fd = fd;
		}
	}
	return true;
}

/* Is it a family this machine does not have (IPv6 in a container)? */
static bool family_missing(const struct place *place)
{
	int fd = open_socket(place, true);

	if (fd >= 0)
		close(fd);
	return fd < 0 && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL);
}

bool kb_listen_open(struct kb_server *server, struct kb_err *err)
{
	struct place places[KB_LISTENERS_MAX];
	size_t count = 0, kept = 0;

	if (!resolve(server->config.host, server->config.port, places, &count, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (count == 1 || !family_missing(&places[i]))
			places[kept++] = places[i];
	if (kept == 0)
		return kb_fail(err, KB_E_INVALID, "none of the addresses of %s is this machine's",
		               server->config.host);
	/* With port 0, a port picked for one address may be taken on the other. */
	for (int i = 0;; i++) {
		server->port = server->config.port;
		if (bind_lanes(server, places, kept, &server->port, err))
			return true;
		for (int l = 0; l < server->lane_count; l++)
			kb_listen_close(&server->lanes[l]);
		if (server->config.port || i == PORT_TRIES)
			return false;
	}
}

void kb_listen_close(struct kb_lane *lane)
{
	for (size_t i = 0; i < KB_LISTENERS_MAX; i++)
		kb_fd_close(&lane->listeners[i].source.fd);
}

static void watch(struct kb_lane *lane)
{
	struct kb_err err;

	if (!kb_listen_start(lane, &err))
		kb_error_log(lane->server->config.log, "listening stopped: %s", err.msg);
}

static void pause_listening(struct kb_lane *lane)
{
	kb_warn(lane->server->config.log, "accepting paused ms=%d: %s", PAUSE_MS, strerror(errno));
	for (size_t i = 0; i < KB_LISTENERS_MAX; i++)
		if (lane->listeners[i].source.fd >= 0)
			kb_loop_remove(lane->loop, &lane->listeners[i].source);
	kb_timer_set(lane->loop, &lane->accept_again, kb_loop_now_us(lane->loop) + PAUSE_MS * 1000);
}

static void take_connection(struct kb_lane *lane, int fd, const struct sockaddr *address)
{
	struct kb_server *server = lane->server;
	int64_t count = atomic_fetch_add(&server->connections, 1);
	bool full = count >= server->config.connections_max;
	struct kb_peer_key key = { 0 };

	if (count < server->config.connections_max + REFUSALS_MAX) {
		if (!full && !kb_proxy_is_trusted(&server->config.proxies, address)
		    && !kb_peers_take(server->peers, address, &key))
			full = true;
		kb_conn_open(lane, fd, address, &key, full);
		return;
	}
	atomic_fetch_sub(&server->connections, 1);
	atomic_fetch_add_explicit(&lane->refused, 1, memory_order_relaxed);
	close(fd);
}

/* false when nothing more is to be had now. */
static bool accept_one(struct kb_lane *lane, int listener)
{
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);
	struct sockaddr *at = (struct sockaddr *)(void *)&address;
	int fd = accept4(listener, at, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd >= 0) {
		take_connection(lane, fd, at);
		return true;
	}
	return errno == ECONNABORTED || errno == EINTR;
}

static void on_accept(struct kb_loop_fd *source, uint32_t events)
{
	struct kb_lane *lane = ((struct kb_listener *)(void *)source)->lane;

	(void)events;
	if (lane->accept_again.place)
		return; /* another listener has run out of descriptors in this very turn */
	for (int i = 0; i < ACCEPTS_A_TURN; i++) {
		if (accept_one(lane, source->fd))
			continue;
		if (errno != EAGAIN)
			pause_listening(lane);
		return;
	}
}

static void on_accept_again(struct kb_timer *timer)
{
	watch(KB_OUTER(timer, struct kb_lane, accept_again));
}

bool kb_listen_start(struct kb_lane *lane, struct kb_err *err)
{
	lane->accept_again.fire = on_accept_again;
	for (size_t i = 0; i < KB_LISTENERS_MAX; i++) {
		struct kb_listener *listener = &lane->listeners[i];

		if (listener->source.fd < 0)
			continue;
		listener->lane = lane;
		listener->source.ready = on_accept;
		if (!kb_loop_add(lane->loop, &listener->source, EPOLLIN, err))
			return false;
	}
	return true;
}

void kb_listen_stop(struct kb_lane *lane)
{
	for (size_t i = 0; i < KB_LISTENERS_MAX; i++)
		while (lane->listeners[i].source.fd >= 0
		       && accept_one(lane, lane->listeners[i].source.fd))
			;
	kb_timer_clear(lane->loop, &lane->accept_again);
	kb_listen_close(lane); /* which ends their epoll registration too */
}
