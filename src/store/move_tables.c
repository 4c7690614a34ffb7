#include "store/move_tables.h"

#include <string.h>

#include "store/lists.h"

/* A batch ends with the first of them; a row is never cut. */
enum { ROWS_MAX = 250, BYTES_MAX = 4 << 20 };

/* What belongs to a database, not to an installation. The rows of a bucket's blobs are made anew
 * where blobs arrive; node numbers of old leases are nobody's in another database; what was
 * guessed was guessed here. */
static const char *const left_out[] = {
	"backup_calendar",   "backups", "blob_sweep", "blobs", "commits",
	"counters",          "guesses", "moves",      "nodes", "probes",
	"schema_migrations", "strays",  "work",
};

/* ---- the catalogue ---- */

struct column {
	struct kb_sv table, name;
	char letter;
	int64_t key; /* its place in the key, from 1; 0: none */
};

struct reference {
	struct kb_sv from, to;
};

struct catalogue {
	struct column *columns; /* a table after another */
	size_t column_count;
	struct reference *references;
	size_t reference_count;
};

static bool is_left_out(struct kb_sv table)
{
	for (size_t i = 0; i < KB_COUNTOF(left_out); i++)
		if (kb_sv_eq(table, kb_sv_str(left_out[i])))
			return true;
	return false;
}

static bool read_columns(struct kb_db_conn *conn, struct kb_arena *arena, struct catalogue *out,
                         struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, conn->driver->columns, KB_NO_VALUES);
	while (kb_rows_next(&rows)) {
		struct column *column =
		        &KB_ROOM(arena, out->columns, out->column_count)[out->column_count];
		struct kb_sv type = kb_rows_text(&rows, arena, 2);

		*column = (struct column){ .table = kb_rows_text(&rows, arena, 0),
			                   .name = kb_rows_text(&rows, arena, 1),
			                   .letter = (char)(type.n && (*type.p | 32) == 'b' ? 'i'
			                                                                    : 'n'),
			                   .key = kb_rows_int(&rows, 3) };
		out->column_count += !is_left_out(column->table);
	}
	return kb_rows_close(&rows, err);
}

static bool read_references(struct kb_db_conn *conn, struct kb_arena *arena, struct catalogue *out,
                            struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, conn->driver->references, KB_NO_VALUES);
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, out->references, out->reference_count)
		[out->reference_count] = (struct reference){ .from = kb_rows_text(&rows, arena, 0),
			                                     .to = kb_rows_text(&rows, arena, 1) };
		out->reference_count++;
	}
	return kb_rows_close(&rows, err);
}

static bool read_catalogue(struct kb_store *store, struct kb_arena *arena, struct catalogue *out,
                           struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool ok = conn && read_columns(conn, arena, out, err)
	          && read_references(conn, arena, out, err);

	if (conn)
		kb_db_give(store->db, conn);
	return ok;
}

static bool has_column(const struct catalogue *in, const struct column *column)
{
	for (size_t i = 0; i < in->column_count; i++)
		if (kb_sv_eq(in->columns[i].table, column->table)
		    && kb_sv_eq(in->columns[i].name, column->name))
			return true;
	return false;
}

/* ---- statements ---- */

/* "a", "b"; $1, $2. */
static struct kb_sv names(struct kb_arena *arena, const struct kb_sv *list, size_t count)
{
	struct kb_sv out = KB_SV("");

	for (size_t i = 0; i < count; i++)
		out = kb_arena_printf(arena, "%.*s%s\"%.*s\"", KB_SV_ARG(out), i ? ", " : "",
		                      KB_SV_ARG(list[i]));
	return out;
}

static struct kb_sv key_names(struct kb_arena *arena, const struct kb_move_table *table)
{
	struct kb_sv key[KB_MOVE_KEYS];

	for (size_t i = 0; i < table->key_count; i++)
		key[i] = table->names[table->keys[i]];
	return names(arena, key, table->key_count);
}

static struct kb_sv places(struct kb_arena *arena, size_t first, size_t count)
{
	struct kb_sv out = KB_SV("");

	for (size_t i = 0; i < count; i++)
		out = kb_arena_printf(arena, "%.*s%s$%zu", KB_SV_ARG(out), i ? ", " : "",
		                      first + i);
	return out;
}

