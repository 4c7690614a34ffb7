#include "write/live.h"

#include <stdlib.h>

#include "base/bell.h"
#include "base/hash.h"
#include "base/pool.h"

enum {
	AT_ONCE = 64, /* rows a transaction */
	SHARE = 10,   /* of the time, one part of so many at most */
};
#define LOOK_US  (250 * INT64_C(1000)) /* while there are answers */
#define STEP_US  (500 * INT64_C(1000))
#define LEASE_US (20 * KB_SECOND_US)
#define RENEW_US (5 * KB_SECOND_US) /* where nothing is said */
#define LOST_US  (5 * KB_SECOND_US) /* between two looks for what others have left */

struct kb_live {
	struct kb_live_config config;
	char owner[37];
	struct kb_bell bell;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t turned; /* some are in_turn no longer */
	struct kb_live_answer *first;
	struct kb_live_answer *next; /* of the turn */
	bool rests;                  /* there is nothing to keep */
	int64_t step_us;
};

static int64_t now_us(const struct kb_live *live)
{
	return kb_clock_steady_us(live->config.clock);
}

/* ---- a turn: all answers, some at a time ---- */

struct batch {
	struct kb_arena arena;
	struct kb_live_answer *answers[AT_ONCE];
	struct kb_answer_turn turns[AT_ONCE];
	size_t count;
	int64_t now;
};

static void pick(struct kb_live *live, struct batch *batch, struct kb_live_answer *answer)
{
	struct kb_answer_turn *turn = &batch->turns[batch->count];
	struct kb_sv text = { 0 };

	if (batch->now >= answer->silent_us) {
		answer->silent_us = batch->now + KB_LIVE_AGAIN_MS * INT64_C(1000);
		answer->silent(answer);
	}
	if (!answer->message)
		return;
	if (batch->now - answer->stored_us >= live->step_us
	    && answer->text(answer, &batch->arena, answer->stored, &text))
		answer->stored_us = batch->now;
	else if (batch->now - answer->renewed_us < RENEW_US)
		return;
	*turn = (struct kb_answer_turn){ .agent_id = answer->message->agent_id,
		                         .conversation_id = answer->message->conversation_id,
		                         .id = answer->message->id,
		                         .text = text };
	answer->in_turn = true;
	batch->answers[batch->count++] = answer;
}

/* False when all have had their turn. */
static bool pick_some(struct kb_live *live, struct batch *batch)
{
	pthread_mutex_lock(&live->lock);
	while (live->next && batch->count < AT_ONCE) {
		struct kb_live_answer *answer = live->next;

		live->next = answer->after;
		pick(live, batch, answer);
	}
	pthread_mutex_unlock(&live->lock);
	return batch->count > 0;
}

static void settle(struct kb_live *live, struct batch *batch, bool ok)
{
	pthread_mutex_lock(&live->lock);
	for (size_t i = 0; i < batch->count; i++) {
		struct kb_live_answer *answer = batch->answers[i];

		answer->in_turn = false;
		if (!ok)
			continue;
		answer->renewed_us = batch->now;
		answer->stored = KB_MAX(answer->stored, batch->turns[i].text.n);
		if (batch->turns[i].lost)
			answer->stop(answer);
	}
	pthread_cond_broadcast(&live->turned);
	pthread_mutex_unlock(&live->lock);
}

/* Gives whether there is anything to look at again soon. */
static bool turn(struct kb_live *live)
{
	int64_t began = kb_clock_mono_us();
	bool some;

	pthread_mutex_lock(&live->lock);
	live->next = live->first;
	some = live->first != NULL;
	live->rests = !some;
	pthread_mutex_unlock(&live->lock);
	for (;;) {
		struct batch batch = { .now = now_us(live) };
		struct kb_err err = { 0 };
		bool ok;

		if (!pick_some(live, &batch))
			break;
		ok = kb_store_answers_renew(live->config.store, kb_sv_str(live->owner), LEASE_US,
		                            batch.turns, batch.count, &err);
		if (!ok)
			kb_warn(live->config.log, "running answers not kept count=%zu error=%s",
			        batch.count, err.msg);
		settle(live, &batch, ok);
		kb_arena_fini(&batch.arena);
	}
	live->step_us = KB_MAX(STEP_US, SHARE * (kb_clock_mono_us() - began));
	return some;
}

