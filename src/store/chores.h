/*
 * Chores: what a model does beside the answers, as leased work. store.h's rules hold.
 *
 *   kb_store_chores_wanted   this service has a model for them: what is stored from now on brings
 *                            its chores along, in the same transaction
 *   kb_store_chore_lease     one worker takes the next that is due, with an epoch and for a time
 *   kb_store_chore_end       in one transaction, the lease is checked, what was asked for is
 *                            counted, the text takes the place of what the rule made, and the row
 *                            goes or waits for another try
 *
 * What the rule makes is stored first and stays wherever a chore is not done. A worker that dies
 * loses its lease, and its late result is refused. What a chore is about may be gone or changed
 * meanwhile: then its text is dropped.
 */
#ifndef KB_STORE_CHORES_H
#define KB_STORE_CHORES_H

#include "store/conversations.h"

enum kb_chore_kind {
	KB_CHORE_NAME,        /* of a conversation, unless a person has named it */
	KB_CHORE_INSIGHT,     /* into a message: intent, emotion, content source */
	KB_CHORE_DESCRIPTION, /* of a page that brings none of its own */
	KB_CHORE_SUMMARY,     /* persona-summary of a persona's version */
	KB_CHORE_PLANNER,     /* task-planner of a persona's version */
	KB_CHORE_STARTERS,    /* questions to begin with, of a page around (starters.h) */
	KB_CHORE_KINDS
};

struct kb_chore {
	int64_t agent_id;
	enum kb_chore_kind kind;
	int64_t subject, within;
	int64_t epoch, attempts; /* attempts: this one included */
};

/* Before anything is stored. */
void kb_store_chores_wanted(struct kb_store *store);

/* The next one that is due; agent_id 0: none. */
bool kb_store_chore_lease(struct kb_store *store, int64_t lease_us, struct kb_chore *out,
                          struct kb_err *err) KB_MUST_CHECK;

/* The conversation's first messages, or the message; none: it is gone. */
bool kb_store_chore_messages(struct kb_store *store, struct kb_arena *arena,
                             const struct kb_chore *chore, struct kb_message_list *out,
                             struct kb_err *err) KB_MUST_CHECK;
enum { KB_CHORE_MESSAGES = 3 };

struct kb_chore_end {
	struct kb_sv text;           /* p == NULL: there is none */
	struct kb_sv of;             /* of a page: the text_blob that was read */
	struct kb_sv slug;           /* of a persona's version: the text's */
	int64_t again_us;            /* the row waits so long for another try; 0: it goes */
	struct kb_model_spent spent; /* counted for the agent and its account */
};
/* KB_E_CONFLICT where the lease has passed: nothing is changed. */
bool kb_store_chore_end(struct kb_store *store, struct kb_arena *arena,
                        const struct kb_chore *chore, const struct kb_chore_end *end,
                        struct kb_err *err) KB_MUST_CHECK;

/* Chores that wait or are leased. */
bool kb_store_chore_count(struct kb_store *store, int64_t *count, struct kb_err *err) KB_MUST_CHECK;

#endif
