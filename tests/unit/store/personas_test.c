/* Persona versions, overrides, generated texts and the pictures of settings. */
#include "store/personas.h"

#include "fixture.h"

static bool set_persona(void *arg, struct kb_arena *arena, const struct kb_agent *agent,
                        struct kb_settings_change *out, struct kb_err *err)
{
	(void)arena;
	(void)agent;
	(void)err;
	*out = *(const struct kb_settings_change *)arg;
	return true;
}

static void save(struct fixture *f, int64_t agent_id, struct kb_settings_change change)
{
	struct kb_agent after;

	if (!change.settings.p)
		change.settings = KB_SV("{}");
	NEED(f, kb_store_settings_update(f->store, &f->arena,
	                                 &(struct kb_settings_edit){ .account_id = f->account.id,
	                                                             .agent_id = agent_id,
	                                                             .change = set_persona,
	                                                             .arg = &change },
	                                 &after, &f->err));
}

static int64_t newest(struct fixture *f, int64_t agent_id, struct kb_persona *out)
{
	struct kb_persona_list personas;

	NEED(f, kb_store_persona_list(f->store, &f->arena, agent_id,
	                              &(struct kb_list){ 1, 1, false }, &personas, &f->err));
	CHECK_INT(f->t, personas.count, 1);
	*out = personas.v[0];
	return personas.total;
}

