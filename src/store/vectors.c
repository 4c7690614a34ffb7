/* Rows of vector columns and factor models, and what of them is still to be made. */
#include "store/vectors.h"

#include <stdio.h>
#include <string.h>

#include "store/index_state.h"
#include "store/lists.h"
#include "store/publish.h"
#include "store/store_own.h"
#include "store/vectors_own.h"

enum {
	PUT,
	COUNT_OTHERS,
	HAS_SEGMENT,
	DROP_OLDER,
	DROP,
	DROP_SEGMENT,
	NEWER,
	STATE_VECTORS,
	STATE_FACTORS,
	FACTORS_PUT,
	FACTORS_DROP,
	MISSING,
	UNFOLDED,
	DUE,
	READY,
};
/* $1 the column's name, $2 one agent or 0, $3 and $4 the row to go on after, $5 how many. */
#define MISSING_WHERE(model)                                                                       \
	"WHERE s.passages > 0 AND s.damaged_at = 0 AND ($2 = 0 OR s.agent_id = $2) AND "           \
	"(s.agent_id, s.id) > ($3, $4) "                                                           \
	"AND " KB_AGENT_SHOWN("s.agent_id") " "                                                    \
	                                    "AND (v.model IS NULL OR v.model <> " model            \
	                                    " OR v.pending > 0) "
#define MISSING_JOIN                                                                               \
	"LEFT JOIN vectors v ON v.agent_id = s.agent_id AND v.segment_id = s.id AND v.name = $1 "
// clang-format off
static const struct kb_sql sql[] = {
	[PUT] = { "vectors_put", KB_TYPES(KB_VECTORS),
		KB_UPSERT("vectors", KB_VECTORS, "agent_id, segment_id, name", KB_VECTORS_MADE) },
	[COUNT_OTHERS] = { "vectors_count", "iit",
		"SELECT count(*) FROM vectors WHERE agent_id = $1 AND segment_id = $2 AND name <> $3" },
	[HAS_SEGMENT] = { "vectors_segment", "ii",
		"SELECT passages FROM segments WHERE agent_id = $1 AND id = $2" },
	[DROP_OLDER] = { "vectors_drop_older", "iitt",
		"DELETE FROM vectors WHERE agent_id = $1 AND segment_id = $2 AND name <> $3 AND name LIKE $4 "
		"AND created_at < (SELECT max(created_at) FROM vectors WHERE agent_id = $1 "
		"AND segment_id = $2 AND name <> $3 AND name LIKE $4)" },
	[DROP] = { "vectors_drop", "iitt",
		"DELETE FROM vectors WHERE agent_id = $1 AND segment_id = $2 AND name = $3 AND blob = $4" },
	[DROP_SEGMENT] = { "vectors_drop_segment", "ii",
		"DELETE FROM vectors WHERE agent_id = $1 AND segment_id = $2" },
	[NEWER] = { "vectors_newer", "iii",
		"SELECT count(*) FROM vectors WHERE agent_id = $1 AND segment_id = $2 AND version > $3" },
	[STATE_VECTORS] = { "state_vectors", "i",
		"SELECT " KB_NAMES(KB_VECTORS) " FROM vectors "
		"WHERE agent_id = $1 ORDER BY segment_id, name" },
	[STATE_FACTORS] = { "state_factors", "i",
		"SELECT " KB_NAMES(KB_FACTORS) " FROM factors WHERE agent_id = $1" },
	[FACTORS_PUT] = { "factors_put", KB_TYPES(KB_FACTORS),
		KB_UPSERT("factors", KB_FACTORS, "agent_id", KB_FACTORS_COPIED) },
	[FACTORS_DROP] = { "factors_drop", "it",
		"DELETE FROM factors WHERE agent_id = $1 AND blob = $2" },
	[MISSING] = { "vectors_missing", "tiiiit",
		"SELECT s.agent_id, s.id, s.blob, s.passages, "
		"CASE WHEN v.model = $6 THEN v.blob ELSE '' END, '', coalesce(v.pending, 0) FROM segments s "
		MISSING_JOIN MISSING_WHERE("$6")
		"ORDER BY sum(s.passages) OVER (PARTITION BY s.agent_id), s.agent_id, s.id DESC LIMIT $5" },
	[UNFOLDED] = { "vectors_unfolded", "tiiii",
		"SELECT s.agent_id, s.id, s.blob, s.passages, "
		"CASE WHEN v.model = f.mark THEN v.blob ELSE '' END, f.mark, coalesce(v.pending, 0) FROM segments s "
		"JOIN factors f ON f.agent_id = s.agent_id "
		MISSING_JOIN MISSING_WHERE("f.mark") "ORDER BY s.agent_id, s.id LIMIT $5" },
	[READY] = { "vectors_ready", "itt",
		"SELECT coalesce(sum(s.passages), 0), coalesce(sum(CASE WHEN v.model = $3 THEN s.passages - v.pending "
		"ELSE 0 END), 0) FROM segments s LEFT JOIN vectors v ON v.agent_id = s.agent_id "
		"AND v.segment_id = s.id AND v.name = $2 WHERE s.agent_id = $1" },
	[DUE] = { "factors_due", "iii",
		"SELECT s.agent_id FROM segments s LEFT JOIN factors f ON f.agent_id = s.agent_id "
		"WHERE s.agent_id > $2 AND s.damaged_at = 0 AND " KB_AGENT_SHOWN("s.agent_id") " GROUP BY s.agent_id, f.passages HAVING sum(s.passages) >= $1 "
		"AND (f.passages IS NULL OR sum(s.passages) * 2 > f.passages * 3 "
		"OR sum(s.passages) * 2 < f.passages "
		"OR (sum(s.passages) <> f.passages AND sum(s.passages) <= $3 "
		"AND NOT EXISTS (SELECT 1 FROM pages p WHERE p.agent_id = s.agent_id AND p.state > 0))) ORDER BY s.agent_id LIMIT 1" },
};
// clang-format on
const struct kb_sql_table kb_sql_vectors = { "vectors", sql, KB_COUNTOF(sql) };

