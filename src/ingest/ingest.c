/* The threads and one batch's way: lease, parse, chunk, segment, commit. Merging and sweeping are
 * in upkeep.c. */
#include "ingest/learn.h"
#include "ingest/remover.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/pool.h"
#include "base/utf8.h"
#include "index/factors.h"
#include "ingest/chunk.h"
#include "ingest/name.h"
#include "ingest/web.h"
#include "store/agents.h"
#include "store/vectors.h"

enum {
	BATCH_PAGES = 16,
	BATCH_TEXT_BYTES = 16 << 20, /* a batch that holds more is committed before the next page */
	BATCH_MS = 1500,             /* and so is one that has taken this long */
	LEASE_S = 600,
	RENEW_S = 60, /* a batch that takes longer prolongs what it has not come to */
	PARSE_TIMEOUT_MS = 30000,
	EXTRA_TIMES = 3, /* with allow_extra_timeout */
	TRIES_MAX = 5,
	RETRY_FIRST_S = 2, /* doubled with every attempt */
	POLL_MS = 1000,
	GIVE_BACK_US = 200 * 1000, /* between tries at a store that cannot take pages back */
	MERGE_SEGMENTS = 8,
	UPKEEP_MS = 500,
	/* Questions come first: who asks waits, who uploads does not. */
	INGEST_NICE = 5,
	UPKEEP_NICE = 10,
	LEARN_MS = 2000,
	LEARN_NICE = 10,
	REFUSED_MAX = 64,
	REFUSED_S = 600,
	SWEEP_EVERY_S = 60,
	SWEEP_AGE_S = 900,
	PURGE_EVERY_S = 3600,
	DESCRIPTION_CHARS = 300,
};

struct kb_ingest {
	struct kb_ingest_config config;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	uint64_t calls; /* of kb_ingest_wake(); a thread that saw fewer looks again */
	bool stopping;
	struct kb_cancel cancel; /* asks for `stopping` */
	pthread_t *threads;
	pthread_t upkeep, learner;
	struct kb_web *web;
	struct kb_remover *remover;
	struct kb_vectorize *vectorize;
	_Atomic int64_t unchanged;
	_Atomic int64_t purged_messages, purged_conversations;
	_Atomic int64_t indexed, failed, retried, passages, merges, swept, learned, folded;
};

/* One batch in the making. */
struct batch {
	struct kb_ingest *in;
	struct kb_arena arena;
	struct kb_segment_writer *writer;
	int64_t agent_id;
	struct kb_page_result results[BATCH_PAGES];
	size_t count;
	int64_t text_bytes, passages, pages, started_us;
	bool keep_files, extra_timeout;
	struct kb_ingest_limits limits;
	int64_t agent_pages, account_words; /* in use, those of this batch included */
};

static bool stopping(struct kb_ingest *in)
{
	bool yes;

	pthread_mutex_lock(&in->lock);
	yes = in->stopping;
	pthread_mutex_unlock(&in->lock);
	return yes;
}

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
	     && kb_blob_put(batch->in->config.blobs, text, &name, err);
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

		kb_segment_writer_add(batch->writer, &(struct kb_passage){
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
	struct kb_ingest_config *config = &batch->in->config;
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
		atomic_fetch_add(&batch->in->unchanged, 1);
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
		        kb_clock_now_us(batch->in->config.clock) + pause_s * KB_SECOND_US;
		atomic_fetch_add(&batch->in->retried, 1);
	} else {
		/* The bytes are there: it is the reading of them that failed. */
		result->crawl = KB_STATUS_OK;
		result->index = KB_STATUS_FAILED;
		result->drop_original = !page->is_file;
		atomic_fetch_add(&batch->in->failed, 1);
	}
	kb_info(batch->in->config.log,
	        "document not indexed page=%" PRId64 " agent=%" PRId64 " again=%d reason=%s",
	        page->id, page->agent_id, again, err->msg);
}

