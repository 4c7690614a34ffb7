/*
 * `docent index`: builds an index from a file of records, searches it with a file of questions.
 *
 * An index directory holds `segment` (one segment file) and `ids` (a line a record: the id that
 * page number n had in the file, from 0). From 300 records on there are also `factors`, a model
 * learned from them, and `lsi`, the passages' vectors by it. While it is built there are also
 * part-N files.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_flat.h"
#include "index/factors.h"
#include "index/index.h"
#include "index/query.h"
#include "index/rerank.h"
#include "index/spell.h"

enum {
	TOP_DEFAULT = 10,
	TOP_MAX = 100000,
	PATH_MAX_BYTES = 4096,
	READ_BUFFER = 1 << 17,
	MEMORY_DEFAULT = 1024, /* MiB that a part in the making takes before it is written */
	MEMORY_LEAST = 16,
	MEMORY_MOST = 1 << 20,
};
#define LINE_MAX_BYTES KB_MIB(64)
#define IDS_MAX        KB_GIB(4)

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

/* ---- records, one JSON object a line ---- */

struct records {
	const char *path;
	gzFile file;
	struct kb_buf line;
	int64_t number; /* of the line in hand */
	struct kb_arena arena;
	char *chunk;
	size_t at, have;
};

static bool records_open(struct records *records, const char *path, struct kb_err *err)
{
	*records = (struct records){ .path = path, .file = gzopen(path, "rb") };
	kb_buf_init(&records->line, LINE_MAX_BYTES);
	if (!records->file)
		return kb_fail_errno(err, "cannot open %s", path);
	gzbuffer(records->file, READ_BUFFER);
	records->chunk = kb_xmalloc(READ_BUFFER);
	return true;
}

static void records_close(struct records *records)
{
	if (records->file)
		gzclose(records->file);
	free(records->chunk);
	kb_buf_fini(&records->line);
	kb_arena_fini(&records->arena);
}

static bool refill(struct records *records, struct kb_err *err)
{
	int code, n = gzread(records->file, records->chunk, READ_BUFFER);

	if (n < 0)
		return kb_fail(err, KB_E_IO, "cannot read %s: %s", records->path,
		               gzerror(records->file, &code));
	records->at = 0;
	records->have = (size_t)n;
	return true;
}

/* The next line that is not blank; an empty one at the end of the file. */
static bool next_line(struct records *records, struct kb_sv *line, struct kb_err *err)
{
	for (;;) {
		bool whole = false, at_end = false;

		kb_buf_clear(&records->line);
		records->number++;
		while (!whole && !at_end) {
			char *start, *feed;
			size_t n;

			if (records->at == records->have && !refill(records, err))
				return false;
			start = records->chunk + records->at;
			n = records->have - records->at;
			feed = memchr(start, '\n', n);
			whole = feed != NULL;
			at_end = n == 0;
			n = feed ? (size_t)(feed - start) : n;
			kb_buf_add(&records->line, start, n);
			records->at += n + whole;
		}
		if (records->line.failed)
			return kb_fail(err, KB_E_TOO_LARGE,
			               "%s, line %" PRId64 ": longer than %zu bytes", records->path,
			               records->number, LINE_MAX_BYTES);
		*line = kb_sv_trim(kb_buf_view(&records->line));
		if (line->n || at_end)
			return true;
	}
}

struct record {
	struct kb_sv id, title, text;
};

/* Ids go into lines of columns, so they hold no blank. */
static bool check_id(const struct records *records, const struct kb_sv *id, struct kb_err *err)
{
	if (!id->n)
		return kb_fail(err, KB_E_INVALID, "%s, line %" PRId64 ": the record has no id",
		               records->path, records->number);
	for (size_t i = 0; i < id->n; i++)
		if ((unsigned char)id->p[i] <= ' ')
			return kb_fail(err, KB_E_INVALID,
			               "%s, line %" PRId64 ": the id \"%.*s\" holds a blank",
			               records->path, records->number, KB_SV_ARG(*id));
	return true;
}

