#include "ingest/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/temp.h"
#include "base/utf8.h"
#include "ingest/insets.h"
#include "ingest/origin.h"
#include "ingest/parts.h"
#include "ingest/recording.h"
#include "ingest/sight.h"
#include "out/link.h"
#include "parse/scans.h"
#include "passages/document.h"
#include "passages/likeness.h"
#include "settings/options.h"
#include "settings/settings.h"
#include "store/accounts.h"
#include "store/agents.h"

enum {
	TURN_TEXT_BYTES = 16 << 20, /* a turn ends with the page that reaches this */
	TURN_MS = 1500,             /* or this */
	PARSE_TIMEOUT_MS = 30000,
	EXTRA_TIMES = 3, /* with allow_extra_timeout */
	TRIES_MAX = 5,
	SCAN_TIMEOUT_MS = 90000, /* for a page that is read by OCR */
	HEARING_MS = 1800000,    /* for a recording */
	HELD_ASK_S = 1,          /* between questions whether a scan is still ours */
	HOLD_S = KB_BATCH_LEASE_S / 4,
	RETRY_FIRST_S = 2,    /* doubled with every attempt */
	MET_S = 10,           /* more than the others waits who met an outage */
	TRIM_BYTES = 4 << 20, /* of text: after such a batch the heap has kept a lot */
	NAP_MS = 200,         /* between tries at a store that cannot take pages back; doubled */
	NAP_MAX_MS = 10000,
	DESCRIPTION_CHARS = 300,
};

static int64_t now_us(const struct kb_batcher *by)
{
	return kb_clock_steady_us(by->config->clock);
}

/* One batch in the making. */
struct batch {
	const struct kb_batcher *by;
	struct kb_arena arena;
	int64_t agent_id, account_id;
	struct kb_page_result results[KB_BATCH_PAGES];
	size_t count;
	int64_t text_bytes, passages, pages, started_us;
	int64_t all_bytes; /* of text, of all commits */
	struct kb_agent agent;
	struct kb_agent_options options;
	struct kb_ingest_limits limits;
	struct room {
		int64_t pages, words;
	} used, taken; /* of the agent's plan: committed, and by the results in hand */
	/* That looks at pictures within documents; NULL: nobody does. */
	const struct kb_model *seer;
	struct kb_err outage; /* that ended the reading; KB_OK: none has */
};

/* The first sentences, for metadata that the document does not bring. */
static struct kb_sv first_words(const struct kb_chunks *chunks)
{
	struct kb_sv text = chunks->count ? chunks->v[0].text : KB_SV("");
	ptrdiff_t line_end = kb_sv_find_byte(text, '\n');

	if (line_end > 0)
		text = kb_sv_sub(text, 0, (size_t)line_end);
	return kb_utf8_head(text, DESCRIPTION_CHARS);
}

/* Which pictures are in it, and who looks at them: a model that says other words of the same
 * picture is no change. */
static void hash_insets(struct kb_hasher *hasher, const struct kb_model *seer,
                        const struct kb_parsed *parsed)
{
	kb_hasher_add(hasher, "\n", 1);
	kb_hasher_add(hasher, seer->id.p, seer->id.n);
	for (size_t i = 0; i < parsed->inset_count; i++)
		kb_hasher_add(hasher, parsed->insets[i].name.p, parsed->insets[i].name.n);
	for (size_t i = 0; i < parsed->picture_count; i++)
		kb_hasher_add(hasher, parsed->pictures[i].url.p, parsed->pictures[i].url.n);
}

/* What a search and an answer would see of it. seer: of its pictures; NULL: nobody looks. */
static struct kb_sv text_hash(struct kb_arena *arena, const struct kb_parsed *parsed,
                              const struct kb_model *seer)
{
	char *hex = kb_arena_bytes(arena, KB_HASH_HEX);
	struct kb_hasher hasher;

	kb_hasher_init(&hasher);
	kb_hasher_add(&hasher, parsed->title.p, parsed->title.n);
	for (size_t i = 0; i < parsed->block_count; i++) {
		const struct kb_block *block = &parsed->blocks[i];

		kb_hasher_add(&hasher, "\n", 1);
		kb_hasher_add(&hasher, block->heading.p, block->heading.n);
		kb_hasher_add(&hasher, "\n", 1);
		kb_hasher_add(&hasher, block->text.p, block->text.n);
	}
	if (seer)
		hash_insets(&hasher, seer, parsed);
	kb_hasher_hex(&hasher, hex);
	return kb_sv_str(hex);
}

