/* Labels: the agent's set of them, their users, and those of a document. */
#include "store/labels.h"

#include "api/routes.h"

enum {
	NAMES_MAX = 1000, /* of one request; labels whose users change, too */
};

static bool label_not_found(int64_t id, struct kb_err *err)
{
	if (err->code == KB_E_NOT_FOUND)
		kb_fail(err, KB_E_NOT_FOUND, "Label with id %" PRId64 " not found", id);
	return false;
}

/* ---- answers ---- */

static void label_row(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i)
{
	const struct kb_label *label = (const struct kb_label *)rows + i;

	(void)call;
	kb_jw_object(jw);
	kb_jw_key_int(jw, "id", label->id);
	kb_jw_key_sv(jw, "name", label->name);
	kb_jw_key_int(jw, "project_id", label->agent_id);
	kb_jw_key(jw, "users");
	kb_jw_array(jw);
	for (size_t j = 0; j < label->user_count; j++)
		kb_jw_sv(jw, label->users[j]);
	kb_jw_end(jw);
	kb_jw_key_time(jw, "created_at", label->created_at);
	kb_jw_key_time(jw, "updated_at", label->updated_at);
	/* A document may carry a label that was deleted: it stays closed until it is labelled anew.
	 */
	if (label->deleted_at)
		kb_jw_key_time(jw, "deleted_at", label->deleted_at);
	else
		kb_jw_key_null(jw, "deleted_at");
	kb_jw_end(jw);
}

