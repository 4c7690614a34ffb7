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
 * The families have a header each: accounts.h, agents.h, pages.h, labels.h, segments.h,
 * conversations.h, personas.h.
 */
#ifndef KB_STORE_STORE_H
#define KB_STORE_STORE_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"

struct kb_store;

/* dsn: a directory that holds docent.db (SQLite; made if missing), later a postgresql:// address.
 * Brings the schema up to date. A second server on the same directory is refused
 * (KB_E_CONFLICT: "… is in use by process 123") when `exclusive`; tools such as `docent key` open
 * it without and work beside a running server. */
struct kb_store *kb_store_open(const char *dsn, bool exclusive, const struct kb_clock *clock,
                               const struct kb_log *log, struct kb_err *err) KB_MUST_CHECK;
/* Whether that directory holds a database with something in it: an empty file is none. */
bool kb_store_exists(const char *dsn);
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
};
void kb_store_stats(struct kb_store *store, struct kb_store_stats *out);

#endif
