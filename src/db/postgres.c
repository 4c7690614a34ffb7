/*
 * The PostgreSQL driver, over libpq in pipeline mode. Everything that only PostgreSQL knows stands
 * here.
 *
 * A round trip costs more than most statements, so what has no result that anybody waits for
 * (BEGIN, savepoints, PREPARE) goes out with the next statement that has one. Each statement that
 * is waited for ends with a sync: outside of a transaction it is one of its own.
 *
 * A connection keeps nothing that another one would lack but prepared statements, and none of those
 * with `statements=unnamed` in the address: a pooler may give each transaction another session. The
 * address says `silence=SECONDS`, too: after so long somebody looks whether the server is there.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "db/db.h"
#include "db/pq_address.h"

enum {
	STATEMENT_SLOTS = 2048, /* more than twice the statements there are */
	PENDING_MAX = 512,
	PENDING_SPARE = 8, /* of one statement and what goes with it */
	OID_BIGINT = 20,
	OID_TEXT = 25,
	LINE_GAP = 100000, /* ids that others may take while a line of them is laid aside */
	LOOKS_MAX = 40,    /* by default the longest statement that is waited for: ten minutes */
};

struct statement {
	const struct kb_sql *sql;
	bool is_ready; /* prepared */
	char name[16];
};

struct cursor;

/* What was sent and not heard of yet. */
struct pending {
	const struct kb_sql *sql;    /* NULL: a sync */
	struct statement *preparing; /* NULL: it is run */
	struct cursor *cursor; /* who wants its result; NULL: whoever hears it last, if at all */
};

struct pg_conn {
	struct kb_db_conn base;
	const struct kb_pq *pq;
	PGconn *handle;
	struct kb_pq_address address;
	bool in_transaction;
	bool is_broken; /* nothing more will come of it */
	struct pending pending[PENDING_MAX];
	size_t pending_count;
	struct statement slots[STATEMENT_SLOTS]; /* by the statement's address, open addressing */
	size_t used;
	struct kb_arena texts; /* mended for the statement that is being sent */
};

/* A running statement. It is sent when it is started, and heard at its first step: what several
 * have started meanwhile shares one trip. */
struct cursor {
	struct pg_conn *conn;
	PGresult *result; /* NULL where it failed, and until it is heard */
	bool is_heard;
	int row, count;
	struct kb_err err;
};

