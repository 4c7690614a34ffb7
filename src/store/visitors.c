/* Visitors of public agents, and how often somebody does something. */
#include "store/visitors.h"

#include "base/hash.h"
#include "store/accounts_own.h"
#include "store/agents_own.h"
#include "store/store_own.h"
#include "store/visitors_own.h"

/* A use is noted when the last one that was is so old. */
#define NOTED_US INT64_C(300000000)

#define KB_SQL_BUSY 300000000
/* An answer for which a model is asked has a row by then. */
#define KB_SQL_SOON 60000000
static_assert(KB_SQL_BUSY == KB_VISITOR_BUSY_US, "another number in SQL");

enum {
	AGENT,
	ADD,
	PERSON,
	BY_HASH,
	VALID,
	SEEN,
	OVER,
	OVER_SIGNED,
	PROVE,
	SWEEP,
	BEGIN,
	END,
	BUSY_AT,
	VISIT,
	VISIT_ADD,
	VISIT_SWEEP,
};
// clang-format off
#define VISITORS(FIRST, NEXT) \
	FIRST(i, id,           visitor.id) \
	NEXT (i, person_id,    visitor.person_id) \
	NEXT (i, agent_id,     visitor.agent_id) \
	NEXT (t, slug,         visitor.slug) \
	NEXT (t, site,         visitor.site) \
	NEXT (t, surface,      visitor.surface) \
	NEXT (t, address,      visitor.address) \
	NEXT (t, subject,      visitor.subject) \
	NEXT (t, name,         visitor.name) \
	NEXT (t, labels,       visitor.labels) \
	NEXT (i, ends_at,      visitor.ends_at) \
	NEXT (t, challenge,    visitor.challenge) \
	NEXT (i, proven_until, visitor.proven_until) \
	NEXT (i, busy_until,   visitor.busy_until) \
	NEXT (i, created_at,   visitor.created_at) \
	NEXT (i, seen_at,      visitor.seen_at)
#define VISITORS_WHOLE(FIRST, NEXT) \
	VISITORS(FIRST, NEXT) \
	NEXT (t, hash,         hash)
/* The address by which it came is open. */
#define WELCOME "EXISTS (SELECT 1 FROM agents a WHERE a.id = visitors.agent_id AND a.shareable_slug = visitors.slug " \
	"AND a.is_shared = 1 AND a.state = " KB_SQL(AGENT_THERE) ")"

