/*
 * How fast the index is built and searched:
 *
 *   bench/search DOCS.jsonl QUERIES.jsonl [PASSAGES]     e.g. what bench/corpus.mjs wrote
 *   bench/search                                         a made-up corpus
 *
 * Prints build speed (the texts lie in memory; one thread) and, for each kind of
 * search, the quantiles of the questions' times, each the median of ROUNDS runs. All times are
 * processor time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "index/factors.h"
#include "index/query.h"
#include "index/rerank.h"
#include "index/search.h"

enum { ROUNDS = 5, MADE_PASSAGES = 200000, MADE_WORDS = 120, MADE_QUESTIONS = 300 };
#define FILE_MAX KB_GIB(4)

/* This thread's processor time: a busy machine lengthens it less than the wall's. */
static int64_t cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

struct texts {
	struct kb_arena arena;
	struct kb_sv *v;
	size_t count, capacity, bytes;
};

static void add_text(struct texts *texts, struct kb_sv text)
{
	KB_GROW(texts->v, texts->capacity, texts->count + 1);
	texts->v[texts->count++] = kb_arena_sv(&texts->arena, text);
	texts->bytes += text.n;
}

static bool read_texts(struct texts *texts, const char *path, int64_t max, struct kb_err *err)
{
	struct kb_arena file = { 0 }, record = { 0 };
	struct kb_sv rest, line;
	bool ok = kb_file_read(&file, path, FILE_MAX, &rest, err);

	while (ok && (int64_t)texts->count < max && kb_sv_split(&rest, '\n', &line)) {
		json_t *object;

		if (!line.n)
			continue;
		object = kb_json_parse(&record, line, err);
		ok = object != NULL;
		if (ok)
			add_text(texts, kb_json_sv(object, "text", KB_SV("")));
		kb_arena_reset(&record);
	}
	kb_arena_fini(&record);
	kb_arena_fini(&file);
	return ok;
}

static uint32_t roll(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*state >> 33) % below);
}

/* Words of made-up syllables, their frequencies falling as in real text. */
static void make_texts(struct texts *texts, size_t count, uint32_t words)
{
	static const char syllables[][3] = { "ba", "ko", "mu", "ri", "ta", "ve", "zo", "lu",
		                             "ne", "si", "do", "ga", "pe", "wi", "fa", "ju" };
	uint64_t state = count;
	struct kb_buf buf;

	kb_buf_init(&buf, KB_MIB(1));
	for (size_t i = 0; i < count; i++) {
		kb_buf_clear(&buf);
		for (uint32_t w = 0; w < words; w++) {
			uint32_t n = 1u << roll(&state, 20);

			for (n = n / 2 + roll(&state, n); n; n /= KB_COUNTOF(syllables))
				kb_buf_str(&buf, syllables[n % KB_COUNTOF(syllables)]);
			kb_buf_str(&buf, w % 11 ? " " : ". ");
		}
		add_text(texts, kb_buf_view(&buf));
	}
	kb_buf_fini(&buf);
}

static bool build(const struct texts *docs, const char *path, struct kb_segment_info *info,
                  struct kb_err *err)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	int64_t start = cpu_us(), added, done;
	bool ok;

	for (size_t i = 0; i < docs->count; i++)
		kb_segment_writer_add(writer, &(struct kb_passage){ .page_id = (int64_t)i,
		                                                    .lang = KB_LANG_EN,
		                                                    .text = docs->v[i] });
	added = cpu_us();
	ok = kb_segment_writer_finish(writer, path, info, err);
	done = cpu_us();
	kb_segment_writer_free(writer);
	printf("build: %zu passages, %.1f MB; add %.1f MB/s, finish %.2f s, both %.1f MB/s\n",
	       docs->count, (double)docs->bytes / 1e6,
	       (double)docs->bytes / (double)(added - start), (double)(done - added) / 1e6,
	       (double)docs->bytes / (double)(done - start));
	return ok;
}

static int by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

typedef void search_fn(const struct kb_snapshot *, struct kb_arena *, const struct kb_query *,
                       struct kb_hit **, size_t *);

static void time_search(const struct kb_snapshot *snapshot, const struct texts *questions,
                        const char *name, search_fn *search, size_t limit, size_t rerank,
                        float factors)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();
	int64_t *times = kb_xcalloc(questions->count, sizeof(*times));
	size_t n = questions->count;
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < n; i++) {
		int64_t rounds[ROUNDS];

		for (int round = 0; round < ROUNDS; round++) {
			struct kb_query query = { .limit = limit,
				                  .rerank = rerank,
				                  .factors = factors };
			int64_t start = cpu_us();
			struct kb_hit *hits;
			size_t count;

			kb_query_build(analyzer, &arena, questions->v[i], KB_LANG_EN, &query);
			search(snapshot, &arena, &query, &hits, &count);
			rounds[round] = cpu_us() - start;
			kb_arena_reset(&arena);
		}
		qsort(rounds, ROUNDS, sizeof(*rounds), by_time);
		times[i] = rounds[ROUNDS / 2];
	}
	qsort(times, n, sizeof(*times), by_time);
	printf("%-34s p50 %6" PRId64 "  p95 %6" PRId64 "  p99 %6" PRId64 " us\n", name,
	       times[n / 2], times[n * 95 / 100], times[n * 99 / 100]);
	kb_arena_fini(&arena);
	kb_analyzer_free(analyzer);
	free(times);
}

