/* What open() asks of the queue (pages.h). */
#ifndef KB_STORE_QUEUE_H
#define KB_STORE_QUEUE_H

#include "store/store.h"

bool kb_queue_void_leases(struct kb_store *store, int64_t me, struct kb_err *err) KB_MUST_CHECK;

#endif
