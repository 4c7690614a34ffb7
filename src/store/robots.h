/*
 * What robots.txt of each host said when it was last read. store.h's rules hold.
 *
 * A row an origin, for every agent: whoever asks next goes by it, in whatever process. Rows that
 * nobody has asked for in a long time go by themselves.
 */
#ifndef KB_STORE_ROBOTS_H
#define KB_STORE_ROBOTS_H

#include "store/store.h"

struct kb_robots_file {
	struct kb_sv text;  /* empty: everything is allowed */
	int64_t read_at;    /* when the host gave it; 0: never */
	int64_t good_until; /* then it is to be read again */
};

/* *found is false where nobody has read it. */
bool kb_store_robots_get(struct kb_store *store, struct kb_arena *arena, struct kb_sv origin,
                         struct kb_robots_file *out, bool *found, struct kb_err *err) KB_MUST_CHECK;
bool kb_store_robots_put(struct kb_store *store, struct kb_sv origin,
                         const struct kb_robots_file *file, struct kb_err *err) KB_MUST_CHECK;

#endif
