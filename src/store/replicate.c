/*
 * A copy of an agent, which nobody sees until it is whole.
 *
 *   1. one write     a hidden agent (KB_AGENT_COPIED) with new ids for all that is copied
 *   2. one snapshot  of the original, as it is after that, is read into a nameless file; then that
 *                    is written in slices of some milliseconds, so that no other write waits long.
 *                    (A snapshot held meanwhile would keep the database's log from being cut.)
 *   3. one write     the hidden agent is there
 *   4. slices        pages that are in the queue may be leased from now on
 *
 * When something fails before 3, or the process ends, the hidden agent is a deleted one (remove.c).
 *
 * Rows are copied under ids of their own: pages, sources, labels and tests each get a block of new
 * ids as wide as the old ones are apart, so that one sum takes every id to its copy. Blobs are
 * named a second time and not copied; no blob is swept while a copy is in the making
 * (kb_store_blob_names), as the original may leave one before the copy names it. Segments carry the
 * sum, and the index adds it to the page ids in them (page_shift) until a merge writes segments of
 * the copy's own. So the copy answers at once, and whatever happens to either side later, the other
 * keeps what it has.
 *
 * The copy has the index version of the original: versions of segments and dead pages mean the same
 * in both. Pages that wait for their turn, or are being worked on, wait in the copy too.
 *
 * Not copied: conversations, messages and the counts of them; licenses, which their holders have
 * from the original; the shared link; what was deleted and still has its rows.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/fault.h"
#include "base/file.h"
#include "store/agents_own.h"
#include "store/labels_own.h"
#include "store/leases.h"
#include "store/licenses_own.h"
#include "store/lists.h"
#include "store/pages_own.h"
#include "store/personas_own.h"
#include "store/segments_own.h"
#include "store/sources_own.h"
#include "store/store_own.h"
#include "store/vectors_own.h"

enum {
	SLICE_ROWS_MIN = 20,
	SLICE_ROWS_FIRST = 100,
	SLICE_ROWS_MAX = 1000,
	SLICE_US = 4000, /* of the writer's time, to aim at */
};

/* What the statements need, a letter each. */
struct copy {
	int64_t from, to;
	int64_t page_shift, source_shift, label_shift, test_shift, now;
};

/* Each table has a statement that reads it as it will be in the copy, and one that puts a row. */
enum {
	PAGE_SPAN,
	DEAD_SPAN,
	SOURCE_SPAN,
	LABEL_SPAN,
	TEST_SPAN,
	TOTALS,
	SET_TOTALS,
	QUEUED,
	WAKE,
	TABLE_FIRST,
};
#define SPAN(id, table)                                                                            \
	"SELECT coalesce(min(" id "), 0), coalesce(max(" id "), 0) FROM " table                    \
	" WHERE agent_id = $1"
#define TABLE(table, columns, reads, read_types, types, values)                                    \
	{ "replicate_" table, read_types, "SELECT $2, " reads },                                   \
	{                                                                                          \
		"put_" table, types,                                                               \
		        "INSERT INTO " table " (agent_id, " columns ") VALUES (" values ")"        \
	}
/* One of which all is copied but the agent. */
#define COPY(table, LIST, COPIED)                                                                  \
	{ "replicate_" table, "ii",                                                                \
	  "SELECT $2, " KB_NAMES(COPIED) " FROM " table " WHERE agent_id = $1" },                  \
	{                                                                                          \
		"put_" table, KB_TYPES(LIST), KB_INSERT(table, LIST)                               \
	}
