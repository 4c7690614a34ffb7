#include "upkeep/repair.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bell.h"
#include "base/pool.h"
#include "passages/document.h"
#include "store/upkeep.h"
#include "upkeep/config.h"
#include "upkeep/rebuild.h"

enum {
	PAUSE_MAX_S = 600, /* between tries, which begin with a second and double */
	LOOK_MS = 1000,    /* for repairs that are due */
	SCRUB_EVERY_S = 24 * 3600,
	SCRUB_BYTES_S = 8 << 20,
	REPAIR_NICE = 10,
};

/* ---- making them anew ---- */

/* Damaged bytes keep a name that what is made anew may have too. */
static bool drop_damaged(struct kb_rebuild *in, struct kb_sv blob, struct kb_err *err)
{
	return kb_blob_drop_damaged(in->with->blobs, kb_arena_str(&in->arena, blob), err);
}

/* Blobs that are not there at all are no reason to give up a document. */
static bool blobs_are_ours(const struct kb_repair_with *with, struct kb_err *err)
{
	struct kb_installation installation;
	char mark[KB_BLOB_MARK];

	if (!kb_store_installation(with->store, &installation, err)
	    || !kb_blobs_mark(with->blobs, mark, err))
		return false;
	return strcmp(mark, installation.mark) == 0
	       || kb_fail(err, KB_E_IO, "the blobs' directory is not this installation's");
}

/* Its text is gone: what else there is decides. */
static bool lose(struct kb_rebuild *in, const struct kb_page *page, struct kb_err *err)
{
	struct kb_page_lost *lost = &in->lost[in->lost_count];
	struct kb_err why = { 0 };

	if (!blobs_are_ours(in->with, err)
	    || (page->text_blob.n && !drop_damaged(in, page->text_blob, err)))
		return false;
	*lost = (struct kb_page_lost){ .page_id = page->id, .text_blob = page->text_blob };
	if (page->blob.n
	    && !kb_blob_verify(in->with->blobs, kb_arena_str(&in->arena, page->blob), &why)
	    && !kb_rebuild_is_gone(&why))
		return kb_fail(err, why.code, "%s", why.msg);
	lost->again = !page->is_ours || (page->blob.n && !why.code);
	lost->reason = page->blob.n ? KB_SV("the document's text and its original were damaged on "
	                                    "this server; upload it again")
	                            : KB_SV("the document's text was damaged on this server, and "
	                                    "its original is not kept; upload it again");
	kb_warn(in->with->log,
	        "document's text is gone agent=%" PRId64 " page=%" PRId64 " again=%d",
	        page->agent_id, page->id, lost->again);
	in->lost_count++;
	return true;
}

static bool rebuild_page(struct kb_rebuild *in, const struct kb_page *page, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_document document;
	struct kb_err why;
	bool ok = true;

	if (kb_rebuild_text(in->with->blobs, &arena, page, &document, &why)) {
		kb_rebuild_parts_add(&in->parts, page->id, &document);
		in->documents++;
	} else {
		ok = kb_rebuild_is_gone(&why) ? lose(in, page, err)
		                              : kb_fail(err, why.code, "%s", why.msg);
	}
	kb_arena_fini(&arena);
	return ok && kb_rebuild_parts_cut(&in->parts, false, err) && kb_rebuild_goes_on(in, err);
}

static bool rebuild_pages(struct kb_rebuild *in, struct kb_err *err)
{
	for (size_t i = 0; i < in->state.damaged_count; i++)
		if (!drop_damaged(in, in->state.damaged[i].blob, err))
			return false;
	kb_rebuild_parts_init(&in->parts, in->with, &in->arena, in->pages.count);
	in->lost = KB_NEW_ARRAY(&in->arena, in->pages.count, struct kb_page_lost);
	for (size_t i = 0; i < in->pages.count; i++)
		if (!kb_rebuild_is_whole(in, in->pages.v[i].id)
		    && !rebuild_page(in, &in->pages.v[i], err))
			return false;
	return kb_rebuild_parts_cut(&in->parts, true, err);
}

