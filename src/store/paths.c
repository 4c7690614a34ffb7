/* Pages that stand for the files of a folder, or for the documents within a document: one a path;
 * and for the subtitles of a page's films: one an address. Whoever looks for the page of a path to
 * change it holds the agent, so that there are never two.
 */
#include "store/paths.h"

#include <stdlib.h>

#include "store/lists.h"
#include "store/pages_own.h"
#include "store/sources_own.h"
#include "store/store_own.h"
#include "store/texts.h"

enum { BY_PATH, PARTS, REPLACE, SET_LINK, MOVE };
// clang-format off
static const struct kb_sql sql[] = {
	[BY_PATH] = { "paths_by_path", "it",
		"SELECT id FROM pages WHERE agent_id = $1 AND path = $2 AND path <> '' AND parent_id = 0 AND "
		KB_PAGE_SHOWN("$1") },
	[PARTS] = { "paths_parts", "ii",
		"SELECT " KB_NAMES(KB_PAGES) " FROM pages WHERE agent_id = $1 AND parent_id = $2 AND parent_id <> 0" },
	[REPLACE] = { "paths_replace", "iitttit",
		"UPDATE pages SET filename = $3, filename_key = $4, content_type = $5, size = $6, blob = $7, "
		"content_hash = $7, is_file_kept = 1, is_slow = 0 WHERE agent_id = $1 AND id = $2" },
	[SET_LINK] = { "paths_set_link", "iiti",
		"UPDATE pages SET meta_url = $3, updated_at = $4 WHERE agent_id = $1 AND id = $2" },
	[MOVE] = { "paths_move", "iittti",
		"UPDATE pages SET path = $3, filename = $4, filename_key = $5, updated_at = $6 "
		"WHERE agent_id = $1 AND id = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_paths = { "paths", sql, KB_COUNTOF(sql) };

bool kb_page_at_path(struct kb_db_conn *conn, int64_t agent_id, struct kb_sv path, int64_t *id,
                     struct kb_err *err)
{
	return kb_db_int(conn, &sql[BY_PATH], KB_VALUES(kb_int(agent_id), kb_text(path)), 0, id,
	                 err);
}

static bool set_link(struct kb_db_conn *conn, const struct kb_page *page, struct kb_sv url,
                     int64_t now, struct kb_err *err)
{
	return !url.p || kb_sv_eq(url, page->meta_url)
	       || kb_db_run(conn, &sql[SET_LINK],
	                    KB_VALUES(kb_int(page->agent_id), kb_int(page->id), kb_text(url),
	                              kb_int(now)),
	                    NULL, err);
}

/* ---- new bytes ---- */

struct put {
	struct kb_arena *arena;
	int64_t agent_id, now, id; /* id: of the page, once it is known */
	const struct kb_page_new *page;
	struct kb_totals *totals;
};

static bool insert(struct kb_db_conn *conn, struct put *in, struct kb_err *err)
{
	struct kb_page_row_new row = { .agent_id = in->agent_id,
		                       .source_id = in->page->source_id,
		                       .due_at = in->now,
		                       .now = in->now,
		                       .page = in->page,
		                       .reason = in->page->url.n ? kb_page_waits_for_host()
		                                                 : KB_SV("waiting for its turn") };

	in->totals->pages_found++;
	in->totals->storage_bytes += in->page->size;
	if ((!row.source_id && !kb_source_upload_id(conn, in->agent_id, &row.source_id, err))
	    || !kb_db_next_id(conn, "page", 1, &in->id, err))
		return false;
	row.id = in->id;
	return kb_page_insert(conn, in->arena, &row, err);
}

bool kb_page_replace(struct kb_db_conn *conn, struct kb_arena *arena, struct kb_page_row *row,
                     const struct kb_page_replacing *with, struct kb_err *err)
{
	const struct kb_page_new *new = with->page;

	kb_totals_count(with->totals, row, -1);
	row->page.size = new->size;
	if (!kb_db_run(conn, &sql[REPLACE],
	               KB_VALUES(kb_int(row->page.agent_id), kb_int(row->page.id),
	                         kb_text(new->filename),
	                         kb_text(kb_store_fold(arena, new->filename)),
	                         kb_text(new->content_type), kb_int(new->size), kb_text(new->blob)),
	               NULL, err)
	    || !kb_page_queue(conn, row, with->now, with->now, err))
		return false;
	kb_totals_count(with->totals, row, 1);
	return true;
}

static bool replace(struct kb_db_conn *conn, const struct put *in, struct kb_page_row *row,
                    struct kb_err *err)
{
	return kb_page_replace(conn, in->arena, row,
	                       &(struct kb_page_replacing){
	                               .page = in->page, .totals = in->totals, .now = in->now },
	                       err);
}

/* What was read of these bytes stands. */
static bool is_same(const struct kb_page *page, const struct kb_page_new *new)
{
	return kb_sv_eq(page->content_hash, new->blob) && page->index != KB_STATUS_FAILED
	       && page->index != KB_STATUS_LIMITED;
}

static bool put(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct put *in = arg;
	struct kb_totals totals = { 0 };
	struct kb_page_row row = { 0 };
	int64_t version;

	in->totals = &totals;
	if (!kb_agent_lock(conn, in->agent_id, &version, err)
	    || !kb_page_at_path(conn, in->agent_id, in->page->path, &in->id, err))
		return false;
	if (in->id == 0) {
		if (!insert(conn, in, err))
			return false;
	} else if (!kb_page_load(conn, in->arena, in->agent_id, in->id, &row, err)
	           || !set_link(conn, &row.page, in->page->meta_url, in->now, err)
	           || (!is_same(&row.page, in->page) && !replace(conn, in, &row, err))) {
		return false;
	}
	return kb_totals_add(conn, in->agent_id, &totals, err)
	       && kb_turn_settle(conn, in->agent_id, err);
}

bool kb_store_page_put(struct kb_store *store, int64_t agent_id, const struct kb_page_new *new,
                       int64_t *id, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct put in = {
		.arena = &arena, .agent_id = agent_id, .now = kb_store_now(store), .page = new
	};
	bool ok = kb_db_write(store->db, put, &in, err);

	*id = ok ? in.id : 0;
	kb_arena_fini(&arena);
	return ok;
}

/* ---- parts ---- */

struct parts {
	struct kb_page_row *v; /* by path */
	size_t count;
};

static int by_path(const void *a, const void *b)
{
	const struct kb_page_row *one = a, *two = b;

	return kb_sv_cmp(one->page.path, two->page.path);
}

static bool read_parts(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_page *page,
                       struct parts *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct parts){ 0 };
	kb_rows_open(&rows, conn, &sql[PARTS], KB_VALUES(kb_int(page->agent_id), kb_int(page->id)));
	while (kb_rows_next(&rows)) {
		kb_page_read(&rows, arena, &KB_ROOM(arena, out->v, out->count)[out->count]);
		out->count++;
	}
	if (out->count)
		qsort(out->v, out->count, sizeof(*out->v), by_path);
	return kb_rows_close(&rows, err);
}

static bool remove_part(struct kb_db_conn *conn, const struct kb_parts_write *write,
                        const struct kb_page_row *row, struct kb_err *err)
{
	*write->died |= row->is_found;
	return kb_page_remove(conn, row, write->version, write->totals, err);
}

/* A row that is wanted has no id afterwards. */
static bool set_part(struct kb_db_conn *conn, struct put *in, const struct parts *there,
                     struct kb_err *err)
{
	struct kb_page_row wanted = { .page.path = in->page->path };
	struct kb_page_row *row =
	        there->count ? bsearch(&wanted, there->v, there->count, sizeof(wanted), by_path)
	                     : NULL;

	if (!row || !row->page.id)
		return insert(conn, in, err);
	if (!is_same(&row->page, in->page) && !replace(conn, in, row, err))
		return false;
	row->page.id = 0;
	return true;
}

bool kb_parts_set(struct kb_db_conn *conn, const struct kb_parts_write *write,
                  const struct kb_page *page, const struct kb_page_result *result,
                  struct kb_err *err)
{
	struct parts there;

	if (!read_parts(conn, write->arena, page, &there, err))
		return false;
	for (size_t i = 0; i < result->part_count; i++) {
		struct kb_page_new part = result->parts[i];
		struct put in = { .arena = write->arena,
			          .agent_id = page->agent_id,
			          .now = write->now,
			          .page = &part,
			          .totals = write->totals };

		part.parent_id = page->id;
		part.source_id = page->source_id;
		if (!set_part(conn, &in, &there, err))
			return false;
	}
	for (size_t i = 0; i < there.count; i++)
		if (there.v[i].page.id && !remove_part(conn, write, &there.v[i], err))
			return false;
	return true;
}

bool kb_parts_remove(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_page *page,
                     int64_t version, struct kb_totals *totals, struct kb_err *err)
{
	bool died = false;

	return kb_parts_set(
	        conn,
	        &(struct kb_parts_write){
	                .arena = arena, .version = version, .totals = totals, .died = &died },
	        page, &(struct kb_page_result){ 0 }, err);
}

/* ---- the subtitles of a page's films ---- */

static struct kb_page_row *find_track(const struct parts *there, struct kb_sv url)
{
	for (size_t i = 0; i < there->count; i++)
		if (there->v[i].page.id && kb_sv_eq(there->v[i].page.url, url))
			return &there->v[i];
	return NULL;
}

/* They are fetched again with their page. The reading of a website comes to all its pages by
 * itself.
 */
static bool keep_track(struct kb_db_conn *conn, const struct kb_parts_write *write,
                       struct kb_page_row *row, bool again, struct kb_err *err)
{
	if (again && row->state == KB_PAGE_DONE) {
		kb_totals_count(write->totals, row, -1);
		if (!kb_page_queue(conn, row, write->now, write->now, err))
			return false;
		kb_totals_count(write->totals, row, 1);
	}
	row->page.id = 0;
	return true;
}

/* A page that is known by that address already stays what it is. */
static bool add_track(struct kb_db_conn *conn, const struct kb_parts_write *write,
                      const struct kb_page *page, struct kb_sv url, struct kb_err *err)
{
	struct kb_page_new track = { .source_id = page->source_id,
		                     .parent_id = page->id,
		                     .url = url,
		                     .meta_url = page->url };
	struct put in = { .arena = write->arena,
		          .agent_id = page->agent_id,
		          .now = write->now,
		          .page = &track,
		          .totals = write->totals };
	int64_t known;

	return kb_page_has_url(conn, page->agent_id, url, &known, err)
	       && (known || insert(conn, &in, err));
}

bool kb_tracks_set(struct kb_db_conn *conn, const struct kb_parts_write *write,
                   const struct kb_page *page, const struct kb_page_result *result,
                   struct kb_err *err)
{
	struct parts there;

	if (!read_parts(conn, write->arena, page, &there, err))
		return false;
	for (size_t i = 0; i < result->track_count; i++) {
		struct kb_page_row *row = find_track(&there, result->tracks[i]);

		if (row ? !keep_track(conn, write, row, page->depth == 0, err)
		        : !add_track(conn, write, page, result->tracks[i], err))
			return false;
	}
	for (size_t i = 0; i < there.count; i++)
		if (there.v[i].page.id && !remove_part(conn, write, &there.v[i], err))
			return false;
	return true;
}

/* ---- another path ---- */

struct move {
	struct kb_arena *arena;
	const struct kb_page_move *to;
	int64_t now;
};

static bool is_free(struct kb_db_conn *conn, const struct kb_page_move *to, struct kb_err *err)
{
	int64_t there;

	return kb_page_at_path(conn, to->agent_id, to->path, &there, err)
	       && (there == 0 || there == to->id
	           || kb_fail(err, KB_E_CONFLICT,
	                      "document %" PRId64 " is at the path %.*s already", there,
	                      KB_SV_ARG(to->path)));
}

/* The name is a part of what is found, so the document is read again with it. */
static bool read_again(struct kb_db_conn *conn, struct move *in, struct kb_page_row *row,
                       struct kb_err *err)
{
	struct kb_totals totals = { 0 };

	if (row->page.blob.n == 0)
		return kb_fail(
		        err, KB_E_CONFLICT,
		        "the original of document %" PRId64
		        " is not kept, so it cannot be read under another name; upload it again",
		        row->page.id);
	kb_totals_count(&totals, row, -1);
	if (!kb_page_queue(conn, row, in->now, in->now, err))
		return false;
	kb_totals_count(&totals, row, 1);
	return kb_totals_add(conn, row->page.agent_id, &totals, err);
}

static bool move(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct move *in = arg;
	const struct kb_page_move *to = in->to;
	struct kb_page_row row = { 0 };
	int64_t version;

	if (!kb_agent_lock(conn, to->agent_id, &version, err)
	    || !kb_page_load(conn, in->arena, to->agent_id, to->id, &row, err))
		return false;
	if (row.page.id == 0)
		return kb_fail(err, KB_E_NOT_FOUND, "Page with id %" PRId64 " not found", to->id);
	if (!row.page.is_ours || row.page.parent_id)
		return kb_fail(err, KB_E_INVALID, "document %" PRId64 " is no upload of its own",
		               to->id);
	return is_free(conn, to, err)
	       && kb_db_run(conn, &sql[MOVE],
	                    KB_VALUES(kb_int(to->agent_id), kb_int(to->id), kb_text(to->path),
	                              kb_text(to->filename),
	                              kb_text(kb_store_fold(in->arena, to->filename)),
	                              kb_int(in->now)),
	                    NULL, err)
	       && set_link(conn, &row.page, to->meta_url, in->now, err)
	       && (kb_sv_eq(to->filename, row.page.filename) || read_again(conn, in, &row, err))
	       && kb_turn_settle(conn, to->agent_id, err);
}

bool kb_store_page_move(struct kb_store *store, struct kb_arena *arena,
                        const struct kb_page_move *to, struct kb_page *out, struct kb_err *err)
{
	struct move in = { .arena = arena, .to = to, .now = kb_store_now(store) };

	return kb_db_write(store->db, move, &in, err)
	       && kb_store_page_get(store, arena, to->agent_id, to->id, out, err);
}
