/*
 * A parsed document to the commit: passages, a segment, the reader that opens it, the store.
 *
 * A line of the input is a block: a letter for its type, a digit k, and a text that is repeated
 * 4^k times, so that a few bytes make what nobody would write. The segment takes no passage longer
 * than the cutting promises: no document may fail there, and none may be lost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "index/index.h"
#include "parse/clean.h"
#include "passages/chunk.h"
#include "store/accounts.h"
#include "store/agent_new.h"
#include "store/agents.h"
#include "store/pages.h"
#include "store/segments.h"

enum { BLOCKS_MAX = 64, BLOCK_BYTES_MAX = 64 << 10, NAMES_MAX = 16 << 10, PAGES_MAX = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[64], segment_path[80];
static struct kb_clock test_clock;
static struct kb_store *store;
static struct kb_segment_writer *writer;
static struct kb_agent agent;

static void clean_up(void)
{
	char command[96];

	kb_segment_writer_free(writer);
	kb_store_close(store);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	if (system(command) != 0)
		abort();
}

static void open_store(void)
{
	struct kb_arena arena = { 0 };
	struct kb_account account;
	struct kb_err err;

	snprintf(dir, sizeof(dir), "%s/docent-fuzz-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	KB_ASSERT(mkdtemp(dir));
	snprintf(segment_path, sizeof(segment_path), "%s/segment", dir);
	store = kb_store_open(dir, true, &test_clock, NULL, &err);
	KB_ASSERT(store);
	KB_ASSERT(kb_store_account_ensure(store, &arena, KB_SV("one"), KB_SV(""), &account, &err));
	agent = (struct kb_agent){ .account_id = account.id, .name = KB_SV("a") };
	KB_ASSERT(kb_store_agent_create(store, &agent, &err));
	writer = kb_segment_writer_new();
	kb_segment_writer_limit(writer, KB_CHUNK_MAX_BYTES + NAMES_MAX);
	kb_arena_fini(&arena);
	atexit(clean_up);
}

/* As the parser hands text on. */
static struct kb_sv text_of(struct kb_arena *arena, struct kb_sv line, bool is_code)
{
	struct kb_sv piece = kb_sv_from(line, KB_MIN(line.n, (size_t)2)), text;
	int k = line.n > 1 && line.p[1] >= '0' && line.p[1] <= '9' ? line.p[1] - '0' : 0;
	struct kb_buf raw, clean;

	kb_buf_init(&raw, SIZE_MAX);
	kb_buf_init(&clean, SIZE_MAX);
	for (int64_t i = 0; i < INT64_C(1) << 2 * k && raw.n + piece.n <= BLOCK_BYTES_MAX; i++)
		for (size_t j = 0; j < piece.n; j++)
			kb_buf_byte(&raw, is_code && piece.p[j] == '\r' ? '\n' : piece.p[j]);
	kb_clean(&clean, kb_utf8_mend(arena, kb_buf_view(&raw)),
	         is_code ? KB_CLEAN_CODE : KB_CLEAN_LINE);
	text = kb_arena_sv(arena, kb_buf_view(&clean));
	kb_buf_fini(&raw);
	kb_buf_fini(&clean);
	return text;
}

static void make_document(struct kb_arena *arena, struct kb_sv in, struct kb_parsed *parsed,
                          struct kb_buf *whole)
{
	static const char types[] = "hpltc"; /* in the order of enum kb_block_type */
	struct kb_sv line, heading = KB_SV("");

	*parsed = (struct kb_parsed){ .blocks = KB_NEW_ARRAY(arena, BLOCKS_MAX, struct kb_block) };
	while (parsed->block_count < BLOCKS_MAX && kb_sv_split(&in, '\n', &line)) {
		const char *type = line.n ? strchr(types, line.p[0]) : NULL;
		struct kb_block *block = &parsed->blocks[parsed->block_count];

		block->type =
		        type && *type ? (enum kb_block_type)(type - types) : KB_BLOCK_PARAGRAPH;
		block->text = text_of(arena, line, block->type == KB_BLOCK_CODE);
		if (!block->text.n)
			continue;
		if (block->type == KB_BLOCK_HEADING)
			heading = kb_utf8_cut(block->text, 200);
		if (whole->n)
			kb_buf_byte(whole, '\n');
		block->heading = heading;
		block->offset = (uint32_t)whole->n;
		block->page_no = (uint32_t)parsed->block_count / 8;
		kb_buf_sv(whole, block->text);
		parsed->block_count++;
	}
}

