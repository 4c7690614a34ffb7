/*
 * Addresses, networks that the operator names, and which addresses may be fetched from: the public
 * ones, and those of named networks.
 *
 * IPv6 is open where it is global unicast (2000::/3) and not set apart there; IPv4 where no
 * registry sets the range apart. An IPv6 address that carries an IPv4 address is judged by that one
 * too. Pure; any thread.
 */
#ifndef KB_BASE_ADDRESS_H
#define KB_BASE_ADDRESS_H

#include "base/arena.h"

/* An address in network order; of AF_INET the first four bytes. */
struct kb_address {
	int family; /* AF_INET, AF_INET6 */
	uint8_t bytes[16];
};

struct kb_network {
	struct kb_address address;
	int bits;
};

/* The networks an operator opened. Zeroed: none. */
struct kb_guard {
	const struct kb_network *opened;
	size_t count;
};

/* Reads "127.0.0.0/8, fd00::/8, 10.1.2.3" into the arena; NULL and "" name none. */
bool kb_guard_read(struct kb_arena *arena, const char *allow, struct kb_guard *out,
                   struct kb_err *err) KB_MUST_CHECK;

enum kb_verdict {
	KB_ADDRESS_CLOSED,
	KB_ADDRESS_PUBLIC, /* open on the web's own ports */
	KB_ADDRESS_NAMED,  /* by the operator: open on any port */
};
enum kb_verdict kb_guard_judge(const struct kb_guard *guard, const struct kb_address *address);
/* Is it in one of the networks that the operator named? */
bool kb_guard_names(const struct kb_guard *guard, const struct kb_address *address);

/* ::ffff:a.b.c.d becomes a.b.c.d, which is what the kernel would connect to; others stay. */
struct kb_address kb_address_plain(const struct kb_address *address);
bool kb_address_eq(const struct kb_address *a, const struct kb_address *b);

/* "192.0.2.1" or "2001:db8::1", and nothing else. */
bool kb_address_read(struct kb_sv text, struct kb_address *out) KB_MUST_CHECK;

/* Does the text name an address of this machine's own: 127.0.0.0/8, mapped into IPv6 or not, or
 * ::1? A host's name is none. */
bool kb_is_loopback(const char *text);

enum { KB_ADDRESS_TEXT = 48 };
const char *kb_address_text(char out[KB_ADDRESS_TEXT], const struct kb_address *address);

#endif
