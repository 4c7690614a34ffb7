/* Who is served next, told as a play: accounts a, b and c, of whom one more question each letter.
 */
#include "upstream/turns.h"

#include <ctype.h>
#include <string.h>

#include "test.h"

struct ask {
	struct kb_call_turn turn; /* first: a turn is its ask */
	char name;                /* of its account */
	bool left, spoke;
};

static bool is_heard(const struct kb_call_turn *turn)
{
	return !((const struct ask *)(const void *)turn)->left;
}

static enum kb_turn_hold hold(const struct kb_call_turn *turn)
{
	const struct ask *ask = (const struct ask *)(const void *)turn;

	return !ask->spoke ? KB_TURN_LOOSE : ask->left ? KB_TURN_VAIN : KB_TURN_FIRM;
}

enum { ASKS = 32 };

struct play {
	struct kb_turns turns;
	struct ask asks[ASKS];
	size_t count;
	char gone[ASKS + 1]; /* whose were sent away, in order */
	size_t gone_count;
};

static void settle(struct play *p)
{
	struct kb_call_turn *turn;

	do {
		while (kb_turns_next(&p->turns))
			;
		turn = kb_turns_yielding(&p->turns);
		if (turn && hold(turn) == KB_TURN_LOOSE) {
			kb_turns_back(&p->turns, turn);
		} else if (turn) {
			p->gone[p->gone_count++] = ((struct ask *)(void *)turn)->name;
			kb_turns_leave(&p->turns, turn);
		}
	} while (turn);
	while ((turn = kb_turns_surplus(&p->turns))) {
		p->gone[p->gone_count++] = ((struct ask *)(void *)turn)->name;
		kb_turns_leave(&p->turns, turn);
	}
}

/* The oldest of the account's asks of which `is` is true; NULL: none. */
static struct ask *oldest(struct play *p, char name, bool placed)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->asks[i].name == name && p->asks[i].turn.account
		    && p->asks[i].turn.placed == placed)
			return &p->asks[i];
	return NULL;
}

static void each(struct play *p, char name, void (*change)(struct ask *ask))
{
	for (size_t i = 0; i < p->count; i++)
		if (p->asks[i].name == name && p->asks[i].turn.account)
			change(&p->asks[i]);
}

static void leaves(struct ask *ask)
{
	ask->left = true;
}

static void speaks(struct ask *ask)
{
	ask->spoke = ask->turn.placed;
}

/* a: one more of a's. A: a's oldest with a place ends. -a: nobody listens to a's any more; +a:
 * those with a place have begun to speak. */
static void act(struct play *p, const char *script)
{
	for (const char *s = script; *s; s++) {
		struct ask *ask;

		if (*s == '-' || *s == '+') {
			each(p, s[1], *s == '-' ? leaves : speaks);
			s++;
		} else if (isupper((unsigned char)*s)) {
			ask = oldest(p, (char)tolower((unsigned char)*s), true);
			kb_turns_leave(&p->turns, &ask->turn);
		} else {
			ask = &p->asks[p->count++];
			ask->name = *s;
			kb_turns_wait(&p->turns, &ask->turn, *s);
		}
		settle(p);
	}
}

static void list(const struct play *p, bool placed, char out[ASKS + 1])
{
	size_t n = 0;

	for (char name = 'a'; name <= 'c'; name++)
		for (size_t i = 0; i < p->count; i++)
			if (p->asks[i].name == name && p->asks[i].turn.account
			    && p->asks[i].turn.placed == placed)
				out[n++] = name;
	out[n] = '\0';
}