static bool repair_agent(struct kb_rebuild *in, struct kb_err *err)
{
	const struct kb_repair_with *with = in->with;

	if (!kb_store_repair_read(with->store, &in->arena, in->repair->agent_id, &in->state,
	                          &in->pages, err)
	    || !kb_rebuild_find_whole(in, err))
		return false;
	if (in->damaged_count && !rebuild_pages(in, err))
		return false;
	return kb_store_repair_finish(with->store, in->repair,
	                              &(struct kb_repaired){
	                                      .version = in->state.version,
	                                      .damaged = in->damaged,
	                                      .damaged_count = in->damaged_count,
	                                      .healed = in->healed,
	                                      .healed_count = in->healed_count,
	                                      .segments = in->parts.v,
	                                      .segment_count = in->parts.count,
	                                      .lost = in->lost,
	                                      .lost_count = in->lost_count,
	                              },
	                              err);
}

static void put_off(const struct kb_repair_with *with, const struct kb_repair *repair,
                    struct kb_repair_stats *sums, const struct kb_err *why)
{
	int64_t pause_s = KB_MIN(INT64_C(1) << KB_MIN(repair->attempts - 1, 20), PAUSE_MAX_S);
	struct kb_err err;

	if (why->code == KB_E_CANCELLED)
		pause_s = 0;
	else if (why->code != KB_E_CONFLICT && why->code != KB_E_NOT_FOUND) {
		sums->failures++;
		kb_warn(with->log,
		        "index not repaired agent=%" PRId64 " again_in_s=%" PRId64 " error=%s",
		        repair->agent_id, pause_s, why->msg);
	}
	if (!kb_store_repair_renew(with->store, repair, pause_s * KB_SECOND_US, &err)
	    && err.code != KB_E_CONFLICT)
		kb_warn(with->log, "repair stays leased agent=%" PRId64 " error=%s",
		        repair->agent_id, err.msg);
}

bool kb_repair_next(const struct kb_repair_with *with, struct kb_repair_stats *sums, bool *worked,
                    struct kb_err *err)
{
	int64_t started_us = kb_clock_mono_us();
	struct kb_repair repair;
	struct kb_rebuild in = { .with = with, .repair = &repair };
	struct kb_err why;

	*worked = false;
	if (!kb_store_repair_lease(with->store, KB_REPAIR_LEASE_S * KB_SECOND_US, &repair, err))
		return false;
	if (!repair.agent_id)
		return true;
	*worked = true;
	in.renewed_us = started_us;
	if (repair_agent(&in, &why)) {
		sums->segments += (int64_t)(in.parts.count + in.healed_count);
		sums->documents += in.documents;
		sums->lost += (int64_t)in.lost_count;
		kb_info(with->log,
		        "index repaired agent=%" PRId64 " damaged=%zu segments=%zu healed=%zu "
		        "documents=%" PRId64 " lost=%zu took_ms=%" PRId64,
		        repair.agent_id, in.damaged_count, in.parts.count, in.healed_count,
		        in.documents, in.lost_count, (kb_clock_mono_us() - started_us) / 1000);
		kb_catalog_refresh(with->catalog, repair.agent_id, KB_SV(""));
	} else {
		put_off(with, &repair, sums, &why);
	}
	kb_rebuild_parts_fini(&in.parts);
	free(in.whole);
	kb_arena_fini(&in.arena);
	return true;
}

/* ---- looking for damage ---- */

bool kb_repair_look(const struct kb_repair_with *with, struct kb_segment_place *place,
                    int64_t *bytes, struct kb_err *err)
{
	struct kb_segment_places next;
	struct kb_segment *segment;
	struct kb_segment_info info;
	struct kb_arena arena = { 0 };
	struct kb_err why;
	bool ok = kb_store_segment_places(with->store, &arena, place, 1, &next, err);

	*bytes = 0;
	if (ok && next.count == 0) {
		*place = (struct kb_segment_place){ 0 };
		*bytes = -1;
	} else if (ok) {
		*place = (struct kb_segment_place){ .agent_id = next.v->agent_id,
			                            .segment_id = next.v->segment_id };
		segment = next.v->is_damaged
		                  ? NULL
		                  : kb_catalog_segment(with->catalog, next.v->blob, &why);
		if (segment) {
			kb_segment_info(segment, &info);
			*bytes = info.bytes;
			kb_segment_release(segment);
		} else if (!next.v->is_damaged && kb_rebuild_is_gone(&why)) {
			kb_warn(with->log,
			        "segment is damaged agent=%" PRId64 " segment=%" PRId64 " error=%s",
			        next.v->agent_id, next.v->segment_id, why.msg);
			ok = kb_store_segment_damaged(with->store, next.v->agent_id,
			                              next.v->segment_id, next.v->blob, err);
			kb_catalog_forget(with->catalog, next.v->agent_id);
		}
	}
	kb_arena_fini(&arena);
	return ok;
}

