#include "store/snapshot.h"

#include <stdio.h>

#include "store/move_tables.h"

enum { IDS_SKIPPED = 100000 };

/* ---- rows ---- */

static bool write_batch(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct kb_move_batch *batch = arg;
	size_t columns = batch->table->columns;

	for (size_t i = 0; i < batch->rows; i++)
		if (!kb_db_run(conn, &batch->table->insert,
		               (struct kb_db_values){ batch->values + i * columns, columns }, NULL,
		               err))
			return false;
	return true;
}

static bool copy_batch(void *arg, struct kb_move_batch *batch, struct kb_err *err)
{
	struct kb_store *to = arg;

	return kb_db_write(to->db, write_batch, batch, err);
}

/* What a store has when it is made, and the one that is copied has otherwise or not. */
static bool clear_tables(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct kb_move_tables *tables = arg;

	for (size_t i = tables->count; i-- > 0;)
		if (!kb_db_run(conn, &tables->v[i].clear, KB_NO_VALUES, NULL, err))
			return false;
	return true;
}

struct ids {
	int64_t next[32]; /* of kb_sequences */
};

static bool read_ids(struct kb_db_conn *conn, struct ids *out, struct kb_err *err)
{
	KB_ASSERT(kb_sequence_count <= KB_COUNTOF(out->next));
	for (size_t i = 0; i < kb_sequence_count; i++)
		if (!conn->driver->sequence_at(conn, kb_sequences[i].name, 0, &out->next[i], err))
			return false;
	return true;
}

static bool set_ids(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct ids *in = arg;
	int64_t now;

	for (size_t i = 0; i < kb_sequence_count; i++)
		if (!conn->driver->sequence_at(conn, kb_sequences[i].name, in->next[i], &now, err))
			return false;
	return true;
}

/* Ids are read last: they are never behind the rows'. */
static bool copy_rows(struct kb_store *from, struct kb_db_conn *conn, struct kb_store *to,
                      const struct kb_cancel *cancel, struct kb_err *err)
{
	struct kb_move_tables tables;
	struct ids ids;
	bool ok = kb_move_tables(from, to, &from->move_statements, &tables, err)
	          && kb_db_write(to->db, clear_tables, &tables, err);

	for (size_t i = 0; ok && i < tables.count; i++)
		ok = kb_move_each(conn, &tables.v[i], cancel, copy_batch, to, err);
	return ok && read_ids(conn, &ids, err) && kb_db_write(to->db, set_ids, &ids, err);
}

/* The statements are kept by `from`, which is closed after `to`. */
static bool copy_store(struct kb_store *from, struct kb_db_conn *conn, const char *directory,
                       const struct kb_cancel *cancel, struct kb_err *err)
{
	struct kb_store *to = kb_store_open_as(
	        &(struct kb_store_config){ .at = directory, .use = KB_STORE_MOVE }, err);
	bool ok = to && copy_rows(from, conn, to, cancel, err);

	kb_store_close(to);
	return ok;
}

bool kb_store_snapshot(struct kb_store *from, const char *directory, const struct kb_cancel *cancel,
                       struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(from->db, true, err);
	struct kb_arena arena = { 0 };
	bool ok = conn != NULL;

	if (ok && conn->driver->copy)
		ok = conn->driver->copy(conn, kb_arena_printf(&arena, "%s/docent.db", directory).p,
		                        cancel, err);
	else if (ok)
		ok = copy_store(from, conn, directory, cancel, err);
	if (conn)
		kb_db_give(from->db, conn);
	kb_arena_fini(&arena);
	return ok;
}

static bool skip_ids(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct ids ids;

	(void)arg;
	if (!read_ids(conn, &ids, err))
		return false;
	for (size_t i = 0; i < kb_sequence_count; i++)
		ids.next[i] += IDS_SKIPPED;
	return set_ids(conn, &ids, err);
}

bool kb_store_skip_ids(struct kb_store *store, struct kb_err *err)
{
	return kb_db_write(store->db, skip_ids, NULL, err);
}
