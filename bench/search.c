/*
 * How fast the index is built and searched:
 *
 *   bench/search DOCS.jsonl QUERIES.jsonl [PASSAGES]     e.g. what bench/corpus.mjs wrote
 *   bench/search                                         a made-up corpus
 *
 * Prints build speed (the texts lie in memory; one thread) and, for each kind of
 * search, the quantiles of the questions' times, each the median of ROUNDS runs. Building is told
 * in processor time, searching in both kinds of time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "index/factors.h"
#include "index/query.h"
#include "index/rank.h"
#include "index/rerank.h"
#include "index/search.h"
#include "process.h"
#include "texts.h"

enum {
	ROUNDS = 5,
	MADE_PASSAGES = 200000,
	MADE_WORDS = 120,
	MADE_QUESTIONS = 300,
	DEAD_MAX = 10000
};

static uint32_t roll(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*state >> 33) % below);
}

/* Words of made-up syllables, their frequencies falling as in real text. */
static void make_texts(struct bench_texts *texts, size_t count, uint32_t words)
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
		bench_texts_add(texts, kb_buf_view(&buf));
	}
	kb_buf_fini(&buf);
}

static bool build(const struct bench_texts *docs, const char *path, struct kb_segment_info *info,
                  struct kb_err *err)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	int64_t start = bench_cpu_us(), added, done;
	bool ok;

	for (size_t i = 0; i < docs->count; i++)
		kb_segment_writer_add(writer,
		                      &(struct kb_passage){ .page_id = (int64_t)i,
		                                            .lang = kb_lang_of_text(docs->v[i]),
		                                            .text = docs->v[i] });
	added = bench_cpu_us();
	ok = kb_segment_writer_finish(writer, path, info, err);
	done = bench_cpu_us();
	kb_segment_writer_free(writer);
	printf("build: %zu passages, %.1f MB; add %.1f MB/s, finish %.2f s, both %.1f MB/s\n",
	       docs->count, (double)docs->bytes / 1e6,
	       (double)docs->bytes / (double)(added - start), (double)(done - added) / 1e6,
	       (double)docs->bytes / (double)(done - start));
	return ok;
}

typedef void search_fn(const struct kb_snapshot *, struct kb_arena *, const struct kb_query *,
                       struct kb_hit **, size_t *);

struct kind {
	const char *name;
	search_fn *search;
	size_t limit, rerank;
	float factors;
	int rounds;
	int64_t hidden; /* one page in so many is hidden from each question; 0: none */
};

static bool allow(void *every, int64_t page_id)
{
	return page_id % *(int64_t *)every != 0;
}

static void time_search(const struct kb_snapshot *snapshot, const struct bench_texts *questions,
                        const struct kind *kind)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();
	size_t n = questions->count;
	int64_t *cpu = kb_xcalloc(n, sizeof(*cpu)), *wall = kb_xcalloc(n, sizeof(*wall));
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < n; i++) {
		int64_t cpus[ROUNDS], walls[ROUNDS];

		for (int round = 0; round < kind->rounds; round++) {
			struct kb_query query = { .limit = kind->limit,
				                  .rerank = kind->rerank,
				                  .purpose = KB_FOR_SEARCH,
				                  .factors = kind->factors };
			int64_t cpu_start = bench_cpu_us(), start = kb_clock_mono_us();
			struct kb_snapshot *opened = NULL;
			int64_t hidden = kind->hidden;
			struct kb_hit *hits;
			size_t count;

			if (hidden)
				opened = kb_snapshot_hiding(snapshot, allow, &hidden);
			kb_query_build(analyzer, &arena, questions->v[i], KB_LANG_EN, &query);
			kind->search(opened ? opened : snapshot, &arena, &query, &hits, &count);
			kb_snapshot_release(opened);
			walls[round] = kb_clock_mono_us() - start;
			cpus[round] = bench_cpu_us() - cpu_start;
			kb_arena_reset(&arena);
		}
		qsort(cpus, (size_t)kind->rounds, sizeof(*cpus), bench_compare_int64);
		qsort(walls, (size_t)kind->rounds, sizeof(*walls), bench_compare_int64);
		cpu[i] = cpus[kind->rounds / 2];
		wall[i] = walls[kind->rounds / 2];
	}
	bench_print_times(kind->name, "wall", wall, n);
	bench_print_times(kind->name, "processor", cpu, n);
	kb_arena_fini(&arena);
	kb_analyzer_free(analyzer);
	free(cpu);
	free(wall);
}

/* What the file spends on what, as parts of the text. */
static void print_sizes(const struct kb_segment *segment, const struct kb_segment_info *info)
{
	struct kb_section_info sections[KB_SEC_COUNT];
	size_t count =
	        KB_MIN(kb_segment_sections(segment, sections, KB_SEC_COUNT), (size_t)KB_SEC_COUNT);
	double text = (double)info->text_bytes, stored = 0, words = 0;

	for (size_t i = 0; i < count; i++) {
		const char *name = sections[i].name;

		if (strncmp(name, "text", 4) == 0)
			stored += (double)sections[i].bytes;
		else if (strncmp(name, "forward", 7) == 0 || strcmp(name, "words") == 0
		         || strcmp(name, "pieces") == 0)
			words += (double)sections[i].bytes;
	}
	printf("file: %.3f of the text: index %.3f, words for the second step %.3f, stored text "
	       "%.3f\n",
	       (double)info->bytes / text, ((double)info->bytes - stored - words) / text,
	       words / text, stored / text);
}

static void print_memory(const char *when)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("memory, highest: %ld MB %s\n", usage.ru_maxrss / 1024, when);
}

