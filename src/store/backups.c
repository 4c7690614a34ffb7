#include "store/backups.h"

#include "store/store_own.h"

enum { LATE = 4 }; /* spans without a backup */
enum { READ, TAKE, RENEW, DONE, FAILED, DRILL_TAKE, DRILL_DONE, DRILL_FAILED, PLAN, SEALED };

/* Further ahead than nodes' clocks are apart: a time of a clock that was wrong, and nobody waits
 * for it. */
#define AHEAD_US (3600 * KB_SECOND_US)
// clang-format off
static const struct kb_sql sql[] = {
	[READ] = { "backups", "",
		"SELECT last_at, state_at, kept, held_bytes, drill_at, place, failure, drill_failure, "
		"tried_at, drill_tried_at, every_us, is_sealed "
		"FROM backups b JOIN backup_calendar c ON c.id = b.id WHERE b.id = 1" },
	[TAKE] = { "backup_take", "iiii",
		"UPDATE backups SET lease_epoch = lease_epoch + 1, lease_until = $2, tried_at = $1 "
		"WHERE id = 1 AND (lease_until <= $1 OR lease_until > $4) AND (tried_at <= $3 OR tried_at > $4) "
		"RETURNING lease_epoch" },
	[RENEW] = { "backup_renew", "ii",
		"UPDATE backups SET lease_until = $2 WHERE id = 1 AND lease_epoch = $1" },
	[DONE] = { "backup_done", "iiiiit",
		"UPDATE backups SET lease_until = 0, last_at = $2, state_at = $3, kept = $4, held_bytes = $5, "
		"place = $6, failure = '' WHERE id = 1 AND lease_epoch = $1" },
	[FAILED] = { "backup_failed", "it",
		"UPDATE backups SET lease_until = 0, failure = $2 WHERE id = 1 AND lease_epoch = $1" },
	[DRILL_TAKE] = { "drill_take", "iii",
		"UPDATE backups SET drill_tried_at = $1 WHERE id = 1 AND last_at > 0 "
		"AND (drill_tried_at <= $2 OR drill_tried_at > $3)" },
	[DRILL_DONE] = { "drill_done", "i",
		"UPDATE backups SET drill_at = $1, drill_failure = '' WHERE id = 1" },
	[PLAN] = { "backup_plan", "i",
		"UPDATE backup_calendar SET every_us = $1 WHERE id = 1 AND every_us <> $1" },
	[SEALED] = { "backup_sealed", "i",
		"UPDATE backup_calendar SET is_sealed = $1 WHERE id = 1 AND is_sealed <> $1" },
	[DRILL_FAILED] = { "drill_failed", "t", "UPDATE backups SET drill_failure = $1 WHERE id = 1" },
};
// clang-format on
const struct kb_sql_table kb_sql_backups = { "backups", sql, KB_COUNTOF(sql) };

bool kb_store_backups(struct kb_store *store, struct kb_arena *arena, struct kb_backups *out,
                      struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_backups){ 0 };
	kb_rows_take(&rows, store->db, &sql[READ], KB_NO_VALUES);
	while (kb_rows_next(&rows))
		*out = (struct kb_backups){ .last_at = kb_rows_int(&rows, 0),
			                    .state_at = kb_rows_int(&rows, 1),
			                    .kept = kb_rows_int(&rows, 2),
			                    .held_bytes = kb_rows_int(&rows, 3),
			                    .drill_at = kb_rows_int(&rows, 4),
			                    .place = kb_rows_text(&rows, arena, 5),
			                    .failure = kb_rows_text(&rows, arena, 6),
			                    .drill_failure = kb_rows_text(&rows, arena, 7),
			                    .tried_at = kb_rows_int(&rows, 8),
			                    .drill_tried_at = kb_rows_int(&rows, 9),
			                    .every_us = kb_rows_int(&rows, 10),
			                    .is_sealed = kb_rows_int(&rows, 11) != 0 };
	return kb_rows_close(&rows, err);
}

