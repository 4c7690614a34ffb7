#include "api/audit.h"

#include <jansson.h>
#include <string.h>

#include "api/csv.h"
#include "api/routes.h"
#include "base/utf8.h"
#include "out/link.h"

enum { VALUE_CHARS = 200, FIELDS_MAX = 60, CSV_ROWS = 10000, BATCH = 1000 };

/* ---- what is kept ---- */

/* What is never kept of what was sent. */
static bool is_secret(struct kb_sv name)
{
	static const char *const names[] = { "key", "link", "password", "secret", "token" };

	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (kb_sv_ieq_str(name, names[i]))
			return true;
	return false;
}

/* An address without what opens it, and no more than a line or two. */
static void write_text(struct kb_call *call, struct kb_jw *jw, struct kb_sv text)
{
	if (kb_sv_find(text, KB_SV("://")) >= 0)
		text = kb_link_shown(call->arena, text);
	kb_jw_sv(jw, kb_utf8_head(kb_utf8_mend(call->arena, text), VALUE_CHARS));
}

static void write_json(struct kb_call *call, struct kb_jw *jw, const json_t *value)
{
	char *text;

	if (json_is_string(value)) {
		write_text(call, jw, kb_sv(json_string_value(value), json_string_length(value)));
		return;
	}
	text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
	if (text && strlen(text) <= VALUE_CHARS)
		kb_jw_raw(jw, kb_arena_sv(call->arena, kb_sv_str(text)));
	else if (text)
		write_text(call, jw, kb_arena_sv(call->arena, kb_sv_str(text)));
	else
		kb_jw_null(jw);
	free(text);
}

static void write_input(struct kb_call *call, struct kb_jw *jw, const struct kb_api_input *input)
{
	switch (input->kind) {
	case KB_INPUT_TEXT:
		write_text(call, jw, input->text);
		break;
	case KB_INPUT_BOOL:
		kb_jw_bool(jw, input->flag);
		break;
	case KB_INPUT_INT:
		kb_jw_int(jw, input->number);
		break;
	case KB_INPUT_FILE:
		write_text(call, jw, input->file->filename);
		break;
	default:
		write_json(call, jw, input->json);
	}
}