#define V2  "$1, $2"
#define V3  V2 ", $3"
#define V4  V3 ", $4"
#define V5  V4 ", $5"
#define V7  V5 ", $6, $7"
#define V8  V7 ", $8"
#define V11 V8 ", $9, $10, $11"
#define V13 V11 ", $12, $13"
#define V16 V13 ", $14, $15, $16"
#define V17 V16 ", $17"
// clang-format off
static const struct kb_sql sql[] = {
	[PAGE_SPAN] = { "replicate_page_span", "i", SPAN("id", "pages") },
	/* Dead pages live on in segments: their copies need ids that are nobody's, too. */
	[DEAD_SPAN] = { "replicate_dead_span", "i", SPAN("page_id", "dead_pages") },
	[SOURCE_SPAN] = { "replicate_source_span", "i", SPAN("id", "sources") },
	[LABEL_SPAN]  = { "replicate_label_span",  "i", SPAN("id", "labels") },
	[TEST_SPAN]   = { "replicate_test_span",   "i", SPAN("id", "kept_tests") },
	/* About right from the start, as the account's words count them; its pace is its own. */
	[TOTALS] = { "replicate_totals", "ii",
		"INSERT INTO agent_totals (agent_id, pages_found, pages_crawled, pages_indexed, "
		"words_indexed, storage_bytes, crawl_credits, query_credits, queries, "
		"finished, last_at, mark_at, mark_finished, old_at, old_finished) "
		"SELECT $2, pages_found, pages_crawled, pages_indexed, words_indexed, storage_bytes, 0, 0, 0, "
		"0, 0, 0, 0, 0, 0 "
		"FROM agent_totals WHERE agent_id = $1" },
	[SET_TOTALS] = { "replicate_set_totals", "iiiiii",
		"UPDATE agent_totals SET pages_found = $2, pages_crawled = $3, pages_indexed = $4, "
		"words_indexed = $5, storage_bytes = $6 WHERE agent_id = $1" },
	[QUEUED] = { "replicate_queued", "ii",
		"SELECT id + $2 FROM pages WHERE agent_id = $1 AND state > 0 AND " KB_PAGE_SHOWN("$1") },
	[WAKE] = { "replicate_wake", "iiii",
		"UPDATE pages SET due_at = $3 WHERE agent_id = $1 AND id = $2 AND due_at = $4" },

	/* Its epochs are what its pages were seen in. */
	[TABLE_FIRST] = { "replicate_sources", "iiii", /* in the order of KB_SOURCES */
		"SELECT $2, id + $3, 0, CASE WHEN state = 1 THEN $4 ELSE due_at END, 0, 0, 0, 0, "
		KB_NAMES(KB_SOURCES_COPIED) " FROM sources WHERE agent_id = $1 AND dead_version = 0" },
	{ "put_sources", KB_TYPES(KB_SOURCES), KB_INSERT("sources", KB_SOURCES) },
	{ "replicate_pages", "iiiii", /* in the order of KB_PAGES_WHOLE */
		"SELECT $2, id + $3, source_id + $4, "
		"CASE WHEN parent_id > 0 THEN parent_id + $3 ELSE 0 END, "
		"CASE WHEN state > 0 THEN " KB_SQL(PAGE_QUEUED) " ELSE " KB_SQL(PAGE_DONE) " END, "
		"CASE WHEN state > 0 THEN $5 ELSE due_at END, "
		"CASE WHEN state > 0 THEN 0 ELSE attempts END, 0, 0, " KB_NAMES(KB_PAGES_COPIED) " "
		"FROM pages WHERE agent_id = $1 AND " KB_PAGE_SHOWN("$1") },
	{ "put_pages", KB_TYPES(KB_PAGES_WHOLE), KB_INSERT("pages", KB_PAGES_WHOLE) },
	/* In the order of KB_SEGMENTS. The copy finds out for itself whether a file is damaged. */
	{ "replicate_segments", "iii",
		"SELECT $2, id, page_shift + $3, 0, " KB_NAMES(KB_SEGMENTS_COPIED) " FROM segments WHERE agent_id = $1" },
	{ "put_segments", KB_TYPES(KB_SEGMENTS), KB_INSERT("segments", KB_SEGMENTS) },
	COPY("vectors", KB_VECTORS, KB_VECTORS_COPIED),
	COPY("factors", KB_FACTORS, KB_FACTORS_COPIED),
	TABLE("dead_pages", "page_id, version",
		"page_id + $3, max(version) FROM (" KB_DEAD_PAGES ") w WHERE EXISTS (SELECT 1 "
		"FROM segments s WHERE s.agent_id = $1 AND s.version < w.version) GROUP BY page_id", "iii",
		"iii", V3),
	{ "replicate_labels", "iii",
		"SELECT $2, id + $3, " KB_NAMES(KB_LABELS_COPIED) " FROM labels WHERE agent_id = $1" },
	{ "put_labels", KB_TYPES(KB_LABELS), KB_INSERT("labels", KB_LABELS) },
	TABLE("page_labels", "page_id, label_id",
		"page_id + $3, label_id + $4 FROM page_labels WHERE agent_id = $1 AND page_id IN "
		"(SELECT id FROM pages WHERE agent_id = $1 AND " KB_PAGE_SHOWN("$1") ")", "iiii",
		"iii", V3),
	TABLE("source_labels", "source_id, label_id",
		"source_id + $3, label_id + $4 FROM source_labels WHERE agent_id = $1 AND source_id IN "
		"(SELECT id FROM sources WHERE agent_id = $1 AND dead_version = 0)", "iiii",
		"iii", V3),
	TABLE("verified_answers",
		"page_id, version, questions, answer, owner, checked_by, checked_at, review_at, created_at, updated_at",
		"page_id + $3, version, questions, answer, owner, checked_by, checked_at, review_at, created_at, "
		"updated_at FROM verified_answers WHERE agent_id = $1 AND page_id IN "
		"(SELECT id FROM pages WHERE agent_id = $1 AND " KB_PAGE_SHOWN("$1") ")", "iii",
		"iiittttiiii", V11),
	TABLE("verified_versions",
		"page_id, version, questions, answer, checked_by, checked_at",
		"page_id + $3, version, questions, answer, checked_by, checked_at FROM verified_versions "
		"WHERE agent_id = $1 AND page_id IN (SELECT id FROM pages WHERE agent_id = $1 AND "
		KB_PAGE_SHOWN("$1") ")", "iii", "iiittti", V7),
	/* What is hidden now is not in the copy: there it is gone. */
	TABLE("verified_cites", "page_id, cited_id, text_blob, gone",
		"page_id + $3, cited_id + $3, text_blob, CASE WHEN cited_id IN "
		"(SELECT id FROM pages WHERE agent_id = $1 AND " KB_PAGE_SHOWN("$1") ") THEN 0 ELSE 1 END "
		"FROM verified_cites WHERE agent_id = $1 AND page_id IN "
		"(SELECT id FROM pages WHERE agent_id = $1 AND " KB_PAGE_SHOWN("$1") ")", "iii",
		"iiiti", V5),
	TABLE("kept_turns",
		"tried_version, tried_change, tried_at, seen_version, seen_change, seen_at, since_at",
		"-1, 0, 0, 0, 0, 0, 0 FROM kept_turns WHERE agent_id = $1", "ii",
		"iiiiiiii", V8),
	TABLE("kept_tests",
		"id, question, turns, phrases, labels, refuse, state, why, answer, answer_before, turned_at, asked_at, "
		"tried_version, tried_change, created_at, updated_at",
		"id + $3, question, turns, phrases, labels, refuse, state, why, answer, answer_before, turned_at, asked_at, "
		"-1, 0, created_at, updated_at FROM kept_tests WHERE agent_id = $1", "iii",
		"iittttiiittiiiiii", V17),
	TABLE("kept_documents", "test_id, page_id, text_blob",
		"test_id + $3, page_id + $4, text_blob FROM kept_documents WHERE agent_id = $1", "iiii",
		"iiit", V4),
	COPY("personas", KB_PERSONAS, KB_PERSONAS_COPIED),
	COPY("sub_personas", KB_SUB_PERSONAS, KB_SUB_PERSONAS_COPIED),
	COPY("sub_persona_overrides", KB_OVERRIDES, KB_OVERRIDES_COPIED),
	TABLE("agent_images", "blob", "blob FROM agent_images WHERE agent_id = $1", "ii", "it", V2),
	COPY("plugins", KB_PLUGINS, KB_PLUGINS_COPIED),
	TABLE("crawls",
		"source_id, url, start, state, seeded, began_at, pages, bytes, deep, alike, crowded, forbidden",
		"source_id + $3, url, start, state, seeded, began_at, pages, bytes, deep, alike, crowded, forbidden "
		"FROM crawls WHERE agent_id = $1", "iii",
		"iittiiiiiiiii", V13),
	TABLE("crawl_aliases", "url, source_id",
		"url, source_id + $3 FROM crawl_aliases WHERE agent_id = $1", "iii",
		"iti", V3),
	TABLE("crawl_shapes", "source_id, shape, addresses",
		"source_id + $3, shape, addresses FROM crawl_shapes WHERE agent_id = $1", "iii",
		"iiti", V4),
};

