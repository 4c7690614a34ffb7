/*
 * Whose turn it is at a host, for all processes that visit pages: what crawl/hosts.h is within one
 * of them. store.h's rules hold.
 *
 * A row a host. One process at a time asks it, and its pause holds for all, those that start later
 * included. A process that died leaves a hold that ends by itself.
 */
#ifndef KB_STORE_HOSTS_H
#define KB_STORE_HOSTS_H

#include "store/store.h"

struct kb_host_hold {
	struct kb_sv host;   /* as of kb_page_host() */
	struct kb_sv holder; /* this process, under a name that no other has */
};

/* *wait_us: 0, and the host is held for hold_us at most; else when to ask again. */
bool kb_store_host_enter(struct kb_store *store, const struct kb_host_hold *hold, int64_t hold_us,
                         int64_t *wait_us, struct kb_err *err) KB_MUST_CHECK;
/* Gives it back; nobody enters for pause_us. A hold that has ended is no error. */
bool kb_store_host_leave(struct kb_store *store, const struct kb_host_hold *hold, int64_t pause_us,
                         struct kb_err *err) KB_MUST_CHECK;

#endif
