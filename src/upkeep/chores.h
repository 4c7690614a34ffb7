/*
 * The chores (store/chores.h) of all agents, done one after the other by one thread. Private to
 * this folder.
 *
 * An answer comes first: while the model writes any, a chore waits for it, for some seconds at
 * most. What goes into a request is masked where the agent anonymises, and nothing of it is of a
 * document that has a label. Each model is the agent's own, of the smallest tier. A request that
 * fails is made again after longer and longer times, and then given up.
 */
#ifndef KB_UPKEEP_CHORES_H
#define KB_UPKEEP_CHORES_H

#include "upkeep/round.h"

/* NULL where there is no model for them. What is in hand ends with its request; see
 * kb_models_cancel(). */
struct kb_round *kb_chores_start(const struct kb_upkeep_config *config);

struct kb_chore_stats {
	int64_t done, useless, failed; /* texts stored; answers of no use; requests that failed */
};
void kb_chores_stats(struct kb_round *round, struct kb_chore_stats *out);

#endif
