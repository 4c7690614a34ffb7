/*
 * Master agents: which agent answers a turn.
 *
 *   off            the master itself, or the child that the request names
 *   start-only     the first question that an agent can answer picks it, and the conversation stays
 *                  with it; a child that a request names takes its place
 *   every-message  each question is put to the agent that answers it most surely
 *
 * Candidates are the children, in their order, and the master's own documents. Nothing is picked
 * for a greeting, nor where no agent has an answer: then the master answers, and the next question
 * picks. Where a model answers, it is asked before that and may pick another one than the rule, or
 * one where the rule has none (write/route.h). The child answers with its own documents and
 * settings; the conversation, its limits and its history are the master's. Whoever may ask the
 * master reaches its children through it: its owner put them there.
 */
#include "api/session.h"

static bool is_child(const int64_t *children, size_t count, int64_t id)
{
	for (size_t i = 0; i < count; i++)
		if (children[i] == id)
			return true;
	return false;
}

/* The agent that the conversation stays with; 0: none yet, or it is no child any more. */
static bool read_kept(struct kb_call *call, const struct kb_turn *turn, const int64_t *children,
                      size_t count, int64_t *id, struct kb_err *err)
{
	struct kb_conversation conversation;

	*id = 0;
	if (!kb_turn_conversation(call, turn, &conversation, err))
		return false;
	if (!conversation.id)
		return true;
	if (conversation.child_id == call->agent.id
	    || is_child(children, count, conversation.child_id))
		*id = conversation.child_id;
	return true;
}

/* What a model's choice needs: the settings as they were before a child's took their place. */
struct routed {
	struct kb_master_route routing;
	struct kb_settings own;
};

static bool has_model(struct kb_call *call)
{
	const struct kb_model *choices[KB_MODEL_CHOICES_MAX];

	return kb_model_choose(kb_models_in(call->api->models, call->arena), KB_SV(""),
	                       KB_CAPABILITY_FASTEST, choices)
	       > 0;
}

static void forget_searched(void *arg)
{
	kb_searched_fini(arg);
}

/* The agent whose documents answer best, the master's own included; 0: none. */
static bool pick(struct kb_call *call, struct kb_turn *turn, const int64_t *children, size_t count,
                 int64_t *id, struct kb_err *err)
{
	struct kb_agent *agents = KB_NEW_ARRAY(call->arena, count + 1, struct kb_agent);
	struct routed *routed = KB_NEW(call->arena, struct routed);
	struct kb_master_route *routing = &routed->routing;
	const struct kb_answer_request request = {
		.settings = &turn->settings,
		.prompt = turn->prompt,
		.turns = turn->turns,
		.turn_count = turn->turn_count,
		.labels = turn->labels,
		.passages = kb_write_passages(call->api->writer, &turn->settings),
		.actions_max = call->plan->max_actions,
		.actions_enabled = turn->actions_enabled,
		.actions_disabled = turn->actions_disabled,
	};
	size_t found = 0;

	*id = 0;
	for (size_t i = 0; i < count; i++) {
		if (kb_store_agent_get(call->api->store, call->arena, call->who.account,
		                       children[i], &agents[found], err))
			found++;
		else if (err->code != KB_E_NOT_FOUND) /* deleted meanwhile */
			return false;
	}
	agents[found++] = call->agent;
	routing->v = KB_NEW_ARRAY(call->arena, found, struct kb_route_agent);
	for (; routing->count < found; routing->count++)
		routing->v[routing->count].agent = &agents[routing->count];
	routed->own = turn->settings;
	kb_arena_on_fini(call->arena, forget_searched, &routing->searched);
	if (!kb_route_by_rule(call->api->answerer, call->arena, &request, routing, err))
		return false;
	if (routing->best >= 0)
		*id = agents[routing->best].id;
	turn->searched = &routing->searched;
	if (routing->asks && found > 1 && found <= KB_ROUTE_MAX && has_model(call))
		turn->routing = routing;
	return true;
}

/* Lets the child answer, with its own settings under what the request says. */
static bool hand_over(struct kb_call *call, struct kb_turn *turn, int64_t id, struct kb_err *err)
{
	if (!kb_store_agent_get(call->api->store, call->arena, call->who.account, id, &turn->child,
	                        err))
		return err->code == KB_E_NOT_FOUND; /* deleted meanwhile: the master answers */
	turn->agent = &turn->child;
	return kb_call_settings(call, &turn->child, &turn->settings, err)
	       && kb_turn_apply(call, turn, err);
}

bool kb_turn_route(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	const int64_t *children;
	enum kb_routing mode;
	int64_t id = 0;
	size_t count;

	turn->agent = &call->agent;
	if (!call->agent.is_master)
		return true;
	mode = kb_settings_routing(&turn->settings);
	children = kb_agent_children(call->arena, &call->agent, &count);
	if (turn->named_child) {
		if (!turn->settings.master_project_user_agent_switching_enabled)
			return kb_fail(err, KB_E_FORBIDDEN,
			               "agent %" PRId64 " does not let its users switch agents "
			               "(master_project_user_agent_switching_enabled)",
			               call->agent.id);
		id = turn->named_child;
	} else if (count == 0 || mode == KB_ROUTING_OFF) {
		return true;
	} else if (mode == KB_ROUTING_START_ONLY
	           && !read_kept(call, turn, children, count, &id, err)) {
		return false;
	} else if (id == 0 && !pick(call, turn, children, count, &id, err)) {
		return false;
	}
	if (mode == KB_ROUTING_START_ONLY)
		turn->stays_with = id;
	return id == 0 || id == call->agent.id || hand_over(call, turn, id, err);
}

bool kb_turn_reroute(struct kb_call *call, struct kb_turn *turn, ptrdiff_t which,
                     struct kb_err *err)
{
	const struct routed *routed = (const struct routed *)(const void *)turn->routing;
	const struct kb_agent *agent = turn->routing->v[which].agent;

	turn->agent = &call->agent;
	turn->settings = routed->own;
	if (kb_settings_routing(&turn->settings) == KB_ROUTING_START_ONLY)
		turn->stays_with = agent->id;
	return agent->id == call->agent.id || hand_over(call, turn, agent->id, err);
}
