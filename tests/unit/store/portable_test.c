/*
 * The store's SQL is portable: a real PostgreSQL runs every migration and prepares every statement
 * with its declared types, and so does SQLite. It starts a PostgreSQL of its own in a temporary
 * directory, without network, as a user without rights; where none is installed that part is
 * skipped and says so.
 */
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <pwd.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "store/db.h"
#include "test.h"

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

/* Runs a program as `user` in a directory; its output goes to a file there. */
static bool run(const struct passwd *user, const char *dir, const char *const *argv)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		int fd = open("/dev/null", O_RDONLY);
		char path[128];

		dup2(fd, 0);
		snprintf(path, sizeof(path), "%s/output", dir);
		if (user && (setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0))
			_exit(120);
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		dup2(fd, 1);
		dup2(fd, 2);
		if (chdir(dir) != 0)
			_exit(121);
		execv(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status)
	       && WEXITSTATUS(status) == 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

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

struct postgres {
	char bin[256], dir[64];
	const struct passwd *user;
};

static void show_output(struct postgres *pg)
{
	struct kb_arena arena = { 0 };
	struct kb_sv text;
	char path[128];

	snprintf(path, sizeof(path), "%s/output", pg->dir);
	if (kb_file_read(&arena, path, KB_MIB(1), &text, NULL))
		fprintf(stderr, "%.*s\n", KB_SV_ARG(text));
	kb_arena_fini(&arena);
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
	ok = run(pg->user, pg->dir,
	         (const char *[]){ psql, "-h", pg->dir, "-U", "docent", "-d", "postgres", "-v",
	                           "ON_ERROR_STOP=1", "-qAt", "-f", path, NULL });
	CHECK(t, ok);
	if (!ok)
		show_output(pg);
	snprintf(path, sizeof(path), "%s/output", pg->dir);
	CHECK(t, kb_file_read(&arena, path, KB_MIB(1), &text, &err));
	CHECK(t, kb_sv_find(text, KB_SV("prepared ")) >= 0);
	kb_arena_fini(&arena);
	kb_buf_fini(&script);
}

/* The newest PostgreSQL of Debian's places. */
static bool find_postgres(struct postgres *pg)
{
	glob_t found;
	bool ok = glob("/usr/lib/postgresql/*/bin", 0, NULL, &found) == 0 && found.gl_pathc > 0;

	if (ok)
		snprintf(pg->bin, sizeof(pg->bin), "%s", found.gl_pathv[found.gl_pathc - 1]);
	globfree(&found);
	return ok;
}

static void test_postgres(struct kb_test *t)
{
	struct postgres pg = { 0 };
	char initdb[300], pg_ctl[300], data[80], options[256];

	if (!find_postgres(&pg)) {
		kb_test_skip(t, "no PostgreSQL is installed (package postgresql)");
		return;
	}
	snprintf(pg.dir, sizeof(pg.dir), "/tmp/docent-pg-XXXXXX");
	CHECK(t, mkdtemp(pg.dir) != NULL);
	if (getuid() == 0) {
		pg.user = getpwnam("nobody");
		CHECK(t, pg.user && chown(pg.dir, pg.user->pw_uid, pg.user->pw_gid) == 0);
	}
	snprintf(initdb, sizeof(initdb), "%s/initdb", pg.bin);
	snprintf(pg_ctl, sizeof(pg_ctl), "%s/pg_ctl", pg.bin);
	snprintf(data, sizeof(data), "%s/data", pg.dir);
	snprintf(options, sizeof(options), "-c listen_addresses= -c fsync=off -k %s", pg.dir);
	if (!run(pg.user, pg.dir,
	         (const char *[]){ initdb, "-D", data, "-U", "docent", "-A", "trust", "-N", "-E",
	                           "UTF8", "--locale=C", NULL })
	    || !run(pg.user, pg.dir,
	            (const char *[]){ pg_ctl, "-D", data, "-o", options, "-w", "-l", "server.log",
	                              "start", NULL })) {
		kb_test_fail(t, __FILE__, __LINE__, "PostgreSQL did not start");
		show_output(&pg);
	} else {
		prepare_all(t, &pg);
		CHECK(t,
		      run(pg.user, pg.dir,
		          (const char *[]){ pg_ctl, "-D", data, "-m", "immediate", "stop", NULL }));
	}
	nftw(pg.dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
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
