/*
 * A copy of an agent, in one transaction.
 *
 * Rows are copied under ids of their own: pages, sources and labels each get a block of new ids as
 * wide as the old ones are apart, so that one sum takes every id to its copy. Blobs are named a
 * second time and not copied; segments carry the sum, and the index adds it to the page ids in them
 * (page_shift) until a merge writes segments of the copy's own. So the copy answers at once, and
 * whatever happens to either side later, the other keeps what it has.
 *
 * The copy has the index version of the original: versions of segments and dead pages mean the same
 * in both. Pages that wait for their turn, or are being worked on, wait in the copy too.
 *
 * Not copied: conversations, messages and the counts of them; licenses, which their holders have
 * from the original; the shared link.
 */
#include "store/agents.h"
#include "store/store_impl.h"

/* What the statements need, a letter each. */
struct copy {
	int64_t from, to, now;
	int64_t page_shift, source_shift, label_shift;
};

enum {
	PAGE_SPAN,
	DEAD_SPAN,
	SOURCE_SPAN,
	LABEL_SPAN,
	COPY_FIRST,
};
#define SPAN(id, table)                                                                            \
	"SELECT coalesce(min(" id "), 0), coalesce(max(" id "), 0) FROM " table                    \
	" WHERE agent_id = $1"
// clang-format off
static const struct kb_sql sql[] = {
	[PAGE_SPAN] = { "replicate_page_span", "i", SPAN("id", "pages") },
	/* Dead pages live on in segments: their copies need ids that are nobody's, too. */
	[DEAD_SPAN] = { "replicate_dead_span", "i", SPAN("page_id", "dead_pages") },
	[SOURCE_SPAN] = { "replicate_source_span", "i", SPAN("id", "sources") },
	[LABEL_SPAN]  = { "replicate_label_span",  "i", SPAN("id", "labels") },

	[COPY_FIRST] = { "replicate_totals", "ii",
		"INSERT INTO agent_totals (agent_id, pages_found, pages_crawled, pages_indexed, "
		"words_indexed, storage_bytes, crawl_credits, query_credits, queries) "
		"SELECT $2, pages_found, pages_crawled, pages_indexed, words_indexed, storage_bytes, 0, 0, 0 "
		"FROM agent_totals WHERE agent_id = $1" },
	{ "replicate_sources", "iii",
		"INSERT INTO sources (agent_id, id, type, settings, created_at, updated_at) "
		"SELECT $2, id + $3, type, settings, created_at, updated_at "
		"FROM sources WHERE agent_id = $1" },
	{ "replicate_pages", "iiiii",
		"INSERT INTO pages (agent_id, id, source_id, url, url_key, is_file, is_file_kept, filename, "
		"filename_key, content_type, size, blob, text_blob, crawl_status, index_status, reason, "
		"title, description, image, lang, words, passages, meta_title, meta_url, meta_description, "
		"meta_image, state, due_at, attempts, lease_epoch, is_found, created_at, updated_at) "
		"SELECT $2, id + $3, source_id + $4, url, url_key, is_file, is_file_kept, filename, "
		"filename_key, content_type, size, blob, text_blob, crawl_status, index_status, reason, "
		"title, description, image, lang, words, passages, meta_title, meta_url, meta_description, "
		"meta_image, CASE WHEN state > 0 THEN 1 ELSE 0 END, "
		"CASE WHEN state > 0 THEN $5 ELSE due_at END, "
		"CASE WHEN state > 0 THEN 0 ELSE attempts END, 0, is_found, created_at, updated_at "
		"FROM pages WHERE agent_id = $1" },
	{ "replicate_segments", "iii",
		"INSERT INTO segments (agent_id, id, version, blob, bytes, passages, pages, created_at, "
		"page_shift) SELECT $2, id, version, blob, bytes, passages, pages, created_at, "
		"page_shift + $3 FROM segments WHERE agent_id = $1" },
	{ "replicate_vectors", "ii",
		"INSERT INTO vectors (agent_id, segment_id, name, model, blob, bytes, filled, pending, "
		"version, created_at) SELECT $2, segment_id, name, model, blob, bytes, filled, pending, "
		"version, created_at FROM vectors WHERE agent_id = $1" },
	{ "replicate_factors", "ii",
		"INSERT INTO factors (agent_id, mark, blob, bytes, passages, created_at) "
		"SELECT $2, mark, blob, bytes, passages, created_at FROM factors WHERE agent_id = $1" },
	{ "replicate_dead_pages", "iii",
		"INSERT INTO dead_pages (agent_id, page_id, version) "
		"SELECT $2, page_id + $3, version FROM dead_pages WHERE agent_id = $1" },
	{ "replicate_labels", "iii",
		"INSERT INTO labels (agent_id, id, name, name_key, users, deleted_at, created_at, updated_at) "
		"SELECT $2, id + $3, name, name_key, users, deleted_at, created_at, updated_at "
		"FROM labels WHERE agent_id = $1" },
	{ "replicate_page_labels", "iiii",
		"INSERT INTO page_labels (agent_id, page_id, label_id) "
		"SELECT $2, page_id + $3, label_id + $4 FROM page_labels WHERE agent_id = $1" },
	{ "replicate_personas", "ii",
		"INSERT INTO personas (agent_id, version, instructions, is_active, notes, created_at, "
		"updated_at) SELECT $2, version, instructions, is_active, notes, created_at, updated_at "
		"FROM personas WHERE agent_id = $1" },
	{ "replicate_sub_personas", "ii",
		"INSERT INTO sub_personas (agent_id, version, slug, title, instructions, created_at, "
		"updated_at) SELECT $2, version, slug, title, instructions, created_at, updated_at "
		"FROM sub_personas WHERE agent_id = $1" },
	{ "replicate_overrides", "ii",
		"INSERT INTO sub_persona_overrides (agent_id, slug, title, instructions, created_at, "
		"updated_at) SELECT $2, slug, title, instructions, created_at, updated_at "
		"FROM sub_persona_overrides WHERE agent_id = $1" },
	{ "replicate_images", "ii",
		"INSERT INTO agent_images (agent_id, blob) "
		"SELECT $2, blob FROM agent_images WHERE agent_id = $1" },
	{ "replicate_plugin", "ii",
		"INSERT INTO plugins (agent_id, model_name, human_name, keywords, description, logo, "
		"is_active, created_at, updated_at) SELECT $2, model_name, human_name, keywords, "
		"description, logo, is_active, created_at, updated_at FROM plugins WHERE agent_id = $1" },
};

