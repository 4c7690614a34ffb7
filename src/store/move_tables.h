/* The tables of a store as its database tells them, and their rows, some hundred at a time: for
 * move.c. */
#ifndef KB_STORE_MOVE_TABLES_H
#define KB_STORE_MOVE_TABLES_H

#include "store/store_own.h"

enum { KB_MOVE_KEYS = 8 };

struct kb_move_table {
	struct kb_sv name;
	size_t columns;
	const char *letters;       /* of the columns: 'i' or 'n' */
	const struct kb_sv *names; /* of the columns */
	size_t keys[KB_MOVE_KEYS]; /* the columns of its key, in their order */
	size_t key_count;
	/* The rows of one agent alone: it is the first parameter of first and next, and its column
	 * is none of `keys`. 0: all. */
	int64_t agent_id;
	/* first: keys and limit; next: behind a key. Their addresses stay: drivers know a prepared
	 * statement by it. */
	struct kb_sql first, next, insert, any, clear;
};

/* Those of the installation that both databases have, each behind those that it refers to. */
struct kb_move_tables {
	struct kb_move_table *v;
	size_t count;
};
bool kb_move_tables(struct kb_store *from, struct kb_store *to, struct kb_arena *arena,
                    struct kb_move_tables *out, struct kb_err *err) KB_MUST_CHECK;

/* Rows of a table by key, behind `after`: what kb_move_key() gave for an earlier row, empty
 * for the beginning. Texts are as PostgreSQL would keep them. */
struct kb_move_batch {
	const struct kb_move_table *table;
	struct kb_db_value *values; /* a row after another */
	size_t rows;
	bool last; /* nothing comes behind them */
};
bool kb_move_read(struct kb_store *store, struct kb_arena *arena, const struct kb_move_table *table,
                  struct kb_sv after, struct kb_move_batch *out, struct kb_err *err) KB_MUST_CHECK;
/* All rows of a table, batch after batch, on a connection of the caller's, in its transaction;
 * until one is refused or `cancel` (may be NULL) says so. */
bool kb_move_each(struct kb_db_conn *conn, const struct kb_move_table *table,
                  const struct kb_cancel *cancel,
                  bool (*take)(void *arg, struct kb_move_batch *batch, struct kb_err *err),
                  void *arg, struct kb_err *err) KB_MUST_CHECK;
/* A statement that adds a row with values for these columns. */
const char *kb_move_insert(struct kb_arena *arena, struct kb_sv table, const struct kb_sv *columns,
                           size_t count);
/* The same table, of which only what belongs to an agent is read; `column` says to which one. */
void kb_move_part(struct kb_arena *arena, const struct kb_move_table *whole, struct kb_sv column,
                  int64_t agent_id, struct kb_move_table *out);
struct kb_sv kb_move_key(struct kb_arena *arena, const struct kb_move_batch *batch, size_t row);

#endif
