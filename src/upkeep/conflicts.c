#include "upkeep/conflicts.h"

#include "answer/disagree.h"
#include "store/conflicts.h"
#include "store/work.h"

enum {
	LOOK_MS = 500, /* who looks at them waits */
	LEASE_S = 600, /* longer than all of an agent takes to be read */
};

static bool find(struct kb_round *round, struct kb_arena *arena, int64_t agent_id,
                 struct kb_err *err)
{
	const struct kb_upkeep_config *config = &round->config;
	struct kb_disagreements found;
	struct kb_live live;
	bool ok;

	if (!kb_catalog_get(config->catalog, agent_id, &live, err))
		return false;
	ok = kb_disagree_find(live.snapshot, &round->cancel, arena, &found, err)
	     && kb_store_conflicts_put(config->store, agent_id, live.version,
	                               kb_disagree_text(arena, &found), err);
	kb_live_release(&live);
	return ok;
}

static void go(struct kb_round *round)
{
	static const struct kb_demand wanted = {
		KB_WORK_CONFLICTS,       LEASE_S, "conflicts",
		kb_store_conflicts_next, find,    kb_store_conflicts_later
	};

	kb_demand_go(round, &wanted);
}

struct kb_round *kb_conflicts_start(const struct kb_upkeep_config *config)
{
	static const struct kb_round_kind kind = { "conflicts", LOOK_MS, 0, go };

	return config->answerer ? kb_round_start(&kind, config) : NULL;
}
