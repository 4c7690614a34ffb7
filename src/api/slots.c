#include "api/slots.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/cond.h"

struct kb_slots {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct kb_slot_use *uses; /* in the order of their coming */
};

struct kb_slots *kb_slots_new(void)
{
	struct kb_slots *slots = kb_xcalloc(1, sizeof(*slots));

	pthread_mutex_init(&slots->lock, NULL);
	kb_cond_init(&slots->changed);
	return slots;
}

void kb_slots_free(struct kb_slots *slots)
{
	if (!slots)
		return;
	KB_ASSERT(!slots->uses);
	pthread_cond_destroy(&slots->changed);
	pthread_mutex_destroy(&slots->lock);
	free(slots);
}

/* What is in use: of an account, or of all (0). */
struct counts {
	int all, quick, full;
};

static struct counts count(const struct kb_slots *slots, int64_t account_id)
{
	struct counts n = { 0 };

	for (const struct kb_slot_use *use = slots->uses; use; use = use->next) {
		if (account_id && use->account_id != account_id)
			continue;
		n.all++;
		n.quick += use->slot == KB_SLOT_QUICK;
		n.full += use->slot == KB_SLOT_LONG;
	}
	return n;
}

static enum kb_slot slot_for(const struct kb_slots *slots, const struct kb_slot_use *use)
{
	struct counts all = count(slots, 0), own = count(slots, use->account_id);

	if (all.full < KB_SLOTS_LONG && own.full < KB_SLOTS_LONG / 2)
		return KB_SLOT_LONG;
	if (!use->long_only && all.quick < KB_SLOTS_QUICK && own.quick < KB_SLOTS_QUICK / 2)
		return KB_SLOT_QUICK;
	return KB_SLOT_NONE;
}

/* Gives out what is free. */
static void grant(struct kb_slots *slots)
{
	for (;;) {
		struct kb_slot_use *next = NULL;
		int fewest = 0;

		for (struct kb_slot_use *use = slots->uses; use; use = use->next) {
			struct counts own = count(slots, use->account_id);

			if (use->slot != KB_SLOT_NONE || slot_for(slots, use) == KB_SLOT_NONE
			    || (next && own.quick + own.full >= fewest))
				continue;
			next = use;
			fewest = own.quick + own.full;
		}
		if (!next)
			break;
		next->slot = slot_for(slots, next);
		next->since_us = kb_clock_mono_us();
	}
	pthread_cond_broadcast(&slots->changed);
}

/* Holds the lock. */
static bool wait_for_slot(struct kb_slots *slots, int64_t wait_ms, struct kb_slot_use *use,
                          struct kb_err *err)
{
	int64_t until_us = kb_clock_mono_us() + wait_ms * 1000;

	grant(slots);
	while (use->slot == KB_SLOT_NONE)
		if (!kb_cond_until(&slots->changed, &slots->lock, until_us))
			break;
	return use->slot != KB_SLOT_NONE
	       || kb_fail(err, KB_E_EXHAUSTED,
	                  "Too Many Requests: the files of the message waited %" PRId64
	                  " s for their turn",
	                  (wait_ms + 999) / 1000);
}

static void leave(struct kb_slots *slots, struct kb_slot_use *use)
{
	struct kb_slot_use **place = &slots->uses;

	while (*place && *place != use)
		place = &(*place)->next;
	if (*place)
		*place = use->next;
	use->slot = KB_SLOT_NONE;
	grant(slots);
}

bool kb_slots_take(struct kb_slots *slots, int64_t account_id, int64_t wait_ms,
                   struct kb_slot_use *use, struct kb_err *err)
{
	struct kb_slot_use **end = &slots->uses;
	bool ok;

	*use = (struct kb_slot_use){ .account_id = account_id };
	pthread_mutex_lock(&slots->lock);
	if (count(slots, account_id).all >= KB_SLOTS_ACCOUNT_MAX) {
		ok = kb_fail(err, KB_E_EXHAUSTED,
		             "Too Many Requests: the files of %d messages of the account are being "
		             "read",
		             KB_SLOTS_ACCOUNT_MAX);
	} else if (count(slots, 0).all >= KB_SLOTS_MESSAGES_MAX) {
		ok = kb_fail(err, KB_E_EXHAUSTED,
		             "Too Many Requests: the files of %d messages are being read",
		             KB_SLOTS_MESSAGES_MAX);
	} else {
		while (*end)
			end = &(*end)->next;
		*end = use;
		ok = wait_for_slot(slots, wait_ms, use, err);
		if (!ok)
			leave(slots, use);
	}
	pthread_mutex_unlock(&slots->lock);
	return ok;
}

bool kb_slots_lengthen(struct kb_slots *slots, int64_t wait_ms, struct kb_slot_use *use,
                       struct kb_err *err)
{
	bool ok;

	pthread_mutex_lock(&slots->lock);
	use->slot = KB_SLOT_NONE;
	use->long_only = true;
	ok = wait_for_slot(slots, wait_ms, use, err);
	pthread_mutex_unlock(&slots->lock);
	return ok;
}

void kb_slots_give(struct kb_slots *slots, struct kb_slot_use *use)
{
	pthread_mutex_lock(&slots->lock);
	leave(slots, use);
	pthread_mutex_unlock(&slots->lock);
}
