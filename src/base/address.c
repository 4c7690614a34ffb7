#include "base/address.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

// clang-format off
#define V4(bits_, ...) { { AF_INET, { __VA_ARGS__ } }, bits_ }
#define V6(bits_, ...) { { AF_INET6, { __VA_ARGS__ } }, bits_ }

/* The special-purpose registries of IANA, and one address of a cloud's own. */
static const struct kb_network closed[] = {
	V4(8, 0),                  /* this network; 0.0.0.0 is this host */
	V4(8, 10),                 /* private */
	V4(10, 100, 64),           /* behind carriers' NAT; one cloud's metadata */
	V4(8, 127),                /* loopback */
	V4(32, 168, 63, 129, 16),  /* a cloud's host agent on an address that looks public */
	V4(16, 169, 254),          /* link-local; clouds' metadata */
	V4(12, 172, 16),           /* private */
	V4(24, 192, 0, 0),         /* protocol assignments; one cloud's metadata */
	V4(24, 192, 0, 2),         /* documentation */
	V4(24, 192, 88, 99),       /* relays of 6to4 */
	V4(16, 192, 168),          /* private */
	V4(15, 198, 18),           /* benchmarks */
	V4(24, 198, 51, 100),      /* documentation */
	V4(24, 203, 0, 113),       /* documentation */
	V4(4, 224),                /* multicast */
	V4(4, 240),                /* reserved; 255.255.255.255 is broadcast */
	V6(23, 0x20, 0x01),        /* protocol assignments: Teredo, benchmarks, ORCHID */
	V6(32, 0x20, 0x01, 0x0d, 0xb8), /* documentation */
	V6(16, 0x20, 0x02),        /* 6to4: leads into IPv4, and nobody serves there */
	V6(20, 0x3f, 0xff),        /* documentation */
};

static const struct kb_network
	global_unicast = V6(3, 0x20),
	loopback = V4(8, 127), loopback6 = V6(128, [15] = 1),
	mapped = V6(96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff),
	/* The one NAT64 prefix that everyone knows: how an IPv6-only network sees the IPv4 web. The
	 * local ones (64:ff9b:1::/48) are their operator's, and closed as all else. */
	nat64 = V6(96, 0, 0x64, 0xff, 0x9b);
// clang-format on

static bool within(const struct kb_network *network, const struct kb_address *address)
{
	int whole = network->bits / 8, rest = network->bits % 8;

	if (network->address.family != address->family
	    || memcmp(network->address.bytes, address->bytes, (size_t)whole) != 0)
		return false;
	return rest == 0
	       || ((network->address.bytes[whole] ^ address->bytes[whole]) >> (8 - rest)) == 0;
}

static struct kb_address embedded(const struct kb_address *address)
{
	struct kb_address v4 = { .family = AF_INET };

	memcpy(v4.bytes, address->bytes + 12, 4);
	return v4;
}

/* The interface part 0:5efe:a.b.c.d, in which a tunnel (ISATAP) finds its IPv4 end. */
static bool is_isatap(const struct kb_address *address)
{
	return (address->bytes[8] & 0xfd) == 0 && address->bytes[9] == 0
	       && address->bytes[10] == 0x5e && address->bytes[11] == 0xfe;
}

struct kb_address kb_address_plain(const struct kb_address *address)
{
	return within(&mapped, address) ? embedded(address) : *address;
}

static bool is_named(const struct kb_guard *guard, const struct kb_address *address)
{
	for (size_t i = 0; i < guard->count; i++)
		if (within(&guard->opened[i], address))
			return true;
	return false;
}

bool kb_guard_names(const struct kb_guard *guard, const struct kb_address *address)
{
	struct kb_address plain = kb_address_plain(address);

	return is_named(guard, &plain);
}

static enum kb_verdict judge(const struct kb_guard *guard, const struct kb_address *address)
{
	if (is_named(guard, address))
		return KB_ADDRESS_NAMED;
	for (size_t i = 0; i < KB_COUNTOF(closed); i++)
		if (within(&closed[i], address))
			return KB_ADDRESS_CLOSED;
	if (address->family == AF_INET)
		return KB_ADDRESS_PUBLIC;
	return address->family == AF_INET6 && within(&global_unicast, address) ? KB_ADDRESS_PUBLIC
	                                                                       : KB_ADDRESS_CLOSED;
}

enum kb_verdict kb_guard_judge(const struct kb_guard *guard, const struct kb_address *address)
{
	struct kb_address plain = kb_address_plain(address);
	enum kb_verdict verdict = judge(guard, &plain);

	if (plain.family != AF_INET6 || verdict == KB_ADDRESS_NAMED)
		return verdict;
	if (within(&nat64, &plain) || (is_isatap(&plain) && verdict == KB_ADDRESS_PUBLIC)) {
		plain = embedded(&plain);
		return judge(guard, &plain);
	}
	return verdict;
}

bool kb_address_eq(const struct kb_address *a, const struct kb_address *b)
{
	return a->family == b->family
	       && memcmp(a->bytes, b->bytes, a->family == AF_INET ? 4 : 16) == 0;
}

bool kb_is_loopback(const char *text)
{
	struct kb_address address;

	if (!kb_address_read(kb_sv_str(text), &address))
		return false;
	address = kb_address_plain(&address);
	return within(&loopback, &address) || within(&loopback6, &address);
}

const char *kb_address_text(char out[KB_ADDRESS_TEXT], const struct kb_address *address)
{
	if (!inet_ntop(address->family, address->bytes, out, KB_ADDRESS_TEXT))
		out[0] = '\0';
	return out;
}

bool kb_address_read(struct kb_sv text, struct kb_address *out)
{
	char copy[KB_ADDRESS_TEXT];

	*out = (struct kb_address){ 0 };
	if (text.n >= sizeof(copy) || (text.n && memchr(text.p, '\0', text.n)))
		return false;
	if (text.n)
		memcpy(copy, text.p, text.n);
	copy[text.n] = '\0';
	out->family = strchr(copy, ':') ? AF_INET6 : AF_INET;
	return inet_pton(out->family, copy, out->bytes) == 1;
}

static bool read_network(struct kb_sv text, struct kb_network *out)
{
	ptrdiff_t slash = kb_sv_find_byte(text, '/');
	int64_t bits;

	if (!kb_address_read(kb_sv_sub(text, 0, slash < 0 ? text.n : (size_t)slash), &out->address))
		return false;
	bits = out->address.family == AF_INET ? 32 : 128;
	if (slash >= 0 && !kb_sv_to_int(kb_sv_from(text, (size_t)slash + 1), 0, bits, &bits))
		return false;
	out->bits = (int)bits;
	return true;
}

bool kb_guard_read(struct kb_arena *arena, const char *allow, struct kb_guard *out,
                   struct kb_err *err)
{
	struct kb_sv rest = kb_sv_str(allow ? allow : ""), part;
	struct kb_network *networks = KB_NEW_ARRAY(arena, rest.n / 2 + 1, struct kb_network);

	*out = (struct kb_guard){ .opened = networks };
	while (kb_sv_split(&rest, ',', &part)) {
		part = kb_sv_trim(part);
		if (part.n == 0)
			continue;
		if (!read_network(part, &networks[out->count]))
			return kb_fail(err, KB_E_INVALID,
			               "\"%.*s\" is no network; it must be ADDRESS/BITS, such as "
			               "127.0.0.0/8 or fd00::/8",
			               KB_SV_ARG(part));
		out->count++;
	}
	return true;
}
