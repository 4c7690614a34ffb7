/*
 * The store's own door to a database. Only src/db and src/store include this.
 *
 * A driver is a struct of functions over one connection; SQLite and PostgreSQL fill it. Above the
 * drivers stand, the same for each of them: rows (one running statement), the database with its
 * writer threads and its readers, and the migrations.
 *
 * The SQL is what SQLite and PostgreSQL both understand, and tests prepare every statement on both:
 * BIGINT and TEXT only, flags as 0 and 1, times in microseconds, $1-style parameters whose types
 * are declared, RETURNING, ON CONFLICT, LIKE with ESCAPE on folded columns; ids from sequences.
 * What only one database knows stands in its driver.
 */
#ifndef KB_DB_DB_H
#define KB_DB_DB_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/histogram.h"
#include "base/log.h"

/* ---- statements ---- */

enum { KB_SQL_PARAMS = 64 };

/* `types` has a letter a parameter: 'i' BIGINT, 't' TEXT, 'n' TEXT or NULL. */
struct kb_sql {
	const char *name, *types, *text;
};

/* A number of an enum, in the text of a statement: "state = " KB_SQL(PAGE_LEASED). */
#define KB_SQL(name)          KB_SQL_NUMBER(KB_SQL_##name)
#define KB_SQL_NUMBER(number) KB_SQL_DIGITS(number)
#define KB_SQL_DIGITS(number) #number

/* All statements of a file, so that tests can walk them. */
struct kb_sql_table {
	const char *family;
	const struct kb_sql *rows;
	size_t count;
};
extern const struct kb_sql_table kb_sql_migrate, kb_sql_commits; /* of this folder */

/* Where ids come from. */
struct kb_sequence {
	const char *name;
	int64_t first;
};
extern const struct kb_sequence kb_sequences[];
extern const size_t kb_sequence_count;

struct kb_migration {
	int64_t version;
	const char *name, *text;
	const char *driver; /* of that one alone; NULL: of all */
};
extern const struct kb_migration kb_migrations[]; /* by version */
extern const size_t kb_migration_count;

struct kb_db_value {
	char type; /* as in kb_sql.types */
	int64_t n;
	struct kb_sv text;
};

static inline struct kb_db_value kb_int(int64_t n)
{
	return (struct kb_db_value){ .type = 'i', .n = n };
}
/* A view without bytes is the empty text. */
static inline struct kb_db_value kb_text(struct kb_sv text)
{
	return (struct kb_db_value){ .type = 't', .text = text };
}
/* A view whose p is NULL is NULL. */
static inline struct kb_db_value kb_nullable(struct kb_sv text)
{
	return (struct kb_db_value){ .type = 'n', .text = text };
}
/* The values of a statement's parameters, in their order:
 * kb_db_run(conn, &sql[X], KB_VALUES(kb_int(id)), NULL, err). */
struct kb_db_values {
	const struct kb_db_value *v;
	size_t count;
};
#define KB_VALUES(...)                                                                             \
	((struct kb_db_values){ (const struct kb_db_value[]){ __VA_ARGS__ },                       \
	                        sizeof((const struct kb_db_value[]){ __VA_ARGS__ })                \
	                                / sizeof(struct kb_db_value) })
#define KB_NO_VALUES ((struct kb_db_values){ 0 })

/* ---- connections and drivers ---- */

struct kb_driver;

/* What a transaction tells the rest of the process once it is committed. */
enum kb_topic { KB_TOPIC_KEY, KB_TOPIC_AGENT };
struct kb_db_note {
	enum kb_topic topic;
	int64_t id;
};

/* Sums of the running transaction (counts.c). */
struct kb_db_counts {
	struct kb_db_count *v;
	size_t count, capacity;
	struct kb_arena texts;
};

/* One connection; one thread at a time. The driver's own struct begins with this one. */
struct kb_db_conn {
	const struct kb_driver *driver;
	struct kb_db_note *notes; /* of the running transaction */
	size_t note_count, note_capacity;
	struct kb_db_counts counts;
	/* Whether the last failure was of the moment (a deadlock, a server that went away): then
	 * the whole transaction may be run anew. What has been made or removed meanwhile by
	 * somebody else is found the next time, once. */
	enum kb_db_again { KB_AGAIN_NEVER, KB_AGAIN_ONCE, KB_AGAIN_OFTEN } again;
	int64_t made; /* the first id that the running write has taken; 0: none */
};

