/*
 * Who did what: a row for each change, in the transaction of the change. The rules of store.h hold.
 *
 *	kb_audit_begin(&audit, store, &entry);
 *	... kb_store_person_put(store, ...) ...
 *	kb_audit_end(&audit, KB_AUDIT_DONE, err);
 *
 * From begin to end the calling thread's next write that succeeds carries the row: both are
 * committed or neither is. Where nothing was written the end writes it alone; where a later write
 * of the same call failed, a second row says so.
 *
 * Rows are added, and go by age alone (kb_store_audit_purge()). The rows of a node are a chain:
 *each has the hash of the one before it in its own, so that what is changed or taken out anywhere
 *shows (docent audit verify); the last hash of each chain stands apart.
 */
#ifndef KB_STORE_AUDIT_H
#define KB_STORE_AUDIT_H

#include "db/beside.h"
#include "store/audit_actions.h"
#include "store/store.h"

enum kb_audit_outcome { KB_AUDIT_DONE, KB_AUDIT_REFUSED, KB_AUDIT_FAILED, KB_AUDIT_OUTCOME_COUNT };
extern const char *const kb_audit_outcomes[KB_AUDIT_OUTCOME_COUNT];

/* Which reads leave rows: those of a level and of all before it. */
enum kb_audit_reads {
	KB_AUDIT_READS_NONE,
	KB_AUDIT_READS_EXPORTS,
	KB_AUDIT_READS_CONVERSATIONS,
	KB_AUDIT_READS_ALL,
	KB_AUDIT_READS_COUNT
};
bool kb_audit_reads_parse(struct kb_sv text, enum kb_audit_reads *out) KB_MUST_CHECK;
/* The level from which on an action is kept; NONE: always, since it changes something. */
enum kb_audit_reads kb_audit_reads_of(enum kb_audit_action action);

struct kb_audit_entry {
	int64_t account_id;
	int64_t person_id, key_id; /* who it was; 0: not so */
	struct kb_sv command;      /* of the operator's machine; empty: not so */
	enum kb_audit_action action;
	int64_t agent_id; /* 0: of none */
	struct kb_sv
	        object; /* "document 12"; what is made takes its place (agent.create: "agent 7") */
	struct kb_sv address, request; /* from where; which request, as the log has it */
	struct kb_sv changes;          /* JSON; empty: none */
};

struct kb_audit {
	struct kb_db_beside beside; /* what the next write carries */
	struct kb_store *store;
	struct kb_audit_entry entry;
	int64_t now;
};

/* The audit and what the entry points at live until the end. */
void kb_audit_begin(struct kb_audit *audit, struct kb_store *store,
                    const struct kb_audit_entry *entry);
/* On the thread that began it. A row that cannot be written then is an error, of which the change
 * itself knows nothing. */
bool kb_audit_end(struct kb_audit *audit, enum kb_audit_outcome outcome,
                  struct kb_err *err) KB_MUST_CHECK;
/* The calling thread's writes carry nothing any more, whatever was begun. */
void kb_audit_drop(void);

/* ---- reading ---- */

struct kb_audit_row {
	struct kb_audit_entry entry; /* its action is in `action` */
	struct kb_sv action;
	int64_t node, seq, at;
	enum kb_audit_outcome outcome;
};
struct kb_audit_filter {
	struct kb_list list;
	int64_t account_id;
	struct kb_sv action;                 /* or its beginning, as "agent."; empty: all */
	int64_t person_id, key_id, agent_id; /* 0: all */
	int64_t from, until;                 /* microseconds */
};
struct kb_audit_list {
	struct kb_audit_row *v;
	size_t count;
	int64_t total;
};
/* Newest first. */
bool kb_store_audit_list(struct kb_store *store, struct kb_arena *arena,
                         const struct kb_audit_filter *filter, struct kb_audit_list *out,
                         struct kb_err *err) KB_MUST_CHECK;

/* A chain, and how far it was told elsewhere (audit_told.h). */
struct kb_audit_chain {
	int64_t node;
	int64_t seq, told; /* the last row, and the last that was told */
};
/* Rows of a chain behind those that were told, oldest first, as many as `limit`. */
bool kb_store_audit_after(struct kb_store *store, struct kb_arena *arena,
                          const struct kb_audit_chain *chain, int64_t limit,
                          struct kb_audit_list *out, struct kb_err *err) KB_MUST_CHECK;

/* Takes away what is older than that from the beginning of each chain, some thousand rows at a
 * time, and notes what each begins behind then; its last row stays. A row of the first account says
 * how many went, in the same transaction. *removed: how many; 0: there are no more. */
bool kb_store_audit_purge(struct kb_store *store, int64_t before, int64_t *removed,
                          struct kb_err *err) KB_MUST_CHECK;

/* Walks all chains; says a sentence for each place that does not fit. */
struct kb_audit_found {
	int64_t rows, chains, findings;
	int64_t gone; /* that went by age */
};
bool kb_store_audit_verify(struct kb_store *store, void (*say)(void *arg, const char *finding),
                           void *arg, struct kb_audit_found *out, struct kb_err *err) KB_MUST_CHECK;

#endif
