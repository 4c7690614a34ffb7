#include "ingest/batch.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/temp.h"
#include "ingest/sight.h"
#include "ingest/taking.h"
#include "store/accounts.h"

enum {
	TURN_TEXT_BYTES = 16 << 20, /* a turn ends with the page that reaches this */
	TURN_MS = 1500,             /* or this */
	TRIES_MAX = 5,
	RETRY_FIRST_S = 2,    /* doubled with every attempt */
	MET_S = 10,           /* more than the others waits who met an outage */
	TRIM_BYTES = 4 << 20, /* of text: after such a batch the heap has kept a lot */
	NAP_MS = 200,         /* between tries at a store that cannot take pages back; doubled */
	NAP_MAX_MS = 10000,
};

/* ---- what comes of a page ---- */

/* What an error makes of a page: another try later, or the end with its sentence. */
static void fail_page(struct kb_batch *batch, const struct kb_lease *lease, bool again,
                      struct kb_page_result *result, const struct kb_err *err)
{
	const struct kb_page *page = &lease->page;

	again = again && page->attempts + 1 < TRIES_MAX;
	if (again) {
		kb_batch_again(batch, lease,
		               (int64_t)RETRY_FIRST_S << KB_MIN(page->attempts, (int64_t)10),
		               result);
		atomic_fetch_add(&batch->by->counts->retried, 1);
	} else {
		/* The bytes are there: it is the reading of them that failed. */
		*result = (struct kb_page_result){ .page_id = page->id,
			                           .epoch = lease->epoch,
			                           .crawl = KB_STATUS_OK,
			                           .index = KB_STATUS_FAILED,
			                           .drop_original = !page->is_ours };
		atomic_fetch_add(&batch->by->counts->failed, 1);
	}
	result->reason = kb_arena_printf(&batch->arena, "%s", kb_err_reason(err));
	kb_info(batch->by->config->log,
	        "document not indexed page=%" PRId64 " agent=%" PRId64 " again=%d reason=%s",
	        page->id, page->agent_id, again, err->msg);
}

/* ---- the commit ---- */

/* Writes the segment and makes everything of the batch true at once. */
static bool commit(struct kb_batch *batch, struct kb_err *err)
{
	const struct kb_ingest_config *config = batch->by->config;
	struct kb_segment_new segment = { 0 };
	struct kb_segment_info info;
	struct kb_blob_name name = { 0 };
	char path[KB_TEMP_PATH];
	int64_t size = 0;
	bool ok = true;

	if (batch->count == 0)
		return true;
	if (batch->pages) {
		kb_temp_path(path, config->temp_dir, KB_TEMP_SEGMENT);
		ok = kb_segment_writer_finish(batch->by->writer, path, &info, err)
		     && kb_blob_take(config->blobs, path, &name, &size, err);
		if (!ok)
			unlink(path);
		segment = (struct kb_segment_new){ .blob = kb_sv_str(name.hex),
			                           .bytes = size,
			                           .passages = batch->passages,
			                           .pages = batch->pages };
	}
	if (ok && batch->pages)
		kb_catalog_prepare(config->catalog, batch->agent_id, segment.blob);
	ok = ok
	     && kb_store_pages_finish(config->store, batch->agent_id, batch->results, batch->count,
	                              &segment, err);
	kb_catalog_refresh(config->catalog, batch->agent_id, segment.blob);
	if (ok) {
		atomic_fetch_add(&batch->by->counts->indexed, batch->pages);
		atomic_fetch_add(&batch->by->counts->passages, batch->passages);
		if (batch->pages)
			kb_info(config->log,
			        "documents indexed agent=%" PRId64 " pages=%" PRId64
			        " passages=%" PRId64 " took_ms=%" PRId64,
			        batch->agent_id, batch->pages, batch->passages,
			        (kb_batch_now_us(batch) - batch->started_us) / 1000);
	}
	if (ok) {
		batch->used.pages += batch->taken.pages;
		batch->used.words += batch->taken.words;
	}
	batch->taken = (struct kb_batch_room){ 0 };
	batch->count = 0;
	batch->pages = batch->passages = batch->text_bytes = 0;
	batch->started_us = kb_batch_now_us(batch);
	return ok;
}

/* False when the service stops. */
static bool nap(const struct kb_batcher *by, int64_t *ms)
{
	int64_t until = kb_clock_steady_us(by->config->clock) + *ms * 1000;

	*ms = KB_MIN(*ms * 2, (int64_t)NAP_MAX_MS);
	return kb_bell_rest(by->bell, until);
}

/* Gives pages back that were not tried, for another turn or another day. A store that cannot take
 * them now, being away or without room, is asked until it can: else they would wait for their lease
 * to end. */
