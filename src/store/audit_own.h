/* Rows of the audit log that the store writes in a transaction of its own: the store's own. */
#ifndef KB_STORE_AUDIT_OWN_H
#define KB_STORE_AUDIT_OWN_H

#include "store/audit.h"
#include "store/store_own.h"

/* A row of what the service itself did. account_id 0: it is of the whole installation, and stands
 * in the log of its first account; where there is none yet, nowhere. */
bool kb_audit_add(struct kb_db_conn *conn, struct kb_store *store,
                  const struct kb_audit_entry *entry, struct kb_err *err) KB_MUST_CHECK;

#endif