/* {"name":[before,after],…} of what was sent; before is null where it is not known. */
static struct kb_sv changes_of(struct kb_call *call, const json_t *before)
{
	const struct kb_inputs *inputs = &call->inputs;
	struct kb_sv out;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!inputs->count)
		return KB_SV("");
	kb_buf_init(&buf, KB_KIB(256));
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	for (size_t i = 0; i < inputs->count && i < FIELDS_MAX; i++) {
		const struct kb_api_input *input = &inputs->v[i];
		const char *name = kb_arena_str(
		        call->arena, kb_utf8_mend(call->arena, kb_utf8_head(input->name, 50)));

		/* Of a name that comes twice, the last counts. */
		if (kb_inputs_find(inputs, name) != input)
			continue;
		kb_jw_key(&jw, name);
		kb_jw_array(&jw);
		if (is_secret(input->name)) {
			kb_jw_null(&jw);
			kb_jw_str(&jw, "(not kept)");
		} else {
			write_json(call, &jw, kb_json_get(before, name));
			write_input(call, &jw, input);
		}
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	out = kb_arena_sv(call->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

/* What the last variable of a path names. */
static const struct {
	const char *variable, *kind;
} kinds[] = {
	{ "projectId", "agent" },   { "pageId", "document" }, { "sourceId", "source" },
	{ "answerId", "answer" },   { "labelId", "label" },   { "sessionId", "conversation" },
	{ "licenseId", "license" }, { "keyId", "key" },       { "personId", "person" },
	{ "browserId", "session" }, { "version", "persona" }, { "slug", "text" },
};

/* "document 12"; of what makes something, what it is made in. */
static struct kb_sv object_of(const struct kb_call *call)
{
	const char *last = strrchr(call->row->path, '{');

	if (!last)
		return KB_SV("");
	for (size_t i = 0; i < KB_COUNTOF(kinds); i++) {
		size_t n = strlen(kinds[i].variable);

		if (strncmp(last + 1, kinds[i].variable, n) == 0 && last[1 + n] == '}')
			return kb_arena_printf(
			        call->arena, "%s %.*s", kinds[i].kind,
			        KB_SV_ARG(kb_utf8_head(
			                call->req->params[call->req->param_count - 1], 100)));
	}
	return KB_SV("");
}

static struct kb_audit_entry entry_of(const struct kb_call *call)
{
	return (struct kb_audit_entry){
		.account_id = call->who.account,
		.person_id = call->who.member,
		.key_id = call->who.key,
		.action = call->row->action,
		.agent_id = call->agent.id,
		.object = object_of(call),
		.address = kb_sv_str(call->req->peer),
		.request = kb_sv_str(call->req->name),
	};
}

void kb_call_audit(struct kb_call *call)
{
	struct kb_audit_entry entry = entry_of(call);

	entry.changes = changes_of(call, NULL);
	call->audit = KB_NEW(call->arena, struct kb_audit);
	kb_audit_begin(call->audit, call->api->store, &entry);
}

void kb_call_audit_before(struct kb_call *call, struct kb_sv json)
{
	if (call->audit)
		call->audit->entry.changes =
		        changes_of(call, kb_json_parse(call->arena, json, NULL));
}

/* The change itself is done: whoever asked for it is told so, and the operator what is missing. */
static void end(const struct kb_call *call, struct kb_audit *audit, enum kb_audit_outcome outcome)
{
	struct kb_err err;

	if (!kb_audit_end(audit, outcome, &err))
		kb_warn(&call->req->log, "audit row not written action=%s error=%s",
		        kb_audit_action_infos[call->row->action].name, err.msg);
}

void kb_call_audit_end(const struct kb_call *call, const struct kb_err *err)
{
	if (call->audit)
		end(call, call->audit, err ? KB_AUDIT_FAILED : KB_AUDIT_DONE);
}

void kb_call_audit_refusal(struct kb_call *call)
{
	struct kb_audit refusal;
	struct kb_audit_entry entry = entry_of(call);

	call->audit = NULL;
	kb_audit_begin(&refusal, call->api->store, &entry);
	end(call, &refusal, KB_AUDIT_REFUSED);
}

/* ---- reading it ---- */

static bool read_id(struct kb_call *call, const char *name, int64_t *out, struct kb_err *err)
{
	struct kb_sv text = kb_sv_trim(kb_request_query(call->req, name));

	*out = 0;
	return !text.n || kb_sv_to_int(text, 1, INT64_MAX, out)
	       || kb_fail(err, KB_E_INVALID, "%s must be an id", name);
}

static bool read_time(struct kb_call *call, const char *name, int64_t otherwise, int64_t *out,
                      struct kb_err *err)
{
	struct kb_sv text = kb_sv_trim(kb_request_query(call->req, name));

	*out = otherwise;
	return !text.n || kb_time_parse(text, out)
	       || kb_fail(err, KB_E_INVALID, "%s must be a date or an ISO 8601 time", name);
}

static bool read_filter(struct kb_call *call, struct kb_audit_filter *out, struct kb_err *err)
{
	*out = (struct kb_audit_filter){
		.list = kb_call_list(call, 50),
		.account_id = call->who.account,
		.action = kb_sv_trim(kb_request_query(call->req, "action")),
	};
	return read_id(call, "person_id", &out->person_id, err)
	       && read_id(call, "key_id", &out->key_id, err)
	       && read_id(call, "project_id", &out->agent_id, err)
	       && read_time(call, "start_date", 0, &out->from, err)
	       && read_time(call, "end_date", INT64_MAX, &out->until, err);
}

static void write_id(struct kb_jw *jw, const char *name, int64_t id)
{
	kb_jw_key(jw, name);
	if (id)
		kb_jw_int(jw, id);
	else
		kb_jw_null(jw);
}

static void write_some(struct kb_jw *jw, const char *name, struct kb_sv text)
{
	kb_jw_key_opt(jw, name, text.n ? text : (struct kb_sv){ 0 });
}

static void write_row(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i)
{
	const struct kb_audit_row *row = (const struct kb_audit_row *)rows + i;
	const struct kb_audit_entry *entry = &row->entry;

	(void)call;
	kb_jw_object(jw);
	kb_jw_key_time(jw, "at", row->at);
	write_id(jw, "person_id", entry->person_id);
	write_id(jw, "key_id", entry->key_id);
	write_some(jw, "command", entry->command);
	kb_jw_key_sv(jw, "action", row->action);
	write_some(jw, "object", entry->object);
	write_id(jw, "project_id", entry->agent_id);
	kb_jw_key_str(jw, "outcome", kb_audit_outcomes[row->outcome]);
	write_some(jw, "address", entry->address);
	write_some(jw, "request_id", entry->request);
	kb_jw_key(jw, "changes");
	if (entry->changes.n)
		kb_jw_raw(jw, entry->changes);
	else
		kb_jw_null(jw);
	kb_jw_key_int(jw, "node", row->node);
	kb_jw_key_int(jw, "number", row->seq);
	kb_jw_end(jw);
}

static void csv_row(struct kb_call *call, struct kb_buf *buf, const struct kb_audit_row *row)
{
	const struct kb_audit_entry *entry = &row->entry;
	char at[KB_TIME_TEXT];
	struct kb_sv who =
	        entry->person_id ? kb_arena_printf(call->arena, "person %" PRId64, entry->person_id)
	        : entry->key_id  ? kb_arena_printf(call->arena, "key %" PRId64, entry->key_id)
	                         : entry->command;

	kb_time_format(at, row->at);
	kb_csv_field(buf, kb_sv_str(at), ",");
	kb_csv_field(buf, who, ",");
	kb_csv_field(buf, row->action, ",");
	kb_csv_field(buf, entry->object, ",");
	kb_buf_printf(buf, "%" PRId64 ",", entry->agent_id);
	kb_csv_field(buf, kb_sv_str(kb_audit_outcomes[row->outcome]), ",");
	kb_csv_field(buf, entry->address, ",");
	kb_csv_field(buf, entry->request, ",");
	kb_csv_field(buf, entry->changes, "\r\n");
}

/* All that fit, up to so many. */
static bool reply_csv(struct kb_call *call, struct kb_audit_filter *filter, struct kb_err *err)
{
	struct kb_response head = {
		.status = 200,
		.content_type = "text/csv; charset=utf-8",
		.fields = { { KB_SV("content-disposition"),
		              KB_SV("attachment; filename=\"audit.csv\"") },
		            { KB_SV("cache-control"), KB_SV("no-cache, private") } },
	};
	struct kb_audit_list rows = { .count = BATCH };
	struct kb_buf buf;
	bool ok = true;

	filter->list = (struct kb_list){ .limit = BATCH };
	kb_buf_init(&buf, KB_MIB(64));
	kb_buf_str(&buf, "at,who,action,object,project_id,outcome,address,request_id,changes\r\n");
	while (ok && rows.count == BATCH && filter->list.page * BATCH < CSV_ROWS) {
		filter->list.page++;
		ok = kb_store_audit_list(call->api->store, call->arena, filter, &rows, err);
		for (size_t i = 0; ok && i < rows.count; i++)
			csv_row(call, &buf, &rows.v[i]);
	}
	if (ok)
		return kb_call_respond_buf(call, &head, &buf, err);
	kb_buf_fini(&buf);
	return false;
}

bool kb_audit_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv format = kb_request_query(call->req, "format");
	struct kb_audit_filter filter;
	struct kb_audit_list rows;
	struct kb_buf buf;
	struct kb_jw jw;

	if (format.n && !kb_sv_eq_str(format, "json") && !kb_sv_eq_str(format, "csv"))
		return kb_fail(err, KB_E_INVALID, "format must be json or csv");
	if (!read_filter(call, &filter, err))
		return false;
	if (kb_sv_eq_str(format, "csv"))
		return reply_csv(call, &filter, err);
	if (!kb_store_audit_list(call->api->store, call->arena, &filter, &rows, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_call_paginate(call, &jw,
	                 &(struct kb_paginator){ .list = &filter.list,
	                                         .total = rows.total,
	                                         .count = rows.count,
	                                         .rows = rows.v,
	                                         .row = write_row });
	return kb_call_reply(call, 200, &buf, &jw, err);
}
