/* Leases of background work as statements see them. */
#ifndef KB_STORE_WORK_OWN_H
#define KB_STORE_WORK_OWN_H

#include "store/leases.h"
#include "store/work.h"

struct kb_work_want {
	struct kb_store *store;
	const char *kind;
	int64_t agent_id, now, lease_us;
};
/* No other node has the agent's work of that kind. */
#define KB_WORK_FREE(agent, kind, now, me, since)                                                  \
	"NOT EXISTS (SELECT 1 FROM work k WHERE k.agent_id = " agent " AND k.kind = '" kind        \
	"' AND k.lease_until > " now " AND k.lease_node IN " KB_NODES_THERE(me, since) ")"
/* Inside a write; *epoch 0: another node has it. */
bool kb_work_take(struct kb_db_conn *conn, const struct kb_work_want *want, int64_t *epoch,
                  struct kb_err *err) KB_MUST_CHECK;

#endif