/* ---- what others have left ---- */

static void end_lost(struct kb_live *live)
{
	struct kb_err err = { 0 };
	int64_t ended;

	do {
		if (!kb_store_answers_end_lost(live->config.store, &ended, &err)) {
			kb_warn(live->config.log, "answers of lost writers not ended error=%s",
			        err.msg);
			return;
		}
		if (ended)
			kb_info(live->config.log, "answers of lost writers ended count=%" PRId64,
			        ended);
	} while (ended && !kb_bell_is_stopped(&live->bell));
}

static void *keep(void *arg)
{
	struct kb_live *live = arg;
	int64_t looked_us = 0;
	uint64_t heard = 0;
	bool some;

	do {
		/* First its own: it may have been held up itself. */
		some = turn(live);
		if (!looked_us || now_us(live) - looked_us >= LOST_US) {
			looked_us = now_us(live);
			end_lost(live);
		}
	} while (kb_bell_wait(&live->bell, &heard, now_us(live) + (some ? LOOK_US : LOST_US)));
	return NULL;
}

/* ---- coming and going ---- */

void kb_live_enter(struct kb_live *live, struct kb_live_answer *answer)
{
	answer->silent_us = now_us(live) + KB_LIVE_SILENT_MS * INT64_C(1000);
	pthread_mutex_lock(&live->lock);
	answer->before = NULL;
	answer->after = live->first;
	if (answer->after)
		answer->after->before = answer;
	live->first = answer;
	pthread_mutex_unlock(&live->lock);
}

bool kb_live_begin(struct kb_live *live, struct kb_live_answer *answer, struct kb_arena *arena,
                   const struct kb_answer_row *row, struct kb_err *err)
{
	struct kb_message *message = row->message;
	bool rested;

	message->writer = kb_arena_sv(arena, kb_sv_str(live->owner));
	if ((!message->id && !kb_store_message_reserve(live->config.store, &message->id, err))
	    || !kb_store_answer_begin(live->config.store, arena, row, LEASE_US, err)) {
		message->writer = KB_SV("");
		return false;
	}
	pthread_mutex_lock(&live->lock);
	answer->message = message;
	answer->renewed_us = answer->stored_us = now_us(live);
	rested = live->rests;
	live->rests = false;
	pthread_mutex_unlock(&live->lock);
	if (rested)
		kb_bell_ring(&live->bell);
	return true;
}

void kb_live_leave(struct kb_live *live, struct kb_live_answer *answer)
{
	pthread_mutex_lock(&live->lock);
	while (answer->in_turn)
		pthread_cond_wait(&live->turned, &live->lock);
	if (live->next == answer)
		live->next = answer->after;
	*(answer->before ? &answer->before->after : &live->first) = answer->after;
	if (answer->after)
		answer->after->before = answer->before;
	pthread_mutex_unlock(&live->lock);
}

void kb_live_stop(struct kb_live *live, int64_t agent_id, struct kb_sv session_id)
{
	pthread_mutex_lock(&live->lock);
	for (struct kb_live_answer *answer = live->first; answer; answer = answer->after)
		if (answer->agent_id == agent_id
		    && (!session_id.p || kb_sv_eq(answer->session_id, session_id)))
			answer->stop(answer);
	pthread_mutex_unlock(&live->lock);
}

void kb_live_look(struct kb_live *live)
{
	kb_bell_look(&live->bell);
}

struct kb_live *kb_live_open(const struct kb_live_config *config)
{
	struct kb_live *live = kb_xcalloc(1, sizeof(*live));

	live->config = *config;
	live->step_us = STEP_US;
	kb_random_uuid(live->owner);
	kb_bell_init(&live->bell, config->clock);
	pthread_mutex_init(&live->lock, NULL);
	pthread_cond_init(&live->turned, NULL);
	live->thread = kb_thread_start("live", keep, live);
	return live;
}

void kb_live_close(struct kb_live *live)
{
	if (!live)
		return;
	kb_bell_stop(&live->bell);
	pthread_join(live->thread, NULL);
	KB_ASSERT(!live->first);
	kb_bell_fini(&live->bell);
	pthread_cond_destroy(&live->turned);
	pthread_mutex_destroy(&live->lock);
	free(live);
}