/* Puts the parsed page into the segment and its text into a blob. */
static bool index_page(struct batch *batch, const struct kb_page *page,
                       const struct kb_parsed *parsed, struct kb_page_result *result,
                       struct kb_err *err)
{
	struct kb_arena *arena = &batch->arena;
	struct kb_origin origin = kb_page_origin(arena, page);
	struct kb_document document;
	struct kb_blob_name name;
	struct kb_buf json;
	struct kb_jw jw;
	struct kb_sv text;
	int64_t bytes;
	bool ok;

	if (!kb_document_read(arena, &origin, parsed, &document, err))
		return false;
	kb_buf_init(&json, KB_GIB(1));
	kb_jw_init(&jw, &json);
	kb_parsed_write(parsed, &jw);
	ok = kb_buf_done(&json, &text, err)
	     && (kb_blob_put(batch->by->config->blobs, text, &name, err)
	         || kb_blob_blame(batch->by->config->blobs, err));
	kb_buf_fini(&json);
	if (!ok)
		return false;

	bytes = kb_document_add(batch->by->writer, page->id, &document);
	batch->text_bytes += bytes;
	batch->all_bytes += bytes;
	batch->passages += (int64_t)document.chunks.count;
	batch->pages++;
	result->crawl = result->index = KB_STATUS_OK;
	result->title = document.title;
	result->text_blob = kb_arena_sv(arena, kb_sv_str(name.hex));
	result->description =
	        parsed->description.n ? parsed->description : first_words(&document.chunks);
	result->plain_description = parsed->description.n == 0;
	result->image = parsed->image;
	result->lang = kb_sv_str(kb_lang_code(document.lang));
	result->words = document.chunks.words;
	result->passages = (int64_t)document.chunks.count;
	return true;
}

/* The last part of an address, as a hint at its kind. */
static struct kb_sv name_in(struct kb_sv url)
{
	size_t end = 0, start = 0;

	while (end < url.n && url.p[end] != '?' && url.p[end] != '#')
		if (url.p[end++] == '/')
			start = end;
	return kb_sv_sub(url, start, end - start);
}

/* What a page of a website leads to. *left_out: it is not to be found itself, and says why. */
static bool follow(struct batch *batch, const struct kb_page *page, const struct kb_parsed *parsed,
                   struct kb_page_result *result, bool *left_out, struct kb_err *err)
{
	const struct kb_ingest_config *config = batch->by->config;
	struct kb_followed followed = { 0 };

	*left_out = false;
	if (page->depth == 0 || !config->follow)
		return true;
	if (!config->follow(config->follow_arg, &batch->arena, page, parsed, &followed, err))
		return false;
	result->found = followed.found;
	if (followed.left_out.n == 0)
		return true;
	*left_out = true;
	result->crawl = KB_STATUS_OK;
	result->index = KB_STATUS_LIMITED;
	result->reason = followed.left_out;
	return true;
}

static bool is_deleted(const struct batch *batch)
{
	struct kb_arena arena = { 0 };
	struct kb_agent agent;
	struct kb_err err;
	bool found = kb_store_agent_find(batch->by->config->store, &arena, batch->agent_id, &agent,
	                                 &err);

	kb_arena_fini(&arena);
	return !found && err.code == KB_E_NOT_FOUND;
}

/* ---- scans: a document that is read for minutes ---- */

struct scanning {
	const struct batch *batch;
	const struct kb_lease *lease;
	int64_t asked_us, held_us; /* when that was last done */
	bool lost;
};

/* Whether to give up: the service stops, or the lease is lost, as it is when the page or its agent
 * was deleted. Makes the lease longer meanwhile. */
static bool is_unwanted(void *arg)
{
	struct scanning *s = arg;
	const struct kb_batcher *by = s->batch->by;
	int64_t now = now_us(by);
	bool held = true;

	if (s->lost || kb_cancelled(by->cancel, NULL))
		return true;
	if (now - s->asked_us < HELD_ASK_S * KB_SECOND_US)
		return false;
	s->asked_us = now;
	if (now - s->held_us >= HOLD_S * KB_SECOND_US) {
		if (kb_store_page_hold(by->config->store, s->lease, KB_BATCH_LEASE_S * KB_SECOND_US,
		                       &held, NULL))
			s->held_us = now;
	} else if (!kb_store_pages_held(by->config->store, s->lease, 1, &held, NULL)) {
		held = true; /* a store that is away for a moment says nothing */
	}
	s->lost = !held || is_deleted(s->batch);
	return s->lost;
}

