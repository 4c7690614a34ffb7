/* Listening sockets: finding the addresses of a host name, binding, accepting within the caps. */
#ifndef KB_HTTP_LISTEN_H
#define KB_HTTP_LISTEN_H

#include "http/conn.h"

/* Binds every lane's sockets; fills server->port. Nothing is accepted yet. */
bool kb_listen_open(struct kb_server *server, struct kb_err *err) KB_MUST_CHECK;
/* On the lane's thread, or before it runs. */
bool kb_listen_start(struct kb_lane *lane, struct kb_err *err) KB_MUST_CHECK;
/* Takes what waits in the queues, then closes the sockets. */
void kb_listen_stop(struct kb_lane *lane);
/* For a server that never ran. */
void kb_listen_close(struct kb_lane *lane);

#endif
