/*
 * Foreign bytes into the reader of vector columns. The section table's checksum, the file's length
 * and the places of sections (which must be aligned) are put right first, so that the bytes get
 * past the door; then the column is searched, read and merged.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "index/vector_search.h"

enum { PASSAGES = 64, READ = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int make_file(const uint8_t *data, size_t size, char path[64])
{
	struct kb_arena arena = { 0 };
	struct kb_err err;
	char *bytes = kb_arena_str(&arena, kb_sv((const char *)data, size));
	size_t rows;
	uint64_t n = size;
	int fd = memfd_create("column", MFD_CLOEXEC);

	KB_ASSERT(fd >= 0);
	if (size >= KB_CONTAINER_HEADER) {
		memcpy(bytes + 16, &n, sizeof(n));
		rows = KB_MIN(kb_get32(bytes + 12),
		              (size - KB_CONTAINER_HEADER) / KB_CONTAINER_ROW);
		for (size_t i = 0; i < rows; i++)
			bytes[KB_CONTAINER_HEADER + i * KB_CONTAINER_ROW + 8] &= (char)0xc0;
		n = kb_hash64(kb_sv(bytes + KB_CONTAINER_HEADER, rows * KB_CONTAINER_ROW));
		memcpy(bytes + 24, &n, sizeof(n));
	}
	KB_ASSERT(kb_fd_write_all(fd, kb_sv(bytes, size), "a memory file", &err));
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	kb_arena_fini(&arena);
	return fd;
}

/* A segment with as many passages as the column says, where that is not too many; made once for
 * each number. */
static struct kb_segment *segment_of(uint32_t passages)
{
	static struct kb_segment *made[PASSAGES + 1];
	struct kb_segment_writer *writer;
	struct kb_segment_info info;
	struct kb_err err;
	char path[64];
	int fd;

	if (passages > PASSAGES)
		return NULL;
	if (made[passages])
		return made[passages];
	writer = kb_segment_writer_new();
	for (uint32_t i = 0; i < passages; i++)
		kb_segment_writer_add(writer, &(struct kb_passage){ .page_id = i / 3 });
	snprintf(path, sizeof(path), "/tmp/docent-fuzz-%d", (int)getpid());
	KB_ASSERT(kb_segment_writer_finish(writer, path, &info, &err));
	kb_segment_writer_free(writer);
	made[passages] = kb_segment_open(path, true, &err);
	fd = unlink(path);
	KB_ASSERT(made[passages] && fd == 0);
	return made[passages];
}

static void use(struct kb_vectors *vectors, struct kb_segment *segment,
                const struct kb_vectors_info *info)
{
	struct kb_snapshot *snapshot = kb_snapshot_new(
	        &(struct kb_snapshot_part){
	                .segment = segment, .version = 1, .vectors = &vectors, .vectors_count = 1 },
	        1, &(struct kb_dead_page){ 1, 2 }, 1);
	struct kb_arena arena = { 0 };
	float *v = KB_NEW_ARRAY(&arena, info->dims, float);
	struct kb_vector_query query = {
		.name = info->name, .model = info->model, .v = v, .dims = info->dims, .limit = 10
	};
	char path[64];
	int64_t bytes;
	struct kb_err err;

	for (uint32_t i = 0; i < info->dims; i++)
		v[i] = (float)i - 3;
	for (size_t i = 0; i < 2 * kb_vector_path_count; i++) {
		struct kb_hit *hits;
		size_t count;

		query.exhaustive = i % 2;
		if (!kb_vector_paths[i / 2]->available())
			continue;
		kb_vector_search_by(kb_vector_paths[i / 2], snapshot, &arena, &query, &hits,
		                    &count);
		for (size_t k = 0; k < count; k++)
			KB_ASSERT(hits[k].doc < info->passages && hits[k].score >= -1
			          && hits[k].score <= 1);
	}
	snprintf(path, sizeof(path), "/tmp/docent-fuzz-%d", (int)getpid());
	if (kb_vectors_merge(&(struct kb_part_range){ .snapshot = snapshot, .count = 1 },
	                     &(struct kb_vector_column){ info->name, info->model, info->dims },
	                     path, &bytes, &err)) {
		struct kb_vectors *merged = kb_vectors_open(path, true, &err);

		KB_ASSERT(merged);
		kb_vectors_release(merged);
		unlink(path);
	}
	kb_snapshot_release(snapshot);
	kb_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_vectors *vectors;
	char path[64];
	int fd = make_file(data, size, path);
	struct kb_err err;

	vectors = kb_vectors_open(path, false, &err);
	if (vectors) {
		struct kb_arena arena = { 0 };
		struct kb_vectors_info info;
		struct kb_segment *segment;
		float *v;

		kb_vectors_info(vectors, &info);
		v = KB_NEW_ARRAY(&arena, info.dims, float);
		for (uint32_t i = 0; i < KB_MIN(info.passages, (uint32_t)READ); i++) {
			const struct kb_vector *vector;
			const float *cosines;
			size_t parts;

			if (!kb_vectors_get(vectors, i, v))
				continue;
			vector = kb_vector_new(&arena, v, info.dims);
			kb_vectors_cosine(vectors, i, vector);
			cosines = kb_vectors_part_cosines(vectors, &arena, i, vector, &parts);
			for (size_t k = 0; k < parts; k++)
				KB_ASSERT(cosines[k] >= -1 && cosines[k] <= 1);
			kb_arena_reset(&arena);
			v = KB_NEW_ARRAY(&arena, info.dims, float);
		}
		kb_arena_fini(&arena);
		if (vectors->signs && info.passages <= READ) {
			uint64_t question[KB_VECTOR_DIMS_MAX / 64] = { 1, 2, 3 };
			uint16_t differences[READ + KB_SIGNS_LANES];

			kb_vector_path()->differences(vectors->signs, vectors->sign_words,
			                              (info.passages + KB_SIGNS_LANES - 1)
			                                      / KB_SIGNS_LANES,
			                              question, differences);
		}
		segment = segment_of(info.passages);
		if (segment)
			use(vectors, segment, &info);
	}
	kb_vectors_release(vectors);
	close(fd);
	return 0;
}