static void test_versions(struct kb_test *t)
{
	static const struct {
		const char *name, *text; /* NULL: no persona */
		bool always;
		int64_t version;
	} rows[] = {
		{ "no persona again makes none", NULL, false, 1 },
		{ "a text makes the next version", "one", false, 2 },
		{ "the same text makes none", "one", false, 2 },
		{ "another text makes the next", "two", false, 3 },
		{ "an older text makes a new version", "one", false, 4 },
		{ "an empty text is not none", "", false, 5 },
		{ "none is not an empty text", NULL, false, 6 },
		{ "an activation makes one in any case", NULL, true, 7 },
	};
	struct kb_persona persona;
	struct kb_agent agent;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	CHECK_INT(t, newest(&f, agent.id, &persona), 1);
	CHECK(t, !persona.instructions.p && persona.is_active);
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		save(&f, agent.id,
		     (struct kb_settings_change){ .persona = rows[i].text ? kb_sv_str(rows[i].text)
		                                                          : (struct kb_sv){ 0 },
		                                  .always_version = rows[i].always });
		CHECK_INT(t, newest(&f, agent.id, &persona), rows[i].version);
		CHECK_INT(t, persona.version, rows[i].version);
		CHECK(t, persona.is_active && persona.notes == KB_NOTES_PENDING);
		CHECK(t, !persona.instructions.p == !rows[i].text);
		CHECK_SV(t, persona.instructions, rows[i].text ? rows[i].text : "");
		fixture_sound(&f);
	}
	t->row = NULL;
	CHECK(t, kb_store_persona_get(f.store, &f.arena, agent.id, 3, &persona, &f.err));
	CHECK_SV(t, persona.instructions, "two");
	CHECK(t, !persona.is_active);
	CHECK(t, !kb_store_persona_get(f.store, &f.arena, agent.id, 8, &persona, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	CHECK_SV(t, kb_sv_str(f.err.msg), "Persona with version 8 not found");
	CHECK(t, kb_store_agent_delete(f.store, f.account.id, agent.id, &f.err));
	fixture_fini(&f);
}

static const struct kb_sub_persona notes[] = {
	{ .slug = KB_SV_INIT("a"), .title = KB_SV_INIT("A"), .instructions = KB_SV_INIT("text") },
	{ .slug = KB_SV_INIT("b"), .title = KB_SV_INIT("B") },
};

static void test_notes(struct kb_test *t)
{
	struct kb_sub_personas subs;
	struct kb_persona next;
	struct kb_agent agent, now;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	CHECK(t, kb_store_sub_personas(f.store, &f.arena, agent.id, 1, &subs, &f.err));
	CHECK(t, subs.is_generating && subs.generated.count == 0);
	CHECK(t, kb_store_notes_next(f.store, &f.arena, &next, &f.err));
	CHECK_INT(t, next.agent_id, agent.id);
	CHECK_INT(t, next.version, 1);
	CHECK(t, kb_store_notes_put(f.store,
	                            &(struct kb_notes_new){ .agent_id = agent.id,
	                                                    .version = 1,
	                                                    .index_version = 0,
	                                                    .v = notes,
	                                                    .count = 2 },
	                            &f.err));
	CHECK(t, kb_store_sub_personas(f.store, &f.arena, agent.id, 1, &subs, &f.err));
	CHECK(t, !subs.is_generating);
	CHECK_INT(t, subs.generated.count, 2);
	CHECK_SV(t, subs.generated.v[0].instructions, "text");
	CHECK(t, !subs.generated.v[1].instructions.p);
	CHECK_INT(t, subs.generated.v[0].version, 1);
	CHECK(t, kb_store_notes_next(f.store, &f.arena, &next, &f.err));
	CHECK_INT(t, next.version, 0);

	/* Documents change: the texts stay until new ones are made, once the queue is empty. */
	fixture_pages(&f, agent.id, 2);
	CHECK_INT(t, fixture_index(&f, 1), 1);
	CHECK(t, kb_store_notes_next(f.store, &f.arena, &next, &f.err));
	CHECK_INT(t, next.version, 0);
	CHECK_INT(t, fixture_index(&f, 1), 1);
	CHECK(t, kb_store_notes_next(f.store, &f.arena, &next, &f.err));
	CHECK_INT(t, next.version, 1);
	CHECK_INT(t, next.notes, KB_NOTES_STALE);
	CHECK(t, kb_store_sub_personas(f.store, &f.arena, agent.id, 1, &subs, &f.err));
	CHECK(t, !subs.is_generating && subs.generated.count == 2);

	/* Texts of an older state of the documents are stale at once, those of the present are not.
	 */
	CHECK(t, kb_store_notes_put(f.store,
	                            &(struct kb_notes_new){ .agent_id = agent.id,
	                                                    .version = 1,
	                                                    .index_version = 0,
	                                                    .v = notes,
	                                                    .count = 2 },
	                            &f.err));
	CHECK(t, kb_store_notes_next(f.store, &f.arena, &next, &f.err));
	CHECK_INT(t, next.version, 1);
	CHECK(t, kb_store_agent_get(f.store, &f.arena, f.account.id, agent.id, &now, &f.err));
	CHECK(t, kb_store_notes_put(f.store,
	                            &(struct kb_notes_new){ .agent_id = agent.id,
	                                                    .version = 1,
	                                                    .index_version = now.index_version,
	                                                    .v = notes,
	                                                    .count = 2 },
	                            &f.err));
	CHECK(t, kb_store_notes_next(f.store, &f.arena, &next, &f.err));
	CHECK_INT(t, next.version, 0);

	/* A pending version goes before all, survives a restart, and an agent gone is no failure.
	 */
	save(&f, agent.id, (struct kb_settings_change){ .persona = KB_SV("new") });
	fixture_reopen(&f);
	CHECK(t, kb_store_notes_next(f.store, &f.arena, &next, &f.err));
	CHECK_INT(t, next.version, 2);
	CHECK(t, kb_store_agent_delete(f.store, f.account.id, agent.id, &f.err));
	CHECK(t, kb_store_notes_put(f.store,
	                            &(struct kb_notes_new){ .agent_id = agent.id,
	                                                    .version = 2,
	                                                    .index_version = 0,
	                                                    .v = notes,
	                                                    .count = 2 },
	                            &f.err));
	fixture_fini(&f);
}

static void test_overrides(struct kb_test *t)
{
	struct kb_sub_persona one = notes[0];
	struct kb_sub_personas subs;
	struct kb_agent agent;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	CHECK(t, kb_store_override_put(f.store, agent.id, &one, &f.err));
	one.instructions = (struct kb_sv){ 0 };
	CHECK(t, kb_store_override_put(f.store, agent.id, &one, &f.err));
	CHECK(t, kb_store_sub_personas(f.store, &f.arena, agent.id, 1, &subs, &f.err));
	CHECK_INT(t, subs.overrides.count, 1);
	CHECK(t, !subs.overrides.v[0].instructions.p);
	one.instructions = KB_SV("");
	CHECK(t, kb_store_override_put(f.store, agent.id, &one, &f.err));
	CHECK(t, kb_store_sub_personas(f.store, &f.arena, agent.id, 1, &subs, &f.err));
	CHECK(t, subs.overrides.v[0].instructions.p && subs.overrides.v[0].instructions.n == 0);
	CHECK(t, kb_store_override_delete(f.store, agent.id, KB_SV("a"), &f.err));
	CHECK(t, kb_store_override_delete(f.store, agent.id, KB_SV("a"), &f.err));
	CHECK(t, kb_store_sub_personas(f.store, &f.arena, agent.id, 1, &subs, &f.err));
	CHECK_INT(t, subs.overrides.count, 0);
	CHECK(t, !kb_store_sub_personas(f.store, &f.arena, agent.id, 2, &subs, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	CHECK(t, !kb_store_override_put(f.store, agent.id + 1, &one, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	fixture_fini(&f);
}

static void test_images(struct kb_test *t)
{
	static const struct kb_sv first[] = { KB_SV_INIT("aa"), KB_SV_INIT("bb"),
		                              KB_SV_INIT("aa") };
	struct kb_agent agent;
	struct kb_sv *names;
	struct fixture f;
	bool known;
	size_t count;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	save(&f, agent.id, (struct kb_settings_change){ .images = first, .image_count = 3 });
	CHECK(t, kb_store_blob_names(f.store, &f.arena, &names, &count, NULL, &f.err));
	CHECK_INT(t, count, 2);
	CHECK(t, kb_store_agent_image(f.store, agent.id, KB_SV("bb"), &known, &f.err) && known);
	CHECK(t,
	      kb_store_agent_image(f.store, agent.id + 1, KB_SV("bb"), &known, &f.err) && !known);
	save(&f, agent.id, (struct kb_settings_change){ .images = first, .image_count = 1 });
	CHECK(t, kb_store_agent_image(f.store, agent.id, KB_SV("bb"), &known, &f.err) && !known);
	CHECK(t, kb_store_agent_delete(f.store, f.account.id, agent.id, &f.err));
	fixture_remove_rows(&f);
	CHECK(t, kb_store_blob_names(f.store, &f.arena, &names, &count, NULL, &f.err));
	CHECK_INT(t, count, 0);
	fixture_fini(&f);
}

static void test_foreign(struct kb_test *t)
{
	struct kb_settings_change change = { .settings = KB_SV("{\"x\":1}"),
		                             .persona = KB_SV("p") };
	struct kb_persona persona;
	struct kb_agent agent, after;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	CHECK(t,
	      !kb_store_settings_update(f.store, &f.arena,
	                                &(struct kb_settings_edit){ .account_id = f.account.id + 1,
	                                                            .agent_id = agent.id,
	                                                            .change = set_persona,
	                                                            .arg = &change },
	                                &after, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	CHECK_INT(t, newest(&f, agent.id, &persona), 1);
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a changed text makes the next version", test_versions },
		{ "generated texts are pending, made, stale and made again", test_notes },
		{ "an override may be null, blank or gone", test_overrides },
		{ "the settings' pictures are known blobs", test_images },
		{ "a stranger changes nothing", test_foreign },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
