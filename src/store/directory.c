/* Users of a directory, each with the person that they are here. */
#include "base/utf8.h"
#include "db/columns.h"
#include "store/directory_own.h"
#include "store/lists.h"
#include "store/store_own.h"

enum {
	LIST,
	BY_NAME,
	BY_EXTERNAL,
	BY_ID,
	ADD,
	LOCK,
	CHANGE,
	GO,
	FORGET,
	SWEEP,
	PERSON,
	ANOTHER,
	BIND,
};
// clang-format off
/* The columns of directory_users (columns.h). */
#define USERS_CHANGED(FIRST, NEXT) \
	FIRST(i, person_id,    user.person_id) \
	NEXT (t, user_name,    user.user_name) \
	NEXT (t, user_key,     user_key) \
	NEXT (t, external_id,  user.external_id) \
	NEXT (t, display_name, user.display_name) \
	NEXT (t, given_name,   user.given_name) \
	NEXT (t, family_name,  user.family_name) \
	NEXT (t, email,        user.email) \
	NEXT (t, email_key,    email_key) \
	NEXT (i, is_active,    is_active) \
	NEXT (i, version,      user.version) \
	NEXT (i, updated_at,   user.updated_at)
#define USERS(FIRST, NEXT) \
	FIRST(i, id,           user.id) \
	NEXT (i, account_id,   user.account_id) \
	USERS_CHANGED(NEXT, NEXT) \
	NEXT (t, issuer,       user.issuer) \
	NEXT (t, subject,      user.subject) \
	NEXT (i, created_at,   user.created_at) \
	NEXT (i, gone_at,      gone_at)
#define SELECT_USERS "SELECT " KB_NAMES(USERS) " FROM directory_users "
static const struct kb_sql sql[] = {
	[LIST] = { "directory_users", "i", SELECT_USERS "WHERE account_id = $1 AND gone_at = 0 ORDER BY id" },
	[BY_NAME] = { "directory_user_named", "it",
		SELECT_USERS "WHERE account_id = $1 AND user_key = $2 AND gone_at = 0" },
	[BY_EXTERNAL] = { "directory_user_external", "it",
		SELECT_USERS "WHERE account_id = $1 AND external_id = $2 AND gone_at = 0 ORDER BY id" },
	[BY_ID] = { "directory_user_get", "ii",
		SELECT_USERS "WHERE id = $2 AND account_id = $1 AND gone_at = 0" },
	[ADD] = { "directory_user_add", KB_TYPES(USERS), KB_INSERT("directory_users", USERS) },
	/* Whoever writes a version first has it; who waited for that finds none. */
	[LOCK] = { "directory_user_lock", "ii",
		"UPDATE directory_users SET version = version + 1 WHERE id = $1 AND version = $2 AND gone_at = 0" },
	[CHANGE] = { "directory_user_change", "ii" KB_TYPES(USERS_CHANGED),
		KB_UPDATE("directory_users", USERS_CHANGED) "WHERE id = $1 AND version = $2 AND gone_at = 0" },
	[GO] = { "directory_user_go", "ii",
		"UPDATE directory_users SET gone_at = $2, person_id = 0, display_name = '', given_name = '', "
		"family_name = '', email = '' WHERE id = $1" },
	/* What kept somebody out who is made anew. */
	[FORGET] = { "directory_user_forget", "itt",
		"DELETE FROM directory_users WHERE account_id = $1 AND gone_at > 0 AND (user_key = $2 "
		"OR (external_id = $3 AND external_id <> ''))" },
	[SWEEP] = { "directory_user_sweep", "ii",
		"DELETE FROM directory_users WHERE account_id = $1 AND gone_at > 0 AND gone_at < $2" },
	/* Who has signed in already, as whom the directory means; and perhaps somebody else. */
	[PERSON] = { "directory_user_person", "ittt",
		"SELECT p.id, p.issuer, p.subject, CASE WHEN p.external_id <> '' AND p.external_id = $2 THEN 0 ELSE 1 END "
		"FROM people p WHERE p.account_id = $1 AND p.issuer <> '' AND (p.external_id = $2 OR p.address = $3 "
		"OR p.address = $4) AND ((p.external_id <> '' AND p.external_id = $2) OR (p.address <> '' "
		"AND (p.address = $3 OR p.address = $4))) "
		"AND NOT EXISTS (SELECT 1 FROM directory_users d WHERE d.person_id = p.id) ORDER BY 4, 1 LIMIT 2" },
	[ANOTHER] = { "directory_user_another", "ii",
		"UPDATE directory_users SET person_id = 0 WHERE person_id = $1 AND id <> $2 AND person_id > 0" },
	[BIND] = { "directory_user_bind", "iitt",
		"UPDATE directory_users SET person_id = $2, issuer = $3, subject = $4 WHERE id = $1" },
};
// clang-format on
const struct kb_sql_table kb_sql_directory = { "directory", sql, KB_COUNTOF(sql) };

