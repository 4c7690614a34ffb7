/* `docent index`: builds an index from a file of records, searches it with a file of questions,
 * says what it holds. */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/index_build.h"
#include "cli/index_dir.h"
#include "cli/records.h"
#include "index/joined.h"
#include "index/query.h"
#include "index/rank.h"
#include "index/rerank.h"
#include "index/spell.h"

enum {
	TOP_DEFAULT = 10,
	TOP_MAX = 100000,
	MEMORY_DEFAULT = 1024, /* MiB that a part in the making takes before it is written */
	MEMORY_LEAST = 16,
	MEMORY_MOST = 1 << 20,
};

/* What the command line says. A verb leaves out what it does not need. */
struct options {
	const char *docs, *out, *index, *queries, *run, *top, *rerank, *factors, *codes, *memory;
};

static const struct {
	const char *name;
	size_t offset;
} option_table[] = {
	{ "--docs", offsetof(struct options, docs) },
	{ "--out", offsetof(struct options, out) },
	{ "--index", offsetof(struct options, index) },
	{ "--queries", offsetof(struct options, queries) },
	{ "--run", offsetof(struct options, run) },
	{ "--top", offsetof(struct options, top) },
	{ "--rerank", offsetof(struct options, rerank) },
	{ "--factors", offsetof(struct options, factors) },
	{ "--codes", offsetof(struct options, codes) },
	{ "--memory", offsetof(struct options, memory) },
};

static const char **option_at(struct options *options, size_t i)
{
	return (const char **)((char *)options + option_table[i].offset);
}

/* --factors, on by itself. */
static bool wants_factors(const struct options *options, bool *wanted, struct kb_err *err)
{
	*wanted = !options->factors || strcmp(options->factors, "on") == 0;
	if (!*wanted && strcmp(options->factors, "off") != 0)
		return kb_fail(err, KB_E_INVALID, "--factors is %s, it must be on or off",
		               options->factors);
	return true;
}

/* ---- build ---- */

static bool build_index(const struct options *options, struct kb_err *err)
{
	struct kb_index_build_options build = { .docs = options->docs, .out = options->out };
	int64_t memory = MEMORY_DEFAULT;

	if (!wants_factors(options, &build.factors, err))
		return false;
	if (options->memory
	    && !kb_sv_to_int(kb_sv_str(options->memory), MEMORY_LEAST, MEMORY_MOST, &memory))
		return kb_fail(err, KB_E_INVALID, "--memory is %s, it must be %d to %d (MiB)",
		               options->memory, MEMORY_LEAST, MEMORY_MOST);
	build.memory = KB_MIB((size_t)memory);
	return kb_index_build(&build, err);
}

/* ---- search ---- */

struct timings {
	int64_t *v;
	size_t count, capacity;
};

static int by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void print_timings(struct timings *timings)
{
	static const struct {
		const char *name;
		size_t percent;
	} rows[] = { { "p50", 50 }, { "p95", 95 }, { "p99", 99 } };

	if (timings->count)
		qsort(timings->v, timings->count, sizeof(*timings->v), by_time);
	printf("%zu queries", timings->count);
	for (size_t i = 0; i < KB_COUNTOF(rows) && timings->count; i++)
		printf("  %s %" PRId64 " us", rows[i].name,
		       timings->v[(timings->count - 1) * rows[i].percent / 100]);
	putchar('\n');
}

static bool write_hits(struct kb_index_opened *index, struct kb_sv qid, const struct kb_hit *hits,
                       size_t count, FILE *run, struct kb_err *err)
{
	for (size_t i = 0; i < count; i++) {
		int64_t page = kb_snapshot_page(index->snapshot, hits[i].part, hits[i].doc);

		if (page < 0 || page >= index->id_count)
			return kb_corrupt(err, "section runs is damaged at passage %u",
			                  hits[i].doc);
		fprintf(run, "%.*s Q0 %.*s %zu %.9g docent\n", KB_SV_ARG(qid),
		        KB_SV_ARG(index->ids[page]), i + 1, (double)hits[i].score);
	}
	return true;
}

/* Queries of a file, each asked of the index; what is found goes to the file `run`. */
struct queries {
	struct kb_index_opened index;
	struct kb_records records;
	struct kb_query settings; /* of each, without its terms */
	bool codes;
	FILE *run;
	struct timings timings;
};

