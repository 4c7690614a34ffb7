/*
 * Foreign bytes into the reader of models, as a file or as the sections of one whose frame is
 * right; then a segment is folded and searched with what was read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "index/build.h"
#include "index/factor_rows.h"
#include "index/factors.h"
#include "index/factors_file.h"
#include "index/query.h"
#include "index/rank.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct kb_sv texts[] = { KB_SV_INIT("the keeper of the lighthouse"),
	                              KB_SV_INIT("a lamp for the keeper"),
	                              KB_SV_INIT("東京の灯台と灯台守") };

static const struct kb_sv words[] = { KB_SV_INIT("keeper"), KB_SV_INIT("lamp"),
	                              KB_SV_INIT("lighthouse"), KB_SV_INIT("灯台") };

static struct kb_segment *make_segment(void)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_segment_info info;
	struct kb_segment *segment;
	struct kb_err err;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/docent-factors-fuzz-%d", (int)getpid());
	for (size_t i = 0; i < KB_COUNTOF(texts); i++)
		kb_segment_writer_add(
		        writer, &(struct kb_passage){ .page_id = (int64_t)i, .text = texts[i] });
	KB_ASSERT(kb_segment_writer_finish(writer, path, &info, &err));
	segment = kb_segment_open(path, true, &err);
	KB_ASSERT(segment);
	unlink(path);
	kb_segment_writer_free(writer);
	return segment;
}

/* Terms that the segment has, in the order of their keys, so that their rows are read. */
static void put_keys(uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t key = kb_row_key(words[i]), next;
		size_t at = i;

		for (; at; at--) {
			memcpy(&next, bytes + (at - 1) * sizeof(key), sizeof(next));
			if (next <= key)
				break;
			memcpy(bytes + at * sizeof(key), &next, sizeof(next));
		}
		memcpy(bytes + at * sizeof(key), &key, sizeof(key));
	}
}

/* A file whose frame is right: sections of about the sizes that the first one asks for. */
static void make_file(const uint8_t *data, size_t size, const char *path)
{
	struct kb_builder *builder = kb_builder_new(&kb_factors_form, path);
	struct kb_factors_head head = { 0 };
	uint8_t *bytes;
	struct kb_err err;
	int64_t n;

	memcpy(&head, data, KB_MIN(size, sizeof(head)));
	head.dims %= 130;
	head.terms %= 20;
	kb_builder_put(builder, KB_FAC_INFO, &head, sizeof(head));
	for (uint32_t id = KB_FAC_KEYS; id < KB_FAC_COUNT; id++) {
		size_t want = head.terms
		              * (id == KB_FAC_KEYS   ? sizeof(uint64_t)
		                 : id == KB_FAC_ROWS ? head.dims
		                                     : sizeof(float));

		bytes = kb_xcalloc(want + 1, 1);
		for (size_t i = 0; i < want && size; i++)
			bytes[i] = data[(i + id) % size];
		if (id == KB_FAC_KEYS)
			put_keys(bytes, KB_MIN(head.terms, KB_COUNTOF(words)));
		kb_builder_put(builder, id, bytes, want + (size > 7 && data[7] == id));
		free(bytes);
	}
	KB_ASSERT(kb_builder_finish(builder, &n, &err));
	kb_builder_free(builder);
}

static void use(struct kb_factors *factors, struct kb_segment *segment)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_arena arena = { 0 };
	struct kb_snapshot *snapshot;
	struct kb_vectors *column;
	struct kb_err err;
	char path[64];
	int64_t bytes;

	snprintf(path, sizeof(path), "/tmp/docent-factors-fuzz-%d", (int)getpid());
	KB_ASSERT(kb_factors_fold(factors, segment, NULL, path, &bytes, &err));
	column = kb_vectors_open(path, true, &err);
	KB_ASSERT(column);
	unlink(path);
	snapshot = kb_snapshot_new(
	        &(struct kb_snapshot_part){
	                .segment = segment, .version = 1, .vectors = &column, .vectors_count = 1 },
	        1, NULL, 0);
	kb_snapshot_set_factors(snapshot, factors);
	for (size_t i = 0; i < KB_COUNTOF(texts); i++) {
		struct kb_query query = { .limit = 10, .rerank = 10, .factors = .3f };
		struct kb_hit *hits;
		size_t count;

		kb_query_build(analyzer, &arena, texts[i], KB_LANG_NONE, &query);
		kb_search(snapshot, &arena, &query, &hits, &count);
		KB_ASSERT(count >= 1 && count <= KB_COUNTOF(texts));
	}
	kb_snapshot_release(snapshot);
	kb_vectors_release(column);
	kb_arena_fini(&arena);
	kb_analyzer_free(analyzer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kb_segment *segment;
	struct kb_factors *factors;
	struct kb_err err;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/docent-factors-fuzz-%d-model", (int)getpid());
	if (!segment)
		segment = make_segment();
	if (size && data[0] == 0)
		KB_ASSERT(kb_file_replace(path, kb_sv((const char *)data + 1, size - 1), &err));
	else
		make_file(data, size, path);
	factors = kb_factors_open(path, &err);
	unlink(path);
	if (factors)
		use(factors, segment);
	else
		KB_ASSERT(err.code == KB_E_CORRUPT);
	kb_factors_release(factors);
	return 0;
}