static const struct kb_sql sql[] = {
	[AGENT] = { "visitor_agent", "t",
		"SELECT agent_id FROM agent_slugs WHERE slug = $1" },
	[ADD] = { "visitor_add", KB_TYPES(VISITORS_WHOLE), KB_INSERT("visitors", VISITORS_WHOLE) },
	[PERSON] = { "visitor_person", "it",
		"SELECT person_id FROM visitors WHERE agent_id = $1 AND subject = $2 AND subject <> '' ORDER BY +id LIMIT 1" },
	[BY_HASH] = { "visitor_by_hash", "it",
		"SELECT " KB_NAMES(VISITORS) " FROM visitors WHERE agent_id = $1 AND hash = $2 AND " WELCOME },
	[VALID] = { "visitor_valid", "ii",
		"SELECT count(*) FROM visitors WHERE id = $1 AND (ends_at = 0 OR ends_at > $2) AND " WELCOME },
	[SEEN] = { "visitor_seen", "ii", "UPDATE visitors SET seen_at = $2 WHERE id = $1" },
	/* The row stays: it says who the person of its subject is. */
	[OVER] = { "visitor_over", "ii", "UPDATE visitors SET ends_at = $2 WHERE id = $1" },
	[OVER_SIGNED] = { "visitors_over_signed", "ii",
		"UPDATE visitors SET ends_at = $2 WHERE agent_id = $1 AND subject <> '' AND ends_at > $2" },
	[PROVE] = { "visitor_prove", "iti",
		"UPDATE visitors SET challenge = $2, proven_until = $3 WHERE id = $1" },
	[SWEEP] = { "visitor_sweep", "i", "DELETE FROM visitors WHERE seen_at < $1" },
	[BEGIN] = { "visitor_begin", "iiti",
		"UPDATE visitors SET busy_until = $2 + " KB_SQL(BUSY) " WHERE id = $1 AND (busy_until < $2 OR "
		"(busy_until < $2 + " KB_SQL(BUSY) " - " KB_SQL(SOON) " AND NOT EXISTS (SELECT 1 FROM answers w "
		"JOIN conversations c ON c.agent_id = +w.agent_id AND c.id = w.conversation_id "
		"WHERE w.agent_id = visitors.agent_id AND c.visitor_id = visitors.person_id))) AND "
		"(SELECT count(*) FROM visitors b WHERE b.id <> $1 AND b.address = $3 AND b.busy_until > 0 AND b.busy_until >= $2) < $4" },
	[END] = { "visitor_end", "i", "UPDATE visitors SET busy_until = 0 WHERE id = $1" },
	/* Those of an address begin one after the other. */
	[BUSY_AT] = { "visitor_busy_at", "ti",
		"INSERT INTO visits (who, span, began_at, times) VALUES ('at ' || $1, 0, $2, 0) "
		"ON CONFLICT (who, span) DO UPDATE SET began_at = excluded.began_at" },
	/* How often it was done in the span that began then; the row is held. */
	[VISIT] = { "visit", "tii",
		"INSERT INTO visits (who, span, began_at, times) VALUES ($1, $2, $3, 0) "
		"ON CONFLICT (who, span) DO UPDATE SET "
		"times = CASE WHEN visits.began_at = excluded.began_at THEN visits.times ELSE 0 END, "
		"began_at = excluded.began_at RETURNING times" },
	[VISIT_ADD] = { "visit_add", "ti", "UPDATE visits SET times = times + 1 WHERE who = $1 AND span = $2" },
	[VISIT_SWEEP] = { "visit_sweep", "i", "DELETE FROM visits WHERE began_at < $1" },
};
// clang-format on
const struct kb_sql_table kb_sql_visitors = { "visitors", sql, KB_COUNTOF(sql) };

struct row {
	struct kb_visitor visitor;
	struct kb_sv hash;
};
#define ROW(letter, column, member) KB_COLUMN(struct row, letter, column, member)
static const struct kb_db_columns whole = KB_COLUMNS(struct row, VISITORS_WHOLE(ROW, ROW));
static const struct kb_db_columns columns = KB_COLUMNS(struct row, VISITORS(ROW, ROW));

/* ---- the agent ---- */

/* An agent that was found: one that is just being changed shows itself to whoever asks next. */
static bool is_public(const struct kb_agent *agent, struct kb_sv slug, struct kb_err *err)
{
	return (agent->id && agent->is_shared && kb_sv_eq(agent->shareable_slug, slug))
	       || kb_fail(err, KB_E_NOT_FOUND, "There is no public agent at this address");
}

/* In one trip. */
static bool read_public(struct kb_store *store, struct kb_arena *arena, struct kb_sv slug,
                        struct kb_agent *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	struct kb_db_rows rows;
	bool ok;

	if (!conn)
		return false;
	kb_agent_read_public_begin(conn, slug, &rows);
	ok = kb_agent_read_end(&rows, arena, out, err);
	kb_db_give(store->db, conn);
	return ok;
}

/* By what is known of agents here. */
static bool find_public(struct kb_store *store, struct kb_arena *arena, struct kb_sv slug,
                        struct kb_agent *out, struct kb_err *err)
{
	int64_t id = 0;

	return kb_db_read_int(store->db, &sql[AGENT], KB_VALUES(kb_text(slug)), 0, &id, err)
	       && (!id || kb_store_agent_find(store, arena, id, out, err)
	           || err->code == KB_E_NOT_FOUND);
}

