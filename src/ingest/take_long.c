/* The steps of a page that may take minutes: for a thread that has time for them. */
#include "ingest/insets.h"
#include "ingest/put_off.h"
#include "ingest/recording.h"
#include "ingest/sight.h"
#include "ingest/taking.h"
#include "parse/scans.h"
#include "settings/settings.h"
#include "store/accounts.h"

enum {
	SCAN_TIMEOUT_MS = 90000, /* for a page that is read by OCR */
	HEARING_MS = 1800000,    /* for a recording */
	EXTRA_TIMES = 3,         /* with allow_extra_timeout */
	HELD_ASK_S = 1,          /* between questions whether the page is still ours */
	HOLD_S = KB_BATCH_LEASE_S / 4,
};

/* ---- keeping the lease meanwhile ---- */

struct holding {
	const struct kb_batch *batch;
	const struct kb_lease *lease;
	int64_t asked_us, held_us; /* when that was last done */
	bool lost;
};

/* Whether to give up: the service stops, or the lease is lost, as it is when the page or its agent
 * was deleted. Makes the lease longer meanwhile. */
static bool is_unwanted(void *arg)
{
	struct holding *h = arg;
	const struct kb_batcher *by = h->batch->by;
	int64_t now = kb_batch_now_us(h->batch);
	bool held = true;

	if (h->lost || kb_cancelled(by->cancel, NULL))
		return true;
	if (now - h->asked_us < HELD_ASK_S * KB_SECOND_US)
		return false;
	h->asked_us = now;
	if (now - h->held_us >= HOLD_S * KB_SECOND_US) {
		if (kb_store_page_hold(by->config->store, h->lease, KB_BATCH_LEASE_S * KB_SECOND_US,
		                       &held, NULL))
			h->held_us = now;
	} else if (!kb_store_pages_held(by->config->store, h->lease, 1, &held, NULL)) {
		held = true; /* a store that is away for a moment says nothing */
	}
	h->lost = !held || kb_batch_is_deleted(h->batch);
	return h->lost;
}

static struct holding hold(const struct kb_taking *taking)
{
	int64_t now = kb_batch_now_us(taking->batch);

	return (struct holding){
		.batch = taking->batch, .lease = taking->lease, .asked_us = now, .held_us = now
	};
}

/* ---- what is said ---- */

enum kb_take_step kb_take_hear(struct kb_taking *taking)
{
	struct kb_batch *batch = taking->batch;
	struct holding holding = hold(taking);
	struct kb_cancel cancel = { is_unwanted, &holding };
	struct kb_recording recording = {
		.fd = taking->fd,
		.size = taking->size,
		.filename = taking->request.filename,
		.wait_ms =
		        batch->options.allow_extra_timeout ? HEARING_MS * EXTRA_TIMES : HEARING_MS,
		.cancel = &cancel,
	};

	if (!taking->lease->is_slow)
		return KB_TAKE_LATER;
	return kb_recording_read(batch->by->config->transcriber, &batch->arena, &recording,
	                         &taking->parsed, &taking->err)
	               ? KB_TAKE_FILM
	               : KB_TAKE_FAILED;
}

/* ---- what is seen ---- */

static struct kb_sv lang_of_agent(struct kb_batch *batch)
{
	struct kb_settings settings;

	return kb_settings_read(&batch->arena, batch->agent.settings, &settings, NULL)
	               ? settings.chatbot_msg_lang
	               : KB_SV("");
}

static bool may_spend(struct kb_batch *batch)
{
	const struct kb_ingest_config *config = batch->by->config;
	bool may = true;
	struct kb_err err;

	if (config->may_spend
	    && !config->may_spend(config->may_spend_arg, &batch->agent, &may, &err)) {
		kb_warn(config->log,
		        "what an account has spent is not known agent=%" PRId64 " error=%s",
		        batch->agent_id, err.msg);
		return false;
	}
	return may;
}

