/* The rows of one agent, read. */
#include "store/parcel.h"

#include "store/move_tables.h"
#include "store/parcel_tables.h"

/* One table on its way out. */
struct leaving {
	const struct kb_parcel_sink *sink;
	const struct kb_parcel *parcel;
	struct kb_db_conn *conn;
	struct kb_move_table *table; /* its statements are known by where they are */
	struct kb_parcel_table told;
	bool *is_blob; /* of each column */
	int64_t rows;
};

static bool tell_blobs(const struct leaving *in, const struct kb_move_batch *batch,
                       struct kb_err *err)
{
	size_t columns = in->table->columns;

	for (size_t i = 0; i < batch->rows * columns; i++) {
		struct kb_sv name = batch->values[i].text;

		if (in->is_blob[i % columns] && name.n && !in->sink->blob(in->sink->arg, name, err))
			return false;
	}
	return true;
}

static bool tell(void *arg, struct kb_move_batch *batch, struct kb_err *err)
{
	struct leaving *in = arg;
	const struct kb_parcel_rows rows = { batch->values, batch->rows };
	const struct kb_parcel_sink *sink = in->sink;

	if (!batch->rows)
		return true;
	if (!in->rows && !sink->table(sink->arg, &in->told, err))
		return false;
	in->rows += (int64_t)batch->rows;
	return sink->rows(sink->arg, &in->told, &rows, err) && tell_blobs(in, batch, err);
}

static bool begin_table(struct leaving *in, struct kb_arena *arena,
                        const struct kb_move_table *whole, struct kb_err *err)
{
	in->table = KB_NEW(arena, struct kb_move_table);
	kb_move_part(arena, whole, kb_parcel_agent_column(whole->name), in->parcel->agent_id,
	             in->table);
	in->rows = 0;
	in->told = (struct kb_parcel_table){ .name = whole->name,
		                             .columns = whole->names,
		                             .letters = whole->letters,
		                             .count = whole->columns };
	in->is_blob = KB_NEW_ARRAY(arena, whole->columns, bool);
	for (size_t i = 0; i < whole->columns; i++)
		in->is_blob[i] =
		        kb_parcel_rule(whole->name, whole->names[i]).kind == KB_PARCEL_BLOB;
	return kb_move_each(in->conn, in->table, in->parcel->cancel, tell, in, err);
}

static bool comes(const struct kb_parcel *parcel, struct kb_sv table)
{
	enum kb_parcel_use use = kb_parcel_use(table);

	return use == KB_PARCEL_COMES || (use == KB_PARCEL_OF_TALKS && parcel->talks);
}

bool kb_store_parcel_read(struct kb_store *store, const struct kb_parcel *parcel,
                          const struct kb_parcel_sink *sink, struct kb_err *err)
{
	struct leaving in = { .sink = sink, .parcel = parcel };
	struct kb_arena *arena = &store->move_statements;
	struct kb_move_tables tables;
	struct kb_arena look = { 0 };
	struct kb_agent agent;
	bool ok = kb_store_agent_find(store, &look, parcel->agent_id, &agent, err)
	          && kb_move_tables(store, store, arena, &tables, err);

	kb_arena_fini(&look);
	in.conn = ok ? kb_db_take(store->db, true, err) : NULL;
	if (!in.conn)
		return false;
	for (size_t i = 0; ok && i < tables.count; i++)
		if (comes(parcel, tables.v[i].name))
			ok = begin_table(&in, arena, &tables.v[i], err);
	kb_db_give(store->db, in.conn);
	return ok;
}
