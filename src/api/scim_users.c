/* People as a directory keeps them: /scim/v2/Users. */
#include "api/audit.h"
#include "api/gateway.h"
#include "api/routes.h"
#include "api/scim.h"

/* ---- writing ---- */

static struct kb_scim_meta meta_of(const struct kb_directory_user *user)
{
	return (struct kb_scim_meta){ "User",        "Users",          user->id,
		                      user->version, user->created_at, user->updated_at };
}

static void write_some(struct kb_jw *jw, const char *name, struct kb_sv text)
{
	if (text.n)
		kb_jw_key_sv(jw, name, text);
}

static void write_name(struct kb_jw *jw, const struct kb_directory_user *user)
{
	if (!user->given_name.n && !user->family_name.n)
		return;
	kb_jw_key(jw, "name");
	kb_jw_object(jw);
	write_some(jw, "givenName", user->given_name);
	write_some(jw, "familyName", user->family_name);
	kb_jw_end(jw);
}

static void write_emails(struct kb_jw *jw, const struct kb_directory_user *user)
{
	if (!user->email.n)
		return;
	kb_jw_key(jw, "emails");
	kb_jw_array(jw);
	kb_jw_object(jw);
	kb_jw_key_sv(jw, "value", user->email);
	kb_jw_key_str(jw, "type", "work");
	kb_jw_key_bool(jw, "primary", true);
	kb_jw_end(jw);
	kb_jw_end(jw);
}

static bool write_groups(struct kb_call *call, struct kb_jw *jw,
                         const struct kb_directory_user *user, struct kb_err *err)
{
	struct kb_directory_group *groups;
	size_t count;

	if (!kb_store_directory_groups_of(call->api->store, call->arena, user->id, &groups, &count,
	                                  err))
		return false;
	kb_jw_key(jw, "groups");
	kb_jw_array(jw);
	for (size_t i = 0; i < count; i++) {
		kb_jw_object(jw);
		kb_jw_key_sv(jw, "value", kb_arena_printf(call->arena, "%" PRId64, groups[i].id));
		kb_jw_key_sv(jw, "display", groups[i].name);
		kb_jw_key_str(jw, "type", "direct");
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
	return true;
}

static bool write_user(struct kb_call *call, struct kb_jw *jw, const struct kb_directory_user *user,
                       struct kb_err *err)
{
	const struct kb_scim_meta meta = meta_of(user);

	kb_jw_object(jw);
	kb_jw_key(jw, "schemas");
	kb_jw_array(jw);
	kb_jw_str(jw, KB_SCIM_CORE "User");
	kb_jw_end(jw);
	kb_jw_key_sv(jw, "id", kb_arena_printf(call->arena, "%" PRId64, user->id));
	if (kb_scim_wants(call, "externalId"))
		write_some(jw, "externalId", user->external_id);
	if (kb_scim_wants(call, "userName"))
		kb_jw_key_sv(jw, "userName", user->user_name);
	if (kb_scim_wants(call, "displayName"))
		write_some(jw, "displayName", user->display_name);
	if (kb_scim_wants(call, "name"))
		write_name(jw, user);
	if (kb_scim_wants(call, "emails"))
		write_emails(jw, user);
	if (kb_scim_wants(call, "active"))
		kb_jw_key_bool(jw, "active", user->is_active);
	if (kb_scim_wants(call, "groups") && !write_groups(call, jw, user, err))
		return false;
	if (kb_scim_wants(call, "meta"))
		kb_scim_write_meta(call, jw, &meta);
	return true; /* the caller ends it */
}

static bool reply_user(struct kb_call *call, int status, const struct kb_directory_user *user,
                       struct kb_err *err)
{
	const struct kb_scim_meta meta = meta_of(user);
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, KB_MIB(4));
	kb_jw_init(&jw, &buf);
	if (write_user(call, &jw, user, err))
		return kb_scim_reply(call, status, &meta, &buf, &jw, err);
	kb_buf_fini(&buf);
	return false;
}

