/* Connections for a running server without a network: apart from their user, since net's call and
 * the interface's have one name. */
#ifndef KB_FUZZ_DOOR_H
#define KB_FUZZ_DOOR_H

#include "http/server.h"

/* Has the server's first loop take the descriptor as if it had accepted it from loopback. One at a
 * time: the next one when this one has been closed. */
void fuzz_door_take(struct kb_server *server, int fd);

#endif
