/* What the store's files share: the store itself, lists, folded texts, lists of ids. */
#ifndef KB_STORE_STORE_IMPL_H
#define KB_STORE_STORE_IMPL_H

#include <pthread.h>

#include "base/buf.h"
#include "db/columns.h"
#include "store/agents.h"
#include "store/cache.h"
#include "store/pages.h"
#include "store/publish.h"
#include "store/sources.h"

struct kb_store {
	struct kb_db *db;
	struct kb_clock *clock, own_clock; /* the process's; the store's where it has none */
	const struct kb_log *log;
	struct kb_cache *keys, *agents;
	pthread_mutex_t copy_lock; /* one copy at a time, each at full speed */
	/* Whose leases are this process's: 1 where the database is its own, 0 for a tool. */
	int64_t node, life;
	bool is_shared; /* others change it as well: what is known of it is asked for again */
	struct kb_nodes *nodes;     /* where others serve the same database; else NULL */
	_Atomic bool lease_unheard; /* of what this process holds: work.h */
	/* The process's own: of SQLite's database, or a node's home, or NULL. */
	char *directory;
	int lock_fd;              /* of docent.lock; -1: not exclusive */
	_Atomic int64_t ready_at; /* when the last probe succeeded (mono) */
	/* Message ids taken ahead of their messages: [message_id, message_id_end). */
	pthread_mutex_t ids_lock;
	int64_t message_id, message_id_end;
	_Atomic bool chores_wanted;
	struct kb_arena move_statements; /* of a move, until the connections are closed */
};

static inline int64_t kb_store_now(const struct kb_store *store)
{
	return kb_clock_now_us(store->clock);
}

/* LIMIT and OFFSET of a page of a list. */
enum { KB_LIST_MAX = 1000 };
int64_t kb_list_limit(const struct kb_list *list);
int64_t kb_list_offset(const struct kb_list *list);

/* Room for one more element after `count` in an array of the arena, which starts as NULL. */
#define KB_ROOM(arena, array, count)                                                               \
	((array) = kb_rows_room((arena), (array), (count), sizeof(*(array))))
void *kb_rows_room(struct kb_arena *arena, void *array, size_t count, size_t size);

/* What may be made again keeps the day of its last use. */
int64_t kb_store_today(struct kb_store *store);
/* Runs a statement that removes what was last used before the day $1; *gone: how many rows. */
bool kb_days_forget(struct kb_store *store, const struct kb_sql *statement, int64_t unused_days,
                    int64_t *gone, struct kb_err *err) KB_MUST_CHECK;

/*
 * What is hidden (migrations/0007): an agent that is deleted or not whole yet, a source that is
 * deleted. Whoever names an agent or a page by its id alone, or goes through those of all, leaves
 * them out with these; kb_agent_load() and kb_agent_lock() know none of them.
 */
#define KB_AGENT_SHOWN(id) id " NOT IN (SELECT hidden.id FROM agents hidden WHERE hidden.state > 0)"
/* agent: the SQL of its id. */
#define KB_PAGE_SHOWN(agent)                                                                       \
	"source_id NOT IN (SELECT dead.id FROM sources dead WHERE dead.agent_id = " agent          \
	" AND dead.dead_version > 0)"
/* All dead pages of agent $1, (page_id, version): those of deleted sources that still have their
 * rows too. A page may be in it twice. */
#define KB_DEAD_PAGES                                                                              \
	"SELECT page_id, version FROM dead_pages WHERE agent_id = $1 UNION ALL "                   \
	"SELECT p.id, s.dead_version FROM sources s CROSS JOIN pages p WHERE s.agent_id = $1 "     \
	"AND s.dead_version > 0 AND p.agent_id = $1 AND p.source_id = s.id AND p.is_found = 1"
/* A queue of all agents has an index by one of sixteen buckets of agents and then by time, so that
 * where tables are cut by ranges no one of them gets all that is new (hash-sharded indexes of
 * CockroachDB, by whose own default there are sixteen). A statement that goes by time names the
 * buckets. */
#define KB_BUCKET(agent) "(" agent " & 15)"
#define KB_BUCKETS       "(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)"
#define KB_BUCKET_ROWS                                                                             \
	"(VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), " \
	"(15))"
/* A row by its id alone, which has an index by buckets of its own. A single id is asked for as a
 * range: SQLite would put the id that it equals into the bucket too, and find no index. */
#define KB_ID_ALONE(id, value)                                                                     \
	"(" id " & 15) = (" value " & 15) AND " id " BETWEEN " value " AND " value
/* The earliest time of rows `q` of such a queue, of which `which` holds; NULL: there are none. */
#define KB_EARLIEST(table, time, which)                                                            \
	"(SELECT min(w.at) FROM (SELECT (SELECT q." time " FROM " table                            \
	" q WHERE " KB_BUCKET("q.agent_id") " = b.column1 AND " which " ORDER BY q." time          \
	                                    " LIMIT 1) AS at FROM " KB_BUCKET_ROWS " b) w)"
/* When a page may be leased that waits in a copy in the making. */
#define KB_DUE_NEVER (INT64_C(1) << 62)

/* ---- nodes.c ---- */

#define KB_NODE_ALIVE_US (10 * KB_SECOND_US) /* silent for longer, a node counts as gone */
/* Nodes that are there, but `me`: since when a beat counts is `since`. A lease of any other node
 * is nobody's. Where the database is one process's own there are none. */
#define KB_NODES_THERE(me, since)                                                                  \
	"(SELECT n.id FROM nodes n WHERE n.id <> " me " AND n.beat_at > " since ")"

/* Runs a statement that frees leases: its parameters are the first of me, the `since` of
 * KB_NODES_THERE, now and KB_DUE_NEVER. `me` is the node that starts, whose earlier life has ended;
 * 0: it goes on, and leases of others that are gone are meant. */
bool kb_leases_void(struct kb_store *store, const struct kb_sql *statement, int64_t me,
                    struct kb_err *err) KB_MUST_CHECK;
