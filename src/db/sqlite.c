/*
 * The SQLite driver: WAL with synchronous=FULL, a cache of prepared statements a connection, ids
 * from a table of counters. Everything that only SQLite knows stands here.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/fault.h"
#include "db/checkpoint.h"
#include "db/db.h"

enum {
	STATEMENT_SLOTS = 2048, /* more than twice the statements there are */
	BUSY_TIMEOUT_MS = 10000,
	COPY_PAGES = 256, /* between two looks at whether to go on */
};

/* Checkpoints have a thread of their own (checkpoint.h). The log's file is cut back to its limit
 * afterwards. Caches are small: the system's page cache stands behind them. */
#define PRAGMAS_ALL                                                                                \
	"PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF;"
#define PRAGMAS_WRITER                                                                             \
	"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "                                   \
	"PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -4000;"
#define PRAGMAS_READER "PRAGMA cache_size = -1000; PRAGMA query_only = ON;"

struct statement {
	const struct kb_sql *sql;
	sqlite3_stmt *stmt;
	unsigned char place[KB_SQL_PARAMS]; /* SQLite's index of $1, $2, …; 0: not in the text */
};

struct sqlite_conn {
	struct kb_db_conn base;
	sqlite3 *handle;
	struct kb_checkpointer *checkpointer;    /* of a connection that writes */
	struct statement slots[STATEMENT_SLOTS]; /* by the statement's address, open addressing */
	size_t used;
};

// clang-format off
enum {
	BEGIN_READ, BEGIN_WRITE, COMMIT, ROLLBACK, SAVE, SAVE_UNDO, SAVE_KEEP,
	NEXT_ID, NEW_SEQUENCE, LAST_ID, RAISE, COLUMNS, REFERENCES,
};
static const struct kb_sql sql[] = {
	[BEGIN_READ]   = { "begin_read",   "", "BEGIN" },
	[BEGIN_WRITE]  = { "begin_write",  "", "BEGIN IMMEDIATE" },
	[COMMIT]       = { "commit",       "", "COMMIT" },
	[ROLLBACK]     = { "rollback",     "", "ROLLBACK" },
	[SAVE]         = { "save",         "", "SAVEPOINT one" },
	[SAVE_UNDO]    = { "save_undo",    "", "ROLLBACK TO SAVEPOINT one" },
	[SAVE_KEEP]    = { "save_keep",    "", "RELEASE SAVEPOINT one" },
	[NEXT_ID]      = { "next_id",      "ti",
		"UPDATE counters SET last = last + $2 WHERE name = $1 RETURNING last" },
	[LAST_ID]      = { "last_id",      "t",  "SELECT last + 1 FROM counters WHERE name = $1" },
	[RAISE]        = { "raise",        "ti", "UPDATE counters SET last = $2 - 1 WHERE name = $1" },
	[COLUMNS]      = { "columns",      "",
		"SELECT m.name, c.name, c.type, c.pk FROM sqlite_master m JOIN pragma_table_info(m.name) c "
		"WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, c.cid" },
	[REFERENCES]   = { "references",   "",
		"SELECT m.name, f.\"table\" FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f "
		"WHERE m.type = 'table'" },
	[NEW_SEQUENCE] = { "new_sequence", "ti",
		"INSERT INTO counters (name, last) VALUES ($1, $2 - 1) ON CONFLICT DO NOTHING" },
};
// clang-format on

static struct sqlite_conn *sqlite_of(struct kb_db_conn *conn)
{
	return (struct sqlite_conn *)(void *)conn;
}

/* The one place that says what SQLite's results mean. What clients read (err.c hides the others)
 * has no words of SQL; who knows what was to be stored puts a sentence of their own in its place.
 */