struct row {
	struct kb_directory_user user;
	struct kb_sv user_key, email_key;
	int64_t is_active, gone_at;
};
#define COLUMN(letter, column, member) KB_COLUMN(struct row, letter, column, member)
static const struct kb_db_columns columns = KB_COLUMNS(struct row, USERS(COLUMN, COLUMN)),
                                  changed = KB_COLUMNS(struct row, USERS_CHANGED(COLUMN, COLUMN));

/* ASCII letters alone: no other letter is like one of an address. */
struct kb_sv kb_directory_key(struct kb_arena *arena, struct kb_sv text)
{
	char *out = kb_arena_bytes(arena, text.n);

	for (size_t i = 0; i < text.n; i++)
		out[i] = (char)(text.p[i] >= 'A' && text.p[i] <= 'Z' ? text.p[i] | 32 : text.p[i]);
	return kb_sv(out, text.n);
}

static bool missing(int64_t id, struct kb_err *err)
{
	return kb_fail(err, KB_E_NOT_FOUND, "there is no user with id %" PRId64, id);
}

static bool read_rows(struct kb_db_rows *rows, struct kb_arena *arena,
                      struct kb_directory_user **out, size_t *count, struct kb_err *err)
{
	*out = NULL;
	*count = 0;
	while (kb_rows_next(rows)) {
		struct row row = { 0 };

		kb_columns_read(&columns, rows, 0, arena, &row);
		row.user.is_active = row.is_active != 0;
		KB_ROOM(arena, *out, *count)[*count] = row.user;
		++*count;
	}
	return kb_rows_close(rows, err);
}

bool kb_store_directory_users(struct kb_store *store, struct kb_arena *arena,
                              const struct kb_directory_query *query,
                              struct kb_directory_user **out, size_t *count, struct kb_err *err)
{
	struct kb_db_value account = kb_int(query->account_id);
	struct kb_db_rows rows;

	if (query->id)
		kb_rows_take(&rows, store->db, &sql[BY_ID], KB_VALUES(account, kb_int(query->id)));
	else if (query->name.n)
		kb_rows_take(&rows, store->db, &sql[BY_NAME],
		             KB_VALUES(account, kb_text(kb_directory_key(arena, query->name))));
	else if (query->external_id.n)
		kb_rows_take(&rows, store->db, &sql[BY_EXTERNAL],
		             KB_VALUES(account, kb_text(query->external_id)));
	else
		kb_rows_take(&rows, store->db, &sql[LIST], KB_VALUES(account));
	return read_rows(&rows, arena, out, count, err);
}

/* ---- changes ---- */

static bool read_user(struct kb_db_conn *conn, struct kb_arena *arena, int64_t account_id,
                      int64_t id, struct kb_directory_user *out, struct kb_err *err)
{
	struct kb_directory_user *users;
	struct kb_db_rows rows;
	size_t count;

	kb_rows_open(&rows, conn, &sql[BY_ID], KB_VALUES(kb_int(account_id), kb_int(id)));
	if (!read_rows(&rows, arena, &users, &count, err))
		return false;
	if (!count)
		return missing(id, err);
	*out = users[0];
	return true;
}

static bool check_name(struct kb_db_conn *conn, struct kb_arena *arena, const struct row *row,
                       struct kb_err *err)
{
	struct kb_directory_user *users;
	struct kb_db_rows rows;
	size_t count;

	kb_rows_open(&rows, conn, &sql[BY_NAME],
	             KB_VALUES(kb_int(row->user.account_id), kb_text(row->user_key)));
	if (!read_rows(&rows, arena, &users, &count, err))
		return false;
	if (!count || users[0].id == row->user.id)
		return true;
	kb_fail(err, KB_E_CONFLICT, "there is a user with that userName");
	err->status = 409;
	return false;
}

static struct kb_sv name_of(struct kb_arena *arena, const struct kb_directory_user *user)
{
	enum { NAME_CHARS = 100 };
	struct kb_sv both = kb_sv_trim(kb_arena_printf(
	        arena, "%.*s %.*s", KB_SV_ARG(user->given_name), KB_SV_ARG(user->family_name)));

