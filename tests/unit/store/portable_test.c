/*
 * The store's SQL is portable: a real PostgreSQL runs every migration and prepares every statement
 * with its declared types, and so does SQLite. It starts a PostgreSQL of its own in a temporary
 * directory, without network, as a user without rights; where none is installed that part is
 * skipped and says so.
 */
#include <sqlite3.h>

#include "base/buf.h"
#include "db/db.h"
#include "server.h"
#include "store/statements.h"

/* ---- SQLite ---- */

static void test_sqlite(struct kb_test *t)
{
	sqlite3 *handle;
	size_t count = 0;

	CHECK(t, sqlite3_open(":memory:", &handle) == SQLITE_OK);
	for (size_t i = 0; i < kb_migration_count; i++)
		CHECK(t, !kb_migration_is_for(&kb_migrations[i], &kb_driver_sqlite)
		                 || sqlite3_exec(handle, kb_migrations[i].text, NULL, NULL, NULL)
		                            == SQLITE_OK);
	CHECK(t, sqlite3_exec(handle, kb_sql_migrate.rows[0].text, NULL, NULL, NULL) == SQLITE_OK);
	for (size_t i = 0; i < kb_sql_table_count; i++) {
		for (size_t j = 0; j < kb_sql_tables[i]->count; j++) {
			const struct kb_sql *sql = &kb_sql_tables[i]->rows[j];
			sqlite3_stmt *stmt = NULL;
			const char *rest = NULL;

			t->row = sql->name;
			CHECK(t, sql->name && sql->types && sql->text);
			CHECK(t,
			      sqlite3_prepare_v2(handle, sql->text, -1, &stmt, &rest) == SQLITE_OK);
			CHECK(t, rest && *rest == '\0');
			/* Each declared parameter is used, and none else. */
			CHECK_INT(t, sqlite3_bind_parameter_count(stmt), strlen(sql->types));
			CHECK(t, strlen(sql->types) <= KB_SQL_PARAMS);
			CHECK_INT(t, strspn(sql->types, "itn"), strlen(sql->types));
			sqlite3_finalize(stmt);
			count++;
		}
	}
	t->row = NULL;
	CHECK(t, count > 80);
	sqlite3_close(handle);
}

static void test_no_sqlite_words(struct kb_test *t)
{
	static const char *const words[] = { "AUTOINCREMENT", "WITHOUT ROWID", "rowid",
		                             "INSERT OR",     "REPLACE INTO",  "json_",
		                             "strftime",      "PRAGMA",        "GLOB",
		                             "INTEGER",       "ifnull",        "datetime" };

	for (size_t i = 0; i < KB_COUNTOF(words); i++) {
		t->row = words[i];
		for (size_t j = 0; j < kb_migration_count; j++)
			CHECK(t, kb_migrations[j].driver
			                 || !strcasestr(kb_migrations[j].text, words[i]));
		for (size_t j = 0; j < kb_sql_table_count; j++)
			for (size_t k = 0; k < kb_sql_tables[j]->count; k++)
				CHECK(t, !strcasestr(kb_sql_tables[j]->rows[k].text, words[i]));
	}
	t->row = NULL;
}

/* ---- PostgreSQL ---- */

static void add_script(struct kb_buf *script)
{
	int number = 0;

	kb_buf_str(script, "BEGIN;\n");
	kb_buf_printf(script, "%s;\n", kb_sql_migrate.rows[0].text);
	for (size_t i = 0; i < kb_migration_count; i++)
		if (kb_migration_is_for(&kb_migrations[i], &kb_driver_postgres))
			kb_buf_printf(script, "-- %s\n%s\n", kb_migrations[i].name,
			              kb_migrations[i].text);
	kb_buf_str(script, "COMMIT;\n");
	for (size_t i = 0; i < kb_sql_table_count; i++) {
		for (size_t j = 0; j < kb_sql_tables[i]->count; j++) {
			const struct kb_sql *sql = &kb_sql_tables[i]->rows[j];

			kb_buf_printf(script, "-- %s\nPREPARE s%d", sql->name, ++number);
			for (const char *type = sql->types; *type; type++)
				kb_buf_printf(script, "%s%s%s", type == sql->types ? " (" : ", ",
				              *type == 'i' ? "BIGINT" : "TEXT", type[1] ? "" : ")");
			/* CREATE cannot be prepared; it ran above. */
			if (strncmp(sql->text, "CREATE", 6) == 0)
				kb_buf_printf(script, " AS SELECT 1;\n");
			else
				kb_buf_printf(script, " AS %s;\n", sql->text);
		}
	}
	kb_buf_str(script, "SELECT 'prepared ' || count(*) FROM pg_prepared_statements;\n");
}

static void prepare_all(struct kb_test *t, struct postgres *pg)
{
	char psql[300], path[128];
	struct kb_arena arena = { 0 };
	struct kb_buf script;
	struct kb_sv text;
	struct kb_err err;
	bool ok;

	kb_buf_init(&script, KB_MIB(4));
	add_script(&script);
	CHECK(t, kb_buf_done(&script, &text, &err));
	snprintf(path, sizeof(path), "%s/script.sql", pg->dir);
	CHECK(t, kb_file_replace(path, text, &err));
	CHECK(t, chmod(path, 0644) == 0);
	snprintf(psql, sizeof(psql), "%s/psql", pg->bin);
	ok = postgres_run(pg,
	                  (const char *[]){ psql, "-h", pg->dir, "-U", "docent", "-d", "postgres",
	                                    "-v", "ON_ERROR_STOP=1", "-qAt", "-f", path, NULL });
	CHECK(t, ok);
	if (!ok)
		postgres_show_output(pg);
	snprintf(path, sizeof(path), "%s/output", pg->dir);
	CHECK(t, kb_file_read(&arena, path, KB_MIB(1), &text, &err));
	CHECK(t, kb_sv_find(text, KB_SV("prepared ")) >= 0);
	kb_arena_fini(&arena);
	kb_buf_fini(&script);
}

static void test_postgres(struct kb_test *t)
{
	struct postgres pg;

	if (!postgres_start(t, &pg))
		return;
	prepare_all(t, &pg);
	postgres_stop(t, &pg);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "SQLite prepares every statement", test_sqlite },
		{ "no statement has words of SQLite alone", test_no_sqlite_words },
		{ "PostgreSQL runs the migrations and prepares every statement", test_postgres },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