static void give_back(struct kb_batch *batch, const struct kb_lease *leases, size_t count,
                      const struct kb_err *why)
{
	const struct kb_batcher *by = batch->by;
	struct kb_page_result *results = KB_NEW_ARRAY(&batch->arena, count, struct kb_page_result);
	int64_t nap_ms = NAP_MS;
	struct kb_err err;

	if (count == 0)
		return;
	for (size_t i = 0; i < count; i++) {
		kb_batch_again(batch, &leases[i], why ? RETRY_FIRST_S : 0, &results[i]);
		results[i].untried = true;
		if (why)
			results[i].reason =
			        kb_arena_printf(&batch->arena, "%s", kb_err_reason(why));
	}
	/* Whoever met it waits longer, should it be what is wrong after all. */
	if (batch->outage.code)
		results[0].next_try_at += MET_S * KB_SECOND_US;
	while (!kb_store_pages_finish(by->config->store, batch->agent_id, results, count,
	                              &(struct kb_segment_new){ 0 }, &err)) {
		const struct kb_err_info *info = kb_err_info(err.code);

		if (err.code == KB_E_NOT_FOUND)
			return;
		if ((!info->retry && !info->outage) || !nap(by, &nap_ms)) {
			kb_warn(by->config->log,
			        "pages stay leased until the lease ends count=%zu error=%s", count,
			        err.msg);
			return;
		}
	}
}

/* ---- reading ---- */

/* What the plan leaves room for. */
static bool read_limits(struct kb_batch *batch, const struct kb_agent *agent, struct kb_err *err)
{
	const struct kb_ingest_config *config = batch->by->config;
	struct kb_agent_stats stats;

	if (!config->limits)
		return true;
	if (!config->limits(config->limits_arg, agent, &batch->limits, err))
		return false;
	if (batch->limits.pages_per_agent) {
		if (!kb_store_agent_stats(config->store, agent->id, &stats, err))
			return false;
		batch->used.pages = stats.pages_indexed;
	}
	return batch->limits.words == 0
	       || kb_store_account_words(config->store, agent->account_id, &batch->used.words, err);
}

/* One that can be found already takes no new room. */
static bool has_room(const struct kb_page *page)
{
	return page->index == KB_STATUS_OK || page->passages;
}

/* A page that the plan has no room for stays, marked as limited, until it is queued again. */
static bool over_limit(struct kb_batch *batch, const struct kb_page *page,
                       struct kb_page_result *result)
{
	const struct kb_ingest_limits *limits = &batch->limits;
	int64_t pages = batch->used.pages + batch->taken.pages;
	int64_t words = batch->used.words + batch->taken.words;

	if (has_room(page))
		return false;
	if (limits->pages_per_agent && pages >= limits->pages_per_agent)
		result->reason = kb_page_over_plan(&batch->arena, limits->pages_per_agent);
	else if (limits->words && words >= limits->words)
		result->reason = kb_arena_printf(&batch->arena, "the plan allows %" PRId64 " words",
		                                 limits->words);
	else
		return false;
	result->crawl = result->index = KB_STATUS_LIMITED;
	result->drop_original = !page->is_ours;
	return true;
}

/* What takes long is leased alone, by a thread that has time for it. */
static void leave_slow(const struct kb_taking *taking)
{
	const struct kb_batch *batch = taking->batch;

	kb_batch_again(batch, taking->lease, 0, taking->result);
	taking->result->is_slow = taking->result->untried = true;
	taking->result->parsed_blob = taking->kept;
	kb_debug(batch->by->config->log, "document is slow page=%" PRId64 " agent=%" PRId64,
	         taking->lease->page.id, batch->agent_id);
}

/* What an error makes of it. False where it is none of the page's, because the service cannot do
 * its work: batch->outage. */
static bool take_failure(struct kb_batch *batch, const struct kb_taking *taking)
{
	const struct kb_lease *lease = taking->lease;
	const struct kb_err *err = &taking->err;
	bool retry = kb_err_info(err->code)->retry;

	if (taking->left) {
		leave_slow(taking);
	} else if (err->code == KB_E_CANCELLED) {
		kb_batch_again(batch, lease, 0, taking->result);
		taking->result->untried = true;
	} else if (kb_err_info(err->code)->outage) {
		batch->outage = *err;
		batch->count--;
		return false;
	} else {
		fail_page(batch, lease, retry && err->code != KB_E_TIMEOUT, taking->result, err);
	}
	return true;
}

/* The page takes long to parse. Where another thread takes over the reserve, those that were leased
 * with it do not wait for it: what was read before it is committed, the others are given back. */
static bool set_apart(struct kb_taking *taking)
{
	struct kb_batch *batch = taking->batch;
	const struct kb_lease *first = batch->leases, *mine = taking->lease;
	struct kb_page_result result = *taking->result;
	struct kb_err err;

	if (!batch->by->hand_on || !batch->by->hand_on(batch->by->hand_on_arg))
		return false;
	if (batch->one_by_one)
		return true;
	batch->count--;
	if (!commit(batch, &err))
		give_back(batch, first, (size_t)(mine - first), &err);
	give_back(batch, mine + 1, batch->leased - (size_t)(mine - first) - 1, NULL);
	batch->leases = mine;
	batch->leased = 1;
	taking->result = &batch->results[batch->count++];
	*taking->result = result;
	return true;
}

/* Reads one page; what comes of it is the batch's next result. False where there is none:
 * batch->outage. */
