/* Agents (path name: projects). The rules of store.h hold. */
#ifndef KB_STORE_AGENTS_H
#define KB_STORE_AGENTS_H

#include "store/store.h"

struct kb_agent {
	int64_t id, account_id;
	struct kb_sv name;
	struct kb_sv sitemap_path;   /* p == NULL: none */
	struct kb_sv type;           /* "SITEMAP" or "URL" */
	struct kb_sv shareable_slug; /* p == NULL: never shared */
	bool is_master, is_shared, is_active, are_licenses_allowed;
	struct kb_sv options;  /* JSON object: the ingestion flags of the specification's 2.1 */
	struct kb_sv settings; /* JSON object: the fields that differ from their default */
	struct kb_sv children; /* of a master: kb_agent_children() */
	bool is_repairing; /* it is without some of its segments, which are made anew (repairs.h) */
	int64_t index_version; /* of the last committed change to what can be found */
	int64_t created_at, updated_at;
};

struct kb_agent_filter {
	struct kb_list list;
	struct kb_sv name;     /* substring without case; empty: all */
	int64_t created_after; /* 0: all */
	bool by_created_at;    /* order by it instead of the id */
	const int64_t *only;   /* a limited key's agents; count 0: all */
	size_t only_count;
};

/* KB_E_NOT_FOUND where the account has no such agent. */
bool kb_store_agent_get(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                        int64_t id, struct kb_agent *out, struct kb_err *err) KB_MUST_CHECK;
/* From memory, without blocking: false when the cache does not know. */
bool kb_store_peek_agent(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                         int64_t id, struct kb_agent *out) KB_MUST_CHECK;
/* Whatever its account: for ingestion, and to tell 403 from 404 where the contract wants it. */
bool kb_store_agent_find(struct kb_store *store, struct kb_arena *arena, int64_t id,
                         struct kb_agent *out, struct kb_err *err) KB_MUST_CHECK;
struct kb_agent_list {
	struct kb_agent *v;
	size_t count;
	int64_t total; /* of all pages of the list */
};
bool kb_store_agent_list(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                         const struct kb_agent_filter *filter, struct kb_agent_list *out,
                         struct kb_err *err) KB_MUST_CHECK;

/* Which agent is edited, and how. `change` returns false with *err set to give up; it runs on the
 * writer's thread, so it must be quick and not call the store; and perhaps several times, each time
 * from the agent as it is then (kb_db_write()). Ids, created_at, is_active and index_version are
 * not its to change. */
struct kb_agent_edit {
	int64_t account_id, id;
	bool (*change)(void *arg, struct kb_arena *arena, struct kb_agent *agent,
	               struct kb_err *err);
	void *arg;
};
/* Reads the agent inside the write transaction, edits it, stores it: concurrent updates lose
 * nothing. */
bool kb_store_agent_update(struct kb_store *store, struct kb_arena *arena,
                           const struct kb_agent_edit *edit, struct kb_agent *out,
                           struct kb_err *err) KB_MUST_CHECK;
/* Which agent is copied, and what the copy is called. */
struct kb_agent_copy {
	int64_t account_id, id;
	struct kb_sv name;
};
/* A full copy with ids of its own, not shared; conversations and licenses are not copied. Nobody
 * sees it until it is whole; other writes do not wait meanwhile (replicate.c). */
bool kb_store_agent_replicate(struct kb_store *store, struct kb_arena *arena,
                              const struct kb_agent_copy *copy, struct kb_agent *out,
                              struct kb_err *err) KB_MUST_CHECK;

/* The agents a master may let answer, in their order, and the text that `children` holds of them.
 * kb_store_agent_update() refuses (KB_E_INVALID) children of other accounts, masters among them and
 * children of an agent that is no master; an agent that is deleted leaves its masters. */
enum { KB_CHILDREN_MAX = 100 };
const int64_t *kb_agent_children(struct kb_arena *arena, const struct kb_agent *agent,
                                 size_t *count);
struct kb_sv kb_agent_children_text(struct kb_arena *arena, const int64_t *ids, size_t count);

/* No call knows the agent or anything of it from now on, but those below. Its rows go in slices
 * (remove.h) once the store's time for it has passed, its blobs with the sweep after them. */
bool kb_store_agent_delete(struct kb_store *store, int64_t account_id, int64_t id,
                           struct kb_err *err) KB_MUST_CHECK;
/* Those of the account that can be taken back, what was deleted last first. */
struct kb_deleted_agent {
	int64_t id, deleted_at, gone_at;
	struct kb_sv name;
};
struct kb_deleted_agents {
	struct kb_deleted_agent *v;
	size_t count;
};
bool kb_store_agents_deleted(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                             struct kb_deleted_agents *out, struct kb_err *err) KB_MUST_CHECK;
/* All of it is there again, as it was but for the masters that it has left. KB_E_NOT_FOUND: it is
 * not kept. */
bool kb_store_agent_take_back(struct kb_store *store, int64_t account_id, int64_t id,
                              struct kb_err *err) KB_MUST_CHECK;
/* Ids above `after` in their order, of all accounts: for housekeeping. */
struct kb_agent_ids {
	int64_t *v;
	size_t count;
};
bool kb_store_agent_ids(struct kb_store *store, struct kb_arena *arena, int64_t after,
                        int64_t limit, struct kb_agent_ids *out, struct kb_err *err) KB_MUST_CHECK;
/* The agents of the account, copies in the making too: for the limit. */
bool kb_store_agent_count(struct kb_store *store, int64_t account_id, int64_t *count,
                          struct kb_err *err) KB_MUST_CHECK;

/* Words that can be found, in all agents of the account. */
bool kb_store_account_words(struct kb_store *store, int64_t account_id, int64_t *words,
                            struct kb_err *err) KB_MUST_CHECK;

struct kb_agent_stats {
	int64_t pages_found, pages_crawled, pages_indexed, crawl_credits, query_credits, queries;
	int64_t words_indexed, storage_bytes;
};
bool kb_store_agent_stats(struct kb_store *store, int64_t agent_id, struct kb_agent_stats *out,
                          struct kb_err *err) KB_MUST_CHECK;

#endif
