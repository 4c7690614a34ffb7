#include "ingest/batch.h"

#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/utf8.h"
#include "ingest/chunk.h"
#include "ingest/name.h"
#include "store/accounts.h"
#include "store/agents.h"

enum {
	BATCH_TEXT_BYTES = 16 << 20, /* a batch that holds more is committed before the next page */
	BATCH_MS = 1500,             /* and so is one that has taken this long */
	RENEW_S = 60, /* a batch that takes longer prolongs what it has not come to */
	PARSE_TIMEOUT_MS = 30000,
	EXTRA_TIMES = 3, /* with allow_extra_timeout */
	TRIES_MAX = 5,
	RETRY_FIRST_S = 2,         /* doubled with every attempt */
	GIVE_BACK_US = 200 * 1000, /* between tries at a store that cannot take pages back */
	DESCRIPTION_CHARS = 300,
};

/* One batch in the making. */
struct batch {
	const struct kb_batcher *by;
	struct kb_arena arena;
	int64_t agent_id;
	struct kb_page_result results[KB_BATCH_PAGES];
	size_t count;
	int64_t text_bytes, passages, pages, started_us;
	bool keep_files, extra_timeout;
	struct kb_ingest_limits limits;
	int64_t agent_pages, account_words; /* in use, those of this batch included */
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

/* What a search and an answer would see of it. */
static struct kb_sv text_hash(struct kb_arena *arena, const struct kb_parsed *parsed)
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
	kb_hasher_hex(&hasher, hex);
	return kb_sv_str(hex);
}

/* Puts the parsed page into the segment and its text into a blob. */
static bool index_page(struct batch *batch, const struct kb_page *page,
                       const struct kb_parsed *parsed, struct kb_page_result *result,
                       struct kb_err *err)
{
	struct kb_arena *arena = &batch->arena;
	struct kb_blob_name name;
	struct kb_chunks chunks;
	struct kb_buf json;
	struct kb_jw jw;
	struct kb_sv text, name_words;
	struct kb_buf whole;
	enum kb_lang lang;
	bool ok;

	kb_buf_init(&whole, 64 << 10);
	for (size_t i = 0; i < parsed->block_count && !whole.failed; i++) {
		kb_buf_sv(&whole, parsed->blocks[i].text);
		kb_buf_byte(&whole, '\n');
	}
	lang = kb_lang_of_text(kb_buf_view(&whole));
	kb_buf_fini(&whole);
	if (lang == KB_LANG_NONE)
		lang = kb_lang_from_code(parsed->lang);
	kb_chunk(arena, parsed, &chunks);
	if (chunks.count == 0)
		return kb_fail(err, KB_E_INVALID, "the document holds no text");

	kb_buf_init(&json, KB_GIB(1));
	kb_jw_init(&jw, &json);
	kb_parsed_write(parsed, &jw);
	ok = kb_buf_done(&json, &text, err)
	     && kb_blob_put(batch->by->config->blobs, text, &name, err);
	kb_buf_fini(&json);
	if (!ok)
		return false;

	result->title = parsed->title.n    ? parsed->title
	                : page->filename.n ? page->filename
	                                   : page->url;
	name_words = page->is_file ? kb_name_words(arena, result->title, page->filename)
	                           : kb_address_words(arena, result->title, page->url);
	for (size_t i = 0; i < chunks.count; i++) {
		const struct kb_chunk *chunk = &chunks.v[i];

		kb_segment_writer_add(batch->by->writer, &(struct kb_passage){
		                                                 .page_id = page->id,
		                                                 .ordinal = (uint32_t)i,
		                                                 .page_no = chunk->page_no,
		                                                 .offset = chunk->offset,
		                                                 .lang = lang,
		                                                 .title = result->title,
		                                                 .heading = chunk->heading,
		                                                 .names = name_words,
		                                                 .text = chunk->text,
		                                         });
		batch->text_bytes += (int64_t)chunk->text.n;
	}
	batch->passages += (int64_t)chunks.count;
	batch->pages++;
	result->crawl = result->index = KB_STATUS_OK;
	result->text_blob = kb_arena_sv(arena, kb_sv_str(name.hex));
	result->description = parsed->description.n ? parsed->description : first_words(&chunks);
	result->image = parsed->image;
	result->lang = kb_sv_str(kb_lang_code(lang));
	result->words = chunks.words;
	result->passages = (int64_t)chunks.count;
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

static bool take_page(struct batch *batch, const struct kb_page *page,
                      struct kb_page_result *result, struct kb_err *err)
{
	const struct kb_ingest_config *config = batch->by->config;
	struct kb_parsed parsed;
	int64_t size;
	int fd = -1;
	bool ok;

