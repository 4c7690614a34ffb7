/* A way to a person: where the owner has named one who answers what the documents do not, a visitor
 * leaves an address with the question. */
#include "answer/mask.h"
#include "api/routes.h"
#include "api/session.h"
#include "api/visitor.h"
#include "base/utf8.h"
#include "store/leads.h"

enum {
	NAME_CHARS = 120,
	EMAIL_CHARS = 254,
	LEFT_AN_HOUR = 3, /* by one visitor */
};
#define HOUR_US (3600 * KB_SECOND_US)

/* In form: whether anybody reads it only a mail would tell. */
static bool is_address(struct kb_sv text)
{
	ptrdiff_t at = kb_sv_find_byte(text, '@');
	struct kb_sv host;

	if (at < 1)
		return false;
	host = kb_sv_from(text, (size_t)at + 1);
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] <= ' ' || text.p[i] == 0x7f || text.p[i] == '<'
		    || text.p[i] == '>' || text.p[i] == ',' || text.p[i] == ';')
			return false;
	return host.n >= 3 && kb_sv_find_byte(host, '@') < 0 && kb_sv_find_byte(host, '.') > 0
	       && host.p[host.n - 1] != '.';
}

static bool read_text(struct kb_call *call, const char *name, size_t chars, struct kb_sv *out,
                      struct kb_err *err)
{
	struct kb_sv text = { 0 };

	if (!kb_inputs_text(&call->inputs, call->arena, name, chars, &text, err))
		return false;
	*out = text.p ? kb_sv_trim(text) : KB_SV("");
	return true;
}

/* The message is the visitor's own, or none, and then of no talk. */
static bool read_message(struct kb_call *call, struct kb_lead *lead, struct kb_err *err)
{
	struct kb_session session;
	struct kb_message message;

	if (!kb_inputs_int(&call->inputs, "message_id", 1, INT64_MAX, &lead->message_id, err)
	    || !read_text(call, "session_id", KB_UUID_CHARS, &lead->session_id, err)
	    || (lead->session_id.n && !kb_session_id_check(lead->session_id, err)))
		return false;
	if (!lead->session_id.n || !lead->message_id) {
		lead->session_id = KB_SV("");
		lead->message_id = 0;
		return true;
	}
	session = kb_call_session(call, lead->session_id);
	return kb_store_message_get(call->api->store, call->arena, &session, lead->message_id,
	                            &message, err);
}

static bool read_lead(struct kb_call *call, struct kb_lead *lead, struct kb_err *err)
{
	if (!read_text(call, "name", NAME_CHARS, &lead->name, err)
	    || !read_text(call, "email", EMAIL_CHARS, &lead->email, err)
	    || !read_text(call, "question", KB_PROMPT_CHARS, &lead->question, err))
		return false;
	if (!is_address(lead->email))
		return kb_fail(err, KB_E_INVALID, "email must be an e-mail address");
	if (!lead->question.n)
		return kb_fail(err, KB_E_INVALID, "question can't be empty");
	if (kb_agent_anonymises(call, &call->agent))
		lead->question = kb_mask(call->arena, lead->question);
	return read_message(call, lead, err);
}

/* Few: nobody asks a person by the dozen. */
static bool may_leave(struct kb_call *call, struct kb_err *err)
{
	const struct kb_visit_limit limits[] = {
		{ kb_arena_printf(call->arena, "leaving %" PRId64, call->visitor.id), HOUR_US,
		  LEFT_AN_HOUR },
		{ kb_arena_printf(call->arena, "leaving %.*s", KB_SV_ARG(kb_call_address(call))),
		  HOUR_US, call->api->public_address },
	};
	struct kb_visits visits = { limits, KB_COUNTOF(limits) };

	return kb_store_visit(call->api->store, &visits, err) && kb_visits_are_within(&visits, err);
}

bool kb_contact_leave(struct kb_call *call, struct kb_err *err)
{
	struct kb_lead lead = { .agent_id = call->agent.id };
	struct kb_settings settings;

	if (!kb_call_settings(call, &call->agent, &settings, err))
		return false;
	if (!settings.contact_person.n)
		return kb_fail(err, KB_E_NOT_FOUND, "This agent names nobody who answers");
	return read_lead(call, &lead, err) && kb_visitor_has_worked(call, &settings, err)
	       && may_leave(call, err) && kb_store_lead_add(call->api->store, &lead, err)
	       && kb_call_reply_flag(call, 201, "kept", err);
}
