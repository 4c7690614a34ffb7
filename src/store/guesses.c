#include "store/guesses.h"

#include "store/audit_own.h"

enum { ADD, PURGE };
// clang-format off
static const struct kb_sql sql[] = {
	/* Of two nodes whose clocks differ, the later span counts. */
	[ADD] = { "guess_add", "tii",
		"INSERT INTO guesses (who, span_at, times) VALUES ($1, $2, $3) "
		"ON CONFLICT (who) DO UPDATE SET times = excluded.times + "
		"CASE WHEN excluded.span_at > guesses.span_at THEN 0 ELSE guesses.times END, "
		"span_at = CASE WHEN excluded.span_at > guesses.span_at THEN excluded.span_at ELSE guesses.span_at END "
		"RETURNING times" },
	[PURGE] = { "guess_purge", "i", "DELETE FROM guesses WHERE span_at < $1" },
};
// clang-format on
const struct kb_sql_table kb_sql_guesses = { "guesses", sql, KB_COUNTOF(sql) };

int64_t kb_guess_span_end(int64_t now)
{
	return now - now % KB_GUESS_SPAN_US + KB_GUESS_SPAN_US;
}

struct guessing {
	struct kb_store *store;
	struct kb_guess *guesses;
	size_t count;
	int64_t most, span_at;
	struct kb_sv address;
};

static bool add_one(struct kb_db_conn *conn, const struct guessing *in, struct kb_guess *guess,
                    struct kb_err *err)
{
	struct kb_db_rows rows;

	guess->sum = 0;
	kb_rows_open(&rows, conn, &sql[ADD],
	             KB_VALUES(kb_text(guess->who), kb_int(in->span_at), kb_int(guess->times)));
	while (kb_rows_next(&rows))
		guess->sum = kb_rows_int(&rows, 0);
	if (!kb_rows_close(&rows, err))
		return false;
	if (guess->sum <= in->most || guess->sum - guess->times > in->most)
		return true;
	return kb_audit_add(conn, in->store,
	                    &(struct kb_audit_entry){ .account_id = guess->account_id,
	                                              .action = guess->account_id
	                                                                ? KB_AUDIT_KEY_TRIED
	                                                                : KB_AUDIT_ADDRESS_SHUT,
	                                              .object = guess->object,
	                                              .address = in->address },
	                    err);
}

static bool add(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct guessing *in = arg;

	for (size_t i = 0; i < in->count; i++)
		if (!add_one(conn, in, &in->guesses[i], err))
			return false;
	return true;
}

bool kb_store_guess(struct kb_store *store, struct kb_guess *guesses, size_t count, int64_t most,
                    struct kb_sv address, struct kb_err *err)
{
	struct guessing in = { .store = store,
		               .guesses = guesses,
		               .count = count,
		               .most = most,
		               .span_at = kb_guess_span_end(kb_store_now(store)) - KB_GUESS_SPAN_US,
		               .address = address };

	return kb_db_write(store->db, add, &in, err);
}

static bool purge(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	return kb_db_run(conn, &sql[PURGE], KB_VALUES(kb_int(*(int64_t *)arg)), NULL, err);
}

bool kb_store_guesses_purge(struct kb_store *store, struct kb_err *err)
{
	/* The one before may be another node's still, by its clock. */
	int64_t before = kb_guess_span_end(kb_store_now(store)) - 2 * KB_GUESS_SPAN_US;

	return kb_db_write(store->db, purge, &before, err);
}