static void count_spent(const struct kb_batch *batch, const struct kb_model_spent *spent)
{
	struct kb_err err;

	if (spent->model.n
	    && !kb_store_model_spent(batch->by->config->store, batch->agent_id, spent, &err))
		kb_warn(batch->by->config->log,
		        "a model's use is not counted agent=%" PRId64 " error=%s", batch->agent_id,
		        err.msg);
}

static int patience_of(const struct kb_batch *batch)
{
	return batch->options.allow_extra_timeout ? SCAN_TIMEOUT_MS * EXTRA_TIMES : SCAN_TIMEOUT_MS;
}

/* What is painted, by a model that sees where the agent wants that, else by OCR. */
static bool read_painted(struct kb_taking *taking, struct kb_scan *scan)
{
	struct kb_batch *batch = taking->batch;
	const struct kb_ingest_config *config = batch->by->config;
	struct kb_sight sight;
	bool sees = kb_sight_is_wanted(&batch->options), ok;

	if (sees)
		kb_sight_init(&sight, scan, config->parser,
		              kb_models_in(config->models, &batch->arena), &batch->options,
		              may_spend(batch));
	ok = kb_scans_read(config->parser, &batch->arena, &taking->request, scan, &taking->parsed,
	                   &taking->err);
	if (sees) {
		count_spent(batch, &sight.spent);
		kb_sight_fini(&sight);
	}
	return ok;
}

enum kb_take_step kb_take_scan(struct kb_taking *taking)
{
	struct holding holding = hold(taking);
	struct kb_cancel cancel = { is_unwanted, &holding };
	struct kb_scan scan = { .timeout_ms = patience_of(taking->batch), .cancel = &cancel };

	if (!taking->lease->is_slow)
		return kb_put_off(taking);
	scan.lang = lang_of_agent(taking->batch);
	if (!read_painted(taking, &scan))
		return KB_TAKE_FAILED;
	if (scan.note.n)
		taking->result->reason = scan.note;
	return KB_TAKE_FILM;
}

/* What is wrong with a part of the document, beside what else is. */
static void add_note(struct kb_taking *taking, struct kb_sv note)
{
	struct kb_page_result *result = taking->result;

	if (note.n)
		result->reason =
		        result->reason.n
		                ? kb_arena_printf(&taking->batch->arena, "%.*s; %.*s",
		                                  KB_SV_ARG(result->reason), KB_SV_ARG(note))
		                : note;
}

enum kb_take_step kb_take_insets(struct kb_taking *taking)
{
	struct kb_batch *batch = taking->batch;
	const struct kb_ingest_config *config = batch->by->config;
	struct holding holding = hold(taking);
	struct kb_cancel cancel = { is_unwanted, &holding };
	struct kb_scan none = { 0 };
	struct kb_sight sight;
	struct kb_insets insets = { .sight = &sight,
		                    .timeout_ms = patience_of(batch),
		                    .cancel = &cancel,
		                    .pictures = kb_page_has_address(&taking->lease->page)
		                                        ? config->pictures
		                                        : NULL,
		                    .blobs = config->blobs,
		                    .agent_id = batch->agent_id };
	bool ok = true;

	if (!taking->lease->is_slow)
		return kb_put_off(taking);
	insets.lang = lang_of_agent(batch);
	kb_sight_init(&sight, &none, config->parser, kb_models_in(config->models, &batch->arena),
	              &batch->options, may_spend(batch));
	if (none.see)
		ok = kb_insets_read(&insets, &batch->arena, &taking->request, &taking->parsed,
		                    &taking->err);
	else
		insets.note =
		        kb_arena_printf(&batch->arena, "the pictures in it were not seen: %.*s",
		                        KB_SV_ARG(none.unseen));
	count_spent(batch, &sight.spent);
	kb_sight_fini(&sight);
	add_note(taking, insets.note);
	return ok ? KB_TAKE_INDEX : KB_TAKE_FAILED;
}
