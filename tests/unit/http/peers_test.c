/* Which addresses count as one peer. */
#include "http/peers.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "test.h"

static bool take(struct kb_peers *peers, const char *text, struct kb_peer_key *key)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };

	if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
		return kb_peers_take(peers, (struct sockaddr *)(void *)&v4, key);
	KB_ASSERT(inet_pton(AF_INET6, text, &v6.sin6_addr) == 1);
	return kb_peers_take(peers, (struct sockaddr *)(void *)&v6, key);
}

static void test_same_peer(struct kb_test *t)
{
	static const struct {
		const char *name, *a, *b;
		bool second; /* may b connect while a is there, one each being allowed? */
	} rows[] = {
		{ "one IPv4 address", "192.0.2.1", "192.0.2.1", false },
		{ "two IPv4 addresses", "192.0.2.1", "192.0.2.2", true },
		{ "IPv4 within IPv6", "192.0.2.1", "::ffff:192.0.2.1", false },
		{ "one /64", "2001:db8::1", "2001:db8::ffff:2", false },
		{ "two /64", "2001:db8::1", "2001:db8:0:1::1", true },
		{ "this machine", "127.0.0.1", "127.0.0.1", true },
		{ "this machine by IPv6", "::1", "::1", true },
		{ "this machine, mapped", "::ffff:127.0.0.1", "127.0.0.1", true },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_peers *peers = kb_peers_new(1, false);
		struct kb_peer_key a, b;

		t->row = rows[i].name;
		CHECK(t, take(peers, rows[i].a, &a));
		CHECK_INT(t, take(peers, rows[i].b, &b), rows[i].second);
		kb_peers_drop(peers, &b);
		kb_peers_drop(peers, &a);
		kb_peers_drop(peers, &a); /* counted once only */
		CHECK(t, take(peers, rows[i].b, &b));
		kb_peers_drop(peers, &b);
		kb_peers_free(peers);
	}
}

static void test_counting(struct kb_test *t)
{
	struct kb_peers *peers = kb_peers_new(3, true);
	struct kb_peer_key keys[4];

	for (int i = 0; i < 3; i++)
		CHECK(t, take(peers, "127.0.0.1", &keys[i]));
	CHECK(t, !take(peers, "127.0.0.1", &keys[3]));
	kb_peers_drop(peers, &keys[1]);
	CHECK(t, take(peers, "127.0.0.1", &keys[3]));
	kb_peers_free(peers);

	peers = kb_peers_new(0, true);
	for (int i = 0; i < 4; i++)
		CHECK(t, take(peers, "127.0.0.1", &keys[i]));
	kb_peers_free(peers);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "which addresses are one peer", test_same_peer },
		{ "connections are counted up and down", test_counting },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
