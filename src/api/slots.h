/*
 * Who may have the files of a message read now: the node's own processors are what is shared here.
 *
 * A long slot lets a file take its full time, a quick one the whole message KB_SLOTS_QUICK_MS. An
 * account holds half of each at most, and of those who wait the account that holds fewest is next:
 * so small files of one account are read while all long slots have slow ones of others. What a
 * quick slot was too short for waits for a long one.
 *
 * Any worker; a call blocks for wait_ms at most.
 */
#ifndef KB_API_SLOTS_H
#define KB_API_SLOTS_H

#include "base/err.h"

enum {
	KB_SLOTS_LONG = 4,
	KB_SLOTS_QUICK = 4,
	KB_SLOTS_QUICK_MS = 2000,
	KB_SLOTS_ACCOUNT_MAX = 4, /* messages that read or wait */
	KB_SLOTS_MESSAGES_MAX = 32,
};

struct kb_slots;

struct kb_slots *kb_slots_new(void);
void kb_slots_free(struct kb_slots *slots);

enum kb_slot { KB_SLOT_NONE, KB_SLOT_QUICK, KB_SLOT_LONG };

/* One message: the caller's, who holds it until kb_slots_give(). */
struct kb_slot_use {
	struct kb_slot_use *next;
	int64_t account_id;
	enum kb_slot slot;
	int64_t since_us; /* it has had it, kb_clock_mono_us() */
	bool long_only;
};

/* Waits for a slot; which, is in use->slot. KB_E_EXHAUSTED: there is none for it, and nothing is to
 * be given back. */
bool kb_slots_take(struct kb_slots *slots, int64_t account_id, int64_t wait_ms,
                   struct kb_slot_use *use, struct kb_err *err) KB_MUST_CHECK;
/* A long slot for the quick one. A failure leaves none; give it back all the same. */
bool kb_slots_lengthen(struct kb_slots *slots, int64_t wait_ms, struct kb_slot_use *use,
                       struct kb_err *err) KB_MUST_CHECK;
void kb_slots_give(struct kb_slots *slots, struct kb_slot_use *use);

#endif
