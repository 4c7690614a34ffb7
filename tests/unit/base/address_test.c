/* Which addresses are open to fetching. */
#include "base/address.h"

#include <arpa/inet.h>

#include "test.h"

static struct kb_address address(const char *text)
{
	struct kb_address a = { .family = strchr(text, ':') ? AF_INET6 : AF_INET };

	KB_ASSERT(inet_pton(a.family, text, a.bytes) == 1);
	return a;
}

/* First and last of each range, and its neighbours. */
static const struct {
	const char *name, *text;
	enum kb_verdict verdict;
} rows[] = {
	{ "this network", "0.0.0.0", KB_ADDRESS_CLOSED },
	{ "this network, last", "0.255.255.255", KB_ADDRESS_CLOSED },
	{ "after this network", "1.0.0.0", KB_ADDRESS_PUBLIC },
	{ "before private ten", "9.255.255.255", KB_ADDRESS_PUBLIC },
	{ "private ten", "10.0.0.0", KB_ADDRESS_CLOSED },
	{ "private ten, last", "10.255.255.255", KB_ADDRESS_CLOSED },
	{ "after private ten", "11.0.0.0", KB_ADDRESS_PUBLIC },
	{ "before carriers", "100.63.255.255", KB_ADDRESS_PUBLIC },
	{ "carriers", "100.64.0.0", KB_ADDRESS_CLOSED },
	{ "metadata among carriers", "100.100.100.200", KB_ADDRESS_CLOSED },
	{ "carriers, last", "100.127.255.255", KB_ADDRESS_CLOSED },
	{ "after carriers", "100.128.0.0", KB_ADDRESS_PUBLIC },
	{ "before loopback", "126.255.255.255", KB_ADDRESS_PUBLIC },
	{ "loopback", "127.0.0.1", KB_ADDRESS_CLOSED },
	{ "loopback, last", "127.255.255.255", KB_ADDRESS_CLOSED },
	{ "after loopback", "128.0.0.0", KB_ADDRESS_PUBLIC },
	{ "a cloud's host agent", "168.63.129.16", KB_ADDRESS_CLOSED },
	{ "its neighbour", "168.63.129.17", KB_ADDRESS_PUBLIC },
	{ "before link-local", "169.253.255.255", KB_ADDRESS_PUBLIC },
	{ "link-local metadata", "169.254.169.254", KB_ADDRESS_CLOSED },
	{ "link-local, last", "169.254.255.255", KB_ADDRESS_CLOSED },
	{ "after link-local", "169.255.0.0", KB_ADDRESS_PUBLIC },
	{ "before private 172", "172.15.255.255", KB_ADDRESS_PUBLIC },
	{ "private 172", "172.16.0.0", KB_ADDRESS_CLOSED },
	{ "private 172, last", "172.31.255.255", KB_ADDRESS_CLOSED },
	{ "after private 172", "172.32.0.0", KB_ADDRESS_PUBLIC },
	{ "protocol assignments", "192.0.0.192", KB_ADDRESS_CLOSED },
	{ "between assignments and documentation", "192.0.1.0", KB_ADDRESS_PUBLIC },
	{ "documentation 1", "192.0.2.255", KB_ADDRESS_CLOSED },
	{ "after documentation 1", "192.0.3.0", KB_ADDRESS_PUBLIC },
	{ "6to4 relays", "192.88.99.1", KB_ADDRESS_CLOSED },
	{ "before private 192", "192.167.255.255", KB_ADDRESS_PUBLIC },
	{ "private 192", "192.168.0.1", KB_ADDRESS_CLOSED },
	{ "private 192, last", "192.168.255.255", KB_ADDRESS_CLOSED },
	{ "after private 192", "192.169.0.0", KB_ADDRESS_PUBLIC },
	{ "before benchmarks", "198.17.255.255", KB_ADDRESS_PUBLIC },
	{ "benchmarks", "198.18.0.0", KB_ADDRESS_CLOSED },
	{ "benchmarks, last", "198.19.255.255", KB_ADDRESS_CLOSED },
	{ "after benchmarks", "198.20.0.0", KB_ADDRESS_PUBLIC },
	{ "documentation 2", "198.51.100.7", KB_ADDRESS_CLOSED },
	{ "after documentation 2", "198.51.101.0", KB_ADDRESS_PUBLIC },
	{ "documentation 3", "203.0.113.0", KB_ADDRESS_CLOSED },
	{ "before documentation 3", "203.0.112.255", KB_ADDRESS_PUBLIC },
	{ "before multicast", "223.255.255.255", KB_ADDRESS_PUBLIC },
	{ "multicast", "224.0.0.1", KB_ADDRESS_CLOSED },
	{ "multicast, last", "239.255.255.255", KB_ADDRESS_CLOSED },
	{ "reserved", "240.0.0.0", KB_ADDRESS_CLOSED },
	{ "broadcast", "255.255.255.255", KB_ADDRESS_CLOSED },
	{ "an ordinary host", "93.184.216.34", KB_ADDRESS_PUBLIC },

	{ "unspecified", "::", KB_ADDRESS_CLOSED },
	{ "loopback", "::1", KB_ADDRESS_CLOSED },
	{ "IPv4-compatible", "::8.8.8.8", KB_ADDRESS_CLOSED },
	{ "IPv4-compatible, private", "::10.0.0.1", KB_ADDRESS_CLOSED },
	{ "IPv4-mapped, public", "::ffff:8.8.8.8", KB_ADDRESS_PUBLIC },
	{ "IPv4-mapped, metadata", "::ffff:169.254.169.254", KB_ADDRESS_CLOSED },
	{ "IPv4-mapped, loopback", "::ffff:127.0.0.1", KB_ADDRESS_CLOSED },
	{ "IPv4-translated", "::ffff:0:8.8.8.8", KB_ADDRESS_CLOSED },
	{ "IPv4-translated, private", "::ffff:0:10.0.0.1", KB_ADDRESS_CLOSED },
	{ "NAT64, public", "64:ff9b::8.8.8.8", KB_ADDRESS_PUBLIC },
	{ "NAT64, metadata", "64:ff9b::a9fe:a9fe", KB_ADDRESS_CLOSED },
	{ "NAT64, private", "64:ff9b::10.0.0.1", KB_ADDRESS_CLOSED },
	{ "NAT64 beyond its 96 bits", "64:ff9b::1:8.8.8.8", KB_ADDRESS_CLOSED },
	{ "local NAT64", "64:ff9b:1::8.8.8.8", KB_ADDRESS_CLOSED },
	{ "local NAT64, private", "64:ff9b:1:a00:0:100::", KB_ADDRESS_CLOSED },
	{ "discard only", "100::1", KB_ADDRESS_CLOSED },
	{ "dummy prefix", "100:0:0:1::1", KB_ADDRESS_CLOSED },
	{ "before global unicast", "1fff:ffff::1", KB_ADDRESS_CLOSED },
	{ "first of global unicast", "2000::1", KB_ADDRESS_PUBLIC },
	{ "Teredo", "2001::1", KB_ADDRESS_CLOSED },
	{ "Teredo of a private client", "2001:0:4136:e378:8000:63bf:f5ff:fffe", KB_ADDRESS_CLOSED },
	{ "benchmarks", "2001:2::1", KB_ADDRESS_CLOSED },
	{ "ORCHID", "2001:10::1", KB_ADDRESS_CLOSED },
	{ "ORCHIDv2", "2001:20::1", KB_ADDRESS_CLOSED },
	{ "last of the assignments", "2001:1ff:ffff::1", KB_ADDRESS_CLOSED },
	{ "after the assignments", "2001:200::1", KB_ADDRESS_PUBLIC },
	{ "documentation", "2001:db8::1", KB_ADDRESS_CLOSED },
	{ "documentation, last", "2001:db8:ffff::1", KB_ADDRESS_CLOSED },
	{ "after documentation", "2001:db9::1", KB_ADDRESS_PUBLIC },
	{ "6to4, metadata", "2002:a9fe:a9fe::", KB_ADDRESS_CLOSED },
	{ "6to4, public", "2002:808:808::1", KB_ADDRESS_CLOSED },
	{ "after 6to4", "2003::1", KB_ADDRESS_PUBLIC },
	{ "an ordinary host", "2606:2800:220:1:248:1893:25c8:1946", KB_ADDRESS_PUBLIC },
	{ "ISATAP, private", "2606:2800:220:1:0:5efe:10.0.0.1", KB_ADDRESS_CLOSED },
	{ "ISATAP, private, global bit", "2606:2800:220:1:200:5efe:10.0.0.1", KB_ADDRESS_CLOSED },
	{ "ISATAP, public", "2606:2800:220:1:0:5efe:8.8.8.8", KB_ADDRESS_PUBLIC },
	{ "before the second documentation", "3ffe:ffff::1", KB_ADDRESS_PUBLIC },
	{ "the second documentation", "3fff::1", KB_ADDRESS_CLOSED },
	{ "the second documentation, last", "3fff:fff:ffff::1", KB_ADDRESS_CLOSED },
	{ "after the second documentation", "3fff:1000::1", KB_ADDRESS_PUBLIC },
	{ "after global unicast", "4000::1", KB_ADDRESS_CLOSED },
	{ "segment routing", "5f00::1", KB_ADDRESS_CLOSED },
	{ "unique local", "fc00::1", KB_ADDRESS_CLOSED },
	{ "a cloud's metadata", "fd00:ec2::254", KB_ADDRESS_CLOSED },
	{ "link-local", "fe80::1", KB_ADDRESS_CLOSED },
	{ "site-local", "fec0::1", KB_ADDRESS_CLOSED },
	{ "multicast", "ff02::1", KB_ADDRESS_CLOSED },
};

