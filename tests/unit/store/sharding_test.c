/*
 * What docs/decisions/2026-11-25-sharding.md says of the tables: those of an agent have agent_id
 * first in their key, in what they refer to, and in their indexes; the others are named here, with
 * what an engine of many shards would do with them. A new table or index that is neither fails.
 */
#include <sqlite3.h>

#include "db/db.h"
#include "test.h"

enum kind {
	AGENT = 1, /* agent_id first, or id of agents */
	ACCOUNT,   /* account_id first, or id of accounts: a reference table, or one of their own */
	VALUE,     /* by what is looked for, which spreads by itself; look-up tables too */
	FEW,       /* some rows in all: a reference table */
};

/* Tables whose key does not begin with agent_id. */
static const struct {
	const char *name;
	enum kind kind;
} others[] = {
	{ "account_handles", VALUE },
	{ "account_months", ACCOUNT },
	{ "accounts", ACCOUNT },
	{ "agent_slugs", VALUE },
	{ "agents", AGENT },
	{ "api_keys", ACCOUNT },
	{ "audit", VALUE },
	{ "audit_heads", FEW },
	{ "backup_calendar", FEW },
	{ "backups", FEW },
	{ "blob_sweep", FEW },
	{ "blobs", VALUE },
	{ "commits", VALUE },
	{ "directory_groups", ACCOUNT },
	{ "directory_members", VALUE },
	{ "directory_tokens", ACCOUNT },
	{ "directory_users", ACCOUNT },
	{ "guesses", VALUE },
	{ "hosts", VALUE },
	{ "installation", FEW },
	{ "kept_models", FEW },
	{ "license_keys", VALUE },
	{ "moves", FEW },
	{ "nodes", FEW },
	{ "page_views", VALUE },
	{ "people", ACCOUNT },
	{ "probes", FEW },
	{ "programs", VALUE },
	{ "robots", VALUE },
	{ "schema_migrations", FEW },
	{ "shares", ACCOUNT },
	{ "sign_in_attempts", VALUE },
	{ "sign_in_links", VALUE },
	{ "sign_ins", VALUE },
	{ "strays", VALUE },
	{ "talk_link_hashes", VALUE },
	{ "upkeep", FEW },
	{ "visits", VALUE },
};

/* Indexes of an agent's tables that do not begin with agent_id: they are asked of all shards. Those
 * that begin with a time or an id grow at one end. */
static const char *const across[] = {
	"agents_by_account",       /* account_id */
	"agents_hidden",           /* a state, of few agents */
	"answers_by_lease",        /* a time */
	"audit_by_account",        /* account_id */
	"chores_due",              /* a time */
	"conflicts_wanted",        /* a time */
	"deleted_pages_by_blob",   /* a blob */
	"deleted_pages_by_parsed", /* a blob */
	"deleted_pages_by_text",   /* a blob */
	"deleted_pages_gone",      /* a time */
	"openings_wanted",         /* a time */
	"pages_by_id",             /* an id */
	"pages_host_agents",       /* a host */
	"pages_hosts",             /* a host */
	"personas_notes",          /* a state, then the agent */
	"programs_by_access",      /* a hash */
	"programs_by_account",     /* account_id */
	"programs_by_code",        /* a hash */
	"programs_by_end",         /* a time */
	"repairs_due",             /* a time */
	"sources_due",             /* a time */
	"sources_leased",          /* a node */
	"turns_by_account",        /* account_id */
	"visitors_busy",           /* an address */
	"visitors_by_age",         /* a time */
	"visitors_by_id",          /* an id */
};

static enum kind kind_of(const char *table)
{
	for (size_t i = 0; i < KB_COUNTOF(others); i++)
		if (strcmp(others[i].name, table) == 0)
			return others[i].kind;
	return AGENT;
}

