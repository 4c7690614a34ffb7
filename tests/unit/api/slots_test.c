/* Who has the files of a message read, and who waits. */
#include "api/slots.h"

#include "test.h"

/* Messages come in the order of their letters, "A1" of account 1; none waits. L, Q: they got a long
 * or a quick slot, '-': none. "-A" gives A's back, "+A" wants a long one for A's quick one. */
static void test_rows(struct kb_test *t)
{
	static const struct {
		const char *name, *steps, *want;
	} rows[] = {
		{ "one account has half of each", "A1 B1 C1 D1 E1", "LLQQ-" },
		{ "so that another finds room", "A1 B1 C1 D1 E2 F2 G2 H2", "LLQQLLQQ" },
		{ "small files of a third are read too", "A1 B1 E2 F2 G3 H3 I4 J4", "LLLLQQQQ" },
		{ "until all are taken", "A1 B1 E2 F2 G3 H3 I4 J4 K5", "LLLLQQQQ-" },
		{ "what is given back is the next one's", "A1 B1 E2 F2 -A G3", "LLLLL" },
		{ "a quick one becomes long when one is free", "A1 B1 C1 -A +C", "LLQL" },
		{ "and not while the account has its half", "A1 B1 C1 +C", "LLQ-" },
		{ "nor while others have them", "A1 B1 E2 F2 G3 +G", "LLLLQ-" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_slots *slots = kb_slots_new();
		struct kb_slot_use uses[26] = { 0 };
		char got[32] = "";
		size_t n = 0;
		struct kb_err err;

		t->row = rows[i].name;
		for (const char *p = rows[i].steps; *p; p += p[2] ? 3 : 2) {
			struct kb_slot_use *use =
			        &uses[(p[0] == '-' || p[0] == '+' ? p[1] : p[0]) - 'A'];
			bool ok;

			if (p[0] == '-') {
				kb_slots_give(slots, use);
				continue;
			}
			ok = p[0] == '+' ? kb_slots_lengthen(slots, 0, use, &err)
			                 : kb_slots_take(slots, p[1] - '0', 0, use, &err);
			got[n++] = !ok ? '-' : use->slot == KB_SLOT_LONG ? 'L' : 'Q';
		}
		CHECK_SV(t, kb_sv_str(got), rows[i].want);
		for (size_t k = 0; k < KB_COUNTOF(uses); k++)
			kb_slots_give(slots, &uses[k]);
		kb_slots_free(slots);
	}
	t->row = NULL;
}

static void test_sentences(struct kb_test *t)
{
	struct kb_slot_use uses[KB_SLOTS_MESSAGES_MAX + 1] = { 0 };
	struct kb_slots *slots = kb_slots_new();
	struct kb_err err = { 0 };

	for (int i = 0; i < KB_SLOTS_ACCOUNT_MAX; i++)
		CHECK(t, kb_slots_take(slots, 1, 0, &uses[i], &err));
	CHECK(t, !kb_slots_take(slots, 1, 0, &uses[4], &err));
	CHECK_INT(t, err.code, KB_E_EXHAUSTED);
	CHECK_SV(t, kb_sv_str(err.msg),
	         "Too Many Requests: the files of 4 messages of the account are being read");
	for (int i = 0; i < KB_SLOTS_ACCOUNT_MAX; i++)
		CHECK(t, kb_slots_take(slots, 2, 0, &uses[4 + i], &err));
	CHECK(t, !kb_slots_take(slots, 3, 10, &uses[8], &err));
	CHECK_SV(t, kb_sv_str(err.msg),
	         "Too Many Requests: the files of the message waited 1 s for their turn");
	for (size_t k = 0; k < KB_COUNTOF(uses); k++)
		kb_slots_give(slots, &uses[k]);
	kb_slots_free(slots);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "accounts leave each other room", test_rows },
		{ "who finds no room learns why", test_sentences },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
