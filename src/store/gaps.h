/*
 * Gaps: questions that were not answered well, in groups of those that ask the same. store.h's
 * rules hold.
 *
 * A message that got no answer, a shaky one or one that was disliked is a row to be looked at, from
 * the transaction on that stored it. Whoever has the agent's lease (KB_WORK_GAPS) puts it into a
 * group (answer/alike.h); what was looked at twice comes to the same. The words of a question are
 * its message's: they go with it, and with the last of its questions a gap goes too.
 */
#ifndef KB_STORE_GAPS_H
#define KB_STORE_GAPS_H

#include "store/store.h"

enum kb_gap_why {
	KB_GAP_UNANSWERED = 1,
	KB_GAP_DISLIKED = 2,
	KB_GAP_SHAKY = 4,
	KB_GAP_REACTED =
	        8, /* of what is to be looked at: what its asker thinks of it has changed */
};

enum kb_gap_state { KB_GAP_OPEN, KB_GAP_ANSWERED, KB_GAP_DISMISSED };
#define KB_SQL_GAP_OPEN     0
#define KB_SQL_GAP_ANSWERED 1

enum {
	KB_GAP_OWNER_CHARS = 100,
	KB_GAP_PEOPLE = 3, /* a group of fewer is not told elsewhere */
};

struct kb_gap {
	int64_t agent_id, id;
	int64_t conversation_id, message_id;
	struct kb_sv question; /* of that message */
	enum kb_gap_state state;
	struct kb_sv owner;
	int64_t answer_id; /* the checked answer that was given; 0: none */
	int64_t asked, people, unanswered, disliked, shaky;
	int64_t first_at, last_at;
	int64_t answers, tried; /* so many of so many are answered now; tried 0: nobody knows */
	int64_t tried_version, tried_at;
	bool by_itself; /* later documents closed it */
	int64_t closed_at, created_at, updated_at;
};

/* ---- grouping ---- */

/* A message to be looked at. */
struct kb_gap_event {
	int64_t message_id, conversation_id;
	int64_t why;           /* as it was noted */
	struct kb_sv question; /* p == NULL: the message has gone */
	struct kb_sv before;   /* what was asked before it; empty: nothing */
	bool is_disliked;      /* now */
	int64_t person, asked_at;
	int64_t gap_id, gap_why;    /* where it is already; 0: nowhere */
	int64_t placed, placed_why; /* for kb_store_gap_place(): why 0 takes it out */
};
struct kb_gap_events {
	struct kb_gap_event *v;
	size_t count;
};
/* The next agent behind that one that has some; 0: none. */
bool kb_store_gap_waiting(struct kb_store *store, int64_t after, int64_t *agent_id,
                          struct kb_err *err) KB_MUST_CHECK;
bool kb_store_gap_events(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                         int64_t limit, struct kb_gap_events *out,
                         struct kb_err *err) KB_MUST_CHECK;
/* Puts each where it is placed; a gap of the message's own id is opened where it is not there. One
 * that was noted anew meanwhile is looked at again. */
bool kb_store_gap_place(struct kb_store *store, int64_t agent_id,
                        const struct kb_gap_events *events, struct kb_err *err) KB_MUST_CHECK;

struct kb_gap_list {
	struct kb_gap *v;
	size_t count;
	int64_t total; /* of all pages, where it has pages */
};
/* Those that were asked last. */
bool kb_store_gap_heads(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                        int64_t limit, struct kb_gap_list *out, struct kb_err *err) KB_MUST_CHECK;

/* ---- asking anew ---- */

/* The next agent behind that one whose gaps were asked of other documents, before that time; 0:
 * none. */
bool kb_store_gap_stale(struct kb_store *store, int64_t after, int64_t before, int64_t *agent_id,
                        struct kb_err *err) KB_MUST_CHECK;
/* Gaps that are open, or were answered by a person since then, and were not asked of the documents
 * of that version; the most asked first. */
struct kb_gap_due {
	int64_t version, since, limit;
};
bool kb_store_gap_due(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                      const struct kb_gap_due *due, struct kb_gap_list *out,
                      struct kb_err *err) KB_MUST_CHECK;

struct kb_gap_question {
	int64_t message_id, conversation_id;
	struct kb_sv question, before, response;
	int64_t why, asked_at;
};
struct kb_gap_questions {
	struct kb_gap_question *v;
	size_t count;
};
/* The last of them. */
bool kb_store_gap_questions(struct kb_store *store, struct kb_arena *arena,
                            const struct kb_gap *gap, int64_t limit, struct kb_gap_questions *out,
                            struct kb_err *err) KB_MUST_CHECK;

struct kb_gap_tried {
	int64_t agent_id, gap_id;
	int64_t answers, tried, version;
	bool closes; /* an open one */
};
bool kb_store_gap_tried(struct kb_store *store, const struct kb_gap_tried *tried,
                        struct kb_err *err) KB_MUST_CHECK;
/* All of them were, of that version. */
bool kb_store_gap_turn(struct kb_store *store, int64_t agent_id, int64_t version,
                       struct kb_err *err) KB_MUST_CHECK;

/* ---- for people ---- */

struct kb_gap_filter {
	struct kb_list list;
	int64_t state;  /* -1: any */
	int64_t people; /* at the least */
};
/* The most asked first, then the newest. */
bool kb_store_gap_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                       const struct kb_gap_filter *filter, struct kb_gap_list *out,
                       struct kb_err *err) KB_MUST_CHECK;
/* How many there are. */
struct kb_gap_counts {
	int64_t open, answered, dismissed;
	int64_t by_itself; /* of those that are answered: documents did it */
	int64_t waiting;   /* questions of open ones */
};
bool kb_store_gap_counts(struct kb_store *store, int64_t agent_id, struct kb_gap_counts *out,
                         struct kb_err *err) KB_MUST_CHECK;
/* KB_E_NOT_FOUND, here and below. */
bool kb_store_gap_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id, int64_t id,
                      struct kb_gap *out, struct kb_err *err) KB_MUST_CHECK;
/* What a person says of it: its state, owner and answer_id. */
bool kb_store_gap_set(struct kb_store *store, const struct kb_gap *gap,
                      struct kb_err *err) KB_MUST_CHECK;

#endif
