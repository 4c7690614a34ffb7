/* What of an answer's surroundings the store knows: where it may lead, and who asks. An outage is
 * told from knowing nothing, or true links would be cut in silence. */
#include "write/sources.h"

#include "../store/raw.h"

struct asked {
	struct kb_agent agent;
	struct kb_settings settings;
	struct kb_answer_request request;
};

static void ask(struct fixture *f, struct asked *out)
{
	out->agent = fixture_agent(f, "a");
	kb_settings_defaults(&out->settings);
	out->settings.persona_instructions = KB_SV("You help visitors of https://owner.example/.");
	out->request = (struct kb_answer_request){ .agent = &out->agent,
		                                   .settings = &out->settings,
		                                   .account_id = f->account.id };
}

static void test_places(struct kb_test *t)
{
	static const struct {
		const char *address;
		bool allowed;
	} rows[] = {
		{ "https://owner.example/contact", true },
		{ "https://site.example/tower/visit", true },
		{ "https://site.example/lamp", false },
		{ "https://named.example/x", true },
		{ "https://stranger.example/", false },
	};
	struct fixture f;
	struct asked asked;
	struct kb_named *places;
	struct kb_excerpt excerpts[2] = {
		{ .text = KB_SV("See https://named.example/x for more.") },
		{ .text = KB_SV("A file of the message."), .page_id = -1 },
	};

	fixture_init(&f, t);
	ask(&f, &asked);
	excerpts[0].page_id = fixture_pages(&f, asked.agent.id, 1);
	raw_run(&f, "UPDATE pages SET url = 'https://site.example/tower'");
	CHECK(t, kb_sources_places(f.store, &f.arena, &asked.request,
	                           &(struct kb_sources){ excerpts, KB_COUNTOF(excerpts) }, &places,
	                           &f.err));
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].address;
		CHECK_INT(t, kb_named_allow(places, kb_sv_str(rows[i].address), false),
		          rows[i].allowed);
	}
	t->row = "a store that fails";
	raw_run(&f, "ALTER TABLE pages RENAME TO away");
	CHECK(t, !kb_sources_places(f.store, &f.arena, &asked.request,
	                            &(struct kb_sources){ excerpts, KB_COUNTOF(excerpts) }, &places,
	                            &f.err));
	raw_run(&f, "ALTER TABLE away RENAME TO pages");
	fixture_fini(&f);
}

static void test_asker(struct kb_test *t)
{
	struct fixture f;
	struct asked asked;
	struct kb_sv name;

	fixture_init(&f, t);
	ask(&f, &asked);
	asked.settings.user_awareness = true;
	t->row = "an account";
	CHECK(t, kb_answer_asker(f.store, &f.arena, &asked.request, &name, &f.err));
	CHECK_SV(t, name, "one");
	t->row = "one that is gone";
	asked.request.account_id += 1000;
	CHECK(t, kb_answer_asker(f.store, &f.arena, &asked.request, &name, &f.err));
	CHECK_SV(t, name, "");
	asked.request.account_id -= 1000;
	t->row = "a store that fails";
	raw_run(&f, "ALTER TABLE accounts RENAME TO away");
	CHECK(t, !kb_answer_asker(f.store, &f.arena, &asked.request, &name, &f.err));
	t->row = "where it is not for the agent, nobody asks the store";
	asked.settings.user_awareness = false;
	CHECK(t, kb_answer_asker(f.store, &f.arena, &asked.request, &name, &f.err));
	CHECK_SV(t, name, "");
	t->row = "a visitor's name, on one line";
	asked.settings.user_awareness = true;
	asked.request.account_id = 0;
	asked.request.asker = KB_SV("Ada\nLovelace");
	CHECK(t, kb_answer_asker(f.store, &f.arena, &asked.request, &name, &f.err));
	CHECK_SV(t, name, "Ada Lovelace");
	raw_run(&f, "ALTER TABLE away RENAME TO accounts");
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "where an answer may lead", test_places },
		{ "who asks", test_asker },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