// clang-format off
enum {
	BEGIN_READ, BEGIN_WRITE, COMMIT, ROLLBACK, SAVE, SAVE_UNDO, SAVE_KEEP,
	NEXT_ID, NEXT_IDS, SOME_IDS, LINE_HOLD, LINE, SEQUENCE_AT, RAISE, NOW, COLUMNS, REFERENCES,
};
static const struct kb_sql sql[] = {
	[BEGIN_READ]  = { "begin_read",  "", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" },
	[BEGIN_WRITE] = { "begin_write", "", "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE" },
	[COMMIT]      = { "commit",      "", "COMMIT" },
	[ROLLBACK]    = { "rollback",    "", "ROLLBACK" },
	[SAVE]        = { "save",        "", "SAVEPOINT one" },
	[SAVE_UNDO]   = { "save_undo",   "", "ROLLBACK TO SAVEPOINT one" },
	[SAVE_KEEP]   = { "save_keep",   "", "RELEASE SAVEPOINT one" },
	[NOW]         = { "now",         "",
		"SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint" },
	[NEXT_ID]     = { "next_id",     "t", "SELECT nextval($1::regclass)" },
	[SOME_IDS]    = { "some_ids",    "ti",
		"SELECT nextval(('ids_' || $1)::regclass) FROM generate_series(1, $2)" },
	/* Until the end of the transaction. */
	[LINE_HOLD]   = { "line_hold", "t",
		"INSERT INTO work (agent_id, kind, lease_node, lease_epoch, lease_until) VALUES (0, $1, 0, 1, 0) "
		"ON CONFLICT (agent_id, kind) DO UPDATE SET lease_epoch = work.lease_epoch + 1" },
	/* The last of a line of $3 that begins $2 behind what is next. One statement: who stands still
	 * before it has taken nothing yet, and for what others take within it $2 is wide enough. */
	[LINE]        = { "line", "tii", "SELECT setval($1::regclass, nextval($1::regclass) + $2 + $3)" },
	[SEQUENCE_AT] = { "sequence_at", "t",
		"SELECT coalesce(last_value + 1, start_value) FROM pg_sequences "
		"WHERE schemaname = current_schema() AND sequencename = $1" },
	[RAISE]       = { "raise", "ti", "SELECT setval($1::regclass, $2 - 1)" },
	[COLUMNS]     = { "columns", "",
		"SELECT c.relname, a.attname, format_type(a.atttypid, NULL), "
		"coalesce(array_position(k.conkey, a.attnum), 0) FROM pg_class c "
		"JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
		"LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p' "
		"WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace "
		"ORDER BY c.relname COLLATE \"C\", a.attnum" },
	[REFERENCES]  = { "references", "",
		"SELECT c.relname, r.relname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid "
		"JOIN pg_class r ON r.oid = k.confrelid WHERE k.contype = 'f'" },
	[NEXT_IDS]    = { "next_ids",    "ti",
		"SELECT min(id), max(id) FROM (SELECT nextval($1::regclass) AS id FROM generate_series(1, $2)) ids" },
};
// clang-format on

static struct pg_conn *pg_of(struct kb_db_conn *conn)
{
	return (struct pg_conn *)(void *)conn;
}

/* ---- errors ---- */

#define BEHIND_POOLER ": behind a pooler of transactions, say statements=unnamed in its address"

/* What the five letters of an error mean; a row may name their first two or four. In what clients
 * read there are no words of SQL. */
static const struct meaning {
	const char *state;
	enum kb_errc code;
	enum kb_db_again again;
	bool broken;
	const char *text; /* NULL: the server's own, which err.c hides */
} meanings[] = {
	{ "23502", KB_E_NOT_FOUND, .again = KB_AGAIN_ONCE,
	  .text = "what it belongs to is not there any more" },
	{ "23503", KB_E_NOT_FOUND, .again = KB_AGAIN_ONCE,
	  .text = "what it belongs to is not there any more" },
	{ "23505", KB_E_CONFLICT, .again = KB_AGAIN_ONCE, .text = "there is one like it already" },
	{ "40001", KB_E_BUSY, .again = KB_AGAIN_OFTEN,
	  .text = "others changed the same rows too often" },
	{ "40P01", KB_E_BUSY, .again = KB_AGAIN_OFTEN,
	  .text = "others changed the same rows too often" },
	{ "55P03", KB_E_BUSY, .again = KB_AGAIN_OFTEN, .text = "others hold the same rows" },
	{ "57P0", KB_E_BUSY, .again = KB_AGAIN_OFTEN, .broken = true,
	  .text = "the database is starting or stopping" },
	{ "08", KB_E_BUSY, .again = KB_AGAIN_OFTEN, .broken = true,
	  .text = "the database cannot be reached" },
	{ "25P03", KB_E_BUSY, .again = KB_AGAIN_OFTEN, .broken = true,
	  .text = "the database waited too long for this change" },
	{ "25006", KB_E_BUSY, .again = KB_AGAIN_OFTEN, .broken = true,
	  .text = "the database takes no writes right now" },
	{ "42501", KB_E_IO,
	  .text = "the database denies the role of its address what it needs: the role has to own "
	          "the database, or be granted the making of tables in its schema" },
	{ "53300", KB_E_BUSY, .again = KB_AGAIN_OFTEN,
	  .text = "the database has too many connections" },
	{ "53100", KB_E_FULL, .text = "no space left for the database" },
	{ "53", KB_E_BUSY, .text = "the database is out of resources" },
	{ "54", KB_E_TOO_LARGE, .text = "a value is too large for the database" },
	{ "XX00", KB_E_CORRUPT },
	{ "0A000", KB_E_BUSY, .again = KB_AGAIN_OFTEN,
	  .broken = true, /* a plan of before a migration */
	  .text = "the database was changed meanwhile" },
	{ "26000", KB_E_IO, .text = "the database forgot a prepared statement" BEHIND_POOLER },
};

static bool fail(struct pg_conn *conn, const char *state, const char *why, const char *what,
                 struct kb_err *err)
{
	const struct kb_pq *pq = conn->pq;
	size_t n = strcspn(why, "\n");

	if (!state && pq->PQstatus(conn->handle) == CONNECTION_BAD)
		state = "08006";
	conn->base.again = KB_AGAIN_NEVER;
	for (size_t i = 0; state && i < KB_COUNTOF(meanings); i++) {
		const struct meaning *m = &meanings[i];

		if (strncmp(state, m->state, strlen(m->state)) != 0)
			continue;
		conn->base.again = m->again;
		conn->is_broken |= m->broken;
		if (m->code == KB_E_CORRUPT)
			return kb_corrupt(err, "the database is damaged (%s): %.*s", what, (int)n,
			                  why);
		return kb_fail(err, m->code, "%s", m->text);
	}
	conn->is_broken |= pq->PQstatus(conn->handle) == CONNECTION_BAD;
	return kb_fail(err, KB_E_IO, "the database failed (%s, %s): %.*s", what,
	               state ? state : "no state", (int)n, why);
}

static bool fail_result(struct pg_conn *conn, const PGresult *result, const char *what,
                        struct kb_err *err)
{
	return fail(conn, conn->pq->PQresultErrorField(result, PG_DIAG_SQLSTATE),
	            conn->pq->PQresultErrorMessage(result), what, err);
}

static bool fail_sending(struct pg_conn *conn, const char *what, struct kb_err *err)
{
	conn->is_broken = true;
	return fail(conn, "08006", conn->pq->PQerrorMessage(conn->handle), what, err);
}

/* ---- sending and hearing ---- */

static bool note_sent(struct pg_conn *conn, const struct kb_sql *what, struct statement *preparing,
                      int sent, struct kb_err *err)
{
	if (!sent)
		return fail_sending(conn, what ? what->name : "sync", err);
	conn->pending[conn->pending_count++] = (struct pending){ what, preparing, NULL };
	return true;
}

static bool send_sync(struct pg_conn *conn, struct kb_err *err)
{
	return note_sent(conn, NULL, NULL, conn->pq->PQpipelineSync(conn->handle), err);
}

/* A connection; whoever loses it without a word (a machine without power, a wire that is cut) holds
 * no row for long. Behind a pooler of transactions that is the server's to say. */
static PGconn *dial(const struct kb_pq *pq, const char *address, const char *options)
{
	/* Those before the address are only defaults of it. */
	static const char *const names[] = {
		"connect_timeout",
		"keepalives_idle",
		"keepalives_interval",
		"keepalives_count",
		"tcp_user_timeout",
		"target_session_attrs",
		"fallback_application_name",
		"options",
		"dbname",
		"client_encoding",
		NULL,
	};
	const char *const values[] = { "5",      "10",    "5",     "3",    "15000", "read-write",
		                       "docent", options, address, "UTF8", NULL };

	return kb_fault() ? NULL : pq->PQconnectdbParams(names, values, 1);
}

/* Whether somebody still answers there, on another connection. */
static bool is_there(const struct pg_conn *conn)
{
	PGconn *other = dial(conn->pq, conn->address.text, NULL);
	bool ok = other && conn->pq->PQstatus(other) == CONNECTION_OK;

	if (other)
		conn->pq->PQfinish(other);
	return ok;
}

/* Waits until a result is there. False when nothing is said for long, and either nobody is there
 * or the statement takes longer than any may: a server that stands still, and a wire that passes
 * nothing on, end no connection by themselves. */
static bool wait_to_hear(struct pg_conn *conn)
{
	const struct kb_pq *pq = conn->pq;
	int looks = 0;

	while (pq->PQisBusy(conn->handle)) {
		int left = pq->PQflush(conn->handle), ready;
		struct pollfd at = { .fd = pq->PQsocket(conn->handle),
			             .events = (short)(left ? POLLIN | POLLOUT : POLLIN) };

		if (left < 0)
			break; /* PQgetResult says why */
		ready = poll(&at, 1, conn->address.quiet_ms);
		if (ready == 0 && (++looks == LOOKS_MAX || !is_there(conn)))
			return false;
		if ((ready < 0 && errno != EINTR)
		    || (ready > 0 && !pq->PQconsumeInput(conn->handle)))
			break;
	}
	return true;
}

static PGresult *get_result(struct pg_conn *conn)
{
	return wait_to_hear(conn) ? conn->pq->PQgetResult(conn->handle) : NULL;
}

/* The one result of what was sent first, the pipeline standing behind it. */
static PGresult *hear_one(struct pg_conn *conn, const struct pending *of)
{
	const struct kb_pq *pq = conn->pq;
	PGresult *result = get_result(conn), *more;

	if (!of->sql || !result)
		return result; /* no end is told of a sync */
	while ((more = get_result(conn)) != NULL) {
		pq->PQclear(result); /* an error within the rows */
		result = more;
	}
	return result;
}

static void hand_over(struct cursor *cursor, PGresult *result, const struct kb_err *err)
{
	cursor->is_heard = true;
	cursor->result = result;
	if (result)
		cursor->count = cursor->conn->pq->PQntuples(result);
	else
		cursor->err = *err;
}

/* Hears all that was sent. The result of the last statement that no cursor waits for, or NULL and
 * its error, or that of one before it: of those between two syncs none was run after the first that
 * failed. */
static PGresult *hear_all(struct pg_conn *conn, struct kb_err *err)
{
	const struct kb_pq *pq = conn->pq;
	PGresult *last = NULL;
	bool failed = false;

	for (size_t i = 0; i < conn->pending_count; i++) {
		const struct pending *of = &conn->pending[i];
		const char *what = of->sql ? of->sql->name : "sync";
		PGresult *result = conn->is_broken ? NULL : hear_one(conn, of);
		ExecStatusType status = result ? pq->PQresultStatus(result) : PGRES_FATAL_ERROR;
		bool ok = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK
		          || status == PGRES_PIPELINE_SYNC;

		if (of->preparing)
			of->preparing->is_ready = ok;
		if (!ok && !failed) {
			failed = true;
			if (result)
				fail_result(conn, result, what, err);
			else
				fail_sending(conn, what, err);
		}
		if (of->cursor) {
			if (!ok)
				pq->PQclear(result);
			hand_over(of->cursor, ok ? result : NULL, err);
		} else if (ok && of->sql && !of->preparing) {
			pq->PQclear(last);
			last = result;
		} else {
			pq->PQclear(result);
		}
	}
	conn->pending_count = 0;
	if (failed) {
		pq->PQclear(last);
		last = NULL;
	}
	return last;
}

/* The slot of a statement, which is prepared with its first use. */
static struct statement *statement(struct pg_conn *conn, const struct kb_sql *what)
{
	size_t i = (size_t)((uint64_t)(uintptr_t)what * UINT64_C(0x9e3779b97f4a7c15) >> 32);

	for (;; i++) {
		struct statement *slot = &conn->slots[i % STATEMENT_SLOTS];

		if (slot->sql == what)
			return slot;
		if (slot->sql)
			continue;
		slot->sql = what;
		snprintf(slot->name, sizeof(slot->name), "s%zu", ++conn->used);
		KB_ASSERT(conn->used < STATEMENT_SLOTS / 2);
		return slot;
	}
}

/* Room for one more statement. */
static bool has_room(const struct pg_conn *conn)
{
	return conn->pending_count + PENDING_SPARE < PENDING_MAX;
}

static bool send(struct pg_conn *conn, const struct kb_sql *what, struct kb_db_values values,
                 struct kb_err *err)
{
	const struct kb_pq *pq = conn->pq;
	const char *at[KB_SQL_PARAMS];
	int sizes[KB_SQL_PARAMS], formats[KB_SQL_PARAMS], count = (int)values.count;
	unsigned char numbers[KB_SQL_PARAMS][8];
	unsigned types[KB_SQL_PARAMS];
	struct statement *slot;
	bool ok;

	if (conn->is_broken)
		return fail(conn, "08006", "", what->name, err);
	for (size_t i = 0; i < values.count; i++) {
		const struct kb_db_value *value = &values.v[i];

		formats[i] = 1;
		types[i] = value->type == 'i' ? OID_BIGINT : OID_TEXT;
		if (value->type == 'i') {
			for (int k = 0; k < 8; k++)
				numbers[i][k] = (unsigned char)((uint64_t)value->n >> (56 - 8 * k));
			at[i] = (const char *)numbers[i];
			sizes[i] = 8;
		} else if (value->type == 'n' && !value->text.p) {
			at[i] = NULL;
			sizes[i] = 0;
		} else {
			struct kb_sv text = kb_db_text(&conn->texts, value->text);

			if (text.n > INT32_MAX)
				return fail(conn, "54000", "", what->name, err);
			at[i] = text.p ? text.p : "";
			sizes[i] = (int)text.n;
		}
	}
	if (conn->address.is_unnamed) {
		ok = note_sent(conn, what, NULL,
		               pq->PQsendQueryParams(conn->handle, what->text, count, types, at,
		                                     sizes, formats, 0),
		               err);
	} else {
		slot = statement(conn, what);
		/* One that is on its way is prepared only if all before it goes well. */
		ok = (slot->is_ready
		      || note_sent(
		              conn, what, slot,
		              pq->PQsendPrepare(conn->handle, slot->name, what->text, count, types),
		              err))
		     && note_sent(conn, what, NULL,
		                  pq->PQsendQueryPrepared(conn->handle, slot->name, count, at,
		                                          sizes, formats, 0),
		                  err);
		slot->is_ready |= ok;
	}
	kb_arena_reset(&conn->texts);
	return ok;
}

/* Sends it with what waits, and hears it. */
static PGresult *ask(struct pg_conn *conn, const struct kb_sql *what, struct kb_db_values values,
                     struct kb_err *err)
{
	bool ok = send(conn, what, values, err) && send_sync(conn, err);
	struct kb_err none;
	PGresult *result = hear_all(conn, ok ? err : &none);

	if (ok)
		return result;
	conn->pq->PQclear(result);
	return NULL;
}

/* What is said whenever the next statement is. */
static bool tell_with(struct pg_conn *conn, const struct kb_sql *what, struct kb_db_values values,
                      struct kb_err *err)
{
	PGresult *result;

	if (has_room(conn))
		return send(conn, what, values, err);
	result = ask(conn, what, values, err);
	conn->pq->PQclear(result);
	return result != NULL;
}

static bool tell(struct pg_conn *conn, const struct kb_sql *what, struct kb_err *err)
{
	return tell_with(conn, what, KB_NO_VALUES, err);
}

/* ---- opening ---- */

static void pg_close(struct kb_db_conn *base)
{
	struct pg_conn *conn = pg_of(base);

	if (conn->handle)
		conn->pq->PQfinish(conn->handle);
	kb_arena_fini(&conn->texts);
	kb_pq_address_fini(&conn->address);
	free(conn->base.notes);
	kb_db_counts_fini(&conn->base);
	free(conn);
}

static void say_nothing(void *arg, const char *message)
{
	(void)arg;
	(void)message;
}

static bool check_encoding(struct pg_conn *conn, struct kb_err *err)
{
	const char *encoding = conn->pq->PQparameterStatus(conn->handle, "server_encoding");

	return (encoding && strcmp(encoding, "UTF8") == 0)
	       || kb_fail(err, KB_E_UNSUPPORTED,
	                  "the database has the encoding %s; Docent needs UTF8",
	                  encoding ? encoding : "?");
}

static struct kb_db_conn *pg_open(const char *where, bool writes, struct kb_err *err)
{
	const struct kb_pq *pq = kb_pq_load(err);
	struct pg_conn *conn;

	if (!pq)
		return NULL;
	conn = kb_xcalloc(1, sizeof(*conn));
	conn->base.driver = &kb_driver_postgres;
	conn->pq = pq;
	if (!kb_pq_address_read(pq, where, &conn->address, err)) {
		pg_close(&conn->base);
		return NULL;
	}
	conn->handle = dial(pq, conn->address.text,
	                    conn->address.is_unnamed ? NULL
	                    : writes                 ? "-c idle_in_transaction_session_timeout=30s"
	                             : "-c idle_in_transaction_session_timeout=10min");
	if (!conn->handle || pq->PQstatus(conn->handle) != CONNECTION_OK) {
		const char *why = conn->handle ? pq->PQerrorMessage(conn->handle) : "no memory";

		kb_fail(err, KB_E_IO, "cannot reach the database: %.*s%s", (int)strcspn(why, "\n"),
		        why, strstr(why, "unsupported startup parameter") ? BEHIND_POOLER : "");
	} else if (check_encoding(conn, err)) {
		pq->PQsetNoticeProcessor(conn->handle, say_nothing, NULL);
		if (pq->PQenterPipelineMode(conn->handle))
			return &conn->base;
		fail_sending(conn, "pipeline", err);
	}
	pg_close(&conn->base);
	return NULL;
}

/* One that nobody waits for has nothing to say, unless it is about its end. */
static bool pg_usable(struct kb_db_conn *base)
{
	struct pg_conn *conn = pg_of(base);
	struct pollfd at = { .fd = conn->pq->PQsocket(conn->handle), .events = POLLIN };

	if (conn->pending_count && !conn->is_broken) {
		struct kb_err err;

		conn->pq->PQclear(hear_all(conn, &err));
	}
	return !conn->is_broken && poll(&at, 1, 0) == 0;
}

/* ---- statements ---- */

/* Hears all that was started and deferred; each cursor gets its result or its error. */
static void hear_started(struct pg_conn *conn)
{
	struct kb_err err = { 0 };

	if (!conn->is_broken)
		(void)send_sync(conn, &err); /* else it is broken now, and all that waits is told */
	conn->pq->PQclear(hear_all(conn, &err));
}

static bool pg_start(struct kb_db_conn *base, const struct kb_sql *what, struct kb_db_values values,
                     void **cursor, struct kb_err *err)
{
	struct pg_conn *conn = pg_of(base);
	struct cursor *out;

	if (kb_fault())
		return kb_fail(err, KB_E_IO, "the database failed (%s): a fault", what->name);
	if (!has_room(conn))
		hear_started(conn);
	if (!send(conn, what, values, err))
		return false;
	*cursor = out = kb_xcalloc(1, sizeof(*out));
	out->conn = conn;
	out->row = -1;
	conn->pending[conn->pending_count - 1].cursor = out;
	return true;
}

static bool pg_defer(struct kb_db_conn *base, const struct kb_sql *what, struct kb_db_values values,
                     struct kb_err *err)
{
	if (kb_fault())
		return kb_fail(err, KB_E_IO, "the database failed (%s): a fault", what->name);
	return tell_with(pg_of(base), what, values, err);
}

static enum kb_db_step pg_step(struct kb_db_conn *base, void *cursor, struct kb_err *err)
{
	struct cursor *at = cursor;

	if (!at->is_heard)
		hear_started(pg_of(base));
	if (!at->result) {
		*err = at->err;
		return KB_STEP_FAILED;
	}
	return ++at->row < at->count ? KB_STEP_ROW : KB_STEP_DONE;
}

static struct kb_sv pg_column_text(void *cursor, int column)
{
	struct cursor *at = cursor;
	const struct kb_pq *pq = at->conn->pq;

	if (pq->PQgetisnull(at->result, at->row, column))
		return kb_sv(NULL, 0);
	return kb_sv(pq->PQgetvalue(at->result, at->row, column),
	             (size_t)pq->PQgetlength(at->result, at->row, column));
}

/* Booleans come as t and f. */
static int64_t pg_column_int(void *cursor, int column)
{
	struct kb_sv text = pg_column_text(cursor, column);

	if (!text.n)
		return 0;
	return *text.p == 't' ? 1 : strtoll(text.p, NULL, 10);
}

static int64_t pg_finish(struct kb_db_conn *base, void *cursor)
{
	struct pg_conn *conn = pg_of(base);
	struct cursor *at = cursor;
	int64_t changed = 0;

	if (!at->is_heard)
		hear_started(conn); /* nobody wants it any more */
	if (at->result)
		changed = strtoll(conn->pq->PQcmdTuples(at->result), NULL, 10);
	conn->pq->PQclear(at->result);
	free(at);
	return changed;
}

/* ---- transactions ---- */

static bool pg_begin(struct kb_db_conn *base, bool writes, struct kb_err *err)
{
	struct pg_conn *conn = pg_of(base);

	if (kb_fault())
		return kb_fail(err, KB_E_IO, "the database failed (begin): a fault");
	conn->in_transaction = tell(conn, &sql[writes ? BEGIN_WRITE : BEGIN_READ], err);
	return conn->in_transaction;
}

static bool pg_commit(struct kb_db_conn *base, struct kb_err *err)
{
	struct pg_conn *conn = pg_of(base);
	PGresult *result;
	bool ok;

	if (kb_fault())
		return kb_fail(err, KB_E_IO, "the database failed (commit): a fault");
	if (conn->is_broken)
		return fail(conn, "08006", "", "commit", err);
	result = ask(conn, &sql[COMMIT], KB_NO_VALUES, err);
	if (!result) {
		if (!conn->is_broken)
			return false;
		conn->base.again = KB_AGAIN_NEVER;
		return kb_fail(err, KB_E_UNCERTAIN, "the database went away during the commit");
	}
	/* A transaction in which something failed ends like this too, but undone. */
	ok = strcmp(conn->pq->PQcmdStatus(result), "COMMIT") == 0;
	conn->pq->PQclear(result);
	conn->in_transaction = false;
	return ok || kb_fail(err, KB_E_IO, "the database failed (commit): a statement had failed");
}

static bool pg_in_transaction(struct kb_db_conn *base)
{
	return pg_of(base)->in_transaction && !pg_of(base)->is_broken;
}

/* It is heard of with the next statement: a reader does not wait for it. */
static void pg_rollback(struct kb_db_conn *base)
{
	struct pg_conn *conn = pg_of(base);
	struct kb_err err;
	enum kb_db_again again = base->again;

	/* Behind what was not heard of yet it might not be run. */
	if (conn->in_transaction && conn->pending_count)
		hear_started(conn);
	if (conn->in_transaction && !conn->is_broken
	    && !(tell(conn, &sql[ROLLBACK], &err) && send_sync(conn, &err)
	         && conn->pq->PQflush(conn->handle) >= 0))
		conn->is_broken = true;
	conn->in_transaction = false;
	base->again = again;
}

static bool pg_savepoint(struct kb_db_conn *base, enum kb_savepoint what, struct kb_err *err)
{
	struct pg_conn *conn = pg_of(base);
	struct kb_err none;

	if (what != KB_UNDO && kb_fault())
		return kb_fail(err, KB_E_IO, "the database failed (savepoint): a fault");
	if (what != KB_UNDO)
		return tell(conn, &sql[what == KB_SET ? SAVE : SAVE_KEEP], err);
	return tell(conn, &sql[SAVE_UNDO], &none) && tell(conn, &sql[SAVE_KEEP], &none);
}

/* ---- the rest ---- */

static bool pg_script(struct kb_db_conn *base, const char *text, struct kb_err *err)
{
	struct pg_conn *conn = pg_of(base);
	const struct kb_pq *pq = conn->pq;
	PGresult *result;
	bool ok;

	if (kb_fault())
		return kb_fail(err, KB_E_IO, "the database failed (script): a fault");
	if (conn->pending_count) {
		if (!send_sync(conn, err))
			return false;
		result = hear_all(conn, err);
		pq->PQclear(result);
		if (!result)
			return false;
	}
	if (!pq->PQexitPipelineMode(conn->handle))
		return fail_sending(conn, "script", err);
	result = pq->PQexec(conn->handle, text);
	ok = pq->PQresultStatus(result) == PGRES_COMMAND_OK
	     || pq->PQresultStatus(result) == PGRES_TUPLES_OK
	     || fail_result(conn, result, "script", err);
	pq->PQclear(result);
	return pq->PQenterPipelineMode(conn->handle) ? ok : fail_sending(conn, "script", err);
}

static bool pg_now(struct kb_db_conn *conn, int64_t *now_us, struct kb_err *err)
{
	return kb_db_int(conn, &sql[NOW], KB_NO_VALUES, 0, now_us, err);
}

static void sequence_name(const char *name, char out[64])
{
	snprintf(out, 64, "ids_%s", name);
}

static bool pg_sequence(struct kb_db_conn *base, const char *name, int64_t first,
                        struct kb_err *err)
{
	char sequence[64], text[200];

	sequence_name(name, sequence);
	snprintf(text, sizeof(text), "CREATE SEQUENCE IF NOT EXISTS %s START WITH %" PRId64,
	         sequence, first);
	return pg_script(base, text, err);
}

static bool next_ids(struct kb_db_conn *conn, struct kb_sv name, int64_t count, int64_t *first,
                     bool *in_line, struct kb_err *err)
{
	struct kb_db_rows rows;
	int64_t last = 0;

	kb_rows_open(&rows, conn, &sql[NEXT_IDS], KB_VALUES(kb_text(name), kb_int(count)));
	while (kb_rows_next(&rows)) {
		*first = kb_rows_int(&rows, 0);
		last = kb_rows_int(&rows, 1);
	}
	*in_line = last - *first == count - 1;
	return kb_rows_close(&rows, err);
}

/* Ids in a line that begins so far ahead that nobody who takes others comes to it while the server
 * lays it aside. One at a time does so. */
static bool long_line(struct kb_db_conn *conn, struct kb_sv name, int64_t count, int64_t *first,
                      struct kb_err *err)
{
	int64_t last = 0;

	if (!kb_db_run(conn, &sql[LINE_HOLD], KB_VALUES(kb_text(name)), NULL, err)
	    || !kb_db_int(conn, &sql[LINE],
	                  KB_VALUES(kb_text(name), kb_int(LINE_GAP), kb_int(count)), 0, &last, err))
		return false;
	*first = last - count + 1;
	return true;
}

/* Somebody else may take one between ours: then these are left out. */
static bool pg_next_id(struct kb_db_conn *conn, const char *sequence, int64_t count, int64_t *first,
                       struct kb_err *err)
{
	char name[64];
	bool in_line = false;

	sequence_name(sequence, name);
	if (count == 1)
		return kb_db_int(conn, &sql[NEXT_ID], KB_VALUES(kb_text(kb_sv_str(name))), 0, first,
		                 err);
	return next_ids(conn, kb_sv_str(name), count, first, &in_line, err)
	       && (in_line || long_line(conn, kb_sv_str(name), count, first, err));
}

static bool pg_sequence_at(struct kb_db_conn *conn, const char *sequence, int64_t at_least,
                           int64_t *next, struct kb_err *err)
{
	struct kb_db_value name;
	char text[64];
	int64_t last;

	sequence_name(sequence, text);
	name = kb_text(kb_sv_str(text));
	if (!kb_db_int(conn, &sql[SEQUENCE_AT], KB_VALUES(name), 1, next, err))
		return false;
	if (at_least <= *next)
		return true;
	*next = at_least;
	return kb_db_int(conn, &sql[RAISE], KB_VALUES(name, kb_int(at_least)), 0, &last, err);
}

/* It checks its files by itself, where it was made to (initdb --data-checksums). */
static bool pg_check(struct kb_db_conn *conn, void (*say)(void *arg, const char *finding),
                     void *arg, int64_t *findings, struct kb_err *err)
{
	(void)conn;
	(void)say;
	(void)arg;
	(void)findings;
	(void)err;
	return true;
}

const struct kb_driver kb_driver_postgres = {
	.name = "postgresql",
	.writers = 4,
	.is_shared = true,
	.open = pg_open,
	.close = pg_close,
	.usable = pg_usable,
	.begin = pg_begin,
	.commit = pg_commit,
	.rollback = pg_rollback,
	.savepoint = pg_savepoint,
	.in_transaction = pg_in_transaction,
	.start = pg_start,
	.defer = pg_defer,
	.step = pg_step,
	.column_int = pg_column_int,
	.column_text = pg_column_text,
	.finish = pg_finish,
	.now = pg_now,
	.script = pg_script,
	.sequence = pg_sequence,
	.next_id = pg_next_id,
	.sequence_at = pg_sequence_at,
	.ids = &sql[SOME_IDS],
	.columns = &sql[COLUMNS],
	.references = &sql[REFERENCES],
	.notify = NULL, /* they look again after a second (cache.h) */
	.check = pg_check,
};