enum kb_savepoint { KB_SET, KB_UNDO, KB_KEEP };
enum kb_db_step { KB_STEP_FAILED, KB_STEP_ROW, KB_STEP_DONE };

struct kb_driver {
	const char *name;
	int writers;    /* connections that write at once: 1 to KB_DB_WRITERS_MAX */
	bool is_shared; /* other processes write as well */
	/* `writes`: changes are allowed. */
	struct kb_db_conn *(*open)(const char *where, bool writes, struct kb_err *err);
	void (*close)(struct kb_db_conn *conn);
	/* False once nothing more will come of the connection; between transactions. NULL: it lasts
	 * as long as the process. */
	bool (*usable)(struct kb_db_conn *conn);

	bool (*begin)(struct kb_db_conn *conn, bool writes, struct kb_err *err);
	/* KB_E_UNCERTAIN when it may have happened; after any failure call rollback. */
	bool (*commit)(struct kb_db_conn *conn, struct kb_err *err);
	void (*rollback)(struct kb_db_conn *conn);
	/* One for all: set begins, undo goes back to it and drops it, keep drops it. */
	bool (*savepoint)(struct kb_db_conn *conn, enum kb_savepoint what, struct kb_err *err);
	/* False once an error has taken the whole transaction away. */
	bool (*in_transaction)(struct kb_db_conn *conn);

	/* The values' texts must live until finish. It may be run as late as its first step, with
	 * all that was started meanwhile. */
	bool (*start)(struct kb_db_conn *conn, const struct kb_sql *sql, struct kb_db_values values,
	              void **cursor, struct kb_err *err);
	/* Runs it at the latest with the next statement that is not deferred, which then fails in
	 * its place. NULL: there is nothing to gain. */
	bool (*defer)(struct kb_db_conn *conn, const struct kb_sql *sql, struct kb_db_values values,
	              struct kb_err *err);
	enum kb_db_step (*step)(struct kb_db_conn *conn, void *cursor, struct kb_err *err);
	int64_t (*column_int)(void *cursor, int column);
	/* Until the next step; p is NULL for NULL. */
	struct kb_sv (*column_text)(void *cursor, int column);
	/* Returns the rows changed. */
	int64_t (*finish)(struct kb_db_conn *conn, void *cursor);

	/* The database's clock, of which all its processes go. NULL: the process's own. */
	bool (*now)(struct kb_db_conn *conn, int64_t *now_us, struct kb_err *err);
	/* Several statements without parameters: a migration. */
	bool (*script)(struct kb_db_conn *conn, const char *text, struct kb_err *err);
	/* Makes the sequence unless it is there. */
	bool (*sequence)(struct kb_db_conn *conn, const char *name, int64_t first,
	                 struct kb_err *err);
	/* Takes `count` consecutive ids; part of the transaction or not, they are never given
	 * twice. */
	bool (*next_id)(struct kb_db_conn *conn, const char *sequence, int64_t count,
	                int64_t *first, struct kb_err *err);
	/* The id that it would give next, which is `at_least` from now on. */
	bool (*sequence_at)(struct kb_db_conn *conn, const char *sequence, int64_t at_least,
	                    int64_t *next, struct kb_err *err);
	/* Rows of ids that need not be consecutive: as many as $2 says of the sequence $1. NULL:
	 * next_id is as good. */
	const struct kb_sql *ids;
	/* What tables there are: table, column, type, its place in the key from 1, by table; and
	 * which of them refer to which. */
	const struct kb_sql *columns, *references;
	/* Tells other processes when the transaction commits. NULL: they look for themselves. */
	bool (*notify)(struct kb_db_conn *conn, enum kb_topic topic, int64_t id,
	               struct kb_err *err);
	/* Writes the state that the connection's transaction sees, which only reads, into a new
	 * file; nobody who writes waits for it. NULL: rows have to be read. */
	bool (*copy)(struct kb_db_conn *conn, const char *path, const struct kb_cancel *cancel,
	             struct kb_err *err);
	/* The database's own check of its files; calls say once for each finding. */
	bool (*check)(struct kb_db_conn *conn, void (*say)(void *arg, const char *finding),
	              void *arg, int64_t *findings, struct kb_err *err);
};

enum { KB_DB_WRITERS_MAX = 8 };
extern const struct kb_driver kb_driver_sqlite, kb_driver_postgres;