/* ---- the thread ---- */

struct kb_repairer {
	struct kb_repair_with with;
	struct kb_cancel cancel;
	void (*requeued)(void *arg);
	void *arg;
	pthread_t thread;
	struct kb_bell bell;
	pthread_mutex_t lock; /* of the sums */
	struct kb_repair_stats sums;
};

static bool is_stopping(void *arg)
{
	struct kb_repairer *repairer = arg;

	return kb_bell_is_stopped(&repairer->bell);
}

static int64_t now_us(const struct kb_repairer *repairer)
{
	return kb_clock_steady_us(repairer->bell.clock);
}

static bool repair(struct kb_repairer *repairer)
{
	struct kb_repair_stats sums;
	struct kb_err err;
	int64_t lost;
	bool worked;

	kb_repairer_stats(repairer, &sums);
	lost = sums.lost;
	if (!kb_repair_next(&repairer->with, &sums, &worked, &err)) {
		kb_warn(repairer->with.log, "cannot look for repairs error=%s", err.msg);
		return false;
	}
	pthread_mutex_lock(&repairer->lock);
	repairer->sums = sums;
	pthread_mutex_unlock(&repairer->lock);
	if (sums.lost > lost)
		repairer->requeued(repairer->arg);
	return worked;
}

/* A segment or more, until there is a pause of a look's length to make for what was read. */
static void scrub(struct kb_repairer *repairer, struct kb_segment_place *place, int64_t *next_us)
{
	int64_t bytes = 0, read = 0;
	struct kb_err err;

	while (bytes >= 0 && read < SCRUB_BYTES_S / 1000 * LOOK_MS && !is_stopping(repairer)) {
		if (!kb_repair_look(&repairer->with, place, &bytes, &err)) {
			kb_warn(repairer->with.log, "segments not looked through error=%s",
			        err.msg);
			break;
		}
		read += KB_MAX(bytes, INT64_C(0));
	}
	*next_us =
	        now_us(repairer)
	        + (bytes < 0 ? SCRUB_EVERY_S * KB_SECOND_US : read * KB_SECOND_US / SCRUB_BYTES_S);
}

static void *work(void *arg)
{
	struct kb_repairer *repairer = arg;
	struct kb_segment_place place = { 0 };
	/* A bucket's server looks after its bytes, what is fetched from it is checked, and looking
	 * through all would fetch all. */
	bool scrubs = !kb_blobs_are_remote(repairer->with.blobs);
	int64_t scrub_us = 0;

	kb_thread_set_nice(REPAIR_NICE);
	while (!is_stopping(repairer)) {
		bool worked = repair(repairer);

		if (!worked && scrubs && now_us(repairer) >= scrub_us) {
			scrub(repairer, &place, &scrub_us);
			worked = repair(repairer);
		}
		if (!worked)
			kb_bell_rest(&repairer->bell, now_us(repairer) + LOOK_MS * INT64_C(1000));
	}
	return NULL;
}

struct kb_repairer *kb_repairer_start(const struct kb_upkeep_config *config)
{
	struct kb_repairer *repairer = kb_xcalloc(1, sizeof(*repairer));

	repairer->cancel = (struct kb_cancel){ is_stopping, repairer };
	repairer->with =
	        (struct kb_repair_with){ config->store, config->blobs,    config->catalog,
		                         config->log,   config->temp_dir, &repairer->cancel };
	repairer->requeued = config->requeued;
	repairer->arg = config->requeued_arg;
	pthread_mutex_init(&repairer->lock, NULL);
	kb_bell_init(&repairer->bell, config->clock);
	repairer->thread = kb_thread_start("repairer", work, repairer);
	return repairer;
}

void kb_repairer_stop(struct kb_repairer *repairer)
{
	if (!repairer)
		return;
	kb_bell_stop(&repairer->bell);
	pthread_join(repairer->thread, NULL);
	kb_bell_fini(&repairer->bell);
	pthread_mutex_destroy(&repairer->lock);
	free(repairer);
}

void kb_repairer_stats(struct kb_repairer *repairer, struct kb_repair_stats *out)
{
	pthread_mutex_lock(&repairer->lock);
	*out = repairer->sums;
	pthread_mutex_unlock(&repairer->lock);
}