/* Writes the segment and makes everything of the batch true at once. */
static bool commit(struct batch *batch, struct kb_err *err)
{
	struct kb_ingest_config *config = &batch->in->config;
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
		ok = kb_segment_writer_finish(batch->writer, path, &info, err)
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
		atomic_fetch_add(&batch->in->indexed, batch->pages);
		atomic_fetch_add(&batch->in->passages, batch->passages);
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
static void give_back(struct kb_ingest *in, struct kb_arena *arena, const struct kb_lease *leases,
                      size_t count, struct kb_sv reason)
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
			.next_try_at = kb_clock_now_us(in->config.clock)
			               + (reason.n ? RETRY_FIRST_S : 0) * KB_SECOND_US
		};
	while (!kb_store_pages_finish(in->config.store, leases[0].page.agent_id, results, count,
	                              &(struct kb_segment_new){ 0 }, &err)) {
		if (!kb_err_info(err.code)->retry || stopping(in)) {
			kb_warn(in->config.log,
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
	struct kb_ingest_config *config = &batch->in->config;
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
static void run_batch(struct kb_ingest *in, struct kb_segment_writer *writer,
                      struct kb_lease *leases, size_t count)
{
	struct batch batch = { .in = in,
		               .writer = writer,
		               .agent_id = leases[0].page.agent_id,
		               .started_us = kb_clock_mono_us() };
	struct kb_agent agent;
	struct kb_err err = { 0 };
	size_t first = 0, i; /* leases[first..i) are in the batch */
	int64_t renewed_us = kb_clock_mono_us();

	if (!kb_store_agent_find(in->config.store, &batch.arena, batch.agent_id, &agent, &err)) {
		/* Mostly deleted since the lease, and its pages with it. */
		if (err.code != KB_E_NOT_FOUND)
			give_back(in, &batch.arena, leases, count, KB_SV(""));
		kb_arena_fini(&batch.arena);
		return;
	}
	if (!read_limits(&batch, &agent, &err)) {
		give_back(in, &batch.arena, leases, count,
		          kb_arena_printf(&batch.arena, "%s", err.msg));
		kb_arena_fini(&batch.arena);
		return;
	}
	read_options(&batch, &agent);
	for (i = 0; i < count && !stopping(in); i++) {
		struct kb_page_result *result = &batch.results[batch.count++];

		*result = (struct kb_page_result){ .page_id = leases[i].page.id,
			                           .epoch = leases[i].epoch };
		if (kb_clock_mono_us() - renewed_us > RENEW_S * KB_SECOND_US) {
			if (!kb_store_pages_renew(in->config.store, leases + i, count - i,
			                          LEASE_S * KB_SECOND_US, &err))
				kb_warn(in->config.log, "leases not renewed error=%s", err.msg);
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
	give_back(in, &batch.arena, leases + first, count - first, KB_SV(""));
	goto out;
failed:
	kb_error_log(in->config.log, "batch not committed agent=%" PRId64 " error=%s",
	             batch.agent_id, err.msg);
	give_back(in, &batch.arena, leases + first, count - first,
	          kb_arena_printf(&batch.arena, "%s", err.msg));
	/* A disk that is full or a store that is away will not be better at once. */
	usleep(200 * 1000);
out:
	kb_arena_fini(&batch.arena);
}

/* Waits for a wake-up newer than *seen, or the time. */
static void wait_for_work(struct kb_ingest *in, uint64_t *seen, int64_t ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&in->lock);
	while (!in->stopping && in->calls == *seen)
		if (pthread_cond_timedwait(&in->wake, &in->lock, &until) != 0)
			break;
	*seen = in->calls;
	pthread_mutex_unlock(&in->lock);
}

static void *ingest_thread(void *arg)
{
	struct kb_ingest *in = arg;
	/* It remembers words from one batch to the next. */
	struct kb_segment_writer *writer = kb_segment_writer_new();
	uint64_t seen = 0;

	kb_thread_set_nice(INGEST_NICE);
	while (!stopping(in)) {
		struct kb_arena arena = { 0 };
		struct kb_lease *leases = NULL;
		size_t count = 0;
		int64_t due = 0, pause_ms = POLL_MS;
		struct kb_err err;

		if (!kb_store_pages_lease(in->config.store, &arena, BATCH_PAGES,
		                          LEASE_S * KB_SECOND_US, &leases, &count, &due, &err)) {
			kb_error_log(in->config.log, "cannot lease pages error=%s", err.msg);
		} else if (count) {
			run_batch(in, writer, leases, count);
			kb_arena_fini(&arena);
			continue;
		} else if (due) {
			int64_t left = (due - kb_clock_now_us(in->config.clock)) / 1000 + 1;

			pause_ms = KB_MAX(1, KB_MIN(left, (int64_t)POLL_MS));
		}
		kb_arena_fini(&arena);
		wait_for_work(in, &seen, pause_ms);
	}
	kb_segment_writer_free(writer);
	return NULL;
}

static bool is_stopping(void *arg)
{
	return stopping(arg);
}

static struct kb_learn learning(struct kb_ingest *in)
{
	return (struct kb_learn){ .catalog = in->config.catalog,
		                  .store = in->config.store,
		                  .blobs = in->config.blobs,
		                  .log = in->config.log,
		                  .temp_dir = in->config.temp_dir,
		                  .cancel = &in->cancel };
}

/* Gives new segments their columns, before a merge of them would have to. */
static void fold_new(struct kb_ingest *in)
{
	struct kb_learn learn = learning(in);
	int64_t folded;
	struct kb_err err;

	if (!kb_learn_fold(&learn, &folded, &err))
		kb_warn(in->config.log, "cannot look for segments to fold error=%s", err.msg);
	atomic_fetch_add(&in->folded, folded);
}

/* Agents that could not be learned from, not to be tried again at once. */
struct refused {
	struct {
		int64_t agent_id, until_us;
	} v[REFUSED_MAX];
	size_t next;
};

static bool is_refused(const struct refused *refused, int64_t agent_id)
{
	for (size_t i = 0; i < REFUSED_MAX; i++)
		if (refused->v[i].agent_id == agent_id
		    && refused->v[i].until_us > kb_clock_mono_us())
			return true;
	return false;
}

/* Goes once round the agents that need a model. */
static void learn_due(struct kb_ingest *in, struct refused *refused)
{
	struct kb_learn learn = learning(in);
	struct kb_err err;
	int64_t agent_id = 0;

	while (!stopping(in)) {
		if (!kb_store_factors_due(in->config.store, KB_FACTORS_PASSAGES_MIN, agent_id,
		                          &agent_id, &err)) {
			kb_warn(in->config.log, "cannot look for agents to learn from error=%s",
			        err.msg);
			return;
		}
		if (agent_id == 0)
			return;
		if (is_refused(refused, agent_id))
			continue;
		if (kb_learn_agent(&learn, agent_id, &err)) {
			atomic_fetch_add(&in->learned, 1);
			continue;
		}
		if (err.code == KB_E_CANCELLED)
			return;
		refused->v[refused->next].agent_id = agent_id;
		refused->v[refused->next].until_us = kb_clock_mono_us() + REFUSED_S * KB_SECOND_US;
		refused->next = (refused->next + 1) % REFUSED_MAX;
		kb_info(in->config.log, "factors not learned agent=%" PRId64 " reason=%s", agent_id,
		        err.msg);
	}
}

static void *learner_thread(void *arg)
{
	struct kb_ingest *in = arg;
	struct refused *refused = kb_xcalloc(1, sizeof(*refused));
	uint64_t seen = 0;

	kb_thread_set_nice(LEARN_NICE);
	while (!stopping(in)) {
		learn_due(in, refused);
		wait_for_work(in, &seen, LEARN_MS);
	}
	free(refused);
	return NULL;
}

static void merge_one(struct kb_ingest *in, bool *again)
{
	struct kb_ingest_config *config = &in->config;
	bool merged = false, ok;
	int64_t agent_id;
	struct kb_err err;

	*again = false;
	if (!kb_store_merge_candidate(config->store, MERGE_SEGMENTS, &agent_id, &err)) {
		kb_warn(config->log, "cannot look for segments to merge error=%s", err.msg);
		return;
	}
	if (agent_id == 0)
		return;
	kb_vectorize_hold(in->vectorize);
	ok = kb_merge_agent(config->catalog, config->store, config->blobs, config->temp_dir,
	                    agent_id, &in->cancel, &merged, &err);
	kb_vectorize_release(in->vectorize);
	if (!ok) {
		if (err.code != KB_E_CONFLICT && err.code != KB_E_NOT_FOUND
		    && err.code != KB_E_CANCELLED)
			kb_error_log(config->log, "segments not merged agent=%" PRId64 " error=%s",
			             agent_id, err.msg);
		return;
	}
	if (merged)
		atomic_fetch_add(&in->merges, 1);
	*again = merged;
}

static void purge(struct kb_ingest *in)
{
	struct kb_purge_sum sum;

	if (!in->config.keep_days)
		return;
	kb_purge_conversations(&in->config, &in->cancel, &sum);
	atomic_fetch_add(&in->purged_messages, sum.messages);
	atomic_fetch_add(&in->purged_conversations, sum.conversations);
}

static void *upkeep_thread(void *arg)
{
	struct kb_ingest *in = arg;
	int64_t swept_at = 0, purged_at = 0;
	uint64_t seen = 0;

	kb_thread_set_nice(UPKEEP_NICE);
	while (!stopping(in)) {
		bool again;

		fold_new(in);
		merge_one(in, &again);
		if (kb_clock_mono_us() - swept_at > SWEEP_EVERY_S * KB_SECOND_US) {
			int64_t removed = 0;
			struct kb_err err;

			swept_at = kb_clock_mono_us();
			if (!kb_sweep_blobs(in->config.store, in->config.blobs, SWEEP_AGE_S,
			                    &removed, &err))
				kb_warn(in->config.log, "blobs not swept error=%s", err.msg);
			else if (removed)
				kb_info(in->config.log, "blobs swept removed=%" PRId64, removed);
			atomic_fetch_add(&in->swept, removed);
		}
		if (purged_at == 0
		    || kb_clock_mono_us() - purged_at > PURGE_EVERY_S * KB_SECOND_US) {
			purged_at = kb_clock_mono_us();
			purge(in);
		}
		if (!again)
			wait_for_work(in, &seen, UPKEEP_MS);
	}
	return NULL;
}

/* Segments that an earlier life was writing when it was killed. Nobody else writes here: the store
 * is open for this process alone. */
static void remove_unfinished(const char *temp_dir, const struct kb_log *log)
{
	DIR *dir = opendir(temp_dir);
	struct dirent *entry;

	if (!dir) {
		kb_warn(log, "cannot read the temporary directory dir=%s error=%s", temp_dir,
		        strerror(errno));
		return;
	}
	while ((entry = readdir(dir)))
		if (strncmp(entry->d_name, "segment-", 8) == 0
		    || strncmp(entry->d_name, "merge-", 6) == 0
		    || strncmp(entry->d_name, "column-", 7) == 0
		    || strncmp(entry->d_name, "factors-", 8) == 0)
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
}

static void pages_came(void *arg)
{
	struct kb_ingest *in = arg;

	pthread_mutex_lock(&in->lock);
	in->calls++;
	pthread_cond_broadcast(&in->wake);
	pthread_mutex_unlock(&in->lock);
}

struct kb_ingest *kb_ingest_start(const struct kb_ingest_config *config)
{
	struct kb_ingest *in = kb_xcalloc(1, sizeof(*in));
	pthread_condattr_t monotonic;

	in->config = *config;
	in->cancel = (struct kb_cancel){ is_stopping, in };
	remove_unfinished(config->temp_dir, config->log);
	pthread_mutex_init(&in->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&in->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	in->threads = kb_xcalloc((size_t)config->threads, sizeof(*in->threads));
	for (int i = 0; i < config->threads; i++)
		in->threads[i] = kb_thread_start("ingest", ingest_thread, in);
	in->vectorize = kb_vectorize_start(config);
	in->upkeep = kb_thread_start("upkeep", upkeep_thread, in);
	in->learner = kb_thread_start("learner", learner_thread, in);
	in->web = kb_web_start(config, pages_came, in);
	in->remover = kb_remover_start(config->store, config->log);
	return in;
}

void kb_ingest_stop(struct kb_ingest *in)
{
	if (!in)
		return;
	kb_web_stop(in->web);
	kb_remover_stop(in->remover);
	pthread_mutex_lock(&in->lock);
	in->stopping = true;
	pthread_cond_broadcast(&in->wake);
	pthread_mutex_unlock(&in->lock);
	for (int i = 0; i < in->config.threads; i++)
		pthread_join(in->threads[i], NULL);
	pthread_join(in->upkeep, NULL);
	pthread_join(in->learner, NULL);
	kb_vectorize_stop(in->vectorize);
	pthread_cond_destroy(&in->wake);
	pthread_mutex_destroy(&in->lock);
	free(in->threads);
	free(in);
}

void kb_ingest_wake(struct kb_ingest *in)
{
	pages_came(in);
	kb_web_wake(in->web);
	kb_remover_wake(in->remover);
}

void kb_ingest_stats(struct kb_ingest *in, struct kb_ingest_stats *out)
{
	struct kb_vectorize_stats embedded;
	struct kb_web_stats web;

	kb_vectorize_stats(in->vectorize, &embedded);
	kb_web_stats(in->web, &web);
	*out = (struct kb_ingest_stats){
		.removed = kb_remover_rows(in->remover),
		.fetched = web.fetched,
		.not_modified = web.unchanged,
		.fetch_failed = web.failed,
		.fetch_retried = web.again,
		.sources_read = web.sources_read,
		.unchanged = atomic_load(&in->unchanged),
		.indexed = atomic_load(&in->indexed),
		.failed = atomic_load(&in->failed),
		.retried = atomic_load(&in->retried),
		.passages = atomic_load(&in->passages),
		.merges = atomic_load(&in->merges),
		.swept = atomic_load(&in->swept),
		.learned = atomic_load(&in->learned),
		.folded = atomic_load(&in->folded),
		.vectorize = embedded,
		.purged_messages = atomic_load(&in->purged_messages),
		.purged_conversations = atomic_load(&in->purged_conversations),
	};
}
