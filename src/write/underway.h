/*
 * The answers that this process is writing, as others see them.
 *
 * One thread keeps them: a row of the store for each for which a model is asked (store/answers.h).
 * In steps of half a second or more it puts there what has been said, renews the row's lease, and
 * learns that the row is gone, because the conversation or the agent was deleted by whatever
 * process: then the answer is stopped. It also notices when a reader has heard nothing for
 * KB_UNDERWAY_SILENT_MS, and again every KB_UNDERWAY_AGAIN_MS. The steps grow longer with the
 * number of answers, so that they take no more than a tenth of the time.
 *
 * And it ends the answers of others whose lease has run out: a process that has died leaves nothing
 * that is written for ever.
 *
 * Times are those of the clock it is given. Any thread may call anything; who leaves waits while
 * its row is being written.
 */
#ifndef KB_WRITE_UNDERWAY_H
#define KB_WRITE_UNDERWAY_H

#include "store/answers.h"

enum { KB_UNDERWAY_SILENT_MS = 4000, KB_UNDERWAY_AGAIN_MS = 10000 };

struct kb_underway;

/* NULL: the real clock. All of them outlive it. */
struct kb_underway_config {
	struct kb_store *store;
	const struct kb_clock *clock;
	const struct kb_log *log;
};
struct kb_underway *kb_underway_open(const struct kb_underway_config *config);
/* Every answer has left. NULL is fine. */
void kb_underway_close(struct kb_underway *underway);

/* One answer, in its writer's own struct. The calls come from the keeper's thread or from
 * kb_underway_stop(), never after kb_underway_leave(); none of them may block. */
struct kb_underway_answer {
	/* A copy of what has been said, if it is more than `beyond` bytes. */
	bool (*text)(struct kb_underway_answer *answer, struct kb_arena *arena, size_t beyond,
	             struct kb_sv *out);
	void (*silent)(struct kb_underway_answer *answer);
	/* Nobody wants it any more. */
	void (*stop)(struct kb_underway_answer *answer);
	/* Which conversation it is of. */
	int64_t agent_id;
	struct kb_sv session_id;
	struct kb_message *message; /* of its row; NULL: it has none */

	/* The keeper's own. */
	struct kb_underway_answer *before, *after;
	int64_t silent_us; /* when it is to be told that nothing has come */
	int64_t renewed_us, stored_us;
	size_t stored; /* bytes that the row has */
	bool in_turn;
};
void kb_underway_enter(struct kb_underway *underway, struct kb_underway_answer *answer);
/* Makes its row, durably, before a model is asked. row->message lives until it leaves; it gets an
 * id if it has none, and its writer. Only on a thread that may block, as the next one. */
bool kb_underway_begin(struct kb_underway *underway, struct kb_underway_answer *answer,
                       struct kb_arena *arena, const struct kb_answer_row *row,
                       struct kb_err *err) KB_MUST_CHECK;
void kb_underway_leave(struct kb_underway *underway, struct kb_underway_answer *answer);

/* Those of a conversation, or with session_id.p == NULL of an agent, are not wanted any more. */
void kb_underway_stop(struct kb_underway *underway, int64_t agent_id, struct kb_sv session_id);

/* For tests: the clock has been set. */
void kb_underway_look(struct kb_underway *underway);

#endif
