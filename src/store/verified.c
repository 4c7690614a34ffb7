#include "store/verified.h"

#include "db/columns.h"
#include "store/cites.h"
#include "store/labels_own.h"
#include "store/lists.h"
#include "store/pages_own.h"
#include "store/paths.h"
#include "store/sources_own.h"
#include "store/store_own.h"

enum {
	ADD,
	GET,
	LIST_DESC,
	LIST_ASC,
	COUNT,
	UPDATE,
	ADD_VERSION,
	VERSIONS,
	CITE,
	CITES,
};
// clang-format off
/* The columns of verified_answers (columns.h). */
#define VERIFIED_CHANGED(FIRST, NEXT) \
	FIRST(i, version,    version) \
	NEXT (t, questions,  questions) \
	NEXT (t, answer,     answer) \
	NEXT (t, owner,      owner) \
	NEXT (t, checked_by, checked_by) \
	NEXT (i, checked_at, checked_at) \
	NEXT (i, review_at,  review_at) \
	NEXT (i, updated_at, updated_at)
#define VERIFIED(FIRST, NEXT) \
	FIRST(i, agent_id,   agent_id) \
	NEXT (i, page_id,    page_id) \
	NEXT (i, created_at, created_at) \
	VERIFIED_CHANGED(NEXT, NEXT)
#define VERSION(FIRST, NEXT) \
	FIRST(i, agent_id,   agent_id) \
	NEXT (i, page_id,    page_id) \
	NEXT (i, version,    version) \
	NEXT (t, questions,  questions) \
	NEXT (t, answer,     answer) \
	NEXT (t, checked_by, checked_by) \
	NEXT (i, checked_at, checked_at)
/* $2: only those that are to be looked at, $3 being now. */
#define LISTED \
	"FROM verified_answers WHERE agent_id = $1 AND ($2 = 0 OR (review_at > 0 AND review_at <= $3) OR page_id IN " \
	"(SELECT c.page_id FROM verified_cites c WHERE c.agent_id = $1 AND (c.gone = 1 OR coalesce((SELECT p.text_blob " \
	"FROM pages p WHERE p.agent_id = c.agent_id AND p.id = c.cited_id), '') <> c.text_blob)))"
#define LIST(order) "SELECT " KB_NAMES(VERIFIED) " " LISTED " ORDER BY " order " LIMIT $4 OFFSET $5"

static const struct kb_sql sql[] = {
	[ADD] = { "verified_add", KB_TYPES(VERIFIED), KB_INSERT("verified_answers", VERIFIED) },
	[GET] = { "verified_get", "ii",
		"SELECT " KB_NAMES(VERIFIED) " FROM verified_answers WHERE agent_id = $1 AND page_id = $2" },
	[LIST_DESC] = { "verified_list_desc", "iiiii", LIST("page_id DESC") },
	[LIST_ASC] = { "verified_list_asc", "iiiii", LIST("page_id") },
	[COUNT] = { "verified_count", "iii", "SELECT count(*) " LISTED },
	[UPDATE] = { "verified_update", "ii" KB_TYPES(VERIFIED_CHANGED),
		KB_UPDATE("verified_answers", VERIFIED_CHANGED) "WHERE agent_id = $1 AND page_id = $2" },
	[ADD_VERSION] = { "verified_add_version", KB_TYPES(VERSION), KB_INSERT("verified_versions", VERSION) },
	[VERSIONS] = { "verified_versions", "ii",
		"SELECT " KB_NAMES(VERSION) " FROM verified_versions WHERE agent_id = $1 AND page_id = $2 "
		"ORDER BY version DESC" },
	[CITE] = { "verified_cite", "iiit",
		"INSERT INTO verified_cites (agent_id, page_id, cited_id, text_blob, gone) VALUES ($1, $2, $3, $4, 0)" },
	/* Of the answers $2 to $3. */
	[CITES] = { "verified_cites", "iii",
		"SELECT c.page_id, c.cited_id, c.gone, CASE WHEN p.text_blob = c.text_blob THEN 0 ELSE 1 END "
		"FROM verified_cites c LEFT JOIN pages p ON p.agent_id = c.agent_id AND p.id = c.cited_id "
		"WHERE c.agent_id = $1 AND c.page_id >= $2 AND c.page_id <= $3 ORDER BY c.page_id, c.cited_id" },
};
// clang-format on
const struct kb_sql_table kb_sql_verified = { "verified", sql, KB_COUNTOF(sql) };

#define ROW(letter, column, member) KB_COLUMN(struct kb_verified, letter, column, member)
static const struct kb_db_columns columns = KB_COLUMNS(struct kb_verified, VERIFIED(ROW, ROW));
static const struct kb_db_columns changed_columns =
        KB_COLUMNS(struct kb_verified, VERIFIED_CHANGED(ROW, ROW));
static const struct kb_db_columns version_columns =
        KB_COLUMNS(struct kb_verified, VERSION(ROW, ROW));

static bool not_found(struct kb_err *err, int64_t id)
{
	return kb_fail(err, KB_E_NOT_FOUND, "Answer with id %" PRId64 " not found", id);
}

/* ---- reading ---- */