static struct kb_sv lang_of_agent(struct batch *batch)
{
	struct kb_settings settings;

	return kb_settings_read(&batch->arena, batch->agent.settings, &settings, NULL)
	               ? settings.chatbot_msg_lang
	               : KB_SV("");
}

/* What is said in a recording, where there is somebody who hears it. */
static bool read_recording(struct batch *batch, const struct kb_lease *lease,
                           const struct kb_parse_request *request, int64_t size,
                           struct kb_parsed *parsed, struct kb_err *err)
{
	struct scanning scanning = { .batch = batch,
		                     .lease = lease,
		                     .asked_us = now_us(batch->by),
		                     .held_us = now_us(batch->by) };
	struct kb_cancel cancel = { is_unwanted, &scanning };
	struct kb_recording recording = {
		.fd = request->fd,
		.size = size,
		.filename = request->filename,
		.wait_ms =
		        batch->options.allow_extra_timeout ? HEARING_MS * EXTRA_TIMES : HEARING_MS,
		.cancel = &cancel,
	};

	return kb_recording_read(batch->by->config->transcriber, &batch->arena, &recording, parsed,
	                         err);
}

static bool may_spend(struct batch *batch)
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

static void count_spent(const struct batch *batch, const struct kb_model_spent *spent)
{
	struct kb_err err;

	if (spent->model.n
	    && !kb_store_model_spent(batch->by->config->store, batch->agent_id, spent, &err))
		kb_warn(batch->by->config->log,
		        "a model's use is not counted agent=%" PRId64 " error=%s", batch->agent_id,
		        err.msg);
}

/* What is painted, by a model that sees where the agent wants that, else by OCR. */
static bool read_painted(struct batch *batch, struct kb_scan *scan,
                         const struct kb_parse_request *request, struct kb_parsed *parsed,
                         struct kb_err *err)
{
	const struct kb_ingest_config *config = batch->by->config;
	struct kb_sight sight;
	bool sees = parsed->painted_count && kb_sight_is_wanted(&batch->options), ok;

	if (sees)
		kb_sight_init(&sight, scan, config->parser,
		              kb_models_in(config->models, &batch->arena), &batch->options,
		              may_spend(batch));
	ok = kb_scans_read(config->parser, &batch->arena, request, scan, parsed, err);
	if (sees) {
		count_spent(batch, &sight.spent);
		kb_sight_fini(&sight);
	}
	return ok;
}

static int patience_of(const struct batch *batch)
{
	return batch->options.allow_extra_timeout ? SCAN_TIMEOUT_MS * EXTRA_TIMES : SCAN_TIMEOUT_MS;
}

/* What is wrong with a part of the document, beside what else is. */
static void add_note(struct batch *batch, struct kb_page_result *result, struct kb_sv note)
{
	if (note.n)
		result->reason = result->reason.n ? kb_arena_printf(&batch->arena, "%.*s; %.*s",
		                                                    KB_SV_ARG(result->reason),
		                                                    KB_SV_ARG(note))
		                                  : note;
}

static bool has_insets(const struct batch *batch, const struct kb_page *page,
                       const struct kb_parsed *parsed)
{
	bool is_web = kb_page_has_address(page) && batch->by->config->pictures;

	return batch->seer && kb_insets_are_likely(parsed, is_web);
}

/* What the pictures in it show, where a model sees them. */
static bool read_insets(struct batch *batch, const struct kb_lease *lease,
                        const struct kb_parse_request *request, struct kb_parsed *parsed,
                        struct kb_page_result *result, struct kb_err *err)
{
	const struct kb_ingest_config *config = batch->by->config;
	struct scanning scanning = { .batch = batch,
		                     .lease = lease,
		                     .asked_us = now_us(batch->by),
		                     .held_us = now_us(batch->by) };
	struct kb_cancel cancel = { is_unwanted, &scanning };
	struct kb_scan none = { 0 };
	struct kb_sight sight;
	struct kb_insets insets = { .sight = &sight,
		                    .lang = lang_of_agent(batch),
		                    .timeout_ms = patience_of(batch),
		                    .cancel = &cancel,
		                    .pictures = kb_page_has_address(&lease->page) ? config->pictures
		                                                                  : NULL,
		                    .blobs = config->blobs,
		                    .agent_id = batch->agent_id };
	bool ok = true;

