/* What an agent takes along: each table and column of the schema is known to who brings it. */
#include <sqlite3.h>
#include <string.h>

#include "fixture.h"
#include "store/parcel.h"
#include "store/parcel_tables.h"

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

/* Calls look for each table and column. */
static size_t each(struct kb_test *t, size_t (*look)(struct kb_test *t, struct kb_sv table,
                                                     struct kb_sv column, bool is_number))
{
	sqlite3 *db = newest(t);
	sqlite3_stmt *stmt;
	size_t sum = 0;

	CHECK(t, sqlite3_prepare_v2(db,
	                            "SELECT m.name, c.name, c.type FROM sqlite_master m, "
	                            "pragma_table_info(m.name) c WHERE m.type = 'table' "
	                            "AND m.name NOT LIKE 'sqlite%'",
	                            -1, &stmt, NULL)
	                 == SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW)
		sum += look(t, kb_sv_str((const char *)sqlite3_column_text(stmt, 0)),
		            kb_sv_str((const char *)sqlite3_column_text(stmt, 1)),
		            strcmp((const char *)sqlite3_column_text(stmt, 2), "BIGINT") == 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return sum;
}

/* Kept of agents that are gone, too. */
static bool is_of_others(struct kb_sv table)
{
	return kb_sv_eq(table, KB_SV("audit"));
}

static size_t look_table(struct kb_test *t, struct kb_sv table, struct kb_sv column, bool is_number)
{
	(void)is_number;
	if (!kb_sv_eq(column, KB_SV("agent_id")) || is_of_others(table))
		return 0;
	if (kb_parcel_use(table) == KB_PARCEL_NO_AGENT)
		kb_test_fail(t, __FILE__, __LINE__, table.p);
	return 1;
}

static void test_tables(struct kb_test *t)
{
	CHECK(t, each(t, look_table) > 40);
	CHECK(t, kb_parcel_use(KB_SV("agents")) == KB_PARCEL_COMES);
	CHECK(t, kb_parcel_use(KB_SV("accounts")) == KB_PARCEL_NO_AGENT);
}

static bool ends(struct kb_sv name, const char *with)
{
	size_t n = strlen(with);

	return name.n >= n && memcmp(name.p + name.n - n, with, n) == 0;
}

/* Columns with a name of an id or a blob are no plain ones. */
static size_t look_column(struct kb_test *t, struct kb_sv table, struct kb_sv column,
                          bool is_number)
{
	enum kb_parcel_use use = kb_parcel_use(table);
	enum kb_parcel_kind kind = kb_parcel_rule(table, column).kind;
	static const char *const names[] = { "_id", "blob", "lease_node", "_by", "user" };

	if (use != KB_PARCEL_COMES && use != KB_PARCEL_OF_TALKS)
		return 0;
	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (ends(column, names[i]) && kind == KB_PARCEL_PLAIN && !ends(column, "checked_by")
		    && !ends(column, "session_id") && !ends(column, "external_id"))
			kb_test_fail(t, __FILE__, __LINE__, column.p);
	if (kind == KB_PARCEL_BLOB || kind == KB_PARCEL_HASH || kind == KB_PARCEL_PAGES
	    || kind == KB_PARCEL_DETAILS || kind == KB_PARCEL_OBJECT || kind == KB_PARCEL_NOTHING)
		CHECK(t, !is_number);
	else if (kind != KB_PARCEL_PLAIN)
		CHECK(t, is_number);
	return kind != KB_PARCEL_PLAIN && !kb_sv_eq(column, KB_SV("agent_id"));
}

static void test_columns(struct kb_test *t)
{
	CHECK_INT(t, (int64_t)each(t, look_column), (int64_t)kb_parcel_rule_count);
}

/* ---- rows that no store writes ---- */

#define NAME      "00a4567890123456789012345678901234567890123456789012345678901234"
#define NUMBER(n) kb_int(n)
#define TEXT(s)   kb_nullable(KB_SV(s))
enum { COLUMNS = 4 };

// clang-format off
static const struct {
	const char *name, *table, *columns[COLUMNS], *letters;
	int64_t numbers[COLUMNS];
	const char *texts[COLUMNS];
	enum kb_errc code; /* KB_OK: it is taken */
} foreign[] = {
	{ "a page is taken", "pages", { "agent_id", "id", "blob" }, "iin", { 7, 1 }, { 0, 0, NAME }, KB_OK },
	{ "one without a blob, too", "pages", { "agent_id", "id", "blob" }, "iin", { 7, 1 }, { 0, 0, "" }, KB_OK },
	{ "a page of another agent", "pages", { "agent_id", "id" }, "ii", { 8, 1 }, { 0 }, KB_E_CORRUPT },
	{ "a page of nobody", "pages", { "id", "title" }, "in", { 1 }, { 0, "x" }, KB_E_CORRUPT },
	{ "a blob that does not come along", "pages", { "agent_id", "blob" }, "in", { 7 },
	  { 0, "11a4567890123456789012345678901234567890123456789012345678901234" }, KB_E_CORRUPT },
	{ "a blob whose name is a path", "pages", { "agent_id", "blob" }, "in", { 7 }, { 0, "../../etc/passwd" }, KB_E_CORRUPT },
	{ "an id below nothing", "pages", { "agent_id", "id" }, "ii", { 7, -1 }, { 0 }, KB_E_CORRUPT },
	{ "an id that no reader of JSON takes", "pages", { "agent_id", "id" }, "ii", { 7, INT64_MAX }, { 0 }, KB_E_CORRUPT },
	{ "a status that is none", "pages", { "agent_id", "crawl_status" }, "ii", { 7, 9 }, { 0 }, KB_E_CORRUPT },
	{ "a number where a text should be", "pages", { "agent_id", "title" }, "ii", { 7, 1 }, { 0 }, KB_E_CORRUPT },
	{ "settings that are no JSON", "sources", { "agent_id", "settings" }, "in", { 7 }, { 0, "{" }, KB_E_CORRUPT },
	{ "settings that are a list", "sources", { "agent_id", "settings" }, "in", { 7 }, { 0, "[1]" }, KB_E_CORRUPT },
	{ "a note that is no JSON", "messages", { "agent_id", "details" }, "in", { 7 }, { 0, "page 7" }, KB_E_CORRUPT },
	{ "a citation below nothing", "messages", { "agent_id", "citations" }, "in", { 7 }, { 0, "1,-2" }, KB_E_CORRUPT },
	{ "a column twice", "pages", { "agent_id", "id", "id" }, "iii", { 7, 1, 1 }, { 0 }, KB_E_CORRUPT },
	{ "a column that is none", "pages", { "agent_id", "colour" }, "ii", { 7, 1 }, { 0 }, KB_E_UNSUPPORTED },
	{ "a table that is none", "paintings", { "agent_id" }, "i", { 7 }, { 0 }, KB_E_UNSUPPORTED },
	{ "a table that stays where it is", "api_keys", { "id" }, "i", { 7 }, { 0 }, KB_E_UNSUPPORTED },
	{ "one of the agent's that does", "embed_secrets", { "agent_id", "secret" }, "in", { 7 }, { 0, "x" }, KB_E_UNSUPPORTED },
	{ "the agents twice", "agents", { "id" }, "i", { 7 }, { 0 }, KB_E_CORRUPT },
};
// clang-format on

static bool has_blob(void *arg, struct kb_sv name)
{
	(void)arg;
	return kb_sv_eq(name, KB_SV(NAME));
}

/* The table with one row; the agent's own row came before. */
static bool offer(struct kb_arrival *arrival, const char *table, const char *const *columns,
                  const char *letters, const struct kb_db_value *row, struct kb_err *err)
{
	struct kb_sv names[COLUMNS];
	struct kb_parcel_table told = { kb_sv_str(table), names, letters, strlen(letters) };

	for (size_t i = 0; i < told.count; i++)
		names[i] = kb_sv_str(columns[i]);
	return kb_arrival_table(arrival, &told, err)
	       && kb_arrival_look(arrival, &(struct kb_parcel_rows){ row, 1 }, err);
}

static void test_foreign(struct kb_test *t)
{
	static const char *const own[] = { "id", "account_id" };
	const struct kb_db_value agent[] = { NUMBER(7), NUMBER(3) };
	struct fixture f;

	fixture_init(&f, t);
	for (size_t i = 0; i < KB_COUNTOF(foreign); i++) {
		struct kb_arrival_config config = { f.store, has_blob, NULL };
		struct kb_arrival *arrival = kb_arrival_new(&config, &f.err);
		struct kb_db_value row[COLUMNS];
		struct kb_err err = { 0 };
		bool ok;

		for (size_t c = 0; foreign[i].letters[c]; c++)
			row[c] = foreign[i].letters[c] == 'i'
			                 ? kb_int(foreign[i].numbers[c])
			                 : kb_nullable(kb_sv_str(foreign[i].texts[c]));
		NEED(&f, arrival && offer(arrival, "agents", own, "ii", agent, &f.err));
		ok = offer(arrival, foreign[i].table, foreign[i].columns, foreign[i].letters, row,
		           &err);
		if (ok != (foreign[i].code == KB_OK) || (!ok && err.code != foreign[i].code))
			kb_test_fail(t, __FILE__, __LINE__, foreign[i].name);
		kb_arrival_free(arrival);
	}
	fixture_fini(&f);
}

/* Nothing comes of what is not begun with an agent, or has two, or ids that would use up a counter.
 */
static void test_begin(struct kb_test *t)
{
	static const char *const own[] = { "id", "state", "gone_at" };
	static const char *const pages[] = { "agent_id", "id", "parent_id" };
	const struct kb_db_value agent[] = { NUMBER(7), NUMBER(0), NUMBER(0) };
	const struct kb_db_value apart[] = { NUMBER(7), NUMBER(1), NUMBER(INT64_C(1) << 52) };
	struct kb_arrival_config config;
	struct kb_arrival *arrival;
	struct fixture f;

	fixture_init(&f, t);
	config = (struct kb_arrival_config){ f.store, has_blob, NULL };
	arrival = kb_arrival_new(&config, &f.err);
	CHECK(t, !offer(arrival, "pages", pages, "iii", apart, &f.err));
	CHECK(t, !kb_arrival_begin(arrival, f.account.id, &f.err) && f.err.code == KB_E_CORRUPT);
	CHECK(t, offer(arrival, "agents", own, "iii", agent, &f.err));
	CHECK(t, !kb_arrival_look(arrival, &(struct kb_parcel_rows){ agent, 1 }, &f.err));
	CHECK(t, offer(arrival, "pages", pages, "iii", apart, &f.err));
	CHECK(t, !kb_arrival_begin(arrival, f.account.id, &f.err)
	                 && strstr(f.err.msg, "too far apart"));
	kb_arrival_drop(arrival);
	kb_arrival_free(arrival);
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "of each table of agents it is said whether it comes along", test_tables },
		{ "of each column with an id or a blob what it holds", test_columns },
		{ "rows that no store writes are refused, each by its fault", test_foreign },
		{ "nothing begins of what is no agent", test_begin },
	};

	kb_crypto_init();
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
