#include "store/people.h"

#include "base/hash.h"
#include "store/accounts_own.h"
#include "store/lists.h"
#include "store/people_own.h"
#include "store/publish.h"
#include "store/signins_own.h"
#include "store/store_own.h"
#include "store/texts.h"

enum { LIST, GET, COUNT, AGENT, PUT, CHANGE, SEEN, REMOVE, LEAVE, SWITCH };
// clang-format off
/* The columns of people (columns.h). */
#define PEOPLE(FIRST, NEXT) \
	FIRST(i, id,         person.id) \
	NEXT (i, account_id, person.account_id) \
	NEXT (t, name,       person.name) \
	NEXT (t, email,      person.email) \
	NEXT (i, standing,   standing) \
	NEXT (t, grants,     grants) \
	NEXT (t, labels,     person.labels) \
	NEXT (i, created_at, person.created_at) \
	NEXT (i, updated_at, person.updated_at) \
	NEXT (i, seen_at,    person.seen_at) \
	NEXT (t, issuer,     person.issuer) \
	NEXT (t, subject,    person.subject) \
	NEXT (i, is_out,     is_out) \
	NEXT (t, external_id, person.external_id) \
	NEXT (t, address,    person.address) \
	NEXT (t, said_groups, person.said_groups)
#define P_FIRST(letter, column, member) "p." #column
#define P_NEXT(letter, column, member)  ", p." #column
#define SELECT_PEOPLE \
	"SELECT " PEOPLE(P_FIRST, P_NEXT) ", (SELECT a.plan FROM accounts a WHERE a.id = p.account_id), " \
	"coalesce((SELECT max(l.ends_at) FROM sign_in_links l WHERE l.person_id = p.id AND l.person_id > 0), 0) " \
	"FROM people p "
