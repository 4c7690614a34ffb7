/* Conversations and messages. */
#include "fixture.h"
#include "store/ahead.h"

static void test_history(struct kb_test *t)
{
	static const struct {
		const char *name;
		int64_t since_s, limit; /* seconds after the first message */
		const char *want;
	} rows[] = {
		{ "the last three", 0, 3, "cde" }, { "all of them", 0, 100, "abcde" },
		{ "since a time", 3, 100, "de" },  { "since a time, the last one", 3, 1, "e" },
		{ "none since then", 100, 5, "" }, { "no limit is no message", 0, 0, "" },
	};
	struct kb_message_list history;
	struct kb_agent agent;
	struct fixture f;
	int64_t start = 0;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	for (int i = 0; i < 5; i++) {
		struct kb_message message =
		        fixture_say_to(&f, agent.id, "s1", (char[]){ (char)('a' + i), '\0' });

		if (i == 0)
			start = message.created_at;
		fixture_say_to(&f, agent.id, "s2", "elsewhere");
		kb_clock_advance(&f.clock, KB_SECOND_US);
	}
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		CHECK(t, kb_store_message_history(
		                 f.store, &f.arena,
		                 &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("s1") },
		                 &(struct kb_history_want){
		                         .since = start + rows[i].since_s * KB_SECOND_US,
		                         .limit = rows[i].limit },
		                 &history, &f.err));
		CHECK_INT(t, history.count, strlen(rows[i].want));
		for (size_t j = 0; j < history.count; j++)
			CHECK_INT(t, history.v[j].query.p[0], rows[i].want[j]);
	}
	t->row = NULL;
	CHECK(t, kb_store_message_history(
	                 f.store, &f.arena,
	                 &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("none") },
	                 &(struct kb_history_want){ .since = 0, .limit = 9 }, &history, &f.err));
	CHECK_INT(t, history.count, 0);
	fixture_fini(&f);
}

static void test_fields(struct kb_test *t)
{
	const int64_t citations[] = { 12074, 12075, 3 };
	struct kb_conversation conversation;
	struct kb_message message = {
		.query = KB_SV("What is it?\n\"quoted\""),
		.response = KB_SV("It is [1]."),
		.citations = citations,
		.citation_count = 3,
		.answered = true,
		.failed = true,
		.user_ip = KB_SV("192.0.2.1"),
		.user_agent = KB_SV("agent/1"),
		.external_id = KB_SV("x-1"),
		.source = KB_SV("api"),
		.details = KB_SV("{\"a\":1}"),
		.user_id = 7,
	};
	struct kb_agent_stats stats;
	struct kb_message read;
	struct kb_agent agent;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	CHECK(t, kb_store_message_add(f.store, &f.arena,
	                              &(struct kb_session){ .agent_id = agent.id,
	                                                    .id = KB_SV("s"),
	                                                    .account_id = f.account.id },
	                              &message, &conversation, &f.err));
	CHECK_INT(t, message.conversation_id, conversation.id);
	CHECK(t,
	      kb_store_message_get(f.store, &f.arena,
	                           &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("s") },
	                           message.id, &read, &f.err));
	CHECK_SV(t, read.query, "What is it?\n\"quoted\"");
	CHECK_SV(t, read.response, "It is [1].");
	CHECK_INT(t, read.citation_count, 3);
	for (size_t i = 0; i < 3 && i < read.citation_count; i++)
		CHECK_INT(t, read.citations[i], citations[i]);
	CHECK(t, read.answered && read.failed);
	CHECK_SV(t, read.user_ip, "192.0.2.1");
	CHECK_SV(t, read.user_agent, "agent/1");
	CHECK_SV(t, read.external_id, "x-1");
	CHECK_SV(t, read.source, "api");
	CHECK_SV(t, read.details, "{\"a\":1}");
	CHECK_INT(t, read.user_id, 7);
	CHECK_INT(t, read.reaction, KB_REACTION_NONE);
	CHECK_INT(t, read.created_at, message.created_at);
	/* A failed answer is a query, but costs no credit. */
	CHECK(t, kb_store_agent_stats(f.store, agent.id, &stats, &f.err));
	CHECK_INT(t, stats.queries, 1);
	CHECK_INT(t, stats.query_credits, 0);
	fixture_fini(&f);
}

