/*
 * How far the rows of the audit log were told elsewhere, as lines of a file or to syslog
 * (upkeep/audit_lines.h). The rules of store.h hold. A node tells the rows of its own chain; those
 * of commands, whose chain is nobody's, are told by one node at a time.
 */
#ifndef KB_STORE_AUDIT_TOLD_H
#define KB_STORE_AUDIT_TOLD_H

#include "store/audit.h"

enum { KB_AUDIT_CHAINS = 2 };

/* From now on the rows of both chains are told: from here, or where they have been before, from
 * where that ended. */
bool kb_store_audit_tell(struct kb_store *store, struct kb_err *err) KB_MUST_CHECK;
/* Its own first. */
bool kb_store_audit_chains(struct kb_store *store, struct kb_audit_chain out[KB_AUDIT_CHAINS],
                           struct kb_err *err) KB_MUST_CHECK;
/* They were told up to that one. */
bool kb_store_audit_told(struct kb_store *store, int64_t node, int64_t seq,
                         struct kb_err *err) KB_MUST_CHECK;

#endif
