/*
 * Answers that are being written: a row each, so that any process can show, continue and end them.
 * The rules of store.h hold.
 *
 *   kb_store_answer_begin()    before a model is asked; makes the conversation of a first question
 *   kb_store_answers_renew()   the writer's turn: what has been said by now, and its lease
 *   kb_store_message_add()     the end: the message takes the row's place, in one transaction
 *   kb_store_answer_drop()     the end without a message
 *
 * An owner is one life of one process. A row whose lease has run out belongs to anybody: its answer
 * ends with what the row has (kb_store_answers_end_lost()), and whoever wrote it learns at its next
 * turn that it is lost. So it does when the conversation or the agent is deleted.
 */
#ifndef KB_STORE_ANSWERS_H
#define KB_STORE_ANSWERS_H

#include "store/conversations.h"

struct kb_answer_row {
	struct kb_session session;
	/* As it will be stored, but for what the answer tells. On the way in its id is a reserved
	 * one, and `writer` the owner; kb_store_answer_begin() fills conversation_id and the times.
	 */
	struct kb_message *message;
	struct kb_sv ending; /* the message's text if its writer is lost before the first word */
};
/* KB_E_NOT_FOUND where the agent is gone. */
bool kb_store_answer_begin(struct kb_store *store, struct kb_arena *arena,
                           const struct kb_answer_row *row, int64_t lease_us,
                           struct kb_err *err) KB_MUST_CHECK;

struct kb_answer_turn {
	int64_t agent_id, conversation_id, id;
	struct kb_sv text; /* whole, as far as it goes; p == NULL: as it was */
	bool lost; /* on the way out: the row is not there any more, or no longer the owner's */
};
/* One transaction for all of them. */
bool kb_store_answers_renew(struct kb_store *store, struct kb_sv owner, int64_t lease_us,
                            struct kb_answer_turn *turns, size_t count,
                            struct kb_err *err) KB_MUST_CHECK;
bool kb_store_answer_drop(struct kb_store *store, const struct kb_message *message,
                          struct kb_err *err) KB_MUST_CHECK;

/* Ends up to some whose lease has run out; *ended: how many. */
bool kb_store_answers_end_lost(struct kb_store *store, int64_t *ended,
                               struct kb_err *err) KB_MUST_CHECK;

/* What its readers follow. */
struct kb_answer_progress {
	bool running;
	int64_t bytes;     /* of its text */
	struct kb_sv text; /* whole, if it has more than was asked for; else p == NULL */
};
/* Not running: its message is stored, or it was deleted. */
bool kb_store_answer_look(struct kb_store *store, struct kb_arena *arena,
                          const struct kb_message *message, int64_t beyond,
                          struct kb_answer_progress *out, struct kb_err *err) KB_MUST_CHECK;

#endif
