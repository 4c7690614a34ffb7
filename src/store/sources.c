/* Sources as records. Whose turn it is to be read: sources_queue.c; what a reading finds:
 * listing.c. */
#include "store/sources.h"

#include <string.h>

#include "store/labels_own.h"
#include "store/leases.h"
#include "store/lists.h"
#include "store/publish.h"
#include "store/sources_own.h"
#include "store/store_own.h"

enum {
	ADD,
	LIST,
	GET,
	UPLOAD,
	UPLOAD_ID,
	TWIN,
	UPDATE,
	KILL,
	TAKE_LABELS,
	LABELS,
	SYNC,
};
// clang-format off
static const struct kb_sql sql[] = {
	[ADD] = { "source_add", KB_TYPES(KB_SOURCES), KB_INSERT("sources", KB_SOURCES) },
	[LIST] = { "source_list", "i",
		"SELECT " KB_NAMES(KB_SOURCES) " FROM sources WHERE agent_id = $1 AND dead_version = 0 ORDER BY id" },
	[GET] = { "source_get", "ii",
		"SELECT " KB_NAMES(KB_SOURCES) " FROM sources WHERE agent_id = $1 AND id = $2 AND dead_version = 0" },
	[UPLOAD] = { "source_upload", "i",
		"SELECT " KB_NAMES(KB_SOURCES) " FROM sources WHERE agent_id = $1 AND type = 'upload' "
		"AND dead_version = 0 ORDER BY id LIMIT 1" },
	[UPLOAD_ID] = { "source_upload_id", "i",
		"SELECT id FROM sources WHERE agent_id = $1 AND type = 'upload' AND dead_version = 0 "
		"ORDER BY id LIMIT 1" },
	[TWIN] = { "source_twin", "iti",
		"SELECT id FROM sources WHERE agent_id = $1 AND url = $2 AND id <> $3 "
		"AND dead_version = 0 LIMIT 1" },
	[UPDATE] = { "source_update", "iittitiii",
		"UPDATE sources SET url = $3, settings = $4, status = $5, reason = $6, due_at = $7, "
		"updated_at = $8, review_at = $9 WHERE agent_id = $1 AND id = $2" },
	[KILL] = { "source_kill", "iii",
		"UPDATE sources SET dead_version = $3, due_at = 0, state = 0, "
		"lease_epoch = lease_epoch + 1 WHERE agent_id = $1 AND id = $2" },
	[TAKE_LABELS] = { "source_take_labels", "iii",
		"INSERT INTO source_labels (agent_id, source_id, label_id) "
		"SELECT agent_id, $3, label_id FROM source_labels WHERE agent_id = $1 AND source_id = $2" },
	[LABELS] = { "source_labels", "i",
		"SELECT source_id, label_id FROM source_labels WHERE agent_id = $1 ORDER BY source_id, label_id" },
	[SYNC] = { "source_sync", "iiti",
		"UPDATE sources SET due_at = CASE WHEN state = 1 THEN due_at ELSE $4 END, status = 0, "
		"reason = CASE WHEN state = 1 THEN reason ELSE $3 END, attempts = 0, asked_at = $4 "
		"WHERE agent_id = $1 AND id = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_sources = { "sources", sql, KB_COUNTOF(sql) };

const struct kb_db_columns kb_source_columns =
        KB_COLUMNS(struct kb_source_row, KB_SOURCES(KB_SOURCE_COLUMN, KB_SOURCE_COLUMN));

static void read_row(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_source_row *out)
{
	kb_columns_read(&kb_source_columns, rows, 0, arena, out);
}

bool kb_source_load(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_sql *what,
                    struct kb_db_values values, struct kb_source_row *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_source_row){ 0 };
	kb_rows_open(&rows, conn, what, values);
	while (kb_rows_next(&rows))
		read_row(&rows, arena, out);
	return kb_rows_close(&rows, err);
}

static bool not_found(struct kb_err *err, int64_t id)
{
	return kb_fail(err, KB_E_NOT_FOUND, "Agent source with id %" PRId64 " not found", id);
}

/* ---- inside transactions ---- */

static bool insert(struct kb_db_conn *conn, struct kb_source *source, struct kb_err *err)
{
	struct kb_source_row row;

	if (!kb_db_next_id(conn, "source", 1, &source->id, err))
		return false;
	row = (struct kb_source_row){ .source = *source };
	row.source.is_read = false;
	row.source.synced_at = 0;
	return kb_columns_write(&kb_source_columns, conn, &sql[ADD], KB_NO_VALUES, &row, err);
}

/* An agent has one source for an address. */
static bool is_alone(struct kb_db_conn *conn, const struct kb_source *source, struct kb_err *err)
{
	int64_t twin;

	return kb_db_int(conn, &sql[TWIN],
	                 KB_VALUES(kb_int(source->agent_id), kb_text(source->url),
	                           kb_int(source->id)),
	                 0, &twin, err)
	       && (twin == 0
	           || kb_fail(err, KB_E_CONFLICT,
	                      "source %" PRId64 " of the agent has that address already", twin));
}

bool kb_source_insert_upload(struct kb_db_conn *conn, int64_t agent_id, int64_t now,
                             const struct kb_source *after, struct kb_err *err)
{
	struct kb_source source = {
		.agent_id = agent_id,
		.type = KB_SV("upload"),
		.settings = KB_SV("{}"),
		.status = KB_STATUS_NA,
		.created_at = now,
		.updated_at = now,
	};

	return insert(conn, &source, err)
	       && (!after
	           || kb_db_run(conn, &sql[TAKE_LABELS],
	                        KB_VALUES(kb_int(agent_id), kb_int(after->id), kb_int(source.id)),
	                        NULL, err));
}

static bool set_labels(struct kb_db_conn *conn, const struct kb_source *source, struct kb_err *err)
{
	return kb_labels_set_source(conn,
	                            &(struct kb_source_labels){ source->agent_id, source->id,
	                                                        source->label_ids,
	                                                        source->label_count },
	                            err);
}

bool kb_source_insert(struct kb_db_conn *conn, struct kb_source *source, int64_t agent_id,
                      int64_t now, struct kb_err *err)
{
	source->agent_id = agent_id;
	source->type = KB_SV("sitemap");
	source->created_at = source->updated_at = now;
	source->id = 0;
	return is_alone(conn, source, err) && insert(conn, source, err)
	       && (!source->label_count || set_labels(conn, source, err));
}

bool kb_source_upload_id(struct kb_db_conn *conn, int64_t agent_id, int64_t *id, struct kb_err *err)
{
	return kb_db_int(conn, &sql[UPLOAD_ID], KB_VALUES(kb_int(agent_id)), 0, id, err);
}

/* A source whose agent is held, and the agent's index version. */
struct held {
	struct kb_source_row row;
	int64_t version;
};

/* Holds the agent and reads the source. */
static bool hold(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id, int64_t id,
                 struct held *out, struct kb_err *err)
{
	return kb_agent_lock(conn, agent_id, &out->version, err)
	       && kb_source_load(conn, arena, &sql[GET], KB_VALUES(kb_int(agent_id), kb_int(id)),
	                         &out->row, err)
	       && (out->row.source.id || not_found(err, id));
}

bool kb_source_held(struct kb_db_conn *conn, struct kb_arena *arena,
                    const struct kb_source_lease *lease, struct kb_source *now, int64_t *version,
                    struct kb_err *err)
{
	struct held held;

	if (!hold(conn, arena, lease->source.agent_id, lease->source.id, &held, err))
		return false;
	*now = held.row.source;
	*version = held.version;
	return (now->is_read && held.row.epoch == lease->epoch)
	       || kb_fail(err, KB_E_CONFLICT, "source %" PRId64 " is read by somebody else now",
	                  lease->source.id);
}

/* ---- reading records ---- */

/* Fills label_ids of sources of the agent, by id. */
static bool read_labels(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                        struct kb_source_list *sources, struct kb_err *err)
{
	struct kb_db_rows rows;
	int64_t *ids = NULL;
	size_t count = 0, at = 0;

	kb_rows_open(&rows, conn, &sql[LABELS], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		int64_t source_id = kb_rows_int(&rows, 0);

		for (; at < sources->count && sources->v[at].id < source_id; at++)
			ids = NULL;
		if (at == sources->count || sources->v[at].id != source_id)
			continue;
		count = ids ? count : 0;
		KB_ROOM(arena, ids, count)[count] = kb_rows_int(&rows, 1);
		sources->v[at].label_ids = ids;
		sources->v[at].label_count = ++count;
	}
	return kb_rows_close(&rows, err);
}

static bool list(struct kb_store *store, struct kb_arena *arena, const struct kb_sql *what,
                 struct kb_db_values values, struct kb_source_list *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	struct kb_db_rows rows;
	bool ok;

	*out = (struct kb_source_list){ 0 };
	if (!conn)
		return false;
	kb_rows_open(&rows, conn, what, values);
	while (kb_rows_next(&rows)) {
		struct kb_source_row row;

		read_row(&rows, arena, &row);
		KB_ROOM(arena, out->v, out->count)[out->count] = row.source;
		out->count++;
	}
	ok = kb_rows_close(&rows, err)
	     && (!out->count || read_labels(conn, arena, out->v[0].agent_id, out, err));
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_source_upload(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                            struct kb_source *out, struct kb_err *err)
{
	struct kb_source_list found;

	if (!list(store, arena, &sql[UPLOAD], KB_VALUES(kb_int(agent_id)), &found, err))
		return false;
	if (found.count == 0)
		return kb_fail(err, KB_E_NOT_FOUND, "Agent with id %" PRId64 " not found",
		               agent_id);
	*out = found.v[0];
	return true;
}

bool kb_store_source_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          struct kb_source_list *out, struct kb_err *err)
{
	return list(store, arena, &sql[LIST], KB_VALUES(kb_int(agent_id)), out, err);
}

bool kb_store_source_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                         int64_t id, struct kb_source *out, struct kb_err *err)
{
	struct kb_source_list found;

	if (!list(store, arena, &sql[GET], KB_VALUES(kb_int(agent_id), kb_int(id)), &found, err))
		return false;
	if (found.count == 0)
		return not_found(err, id);
	*out = found.v[0];
	return true;
}