/* The third step, with what it takes to get there. */
static bool time_factors(struct kb_segment *segment, const struct texts *questions,
                         const char *path, struct kb_err *err)
{
	struct kb_snapshot_part part = { .segment = segment, .version = 1 };
	struct kb_snapshot *snapshot = kb_snapshot_new(&part, 1, NULL, 0);
	struct kb_factors *factors = NULL;
	struct kb_vectors *column = NULL;
	struct kb_factors_info info;
	int64_t start = cpu_us(), trained, bytes = 0;
	bool ok;

	ok = kb_factors_train(snapshot, &(struct kb_factors_options){ .seed = 1 }, path, &info, err)
	     && (factors = kb_factors_open(path, err)) != NULL;
	unlink(path);
	trained = cpu_us();
	kb_snapshot_release(snapshot);
	ok = ok && kb_factors_fold(factors, segment, path, &bytes, err)
	     && (column = kb_vectors_open(path, false, err)) != NULL;
	unlink(path);
	if (ok) {
		printf("factors: learned in %.1f s (%.1f MB), folded in %.1f s (%.1f MB)\n",
		       (double)(trained - start) / 1e6, (double)info.bytes / 1e6,
		       (double)(cpu_us() - trained) / 1e6, (double)bytes / 1e6);
		part.vectors = &column;
		part.vectors_count = 1;
		snapshot = kb_snapshot_new(&part, 1, NULL, 0);
		kb_snapshot_set_factors(snapshot, factors);
		time_search(snapshot, questions, "best 10 in all three steps", kb_search, 10,
		            KB_RERANK_DEFAULT, KB_FACTORS_WEIGHT);
		kb_snapshot_release(snapshot);
	}
	kb_vectors_release(column);
	kb_factors_release(factors);
	return ok;
}

static bool run(int argc, char **argv, const char *path, struct kb_err *err)
{
	struct texts docs = { 0 }, questions = { 0 };
	struct kb_segment_info info;
	struct kb_segment *segment;
	struct kb_snapshot *snapshot;
	int64_t max = INT64_MAX;
	bool ok;

	if (argc > 3 && !kb_sv_to_int(kb_sv_str(argv[3]), 1, INT64_MAX, &max))
		return kb_fail(err, KB_E_INVALID, "%s is no number of passages", argv[3]);
	if (argc > 2) {
		if (!read_texts(&docs, argv[1], max, err)
		    || !read_texts(&questions, argv[2], INT64_MAX, err))
			return false;
	} else {
		make_texts(&docs, MADE_PASSAGES, MADE_WORDS);
		make_texts(&questions, MADE_QUESTIONS, 10);
	}
	if (!questions.count)
		return kb_fail(err, KB_E_INVALID, "there are no questions");
	if (!build(&docs, path, &info, err))
		return false;
	kb_arena_fini(&docs.arena);
	free(docs.v);
	segment = kb_segment_open(path, false, err);
	unlink(path);
	if (!segment)
		return false;
	printf("file: %.3f of the text\n", (double)info.bytes / (double)info.text_bytes);
	snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ segment, 1 }, 1, NULL, 0);
	time_search(snapshot, &questions, "best 10", kb_search, 10, 0, 0);
	time_search(snapshot, &questions, "best 10 of 200 reranked", kb_search, 10,
	            KB_RERANK_DEFAULT, 0);
	time_search(snapshot, &questions, "best 200", kb_search, 200, 0, 0);
	time_search(snapshot, &questions, "best 10, exhaustive", kb_search_exact, 10, 0, 0);
	kb_snapshot_release(snapshot);
	ok = time_factors(segment, &questions, path, err);
	kb_segment_release(segment);
	kb_arena_fini(&questions.arena);
	free(questions.v);
	return ok;
}

int main(int argc, char **argv)
{
	char path[64];
	struct kb_err err;

	kb_crypto_init();
	snprintf(path, sizeof(path), "/tmp/docent-bench-search-%d", (int)getpid());
	if (!run(argc, argv, path, &err)) {
		fprintf(stderr, "bench/search: %s\n", err.msg);
		return 1;
	}
	return 0;
}