/* Once more what open() does: a machine's time drifts, and is set. */
void kb_store_follow_clock(struct kb_store *store);
/* All kinds of leases. */
bool kb_store_void_leases(struct kb_store *store, int64_t me, struct kb_err *err) KB_MUST_CHECK;

/* From now on the process is a node of that name, until it leaves. */
bool kb_nodes_join(struct kb_store *store, const char *name, const struct kb_store_config *config,
                   struct kb_err *err) KB_MUST_CHECK;
void kb_nodes_leave(struct kb_store *store);
/* KB_E_CONFLICT while a node is there. */
bool kb_nodes_none(struct kb_store *store, struct kb_err *err) KB_MUST_CHECK;

/* ---- talklinks.c, for conversations.c ---- */

bool kb_talk_link_drop(struct kb_db_conn *conn, int64_t agent_id, int64_t conversation_id,
                       struct kb_err *err) KB_MUST_CHECK;

/* ---- visitors.c, for messages.c ---- */

/* The answer of the visitor that was under way. */
bool kb_visit_end(struct kb_db_conn *conn, int64_t visitor_id, struct kb_err *err) KB_MUST_CHECK;
/* Those of the agent's visitors whom a site has signed. */
bool kb_visits_end_signed(struct kb_db_conn *conn, int64_t agent_id, int64_t now,
                          struct kb_err *err) KB_MUST_CHECK;

/* ---- lookups.c ---- */

/* For a node that starts: others may be of a program that knows no look-up tables. */
bool kb_lookups_mend(struct kb_store *store, struct kb_err *err) KB_MUST_CHECK;

/* ---- move.c ---- */

/* Whether the store may be opened so, as far as moves are concerned; one that is being read for a
 * move is given up by it. */
bool kb_move_gate(struct kb_store *store, enum kb_store_use use, const char *at,
                  struct kb_err *err) KB_MUST_CHECK;

/* ---- work.c ---- */

/* As kb_db_write(), for what takes a lease: kb_store_unheard_free() knows when nobody heard whether
 * it was taken. */
bool kb_lease_write(struct kb_store *store, kb_write_fn *fn, void *arg,
                    struct kb_err *err) KB_MUST_CHECK;

struct kb_work_want {
	struct kb_store *store;
	const char *kind;
	int64_t agent_id, now, lease_us;
};
/* No other node has the agent's work of that kind. */
#define KB_WORK_FREE(agent, kind, now, me, since)                                                  \
	"NOT EXISTS (SELECT 1 FROM work k WHERE k.agent_id = " agent " AND k.kind = '" kind        \
	"' AND k.lease_until > " now " AND k.lease_node IN " KB_NODES_THERE(me, since) ")"
/* Inside a write; *epoch 0: another node has it. */
bool kb_work_take(struct kb_db_conn *conn, const struct kb_work_want *want, int64_t *epoch,
                  struct kb_err *err) KB_MUST_CHECK;

/* ---- texts.c ---- */

/* Unicode compatibility case folding, for the *_key columns. Bad bytes become U+FFFD. */
struct kb_sv kb_store_fold(struct kb_arena *arena, struct kb_sv text);
/* The LIKE pattern (ESCAPE '\') that finds the text anywhere in a folded column; empty for an empty
 * text. With `wild`, '*' stands for any text and '?' for any character. */
enum { KB_PATTERN_MAX = 1000 };
bool kb_like_pattern(struct kb_arena *arena, struct kb_sv text, bool wild, struct kb_sv *pattern,
                     struct kb_err *err) KB_MUST_CHECK;
/* "1,2,3" and back. */
struct kb_sv kb_ids_text(struct kb_arena *arena, const int64_t *ids, size_t count);
const int64_t *kb_ids_parse(struct kb_arena *arena, struct kb_sv text, size_t *count);
/* ",1,2,3," for `$n LIKE '%,' || id || ',%'`; empty when there are none. */
struct kb_sv kb_ids_set(struct kb_arena *arena, const int64_t *ids, size_t count);

/* ---- accounts.c, agents.c: what a commit does to the caches ---- */

extern const struct kb_db_columns kb_key_columns, kb_agent_columns;

/* ---- agents.c, sources.c ---- */

/* KB_E_NOT_FOUND where the account has no such agent. */
bool kb_agent_load(struct kb_db_conn *conn, struct kb_arena *arena, int64_t account_id, int64_t id,
                   struct kb_agent *out, struct kb_err *err) KB_MUST_CHECK;
/* Inside a write: the agent's row alone, with its id and times. */
bool kb_agent_insert_row(struct kb_db_conn *conn, struct kb_agent *agent, int64_t now,
                         struct kb_err *err) KB_MUST_CHECK;
/* Inside a write: the agent's row with its totals, upload source and first persona. */
bool kb_agent_insert(struct kb_db_conn *conn, struct kb_agent *agent, int64_t now,
                     struct kb_err *err) KB_MUST_CHECK;
/* after: the one whose place it takes, and whose labels; NULL: it is the agent's first. */
bool kb_source_insert_upload(struct kb_db_conn *conn, int64_t agent_id, int64_t now,
                             const struct kb_source *after, struct kb_err *err) KB_MUST_CHECK;
/* Fills id, agent_id and times of a source of an address. */
bool kb_source_insert(struct kb_db_conn *conn, struct kb_source *source, int64_t agent_id,
                      int64_t now, struct kb_err *err) KB_MUST_CHECK;
/* Holds the agent for this transaction and checks that the lease still stands. KB_E_CONFLICT. */
bool kb_source_held(struct kb_db_conn *conn, struct kb_arena *arena,
                    const struct kb_source_lease *lease, struct kb_source *now,
                    int64_t *index_version, struct kb_err *err) KB_MUST_CHECK;
