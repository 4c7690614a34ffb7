/*
 * An agent on its way from one installation to another, whatever their databases: its rows as they
 * leave one store, and how they come into another. store.h's rules hold.
 *
 * Rows are read from one state of the store, by move_tables.h. Left where they are: licenses and
 * the secret that signs visitors, visitors, links to conversations, what is under way or was
 * deleted, what the account was charged for; of a master, which agents it has. Without
 * conversations (`talks`) what people asked stays, too.
 *
 * What arrives is foreign. Each row is looked at first (kb_arrival_look), before anything is
 * written: it is of the one agent, of a table and of columns that are known, and its numbers and
 * words are such as the store writes. Then:
 *
 *   begin   an agent that nobody sees (KB_AGENT_ARRIVING), and room for its ids: those that it had
 *           where the store has not come to them yet, others where it has. No blob is swept.
 *   put     its rows, in slices of some milliseconds, so that no other write waits long
 *   end     the agent is there, all at once
 *
 * One that was ended before that is removed by whoever serves the store, once nobody holds on to it
 * any more (KB_ARRIVAL_US); kb_arrival_drop() says so at once.
 */
#ifndef KB_STORE_PARCEL_H
#define KB_STORE_PARCEL_H

#include "db/db.h"
#include "store/agents.h"

/* ---- leaving ---- */

struct kb_parcel_table {
	struct kb_sv name;
	const struct kb_sv *columns;
	const char *letters; /* 'i': a number; 'n': a text or nothing */
	size_t count;
};
struct kb_parcel_rows {
	const struct kb_db_value *values; /* a row after another */
	size_t count;
};
struct kb_parcel_sink {
	/* Each table that has rows, then its rows. */
	bool (*table)(void *arg, const struct kb_parcel_table *table, struct kb_err *err);
	bool (*rows)(void *arg, const struct kb_parcel_table *table,
	             const struct kb_parcel_rows *rows, struct kb_err *err);
	/* A blob that a row names; the same one may come again. */
	bool (*blob)(void *arg, struct kb_sv name, struct kb_err *err);
	void *arg;
};
struct kb_parcel {
	int64_t agent_id;
	bool talks;
	const struct kb_cancel *cancel; /* may be NULL */
};
/* KB_E_NOT_FOUND where there is no such agent. On one store it is read once at a time. */
bool kb_store_parcel_read(struct kb_store *store, const struct kb_parcel *parcel,
                          const struct kb_parcel_sink *sink, struct kb_err *err) KB_MUST_CHECK;

/* ---- arriving ---- */

#define KB_ARRIVAL_US (600 * KB_SECOND_US)

struct kb_arrival;
struct kb_arrival_config {
	struct kb_store *store; /* closed behind it: it keeps the statements */
	/* Whether the bytes of that name come along. */
	bool (*has_blob)(void *arg, struct kb_sv name);
	void *arg;
};
struct kb_arrival *kb_arrival_new(const struct kb_arrival_config *config,
                                  struct kb_err *err) KB_MUST_CHECK;
void kb_arrival_free(struct kb_arrival *arrival); /* NULL is fine */

/* The next rows are of this table. KB_E_UNSUPPORTED: it is not known, or one of its columns. */
bool kb_arrival_table(struct kb_arrival *arrival, const struct kb_parcel_table *table,
                      struct kb_err *err) KB_MUST_CHECK;
/* KB_E_CORRUPT says what is wrong. */
bool kb_arrival_look(struct kb_arrival *arrival, const struct kb_parcel_rows *rows,
                     struct kb_err *err) KB_MUST_CHECK;

/* Once all have been looked at: it will be that account's. From here on they come again, the same.
 */
bool kb_arrival_begin(struct kb_arrival *arrival, int64_t account_id,
                      struct kb_err *err) KB_MUST_CHECK;
/* KB_E_CONFLICT: nobody held on to it for too long, and it is being removed. */
bool kb_arrival_hold(struct kb_arrival *arrival, struct kb_err *err) KB_MUST_CHECK;
bool kb_arrival_put(struct kb_arrival *arrival, const struct kb_parcel_rows *rows,
                    struct kb_err *err) KB_MUST_CHECK;

struct kb_arrived {
	int64_t agent_id, was; /* its id here and there */
	struct kb_sv name;     /* the arrival's */
	int64_t pages, answers, talks, labels, sources;
	bool lost_address;  /* it was open to the public, and its address is another agent's here */
	bool lost_children; /* it is a master: which agents it has must be said anew */
};
bool kb_arrival_end(struct kb_arrival *arrival, struct kb_arrived *out,
                    struct kb_err *err) KB_MUST_CHECK;
int64_t kb_arrival_agent(const struct kb_arrival *arrival); /* its id here, once it has begun */
void kb_arrival_drop(struct kb_arrival *arrival);

#endif
