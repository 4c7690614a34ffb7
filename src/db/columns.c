#include "db/columns.h"

#include <string.h>

static void read_cell(const struct kb_db_column *column, struct kb_db_rows *rows, int at,
                      struct kb_arena *arena, void *member)
{
	switch (column->cell) {
	case KB_CELL_INT:
		*(int64_t *)member = kb_rows_int(rows, at);
		break;
	case KB_CELL_BOOL:
		*(bool *)member = kb_rows_bool(rows, at);
		break;
	case KB_CELL_ENUM:
		*(unsigned *)member = (unsigned)kb_rows_int(rows, at);
		break;
	case KB_CELL_TEXT:
	case KB_CELL_NULLABLE:
		*(struct kb_sv *)member = kb_rows_text(rows, arena, at);
		break;
	}
}

static struct kb_db_value cell_value(const struct kb_db_column *column, const void *member)
{
	switch (column->cell) {
	case KB_CELL_INT:
		return kb_int(*(const int64_t *)member);
	case KB_CELL_BOOL:
		return kb_int(*(const bool *)member);
	case KB_CELL_ENUM:
		return kb_int(*(const unsigned *)member);
	case KB_CELL_TEXT:
		return kb_text(*(const struct kb_sv *)member);
	case KB_CELL_NULLABLE:
		break;
	}
	return kb_nullable(*(const struct kb_sv *)member);
}

void kb_columns_read(const struct kb_db_columns *columns, struct kb_db_rows *rows, int at,
                     struct kb_arena *arena, void *record)
{
	memset(record, 0, columns->record_size);
	for (size_t i = 0; i < columns->count; i++)
		read_cell(&columns->v[i], rows, at + (int)i, arena,
		          (char *)record + columns->v[i].offset);
}

struct kb_db_values kb_columns_values(const struct kb_db_columns *columns,
                                      struct kb_db_values first, const void *record,
                                      struct kb_db_value values[KB_SQL_PARAMS])
{
	size_t count = 0;

	KB_ASSERT(first.count + columns->count <= KB_SQL_PARAMS);
	for (size_t i = 0; i < first.count; i++)
		values[count++] = first.v[i];
	for (size_t i = 0; i < columns->count; i++)
		values[count++] =
		        cell_value(&columns->v[i], (const char *)record + columns->v[i].offset);
	return (struct kb_db_values){ values, count };
}

bool kb_columns_write(const struct kb_db_columns *columns, struct kb_db_conn *conn,
                      const struct kb_sql *sql, struct kb_db_values first, const void *record,
                      struct kb_err *err)
{
	struct kb_db_value values[KB_SQL_PARAMS];

	return kb_db_run(conn, sql, kb_columns_values(columns, first, record, values), NULL, err);
}

bool kb_columns_defer(const struct kb_db_columns *columns, struct kb_db_conn *conn,
                      const struct kb_sql *sql, struct kb_db_values first, const void *record,
                      struct kb_err *err)
{
	struct kb_db_value values[KB_SQL_PARAMS];

	return kb_db_defer(conn, sql, kb_columns_values(columns, first, record, values), err);
}