static const struct kb_sql sql[] = {
	[LIST] = { "people_list", "ii", SELECT_PEOPLE "WHERE p.account_id = $1 ORDER BY p.id LIMIT $2" },
	[GET] = { "person_get", "ii", SELECT_PEOPLE "WHERE p.id = $1 AND ($2 = 0 OR p.account_id = $2)" },
	[COUNT] = { "people_count", "i", "SELECT count(*) FROM people WHERE account_id = $1" },
	[AGENT] = { "person_agent", "ii",
		"SELECT count(*) FROM agents WHERE account_id = $1 AND id = $2 AND state = " KB_SQL(AGENT_THERE) },
	[PUT] = { "person_add", KB_TYPES(PEOPLE), KB_INSERT("people", PEOPLE) },
	[CHANGE] = { "person_change", "iittittii",
		"UPDATE people SET name = $3, email = $4, standing = $5, "
		"grants = CASE WHEN $9 = 1 THEN grants ELSE $6 END, labels = $7, updated_at = $8 "
		"WHERE id = $1 AND account_id = $2" },
	[SEEN] = { "person_seen", "ii", "UPDATE people SET seen_at = $2 WHERE id = $1" },
	[LEAVE] = { "person_leave", "i",
		"UPDATE directory_users SET person_id = 0 WHERE person_id = $1 AND person_id > 0" },
	[SWITCH] = { "person_switch", "iii",
		"UPDATE people SET is_out = $3 WHERE id = $1 AND account_id = $2" },
	[REMOVE] = { "person_remove", "ii", "DELETE FROM people WHERE id = $1 AND account_id = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_people = { "people", sql, KB_COUNTOF(sql) };

const char *const kb_right_names[] = { "ask", "conversations", "content", "answers", "manage" };
const char *const kb_standing_names[] = { "member", "auditor", "owner" };

struct row {
	struct kb_person person;
	struct kb_sv grants;
	int64_t standing, is_out;
};
#define PERSON(letter, column, member) KB_COLUMN(struct row, letter, column, member)
static const struct kb_db_columns columns = KB_COLUMNS(struct row, PEOPLE(PERSON, PERSON));

static bool missing(int64_t id, struct kb_err *err)
{
	return kb_fail(err, KB_E_NOT_FOUND, "Person with id %" PRId64 " not found", id);
}

static void read_row(struct kb_db_rows *rows, struct kb_arena *arena, int64_t now,
                     struct kb_person *out)
{
	struct row row = { 0 };
	struct kb_grant *grants;
	const int64_t *numbers;
	size_t count;

	kb_columns_read(&columns, rows, 0, arena, &row);
	*out = row.person;
	out->is_out = row.is_out != 0;
	out->plan = kb_rows_text(rows, arena, (int)columns.count);
	out->invited_until = kb_rows_int(rows, (int)columns.count + 1);
	if (out->invited_until < now)
		out->invited_until = 0;
	out->standing = row.standing >= 0 && row.standing < KB_STANDING_COUNT
	                        ? (enum kb_standing)row.standing
	                        : KB_PERSON_MEMBER;
	numbers = kb_ids_parse(arena, row.grants, &count);
	out->grant_count = count / 2;
	out->grants = grants = KB_NEW_ARRAY(arena, out->grant_count, struct kb_grant);
	for (size_t i = 0; i < out->grant_count; i++)
		grants[i] = (struct kb_grant){ numbers[2 * i], numbers[2 * i + 1] };
}

bool kb_store_people(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                     struct kb_person **out, size_t *count, struct kb_err *err)
{
	int64_t now = kb_store_now(store);
	struct kb_db_rows rows;

	*out = NULL;
	*count = 0;
	kb_rows_take(&rows, store->db, &sql[LIST],
	             KB_VALUES(kb_int(account_id), kb_int(KB_PEOPLE_MAX)));
	while (kb_rows_next(&rows)) {
		read_row(&rows, arena, now, &KB_ROOM(arena, *out, *count)[*count]);
		++*count;
	}
	return kb_rows_close(&rows, err);
}

static bool read_one(struct kb_db_rows *rows, struct kb_arena *arena, int64_t now, int64_t id,
                     struct kb_person *out, struct kb_err *err)
{
	*out = (struct kb_person){ 0 };
	while (kb_rows_next(rows))
		read_row(rows, arena, now, out);
	return kb_rows_close(rows, err) && (out->id || missing(id, err));
}

bool kb_store_person_get(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                         int64_t id, struct kb_person *out, struct kb_err *err)
{
	int64_t now = kb_store_now(store);
	struct kb_db_rows rows;

	kb_rows_take(&rows, store->db, &sql[GET], KB_VALUES(kb_int(id), kb_int(account_id)));
	return read_one(&rows, arena, now, id, out, err);
}

bool kb_person_read(struct kb_db_conn *conn, const struct kb_person_change *in, struct kb_err *err)
{
	struct kb_person *person = in->person;
	int64_t id = person->id;
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[GET], KB_VALUES(kb_int(id), kb_int(person->account_id)));
	return read_one(&rows, in->arena, in->now, id, person, err);
}

/* ---- changes ---- */

struct change {
	struct kb_person_change of;
	struct kb_person made; /* as it is written, if it is run again */
	int64_t id;
	char hash[KB_HASH_HEX];
};

/* What is granted, as it is stored. */
static bool write_grants(struct kb_db_conn *conn, const struct kb_person_change *in,
                         struct kb_sv *out, struct kb_err *err)
{
	const struct kb_person *person = in->person;
	int64_t *numbers = KB_NEW_ARRAY(in->arena, 2 * person->grant_count, int64_t), there;

	for (size_t i = 0; i < person->grant_count; i++) {
		const struct kb_grant *grant = &person->grants[i];

		if (grant->agent_id && in->strict
		    && (!kb_db_int(conn, &sql[AGENT],
		                   KB_VALUES(kb_int(person->account_id), kb_int(grant->agent_id)),
		                   0, &there, err)
		        || (!there
		            && !kb_fail(err, KB_E_NOT_FOUND, "Agent with id %" PRId64 " not found",
		                        grant->agent_id))))
			return false;
		numbers[2 * i] = grant->agent_id;
		numbers[2 * i + 1] = grant->rights;
	}
	*out = kb_ids_text(in->arena, numbers, 2 * person->grant_count);
	return true;
}

static bool add(struct kb_db_conn *conn, const struct kb_person_change *in, struct row *row,
                struct kb_err *err)
{
	int64_t count;

	if (!kb_db_int(conn, &sql[COUNT], KB_VALUES(kb_int(row->person.account_id)), 0, &count,
	               err))
		return false;
	if (count >= KB_PEOPLE_MAX)
		return kb_fail(err, KB_E_INVALID, "the account has %d people, which is the limit",
		               KB_PEOPLE_MAX);
	if (!kb_db_next_id(conn, "person", 1, &row->person.id, err))
		return false;
	row->person.created_at = in->now;
	in->person->id = row->person.id;
	return kb_columns_write(&columns, conn, &sql[PUT], KB_NO_VALUES, row, err);
}

bool kb_person_write(struct kb_db_conn *conn, const struct kb_person_change *in, struct kb_err *err)
{
	struct row row = { .person = *in->person, .standing = in->person->standing };
	const struct kb_person *person = &row.person;
	int64_t changed;

	row.person.updated_at = in->now;
	row.person.seen_at = 0;
	if (!person->keeps_grants && !write_grants(conn, in, &row.grants, err))
		return false;
	if (!person->id)
		return add(conn, in, &row, err);
	return kb_db_run(conn, &sql[CHANGE],
	                 KB_VALUES(kb_int(person->id), kb_int(person->account_id),
	                           kb_text(person->name), kb_text(person->email),
	                           kb_int(row.standing), kb_text(row.grants),
	                           kb_text(person->labels), kb_int(in->now),
	                           kb_int(person->keeps_grants)),
	                 &changed, err)
	       && (changed || missing(person->id, err));
}

static bool put(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct kb_person_change of = in->of;

	in->made = *in->of.person;
	of.person = &in->made;
	return kb_person_write(conn, &of, err);
}

bool kb_store_person_put(struct kb_store *store, struct kb_arena *arena, struct kb_person *person,
                         struct kb_err *err)
{
	struct change in = { .of = { .arena = arena,
		                     .person = person,
		                     .now = kb_store_now(store),
		                     .strict = true } };

	return kb_db_write(store->db, put, &in, err)
	       && kb_store_person_get(store, arena, person->account_id, in.made.id, person, err);
}

bool kb_person_switch(struct kb_db_conn *conn, const struct kb_person_change *in, bool is_out,
                      struct kb_err *err)
{
	const struct kb_person *person = in->person;

	return kb_db_run(conn, &sql[SWITCH],
	                 KB_VALUES(kb_int(person->id), kb_int(person->account_id), kb_int(is_out)),
	                 NULL, err)
	       && (!is_out
	           || (kb_keys_revoke_of(conn, in->arena, person->id, in->now, err)
	               && kb_sign_ins_end_of(conn, person->account_id, person->id, err)));
}

bool kb_person_let_go(struct kb_db_conn *conn, const struct kb_person_change *in,
                      struct kb_err *err)
{
	const struct kb_person *person = in->person;
	int64_t changed;

	if (!kb_db_run(conn, &sql[REMOVE],
	               KB_VALUES(kb_int(person->id), kb_int(person->account_id)), &changed, err))
		return false;
	if (!changed)
		return missing(person->id, err);
	return kb_db_run(conn, &sql[LEAVE], KB_VALUES(kb_int(person->id)), NULL, err)
	       && kb_keys_revoke_of(conn, in->arena, person->id, in->now, err)
	       && kb_sign_ins_end_of(conn, person->account_id, person->id, err);
}

static bool remove_person(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct change *in = arg;

	return kb_person_let_go(conn, &in->of, err);
}

bool kb_store_person_remove(struct kb_store *store, int64_t account_id, int64_t id,
                            struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_person person = { .account_id = account_id, .id = id };
	struct change in = {
		.of = { .arena = &arena, .person = &person, .now = kb_store_now(store) }
	};
	bool ok = kb_db_write(store->db, remove_person, &in, err);

	kb_arena_fini(&arena);
	return ok;
}

static bool seen(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct change *in = arg;

	return kb_db_run(conn, &sql[SEEN], KB_VALUES(kb_int(in->id), kb_int(in->of.now)), NULL,
	                 err);
}

bool kb_store_person_seen(struct kb_store *store, int64_t id, struct kb_err *err)
{
	struct change in = { .id = id, .of.now = kb_store_now(store) };

	return kb_db_write(store->db, seen, &in, err);
}

static bool invite(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct change *in = arg;

	return kb_sign_in_invite(conn, in->id, in->hash, in->of.now + KB_INVITATION_US, err);
}

bool kb_store_person_invite(struct kb_store *store, int64_t id, char secret[KB_SIGN_IN_TEXT],
                            int64_t *until, struct kb_err *err)
{
	struct change in = { .id = id, .of.now = kb_store_now(store) };

	*until = in.of.now + KB_INVITATION_US;
	kb_random_text(secret, KB_SIGN_IN_TEXT - 1);
	kb_hash_hex(kb_sv_str(secret), in.hash);
	return kb_db_write(store->db, invite, &in, err);
}