bool kb_sources_void_leases(struct kb_store *store, int64_t me, struct kb_err *err) KB_MUST_CHECK;
bool kb_hosts_void_lines(struct kb_store *store, int64_t me, struct kb_err *err) KB_MUST_CHECK;
bool kb_answers_void_leases(struct kb_store *store, int64_t me, struct kb_err *err) KB_MUST_CHECK;
bool kb_chores_void_leases(struct kb_store *store, int64_t me, struct kb_err *err) KB_MUST_CHECK;
bool kb_repairs_void_leases(struct kb_store *store, int64_t me, struct kb_err *err) KB_MUST_CHECK;
/* 0: the agent has none. */
bool kb_source_upload_id(struct kb_db_conn *conn, int64_t agent_id, int64_t *id,
                         struct kb_err *err) KB_MUST_CHECK;
/* kb_store_agent_update() inside a write. */
bool kb_agent_change(struct kb_db_conn *conn, struct kb_arena *arena,
                     const struct kb_agent_edit *edit, int64_t now, struct kb_agent *after,
                     struct kb_err *err) KB_MUST_CHECK;
bool kb_agent_set_state(struct kb_db_conn *conn, int64_t agent_id, enum kb_agent_state state,
                        struct kb_err *err) KB_MUST_CHECK;
/* The agent is a copy that this node makes. */
bool kb_agent_make_copy(struct kb_db_conn *conn, int64_t agent_id, int64_t node,
                        struct kb_err *err) KB_MUST_CHECK;
/* The copy is whole: its row becomes what it is here, and it is there. */
bool kb_agent_show_copy(struct kb_db_conn *conn, struct kb_arena *arena, struct kb_agent *copy,
                        struct kb_err *err) KB_MUST_CHECK;
/* Copies that an earlier life of this node was making, or a node that is gone, are deleted. */
bool kb_agents_void_copies(struct kb_store *store, int64_t me, struct kb_err *err) KB_MUST_CHECK;
bool kb_agent_stats(struct kb_db_conn *conn, int64_t agent_id, struct kb_agent_stats *out,
                    struct kb_err *err) KB_MUST_CHECK;

/* ---- pages.c, for queue.c ---- */

#define KB_SQL_PAGE_DONE   0
#define KB_SQL_PAGE_QUEUED 1
#define KB_SQL_PAGE_LEASED 2
enum kb_page_state {
	KB_PAGE_DONE = KB_SQL_PAGE_DONE, /* the indexes have the others: state > 0 */
	KB_PAGE_QUEUED = KB_SQL_PAGE_QUEUED,
	KB_PAGE_LEASED = KB_SQL_PAGE_LEASED,
};

#define KB_SQL_STATUS_QUEUED 0
#define KB_SQL_STATUS_OK     1
#define KB_SQL_STATUS_FAILED 2
#define KB_SQL_STATUS_NA     3
static_assert(KB_STATUS_QUEUED == KB_SQL_STATUS_QUEUED && KB_STATUS_OK == KB_SQL_STATUS_OK
                      && KB_STATUS_FAILED == KB_SQL_STATUS_FAILED
                      && KB_STATUS_NA == KB_SQL_STATUS_NA,
              "a status is another number in SQL");

/* A row of pages with what only the store knows. */
struct kb_page_row {
	struct kb_page page;
	enum kb_page_state state;
	int64_t due_at, lease_epoch, lease_node, seen;
	bool is_found, is_slow, fetch;
	struct kb_sv url_key, filename_key, host; /* only written */
};

// clang-format off
/* The columns of pages (columns.h). A copy of the page has an id and a turn of its own. */
#define KB_PAGE_ID(FIRST, NEXT) \
	FIRST(i, agent_id,         page.agent_id) \
	NEXT (i, id,               page.id) \
	NEXT (i, source_id,        page.source_id) \
	NEXT (i, parent_id,        page.parent_id)
#define KB_SQL_RENDERING_WANTED 1
static_assert(KB_RENDERING_WANTED == KB_SQL_RENDERING_WANTED, "a rendering is another number in SQL");
/* Of a page that is fetched again: what needed a browser needs one again. */
#define KB_RENDER_AGAIN \
	"rendering = CASE WHEN rendering > " KB_SQL(RENDERING_WANTED) " THEN " KB_SQL(RENDERING_WANTED) " ELSE rendering END"

/* Where it stands in the queue. */
#define KB_PAGE_TURN(FIRST, NEXT) \
	FIRST(i, state,            state) \
	NEXT (i, due_at,           due_at) \
	NEXT (i, attempts,         page.attempts) \
	NEXT (i, lease_epoch,      lease_epoch) \
	NEXT (i, lease_node,       lease_node)
/* What it was when it came, or its host said since. */
#define KB_PAGE_ORIGIN(FIRST, NEXT) \
	FIRST(t, url,              page.url) \
	NEXT (i, is_file,          page.is_file) \
	NEXT (t, filename,         page.filename) \
	NEXT (t, content_type,     page.content_type) \
	NEXT (i, size,             page.size) \
	NEXT (i, created_at,       page.created_at) \
	NEXT (i, to_fetch,         fetch) \
	NEXT (i, visited_at,       page.answered_at) \
	NEXT (i, listed_at,        page.listed_at) \
	NEXT (t, listed_image,     page.listed_image) \
	NEXT (i, seen,             seen) \
	NEXT (i, depth,            page.depth) \
	NEXT (i, robots,           page.robots) \
	NEXT (t, path,             page.path) \
	NEXT (t, content_hash,     page.content_hash)
/* What working on it leaves behind. */
#define KB_PAGE_RESULT(FIRST, NEXT) \
	FIRST(i, crawl_status,     page.crawl) \
	NEXT (i, index_status,     page.index) \
	NEXT (t, reason,           page.reason) \
	NEXT (t, blob,             page.blob) \
	NEXT (i, is_file_kept,     page.is_file_kept) \
	NEXT (t, text_blob,        page.text_blob) \
	NEXT (t, title,            page.title) \
	NEXT (t, description,      page.description) \
	NEXT (t, image,            page.own_image) \
	NEXT (t, lang,             page.lang) \
	NEXT (i, words,            page.words) \
	NEXT (i, passages,         page.passages) \
	NEXT (i, is_found,         is_found) \
	NEXT (t, etag,             page.etag) \
	NEXT (t, last_modified,    page.last_modified) \
	NEXT (t, text_hash,        page.text_hash) \
	NEXT (i, likeness,         page.likeness) \
	NEXT (t, copy_of,          page.copy_of) \
	NEXT (i, rendering,        page.rendering) \
	NEXT (i, is_slow,          is_slow)
