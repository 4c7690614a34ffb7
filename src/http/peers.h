/*
 * How many connections each address has. IPv6 addresses count by their /64, which is what one
 * customer of a provider has. Any thread may call.
 */
#ifndef KB_HTTP_PEERS_H
#define KB_HTTP_PEERS_H

#include <sys/socket.h>

#include "base/common.h"

struct kb_peers;

struct kb_peer_key {
	unsigned char bytes[16];
	bool counted; /* kb_peers_take() has counted it */
};

struct kb_peers *kb_peers_new(int max_each, bool count_loopback);
void kb_peers_free(struct kb_peers *peers);

/* Counts one more connection of that address; false at its limit. */
bool kb_peers_take(struct kb_peers *peers, const struct sockaddr *address,
                   struct kb_peer_key *key) KB_MUST_CHECK;
/* One less, if the key was counted. */
void kb_peers_drop(struct kb_peers *peers, struct kb_peer_key *key);

#endif