bool kb_store_agent_by_slug(struct kb_store *store, struct kb_arena *arena, struct kb_sv slug,
                            struct kb_agent *out, struct kb_err *err)
{
	*out = (struct kb_agent){ 0 };
	return (store->is_shared ? read_public : find_public)(store, arena, slug, out, err)
	       && is_public(out, slug, err);
}

/* ---- who ---- */

struct adding {
	struct kb_visitor *visitor;
	const struct kb_visitor *before;
	struct kb_sv hash;
};

/* Whose the conversations are, and what becomes of the visit before. */
static bool settle_person(struct kb_db_conn *conn, const struct adding *in, struct kb_err *err)
{
	const struct kb_visitor *before = in->before;
	struct kb_visitor *v = in->visitor;
	bool goes_along;

	v->person_id = 0;
	if (v->subject.n
	    && !kb_db_int(conn, &sql[PERSON], KB_VALUES(kb_int(v->agent_id), kb_text(v->subject)),
	                  0, &v->person_id, err))
		return false;
	goes_along = before && v->subject.n && !before->subject.n && !v->person_id;
	if (!v->person_id)
		v->person_id = goes_along ? before->person_id : v->id;
	return !before || !(goes_along || before->subject.n)
	       || kb_db_run(conn, &sql[OVER], KB_VALUES(kb_int(before->id), kb_int(v->created_at)),
	                    NULL, err);
}

static bool add(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct adding *in = arg;
	struct kb_visitor *v = in->visitor;
	int64_t version;
	struct row row;

	/* A subject that comes twice at once is one person: the second finds the first. */
	if (!(v->subject.n ? kb_agent_lock(conn, v->agent_id, &version, err)
	                   : kb_agent_there(conn, v->agent_id, err))
	    || !kb_db_run(conn, &sql[SWEEP], KB_VALUES(kb_int(v->seen_at - KB_VISITOR_IDLE_US)),
	                  NULL, err)
	    || !kb_db_next_id(conn, "visitor", 1, &v->id, err) || !settle_person(conn, in, err))
		return false;
	row = (struct row){ .visitor = *v, .hash = in->hash };
	return kb_columns_write(&whole, conn, &sql[ADD], KB_NO_VALUES, &row, err);
}

bool kb_store_visitor_add(struct kb_store *store, struct kb_visitor *visitor,
                          const struct kb_visitor *before, char secret[KB_VISITOR_TEXT],
                          struct kb_err *err)
{
	struct adding in = { .visitor = visitor, .before = before };
	char hash[KB_HASH_HEX];

	kb_random_text(secret, KB_VISITOR_TEXT - 1);
	kb_hash_hex(kb_sv_str(secret), hash);
	in.hash = kb_sv_str(hash);
	visitor->created_at = visitor->seen_at = kb_store_now(store);
	return kb_db_write(store->db, add, &in, err);
}

bool kb_visits_end_signed(struct kb_db_conn *conn, int64_t agent_id, int64_t now,
                          struct kb_err *err)
{
	return kb_db_run(conn, &sql[OVER_SIGNED], KB_VALUES(kb_int(agent_id), kb_int(now)), NULL,
	                 err);
}

static bool refuse(struct kb_err *err)
{
	return kb_fail(err, KB_E_UNAUTHORIZED, "This visit is over; begin another");
}

struct noting {
	int64_t id, now;
};

static bool seen(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct noting *in = arg;

	return kb_db_run(conn, &sql[SEEN], KB_VALUES(kb_int(in->id), kb_int(in->now)), NULL, err);
}

/* What was read of it; an id of 0: there is none. */
static bool still_counts(struct kb_store *store, const struct kb_visitor *visitor,
                         struct kb_err *err)
{
	int64_t now = kb_store_now(store);
	struct kb_err ignored;

	if (!visitor->id || now - visitor->seen_at > KB_VISITOR_IDLE_US
	    || (visitor->ends_at && visitor->ends_at <= now))
		return refuse(err);
	/* A disk that is full keeps nobody out. */
	if (now - visitor->seen_at > NOTED_US)
		(void)!kb_db_write(store->db, seen, &(struct noting){ visitor->id, now }, &ignored);
	return true;
}

