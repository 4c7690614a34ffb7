#include "store/hosts.h"

#include "db/columns.h"
#include "store/hosts_own.h"
#include "store/store_own.h"

enum { KEPT_S = 86400, DROPPED_AT_ONCE = 50 };
#define ASK_AGAIN_US         (100 * INT64_C(1000)) /* while nobody knows how long it takes */
#define FAILING_PAUSE_US     KB_SECOND_US          /* after the first failure; doubled with each */
#define FAILING_PAUSE_MAX_US (64 * KB_SECOND_US)
#define REMEMBERED_US        (300 * KB_SECOND_US) /* a failure, after the pause */
#define WANT_US              (2 * KB_SECOND_US)   /* a reading that waits asks again much sooner */
#define SECOND_PAUSE_US      KB_SECOND_US         /* when nobody else had a page for it */

/* Two lines, in this order everywhere. */
#define STATE(FIRST, NEXT)                                                                         \
	FIRST(i, free_at, free_at)                                                                 \
	NEXT(i, failures, failures)                                                                \
	NEXT(i, last_agent, last_agent)                                                            \
	NEXT(i, last_was_page, last_was_page)                                                      \
	NEXT(i, second_at, second_at)                                                              \
	NEXT(i, wanted_by, wanted_by)                                                              \
	NEXT(i, wanted_until, wanted_until)
#define LINES(FIRST, NEXT)                                                                         \
	FIRST(i, one_agent, lines[0].agent)                                                        \
	NEXT(i, one_since, lines[0].since)                                                         \
	NEXT(i, one_until, lines[0].until)                                                         \
	NEXT(i, one_node, lines[0].node)                                                           \
	NEXT(i, two_agent, lines[1].agent)                                                         \
	NEXT(i, two_since, lines[1].since)                                                         \
	NEXT(i, two_until, lines[1].until)                                                         \
	NEXT(i, two_node, lines[1].node)
#define HOST(FIRST, NEXT)                   STATE(FIRST, NEXT) LINES(NEXT, NEXT)
#define HOST_COLUMN(letter, column, member) KB_COLUMN(struct kb_host_row, letter, column, member)

enum { LOCK, GET, PUT, PAGE_DUE, DROP, VOID_LINES };
#define UNLESS_THERE(line, me, since)                                                              \
	line "_until = CASE WHEN " line "_node IN " KB_NODES_THERE(me, since) " THEN " line        \
	                                                                      "_until ELSE 0 END"
// clang-format off
static const struct kb_sql sql[] = {
	[LOCK] = { "host_lock", "t",
		"INSERT INTO hosts (host, free_at, holder, lines, held_until) VALUES ($1, 0, '', 0, 0) "
		"ON CONFLICT (host) DO UPDATE SET holder = ''" },
	[GET] = { "host_get", "tii", "SELECT " KB_HOST_NAMES("h", "$2", "$3") " FROM hosts h WHERE h.host = $1" },
	/* A pause never becomes shorter. */
	[PUT] = { "host_put", "ti" KB_TYPES(HOST), KB_UPDATE("hosts", HOST) "WHERE host = $1 AND free_at <= $2" },
	[PAGE_DUE] = { "host_page_due", "ti",
		"SELECT count(*) FROM (SELECT 1 FROM pages WHERE state > 0 AND to_fetch = 1 AND host = $1 AND due_at <= $2 LIMIT 1) w" },
	[DROP] = { "host_drop", "iii",
		"DELETE FROM hosts WHERE host IN (SELECT host FROM hosts WHERE free_at < $1 AND one_until < $2 AND two_until < $2 "
		"ORDER BY free_at LIMIT $3)" },
	[VOID_LINES] = { "host_void_lines", "ii",
		"UPDATE hosts SET " UNLESS_THERE("one", "$1", "$2") ", " UNLESS_THERE("two", "$1", "$2")
		" WHERE one_until > 0 OR two_until > 0" },
};
// clang-format on
const struct kb_sql_table kb_sql_hosts = { "hosts", sql, KB_COUNTOF(sql) };

static const struct kb_db_columns columns =
        KB_COLUMNS(struct kb_host_row, HOST(HOST_COLUMN, HOST_COLUMN));

void kb_host_row_read(struct kb_db_rows *rows, int at, struct kb_host_row *out)
{
	struct kb_arena none = { 0 }; /* there is no text in it */

	kb_columns_read(&columns, rows, at, &none, out);
	kb_arena_fini(&none);
}