/* ---- changing them ---- */

struct change {
	struct kb_arena *arena;
	int64_t agent_id, id, now;
	const struct kb_source_edit *edit;
	int64_t min_interval_us;
	struct kb_source *out;
};

static bool has_labels_of(const struct kb_source *a, const struct kb_source *b)
{
	return a->label_count == b->label_count
	       && (a->label_count == 0
	           || memcmp(a->label_ids, b->label_ids, a->label_count * sizeof(int64_t)) == 0);
}

/* Questions see other labels, not other settings. */
static bool change_labels(struct kb_db_conn *conn, struct change *in, int64_t version,
                          struct kb_err *err)
{
	struct kb_source_list one = { in->out, 1 };

	if (!set_labels(conn, in->out, err))
		return false;
	in->out->label_count = 0;
	return read_labels(conn, in->arena, in->agent_id, &one, err)
	       && kb_agent_publish(conn, in->agent_id, version + 1, false, err);
}

static bool update(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct kb_source *after = in->out;
	struct kb_source *before;
	struct held held;

	if (!hold(conn, in->arena, in->agent_id, in->id, &held, err))
		return false;
	before = &held.row.source;
	if (!read_labels(conn, in->arena, in->agent_id, &(struct kb_source_list){ before, 1 }, err))
		return false;
	*after = *before;
	if (!in->edit->change(in->edit->arg, in->arena, after, err))
		return false;
	/* A lease ends when it ends; kb_store_source_finish() sees that the settings are others. */
	if (before->is_read) {
		after->due_at = before->due_at;
		after->status = before->status;
		after->reason = before->reason;
	}
	after->updated_at = in->now;
	return (after->url.n == 0 || is_alone(conn, after, err))
	       && (has_labels_of(before, after)
	                   ? before->review_at == after->review_at
	                             || kb_agent_raise(conn, in->agent_id, held.version + 1, err)
	                   : change_labels(conn, in, held.version, err))
	       && kb_db_run(conn, &sql[UPDATE],
	                    KB_VALUES(kb_int(in->agent_id), kb_int(in->id), kb_text(after->url),
	                              kb_text(after->settings), kb_int(after->status),
	                              kb_text(after->reason), kb_int(after->due_at),
	                              kb_int(in->now), kb_int(after->review_at)),
	                    NULL, err);
}