#define KB_PAGE_META(FIRST, NEXT) \
	FIRST(n, meta_title,       page.meta_title) \
	NEXT (n, meta_url,         page.meta_url) \
	NEXT (n, meta_description, page.meta_description) \
	NEXT (n, meta_image,       page.meta_image)
#define KB_PAGE_CHANGED(FIRST, NEXT) \
	FIRST(i, updated_at,       page.updated_at)
/* Made from others, to find it by; never read. */
#define KB_PAGE_KEYS(FIRST, NEXT) \
	FIRST(t, url_key,          url_key) \
	NEXT (t, filename_key,     filename_key) \
	NEXT (t, host,             host)

/* What is read, what the table has, and what a copy takes over as it is. */
#define KB_PAGES(FIRST, NEXT) \
	KB_PAGE_ID(FIRST, NEXT) KB_PAGE_TURN(NEXT, NEXT) KB_PAGE_ORIGIN(NEXT, NEXT) \
	KB_PAGE_RESULT(NEXT, NEXT) KB_PAGE_META(NEXT, NEXT) KB_PAGE_CHANGED(NEXT, NEXT)
#define KB_PAGES_WHOLE(FIRST, NEXT) \
	KB_PAGES(FIRST, NEXT) KB_PAGE_KEYS(NEXT, NEXT)
#define KB_PAGES_COPIED(FIRST, NEXT) \
	KB_PAGE_ORIGIN(FIRST, NEXT) KB_PAGE_RESULT(NEXT, NEXT) KB_PAGE_META(NEXT, NEXT) \
	KB_PAGE_CHANGED(NEXT, NEXT) KB_PAGE_KEYS(NEXT, NEXT)
/* A row of theirs as a struct kb_db_column. */
#define KB_PAGE_COLUMN(letter, column, member) KB_COLUMN(struct kb_page_row, letter, column, member)
// clang-format on
extern const struct kb_db_columns kb_page_columns; /* KB_PAGES_WHOLE */
void kb_page_read(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_page_row *out);
/* Zeroed where there is no such page: it has no id. */
bool kb_page_load(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id, int64_t id,
                  struct kb_page_row *out, struct kb_err *err) KB_MUST_CHECK;
/* One more page; an id of the sequence "page" is the caller's. */
struct kb_page_row_new {
	int64_t agent_id, id, source_id, due_at, now;
	const struct kb_page_new *page;
	struct kb_sv reason;
	int64_t listed_at, seen;
	struct kb_sv listed_image;
};
bool kb_page_insert(struct kb_db_conn *conn, struct kb_arena *arena,
                    const struct kb_page_row_new *row, struct kb_err *err) KB_MUST_CHECK;
/* The agent's page for that address; zeroed where it has none. */
bool kb_page_load_url(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                      struct kb_sv url, struct kb_page_row *out, struct kb_err *err) KB_MUST_CHECK;
/* All rows of the open statement, which it closes. */
bool kb_pages_read(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_page_list *out,
                   struct kb_err *err) KB_MUST_CHECK;
/* How many pages it has for that address. */
bool kb_page_has_url(struct kb_db_conn *conn, int64_t agent_id, struct kb_sv url, int64_t *count,
                     struct kb_err *err) KB_MUST_CHECK;
struct kb_sv kb_page_waits_for_host(void);
/* Back to the queue at due_at; both statuses too. The caller counts the totals. */
bool kb_page_queue(struct kb_db_conn *conn, struct kb_page_row *row, int64_t due_at, int64_t now,
                   struct kb_err *err) KB_MUST_CHECK;
/* The row, its labels, its passages (dead below `version`) and all its parts, within a transaction
 * that publishes that version and adds the totals. */
bool kb_page_remove(struct kb_db_conn *conn, const struct kb_page_row *row, int64_t version,
                    struct kb_totals *totals, struct kb_err *err) KB_MUST_CHECK;
/* ---- paths.c, for pages.c and queue.c ---- */

/* Makes the pages of a page's parts what they are now. *died: one that could be found is dead below
 * `version`. */
struct kb_parts_write {
	struct kb_arena *arena;
	int64_t version, now;
	struct kb_totals *totals;
	bool *died;
};
bool kb_parts_set(struct kb_db_conn *conn, const struct kb_parts_write *write,
                  const struct kb_page *page, const struct kb_page_result *result,
                  struct kb_err *err) KB_MUST_CHECK;
/* The same of the subtitles of the films of a page. */
bool kb_tracks_set(struct kb_db_conn *conn, const struct kb_parts_write *write,
                   const struct kb_page *page, const struct kb_page_result *result,
                   struct kb_err *err) KB_MUST_CHECK;
bool kb_parts_remove(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_page *page,
                     int64_t version, struct kb_totals *totals, struct kb_err *err) KB_MUST_CHECK;

/* Adds (sign 1) or takes away (-1) what the page is worth in its agent's totals. */
void kb_totals_count(struct kb_totals *totals, const struct kb_page_row *row, int sign);

/* ---- personas.c, for agents.c ---- */

// clang-format off
/* The columns of personas, sub_personas and sub_persona_overrides (columns.h). */
#define KB_PERSONAS_COPIED(FIRST, NEXT) \
	FIRST(i, version,      version) \
	NEXT (n, instructions, instructions) \
	NEXT (i, is_active,    is_active) \
	NEXT (i, notes,        notes) \
	NEXT (i, created_at,   created_at) \
	NEXT (i, updated_at,   updated_at)