/* ---- reading ---- */

/* The one of a list of addresses that counts: the primary one, else that of work, else the first.
 */
static const json_t *main_email(const json_t *list)
{
	const json_t *found = NULL;
	int best = -1;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);
		int rank = kb_json_bool(one, "primary", false)                         ? 2
		           : kb_sv_ieq_str(kb_json_sv(one, "type", KB_SV("")), "work") ? 1
		                                                                       : 0;

		if (kb_json_get(one, "value") && rank > best) {
			found = kb_json_get(one, "value");
			best = rank;
		}
	}
	return found;
}

/* Which of somebody's addresses a path names: ours, or another that is not kept. */
static bool is_main_email(const struct kb_scim_path *path)
{
	return kb_sv_ieq_str(path->sub, "value")
	       && (!path->key.n
	           || (kb_sv_ieq_str(path->key, "type") && kb_sv_ieq_str(path->value, "work"))
	           || (kb_sv_ieq_str(path->key, "primary") && kb_sv_ieq_str(path->value, "true")));
}

static bool set_emails(struct kb_call *call, struct kb_directory_user *user,
                       const struct kb_scim_edit *edit, struct kb_err *err)
{
	struct kb_scim_edit one = *edit;

	if (edit->path.sub.n || edit->path.key.n) {
		if (is_main_email(&edit->path))
			return kb_scim_text(call, edit, &user->email, err);
		/* "emails[type eq \"work\"]" is the whole entry. */
		if (!edit->path.sub.n && edit->removes
		    && is_main_email(&(struct kb_scim_path){ .sub = KB_SV("value"),
		                                             .key = edit->path.key,
		                                             .value = edit->path.value }))
			user->email = KB_SV("");
		return true;
	}
	one.value = json_is_array(edit->value) ? main_email(edit->value) : edit->value;
	if (json_is_object(one.value))
		one.value = kb_json_get(one.value, "value");
	if (edit->adds && !one.value)
		return true;
	return kb_scim_text(call, &one, &user->email, err);
}

static const struct {
	const char *name;
	size_t offset;
} texts[] = {
	{ "userName", offsetof(struct kb_directory_user, user_name) },
	{ "externalId", offsetof(struct kb_directory_user, external_id) },
	{ "displayName", offsetof(struct kb_directory_user, display_name) },
	{ "name.givenName", offsetof(struct kb_directory_user, given_name) },
	{ "name.familyName", offsetof(struct kb_directory_user, family_name) },
};

static bool set_name(struct kb_call *call, struct kb_directory_user *user,
                     const struct kb_scim_edit *edit, struct kb_err *err)
{
	struct kb_scim_edit given = *edit, family = *edit;

	if (!json_is_object(edit->value) && !edit->removes)
		return kb_scim_fail(call, err, KB_E_INVALID, "invalidValue",
		                    "name must be an object");
	given.value = kb_json_get(edit->value, "givenName");
	family.value = kb_json_get(edit->value, "familyName");
	if ((given.value || edit->removes) && !kb_scim_text(call, &given, &user->given_name, err))
		return false;
	return !(family.value || edit->removes)
	       || kb_scim_text(call, &family, &user->family_name, err);
}

static bool apply(struct kb_call *call, void *arg, const struct kb_scim_edit *edit,
                  struct kb_err *err)
{
	struct kb_directory_user *user = arg;

	for (size_t i = 0; i < KB_COUNTOF(texts); i++)
		if (kb_scim_path_is(&edit->path, texts[i].name))
			return kb_scim_text(
			        call, edit,
			        (struct kb_sv *)(void *)((char *)user + texts[i].offset), err);
	if (kb_scim_path_is(&edit->path, "active"))
		return edit->removes || kb_scim_truth(call, edit, &user->is_active, err);
	if (kb_scim_path_is(&edit->path, "name"))
		return set_name(call, user, edit, err);
	if (kb_sv_ieq_str(edit->path.attribute, "emails"))
		return set_emails(call, user, edit, err);
	return true; /* not known here */
}