bool kb_store_source_update(struct kb_store *store, struct kb_arena *arena,
                            const struct kb_source_edit *edit, struct kb_source *out,
                            struct kb_err *err)
{
	struct change in = {
		.arena = arena,
		.agent_id = edit->agent_id,
		.id = edit->id,
		.now = kb_store_now(store),
		.edit = edit,
		.out = out,
	};

	return kb_db_write(store->db, update, &in, err);
}

static bool sync_now(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	const struct kb_source *source;
	struct held held;
	int64_t left;

	if (!hold(conn, in->arena, in->agent_id, in->id, &held, err))
		return false;
	source = &held.row.source;
	if (source->url.n == 0)
		return kb_fail(err, KB_E_FORBIDDEN, "Agent source can't be synced");
	left = held.row.asked_at ? held.row.asked_at + in->min_interval_us - in->now : 0;
	/* Somebody else may have asked since `now`. */
	if (in->min_interval_us && left > 0)
		return kb_fail(err, KB_E_FORBIDDEN,
		               "Next instant sync will be available in %" PRId64 " seconds",
		               (left + KB_SECOND_US - 1) / KB_SECOND_US);
	*in->out = *source;
	in->out->status = KB_STATUS_QUEUED;
	if (!source->is_read) {
		in->out->due_at = in->now;
		in->out->reason = KB_SV("waiting for its turn");
	}
	return read_labels(conn, in->arena, in->agent_id, &(struct kb_source_list){ in->out, 1 },
	                   err)
	       && kb_db_run(conn, &sql[SYNC],
	                    KB_VALUES(kb_int(in->agent_id), kb_int(in->id),
	                              kb_text(KB_SV("waiting for its turn")), kb_int(in->now)),
	                    NULL, err);
}