static bool fail(struct kb_err *err, sqlite3 *handle, int rc, const char *what)
{
	const char *why = handle ? sqlite3_errmsg(handle) : sqlite3_errstr(rc);

	switch (rc) {
	case SQLITE_CONSTRAINT_FOREIGNKEY:
		return kb_fail(err, KB_E_NOT_FOUND, "what it belongs to is not there any more");
	case SQLITE_CONSTRAINT_UNIQUE:
	case SQLITE_CONSTRAINT_PRIMARYKEY:
		return kb_fail(err, KB_E_CONFLICT, "there is one like it already");
	case SQLITE_IOERR_CORRUPTFS:
		return kb_corrupt(err, "the database is damaged (%s): %s", what, why);
	default:
		break;
	}
	switch (rc & 0xff) {
	case SQLITE_FULL:
		return kb_fail(err, KB_E_FULL, "no space left for the database");
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return kb_corrupt(err, "the database is damaged (%s): %s", what, why);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return kb_fail(err, KB_E_BUSY,
		               "another process holds the database for more than %d s",
		               BUSY_TIMEOUT_MS / 1000);
	case SQLITE_TOOBIG:
		return kb_fail(err, KB_E_TOO_LARGE, "a value is too large for the database");
	case SQLITE_NOMEM:
		kb_panic(__FILE__, __LINE__, "out of memory in SQLite");
	case SQLITE_MISUSE:
		kb_panic(__FILE__, __LINE__, "misuse of SQLite");
	default:
		return kb_fail(err, KB_E_IO, "the database failed (%s): %s", what, why);
	}
}

static bool fail_now(struct kb_err *err, struct sqlite_conn *conn, const char *what)
{
	return fail(err, conn->handle, sqlite3_extended_errcode(conn->handle), what);
}

static bool sqlite_script(struct kb_db_conn *base, const char *text, struct kb_err *err)
{
	struct sqlite_conn *conn = sqlite_of(base);

	if (kb_fault())
		return fail(err, NULL, SQLITE_IOERR, "script");
	if (sqlite3_exec(conn->handle, text, NULL, NULL, NULL) != SQLITE_OK)
		return fail_now(err, conn, "script");
	return true;
}

static void sqlite_close(struct kb_db_conn *base)
{
	struct sqlite_conn *conn = sqlite_of(base);

	for (size_t i = 0; i < STATEMENT_SLOTS; i++)
		sqlite3_finalize(conn->slots[i].stmt);
	kb_checkpointer_stop(conn->checkpointer);
	sqlite3_close(conn->handle);
	free(conn->base.notes);
	kb_db_counts_fini(&conn->base);
	free(conn);
}

/* lower(text) of all letters, as a server's; SQLite's own knows ASCII's alone. */
static void lower(sqlite3_context *context, int count, sqlite3_value **values)
{
	const unsigned char *text = sqlite3_value_text(values[0]);
	utf8proc_ssize_t n = sqlite3_value_bytes(values[0]);
	unsigned char *out, *to;

	(void)count;
	if (!text)
		return; /* NULL of NULL */
	out = to = kb_xmalloc((size_t)n * 4 + 4);
	while (n > 0) {
		utf8proc_int32_t letter;
		utf8proc_ssize_t taken = utf8proc_iterate(text, n, &letter);

		if (taken > 0) {
			to += utf8proc_encode_char(utf8proc_tolower(letter), to);
		} else {
			*to++ = *text; /* no letter: as it is */
			taken = 1;
		}
		text += taken;
		n -= taken;
	}
	sqlite3_result_text64(context, (const char *)out, (sqlite3_uint64)(to - out),
	                      SQLITE_TRANSIENT, SQLITE_UTF8);
	free(out);
}

static struct kb_db_conn *sqlite_open(const char *where, bool writes, struct kb_err *err)
{
	struct sqlite_conn *conn = kb_xcalloc(1, sizeof(*conn));
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (writes ? SQLITE_OPEN_CREATE : 0);
	int rc = kb_fault() ? SQLITE_IOERR : sqlite3_open_v2(where, &conn->handle, flags, NULL);

