/* Conversations that were kept long enough. */
#ifndef KB_UPKEEP_PURGE_H
#define KB_UPKEEP_PURGE_H

#include "upkeep/config.h"

/* Removes the conversations of all agents that are older than their agents keep them, in bounded
 * transactions, and logs how many of each agent. Ends early when cancelled. What failed
 * for one agent is logged and left for the next time. */
struct kb_purge_sum {
	int64_t messages, conversations;
};
void kb_purge_conversations(const struct kb_upkeep_config *config, const struct kb_cancel *cancel,
                            struct kb_purge_sum *out);

#endif