#define SQL(...) kb_arena_printf(arena, __VA_ARGS__).p

const char *kb_move_insert(struct kb_arena *arena, struct kb_sv table, const struct kb_sv *columns,
                           size_t count)
{
	return SQL("INSERT INTO \"%.*s\" (%s) VALUES (%s)", KB_SV_ARG(table),
	           names(arena, columns, count).p, places(arena, 1, count).p);
}

static void make_statements(struct kb_arena *arena, struct kb_move_table *table)
{
	struct kb_sv all = names(arena, table->names, table->columns);
	struct kb_sv key = key_names(arena, table);
	struct kb_sv behind = places(arena, 1, table->key_count);
	char letters[KB_MOVE_KEYS + 2];

	for (size_t i = 0; i < table->key_count; i++)
		letters[i] = table->letters[table->keys[i]];
	letters[table->key_count] = 'i';
	letters[table->key_count + 1] = '\0';
	table->first = (struct kb_sql){ "move_first", "i",
		                        SQL("SELECT %s FROM \"%s\" ORDER BY %s LIMIT $1", all.p,
		                            table->name.p, key.p) };
	table->next = (struct kb_sql){
		"move_next", kb_arena_str(arena, kb_sv_str(letters)),
		SQL("SELECT %s FROM \"%s\" WHERE (%s) > (%s) ORDER BY %s LIMIT $%zu", all.p,
		    table->name.p, key.p, behind.p, key.p, table->key_count + 1)
	};
	table->insert = (struct kb_sql){ "move_insert", table->letters,
		                         SQL("%s ON CONFLICT DO NOTHING",
		                             kb_move_insert(arena, table->name, table->names,
		                                            table->columns)) };
	table->any = (struct kb_sql){ "move_any", "",
		                      SQL("SELECT count(*) FROM (SELECT 1 FROM \"%s\" LIMIT 1) one",
		                          table->name.p) };
	table->clear =
	        (struct kb_sql){ "move_clear", "", SQL("DELETE FROM \"%s\"", table->name.p) };
}

void kb_move_part(struct kb_arena *arena, const struct kb_move_table *whole, struct kb_sv column,
                  int64_t agent_id, struct kb_move_table *out)
{
	const char *from =
	        SQL("SELECT %s FROM \"%s\" WHERE \"%.*s\" = $1",
	            names(arena, whole->names, whole->columns).p, whole->name.p, KB_SV_ARG(column));
	char letters[KB_MOVE_KEYS + 3] = "i";
	const char *key;

	*out = *whole;
	out->agent_id = agent_id;
	out->key_count = 0;
	for (size_t i = 0; i < whole->key_count; i++) {
		if (kb_sv_eq(whole->names[whole->keys[i]], column))
			continue;
		letters[1 + out->key_count] = whole->letters[whole->keys[i]];
		out->keys[out->key_count++] = whole->keys[i];
	}
	letters[1 + out->key_count] = 'i';
	key = key_names(arena, out).p;
	out->first = (struct kb_sql){ "part_first", "ii",
		                      SQL("%s%s%s LIMIT $2", from,
		                          out->key_count ? " ORDER BY " : "", key) };
	/* Of a table with one row an agent there is nothing behind the first. */
	if (out->key_count)
		out->next = (struct kb_sql){ "part_next", kb_arena_str(arena, kb_sv_str(letters)),
			                     SQL("%s AND (%s) > (%s) ORDER BY %s LIMIT $%zu", from,
			                         key, places(arena, 2, out->key_count).p, key,
			                         out->key_count + 2) };
}

static bool make_table(struct kb_arena *arena, const struct column *columns, size_t count,
                       struct kb_move_table *out, struct kb_err *err)
{
	char letters[KB_SQL_PARAMS + 1];
	struct kb_sv *all;