	conn->base.driver = &kb_driver_sqlite;
	if (rc != SQLITE_OK) {
		kb_fail(err, KB_E_IO, "cannot open the database %s: %s", where,
		        conn->handle ? sqlite3_errmsg(conn->handle) : sqlite3_errstr(rc));
		goto failed;
	}
	sqlite3_extended_result_codes(conn->handle, 1);
	sqlite3_busy_timeout(conn->handle, BUSY_TIMEOUT_MS);
	sqlite3_create_function(conn->handle, "lower", 1,
	                        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL, lower,
	                        NULL, NULL);
	if (!sqlite_script(&conn->base, PRAGMAS_ALL, err)
	    || !sqlite_script(&conn->base, writes ? PRAGMAS_WRITER : PRAGMAS_READER, err))
		goto failed;
	if (writes
	    && !sqlite_script(&conn->base,
	                      "CREATE TABLE IF NOT EXISTS counters "
	                      "(name TEXT PRIMARY KEY, last BIGINT NOT NULL)",
	                      err))
		goto failed;
	if (writes)
		conn->checkpointer = kb_checkpointer_start(conn->handle, where);
	return &conn->base;
failed:
	sqlite_close(&conn->base);
	return NULL;
}

static bool prepare(struct sqlite_conn *conn, const struct kb_sql *what, struct statement *slot,
                    struct kb_err *err)
{
	if (sqlite3_prepare_v3(conn->handle, what->text, -1, SQLITE_PREPARE_PERSISTENT, &slot->stmt,
	                       NULL)
	    != SQLITE_OK)
		return fail_now(err, conn, what->name);
	for (size_t i = 0; what->types[i]; i++) {
		char name[8];

		snprintf(name, sizeof(name), "$%zu", i + 1);
		slot->place[i] = (unsigned char)sqlite3_bind_parameter_index(slot->stmt, name);
	}
	slot->sql = what;
	conn->used++;
	KB_ASSERT(conn->used < STATEMENT_SLOTS / 2);
	return true;
}

/* The prepared form of a statement, made at its first use. */
static struct statement *statement(struct sqlite_conn *conn, const struct kb_sql *what,
                                   struct kb_err *err)
{
	size_t i = (size_t)((uint64_t)(uintptr_t)what * UINT64_C(0x9e3779b97f4a7c15) >> 32);

	for (;; i++) {
		struct statement *slot = &conn->slots[i % STATEMENT_SLOTS];

		if (slot->sql == what)
			return slot;
		if (!slot->sql)
			return prepare(conn, what, slot, err) ? slot : NULL;
	}
}

static bool sqlite_start(struct kb_db_conn *base, const struct kb_sql *what,
                         struct kb_db_values values, void **cursor, struct kb_err *err)
{
	struct sqlite_conn *conn = sqlite_of(base);
	struct statement *slot;
	sqlite3_stmt *stmt;

	if (kb_fault())
		return fail(err, NULL, SQLITE_IOERR, what->name);
	slot = statement(conn, what, err);
	if (!slot)
		return false;
	stmt = slot->stmt;
	KB_ASSERT(!sqlite3_stmt_busy(stmt));
	for (size_t i = 0; i < values.count; i++) {
		int place = slot->place[i], rc;
		const struct kb_db_value *value = &values.v[i];
		struct kb_sv text = value->text;

		if (!place)
			continue;
		if (value->type == 'i')
			rc = sqlite3_bind_int64(stmt, place, value->n);
		else if (value->type == 'n' && !text.p)
			rc = sqlite3_bind_null(stmt, place);
		else
			rc = sqlite3_bind_text64(stmt, place, text.p ? text.p : "", text.n,
			                         SQLITE_STATIC, SQLITE_UTF8);
		if (rc != SQLITE_OK)
			return fail_now(err, conn, what->name);
	}
	*cursor = slot;
	return true;
}

static enum kb_db_step sqlite_step(struct kb_db_conn *base, void *cursor, struct kb_err *err)
{
	struct statement *slot = cursor;
	int rc = sqlite3_step(slot->stmt);

