/*
 * Names to addresses, with an end: the system's resolver takes as long as it likes, so each lookup
 * runs on a thread of its own, and a caller whose time is up leaves it behind. Blocks; any thread
 * but a loop's.
 */
#ifndef KB_OUT_RESOLVE_H
#define KB_OUT_RESOLVE_H

#include <stdatomic.h>

#include "base/address.h"

enum {
	KB_ADDRESSES_MAX = 64,    /* of one name; with more it is refused */
	KB_LOOKUPS_LEFT_MAX = 64, /* threads that nobody waits for any more */
};

struct kb_addresses {
	struct kb_address v[KB_ADDRESSES_MAX];
	size_t count;
};

/* Resolves a name by deadline_us (of kb_clock_mono_us()) or until *cancelled. KB_E_UPSTREAM (no
 * such name, or too many addresses), KB_E_TIMEOUT, KB_E_CANCELLED, KB_E_BUSY. At least one address.
 */
bool kb_resolve(const char *name, int64_t deadline_us, const atomic_bool *cancelled,
                struct kb_addresses *out, struct kb_err *err) KB_MUST_CHECK;

#endif
