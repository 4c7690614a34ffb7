#include "write/underway.h"

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

struct kb_underway {
	struct kb_underway_config config;
	char owner[37];
	struct kb_bell bell;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t turned; /* some are in_turn no longer */
	struct kb_underway_answer *first;
	struct kb_underway_answer *next; /* of the turn */
	bool rests;                      /* there is nothing to keep */
	int64_t step_us;
};

static int64_t now_us(const struct kb_underway *underway)
{
	return kb_clock_steady_us(underway->config.clock);
}

/* ---- a turn: all answers, some at a time ---- */

struct batch {
	struct kb_arena arena;
	struct kb_underway_answer *answers[AT_ONCE];
	struct kb_answer_turn turns[AT_ONCE];
	size_t count;
	int64_t now;
};

static void pick(struct kb_underway *underway, struct batch *batch,
                 struct kb_underway_answer *answer)
{
	struct kb_answer_turn *turn = &batch->turns[batch->count];
	struct kb_sv text = { 0 };

	if (batch->now >= answer->silent_us) {
		answer->silent_us = batch->now + KB_UNDERWAY_AGAIN_MS * INT64_C(1000);
		answer->silent(answer);
	}
	if (!answer->message)
		return;
	if (batch->now - answer->stored_us >= underway->step_us
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
static bool pick_some(struct kb_underway *underway, struct batch *batch)
{
	pthread_mutex_lock(&underway->lock);
	while (underway->next && batch->count < AT_ONCE) {
		struct kb_underway_answer *answer = underway->next;

		underway->next = answer->after;
		pick(underway, batch, answer);
	}
	pthread_mutex_unlock(&underway->lock);
	return batch->count > 0;
}

static void settle(struct kb_underway *underway, struct batch *batch, bool ok)
{
	pthread_mutex_lock(&underway->lock);
	for (size_t i = 0; i < batch->count; i++) {
		struct kb_underway_answer *answer = batch->answers[i];

		answer->in_turn = false;
		if (!ok)
			continue;
		answer->renewed_us = batch->now;
		answer->stored = KB_MAX(answer->stored, batch->turns[i].text.n);
		if (batch->turns[i].lost)
			answer->stop(answer);
	}
	pthread_cond_broadcast(&underway->turned);
	pthread_mutex_unlock(&underway->lock);
}

/* Gives whether there is anything to look at again soon. */
static bool turn(struct kb_underway *underway)
{
	int64_t began = kb_clock_mono_us();
	bool some;

	pthread_mutex_lock(&underway->lock);
	underway->next = underway->first;
	some = underway->first != NULL;
	underway->rests = !some;
	pthread_mutex_unlock(&underway->lock);
	for (;;) {
		struct batch batch = { .now = now_us(underway) };
		struct kb_err err = { 0 };
		bool ok;

		if (!pick_some(underway, &batch))
			break;
		ok = kb_store_answers_renew(underway->config.store, kb_sv_str(underway->owner),
		                            LEASE_US, batch.turns, batch.count, &err);
		if (!ok)
			kb_warn(underway->config.log, "running answers not kept count=%zu error=%s",
			        batch.count, err.msg);
		settle(underway, &batch, ok);
		kb_arena_fini(&batch.arena);
	}
	underway->step_us = KB_MAX(STEP_US, SHARE * (kb_clock_mono_us() - began));
	return some;
}

/* ---- what others have left ---- */

static void end_lost(struct kb_underway *underway)
{
	struct kb_err err = { 0 };
	int64_t ended;

	do {
		if (!kb_store_answers_end_lost(underway->config.store, &ended, &err)) {
			kb_warn(underway->config.log, "answers of lost writers not ended error=%s",
			        err.msg);
			return;
		}
		if (ended)
			kb_info(underway->config.log,
			        "answers of lost writers ended count=%" PRId64, ended);
	} while (ended && !kb_bell_is_stopped(&underway->bell));
}

static void *keep(void *arg)
{
	struct kb_underway *underway = arg;
	int64_t looked_us = 0;
	uint64_t heard = 0;
	bool some;

	do {
		/* First its own: it may have been held up itself. */
		some = turn(underway);
		if (!looked_us || now_us(underway) - looked_us >= LOST_US) {
			looked_us = now_us(underway);
			end_lost(underway);
		}
	} while (kb_bell_wait(&underway->bell, &heard,
	                      now_us(underway) + (some ? LOOK_US : LOST_US)));
	return NULL;
}

/* ---- coming and going ---- */

void kb_underway_enter(struct kb_underway *underway, struct kb_underway_answer *answer)
{
	answer->silent_us = now_us(underway) + KB_UNDERWAY_SILENT_MS * INT64_C(1000);
	pthread_mutex_lock(&underway->lock);
	answer->before = NULL;
	answer->after = underway->first;
	if (answer->after)
		answer->after->before = answer;
	underway->first = answer;
	pthread_mutex_unlock(&underway->lock);
}

bool kb_underway_begin(struct kb_underway *underway, struct kb_underway_answer *answer,
                       struct kb_arena *arena, const struct kb_answer_row *row, struct kb_err *err)
{
	struct kb_message *message = row->message;
	bool rested;

	message->writer = kb_arena_sv(arena, kb_sv_str(underway->owner));
	if ((!message->id && !kb_store_message_reserve(underway->config.store, &message->id, err))
	    || !kb_store_answer_begin(underway->config.store, arena, row, LEASE_US, err)) {
		message->writer = KB_SV("");
		return false;
	}
	pthread_mutex_lock(&underway->lock);
	answer->message = message;
	answer->renewed_us = answer->stored_us = now_us(underway);
	rested = underway->rests;
	underway->rests = false;
	pthread_mutex_unlock(&underway->lock);
	if (rested)
		kb_bell_ring(&underway->bell);
	return true;
}

void kb_underway_leave(struct kb_underway *underway, struct kb_underway_answer *answer)
{
	pthread_mutex_lock(&underway->lock);
	while (answer->in_turn)
		pthread_cond_wait(&underway->turned, &underway->lock);
	if (underway->next == answer)
		underway->next = answer->after;
	*(answer->before ? &answer->before->after : &underway->first) = answer->after;
	if (answer->after)
		answer->after->before = answer->before;
	pthread_mutex_unlock(&underway->lock);
}

void kb_underway_stop(struct kb_underway *underway, int64_t agent_id, struct kb_sv session_id)
{
	pthread_mutex_lock(&underway->lock);
	for (struct kb_underway_answer *answer = underway->first; answer; answer = answer->after)
		if (answer->agent_id == agent_id
		    && (!session_id.p || kb_sv_eq(answer->session_id, session_id)))
			answer->stop(answer);
	pthread_mutex_unlock(&underway->lock);
}

void kb_underway_look(struct kb_underway *underway)
{
	kb_bell_look(&underway->bell);
}

struct kb_underway *kb_underway_open(const struct kb_underway_config *config)
{
	struct kb_underway *underway = kb_xcalloc(1, sizeof(*underway));

	underway->config = *config;
	underway->step_us = STEP_US;
	kb_random_uuid(underway->owner);
	kb_bell_init(&underway->bell, config->clock);
	pthread_mutex_init(&underway->lock, NULL);
	pthread_cond_init(&underway->turned, NULL);
	underway->thread = kb_thread_start("underway", keep, underway);
	return underway;
}

void kb_underway_close(struct kb_underway *underway)
{
	if (!underway)
		return;
	kb_bell_stop(&underway->bell);
	pthread_join(underway->thread, NULL);
	KB_ASSERT(!underway->first);
	kb_bell_fini(&underway->bell);
	pthread_cond_destroy(&underway->turned);
	pthread_mutex_destroy(&underway->lock);
	free(underway);
}
