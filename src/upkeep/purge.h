/* Conversations that were kept long enough, with the addresses that visitors left in that time, old
 * rows of the audit log, and what was counted of wrong keys. */
#ifndef KB_UPKEEP_PURGE_H
#define KB_UPKEEP_PURGE_H

#include "upkeep/config.h"

/* Removes the conversations of all agents that are older than their agents keep them, and leads
 * (store/leads.h) with them, in bounded transactions, and logs how many conversations of each
 * agent. The configuration has its keep_days. Ends early when cancelled. What failed for one agent
 * is logged and left for the next time. */
struct kb_purge_sum {
	int64_t messages, conversations;
};
void kb_purge_conversations(const struct kb_upkeep_config *config, const struct kb_cancel *cancel,
                            struct kb_purge_sum *out);
/* The rows of the audit log that are older than the configuration says, if it does; what failed is
 * logged. */
void kb_purge_audit(const struct kb_upkeep_config *config, const struct kb_cancel *cancel);
/* Counts of wrong keys whose time is over. */
void kb_purge_guesses(const struct kb_upkeep_config *config);

#endif
