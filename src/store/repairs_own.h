/* What open() asks of repairs. */
#ifndef KB_STORE_REPAIRS_OWN_H
#define KB_STORE_REPAIRS_OWN_H

#include "store/repairs.h"

bool kb_repairs_void_leases(struct kb_store *store, int64_t me, struct kb_err *err) KB_MUST_CHECK;

#endif