static bool check(struct kb_call *call, const struct kb_directory_user *user, struct kb_err *err)
{
	return user->user_name.n
	       || kb_scim_fail(call, err, KB_E_INVALID, "invalidValue", "userName can't be empty");
}

/* ---- the routes ---- */

static bool find_user(struct kb_call *call, struct kb_directory_user *out, struct kb_err *err)
{
	struct kb_directory_query query = { .account_id = call->who.account,
		                            .id = kb_scim_id(call) };
	struct kb_directory_user *users;
	size_t count = 0;

	if (query.id
	    && !kb_store_directory_users(call->api->store, call->arena, &query, &users, &count,
	                                 err))
		return false;
	if (!count)
		return kb_fail(err, KB_E_NOT_FOUND, "there is no such user");
	*out = users[0];
	return true;
}

static struct kb_sv truth(bool yes)
{
	return yes ? KB_SV("true") : KB_SV("false");
}

static void note(struct kb_call *call, const struct kb_directory_user *before,
                 const struct kb_directory_user *after)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, KB_KIB(64));
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	for (size_t i = 0; i < KB_COUNTOF(texts); i++)
		kb_scim_change(&jw, texts[i].name,
		               *(const struct kb_sv *)(const void *)((const char *)before
		                                                     + texts[i].offset),
		               *(const struct kb_sv *)(const void *)((const char *)after
		                                                     + texts[i].offset));
	kb_scim_change(&jw, "email", before->email, after->email);
	kb_scim_change(&jw, "active", truth(before->is_active), truth(after->is_active));
	kb_jw_end(&jw);
	kb_call_audit_changes(call, kb_arena_sv(call->arena, kb_buf_view(&buf)));
	kb_buf_fini(&buf);
}

static bool put(struct kb_call *call, const struct kb_directory_user *before,
                struct kb_directory_user *user, struct kb_err *err)
{
	struct kb_directory_roles roles;

	note(call, before, user);
	return check(call, user, err) && kb_groups_roles(call, call->who.account, &roles, err)
	       && kb_store_directory_user_put(call->api->store, call->arena, &roles, user, err);
}

bool kb_scim_users_create(struct kb_call *call, struct kb_err *err)
{
	struct kb_directory_user user = { .account_id = call->who.account, .is_active = true };
	const struct kb_directory_user nobody = { .is_active = true };

	return kb_scim_body_each(call, apply, &user, err) && put(call, &nobody, &user, err)
	       && reply_user(call, 201, &user, err);
}

bool kb_scim_users_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_directory_user user = { 0 };

	return find_user(call, &user, err) && reply_user(call, 200, &user, err);
}

/* What stays of somebody who is replaced; whom nobody switches on stays off. */
static struct kb_directory_user blank(const struct kb_directory_user *before)
{
	return (struct kb_directory_user){ .id = before->id,
		                           .account_id = before->account_id,
		                           .version = before->version,
		                           .is_active = before->is_active,
		                           .issuer = before->issuer,
		                           .subject = before->subject };
}

static bool change(struct kb_call *call, bool replaces, struct kb_err *err)
{
	struct kb_directory_user before, user;
	int64_t version;
	int tries = 0;

	if (!kb_scim_if_match(call, &version, err))
		return false;
	do {
		if (!find_user(call, &before, err))
			return false;
		user = replaces ? blank(&before) : before;
		if (version)
			user.version = version;
		if (!(replaces ? kb_scim_body_each(call, apply, &user, err)
		               : kb_scim_patch_each(call, apply, &user, err)))
			return false;
		if (put(call, &before, &user, err))
			return reply_user(call, 200, &user, err);
	} while (kb_scim_again(call, &tries, err));
	return false;
}