/* A line of any shape. An id may be a string or a number. */
static bool read_tree(struct records *records, struct kb_sv line, struct record *out,
                      struct kb_err *err)
{
	struct kb_err inner;
	json_t *object = kb_json_parse(&records->arena, line, &inner);
	const json_t *id;

	if (!object)
		return kb_fail(err, KB_E_INVALID, "%s, line %" PRId64 ": %s", records->path,
		               records->number, inner.msg);
	if (!json_is_object(object))
		return kb_fail(err, KB_E_INVALID, "%s, line %" PRId64 ": no JSON object",
		               records->path, records->number);
	out->title = kb_json_sv(object, "title", KB_SV(""));
	out->text = kb_json_sv(object, "text", KB_SV(""));
	id = kb_json_get(object, "id");
	if (json_is_integer(id))
		out->id = kb_arena_printf(&records->arena, "%" JSON_INTEGER_FORMAT,
		                          json_integer_value(id));
	else
		out->id = kb_json_sv(object, "id", kb_sv(NULL, 0));
	return true;
}

/* A line as most are: strings and whole numbers side by side. */
static bool read_flat(struct records *records, struct kb_sv line, struct record *out)
{
	struct kb_json_member members[] = { { "id" }, { "title" }, { "text" } };

	if (!kb_json_flat(&records->arena, line, members, KB_COUNTOF(members)))
		return false;
	out->id = members[0].value;
	for (int i = 1; i < 3; i++)
		if (!members[i].found || members[i].number)
			members[i].value = KB_SV("");
	out->title = members[1].value;
	out->text = members[2].value;
	return true;
}

/* The next record; *more is false after the last. It lives until the next call. */
static bool next_record(struct records *records, struct record *out, bool *more, struct kb_err *err)
{
	struct kb_sv line = { 0 };

	kb_arena_reset(&records->arena);
	if (!next_line(records, &line, err))
		return false;
	*more = line.n > 0;
	if (!*more)
		return true;
	if (!read_flat(records, line, out) && !read_tree(records, line, out, err))
		return false;
	return check_id(records, &out->id, err);
}

/* ---- paths in an index directory ---- */

struct path {
	char p[PATH_MAX_BYTES];
};

static struct path path_in(const char *dir, const char *name, int number)
{
	struct path path = { 0 };

	if (number < 0)
		snprintf(path.p, sizeof(path.p), "%s/%s", dir, name);
	else
		snprintf(path.p, sizeof(path.p), "%s/%s-%d", dir, name, number);
	return path;
}

/* ---- build ---- */

struct build {
	const char *dir;
	struct kb_segment_writer *writer;
	int64_t total_text, passages;
	size_t memory; /* bytes of the writer that end a part */
	int parts;     /* written */
	struct kb_buf ids;
};

static bool flush_part(struct build *build, bool last, struct kb_err *err)
{
	struct path path = path_in(build->dir, "part", build->parts);

	if (!last || build->parts > 0) /* it will be merged, and nobody needs it after a crash */
		kb_segment_writer_passing(build->writer);
	if (!kb_segment_writer_finish(build->writer, path.p, NULL, err))
		return false;
	build->parts++;
	return true;
}

static bool add_records(struct build *build, struct records *records, struct kb_err *err)
{
	for (;;) {
		struct record record = { 0 };
		bool more;

		if (!next_record(records, &record, &more, err))
			return false;
		if (!more)
			break;
		kb_segment_writer_add(build->writer, &(struct kb_passage){
		                                             .page_id = build->passages++,
		                                             .lang = kb_lang_of_text(record.text),
		                                             .title = record.title,
		                                             .text = record.text,
		                                     });
		kb_buf_sv(&build->ids, record.id);
		kb_buf_byte(&build->ids, '\n');
		build->total_text += (int64_t)(record.title.n + record.text.n);
		if (kb_segment_writer_memory(build->writer) >= build->memory
		    && !flush_part(build, false, err))
			return false;
	}
	return flush_part(build, true, err);
}

