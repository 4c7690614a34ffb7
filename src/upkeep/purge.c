#include "upkeep/purge.h"

#include "store/audit.h"
#include "store/conversations.h"
#include "store/guesses.h"
#include "store/leads.h"

enum { AGENTS_AT_ONCE = 1000 };

static bool purge_agent(const struct kb_upkeep_config *config, struct kb_arena *arena, int64_t id,
                        const struct kb_cancel *cancel, struct kb_purge *purge, struct kb_err *err)
{
	struct kb_agent agent;
	int64_t days, leads = 1; /* at a time */

	if (!kb_store_agent_find(config->store, arena, id, &agent, err)
	    || !config->keep_days(config->keep_arg, &agent, &days, err))
		return false;
	*purge = (struct kb_purge){
		.agent_id = id,
		.before = kb_clock_now_us(config->clock) - days * KB_DAY_US,
		.done = days == 0,
	};
	while (!purge->done && !kb_cancelled(cancel, NULL))
		if (!kb_store_conversations_purge(config->store, purge, err))
			return false;
	while (days && leads && !kb_cancelled(cancel, NULL))
		if (!kb_store_leads_purge(config->store, id, purge->before, &leads, err))
			return false;
	return true;
}

void kb_purge_conversations(const struct kb_upkeep_config *config, const struct kb_cancel *cancel,
                            struct kb_purge_sum *out)
{
	struct kb_agent_ids ids = { .count = 1 };
	int64_t after = 0;

	*out = (struct kb_purge_sum){ 0 };
	while (ids.count && !kb_cancelled(cancel, NULL)) {
		struct kb_arena arena = { 0 };
		struct kb_err err;

		if (!kb_store_agent_ids(config->store, &arena, after, AGENTS_AT_ONCE, &ids, &err)) {
			kb_warn(config->log, "cannot look for conversations to purge error=%s",
			        err.msg);
			ids.count = 0;
		}
		for (size_t i = 0; i < ids.count && !kb_cancelled(cancel, NULL); i++) {
			struct kb_purge purge = { 0 };

			after = ids.v[i];
			if (!purge_agent(config, &arena, after, cancel, &purge, &err)
			    && err.code != KB_E_NOT_FOUND)
				kb_warn(config->log,
				        "conversations not purged agent=%" PRId64 " error=%s",
				        after, err.msg);
			if (purge.messages + purge.conversations)
				kb_info(config->log,
				        "conversations purged agent=%" PRId64 " messages=%" PRId64
				        " conversations=%" PRId64,
				        after, purge.messages, purge.conversations);
			out->messages += purge.messages;
			out->conversations += purge.conversations;
		}
		kb_arena_fini(&arena);
	}
}

void kb_purge_audit(const struct kb_upkeep_config *config, const struct kb_cancel *cancel)
{
	int64_t before = kb_clock_now_us(config->clock) - config->audit_days * KB_DAY_US;
	int64_t removed = 1, sum = 0;
	struct kb_err err;

	while (config->audit_days && removed && !kb_cancelled(cancel, NULL)) {
		if (!kb_store_audit_purge(config->store, before, &removed, &err)) {
			kb_warn(config->log, "old rows of the audit log not removed error=%s",
			        err.msg);
			break;
		}
		sum += removed;
	}
	if (sum)
		kb_info(config->log, "old rows of the audit log removed rows=%" PRId64, sum);
}

void kb_purge_guesses(const struct kb_upkeep_config *config)
{
	struct kb_err err;

	if (!kb_store_guesses_purge(config->store, &err))
		kb_warn(config->log, "old counts of wrong keys not removed error=%s", err.msg);
}
