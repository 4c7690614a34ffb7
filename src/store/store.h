/*
 * Durable state: the only truth about accounts, agents, documents, segments and conversations.
 *
 * main() opens one store and passes it down. Every call may block on disk or on a database server,
 * so it belongs on a worker, never on a loop thread (kb_store_peek_* are the exceptions: they
 * answer from memory or not at all). Any thread may call at any time.
 *
 * What a call returns lives in the caller's arena. A call that returns false has set *err and
 * changed nothing; only KB_E_UNCERTAIN says that the server went away during the commit. A write
 * that returns true is durable: it survives power loss.
 *
 * Every record of an agent is found through its agent, every agent through its account: a call that
 * names an agent trusts that kb_store_agent_get() gave it for the caller's account. Foreign and
 * missing are the same KB_E_NOT_FOUND.
 *
 * What a call needs besides the store and the arena comes as a struct with a name where it is more
 * than two or three values: which record, or how it is edited. A list that is asked for page by
 * page comes as its rows, their count, and the total of all pages.
 *
 * Each family of tables has a header of its own, and X_own.h is what others of the store's files
 * see of family X inside a write.
 */
#ifndef KB_STORE_STORE_H
#define KB_STORE_STORE_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/histogram.h"
#include "base/log.h"

struct kb_store;
struct kb_secret_keys;

/*
 * at: a directory that holds docent.db (SQLite; made if missing), or a postgresql:// address of
 * libpq's form, with statements=unnamed in it where a pooler stands in between. Brings the schema
 * up to date.
 *
 * KB_STORE_NODE   serves. A second server on the same directory is refused (KB_E_CONFLICT: "... is
 *                 in use by process 123"); on PostgreSQL it is one of several, each under a name.
 * KB_STORE_ALONE  refused as well while anybody serves.
 * KB_STORE_TOOL   works beside servers, such as `docent key`.
 * KB_STORE_MOVE   as ALONE, for one of the two stores of a move (move.h).
 *
 * KB_E_CONFLICT as well where the store is half of a move.
 */
enum kb_store_use { KB_STORE_TOOL, KB_STORE_ALONE, KB_STORE_NODE, KB_STORE_MOVE };
struct kb_store_config {
	const char *at;
	enum kb_store_use use;
	/* Of a node on a server: its name, and its own directory, which no second process may
	 * have. Without a name it is one that is kept there, without either "one". */
	const char *node, *home;
	/* Another process serves under that name: this one has to end. Once, from a thread of the
	 * store's. May be NULL. */
	void (*replaced)(void *arg);
	void *replaced_arg;
	/* The name that the node has, before any thread of the store says something. May be NULL.
	 */
	void (*joined)(void *arg, const char *name);
	void *joined_arg;
	/* May be NULL. On a server the store keeps it by the server's time, by which leases end:
	 * for all parts of the process that are given it. */
	struct kb_clock *clock;
	const struct kb_log *log;
	/* So long agents and documents that are deleted can be taken back; 0: not at all. */
	int64_t keep_deleted_us;
	/* What secrets are sealed with (secret_keys.h), as long as the store is open; NULL: they
	 * stand there as they are. */
	const struct kb_secret_keys *secret_keys;
};
struct kb_store *kb_store_open_as(const struct kb_store_config *config,
                                  struct kb_err *err) KB_MUST_CHECK;
/* The same as the one node that there is (`exclusive`), or as a tool. */
struct kb_store *kb_store_open(const char *at, bool exclusive, struct kb_clock *clock,
                               const struct kb_log *log, struct kb_err *err) KB_MUST_CHECK;
bool kb_store_is_address(const char *at);
/* The address without its password and options, for what people read. */
struct kb_sv kb_store_place(struct kb_arena *arena, const char *at);
/* Whether there is a database with something in it: an empty file is none. A server that cannot be
 * asked may have one. */
bool kb_store_exists(const char *at);
/* What there is, without changing it: a look before a start. */
struct kb_store_look {
	bool exists;
	int64_t schema, newest; /* of the database, and what this program knows */
	bool is_whole;          /* an open will migrate nothing */
	int64_t holder;         /* the process that serves a directory; 0: none, or a server's */
};
bool kb_store_look(const char *at, struct kb_store_look *out, struct kb_err *err) KB_MUST_CHECK;
/* Waits for calls in progress. NULL is fine. */
void kb_store_close(struct kb_store *store);

/* One page of a list: `page` from 1, `limit` rows, newest first unless `ascending`. */
struct kb_list {
	int64_t page, limit;
	bool ascending;
};

/* True when the store answers a trivial read and a trivial write right now (for /readyz). */
bool kb_store_ready(struct kb_store *store, struct kb_err *err) KB_MUST_CHECK;

/* Commits, batches and waiting writers, for /metrics. */
struct kb_store_stats {
	int64_t commits, writes, reads, write_wait_us;
	struct kb_histogram *transactions; /* those that were committed; the store's */
};
void kb_store_stats(struct kb_store *store, struct kb_store_stats *out);

/* Grows with each commit of this process that changes an agent, its documents or its tests. Who has
 * seen all and finds it the same has nothing to look for, but for what other nodes have left. */
int64_t kb_store_changes(struct kb_store *store);

#endif