bool kb_scim_users_replace(struct kb_call *call, struct kb_err *err)
{
	return change(call, true, err);
}

bool kb_scim_users_patch(struct kb_call *call, struct kb_err *err)
{
	return change(call, false, err);
}

bool kb_scim_users_delete(struct kb_call *call, struct kb_err *err)
{
	struct kb_directory_user user = { 0 };
	int64_t version;

	return kb_scim_if_match(call, &version, err) && find_user(call, &user, err)
	       && kb_store_directory_user_delete(call->api->store, call->who.account, user.id,
	                                         version, err)
	       && kb_scim_reply_nothing(call);
}

/* ---- the list ---- */

/* What a user has to be, each where it is asked for. */
static bool fits(const struct kb_directory_user *user, const struct kb_scim_term *term)
{
	const struct kb_scim_path *path = &term->path;
	int64_t id;

	if (kb_scim_path_is(path, "id"))
		return kb_sv_to_int(term->value, 1, INT64_MAX, &id) && id == user->id;
	if (kb_scim_path_is(path, "userName"))
		return kb_sv_ieq(term->value, user->user_name);
	if (kb_scim_path_is(path, "externalId"))
		return kb_sv_eq(term->value, user->external_id);
	if (kb_scim_path_is(path, "displayName"))
		return kb_sv_ieq(term->value, user->display_name);
	if (kb_scim_path_is(path, "active"))
		return kb_sv_ieq(term->value, truth(user->is_active));
	return kb_sv_ieq(term->value, user->email);
}

static bool is_known(const struct kb_scim_path *path)
{
	static const char *const names[] = { "id", "userName", "externalId", "displayName",
		                             "active" };

	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (kb_scim_path_is(path, names[i]))
			return true;
	return kb_sv_ieq_str(path->attribute, "emails")
	       && (is_main_email(path) || (!path->sub.n && !path->key.n));
}

/* What one index leads to of what is asked for. */
static void narrow(const struct kb_scim_filter *filter, struct kb_directory_query *query)
{
	for (size_t i = 0; i < filter->count; i++) {
		const struct kb_scim_term *term = &filter->terms[i];

		if (kb_scim_path_is(&term->path, "id"))
			(void)!kb_sv_to_int(term->value, 1, INT64_MAX, &query->id);
		else if (kb_scim_path_is(&term->path, "userName"))
			query->name = term->value;
		else if (kb_scim_path_is(&term->path, "externalId"))
			query->external_id = term->value;
	}
}

static bool write_row(struct kb_call *call, struct kb_jw *jw, void *rows, size_t i,
                      struct kb_err *err)
{
	const struct kb_directory_user *users = rows;
	bool ok = write_user(call, jw, &users[i], err);

	kb_jw_end(jw);
	return ok;
}

bool kb_scim_users_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_directory_query query = { .account_id = call->who.account };
	struct kb_scim_list list = { .write = write_row };
	struct kb_directory_user *users;
	struct kb_scim_filter filter;
	size_t count;

	call->error_word = "invalidFilter";
	if (!kb_scim_filter_read(call->arena, kb_request_query(call->req, "filter"), &filter, err))
		return false;
	for (size_t i = 0; i < filter.count; i++)
		if (!is_known(&filter.terms[i].path))
			return kb_fail(err, KB_E_INVALID,
			               "users are found by id, userName, externalId, displayName, "
			               "emails.value and active");
	call->error_word = NULL;
	narrow(&filter, &query);
	if (!kb_store_directory_users(call->api->store, call->arena, &query, &users, &count, err))
		return false;
	for (size_t i = 0; i < count; i++) {
		bool is_one = true;

		for (size_t k = 0; k < filter.count; k++)
			is_one = is_one && fits(&users[i], &filter.terms[k]);
		if (is_one)
			users[list.total++] = users[i];
	}
	list.rows = users;
	return kb_scim_reply_list(call, &list, err);
}
