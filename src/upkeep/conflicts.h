/*
 * The thread that finds documents that disagree (answer/disagree.h), of the agents whose keepers
 * have wanted to see them (store/conflicts.h), one after the other.
 */
#ifndef KB_UPKEEP_CONFLICTS_H
#define KB_UPKEEP_CONFLICTS_H

#include "upkeep/config.h"

struct kb_conflict_thread;

/* NULL where the configuration has nobody who answers. */
struct kb_conflict_thread *kb_conflict_thread_start(const struct kb_upkeep_config *config);
/* Gives up what is in hand. NULL is fine. */
void kb_conflict_thread_stop(struct kb_conflict_thread *thread);

#endif
