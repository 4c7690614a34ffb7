/*
 * A node that goes on while a newer program brings the schema up to date: what a migration may do
 * is add, and the statements of the older program, prepared long before, are as right as ever. On
 * SQLite that is one connection beside another.
 */
#include "raw.h"

enum { NEWER = 9999 };

/* What an addition can be: a column of each table there is, a table, an index. */
static void newer_schema(struct fixture *f)
{
	struct kb_sv tables = raw_agent_tables(f), name, script = KB_SV("BEGIN; ");

	while (kb_sv_split(&tables, ' ', &name))
		if (name.n)
			script = kb_arena_printf(
			        &f->arena,
			        "%.*s ALTER TABLE %.*s ADD COLUMN newer BIGINT NOT NULL DEFAULT 7;",
			        KB_SV_ARG(script), KB_SV_ARG(name));
	script = kb_arena_printf(
	        &f->arena,
	        "%.*s CREATE TABLE newer (id BIGINT PRIMARY KEY, agent_id BIGINT NOT NULL "
	        "REFERENCES agents (id)); CREATE INDEX pages_newer ON pages (agent_id, newer); "
	        "INSERT INTO schema_migrations (version, name, applied_at) VALUES (%d, 'newer', "
	        "0); "
	        "COMMIT",
	        KB_SV_ARG(script), NEWER);
	raw_run(f, script.p);
}

/* Some of everything, so that its statements are prepared, or used again. */
static void use(struct fixture *f, int64_t agent_id, int round)
{
	struct kb_index_state state;
	struct kb_agent agent;
	int64_t first;

	first = fixture_pages(f, agent_id, 3);
	CHECK_INT(f->t, fixture_index(f, 10), 3);
	NEED(f, kb_store_index_state(f->store, &f->arena, agent_id, &state, &f->err));
	CHECK_INT(f->t, state.segment_count, round);
	NEED(f, kb_store_page_requeue(f->store, agent_id, first, &f->err));
	NEED(f, kb_store_page_delete(f->store, agent_id, first + 1, &f->err));
	CHECK_INT(f->t, fixture_index(f, 10), 1);
	fixture_say_to(f, agent_id, "one session", "q");
	NEED(f, kb_store_agent_get(f->store, &f->arena, f->account.id, agent_id, &agent, &f->err));
	agent = fixture_agent(f, "another");
	NEED(f, kb_store_agent_delete(f->store, f->account.id, agent.id, &f->err));
	fixture_remove_rows(f);
	fixture_sound(f);
}

static void test_beside(struct kb_test *t)
{
	struct kb_agent agent;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	use(&f, agent.id, 1);
	newer_schema(&f);
	/* A segment a call of fixture_index(). */
	use(&f, agent.id, 3);
	CHECK_INT(t, raw_int(&f, "SELECT count(*) FROM messages WHERE newer = 7"), 2);
	CHECK_INT(t, raw_int(&f, "SELECT count(*) FROM pages WHERE newer = 7"), 4);
	fixture_fini(&f);
}

/* It may go on, but not begin: what the newer one wrote may be more than it understands. */
static void test_refused(struct kb_test *t)
{
	struct fixture f;

	fixture_init(&f, t);
	newer_schema(&f);
	kb_store_close(f.store);
	f.store = kb_store_open(f.at, false, &f.clock, NULL, &f.err);
	CHECK(t, !f.store);
	CHECK_INT(t, f.err.code, KB_E_UNSUPPORTED);
	CHECK(t, strstr(f.err.msg, "use the newer program") != NULL);
	kb_arena_fini(&f.arena);
	fixture_remove(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "an older program goes on while a newer one adds to the schema", test_beside },
		{ "an older program does not begin on a newer schema", test_refused },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
