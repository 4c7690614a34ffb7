/*
 * Foreign bytes into the reader of a table of word vectors, as a file or as the sections of one
 * whose frame is right; then a segment is searched with what was read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "index/build.h"
#include "index/meaning_table.h"
#include "index/query.h"
#include "index/rank.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct kb_sv texts[] = { KB_SV_INIT("the keeper of the lighthouse"),
	                              KB_SV_INIT("a lamp for the keeper. Lighthousekeeping"),
	                              KB_SV_INIT("東京の灯台と灯台守") };

static const struct kb_sv words[] = { KB_SV_INIT("keeper"), KB_SV_INIT("lighthouse"),
	                              KB_SV_INIT("灯"), KB_SV_INIT("灯台") };

static struct kb_snapshot *make_snapshot(void)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_segment_info info;
	struct kb_segment *segment;
	struct kb_snapshot *snapshot;
	struct kb_err err;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/docent-meaning-fuzz-%d", (int)getpid());
	for (size_t i = 0; i < KB_COUNTOF(texts); i++)
		kb_segment_writer_add(
		        writer, &(struct kb_passage){ .page_id = (int64_t)i, .text = texts[i] });
	KB_ASSERT(kb_segment_writer_finish(writer, path, &info, &err));
	segment = kb_segment_open(path, true, &err);
	KB_ASSERT(segment);
	unlink(path);
	kb_segment_writer_free(writer);
	snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ .segment = segment, .version = 1 },
	                           1, NULL, 0);
	kb_segment_release(segment);
	return snapshot;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = kb_get32(a), y = kb_get32(b);

	return x < y ? -1 : x > y;
}

/* A file whose frame is right: sections of about the sizes that the first one asks for, with keys
 * that the segment's words have. */
static void make_file(const uint8_t *data, size_t size, const char *path)
{
	struct kb_builder *builder = kb_builder_new(&kb_meaning_form, path);
	struct kb_meaning_head head = { 0 };
	struct kb_err err;
	int64_t n;

	kb_builder_passing(builder);
	memcpy(&head, data, KB_MIN(size, sizeof(head)));
	head.dims = head.dims % 9 ? KB_MEANING_DIMS : head.dims;
	head.words %= 9;
	head.groups %= 9;
	kb_builder_put(builder, KB_MEAN_INFO, &head, sizeof(head));
	for (uint32_t id = KB_MEAN_KEYS; id < KB_MEAN_COUNT; id++) {
		size_t rows = (size_t)head.words + head.groups;
		size_t want = id == KB_MEAN_KEYS     ? head.words * sizeof(uint32_t)
		              : id == KB_MEAN_SCALES ? rows * sizeof(float)
		                                     : rows * KB_MEANING_DIMS;
		uint8_t *bytes = kb_xcalloc(want + 4, 1);

		for (size_t i = 0; i < want && size; i++)
			bytes[i] = data[(i + id) % size];
		if (id == KB_MEAN_KEYS) {
			for (size_t i = 0; i < KB_MIN(head.words, KB_COUNTOF(words)); i++) {
				uint32_t key = kb_meaning_key(words[i]);

				memcpy(bytes + i * sizeof(key), &key, sizeof(key));
			}
			qsort(bytes, head.words, sizeof(uint32_t), by_number);
		}
		if (id == KB_MEAN_SCALES && size % 2)
			for (size_t i = 0; i < rows; i++)
				memcpy(bytes + i * sizeof(float), &(float){ .01f }, sizeof(float));
		kb_builder_put(builder, id, bytes, want + (size > 7 && data[7] == id));
		free(bytes);
	}
	KB_ASSERT(kb_builder_finish(builder, &n, &err));
	kb_builder_free(builder);
}

static void use(const struct kb_meaning *meaning, const struct kb_snapshot *snapshot)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(texts); i++) {
		struct kb_query query = { .limit = 10, .rerank = 10, .meaning = meaning };
		struct kb_hit *hits;
		size_t count;

		kb_query_build(analyzer, &arena, texts[i], KB_LANG_NONE, &query);
		kb_search(snapshot, &arena, &query, &hits, &count);
		KB_ASSERT(count >= 1 && count <= KB_COUNTOF(texts));
		for (size_t k = 0; k < count; k++)
			KB_ASSERT(hits[k].score > -1e6f && hits[k].score < 1e6f);
	}
	kb_arena_fini(&arena);
	kb_analyzer_free(analyzer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kb_snapshot *snapshot;
	struct kb_meaning *meaning;
	struct kb_err err;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/docent-meaning-fuzz-%d-table", (int)getpid());
	if (!snapshot)
		snapshot = make_snapshot();
	if (size && data[0] % 4 == 0)
		KB_ASSERT(kb_file_replace(path, kb_sv((const char *)data, size), &err));
	else
		make_file(data, size, path);
	meaning = kb_meaning_open(path, &err);
	unlink(path);
	if (meaning)
		use(meaning, snapshot);
	kb_meaning_close(meaning);
	return 0;
}