	/* A page of an address is fetched again when it is wanted. */
	result->drop_original = !page->is_file || !batch->keep_files;
	if (page->blob.n == 0)
		return kb_fail(err, KB_E_INVALID,
		               "the document's original is not kept; upload it again");
	if (!kb_blob_open(config->blobs, kb_arena_str(&batch->arena, page->blob), &fd, &size, err))
		return false;
	ok = kb_parse(
	        config->parser, &batch->arena,
	        &(struct kb_parse_request){
	                .fd = fd,
	                .filename = page->is_file ? page->filename : name_in(page->url),
	                .content_type = page->content_type,
	                .url = page->url,
	                .timeout_ms = batch->extra_timeout ? PARSE_TIMEOUT_MS * EXTRA_TIMES : 0,
	        },
	        &parsed, err);
	kb_fd_close(&fd);
	if (!ok)
		return false;
	result->text_hash = text_hash(&batch->arena, &parsed);
	if (!page->is_file && page->passages && kb_sv_eq(result->text_hash, page->text_hash)) {
		result->crawl = result->index = KB_STATUS_OK;
		result->unchanged = true;
		atomic_fetch_add(&batch->by->counts->unchanged, 1);
		return true;
	}
	return index_page(batch, page, &parsed, result, err);
}

/* What an error makes of a page: another try later, or the end with its sentence. */
static void fail_page(struct batch *batch, const struct kb_page *page,
                      struct kb_page_result *result, const struct kb_err *err)
{
	const struct kb_err_info *info = kb_err_info(err->code);
	bool again = info->retry && err->code != KB_E_TIMEOUT && page->attempts + 1 < TRIES_MAX;

	result->reason = kb_arena_printf(&batch->arena, "%s", err->msg);
	if (again) {
		int64_t pause_s = (int64_t)RETRY_FIRST_S << KB_MIN(page->attempts, 10);

		result->crawl = page->is_file ? KB_STATUS_QUEUED : KB_STATUS_OK;
		result->index = KB_STATUS_QUEUED;
		result->drop_original = false;
		result->next_try_at =
		        kb_clock_now_us(batch->by->config->clock) + pause_s * KB_SECOND_US;
		atomic_fetch_add(&batch->by->counts->retried, 1);
	} else {
		/* The bytes are there: it is the reading of them that failed. */
		result->crawl = KB_STATUS_OK;
		result->index = KB_STATUS_FAILED;
		result->drop_original = !page->is_file;
		atomic_fetch_add(&batch->by->counts->failed, 1);
	}
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
	struct kb_blob_name name;
	char path[512];
	int64_t size = 0;
	bool ok = true;

	if (batch->count == 0)
		return true;
	if (batch->pages) {
		char random[17];

		kb_random_text(random, 16);
		snprintf(path, sizeof(path), "%s/segment-%s", config->temp_dir, random);
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
			        (kb_clock_mono_us() - batch->started_us) / 1000);
	}
	batch->count = 0;
	batch->pages = batch->passages = batch->text_bytes = 0;
	batch->started_us = kb_clock_mono_us();
	return ok;
}

/* Gives pages back at once, for another thread or another day. A store that cannot take them now,
 * for want of room on its disk, is asked until it can: else they would wait for their lease to end.
 */
static void give_back(const struct kb_batcher *by, struct kb_arena *arena,
                      const struct kb_lease *leases, size_t count, struct kb_sv reason)
{
	struct kb_page_result *results = KB_NEW_ARRAY(arena, count, struct kb_page_result);
	struct kb_err err;

	if (count == 0)
		return;
	for (size_t i = 0; i < count; i++)
		results[i] = (struct kb_page_result){
			.page_id = leases[i].page.id,
			.epoch = leases[i].epoch,
			.crawl = leases[i].page.is_file ? KB_STATUS_QUEUED : KB_STATUS_OK,
			.index = KB_STATUS_QUEUED,
			.reason = reason,
			.next_try_at = kb_clock_now_us(by->config->clock)
			               + (reason.n ? RETRY_FIRST_S : 0) * KB_SECOND_US
		};
	while (!kb_store_pages_finish(by->config->store, leases[0].page.agent_id, results, count,
	                              &(struct kb_segment_new){ 0 }, &err)) {
		if (!kb_err_info(err.code)->retry || kb_cancelled(by->cancel, NULL)) {
			kb_warn(by->config->log,
			        "pages stay leased until the lease ends count=%zu error=%s", count,
			        err.msg);
			return;
		}
		usleep(GIVE_BACK_US);
	}
}

