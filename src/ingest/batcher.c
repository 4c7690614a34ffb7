#include "ingest/batcher.h"

int64_t kb_batch_now_us(const struct kb_batch *batch)
{
	return kb_clock_steady_us(batch->by->config->clock);
}

bool kb_batch_is_deleted(const struct kb_batch *batch)
{
	struct kb_arena arena = { 0 };
	struct kb_agent agent;
	struct kb_err err;
	bool found = kb_store_agent_find(batch->by->config->store, &arena, batch->agent_id, &agent,
	                                 &err);

	kb_arena_fini(&arena);
	return !found && err.code == KB_E_NOT_FOUND;
}

void kb_batch_again(const struct kb_batch *batch, const struct kb_lease *lease, int64_t pause_s,
                    struct kb_page_result *result)
{
	*result = (struct kb_page_result){
		.page_id = lease->page.id,
		.epoch = lease->epoch,
		.crawl = lease->page.is_ours ? KB_STATUS_QUEUED : KB_STATUS_OK,
		.index = KB_STATUS_QUEUED,
		.next_try_at = kb_clock_now_us(batch->by->config->clock) + pause_s * KB_SECOND_US,
		.is_slow = lease->is_slow,
		.parsed_blob = lease->page.parsed_blob,
	};
}
