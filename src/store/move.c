#include "store/move.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "store/move_own.h"
#include "store/move_tables.h"
#include "store/segments_own.h"
#include "store/statements.h"

#define KB_SQL_MOVE_COMING  1
#define KB_SQL_MOVE_LEAVING 3
#define KB_SQL_MOVE_VOID    4
#define KB_SQL_MOVE_GONE    5
enum state {
	MOVE_NONE,
	MOVE_COMING = KB_SQL_MOVE_COMING,
	MOVE_ARRIVED,
	MOVE_LEAVING = KB_SQL_MOVE_LEAVING,
	MOVE_VOID = KB_SQL_MOVE_VOID,
	MOVE_GONE = KB_SQL_MOVE_GONE,
};

static const char blobs_step[] = "blobs"; /* behind all tables */

enum { READ, WRITE, NOTE, GIVE_UP, FORGET, MARK };
// clang-format off
static const struct kb_sql sql[] = {
	[READ] = { "move_read", "", "SELECT state, token, place, step, after FROM moves WHERE id = 1" },
	[WRITE] = { "move_write", "itttt",
		"INSERT INTO moves (id, state, token, place, step, after) VALUES (1, $1, $2, $3, $4, $5) "
		"ON CONFLICT (id) DO UPDATE SET state = $1, token = $2, place = $3, step = $4, after = $5" },
	[NOTE] = { "move_note", "ttt",
		"UPDATE moves SET step = $2, after = $3 WHERE id = 1 AND token = $1 "
		"AND (state = " KB_SQL(MOVE_COMING) " OR state = " KB_SQL(MOVE_LEAVING) ")" },
	[GIVE_UP] = { "move_give_up", "",
		"UPDATE moves SET state = " KB_SQL(MOVE_VOID) " WHERE id = 1 AND state = " KB_SQL(MOVE_LEAVING) },
	[FORGET] = { "move_forget", "", "DELETE FROM moves WHERE id = 1 AND state = " KB_SQL(MOVE_GONE) },
	[MARK] = { "move_mark", "t",
		"INSERT INTO installation (id, mark, bound) VALUES (1, $1, 1) "
		"ON CONFLICT (id) DO UPDATE SET mark = $1, bound = 1" },
};
// clang-format on
const struct kb_sql_table kb_sql_moves = { "moves", sql, KB_COUNTOF(sql) };

struct row {
	enum state state;
	struct kb_sv token, place, step, after;
};

static bool read_row(struct kb_store *store, struct kb_arena *arena, struct row *out,
                     struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct row){ .state = MOVE_NONE };
	kb_rows_take(&rows, store->db, &sql[READ], KB_NO_VALUES);
	while (kb_rows_next(&rows))
		*out = (struct row){ .state = (enum state)kb_rows_int(&rows, 0),
			             .token = kb_rows_text(&rows, arena, 1),
			             .place = kb_rows_text(&rows, arena, 2),
			             .step = kb_rows_text(&rows, arena, 3),
			             .after = kb_rows_text(&rows, arena, 4) };
	return kb_rows_close(&rows, err);
}

static bool write_row(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct row *row = arg;

	return kb_db_run(conn, &sql[WRITE],
	                 KB_VALUES(kb_int(row->state), kb_text(row->token), kb_text(row->place),
	                           kb_text(row->step), kb_text(row->after)),
	                 NULL, err);
}

static bool run_one(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	return kb_db_run(conn, &sql[*(const int *)arg], KB_NO_VALUES, NULL, err);
}

static bool write_alone(struct kb_store *store, int which, struct kb_err *err)
{
	return kb_db_write(store->db, run_one, &which, err);
}

/* ---- who may open a store ---- */

bool kb_move_gate(struct kb_store *store, enum kb_store_use use, const char *at, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct row row;
	bool ok;

	if (use == KB_STORE_MOVE)
		return true;
	ok = read_row(store, &arena, &row, err);
	if (ok && row.state == MOVE_COMING)
		ok = kb_fail(err, KB_E_CONFLICT,
		             "the database in %.*s is not whole: it is being moved there from "
		             "%.*s; run docent move again to its end",
		             KB_SV_ARG(kb_store_place(&arena, at)), KB_SV_ARG(row.place));
	else if (ok && row.state == MOVE_GONE && use != KB_STORE_ALONE)
		ok = kb_fail(err, KB_E_CONFLICT,
		             "the database in %.*s was moved to %.*s; docent adopt takes it back "
		             "into use",
		             KB_SV_ARG(kb_store_place(&arena, at)), KB_SV_ARG(row.place));
	else if (ok && row.state == MOVE_LEAVING)
		ok = write_alone(store, GIVE_UP, err);
	kb_arena_fini(&arena);
	return ok;
}

