/* Persona versions and sub-personas. */
#include <string.h>

#include "api/routes.h"
#include "base/utf8.h"
#include "store/personas.h"

enum { INSTRUCTIONS_CHARS = 12000 };

/* Path parameter 1. */
static bool read_version(struct kb_sv text, int64_t *version, struct kb_err *err)
{
	return kb_sv_to_int(text, INT64_MIN, INT64_MAX, version)
	       || kb_fail(err, KB_E_INVALID, "Persona version must be integer");
}

static void write_persona(struct kb_jw *jw, const struct kb_persona *persona)
{
	kb_jw_object(jw);
	kb_jw_key_int(jw, "version", persona->version);
	kb_jw_key_bool(jw, "is_active", persona->is_active);
	kb_jw_key_opt(jw, "instructions", persona->instructions);
	kb_jw_key_time(jw, "created_at", persona->created_at);
	kb_jw_key_time(jw, "updated_at", persona->updated_at);
	kb_jw_end(jw);
}

static void persona_row(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i)
{
	(void)call;
	write_persona(jw, (const struct kb_persona *)rows + i);
}

bool kb_personas_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_list list = kb_call_list(call, 20);
	struct kb_persona_list personas;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_persona_list(call->api->store, call->arena, call->agent.id, &list, &personas,
	                           err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_call_paginate(call, &jw,
	                 &(struct kb_paginator){ .list = &list,
	                                         .total = personas.total,
	                                         .count = personas.count,
	                                         .rows = personas.v,
	                                         .row = persona_row });
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_personas_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_persona persona;
	struct kb_buf buf;
	struct kb_jw jw;
	int64_t version;

	if (!read_version(call->req->params[1], &version, err)
	    || !kb_store_persona_get(call->api->store, call->arena, call->agent.id, version,
	                             &persona, err))
		return false;
	kb_call_begin_as(call, &buf, &jw, "persona");
	write_persona(&jw, &persona);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

static bool activate(struct kb_call *call, int64_t version, struct kb_err *err)
{
	return kb_settings_activate_persona(call, version, err)
	       && kb_call_reply_flag(call, 200, "updated", err);
}

bool kb_personas_activate(struct kb_call *call, struct kb_err *err)
{
	int64_t version;

	return read_version(call->req->params[1], &version, err) && activate(call, version, err);
}

bool kb_personas_activate_by_body(struct kb_call *call, struct kb_err *err)
{
	const struct kb_api_input *input = kb_inputs_find(&call->inputs, "version");
	struct kb_err ignored;
	int64_t version;

	if (!input || input->kind == KB_INPUT_NULL
	    || !kb_inputs_int(&call->inputs, "version", INT64_MIN, INT64_MAX, &version, &ignored))
		return kb_fail(err, KB_E_INVALID, "Persona version must be integer");
	return activate(call, version, err);
}

/* ---- sub-personas ---- */

static void write_subs(struct kb_jw *jw, const char *name, const struct kb_sub_persona *subs,
                       size_t count)
{
	kb_jw_key(jw, name);
	kb_jw_array(jw);
	for (size_t i = 0; i < count; i++) {
		kb_jw_object(jw);
		kb_jw_key_sv(jw, "slug", subs[i].slug);
		kb_jw_key_sv(jw, "title", subs[i].title);
		kb_jw_key_opt(jw, "instructions", subs[i].instructions);
		if (subs[i].version)
			kb_jw_key_int(jw, "persona_version", subs[i].version);
		kb_jw_key_time(jw, "created_at", subs[i].created_at);
		kb_jw_key_time(jw, "updated_at", subs[i].updated_at);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

static bool reply_subs(struct kb_call *call, int64_t version, struct kb_err *err)
{
	struct kb_sub_personas subs;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_sub_personas(call->api->store, call->arena, call->agent.id, version, &subs,
	                           err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_bool(&jw, "is_generating", subs.is_generating);
	write_subs(&jw, "generated", subs.generated.v, subs.generated.count);
	write_subs(&jw, "project_overrides", subs.overrides.v, subs.overrides.count);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_sub_personas_list(struct kb_call *call, struct kb_err *err)
{
	int64_t version;

	return read_version(call->req->params[1], &version, err) && reply_subs(call, version, err);
}

/* The version and the slug of the path, both of which must exist. */
static bool find_sub(struct kb_call *call, int64_t *version, enum kb_agent_note *note,
                     struct kb_err *err)
{
	struct kb_persona persona;

	if (!read_version(call->req->params[1], version, err)
	    || !kb_store_persona_get(call->api->store, call->arena, call->agent.id, *version,
	                             &persona, err))
		return false;
	*note = kb_note_of(call->req->params[2]);
	return *note != KB_NOTE_COUNT
	       || kb_fail(err, KB_E_NOT_FOUND, "Sub-persona with slug %.*s not found",
	                  KB_SV_ARG(kb_utf8_head(call->req->params[2], 60)));
}

bool kb_sub_personas_update(struct kb_call *call, struct kb_err *err)
{
	struct kb_sub_persona override = { 0 };
	enum kb_agent_note note;
	int64_t version;

	if (!find_sub(call, &version, &note, err))
		return false;
	if (!kb_inputs_find(&call->inputs, "instructions"))
		return kb_fail(err, KB_E_INVALID, "instructions is required, a string or null");
	if (!kb_inputs_text(&call->inputs, call->arena, "instructions", INSTRUCTIONS_CHARS,
	                    &override.instructions, err))
		return false;
	override.slug = kb_sv_str(kb_note_kinds[note].slug);
	override.title = kb_sv_str(kb_note_kinds[note].title);
	return kb_store_override_put(call->api->store, call->agent.id, &override, err)
	       && reply_subs(call, version, err);
}

bool kb_sub_personas_delete(struct kb_call *call, struct kb_err *err)
{
	enum kb_agent_note note;
	int64_t version;

	return find_sub(call, &version, &note, err)
	       && kb_store_override_delete(call->api->store, call->agent.id, call->req->params[2],
	                                   err)
	       && reply_subs(call, version, err);
}
