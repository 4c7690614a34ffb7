/* Migrations: numbered SQL files, applied in order, forward only, each recorded. One that is
 * missing among later ones (made on another branch, landed afterwards) is applied as well. What one
 * database has to say in its own words stands in a file of its driver's. */
#include <stdio.h>

#include "db/db.h"

enum { TABLE_CREATE, VERSION, COUNT, RECORDED, RECORD, LOCK_ADD, LOCK };
// clang-format off
static const struct kb_sql sql[] = {
	[TABLE_CREATE] = { "migrations_create", "",
		"CREATE TABLE IF NOT EXISTS schema_migrations ("
		"version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)" },
	[VERSION] = { "migrations_version", "",
		"SELECT coalesce(max(version), 0) FROM schema_migrations" },
	[COUNT] = { "migrations_known", "",
		"SELECT count(*) FROM schema_migrations WHERE version > 0" },
	[RECORDED] = { "migrations_recorded", "i",
		"SELECT count(*) FROM schema_migrations WHERE version = $1" },
	/* A row that whoever migrates holds, where several processes may. */
	[LOCK_ADD] = { "migrations_lock_add", "",
		"INSERT INTO schema_migrations (version, name, applied_at) VALUES (0, 'lock', 0) "
		"ON CONFLICT (version) DO NOTHING" },
	[LOCK] = { "migrations_lock", "", "UPDATE schema_migrations SET applied_at = 0 WHERE version = 0" },
	[RECORD] = { "migrations_record", "iti",
		"INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)" },
};
// clang-format on
const struct kb_sql_table kb_sql_migrate = { "migrate", sql, KB_COUNTOF(sql) };

int64_t kb_schema_newest(void)
{
	return kb_migrations[kb_migration_count - 1].version;
}

bool kb_schema_version(struct kb_db_conn *conn, int64_t *version, struct kb_err *err)
{
	return kb_db_run(conn, &sql[TABLE_CREATE], KB_NO_VALUES, NULL, err)
	       && kb_schema_seen(conn, version, err);
}

bool kb_schema_seen(struct kb_db_conn *conn, int64_t *version, struct kb_err *err)
{
	return kb_db_int(conn, &sql[VERSION], KB_NO_VALUES, 0, version, err);
}

bool kb_schema_whole(struct kb_db_conn *conn, bool *whole, struct kb_err *err)
{
	int64_t count;

	if (!kb_db_int(conn, &sql[COUNT], KB_NO_VALUES, 0, &count, err))
		return false;
	*whole = count >= (int64_t)kb_migration_count;
	return true;
}

static bool apply(struct kb_db_conn *conn, const struct kb_migration *migration, int64_t now,
                  struct kb_err *err)
{
	return (!kb_migration_is_for(migration, conn->driver)
	        || conn->driver->script(conn, migration->text, err))
	       && kb_db_run(conn, &sql[RECORD],
	                    KB_VALUES(kb_int(migration->version),
	                              kb_text(kb_sv_str(migration->name)), kb_int(now)),
	                    NULL, err);
}

static bool lock(struct kb_db_conn *conn, struct kb_err *err)
{
	return kb_db_run(conn, &sql[LOCK_ADD], KB_NO_VALUES, NULL, err)
	       && kb_db_run(conn, &sql[LOCK], KB_NO_VALUES, NULL, err);
}

static bool migrate(struct kb_db_conn *conn, int64_t target, int64_t now, struct kb_err *err)
{
	if (!kb_db_run(conn, &sql[TABLE_CREATE], KB_NO_VALUES, NULL, err)
	    || (conn->driver->is_shared && !lock(conn, err)))
		return false;
	for (size_t i = 0; i < kb_migration_count; i++) {
		const struct kb_migration *migration = &kb_migrations[i];
		int64_t recorded;

		KB_ASSERT(i == 0 || migration->version > kb_migrations[i - 1].version);
		if (migration->version > target)
			break;
		if (!kb_db_int(conn, &sql[RECORDED], KB_VALUES(kb_int(migration->version)), 0,
		               &recorded, err))
			return false;
		if (!recorded && !apply(conn, migration, now, err))
			return false;
	}
	for (size_t i = 0; i < kb_sequence_count; i++)
		if (!conn->driver->sequence(conn, kb_sequences[i].name, kb_sequences[i].first, err))
			return false;
	return true;
}

bool kb_schema_migrate(struct kb_db_conn *conn, int64_t target, int64_t now, struct kb_err *err)
{
	if (!conn->driver->begin(conn, true, err))
		return false;
	if (migrate(conn, target, now, err) && conn->driver->commit(conn, err))
		return true;
	conn->driver->rollback(conn);
	return false;
}
