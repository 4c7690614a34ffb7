/*
 * Docent as bench/search_ten.mjs asks it, and what its peers are given:
 *
 *   bench/ten words DOCS.jsonl OUT [PASSAGES]   each text's terms, between spaces, a line a text
 *   bench/ten questions QUERIES.jsonl OUT       each question's weights and terms
 *   bench/ten strict INDEX                      answers; see there
 *   bench/ten own INDEX
 *   bench/ten all INDEX                         the same as own, in all of the search's steps
 *
 * An index is made by bench/ask.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "index/query.h"
#include "index/rank.h"
#include "index/rerank.h"
#include "index/search.h"
#include "texts.h"

static int64_t processor_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void write_terms(FILE *out, const struct kb_terms *terms)
{
	for (size_t i = 0; i < terms->count; i++)
		if (!(terms->v[i].flags & KB_TERM_STOP))
			fprintf(out, "%.*s ", KB_SV_ARG(terms->v[i].term));
}

static void write_weights(FILE *out, const struct kb_query *query)
{
	for (size_t i = 0; i < query->term_count; i++)
		fprintf(out, "%.9g %.*s ", (double)query->terms[i].weight,
		        KB_SV_ARG(query->terms[i].term));
}

static bool write_lines(const char *from, const char *to, bool questions, int64_t max,
                        struct kb_err *err)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct bench_texts texts = { 0 };
	struct kb_arena arena = { 0 };
	FILE *out = fopen(to, "w");
	bool ok = out != NULL;

	if (!ok)
		kb_fail_errno(err, "cannot write %s", to);
	ok = ok && bench_texts_read(&texts, from, 0, max, err);
	for (size_t i = 0; ok && i < texts.count; i++) {
		struct kb_query query = { 0 };
		struct kb_terms terms;

		if (questions) {
			kb_query_build(analyzer, &arena, texts.v[i], KB_LANG_EN, &query);
			write_weights(out, &query);
		} else {
			kb_analyze(analyzer, &arena, KB_LANG_EN, texts.v[i], &terms);
			write_terms(out, &terms);
		}
		fputc('\n', out);
		kb_arena_reset(&arena);
	}
	if (out && fclose(out) != 0 && ok)
		ok = kb_fail_errno(err, "cannot write %s", to);
	bench_texts_fini(&texts);
	kb_arena_fini(&arena);
	kb_analyzer_free(analyzer);
	return ok;
}

/* The terms of a line of weights and terms. */
static void read_weights(struct kb_arena *arena, char *line, struct kb_query *query)
{
	struct kb_query_term *terms = KB_NEW_ARRAY(arena, strlen(line) / 2, struct kb_query_term);
	char *rest = line;

	query->terms = terms;
	for (const char *weight; (weight = strtok_r(NULL, " ", &rest)) != NULL;) {
		const char *term = strtok_r(NULL, " ", &rest);

		if (term)
			terms[query->term_count++] =
			        (struct kb_query_term){ kb_sv_str(term), strtof(weight, NULL) };
	}
}

struct engine {
	const struct kb_snapshot *snapshot;
	struct kb_analyzer *analyzer;
	struct kb_arena arena;
	bool strict;
	size_t rerank;
};

static void answer(struct engine *engine, char *line)
{
	struct kb_query query = { .limit = 10, .rerank = engine->rerank, .purpose = KB_FOR_SEARCH };
	struct kb_hit *hits;
	int64_t start;
	size_t count;

	line[strcspn(line, "\n")] = 0;
	if (engine->strict)
		read_weights(&engine->arena, line, &query);
	start = processor_ns();
	if (engine->strict) {
		kb_search_first(engine->snapshot, &engine->arena, &query, &hits, &count);
	} else {
		kb_query_build(engine->analyzer, &engine->arena, kb_sv_str(line), KB_LANG_EN,
		               &query);
		kb_search(engine->snapshot, &engine->arena, &query, &hits, &count);
	}
	printf("%lld", (long long)(processor_ns() - start));
	for (size_t i = 0; i < count; i++)
		printf(" %u", hits[i].doc);
	putchar('\n');
	kb_arena_reset(&engine->arena);
}

static bool serve(const char *mode, const char *index, struct kb_err *err)
{
	struct engine engine = { .strict = strcmp(mode, "strict") == 0,
		                 .rerank = strcmp(mode, "all") == 0 ? KB_RERANK_DEFAULT : 0 };
	struct kb_segment *segment = kb_segment_open(index, false, err);
	size_t name_size = 0, line_size = 0;
	char *name = NULL, *line = NULL;
	struct kb_snapshot *snapshot;
	bool ok = true;

	if (!segment)
		return false;
	snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ .segment = segment, .version = 1 },
	                           1, NULL, 0);
	engine.snapshot = snapshot;
	engine.analyzer = kb_analyzer_new();
	while (ok && getline(&name, &name_size, stdin) > 0) {
		FILE *file;

		name[strcspn(name, "\n")] = 0;
		file = fopen(name, "r");
		if (!file) {
			ok = kb_fail_errno(err, "cannot open %s", name);
			break;
		}
		while (getline(&line, &line_size, file) > 0)
			answer(&engine, line);
		fclose(file);
		putchar('\n');
		fflush(stdout);
	}
	free(name);
	free(line);
	kb_arena_fini(&engine.arena);
	kb_analyzer_free(engine.analyzer);
	kb_snapshot_release(snapshot);
	kb_segment_release(segment);
	return ok;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	bool questions = strcmp(mode, "questions") == 0, words = strcmp(mode, "words") == 0;
	int64_t max = INT64_MAX;
	struct kb_err err;
	bool ok;

	kb_crypto_init();
	if ((questions || words)
	    && (argc == 4 || (argc == 5 && kb_sv_to_int(kb_sv_str(argv[4]), 1, INT64_MAX, &max))))
		ok = write_lines(argv[2], argv[3], questions, max, &err);
	else if (argc == 3)
		ok = serve(mode, argv[2], &err);
	else
		ok = kb_fail(&err, KB_E_INVALID, "what to do is said at the top of bench/ten.c");
	if (!ok)
		fprintf(stderr, "bench/ten: %s\n", err.msg);
	return ok ? 0 : 1;
}