bool kb_backup_is_due(int64_t tried_at, int64_t every_us, int64_t now)
{
	return tried_at <= now - every_us || tried_at > now + AHEAD_US;
}

int64_t kb_backup_next(const struct kb_backups *backups)
{
	return backups->every_us && backups->tried_at ? backups->tried_at + backups->every_us : 0;
}

bool kb_backup_is_late(const struct kb_backups *backups, int64_t now)
{
	return backups->every_us && backups->last_at
	       && backups->last_at < now - LATE * backups->every_us;
}

/* One statement and what it gives. */
struct step {
	int which;
	struct kb_db_values values;
	int64_t number, changed;
};

static bool run_step(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct step *in = arg;

	if (in->which == TAKE)
		return kb_db_int(conn, &sql[TAKE], in->values, 0, &in->number, err);
	return kb_db_run(conn, &sql[in->which], in->values, &in->changed, err);
}

bool kb_store_backup_take(struct kb_store *store, int64_t lease_us, int64_t every_us,
                          int64_t *epoch, struct kb_err *err)
{
	int64_t now = kb_store_now(store);
	struct step step = { TAKE, KB_VALUES(kb_int(now), kb_int(now + lease_us),
		                             kb_int(every_us ? now - every_us : INT64_MAX),
		                             kb_int(now + AHEAD_US)) };

	*epoch = 0;
	if (!kb_db_write(store->db, run_step, &step, err))
		return false;
	*epoch = step.number;
	return true;
}

bool kb_store_backup_renew(struct kb_store *store, int64_t epoch, int64_t lease_us,
                           struct kb_err *err)
{
	struct step step = { RENEW,
		             KB_VALUES(kb_int(epoch), kb_int(kb_store_now(store) + lease_us)) };

	return kb_db_write(store->db, run_step, &step, err)
	       && (step.changed
	           || kb_fail(err, KB_E_CONFLICT, "another backup was begun meanwhile"));
}

bool kb_store_backup_plan(struct kb_store *store, int64_t every_us, struct kb_err *err)
{
	struct step step = { PLAN, KB_VALUES(kb_int(every_us)) };

	return kb_db_write(store->db, run_step, &step, err);
}

/* Who has lost the turn changes nothing. */
static bool run_done(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct step *steps = arg;

	return run_step(conn, &steps[0], err)
	       && (!steps[0].changed || run_step(conn, &steps[1], err));
}

bool kb_store_backup_done(struct kb_store *store, int64_t epoch,
                          const struct kb_backup_outcome *outcome, struct kb_err *err)
{
	struct step done[] = {
		{ DONE, KB_VALUES(kb_int(epoch), kb_int(kb_store_now(store)),
		                  kb_int(outcome->state_at), kb_int(outcome->kept),
		                  kb_int(outcome->held_bytes), kb_text(outcome->place)) },
		{ SEALED, KB_VALUES(kb_int(outcome->is_sealed)) },
	};
	struct step failed = { FAILED, KB_VALUES(kb_int(epoch), kb_text(outcome->failure)) };

	return outcome->failure.n ? kb_db_write(store->db, run_step, &failed, err)
	                          : kb_db_write(store->db, run_done, done, err);
}

bool kb_store_drill_take(struct kb_store *store, int64_t every_us, bool *taken, struct kb_err *err)
{
	int64_t now = kb_store_now(store);
	struct step step = { DRILL_TAKE, KB_VALUES(kb_int(now), kb_int(now - every_us),
		                                   kb_int(now + AHEAD_US)) };

	*taken = false;
	if (!kb_db_write(store->db, run_step, &step, err))
		return false;
	*taken = step.changed > 0;
	return true;
}

bool kb_store_drill_done(struct kb_store *store, struct kb_sv failure, struct kb_err *err)
{
	struct step done = { DRILL_DONE, KB_VALUES(kb_int(kb_store_now(store))) };
	struct step failed = { DRILL_FAILED, KB_VALUES(kb_text(failure)) };

	return kb_db_write(store->db, run_step, failure.n ? &failed : &done, err);
}
