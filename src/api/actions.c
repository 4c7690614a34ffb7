/*
 * What an agent does with a question: the steps that Docent really takes, and which of them this
 * agent's settings turn on. One row is one of them; a step that does not exist has no row.
 */
#include "api/routes.h"

struct action {
	const char *key, *name;
	bool masters_only;
	bool (*enabled)(const struct kb_agent *agent, const struct kb_settings *settings);
	/* The members of its `settings`. */
	void (*write)(struct kb_call *call, struct kb_jw *jw, const struct kb_settings *settings);
};

static bool always(const struct kb_agent *agent, const struct kb_settings *settings)
{
	(void)agent;
	(void)settings;
	return true;
}

static void write_search(struct kb_call *call, struct kb_jw *jw, const struct kb_settings *settings)
{
	(void)call;
	kb_jw_key(jw, "response_source");
	kb_jw_choice(jw, settings->response_source);
	kb_jw_key_int(jw, "enable_citations", settings->enable_citations.v);
}

static bool plans(const struct kb_agent *agent, const struct kb_settings *settings)
{
	(void)agent;
	return settings->use_planner_mode.v;
}

static void write_planning(struct kb_call *call, struct kb_jw *jw,
                           const struct kb_settings *settings)
{
	(void)call;
	kb_jw_key_bool(jw, "use_planner_mode", settings->use_planner_mode.v);
	kb_jw_key_int(jw, "max_actions_per_query", settings->max_actions_per_query);
}

static bool matches_codes(const struct kb_agent *agent, const struct kb_settings *settings)
{
	(void)agent;
	return settings->is_hybrid_search.v;
}

static void write_matching(struct kb_call *call, struct kb_jw *jw,
                           const struct kb_settings *settings)
{
	(void)call;
	kb_jw_key_bool(jw, "is_hybrid_search", settings->is_hybrid_search.v);
}

static void write_nothing(struct kb_call *call, struct kb_jw *jw,
                          const struct kb_settings *settings)
{
	(void)call;
	(void)jw;
	(void)settings;
}

static bool has_overview(const struct kb_agent *agent, const struct kb_settings *settings)
{
	(void)agent;
	return settings->enable_agent_knowledge_base_awareness;
}

static void write_overview(struct kb_call *call, struct kb_jw *jw,
                           const struct kb_settings *settings)
{
	(void)call;
	kb_jw_key_bool(jw, "enable_agent_knowledge_base_awareness",
	               settings->enable_agent_knowledge_base_awareness);
}

static bool routes(const struct kb_agent *agent, const struct kb_settings *settings)
{
	return agent->children.n > 0 && kb_settings_routing(settings) != KB_ROUTING_OFF;
}

static void write_routing(struct kb_call *call, struct kb_jw *jw,
                          const struct kb_settings *settings)
{
	size_t count;
	const int64_t *ids = kb_agent_children(call->arena, &call->agent, &count);

	kb_jw_key_sv(jw, "master_project_smart_routing_mode",
	             settings->master_project_smart_routing_mode);
	kb_jw_key(jw, "child_project_ids");
	kb_jw_array(jw);
	for (size_t i = 0; i < count; i++)
		kb_jw_int(jw, ids[i]);
	kb_jw_end(jw);
}

static const struct action actions[] = {
	{ "knowledge_base_search", "Search the documents", false, always, write_search },
	{ KB_ACTION_PLANNING, "Search for the parts of a question one by one", false, plans,
	  write_planning },
	{ KB_ACTION_CODES, "Match codes and part numbers as wholes", false, matches_codes,
	  write_matching },
	{ "message_files", "Read the files of a message", false, always, write_nothing },
	{ KB_ACTION_OVERVIEW, "Tell what the documents are about", false, has_overview,
	  write_overview },
	{ "agent_routing", "Pick the child agent that answers", true, routes, write_routing },
};

bool kb_actions_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_settings settings;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_settings_read(call->arena, call->agent.settings, &settings, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key(&jw, "tools");
	kb_jw_array(&jw);
	for (size_t i = 0; i < KB_COUNTOF(actions); i++) {
		if (actions[i].masters_only && !call->agent.is_master)
			continue;
		kb_jw_object(&jw);
		kb_jw_key_str(&jw, "key", actions[i].key);
		kb_jw_key_str(&jw, "name", actions[i].name);
		kb_jw_key_bool(&jw, "is_enabled", actions[i].enabled(&call->agent, &settings));
		kb_jw_key(&jw, "settings");
		kb_jw_object(&jw);
		actions[i].write(call, &jw, &settings);
		kb_jw_end(&jw);
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}
