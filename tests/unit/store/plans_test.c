/* No statement reads a table whole, nor all rows of an agent or of a source: both databases say how
 * they would run each, on stores that are filled. What a step of a plan reads at most is counted in
 * the rows that are there: those with the same values in all columns that the step compares. */
#include "base/buf.h"
#include "raw.h"
#include "server.h"
#include "store/statements.h"

enum {
	ROWS = 4000, /* of each table that grows */
	MANY = 400,  /* rows that no statement may read in one step */
};

/* ---- what is read on purpose ---- */

/* Whole families that read everything, which is what they are for. */
static const struct {
	const struct kb_sql_table *table;
	const char *why;
} families[] = {
	{ &kb_sql_verify, "docent check" },
	{ &kb_sql_migrate, "a start" },
};

struct excuse {
	const char *head, *table, *why; /* head: of the names of statements; table "": any */
	bool is_used;
};

/* Steps that may read as many documents as wait, but no others. */
static struct excuse waiting[] = {
	{ "queue_has_work", "pages", "the first; stops early" },
	{ "queue_waiting", "pages", "the first of them; stops early" },
	{ "queue_working", "pages", "their number, of the index alone, for who looks on" },
	{ "crawl_waiting", "pages", "the same of a website" },
	{ "content_waits", "pages", "the same by source" },
	{ "queue_length", "pages", "their number, for metrics" },
	{ "queue_lease", "pages", "the next few, in order" },
	{ "queue_void_leases", "pages", "at a start" },
	{ "queue_share_", "", "the next, in order; stops early" },
	{ "queue_turn_next", "", "the same" },
	{ "queue_next_due", "", "the first of each agent that waits, while all threads rest" },
	{ "errand_next", "pages", "the next, in order; stops early" },
};

