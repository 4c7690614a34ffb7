/* The store itself, and what every statement of every family has to leave out. The store's own. */
#ifndef KB_STORE_STORE_OWN_H
#define KB_STORE_STORE_OWN_H

#include <pthread.h>

#include "store/statements.h"
#include "store/store.h"

struct kb_cache;
struct kb_secret_keys;

struct kb_store {
	struct kb_db *db;
	struct kb_clock *clock, own_clock; /* the process's; the store's where it has none */
	const struct kb_log *log;
	struct kb_cache *keys, *agents;
	pthread_mutex_t copy_lock; /* one copy at a time, each at full speed */
	/* Whose leases are this process's: 1 where the database is its own, 0 for a tool. */
	int64_t node, life;
	bool is_shared; /* others change it as well: what is known of it is asked for again */
	struct kb_nodes *nodes;     /* where others serve the same database; else NULL */
	_Atomic bool lease_unheard; /* of what this process holds: work.h */
	int64_t keep_deleted_us;    /* kb_store_config's */
	const struct kb_secret_keys *secret_keys; /* the same */
	/* The process's own: of SQLite's database, or a node's home, or NULL. */
	char *directory;
	int lock_fd;              /* of docent.lock; -1: not exclusive */
	_Atomic int64_t ready_at; /* when the last probe succeeded (mono) */
	/* Message ids taken ahead of their messages: [message_id, message_id_end). */
	pthread_mutex_t ids_lock;
	int64_t message_id, message_id_end;
	_Atomic bool chores_wanted;
	_Atomic int64_t changes;         /* kb_store_changes() */
	struct kb_arena move_statements; /* of a move, until the connections are closed */
};

static inline int64_t kb_store_now(const struct kb_store *store)
{
	return kb_clock_now_us(store->clock);
}

/*
 * What is hidden (migrations/0007): an agent that is deleted or not whole yet, a source that is
 * deleted. Whoever names an agent or a page by its id alone, or goes through those of all, leaves
 * them out with these; kb_agent_load() and kb_agent_lock() know none of them.
 */
#define KB_AGENT_SHOWN(id) id " NOT IN (SELECT hidden.id FROM agents hidden WHERE hidden.state > 0)"
/* agent: the SQL of its id. */
#define KB_PAGE_SHOWN(agent)                                                                       \
	"source_id NOT IN (SELECT dead.id FROM sources dead WHERE dead.agent_id = " agent          \
	" AND dead.dead_version > 0)"
/* When a page may be leased that waits in a copy in the making. */
#define KB_DUE_NEVER (INT64_C(1) << 62)

#endif