	kb_sight_init(&sight, &none, config->parser, kb_models_in(config->models, &batch->arena),
	              &batch->options, may_spend(batch));
	if (none.see)
		ok = kb_insets_read(&insets, &batch->arena, request, parsed, err);
	else
		insets.note =
		        kb_arena_printf(&batch->arena, "the pictures in it were not seen: %.*s",
		                        KB_SV_ARG(none.unseen));
	count_spent(batch, &sight.spent);
	kb_sight_fini(&sight);
	add_note(batch, result, insets.note);
	return ok;
}

static bool read_scan(struct batch *batch, const struct kb_lease *lease,
                      const struct kb_parse_request *request, struct kb_parsed *parsed,
                      struct kb_page_result *result, struct kb_err *err)
{
	struct scanning scanning = { .batch = batch,
		                     .lease = lease,
		                     .asked_us = now_us(batch->by),
		                     .held_us = now_us(batch->by) };
	struct kb_cancel cancel = { is_unwanted, &scanning };
	struct kb_scan scan = { .lang = lang_of_agent(batch),
		                .timeout_ms = patience_of(batch),
		                .cancel = &cancel };

	if (!read_painted(batch, &scan, request, parsed, err))
		return false;
	if (scan.note.n)
		result->reason = scan.note;
	return true;
}

/* ---- documents within a document ---- */

/* "its 3 documents are read one by one; locked with a password: 1". */
static struct kb_sv parts_note(struct batch *batch, const struct kb_parts *parts)
{
	struct kb_buf buf;
	struct kb_sv note;

	kb_buf_init(&buf, SIZE_MAX);
	if (parts->taken == 1)
		kb_buf_str(&buf, "the document in it is read by itself");
	else
		kb_buf_printf(&buf, "its %u documents are read one by one", parts->taken);
	if (parts->locked)
		kb_buf_printf(&buf, "; locked with a password: %u", parts->locked);
	if (parts->damaged)
		kb_buf_printf(&buf, "; damaged: %u", parts->damaged);
	note = kb_arena_sv(&batch->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return note;
}

/* Parses the page, and keeps what documents there are in it. */
static bool parse_page(struct batch *batch, const struct kb_page *page,
                       struct kb_parse_request *request, struct kb_parsed *parsed,
                       struct kb_page_result *result, struct kb_err *err)
{
	struct kb_parts_taken taken = { .config = batch->by->config,
		                        .arena = &batch->arena,
		                        .fd = -1 };
	const struct kb_part_sink sink = { kb_parts_take, &taken };
	struct kb_page_new *parts;
	bool ok;

	request->is_part = page->parent_id != 0;
	request->parts = page->is_ours && !request->is_part ? &sink : NULL;
	ok = kb_parse(batch->by->config->parser, &batch->arena, request, parsed, err);
	request->parts = NULL;
	kb_parts_end(&taken);
	if (!ok && taken.err.code != KB_OK)
		*err = taken.err;
	if (ok && taken.count) {
		parts = KB_NEW_ARRAY(&batch->arena, taken.count, struct kb_page_new);
		memcpy(parts, taken.pages, taken.count * sizeof(*parts));
		result->parts = parts;
		result->part_count = taken.count;
		result->reason = parts_note(batch, &parsed->parts);
	}
	free(taken.pages);
	return ok;
}

/* ---- one page ---- */

static void again_later(const struct batch *batch, const struct kb_lease *lease, int64_t pause_s,
                        struct kb_page_result *result)
{
	*result = (struct kb_page_result){
		.page_id = lease->page.id,
		.epoch = lease->epoch,
		.crawl = lease->page.is_ours ? KB_STATUS_QUEUED : KB_STATUS_OK,
		.index = KB_STATUS_QUEUED,
		.next_try_at = kb_clock_now_us(batch->by->config->clock) + pause_s * KB_SECOND_US,
		.is_slow = lease->is_slow,
	};
}

/* What its scripts would say. parsed is NULL where it was not read, for the reason in *err. False:
 * it has no text, or the world failed. */
static bool ask_for_scripts(struct batch *batch, const struct kb_read_page *read,
                            struct kb_scripted *out, struct kb_err *err)
{
	const struct kb_ingest_config *config = batch->by->config;
	struct kb_err problem;