/* Steps that may read many rows. */
static struct excuse wide[] = {
	/* lists, of which a page is read in order, and their lengths */
	{ "agent_list_", "agents", "a list" },
	{ "conversation_list_", "conversations", "a list" },
	{ "conversation_list_", "messages", "the words that a list is searched for" },
	{ "page_list_", "pages",
	  "a list; and parts of documents, where those without labels are wanted" },
	{ "page_list_", "page_labels", "the documents of a list that have no label" },
	{ "content_list_", "pages", "a list" },
	{ "content_list_", "cited_pages", "which documents of a list answers cite" },
	{ "deleted_list", "deleted_pages", "a list" },
	{ "deleted_count", "deleted_pages", "its length" },
	{ "deleted_overdue", "deleted_pages", "the first of them, in order; stops early" },
	{ "content_states", "pages", "what failed or was left out" },
	{ "content_cited", "", "those that answers cite" },
	{ "page_list_", "verified_cites",
	  "checked answers among them, and whom their documents keep" },
	{ "verified_list_", "verified_answers", "a list" },
	{ "verified_count", "verified_answers", "its length" },
	{ "verified_list_", "verified_cites", "those whose documents have changed" },
	{ "verified_count", "verified_cites", "the same" },
	{ "verified_cites", "verified_cites", "what a page of that list leans on" },
	{ "page_of_source", "pages", "the newest of it; stops early" },
	{ "crawl_pages", "pages", "so many of a source, by an index alone; stops early" },
	{ "key_", "", "docent key" },
	{ "audit_list_", "audit", "a list, and its length" },
	{ "audit_heads", "audit_heads", "a row a node" },
	{ "people_", "people", "an account's people, which have a limit" },
	{ "program_", "programs", "an account's, of whose people each has a limit" },
	{ "directory_user", "", "an account's, which have a limit" },
	{ "directory_group", "", "the same" },
	{ "directory_token", "directory_tokens", "the same" },
	{ "strays", "strays", "a page of a list, of the sweep" },
	{ "report_", "", "reports over a time" },
	/* queues, of which the next is taken in order */
	{ "queue_share_", "turns", "agents with something that waits, in order; stops early" },
	{ "queue_turn_next", "turns", "the same" },
	{ "queue_next_due", "turns", "all of them, while all threads rest" },
	{ "errand_lines", "hosts", "hosts that were asked lately" },
	{ "chore_count", "chores", "what waits for a model: what came in some hours at most" },
	{ "chore_next", "chores", "the next, in order; stops early" },
	{ "opening_next", "openings", "the same" },
	{ "conflicts_next", "conflicts", "the same" },
	{ "gap_list", "gaps", "a list, and its length" },
	{ "gap_counts", "gaps", "how many there are, for a report" },
	{ "gap_heads", "gaps", "the groups that questions are compared with" },
	{ "gap_due", "gaps", "those to be asked anew; stops early" },
	{ "gap_events", "gap_queue", "the next, in order; stops early" },
	{ "gap_count_placed", "", "groups of the thousand questions that were looked at" },
	{ "gap_open_placed", "", "the same" },
	{ "gap_waiting", "gap_queue", "the first; stops early" },
	{ "gap_stale", "gap_turns", "the next, in order; stops early" },
	{ "kept_list", "kept_tests", "a list, and its length; an agent has a thousand at most" },
	{ "kept_list", "kept_documents", "what they name" },
	{ "kept_count", "kept_tests", "how many there are, likewise" },
	{ "kept_documents", "kept_documents", "what the tests of a list name" },
	{ "kept_due", "kept_tests", "those to be asked, likewise" },
	{ "kept_turn", "kept_tests", "one that waits; stops early" },
	{ "kept_stale", "kept_turns", "the next, in order; stops early" },
	{ "lead_list_", "leads", "a list, and its length" },
	{ "leads_purge", "leads", "the oldest; stops early" },
	{ "opening_asked", "messages", "the last ones of an agent, in order; stops early" },
	{ "queue_amiss", "pages", "how many failed, of the index alone" },
	/* all agents of an account, which are as many as its plan allows */
	{ "account_words", "agents", "sums over them" },
	{ "account_words", "agent_totals", "the same" },
	{ "agent_count", "agents", "their number" },
	{ "agent_masters_of", "agents", "those that name an agent" },
	{ "month", "", "sums over them" },
	/* what seldom happens */
	{ "visitors_over_signed", "visitors",
	  "all that are signed, when an agent's secret is another" },
	/* what is there for a moment */
	{ "account_words", "pages", "those of deleted sources, until they are removed" },
	{ "agent_totals", "pages", "the same" },
	{ "state_dead_and_dying", "pages", "the same" },
	{ "state_dead", "dead_pages", "dead pages, of which merges leave few" },
	{ "dead_sweep", "dead_pages", "the same, behind a merge" },
	/* what is read whole because it is held in memory */
	{ "label_state_kept", "pages", "documents of sources that carry labels, as if each did" },
	{ "label_state_kept", "page_labels", "whether a container carries any" },
	{ "label_state_kept", "verified_cites",
	  "what checked answers lean on, as if all was labelled" },
	{ "label_state_pages", "page_labels",
	  "which documents have labels, behind a change of them" },
	/* in the background, in slices or from a place on, or once in hours */
	{ "blob_", "", "the sweep" },
	{ "view_forget", "", "before the sweep" },
	{ "picture_forget", "", "the same" },
	{ "remove_", "", "what was deleted; stops early" },
	{ "listing_unseen", "pages", "slices, when a reading has ended" },
	{ "crawl_stale", "pages", "the same" },
	{ "crawl_drop_", "", "the same, of a website that goes" },
	{ "purge_agents", "agents", "a slice of all agents" },
	{ "purge_due", "conversations", "those older than is kept; stops early" },
	{ "vectors_", "", "one segment after another; stops early" },
	{ "factors_due", "", "one agent after another; stops early" },
	{ "segment_candidate", "", "segments of all agents, of which each has few" },
	{ "repair_", "", "an agent that is made anew" },
	{ "replicate_", "", "a copy reads everything" },
	{ "host_drop", "hosts", "slices of what is old" },
	{ "robots_drop", "robots", "the same" },
	{ "sign_in_", "", "the same" },
	{ "starters_", "starters", "those asked for in a time" },
	{ "audit_first_account", "accounts", "one row" },
	{ "secret_", "embed_secrets", "at the start, and by a tool" },
	{ "attempt_sweep", "sign_in_attempts", "what is old" },
	{ "guess_purge", "guesses", "the same" },
	{ "visit_sweep", "visits", "the same" },
	{ "visitor_sweep", "visitors", "the same" },
	{ "answer_lost", "answers", "the first of them, in order; stops early" },
	{ "source_next", "sources", "the first, in order; stops early" },
	/* when a node starts */
	{ "lookup_", "", "accounts, licenses and so on, where nodes are several" },
	{ "host_void_lines", "hosts", "hosts that were visited lately" },
	{ "chore_void_leases", "chores", "as chore_count" },
	{ "answer_void_leases", "answers", "answers that are being written" },
};