static void test_names(struct kb_test *t)
{
	struct kb_conversation conversation, read;
	struct kb_agent agent;
	struct fixture f;
	char prompt[1000];
	struct kb_sv long_prompt;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");

	/* Implicit: named by its first prompt, cut at 255 characters. */
	for (size_t i = 0; i < 400; i++)
		memcpy(prompt + 2 * i, "é", 2);
	long_prompt = kb_sv(prompt, 800);
	fixture_say_to(&f, agent.id, "s1",
	               kb_arena_printf(&f.arena, "  %.*s", KB_SV_ARG(long_prompt)).p);
	CHECK(t, kb_store_conversation_get(
	                 f.store, &f.arena,
	                 &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("s1") }, &read,
	                 &f.err));
	CHECK_INT(t, read.name.n, 510);
	CHECK(t, !read.has_own_name);
	fixture_say_to(&f, agent.id, "s1", "second");
	CHECK(t, kb_store_conversation_get(
	                 f.store, &f.arena,
	                 &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("s1") }, &read,
	                 &f.err));
	CHECK_INT(t, read.name.n, 510);

	/* Made without a name: the first prompt names it. */
	CHECK(t, kb_store_conversation_create(f.store, &f.arena,
	                                      &(struct kb_session){ .agent_id = agent.id,
	                                                            .id = KB_SV(""),
	                                                            .account_id = f.account.id },
	                                      KB_SV(""), &conversation, &f.err));
	CHECK_INT(t, conversation.session_id.n, 36);
	CHECK_SV(t, conversation.name, "New conversation");
	fixture_say_to(&f, agent.id, conversation.session_id.p, "What now?");
	fixture_say_to(&f, agent.id, conversation.session_id.p, "And then?");
	CHECK(t, kb_store_conversation_get(f.store, &f.arena,
	                                   &(struct kb_session){ .agent_id = agent.id,
	                                                         .id = conversation.session_id },
	                                   &read, &f.err));
	CHECK_SV(t, read.name, "What now?");

	/* A person's name stays. */
	CHECK(t, kb_store_conversation_create(f.store, &f.arena,
	                                      &(struct kb_session){ .agent_id = agent.id,
	                                                            .id = KB_SV("s3"),
	                                                            .account_id = f.account.id },
	                                      KB_SV("Mine"), &conversation, &f.err));
	CHECK(t, conversation.has_own_name);
	fixture_say_to(&f, agent.id, "s3", "What now?");
	CHECK(t, kb_store_conversation_get(
	                 f.store, &f.arena,
	                 &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("s3") }, &read,
	                 &f.err));
	CHECK_SV(t, read.name, "Mine");
	CHECK(t, kb_store_conversation_rename(
	                 f.store, &f.arena,
	                 &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("s3") },
	                 KB_SV("Other"), &read, &f.err));
	CHECK_SV(t, read.name, "Other");
	CHECK(t, !kb_store_conversation_create(f.store, &f.arena,
	                                       &(struct kb_session){ .agent_id = agent.id,
	                                                             .id = KB_SV("s3"),
	                                                             .account_id = f.account.id },
	                                       KB_SV(""), &conversation, &f.err));
	CHECK_INT(t, f.err.code, KB_E_CONFLICT);
	CHECK(t, kb_store_conversation_delete(
	                 f.store, &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("s3") },
	                 &f.err));
	CHECK(t, !kb_store_conversation_get(
	                 f.store, &f.arena,
	                 &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("s3") }, &read,
	                 &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	fixture_fini(&f);
}