static bool run_queries(struct queries *q, struct kb_err *err)
{
	const struct kb_snapshot *snapshot = q->index.snapshot;
	struct timings *timings = &q->timings;
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_arena arena = { 0 };
	bool ok = true, more = true;

	while (ok && more) {
		struct kb_query query = q->settings;
		struct kb_record record = { 0 };
		struct kb_hit *hits;
		enum kb_lang lang;
		size_t count;
		int64_t start;

		ok = kb_records_next(&q->records, &record, &more, err);
		if (!ok || !more)
			break;
		start = kb_clock_mono_us();
		lang = kb_query_lang(analyzer, &arena, snapshot, record.text);
		kb_query_build(analyzer, &arena, record.text, lang, &query);
		kb_query_spell(analyzer, &arena, snapshot, lang, &query);
		kb_query_join(analyzer, &arena, snapshot, lang, &query);
		if (q->codes)
			kb_query_codes(&arena, record.text, &query);
		kb_search(snapshot, &arena, &query, &hits, &count);
		KB_GROW(timings->v, timings->capacity, timings->count + 1);
		timings->v[timings->count++] = kb_clock_mono_us() - start;
		ok = write_hits(&q->index, record.id, hits, count, q->run, err);
		kb_arena_reset(&arena);
	}
	kb_arena_fini(&arena);
	kb_analyzer_free(analyzer);
	return ok;
}

static bool search_index(const struct options *options, struct kb_err *err)
{
	struct queries q = { .run = NULL };
	int64_t top = TOP_DEFAULT, rerank = KB_RERANK_DEFAULT, codes = 0;
	bool ok, factors;

	if (!wants_factors(options, &factors, err))
		return false;

	if (options->top && !kb_sv_to_int(kb_sv_str(options->top), 1, TOP_MAX, &top))
		return kb_fail(err, KB_E_INVALID, "--top is %s, it must be 1 to %d", options->top,
		               TOP_MAX);
	if (options->rerank && !kb_sv_to_int(kb_sv_str(options->rerank), 0, TOP_MAX, &rerank))
		return kb_fail(err, KB_E_INVALID, "--rerank is %s, it must be 0 to %d",
		               options->rerank, TOP_MAX);
	if (options->codes && !kb_sv_to_int(kb_sv_str(options->codes), 0, 1, &codes))
		return kb_fail(err, KB_E_INVALID, "--codes is %s, it must be 0 or 1",
		               options->codes);
	ok = kb_index_open(&q.index, options->index, false, err)
	     && kb_records_open(&q.records, options->queries, err);
	if (ok && !(q.run = fopen(options->run, "w")))
		ok = kb_fail_errno(err, "cannot write %s", options->run);
	q.codes = codes;
	q.settings = (struct kb_query){ .limit = (size_t)top,
		                        .rerank = (size_t)rerank,
		                        .purpose = KB_FOR_SEARCH,
		                        .factors = factors ? KB_FACTORS_WEIGHT : 0 };
	ok = ok && run_queries(&q, err);
	if (q.run && (ferror(q.run) | fclose(q.run)) != 0 && ok)
		ok = kb_fail_errno(err, "cannot write %s", options->run);
	if (ok)
		print_timings(&q.timings);
	free(q.timings.v);
	kb_records_close(&q.records);
	kb_index_close(&q.index);
	return ok;
}

/* ---- stats, verify ---- */

static bool print_stats(const struct options *options, struct kb_err *err)
{
	struct kb_section_info sections[64];
	struct kb_segment_info info;
	struct kb_index_opened index;
	size_t count;

	if (!kb_index_open(&index, options->index, false, err)) {
		kb_index_close(&index);
		return false;
	}
	kb_segment_info(index.segment, &info);
	printf("passages %" PRId64 "\npages %" PRId64 "\nterms %" PRId64 "\ntext_bytes %" PRId64
	       "\nfile_bytes %" PRId64 "\n",
	       info.passages, info.pages, info.terms, info.text_bytes, info.bytes);
	count = kb_segment_sections(index.segment, sections, KB_COUNTOF(sections));
	for (size_t i = 0; i < KB_MIN(count, KB_COUNTOF(sections)); i++)
		printf("section %s %" PRId64 " bytes, %.3f of the text\n", sections[i].name,
		       sections[i].bytes,
		       info.text_bytes ? (double)sections[i].bytes / (double)info.text_bytes : 0.);
	kb_index_close(&index);
	return true;
}