	*out = (struct kb_scripted){ 0 };
	if (!config->scripts || !kb_page_has_address(read->page)
	    || (!read->parsed && err->code != KB_E_INVALID))
		return read->parsed != NULL;
	if (!config->scripts(config->scripts_arg, &batch->arena, read, out, &problem)) {
		*err = problem;
		return false;
	}
	if (read->parsed || out->wants_browser)
		return true;
	return out->note.n ? kb_fail(err, KB_E_INVALID, "there is no text in the page; %.*s",
	                             KB_SV_ARG(out->note))
	                   : false;
}

/* It is fetched once more, by a browser. */
static void wait_for_browser(struct batch *batch, const struct kb_lease *lease,
                             struct kb_page_result *result)
{
	again_later(batch, lease, 0, result);
	result->crawl = KB_STATUS_QUEUED;
	result->wants_browser = result->drop_original = true;
	result->reason = KB_SV("its text is written by a script, waiting for a browser");
}

/* What is said in the film of a page has that page's name. */
static bool take_film(struct batch *batch, const struct kb_page *page, struct kb_parsed *parsed,
                      struct kb_err *err)
{
	struct kb_page film;

	if (!kb_page_has_address(page) || !page->parent_id)
		return true;
	if (!kb_sv_eq_str(parsed->format, "subtitles"))
		return kb_fail(err, KB_E_INVALID,
		               "the page plays a film with these subtitles, and they are no WebVTT "
		               "or SRT");
	if (kb_store_page_get(batch->by->config->store, &batch->arena, page->agent_id,
	                      page->parent_id, &film, err)) {
		if (!parsed->title.n)
			parsed->title = film.title;
		return true;
	}
	return err->code == KB_E_NOT_FOUND;
}

/* A document whose bytes are open. */
struct opened {
	const struct kb_lease *lease;
	struct kb_parse_request request;
	int64_t size;
};

/* *later as of take_page(). */
static bool read_opened(struct batch *batch, struct opened *opened, struct kb_page_result *result,
                        bool *later, struct kb_err *err)
{
	const struct kb_lease *lease = opened->lease;
	struct kb_parse_request *request = &opened->request;
	const struct kb_ingest_config *config = batch->by->config;
	const struct kb_page *page = &lease->page;
	struct kb_scripted scripted = { 0 };
	struct kb_parsed parsed;
	bool ok, left_out, spoken = config->transcriber && kb_recording_is(request->fd);

	ok = spoken || parse_page(batch, page, request, &parsed, result, err);
	if (!spoken)
		ok = ask_for_scripts(
		        batch, &(struct kb_read_page){ page, ok ? &parsed : NULL, request->fd },
		        &scripted, err);
	if (ok && scripted.wants_browser) {
		wait_for_browser(batch, lease, result);
		return true;
	}
	*later = (spoken || (ok && parsed.painted_count)) && !lease->is_slow;
	if (spoken && !*later)
		ok = read_recording(batch, lease, request, opened->size, &parsed, err);
	else if (ok && !*later)
		ok = read_scan(batch, lease, request, &parsed, result, err);
	if (!ok || *later || !take_film(batch, page, &parsed, err)
	    || !follow(batch, page, &parsed, result, &left_out, err))
		return false;
	if (!result->reason.n)
		result->reason = scripted.note;
	if (left_out || (result->found && result->found->moved))
		return true;
	result->tracks = parsed.tracks;
	result->track_count = kb_page_has_address(page) ? parsed.track_count : 0;
	result->text_hash = text_hash(&batch->arena, &parsed,
	                              has_insets(batch, page, &parsed) ? batch->seer : NULL);
	result->likeness = page->depth ? (int64_t)kb_likeness(&parsed) : 0;
	if (!page->is_ours && page->passages && kb_sv_eq(result->text_hash, page->text_hash)) {
		result->crawl = result->index = KB_STATUS_OK;
		result->unchanged = true;
		atomic_fetch_add(&batch->by->counts->unchanged, 1);
		return true;
	}
	*later = has_insets(batch, page, &parsed) && !lease->is_slow;
	if (*later
	    || (has_insets(batch, page, &parsed)
	        && !read_insets(batch, lease, request, &parsed, result, err)))
		return false;
	if (index_page(batch, page, &parsed, result, err))
		return true;
	if ((!result->part_count && !result->track_count) || err->code != KB_E_INVALID)
		return false;
	/* It has no text of its own, but what is in it has. */
	result->crawl = result->index = KB_STATUS_OK;
	return true;
}

/* *later: nothing was done, because it takes long and this turn is for what is quick. */
static bool take_page(struct batch *batch, const struct kb_lease *lease,
                      struct kb_page_result *result, bool *later, struct kb_err *err)
{
	const struct kb_page *page = &lease->page;
	struct opened opened = { .lease = lease };
	int fd = -1;
	bool ok;

