/* What an agent's index version consists of: segments and dead pages; their merges; blob names. */
#include "store/segments.h"

#include <stdlib.h>
#include <string.h>

#include "store/labels_own.h"
#include "store/lists.h"
#include "store/publish.h"
#include "store/segments_own.h"
#include "store/store_own.h"
#include "store/vectors_own.h"
#include "store/work_own.h"

enum {
	ADD,
	DEAD_ADD,
	STATE_VERSION,
	STATE_SEGMENTS,
	STATE_DYING,
	STATE_DEAD,
	STATE_DEAD_AND_DYING,
	VERSION_OF,
	DELETE,
	DEAD_SWEEP,
	CANDIDATE,
	BLOB_NAMES,
	COPIES,
};
// clang-format off
static const struct kb_sql sql[] = {
	[ADD] = { "segment_add", KB_TYPES(KB_SEGMENTS), KB_INSERT("segments", KB_SEGMENTS) },
	[DEAD_ADD] = { "dead_add", "iii",
		"INSERT INTO dead_pages (agent_id, page_id, version) VALUES ($1, $2, $3) "
		"ON CONFLICT (agent_id, page_id) DO UPDATE SET version = $3" },
	[STATE_VERSION] = { "state_version", "i", "SELECT index_version FROM agents WHERE id = $1 AND state = " KB_SQL(AGENT_THERE) },
	[STATE_SEGMENTS] = { "state_segments", "i",
		"SELECT " KB_NAMES(KB_SEGMENTS) " FROM segments WHERE agent_id = $1 ORDER BY id" },
	[STATE_DEAD] = { "state_dead", "i",
		"SELECT page_id, version FROM dead_pages WHERE agent_id = $1 ORDER BY page_id" },
	[STATE_DYING] = { "state_dying", "i",
		"SELECT count(*) FROM sources WHERE agent_id = $1 AND dead_version > 0" },
	/* With the pages of deleted sources, whose rows have not gone yet. */
	[STATE_DEAD_AND_DYING] = { "state_dead_and_dying", "i",
		"SELECT page_id, max(version) FROM (" KB_DEAD_PAGES ") w GROUP BY page_id ORDER BY page_id" },
	[VERSION_OF] = { "segment_version", "ii",
		"SELECT version FROM segments WHERE agent_id = $1 AND id = $2 AND damaged_at = 0" },
	[DELETE] = { "segment_delete", "ii", "DELETE FROM segments WHERE agent_id = $1 AND id = $2" },
	[DEAD_SWEEP] = { "dead_sweep", "i",
		"DELETE FROM dead_pages WHERE agent_id = $1 AND NOT EXISTS (SELECT 1 FROM segments s "
		"WHERE s.agent_id = $1 AND s.version < dead_pages.version)" },
	[CANDIDATE] = { "segment_candidate", "iiii",
		"SELECT agent_id FROM segments s WHERE damaged_at = 0 AND " KB_AGENT_SHOWN("agent_id")
		" AND " KB_WORK_FREE("s.agent_id", KB_WORK_MERGE, "$2", "$3", "$4") " GROUP BY agent_id HAVING count(*) >= $1 "
		"ORDER BY count(*) DESC, agent_id LIMIT 1" },
	[BLOB_NAMES] = { "blob_names", "tt",
		"SELECT blob FROM pages WHERE blob > $1 AND blob <= $2 "
		"UNION SELECT text_blob FROM pages WHERE text_blob > $1 AND text_blob <= $2 "
		"UNION SELECT parsed_blob FROM pages WHERE parsed_blob > $1 AND parsed_blob <= $2 "
		"UNION SELECT blob FROM deleted_pages WHERE blob > $1 AND blob <= $2 "
		"UNION SELECT text_blob FROM deleted_pages WHERE text_blob > $1 AND text_blob <= $2 "
		"UNION SELECT parsed_blob FROM deleted_pages WHERE parsed_blob > $1 AND parsed_blob <= $2 "
		"UNION SELECT blob FROM agent_images WHERE blob > $1 AND blob <= $2 "
		"UNION SELECT blob FROM vectors WHERE blob > $1 AND blob <= $2 "
		"UNION SELECT blob FROM factors WHERE blob > $1 AND blob <= $2 "
		"UNION SELECT blob FROM page_views WHERE blob > $1 AND blob <= $2 "
		"UNION SELECT blob FROM web_pictures WHERE blob > $1 AND blob <= $2 "
		"UNION SELECT photo FROM accounts WHERE photo > $1 AND photo <= $2 "
		"UNION SELECT blob FROM segments WHERE blob > $1 AND blob <= $2" },
	[COPIES] = { "copies", "", "SELECT count(*) FROM agents WHERE state > 0 "
		"AND state IN (" KB_SQL(AGENT_COPIED) ", " KB_SQL(AGENT_ARRIVING) ")" },
};
// clang-format on
const struct kb_sql_table kb_sql_segments = { "segments", sql, KB_COUNTOF(sql) };