/* What a search would read is what the document says. */
static void check_segment(struct kb_arena *arena, const struct kb_chunks *chunks)
{
	struct kb_err err;
	struct kb_segment *segment = kb_segment_open(segment_path, true, &err);
	struct kb_snapshot *snapshot;
	struct kb_segment_info info;

	KB_ASSERT(segment);
	kb_segment_info(segment, &info);
	KB_ASSERT((size_t)info.passages == chunks->count);
	snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ .segment = segment, .version = 1 },
	                           1, NULL, 0);
	for (size_t i = 0; i < chunks->count; i++) {
		struct kb_passage passage;

		KB_ASSERT(kb_snapshot_passage(snapshot, arena, 0, (uint32_t)i, &passage, &err));
		KB_ASSERT(kb_sv_eq(passage.text, chunks->v[i].text));
	}
	kb_snapshot_release(snapshot);
	kb_segment_release(segment);
}

static void commit(struct kb_arena *arena, const struct kb_chunks *chunks, struct kb_sv title)
{
	static int committed;
	struct kb_page_new page = { .filename = KB_SV("a.txt"),
		                    .content_type = KB_SV("text/plain"),
		                    .blob = KB_SV("aa"),
		                    .is_ours = true,
		                    .size = 1 };
	struct kb_lease_want want = { .max = 9, .lease_us = KB_SECOND_US };
	struct kb_page_result result;
	struct kb_leases leases;
	int64_t id;
	struct kb_err err;

	KB_ASSERT(kb_store_pages_add(store, agent.id, &page, 1, &id, &err));
	KB_ASSERT(kb_store_pages_lease(store, arena, &want, &leases, &err));
	KB_ASSERT(leases.count == 1);
	result = (struct kb_page_result){ .page_id = id,
		                          .epoch = leases.v[0].epoch,
		                          .crawl = KB_STATUS_OK,
		                          .index = KB_STATUS_OK,
		                          .text_blob = KB_SV("bb"),
		                          .title = title,
		                          .description = kb_utf8_head(chunks->v[0].text, 300),
		                          .words = chunks->words,
		                          .passages = (int64_t)chunks->count };
	KB_ASSERT(
	        kb_store_pages_finish(store, agent.id, &result, 1,
	                              &(struct kb_segment_new){ .blob = KB_SV("cc"),
	                                                        .bytes = 1,
	                                                        .passages = (int64_t)chunks->count,
	                                                        .pages = 1 },
	                              &err));
	KB_ASSERT(kb_store_page_delete(store, agent.id, id, &err));
	if (++committed == PAGES_MAX) { /* its dead pages would only grow */
		committed = 0;
		KB_ASSERT(kb_store_agent_delete(store, agent.account_id, agent.id, &err));
		KB_ASSERT(kb_store_agent_create(store, &agent, &err));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_parsed parsed;
	struct kb_chunks chunks;
	struct kb_buf whole;
	struct kb_err err;

	if (!store)
		open_store();
	kb_buf_init(&whole, SIZE_MAX);
	make_document(&arena, kb_sv((const char *)data, size), &parsed, &whole);
	kb_chunk(&arena, &parsed, &chunks);
	kb_segment_writer_passing(writer);
	for (size_t i = 0; i < chunks.count; i++) {
		const struct kb_chunk *chunk = &chunks.v[i];

		KB_ASSERT(chunk->text.n && chunk->text.n <= KB_CHUNK_MAX_BYTES);
		KB_ASSERT(kb_utf8_valid(chunk->text));
		KB_ASSERT(kb_sv_eq(chunk->text,
		                   kb_sv_sub(kb_buf_view(&whole), chunk->offset, chunk->text.n)));
		kb_segment_writer_add(writer, &(struct kb_passage){ .page_id = 1,
		                                                    .ordinal = (uint32_t)i,
		                                                    .page_no = chunk->page_no,
		                                                    .offset = chunk->offset,
		                                                    .lang = KB_LANG_EN,
		                                                    .title = chunk->heading,
		                                                    .heading = chunk->heading,
		                                                    .text = chunk->text });
	}
	if (chunks.count) {
		KB_ASSERT(kb_segment_writer_finish(writer, segment_path, NULL, &err));
		check_segment(&arena, &chunks);
		commit(&arena, &chunks, chunks.v[0].heading);
	}
	kb_buf_fini(&whole);
	kb_arena_fini(&arena);
	return 0;
}