/* Whether it has something for such a database; where it has not it is recorded all the same. */
static inline bool kb_migration_is_for(const struct kb_migration *migration,
                                       const struct kb_driver *driver)
{
	return !migration->driver || strcmp(migration->driver, driver->name) == 0;
}

/* ---- rows: one running statement ----
 *
 *   kb_rows_open(&rows, conn, &sql[BY_ID], KB_VALUES(kb_int(id)));
 *   while (kb_rows_next(&rows))
 *           ... kb_rows_int(&rows, 0) ...
 *   if (!kb_rows_close(&rows, err))
 *           return false;
 *
 * An error ends the loop and is told by close. Of several that are open at once, of different
 * statements, those not looked at yet share one trip to the database. */
struct kb_db;
struct kb_db_rows {
	struct kb_db_conn *conn;
	struct kb_db *db; /* to which close gives the connection back, or NULL */
	void *cursor;
	bool failed;
	int64_t changed; /* after close */
	struct kb_err err;
};

void kb_rows_open(struct kb_db_rows *rows, struct kb_db_conn *conn, const struct kb_sql *sql,
                  struct kb_db_values values);
/* The same on a connection that is taken for this statement and given back by close. */
void kb_rows_take(struct kb_db_rows *rows, struct kb_db *db, const struct kb_sql *sql,
                  struct kb_db_values values);
bool kb_rows_next(struct kb_db_rows *rows);
int64_t kb_rows_int(struct kb_db_rows *rows, int column);
bool kb_rows_bool(struct kb_db_rows *rows, int column);
/* A copy in the arena; p is NULL for NULL. */
struct kb_sv kb_rows_text(struct kb_db_rows *rows, struct kb_arena *arena, int column);
bool kb_rows_close(struct kb_db_rows *rows, struct kb_err *err) KB_MUST_CHECK;

/* A statement whose rows do not matter; *changed may be NULL. */
bool kb_db_run(struct kb_db_conn *conn, const struct kb_sql *sql, struct kb_db_values values,
               int64_t *changed, struct kb_err *err) KB_MUST_CHECK;
/* A statement of whose result nothing is wanted, in a transaction of one write: it may be run
 * later, in order, and its failure is that of a later statement, or of the commit. */
bool kb_db_defer(struct kb_db_conn *conn, const struct kb_sql *sql, struct kb_db_values values,
                 struct kb_err *err) KB_MUST_CHECK;
/*
 * A statement that only adds to a row of counters: its first `keys` parameters say which, each of
 * the others is a number that is added. It is run at the end of the transaction, once for all that
 * count for the same row there, in one order everywhere: no hot row is held for longer than a
 * commit takes, and no two transactions wait for each other's. What is read in the same transaction
 * is without it.
 */
void kb_db_count(struct kb_db_conn *conn, const struct kb_sql *sql, size_t keys,
                 struct kb_db_values values);
/* For db.c: runs what was counted; forgets what was counted beyond the first `count`. */
bool kb_db_counts_flush(struct kb_db_conn *conn, struct kb_err *err) KB_MUST_CHECK;
void kb_db_counts_drop(struct kb_db_conn *conn, size_t count);
void kb_db_counts_fini(struct kb_db_conn *conn);
/* A statement with one row of one number; `otherwise` when it has no row. */
bool kb_db_int(struct kb_db_conn *conn, const struct kb_sql *sql, struct kb_db_values values,
               int64_t otherwise, int64_t *out, struct kb_err *err) KB_MUST_CHECK;
/* The same on a connection that is taken for it. */
bool kb_db_read_int(struct kb_db *db, const struct kb_sql *sql, struct kb_db_values values,
                    int64_t otherwise, int64_t *out, struct kb_err *err) KB_MUST_CHECK;
/* A text as every database keeps it: whole UTF-8 without NUL, of which each part that is not
 * becomes U+FFFD. The text itself where it is so already. */
struct kb_sv kb_db_text(struct kb_arena *arena, struct kb_sv text);
bool kb_db_next_id(struct kb_db_conn *conn, const char *sequence, int64_t count, int64_t *first,
                   struct kb_err *err) KB_MUST_CHECK;
bool kb_db_notify(struct kb_db_conn *conn, enum kb_topic topic, int64_t id,
                  struct kb_err *err) KB_MUST_CHECK;

