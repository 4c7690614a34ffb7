/* What a fixture's database holds, read past the store. */
#ifndef KB_STORE_RAW_H
#define KB_STORE_RAW_H

#include "db/db.h"
#include "fixture.h"

static inline struct kb_db_conn *raw_open(struct fixture *f)
{
	const struct kb_driver *driver =
	        fixture_postgres() ? &kb_driver_postgres : &kb_driver_sqlite;
	char path[300];
	struct kb_db_conn *conn;

	snprintf(path, sizeof(path), "%s%s", f->at, fixture_postgres() ? "" : "/docent.db");
	conn = driver->open(path, true, &f->err);
	NEED(f, conn);
	return conn;
}

/* The first column of the last row; without p where there is none. Lives in the fixture's arena. */
static inline struct kb_sv raw_text(struct fixture *f, const char *query)
{
	const struct kb_sql sql = { "raw", "", query };
	struct kb_db_conn *conn = raw_open(f);
	struct kb_sv text = { 0 };
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql, KB_NO_VALUES);
	while (kb_rows_next(&rows))
		text = kb_rows_text(&rows, &f->arena, 0);
	if (!kb_rows_close(&rows, &f->err)) /* no such column */
		text = kb_sv(NULL, 0);
	conn->driver->close(conn);
	return text;
}

static inline int64_t raw_int(struct fixture *f, const char *query)
{
	struct kb_sv text = raw_text(f, query);
	int64_t n = 0;

	if (!text.n || !kb_sv_to_int(text, INT64_MIN, INT64_MAX, &n))
		abort();
	return n;
}

static inline void raw_run(struct fixture *f, const char *statement)
{
	struct kb_db_conn *conn = raw_open(f);

	NEED(f, conn->driver->script(conn, statement, &f->err));
	conn->driver->close(conn);
}

/* The names of the tables that have agents, with a space before each. */
static inline struct kb_sv raw_agent_tables(struct fixture *f)
{
	const struct kb_sql sql = {
		"raw", "",
		fixture_postgres()
		        ? "SELECT table_name FROM information_schema.columns "
		          "WHERE column_name = 'agent_id' AND table_schema = 'public'"
		        : "SELECT m.name FROM sqlite_master m WHERE m.type = 'table' AND EXISTS "
		          "(SELECT 1 FROM pragma_table_info(m.name) a WHERE a.name = 'agent_id')"
	};
	struct kb_db_conn *conn = raw_open(f);
	struct kb_sv all = KB_SV("");
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql, KB_NO_VALUES);
	while (kb_rows_next(&rows))
		all = kb_arena_printf(&f->arena, "%.*s %s", KB_SV_ARG(all),
		                      kb_rows_text(&rows, &f->arena, 0).p);
	NEED(f, kb_rows_close(&rows, &f->err));
	conn->driver->close(conn);
	return all;
}

#endif