/* The parameters of each copying statement, by letter: from, to, page, source and label shift, now. */
static const char *const parameters[] = {
	"ft", "fts", "ftpsn", "ftp", "ft", "ft", "ftp", "ftl", "ftpl", "ft", "ft", "ft", "ft", "ft",
};
// clang-format on
static_assert(KB_COUNTOF(parameters) == KB_COUNTOF(sql) - COPY_FIRST, "a statement without a row");
const struct kb_sql_table kb_sql_replicate = { "replicate", sql, KB_COUNTOF(sql) };

static int64_t parameter(const struct copy *copy, char letter)
{
	switch (letter) {
	case 'f':
		return copy->from;
	case 't':
		return copy->to;
	case 'p':
		return copy->page_shift;
	case 's':
		return copy->source_shift;
	case 'l':
		return copy->label_shift;
	default:
		KB_ASSERT(letter == 'n');
		return copy->now;
	}
}

static bool copy_rows(struct kb_conn *conn, const struct copy *copy, size_t i, struct kb_err *err)
{
	struct kb_value values[KB_SQL_PARAMS];
	size_t count = 0;

	for (const char *p = parameters[i]; *p; p++)
		values[count++] = kb_int(parameter(copy, *p));
	return kb_db_run(conn, &sql[COPY_FIRST + i], values, count, NULL, err);
}

/* Widens [*low, *high] to the ids that the statement spans; 0 and 0: none so far. */
static bool span(struct kb_conn *conn, int what, int64_t agent_id, int64_t *low, int64_t *high,
                 struct kb_err *err)
{
	struct kb_rows rows;

	kb_rows_open(&rows, conn, &sql[what], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		int64_t first = kb_rows_int(&rows, 0), last = kb_rows_int(&rows, 1);

		if (last) {
			*low = *high ? KB_MIN(*low, first) : first;
			*high = KB_MAX(*high, last);
		}
	}
	return kb_rows_close(&rows, err);
}

/* Takes as many new ids as lie between the lowest and the highest old one. */
static bool take_block(struct kb_conn *conn, const char *sequence, int64_t low, int64_t high,
                       int64_t *shift, struct kb_err *err)
{
	int64_t first;

	*shift = 0;
	if (high == 0)
		return true; /* no rows, nothing to shift */
	if (!kb_db_next_id(conn, sequence, high - low + 1, &first, err))
		return false;
	*shift = first - low;
	return true;
}

static bool take_ids(struct kb_conn *conn, struct copy *copy, struct kb_err *err)
{
	struct {
		int64_t low, high;
	} pages = { 0 }, sources = { 0 }, labels = { 0 };

	return span(conn, PAGE_SPAN, copy->from, &pages.low, &pages.high, err)
	       && span(conn, DEAD_SPAN, copy->from, &pages.low, &pages.high, err)
	       && span(conn, SOURCE_SPAN, copy->from, &sources.low, &sources.high, err)
	       && span(conn, LABEL_SPAN, copy->from, &labels.low, &labels.high, err)
	       && take_block(conn, "page", pages.low, pages.high, &copy->page_shift, err)
	       && take_block(conn, "source", sources.low, sources.high, &copy->source_shift, err)
	       && take_block(conn, "label", labels.low, labels.high, &copy->label_shift, err);
}

struct replicate {
	struct kb_arena *arena;
	int64_t account_id, id, now;
	struct kb_sv name;
	struct kb_agent *out;
};

static bool replicate(struct kb_conn *conn, void *arg, struct kb_err *err)
{
	struct replicate *in = arg;
	struct copy copy = { .from = in->id, .now = in->now };
	struct kb_agent *agent = in->out;
	int64_t version;

	if (!kb_agent_lock(conn, in->id, &version, err)
	    || !kb_agent_load(conn, in->arena, in->account_id, in->id, agent, err))
		return false;
	agent->name = in->name;
	agent->is_shared = false;
	agent->shareable_slug = (struct kb_sv){ 0 };
	if (!kb_agent_insert_row(conn, agent, in->now, err))
		return false;
	copy.to = agent->id;
	if (!take_ids(conn, &copy, err))
		return false;
	for (size_t i = 0; i < KB_COUNTOF(parameters); i++)
		if (!copy_rows(conn, &copy, i, err))
			return false;
	return kb_turn_settle(conn, agent->id, err);
}

bool kb_store_agent_replicate(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                              int64_t id, struct kb_sv name, struct kb_agent *out,
                              struct kb_err *err)
{
	struct replicate in = {
		.arena = arena,
		.account_id = account_id,
		.id = id,
		.now = kb_store_now(store),
		.name = name,
		.out = out,
	};

	return kb_db_write(store->db, replicate, &in, err);
}