bool kb_store_source_sync(struct kb_store *store, struct kb_arena *arena,
                          const struct kb_source_sync *sync, struct kb_source *out,
                          struct kb_err *err)
{
	struct change in = {
		.arena = arena,
		.agent_id = sync->agent_id,
		.id = sync->id,
		.now = kb_store_now(store),
		.min_interval_us = sync->min_interval_us,
		.out = out,
	};

	return kb_db_write(store->db, sync_now, &in, err);
}

/* From the next index version on all of its pages are dead. They and it go later (remove.c). */
static bool delete_source(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct held held = { 0 };

	return hold(conn, in->arena, in->agent_id, in->id, &held, err)
	       && kb_db_run(
	               conn, &sql[KILL],
	               KB_VALUES(kb_int(in->agent_id), kb_int(in->id), kb_int(held.version + 1)),
	               NULL, err)
	       && (held.row.source.url.n
	           || kb_source_insert_upload(conn, in->agent_id, in->now, &held.row.source, err))
	       && kb_agent_publish(conn, in->agent_id, held.version + 1, false, err);
}

bool kb_store_source_delete(struct kb_store *store, int64_t agent_id, int64_t id,
                            struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct change in = {
		.arena = &arena,
		.agent_id = agent_id,
		.id = id,
		.now = kb_store_now(store),
	};
	bool ok = kb_db_write(store->db, delete_source, &in, err);

	kb_arena_fini(&arena);
	return ok;
}
