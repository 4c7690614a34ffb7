/*
 * The catalog: every agent's searchable state, open and current.
 *
 * It turns rows of the store (segments, dead pages, labels) and blobs into index snapshots with
 * their access tables and keeps the ones in use open. What kb_catalog_get() gives is the agent's
 * present index version: what this process committed before the call is in it. A segment that is
 * damaged or gone is reported for repair (repair.h), and what is live is without it. Agents are
 * opened at their first question and closed by least use. Any worker may call; a call may block.
 */
#ifndef KB_LIVE_CATALOG_H
#define KB_LIVE_CATALOG_H

#include "blob/blob.h"
#include "index/index.h"
#include "live/access.h"

struct kb_catalog;

/* What stays open between questions: so many agents, and so much of our own memory for them (their
 * files are the page cache's). Fewer do where they have more files than a process may map; the
 * agent asked last stays open whatever it takes. */
struct kb_catalog_limits {
	size_t agents;
	int64_t heap_bytes;
};

struct kb_catalog *kb_catalog_open(struct kb_store *store, struct kb_blobs *blobs,
                                   const struct kb_catalog_limits *limits,
                                   const struct kb_log *log);
void kb_catalog_close(struct kb_catalog *catalog);

/* What can be found and who may find it, both of one index version. A request searches what
 * kb_live_opened() gives, never the snapshot itself. */
struct kb_live {
	struct kb_snapshot *snapshot; /* an agent without segments has an empty one */
	struct kb_access *access;
	int64_t version;
};
/* An agent's index version that was read a moment ago, for the same request. */
struct kb_known_version {
	int64_t agent_id, version;
	int64_t read_at; /* kb_clock_mono_us(), before it was read */
};
/* Spares the look at the version where `known` is of this agent and not older than a tenth of a
 * second: what is given is that version, or a newer one. May be NULL. */
bool kb_catalog_get_known(struct kb_catalog *catalog, int64_t agent_id,
                          const struct kb_known_version *known, struct kb_live *out,
                          struct kb_err *err) KB_MUST_CHECK;
/* The caller releases it. */
bool kb_catalog_get(struct kb_catalog *catalog, int64_t agent_id, struct kb_live *out,
                    struct kb_err *err) KB_MUST_CHECK;
/* Its snapshot without what the filter closes; the caller releases it. */
struct kb_snapshot *kb_live_opened(const struct kb_live *live, struct kb_arena *arena,
                                   const struct kb_label_filter *filter);
/* Reading it failed, and err says that it is damaged (KB_E_CORRUPT): checks every file of the
 * agent anew and gives those that are whole. True: worth another try. */
bool kb_catalog_reopen(struct kb_catalog *catalog, int64_t agent_id, struct kb_live *live,
                       struct kb_err *err) KB_MUST_CHECK;
/* A zeroed one is fine. */
void kb_live_release(struct kb_live *live);

/*
 * A new version without a wait for those who ask. Before the commit that names it, prepare opens
 * and checks the new segment, if the agent is open; after it, successful or not, refresh puts the
 * new version in the place of the old one. Between the two a question that comes makes the new
 * version for itself, of the prepared segment. Neither can fail: what they miss is done at the next
 * question.
 */
void kb_catalog_prepare(struct kb_catalog *catalog, int64_t agent_id, struct kb_sv blob);
void kb_catalog_refresh(struct kb_catalog *catalog, int64_t agent_id, struct kb_sv blob);

/* Forgets the agent (it was deleted, or its memory is wanted). */
void kb_catalog_forget(struct kb_catalog *catalog, int64_t agent_id);

/* What is open now. Mapped bytes are the page cache's: the kernel keeps what is used and takes back
 * the rest; heap bytes are ours until the agent is closed. */
struct kb_catalog_stats {
	int64_t agents, files, mapped_bytes, heap_bytes;
	int64_t loads; /* index versions opened since the start; of one agent: 0 */
};
void kb_catalog_stats(struct kb_catalog *catalog, struct kb_catalog_stats *out);
/* For tests: of one agent; false: it is not open. */
bool kb_catalog_agent_stats(struct kb_catalog *catalog, int64_t agent_id,
                            struct kb_catalog_stats *out);

/* Opens the segment in that blob, mapped; the first time with all its checksums. */
struct kb_segment *kb_catalog_segment(struct kb_catalog *catalog, struct kb_sv blob,
                                      struct kb_err *err) KB_MUST_CHECK;
/* The same of a vector column and of a model of factors. */
struct kb_vectors *kb_catalog_vectors(struct kb_catalog *catalog, struct kb_sv blob,
                                      struct kb_err *err) KB_MUST_CHECK;
struct kb_factors *kb_catalog_factors(struct kb_catalog *catalog, struct kb_sv blob,
                                      struct kb_err *err) KB_MUST_CHECK;

#endif
