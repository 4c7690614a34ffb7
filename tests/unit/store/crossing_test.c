/* Nothing is reached through a foreign parent: every call with a second account's ids finds nothing
 * and changes nothing, with the same error as for what does not exist. */
#include "fixture.h"
#include "store/vectors.h"

/* The first account's records, and what the second one calls them through. */
struct cross {
	struct fixture f;
	struct kb_account stranger;
	struct kb_agent victim; /* of the first account */
	int64_t agent_id;       /* the agent named in the call: the stranger's, or none */
	int64_t page_id, message_id, segment_id;
	struct kb_lease lease;
};

enum outcome { MISSING, NOTHING, REFUSED };

#define S c->f.store
#define A &c->f.arena
#define E &c->f.err

static bool agent_get(struct cross *c, size_t *count)
{
	struct kb_agent agent;

	(void)count;
	return kb_store_agent_get(S, A, c->stranger.id, c->victim.id, &agent, E);
}

static bool no_change(void *arg, struct kb_arena *arena, struct kb_agent *agent, struct kb_err *err)
{
	(void)arena;
	(void)agent;
	(void)err;
	*(bool *)arg = true;
	return true;
}

static bool agent_update(struct cross *c, size_t *count)
{
	struct kb_agent agent;
	bool called = false, ok;

	(void)count;
	ok = kb_store_agent_update(S, A,
	                           &(struct kb_agent_edit){ .account_id = c->stranger.id,
	                                                    .id = c->victim.id,
	                                                    .change = no_change,
	                                                    .arg = &called },
	                           &agent, E);
	CHECK(c->f.t, !called);
	return ok;
}

static bool agent_delete(struct cross *c, size_t *count)
{
	(void)count;
	return kb_store_agent_delete(S, c->stranger.id, c->victim.id, E);
}

static bool agent_list(struct cross *c, size_t *count)
{
	struct kb_agent_list list;
	bool ok = kb_store_agent_list(S, A, c->stranger.id,
	                              &(struct kb_agent_filter){ .only = &c->victim.id,
	                                                         .only_count = 1,
	                                                         .list = { 1, 10, true } },
	                              &list, E);

	*count += list.count + (size_t)list.total;
	return ok;
}

static bool key_for_agent(struct cross *c, size_t *count)
{
	char text[KB_KEY_TEXT];

	(void)count;
	return kb_store_key_create(
	        S, &(struct kb_key_new){ c->stranger.id, 0, KB_SV(""), &c->victim.id, 1 }, text, E);
}

static bool page_get(struct cross *c, size_t *count)
{
	struct kb_page page;

	(void)count;
	return kb_store_page_get(S, A, c->agent_id, c->page_id, &page, E);
}

static bool pages_get(struct cross *c, size_t *count)
{
	struct kb_page page;
	bool ok = kb_store_pages_get(S, A, &(struct kb_page_ids){ c->agent_id, &c->page_id, 1 },
	                             &page, E);

	*count += page.id != 0;
	return ok;
}

static bool page_find(struct cross *c, size_t *count)
{
	struct kb_page page;

	(void)count;
	return kb_store_page_find(S, A, c->stranger.id, c->page_id, &page, E);
}

static bool page_list(struct cross *c, size_t *count)
{
	struct kb_page_list list;
	bool ok = kb_store_page_list(
	        S, A, c->agent_id,
	        &(struct kb_page_filter){ .list = { 1, 10, true }, KB_SV(""), -1, -1 }, &list, E);

	*count += list.count + (size_t)list.total;
	return ok;
}

static bool page_delete(struct cross *c, size_t *count)
{
	(void)count;
	return kb_store_page_delete(S, c->agent_id, c->page_id, E);
}

static bool page_requeue(struct cross *c, size_t *count)
{
	(void)count;
	return kb_store_page_requeue(S, c->agent_id, c->page_id, E);
}

static bool page_metadata(struct cross *c, size_t *count)
{
	struct kb_page page;

	(void)count;
	return kb_store_page_set_metadata(S, A,
	                                  &(struct kb_page_metadata){ .agent_id = c->agent_id,
	                                                              .page_id = c->page_id,
	                                                              .title = KB_SV("mine") },
	                                  &page, E);
}

static bool page_add_to_source(struct cross *c, size_t *count)
{
	struct kb_source source;
	int64_t first;

	(void)count;
	NEED(&c->f, kb_store_source_upload(S, A, c->victim.id, &source, E));
	return kb_store_pages_add(S, c->agent_id, &(struct kb_page_new){ .source_id = source.id },
	                          1, &first, E);
}

static bool pages_finish(struct cross *c, size_t *count)
{
	struct kb_page_result result = fixture_result(&c->lease);
	struct kb_index_state state;
	bool ok = kb_store_pages_finish(S, c->agent_id, &result, 1, &fixture_segment, E);

	*count = 0;
	if (ok) {
		NEED(&c->f, kb_store_index_state(S, A, c->agent_id, &state, E));
		*count = state.segment_count;
	}
	return ok;
}

