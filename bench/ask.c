/*
 * An index file to be measured from outside, by cachegrind or perf:
 *
 *   bench/ask build DOCS.jsonl INDEX [PASSAGES]
 *   bench/ask INDEX QUERIES.jsonl LIMIT RERANK ROUNDS
 *
 * The second asks all questions ROUNDS times and prints the processor time of one, and a sum over
 * what was found, which must be the same whatever the search is made of. What is simulated of a
 * processor (bench/cycles) does not change when the machine is busy.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "index/query.h"
#include "index/rank.h"
#include "texts.h"

static bool build(int argc, char **argv, struct kb_err *err)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct bench_texts docs = { 0 };
	struct kb_segment_info info;
	int64_t max = INT64_MAX;
	bool ok;

	if (argc > 4 && !kb_sv_to_int(kb_sv_str(argv[4]), 1, INT64_MAX, &max))
		return kb_fail(err, KB_E_INVALID, "%s is no number of passages", argv[4]);
	if (!bench_texts_read(&docs, argv[2], 0, max, err))
		return false;
	for (size_t i = 0; i < docs.count; i++)
		kb_segment_writer_add(writer, &(struct kb_passage){ .page_id = (int64_t)i,
		                                                    .lang = KB_LANG_EN,
		                                                    .text = docs.v[i] });
	bench_texts_fini(&docs);
	ok = kb_segment_writer_finish(writer, argv[3], &info, err);
	kb_segment_writer_free(writer);
	return ok;
}

static bool ask(char **argv, struct kb_err *err)
{
	struct kb_segment *segment = kb_segment_open(argv[1], false, err);
	struct bench_texts questions = { 0 };
	int64_t limit, rerank, rounds, start, taken;
	struct kb_analyzer *analyzer;
	struct kb_snapshot *snapshot;
	struct kb_arena arena = { 0 };
	uint64_t sum = 0;

	if (!segment || !bench_texts_read(&questions, argv[2], 0, INT64_MAX, err))
		return false;
	if (!kb_sv_to_int(kb_sv_str(argv[3]), 1, 10000, &limit)
	    || !kb_sv_to_int(kb_sv_str(argv[4]), 0, 10000, &rerank)
	    || !kb_sv_to_int(kb_sv_str(argv[5]), 1, 1000, &rounds))
		return kb_fail(err, KB_E_INVALID, "LIMIT, RERANK and ROUNDS are numbers");
	analyzer = kb_analyzer_new();
	snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ .segment = segment, .version = 1 },
	                           1, NULL, 0);
	start = bench_cpu_us();
	for (int64_t round = 0; round < rounds; round++) {
		sum = 0;
		for (size_t i = 0; i < questions.count; i++) {
			struct kb_query query = { .limit = (size_t)limit,
				                  .rerank = (size_t)rerank };
			struct kb_hit *hits;
			size_t count;

			kb_query_build(analyzer, &arena, questions.v[i], KB_LANG_EN, &query);
			kb_search(snapshot, &arena, &query, &hits, &count);
			for (size_t k = 0; k < count; k++)
				sum = sum * 31 + hits[k].doc;
			kb_arena_reset(&arena);
		}
	}
	taken = bench_cpu_us() - start;
	printf("%zu questions, %.0f us each, sum %016llx\n", questions.count,
	       (double)taken / (double)(rounds * (int64_t)questions.count),
	       (unsigned long long)sum);
	kb_arena_fini(&arena);
	kb_snapshot_release(snapshot);
	kb_segment_release(segment);
	kb_analyzer_free(analyzer);
	bench_texts_fini(&questions);
	return true;
}

int main(int argc, char **argv)
{
	bool building = argc >= 4 && argc <= 5 && strcmp(argv[1], "build") == 0;
	struct kb_err err;

	if (!building && argc != 6) {
		fprintf(stderr, "usage: bench/ask build DOCS INDEX [PASSAGES]\n"
		                "       bench/ask INDEX QUERIES LIMIT RERANK ROUNDS\n");
		return 2;
	}
	kb_crypto_init();
	if (!(building ? build(argc, argv, &err) : ask(argv, &err))) {
		fprintf(stderr, "bench/ask: %s\n", err.msg);
		return 1;
	}
	return 0;
}