/* The parameters of each reading statement, by letter: from, to, page, source, label and kept test's
 * shift, now, never. */
static const char *const parameters[] = {
	"ftsn", "ftpse", "ftp", "ft", "ft", "ftp", "ftl", "ftpl", "ftsl", "ftp", "ftp", "ftp", "ft", "ftk", "ftkp", "ft", "ft", "ft", "ft", "ft",
	"fts", "fts", "fts",
};
// clang-format on
static_assert(2 * KB_COUNTOF(parameters) == KB_COUNTOF(sql) - TABLE_FIRST,
              "a statement without a row");
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
	case 'k':
		return copy->test_shift;
	case 'n':
		return copy->now;
	default:
		KB_ASSERT(letter == 'e');
		return KB_DUE_NEVER;
	}
}

/* Widens [*low, *high] to the ids that the statement spans; 0 and 0: none so far. */
static bool span(struct kb_db_conn *conn, int what, int64_t agent_id, int64_t *low, int64_t *high,
                 struct kb_err *err)
{
	struct kb_db_rows rows;

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

/* Ids of the original, from the lowest to the highest; 0 and 0: none. */
struct spans {
	struct {
		int64_t low, high;
	} pages, sources, labels, tests;
};

static bool read_spans(struct kb_db_conn *conn, int64_t from, struct spans *out, struct kb_err *err)
{
	*out = (struct spans){ 0 };
	return span(conn, PAGE_SPAN, from, &out->pages.low, &out->pages.high, err)
	       && span(conn, DEAD_SPAN, from, &out->pages.low, &out->pages.high, err)
	       && span(conn, SOURCE_SPAN, from, &out->sources.low, &out->sources.high, err)
	       && span(conn, LABEL_SPAN, from, &out->labels.low, &out->labels.high, err)
	       && span(conn, TEST_SPAN, from, &out->tests.low, &out->tests.high, err);
}

/* Takes as many new ids as lie between the lowest and the highest old one. */
static bool take_block(struct kb_db_conn *conn, const char *sequence, int64_t low, int64_t high,
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

/* ---- one copy on its way ---- */

struct replicate {
	struct kb_store *store;
	struct kb_arena *arena;
	int64_t account_id;
	struct kb_sv name;
	struct kb_agent *out;
	struct kb_db_conn *conn; /* a snapshot of the original */
	FILE *spool;             /* its rows, table after table */
	int64_t rows[KB_COUNTOF(parameters)];
	struct copy copy;
	struct spans spans;
	struct kb_agent_stats stats;
	int64_t *queued; /* pages of the copy */
	size_t queued_count;
	int64_t slice; /* rows that lately took some milliseconds */
};

/* As many rows next time as take SLICE_US. */
static void fit_slice(struct replicate *in, int64_t took_us)
{
	if (took_us > SLICE_US)
		in->slice = KB_MAX(in->slice / 2, (int64_t)SLICE_ROWS_MIN);
	else if (took_us < SLICE_US / 2)
		in->slice = KB_MIN(in->slice * 2, (int64_t)SLICE_ROWS_MAX);
}

static bool begin(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct replicate *in = arg;
	struct kb_agent *agent = in->out;
	int64_t version;

	if (!kb_agent_lock(conn, in->copy.from, &version, err)
	    || !kb_agent_load(conn, in->arena, in->account_id, in->copy.from, agent, err))
		return false;
	agent->name = in->name;
	agent->is_shared = false;
	agent->shareable_slug = (struct kb_sv){ 0 };
	if (!kb_agent_insert_row(conn, agent, in->copy.now, err))
		return false;
	in->copy.to = agent->id;
	return kb_agent_make_copy(conn, agent->id, in->store->node, err)
	       && kb_db_run(conn, &sql[TOTALS],
	                    KB_VALUES(kb_int(in->copy.from), kb_int(in->copy.to)), NULL, err);
}

/* The snapshot, and what it says of the original as a whole. */
static bool look(struct replicate *in, struct kb_err *err)
{
	struct kb_agent *agent = in->out;
	struct kb_agent now;

	in->conn = kb_db_take(in->store->db, true, err);
	if (!in->conn
	    || !kb_agent_load(in->conn, in->arena, in->account_id, in->copy.from, &now, err)
	    || !kb_agent_stats(in->conn, in->copy.from, &in->stats, err)
	    || !read_spans(in->conn, in->copy.from, &in->spans, err))
		return false;
	now.id = agent->id;
	now.name = agent->name;
	now.is_shared = agent->is_shared;
	now.shareable_slug = agent->shareable_slug;
	now.created_at = agent->created_at;
	now.updated_at = agent->updated_at;
	*agent = now;
	return true;
}

static bool take_ids(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct replicate *in = arg;
	const struct spans *spans = &in->spans;

	return take_block(conn, "page", spans->pages.low, spans->pages.high, &in->copy.page_shift,
	                  err)
	       && take_block(conn, "source", spans->sources.low, spans->sources.high,
	                     &in->copy.source_shift, err)
	       && take_block(conn, "label", spans->labels.low, spans->labels.high,
	                     &in->copy.label_shift, err)
	       && take_block(conn, "test", spans->tests.low, spans->tests.high,
	                     &in->copy.test_shift, err);
}

/* Rows for one write: `width` values each. */
struct slice {
	const struct kb_sql *put;
	struct kb_db_value *values;
	size_t width, count;
	int64_t took_us;
};

static bool put_rows(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct slice *slice = arg;
	int64_t began = kb_clock_mono_us();

	for (size_t i = 0; i < slice->count; i++)
		if (!kb_db_run(conn, slice->put,
		               (struct kb_db_values){ .v = slice->values + i * slice->width,
		                                      .count = slice->width },
		               NULL, err))
			return false;
	slice->took_us = kb_clock_mono_us() - began;
	return true;
}

/* ---- the file between: for each value its number, or its length (-1: NULL) and bytes ---- */

static const char *spool_place(const struct replicate *in)
{
	return in->store->directory ? in->store->directory : "/tmp";
}

static bool spool_failed(const struct replicate *in, struct kb_err *err)
{
	return kb_fail_errno(err, "cannot keep what is copied in %s", spool_place(in));
}

static bool spool_open(struct replicate *in, struct kb_err *err)
{
	int fd = kb_fault() ? -1 : open(spool_place(in), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	in->spool = fd < 0 ? NULL : fdopen(fd, "w+");
	if (!in->spool)
		kb_fd_close(&fd);
	return in->spool || spool_failed(in, err);
}

static bool spool_table(struct replicate *in, size_t i, struct kb_err *err)
{
	const struct kb_sql *read = &sql[TABLE_FIRST + 2 * i];
	const char *types = read[1].types;
	struct kb_db_value values[KB_SQL_PARAMS];
	struct kb_arena arena = { 0 };
	struct kb_db_rows rows;
	size_t count = 0;

	for (const char *p = parameters[i]; *p; p++)
		values[count++] = kb_int(parameter(&in->copy, *p));
	kb_rows_open(&rows, in->conn, read, (struct kb_db_values){ values, count });
	for (; kb_rows_next(&rows); in->rows[i]++) {
		for (int c = 0; types[c]; c++) {
			struct kb_sv text = { 0 };
			int64_t n;

			if (types[c] == 'i') {
				n = kb_rows_int(&rows, c);
			} else {
				text = kb_rows_text(&rows, &arena, c);
				n = text.p ? (int64_t)text.n : -1; /* -1: NULL */
			}
			fwrite(&n, sizeof(n), 1, in->spool);
			if (text.n)
				fwrite(text.p, 1, text.n, in->spool);
		}
		kb_arena_reset(&arena);
	}
	kb_arena_fini(&arena);
	return kb_rows_close(&rows, err) && (!ferror(in->spool) || spool_failed(in, err));
}

static bool spool_value(struct replicate *in, struct kb_arena *arena, char type,
                        struct kb_db_value *out, struct kb_err *err)
{
	char *text;
	int64_t n;

	*out = (struct kb_db_value){ .type = type };
	if (fread(&n, sizeof(n), 1, in->spool) != 1)
		return spool_failed(in, err);
	if (type == 'i') {
		out->n = n;
	} else if (n >= 0) {
		text = kb_arena_bytes(arena, (size_t)n + 1);
		if (fread(text, 1, (size_t)n, in->spool) != (size_t)n)
			return spool_failed(in, err);
		out->text = kb_sv(text, (size_t)n);
	}
	return true;
}

/* ---- */

/* The next rows of the table. */
static bool put_slice(struct replicate *in, struct slice *slice, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	bool ok = true;

	slice->values = KB_NEW_ARRAY(&arena, slice->count * slice->width, struct kb_db_value);
	for (size_t i = 0; ok && i < slice->count * slice->width; i++)
		ok = spool_value(in, &arena, slice->put->types[i % slice->width], &slice->values[i],
		                 err);
	ok = ok && kb_db_write(in->store->db, put_rows, slice, err);
	fit_slice(in, slice->took_us);
	kb_arena_fini(&arena);
	return ok;
}

static bool put_table(struct replicate *in, size_t i, struct kb_err *err)
{
	const struct kb_sql *put = &sql[TABLE_FIRST + 2 * i + 1];
	struct slice slice = { .put = put, .width = strlen(put->types) };

	for (int64_t left = in->rows[i]; left; left -= (int64_t)slice.count) {
		slice.count = (size_t)KB_MIN(in->slice, left);
		if (!put_slice(in, &slice, err))
			return false;
	}
	return true;
}

static bool read_queued(struct replicate *in, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, in->conn, &sql[QUEUED],
	             KB_VALUES(kb_int(in->copy.from), kb_int(in->copy.page_shift)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(in->arena, in->queued, in->queued_count)
		[in->queued_count] = kb_rows_int(&rows, 0);
		in->queued_count++;
	}
	return kb_rows_close(&rows, err);
}

static bool end(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct replicate *in = arg;
	const struct kb_agent_stats *stats = &in->stats;

	return kb_db_run(conn, &sql[SET_TOTALS],
	                 KB_VALUES(kb_int(in->copy.to), kb_int(stats->pages_found),
	                           kb_int(stats->pages_crawled), kb_int(stats->pages_indexed),
	                           kb_int(stats->words_indexed), kb_int(stats->storage_bytes)),
	                 NULL, err)
	       && kb_agent_show_copy(conn, in->arena, in->out, err)
	       && kb_turn_settle(conn, in->copy.to, err);
}

struct wake {
	const int64_t *ids;
	size_t count;
	int64_t agent_id, now, took_us;
};

static bool wake(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct wake *in = arg;
	int64_t began = kb_clock_mono_us();

	for (size_t i = 0; i < in->count; i++)
		if (!kb_db_run(conn, &sql[WAKE],
		               KB_VALUES(kb_int(in->agent_id), kb_int(in->ids[i]), kb_int(in->now),
		                         kb_int(KB_DUE_NEVER)),
		               NULL, err))
			return false;
	in->took_us = kb_clock_mono_us() - began;
	return true;
}

/* The copy is there. What fails here is made good by kb_store_unheard_free(). */
static void wake_queued(struct replicate *in)
{
	for (size_t i = 0; i < in->queued_count;) {
		struct wake some = {
			.ids = in->queued + i,
			.count = KB_MIN((size_t)in->slice, in->queued_count - i),
			.agent_id = in->copy.to,
			.now = in->copy.now,
		};
		struct kb_err err;

		if (!kb_db_write(in->store->db, wake, &some, &err)) {
			atomic_store(&in->store->lease_unheard, true);
			kb_error_log(in->store->log,
			             "pages of a copy wait a little longer agent=%" PRId64
			             " pages=%zu error=%s",
			             in->copy.to, in->queued_count - i, err.msg);
			return;
		}
		fit_slice(in, some.took_us);
		i += some.count;
	}
}

static bool give_up(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct replicate *in = arg;

	return kb_agent_set_state(conn, in->copy.to, KB_AGENT_DELETED, err);
}

static bool copy_all(struct replicate *in, struct kb_err *err)
{
	if (!spool_open(in, err) || !look(in, err)
	    || !kb_db_write(in->store->db, take_ids, in, err))
		return false;
	for (size_t i = 0; i < KB_COUNTOF(parameters); i++)
		if (!spool_table(in, i, err))
			return false;
	if (!read_queued(in, err))
		return false;
	kb_db_give(in->store->db, in->conn);
	in->conn = NULL;
	rewind(in->spool);
	for (size_t i = 0; i < KB_COUNTOF(parameters); i++)
		if (!put_table(in, i, err))
			return false;
	return kb_db_write(in->store->db, end, in, err);
}

bool kb_store_agent_replicate(struct kb_store *store, struct kb_arena *arena,
                              const struct kb_agent_copy *copy, struct kb_agent *out,
                              struct kb_err *err)
{
	struct replicate in = {
		.store = store,
		.arena = arena,
		.account_id = copy->account_id,
		.name = copy->name,
		.out = out,
		.copy = { .from = copy->id, .now = kb_store_now(store) },
		.slice = SLICE_ROWS_FIRST,
	};
	bool ok;

	pthread_mutex_lock(&store->copy_lock);
	ok = kb_lease_write(store, begin, &in, err);
	if (ok) {
		ok = copy_all(&in, err);
		if (in.conn)
			kb_db_give(store->db, in.conn);
		if (in.spool)
			fclose(in.spool);
		if (ok)
			wake_queued(&in);
		else if (!kb_db_write(store->db, give_up, &in, NULL))
			atomic_store(&store->lease_unheard, true);
	}
	pthread_mutex_unlock(&store->copy_lock);
	return ok;
}