bool kb_move_forget(struct kb_store *store, struct kb_err *err)
{
	return write_alone(store, FORGET, err);
}

/* ---- the beginning ---- */

static bool has_rows(struct kb_store *store, const struct kb_move_tables *tables, bool *has,
                     struct kb_err *err)
{
	*has = false;
	for (size_t i = 0; i < tables->count && !*has; i++) {
		int64_t any;

		if (!kb_db_read_int(store->db, &tables->v[i].any, KB_NO_VALUES, 0, &any, err))
			return false;
		*has = any > 0;
	}
	return true;
}

/* All that an earlier move has written, in one transaction. */
static bool clear(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct kb_move_tables *tables = arg;

	for (size_t i = tables->count; i-- > 0;)
		if (!kb_db_run(conn, &tables->v[i].clear, KB_NO_VALUES, NULL, err))
			return false;
	return true;
}

static bool prepare_target(const struct kb_move *move, struct kb_arena *arena, const struct row *to,
                           struct kb_err *err)
{
	struct kb_move_tables tables;
	bool has;

	if (!kb_move_tables(move->from, move->to, arena, &tables, err)
	    || !has_rows(move->to, &tables, &has, err))
		return false;
	if (!has)
		return true;
	if (to->state != MOVE_COMING)
		return kb_fail(err, KB_E_CONFLICT,
		               "the database in %s holds an installation already: name an empty "
		               "one",
		               move->to_place);
	if (!move->discard && !kb_sv_eq(to->place, kb_sv_str(move->from_place)))
		return kb_fail(err, KB_E_CONFLICT,
		               "the database in %s holds part of what was being moved there from "
		               "%.*s: go on with that, or let go of it with --discard",
		               move->to_place, KB_SV_ARG(to->place));
	return kb_db_write(move->to->db, clear, &tables, err);
}

static void new_token(struct kb_move *move)
{
	unsigned char random[(KB_INSTALLATION_MARK - 1) / 2];

	kb_random(random, sizeof(random));
	kb_hex(random, sizeof(random), move->token);
}

static bool begin_anew(struct kb_move *move, struct kb_arena *arena, const struct row *to,
                       struct kb_err *err)
{
	struct row row = { .step = KB_SV(""), .after = KB_SV("") };

	new_token(move);
	row.token = kb_sv_str(move->token);
	move->step = move->after = KB_SV("");
	if (move->to != move->from) {
		row.state = MOVE_COMING;
		row.place = kb_sv_str(move->from_place);
		if (!prepare_target(move, arena, to, err)
		    || !kb_db_write(move->to->db, write_row, &row, err))
			return false;
	} else {
		move->step = row.step = kb_sv_str(blobs_step);
	}
	row.state = MOVE_LEAVING;
	row.place = kb_sv_str(move->to_place);
	return kb_db_write(move->from->db, write_row, &row, err);
}

static void go_on(struct kb_move *move, const struct row *from, const struct row *at)
{
	snprintf(move->token, sizeof(move->token), "%.*s", KB_SV_ARG(from->token));
	move->step = at->step;
	move->after = at->after;
	move->resumed = true;
	move->arrived = at->state == MOVE_ARRIVED;
}

