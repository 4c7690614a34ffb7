/*
 * The HTTP/1.1 server: strict RFC 9112 on epoll, knowing nothing of the application.
 *
 * One loop thread a core, each with its own listening socket (SO_REUSEPORT), reads requests and
 * writes answers; handlers run on the workers (request.h). What the server is given is config.h.
 *
 * Refused before any handler: malformed heads (400), unknown routes (404), known paths with another
 * method (405), bodies over the route's limit (400), full queues (503 with Retry-After). The text
 * of those answers comes from the application's `refuse` callback, so that all errors look alike.
 */
#ifndef KB_HTTP_SERVER_H
#define KB_HTTP_SERVER_H

#include "http/config.h"
#include "http/request.h"

struct kb_server;

/* Fills every limit with its default. */
void kb_server_config_init(struct kb_server_config *config);

/* Binds, starts the loop threads and serves. NULL with *err set when the address is taken, … */
struct kb_server *kb_server_start(const struct kb_server_config *config,
                                  struct kb_err *err) KB_MUST_CHECK;
/* Reads the certificate and its key anew, if there are any; they are for connections that come
 * after settle with `take`. False: they do not fit, and all stays as it was. One thread calls
 * these. */
bool kb_server_tls_read(struct kb_server *server, struct kb_err *err) KB_MUST_CHECK;
void kb_server_tls_settle(struct kb_server *server, bool take);
int kb_server_port(const struct kb_server *server);
/* Whether each loop has turned since the last call; the first says yes. One thread calls this, as
 * often as a loop may be busy for. */
bool kb_server_turns(struct kb_server *server);
/* Stops accepting, lets requests and streams end for at most grace_ms, closes, frees. Handlers that
 * still run then find their peers gone; it returns when the last of them has answered. */
void kb_server_stop(struct kb_server *server, int grace_ms);

struct kb_server_stats {
	int64_t connections, streams, requests, refused, bytes_in, bytes_out;
};
void kb_server_stats(struct kb_server *server, struct kb_server_stats *out);

#endif
