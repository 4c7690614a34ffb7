/* Accounts. Their keys are in account_keys.c. */
#include "store/accounts.h"

#include "store/accounts_own.h"
#include "store/store_own.h"

enum { NAME_MAX_BYTES = 255 * 4 }; /* what 255 characters may take */

enum {
	ACCOUNT_ADD,
	ACCOUNT_HOLD,
	ACCOUNT_BY_HANDLE,
	HANDLE_TAKE,
	ACCOUNT_BY_ID,
	ACCOUNT_UPDATE,
	ACCOUNT_PHOTO,
	ACCOUNT_PLAN,
};
// clang-format off
static const struct kb_sql sql[] = {
	[ACCOUNT_HOLD] = { "account_hold", "i", "UPDATE accounts SET plan = plan WHERE id = $1" },
	[ACCOUNT_ADD] = { "account_add", KB_TYPES(KB_ACCOUNTS), KB_INSERT("accounts", KB_ACCOUNTS) },
	[ACCOUNT_BY_HANDLE] = { "account_by_handle", "t", "SELECT " KB_NAMES(KB_ACCOUNTS) " FROM accounts "
		"WHERE id = (SELECT account_id FROM account_handles WHERE handle = $1)" },
	[HANDLE_TAKE] = { "account_handle_take", "ti",
		"INSERT INTO account_handles (handle, account_id) VALUES ($1, $2) ON CONFLICT (handle) DO NOTHING" },
	[ACCOUNT_BY_ID] = { "account_by_id", "i",
		"SELECT " KB_NAMES(KB_ACCOUNTS) " FROM accounts WHERE id = $1" },
	[ACCOUNT_UPDATE] = { "account_update", "ittti",
		"UPDATE accounts SET name = $2, photo = $3, photo_type = $4, updated_at = $5 "
		"WHERE id = $1" },
	[ACCOUNT_PHOTO] = { "account_photo", "it",
		"SELECT count(*) FROM accounts WHERE id = $1 AND photo = $2" },
	[ACCOUNT_PLAN] = { "account_plan", "iti",
		"UPDATE accounts SET plan = $2, updated_at = $3 WHERE id = $1" },
};
// clang-format on
const struct kb_sql_table kb_sql_accounts = { "accounts", sql, KB_COUNTOF(sql) };

/* ---- accounts ---- */

static bool is_address(struct kb_sv handle)
{
	ptrdiff_t at = kb_sv_find_byte(handle, '@');

	return at > 0 && (size_t)at + 1 < handle.n && kb_sv_find_byte(handle, ' ') < 0;
}

#define ACCOUNT(letter, column, member) KB_COLUMN(struct kb_account, letter, column, member)
const struct kb_db_columns kb_account_columns =
        KB_COLUMNS(struct kb_account, KB_ACCOUNTS(ACCOUNT, ACCOUNT));

void kb_account_read_row(struct kb_db_rows *rows, struct kb_arena *arena, int at,
                         struct kb_account *out)
{
	kb_columns_read(&kb_account_columns, rows, at, arena, out);
	if (is_address(out->handle))
		out->email = out->handle;
}

void kb_account_read_begin(struct kb_db_conn *conn, int64_t id, struct kb_db_rows *rows)
{
	kb_rows_open(rows, conn, &sql[ACCOUNT_BY_ID], KB_VALUES(kb_int(id)));
}

bool kb_account_read_end(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_account *out,
                         struct kb_err *err)
{
	*out = (struct kb_account){ 0 };
	while (kb_rows_next(rows))
		kb_account_read_row(rows, arena, 0, out);
	return kb_rows_close(rows, err);
}

/* Zeroed where there is none: it has no id. */
static bool account_find(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_sql *what,
                         struct kb_db_value value, struct kb_account *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, what, KB_VALUES(value));
	return kb_account_read_end(&rows, arena, out, err);
}

struct ensure {
	struct kb_arena *arena;
	struct kb_sv handle, plan;
	int64_t now;
	struct kb_account *out;
};