struct vectors_row {
	struct kb_vectors_row column;
	int64_t agent_id, version, created_at;
};
#define VECTORS(letter, column, member) KB_COLUMN(struct vectors_row, letter, column, member)
static const struct kb_db_columns vectors_columns =
        KB_COLUMNS(struct vectors_row, KB_VECTORS(VECTORS, VECTORS));

struct factors_row {
	struct kb_factors_row factors;
	int64_t agent_id, created_at;
};
#define FACTORS(letter, column, member) KB_COLUMN(struct factors_row, letter, column, member)
static const struct kb_db_columns factors_columns =
        KB_COLUMNS(struct factors_row, KB_FACTORS(FACTORS, FACTORS));

/* ---- inside transactions of this and other files ---- */

bool kb_vectors_state(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                      struct kb_index_state *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[STATE_VECTORS], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		struct vectors_row row;

		kb_columns_read(&vectors_columns, &rows, 0, arena, &row);
		KB_ROOM(arena, out->vectors, out->vectors_count)[out->vectors_count] = row.column;
		out->vectors_count++;
	}
	if (!kb_rows_close(&rows, err))
		return false;
	kb_rows_open(&rows, conn, &sql[STATE_FACTORS], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		struct factors_row row;

		kb_columns_read(&factors_columns, &rows, 0, arena, &row);
		out->factors = row.factors;
	}
	return kb_rows_close(&rows, err);
}

bool kb_vectors_insert(struct kb_db_conn *conn, int64_t agent_id,
                       const struct kb_vectors_new *column, int64_t version, int64_t now,
                       struct kb_err *err)
{
	struct vectors_row row = {
		.column = {
			.segment_id = column->segment_id,
			.name = column->name,
			.model = column->model,
			.blob = column->blob,
			.bytes = column->bytes,
			.filled = column->filled,
			.pending = column->pending,
		},
		.agent_id = agent_id,
		.version = version,
		.created_at = now,
	};

	return kb_columns_write(&vectors_columns, conn, &sql[PUT], KB_NO_VALUES, &row, err);
}