static bool is_excused(struct excuse *v, size_t count, const char *name, struct kb_sv table)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(name, v[i].head, strlen(v[i].head)) == 0
		    && (!*v[i].table || kb_sv_eq(table, kb_sv_str(v[i].table))))
			return v[i].is_used = true;
	return false;
}

/* ---- a store that is filled ---- */

/* Tables that do not grow with what agents have. */
static const char *const small[] = { "installation", "blob_sweep",      "moves",
	                             "probes",       "upkeep",          "nodes",
	                             "commits",      "counters",        "schema_migrations",
	                             "backups",      "backup_calendar", "kept_models" };

/* Tables of which an agent, or an account, has few rows however large it grows. */
static const char *const few[] = {
	"agent_images", "agent_months", "api_keys",      "crawls",         "labels",
	"licenses",     "model_usage",  "personas",      "segments",       "sources",
	"sub_personas", "vectors",      "work",          "account_months", "sub_persona_overrides",
	"answers",      "repairs",      "source_labels",
};

/* What the i-th row has in a column, of several that fit the first; others have its number. */
static const struct {
	const char *column, *value; /* "table.column" or "column" */
} filling[] = {
	{ "pages.state", "CASE WHEN i <= WAITING THEN 1 ELSE 0 END" },
	{ "agents.state", "0" },
	{ "blobs.state", "0" },
	{ "source_id", "1" },
	{ "conversation_id", "i / 8" },
	{ "index_status", "1 + i % 2" },
	{ "crawl_status", "1" },
	{ "is_found", "1" },
	{ "to_fetch", "0" },
	{ "is_slow", "0" },
	{ "parent_id", "i / 8" },
	{ "is_file", "i % 2" },
	{ "depth", "1" },
	{ "deleted_at", "0" },
	{ "dead_version", "0" },
	{ "damaged_at", "0" },
	{ "busy_until", "0" },
	{ "visitor_id", "i / 8" },
	{ "notes", "0" },
	{ "pending", "0" },
	{ "waiting", "0" },
	{ "likeness", "i * 281479271743489" }, /* each of its four parts is i */
	{ "copy_of", "''" },
	{ "free_at", "0" },
	{ "children", "''" },
	{ "host", "'h' || (i % 40)" },
};

static const struct shape {
	const char *name;
	const char *owner; /* whose the i-th row is */
	int waiting;       /* documents that wait to be read */
} shapes[] = {
	{ "an agent among many", "CASE WHEN i % 2 = 0 THEN 1 ELSE i END", 20 },
	{ "a single agent", "1", 20 },
	{ "all documents wait", "CASE WHEN i % 2 = 0 THEN 1 ELSE i END", ROWS },
};

struct column {
	struct kb_sv table, name;
	bool is_number;
	int64_t key; /* its place in the primary key, from 1 */
};

static bool is_one_of(struct kb_sv name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (kb_sv_eq(name, kb_sv_str(names[i])))
			return true;
	return false;
}
#define IS_ONE_OF(name, names) is_one_of((name), (names), KB_COUNTOF(names))

static const char *value_of(const struct shape *shape, const struct column *column, int64_t keys)
{
	bool tells = column->key && column->key == keys; /* the rows of one owner apart */
	char name[128];

	snprintf(name, sizeof(name), "%.*s.%.*s", KB_SV_ARG(column->table),
	         KB_SV_ARG(column->name));
	for (size_t i = 0; i < KB_COUNTOF(filling) && !tells; i++)
		if (strcmp(strchr(filling[i].column, '.') ? name : strchr(name, '.') + 1,
		           filling[i].column)
		    == 0)
			return filling[i].value;
	if (!tells && !IS_ONE_OF(column->table, few)
	    && (kb_sv_eq(column->name, KB_SV("agent_id"))
	        || kb_sv_eq(column->name, KB_SV("account_id"))))
		return shape->owner;
	return column->is_number ? "i" : "'x' || i";
}