static bool reply_label(struct kb_call *call, const struct kb_label *label, struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_call_begin(call, &buf, &jw);
	label_row(call, &jw, label, 0);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

static bool reply_labels(struct kb_call *call, int status, const struct kb_label_list *labels,
                         struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_call_begin(call, &buf, &jw);
	kb_jw_array(&jw);
	for (size_t i = 0; i < labels->count; i++)
		label_row(call, &jw, labels->v, i);
	kb_jw_end(&jw);
	return kb_call_reply(call, status, &buf, &jw, err);
}

/* ---- the set ---- */

bool kb_labels_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_list list = kb_call_list(call, 100);
	struct kb_label_list labels;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_labels_list(call->api->store, call->arena, call->agent.id, &list, &labels,
	                          err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_call_paginate(call, &jw,
	                 &(struct kb_paginator){ .list = &list,
	                                         .total = labels.total,
	                                         .count = labels.count,
	                                         .rows = labels.v,
	                                         .row = label_row });
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* `names`, or `name` for one. */
static bool read_names(struct kb_call *call, struct kb_sv **names, size_t *count,
                       struct kb_err *err)
{
	const json_t *json = kb_inputs_json(&call->inputs, call->arena, "names");

	if (!json)
		json = kb_inputs_json(&call->inputs, call->arena, "name");
	*count = json_is_array(json) ? json_array_size(json) : 1;
	if (!json || *count == 0)
		return kb_fail(err, KB_E_INVALID, "names can't be empty");
	if (*count > NAMES_MAX)
		return kb_fail(err, KB_E_INVALID, "names holds %zu names, the limit is %d", *count,
		               NAMES_MAX);
	*names = KB_NEW_ARRAY(call->arena, *count, struct kb_sv);
	for (size_t i = 0; i < *count; i++) {
		const json_t *item = json_is_array(json) ? json_array_get(json, i) : json;

		if (!json_is_string(item))
			return kb_fail(err, KB_E_INVALID, "names[%zu] must be a string", i);
		(*names)[i] = kb_sv(json_string_value(item), json_string_length(item));
	}
	return true;
}

bool kb_labels_create(struct kb_call *call, struct kb_err *err)
{
	struct kb_label_list labels;
	struct kb_sv *names = NULL;
	size_t count = 0;

	return read_names(call, &names, &count, err)
	       && kb_store_labels_make(call->api->store, call->arena, call->agent.id,
	                               &(struct kb_label_names){ .v = names, .count = count },
	                               &labels, err)
	       && reply_labels(call, 201, &labels, err);
}

bool kb_labels_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_label label;
	int64_t id;

	if (!kb_call_id(call, 1, "Label", &id, err))
		return false;
	if (!kb_store_label_get(call->api->store, call->arena, call->agent.id, id, &label, err))
		return label_not_found(id, err);
	return reply_label(call, &label, err);
}

bool kb_labels_update(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv name = { 0 };
	struct kb_label label;
	int64_t id;

	if (!kb_call_id(call, 1, "Label", &id, err)
	    || !kb_inputs_text(&call->inputs, call->arena, "name", KB_LABEL_NAME_CHARS, &name, err))
		return false;
	if (!kb_store_label_rename(call->api->store, call->arena,
	                           &(struct kb_label_rename){ .agent_id = call->agent.id,
	                                                      .label_id = id,
	                                                      .name = name.p ? name : KB_SV("") },
	                           &label, err))
		return label_not_found(id, err);
	return reply_label(call, &label, err);
}

bool kb_labels_delete(struct kb_call *call, struct kb_err *err)
{
	int64_t id;

	if (!kb_call_id(call, 1, "Label", &id, err))
		return false;
	if (!kb_store_label_delete(call->api->store, call->agent.id, id, err))
		return label_not_found(id, err);
	return kb_call_reply_flag(call, 200, "deleted", err);
}

/* ---- users ---- */

/* An id as a number or in digits. */
static bool read_id(const json_t *json, int64_t *id)
{
	if (json_is_string(json))
		return kb_sv_to_int(kb_sv(json_string_value(json), json_string_length(json)),
		                    INT64_MIN, INT64_MAX, id);
	*id = json_integer_value(json);
	return json_is_integer(json);
}

static bool read_change(struct kb_call *call, const json_t *item, size_t at,
                        struct kb_label_users *out, struct kb_err *err)
{
	const json_t *users = kb_json_get(item, "users"), *user;
	struct kb_sv *list;
	size_t i;

	if (!read_id(kb_json_get(item, "id"), &out->label_id))
		return kb_fail(err, KB_E_INVALID, "labels[%zu].id must be integer", at);
	if (!json_is_array(users))
		return kb_fail(err, KB_E_INVALID,
		               "labels[%zu].users must be an array of e-mail addresses", at);
	list = KB_NEW_ARRAY(call->arena, json_array_size(users), struct kb_sv);
	json_array_foreach(users, i, user)
	{
		if (!json_is_string(user))
			return kb_fail(err, KB_E_INVALID, "labels[%zu].users[%zu] must be a string",
			               at, i);
		list[i] = kb_sv(json_string_value(user), json_string_length(user));
	}
	out->users = list;
	out->user_count = json_array_size(users);
	return true;
}

static bool read_changes(struct kb_call *call, struct kb_label_users **changes, size_t *count,
                         struct kb_err *err)
{
	const json_t *json = kb_inputs_json(&call->inputs, call->arena, "labels"), *item;
	size_t i;

	*count = json_array_size(json);
	if (!json_is_array(json))
		return kb_fail(err, KB_E_INVALID,
		               "labels must be an array of objects with id and users");
	if (*count > NAMES_MAX)
		return kb_fail(err, KB_E_INVALID, "labels holds %zu labels, the limit is %d",
		               *count, NAMES_MAX);
	*changes = KB_NEW_ARRAY(call->arena, *count, struct kb_label_users);
	json_array_foreach(json, i,
	                   item) if (!read_change(call, item, i, &(*changes)[i], err)) return false;
	return true;
}

bool kb_labels_set_users(struct kb_call *call, struct kb_err *err)
{
	struct kb_label_users *changes = NULL;
	struct kb_label_list labels;
	size_t count = 0;

	return read_changes(call, &changes, &count, err)
	       && kb_store_labels_set_users(
	               call->api->store, call->arena, call->agent.id,
	               &(struct kb_label_changes){ .v = changes, .count = count }, &labels, err)
	       && reply_labels(call, 200, &labels, err);
}

bool kb_labels_remove_users(struct kb_call *call, struct kb_err *err)
{
	struct kb_label_users *changes = NULL;
	struct kb_label_list labels;
	size_t count = 0;

	return read_changes(call, &changes, &count, err)
	       && kb_store_labels_remove_users(
	               call->api->store, call->arena, call->agent.id,
	               &(struct kb_label_changes){ .v = changes, .count = count }, &labels, err)
	       && kb_call_reply_flag(call, 200, "deleted", err);
}

/* ---- a document's ---- */

bool kb_page_labels_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_label_list labels;
	int64_t id;

	return kb_call_id(call, 1, "Page", &id, err)
	       && kb_store_page_labels(call->api->store, call->arena, call->agent.id, id, &labels,
	                               err)
	       && reply_labels(call, 200, &labels, err);
}

bool kb_label_ids_read(struct kb_call *call, const int64_t **out, size_t *count, struct kb_err *err)
{
	const json_t *json = kb_inputs_json(&call->inputs, call->arena, "label_ids"), *item;
	int64_t *ids;
	size_t i;

	if (!json_is_array(json))
		return kb_fail(err, KB_E_INVALID, "label_ids must be an array of integers");
	ids = KB_NEW_ARRAY(call->arena, json_array_size(json), int64_t);
	json_array_foreach(json, i, item) if (!read_id(item, &ids[i])) return kb_fail(
	        err, KB_E_INVALID, "label_ids[%zu] must be integer", i);
	*out = ids;
	*count = json_array_size(json);
	return true;
}

bool kb_page_labels_update(struct kb_call *call, struct kb_err *err)
{
	struct kb_page_labels page = { .agent_id = call->agent.id };
	struct kb_label_list labels;

	return kb_call_id(call, 1, "Page", &page.page_id, err)
	       && kb_label_ids_read(call, &page.ids, &page.count, err)
	       && kb_store_page_set_labels(call->api->store, call->arena, &page, &labels, err)
	       && reply_labels(call, 200, &labels, err);
}
