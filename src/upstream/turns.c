#include "upstream/turns.h"

#include <stdlib.h>

#include "base/arena.h"

struct queue {
	struct kb_call_turn *first, *last;
	size_t count;
};

/* One that has a place or waits for one. */
struct kb_turn_account {
	int64_t id;
	struct kb_turn_account *before, *after;
	struct queue waiting, placed; /* placed: the latest last */
};

/* ---- lists ---- */

static void put_last(struct queue *queue, struct kb_call_turn *turn)
{
	turn->before = queue->last;
	turn->after = NULL;
	*(queue->last ? &queue->last->after : &queue->first) = turn;
	queue->last = turn;
	queue->count++;
}

static void put_first(struct queue *queue, struct kb_call_turn *turn)
{
	turn->before = NULL;
	turn->after = queue->first;
	*(queue->first ? &queue->first->before : &queue->last) = turn;
	queue->first = turn;
	queue->count++;
}

static void take(struct queue *queue, struct kb_call_turn *turn)
{
	KB_ASSERT(turn);
	*(turn->before ? &turn->before->after : &queue->first) = turn->after;
	*(turn->after ? &turn->after->before : &queue->last) = turn->before;
	turn->before = turn->after = NULL;
	queue->count--;
}

static void link_behind(struct kb_turns *turns, struct kb_turn_account *account,
                        struct kb_turn_account *before)
{
	account->before = before;
	account->after = before ? before->after : turns->first;
	*(account->after ? &account->after->before : &turns->last) = account;
	*(before ? &before->after : &turns->first) = account;
}

static void unlink_account(struct kb_turns *turns, struct kb_turn_account *account)
{
	*(account->before ? &account->before->after : &turns->first) = account->after;
	*(account->after ? &account->after->before : &turns->last) = account->before;
}

static struct kb_turn_account *account_of(struct kb_turns *turns, int64_t id)
{
	struct kb_turn_account *account = turns->first, *before = turns->last;

	while (account && account->id != id)
		account = account->after;
	if (account)
		return account;
	account = kb_xcalloc(1, sizeof(*account));
	account->id = id;
	/* Before those that have just had their turn, and behind those that wait for theirs. */
	while (before && before->placed.count)
		before = before->before;
	link_behind(turns, account, before);
	turns->account_count++;
	return account;
}

/* ---- places ---- */

static size_t share(const struct kb_turns *turns)
{
	return KB_MAX(turns->places / KB_MAX(turns->account_count, (size_t)1), (size_t)1);
}

/* Of those that wait, the one with the fewest places. */
static struct kb_turn_account *poorest(const struct kb_turns *turns)
{
	struct kb_turn_account *found = NULL;

	for (struct kb_turn_account *a = turns->first; a; a = a->after)
		if (a->waiting.count && (!found || a->placed.count < found->placed.count))
			found = a;
	return found;
}

void kb_turns_wait(struct kb_turns *turns, struct kb_call_turn *turn, int64_t account_id)
{
	*turn = (struct kb_call_turn){ .account = account_of(turns, account_id) };
	put_last(&turn->account->waiting, turn);
	turns->waiting++;
}

struct kb_call_turn *kb_turns_next(struct kb_turns *turns)
{
	struct kb_turn_account *account =
	        turns->placed < turns->places && turns->waiting ? poorest(turns) : NULL;
	struct kb_call_turn *turn;

	if (!account)
		return NULL;
	turn = account->waiting.first;
	while (turn && !turns->is_heard(turn))
		turn = turn->after;
	if (!turn)
		turn = account->waiting.first;
	take(&account->waiting, turn);
	put_last(&account->placed, turn);
	turn->placed = true;
	turns->waiting--;
	turns->placed++;
	unlink_account(turns, account);
	link_behind(turns, account, turns->last);
	return turn;
}

/* Which of the account's gives its place back: one that nobody listens to before others, one that
 * can begin anew before one that cannot, and of equals the latest. */
static struct kb_call_turn *loosest(const struct kb_turns *turns,
                                    const struct kb_turn_account *account)
{
	struct kb_call_turn *loose = NULL, *vain = NULL;

	for (struct kb_call_turn *turn = account->placed.last; turn; turn = turn->before) {
		enum kb_turn_hold hold = turns->hold(turn);

		if (hold == KB_TURN_LOOSE && !turns->is_heard(turn))
			return turn;
		if (hold == KB_TURN_LOOSE && !loose)
			loose = turn;
		if (hold == KB_TURN_VAIN && !vain)
			vain = turn;
	}
	return loose ? loose : vain;
}

struct kb_call_turn *kb_turns_yielding(const struct kb_turns *turns)
{
	const struct kb_turn_account *poor = turns->waiting ? poorest(turns) : NULL;
	size_t most = share(turns);
	struct kb_call_turn *found = NULL;

	if (!poor || turns->placed < turns->places || poor->placed.count >= most)
		return NULL;
	for (const struct kb_turn_account *a = turns->first; a; a = a->after) {
		struct kb_call_turn *turn = a->placed.count > most ? loosest(turns, a) : NULL;

		if (turn) {
			found = turn;
			most = a->placed.count;
		}
	}
	return found;
}

void kb_turns_back(struct kb_turns *turns, struct kb_call_turn *turn)
{
	struct kb_turn_account *account = turn->account;

	take(&account->placed, turn);
	put_first(&account->waiting, turn);
	turn->placed = false;
	turns->placed--;
	turns->waiting++;
}

struct kb_call_turn *kb_turns_surplus(const struct kb_turns *turns)
{
	const struct kb_turn_account *most = NULL;
	struct kb_call_turn *turn;

	if (turns->waiting <= turns->queue_max)
		return NULL;
	for (const struct kb_turn_account *a = turns->first; a; a = a->after)
		if (!most || a->waiting.count > most->waiting.count)
			most = a;
	KB_ASSERT(most);
	turn = most->waiting.last;
	while (turn && turns->is_heard(turn))
		turn = turn->before;
	return turn ? turn : most->waiting.last;
}

void kb_turns_leave(struct kb_turns *turns, struct kb_call_turn *turn)
{
	struct kb_turn_account *account = turn->account;

	if (!account)
		return;
	take(turn->placed ? &account->placed : &account->waiting, turn);
	*(turn->placed ? &turns->placed : &turns->waiting) -= 1;
	*turn = (struct kb_call_turn){ 0 };
	if (account->placed.count || account->waiting.count)
		return;
	unlink_account(turns, account);
	turns->account_count--;
	free(account);
}