static size_t columns_of(struct fixture *f, struct kb_db_conn *conn, struct column **out)
{
	struct column *v = KB_NEW_ARRAY(&f->arena, 2000, struct column);
	struct kb_db_rows rows;
	size_t count = 0;

	kb_rows_open(&rows, conn, conn->driver->columns, KB_NO_VALUES);
	while (kb_rows_next(&rows) && count < 2000) {
		struct kb_sv type = kb_rows_text(&rows, &f->arena, 2);

		v[count].table = kb_rows_text(&rows, &f->arena, 0);
		v[count].name = kb_rows_text(&rows, &f->arena, 1);
		v[count].is_number = strncasecmp(type.p, "bigint", 6) == 0;
		v[count++].key = kb_rows_int(&rows, 3);
	}
	NEED(f, kb_rows_close(&rows, &f->err));
	*out = v;
	return count;
}

/* The statement that fills the table whose columns these are. */
static void fill_table(struct kb_buf *script, const struct shape *shape, const struct column *v,
                       size_t count)
{
	int64_t keys = 0;

	if (IS_ONE_OF(v->table, small))
		return;
	for (size_t i = 0; i < count; i++)
		keys += v[i].key > 0;
	kb_buf_printf(script, "DELETE FROM %.*s;\nINSERT INTO %.*s (", KB_SV_ARG(v->table),
	              KB_SV_ARG(v->table));
	for (size_t i = 0; i < count; i++)
		kb_buf_printf(script, "%s%.*s", i ? ", " : "", KB_SV_ARG(v[i].name));
	kb_buf_printf(script,
	              ") WITH RECURSIVE n (i, waiting) AS (SELECT CAST(1 AS BIGINT), "
	              "CAST(%d AS BIGINT) UNION ALL SELECT i + 1, waiting FROM n WHERE i < %d) "
	              "SELECT ",
	              shape->waiting, ROWS);
	for (size_t i = 0; i < count; i++)
		kb_buf_printf(script, "%s%s", i ? ", " : "", value_of(shape, &v[i], keys));
	kb_buf_str(script, " FROM n;\n");
}

static void fill(struct fixture *f, struct kb_db_conn *conn, const struct shape *shape)
{
	struct column *columns;
	size_t count = columns_of(f, conn, &columns), next;
	struct kb_buf script;

	kb_buf_init(&script, KB_MIB(1));
	kb_buf_str(&script, fixture_postgres() ? "SET session_replication_role = replica;\n"
	                                       : "PRAGMA foreign_keys = OFF;\n");
	for (size_t i = 0; i < count; i = next) {
		for (next = i; next < count && kb_sv_eq(columns[next].table, columns[i].table);)
			next++;
		fill_table(&script, shape, &columns[i], next - i);
	}
	kb_buf_byte(&script, '\0');
	NEED(f, conn->driver->script(conn, kb_buf_view(&script).p, &f->err));
	kb_buf_fini(&script);
	/* As autovacuum leaves it, sooner or later. */
	if (fixture_postgres())
		NEED(f, conn->driver->script(conn, "VACUUM ANALYZE", &f->err));
}

/* ---- what a step of a plan reads ---- */

struct index {
	struct kb_sv name, table, keys, where; /* keys: with commas between */
	int64_t most[8];                       /* by how many keys are compared */
	bool is_known[8];
};

struct plans {
	struct fixture *f;
	struct kb_db_conn *conn; /* filled */
	const struct shape *shape;
	struct index *indexes;
	size_t index_count, checked;
};

/* What stands between the first bracket and the one that closes it. */
static struct kb_sv in_brackets(struct kb_sv text, struct kb_sv *rest)
{
	ptrdiff_t at = kb_sv_find_byte(text, '(');
	size_t depth = 1, end;