bool kb_vectors_check_segment(struct kb_db_conn *conn, int64_t agent_id, int64_t segment_id,
                              int64_t version, struct kb_err *err)
{
	int64_t newer;

	if (!kb_db_int(conn, &sql[NEWER],
	               KB_VALUES(kb_int(agent_id), kb_int(segment_id), kb_int(version)), 0, &newer,
	               err))
		return false;
	return !newer
	       || kb_fail(err, KB_E_CONFLICT,
	                  "segment %" PRId64 " of agent %" PRId64 " got a vector column meanwhile",
	                  segment_id, agent_id);
}

bool kb_vectors_drop_segment(struct kb_db_conn *conn, int64_t agent_id, int64_t segment_id,
                             struct kb_err *err)
{
	return kb_db_run(conn, &sql[DROP_SEGMENT], KB_VALUES(kb_int(agent_id), kb_int(segment_id)),
	                 NULL, err);
}

/* ---- changes ---- */

struct put {
	int64_t agent_id, now;
	const struct kb_factors_new *factors; /* NULL: columns alone */
	const struct kb_vectors_new *columns;
	size_t count;
};

static bool drop_older(struct kb_db_conn *conn, int64_t agent_id,
                       const struct kb_vectors_new *column, struct kb_err *err)
{
	char pattern[64];

	snprintf(pattern, sizeof(pattern), "%.*s%%", KB_SV_ARG(column->family));
	return kb_db_run(conn, &sql[DROP_OLDER],
	                 KB_VALUES(kb_int(agent_id), kb_int(column->segment_id),
	                           kb_text(column->name), kb_text(kb_sv_str(pattern))),
	                 NULL, err);
}

static bool put_column(struct kb_db_conn *conn, const struct put *in,
                       const struct kb_vectors_new *column, int64_t version, struct kb_err *err)
{
	int64_t passages, others;

	if (column->family.n && !drop_older(conn, in->agent_id, column, err))
		return false;
	if (!kb_db_int(conn, &sql[HAS_SEGMENT],
	               KB_VALUES(kb_int(in->agent_id), kb_int(column->segment_id)), -1, &passages,
	               err)
	    || !kb_db_int(conn, &sql[COUNT_OTHERS],
	                  KB_VALUES(kb_int(in->agent_id), kb_int(column->segment_id),
	                            kb_text(column->name)),
	                  0, &others, err))
		return false;
	if (passages < 0 && in->factors)
		return true; /* the merged segment will be missing it */
	if (passages < 0)
		return kb_fail(err, KB_E_CONFLICT,
		               "segment %" PRId64 " of agent %" PRId64 " was replaced meanwhile",
		               column->segment_id, in->agent_id);
	if (column->filled + column->pending > passages)
		return kb_fail(err, KB_E_INVALID,
		               "a column of %" PRId64 " vectors for %" PRId64 " passages",
		               column->filled + column->pending, passages);
	if (others >= KB_SEGMENT_COLUMNS_MAX)
		return kb_fail(err, KB_E_INVALID,
		               "segment %" PRId64 " has %" PRId64
		               " vector columns, the limit is %d",
		               column->segment_id, others, KB_SEGMENT_COLUMNS_MAX);
	return kb_vectors_insert(conn, in->agent_id, column, version, in->now, err);
}

static bool put_factors(struct kb_db_conn *conn, const struct put *in, struct kb_err *err)
{
	const struct kb_factors_new *factors = in->factors;
	struct factors_row row = {
		.factors = {
			.mark = factors->mark,
			.blob = factors->blob,
			.bytes = factors->bytes,
			.passages = factors->passages,
		},
		.agent_id = in->agent_id,
		.created_at = in->now,
	};

	return kb_columns_write(&factors_columns, conn, &sql[FACTORS_PUT], KB_NO_VALUES, &row, err);
}

static bool put(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct put *in = arg;
	int64_t version;

	if (!kb_agent_lock(conn, in->agent_id, &version, err))
		return false;
	for (size_t i = 0; i < in->count; i++)
		if (!put_column(conn, in, &in->columns[i], version + 1, err))
			return false;
	return (!in->factors || put_factors(conn, in, err))
	       && kb_agent_raise(conn, in->agent_id, version + 1, err);
}