bool kb_move_begin(struct kb_move *move, struct kb_arena *arena, struct kb_err *err)
{
	bool is_one = move->from == move->to;
	struct row from, to;

	if (!read_row(move->from, arena, &from, err) || !read_row(move->to, arena, &to, err))
		return false;
	if (from.state == MOVE_COMING)
		return kb_fail(err, KB_E_CONFLICT,
		               "the database in %s is not whole: it is being moved there from %.*s",
		               move->from_place, KB_SV_ARG(from.place));
	/* Blobs keep their token until they are there: what was copied has it for its mark. */
	if (is_one && (from.state == MOVE_LEAVING || from.state == MOVE_VOID)
	    && kb_sv_eq(from.place, kb_sv_str(move->to_place))) {
		if (from.state == MOVE_VOID)
			from.after = KB_SV("");
		go_on(move, &from, &from);
		from.state = MOVE_LEAVING;
		return kb_db_write(move->from->db, write_row, &from, err);
	}
	if (!is_one && (from.state == MOVE_LEAVING || from.state == MOVE_GONE)
	    && kb_sv_eq(from.token, to.token)
	    && (to.state == MOVE_COMING || to.state == MOVE_ARRIVED)) {
		go_on(move, &from, &to);
		return true;
	}
	if (from.state == MOVE_GONE)
		return kb_fail(
		        err, KB_E_CONFLICT,
		        "the database in %s was moved to %.*s already; docent adopt takes it "
		        "back into use",
		        move->from_place, KB_SV_ARG(from.place));
	return begin_anew(move, arena, &to, err);
}

/* ---- rows ---- */

struct write {
	const struct kb_move *move;
	const struct kb_move_batch *batch;
	struct kb_sv step, after;
};

static bool write_batch(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct write *in = arg;
	const struct kb_move_batch *batch = in->batch;
	int64_t changed;

	for (size_t i = 0; batch && i < batch->rows; i++) {
		size_t columns = batch->table->columns;

		if (!kb_db_defer(conn, &batch->table->insert,
		                 (struct kb_db_values){ batch->values + i * columns, columns },
		                 err))
			return false;
	}
	return kb_db_run(conn, &sql[NOTE],
	                 KB_VALUES(kb_text(kb_sv_str(in->move->token)), kb_text(in->step),
	                           kb_text(in->after)),
	                 &changed, err)
	       && (changed
	           || kb_fail(err, KB_E_CONFLICT,
	                      "the database in %s was opened by somebody else meanwhile: begin the "
	                      "move again",
	                      in->move->to_place));
}

bool kb_move_is_leaving(const struct kb_move *move, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct row row;
	bool ok = read_row(move->from, &arena, &row, err)
	          && ((row.state == MOVE_LEAVING && kb_sv_eq(row.token, kb_sv_str(move->token)))
	              || kb_fail(err, KB_E_CONFLICT,
	                         "the database in %s was opened by somebody else meanwhile: stop "
	                         "its servers, and begin the move again",
	                         move->from_place));

	kb_arena_fini(&arena);
	return ok;
}

/* One batch; *after becomes where it ends, in the heap's arena of the caller. */
static bool copy_batch(const struct kb_move *move, const struct kb_move_table *table,
                       struct kb_arena *keep, struct kb_sv *after, bool *last, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_move_batch batch;
	struct write in = { .move = move, .batch = &batch, .step = table->name };
	bool ok = kb_move_is_leaving(move, err)
	          && kb_move_read(move->from, &arena, table, *after, &batch, err);

	if (ok) {
		in.after = batch.rows ? kb_move_key(&arena, &batch, batch.rows - 1) : *after;
		ok = kb_db_write(move->to->db, write_batch, &in, err);
	}
	if (ok) {
		in.after = kb_arena_sv(&arena, in.after);
		kb_arena_reset(keep);
		*after = kb_arena_sv(keep, in.after);
		*last = batch.last;
	}
	kb_arena_fini(&arena);
	return ok;
}

static bool copy_table(const struct kb_move *move, const struct kb_move_table *table,
                       struct kb_sv after, struct kb_err *err)
{
	struct kb_arena keep = { 0 };
	bool last = false, ok = true;

	while (ok && !last)
		ok = copy_batch(move, table, &keep, &after, &last, err);
	kb_arena_fini(&keep);
	return ok;
}

static bool note(struct kb_move *move, struct kb_sv step, struct kb_sv after, struct kb_err *err)
{
	struct write in = { .move = move, .step = step, .after = after };

	return kb_move_is_leaving(move, err) && kb_db_write(move->to->db, write_batch, &in, err);
}

/* Behind those that are whole: where the step is that of a table, from that one on. */
static size_t first_left(const struct kb_move *move, const struct kb_move_tables *tables)
{
	if (kb_sv_eq(move->step, kb_sv_str(blobs_step)))
		return tables->count;
	for (size_t i = 0; i < tables->count; i++)
		if (kb_sv_eq(tables->v[i].name, move->step))
			return i;
	return 0;
}

