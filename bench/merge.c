/*
 * How fast parts become one segment:
 *
 *   bench/merge DOCS.jsonl [PASSAGES [PARTS [FIRST]]]
 *
 * By default of all passages, in four equal parts; FIRST: per cent of them in the first one.
 *
 * The parts are written first. Prints the merge in processor time and MB of text a second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hash.h"
#include "index/index.h"
#include "texts.h"

enum { PARTS_DEFAULT = 4, PARTS_MAX = 64 };

struct bench {
	struct bench_texts docs;
	char dir[32];
	size_t parts;
	int64_t first; /* per cent; 0: as the others */
};

static void path_of(const struct bench *bench, size_t number, char out[64])
{
	snprintf(out, 64, "%s/%zu", bench->dir, number);
}

/* Where part i begins. */
static size_t part_begin(const struct bench *bench, size_t i)
{
	size_t count = bench->docs.count, first = count * (size_t)bench->first / 100;

	if (!bench->first)
		return count * i / bench->parts;
	return i ? first + (count - first) * (i - 1) / KB_MAX(bench->parts - 1, (size_t)1) : 0;
}

/* Passages first to end - 1 as one segment. */
static bool write_part(const struct bench *bench, size_t first, size_t end, const char *path,
                       struct kb_err *err)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	bool ok;

	for (size_t i = first; i < end; i++)
		kb_segment_writer_add(
		        writer, &(struct kb_passage){ .page_id = (int64_t)i,
		                                      .lang = kb_lang_of_text(bench->docs.v[i]),
		                                      .text = bench->docs.v[i] });
	ok = kb_segment_writer_finish(writer, path, NULL, err);
	kb_segment_writer_free(writer);
	return ok;
}

static bool merge(const struct bench *bench, struct kb_err *err)
{
	struct kb_snapshot_part parts[PARTS_MAX] = { { 0 } };
	size_t count = bench->docs.count, opened = 0;
	struct kb_segment_info info = { 0 };
	char path[64];
	bool ok = true;

	for (size_t i = 0; ok && i < bench->parts; i++) {
		path_of(bench, i, path);
		ok = write_part(bench, part_begin(bench, i),
		                i + 1 < bench->parts ? part_begin(bench, i + 1) : count, path, err)
		     && (parts[i].segment = kb_segment_open(path, false, err)) != NULL;
		unlink(path);
		opened += ok;
	}
	if (ok) {
		struct kb_snapshot *snapshot = kb_snapshot_new(parts, bench->parts, NULL, 0);
		int64_t start = bench_cpu_us(), took;

		path_of(bench, bench->parts, path);
		ok = kb_segment_merge(
		        &(struct kb_part_range){ .snapshot = snapshot, .count = bench->parts },
		        NULL, path, &info, err);
		took = KB_MAX(bench_cpu_us() - start, INT64_C(1));
		unlink(path);
		if (ok)
			printf("merge: %zu parts, %zu passages, %.1f MB of text in %.2f s: "
			       "%.1f MB/s; %.1f MB written\n",
			       bench->parts, count, (double)bench->docs.bytes / 1e6,
			       (double)took / 1e6, (double)bench->docs.bytes / (double)took,
			       (double)info.bytes / 1e6);
		kb_snapshot_release(snapshot);
	}
	for (size_t i = 0; i < opened; i++)
		kb_segment_release(parts[i].segment);
	return ok;
}

static bool run(int argc, char **argv, struct bench *bench, struct kb_err *err)
{
	int64_t max = INT64_MAX, parts = PARTS_DEFAULT;

	if (argc < 2 || argc > 5
	    || (argc > 2 && !kb_sv_to_int(kb_sv_str(argv[2]), 1, INT64_MAX, &max))
	    || (argc > 3 && !kb_sv_to_int(kb_sv_str(argv[3]), 1, PARTS_MAX, &parts))
	    || (argc > 4 && !kb_sv_to_int(kb_sv_str(argv[4]), 1, 99, &bench->first)))
		return kb_fail(err, KB_E_INVALID,
		               "usage: bench/merge DOCS.jsonl [PASSAGES [PARTS, at most %d [FIRST, "
		               "per cent]]]",
		               PARTS_MAX);
	bench->parts = (size_t)parts;
	return bench_texts_read(&bench->docs, argv[1], 0, max, err) && merge(bench, err);
}

int main(int argc, char **argv)
{
	struct bench bench = { .dir = "/tmp/docent-merge-XXXXXX" };
	struct kb_err err = { 0 };
	bool ok;

	kb_crypto_init();
	if (!mkdtemp(bench.dir)) {
		perror("bench/merge");
		return 1;
	}
	ok = run(argc, argv, &bench, &err);
	if (!ok)
		fprintf(stderr, "bench/merge: %s\n", err.msg);
	bench_texts_fini(&bench.docs);
	rmdir(bench.dir);
	return !ok;
}
