/* Conversations go when their agent has kept them long enough, by a clock that is moved. */
#include "settings/settings.h"
#include "store/agent_new.h"
#include "store/fixture.h"
#include "upkeep/purge.h"

enum { MANY = 1203 }; /* messages: more than two steps of 500 */

static bool keep_days(void *arg, const struct kb_agent *agent, int64_t *days, struct kb_err *err)
{
	struct fixture *f = arg;
	struct kb_settings settings;

	if (!kb_settings_read(&f->arena, agent->settings, &settings, err))
		return false;
	*days = kb_settings_keep_days(&settings);
	return true;
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

static struct kb_purge_sum purge(struct fixture *f, bool (*stopping)(void *arg))
{
	const struct kb_upkeep_config config = {
		.store = f->store, .clock = &f->clock, .keep_days = keep_days, .keep_arg = f
	};
	struct kb_purge_sum sum;

	kb_purge_conversations(&config, &(struct kb_cancel){ .asked = stopping }, &sum);
	return sum;
}

static struct kb_agent agent_with(struct fixture *f, const char *settings)
{
	struct kb_agent agent = { .account_id = f->account.id,
		                  .name = KB_SV("a"),
		                  .type = KB_SV("SITEMAP"),
		                  .options = KB_SV("{}"),
		                  .settings = kb_sv_str(settings) };

	NEED(f, kb_store_agent_create(f->store, &agent, &f->err));
	return agent;
}

static int64_t messages_in(struct fixture *f, const struct kb_agent *agent, const char *session)
{
	struct kb_transcript said;

	if (!kb_store_message_list(
	            f->store, &f->arena,
	            &(struct kb_session){ .agent_id = agent->id, .id = kb_sv_str(session) },
	            &(struct kb_list){ 1, 1, true }, &said, &f->err))
		return -1;
	return said.messages.total;
}

static void test_periods(struct kb_test *t)
{
	static const struct {
		const char *name, *settings;
		int64_t stays_days, goes_days; /* 0: never goes */
	} rows[] = {
		{ "a year by default", "{}", 365, 366 },
		{ "a year by name",
		  "{\"conversation_retention_period\":\"year\","
		  "\"conversation_retention_days\":3}",
		  365, 366 },
		{ "so many days",
		  "{\"conversation_retention_period\":\"custom\",\"conversation_retention_days\":"
		  "3}",
		  3, 4 },
		{ "custom without days", "{\"conversation_retention_period\":\"custom\"}", 40000,
		  0 },
		{ "never", "{\"conversation_retention_period\":\"never\"}", 40000, 0 },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_purge_sum sum;
		struct kb_agent agent;
		struct fixture f;

		t->row = rows[i].name;
		fixture_init(&f, t);
		agent = agent_with(&f, rows[i].settings);
		fixture_say_to(&f, agent.id, "s", "q");
		kb_clock_advance(&f.clock, rows[i].stays_days * KB_DAY_US - KB_SECOND_US * 60);
		sum = purge(&f, never);
		CHECK_INT(t, sum.messages + sum.conversations, 0);
		CHECK_INT(t, messages_in(&f, &agent, "s"), 1);
		if (rows[i].goes_days) {
			kb_clock_advance(&f.clock, KB_DAY_US);
			sum = purge(&f, never);
			CHECK_INT(t, sum.messages, 1);
			CHECK_INT(t, sum.conversations, 1);
			CHECK_INT(t, messages_in(&f, &agent, "s"), -1);
		}
		fixture_fini(&f);
	}
}

static void test_ages(struct kb_test *t)
{
	struct kb_conversation conversation;
	struct kb_agent agent, other;
	struct kb_purge_sum sum;
	struct kb_message kept;
	struct kb_agent_stats stats;
	struct fixture f;

	fixture_init(&f, t);
	agent = agent_with(&f, "{\"conversation_retention_period\":\"custom\","
	                       "\"conversation_retention_days\":10}");
	other = agent_with(&f, "{\"conversation_retention_period\":\"never\"}");
	for (int i = 0; i < MANY; i++)
		fixture_say_to(&f, agent.id, "long", "early");
	fixture_say_to(&f, agent.id, "old", "early");
	fixture_say_to(&f, other.id, "old", "early");
	NEED(&f, kb_store_conversation_create(f.store, &f.arena,
	                                      &(struct kb_session){ .agent_id = agent.id,
	                                                            .id = KB_SV("empty"),
	                                                            .account_id = f.account.id },
	                                      KB_SV(""), &conversation, &f.err));
	kb_clock_advance(&f.clock, 8 * KB_DAY_US);
	kept = fixture_say_to(&f, agent.id, "long", "late");
	NEED(&f, kb_store_conversation_create(f.store, &f.arena,
	                                      &(struct kb_session){ .agent_id = agent.id,
	                                                            .id = KB_SV("young"),
	                                                            .account_id = f.account.id },
	                                      KB_SV(""), &conversation, &f.err));
	kb_clock_advance(&f.clock, 4 * KB_DAY_US);

	sum = purge(&f, always);
	CHECK_INT(t, sum.messages, 0); /* the service is stopping */
	sum = purge(&f, never);
	CHECK_INT(t, sum.messages, MANY + 1);
	CHECK_INT(t, sum.conversations, 2); /* "old" and "empty" */
	CHECK_INT(t, messages_in(&f, &agent, "long"), 1);
	CHECK_INT(t, messages_in(&f, &agent, "young"), 0);
	CHECK_INT(t, messages_in(&f, &agent, "old"), -1);
	CHECK_INT(t, messages_in(&f, &agent, "empty"), -1);
	CHECK_INT(t, messages_in(&f, &other, "old"), 1);
	CHECK(t, kb_store_message_get(
	                 f.store, &f.arena,
	                 &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("long") }, kept.id,
	                 &kept, &f.err));
	CHECK_SV(t, kept.query, "late");
	/* What was asked stays counted. */
	NEED(&f, kb_store_agent_stats(f.store, agent.id, &stats, &f.err));
	CHECK_INT(t, stats.queries, MANY + 2);
	sum = purge(&f, never);
	CHECK_INT(t, sum.messages + sum.conversations, 0);
	fixture_fini(&f);
}

static void test_damage(struct kb_test *t)
{
	struct kb_agent damaged, agent;
	struct kb_purge_sum sum;
	struct fixture f;

	fixture_init(&f, t);
	damaged = agent_with(&f, "{\"conversation_retention_period\":7}");
	agent = agent_with(&f, "{}");
	fixture_say_to(&f, damaged.id, "s", "q");
	fixture_say_to(&f, agent.id, "s", "q");
	kb_clock_advance(&f.clock, 400 * KB_DAY_US);
	sum = purge(&f, never);
	CHECK_INT(t, sum.messages, 1);
	CHECK_INT(t, messages_in(&f, &damaged, "s"), 1);
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "each period keeps what it says", test_periods },
		{ "old messages go, in steps, and conversations that they leave empty", test_ages },
		{ "an agent with damaged settings loses nothing and holds nobody up", test_damage },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
