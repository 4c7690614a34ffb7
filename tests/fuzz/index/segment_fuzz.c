/*
 * Foreign bytes into the segment reader. The section table's checksum and the file's length are put
 * right first, so that the bytes get past the door; then everything is read that can be read.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "index/forward.h"
#include "index/query.h"
#include "index/rank.h"
#include "index/rerank.h"
#include "index/search.h"

enum { PASSAGES_READ = 300, TERMS_READ = 2000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file with these bytes; its path. */
static int make_file(const uint8_t *data, size_t size, char path[64])
{
	struct kb_arena arena = { 0 };
	struct kb_err err;
	char *bytes = kb_arena_str(&arena, kb_sv((const char *)data, size));
	size_t rows;
	uint64_t n = size;
	int fd = memfd_create("segment", MFD_CLOEXEC);

	KB_ASSERT(fd >= 0);
	if (size >= KB_CONTAINER_HEADER) {
		memcpy(bytes + 16, &n, sizeof(n));
		rows = KB_MIN(kb_get32(bytes + 12),
		              (size - KB_CONTAINER_HEADER) / KB_CONTAINER_ROW);
		n = kb_hash64(kb_sv(bytes + KB_CONTAINER_HEADER, rows * KB_CONTAINER_ROW));
		memcpy(bytes + 24, &n, sizeof(n));
	}
	KB_ASSERT(kb_fd_write_all(fd, kb_sv(bytes, size), "a memory file", &err));
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	kb_arena_fini(&arena);
	return fd;
}

/* Searches for terms that the dictionary itself names, so that their lists are read. */
static void search(const struct kb_snapshot *snapshot, const struct kb_segment *segment,
                   struct kb_analyzer *analyzer)
{
	struct kb_arena arena = { 0 };
	struct kb_query_term terms[8];
	struct kb_query query = { .terms = terms, .limit = 10, .rerank = 50 };
	struct kb_dict_iter iter;
	bool damaged = false;

	kb_dict_iter_init(&iter, segment);
	for (int i = 0; i < TERMS_READ && kb_dict_iter_next(&iter, &damaged); i++) {
		struct kb_hit *hits;
		size_t count;

		terms[query.term_count++] =
		        (struct kb_query_term){ kb_arena_sv(&arena, iter.term), 1 };
		if (query.term_count < KB_COUNTOF(terms))
			continue;
		kb_analyze(analyzer, &arena, KB_LANG_EN, terms[0].term, &query.question);
		kb_search(snapshot, &arena, &query, &hits, &count);
		kb_search_exact(snapshot, &arena, &query, &hits, &count);
		for (size_t k = 0; k < count; k++)
			kb_score(snapshot, hits[k].part, hits[k].doc, terms, query.term_count);
		query.term_count = 0;
		kb_arena_reset(&arena);
	}
	kb_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_segment *segment;
	char path[64];
	int fd = make_file(data, size, path);
	struct kb_err err;

	segment = kb_segment_open(path, false, &err);
	if (segment) {
		struct kb_analyzer *analyzer = kb_analyzer_new();
		struct kb_snapshot *snapshot =
		        kb_snapshot_new(&(struct kb_snapshot_part){ segment, 1 }, 1,
		                        &(struct kb_dead_page){ 1, 2 }, 1);
		struct kb_arena arena = { 0 };

		search(snapshot, segment, analyzer);
		for (uint32_t i = 0; i < KB_MIN(segment->passages, (uint32_t)PASSAGES_READ); i++) {
			struct kb_passage passage;

			if (!kb_snapshot_passage(snapshot, &arena, 0, i, &passage, &err))
				break;
			kb_arena_reset(&arena);
		}
		kb_arena_fini(&arena);
		kb_snapshot_release(snapshot);
		kb_analyzer_free(analyzer);
	}
	kb_segment_release(segment);
	close(fd);
	return 0;
}