/* ---- the database: its writer threads, a few readers ---- */

struct kb_db_config {
	const struct kb_driver *driver;
	const char *where; /* the driver's address */
	const struct kb_log *log;
	/* Called on a writer thread after a commit, before its callers go on. */
	void (*committed)(void *arg, const struct kb_db_note *note);
	void *arg;
};

struct kb_db *kb_db_open(const struct kb_db_config *config, struct kb_err *err) KB_MUST_CHECK;
void kb_db_close(struct kb_db *db);

/*
 * Runs fn in a transaction on a writer thread and returns when it is durable. Where this process is
 * alone, writes that wait share a transaction, each behind a savepoint: one that fails is undone
 * alone. When the commit fails, all of them fail. KB_E_BUSY when too many wait.
 *
 * fn may be run several times, each time from the start: what it gives back through arg it sets
 * anew, and it returns at its first failure. Where other processes write too, it sees what they
 * commit meanwhile: what it decides on it holds by a row's lock (kb_agent_lock()), or decides in
 * the statement that writes.
 */
typedef bool kb_write_fn(struct kb_db_conn *conn, void *arg, struct kb_err *err);
bool kb_db_write(struct kb_db *db, kb_write_fn *fn, void *arg, struct kb_err *err) KB_MUST_CHECK;
/* One statement alone; *changed, which may be NULL, as of kb_db_run(). */
bool kb_db_write_run(struct kb_db *db, const struct kb_sql *sql, struct kb_db_values values,
                     int64_t *changed, struct kb_err *err) KB_MUST_CHECK;
/* The same without what the thread takes along (beside.h): bookkeeping that is no change of what
 * the caller is about. */
bool kb_db_write_alone(struct kb_db *db, kb_write_fn *fn, void *arg,
                       struct kb_err *err) KB_MUST_CHECK;
/*
 * The same for what adds rows of its own to what is there `within` an agent, and counts
 * (kb_db_count()). These share transactions everywhere, each in the order of its agents and what is
 * within them, so that no two wait for each other. 0 and an empty text: for none.
 *
 * Such a write may say what it asks the database first: `sql`, whose rows fn reads and closes, and
 * with `sequence` an id of it. Those that share a transaction ask in one trip; of two that are
 * within the same the second one asks when the first is done.
 */
struct kb_db_append {
	int64_t agent_id;
	struct kb_sv within;      /* a conversation's session */
	const struct kb_sql *sql; /* NULL: nothing is asked */
	struct kb_db_values values;
	const char *sequence; /* NULL: no id is wanted */
	/* For fn: */
	struct kb_db_rows rows;
	int64_t id;
};
bool kb_db_append(struct kb_db *db, struct kb_db_append *append, kb_write_fn *fn, void *arg,
                  struct kb_err *err) KB_MUST_CHECK;

/* A connection for reading, NULL with *err set; with `snapshot` all its statements see one state.
 * Every connection taken is given back; a thread has one at a time. */
struct kb_db_conn *kb_db_take(struct kb_db *db, bool snapshot, struct kb_err *err) KB_MUST_CHECK;
void kb_db_give(struct kb_db *db, struct kb_db_conn *conn);

/* Since it was opened. */
struct kb_db_stats {
	int64_t commits, writes, reads, write_wait_us;
	struct kb_histogram *transactions; /* how long those took that were committed */
};
void kb_db_stats(struct kb_db *db, struct kb_db_stats *out);

/* ---- migrations (migrate.c) ---- */

/* The version of the last migration that this program knows. */
int64_t kb_schema_newest(void);
/* The newest migration that was applied; 0: none. */
bool kb_schema_version(struct kb_db_conn *conn, int64_t *version, struct kb_err *err) KB_MUST_CHECK;
/* The same of a database that is only looked at: one without migrations is an error. */
bool kb_schema_seen(struct kb_db_conn *conn, int64_t *version, struct kb_err *err) KB_MUST_CHECK;
/* Whether all that this program knows were, in whatever order they came. */
bool kb_schema_whole(struct kb_db_conn *conn, bool *whole, struct kb_err *err) KB_MUST_CHECK;
/* Applies what is missing up to `target`, in one transaction. */
bool kb_schema_migrate(struct kb_db_conn *conn, int64_t target, int64_t now,
                       struct kb_err *err) KB_MUST_CHECK;

#endif
