/* The tables that say whose a handle, a key or an address is. The store's own. */
#ifndef KB_STORE_LOOKUPS_H
#define KB_STORE_LOOKUPS_H

#include "store/store.h"

/* For a node that starts: others may be of a program that knows no look-up tables. */
bool kb_lookups_mend(struct kb_store *store, struct kb_err *err) KB_MUST_CHECK;

#endif