	*rest = kb_sv("", 0);
	if (at < 0)
		return *rest;
	text = kb_sv(text.p + at + 1, text.n - (size_t)at - 1);
	for (end = 0; end < text.n; end++) {
		depth += text.p[end] == '(';
		depth -= text.p[end] == ')';
		if (depth == 0)
			break;
	}
	*rest = kb_sv(text.p + end, text.n - end);
	return kb_sv(text.p, end);
}

/* The next of an index's keys, which may hold commas in brackets. */
static bool next_key(struct kb_sv *keys, struct kb_sv *key)
{
	size_t depth = 0, end;

	while (keys->n && (*keys->p == ',' || *keys->p == ' '))
		*keys = kb_sv(keys->p + 1, keys->n - 1);
	for (end = 0; end < keys->n && (depth || keys->p[end] != ','); end++) {
		depth += keys->p[end] == '(';
		depth -= keys->p[end] == ')';
	}
	*key = kb_sv(keys->p, end);
	*keys = kb_sv(keys->p + end, keys->n - end);
	return end > 0;
}

static void read_indexes(struct plans *p)
{
	const struct kb_sql sql = {
		"indexes", "",
		fixture_postgres()
		        ? "SELECT indexname, tablename, indexdef FROM pg_indexes "
		          "WHERE schemaname = 'public'"
		        : "SELECT m.name, m.tbl_name, coalesce(m.sql, '(' || (SELECT "
		          "group_concat(i.name, ', ') FROM pragma_index_info(m.name) i) || ')') "
		          "FROM sqlite_master m WHERE m.type = 'index'"
	};
	struct kb_arena *arena = &p->f->arena;
	struct kb_db_rows rows;

	p->indexes = KB_NEW_ARRAY(arena, 500, struct index);
	kb_rows_open(&rows, p->conn, &sql, KB_NO_VALUES);
	while (kb_rows_next(&rows) && p->index_count < 500) {
		struct index *index = &p->indexes[p->index_count++];
		struct kb_sv rest;
		ptrdiff_t at;

		index->name = kb_rows_text(&rows, arena, 0);
		index->table = kb_rows_text(&rows, arena, 1);
		index->keys = in_brackets(kb_rows_text(&rows, arena, 2), &rest);
		at = kb_sv_find(rest, KB_SV("WHERE "));
		if (at >= 0)
			index->where = kb_sv(rest.p + at + 6, rest.n - (size_t)at - 6);
	}
	NEED(p->f, kb_rows_close(&rows, &p->f->err));
}

/* One number, of the filled store. */
static int64_t count_of(struct plans *p, const char *query)
{
	struct kb_sql *sql = KB_NEW(&p->f->arena, struct kb_sql);
	int64_t n = 0;

	*sql = (struct kb_sql){ "count", "", query };
	NEED(p->f, kb_db_int(p->conn, sql, KB_NO_VALUES, 0, &n, &p->f->err));
	return n;
}

/* How many rows the index has at most for one value of each of its first `keys`; of 0: all. */
static int64_t most_of(struct plans *p, struct index *index, size_t keys)
{
	struct kb_sv rest = index->keys, key;
	struct kb_buf query;

	KB_ASSERT(keys < KB_COUNTOF(index->most));
	if (index->is_known[keys])
		return index->most[keys];
	kb_buf_init(&query, KB_KIB(4));
	kb_buf_printf(&query, "SELECT coalesce(max(c), 0) FROM (SELECT count(*) AS c FROM %.*s",
	              KB_SV_ARG(index->table));
	if (index->where.n)
		kb_buf_printf(&query, " WHERE %.*s", KB_SV_ARG(index->where));
	for (size_t i = 0; i < keys && next_key(&rest, &key); i++)
		kb_buf_printf(&query, "%s%.*s", i ? ", " : " GROUP BY ", KB_SV_ARG(key));
	kb_buf_str(&query, ") g");
	index->most[keys] = count_of(p, kb_arena_str(&p->f->arena, kb_buf_view(&query)));
	index->is_known[keys] = true;
	kb_buf_fini(&query);
	return index->most[keys];
}