/* Makes the parts one segment. */
static bool unite(struct build *build, const char *target, struct kb_err *err)
{
	struct kb_snapshot_part *parts = kb_xcalloc((size_t)build->parts, sizeof(*parts));
	struct kb_snapshot *snapshot;
	bool ok = true;
	int opened = 0;

	if (build->parts == 1) {
		free(parts);
		if (rename(path_in(build->dir, "part", 0).p, target) != 0)
			return kb_fail_errno(err, "cannot write %s", target);
		return kb_path_sync(build->dir, err);
	}
	for (; ok && opened < build->parts; opened += ok) {
		parts[opened].segment =
		        kb_segment_open(path_in(build->dir, "part", opened).p, false, err);
		ok = parts[opened].segment != NULL;
		if (ok)
			kb_segment_passing(parts[opened].segment);
	}
	if (ok) {
		snapshot = kb_snapshot_new(parts, (size_t)build->parts, NULL, 0);
		ok = kb_segment_merge(snapshot, 0, (size_t)build->parts, target, NULL, err);
		kb_snapshot_release(snapshot);
	}
	for (int i = 0; i < opened; i++)
		kb_segment_release(parts[i].segment);
	free(parts);
	return ok;
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

static bool remove_file(const char *path, struct kb_err *err)
{
	if (unlink(path) != 0 && access(path, F_OK) == 0)
		return kb_fail_errno(err, "cannot remove %s", path);
	return true;
}

/* Learns a model from the segment and folds it. */
static bool learn(const char *dir, struct kb_err *err)
{
	struct kb_snapshot_part part = { .version = 1 };
	int64_t start = kb_clock_mono_us(), bytes = 0;
	struct kb_factors *factors = NULL;
	struct kb_factors_info info = { 0 };
	struct kb_snapshot *snapshot;
	bool ok;

	part.segment = kb_segment_open(path_in(dir, "segment", -1).p, false, err);
	if (!part.segment)
		return false;
	snapshot = kb_snapshot_new(&part, 1, NULL, 0);
	ok = kb_factors_train(snapshot, &(struct kb_factors_options){ .seed = 1 },
	                      path_in(dir, "factors", -1).p, &info, err);
	if (!ok && err->code == KB_E_INVALID) { /* there is too little to learn from */
		printf("no factors: %s\n", err->msg);
		ok = true;
	} else if (ok) {
		factors = kb_factors_open(path_in(dir, "factors", -1).p, err);
		ok = factors
		     && kb_factors_fold(factors, part.segment, path_in(dir, "lsi", -1).p, &bytes,
		                        err);
		if (ok)
			printf("%u factors of %u words, %.1f MB and %.1f MB, %.2f s\n", info.dims,
			       info.terms, (double)info.bytes / 1e6, (double)bytes / 1e6,
			       (double)(kb_clock_mono_us() - start) / 1e6);
	}
	kb_factors_release(factors);
	kb_snapshot_release(snapshot);
	kb_segment_release(part.segment);
	return ok;
}

static bool build_index(const struct options *options, struct kb_err *err)
{
	struct path target = path_in(options->out, "segment", -1);
	struct path ids = path_in(options->out, "ids", -1);
	struct build build = { .dir = options->out };
	struct records records;
	int64_t start = kb_clock_mono_us(), took, spent, memory = MEMORY_DEFAULT;
	struct rusage usage;
	struct kb_sv id_lines;
	bool ok, factors;

	if (!wants_factors(options, &factors, err))
		return false;
	if (options->memory
	    && !kb_sv_to_int(kb_sv_str(options->memory), MEMORY_LEAST, MEMORY_MOST, &memory))
		return kb_fail(err, KB_E_INVALID, "--memory is %s, it must be %d to %d (MiB)",
		               options->memory, MEMORY_LEAST, MEMORY_MOST);
	build.memory = KB_MIB((size_t)memory);
	if (strlen(options->out) > PATH_MAX_BYTES - 32)
		return kb_fail(err, KB_E_INVALID, "the path %s is longer than %d bytes",
		               options->out, PATH_MAX_BYTES - 32);
	kb_buf_init(&build.ids, IDS_MAX);
	build.writer = kb_segment_writer_new();
	ok = records_open(&records, options->docs, err) && kb_dir_make(options->out, err)
	     && add_records(&build, &records, err) && kb_buf_done(&build.ids, &id_lines, err);
	/* An old segment and its model go now: they must not meet the new ids. */
	ok = ok && remove_file(target.p, err)
	     && remove_file(path_in(options->out, "factors", -1).p, err)
	     && remove_file(path_in(options->out, "lsi", -1).p, err);
	ok = ok && kb_file_replace(ids.p, id_lines, err) && unite(&build, target.p, err);
	for (int i = 0; i < build.parts; i++)
		unlink(path_in(build.dir, "part", i).p);
	records_close(&records);
	kb_segment_writer_free(build.writer);
	kb_buf_fini(&build.ids);
	if (!ok)
		return false;
	took = KB_MAX(kb_clock_mono_us() - start, INT64_C(1));
	getrusage(RUSAGE_SELF, &usage);
	spent = KB_MAX(INT64_C(1000000) * usage.ru_utime.tv_sec + usage.ru_utime.tv_usec, 1);
	printf("%" PRId64 " passages, %.1f MB of text, %.2f s, %.1f MB/s; %.2f s of processor, "
	       "%.1f MB/s; %d parts, memory at most %ld MB\n",
	       build.passages, (double)build.total_text / 1e6, (double)took / 1e6,
	       (double)build.total_text / (double)took, (double)spent / 1e6,
	       (double)build.total_text / (double)spent, build.parts, usage.ru_maxrss / 1024);
	return !factors || build.passages == 0 || learn(options->out, err);
}

/* ---- an open index ---- */

struct opened {
	struct kb_segment *segment;
	struct kb_factors *factors; /* NULL: none, and no column */
	struct kb_vectors *column;
	struct kb_snapshot *snapshot;
	struct kb_sv *ids; /* by page id */
	int64_t id_count;
	struct kb_arena arena;
};

static bool read_ids(struct opened *index, const char *dir, struct kb_err *err)
{
	struct path path = path_in(dir, "ids", -1);
	int64_t passages = kb_snapshot_passages(index->snapshot);
	struct kb_sv rest, id;

	if (!kb_file_read(&index->arena, path.p, IDS_MAX, &rest, err))
		return false;
	index->ids = KB_NEW_ARRAY(&index->arena, (size_t)passages, struct kb_sv);
	for (; rest.n && kb_sv_split(&rest, '\n', &id); index->id_count++)
		if (index->id_count < passages)
			index->ids[index->id_count] = id;
	if (index->id_count != passages)
		return kb_corrupt(err,
		                  "%s names %" PRId64 " ids, the segment has %" PRId64 " passages",
		                  path.p, index->id_count, passages);
	return true;
}

static bool open_factors(struct opened *index, const char *dir, bool verify, struct kb_err *err)
{
	struct path model = path_in(dir, "factors", -1), column = path_in(dir, "lsi", -1);

	if (access(model.p, F_OK) != 0)
		return true;
	return (index->factors = kb_factors_open(model.p, err))
	       && (index->column = kb_vectors_open(column.p, verify, err));
}

static bool open_index(struct opened *index, const char *dir, bool verify, struct kb_err *err)
{
	*index = (struct opened){ 0 };
	index->segment = kb_segment_open(path_in(dir, "segment", -1).p, verify, err);
	if (!index->segment || !open_factors(index, dir, verify, err))
		return false;
	index->snapshot = kb_snapshot_new(
	        &(struct kb_snapshot_part){ .segment = index->segment,
	                                    .version = 1,
	                                    .vectors = &index->column,
	                                    .vectors_count = index->column != NULL },
	        1, NULL, 0);
	kb_snapshot_set_factors(index->snapshot, index->factors);
	return read_ids(index, dir, err);
}

static void close_index(struct opened *index)
{
	kb_snapshot_release(index->snapshot);
	kb_vectors_release(index->column);
	kb_factors_release(index->factors);
	kb_segment_release(index->segment);
	kb_arena_fini(&index->arena);
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

static bool write_hits(struct opened *index, struct kb_sv qid, const struct kb_hit *hits,
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

static bool run_queries(struct opened *index, struct records *records,
                        const struct kb_query *settings, bool codes, FILE *run,
                        struct timings *timings, struct kb_err *err)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_arena arena = { 0 };
	bool ok = true, more = true;

	while (ok && more) {
		struct kb_query query = *settings;
		struct record record = { 0 };
		struct kb_hit *hits;
		enum kb_lang lang;
		size_t count;
		int64_t start;

		ok = next_record(records, &record, &more, err);
		if (!ok || !more)
			break;
		start = kb_clock_mono_us();
		lang = kb_query_lang(analyzer, &arena, index->snapshot, record.text);
		kb_query_build(analyzer, &arena, record.text, lang, &query);
		kb_query_spell(analyzer, &arena, index->snapshot, lang, &query);
		if (codes)
			kb_query_codes(&arena, record.text, &query);
		kb_search(index->snapshot, &arena, &query, &hits, &count);
		KB_GROW(timings->v, timings->capacity, timings->count + 1);
		timings->v[timings->count++] = kb_clock_mono_us() - start;
		ok = write_hits(index, record.id, hits, count, run, err);
		kb_arena_reset(&arena);
	}
	kb_arena_fini(&arena);
	kb_analyzer_free(analyzer);
	return ok;
}

static bool search_index(const struct options *options, struct kb_err *err)
{
	struct records records = { 0 };
	struct timings timings = { 0 };
	struct opened index;
	int64_t top = TOP_DEFAULT, rerank = KB_RERANK_DEFAULT, codes = 0;
	struct kb_query settings;
	FILE *run = NULL;
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
	ok = open_index(&index, options->index, false, err)
	     && records_open(&records, options->queries, err);
	if (ok && !(run = fopen(options->run, "w")))
		ok = kb_fail_errno(err, "cannot write %s", options->run);
	settings = (struct kb_query){ .limit = (size_t)top,
		                      .rerank = (size_t)rerank,
		                      .purpose = KB_FOR_SEARCH,
		                      .factors = factors ? KB_FACTORS_WEIGHT : 0 };
	ok = ok && run_queries(&index, &records, &settings, codes, run, &timings, err);
	if (run && (ferror(run) | fclose(run)) != 0 && ok)
		ok = kb_fail_errno(err, "cannot write %s", options->run);
	if (ok)
		print_timings(&timings);
	free(timings.v);
	records_close(&records);
	close_index(&index);
	return ok;
}

/* ---- stats, verify ---- */

static bool print_stats(const struct options *options, struct kb_err *err)
{
	struct kb_section_info sections[64];
	struct kb_segment_info info;
	struct opened index;
	size_t count;

	if (!open_index(&index, options->index, false, err)) {
		close_index(&index);
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
	close_index(&index);
	return true;
}

static bool verify_index(const struct options *options, struct kb_err *err)
{
	struct opened index;
	int64_t passages;
	bool ok = open_index(&index, options->index, true, err);

	passages = ok ? kb_snapshot_passages(index.snapshot) : 0;
	for (int64_t i = 0; ok && i < passages; i++) {
		struct kb_arena arena = { 0 };
		struct kb_passage passage;

		ok = kb_snapshot_passage(index.snapshot, &arena, 0, (uint32_t)i, &passage, err);
		kb_arena_fini(&arena);
	}
	close_index(&index);
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

static int usage(const char *what, const char *which)
{
	if (what)
		fprintf(stderr, "docent index: %s%s\n", what, which);
	for (size_t i = 0; i < KB_COUNTOF(verbs); i++)
		fprintf(stderr, "usage: docent index %s %s\n", verbs[i].name, verbs[i].usage);
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
