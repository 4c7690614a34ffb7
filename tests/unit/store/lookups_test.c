/* What is known from outside leads to its row, for as long as that is there, and what an agent has
 * used stays its account's. */
#include "raw.h"
#include "store/licenses.h"
#include "store/lookups.h"
#include "store/talklinks.h"
#include "store/visitors.h"

enum { LICENSES = 3 };

static bool share(void *arg, struct kb_arena *arena, struct kb_agent *agent, struct kb_err *err)
{
	(void)arena;
	(void)err;
	agent->is_shared = true;
	agent->shareable_slug = kb_sv_str(arg);
	return true;
}

/* An agent with all that can be found by a key of its own. */
struct known {
	struct kb_agent agent;
	struct kb_license licenses[LICENSES];
	char link[KB_TALK_LINK_TEXT];
	const char *slug;
};

static struct known make(struct fixture *f, const char *slug)
{
	struct known made = { .agent = fixture_agent(f, "known"), .slug = slug };
	const struct kb_session session = { .agent_id = made.agent.id,
		                            .id = KB_SV("s"),
		                            .account_id = f->account.id };

	NEED(f, kb_store_agent_update(f->store, &f->arena,
	                              &(struct kb_agent_edit){ .account_id = f->account.id,
	                                                       .id = made.agent.id,
	                                                       .change = share,
	                                                       .arg = (void *)(uintptr_t)slug },
	                              &made.agent, &f->err));
	raw_run(f, "UPDATE agents SET are_licenses_allowed = 1");
	for (int i = 0; i < LICENSES; i++)
		NEED(f, kb_store_license_create(f->store, &f->arena, made.agent.id, KB_SV("L"),
		                                &made.licenses[i], &f->err));
	fixture_say_to(f, made.agent.id, "s", "q");
	/* A link in place of another. */
	for (int i = 0; i < 2; i++)
		NEED(f, kb_store_talk_share(f->store, &session, made.link, &f->err));
	return made;
}

/* How many of its keys lead to it: 5 do. */
static int leading(struct fixture *f, const struct known *known)
{
	struct kb_agent agent;
	struct kb_license license;
	struct kb_shared_talk talk;
	int count = 0;

	count +=
	        kb_store_agent_by_slug(f->store, &f->arena, kb_sv_str(known->slug), &agent, &f->err)
	        && agent.id == known->agent.id;
	for (int i = 0; i < LICENSES; i++)
		count += kb_store_license_find(f->store, &f->arena, known->licenses[i].key,
		                               &license, &f->err)
		         && license.id == known->licenses[i].id;
	count += kb_store_talk_shared(f->store, &f->arena, kb_sv_str(known->link), &talk, &f->err)
	         && talk.agent_id == known->agent.id;
	return count;
}

static int64_t ways(struct fixture *f)
{
	return raw_int(f, "SELECT (SELECT count(*) FROM license_keys) + (SELECT count(*) FROM "
	                  "agent_slugs) + (SELECT count(*) FROM talk_link_hashes)");
}

static void test_ways(struct kb_test *t)
{
	const struct kb_session session = { .id = KB_SV("s") };
	struct known one, two;
	struct kb_session of_one = session;
	struct fixture f;

	fixture_init(&f, t);
	one = make(&f, "one");
	two = make(&f, "two");
	CHECK_INT(t, leading(&f, &one) + leading(&f, &two), 10);
	CHECK_INT(t, ways(&f), 10);
	NEED(&f, kb_store_license_delete(f.store,
	                                 &(struct kb_license_ref){ .agent_id = one.agent.id,
	                                                           .key = one.licenses[0].key },
	                                 &f.err));
	of_one.agent_id = one.agent.id;
	NEED(&f, kb_store_talk_unshare(f.store, &of_one, &f.err));
	CHECK_INT(t, leading(&f, &one), 3);
	CHECK_INT(t, leading(&f, &two), 5);
	CHECK_INT(t, ways(&f), 8);
	fixture_sound(&f);
	/* A new address in place of the old one. */
	NEED(&f,
	     kb_store_agent_update(f.store, &f.arena,
	                           &(struct kb_agent_edit){ .account_id = f.account.id,
	                                                    .id = two.agent.id,
	                                                    .change = share,
	                                                    .arg = (void *)(uintptr_t) "three" },
	                           &two.agent, &f.err));
	CHECK_INT(t, leading(&f, &two), 4);
	two.slug = "three";
	CHECK_INT(t, leading(&f, &two), 5);
	NEED(&f, kb_store_agent_delete(f.store, f.account.id, two.agent.id, &f.err));
	CHECK_INT(t, leading(&f, &two), 0);
	fixture_remove_rows(&f);
	CHECK_INT(t, ways(&f), 3);
	CHECK_INT(t, leading(&f, &one), 3);
	fixture_fini(&f);
}

