/* Groups as a directory keeps them: /scim/v2/Groups. */
#include <stdlib.h>
#include <string.h>

#include "api/audit.h"
#include "api/gateway.h"
#include "api/routes.h"
#include "api/scim.h"

/* A group in the making: its members as they come. */
struct making {
	struct kb_directory_group group;
	int64_t *members;
	size_t count, room;
};

/* ---- writing ---- */

static struct kb_scim_meta meta_of(const struct kb_directory_group *group)
{
	return (struct kb_scim_meta){ "Group",        "Groups",          group->id,
		                      group->version, group->created_at, group->updated_at };
}

/* The caller ends it. */
static bool write_group(struct kb_call *call, struct kb_jw *jw, struct kb_directory_group *group,
                        struct kb_err *err)
{
	const struct kb_scim_meta meta = meta_of(group);
	bool wants_members = kb_scim_wants(call, "members");

	if (wants_members && !group->members
	    && !kb_store_directory_members(call->api->store, call->arena, group, err))
		return false;
	kb_jw_object(jw);
	kb_jw_key(jw, "schemas");
	kb_jw_array(jw);
	kb_jw_str(jw, KB_SCIM_CORE "Group");
	kb_jw_end(jw);
	kb_jw_key_sv(jw, "id", kb_arena_printf(call->arena, "%" PRId64, group->id));
	if (group->external_id.n && kb_scim_wants(call, "externalId"))
		kb_jw_key_sv(jw, "externalId", group->external_id);
	if (kb_scim_wants(call, "displayName"))
		kb_jw_key_sv(jw, "displayName", group->name);
	if (wants_members) {
		kb_jw_key(jw, "members");
		kb_jw_array(jw);
		for (size_t i = 0; i < group->member_count; i++) {
			kb_jw_object(jw);
			kb_jw_key_sv(jw, "value",
			             kb_arena_printf(call->arena, "%" PRId64, group->members[i]));
			kb_jw_key_str(jw, "type", "User");
			kb_jw_end(jw);
		}
		kb_jw_end(jw);
	}
	if (kb_scim_wants(call, "meta"))
		kb_scim_write_meta(call, jw, &meta);
	return true;
}

static bool reply_group(struct kb_call *call, int status, struct kb_directory_group *group,
                        struct kb_err *err)
{
	const struct kb_scim_meta meta = meta_of(group);
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, KB_MIB(16));
	kb_jw_init(&jw, &buf);
	if (write_group(call, &jw, group, err))
		return kb_scim_reply(call, status, &meta, &buf, &jw, err);
	kb_buf_fini(&buf);
	return false;
}

/* ---- reading ---- */

static bool read_member(struct kb_call *call, const json_t *member, int64_t *id, struct kb_err *err)
{
	const json_t *value = json_is_object(member) ? kb_json_get(member, "value") : member;
	struct kb_sv text = kb_sv(json_string_value(value), json_string_length(value));

	if (json_is_integer(value))
		*id = json_integer_value(value);
	else if (!text.n || !kb_sv_to_int(text, 1, INT64_MAX, id))
		return kb_scim_fail(call, err, KB_E_INVALID, "invalidValue",
		                    "a member must be {\"value\": the id of a user}");
	return true;
}

static void add(struct kb_call *call, struct making *in, int64_t id)
{
	enum { FIRST = 16 };
	int64_t *more;

	if (in->count == in->room) {
		in->room = KB_MAX(2 * in->room, (size_t)FIRST);
		more = KB_NEW_ARRAY(call->arena, in->room, int64_t);
		if (in->count)
			memcpy(more, in->members, in->count * sizeof(*more));
		in->members = more;
	}
	in->members[in->count++] = id;
}

static void drop(struct making *in, int64_t id)
{
	size_t kept = 0;

	for (size_t i = 0; i < in->count; i++)
		if (in->members[i] != id)
			in->members[kept++] = in->members[i];
	in->count = kept;
}

static bool each_member(struct kb_call *call, struct making *in, const struct kb_scim_edit *edit,
                        struct kb_err *err)
{
	size_t count = json_is_array(edit->value) ? json_array_size(edit->value) : 1;
	int64_t id = 0;

	if (count > KB_SCIM_MEMBERS_MAX)
		return kb_scim_fail(call, err, KB_E_TOO_LARGE, "tooMany",
		                    "there are %zu members, the limit is %d", count,
		                    KB_SCIM_MEMBERS_MAX);
	for (size_t i = 0; i < count; i++) {
		if (!read_member(call,
		                 json_is_array(edit->value) ? json_array_get(edit->value, i)
		                                            : edit->value,
		                 &id, err))
			return false;
		if (edit->removes)
			drop(in, id);
		else
			add(call, in, id);
	}
	return true;
}

static bool set_members(struct kb_call *call, struct making *in, const struct kb_scim_edit *edit,
                        struct kb_err *err)
{
	int64_t id;