static bool read_all(struct kb_db_rows *rows, const struct kb_db_columns *as,
                     struct kb_arena *arena, struct kb_verified_list *out, struct kb_err *err)
{
	*out = (struct kb_verified_list){ 0 };
	while (kb_rows_next(rows)) {
		kb_columns_read(as, rows, 0, arena,
		                &KB_ROOM(arena, out->v, out->count)[out->count]);
		out->count++;
	}
	return kb_rows_close(rows, err);
}

static struct kb_verified *find(const struct kb_verified_list *list, int64_t page_id)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->v[i].page_id == page_id)
			return &list->v[i];
	return NULL;
}

/* Of all answers of the list, in one trip. */
static bool read_cites(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                       const struct kb_verified_list *list, struct kb_err *err)
{
	int64_t low = INT64_MAX, high = 0;
	struct kb_db_rows rows;

	for (size_t i = 0; i < list->count; i++) {
		low = KB_MIN(low, list->v[i].page_id);
		high = KB_MAX(high, list->v[i].page_id);
	}
	if (!list->count)
		return true;
	kb_rows_open(&rows, conn, &sql[CITES],
	             KB_VALUES(kb_int(agent_id), kb_int(low), kb_int(high)));
	while (kb_rows_next(&rows)) {
		struct kb_verified *of = find(list, kb_rows_int(&rows, 0));

		if (!of)
			continue;
		KB_ROOM(arena, of->cites, of->cite_count)
		[of->cite_count] = (struct kb_verified_cite){
			.page_id = kb_rows_int(&rows, 1),
			.gone = kb_rows_int(&rows, 2) != 0,
			.changed = kb_rows_int(&rows, 3) != 0,
		};
		of->cite_count++;
	}
	return kb_rows_close(&rows, err);
}

static bool load(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id, int64_t page_id,
                 struct kb_verified *out, struct kb_err *err)
{
	struct kb_verified_list list;
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[GET], KB_VALUES(kb_int(agent_id), kb_int(page_id)));
	if (!read_all(&rows, &columns, arena, &list, err)
	    || !read_cites(conn, arena, agent_id, &list, err))
		return false;
	if (!list.count)
		return not_found(err, page_id);
	*out = list.v[0];
	return true;
}

static void note_due(const struct kb_store *store, struct kb_verified *answer)
{
	answer->is_due = answer->review_at && answer->review_at <= kb_store_now(store);
}

bool kb_store_verified_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                           int64_t page_id, struct kb_verified *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool ok = conn && load(conn, arena, agent_id, page_id, out, err);

	if (conn)
		kb_db_give(store->db, conn);
	if (ok)
		note_due(store, out);
	return ok;
}

bool kb_store_verified_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                            const struct kb_verified_filter *filter, struct kb_verified_list *out,
                            struct kb_err *err)
{
	const struct kb_db_value agent = kb_int(agent_id), look = kb_int(filter->to_look_at),
	                         now = kb_int(kb_store_now(store));
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	struct kb_db_rows rows;
	bool ok;

	if (!conn)
		return false;
	kb_rows_open(&rows, conn, &sql[filter->list.ascending ? LIST_ASC : LIST_DESC],
	             KB_VALUES(agent, look, now, kb_int(kb_list_limit(&filter->list)),
	                       kb_int(kb_list_offset(&filter->list))));
	ok = read_all(&rows, &columns, arena, out, err)
	     && read_cites(conn, arena, agent_id, out, err)
	     && kb_db_int(conn, &sql[COUNT], KB_VALUES(agent, look, now), 0, &out->total, err);
	kb_db_give(store->db, conn);
	for (size_t i = 0; ok && i < out->count; i++)
		note_due(store, &out->v[i]);
	return ok;
}

bool kb_store_verified_versions(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                                int64_t page_id, struct kb_verified_list *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_take(&rows, store->db, &sql[VERSIONS],
	             KB_VALUES(kb_int(agent_id), kb_int(page_id)));
	if (!read_all(&rows, &version_columns, arena, out, err))
		return false;
	out->total = (int64_t)out->count;
	return out->count || not_found(err, page_id);
}

/* ---- writing ---- */

struct put {
	struct kb_arena *arena;
	const struct kb_verified_put *put;
	struct kb_totals totals;
	int64_t now, version; /* version: of the index */
	struct kb_verified *out;
};

/* The page of a new answer. */
static bool insert(struct kb_db_conn *conn, struct put *in, struct kb_err *err)
{
	struct kb_page_row_new row = { .agent_id = in->put->agent_id,
		                       .due_at = in->now,
		                       .now = in->now,
		                       .page = &in->put->page,
		                       .reason = KB_SV("waiting for its turn") };

	in->totals.pages_found++;
	in->totals.storage_bytes += in->put->page.size;
	if (!kb_source_upload_id(conn, row.agent_id, &row.source_id, err)
	    || !kb_db_next_id(conn, "page", 1, &row.id, err))
		return false;
	in->out->page_id = row.id;
	in->out->created_at = in->now;
	return kb_page_insert(conn, in->arena, &row, err)
	       && kb_columns_write(&columns, conn, &sql[ADD], KB_NO_VALUES, in->out, err);
}

