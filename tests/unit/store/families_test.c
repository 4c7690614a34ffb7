/* What each family of records does, and that none of it is reached through a foreign parent. */
#include "fixture.h"

static void test_accounts(struct kb_test *t)
{
	struct kb_account again, other;
	struct fixture f;

	fixture_init(&f, t);
	CHECK(t, kb_store_account_ensure(f.store, &f.arena, KB_SV("one"), KB_SV("pro"), &again,
	                                 &f.err));
	CHECK_INT(t, again.id, f.account.id);
	CHECK_SV(t, again.plan, "default");
	CHECK(t, kb_store_account_ensure(f.store, &f.arena, KB_SV("two"), KB_SV("pro"), &other,
	                                 &f.err));
	CHECK(t, other.id != f.account.id);
	CHECK_SV(t, other.plan, "pro");
	CHECK(t, kb_store_account_rename(f.store, other.id, KB_SV("second"), &f.err));
	CHECK(t, kb_store_account_get(f.store, &f.arena, other.id, &again, &f.err));
	CHECK_SV(t, again.name, "second");
	CHECK(t, !kb_store_account_rename(f.store, other.id, KB_SV("one"), &f.err));
	CHECK_INT(t, f.err.code, KB_E_CONFLICT);
	CHECK(t, !kb_store_account_rename(f.store, 999, KB_SV("x"), &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	CHECK(t, !kb_store_account_get(f.store, &f.arena, 999, &again, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	CHECK(t, !kb_store_account_ensure(f.store, &f.arena, KB_SV(""), KB_SV(""), &again, &f.err));
	CHECK_INT(t, f.err.code, KB_E_INVALID);
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "an account is found by its name or made", test_accounts },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