	if (rc == SQLITE_ROW)
		return KB_STEP_ROW;
	if (rc == SQLITE_DONE)
		return KB_STEP_DONE;
	fail(err, sqlite_of(base)->handle, rc, slot->sql->name);
	return KB_STEP_FAILED;
}

static int64_t sqlite_column_int(void *cursor, int column)
{
	return sqlite3_column_int64(((struct statement *)cursor)->stmt, column);
}

static struct kb_sv sqlite_column_text(void *cursor, int column)
{
	sqlite3_stmt *stmt = ((struct statement *)cursor)->stmt;
	const char *p = (const char *)sqlite3_column_text(stmt, column);

	return kb_sv(p, p ? (size_t)sqlite3_column_bytes(stmt, column) : 0);
}

static int64_t sqlite_finish(struct kb_db_conn *base, void *cursor)
{
	struct statement *slot = cursor;
	int64_t changed = sqlite3_changes64(sqlite_of(base)->handle);

	sqlite3_reset(slot->stmt);
	return changed;
}

static bool run(struct kb_db_conn *conn, int which, struct kb_err *err)
{
	return kb_db_run(conn, &sql[which], KB_NO_VALUES, NULL, err);
}

static bool sqlite_begin(struct kb_db_conn *conn, bool writes, struct kb_err *err)
{
	return run(conn, writes ? BEGIN_WRITE : BEGIN_READ, err);
}

static bool sqlite_commit(struct kb_db_conn *conn, struct kb_err *err)
{
	if (run(conn, COMMIT, err))
		return true;
	/* The frames may be on the disk although their sync failed, and a crash right now would
	 * bring them back. */
	if (sqlite3_extended_errcode(sqlite_of(conn)->handle) == SQLITE_IOERR_FSYNC)
		kb_fail(err, KB_E_UNCERTAIN, "the disk failed to sync the database's commit");
	return false;
}

static bool sqlite_in_transaction(struct kb_db_conn *conn)
{
	return !sqlite3_get_autocommit(sqlite_of(conn)->handle);
}

static void sqlite_rollback(struct kb_db_conn *conn)
{
	struct kb_fault_state state = kb_fault_swap((struct kb_fault_state){ 0 });
	struct kb_err err;

	if (sqlite_in_transaction(conn) && !run(conn, ROLLBACK, &err))
		KB_ASSERT(!sqlite_in_transaction(conn));
	kb_fault_swap(state);
}

static bool sqlite_savepoint(struct kb_db_conn *conn, enum kb_savepoint what, struct kb_err *err)
{
	struct kb_fault_state state;
	bool ok;

	if (what == KB_SET)
		return run(conn, SAVE, err);
	if (what == KB_KEEP)
		return run(conn, SAVE_KEEP, err);
	state = kb_fault_swap((struct kb_fault_state){ 0 });
	ok = run(conn, SAVE_UNDO, err) && run(conn, SAVE_KEEP, err);
	kb_fault_swap(state);
	return ok;
}

static bool sqlite_sequence(struct kb_db_conn *conn, const char *name, int64_t first,
                            struct kb_err *err)
{
	return kb_db_run(conn, &sql[NEW_SEQUENCE],
	                 KB_VALUES(kb_text(kb_sv_str(name)), kb_int(first)), NULL, err);
}

static bool sqlite_next_id(struct kb_db_conn *conn, const char *sequence, int64_t count,
                           int64_t *first, struct kb_err *err)
{
	int64_t last;

	if (!kb_db_int(conn, &sql[NEXT_ID], KB_VALUES(kb_text(kb_sv_str(sequence)), kb_int(count)),
	               0, &last, err))
		return false;
	if (last < count)
		return kb_corrupt(err, "the database has no counter \"%s\"", sequence);
	*first = last - count + 1;
	return true;
}

