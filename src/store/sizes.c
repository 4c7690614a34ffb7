#include "store/sizes.h"

#include "store/lists.h"
#include "store/store_own.h"

/* The database itself tells its tables, a row a column. */
static bool read_tables(struct kb_db_conn *conn, struct kb_arena *arena, struct kb_table_size **out,
                        size_t *count, struct kb_err *err)
{
	struct kb_table_size *tables = NULL;
	struct kb_db_rows rows;

	*count = 0;
	kb_rows_open(&rows, conn, conn->driver->columns, KB_NO_VALUES);
	while (kb_rows_next(&rows)) {
		struct kb_sv name = kb_rows_text(&rows, arena, 0);

		if (*count && kb_sv_eq(tables[*count - 1].table, name))
			continue;
		KB_ROOM(arena, tables, *count)[*count] = (struct kb_table_size){ .table = name };
		++*count;
	}
	*out = tables;
	return kb_rows_close(&rows, err);
}

bool kb_store_sizes(struct kb_store *store, struct kb_arena *arena, struct kb_table_size **out,
                    size_t *count, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	bool ok = conn && read_tables(conn, arena, out, count, err);

	for (size_t i = 0; ok && i < *count; i++) {
		/* Drivers know a statement by its address. */
		struct kb_sql *sql = KB_NEW(arena, struct kb_sql);

		*sql = (struct kb_sql){ "table_rows", "",
			                kb_arena_printf(arena, "SELECT count(*) FROM \"%.*s\"",
			                                KB_SV_ARG((*out)[i].table))
			                        .p };
		ok = kb_db_int(conn, sql, KB_NO_VALUES, 0, &(*out)[i].rows, err);
	}
	if (conn)
		kb_db_give(store->db, conn);
	return ok;
}
