/* Running statements: the same small words over every driver, with an error that keeps. */
#include "db/db.h"

#include <string.h>

#include "base/utf8.h"

static void start(struct kb_db_rows *rows, const struct kb_sql *sql, struct kb_db_values values)
{
	for (size_t i = 0; i < values.count; i++)
		KB_ASSERT(sql->types[i] == values.v[i].type);
	KB_ASSERT(sql->types[values.count] == '\0');
	rows->failed =
	        !rows->conn->driver->start(rows->conn, sql, values, &rows->cursor, &rows->err);
}

void kb_rows_open(struct kb_db_rows *rows, struct kb_db_conn *conn, const struct kb_sql *sql,
                  struct kb_db_values values)
{
	*rows = (struct kb_db_rows){ .conn = conn };
	start(rows, sql, values);
}

void kb_rows_take(struct kb_db_rows *rows, struct kb_db *db, const struct kb_sql *sql,
                  struct kb_db_values values)
{
	*rows = (struct kb_db_rows){ .db = db };
	rows->conn = kb_db_take(db, false, &rows->err);
	rows->failed = !rows->conn;
	if (rows->conn)
		start(rows, sql, values);
}

bool kb_rows_next(struct kb_db_rows *rows)
{
	enum kb_db_step step;

	if (rows->failed)
		return false;
	step = rows->conn->driver->step(rows->conn, rows->cursor, &rows->err);
	rows->failed = step == KB_STEP_FAILED;
	return step == KB_STEP_ROW;
}

int64_t kb_rows_int(struct kb_db_rows *rows, int column)
{
	return rows->conn->driver->column_int(rows->cursor, column);
}

bool kb_rows_bool(struct kb_db_rows *rows, int column)
{
	return kb_rows_int(rows, column) != 0;
}

struct kb_sv kb_rows_text(struct kb_db_rows *rows, struct kb_arena *arena, int column)
{
	struct kb_sv text = rows->conn->driver->column_text(rows->cursor, column);

	return text.p ? kb_arena_sv(arena, text) : text;
}

bool kb_rows_close(struct kb_db_rows *rows, struct kb_err *err)
{
	if (rows->cursor)
		rows->changed = rows->conn->driver->finish(rows->conn, rows->cursor);
	rows->cursor = NULL;
	if (rows->db && rows->conn)
		kb_db_give(rows->db, rows->conn);
	rows->conn = NULL;
	if (rows->failed && err)
		*err = rows->err;
	return !rows->failed;
}

bool kb_db_run(struct kb_db_conn *conn, const struct kb_sql *sql, struct kb_db_values values,
               int64_t *changed, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, sql, values);
	while (kb_rows_next(&rows))
		;
	if (!kb_rows_close(&rows, err))
		return false;
	if (changed)
		*changed = rows.changed;
	return true;
}

bool kb_db_defer(struct kb_db_conn *conn, const struct kb_sql *sql, struct kb_db_values values,
                 struct kb_err *err)
{
	return conn->driver->defer ? conn->driver->defer(conn, sql, values, err)
	                           : kb_db_run(conn, sql, values, NULL, err);
}

static bool read_int(struct kb_db_rows *rows, int64_t otherwise, int64_t *out, struct kb_err *err)
{
	*out = otherwise;
	while (kb_rows_next(rows))
		*out = kb_rows_int(rows, 0);
	return kb_rows_close(rows, err);
}

bool kb_db_int(struct kb_db_conn *conn, const struct kb_sql *sql, struct kb_db_values values,
               int64_t otherwise, int64_t *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, sql, values);
	return read_int(&rows, otherwise, out, err);
}

bool kb_db_read_int(struct kb_db *db, const struct kb_sql *sql, struct kb_db_values values,
                    int64_t otherwise, int64_t *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_take(&rows, db, sql, values);
	return read_int(&rows, otherwise, out, err);
}

struct run {
	const struct kb_sql *sql;
	struct kb_db_values values;
	int64_t changed;
};

static bool run(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct run *in = arg;

	return kb_db_run(conn, in->sql, in->values, &in->changed, err);
}

bool kb_db_write_run(struct kb_db *db, const struct kb_sql *sql, struct kb_db_values values,
                     int64_t *changed, struct kb_err *err)
{
	struct run in = { .sql = sql, .values = values };
	bool ok = kb_db_write(db, run, &in, err);

	if (changed)
		*changed = in.changed;
	return ok;
}

struct kb_sv kb_db_text(struct kb_arena *arena, struct kb_sv text)
{
	char *copy;
	size_t n = 0;

	text = kb_utf8_mend(arena, text);
	if (!text.n || !memchr(text.p, '\0', text.n))
		return text;
	copy = kb_arena_bytes(arena, 3 * text.n);
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i])
			copy[n++] = text.p[i];
		else
			n += kb_utf8_encode(KB_UTF8_BAD, copy + n);
	return kb_sv(copy, n);
}

bool kb_db_next_id(struct kb_db_conn *conn, const char *sequence, int64_t count, int64_t *first,
                   struct kb_err *err)
{
	if (!conn->driver->next_id(conn, sequence, count, first, err))
		return false;
	if (!conn->made)
		conn->made = *first;
	return true;
}

bool kb_db_notify(struct kb_db_conn *conn, enum kb_topic topic, int64_t id, struct kb_err *err)
{
	KB_GROW(conn->notes, conn->note_capacity, conn->note_count + 1);
	conn->notes[conn->note_count++] = (struct kb_db_note){ topic, id };
	return !conn->driver->notify || conn->driver->notify(conn, topic, id, err);
}
