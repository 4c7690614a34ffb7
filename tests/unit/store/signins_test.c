/* Browsers that are signed in: how long, with which key, and links that work once. */
#include "fixture.h"
#include "store/audit.h"
#include "store/guesses.h"
#include "store/people.h"

#define HOUR_US   (INT64_C(3600) * KB_SECOND_US)
#define MINUTE_US (INT64_C(60) * KB_SECOND_US)

/* The account's first key. */
static int64_t make_key(struct fixture *f)
{
	char text[KB_KEY_TEXT];
	struct kb_key key = { 0 };

	CHECK(f->t,
	      kb_store_key_create(f->store, &(struct kb_key_new){ .account_id = f->account.id },
	                          text, &f->err));
	CHECK(f->t, kb_store_key_check(f->store, &f->arena, kb_sv_str(text), &key, &f->err));
	return key.id;
}

static bool sign_in(struct fixture *f, int64_t key, char secret[KB_SIGN_IN_TEXT])
{
	return kb_store_sign_in(f->store,
	                        &(struct kb_signing_in){ .account_id = f->account.id,
	                                                 .key_id = key,
	                                                 .address = KB_SV("::1"),
	                                                 .agent = KB_SV("a browser") },
	                        secret, &f->err);
}

static bool is_in(struct fixture *f, const char *secret)
{
	struct kb_key key;

	return kb_store_sign_in_check(f->store, &f->arena, kb_sv_str(secret), &key, &f->err);
}

static void test_ends(struct kb_test *t)
{
	char idle[KB_SIGN_IN_TEXT], used[KB_SIGN_IN_TEXT];
	struct fixture f;
	int64_t key;

	fixture_init(&f, t);
	key = make_key(&f);
	CHECK(t, sign_in(&f, key, idle));
	CHECK(t, sign_in(&f, key, used));
	CHECK(t, !is_in(&f, "") && !is_in(&f, "wrong"));
	for (int hours = 0; hours < 168; hours += 8) {
		CHECK(t, is_in(&f, used));
		if (hours == 8)
			CHECK(t, is_in(&f, idle)); /* which begins its 12 hours anew */
		if (hours == 24)
			CHECK(t, !is_in(&f, idle));
		kb_clock_advance(&f.clock, 8 * HOUR_US);
	}
	/* Seven days are the end, however often it was used. */
	kb_clock_advance(&f.clock, MINUTE_US);
	CHECK(t, !is_in(&f, used));
	CHECK_INT(t, f.err.code, KB_E_UNAUTHORIZED);
	fixture_fini(&f);
}

static void test_key(struct kb_test *t)
{
	char secret[KB_SIGN_IN_TEXT], other[KB_SIGN_IN_TEXT];
	struct fixture f;
	int64_t key;

	fixture_init(&f, t);
	key = make_key(&f);
	CHECK(t, sign_in(&f, key, secret));
	CHECK(t, sign_in(&f, key, other));
	CHECK(t, kb_store_sign_out(f.store, kb_sv_str(other), &f.err));
	CHECK(t, kb_store_sign_out(f.store, kb_sv_str(other), &f.err));
	CHECK(t, !is_in(&f, other) && is_in(&f, secret));
	CHECK(t, kb_store_key_revoke(f.store, key, &f.err));
	CHECK(t, !is_in(&f, secret));
	fixture_fini(&f);
}