	/* A page of an address is fetched again when it is wanted. */
	result->drop_original = !page->is_ours || !batch->options.file_data_retension;
	if (page->blob.n == 0)
		return kb_fail(err, KB_E_INVALID,
		               "the document's original is not kept; upload it again");
	if (!kb_blob_open(batch->by->config->blobs, kb_arena_str(&batch->arena, page->blob), &fd,
	                  &opened.size, err))
		return kb_blob_blame(batch->by->config->blobs, err);
	opened.request = (struct kb_parse_request){
		.fd = fd,
		.filename = page->is_ours ? page->filename : name_in(page->url),
		.content_type = page->content_type,
		.url = kb_link_shown(&batch->arena, page->url),
		.links = page->depth > 0,
		.timeout_ms = batch->by->quick_ms                  ? batch->by->quick_ms
		              : batch->options.allow_extra_timeout ? PARSE_TIMEOUT_MS * EXTRA_TIMES
		                                                   : 0,
		.owner = batch->account_id,
		.cancel = batch->by->cancel,
		.wants_painted = batch->options.is_ocr_enabled || batch->options.is_vision_enabled,
		.wants_insets = batch->seer != NULL,
	};
	ok = read_opened(batch, &opened, result, later, err);
	kb_fd_close(&fd);
	return ok;
}

/* What an error makes of a page: another try later, or the end with its sentence. */
static void fail_page(struct batch *batch, const struct kb_lease *lease, bool again,
                      struct kb_page_result *result, const struct kb_err *err)
{
	const struct kb_page *page = &lease->page;

	again = again && page->attempts + 1 < TRIES_MAX;
	if (again) {
		again_later(batch, lease,
		            (int64_t)RETRY_FIRST_S << KB_MIN(page->attempts, (int64_t)10), result);
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

/* Writes the segment and makes everything of the batch true at once. */
static bool commit(struct batch *batch, struct kb_err *err)
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
			        (now_us(batch->by) - batch->started_us) / 1000);
	}
	if (ok) {
		batch->used.pages += batch->taken.pages;
		batch->used.words += batch->taken.words;
	}
	batch->taken = (struct room){ 0 };
	batch->count = 0;
	batch->pages = batch->passages = batch->text_bytes = 0;
	batch->started_us = now_us(batch->by);
	return ok;
}

/* False when the service stops. */
static bool nap(const struct kb_batcher *by, int64_t *ms)
{
	int64_t until = now_us(by) + *ms * 1000;

	*ms = KB_MIN(*ms * 2, (int64_t)NAP_MAX_MS);
	while (!kb_cancelled(by->cancel, NULL) && now_us(by) < until)
		usleep(NAP_MS / 4 * 1000);
	return !kb_cancelled(by->cancel, NULL);
}

/* Gives pages back that were not tried, for another turn or another day. A store that cannot take
 * them now, being away or without room, is asked until it can: else they would wait for their lease
 * to end. */
