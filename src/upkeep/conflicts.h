/*
 * The thread that finds documents that disagree (answer/disagree.h), of the agents whose keepers
 * have wanted to see them (store/conflicts.h), one after the other.
 */
#ifndef KB_UPKEEP_CONFLICTS_H
#define KB_UPKEEP_CONFLICTS_H

#include "upkeep/round.h"

/* NULL where the configuration has nobody who answers. */
struct kb_round *kb_conflicts_start(const struct kb_upkeep_config *config);

#endif