	*out = (struct kb_move_table){ .name = columns->table, .columns = count };
	if (count > KB_SQL_PARAMS)
		return kb_fail(err, KB_E_UNSUPPORTED,
		               "the table %.*s has %zu columns, the limit is %d",
		               KB_SV_ARG(out->name), count, KB_SQL_PARAMS);
	out->names = all = KB_NEW_ARRAY(arena, count, struct kb_sv);
	for (size_t i = 0; i < count; i++) {
		all[i] = columns[i].name;
		letters[i] = columns[i].letter;
		if (columns[i].key < 1 || columns[i].key > KB_MOVE_KEYS)
			continue;
		out->keys[columns[i].key - 1] = i;
		out->key_count++;
	}
	if (!out->key_count)
		return kb_fail(err, KB_E_UNSUPPORTED, "the table %.*s has no key",
		               KB_SV_ARG(out->name));
	out->letters = kb_arena_str(arena, kb_sv(letters, count));
	make_statements(arena, out);
	return true;
}

/* ---- their order ---- */

static bool is_in(const struct kb_move_table *tables, size_t count, struct kb_sv name)
{
	for (size_t i = 0; i < count; i++)
		if (kb_sv_eq(tables[i].name, name))
			return true;
	return false;
}

/* Whether all that the table refers to stands among the first `done`. */
static bool may_follow(const struct catalogue *in, const struct kb_move_tables *tables, size_t done,
                       struct kb_sv name)
{
	for (size_t i = 0; i < in->reference_count; i++)
		if (kb_sv_eq(in->references[i].from, name) && !kb_sv_eq(in->references[i].to, name)
		    && is_in(tables->v, tables->count, in->references[i].to)
		    && !is_in(tables->v, done, in->references[i].to))
			return false;
	return true;
}

/* They come by name, so that the order is the same each time. */
static void sort(const struct catalogue *in, struct kb_move_tables *tables)
{
	for (size_t done = 0; done < tables->count; done++) {
		struct kb_move_table next;
		size_t i = done;

		while (i < tables->count && !may_follow(in, tables, done, tables->v[i].name))
			i++;
		KB_ASSERT(i < tables->count);
		next = tables->v[i];
		memmove(&tables->v[done + 1], &tables->v[done], (i - done) * sizeof(next));
		tables->v[done] = next;
	}
}

bool kb_move_tables(struct kb_store *from, struct kb_store *to, struct kb_arena *arena,
                    struct kb_move_tables *out, struct kb_err *err)
{
	struct catalogue here = { 0 }, there = { 0 };
	size_t end;

	*out = (struct kb_move_tables){ 0 };
	if (!read_catalogue(from, arena, &here, err) || !read_catalogue(to, arena, &there, err))
		return false;
	for (size_t i = 0; i < here.column_count; i = end) {
		const struct column *first = &here.columns[i];

		for (end = i;
		     end < here.column_count && kb_sv_eq(here.columns[end].table, first->table);
		     end++)
			;
		/* Somebody else's table in the same database. */
		if (!has_column(&there, first))
			continue;
		if (!make_table(arena, first, end - i,
		                &KB_ROOM(arena, out->v, out->count)[out->count], err))
			return false;
		out->count++;
	}
	sort(&there, out);
	return true;
}

/* ---- rows ---- */

/* "i12;t3:abc;" and back. */
struct kb_sv kb_move_key(struct kb_arena *arena, const struct kb_move_batch *batch, size_t row)
{
	const struct kb_move_table *table = batch->table;
	const struct kb_db_value *values = &batch->values[row * table->columns];
	struct kb_sv out = KB_SV("");

	for (size_t i = 0; i < table->key_count; i++) {
		const struct kb_db_value *value = &values[table->keys[i]];

		out = value->type == 'i' ? kb_arena_printf(arena, "%.*si%" PRId64 ";",
		                                           KB_SV_ARG(out), value->n)
		                         : kb_arena_printf(arena, "%.*st%zu:%.*s;", KB_SV_ARG(out),
		                                           value->text.n, KB_SV_ARG(value->text));
	}
	return out;
}

/* What stands before `end`, behind which the rest begins. */
static bool cut(struct kb_sv *rest, char end, struct kb_sv *out)
{
	const char *at = rest->n ? memchr(rest->p, end, rest->n) : NULL;

	if (!at)
		return false;
	*out = kb_sv(rest->p, (size_t)(at - rest->p));
	*rest = kb_sv(at + 1, rest->n - out->n - 1);
	return true;
}