bool kb_move_rows(struct kb_move *move, struct kb_err *err)
{
	struct kb_move_tables tables;
	bool ok;

	if (move->from == move->to || move->arrived || kb_sv_eq(move->step, kb_sv_str(blobs_step)))
		return true;
	/* The drivers know the statements as long as the stores are open. */
	ok = kb_move_tables(move->from, move->to, &move->from->move_statements, &tables, err);
	for (size_t i = ok ? first_left(move, &tables) : 0; ok && i < tables.count; i++) {
		bool is_begun = kb_sv_eq(tables.v[i].name, move->step);

		ok = copy_table(move, &tables.v[i], is_begun ? move->after : KB_SV(""), err);
	}
	if (ok)
		ok = note(move, kb_sv_str(blobs_step), KB_SV(""), err);
	if (ok) {
		move->step = kb_sv_str(blobs_step);
		move->after = KB_SV("");
	}
	return ok;
}

/* ---- blobs ---- */

bool kb_move_blob_names(const struct kb_move *move, struct kb_arena *arena, int slice,
                        struct kb_sv **out, size_t *count, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(move->from->db, false, err);
	struct kb_blob_names found = { 0 };
	char after[16] = "", until[16];
	bool ok;

	/* "0fz" is behind all names that begin with 0f, in every collation. */
	if (slice > 0)
		snprintf(after, sizeof(after), "%02xz", (unsigned)slice - 1);
	snprintf(until, sizeof(until), "%02xz", (unsigned)slice);
	ok = conn && kb_blob_names(conn, arena, kb_sv_str(after), kb_sv_str(until), &found, err);
	if (conn)
		kb_db_give(move->from->db, conn);
	*out = found.v;
	*count = found.count;
	return ok;
}

bool kb_move_blobs_done(struct kb_move *move, int slices, struct kb_err *err)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", slices);
	return note(move, kb_sv_str(blobs_step), kb_sv_str(text), err);
}

int kb_move_blobs_next(const struct kb_move *move)
{
	int64_t slices;

	return kb_sv_eq(move->step, kb_sv_str(blobs_step))
	                       && kb_sv_to_int(move->after, 0, KB_MOVE_SLICES, &slices)
	               ? (int)slices
	               : 0;
}

/* ---- the end ---- */

struct arrival {
	const struct kb_move *move;
	int64_t next[32]; /* of kb_sequences */
	struct row row;
};

static bool read_ids(struct kb_store *store, struct arrival *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool ok = conn != NULL;

	KB_ASSERT(kb_sequence_count <= KB_COUNTOF(out->next));
	for (size_t i = 0; ok && i < kb_sequence_count; i++)
		ok = conn->driver->sequence_at(conn, kb_sequences[i].name, 0, &out->next[i], err);
	if (conn)
		kb_db_give(store->db, conn);
	return ok;
}

static bool arrive(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct arrival *in = arg;

	for (size_t i = 0; i < kb_sequence_count; i++) {
		int64_t now;

		if (in->next[i]
		    && !conn->driver->sequence_at(conn, kb_sequences[i].name, in->next[i], &now,
		                                  err))
			return false;
	}
	if (in->move->from == in->move->to
	    && !kb_db_run(conn, &sql[MARK], KB_VALUES(kb_text(in->row.token)), NULL, err))
		return false;
	return write_row(conn, &in->row, err);
}

bool kb_move_arrive(struct kb_move *move, struct kb_err *err)
{
	bool is_one = move->from == move->to;
	struct arrival in = { .move = move,
		              .row = { .state = MOVE_ARRIVED,
		                       .token = kb_sv_str(move->token),
		                       .place = kb_sv_str(move->from_place),
		                       .step = KB_SV(""),
		                       .after = KB_SV("") } };
	struct row gone = in.row;

	if (!move->arrived && !kb_move_is_leaving(move, err))
		return false;
	if (!is_one && !read_ids(move->from, &in, err))
		return false;
	if (!move->arrived && !kb_db_write(move->to->db, arrive, &in, err)) /* first: it is whole */
		return false;
	gone.state = MOVE_GONE;
	gone.place = kb_sv_str(move->to_place);
	return is_one || kb_db_write(move->from->db, write_row, &gone, err);
}