static void test_links(struct kb_test *t)
{
	char link[KB_SIGN_IN_TEXT], late[KB_SIGN_IN_TEXT];
	struct fixture f;
	int64_t key, of = 0, person;

	fixture_init(&f, t);
	CHECK(t, !kb_store_key_first(f.store, &of, &f.err));
	key = make_key(&f);
	CHECK(t, kb_store_key_first(f.store, &of, &f.err) && of == key);
	CHECK(t, !kb_store_link_create(f.store, 999, link, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	CHECK(t, kb_store_link_create(f.store, key, link, &f.err));
	CHECK(t, kb_store_link_create(f.store, key, late, &f.err));
	CHECK(t, kb_store_link_take(f.store, kb_sv_str(link), &of, &person, &f.err) && of == key);
	CHECK(t, !kb_store_link_take(f.store, kb_sv_str(link), &of, &person, &f.err));
	CHECK_INT(t, f.err.code, KB_E_UNAUTHORIZED);
	kb_clock_advance(&f.clock, 16 * MINUTE_US);
	CHECK(t, !kb_store_link_take(f.store, kb_sv_str(late), &of, &person, &f.err));
	fixture_fini(&f);
}

/* A member with a right for each agent. */
static struct kb_person make_person(struct fixture *f)
{
	const struct kb_grant all = { 0, KB_RIGHT_ASK };
	struct kb_person person = { .account_id = f->account.id,
		                    .name = KB_SV("Ann"),
		                    .email = KB_SV(""),
		                    .labels = KB_SV("[\"hr\"]"),
		                    .grants = &all,
		                    .grant_count = 1 };

	CHECK(f->t, kb_store_person_put(f->store, &f->arena, &person, &f->err));
	return person;
}

static void test_people(struct kb_test *t)
{
	char link[KB_SIGN_IN_TEXT], second[KB_SIGN_IN_TEXT], secret[KB_SIGN_IN_TEXT],
	        text[KB_KEY_TEXT];
	struct kb_session_row *rows;
	struct kb_person person;
	struct kb_key known;
	struct fixture f;
	int64_t key, of, until;
	size_t count;

	fixture_init(&f, t);
	person = make_person(&f);
	CHECK(t, person.id && person.grant_count == 1 && person.grants[0].rights == KB_RIGHT_ASK);
	CHECK(t, kb_sv_eq_str(person.labels, "[\"hr\"]") && !person.invited_until);
	CHECK(t, kb_store_person_invite(f.store, person.id, link, &until, &f.err));
	CHECK(t, kb_store_person_invite(f.store, person.id, second, &until, &f.err));
	CHECK(t, !kb_store_link_take(f.store, kb_sv_str(link), &key, &of, &f.err));
	CHECK(t, kb_store_person_get(f.store, &f.arena, 0, person.id, &person, &f.err));
	CHECK(t, person.invited_until == until);
	CHECK(t, kb_store_link_take(f.store, kb_sv_str(second), &key, &of, &f.err));
	CHECK(t, key == 0 && of == person.id);
	CHECK(t, !kb_store_link_take(f.store, kb_sv_str(second), &key, &of, &f.err));
	of = person.id;
	CHECK(t, kb_store_sign_in(
	                 f.store,
	                 &(struct kb_signing_in){ .account_id = f.account.id, .person_id = of },
	                 secret, &f.err));
	CHECK(t, kb_store_sign_in_check(f.store, &f.arena, kb_sv_str(secret), &known, &f.err));
	CHECK(t, known.id == 0 && known.person_id == of && known.account_id == f.account.id);
	CHECK(t,
	      kb_store_key_create(
	              f.store, &(struct kb_key_new){ .account_id = f.account.id, .person_id = of },
	              text, &f.err));
	CHECK(t, kb_store_key_check(f.store, &f.arena, kb_sv_str(text), &known, &f.err));
	CHECK(t, known.person_id == of);
	/* A person's key is none that an operator begins with. */
	CHECK(t, !kb_store_key_first(f.store, &key, &f.err));
	CHECK(t,
	      kb_store_sessions(f.store, &f.arena, &(struct kb_session_owner){ f.account.id, of },
	                        &rows, &count, &f.err));
	CHECK(t, count == 1 && rows[0].person_id == of && rows[0].id.n == KB_SESSION_ID - 1);
	CHECK(t, !kb_store_session_end(f.store, &(struct kb_session_owner){ f.account.id + 1 },
	                               rows[0].id, &f.err));
	CHECK(t, !kb_store_session_end(f.store, &(struct kb_session_owner){ f.account.id, of },
	                               kb_sv_sub(rows[0].id, 0, 3), &f.err));
	CHECK(t, is_in(&f, secret));
	/* What is theirs goes with them. */
	CHECK(t, !kb_store_person_remove(f.store, f.account.id + 1, of, &f.err));
	CHECK(t, kb_store_person_remove(f.store, f.account.id, of, &f.err));
	CHECK(t, !is_in(&f, secret));
	CHECK(t, !kb_store_key_check(f.store, &f.arena, kb_sv_str(text), &known, &f.err));
	fixture_fini(&f);
}

static void test_arrivals(struct kb_test *t)
{
	struct kb_person person = { .account_id = 0,
		                    .name = KB_SV("Ann"),
		                    .email = KB_SV(""),
		                    .labels = KB_SV("[]"),
		                    .issuer = KB_SV("gateway"),
		                    .subject = KB_SV("ann") };
	const struct kb_grant gone = { 987, KB_RIGHT_ASK };
	char secret[KB_SIGN_IN_TEXT];
	struct fixture f;
	int64_t id;

	fixture_init(&f, t);
	person.account_id = f.account.id;
	person.grants = &gone; /* of an agent that is not there */
	person.grant_count = 1;
	CHECK(t, kb_store_person_arrive(f.store, &f.arena, &person, 0, &f.err));
	id = person.id;
	CHECK(t, kb_store_sign_in(f.store,
	                          &(struct kb_signing_in){ .account_id = f.account.id,
	                                                   .person_id = id,
	                                                   .lasts_us = 8 * HOUR_US },
	                          secret, &f.err));
	person.standing = KB_PERSON_OWNER;
	CHECK(t, kb_store_person_arrive(f.store, &f.arena, &person, 0, &f.err));
	CHECK(t, person.id == id && person.standing == KB_PERSON_OWNER);
	kb_clock_advance(&f.clock, 8 * HOUR_US - MINUTE_US);
	CHECK(t, is_in(&f, secret));
	kb_clock_advance(&f.clock, MINUTE_US);
	CHECK(t, !is_in(&f, secret));
	CHECK(t, kb_store_person_depart(f.store, KB_SV("gateway"), KB_SV("ben"), &f.err));
	CHECK(t, kb_store_person_depart(f.store, KB_SV("gateway"), KB_SV("ann"), &f.err));
	CHECK(t, !kb_store_person_get(f.store, &f.arena, 0, id, &person, &f.err));
	fixture_fini(&f);
}

static void test_put(struct kb_test *t)
{
	const struct kb_grant foreign = { 987, KB_RIGHT_ASK };
	struct kb_person person, other;
	struct fixture f;

	fixture_init(&f, t);
	person = make_person(&f);
	other = person;
	other.grants = &foreign;
	CHECK(t, !kb_store_person_put(f.store, &f.arena, &other, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	other.keeps_grants = true;
	other.standing = KB_PERSON_OWNER;
	other.name = KB_SV("Ben");
	CHECK(t, kb_store_person_put(f.store, &f.arena, &other, &f.err));
	CHECK(t, other.grant_count == 1 && other.grants[0].agent_id == 0);
	CHECK(t, other.standing == KB_PERSON_OWNER && kb_sv_eq_str(other.name, "Ben"));
	other.account_id++;
	CHECK(t, !kb_store_person_put(f.store, &f.arena, &other, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	fixture_fini(&f);
}

/* Rows of the audit log with that action. */
static int64_t kept(struct fixture *f, const char *action)
{
	const struct kb_audit_filter filter = { .list = { .page = 1, .limit = 10 },
		                                .account_id = f->account.id,
		                                .action = kb_sv_str(action),
		                                .until = INT64_MAX };
	struct kb_audit_list list;

	NEED(f, kb_store_audit_list(f->store, &f->arena, &filter, &list, &f->err));
	return list.total;
}

static int64_t guess(struct fixture *f, const char *who, int64_t account, int64_t times)
{
	struct kb_guess one = { .who = kb_sv_str(who),
		                .object = kb_sv_str(who),
		                .account_id = account,
		                .times = times };

	NEED(f, kb_store_guess(f->store, &one, 1, 5, KB_SV("192.0.2.1"), &f->err));
	return one.sum;
}

static void test_guesses(struct kb_test *t)
{
	struct fixture f;

	fixture_init(&f, t);
	/* To the beginning of a span. */
	kb_clock_advance(&f.clock,
	                 kb_guess_span_end(kb_clock_now_us(&f.clock)) - kb_clock_now_us(&f.clock));
	CHECK_INT(t, guess(&f, "address a", 0, 3), 3);
	CHECK_INT(t, guess(&f, "address a", 0, 2), 5);
	CHECK_INT(t, kept(&f, "address.shut"), 0);
	CHECK_INT(t, guess(&f, "address a", 0, 4), 9);
	CHECK_INT(t, guess(&f, "address a", 0, 1), 10);
	CHECK_INT(t, kept(&f, "address.shut"), 1); /* of a span one, of the first account */
	CHECK_INT(t, guess(&f, "address b", 0, 1), 1);
	CHECK_INT(t, guess(&f, "key 7", f.account.id, 6), 6);
	CHECK_INT(t, kept(&f, "key.tried"), 1);
	CHECK_INT(t, guess(&f, "key 8", f.account.id + 1000, 6), 6);
	CHECK_INT(t, kept(&f, "key.tried"), 1); /* another account's */
	/* The span before may go on by another node's clock; the one before that may not. */
	kb_clock_advance(&f.clock, KB_GUESS_SPAN_US);
	CHECK(t, kb_store_guesses_purge(f.store, &f.err));
	CHECK_INT(t, guess(&f, "address a", 0, 1), 1);
	kb_clock_advance(&f.clock, -KB_GUESS_SPAN_US);
	CHECK_INT(t, guess(&f, "address a", 0, 1), 2); /* a clock that is behind */
	CHECK_INT(t, guess(&f, "address b", 0, 1), 2);
	kb_clock_advance(&f.clock, 2 * KB_GUESS_SPAN_US);
	CHECK(t, kb_store_guesses_purge(f.store, &f.err));
	kb_clock_advance(&f.clock, -2 * KB_GUESS_SPAN_US);
	CHECK_INT(t, guess(&f, "address b", 0, 1), 1);
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a sign-in ends 12 hours after its last use, and after 7 days", test_ends },
		{ "it ends with its key, and when its browser signs out", test_key },
		{ "a link works once, within 15 minutes", test_links },
		{ "a person signs in by their last link, and goes with all that is theirs",
		  test_people },
		{ "whom somebody else knows is one person, and signs in for some hours",
		  test_arrivals },
		{ "a person is changed within their account, and reaches its agents alone",
		  test_put },
		{ "wrong keys are counted in spans, and one row says that there are too many",
		  test_guesses },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