static void read_options(struct batch *batch, const struct kb_agent *agent)
{
	json_t *options =
	        agent->options.n ? kb_json_parse(&batch->arena, agent->options, NULL) : NULL;

	batch->keep_files = kb_json_bool(options, "file_data_retension", true);
	batch->extra_timeout = kb_json_bool(options, "allow_extra_timeout", false);
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
		batch->agent_pages = stats.pages_indexed;
	}
	return batch->limits.words == 0
	       || kb_store_account_words(config->store, agent->account_id, &batch->account_words,
	                                 err);
}

/* A page that the plan has no room for stays, marked as limited, until it is queued again. One that
 * can be found already takes no new room. */
static bool over_limit(struct batch *batch, const struct kb_page *page,
                       struct kb_page_result *result)
{
	const struct kb_ingest_limits *limits = &batch->limits;

	if (page->index == KB_STATUS_OK || page->passages)
		return false;
	if (limits->pages_per_agent && batch->agent_pages >= limits->pages_per_agent)
		result->reason = kb_arena_printf(&batch->arena,
		                                 "the plan allows %" PRId64 " documents an agent",
		                                 limits->pages_per_agent);
	else if (limits->words && batch->account_words >= limits->words)
		result->reason = kb_arena_printf(&batch->arena, "the plan allows %" PRId64 " words",
		                                 limits->words);
	else
		return false;
	result->crawl = result->index = KB_STATUS_LIMITED;
	result->drop_original = !page->is_file;
	return true;
}

/* Takes leased pages of one agent to the commit. */
void kb_batch_run(const struct kb_batcher *by, struct kb_lease *leases, size_t count)
{
	struct batch batch = { .by = by,
		               .agent_id = leases[0].page.agent_id,
		               .started_us = kb_clock_mono_us() };
	struct kb_agent agent;
	struct kb_err err = { 0 };
	size_t first = 0, i; /* leases[first..i) are in the batch */
	int64_t renewed_us = kb_clock_mono_us();

	if (!kb_store_agent_find(by->config->store, &batch.arena, batch.agent_id, &agent, &err)) {
		/* Mostly deleted since the lease, and its pages with it. */
		if (err.code != KB_E_NOT_FOUND)
			give_back(by, &batch.arena, leases, count, KB_SV(""));
		kb_arena_fini(&batch.arena);
		return;
	}
	if (!read_limits(&batch, &agent, &err)) {
		give_back(by, &batch.arena, leases, count,
		          kb_arena_printf(&batch.arena, "%s", err.msg));
		kb_arena_fini(&batch.arena);
		return;
	}
	read_options(&batch, &agent);
	for (i = 0; i < count && !kb_cancelled(by->cancel, NULL); i++) {
		struct kb_page_result *result = &batch.results[batch.count++];

		*result = (struct kb_page_result){ .page_id = leases[i].page.id,
			                           .epoch = leases[i].epoch };
		if (kb_clock_mono_us() - renewed_us > RENEW_S * KB_SECOND_US) {
			if (!kb_store_pages_renew(by->config->store, leases + i, count - i,
			                          KB_BATCH_LEASE_S * KB_SECOND_US, &err))
				kb_warn(by->config->log, "leases not renewed error=%s", err.msg);
			renewed_us = kb_clock_mono_us();
		}
		if (over_limit(&batch, &leases[i].page, result))
			continue;
		if (!take_page(&batch, &leases[i].page, result, &err)) {
			fail_page(&batch, &leases[i].page, result, &err);
		} else {
			batch.agent_pages++;
			batch.account_words += result->words;
		}
		if (batch.text_bytes >= BATCH_TEXT_BYTES
		    || kb_clock_mono_us() - batch.started_us >= BATCH_MS * INT64_C(1000)) {
			if (!commit(&batch, &err))
				goto failed;
			first = i + 1;
		}
	}
	if (!commit(&batch, &err))
		goto failed;
	first = i;
	give_back(by, &batch.arena, leases + first, count - first, KB_SV(""));
	goto out;
failed:
	kb_error_log(by->config->log, "batch not committed agent=%" PRId64 " error=%s",
	             batch.agent_id, err.msg);
	give_back(by, &batch.arena, leases + first, count - first,
	          kb_arena_printf(&batch.arena, "%s", err.msg));
	/* A disk that is full or a store that is away will not be better at once. */
	usleep(200 * 1000);
out:
	kb_arena_fini(&batch.arena);
}
