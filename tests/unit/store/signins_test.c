/* Browsers that are signed in: how long, with which key, and links that work once. */
#include "fixture.h"
#include "store/signins.h"

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
	CHECK(t, kb_store_sign_in(f.store, key, idle, &f.err));
	CHECK(t, kb_store_sign_in(f.store, key, used, &f.err));
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
	CHECK(t, kb_store_sign_in(f.store, key, secret, &f.err));
	CHECK(t, kb_store_sign_in(f.store, key, other, &f.err));
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
	int64_t key, of = 0;

	fixture_init(&f, t);
	CHECK(t, !kb_store_key_first(f.store, &of, &f.err));
	key = make_key(&f);
	CHECK(t, kb_store_key_first(f.store, &of, &f.err) && of == key);
	CHECK(t, !kb_store_link_create(f.store, 999, link, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	CHECK(t, kb_store_link_create(f.store, key, link, &f.err));
	CHECK(t, kb_store_link_create(f.store, key, late, &f.err));
	CHECK(t, kb_store_link_take(f.store, kb_sv_str(link), &of, &f.err) && of == key);
	CHECK(t, !kb_store_link_take(f.store, kb_sv_str(link), &of, &f.err));
	CHECK_INT(t, f.err.code, KB_E_UNAUTHORIZED);
	kb_clock_advance(&f.clock, 16 * MINUTE_US);
	CHECK(t, !kb_store_link_take(f.store, kb_sv_str(late), &of, &f.err));
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a sign-in ends 12 hours after its last use, and after 7 days", test_ends },
		{ "it ends with its key, and when its browser signs out", test_key },
		{ "a link works once, within 15 minutes", test_links },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