static bool segments_merge(struct cross *c, size_t *count)
{
	(void)count;
	return kb_store_segments_merge(S, c->agent_id,
	                               &(struct kb_merged){ .version = 0,
	                                                    .old_ids = &c->segment_id,
	                                                    .old_count = 1,
	                                                    .segment = fixture_segment },
	                               E);
}

static bool vectors_put(struct cross *c, size_t *count)
{
	(void)count;
	return kb_store_vectors_put(S, c->agent_id,
	                            &(struct kb_vectors_new){ .segment_id = c->segment_id,
	                                                      .name = KB_SV("lsi"),
	                                                      .blob = KB_SV("dd") },
	                            E);
}

static bool vectors_missing(struct cross *c, size_t *count)
{
	struct kb_vectors_want want = {
		.name = KB_SV("lsi"), .model = KB_SV("m"), .agent_id = c->agent_id, .limit = 9
	};
	struct kb_vectors_missing *v;

	return kb_store_vectors_missing(S, A, &want, &v, count, E);
}

static bool conversation_get(struct cross *c, size_t *count)
{
	struct kb_conversation conversation;

	(void)count;
	return kb_store_conversation_get(
	        S, A, &(struct kb_session){ .agent_id = c->agent_id, .id = KB_SV("s") },
	        &conversation, E);
}

static bool conversation_rename(struct cross *c, size_t *count)
{
	struct kb_conversation conversation;

	(void)count;
	return kb_store_conversation_rename(
	        S, A, &(struct kb_session){ .agent_id = c->agent_id, .id = KB_SV("s") }, KB_SV("x"),
	        &conversation, E);
}

static bool conversation_delete(struct cross *c, size_t *count)
{
	(void)count;
	return kb_store_conversation_delete(
	        S, &(struct kb_session){ .agent_id = c->agent_id, .id = KB_SV("s") }, E);
}

static bool conversation_list(struct cross *c, size_t *count)
{
	struct kb_conversation_list list;
	bool ok = kb_store_conversation_list(
	        S, A, c->agent_id, &(struct kb_conversation_filter){ .list = { 1, 10, true } },
	        &list, E);

	*count += list.count + (size_t)list.total;
	return ok;
}

static bool message_get(struct cross *c, size_t *count)
{
	struct kb_message message;

	(void)count;
	return kb_store_message_get(
	        S, A, &(struct kb_session){ .agent_id = c->agent_id, .id = KB_SV("s") },
	        c->message_id, &message, E);
}

/* The right agent, but another of its sessions. */
static bool message_get_elsewhere(struct cross *c, size_t *count)
{
	struct kb_message message;

	(void)count;
	return kb_store_message_get(
	        S, A, &(struct kb_session){ .agent_id = c->victim.id, .id = KB_SV("other") },
	        c->message_id, &message, E);
}

static bool message_list(struct cross *c, size_t *count)
{
	struct kb_transcript said;

	(void)count;
	return kb_store_message_list(
	        S, A, &(struct kb_session){ .agent_id = c->agent_id, .id = KB_SV("s") },
	        &(struct kb_list){ 1, 10, true }, &said, E);
}

static bool message_history(struct cross *c, size_t *count)
{
	struct kb_message_list messages = { 0 };
	bool ok = kb_store_message_history(
	        S, A, &(struct kb_session){ .agent_id = c->agent_id, .id = KB_SV("s") },
	        &(struct kb_history_want){ .since = 0, .limit = 10 }, &messages, E);

	*count += messages.count;
	return ok;
}

static bool message_react(struct cross *c, size_t *count)
{
	struct kb_message message;

	(void)count;
	return kb_store_message_react(
	        S, A, &(struct kb_session){ .agent_id = c->agent_id, .id = KB_SV("s") },
	        &(struct kb_message_reaction){ .message_id = c->message_id,
	                                       .user_id = 1,
	                                       .reacts = true,
	                                       .reaction = KB_REACTION_LIKED },
	        &message, E);
}

static bool index_state(struct cross *c, size_t *count)
{
	struct kb_index_state state;
	bool ok = kb_store_index_state(S, A, c->agent_id, &state, E);

	*count = ok ? state.segment_count + state.dead_count : 0;
	return ok || c->f.err.code == KB_E_NOT_FOUND; /* of no agent */
}

static bool stats(struct cross *c, size_t *count)
{
	struct kb_agent_stats out = { 0 };
	bool ok = kb_store_agent_stats(S, c->agent_id, &out, E);

	*count = (size_t)(out.pages_found + out.queries);
	return ok || c->f.err.code == KB_E_NOT_FOUND;
}