static struct index *index_named(struct plans *p, struct kb_sv name)
{
	for (size_t i = 0; i < p->index_count; i++)
		if (kb_sv_eq(p->indexes[i].name, name))
			return &p->indexes[i];
	return NULL;
}

/* The word behind `head` in a text; empty where it is not there. */
static struct kb_sv word_behind(const char *text, const char *head)
{
	const char *at = strstr(text, head);

	return at ? kb_sv(at + strlen(head), strcspn(at + strlen(head), " \n")) : kb_sv("", 0);
}

/* One step: of this index by so many of its keys, or of the whole table. */
static void judge(struct plans *p, const struct kb_sql *sql, struct kb_sv table,
                  struct index *index, size_t keys, const char *step)
{
	struct kb_arena *arena = &p->f->arena;
	int64_t rows;

	if (index)
		table = index->table;
	rows = index ? most_of(p, index, keys)
	             : count_of(p, kb_arena_printf(arena, "SELECT count(*) FROM %.*s",
	                                           KB_SV_ARG(table))
	                                   .p);
	if (rows <= MANY || is_excused(wide, KB_COUNTOF(wide), sql->name, table))
		return;
	if (p->shape->waiting == ROWS && is_excused(waiting, KB_COUNTOF(waiting), sql->name, table))
		return;
	kb_test_fail(p->f->t, __FILE__, __LINE__,
	             kb_arena_printf(arena, "%s: %s reads %" PRId64 " rows of %.*s", p->shape->name,
	                             step, rows, KB_SV_ARG(table))
	                     .p);
}

/* ---- what SQLite says: "SEARCH p USING COVERING INDEX pages_queue (agent_id=? AND due_at>?)" ----
 */

/* Which table a statement calls so; empty: none, it is a part of the statement. */
static struct kb_sv table_called(struct plans *p, const struct kb_sql *sql, struct kb_sv name)
{
	for (size_t i = 0; i < p->index_count; i++) {
		struct kb_sv table = p->indexes[i].table;
		struct kb_sv called = kb_arena_printf(&p->f->arena, "%.*s %.*s", KB_SV_ARG(table),
		                                      KB_SV_ARG(name));

		if (kb_sv_eq(table, name) || kb_sv_find(kb_sv_str(sql->text), called) >= 0)
			return table;
	}
	return kb_sv("", 0);
}

static void sqlite_step(struct plans *p, const struct kb_sql *sql, const char *step)
{
	struct index *index = index_named(p, word_behind(step, " INDEX "));
	struct kb_sv table;
	size_t keys = 0;

	if (strstr(step, "AUTOMATIC"))
		kb_test_fail(p->f->t, __FILE__, __LINE__, step);
	for (const char *at = step; (at = strstr(at, "=?")); at++)
		keys++;
	if (strncmp(step, "SEARCH ", 7) == 0) {
		if (index)
			judge(p, sql, kb_sv("", 0), index, keys, step);
		else if (table_called(p, sql, word_behind(step, "SEARCH ")).n)
			kb_test_fail(p->f->t, __FILE__, __LINE__, step);
	} else if (strncmp(step, "SCAN ", 5) == 0) {
		table = table_called(p, sql, word_behind(step, "SCAN "));
		if (index || table.n)
			judge(p, sql, table, index, 0, step);
	}
}

static void sqlite_plan(struct plans *p, struct kb_db_conn *conn, const struct kb_sql *sql)
{
	struct kb_sql *explain = KB_NEW(&p->f->arena, struct kb_sql);
	struct kb_db_rows rows;

	*explain = (struct kb_sql){
		sql->name, "", kb_arena_printf(&p->f->arena, "EXPLAIN QUERY PLAN %s", sql->text).p
	};
	kb_rows_open(&rows, conn, explain, KB_NO_VALUES);
	while (kb_rows_next(&rows))
		sqlite_step(p, sql, kb_rows_text(&rows, &p->f->arena, 3).p);
	NEED(p->f, kb_rows_close(&rows, &p->f->err));
}

/* ---- what PostgreSQL says, two lines a step:
 *   ->  Index Scan using pages_queue on pages p
 *         Index Cond: ((agent_id = $1) AND (to_fetch = 0)) ---- */