static void test_ranges(struct kb_test *t)
{
	static const struct kb_guard nothing = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_address a = address(rows[i].text);

		t->row = rows[i].name;
		CHECK_INT(t, kb_guard_judge(&nothing, &a), rows[i].verdict);
	}
}

static void test_opened(struct kb_test *t)
{
	static const struct {
		const char *allow, *text;
		enum kb_verdict verdict;
	} cases[] = {
		{ "127.0.0.0/8", "127.9.9.9", KB_ADDRESS_NAMED },
		{ "127.0.0.0/8", "128.0.0.0", KB_ADDRESS_PUBLIC },
		{ "127.0.0.0/8", "10.0.0.1", KB_ADDRESS_CLOSED },
		{ "127.0.0.0/8", "::1", KB_ADDRESS_CLOSED },
		{ "127.0.0.0/8", "::ffff:127.0.0.1", KB_ADDRESS_NAMED },
		{ "127.0.0.0/8", "64:ff9b::127.0.0.1", KB_ADDRESS_NAMED },
		{ "10.1.2.3", "10.1.2.3", KB_ADDRESS_NAMED },
		{ "10.1.2.3", "10.1.2.4", KB_ADDRESS_CLOSED },
		{ "10.1.2.130/25", "10.1.2.129", KB_ADDRESS_NAMED },
		{ "10.1.2.130/25", "10.1.2.127", KB_ADDRESS_CLOSED },
		{ " fd00::/8 ,, 10.0.0.0/9", "fdff::1", KB_ADDRESS_NAMED },
		{ "fd00::/8,10.0.0.0/9", "10.127.0.1", KB_ADDRESS_NAMED },
		{ "fd00::/8,10.0.0.0/9", "10.128.0.1", KB_ADDRESS_CLOSED },
		{ "2002::/16", "2002:a9fe:a9fe::", KB_ADDRESS_NAMED },
		{ "0.0.0.0/0", "169.254.169.254", KB_ADDRESS_NAMED },
		{ "0.0.0.0/0", "fe80::1", KB_ADDRESS_CLOSED },
		{ "::/0", "fe80::1", KB_ADDRESS_NAMED },
		{ "", "10.0.0.1", KB_ADDRESS_CLOSED },
	};
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_address a = address(cases[i].text);
		struct kb_guard guard;
		struct kb_err err;

		t->row = cases[i].text;
		CHECK(t, kb_guard_read(&arena, cases[i].allow, &guard, &err));
		CHECK_INT(t, kb_guard_judge(&guard, &a), cases[i].verdict);
	}
	kb_arena_fini(&arena);
}