#define KB_PERSONAS(FIRST, NEXT) FIRST(i, agent_id, agent_id) KB_PERSONAS_COPIED(NEXT, NEXT)
#define KB_OVERRIDES_COPIED(FIRST, NEXT) \
	FIRST(t, slug,         text.slug) \
	NEXT (t, title,        text.title) \
	NEXT (n, instructions, text.instructions) \
	NEXT (i, created_at,   text.created_at) \
	NEXT (i, updated_at,   text.updated_at)
#define KB_OVERRIDES(FIRST, NEXT) FIRST(i, agent_id, agent_id) KB_OVERRIDES_COPIED(NEXT, NEXT)
#define KB_SUB_PERSONAS_COPIED(FIRST, NEXT) \
	FIRST(i, version,      text.version) KB_OVERRIDES_COPIED(NEXT, NEXT)
#define KB_SUB_PERSONAS(FIRST, NEXT) FIRST(i, agent_id, agent_id) KB_SUB_PERSONAS_COPIED(NEXT, NEXT)
// clang-format on
bool kb_persona_insert(struct kb_db_conn *conn, int64_t agent_id, int64_t version,
                       struct kb_sv instructions, int64_t now, struct kb_err *err) KB_MUST_CHECK;

/* ---- segments.c, for pages.c, queue.c and replicate.c ---- */

// clang-format off
/* The columns of segments (columns.h). A copy keeps its id under another agent. */
#define KB_SEGMENT_ID(FIRST, NEXT) \
	FIRST(i, agent_id,   agent_id) \
	NEXT (i, id,         segment.id) \
	NEXT (i, page_shift, segment.page_shift) \
	NEXT (i, damaged_at, damaged_at)
#define KB_SEGMENTS_COPIED(FIRST, NEXT) \
	FIRST(i, version,    segment.version) \
	NEXT (t, blob,       segment.blob) \
	NEXT (i, bytes,      segment.bytes) \
	NEXT (i, passages,   segment.passages) \
	NEXT (i, pages,      pages) \
	NEXT (i, created_at, created_at)
#define KB_SEGMENTS(FIRST, NEXT) KB_SEGMENT_ID(FIRST, NEXT) KB_SEGMENTS_COPIED(NEXT, NEXT)
// clang-format on
bool kb_dead_add(struct kb_db_conn *conn, int64_t agent_id, int64_t page_id, int64_t version,
                 struct kb_err *err) KB_MUST_CHECK;
/* One more segment of the agent, of that version. */
struct kb_segment_row_new {
	int64_t agent_id, version, now;
	const struct kb_segment_new *segment;
};
/* *id: the one it gets; may be NULL. */
bool kb_segment_insert(struct kb_db_conn *conn, const struct kb_segment_row_new *new, int64_t *id,
                       struct kb_err *err) KB_MUST_CHECK;

/* The segment and its columns, whoever made them. KB_E_CONFLICT when it is not there. */
bool kb_segment_drop(struct kb_db_conn *conn, int64_t agent_id, int64_t id,
                     struct kb_err *err) KB_MUST_CHECK;
/* Dead pages that no segment needs any more go. */
bool kb_dead_sweep(struct kb_db_conn *conn, int64_t agent_id, struct kb_err *err) KB_MUST_CHECK;
struct kb_index_state;
bool kb_index_state_read(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                         struct kb_index_state *out, struct kb_err *err) KB_MUST_CHECK;

/* ---- vectors.c, for segments.c ---- */

// clang-format off
/* The columns of vectors and factors (columns.h). */
#define KB_VECTORS_KEY(FIRST, NEXT) \
	FIRST(i, segment_id, column.segment_id) \
	NEXT (t, name,       column.name)
#define KB_VECTORS_MADE(FIRST, NEXT) \
	FIRST(t, model,      column.model) \
	NEXT (t, blob,       column.blob) \
	NEXT (i, bytes,      column.bytes) \
	NEXT (i, filled,     column.filled) \
	NEXT (i, pending,    column.pending) \
	NEXT (i, version,    version) \
	NEXT (i, created_at, created_at)
#define KB_VECTORS_COPIED(FIRST, NEXT) KB_VECTORS_KEY(FIRST, NEXT) KB_VECTORS_MADE(NEXT, NEXT)
#define KB_VECTORS(FIRST, NEXT) FIRST(i, agent_id, agent_id) KB_VECTORS_COPIED(NEXT, NEXT)
#define KB_FACTORS_COPIED(FIRST, NEXT) \
	FIRST(t, mark,       factors.mark) \
	NEXT (t, blob,       factors.blob) \
	NEXT (i, bytes,      factors.bytes) \
	NEXT (i, passages,   factors.passages) \
	NEXT (i, created_at, created_at)
#define KB_FACTORS(FIRST, NEXT) FIRST(i, agent_id, agent_id) KB_FACTORS_COPIED(NEXT, NEXT)
// clang-format on
struct kb_index_state;
struct kb_vectors_new;
/* Fills the columns and factors of the state. */
bool kb_vectors_state(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                      struct kb_index_state *out, struct kb_err *err) KB_MUST_CHECK;
bool kb_vectors_insert(struct kb_db_conn *conn, int64_t agent_id,
                       const struct kb_vectors_new *column, int64_t version, int64_t now,
                       struct kb_err *err) KB_MUST_CHECK;
/* KB_E_CONFLICT when the segment got a column after `version`. */
bool kb_vectors_check_segment(struct kb_db_conn *conn, int64_t agent_id, int64_t segment_id,
                              int64_t version, struct kb_err *err) KB_MUST_CHECK;
bool kb_vectors_drop_segment(struct kb_db_conn *conn, int64_t agent_id, int64_t segment_id,
                             struct kb_err *err) KB_MUST_CHECK;

/* ---- labels.c, for agents.c, pages.c, segments.c and sources.c ---- */

// clang-format off
/* The columns of labels (columns.h). A copy has ids of its own. */
#define KB_LABEL_ID(FIRST, NEXT) \
	FIRST(i, agent_id,   label.agent_id) \
	NEXT (i, id,         label.id)