static bool parse_value(struct kb_sv *rest, char letter, struct kb_db_value *out)
{
	struct kb_sv word;
	int64_t n;

	if (!rest->n || *rest->p != (letter == 'i' ? 'i' : 't'))
		return false;
	*rest = kb_sv(rest->p + 1, rest->n - 1);
	if (!cut(rest, letter == 'i' ? ';' : ':', &word)
	    || !kb_sv_to_int(word, INT64_MIN, INT64_MAX, &n))
		return false;
	if (letter == 'i') {
		*out = kb_int(n);
		return true;
	}
	if (n < 0 || (uint64_t)n >= rest->n || rest->p[n] != ';')
		return false;
	*out = kb_nullable(kb_sv(rest->p, (size_t)n));
	*rest = kb_sv(rest->p + n + 1, rest->n - (size_t)n - 1);
	return true;
}

static bool parse_key(const struct kb_move_table *table, struct kb_sv text, struct kb_db_value *out,
                      struct kb_err *err)
{
	for (size_t i = 0; i < table->key_count; i++)
		if (!parse_value(&text, table->letters[table->keys[i]], &out[i]))
			return kb_corrupt(err,
			                  "the place that the move has come to in %.*s is no key",
			                  KB_SV_ARG(table->name));
	return true;
}

static int64_t read_row(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_move_batch *out)
{
	const struct kb_move_table *table = out->table;
	struct kb_db_value *values = &out->values[out->rows * table->columns];
	int64_t bytes = 0;

	for (size_t i = 0; i < table->columns; i++) {
		if (table->letters[i] == 'i') {
			values[i] = kb_int(kb_rows_int(rows, (int)i));
			continue;
		}
		values[i] = kb_nullable(kb_db_text(arena, kb_rows_text(rows, arena, (int)i)));
		bytes += (int64_t)values[i].text.n;
	}
	out->rows++;
	return bytes;
}

static bool read_in(struct kb_db_conn *conn, struct kb_arena *arena,
                    const struct kb_move_table *table, struct kb_sv after,
                    struct kb_move_batch *out, struct kb_err *err)
{
	struct kb_db_value values[KB_MOVE_KEYS + 2], *behind = values;
	size_t keys = after.n ? table->key_count : 0;
	struct kb_db_rows rows;
	int64_t bytes = 0;

	*out = (struct kb_move_batch){
		.table = table,
		.values = KB_NEW_ARRAY(arena, ROWS_MAX * table->columns, struct kb_db_value),
	};
	if (table->agent_id)
		*behind++ = kb_int(table->agent_id);
	if (after.n && !parse_key(table, after, behind, err))
		return false;
	behind[keys] = kb_int(ROWS_MAX);
	kb_rows_open(&rows, conn, after.n ? &table->next : &table->first,
	             (struct kb_db_values){ values, (size_t)(behind - values) + keys + 1 });
	while (bytes < BYTES_MAX && out->rows < ROWS_MAX && kb_rows_next(&rows))
		bytes += read_row(&rows, arena, out);
	out->last = bytes < BYTES_MAX && out->rows < ROWS_MAX;
	return kb_rows_close(&rows, err);
}

bool kb_move_read(struct kb_store *store, struct kb_arena *arena, const struct kb_move_table *table,
                  struct kb_sv after, struct kb_move_batch *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool ok = conn && read_in(conn, arena, table, after, out, err);

	if (conn)
		kb_db_give(store->db, conn);
	return ok;
}

bool kb_move_each(struct kb_db_conn *conn, const struct kb_move_table *table,
                  const struct kb_cancel *cancel,
                  bool (*take)(void *arg, struct kb_move_batch *batch, struct kb_err *err),
                  void *arg, struct kb_err *err)
{
	struct kb_arena arena = { 0 }, keep = { 0 };
	struct kb_move_batch batch = { 0 };
	struct kb_sv after = KB_SV("");
	bool ok = true;

	while (ok && !batch.last) {
		ok = !kb_cancelled(cancel, err) && read_in(conn, &arena, table, after, &batch, err)
		     && take(arg, &batch, err);
		kb_arena_reset(&keep);
		if (ok && batch.rows)
			after = kb_move_key(&keep, &batch, batch.rows - 1);
		kb_arena_reset(&arena);
	}
	kb_arena_fini(&arena);
	kb_arena_fini(&keep);
	return ok;
}