static void test_lists(struct kb_test *t)
{
	static const struct {
		const char *name;
		struct kb_conversation_filter filter;
		const char *want;
	} rows[] = {
		{ "newest first", { .list = { 1, 10, false } }, "dcba" },
		{ "oldest first", { .list = { 1, 2, true } }, "ab" },
		{ "by creation", { .list = { 2, 3, true }, .by_created_at = true }, "d" },
		{ "by name", { .list = { 1, 10, true }, .name = KB_SV_INIT("GARDEN") }, "bd" },
		{ "by nobody",
		  { .list = { 1, 10, true }, .by = KB_BY_ACCOUNT, .created_by = 55 },
		  "" },
		{ "by this account",
		  { .list = { 1, 10, true }, .by = KB_BY_ACCOUNT, .created_by = 1 },
		  "abcd" },
		{ "by members", { .list = { 1, 10, true }, .by = KB_BY_MEMBER }, "abcd" },
		{ "by visitors", { .list = { 1, 10, true }, .by = KB_BY_VISITOR }, "v" },
		{ "by anybody", { .list = { 1, 10, true } }, "abcdv" },
	};
	static const char *const prompts[] = { "house", "garden", "tree", "Gardens" };
	struct kb_conversation conversation;
	struct kb_conversation_list found;
	struct kb_transcript said;
	struct kb_agent agent;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	for (int i = 0; i < 4; i++)
		fixture_say_to(&f, agent.id, (char[]){ (char)('a' + i), '\0' }, prompts[i]);
	CHECK_INT(t, f.account.id, 1);
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		if (rows[i].filter.by == KB_BY_VISITOR)
			CHECK(t, kb_store_conversation_create(
			                 f.store, &f.arena,
			                 &(struct kb_session){ .agent_id = agent.id,
			                                       .id = KB_SV("v") },
			                 KB_SV("visit"), &conversation, &f.err));
		CHECK(t, kb_store_conversation_list(f.store, &f.arena, agent.id, &rows[i].filter,
		                                    &found, &f.err));
		CHECK_INT(t, found.count, strlen(rows[i].want));
		for (size_t j = 0; j < found.count; j++)
			CHECK_INT(t, found.v[j].session_id.p[0], rows[i].want[j]);
	}
	t->row = NULL;
	/* A message makes its conversation the latest changed. */
	kb_clock_advance(&f.clock, KB_DAY_US);
	fixture_say_to(&f, agent.id, "b", "again");
	CHECK(t, kb_store_conversation_list(
	                 f.store, &f.arena, agent.id,
	                 &(struct kb_conversation_filter){
	                         .list = { 1, 10, true },
	                         .updated_after = kb_clock_now_us(&f.clock) - KB_SECOND_US * 60 },
	                 &found, &f.err));
	CHECK_INT(t, found.total, 1);
	CHECK(t,
	      kb_store_message_list(f.store, &f.arena,
	                            &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("b") },
	                            &(struct kb_list){ 1, 1, false }, &said, &f.err));
	CHECK_INT(t, said.messages.total, 2);
	CHECK_INT(t, said.messages.count, 1);
	CHECK_SV(t, said.messages.v[0].query, "again");
	CHECK_SV(t, said.conversation.session_id, "b");
	fixture_fini(&f);
}