#define KB_LABEL_CHANGED(FIRST, NEXT) \
	FIRST(t, name,       label.name) \
	NEXT (t, name_key,   name_key) \
	NEXT (t, users,      users) \
	NEXT (i, deleted_at, label.deleted_at) \
	NEXT (i, updated_at, label.updated_at)
#define KB_LABELS_COPIED(FIRST, NEXT) \
	KB_LABEL_CHANGED(FIRST, NEXT) \
	NEXT (i, created_at, label.created_at)
#define KB_LABELS(FIRST, NEXT) KB_LABEL_ID(FIRST, NEXT) KB_LABELS_COPIED(NEXT, NEXT)
// clang-format on
/*
 * Whose labels a page needs besides its own: (page_id, keeper_id, is_source) of agent $1. A page
 * opens only where each page that it is a part of opens, all the way up, and its source. Nothing is
 * copied, so that nothing is forgotten: what comes later (a new member, another reading) is kept
 * from its first moment. A keeper without labels is none.
 */
// clang-format off
#define KB_PAGE_KEEPERS \
	"WITH RECURSIVE inside (page_id, keeper_id) AS (SELECT p.id, w.page_id FROM " \
	"(SELECT DISTINCT page_id FROM page_labels WHERE agent_id = $1 AND EXISTS " \
	"(SELECT 1 FROM pages WHERE agent_id = $1 AND parent_id <> 0)) w CROSS JOIN pages p " \
	"WHERE p.agent_id = $1 AND p.parent_id = w.page_id AND p.parent_id <> 0 " \
	"UNION SELECT p.id, w.keeper_id FROM inside w CROSS JOIN pages p " \
	"WHERE p.agent_id = $1 AND p.parent_id = w.page_id AND p.parent_id <> 0) " \
	"SELECT page_id, keeper_id, 0 AS is_source FROM inside w UNION ALL " \
	"SELECT p.id, w.source_id, 1 FROM " \
	"(SELECT DISTINCT source_id FROM source_labels WHERE agent_id = $1) w " \
	"CROSS JOIN pages p WHERE p.agent_id = $1 AND p.source_id = w.source_id"
/* The pages that some label closes: a request without labels finds the others. */
#define KB_PAGES_LABELLED \
	"SELECT page_id FROM page_labels WHERE agent_id = $1 UNION ALL " \
	"SELECT page_id FROM (" KB_PAGE_KEEPERS ") w"
// clang-format on
struct kb_index_state;
bool kb_labels_drop_page(struct kb_db_conn *conn, int64_t agent_id, int64_t page_id,
                         struct kb_err *err) KB_MUST_CHECK;
bool kb_labels_drop_source(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id,
                           struct kb_err *err) KB_MUST_CHECK;
/* Makes label_ids of the source what it carries from now on. */
bool kb_labels_set_source(struct kb_db_conn *conn, const struct kb_source *source,
                          struct kb_err *err) KB_MUST_CHECK;
/* Fills label_ids of sources of the agent, by id. */
bool kb_labels_of_sources(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                          struct kb_source_list *sources, struct kb_err *err) KB_MUST_CHECK;
/* Fills the labels of the state. */
bool kb_labels_state(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                     struct kb_index_state *out, struct kb_err *err) KB_MUST_CHECK;

/* ---- what ahead.c reads in one trip: begun here, ended in the same order ---- */

struct kb_agent;
struct kb_conversation;
struct kb_account;
struct kb_history_want;
struct kb_message_list;
struct kb_month_use;
struct kb_session;
struct kb_key_reading {
	int64_t id; /* 0: nothing is read */
	struct kb_cache_mark mark;
	struct kb_db_rows rows;
};
/* Into the cache. */
void kb_key_read_begin(struct kb_store *store, struct kb_db_conn *conn, struct kb_sv text,
                       struct kb_key_reading *reading);
bool kb_key_read_end(struct kb_store *store, struct kb_arena *arena, struct kb_key_reading *reading,
                     struct kb_err *err) KB_MUST_CHECK;
/* An id of 0: it is not there. */
void kb_agent_read_begin(struct kb_db_conn *conn, int64_t id, struct kb_db_rows *rows);
/* The same of the one that the public address leads to; it may be closed since. */
void kb_agent_read_public_begin(struct kb_db_conn *conn, struct kb_sv slug,
                                struct kb_db_rows *rows);
bool kb_agent_read_end(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_agent *out,
                       struct kb_err *err) KB_MUST_CHECK;
void kb_account_read_begin(struct kb_db_conn *conn, int64_t id, struct kb_db_rows *rows);
bool kb_account_read_end(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_account *out,
                         struct kb_err *err) KB_MUST_CHECK;
void kb_conversation_read_begin(struct kb_db_conn *conn, const struct kb_session *session,
                                struct kb_db_rows *rows);
bool kb_conversation_read_end(struct kb_db_rows *rows, struct kb_arena *arena,
                              struct kb_conversation *out, bool *is_named,
                              struct kb_err *err) KB_MUST_CHECK;
void kb_history_read_begin(struct kb_db_conn *conn, const struct kb_session *session,
                           const struct kb_history_want *want, struct kb_db_rows *rows);
bool kb_history_read_end(struct kb_db_rows *rows, struct kb_arena *arena,
                         struct kb_message_list *out, struct kb_err *err) KB_MUST_CHECK;
void kb_month_read_begin(struct kb_db_conn *conn, int64_t account_id, int64_t now,
                         struct kb_db_rows *rows);
bool kb_month_read_end(struct kb_db_rows *rows, struct kb_month_use *out,
                       struct kb_err *err) KB_MUST_CHECK;

/* ---- conversations.c, for messages.c ---- */

struct kb_message;
/* KB_E_NOT_FOUND where the agent has no such session. */
bool kb_conversation_load(struct kb_db_conn *conn, struct kb_arena *arena,
                          const struct kb_session *session, struct kb_conversation *out,
                          struct kb_err *err) KB_MUST_CHECK;