bool kb_host_lock(struct kb_db_conn *conn, const struct kb_host_moment *at, struct kb_host_row *out,
                  struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_host_row){ 0 };
	if (!kb_db_run(conn, &sql[LOCK], KB_VALUES(kb_text(at->host)), NULL, err))
		return false;
	kb_rows_open(
	        &rows, conn, &sql[GET],
	        KB_VALUES(kb_text(at->host), kb_int(at->node), kb_int(at->now - KB_NODE_ALIVE_US)));
	while (kb_rows_next(&rows))
		kb_host_row_read(&rows, 0, out);
	return kb_rows_close(&rows, err);
}

static bool put(struct kb_db_conn *conn, const struct kb_host_moment *at,
                const struct kb_host_row *row, struct kb_err *err)
{
	return kb_columns_write(&columns, conn, &sql[PUT],
	                        KB_VALUES(kb_text(at->host), kb_int(row->free_at)), row, err);
}

/* ---- whose turn it is ---- */

bool kb_host_is_failing(const struct kb_host_row *row, int64_t now)
{
	return row->failures && row->free_at + REMEMBERED_US > now;
}

/* The first line that is held; NULL: none is. */
static const struct kb_host_line_row *held_line(const struct kb_host_row *row, int64_t now)
{
	for (size_t i = 0; i < KB_COUNTOF(row->lines); i++)
		if (row->lines[i].until > now)
			return &row->lines[i];
	return NULL;
}

static struct kb_host_line_row *free_line(struct kb_host_row *row, int64_t now)
{
	for (size_t i = 0; i < KB_COUNTOF(row->lines); i++)
		if (row->lines[i].until <= now)
			return &row->lines[i];
	return NULL;
}

static bool are_all_held(const struct kb_host_row *row, int64_t now)
{
	bool all = true;

	for (size_t i = 0; i < KB_COUNTOF(row->lines); i++)
		all = all && row->lines[i].until > now;
	return all;
}

int64_t kb_host_held_by(const struct kb_host_row *row, int64_t now)
{
	const struct kb_host_line_row *line = held_line(row, now);

	return line ? line->agent : 0;
}

/* When there is a line for the agent (0: for whoever has a page): 0 is now. */
static int64_t line_in(const struct kb_host_row *row, int64_t agent, int64_t now)
{
	const struct kb_host_line_row *held = held_line(row, now);
	int64_t at = row->free_at;

	if (!held)
		return KB_MAX(at - now, INT64_C(0));
	if (are_all_held(row, now) || kb_host_is_failing(row, now) || held->agent == agent)
		return ASK_AGAIN_US;
	at = KB_MAX(at, held->since + KB_HOST_STUCK_US);
	if (agent == 0)
		at = KB_MAX(at, row->second_at);
	return KB_MIN(KB_MAX(at - now, INT64_C(0)), ASK_AGAIN_US);
}

int64_t kb_host_page_in(const struct kb_host_row *row, int64_t now)
{
	int64_t wait = line_in(row, 0, now);

	/* A reading that waits and a page take turns. */
	if (wait == 0 && row->last_was_page && row->wanted_until > now)
		wait = KB_MIN(row->wanted_until - now, ASK_AGAIN_US);
	return wait;
}

/* The same of a reading: 0 is now. */
static bool reading_in(struct kb_db_conn *conn, const struct kb_host_moment *at, int64_t agent,
                       const struct kb_host_row *row, int64_t *wait_us, struct kb_err *err)
{
	int64_t due, left = row->free_at + WANT_US - at->now;

	*wait_us = line_in(row, agent, at->now);
	if (*wait_us)
		return true;
	/* Of the agents that wait it is not the one that was served last. */
	if (row->wanted_until > at->now && row->wanted_by != agent
	    && row->wanted_by != row->last_agent) {
		*wait_us = KB_MIN(row->wanted_until - at->now, ASK_AGAIN_US);
		return true;
	}
	if (row->last_was_page || left <= 0)
		return true;
	/* A page that is due is asked for soon, unless nobody has time for it. */
	if (!kb_db_int(conn, &sql[PAGE_DUE], KB_VALUES(kb_text(at->host), kb_int(at->now)), 0, &due,
	               err))
		return false;
	if (due)
		*wait_us = KB_MIN(left, ASK_AGAIN_US);
	return true;
}

bool kb_host_hold(struct kb_db_conn *conn, const struct kb_host_moment *at, int64_t agent,
                  bool is_page, struct kb_host_row *row, struct kb_err *err)
{
	struct kb_host_line_row *line = free_line(row, at->now);

	KB_ASSERT(line != NULL); /* who asks has found one */
	*line = (struct kb_host_line_row){ .agent = agent,
		                           .since = at->now,
		                           .until = at->now + KB_HOST_LINE_US,
		                           .node = at->node };
	row->last_agent = agent;
	row->last_was_page = is_page;
	if (!is_page && row->wanted_by == agent)
		row->wanted_until = 0;
	return put(conn, at, row, err);
}