	if (edit->path.key.n) {
		if (!edit->removes || edit->path.sub.n || !kb_sv_ieq_str(edit->path.key, "value"))
			return kb_scim_fail(call, err, KB_E_INVALID, "invalidPath",
			                    "of members[value eq \"…\"] one can only be removed");
		if (kb_sv_to_int(edit->path.value, 1, INT64_MAX, &id))
			drop(in, id);
		return true;
	}
	if (edit->value && !json_is_null(edit->value)) {
		if (!edit->adds && !edit->removes)
			in->count = 0;
		return each_member(call, in, edit, err);
	}
	if (!edit->adds)
		in->count = 0;
	return true;
}

static bool apply(struct kb_call *call, void *arg, const struct kb_scim_edit *edit,
                  struct kb_err *err)
{
	struct making *in = arg;

	if (kb_scim_path_is(&edit->path, "displayName"))
		return kb_scim_text(call, edit, &in->group.name, err);
	if (kb_scim_path_is(&edit->path, "externalId"))
		return kb_scim_text(call, edit, &in->group.external_id, err);
	if (kb_sv_ieq_str(edit->path.attribute, "members"))
		return set_members(call, in, edit, err);
	return true; /* not known here */
}

static int by_id(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* In order, and each once. */
static void settle(struct making *in)
{
	size_t kept = 0;

	if (in->count)
		qsort(in->members, in->count, sizeof(*in->members), by_id);
	for (size_t i = 0; i < in->count; i++)
		if (!kept || in->members[kept - 1] != in->members[i])
			in->members[kept++] = in->members[i];
	in->group.members = in->members;
	in->group.member_count = in->count = kept;
}

/* ---- what is kept of a change ---- */

/* Those of `some` that are not among `others`; both are in order. */
static struct kb_sv beyond(struct kb_call *call, const struct kb_directory_group *some,
                           const struct kb_directory_group *others)
{
	enum { MOST = 20 };
	struct kb_buf buf;
	struct kb_sv out;
	size_t n = 0;

	kb_buf_init(&buf, KB_KIB(4));
	for (size_t i = 0, k = 0; i < some->member_count; i++) {
		while (k < others->member_count && others->members[k] < some->members[i])
			k++;
		if (k < others->member_count && others->members[k] == some->members[i])
			continue;
		if (n++ < MOST)
			kb_buf_printf(&buf, "%s%" PRId64, n > 1 ? ", " : "", some->members[i]);
	}
	if (n > MOST)
		kb_buf_printf(&buf, " and %zu more", n - MOST);
	out = kb_arena_sv(call->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

static void note(struct kb_call *call, const struct kb_directory_group *before,
                 const struct kb_directory_group *after)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, KB_KIB(64));
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_scim_change(&jw, "displayName", before->name, after->name);
	kb_scim_change(&jw, "externalId", before->external_id, after->external_id);
	kb_scim_change(&jw, "members", beyond(call, before, after), beyond(call, after, before));
	kb_jw_end(&jw);
	kb_call_audit_changes(call, kb_arena_sv(call->arena, kb_buf_view(&buf)));
	kb_buf_fini(&buf);
}

/* ---- the routes ---- */

static bool find_group(struct kb_call *call, struct kb_directory_group *out, struct kb_err *err)
{
	struct kb_directory_query query = { .account_id = call->who.account,
		                            .id = kb_scim_id(call) };
	struct kb_directory_group *groups;
	size_t count = 0;

	if (query.id
	    && !kb_store_directory_groups(call->api->store, call->arena, &query, &groups, &count,
	                                  err))
		return false;
	if (!count)
		return kb_fail(err, KB_E_NOT_FOUND, "there is no such group");
	*out = groups[0];
	return true;
}

static bool put(struct kb_call *call, const struct kb_directory_group *before, struct making *in,
                struct kb_err *err)
{
	struct kb_directory_roles roles;

	settle(in);
	if (in->count > KB_SCIM_MEMBERS_MAX)
		return kb_scim_fail(call, err, KB_E_TOO_LARGE, "tooMany",
		                    "a group has %d members at the most", KB_SCIM_MEMBERS_MAX);
	if (!in->group.name.n)
		return kb_scim_fail(call, err, KB_E_INVALID, "invalidValue",
		                    "displayName can't be empty");
	note(call, before, &in->group);
	return kb_groups_roles(call, call->who.account, &roles, err)
	       && kb_store_directory_group_put(call->api->store, call->arena, &roles, &in->group,
	                                       err);
}

bool kb_scim_groups_create(struct kb_call *call, struct kb_err *err)
{
	struct making in = { .group.account_id = call->who.account };
	const struct kb_directory_group none = { 0 };

	return kb_scim_body_each(call, apply, &in, err) && put(call, &none, &in, err)
	       && reply_group(call, 201, &in.group, err);
}

bool kb_scim_groups_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_directory_group group;

	return find_group(call, &group, err) && reply_group(call, 200, &group, err);
}