static bool change(struct kb_db_conn *conn, struct put *in, struct kb_err *err)
{
	const struct kb_verified_put *put = in->put;
	struct kb_page_row row = { 0 };

	if (!kb_page_load(conn, in->arena, put->agent_id, put->page_id, &row, err))
		return false;
	if (!row.page.id)
		return not_found(err, put->page_id);
	if (!kb_sv_eq(row.page.content_hash, put->page.blob)
	    && !kb_page_replace(conn, in->arena, &row,
	                        &(struct kb_page_replacing){
	                                .page = &put->page, .totals = &in->totals, .now = in->now },
	                        err))
		return false;
	return kb_columns_write(&changed_columns, conn, &sql[UPDATE],
	                        KB_VALUES(kb_int(put->agent_id), kb_int(put->page_id)), in->out,
	                        err);
}

static bool cite(struct kb_db_conn *conn, struct put *in, int64_t id, struct kb_err *err)
{
	struct kb_verified_list answers;
	struct kb_page_row row = { 0 };
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[GET], KB_VALUES(kb_int(in->put->agent_id), kb_int(id)));
	if (!read_all(&rows, &columns, in->arena, &answers, err)
	    || !kb_page_load(conn, in->arena, in->put->agent_id, id, &row, err))
		return false;
	if (!row.page.id)
		return kb_fail(err, KB_E_INVALID,
		               "citations holds %" PRId64 ", which is no document of this agent",
		               id);
	if (answers.count)
		return kb_fail(err, KB_E_INVALID,
		               "citations holds %" PRId64
		               ", which is such an answer itself: cite what it cites",
		               id);
	if (!row.page.text_blob.n)
		return kb_fail(err, KB_E_INVALID,
		               "citations holds %" PRId64 ", which has not been read yet", id);
	return kb_db_run(conn, &sql[CITE],
	                 KB_VALUES(kb_int(in->put->agent_id), kb_int(in->out->page_id), kb_int(id),
	                           kb_text(row.page.text_blob)),
	                 NULL, err);
}

/* Ids that are given twice count once. */
static bool cite_all(struct kb_db_conn *conn, struct put *in, struct kb_err *err)
{
	const int64_t *ids = in->put->cited;

	if (!kb_cites_clear(conn, in->put->agent_id, in->out->page_id, err))
		return false;
	for (size_t i = 0; i < in->put->cited_count; i++) {
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again = again || ids[k] == ids[i];
		if (!again && !cite(conn, in, ids[i], err))
			return false;
	}
	return true;
}

static bool set_labels(struct kb_db_conn *conn, const struct put *in, struct kb_err *err)
{
	const struct kb_page_labels labels = { .agent_id = in->put->agent_id,
		                               .page_id = in->out->page_id,
		                               .ids = in->put->label_ids,
		                               .count = in->put->label_count };

	return !labels.ids || kb_labels_set_page(conn, &labels, err);
}

/* What the row says after this. */
static bool begin(struct kb_db_conn *conn, struct put *in, struct kb_err *err)
{
	const struct kb_verified_put *put = in->put;
	struct kb_verified before = { 0 };

	if (!kb_agent_lock(conn, put->agent_id, &in->version, err)
	    || (put->page_id && !load(conn, in->arena, put->agent_id, put->page_id, &before, err)))
		return false;
	if (before.version != put->version)
		return kb_fail(err, KB_E_CONFLICT,
		               "answer %" PRId64
		               " was changed by somebody else meanwhile; read it again",
		               put->page_id);
	*in->out = (struct kb_verified){
		.agent_id = put->agent_id,
		.page_id = put->page_id,
		.version = put->version + 1,
		.questions = put->questions,
		.answer = put->answer,
		.owner = put->owner,
		.checked_by = put->checked_by,
		.checked_at = in->now,
		.review_at = put->review_at,
		.created_at = before.created_at,
		.updated_at = in->now,
	};
	return true;
}

static bool put_answer(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct put *in = arg;
	int64_t agent_id = in->put->agent_id;

	in->totals = (struct kb_totals){ 0 }; /* it may be run again */
	return begin(conn, in, err)
	       && (in->put->page_id ? change(conn, in, err) : insert(conn, in, err))
	       && kb_columns_write(&version_columns, conn, &sql[ADD_VERSION], KB_NO_VALUES, in->out,
	                           err)
	       && cite_all(conn, in, err) && set_labels(conn, in, err)
	       && kb_agent_publish(conn, agent_id, in->version + 1, false, err)
	       && kb_totals_add(conn, agent_id, &in->totals, err)
	       && kb_turn_settle(conn, agent_id, err)
	       && load(conn, in->arena, agent_id, in->out->page_id, in->out, err);
}

bool kb_store_verified_put(struct kb_store *store, struct kb_arena *arena,
                           const struct kb_verified_put *put, struct kb_verified *out,
                           struct kb_err *err)
{
	struct put in = { .arena = arena, .put = put, .now = kb_store_now(store), .out = out };

	if (!kb_db_write(store->db, put_answer, &in, err))
		return false;
	note_due(store, out);
	return true;
}