bool kb_host_has_no_other(struct kb_db_conn *conn, const struct kb_host_moment *at,
                          struct kb_host_row *row, struct kb_err *err)
{
	row->second_at = at->now + SECOND_PAUSE_US;
	return put(conn, at, row, err);
}

/* ---- a reading's line ---- */

struct entry {
	struct kb_host_moment at;
	int64_t agent;
	struct kb_host_turn *out;
};

/* Says that the agent waits; of two the one that was served last gives way. */
static bool want(struct kb_db_conn *conn, const struct entry *in, struct kb_host_row *row,
                 struct kb_err *err)
{
	int64_t now = in->at.now;
	bool ours = row->wanted_by == in->agent;
	bool wanted = row->wanted_until > now;

	if (wanted && ours ? row->wanted_until > now + WANT_US / 2
	                   : wanted && row->wanted_by != row->last_agent)
		return true;
	row->wanted_by = in->agent;
	row->wanted_until = now + WANT_US;
	return put(conn, &in->at, row, err);
}

static bool enter(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct entry *in = arg;
	struct kb_host_turn *out = in->out;
	struct kb_host_row row;

	*out = (struct kb_host_turn){ 0 };
	if (!kb_host_lock(conn, &in->at, &row, err)
	    || !reading_in(conn, &in->at, in->agent, &row, &out->wait_us, err))
		return false;
	if (out->wait_us) {
		out->pauses = !held_line(&row, in->at.now) && row.free_at > in->at.now;
		return want(conn, in, &row, err);
	}
	out->hold = (struct kb_host_hold){ in->at.host, in->agent, in->at.now };
	return kb_host_hold(conn, &in->at, in->agent, false, &row, err);
}

bool kb_store_host_enter(struct kb_store *store, struct kb_sv host, int64_t agent_id,
                         struct kb_host_turn *out, struct kb_err *err)
{
	struct entry in = { .at = { host, store->node, kb_store_now(store) },
		            .agent = agent_id,
		            .out = out };

	return kb_lease_write(store, enter, &in, err);
}

/* ---- the end of a line ---- */

struct leaving {
	struct kb_host_moment at;
	const struct kb_host_hold *hold;
	int64_t pause_us;
	enum kb_host_outcome outcome;
};

static bool leave(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct leaving *in = arg;
	int64_t now = in->at.now, pause_us = in->pause_us;
	struct kb_host_row row;

	if (!kb_host_lock(conn, &in->at, &row, err))
		return false;
	for (size_t i = 0; i < KB_COUNTOF(row.lines); i++)
		if (row.lines[i].agent == in->hold->agent_id
		    && row.lines[i].since == in->hold->since && row.lines[i].node == in->at.node)
			row.lines[i] = (struct kb_host_line_row){ 0 };
	if (!kb_host_is_failing(&row, now))
		row.failures = 0;
	if (in->outcome == KB_HOST_FAILED)
		pause_us = KB_MAX(pause_us,
		                  KB_MIN(FAILING_PAUSE_US << KB_MIN(row.failures, INT64_C(10)),
		                         FAILING_PAUSE_MAX_US));
	if (in->outcome != KB_HOST_NOT_ASKED)
		row.failures = in->outcome == KB_HOST_FAILED ? row.failures + 1 : 0;
	row.free_at = KB_MAX(row.free_at, now + pause_us);
	return put(conn, &in->at, &row, err)
	       && kb_db_run(conn, &sql[DROP],
	                    KB_VALUES(kb_int(now - KEPT_S * KB_SECOND_US), kb_int(now),
	                              kb_int(DROPPED_AT_ONCE)),
	                    NULL, err);
}

bool kb_store_host_leave(struct kb_store *store, const struct kb_host_hold *hold, int64_t pause_us,
                         enum kb_host_outcome outcome, struct kb_err *err)
{
	struct leaving in = { .at = { hold->host, store->node, kb_store_now(store) },
		              .hold = hold,
		              .pause_us = pause_us,
		              .outcome = outcome };

	return kb_db_write(store->db, leave, &in, err);
}

bool kb_hosts_void_lines(struct kb_store *store, int64_t me, struct kb_err *err)
{
	return kb_leases_void(store, &sql[VOID_LINES], me, err);
}