/* Without what the two places that show an expression write differently. */
static struct kb_sv plain(struct plans *p, struct kb_sv text)
{
	char *out = kb_arena_bytes(&p->f->arena, text.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (kb_sv_starts(kb_sv(text.p + i, text.n - i), KB_SV("::bigint")))
			i += 7;
		else if (!strchr("()' ", text.p[i]))
			out[n++] = text.p[i];
	}
	out[n] = '\0';
	return kb_sv(out, n);
}

static bool is_compared(struct plans *p, struct kb_sv key, struct kb_sv condition)
{
	struct kb_sv want = kb_arena_printf(&p->f->arena, "%.*s=", KB_SV_ARG(plain(p, key)));

	for (const char *at = condition.p; (at = strstr(at, want.p)); at++)
		if (at == condition.p || !strchr("abcdefghijklmnopqrstuvwxyz_0123456789.", at[-1]))
			return true;
	return false;
}

static size_t keys_compared(struct plans *p, const struct index *index, const char *condition)
{
	struct kb_sv rest = index->keys, key;
	size_t keys = 0;

	while (next_key(&rest, &key) && is_compared(p, key, plain(p, kb_sv_str(condition))))
		keys++;
	return keys;
}

static void postgres_step(struct plans *p, const struct kb_sql *sql, const char *step,
                          const char *condition)
{
	struct kb_sv name = word_behind(step, " using ");
	struct index *index;

	if (strstr(step, "Seq Scan on ")) {
		judge(p, sql, word_behind(step, "Seq Scan on "), NULL, 0, step);
		return;
	}
	if (!name.n)
		name = word_behind(step, "Bitmap Index Scan on ");
	if (!name.n)
		return;
	index = index_named(p, name);
	CHECK(p->f->t, index);
	if (index)
		judge(p, sql, kb_sv("", 0), index, keys_compared(p, index, condition),
		      kb_arena_printf(&p->f->arena, "%s %s", step, condition).p);
}

/* Prepares the statement and says how its plan is asked for. */
static const char *prepared(struct plans *p, struct kb_db_conn *conn, const struct kb_sql *sql)
{
	struct kb_arena *arena = &p->f->arena;
	struct kb_sv types = KB_SV(""), values = KB_SV("");
	const char *script;

	for (const char *type = sql->types; *type; type++) {
		const char *before = type == sql->types ? " (" : ", ", *after = type[1] ? "" : ")";

		types = kb_arena_printf(arena, "%.*s%s%s%s", KB_SV_ARG(types), before,
		                        *type == 'i' ? "BIGINT" : "TEXT", after);
		values = kb_arena_printf(arena, "%.*s%s%s%s", KB_SV_ARG(values), before,
		                         *type == 'i' ? "1" : "'x1'", after);
	}
	script = kb_arena_printf(arena, "PREPARE p%zu%.*s AS %s", p->checked, KB_SV_ARG(types),
	                         sql->text)
	                 .p;
	NEED(p->f, conn->driver->script(conn, script, &p->f->err));
	return kb_arena_printf(arena, "EXPLAIN (COSTS OFF) EXECUTE p%zu%.*s", p->checked,
	                       KB_SV_ARG(values))
	        .p;
}

static void postgres_explain(struct plans *p, struct kb_db_conn *conn, const struct kb_sql *sql,
                             const char *explained)
{
	struct kb_sql *explain = KB_NEW(&p->f->arena, struct kb_sql);
	const char *step = "", *line;
	struct kb_db_rows rows;

	*explain = (struct kb_sql){ sql->name, "", explained };
	kb_rows_open(&rows, conn, explain, KB_NO_VALUES);
	while (kb_rows_next(&rows)) {
		line = kb_rows_text(&rows, &p->f->arena, 0).p;
		if (strstr(line, "Index Cond: ")) {
			postgres_step(p, sql, step, strstr(line, "Index Cond: "));
			step = "";
		} else if (strstr(line, "Scan ")) {
			postgres_step(p, sql, step, "");
			step = line;
		}
	}
	postgres_step(p, sql, step, "");
	NEED(p->f, kb_rows_close(&rows, &p->f->err));
}

