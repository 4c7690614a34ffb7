/*
 * Agents as models: what programs with a list to choose from ask first, and one address of chat
 * completions for all agents of a key, where `model` says which.
 *
 * The name of a model is the agent's id and, for people, its name: "12-espresso-guide". Only the id
 * counts, so that a name stays good when the agent gets another one; and since names of other
 * services' models begin with no figure, none of them leads to an agent by chance.
 */
#include <ctype.h>

#include "api/routes.h"
#include "api/session.h"
#include "base/utf8.h"

enum {
	NAME_CHARS = 60, /* of the agent's name in its model's */
	LIST_PAGE = 100, /* agents */
};

/* Letters and figures of ASCII; whatever else stands between them is one hyphen. */
static void add_readable(struct kb_buf *buf, struct kb_sv name)
{
	bool between = true;
	size_t chars = 0;

	for (size_t i = 0; i < name.n && chars < NAME_CHARS; i++) {
		unsigned char c = (unsigned char)name.p[i];

		if (c >= 0x80 || !isalnum(c)) {
			between = true;
			continue;
		}
		if (between)
			kb_buf_byte(buf, '-');
		between = false;
		kb_buf_byte(buf, (char)tolower(c));
		chars++;
	}
}

/* The object is the caller's to close. */
static void begin_model(struct kb_jw *jw, const struct kb_agent *agent)
{
	struct kb_buf id;

	kb_buf_init(&id, 256);
	kb_buf_printf(&id, "%" PRId64, agent->id);
	add_readable(&id, agent->name);
	kb_jw_object(jw);
	kb_jw_key_sv(jw, "id", kb_buf_view(&id));
	kb_jw_key_str(jw, "object", "model");
	kb_jw_key_int(jw, "created", agent->created_at / KB_SECOND_US);
	kb_jw_key_str(jw, "owned_by", "docent");
	kb_jw_key_sv(jw, "name", agent->name);
	kb_buf_fini(&id);
}

/* The agents that the key reaches, newest first; programs ask for no second page. */
static bool write_agents(struct kb_call *call, struct kb_jw *jw, struct kb_err *err)
{
	struct kb_agent_filter filter = { .list = { .page = 1, .limit = LIST_PAGE },
		                          .only = call->who.agents,
		                          .only_count = call->who.agent_count };
	struct kb_agent_list agents;

	do {
		if (!kb_store_agent_list(call->api->store, call->arena, call->who.account, &filter,
		                         &agents, err))
			return false;
		for (size_t i = 0; i < agents.count; i++) {
			begin_model(jw, &agents.v[i]);
			kb_jw_end(jw);
		}
	} while (agents.count == LIST_PAGE && filter.list.page++ * LIST_PAGE < agents.total);
	return true;
}

bool kb_models_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, KB_MIB(16));
	kb_api_jw(call->api, &jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "object", "list");
	kb_jw_key(&jw, "data");
	kb_jw_array(&jw);
	if (call->agent.id) {
		begin_model(&jw, &call->agent);
		kb_jw_end(&jw);
	} else if (!write_agents(call, &jw, err)) {
		kb_buf_fini(&buf);
		return false;
	}
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* "12" and "12-whatever" are agent 12. */
static bool find_by_model(struct kb_call *call, struct kb_sv model, struct kb_err *err)
{
	ptrdiff_t hyphen = kb_sv_find(model, KB_SV("-"));
	int64_t id;

	if (kb_sv_to_int(hyphen > 0 ? kb_sv_sub(model, 0, (size_t)hyphen) : model, 1, INT64_MAX,
	                 &id))
		return kb_call_agent(call, id, err);
	return kb_fail(err, KB_E_NOT_FOUND,
	               "The model %.*s is no agent of this key; /api/v1/models lists them",
	               KB_SV_ARG(kb_utf8_cut(model, 100)));
}

bool kb_models_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	if (!find_by_model(call, call->req->params[0], err))
		return false;
	kb_buf_init(&buf, KB_MIB(1));
	kb_api_jw(call->api, &jw, &buf);
	begin_model(&jw, &call->agent);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_completions_of_model(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv model = { 0 };

	if (!kb_inputs_handle(&call->inputs, call->arena, "model", 255, &model, err))
		return false;
	if (!model.n)
		return kb_fail(err, KB_E_INVALID,
		               "model must name an agent; /api/v1/models lists them");
	return find_by_model(call, model, err) && kb_turn_read_ahead(call, KB_SV(""), err)
	       && kb_completions_create(call, err);
}