/* Nobody else changes the row until the end of the write; not held: it has gone. */
bool kb_conversation_hold(struct kb_db_conn *conn, int64_t agent_id, int64_t id, bool *held,
                          struct kb_err *err) KB_MUST_CHECK;
bool kb_conversation_set_child(struct kb_db_conn *conn, int64_t agent_id, int64_t id,
                               int64_t child_id, struct kb_err *err) KB_MUST_CHECK;
/* A message that comes in. */
struct kb_message_coming {
	const struct kb_session *session;
	struct kb_message *message;
	struct kb_db_append *asked; /* by kb_conversation_ask(); NULL: nothing was asked before */
};
/* Finds the session or makes it, names it after its first query, and marks it as used when the
 * message was created. */
bool kb_conversation_use(struct kb_db_conn *conn, struct kb_arena *arena,
                         const struct kb_message_coming *coming, struct kb_conversation *out,
                         struct kb_err *err) KB_MUST_CHECK;
/* The same of a session that is new, under that id: fails where it no longer is. Nothing is waited
 * for.
 */
bool kb_conversation_begin(struct kb_db_conn *conn, struct kb_arena *arena,
                           const struct kb_message_coming *coming, int64_t id,
                           struct kb_conversation *out, struct kb_err *err) KB_MUST_CHECK;
/* The same of one whose row is known, and has a name. */
bool kb_conversation_touch(struct kb_db_conn *conn, const struct kb_conversation *conversation,
                           struct kb_err *err) KB_MUST_CHECK;
/* What kb_conversation_use() has to know of a message that comes at `now`. Fills agent, session and
 * question of out; the values are its own. */
struct kb_conversation_asking {
	struct kb_db_append append;
	struct kb_db_value values[4];
};
void kb_conversation_ask(const struct kb_session *session, int64_t now,
                         struct kb_conversation_asking *out);

/* ---- messages.c, for answers.c; answers.c, for messages.c and conversations.c ---- */

/* kb_store_message_add() inside a write, at message->created_at. */
bool kb_message_insert(struct kb_db_conn *conn, struct kb_arena *arena,
                       const struct kb_message_coming *coming, struct kb_conversation *conversation,
                       struct kb_err *err) KB_MUST_CHECK;
/* KB_E_CANCELLED where the message's writer has no row any more. */
bool kb_answer_ends(struct kb_db_conn *conn, const struct kb_message *message,
                    struct kb_err *err) KB_MUST_CHECK;
bool kb_answers_drop(struct kb_db_conn *conn, int64_t agent_id, int64_t conversation_id,
                     struct kb_err *err) KB_MUST_CHECK;

/* ---- sources.c, for replicate.c ---- */

/* A row of sources with what only the store knows. */
struct kb_source_row {
	struct kb_source source;
	int64_t epoch, node, attempts, asked_at, dead_version;
};
// clang-format off
/* The columns of sources that are set from here (columns.h). A copy has an id and a turn of its own. */
#define KB_SOURCE_ID(FIRST, NEXT) \
	FIRST(i, agent_id,    source.agent_id) \
	NEXT (i, id,          source.id)
#define KB_SOURCE_TURN(FIRST, NEXT) \
	FIRST(i, state,       source.is_read) \
	NEXT (i, due_at,      source.due_at) \
	NEXT (i, attempts,    attempts) \
	NEXT (i, lease_node,  node) \
	NEXT (i, asked_at,    asked_at) \
	NEXT (i, dead_version, dead_version)
#define KB_SOURCES_COPIED(FIRST, NEXT) \
	FIRST(t, type,        source.type) \
	NEXT (t, settings,    source.settings) \
	NEXT (t, url,         source.url) \
	NEXT (i, status,      source.status) \
	NEXT (t, reason,      source.reason) \
	NEXT (i, synced_at,   source.synced_at) \
	NEXT (i, lease_epoch, epoch) \
	NEXT (i, created_at,  source.created_at) \
	NEXT (i, updated_at,  source.updated_at)
#define KB_SOURCES(FIRST, NEXT) \
	KB_SOURCE_ID(FIRST, NEXT) KB_SOURCE_TURN(NEXT, NEXT) KB_SOURCES_COPIED(NEXT, NEXT)
#define KB_SOURCE_COLUMN(letter, column, member) KB_COLUMN(struct kb_source_row, letter, column, member)
// clang-format on
extern const struct kb_db_columns kb_source_columns;

/* ---- licenses.c, for replicate.c ---- */

// clang-format off
/* The columns of plugins (columns.h). */
#define KB_PLUGINS_COPIED(FIRST, NEXT) \
	FIRST(t, model_name,  model_name) \
	NEXT (t, human_name,  human_name) \
	NEXT (t, keywords,    keywords) \
	NEXT (t, description, description) \
	NEXT (n, logo,        logo) \
	NEXT (i, is_active,   is_active) \
	NEXT (i, created_at,  created_at) \
	NEXT (i, updated_at,  updated_at)
#define KB_PLUGINS(FIRST, NEXT) FIRST(i, agent_id, agent_id) KB_PLUGINS_COPIED(NEXT, NEXT)
// clang-format on

/* ---- chores, for who stores what they are about ---- */

struct kb_chore;
struct kb_conversation;
struct kb_model_spent;

/* Adds it; one that is there begins anew, and who has it leased does it in vain. */
/* What a model has written for a page around the agent. */
bool kb_starters_put(struct kb_db_conn *conn, const struct kb_chore *chore, struct kb_sv questions,
                     struct kb_err *err) KB_MUST_CHECK;
bool kb_chore_add(struct kb_db_conn *conn, const struct kb_chore *chore, int64_t due_at,
                  struct kb_err *err) KB_MUST_CHECK;
/* Whether the prompt gave it its name. */
bool kb_conversation_is_named_after(const struct kb_conversation *conversation,
                                    struct kb_arena *arena, struct kb_sv prompt);
/* Unless a person has named it. */
bool kb_conversation_name(struct kb_db_conn *conn, struct kb_arena *arena,
                          const struct kb_conversation *named, struct kb_err *err) KB_MUST_CHECK;
