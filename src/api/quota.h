/*
 * What the plan of the account still allows: queries and tokens of models a month, agents, words.
 * Counted in the store, so the same on every node. For handlers.
 */
#ifndef KB_API_QUOTA_H
#define KB_API_QUOTA_H

#include "api/api.h"

/* Whether kb_limit_queries() has anything to count. */
bool kb_limits_queries(const struct kb_plan *plan);
/* KB_E_QUOTA or KB_E_INVALID with the contract's words where the plan's figure is reached. */
bool kb_limit_queries(struct kb_call *call, struct kb_err *err) KB_MUST_CHECK;
bool kb_limit_agents(struct kb_call *call, struct kb_err *err) KB_MUST_CHECK;
/* Whether the words of a deleted document fit in again. */
bool kb_limit_takeback(struct kb_call *call, int64_t page_id, struct kb_err *err) KB_MUST_CHECK;
/* Whether the words of one more copy of the call's agent fit into the plan. */
bool kb_limit_copy(struct kb_call *call, struct kb_err *err) KB_MUST_CHECK;

#endif