	return kb_utf8_head(user->display_name.n ? user->display_name
	                    : both.n             ? both
	                                         : user->user_name,
	                    NAME_CHARS);
}

/* A person for the user: who is known here as that already, or a new one. */
static bool find_person(struct kb_db_conn *conn, const struct kb_directory_change *in,
                        struct row *row, struct kb_err *err)
{
	struct kb_directory_user *user = &row->user;
	struct kb_person person = { .account_id = user->account_id,
		                    .name = name_of(in->arena, user),
		                    .email = user->email,
		                    .labels = KB_SV("[]"),
		                    .issuer = KB_SV(""),
		                    .subject = KB_SV("") };
	int64_t place[2] = { -1, -1 };
	struct kb_db_rows rows;
	size_t count = 0;

	kb_rows_open(&rows, conn, &sql[PERSON],
	             KB_VALUES(kb_int(user->account_id), kb_text(user->external_id),
	                       kb_text(row->user_key), kb_text(row->email_key)));
	while (kb_rows_next(&rows) && count < KB_COUNTOF(place)) {
		place[count] = kb_rows_int(&rows, 3);
		if (count++)
			continue;
		person.id = kb_rows_int(&rows, 0);
		user->issuer = kb_rows_text(&rows, in->arena, 1);
		user->subject = kb_rows_text(&rows, in->arena, 2);
	}
	if (!kb_rows_close(&rows, err))
		return false;
	/* Of two with one address nobody knows who is meant. */
	if (place[0] == place[1]) {
		person.id = 0;
		user->issuer = user->subject = KB_SV("");
	}
	user->person_id = person.id;
	if (person.id)
		return true;
	if (!kb_person_write(conn, &(struct kb_person_change){ in->arena, &person, in->now, false },
	                     err))
		return false;
	user->person_id = person.id;
	return true;
}

static bool add(struct kb_db_conn *conn, const struct kb_directory_change *in, struct row *row,
                struct kb_err *err)
{
	struct kb_directory_user *user = &row->user;
	struct kb_db_value account = kb_int(user->account_id);

	user->version = 1;
	user->created_at = user->updated_at = in->now;
	return kb_db_run(conn, &sql[FORGET],
	                 KB_VALUES(account, kb_text(row->user_key), kb_text(user->external_id)),
	                 NULL, err)
	       && kb_db_run(conn, &sql[SWEEP],
	                    KB_VALUES(account, kb_int(in->now - KB_DIRECTORY_GONE_US)), NULL, err)
	       && find_person(conn, in, row, err)
	       && kb_db_next_id(conn, "directory", 1, &user->id, err)
	       && kb_columns_write(&columns, conn, &sql[ADD], KB_NO_VALUES, row, err);
}

static bool lock(struct kb_db_conn *conn, const struct kb_directory_user *before,
                 struct kb_err *err)
{
	int64_t done;

	return kb_db_run(conn, &sql[LOCK], KB_VALUES(kb_int(before->id), kb_int(before->version)),
	                 &done, err)
	       && (done || !kb_directory_is_changed(before->version + 1, before->version, err));
}

static bool change(struct kb_db_conn *conn, const struct kb_directory_change *in, struct row *row,
                   struct kb_err *err)
{
	struct kb_directory_user *user = &row->user, before = { 0 };

	if (!read_user(conn, in->arena, user->account_id, user->id, &before, err)
	    || kb_directory_is_changed(before.version, user->version, err)
	    || !lock(conn, &before, err))
		return false;
	user->person_id = before.person_id;
	user->version = before.version + 1;
	user->created_at = before.created_at;
	user->updated_at = in->now;
	return kb_columns_write(&changed, conn, &sql[CHANGE],
	                        KB_VALUES(kb_int(user->id), kb_int(user->version)), row, err);
}

/* What the person is called, and whether they are in, as the user is. */
static bool follow(struct kb_db_conn *conn, const struct kb_directory_change *in,
                   const struct kb_directory_user *user, struct kb_err *err)
{
	struct kb_person person = { .id = user->person_id, .account_id = user->account_id };
	const struct kb_person_change of = { in->arena, &person, in->now, false };

	if (!user->person_id)
		return true;
	if (!kb_person_read(conn, &of, err))
		return false;
	person.name = name_of(in->arena, user);
	person.email = user->email;
	person.keeps_grants = true;
	return kb_person_write(conn, &of, err) && kb_person_switch(conn, &of, !user->is_active, err)
	       && kb_directory_settle(conn, in, user->account_id, user->id, NULL, err);
}