static void test_conversation(struct kb_test *t)
{
	struct kb_session session = { .id = KB_SV("s") };
	struct known one;
	struct fixture f;

	fixture_init(&f, t);
	one = make(&f, "one");
	session.agent_id = one.agent.id;
	NEED(&f, kb_store_conversation_delete(f.store, &session, &f.err));
	CHECK_INT(t, leading(&f, &one), 4);
	CHECK_INT(t, ways(&f), 4);
	fixture_fini(&f);
}

/* A program of before these tables has made some rows, and taken others away. */
static void test_mended(struct kb_test *t)
{
	struct kb_account account;
	struct known one, two;
	struct fixture f;

	fixture_init(&f, t);
	one = make(&f, "one");
	two = make(&f, "two");
	raw_run(&f,
	        "DELETE FROM account_handles; DELETE FROM license_keys; DELETE FROM agent_slugs;"
	        "DELETE FROM talk_link_hashes;"
	        "INSERT INTO license_keys VALUES ('of nobody', 1);"
	        "INSERT INTO agent_slugs VALUES ('nowhere', 1);"
	        "INSERT INTO talk_link_hashes VALUES ('nothing', 1)");
	CHECK_INT(t, leading(&f, &one) + leading(&f, &two), 0);
	NEED(&f, kb_lookups_mend(f.store, &f.err));
	CHECK_INT(t, leading(&f, &one) + leading(&f, &two), 10);
	CHECK_INT(t, ways(&f), 10);
	NEED(&f,
	     kb_store_account_ensure(f.store, &f.arena, KB_SV("one"), KB_SV(""), &account, &f.err));
	CHECK_INT(t, account.id, f.account.id);
	fixture_fini(&f);
}

static int64_t used(struct fixture *f)
{
	struct kb_month_use use;

	NEED(f, kb_store_used_this_month(f->store, f->account.id, &use, &f->err));
	return use.queries * 1000 + use.model_tokens;
}

static void test_months(struct kb_test *t)
{
	const struct kb_model_spent spent = { .model = KB_SV("m"),
		                              .prompt_tokens = 30,
		                              .completion_tokens = 4 };
	struct kb_agent agents[3];
	struct fixture f;

	fixture_init(&f, t);
	for (int i = 0; i < 3; i++) {
		agents[i] = fixture_agent(&f, "a");
		for (int j = 0; j <= i; j++)
			fixture_say_to(&f, agents[i].id, "s", "q");
		NEED(&f, kb_store_model_spent(f.store, agents[i].id, &spent, &f.err));
	}
	CHECK_INT(t, used(&f), 6 * 1000 + 3 * 34);
	/* Two that go, one after the other, in the same month. */
	for (int i = 0; i < 2; i++) {
		NEED(&f, kb_store_agent_delete(f.store, f.account.id, agents[i].id, &f.err));
		CHECK_INT(t, used(&f), 6 * 1000 + 3 * 34);
		fixture_remove_rows(&f);
		CHECK_INT(t, used(&f), 6 * 1000 + 3 * 34);
	}
	CHECK_INT(t, raw_int(&f, "SELECT sum(queries) FROM account_months"), 3);
	fixture_say_to(&f, agents[2].id, "s", "q");
	CHECK_INT(t, used(&f), 7 * 1000 + 3 * 34);
	kb_clock_advance(&f.clock, 32 * KB_DAY_US);
	CHECK_INT(t, used(&f), 0);
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "addresses, license keys and links lead to what they are of, while it is there",
		  test_ways },
		{ "a link goes with its conversation", test_conversation },
		{ "what a program of before left out is made good, and what it left over goes",
		  test_mended },
		{ "what agents have used is their account's, those that are gone included",
		  test_months },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