static const struct {
	const char *name;
	size_t places, queue_max;
	const char *script, *placed, *waiting, *gone;
} cases[] = {
	// clang-format off
	{ "an account alone has all places",             4, 9, "aaaaaa",     "aaaa", "aa",   "" },
	{ "another one finds room at once",              4, 9, "aaaaaab",    "aaab", "aaa",  "" },
	{ "and half of it where it asks for more",       4, 9, "aaaaaabbb",  "aabb", "aaaab", "" },
	{ "what is free goes to who has the fewest",     4, 9, "aaaaaabbbA", "aabb", "aaab", "" },
	{ "three have a third each",                     3, 9, "aaaabbc",    "abc",  "aaab", "" },
	{ "more accounts than places wait in turn",      2, 9, "aabbc",      "ab",   "abc",  "" },
	{ "and come in turn, not who has waited longer", 2, 9, "aabbcA",     "bc",   "ab",   "" },
	{ "one place is nobody's to give back",          1, 9, "aab",        "a",    "ab",   "" },
	{ "the one place goes round",                    1, 9, "aaabA",      "b",    "aa",   "" },
	{ "what has begun to speak stays",               4, 9, "aaaa+ab",    "aaaa", "b",    "" },
	{ "but not where nobody listens",                4, 9, "aaaa+a-ab",  "aaab", "",     "a" },
	{ "nor more of it than is too many",             4, 9, "aaaa+a-abbb", "aabb", "b",   "aa" },
	{ "an account that comes late has its share",       4, 9, "aabbc",      "abbc", "a",    "" },
	{ "nobody listens: no reason while there is room", 4, 9, "aaa-a+ab",  "aaab", "",    "" },
	{ "a full queue sends the newcomer away",        1, 2, "aaaa",       "a",    "aa",   "a" },
	{ "but one of those that have most of it",       1, 2, "aaab",       "a",    "ab",   "a" },
	{ "and who has left before others",              1, 3, "aaa-aaab",   "a",    "aab",  "aa" },
	// clang-format on
};

static void test_plays(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct play p = { .turns = { .places = cases[i].places,
			                     .queue_max = cases[i].queue_max,
			                     .is_heard = is_heard,
			                     .hold = hold } };
		char out[ASKS + 1];

		t->row = cases[i].name;
		act(&p, cases[i].script);
		list(&p, true, out);
		CHECK_SV(t, kb_sv_str(out), cases[i].placed);
		list(&p, false, out);
		CHECK_SV(t, kb_sv_str(out), cases[i].waiting);
		CHECK_SV(t, kb_sv_str(p.gone), cases[i].gone);
		for (size_t k = 0; k < p.count; k++)
			kb_turns_leave(&p.turns, &p.asks[k].turn);
		CHECK(t, !p.turns.first && !p.turns.placed && !p.turns.waiting
		                 && !p.turns.account_count);
	}
}

/* Of one account, who is listened to comes first. */
static void test_heard_first(struct kb_test *t)
{
	struct play p = {
		.turns = { .places = 1, .queue_max = 9, .is_heard = is_heard, .hold = hold }
	};

	act(&p, "aaa");
	p.asks[1].left = true;
	act(&p, "A");
	CHECK(t, p.asks[2].turn.placed && !p.asks[1].turn.placed);
	act(&p, "A");
	CHECK(t, p.asks[1].turn.placed);
	kb_turns_leave(&p.turns, &p.asks[1].turn);
}

/* What gives way begins anew before the others of its account. */
static void test_back_first(struct kb_test *t)
{
	struct play p = {
		.turns = { .places = 2, .queue_max = 9, .is_heard = is_heard, .hold = hold }
	};

	act(&p, "aaab");
	CHECK(t, p.asks[0].turn.placed && !p.asks[1].turn.placed && p.asks[3].turn.placed);
	act(&p, "B");
	CHECK(t, p.asks[1].turn.placed && !p.asks[2].turn.placed);
	for (size_t k = 0; k < p.count; k++)
		kb_turns_leave(&p.turns, &p.asks[k].turn);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "places and queue are shared out among accounts", test_plays },
		{ "who is listened to comes first", test_heard_first },
		{ "what gives way comes back first", test_back_first },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