struct kb_spender {
	int64_t agent_id, now;
};
/* Counts what a model was asked for beside the answers, at the end of the transaction. */
void kb_spent_add(struct kb_db_conn *conn, const struct kb_spender *by,
                  const struct kb_model_spent *spent);

/* ---- the columns of others, for their test ---- */

extern const struct kb_db_columns kb_account_columns, kb_answer_columns, kb_conversation_columns,
        kb_factors_columns, kb_label_columns, kb_license_columns, kb_message_columns,
        kb_override_columns, kb_persona_columns, kb_plugin_columns, kb_segment_columns,
        kb_sub_persona_columns, kb_vectors_columns;

/* ---- hosts.c, for errands.c ---- */

struct kb_host_line_row {
	int64_t agent, since, until, node; /* free where `until` has passed */
};
/* What is kept of a host; zeros where there is no row. */
struct kb_host_row {
	int64_t free_at, failures, last_agent;
	bool last_was_page;
	int64_t second_at, wanted_by, wanted_until;
	struct kb_host_line_row lines[2];
};
/* Its columns, of hosts as `h`, in the order of kb_host_row_read(). The line of a node that is gone
 * is free. */
#define KB_HOST_NAMES(h, me, since)                                                                \
	h ".free_at, " h ".failures, " h ".last_agent, " h ".last_was_page, " h ".second_at, " h   \
	  ".wanted_by, " h ".wanted_until, " KB_HOST_LINE(h ".one", me, since) ", " KB_HOST_LINE(  \
	          h ".two", me, since)
#define KB_HOST_LINE(line, me, since)                                                              \
	line "_agent, " line "_since, CASE WHEN " line "_node = " me " OR " line                   \
	     "_node IN " KB_NODES_THERE(me, since) " THEN " line "_until ELSE 0 END, " line        \
	                                           "_node"
void kb_host_row_read(struct kb_db_rows *rows, int at, struct kb_host_row *out);

struct kb_host_moment {
	struct kb_sv host;
	int64_t node, now;
};
bool kb_host_is_failing(const struct kb_host_row *row, int64_t now);
/* When somebody's page may be asked for, from now: 0 is now. */
int64_t kb_host_page_in(const struct kb_host_row *row, int64_t now);
/* Whose line is to be overtaken; 0: nobody's. */
int64_t kb_host_held_by(const struct kb_host_row *row, int64_t now);
/* All inside a write. Nobody else changes the row until its end. */
bool kb_host_lock(struct kb_db_conn *conn, const struct kb_host_moment *at, struct kb_host_row *out,
                  struct kb_err *err) KB_MUST_CHECK;
bool kb_host_hold(struct kb_db_conn *conn, const struct kb_host_moment *at, int64_t agent,
                  bool is_page, struct kb_host_row *row, struct kb_err *err) KB_MUST_CHECK;
/* Nobody but who holds the first line has a page: that is not looked for at once again. */
bool kb_host_has_no_other(struct kb_db_conn *conn, const struct kb_host_moment *at,
                          struct kb_host_row *row, struct kb_err *err) KB_MUST_CHECK;

/* ---- crawls.c, for pages.c, listing.c, errands.c, queue.c and remove.c ---- */

/* All inside a write that holds the agent. A crawl begins with its source, too. */
bool kb_crawl_begin(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id, struct kb_sv url,
                    int64_t now, struct kb_err *err) KB_MUST_CHECK;
bool kb_crawl_ended(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id,
                    struct kb_err *err) KB_MUST_CHECK;
bool kb_crawl_fetched(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id, int64_t bytes,
                      struct kb_err *err) KB_MUST_CHECK;
bool kb_crawl_drop(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id,
                   struct kb_err *err) KB_MUST_CHECK;
/* The address is no page of its own. */
bool kb_crawl_add_alias(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id,
                        struct kb_sv url, struct kb_err *err) KB_MUST_CHECK;
/* Whether the agent has a page for it, or knows that it is none. */
bool kb_crawl_knows(struct kb_db_conn *conn, int64_t agent_id, struct kb_sv url, bool *known,
                    struct kb_err *err) KB_MUST_CHECK;
/* Makes rows of what the page leads to, while its website is being read. Else, and where something
 * was left out for its number, the page forgets what its host said of it. */
struct kb_crawl_write {
	struct kb_arena *arena;
	int64_t now;
	struct kb_totals *totals; /* of the write */
};
bool kb_crawl_follow(struct kb_db_conn *conn, const struct kb_crawl_write *write,
                     struct kb_page_row *from, const struct kb_page_found *found,
                     struct kb_err *err) KB_MUST_CHECK;
/* Another page of the same website that can be found and says what the result says. */
struct kb_twin {
	struct kb_sv url; /* empty: there is none */
	bool is_exact;    /* the text is the same; else nearly so */
};
bool kb_crawl_twin(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_page *page,
                   const struct kb_page_result *result, struct kb_twin *out,
                   struct kb_err *err) KB_MUST_CHECK;
/* The page no longer says what it said, or is no more: its copies go back into the queue. */
bool kb_crawl_free_copies(struct kb_db_conn *conn, const struct kb_page_row *row,
                          struct kb_totals *totals, struct kb_err *err) KB_MUST_CHECK;

/* ---- segments.c ---- */

/* Names of blobs that rows have, behind `after` and up to `until`; sorted, without doubles. */
#define KB_BLOB_NAMES_END "zz" /* behind all of them, in every collation */
struct kb_blob_names {
	struct kb_sv *v;
	size_t count;
	bool in_flux; /* as in kb_store_blob_names() */
};
bool kb_blob_names(struct kb_db_conn *conn, struct kb_arena *arena, struct kb_sv after,
                   struct kb_sv until, struct kb_blob_names *out, struct kb_err *err) KB_MUST_CHECK;

/* ---- queue.c ---- */

bool kb_queue_void_leases(struct kb_store *store, int64_t me, struct kb_err *err) KB_MUST_CHECK;

#endif