/* An id of 0 where there is none. */
static bool read_visitor(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_visitor *out,
                         struct kb_err *err)
{
	struct row row = { 0 };

	while (kb_rows_next(rows))
		kb_columns_read(&columns, rows, 0, arena, &row);
	*out = row.visitor;
	return kb_rows_close(rows, err);
}

bool kb_store_visitor_check(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                            struct kb_sv secret, struct kb_visitor *out, struct kb_err *err)
{
	char hash[KB_HASH_HEX];
	struct kb_db_rows rows;

	if (secret.n != KB_VISITOR_TEXT - 1)
		return refuse(err);
	kb_hash_hex(secret, hash);
	kb_rows_take(&rows, store->db, &sql[BY_HASH],
	             KB_VALUES(kb_int(agent_id), kb_text(kb_sv_str(hash))));
	return read_visitor(&rows, arena, out, err) && still_counts(store, out, err);
}

/* Both statements share their trip. */
static bool arrive(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_agent *agent,
                   struct kb_sv hash, struct kb_visitor_arrival *out, struct kb_err *err)
{
	struct kb_db_rows visitors, payers;
	bool ok;

	kb_rows_open(&visitors, conn, &sql[BY_HASH], KB_VALUES(kb_int(agent->id), kb_text(hash)));
	kb_account_read_begin(conn, agent->account_id, &payers);
	ok = read_visitor(&visitors, arena, &out->visitor, err);
	return kb_account_read_end(&payers, arena, &out->payer, ok ? err : NULL) && ok;
}

bool kb_store_visitor_arrives(struct kb_store *store, struct kb_arena *arena,
                              const struct kb_agent *agent, struct kb_sv secret,
                              struct kb_visitor_arrival *out, struct kb_err *err)
{
	struct kb_db_conn *conn;
	char hash[KB_HASH_HEX];
	bool ok;

	if (secret.n != KB_VISITOR_TEXT - 1)
		return refuse(err);
	kb_hash_hex(secret, hash);
	conn = kb_db_take(store->db, false, err);
	if (!conn)
		return false;
	ok = arrive(conn, arena, agent, kb_sv_str(hash), out, err);
	kb_db_give(store->db, conn);
	return ok && still_counts(store, &out->visitor, err);
}

bool kb_store_visitor_valid(struct kb_store *store, int64_t id, bool *valid, struct kb_err *err)
{
	int64_t count = 0;
	bool ok =
	        kb_db_read_int(store->db, &sql[VALID],
	                       KB_VALUES(kb_int(id), kb_int(kb_store_now(store))), 0, &count, err);

	*valid = count > 0;
	return ok;
}

struct proof {
	int64_t id, until;
	struct kb_sv challenge;
};

static bool prove(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct proof *in = arg;

	return kb_db_run(conn, &sql[PROVE],
	                 KB_VALUES(kb_int(in->id), kb_text(in->challenge), kb_int(in->until)), NULL,
	                 err);
}

bool kb_store_visitor_prove(struct kb_store *store, int64_t id, struct kb_sv challenge,
                            int64_t until, struct kb_err *err)
{
	return kb_db_write(store->db, prove, &(struct proof){ id, until, challenge }, err);
}

/* ---- how often ---- */

static int64_t span_began(const struct kb_visit_limit *limit, int64_t now)
{
	return now - now % limit->span_us;
}

static void hold(struct kb_db_conn *conn, const struct kb_visit_limit *limit, int64_t now,
                 struct kb_db_rows *rows)
{
	kb_rows_open(rows, conn, &sql[VISIT],
	             KB_VALUES(kb_text(limit->who), kb_int(limit->span_us),
	                       kb_int(span_began(limit, now))));
}

/* Finds the first that is full. All are held, where a trip costs more than a statement in one; else
 * one is open at a time, since they are of one statement. */