static const struct {
	const char *name;
	bool (*call)(struct cross *c, size_t *count);
	enum outcome want;
} calls[] = {
	{ "agent_get", agent_get, MISSING },
	{ "agent_update", agent_update, MISSING },
	{ "agent_delete", agent_delete, MISSING },
	{ "agent_list", agent_list, NOTHING },
	{ "agent_stats", stats, NOTHING },
	{ "key_create", key_for_agent, MISSING },
	{ "page_get", page_get, MISSING },
	{ "pages_get", pages_get, NOTHING },
	{ "page_find", page_find, MISSING },
	{ "page_list", page_list, NOTHING },
	{ "page_delete", page_delete, MISSING },
	{ "page_requeue", page_requeue, MISSING },
	{ "page_set_metadata", page_metadata, MISSING },
	{ "pages_add to a foreign source", page_add_to_source, MISSING },
	{ "conversation_get", conversation_get, MISSING },
	{ "conversation_rename", conversation_rename, MISSING },
	{ "conversation_delete", conversation_delete, MISSING },
	{ "conversation_list", conversation_list, NOTHING },
	{ "message_get", message_get, MISSING },
	{ "message_get through another session", message_get_elsewhere, MISSING },
	{ "message_list", message_list, MISSING },
	{ "message_history", message_history, NOTHING },
	{ "message_react", message_react, MISSING },
	{ "index_state", index_state, NOTHING },
	{ "segments_merge", segments_merge, REFUSED },
	{ "vectors_put", vectors_put, REFUSED },
	{ "vectors_missing", vectors_missing, NOTHING },
	{ "pages_finish", pages_finish, REFUSED },
};

static void setup(struct cross *c, struct kb_test *t)
{
	struct kb_index_state state;
	struct kb_leases leases;

	fixture_init(&c->f, t);
	NEED(&c->f, kb_store_account_ensure(S, A, KB_SV("two"), KB_SV(""), &c->stranger, E));
	c->victim = fixture_agent(&c->f, "victim");
	c->page_id = fixture_pages(&c->f, c->victim.id, 1);
	fixture_index(&c->f, 1);
	NEED(&c->f, kb_store_index_state(S, A, c->victim.id, &state, E));
	c->segment_id = state.segments[0].id;
	fixture_pages(&c->f, c->victim.id, 1);
	NEED(&c->f,
	     kb_store_pages_lease(
	             S, A, &(struct kb_lease_want){ .max = 1, .lease_us = 60 * KB_SECOND_US },
	             &leases, E));
	c->lease = leases.v[0];
	c->message_id = fixture_say_to(&c->f, c->victim.id, "s", "q").id;
	fixture_say_to(&c->f, c->victim.id, "other", "q");
}

/* Everything of the victim, as one text. */
static struct kb_sv picture(struct cross *c)
{
	struct kb_conversation conversation;
	struct kb_index_state state;
	struct kb_message message;
	struct kb_agent agent;
	struct kb_page page;
	bool held;

	NEED(&c->f, kb_store_agent_find(S, A, c->victim.id, &agent, E));
	NEED(&c->f, kb_store_page_get(S, A, c->victim.id, c->page_id, &page, E));
	NEED(&c->f,
	     kb_store_conversation_get(
	             S, A, &(struct kb_session){ .agent_id = c->victim.id, .id = KB_SV("s") },
	             &conversation, E));
	NEED(&c->f,
	     kb_store_message_get(
	             S, A, &(struct kb_session){ .agent_id = c->victim.id, .id = KB_SV("s") },
	             c->message_id, &message, E));
	NEED(&c->f, kb_store_index_state(S, A, c->victim.id, &state, E));
	NEED(&c->f, kb_store_pages_held(S, &c->lease, 1, &held, E));
	return kb_arena_printf(A, "%s %s %d %d %s %s %d %d %zu %zu %zu %d", agent.name.p,
	                       page.title.p, page.index, page.meta_title.p != NULL,
	                       conversation.name.p, message.query.p, message.reaction,
	                       (int)state.version, state.segment_count, state.dead_count,
	                       state.vectors_count, held);
}

static void test_crossing(struct kb_test *t)
{
	struct cross c = { 0 };
	int64_t through[2];
	struct kb_sv before;

	setup(&c, t);
	through[0] = fixture_agent_of(&c.f, c.stranger.id, "stranger's").id;
	through[1] = 999; /* no agent at all */
	before = picture(&c);
	for (size_t i = 0; i < 2 * KB_COUNTOF(calls); i++) {
		size_t which = i / 2, count = 0;
		bool ok;

		c.agent_id = through[i % 2];
		t->row = calls[which].name;
		c.f.err.code = KB_OK;
		ok = calls[which].call(&c, &count);
		if (calls[which].want == MISSING) {
			CHECK(t, !ok);
			CHECK_INT(t, c.f.err.code, KB_E_NOT_FOUND);
		} else if (calls[which].want == NOTHING) {
			CHECK(t, ok);
			CHECK_INT(t, count, 0);
		} else {
			CHECK(t, !ok || count == 0);
		}
		CHECK_SV(t, picture(&c), before.p);
	}
	t->row = NULL;
	fixture_fini(&c.f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "every call with foreign ids finds nothing", test_crossing },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