struct row {
	struct kb_segment_row segment;
	int64_t agent_id, pages, created_at, damaged_at;
};
#define ROW(letter, column, member) KB_COLUMN(struct row, letter, column, member)
const struct kb_db_columns kb_segment_columns = KB_COLUMNS(struct row, KB_SEGMENTS(ROW, ROW));

bool kb_dead_add(struct kb_db_conn *conn, int64_t agent_id, int64_t page_id, int64_t version,
                 struct kb_err *err)
{
	return kb_db_run(conn, &sql[DEAD_ADD],
	                 KB_VALUES(kb_int(agent_id), kb_int(page_id), kb_int(version)), NULL, err);
}

bool kb_segment_insert(struct kb_db_conn *conn, const struct kb_segment_row_new *new, int64_t *id,
                       struct kb_err *err)
{
	const struct kb_segment_new *segment = new->segment;
	struct row row = {
		.segment = {
			.version = new->version,
			.blob = segment->blob,
			.bytes = segment->bytes,
			.passages = segment->passages,
		},
		.agent_id = new->agent_id,
		.pages = segment->pages,
		.created_at = new->now,
	};

	if (!kb_db_next_id(conn, "segment", 1, &row.segment.id, err))
		return false;
	if (id)
		*id = row.segment.id;
	return kb_columns_write(&kb_segment_columns, conn, &sql[ADD], KB_NO_VALUES, &row, err);
}

/* ---- reading ---- */

bool kb_index_state_read(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                         struct kb_index_state *out, struct kb_err *err)
{
	struct kb_db_rows rows;
	int64_t dying;

	*out = (struct kb_index_state){ 0 };
	if (!kb_db_int(conn, &sql[STATE_VERSION], KB_VALUES(kb_int(agent_id)), -1, &out->version,
	               err))
		return false;
	if (out->version < 0)
		return kb_agent_missing(err, agent_id);
	kb_rows_open(&rows, conn, &sql[STATE_SEGMENTS], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		struct row row;

		kb_columns_read(&kb_segment_columns, &rows, 0, arena, &row);
		if (row.damaged_at) {
			KB_ROOM(arena, out->damaged, out->damaged_count)
			[out->damaged_count] = row.segment;
			out->damaged_count++;
		} else {
			KB_ROOM(arena, out->segments, out->segment_count)
			[out->segment_count] = row.segment;
			out->segment_count++;
		}
	}
	if (!kb_rows_close(&rows, err)
	    || !kb_db_int(conn, &sql[STATE_DYING], KB_VALUES(kb_int(agent_id)), 0, &dying, err))
		return false;
	kb_rows_open(&rows, conn, &sql[dying ? STATE_DEAD_AND_DYING : STATE_DEAD],
	             KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, out->dead, out->dead_count)
		[out->dead_count] = (struct kb_dead_row){
			.page_id = kb_rows_int(&rows, 0),
			.version = kb_rows_int(&rows, 1),
		};
		out->dead_count++;
	}
	return kb_rows_close(&rows, err) && kb_labels_state(conn, arena, agent_id, out, err)
	       && kb_vectors_state(conn, arena, agent_id, out, err);
}