static bool look(struct kb_db_conn *conn, struct kb_visits *visits, int64_t now, struct kb_err *err)
{
	struct kb_db_rows rows[KB_VISIT_LIMITS_MAX];
	bool ok = true, together = conn->driver->is_shared;

	visits->over = -1; /* it may be run again */
	for (size_t i = 0; together && i < visits->count; i++)
		hold(conn, &visits->limits[i], now, &rows[i]);
	for (size_t i = 0; i < visits->count; i++) {
		const struct kb_visit_limit *limit = &visits->limits[i];
		int64_t times = 0;

		if (!together)
			hold(conn, limit, now, &rows[i]);
		while (kb_rows_next(&rows[i]))
			times = kb_rows_int(&rows[i], 0);
		ok = kb_rows_close(&rows[i], ok ? err : NULL) && ok;
		if (visits->over >= 0 || times < limit->most)
			continue;
		visits->over = (ptrdiff_t)i;
		visits->wait_us = span_began(limit, now) + limit->span_us - now;
	}
	return ok;
}

static bool count(struct kb_db_conn *conn, const struct kb_visits *visits, int64_t now,
                  struct kb_err *err)
{
	for (size_t i = 0; i < visits->count; i++)
		if (!kb_db_defer(conn, &sql[VISIT_ADD],
		                 KB_VALUES(kb_text(visits->limits[i].who),
		                           kb_int(visits->limits[i].span_us)),
		                 err))
			return false;
	return kb_db_defer(conn, &sql[VISIT_SWEEP], KB_VALUES(kb_int(now - 2 * KB_DAY_US)), err);
}

struct visit {
	struct kb_visits *visits;
	int64_t now;
};

static bool visit(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct visit *in = arg;

	return look(conn, in->visits, in->now, err)
	       && (in->visits->over >= 0 || count(conn, in->visits, in->now, err));
}

bool kb_store_visit(struct kb_store *store, struct kb_visits *visits, struct kb_err *err)
{
	struct visit in = { visits, kb_store_now(store) };

	KB_ASSERT(visits->count <= KB_VISIT_LIMITS_MAX);
	return kb_db_write(store->db, visit, &in, err);
}

/* ---- one answer at a time ---- */

struct beginning {
	const struct kb_visitor_turn *turn;
	struct kb_visits *visits;
	int64_t now, begun;
};

static bool begin(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct beginning *in = arg;

	in->begun = 0; /* it may be run again */
	if (!look(conn, in->visits, in->now, err))
		return false;
	if (in->visits->over >= 0)
		return true;
	return kb_db_defer(conn, &sql[BUSY_AT],
	                   KB_VALUES(kb_text(in->turn->address), kb_int(in->now)), err)
	       && kb_db_run(conn, &sql[BEGIN],
	                    KB_VALUES(kb_int(in->turn->id), kb_int(in->now),
	                              kb_text(in->turn->address), kb_int(in->turn->most)),
	                    &in->begun, err)
	       && (!in->begun || count(conn, in->visits, in->now, err));
}

bool kb_store_visitor_begin(struct kb_store *store, const struct kb_visitor_turn *turn,
                            struct kb_visits *visits, bool *yes, struct kb_err *err)
{
	struct beginning in = { .turn = turn, .visits = visits, .now = kb_store_now(store) };
	bool ok;

	KB_ASSERT(visits->count <= KB_VISIT_LIMITS_MAX);
	ok = kb_db_write(store->db, begin, &in, err);
	*yes = in.begun > 0;
	return ok;
}

bool kb_visit_end(struct kb_db_conn *conn, int64_t visitor_id, struct kb_err *err)
{
	return kb_db_defer(conn, &sql[END], KB_VALUES(kb_int(visitor_id)), err);
}

static bool end(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	return kb_visit_end(conn, *(int64_t *)arg, err);
}

bool kb_store_visitor_end(struct kb_store *store, int64_t id, struct kb_err *err)
{
	return kb_db_write(store->db, end, &id, err);
}