static void test_reactions(struct kb_test *t)
{
	struct kb_message message, read;
	struct kb_agent agent;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	message = fixture_say_to(&f, agent.id, "s", "q");
	CHECK(t,
	      kb_store_message_react(f.store, &f.arena,
	                             &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("s") },
	                             &(struct kb_message_reaction){ .message_id = message.id,
	                                                            .user_id = 5,
	                                                            .reacts = true,
	                                                            .reaction = KB_REACTION_LIKED },
	                             &read, &f.err));
	kb_clock_advance(&f.clock, KB_SECOND_US);
	CHECK(t, kb_store_message_react(
	                 f.store, &f.arena,
	                 &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("s") },
	                 &(struct kb_message_reaction){ .message_id = message.id,
	                                                .user_id = 6,
	                                                .reacts = true,
	                                                .reaction = KB_REACTION_DISLIKED },
	                 &read, &f.err));
	for (int i = 0; i < 2; i++) {
		CHECK_INT(t, read.reaction, KB_REACTION_DISLIKED);
		CHECK_INT(t, read.reaction_user, 6);
		CHECK(t, read.reaction_updated_at > read.reaction_created_at);
		CHECK(t, read.reaction_created_at > 0);
		CHECK(t, kb_store_message_get(
		                 f.store, &f.arena,
		                 &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("s") },
		                 message.id, &read, &f.err));
	}
	CHECK(t,
	      kb_store_message_react(f.store, &f.arena,
	                             &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("s") },
	                             &(struct kb_message_reaction){ .message_id = message.id,
	                                                            .user_id = 6,
	                                                            .reacts = true,
	                                                            .reaction = KB_REACTION_NONE },
	                             &read, &f.err));
	CHECK_INT(t, read.reaction, KB_REACTION_NONE);
	CHECK_INT(t, read.reaction_user, 0);
	CHECK_INT(t, read.reaction_created_at, 0);
	fixture_fini(&f);
}

/* What was it is said beside the reaction, and neither touches the other. */
static void test_found(struct kb_test *t)
{
	static const struct {
		const char *name;
		struct kb_message_reaction given;
		int64_t page_id;
		enum kb_reaction reaction;
	} steps[] = {
		{ "a passage was it", { .finds = true, .found_page_id = 7 }, 7, KB_REACTION_NONE },
		{ "a reaction leaves it",
		  { .reacts = true, .reaction = KB_REACTION_LIKED },
		  7,
		  KB_REACTION_LIKED },
		{ "another one was it",
		  { .finds = true, .found_page_id = 9 },
		  9,
		  KB_REACTION_LIKED },
		{ "taken back", { .finds = true }, 0, KB_REACTION_LIKED },
	};
	struct kb_message message, read;
	struct kb_agent agent;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	message = fixture_say_to(&f, agent.id, "s", "q");
	for (size_t i = 0; i < KB_COUNTOF(steps); i++) {
		const struct kb_session session = { .agent_id = agent.id, .id = KB_SV("s") };
		struct kb_message_reaction given = steps[i].given;

		t->row = steps[i].name;
		given.message_id = message.id;
		CHECK(t, kb_store_message_react(f.store, &f.arena, &session, &given, &read, &f.err)
		                 && kb_store_message_get(f.store, &f.arena, &session, message.id,
		                                         &read, &f.err));
		CHECK_INT(t, read.found_page_id, steps[i].page_id);
		CHECK_INT(t, read.found_at != 0, steps[i].page_id != 0);
		CHECK_INT(t, read.reaction, steps[i].reaction);
	}
	fixture_fini(&f);
}

static void test_month(struct kb_test *t)
{
	struct kb_agent agent;
	struct fixture f;
	int64_t now, month, count;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	/* To the last second of a month, then over it. */
	CHECK(t, kb_time_parse(KB_SV("2031-12-31T23:59:30Z"), &month));
	now = kb_clock_now_us(&f.clock);
	kb_clock_advance(&f.clock, month - now);
	fixture_say_to(&f, agent.id, "s", "q");
	fixture_say_to(&f, agent.id, "s", "q");
	CHECK(t, kb_store_queries_this_month(f.store, f.account.id, &count, &f.err));
	CHECK_INT(t, count, 2);
	kb_clock_advance(&f.clock, 60 * KB_SECOND_US);
	CHECK(t, kb_store_queries_this_month(f.store, f.account.id, &count, &f.err));
	CHECK_INT(t, count, 0);
	fixture_say_to(&f, agent.id, "s", "q");
	CHECK(t, kb_store_queries_this_month(f.store, f.account.id, &count, &f.err));
	CHECK_INT(t, count, 1);
	CHECK(t, kb_store_queries_this_month(f.store, 999, &count, &f.err));
	CHECK_INT(t, count, 0);
	fixture_fini(&f);
}

