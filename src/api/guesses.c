#include "api/guesses.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/hash.h"
#include "store/guesses.h"

enum {
	SETS = 512, /* a table of fixed size: of a set the one that rested longest gives way */
	PLACES = 8,
	ROWS_A_SPAN = 10000,   /* addresses and keys that this node adds to the store */
	WRITES_A_SECOND = 100, /* beyond that they wait here for the next of their address */
	WHO_MAX = 2,
};

struct place {
	uint64_t who;
	int64_t span_end, at; /* at: of the last guess */
	int64_t waiting;      /* that the store has not heard of */
	bool stored, shut;
};

struct kb_guesses {
	int64_t most;
	pthread_mutex_t lock;
	struct place *places; /* SETS * PLACES, made with the first guess */
	int64_t span_end, rows;
	int64_t second, writes;
	_Atomic int64_t seen, refused, shut;
};

struct kb_guesses *kb_guesses_new(int64_t most)
{
	struct kb_guesses *guesses = kb_xcalloc(1, sizeof(*guesses));

	guesses->most = most;
	pthread_mutex_init(&guesses->lock, NULL);
	return guesses;
}

void kb_guesses_free(struct kb_guesses *guesses)
{
	if (!guesses)
		return;
	pthread_mutex_destroy(&guesses->lock);
	free(guesses->places);
	free(guesses);
}

void kb_guesses_stats(struct kb_guesses *guesses, struct kb_guesses_stats *out)
{
	out->seen = atomic_load(&guesses->seen);
	out->refused = atomic_load(&guesses->refused);
	out->shut = atomic_load(&guesses->shut);
}

/* ---- the node's memory; under the lock ---- */

/* Its place, for the span that ends then. */
static struct place *find(struct kb_guesses *guesses, struct kb_sv who, int64_t span_end)
{
	uint64_t hash = kb_hash64(who);
	struct place *set, *best;

	if (!guesses->places)
		guesses->places = kb_xcalloc((size_t)SETS * PLACES, sizeof(struct place));
	set = best = &guesses->places[hash % SETS * PLACES];
	for (size_t i = 0; i < PLACES; i++) {
		if (set[i].who == hash && set[i].span_end == span_end)
			return &set[i];
		if (set[i].at < best->at)
			best = &set[i];
	}
	*best = (struct place){ .who = hash, .span_end = span_end };
	return best;
}

/* Whether the store may be told of it now. */
static bool may_write(struct kb_guesses *guesses, const struct place *place, int64_t now)
{
	if (guesses->span_end != place->span_end) {
		guesses->span_end = place->span_end;
		guesses->rows = 0;
	}
	if (guesses->second != now / KB_SECOND_US) {
		guesses->second = now / KB_SECOND_US;
		guesses->writes = 0;
	}
	if (guesses->writes >= WRITES_A_SECOND || (!place->stored && guesses->rows >= ROWS_A_SPAN))
		return false;
	guesses->writes++;
	return true;
}

struct guessing {
	struct kb_guess who[WHO_MAX];
	size_t count;
	int64_t now, span_end;
};

/* Counts each here. *told: how many the store is to be told of, which stand first then. True where
 * one of them is over. */
static bool count_here(struct kb_guesses *guesses, struct guessing *in, size_t *told)
{
	bool over = false;

	*told = 0;
	pthread_mutex_lock(&guesses->lock);
	for (size_t i = 0; i < in->count; i++) {
		struct place *place = find(guesses, in->who[i].who, in->span_end);

		place->at = in->now;
		place->waiting++;
		if (!place->shut && may_write(guesses, place, in->now)) {
			struct kb_guess guess = in->who[i];

			guess.times = place->waiting;
			place->waiting = 0;
			in->who[i] = in->who[*told];
			in->who[(*told)++] = guess;
		} else if (place->shut || place->waiting > guesses->most) {
			over = true;
		}
	}
	pthread_mutex_unlock(&guesses->lock);
	return over;
}

/* What the store has made of it. */
static bool note(struct kb_guesses *guesses, const struct guessing *in, size_t told)
{
	bool over = false;

	pthread_mutex_lock(&guesses->lock);
	for (size_t i = 0; i < told; i++) {
		struct place *place = find(guesses, in->who[i].who, in->span_end);

		guesses->rows += !place->stored && in->who[i].sum == in->who[i].times;
		place->stored = true;
		place->shut = in->who[i].sum > guesses->most;
		over = over || place->shut;
	}
	pthread_mutex_unlock(&guesses->lock);
	return over;
}

/* ---- a call ---- */

static void add_who(struct guessing *in, struct kb_sv who, struct kb_sv object, int64_t account_id)
{
	in->who[in->count++] =
	        (struct kb_guess){ .who = who, .object = object, .account_id = account_id };
}

static void find_who(struct kb_call *call, struct kb_sv text, struct guessing *in)
{
	struct kb_sv address =
	        kb_arena_printf(call->arena, "address %.*s", KB_SV_ARG(kb_call_address(call)));
	struct kb_key key;

	add_who(in, address, address, 0);
	if (kb_store_key_named(call->api->store, call->arena, text, &key)) {
		struct kb_sv name = kb_arena_printf(call->arena, "key %" PRId64, key.id);

		add_who(in, name, name, key.account_id);
	}
}

/* One line for each that went beyond it, on the node that saw that. */
static void say_shut(struct kb_call *call, struct guessing *in, size_t told)
{
	struct kb_guesses *guesses = call->api->guesses;

	for (size_t i = 0; i < told; i++) {
		const struct kb_guess *guess = &in->who[i];

		if (guess->sum <= guesses->most || guess->sum - guess->times > guesses->most)
			continue;
		atomic_fetch_add(&guesses->shut, 1);
		kb_warn(call->api->log,
		        "too many wrong keys, links or tokens of=\"%.*s\" from=%s times=%" PRId64
		        " wait_s=%" PRId64,
		        KB_SV_ARG(guess->object), call->req->peer, guess->sum,
		        (in->span_end - in->now) / KB_SECOND_US + 1);
	}
}

void kb_call_guessed(struct kb_call *call, struct kb_sv text, struct kb_err *err)
{
	struct kb_guesses *guesses = call->api->guesses;
	struct guessing in = { .now = kb_clock_now_us(call->api->clock) };
	struct kb_err failure;
	size_t told;
	bool over;

	if (err->code != KB_E_UNAUTHORIZED || !text.n || !guesses->most)
		return;
	in.span_end = kb_guess_span_end(in.now);
	find_who(call, text, &in);
	atomic_fetch_add(&guesses->seen, 1);
	over = count_here(guesses, &in, &told);
	if (told
	    && kb_store_guess(call->api->store, in.who, told, guesses->most,
	                      kb_sv_str(call->req->peer), &failure)) {
		over = note(guesses, &in, told) || over;
		say_shut(call, &in, told);
	}
	if (!over)
		return;
	atomic_fetch_add(&guesses->refused, 1);
	kb_fail_for(err, KB_E_EXHAUSTED, (in.span_end - in.now) / KB_SECOND_US + 1,
	            "Too many wrong keys, links or tokens; a right one is taken all the same");
}