static bool is_named(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

static sqlite3 *newest(struct kb_test *t)
{
	sqlite3 *db;

	CHECK(t, sqlite3_open(":memory:", &db) == SQLITE_OK);
	CHECK(t, sqlite3_exec(db, kb_sql_migrate.rows[0].text, NULL, NULL, NULL) == SQLITE_OK);
	for (size_t i = 0; i < kb_migration_count; i++)
		CHECK(t, !kb_migration_is_for(&kb_migrations[i], &kb_driver_sqlite)
		                 || sqlite3_exec(db, kb_migrations[i].text, NULL, NULL, NULL)
		                            == SQLITE_OK);
	return db;
}

/* Each row of the query: its first text and its second. */
static size_t each(struct kb_test *t, sqlite3 *db, const char *query,
                   void (*look)(struct kb_test *t, const char *one, const char *two))
{
	sqlite3_stmt *stmt;
	size_t count = 0;

	CHECK(t, sqlite3_prepare_v2(db, query, -1, &stmt, NULL) == SQLITE_OK);
	for (; sqlite3_step(stmt) == SQLITE_ROW; count++) {
		const char *one = (const char *)sqlite3_column_text(stmt, 0);
		const char *two = (const char *)sqlite3_column_text(stmt, 1);

		t->row = one;
		look(t, one, two ? two : "");
	}
	sqlite3_finalize(stmt);
	t->row = NULL;
	return count;
}

static void look_at_key(struct kb_test *t, const char *table, const char *first)
{
	bool is_named_here = false;

	for (size_t i = 0; i < KB_COUNTOF(others); i++)
		is_named_here |= strcmp(others[i].name, table) == 0;
	CHECK(t, (strcmp(first, "agent_id") == 0) == !is_named_here);
	if (kind_of(table) == ACCOUNT && strcmp(first, "account_id") != 0)
		CHECK(t, strcmp(first, "id") == 0);
}

static void look_at_reference(struct kb_test *t, const char *table, const char *other)
{
	CHECK(t, kind_of(table) == AGENT && kind_of(other) == AGENT);
}

/* Rows of an agent refer to rows of the same one. */
static void look_at_column(struct kb_test *t, const char *from, const char *to)
{
	CHECK(t, strcmp(from, "agent_id") == 0);
	CHECK(t, strcmp(to, "agent_id") == 0 || strcmp(to, "id") == 0 || !*to);
}

static void look_at_index(struct kb_test *t, const char *index, const char *first)
{
	CHECK(t, (strcmp(first, "agent_id") == 0) == !is_named(across, KB_COUNTOF(across), index));
}

static void test_tables(struct kb_test *t)
{
	sqlite3 *db = newest(t);

	CHECK(t, each(t, db,
	              "SELECT m.name, p.name FROM sqlite_master m JOIN pragma_table_info(m.name) p "
	              "ON p.pk = 1 WHERE m.type = 'table'",
	              look_at_key)
	                 > 40);
	sqlite3_close(db);
}

static void test_references(struct kb_test *t)
{
	sqlite3 *db = newest(t);

	CHECK(t, each(t, db,
	              "SELECT DISTINCT m.name, f.\"table\" FROM sqlite_master m "
	              "JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'",
	              look_at_reference)
	                 > 20);
	each(t, db,
	     "SELECT f.\"from\", f.\"to\" FROM sqlite_master m "
	     "JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table' AND f.seq = 0",
	     look_at_column);
	sqlite3_close(db);
}

static void test_indexes(struct kb_test *t)
{
	sqlite3 *db = newest(t);

	each(t, db,
	     "SELECT i.name, coalesce(c.name, x.sql) FROM sqlite_master m "
	     "JOIN pragma_index_list(m.name) i JOIN sqlite_master x ON x.name = i.name "
	     "JOIN pragma_index_info(i.name) c ON c.seqno = 0 WHERE m.type = 'table' "
	     "AND i.origin = 'c' AND (m.name = 'agents' OR EXISTS (SELECT 1 "
	     "FROM pragma_table_info(m.name) p WHERE p.name = 'agent_id'))",
	     look_at_index);
	sqlite3_close(db);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a table is led by its agent, or named with what it is", test_tables },
		{ "an agent's rows refer to rows of the same agent alone", test_references },
		{ "an index of an agent's table is led by it, or named", test_indexes },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
