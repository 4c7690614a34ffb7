/*
 * Who is served next: places at one server and the queue for them, shared out among accounts.
 *
 *   place    one is free: it goes to the account that waits and has the fewest, of equals to the
 *            one whose turn is longest ago
 *   share    all places by the number of accounts that have or want one, and at least one
 *   yield    none is free, and an account below its share waits: the one that has the most, and
 *            more than its share, gives one back. An account alone has all places
 *   queue    one too many waits: one of the account with the most of them goes
 *
 * Whose answer nobody listens to any more comes last within its account and gives way first.
 *
 * Pure, and one thread at a time. A turn is its user's own struct and stays where it is until
 * kb_turns_leave(); accounts are told apart by a number, and 0 is one of them.
 */
#ifndef KB_UPSTREAM_TURNS_H
#define KB_UPSTREAM_TURNS_H

#include "base/common.h"

/* Whether the answer for which a place is held can do without. */
enum kb_turn_hold {
	KB_TURN_FIRM,  /* no: somebody has heard a part of it, or it is about to end */
	KB_TURN_LOOSE, /* it can begin anew later */
	KB_TURN_VAIN,  /* it cannot, but nobody listens */
};

struct kb_call_turn {
	struct kb_turn_account *account; /* NULL: it has none, it is neither waiting nor held */
	struct kb_call_turn *before, *after;
	bool placed;
};

/* Zeroed but for the first four; nothing is held once every turn has left. */
struct kb_turns {
	size_t places, queue_max;
	/* Of one that waits or has a place. */
	bool (*is_heard)(const struct kb_call_turn *turn);
	enum kb_turn_hold (*hold)(const struct kb_call_turn *turn);

	size_t placed, waiting, account_count;
	struct kb_turn_account *first, *last; /* in the order of their turns */
};

void kb_turns_wait(struct kb_turns *turns, struct kb_call_turn *turn, int64_t account_id);
/* Gives the next one its place. NULL: none is free, or nobody waits. */
struct kb_call_turn *kb_turns_next(struct kb_turns *turns);
/* One with a place that has to give it back now: by kb_turns_back() where it is loose, else by its
 * end. NULL: none. */
struct kb_call_turn *kb_turns_yielding(const struct kb_turns *turns);
/* It waits again, as the first of its account. */
void kb_turns_back(struct kb_turns *turns, struct kb_call_turn *turn);
/* One that waits and has to go, because more than queue_max do. NULL: none. */
struct kb_call_turn *kb_turns_surplus(const struct kb_turns *turns);
/* From wherever it is; one that is nowhere stays so. */
void kb_turns_leave(struct kb_turns *turns, struct kb_call_turn *turn);

#endif