static bool sqlite_sequence_at(struct kb_db_conn *conn, const char *sequence, int64_t at_least,
                               int64_t *next, struct kb_err *err)
{
	struct kb_db_value name = kb_text(kb_sv_str(sequence));

	if (!kb_db_int(conn, &sql[LAST_ID], KB_VALUES(name), 0, next, err))
		return false;
	if (at_least <= *next)
		return true;
	*next = at_least;
	return kb_db_run(conn, &sql[RAISE], KB_VALUES(name, kb_int(at_least)), NULL, err);
}

static bool copy_pages(sqlite3_backup *backup, sqlite3 *to, const struct kb_cancel *cancel,
                       struct kb_err *err)
{
	int rc = SQLITE_OK;

	while (rc == SQLITE_OK)
		if (kb_cancelled(cancel, err))
			return false;
		else
			rc = kb_fault() ? SQLITE_IOERR : sqlite3_backup_step(backup, COPY_PAGES);
	return rc == SQLITE_DONE || fail(err, to, rc, "copy");
}

/* The transaction that is open on the connection holds one state, however long this takes. */
static bool sqlite_copy(struct kb_db_conn *base, const char *path, const struct kb_cancel *cancel,
                        struct kb_err *err)
{
	sqlite3 *from = sqlite_of(base)->handle, *to = NULL;
	sqlite3_backup *backup = NULL;
	bool ok;

	/* The first look at the database takes the state. A file that is torn begins anew. */
	if (sqlite3_exec(from, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL) != SQLITE_OK)
		return fail_now(err, sqlite_of(base), "copy");
	ok = sqlite3_open_v2(path, &to,
	                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL)
	             == SQLITE_OK
	     && sqlite3_exec(to, "PRAGMA synchronous = OFF", NULL, NULL, NULL) == SQLITE_OK
	     && (backup = sqlite3_backup_init(to, "main", from, "main")) != NULL;
	if (!ok)
		fail(err, to, to ? sqlite3_extended_errcode(to) : SQLITE_CANTOPEN, path);
	ok = ok && copy_pages(backup, to, cancel, err);
	if (backup && sqlite3_backup_finish(backup) != SQLITE_OK && ok)
		ok = fail(err, to, sqlite3_extended_errcode(to), "copy");
	sqlite3_close(to);
	return ok;
}

static bool sqlite_check(struct kb_db_conn *base, void (*say)(void *arg, const char *finding),
                         void *arg, int64_t *findings, struct kb_err *err)
{
	struct sqlite_conn *conn = sqlite_of(base);
	sqlite3_stmt *stmt;
	int rc;

	if (sqlite3_prepare_v2(conn->handle, "PRAGMA integrity_check(100)", -1, &stmt, NULL)
	    != SQLITE_OK)
		return fail_now(err, conn, "integrity_check");
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *finding = (const char *)sqlite3_column_text(stmt, 0);

		if (finding && strcmp(finding, "ok") == 0)
			continue;
		++*findings;
		say(arg, finding ? finding : "the database is damaged");
	}
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE || fail_now(err, conn, "integrity_check");
}

const struct kb_driver kb_driver_sqlite = {
	.name = "sqlite",
	.writers = 1,
	.open = sqlite_open,
	.close = sqlite_close,
	.begin = sqlite_begin,
	.commit = sqlite_commit,
	.rollback = sqlite_rollback,
	.savepoint = sqlite_savepoint,
	.in_transaction = sqlite_in_transaction,
	.start = sqlite_start,
	.step = sqlite_step,
	.column_int = sqlite_column_int,
	.column_text = sqlite_column_text,
	.finish = sqlite_finish,
	.script = sqlite_script,
	.sequence = sqlite_sequence,
	.next_id = sqlite_next_id,
	.sequence_at = sqlite_sequence_at,
	.columns = &sql[COLUMNS],
	.references = &sql[REFERENCES],
	.notify = NULL, /* they look again after a second (cache.h) */
	.copy = sqlite_copy,
	.check = sqlite_check,
};