static void test_bad_networks(struct kb_test *t)
{
	static const char *const cases[] = { "localhost",    "10.0.0.0/33", "10.0.0/8",
		                             "::1/129",      "10.0.0.0/",   "/8",
		                             "10.0.0.0/8/8", "10.0.0.0 /8", "1,2" };
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_guard guard;
		struct kb_err err = { 0 };

		t->row = cases[i];
		CHECK(t, !kb_guard_read(&arena, cases[i], &guard, &err));
		CHECK(t, err.code == KB_E_INVALID && strstr(err.msg, "is no network"));
	}
	kb_arena_fini(&arena);
}

static void test_loopback(struct kb_test *t)
{
	static const struct {
		const char *text;
		bool yes;
	} cases[] = {
		{ "127.0.0.1", true },
		{ "127.255.0.9", true },
		{ "::1", true },
		{ "0:0:0:0:0:0:0:1", true },
		{ "::ffff:127.0.0.1", true },
		{ "128.0.0.1", false },
		{ "10.0.0.1", false },
		{ "0.0.0.0", false },
		{ "::", false },
		{ "::2", false },
		{ "::ffff:10.0.0.1", false },
		{ "127.example.com", false },
		{ "localhost", false },
		{ "", false },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].text;
		CHECK_INT(t, kb_is_loopback(cases[i].text), cases[i].yes);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what registries set apart is closed", test_ranges },
		{ "the operator opens networks", test_opened },
		{ "a network that cannot be read is named", test_bad_networks },
		{ "an address of this machine's own is known", test_loopback },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
