/* Groups of a directory, and what they give: in the transaction that changes them. */
#include "base/json.h"
#include "db/columns.h"
#include "store/directory_own.h"
#include "store/lists.h"
#include "store/signins_own.h"
#include "store/store_own.h"

enum {
	LIST,
	BY_NAME,
	BY_EXTERNAL,
	BY_ID,
	COUNT,
	ADD,
	LOCK,
	CHANGE,
	DROP,
	OF_USER,
	MEMBERS,
	USER_THERE,
	MEMBER_ADD,
	MEMBER_DROP,
	MEMBERS_DROP,
	LEAVE,
	SUBJECT,
	SAID,
};
// clang-format off
/* The columns of directory_groups (columns.h). */
#define GROUPS_CHANGED(FIRST, NEXT) \
	FIRST(t, name,        name) \
	NEXT (t, external_id, external_id) \
	NEXT (i, version,     version) \
	NEXT (i, updated_at,  updated_at)
#define GROUPS(FIRST, NEXT) \
	FIRST(i, id,          id) \
	NEXT (i, account_id,  account_id) \
	GROUPS_CHANGED(NEXT, NEXT) \
	NEXT (i, created_at,  created_at)
#define G_FIRST(letter, column, member) "g." #column
#define G_NEXT(letter, column, member)  ", g." #column
#define SELECT_GROUPS "SELECT " GROUPS(G_FIRST, G_NEXT) " FROM directory_groups g "
static const struct kb_sql sql[] = {
	[LIST] = { "directory_groups", "i", SELECT_GROUPS "WHERE g.account_id = $1 ORDER BY g.id" },
	[BY_NAME] = { "directory_group_named", "it", SELECT_GROUPS "WHERE g.account_id = $1 AND g.name = $2" },
	[BY_EXTERNAL] = { "directory_group_external", "it",
		SELECT_GROUPS "WHERE g.account_id = $1 AND g.external_id = $2 ORDER BY g.id" },
	[BY_ID] = { "directory_group_get", "ii", SELECT_GROUPS "WHERE g.id = $2 AND g.account_id = $1" },
	[COUNT] = { "directory_group_count", "i", "SELECT count(*) FROM directory_groups WHERE account_id = $1" },
	[ADD] = { "directory_group_add", KB_TYPES(GROUPS), KB_INSERT("directory_groups", GROUPS) },
	/* Whoever writes a version first has it; who waited for that finds none. */
	[LOCK] = { "directory_group_lock", "ii",
		"UPDATE directory_groups SET version = version + 1 WHERE id = $1 AND version = $2" },
	[CHANGE] = { "directory_group_change", "ii" KB_TYPES(GROUPS_CHANGED),
		KB_UPDATE("directory_groups", GROUPS_CHANGED) "WHERE id = $1 AND version = $2" },
	[DROP] = { "directory_group_drop", "i", "DELETE FROM directory_groups WHERE id = $1" },
	[OF_USER] = { "directory_groups_of", "i",
		"SELECT " GROUPS(G_FIRST, G_NEXT) " FROM directory_members m JOIN directory_groups g ON g.id = m.group_id "
		"WHERE m.user_id = $1 ORDER BY g.id" },
	[MEMBERS] = { "directory_members", "i",
		"SELECT user_id FROM directory_members WHERE group_id = $1 ORDER BY user_id" },
	[USER_THERE] = { "directory_member_there", "ii",
		"SELECT count(*) FROM directory_users WHERE id = $1 AND account_id = $2 AND gone_at = 0" },
	[MEMBER_ADD] = { "directory_member_add", "ii",
		"INSERT INTO directory_members (group_id, user_id) VALUES ($1, $2)" },
	[MEMBER_DROP] = { "directory_member_drop", "ii",
		"DELETE FROM directory_members WHERE group_id = $1 AND user_id = $2" },
	[MEMBERS_DROP] = { "directory_members_drop", "i", "DELETE FROM directory_members WHERE group_id = $1" },
	[LEAVE] = { "directory_member_leave", "i", "DELETE FROM directory_members WHERE user_id = $1" },
	[SUBJECT] = { "directory_member_person", "i", "SELECT person_id FROM directory_users WHERE id = $1" },
	[SAID] = { "directory_member_said", "iit",
		"UPDATE people SET said_groups = $3 WHERE id = $1 AND account_id = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_directory_groups = { "directory_groups", sql, KB_COUNTOF(sql) };

#define COLUMN(letter, column, member) KB_COLUMN(struct kb_directory_group, letter, column, member)
static const struct kb_db_columns columns = KB_COLUMNS(struct kb_directory_group,
                                                       GROUPS(COLUMN, COLUMN)),
                                  changed = KB_COLUMNS(struct kb_directory_group,
                                                       GROUPS_CHANGED(COLUMN, COLUMN));

static bool read_rows(struct kb_db_rows *rows, struct kb_arena *arena,
                      struct kb_directory_group **out, size_t *count, struct kb_err *err)
{
	*out = NULL;
	*count = 0;
	while (kb_rows_next(rows)) {
		struct kb_directory_group group = { 0 };

		kb_columns_read(&columns, rows, 0, arena, &group);
		KB_ROOM(arena, *out, *count)[*count] = group;
		++*count;
	}
	return kb_rows_close(rows, err);
}

bool kb_store_directory_groups(struct kb_store *store, struct kb_arena *arena,
                               const struct kb_directory_query *query,
                               struct kb_directory_group **out, size_t *count, struct kb_err *err)
{
	struct kb_db_value account = kb_int(query->account_id);
	struct kb_db_rows rows;

	if (query->id)
		kb_rows_take(&rows, store->db, &sql[BY_ID], KB_VALUES(account, kb_int(query->id)));
	else if (query->name.n)
		kb_rows_take(&rows, store->db, &sql[BY_NAME],
		             KB_VALUES(account, kb_text(query->name)));
	else if (query->external_id.n)
		kb_rows_take(&rows, store->db, &sql[BY_EXTERNAL],
		             KB_VALUES(account, kb_text(query->external_id)));
	else
		kb_rows_take(&rows, store->db, &sql[LIST], KB_VALUES(account));
	return read_rows(&rows, arena, out, count, err);
}

bool kb_store_directory_groups_of(struct kb_store *store, struct kb_arena *arena, int64_t user_id,
                                  struct kb_directory_group **out, size_t *count,
                                  struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_take(&rows, store->db, &sql[OF_USER], KB_VALUES(kb_int(user_id)));
	return read_rows(&rows, arena, out, count, err);
}

static bool read_members(struct kb_db_rows *rows, struct kb_arena *arena, int64_t **out,
                         size_t *count, struct kb_err *err)
{
	*out = NULL;
	*count = 0;
	while (kb_rows_next(rows)) {
		KB_ROOM(arena, *out, *count)[*count] = kb_rows_int(rows, 0);
		++*count;
	}
	return kb_rows_close(rows, err);
}

bool kb_store_directory_members(struct kb_store *store, struct kb_arena *arena,
                                struct kb_directory_group *group, struct kb_err *err)
{
	struct kb_db_rows rows;
	int64_t *members;

	kb_rows_take(&rows, store->db, &sql[MEMBERS], KB_VALUES(kb_int(group->id)));
	if (!read_members(&rows, arena, &members, &group->member_count, err))
		return false;
	group->members = members;
	return true;
}

/* ---- what they give ---- */

bool kb_directory_names(struct kb_db_conn *conn, struct kb_arena *arena, int64_t user_id,
                        struct kb_sv **out, size_t *count, struct kb_err *err)
{
	struct kb_directory_group *groups;
	struct kb_db_rows rows;
	size_t n;

	*out = NULL;
	*count = 0;
	kb_rows_open(&rows, conn, &sql[OF_USER], KB_VALUES(kb_int(user_id)));
	if (!read_rows(&rows, arena, &groups, &n, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		KB_ROOM(arena, *out, *count)[*count] = groups[i].name;
		++*count;
		if (!groups[i].external_id.n)
			continue;
		KB_ROOM(arena, *out, *count)[*count] = groups[i].external_id;
		++*count;
	}
	return true;
}

static bool is_of(const struct kb_directory_group *group, struct kb_sv name)
{
	return group
	       && (kb_sv_eq(name, group->name)
	           || (group->external_id.n && kb_sv_eq(name, group->external_id)));
}

/* Adds what the last sign-in named, without the group that they have left; *left: it was named. */
static struct kb_sv add_said(struct kb_arena *arena, struct kb_sv said,
                             const struct kb_directory_group *gone, struct kb_sv **names,
                             size_t *count, bool *left)
{
	const json_t *list = said.n ? kb_json_parse(arena, said, NULL) : NULL;
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv out;

	*left = false;
	kb_buf_init(&buf, KB_MIB(1));
	kb_jw_init(&jw, &buf);
	kb_jw_array(&jw);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);
		struct kb_sv name = kb_sv(json_string_value(one), json_string_length(one));

		if (is_of(gone, name)) {
			*left = true;
			continue;
		}
		kb_jw_sv(&jw, name);
		KB_ROOM(arena, *names, *count)[*count] = name;
		++*count;
	}
	kb_jw_end(&jw);
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

static bool judge(struct kb_db_conn *conn, const struct kb_directory_change *in, int64_t user_id,
                  const struct kb_directory_group *gone, struct kb_person *person,
                  struct kb_err *err)
{
	struct kb_directory_given groups;
	struct kb_sv *names, said;
	bool left;
	size_t count;

	if (!kb_directory_names(conn, in->arena, user_id, &names, &count, err))
		return false;
	said = add_said(in->arena, person->said_groups, gone, &names, &count, &left);
	if (left
	    && !kb_db_run(conn, &sql[SAID],
	                  KB_VALUES(kb_int(person->id), kb_int(person->account_id), kb_text(said)),
	                  NULL, err))
		return false;
	if (!in->roles || !in->roles->judge)
		return true;
	groups = (struct kb_directory_given){ .names = names, .count = count };
	return in->roles->judge(in->roles->arg, in->arena, &groups, person, err)
	       && kb_person_write(
	               conn, &(struct kb_person_change){ in->arena, person, in->now, false }, err)
	       && (groups.is_let_in
	           || kb_sign_ins_end_of(conn, person->account_id, person->id, err));
}

bool kb_directory_settle(struct kb_db_conn *conn, const struct kb_directory_change *in,
                         int64_t account_id, int64_t user_id, const struct kb_directory_group *gone,
                         struct kb_err *err)
{
	struct kb_person person = { .account_id = account_id };

	if (!kb_db_int(conn, &sql[SUBJECT], KB_VALUES(kb_int(user_id)), 0, &person.id, err))
		return false;
	return !person.id
	       || (kb_person_read(conn,
	                          &(struct kb_person_change){ in->arena, &person, in->now, false },
	                          err)
	           && judge(conn, in, user_id, gone, &person, err));
}

/* ---- changes ---- */

bool kb_directory_is_changed(int64_t there, int64_t wanted, struct kb_err *err)
{
	if (!wanted || there == wanted)
		return false;
	kb_fail(err, KB_E_CONFLICT, "somebody else changed it: its version is %" PRId64, there);
	err->status = 412;
	return true;
}

struct putting {
	struct kb_directory_change of;
	const struct kb_directory_group *wanted;
	struct kb_directory_group group;
};

static bool read_group(struct kb_db_conn *conn, struct kb_arena *arena, int64_t account_id,
                       int64_t id, struct kb_directory_group *out, struct kb_err *err)
{
	struct kb_directory_group *groups;
	struct kb_db_rows rows;
	int64_t *members;
	size_t count;

	kb_rows_open(&rows, conn, &sql[BY_ID], KB_VALUES(kb_int(account_id), kb_int(id)));
	if (!read_rows(&rows, arena, &groups, &count, err))
		return false;
	if (!count)
		return kb_fail(err, KB_E_NOT_FOUND, "there is no group with id %" PRId64, id);
	*out = groups[0];
	kb_rows_open(&rows, conn, &sql[MEMBERS], KB_VALUES(kb_int(id)));
	if (!read_members(&rows, arena, &members, &out->member_count, err))
		return false;
	out->members = members;
	return true;
}

static bool check_name(struct kb_db_conn *conn, const struct putting *in, struct kb_err *err)
{
	struct kb_directory_group *groups;
	struct kb_db_rows rows;
	size_t count;

	kb_rows_open(&rows, conn, &sql[BY_NAME],
	             KB_VALUES(kb_int(in->group.account_id), kb_text(in->group.name)));
	if (!read_rows(&rows, in->of.arena, &groups, &count, err))
		return false;
	if (!count || groups[0].id == in->group.id)
		return true;
	kb_fail(err, KB_E_CONFLICT, "there is a group with that displayName");
	err->status = 409;
	return false;
}

static bool add(struct kb_db_conn *conn, struct putting *in, struct kb_err *err)
{
	struct kb_directory_group *group = &in->group;
	int64_t count;

	if (!kb_db_int(conn, &sql[COUNT], KB_VALUES(kb_int(group->account_id)), 0, &count, err))
		return false;
	if (count >= KB_DIRECTORY_GROUPS_MAX)
		return kb_fail(err, KB_E_INVALID, "the account has %d groups, which is the limit",
		               KB_DIRECTORY_GROUPS_MAX);
	group->version = 1;
	group->created_at = group->updated_at = in->of.now;
	return kb_db_next_id(conn, "directory", 1, &group->id, err)
	       && kb_columns_write(&columns, conn, &sql[ADD], KB_NO_VALUES, group, err);
}

static bool lock(struct kb_db_conn *conn, const struct kb_directory_group *before,
                 struct kb_err *err)
{
	int64_t done;

	return kb_db_run(conn, &sql[LOCK], KB_VALUES(kb_int(before->id), kb_int(before->version)),
	                 &done, err)
	       && (done || !kb_directory_is_changed(before->version + 1, before->version, err));
}

static bool change(struct kb_db_conn *conn, struct putting *in,
                   const struct kb_directory_group *before, struct kb_err *err)
{
	struct kb_directory_group *group = &in->group;

	if (kb_directory_is_changed(before->version, group->version, err)
	    || !lock(conn, before, err))
		return false;
	group->version = before->version + 1;
	group->created_at = before->created_at;
	group->updated_at = in->of.now;
	return kb_columns_write(&changed, conn, &sql[CHANGE],
	                        KB_VALUES(kb_int(group->id), kb_int(group->version)), group, err);
}

static bool join(struct kb_db_conn *conn, const struct putting *in, int64_t user_id,
                 struct kb_err *err)
{
	int64_t there;

	if (!kb_db_int(conn, &sql[USER_THERE],
	               KB_VALUES(kb_int(user_id), kb_int(in->group.account_id)), 0, &there, err))
		return false;
	if (!there)
		return kb_fail(err, KB_E_INVALID, "a member is no user of the directory: %" PRId64,
		               user_id);
	return kb_db_run(conn, &sql[MEMBER_ADD], KB_VALUES(kb_int(in->group.id), kb_int(user_id)),
	                 NULL, err)
	       && kb_directory_settle(conn, &in->of, in->group.account_id, user_id, NULL, err);
}

static bool part(struct kb_db_conn *conn, const struct putting *in,
                 const struct kb_directory_group *before, int64_t user_id, struct kb_err *err)
{
	return kb_db_run(conn, &sql[MEMBER_DROP], KB_VALUES(kb_int(before->id), kb_int(user_id)),
	                 NULL, err)
	       && kb_directory_settle(conn, &in->of, before->account_id, user_id, before, err);
}

/* Both lists are in order: who comes, who goes, and where it has another name who stays too. */
static bool put_members(struct kb_db_conn *conn, const struct putting *in,
                        const struct kb_directory_group *before, bool renamed, struct kb_err *err)
{
	const struct kb_directory_group *group = &in->group;
	size_t i = 0, k = 0;
	bool ok = true;

	while (ok && (i < group->member_count || k < before->member_count)) {
		int64_t is = i < group->member_count ? group->members[i] : INT64_MAX,
		        was = k < before->member_count ? before->members[k] : INT64_MAX;

		if (is < was)
			ok = join(conn, in, is, err);
		else if (was < is)
			ok = part(conn, in, before, was, err);
		else if (renamed)
			ok = kb_directory_settle(conn, &in->of, group->account_id, is, before, err);
		i += is <= was;
		k += was <= is;
	}
	return ok;
}

static bool put(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct putting *in = arg;
	struct kb_directory_group before = { 0 };
	bool renamed = false;

	in->group = *in->wanted;
	if (!check_name(conn, in, err))
		return false;
	if (!in->group.id)
		return add(conn, in, err) && put_members(conn, in, &before, false, err);
	if (!read_group(conn, in->of.arena, in->group.account_id, in->group.id, &before, err))
		return false;
	renamed = !kb_sv_eq(before.name, in->group.name)
	          || !kb_sv_eq(before.external_id, in->group.external_id);
	return change(conn, in, &before, err) && put_members(conn, in, &before, renamed, err);
}

bool kb_store_directory_group_put(struct kb_store *store, struct kb_arena *arena,
                                  const struct kb_directory_roles *roles,
                                  struct kb_directory_group *group, struct kb_err *err)
{
	struct putting in = { .of = { arena, roles, kb_store_now(store) }, .wanted = group };

	if (!kb_db_write(store->db, put, &in, err))
		return false;
	*group = in.group;
	return true;
}

static bool delete_group(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct putting *in = arg;
	struct kb_directory_group before = { 0 };
	bool ok;

	if (!read_group(conn, in->of.arena, in->wanted->account_id, in->wanted->id, &before, err)
	    || kb_directory_is_changed(before.version, in->wanted->version, err)
	    || !lock(conn, &before, err))
		return false;
	ok = kb_db_run(conn, &sql[MEMBERS_DROP], KB_VALUES(kb_int(before.id)), NULL, err)
	     && kb_db_run(conn, &sql[DROP], KB_VALUES(kb_int(before.id)), NULL, err);
	for (size_t i = 0; ok && i < before.member_count; i++)
		ok = kb_directory_settle(conn, &in->of, before.account_id, before.members[i],
		                         &before, err);
	return ok;
}

bool kb_store_directory_group_delete(struct kb_store *store, struct kb_arena *arena,
                                     const struct kb_directory_roles *roles,
                                     const struct kb_directory_group *group, struct kb_err *err)
{
	struct putting in = { .of = { arena, roles, kb_store_now(store) }, .wanted = group };

	return kb_db_write(store->db, delete_group, &in, err);
}

bool kb_directory_leave(struct kb_db_conn *conn, int64_t user_id, struct kb_err *err)
{
	return kb_db_run(conn, &sql[LEAVE], KB_VALUES(kb_int(user_id)), NULL, err);
}