/* A statement is planned for its values as long as that is cheaper than the plan that fits all
 * values, which knows no LIMIT. */
static void postgres_plan(struct plans *p, struct kb_db_conn *conn, const struct kb_sql *sql)
{
	const char *explained = prepared(p, conn, sql);

	NEED(p->f,
	     conn->driver->script(conn, "SET plan_cache_mode = force_custom_plan", &p->f->err));
	postgres_explain(p, conn, sql, explained);
	if (strstr(sql->text, "LIMIT $"))
		return;
	NEED(p->f,
	     conn->driver->script(conn, "SET plan_cache_mode = force_generic_plan", &p->f->err));
	postgres_explain(p, conn, sql, explained);
}

/* ---- all statements ---- */

static void check_family(struct plans *p, const struct kb_sql_table *table)
{
	struct kb_db_conn *conn = raw_open(p->f);

	for (size_t i = 0; i < table->count; i++) {
		if (!table->rows[i].name || strncmp(table->rows[i].text, "CREATE", 6) == 0)
			continue;
		p->f->t->row = table->rows[i].name;
		(fixture_postgres() ? postgres_plan : sqlite_plan)(p, conn, &table->rows[i]);
		p->checked++;
	}
	p->f->t->row = NULL;
	conn->driver->close(conn);
}

static bool reads_everything(const struct kb_sql_table *table)
{
	for (size_t i = 0; i < KB_COUNTOF(families); i++)
		if (families[i].table == table)
			return true;
	return false;
}

static void check_shape(struct kb_test *t, const struct shape *shape)
{
	struct fixture f;
	struct plans p = { .f = &f, .shape = shape };

	fixture_init(&f, t);
	kb_store_close(f.store);
	p.conn = raw_open(&f);
	fill(&f, p.conn, shape);
	read_indexes(&p);
	CHECK(t, p.index_count > 60);
	for (size_t i = 0; i < kb_sql_table_count; i++)
		if (!reads_everything(kb_sql_tables[i]))
			check_family(&p, kb_sql_tables[i]);
	CHECK(t, p.checked > 300);
	p.conn->driver->close(p.conn);
	kb_arena_fini(&f.arena);
	fixture_remove(&f);
}

static size_t shapes_checked; /* on both databases */

static void test_plans(struct kb_test *t)
{
	/* A sanitizer sees the same code in each. */
	size_t count = KB_TEST_UNDER_SANITIZER ? 1 : KB_COUNTOF(shapes);

	for (size_t i = 0; i < count; i++)
		check_shape(t, &shapes[i]);
	shapes_checked += count;
}

static void test_sqlite(struct kb_test *t)
{
	const char *elsewhere = fixture_postgres();

	if (elsewhere)
		unsetenv("DOCENT_TEST_POSTGRES");
	test_plans(t);
	if (elsewhere)
		setenv("DOCENT_TEST_POSTGRES", elsewhere, 1);
}

static void test_postgres(struct kb_test *t)
{
	struct postgres pg;

	if (fixture_postgres()) {
		test_plans(t);
		return;
	}
	if (!postgres_start(t, &pg))
		return;
	setenv("DOCENT_TEST_POSTGRES", pg.dir, 1);
	test_plans(t);
	unsetenv("DOCENT_TEST_POSTGRES");
	postgres_stop(t, &pg);
}

/* Where all was looked at, on both. */
static void test_reasons(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(wide) && shapes_checked == 2 * KB_COUNTOF(shapes); i++)
		if (!wide[i].is_used)
			kb_test_fail(t, __FILE__, __LINE__, wide[i].head);
	for (size_t i = 0; i < KB_COUNTOF(waiting) && shapes_checked == 2 * KB_COUNTOF(shapes); i++)
		if (!waiting[i].is_used)
			kb_test_fail(t, __FILE__, __LINE__, waiting[i].head);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "SQLite reads no table whole, nor all rows of an agent", test_sqlite },
		{ "PostgreSQL reads no table whole, nor all rows of an agent", test_postgres },
		{ "each reason is needed", test_reasons },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
