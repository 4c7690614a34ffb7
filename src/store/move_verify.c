/* The two stores of a move, compared: each table's rows, counted and hashed. */
#include "base/hash.h"
#include "store/move_own.h"
#include "store/move_tables.h"
#include "store/store_own.h"

static void add_value(struct kb_hash64 *hash, const struct kb_db_value *value)
{
	int64_t n = value->type == 'i' ? value->n : value->text.p ? (int64_t)value->text.n : -1;

	kb_hash64_add(hash, &n, sizeof(n));
	if (value->type != 'i' && value->text.n)
		kb_hash64_add(hash, value->text.p, value->text.n);
}

struct sum {
	int64_t rows;
	uint64_t hashes; /* of the rows, added: databases may sort texts in different orders */
};

static bool sum_table(struct kb_store *store, const struct kb_move_table *table, struct sum *out,
                      struct kb_err *err)
{
	struct kb_arena arena = { 0 }, keep = { 0 };
	struct kb_hash64 *hash = kb_hash64_new();
	struct kb_sv after = KB_SV("");
	struct kb_move_batch batch = { 0 };
	bool ok = true;

	*out = (struct sum){ 0 };
	while (ok && !batch.last) {
		ok = kb_move_read(store, &arena, table, after, &batch, err);
		for (size_t i = 0; ok && i < batch.rows; i++) {
			for (size_t j = 0; j < table->columns; j++)
				add_value(hash, &batch.values[i * table->columns + j]);
			out->hashes += kb_hash64_end(hash);
			out->rows++;
		}
		kb_arena_reset(&keep);
		if (ok && batch.rows)
			after = kb_move_key(&keep, &batch, batch.rows - 1);
		kb_arena_reset(&arena);
	}
	kb_hash64_free(hash);
	kb_arena_fini(&arena);
	kb_arena_fini(&keep);
	return ok;
}

static bool verify_table(const struct kb_move *move, const struct kb_move_table *table,
                         struct kb_move_sum *out, struct kb_err *err)
{
	struct sum from, to;

	if (!sum_table(move->from, table, &from, err) || !sum_table(move->to, table, &to, err))
		return false;
	if (from.rows != to.rows || from.hashes != to.hashes)
		return kb_corrupt(err,
		                  "the table %.*s has %" PRId64 " rows in %s and %" PRId64
		                  " in %s%s: begin the move again with --discard",
		                  KB_SV_ARG(table->name), from.rows, move->from_place, to.rows,
		                  move->to_place, from.rows == to.rows ? ", and they differ" : "");
	out->tables++;
	out->rows += from.rows;
	if (move->say && from.rows)
		move->say(move->arg, table->name.p, from.rows);
	return true;
}

bool kb_move_verify(const struct kb_move *move, struct kb_move_sum *out, struct kb_err *err)
{
	struct kb_move_tables tables;

	*out = (struct kb_move_sum){ 0 };
	if (move->from == move->to || move->arrived)
		return true;
	if (!kb_move_tables(move->from, move->to, &move->from->move_statements, &tables, err))
		return false;
	for (size_t i = 0; i < tables.count; i++)
		if (!verify_table(move, &tables.v[i], out, err))
			return false;
	return kb_move_is_leaving(move, err);
}