struct putting {
	struct kb_directory_change of;
	const struct kb_directory_user *wanted;
	struct row row;
};

static bool put(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct putting *in = arg;
	struct row *row = &in->row;

	*row = (struct row){ .user = *in->wanted,
		             .user_key = kb_directory_key(in->of.arena, in->wanted->user_name),
		             .email_key = kb_directory_key(in->of.arena, in->wanted->email),
		             .is_active = in->wanted->is_active };
	return check_name(conn, in->of.arena, row, err)
	       && (row->user.id ? change(conn, &in->of, row, err) : add(conn, &in->of, row, err))
	       && follow(conn, &in->of, &row->user, err);
}

bool kb_store_directory_user_put(struct kb_store *store, struct kb_arena *arena,
                                 const struct kb_directory_roles *roles,
                                 struct kb_directory_user *user, struct kb_err *err)
{
	struct putting in = { .of = { arena, roles, kb_store_now(store) }, .wanted = user };

	if (!kb_db_write(store->db, put, &in, err))
		return false;
	*user = in.row.user;
	return true;
}

struct deleting {
	struct kb_directory_change of;
	int64_t account_id, id, version;
};

static bool delete_user(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct deleting *in = arg;
	struct kb_directory_user user = { 0 };
	struct kb_person person;

	if (!read_user(conn, in->of.arena, in->account_id, in->id, &user, err)
	    || kb_directory_is_changed(user.version, in->version, err) || !lock(conn, &user, err))
		return false;
	person = (struct kb_person){ .id = user.person_id, .account_id = user.account_id };
	return (!person.id
	        || kb_person_let_go(
	                conn,
	                &(struct kb_person_change){ in->of.arena, &person, in->of.now, false },
	                err))
	       && kb_directory_leave(conn, in->id, err)
	       && kb_db_run(conn, &sql[GO], KB_VALUES(kb_int(in->id), kb_int(in->of.now)), NULL,
	                    err);
}

bool kb_store_directory_user_delete(struct kb_store *store, int64_t account_id, int64_t id,
                                    int64_t version, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct deleting in = { .of = { &arena, NULL, kb_store_now(store) },
		               .account_id = account_id,
		               .id = id,
		               .version = version };
	bool ok = kb_db_write(store->db, delete_user, &in, err);

	kb_arena_fini(&arena);
	return ok;
}

/* ---- somebody signs in ---- */

static bool is_another(const struct kb_directory_user *user, const struct kb_person *person)
{
	return user->subject.n
	       && !(kb_sv_eq(user->issuer, person->issuer)
	            && kb_sv_eq(user->subject, person->subject));
}

bool kb_directory_enter(struct kb_db_conn *conn, const struct kb_person_change *in, int64_t user_id,
                        int64_t known_as, int64_t *person_id, struct kb_err *err)
{
	struct kb_directory_user user = { 0 };
	struct kb_person made;
	struct kb_err why;

	if (!read_user(conn, in->arena, in->person->account_id, user_id, &user, &why)) {
		*err = why;
		return why.code == KB_E_NOT_FOUND && kb_fail(err, KB_E_FORBIDDEN, KB_DIRECTORY_OFF);
	}
	if (!user.is_active)
		return kb_fail(err, KB_E_FORBIDDEN, KB_DIRECTORY_OFF);
	if (is_another(&user, in->person))
		return kb_fail(err, KB_E_FORBIDDEN,
		               "somebody else signs in as that user of the directory");
	*person_id = known_as ? known_as : user.person_id;
	if (!known_as || !user.person_id || user.person_id == known_as)
		return true;
	/* Who was here before the directory said so stays; what it made meanwhile goes. */
	made = (struct kb_person){ .id = user.person_id, .account_id = user.account_id };
	return kb_person_let_go(
	        conn, &(struct kb_person_change){ in->arena, &made, in->now, false }, err);
}

bool kb_directory_bind(struct kb_db_conn *conn, const struct kb_person *person, int64_t user_id,
                       struct kb_err *err)
{
	return kb_db_run(conn, &sql[ANOTHER], KB_VALUES(kb_int(person->id), kb_int(user_id)), NULL,
	                 err)
	       && kb_db_run(conn, &sql[BIND],
	                    KB_VALUES(kb_int(user_id), kb_int(person->id), kb_text(person->issuer),
	                              kb_text(person->subject)),
	                    NULL, err);
}