/* Begins with what is there, or of what is replaced with nothing. */
static struct making begin(struct kb_call *call, const struct kb_directory_group *before,
                           bool replaces)
{
	struct making in = { .group = *before };

	if (replaces) {
		in.group.name = in.group.external_id = KB_SV("");
		return in;
	}
	for (size_t i = 0; i < before->member_count; i++)
		add(call, &in, before->members[i]);
	return in;
}

static bool change(struct kb_call *call, bool replaces, struct kb_err *err)
{
	struct kb_directory_group before = { 0 };
	struct making in;
	int64_t version;
	int tries = 0;

	if (!kb_scim_if_match(call, &version, err))
		return false;
	do {
		if (!find_group(call, &before, err)
		    || !kb_store_directory_members(call->api->store, call->arena, &before, err))
			return false;
		in = begin(call, &before, replaces);
		if (version)
			in.group.version = version;
		if (!(replaces ? kb_scim_body_each(call, apply, &in, err)
		               : kb_scim_patch_each(call, apply, &in, err)))
			return false;
		if (put(call, &before, &in, err))
			return reply_group(call, 200, &in.group, err);
	} while (kb_scim_again(call, &tries, err));
	return false;
}

bool kb_scim_groups_replace(struct kb_call *call, struct kb_err *err)
{
	return change(call, true, err);
}

bool kb_scim_groups_patch(struct kb_call *call, struct kb_err *err)
{
	return change(call, false, err);
}

bool kb_scim_groups_delete(struct kb_call *call, struct kb_err *err)
{
	struct kb_directory_group group;
	struct kb_directory_roles roles;
	int64_t version;

	if (!kb_scim_if_match(call, &version, err) || !find_group(call, &group, err)
	    || !kb_groups_roles(call, call->who.account, &roles, err))
		return false;
	group.version = version;
	return kb_store_directory_group_delete(call->api->store, call->arena, &roles, &group, err)
	       && kb_scim_reply_nothing(call);
}

/* ---- the list ---- */

static bool has_member(const struct kb_directory_group *group, struct kb_sv value)
{
	int64_t id;

	return kb_sv_to_int(value, 1, INT64_MAX, &id) && group->member_count
	       && bsearch(&id, group->members, group->member_count, sizeof(id), by_id);
}

static bool fits(const struct kb_directory_group *group, const struct kb_scim_term *term)
{
	const struct kb_scim_path *path = &term->path;
	int64_t id;

	if (kb_scim_path_is(path, "id"))
		return kb_sv_to_int(term->value, 1, INT64_MAX, &id) && id == group->id;
	if (kb_scim_path_is(path, "displayName"))
		return kb_sv_eq(term->value, group->name);
	if (kb_scim_path_is(path, "externalId"))
		return kb_sv_eq(term->value, group->external_id);
	return has_member(group, term->value);
}

struct wish {
	struct kb_scim_filter filter;
	struct kb_directory_query query;
	bool members;
};

static bool read_wish(struct kb_call *call, struct wish *out, struct kb_err *err)
{
	*out = (struct wish){ .query.account_id = call->who.account };
	call->error_word = "invalidFilter";
	if (!kb_scim_filter_read(call->arena, kb_request_query(call->req, "filter"), &out->filter,
	                         err))
		return false;
	for (size_t i = 0; i < out->filter.count; i++) {
		const struct kb_scim_term *term = &out->filter.terms[i];

		if (kb_scim_path_is(&term->path, "id"))
			(void)!kb_sv_to_int(term->value, 1, INT64_MAX, &out->query.id);
		else if (kb_scim_path_is(&term->path, "displayName"))
			out->query.name = term->value;
		else if (kb_scim_path_is(&term->path, "externalId"))
			out->query.external_id = term->value;
		else if (kb_scim_path_is(&term->path, "members")
		         || kb_scim_path_is(&term->path, "members.value"))
			out->members = true;
		else
			return kb_fail(
			        err, KB_E_INVALID,
			        "groups are found by id, displayName, externalId and members");
	}
	call->error_word = NULL;
	return true;
}

static bool write_row(struct kb_call *call, struct kb_jw *jw, void *rows, size_t i,
                      struct kb_err *err)
{
	struct kb_directory_group *groups = rows;

	if (!write_group(call, jw, &groups[i], err))
		return false;
	kb_jw_end(jw);
	return true;
}

bool kb_scim_groups_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_scim_list list = { .write = write_row };
	struct kb_directory_group *groups;
	struct wish wish;
	size_t count;

	if (!read_wish(call, &wish, err)
	    || !kb_store_directory_groups(call->api->store, call->arena, &wish.query, &groups,
	                                  &count, err))
		return false;
	for (size_t i = 0; i < count; i++) {
		bool is_one = true;

		if (wish.members
		    && !kb_store_directory_members(call->api->store, call->arena, &groups[i], err))
			return false;
		for (size_t k = 0; k < wish.filter.count; k++)
			is_one = is_one && fits(&groups[i], &wish.filter.terms[k]);
		if (is_one)
			groups[list.total++] = groups[i];
	}
	list.rows = groups;
	return kb_scim_reply_list(call, &list, err);
}