/* What happens between a question and the storing of its answer. */
static void test_ahead(struct kb_test *t)
{
	enum what { NOTHING, CONVERSATION_GOES, AGENT_GOES };
	static const struct {
		const char *name;
		enum what what;
		bool stored, same; /* the answer, and into the same conversation */
	} rows[] = {
		{ "nothing", NOTHING, true, true },
		{ "the conversation was deleted", CONVERSATION_GOES, true, false },
		{ "the agent was deleted", AGENT_GOES, false, false },
	};
	struct fixture f;

	fixture_init(&f, t);
	for (size_t i = 0; kb_store_reads_ahead(f.store) && i < KB_COUNTOF(rows); i++) {
		struct kb_agent agent = fixture_agent(&f, "a");
		struct kb_session session = { .agent_id = agent.id,
			                      .id = KB_SV("s"),
			                      .account_id = f.account.id };
		struct kb_message first = fixture_say_to(&f, agent.id, "s", "first"), message = {
			.query = KB_SV("second"), .response = KB_SV("r"), .answered = true
		};
		struct kb_conversation conversation;
		struct kb_ahead ahead;
		int64_t before, after;
		bool stored;

		t->row = rows[i].name;
		NEED(&f, kb_store_read_ahead(f.store, &f.arena,
		                             &(struct kb_ahead_want){ .agent_id = agent.id,
		                                                      .session_id = session.id,
		                                                      .history = 10,
		                                                      .account_id = f.account.id },
		                             &ahead, &f.err));
		CHECK_INT(t, ahead.agent.id, agent.id);
		CHECK_INT(t, ahead.agent.index_version, agent.index_version);
		CHECK_INT(t, ahead.history.count, 1);
		CHECK_INT(t, ahead.conversation.id, first.conversation_id);
		CHECK(t, ahead.has_name && ahead.has_month && ahead.message_id > first.id);
		if (rows[i].what == CONVERSATION_GOES)
			NEED(&f, kb_store_conversation_delete(f.store, &session, &f.err));
		if (rows[i].what == AGENT_GOES)
			NEED(&f, kb_store_agent_delete(f.store, f.account.id, agent.id, &f.err));
		message.ahead = &ahead;
		before = ahead.month.queries;
		stored = kb_store_message_add(f.store, &f.arena, &session, &message, &conversation,
		                              &f.err);
		CHECK(t, stored == rows[i].stored);
		CHECK(t, stored || f.err.code == KB_E_NOT_FOUND);
		CHECK(t, kb_store_queries_this_month(f.store, f.account.id, &after, &f.err));
		CHECK_INT(t, after - before, stored);
		if (!stored)
			continue;
		CHECK(t, (message.conversation_id == first.conversation_id) == rows[i].same);
		CHECK_INT(t, message.id, ahead.message_id);
		CHECK_INT(t, conversation.id, message.conversation_id);
		NEED(&f, kb_store_message_get(f.store, &f.arena, &session, message.id, &message,
		                              &f.err));
		CHECK_SV(t, message.query, "second");
	}
	t->row = NULL;
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "history is the last messages, oldest first", test_history },
		{ "a message keeps its fields", test_fields },
		{ "a conversation is named by a person or its first prompt", test_names },
		{ "conversations and messages are listed", test_lists },
		{ "a reaction can be changed and cleared", test_reactions },
		{ "which closest passage was it", test_found },
		{ "queries are counted by the calendar month", test_month },
		{ "what was read with the question may have gone since", test_ahead },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