bool kb_store_index_state(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          struct kb_index_state *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	bool ok;

	if (!conn)
		return false;
	ok = kb_index_state_read(conn, arena, agent_id, out, err);
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_index_version(struct kb_store *store, int64_t agent_id, int64_t *version,
                            struct kb_err *err)
{
	return kb_db_read_int(store->db, &sql[STATE_VERSION], KB_VALUES(kb_int(agent_id)), -1,
	                      version, err)
	       && (*version >= 0 || kb_agent_missing(err, agent_id));
}

bool kb_store_merge_candidate(struct kb_store *store, int64_t min_segments, int64_t *agent_id,
                              struct kb_err *err)
{
	int64_t now = kb_store_now(store);

	return kb_db_read_int(store->db, &sql[CANDIDATE],
	                      KB_VALUES(kb_int(min_segments), kb_int(now), kb_int(store->node),
	                                kb_int(now - KB_NODE_ALIVE_US)),
	                      0, agent_id, err);
}

static int by_text(const void *a, const void *b)
{
	return kb_sv_cmp(*(const struct kb_sv *)a, *(const struct kb_sv *)b);
}

bool kb_blob_names(struct kb_db_conn *conn, struct kb_arena *arena, struct kb_sv after,
                   struct kb_sv until, struct kb_blob_names *out, struct kb_err *err)
{
	struct kb_db_rows rows;
	int64_t copies;

	*out = (struct kb_blob_names){ 0 };
	kb_rows_open(&rows, conn, &sql[BLOB_NAMES], KB_VALUES(kb_text(after), kb_text(until)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, out->v, out->count)[out->count] = kb_rows_text(&rows, arena, 0);
		++out->count;
	}
	if (!kb_rows_close(&rows, err)
	    || !kb_db_int(conn, &sql[COPIES], KB_NO_VALUES, 0, &copies, err))
		return false;
	out->in_flux = copies > 0;
	if (out->count)
		qsort(out->v, out->count, sizeof(*out->v), by_text);
	return true;
}

bool kb_store_blob_names(struct kb_store *store, struct kb_arena *arena, struct kb_sv **names,
                         size_t *count, bool *in_flux, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	struct kb_blob_names found = { 0 };
	bool ok = conn
	          && kb_blob_names(conn, arena, KB_SV(""), KB_SV(KB_BLOB_NAMES_END), &found, err);

	if (conn)
		kb_db_give(store->db, conn);
	*names = found.v;
	*count = found.count;
	if (in_flux)
		*in_flux = found.in_flux;
	return ok;
}

/* ---- going ---- */

bool kb_segment_drop(struct kb_db_conn *conn, int64_t agent_id, int64_t id, struct kb_err *err)
{
	int64_t changed;

	return kb_vectors_drop_segment(conn, agent_id, id, err)
	       && kb_db_run(conn, &sql[DELETE], KB_VALUES(kb_int(agent_id), kb_int(id)), &changed,
	                    err)
	       && (changed
	           || kb_fail(err, KB_E_CONFLICT,
	                      "segment %" PRId64 " of agent %" PRId64 " was replaced meanwhile", id,
	                      agent_id));
}

bool kb_dead_sweep(struct kb_db_conn *conn, int64_t agent_id, struct kb_err *err)
{
	return kb_db_run(conn, &sql[DEAD_SWEEP], KB_VALUES(kb_int(agent_id)), NULL, err);
}

/* ---- merging ---- */

struct merge {
	int64_t agent_id, now;
	const struct kb_merged *merged;
};

static bool drop_old(struct kb_db_conn *conn, const struct merge *in, int64_t id,
                     struct kb_err *err)
{
	int64_t version;

	if (!kb_db_int(conn, &sql[VERSION_OF], KB_VALUES(kb_int(in->agent_id), kb_int(id)), -1,
	               &version, err))
		return false;
	if (version < 0)
		return kb_fail(err, KB_E_CONFLICT,
		               "segment %" PRId64 " of agent %" PRId64
		               " was replaced, or found damaged, meanwhile",
		               id, in->agent_id);
	if (version > in->merged->version)
		return kb_fail(err, KB_E_INVALID,
		               "segment %" PRId64 " is newer (%" PRId64 ") than the merge (%" PRId64
		               ")",
		               id, version, in->merged->version);
	return kb_vectors_check_segment(conn, in->agent_id, id, in->merged->version, err)
	       && kb_segment_drop(conn, in->agent_id, id, err);
}

static bool add_merged(struct kb_db_conn *conn, const struct merge *in, int64_t version,
                       struct kb_err *err)
{
	const struct kb_merged *merged = in->merged;
	struct kb_segment_row_new new = {
		.agent_id = in->agent_id,
		.version = merged->version,
		.now = in->now,
		.segment = &merged->segment,
	};
	int64_t id;

	if (merged->segment.blob.n == 0)
		return true;
	if (!kb_segment_insert(conn, &new, &id, err))
		return false;
	for (size_t i = 0; i < merged->column_count; i++) {
		struct kb_vectors_new column = merged->columns[i];

		column.segment_id = id;
		if (!kb_vectors_insert(conn, in->agent_id, &column, version, in->now, err))
			return false;
	}
	return true;
}

static bool merge(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct merge *in = arg;
	int64_t version;

	if (!kb_agent_lock(conn, in->agent_id, &version, err))
		return false;
	if (in->merged->version > version)
		return kb_fail(err, KB_E_INVALID,
		               "the merge is of version %" PRId64 ", the index of %" PRId64,
		               in->merged->version, version);
	for (size_t i = 0; i < in->merged->old_count; i++)
		if (!drop_old(conn, in, in->merged->old_ids[i], err))
			return false;
	return add_merged(conn, in, version + 1, err) && kb_dead_sweep(conn, in->agent_id, err)
	       && kb_agent_publish(conn, in->agent_id, version + 1, false, err);
}

bool kb_store_segments_merge(struct kb_store *store, int64_t agent_id,
                             const struct kb_merged *merged, struct kb_err *err)
{
	struct merge in = { .agent_id = agent_id, .now = kb_store_now(store), .merged = merged };

	return kb_db_write(store->db, merge, &in, err);
}
