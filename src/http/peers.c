/* Connections counted by address: a hash table of the addresses that have any. */
#include "http/peers.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"

enum { BUCKETS = 4096 };

struct entry {
	struct entry *next;
	unsigned char bytes[16];
	int count;
};

struct kb_peers {
	pthread_mutex_t lock;
	int max_each;
	bool count_loopback;
	struct entry *buckets[BUCKETS];
};

struct kb_peers *kb_peers_new(int max_each, bool count_loopback)
{
	struct kb_peers *peers = kb_xcalloc(1, sizeof(*peers));

	pthread_mutex_init(&peers->lock, NULL);
	peers->max_each = max_each;
	peers->count_loopback = count_loopback;
	return peers;
}

void kb_peers_free(struct kb_peers *peers)
{
	if (!peers)
		return;
	for (size_t i = 0; i < BUCKETS; i++) {
		while (peers->buckets[i]) {
			struct entry *entry = peers->buckets[i];

			peers->buckets[i] = entry->next;
			free(entry);
		}
	}
	pthread_mutex_destroy(&peers->lock);
	free(peers);
}

/* The key, and whether the address is this machine's own. */
static bool read_address(const struct sockaddr *address, struct kb_peer_key *key)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct in6_addr v6;

	*key = (struct kb_peer_key){ 0 };
	if (address->sa_family == AF_INET) {
		memcpy(key->bytes, mapped, sizeof(mapped));
		memcpy(key->bytes + 12,
		       &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
		return key->bytes[12] == 127;
	}
	if (address->sa_family != AF_INET6)
		return true;
	v6 = ((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
	if (IN6_IS_ADDR_V4MAPPED(&v6)) {
		memcpy(key->bytes, &v6, 16);
		return key->bytes[12] == 127;
	}
	memcpy(key->bytes, &v6, 8);
	return IN6_IS_ADDR_LOOPBACK(&v6);
}

static struct entry **find(struct kb_peers *peers, const struct kb_peer_key *key)
{
	uint64_t hash = kb_hash64(kb_sv((const char *)key->bytes, sizeof(key->bytes)));
	struct entry **at = &peers->buckets[hash % BUCKETS];

	while (*at && memcmp((*at)->bytes, key->bytes, sizeof(key->bytes)) != 0)
		at = &(*at)->next;
	return at;
}

bool kb_peers_take(struct kb_peers *peers, const struct sockaddr *address, struct kb_peer_key *key)
{
	bool loopback = read_address(address, key);
	struct entry **at;

	if (peers->max_each == 0 || (loopback && !peers->count_loopback))
		return true;
	pthread_mutex_lock(&peers->lock);
	at = find(peers, key);
	if (!*at) {
		*at = kb_xcalloc(1, sizeof(**at));
		memcpy((*at)->bytes, key->bytes, sizeof(key->bytes));
	}
	key->counted = (*at)->count < peers->max_each;
	(*at)->count += key->counted;
	pthread_mutex_unlock(&peers->lock);
	return key->counted;
}

void kb_peers_drop(struct kb_peers *peers, struct kb_peer_key *key)
{
	struct entry **at, *entry;

	if (!key->counted)
		return;
	key->counted = false;
	pthread_mutex_lock(&peers->lock);
	at = find(peers, key);
	entry = *at;
	KB_ASSERT(entry && entry->count > 0);
	// cppcheck-suppress nullPointerRedundantCheck -- asserted above
	if (--entry->count == 0) {
		*at = entry->next;
		free(entry);
	}
	pthread_mutex_unlock(&peers->lock);
}