/* Whoever writes the handle first has it: for the others its account is there. */
static bool make(struct kb_db_conn *conn, struct ensure *in, struct kb_err *err)
{
	struct kb_account account = {
		.handle = in->handle,
		.name = in->handle,
		.plan = in->plan.n ? in->plan : KB_SV("default"),
		.created_at = in->now,
		.updated_at = in->now,
	};
	int64_t taken;

	return kb_db_next_id(conn, "account", 1, &account.id, err)
	       && kb_db_run(conn, &sql[HANDLE_TAKE],
	                    KB_VALUES(kb_text(in->handle), kb_int(account.id)), &taken, err)
	       && (!taken
	           || kb_columns_write(&kb_account_columns, conn, &sql[ACCOUNT_ADD], KB_NO_VALUES,
	                               &account, err))
	       && account_find(conn, in->arena, &sql[ACCOUNT_BY_HANDLE], kb_text(in->handle),
	                       in->out, err);
}

static bool ensure(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct ensure *in = arg;

	if (!account_find(conn, in->arena, &sql[ACCOUNT_BY_HANDLE], kb_text(in->handle), in->out,
	                  err)
	    || (!in->out->id && !make(conn, in, err)))
		return false;
	if (!in->plan.n || kb_sv_eq(in->plan, in->out->plan))
		return true;
	in->out->plan = in->plan;
	return kb_db_run(conn, &sql[ACCOUNT_PLAN],
	                 KB_VALUES(kb_int(in->out->id), kb_text(in->plan), kb_int(in->now)), NULL,
	                 err);
}

static bool check_name(struct kb_sv name, struct kb_err *err)
{
	if (name.n == 0)
		return kb_fail(err, KB_E_INVALID, "an account needs a name");
	if (name.n > NAME_MAX_BYTES)
		return kb_fail(err, KB_E_TOO_LARGE, "the name has %zu bytes, the limit is %d",
		               name.n, NAME_MAX_BYTES);
	return true;
}

bool kb_store_account_ensure(struct kb_store *store, struct kb_arena *arena, struct kb_sv handle,
                             struct kb_sv plan, struct kb_account *out, struct kb_err *err)
{
	struct ensure in = {
		.arena = arena,
		.handle = handle,
		.plan = plan,
		.now = kb_store_now(store),
		.out = out,
	};

	return check_name(handle, err) && kb_db_write(store->db, ensure, &in, err);
}

bool kb_store_account_get(struct kb_store *store, struct kb_arena *arena, int64_t id,
                          struct kb_account *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool ok;

	if (!conn)
		return false;
	ok = account_find(conn, arena, &sql[ACCOUNT_BY_ID], kb_int(id), out, err);
	kb_db_give(store->db, conn);
	if (ok && !out->id)
		return kb_fail(err, KB_E_NOT_FOUND, "Account with id %" PRId64 " not found", id);
	return ok;
}

struct update {
	struct kb_arena *arena;
	int64_t id, now;
	const struct kb_account_update *change;
	struct kb_account *out;
};

static bool update(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct update *in = arg;
	struct kb_account *out = in->out;

	/* What is read here is what is changed. */
	if (!kb_db_run(conn, &sql[ACCOUNT_HOLD], KB_VALUES(kb_int(in->id)), NULL, err)
	    || !account_find(conn, in->arena, &sql[ACCOUNT_BY_ID], kb_int(in->id), out, err))
		return false;
	if (!out->id)
		return kb_fail(err, KB_E_NOT_FOUND, "Account with id %" PRId64 " not found",
		               in->id);
	if (in->change->name.p)
		out->name = in->change->name;
	if (in->change->photo.p) {
		out->photo = in->change->photo;
		out->photo_type = in->change->photo_type;
	}
	out->updated_at = in->now;
	return kb_db_run(conn, &sql[ACCOUNT_UPDATE],
	                 KB_VALUES(kb_int(in->id), kb_text(out->name), kb_text(out->photo),
	                           kb_text(out->photo_type), kb_int(in->now)),
	                 NULL, err);
}

bool kb_store_account_update(struct kb_store *store, struct kb_arena *arena, int64_t id,
                             const struct kb_account_update *change, struct kb_account *out,
                             struct kb_err *err)
{
	struct update in = {
		.arena = arena, .id = id, .now = kb_store_now(store), .change = change, .out = out
	};

	return (!change->name.p || check_name(change->name, err))
	       && kb_db_write(store->db, update, &in, err);
}

bool kb_store_account_photo(struct kb_store *store, int64_t id, struct kb_sv blob, bool *known,
                            struct kb_err *err)
{
	int64_t count = 0;
	bool ok = kb_db_read_int(store->db, &sql[ACCOUNT_PHOTO],
	                         KB_VALUES(kb_int(id), kb_text(blob)), 0, &count, err);

	*known = count > 0;
	return ok;
}