static void give_back(struct batch *batch, const struct kb_lease *leases, size_t count,
                      const struct kb_err *why)
{
	const struct kb_batcher *by = batch->by;
	struct kb_page_result *results = KB_NEW_ARRAY(&batch->arena, count, struct kb_page_result);
	int64_t nap_ms = NAP_MS;
	struct kb_err err;

	if (count == 0)
		return;
	for (size_t i = 0; i < count; i++) {
		again_later(batch, &leases[i], why ? RETRY_FIRST_S : 0, &results[i]);
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

/* What the plan leaves room for. */
static bool read_limits(struct batch *batch, const struct kb_agent *agent, struct kb_err *err)
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
static bool over_limit(struct batch *batch, const struct kb_page *page,
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
static void leave_slow(struct batch *batch, const struct kb_lease *lease,
                       struct kb_page_result *result)
{
	again_later(batch, lease, 0, result);
	result->is_slow = result->untried = true;
	kb_debug(batch->by->config->log, "document is slow page=%" PRId64 " agent=%" PRId64,
	         lease->page.id, batch->agent_id);
}

/* Reads one page; what comes of it is the batch's next result. False where there is none, because
 * the service cannot do its work: batch->outage. */
static bool read_page(struct batch *batch, const struct kb_lease *lease)
{
	struct kb_page_result *result = &batch->results[batch->count++];
	bool later = false;
	struct kb_err err;

	*result = (struct kb_page_result){ .page_id = lease->page.id,
		                           .epoch = lease->epoch,
		                           .pages_most = batch->limits.pages_per_agent };
	if (over_limit(batch, &lease->page, result))
		return true;
	if (take_page(batch, lease, result, &later, &err)) {
		batch->taken.pages += !has_room(&lease->page);
		batch->taken.words +=
		        result->words - (has_room(&lease->page) ? lease->page.words : 0);
	} else if (later || (err.code == KB_E_TIMEOUT && batch->by->quick_ms)) {
		leave_slow(batch, lease, result);
	} else if (err.code == KB_E_CANCELLED) {
		again_later(batch, lease, 0, result);
		result->untried = true;
	} else if (kb_err_info(err.code)->outage) {
		batch->outage = err;
		batch->count--;
		return false;
	} else {
		fail_page(batch, lease, kb_err_info(err.code)->retry && err.code != KB_E_TIMEOUT,
		          result, &err);
	}
	return true;
}

/* Reads pages until the turn is over; how many. */
static size_t read_pages(struct batch *batch, const struct kb_lease *leases, size_t count)
{
	size_t i;

	for (i = 0; i < count && !kb_cancelled(batch->by->cancel, NULL); i++) {
		if ((i && is_deleted(batch)) || !read_page(batch, &leases[i]))
			break;
		if (batch->text_bytes >= TURN_TEXT_BYTES
		    || now_us(batch->by) - batch->started_us >= TURN_MS * INT64_C(1000))
			return i + 1;
	}
	return i;
}

/* The world says nothing of the documents, and may do better another time. */
static bool is_of_a_document(const struct kb_err *err)
{
	return !kb_err_info(err->code)->retry && err->code != KB_E_UNCERTAIN
	       && err->code != KB_E_NOT_FOUND;
}

/* A batch that could not be committed, page by page. How many have their result; *err says why no
 * more. */
static size_t commit_one_by_one(struct batch *batch, const struct kb_lease *leases, size_t count,
                                struct kb_err *err)
{
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
static size_t commit_read(struct batch *batch, const struct kb_lease *leases, size_t count,
                          struct kb_err *err)
{
	if (commit(batch, err))
		return count;
	if (!is_of_a_document(err))
		return 0;
	kb_warn(batch->by->config->log,
	        "batch not committed, its documents are one by one agent=%" PRId64 " error=%s",
	        batch->agent_id, err->msg);
	return commit_one_by_one(batch, leases, count, err);
}

/* What holds for all pages of the agent. */
static bool begin(struct batch *batch, struct kb_err *err)
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
	struct batch batch = { .by = by,
		               .agent_id = leases[0].page.agent_id,
		               .account_id = leases[0].account_id,
		               .started_us = now_us(by) };
	size_t read = 0, done = 0;
	struct kb_err err;
	bool ok = begin(&batch, &err);

	if (ok) {
		read = read_pages(&batch, leases, count);
		done = commit_read(&batch, leases, read, &err);
		ok = done == read;
	}
	if (ok && batch.outage.code) {
		err = batch.outage;
		ok = false;
	}
	if (ok) {
		give_back(&batch, leases + done, count - done, NULL);
	} else if (err.code == KB_E_NOT_FOUND) {
		kb_debug(by->config->log,
		         "agent deleted while its documents were indexed agent=%" PRId64,
		         batch.agent_id);
		ok = true;
	} else {
		kb_error_log(by->config->log,
		             "documents wait, the service cannot do its work agent=%" PRId64
		             " count=%zu error=%s",
		             batch.agent_id, count - done, err.msg);
		give_back(&batch, leases + done, count - done, &err);
	}
	kb_arena_fini(&batch.arena);
	if (batch.all_bytes >= TRIM_BYTES)
		kb_heap_trim();
	return ok;
}
