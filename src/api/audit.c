#include "api/audit.h"

#include <jansson.h>
#include <string.h>

#include "base/utf8.h"
#include "out/link.h"
#include "store/labels.h"

enum { LEVELS = 16, VALUE_CHARS = 200, FIELDS_MAX = 60 };

/* What is never kept of what was sent. */
static bool is_secret(struct kb_sv name)
{
	static const char *const names[] = { "key",      "link",   "logout_token",
		                             "password", "secret", "token" };

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

/* Whether it has so many levels at most: jansson writes one within another on the stack. */
static bool is_flat(const json_t *value, int levels)
{
	json_t *object = (json_t *)(uintptr_t)value; /* its iterator changes nothing */

	if (!json_is_object(value) && !json_is_array(value))
		return true;
	if (levels == 0)
		return false;
	for (size_t i = 0; i < json_array_size(value); i++)
		if (!is_flat(json_array_get(value, i), levels - 1))
			return false;
	for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at))
		if (!is_flat(json_object_iter_value(at), levels - 1))
			return false;
	return true;
}

static void write_json(struct kb_call *call, struct kb_jw *jw, const json_t *value)
{
	char *text;

	if (!is_flat(value, LEVELS)) {
		kb_jw_str(jw, "(deeper than is kept)");
		return;
	}
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

	/* What a directory sends is said by who understood it (scim.h). */
	if (!inputs->count || call->who.directory)
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
	{ "projectId", "agent" },    { "pageId", "document" },
	{ "sourceId", "source" },    { "answerId", "answer" },
	{ "labelId", "label" },      { "sessionId", "conversation" },
	{ "licenseId", "license" },  { "keyId", "key" },
	{ "personId", "person" },    { "browserId", "session" },
	{ "version", "persona" },    { "slug", "text" },
	{ "gapId", "gap" },          { "testId", "test" },
	{ "deletedId", "document" }, { "deletedAgentId", "agent" },
	{ "tokenId", "token" },      { "userId", "user" },
	{ "groupId", "group" },      { "messageId", "message" },
	{ "programId", "program" },
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
		.command = call->who.directory ? kb_arena_printf(
		                   call->arena, "directory token %" PRId64, call->who.directory)
		                               : KB_SV(""),
		.action = call->row->action,
		.agent_id = call->agent.id,
		.object = object_of(call),
		.address = kb_sv_str(call->req->peer),
		.request = kb_sv_str(call->req->name),
	};
}

bool kb_call_is_audited(const struct kb_call *call)
{
	enum kb_audit_reads level = kb_audit_reads_of(call->row->action);

	if (!call->row->action || !call->who.account || level > call->api->audit_reads)
		return false;
	switch (call->row->action) {
	case KB_AUDIT_CONVERSATION_READ:
	case KB_AUDIT_CONVERSATION_EXPORT:
		return !call->who.person; /* else they are theirs */
	case KB_AUDIT_DOCUMENT_READ:
		return false; /* once it is known which (kb_call_audit_document()) */
	case KB_AUDIT_AUDIT_EXPORT:
		return kb_sv_eq_str(kb_request_query(call->req, "format"), "csv");
	default:
		return true;
	}
}

bool kb_call_audit_document(struct kb_call *call, const struct kb_page *page, struct kb_err *err)
{
	struct kb_label_list labels;

	if (call->row->action != KB_AUDIT_DOCUMENT_READ
	    || call->api->audit_reads < KB_AUDIT_READS_ALL)
		return true;
	if (!kb_store_page_labels(call->api->store, call->arena, page->agent_id, page->id, &labels,
	                          err))
		return false;
	if (!labels.count)
		return true;
	kb_call_audit(call);
	call->audit->entry.agent_id = page->agent_id;
	call->audit->entry.object = kb_arena_printf(call->arena, "document %" PRId64, page->id);
	return true;
}

void kb_call_audit(struct kb_call *call)
{
	kb_call_audit_as(call, call->row->action);
}

void kb_call_audit_as(struct kb_call *call, enum kb_audit_action action)
{
	struct kb_audit_entry entry = entry_of(call);

	entry.action = action;
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

void kb_call_audit_changes(struct kb_call *call, struct kb_sv json)
{
	if (call->audit)
		call->audit->entry.changes = json;
}

/* The change itself is done: whoever asked for it is told so, and the operator what is missing. */
static void end(const struct kb_call *call, struct kb_audit *audit, enum kb_audit_outcome outcome)
{
	struct kb_err err;

	if (!kb_audit_end(audit, outcome, &err))
		kb_warn(&call->req->log, "audit row not written action=%s error=%s",
		        kb_audit_action_infos[audit->entry.action].name, err.msg);
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