static bool verify_index(const struct options *options, struct kb_err *err)
{
	struct kb_index_opened index;
	int64_t passages;
	bool ok = kb_index_open(&index, options->index, true, err);

	passages = ok ? kb_snapshot_passages(index.snapshot) : 0;
	for (int64_t i = 0; ok && i < passages; i++) {
		struct kb_arena arena = { 0 };
		struct kb_passage passage;

		ok = kb_snapshot_passage(index.snapshot, &arena, 0, (uint32_t)i, &passage, err);
		kb_arena_fini(&arena);
	}
	kb_index_close(&index);
	if (ok)
		printf("%" PRId64 " passages, all sections sound\n", passages);
	return ok;
}

/* ---- the verbs ---- */

static const struct verb {
	const char *name, *usage;
	bool (*run)(const struct options *options, struct kb_err *err);
	const char *needs[4], *takes[4]; /* options */
} verbs[] = {
	{ "build",
	  "--docs FILE.jsonl[.gz] --out DIR [--factors on|off] [--memory MIB]",
	  build_index,
	  { "--docs", "--out" },
	  { "--factors", "--memory" } },
	{ "search",
	  "--index DIR --queries FILE.jsonl[.gz] --run OUT [--top N] [--rerank N] [--codes 0|1] "
	  "[--factors on|off]",
	  search_index,
	  { "--index", "--queries", "--run" },
	  { "--top", "--rerank", "--codes", "--factors" } },
	{ "stats", "--index DIR", print_stats, { "--index" }, { NULL } },
	{ "verify", "--index DIR", verify_index, { "--index" }, { NULL } },
};

static void print_usage(FILE *to)
{
	for (size_t i = 0; i < KB_COUNTOF(verbs); i++)
		fprintf(to, "usage: docent index %s %s\n", verbs[i].name, verbs[i].usage);
}

static int usage(const char *what, const char *which)
{
	if (what)
		fprintf(stderr, "docent index: %s%s\n", what, which);
	print_usage(stderr);
	return 2;
}

static bool is_among(const char *const names[4], const char *option)
{
	for (size_t i = 0; i < 4 && names[i]; i++)
		if (strcmp(names[i], option) == 0)
			return true;
	return false;
}

/* Fills the options; 0 or the exit code. */
static int read_options(const struct verb *verb, int argc, char **argv, struct options *options)
{
	for (int i = 0; i < argc; i += 2) {
		size_t o = 0;

		while (o < KB_COUNTOF(option_table) && strcmp(option_table[o].name, argv[i]) != 0)
			o++;
		if (o == KB_COUNTOF(option_table)
		    || !(is_among(verb->needs, argv[i]) || is_among(verb->takes, argv[i])))
			return usage("unknown option ", argv[i]);
		if (i + 1 >= argc)
			return usage("no value after ", argv[i]);
		*option_at(options, o) = argv[i + 1];
	}
	for (size_t o = 0; o < KB_COUNTOF(option_table); o++)
		if (is_among(verb->needs, option_table[o].name) && !*option_at(options, o))
			return usage("missing option ", option_table[o].name);
	return 0;
}

int kb_cli_index(int argc, char **argv)
{
	struct options options = { 0 };
	struct kb_err err = { 0 };
	size_t v = 0;
	int code;

	if (kb_cli_help(argc, argv, "docent index: the search core alone, on JSON lines")) {
		print_usage(stdout);
		return 0;
	}
	if (argc < 2)
		return usage(NULL, "");
	while (v < KB_COUNTOF(verbs) && strcmp(verbs[v].name, argv[1]) != 0)
		v++;
	if (v == KB_COUNTOF(verbs))
		return usage("unknown verb ", argv[1]);
	code = read_options(&verbs[v], argc - 2, argv + 2, &options);
	if (code)
		return code;
	if (!verbs[v].run(&options, &err)) {
		fprintf(stderr, "docent index %s: %s\n", verbs[v].name, err.msg);
		return 1;
	}
	return 0;
}