/* What is resident now: the highest is that of building. */
static void print_resident(const char *when)
{
	FILE *file = fopen("/proc/self/statm", "re");
	long pages = 0, resident = 0;

	if (file && fscanf(file, "%ld %ld", &pages, &resident) == 2)
		printf("memory: %ld MB %s\n", resident * (sysconf(_SC_PAGESIZE) / 1024) / 1024,
		       when);
	if (file)
		fclose(file);
}

static const struct kind kinds[] = {
	{ "best 10", kb_search, 10, 0, 0, ROUNDS, 0 },
	{ "best 10 of 200 reranked", kb_search, 10, KB_RERANK_DEFAULT, 0, ROUNDS, 0 },
	{ "best 200", kb_search, 200, 0, 0, ROUNDS, 0 },
	{ "best 10, exhaustive", kb_search_exact, 10, 0, 0, 1, 0 },
	{ "best 10, a tenth hidden", kb_search, 10, 0, 0, ROUNDS, 10 },
	{ "best 10 of 200, a tenth hidden", kb_search, 10, KB_RERANK_DEFAULT, 0, ROUNDS, 10 },
};

/* As if one page in a thousand had been deleted since the file was written. */
static void time_deleted(struct kb_segment *segment, const struct bench_texts *questions)
{
	struct kb_dead_page dead[DEAD_MAX];
	struct kb_segment_info info;
	struct kb_snapshot *snapshot;
	size_t count = 0;

	kb_segment_info(segment, &info);
	for (int64_t page = 0; page < info.pages && count < DEAD_MAX; page += 1000)
		dead[count++] = (struct kb_dead_page){ page, 2 };
	snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ .segment = segment, .version = 1 },
	                           1, dead, count);
	time_search(snapshot, questions,
	            &(struct kind){ "best 10, some deleted", kb_search, 10, 0, 0, ROUNDS, 0 });
	time_search(snapshot, questions,
	            &(struct kind){ "best 10 of 200, some deleted", kb_search, 10,
	                            KB_RERANK_DEFAULT, 0, ROUNDS, 0 });
	kb_snapshot_release(snapshot);
}

/* The third step, with what it takes to get there. */
static bool time_factors(struct kb_segment *segment, const struct bench_texts *questions,
                         const char *path, struct kb_err *err)
{
	struct kb_snapshot_part part = { .segment = segment, .version = 1 };
	struct kb_snapshot *snapshot = kb_snapshot_new(&part, 1, NULL, 0);
	struct kb_factors *factors = NULL;
	struct kb_vectors *column = NULL;
	struct kb_factors_info info;
	int64_t start = bench_cpu_us(), trained, bytes = 0;
	bool ok;

	ok = kb_factors_train(snapshot, &(struct kb_factors_options){ .seed = 1 }, path, &info, err)
	     && (factors = kb_factors_open(path, err)) != NULL;
	unlink(path);
	trained = bench_cpu_us();
	kb_snapshot_release(snapshot);
	ok = ok && kb_factors_fold(factors, segment, NULL, path, &bytes, err)
	     && (column = kb_vectors_open(path, false, err)) != NULL;
	unlink(path);
	if (ok) {
		printf("factors: learned in %.1f s (%.1f MB), folded in %.1f s (%.1f MB)\n",
		       (double)(trained - start) / 1e6, (double)info.bytes / 1e6,
		       (double)(bench_cpu_us() - trained) / 1e6, (double)bytes / 1e6);
		print_resident("after learning, files in the page cache included");
		part.vectors = &column;
		part.vectors_count = 1;
		snapshot = kb_snapshot_new(&part, 1, NULL, 0);
		kb_snapshot_set_factors(snapshot, factors);
		time_search(snapshot, questions,
		            &(struct kind){ "best 10 in all three steps", kb_search, 10,
		                            KB_RERANK_DEFAULT, KB_FACTORS_WEIGHT, ROUNDS, 0 });
		kb_snapshot_release(snapshot);
	}
	kb_vectors_release(column);
	kb_factors_release(factors);
	return ok;
}

static bool run(int argc, char **argv, const char *path, struct kb_err *err)
{
	struct bench_texts docs = { 0 }, questions = { 0 };
	struct kb_segment_info info;
	struct kb_segment *segment;
	struct kb_snapshot *snapshot;
	int64_t max = INT64_MAX;
	bool ok;

	if (argc > 3 && !kb_sv_to_int(kb_sv_str(argv[3]), 1, INT64_MAX, &max))
		return kb_fail(err, KB_E_INVALID, "%s is no number of passages", argv[3]);
	if (argc > 2) {
		if (!bench_texts_read(&docs, argv[1], 0, max, err)
		    || !bench_texts_read(&questions, argv[2], 0, INT64_MAX, err))
			return false;
	} else {
		make_texts(&docs, MADE_PASSAGES, MADE_WORDS);
		make_texts(&questions, MADE_QUESTIONS, 10);
	}
	if (!questions.count)
		return kb_fail(err, KB_E_INVALID, "there are no questions");
	if (!build(&docs, path, &info, err))
		return false;
	print_memory("with the texts and the index in the making");
	bench_texts_fini(&docs);
	segment = kb_segment_open(path, false, err);
	unlink(path);
	if (!segment)
		return false;
	print_sizes(segment, &info);
	snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ .segment = segment, .version = 1 },
	                           1, NULL, 0);
	for (size_t i = 0; i < KB_COUNTOF(kinds); i++)
		time_search(snapshot, &questions, &kinds[i]);
	kb_snapshot_release(snapshot);
	time_deleted(segment, &questions);
	ok = time_factors(segment, &questions, path, err);
	kb_segment_release(segment);
	bench_texts_fini(&questions);
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