static bool read_page(struct kb_batch *batch, const struct kb_lease *lease)
{
	struct kb_page_result *result = &batch->results[batch->count++];
	struct kb_taking taking = {
		.batch = batch, .lease = lease, .result = result, .goes_on = set_apart
	};

	*result = (struct kb_page_result){ .page_id = lease->page.id,
		                           .epoch = lease->epoch,
		                           .pages_most = batch->limits.pages_per_agent };
	if (over_limit(batch, &lease->page, result))
		return true;
	switch (kb_take(&taking)) {
	case KB_TAKE_DONE:
		batch->taken.pages += !has_room(&lease->page);
		batch->taken.words +=
		        taking.result->words - (has_room(&lease->page) ? lease->page.words : 0);
		return true;
	case KB_TAKE_LATER:
		leave_slow(&taking);
		return true;
	default:
		return take_failure(batch, &taking);
	}
}

/* Reads pages until the turn is over; how many of those that are leased then. */
static size_t read_pages(struct kb_batch *batch)
{
	const struct kb_lease *lease = batch->leases;

	while (lease < batch->leases + batch->leased && !kb_cancelled(batch->by->cancel, NULL)) {
		if ((lease > batch->leases && kb_batch_is_deleted(batch))
		    || !read_page(batch, lease))
			break;
		lease++;
		if (batch->text_bytes >= TURN_TEXT_BYTES
		    || kb_batch_now_us(batch) - batch->started_us >= TURN_MS * INT64_C(1000))
			break;
	}
	return (size_t)(lease - batch->leases);
}

/* ---- a turn ---- */

/* The world says nothing of the documents, and may do better another time. */
static bool is_of_a_document(const struct kb_err *err)
{
	return !kb_err_info(err->code)->retry && err->code != KB_E_UNCERTAIN
	       && err->code != KB_E_NOT_FOUND;
}

/* A batch that could not be committed, page by page. How many have their result; *err says why no
 * more. */
static size_t commit_one_by_one(struct kb_batch *batch, size_t count, struct kb_err *err)
{
	const struct kb_lease *leases = batch->leases;

	batch->one_by_one = true;
	for (size_t i = 0; i < count; i++) {
		if (kb_cancelled(batch->by->cancel, err))
			return i;
		if (!read_page(batch, &leases[i])) {
			*err = batch->outage;
			return i;
		}
		if (commit(batch, err) || err->code == KB_E_CONFLICT) /* somebody else's by now */
			continue;
		if (!is_of_a_document(err))
			return i;
		fail_page(batch, &leases[i],
		          err->code != KB_E_INVALID && err->code != KB_E_TOO_LARGE,
		          &batch->results[batch->count++], err);
		if (!commit(batch, err))
			return i;
	}
	return count;
}

/* Commits what was read of the leases; how many have their result. */
static size_t commit_read(struct kb_batch *batch, size_t count, struct kb_err *err)
{
	if (commit(batch, err))
		return count;
	if (!is_of_a_document(err))
		return 0;
	kb_warn(batch->by->config->log,
	        "batch not committed, its documents are one by one agent=%" PRId64 " error=%s",
	        batch->agent_id, err->msg);
	return commit_one_by_one(batch, count, err);
}

/* What holds for all pages of the agent. */
static bool begin(struct kb_batch *batch, struct kb_err *err)
{
	if (!kb_store_agent_find(batch->by->config->store, &batch->arena, batch->agent_id,
	                         &batch->agent, err)
	    || !read_limits(batch, &batch->agent, err))
		return false;
	kb_agent_options_read(&batch->arena, batch->agent.options, batch->by->config->log,
	                      &batch->options);
	if (kb_sight_is_wanted(&batch->options))
		batch->seer = kb_sight_model(kb_models_in(batch->by->config->models, &batch->arena),
		                             &batch->options);
	return true;
}

bool kb_batch_run(const struct kb_batcher *by, const struct kb_lease *leases, size_t count)
{
	struct kb_batch batch = { .by = by,
		                  .leases = leases,
		                  .leased = count,
		                  .agent_id = leases[0].page.agent_id,
		                  .account_id = leases[0].account_id,
		                  .started_us = kb_clock_steady_us(by->config->clock) };
	size_t read = 0, done = 0;
	struct kb_err err;
	bool ok = begin(&batch, &err);

	if (ok) {
		read = read_pages(&batch);
		done = commit_read(&batch, read, &err);
		ok = done == read;
	}
	if (ok && batch.outage.code) {
		err = batch.outage;
		ok = false;
	}
	if (ok) {
		give_back(&batch, batch.leases + done, batch.leased - done, NULL);
	} else if (err.code == KB_E_NOT_FOUND) {
		kb_debug(by->config->log,
		         "agent deleted while its documents were indexed agent=%" PRId64,
		         batch.agent_id);
		ok = true;
	} else {
		kb_error_log(by->config->log,
		             "documents wait, the service cannot do its work agent=%" PRId64
		             " count=%zu error=%s",
		             batch.agent_id, batch.leased - done, err.msg);
		give_back(&batch, batch.leases + done, batch.leased - done, &err);
	}
	kb_arena_fini(&batch.arena);
	if (batch.all_bytes >= TRIM_BYTES)
		kb_heap_trim();
	return ok;
}