bool kb_store_vectors_put(struct kb_store *store, int64_t agent_id,
                          const struct kb_vectors_new *column, struct kb_err *err)
{
	struct put in = { agent_id, kb_store_now(store), NULL, column, 1 };

	if (kb_db_write(store->db, put, &in, err))
		return true;
	if (err && err->code == KB_E_NOT_FOUND)
		err->code = KB_E_CONFLICT; /* the segment went with its agent */
	return false;
}

bool kb_store_factors_put(struct kb_store *store, int64_t agent_id,
                          const struct kb_factors_new *factors,
                          const struct kb_vectors_new *columns, size_t count, struct kb_err *err)
{
	struct put in = { agent_id, kb_store_now(store), factors, columns, count };

	return kb_db_write(store->db, put, &in, err);
}

struct drop {
	int64_t agent_id, segment_id; /* 0: the factors */
	struct kb_sv name, blob;
};

static bool drop(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct drop *in = arg;

	if (!in->segment_id)
		return kb_db_run(conn, &sql[FACTORS_DROP],
		                 KB_VALUES(kb_int(in->agent_id), kb_text(in->blob)), NULL, err);
	return kb_db_run(conn, &sql[DROP],
	                 KB_VALUES(kb_int(in->agent_id), kb_int(in->segment_id), kb_text(in->name),
	                           kb_text(in->blob)),
	                 NULL, err);
}

bool kb_store_vectors_drop(struct kb_store *store, int64_t agent_id, int64_t segment_id,
                           struct kb_sv name, struct kb_sv blob, struct kb_err *err)
{
	return kb_db_write(store->db, drop, &(struct drop){ agent_id, segment_id, name, blob },
	                   err);
}

bool kb_store_factors_drop(struct kb_store *store, int64_t agent_id, struct kb_sv blob,
                           struct kb_err *err)
{
	return kb_db_write(store->db, drop, &(struct drop){ .agent_id = agent_id, .blob = blob },
	                   err);
}

bool kb_store_vectors_ready(struct kb_store *store, int64_t agent_id,
                            const struct kb_vectors_want *want, struct kb_vectors_ready *out,
                            struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_vectors_ready){ 0 };
	kb_rows_take(&rows, store->db, &sql[READY],
	             KB_VALUES(kb_int(agent_id), kb_text(want->name), kb_text(want->model)));
	while (kb_rows_next(&rows)) {
		out->passages = kb_rows_int(&rows, 0);
		out->ready = kb_rows_int(&rows, 1);
	}
	return kb_rows_close(&rows, err);
}

/* ---- work to do ---- */

bool kb_store_vectors_missing(struct kb_store *store, struct kb_arena *arena,
                              const struct kb_vectors_want *want, struct kb_vectors_missing **out,
                              size_t *count, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	int64_t limit = (int64_t)KB_MIN(want->limit, (size_t)KB_VECTORS_MISSING_MAX);
	struct kb_db_values values =
	        KB_VALUES(kb_text(want->name), kb_int(want->agent_id), kb_int(want->after_agent_id),
	                  kb_int(want->after_segment_id), kb_int(limit), kb_text(want->model));
	bool folded = want->model.n == 0, ok;
	struct kb_db_rows rows;

	*out = NULL;
	*count = 0;
	if (!conn)
		return false;
	values.count -= folded; /* the model is the last */
	kb_rows_open(&rows, conn, &sql[folded ? UNFOLDED : MISSING], values);
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, *out, *count)
		[*count] = (struct kb_vectors_missing){
			.agent_id = kb_rows_int(&rows, 0),
			.segment_id = kb_rows_int(&rows, 1),
			.segment_blob = kb_rows_text(&rows, arena, 2),
			.passages = kb_rows_int(&rows, 3),
			.blob = kb_rows_text(&rows, arena, 4),
			.pending = kb_rows_int(&rows, 6),
			.model = folded ? kb_rows_text(&rows, arena, 5)
			                : kb_arena_sv(arena, want->model),
		};
		++*count;
	}
	ok = kb_rows_close(&rows, err);
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_factors_due(struct kb_store *store, const struct kb_factors_want *want,
                          int64_t *agent_id, struct kb_err *err)
{
	return kb_db_read_int(store->db, &sql[DUE],
	                      KB_VALUES(kb_int(want->min_passages), kb_int(want->after_agent_id),
	                                kb_int(want->exact_passages)),
	                      0, agent_id, err);
}
