#include "api/progress_record.h"

#include "api/ready.h"
#include "api/reasons.h"
#include "store/progress.h"

/* Fewer, or in less time, say nothing of how long the rest takes. */
enum { FEWEST = 3 };
#define SHORTEST_US (2 * KB_SECOND_US)

static void write_page(struct kb_jw *jw, const struct kb_progress_page *page)
{
	struct kb_reason reason = kb_reason_of_document(page->reason);

	kb_jw_object(jw);
	kb_jw_key_int(jw, "id", page->id);
	kb_jw_key_sv(jw, "name", page->name);
	kb_jw_key_str(jw, "state", page->is_reading ? "reading" : "waiting");
	kb_jw_key_opt(jw, "reason", page->reason.n ? page->reason : (struct kb_sv){ 0 });
	kb_reason_write(jw, &reason);
	kb_jw_key_int(jw, "attempts", page->attempts);
	kb_jw_key_time_opt(jw, "next_try_at", page->next_try_at);
	kb_jw_end(jw);
}

/* Whole documents a minute, and how long the rest takes at that pace; null where it would be a
 * guess. */
static void write_pace(struct kb_jw *jw, const struct kb_progress *progress)
{
	int64_t lately = progress->lately, us = progress->lately_us;

	if (progress->working == 0 || lately < FEWEST || us < SHORTEST_US) {
		kb_jw_key_null(jw, "per_minute");
		kb_jw_key_null(jw, "seconds_left");
		return;
	}
	kb_jw_key_int(jw, "per_minute", (lately * 60 * KB_SECOND_US + us / 2) / us);
	kb_jw_key_int(
	        jw, "seconds_left",
	        (int64_t)((double)progress->working * (double)us / (double)lately / KB_SECOND_US)
	                + 1);
}

static void write_progress(struct kb_jw *jw, const struct kb_progress *progress,
                           const struct kb_ready *ready)
{
	kb_jw_object(jw);
	kb_jw_key_int(jw, "total", progress->total);
	kb_jw_key_int(jw, "done", progress->done);
	kb_jw_key_int(jw, "queued", progress->working);
	kb_jw_key_int(jw, "fetching", progress->fetching);
	kb_jw_key_int(jw, "reading", progress->working - progress->fetching);
	kb_jw_key_int(jw, "sources", progress->sources);
	kb_jw_key_int(jw, "failed", progress->failed);
	kb_jw_key_int(jw, "limited", progress->limited);
	write_pace(jw, progress);
	kb_jw_key(jw, "pages");
	kb_jw_array(jw);
	for (size_t i = 0; i < progress->page_count; i++)
		write_page(jw, &progress->pages[i]);
	kb_jw_end(jw);
	kb_ready_write(jw, ready);
	kb_jw_end(jw);
}

bool kb_progress_write(const struct kb_api *api, struct kb_arena *arena, int64_t agent_id,
                       struct kb_jw *jw, struct kb_err *err)
{
	struct kb_progress progress;
	struct kb_ready ready;

	if (!kb_store_progress(api->store, arena, agent_id, &progress, err)
	    || !kb_ready_read(api, agent_id, 0, &ready, err))
		return false;
	write_progress(jw, &progress, &ready);
	return true;
}
