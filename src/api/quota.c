#include "api/quota.h"

bool kb_limit_queries(struct kb_call *call, struct kb_err *err)
{
	int64_t used;

	if (!call->plan->queries_per_month)
		return true;
	if (!kb_store_queries_this_month(call->api->store, call->key.account_id, &used, err))
		return false;
	return used < call->plan->queries_per_month
	       || kb_fail(err, KB_E_QUOTA,
	                  "You have exhausted your current query credits: %" PRId64 " of %" PRId64
	                  " this month",
	                  used, call->plan->queries_per_month);
}

bool kb_limit_agents(struct kb_call *call, struct kb_err *err)
{
	int64_t count;

	if (!call->plan->agents)
		return true;
	if (!kb_store_agent_count(call->api->store, call->key.account_id, &count, err))
		return false;
	return count < call->plan->agents
	       || kb_fail(err, KB_E_INVALID,
	                  "You have reached your agent limit: %" PRId64 " of %" PRId64 " agents",
	                  count, call->plan->agents);
}

bool kb_limit_copy(struct kb_call *call, struct kb_err *err)
{
	struct kb_agent_stats stats;
	int64_t words;

	if (!call->plan->words)
		return true;
	if (!kb_store_agent_stats(call->api->store, call->agent.id, &stats, err)
	    || !kb_store_account_words(call->api->store, call->key.account_id, &words, err))
		return false;
	return words + stats.words_indexed <= call->plan->words
	       || kb_fail(err, KB_E_INVALID,
	                  "A copy adds %" PRId64 " words to the %" PRId64
	                  " of your agents; your plan has %" PRId64,
	                  stats.words_indexed, words, call->plan->words);
}
