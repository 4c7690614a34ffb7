#include "api/quota.h"

#include "store/deleted.h"

bool kb_limits_queries(const struct kb_plan *plan)
{
	return plan->queries_per_month || plan->tokens_per_month;
}

bool kb_limit_queries(struct kb_call *call, struct kb_err *err)
{
	struct kb_month_use used;
	const struct {
		const char *what;
		int64_t limit, *used;
	} rows[] = {
		{ "query credits", call->plan->queries_per_month, &used.queries },
		{ "query credits of the models, in tokens", call->plan->tokens_per_month,
		  &used.model_tokens },
	};

	if (!kb_limits_queries(call->plan))
		return true;
	if (call->ahead && call->ahead->has_month)
		used = call->ahead->month;
	else if (!kb_store_used_this_month(call->api->store, call->who.account, &used, err))
		return false;
	for (size_t i = 0; i < KB_COUNTOF(rows); i++)
		if (rows[i].limit && *rows[i].used >= rows[i].limit)
			return kb_fail(err, KB_E_QUOTA,
			               "You have exhausted your current %s: %" PRId64 " of %" PRId64
			               " this month",
			               rows[i].what, *rows[i].used, rows[i].limit);
	return true;
}

bool kb_limit_agents(struct kb_call *call, struct kb_err *err)
{
	int64_t count;

	if (!call->plan->agents)
		return true;
	if (!kb_store_agent_count(call->api->store, call->who.account, &count, err))
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
	    || !kb_store_account_words(call->api->store, call->who.account, &words, err))
		return false;
	return words + stats.words_indexed <= call->plan->words
	       || kb_fail(err, KB_E_INVALID,
	                  "A copy adds %" PRId64 " words to the %" PRId64
	                  " of your agents; your plan has %" PRId64,
	                  stats.words_indexed, words, call->plan->words);
}

bool kb_limit_takeback(struct kb_call *call, int64_t page_id, struct kb_err *err)
{
	struct kb_page_list pages;
	int64_t words, more = 0;

	if (!call->plan->words)
		return true;
	if (!kb_store_deleted_pages(call->api->store, call->arena, call->agent.id, page_id, &pages,
	                            err)
	    || !kb_store_account_words(call->api->store, call->who.account, &words, err))
		return false;
	for (size_t i = 0; i < pages.count; i++)
		more += pages.v[i].passages ? pages.v[i].words : 0;
	return words + more <= call->plan->words
	       || kb_fail(err, KB_E_INVALID,
	                  "The document adds %" PRId64 " words to the %" PRId64
	                  " of your agents; your plan has %" PRId64,
	                  more, words, call->plan->words);
}
