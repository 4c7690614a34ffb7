/* Sums of a transaction: what many of its writes count is written once, at its end. */
#include "db/db.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 12 };

struct kb_db_count {
	const struct kb_sql *sql;
	size_t keys, value_count;
	struct kb_db_value v[VALUES_MAX];
};

void kb_db_count(struct kb_db_conn *conn, const struct kb_sql *sql, size_t keys,
                 struct kb_db_values values)
{
	struct kb_db_counts *counts = &conn->counts;
	struct kb_db_count *count;

	KB_ASSERT(values.count <= VALUES_MAX && keys <= values.count);
	KB_GROW(counts->v, counts->capacity, counts->count + 1);
	count = &counts->v[counts->count++];
	*count = (struct kb_db_count){ .sql = sql, .keys = keys, .value_count = values.count };
	for (size_t i = 0; i < values.count; i++) {
		count->v[i] = values.v[i];
		if (values.v[i].type != 'i')
			count->v[i].text = kb_arena_sv(&counts->texts, values.v[i].text);
	}
}

static int by_row(const void *a, const void *b)
{
	const struct kb_db_count *x = a, *y = b;
	int order = strcmp(x->sql->name, y->sql->name);

	for (size_t i = 0; !order && i < x->keys; i++)
		order = x->v[i].type != 'i' ? kb_sv_cmp(x->v[i].text, y->v[i].text)
		                            : (x->v[i].n > y->v[i].n) - (x->v[i].n < y->v[i].n);
	return order;
}

bool kb_db_counts_flush(struct kb_db_conn *conn, struct kb_err *err)
{
	struct kb_db_counts *counts = &conn->counts;
	size_t end;

	if (counts->count)
		qsort(counts->v, counts->count, sizeof(*counts->v), by_row);
	for (size_t i = 0; i < counts->count; i = end) {
		struct kb_db_count *sum = &counts->v[i];

		for (end = i + 1; end < counts->count && by_row(sum, &counts->v[end]) == 0; end++)
			for (size_t k = sum->keys; k < sum->value_count; k++)
				sum->v[k].n += counts->v[end].v[k].n;
		if (!kb_db_defer(conn, sum->sql, (struct kb_db_values){ sum->v, sum->value_count },
		                 err))
			return false;
	}
	kb_db_counts_drop(conn, 0);
	return true;
}

void kb_db_counts_drop(struct kb_db_conn *conn, size_t count)
{
	conn->counts.count = KB_MIN(conn->counts.count, count);
	if (count == 0)
		kb_arena_reset(&conn->counts.texts);
}

void kb_db_counts_fini(struct kb_db_conn *conn)
{
	free(conn->counts.v);
	kb_arena_fini(&conn->counts.texts);
}
