/* What the account's plan allows. */
#include "api/api.h"

bool kb_call_plan(struct kb_call *call, const struct kb_plan **out, struct kb_err *err)
{
	size_t count;
	const struct kb_plan *plans = kb_plans_built_in(&count);
	struct kb_account account;

	if (!kb_store_account_get(call->api->store, call->arena, call->key.account_id, &account,
	                          err))
		return false;
	*out = kb_plan_find(plans, count, account.plan);
	if (!*out)
		*out = &plans[0];
	return true;
}

bool kb_call_needs(struct kb_call *call, enum kb_feature feature, struct kb_err *err)
{
	const struct kb_plan *plan;

	if (!kb_call_plan(call, &plan, err))
		return false;
	if (plan->features & feature)
		return true;
	return kb_fail(err, KB_E_FORBIDDEN, "Requires the %s plan feature",
	               kb_feature_title(feature));
}
