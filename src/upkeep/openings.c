#include "upkeep/openings.h"

#include "answer/opening.h"
#include "store/openings.h"
#include "store/work.h"

enum {
	LOOK_MS = 500, /* a visitor waits for the first one */
	LEASE_S = 120, /* longer than some dozens of questions take */
};

static bool make(struct kb_round *round, struct kb_arena *arena, int64_t agent_id,
                 struct kb_err *err)
{
	const struct kb_upkeep_config *config = &round->config;
	const struct kb_opening_with with = { config->answerer, config->store, config->blobs,
		                              &round->cancel };
	struct kb_opening opening;
	struct kb_agent agent;

	return kb_store_agent_find(config->store, arena, agent_id, &agent, err)
	       && kb_opening_make(&with, arena, &agent, &opening, err)
	       && kb_store_opening_put(config->store, agent_id, agent.index_version,
	                               kb_opening_text(arena, &opening), err);
}

static void go(struct kb_round *round)
{
	static const struct kb_demand wanted = {
		KB_WORK_OPENING,       LEASE_S, "opening",
		kb_store_opening_next, make,    kb_store_opening_later
	};

	kb_demand_go(round, &wanted);
}

struct kb_round *kb_openings_start(const struct kb_upkeep_config *config)
{
	static const struct kb_round_kind kind = { "openings", LOOK_MS, 0, go };

	return config->answerer ? kb_round_start(&kind, config) : NULL;
}
