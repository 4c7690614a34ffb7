/*
 * What vectors of a real model add to the search by words, and what their bytes and sign bits lose:
 *
 *   bench/fused --data DIR --vectors DIR --runs DIR SET…        (bench/fused.sh scores the runs)
 *
 * SET is a folder below the data ("ir/nq-utd"). Vectors are files NAME.d.f32 and NAME.q.f32, floats
 * row by row, beside NAME.d.ids and NAME.q.ids, an id a line; bench/embed.mjs makes them with any
 * server of the OpenAI format. The index holds the documents that have a vector, and the questions
 * that have one are asked. Printed: recall@10 of the search in bytes, and of that behind the sign
 * bits (which a service's column has from 16,384 passages on), against exact floats; and of answers
 * without a model how many are given, and quote a right document first, with the passages that
 * words find and with those that both find; of the next set's questions, how many are refused.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer/retrieve.h"
#include "answer/select.h"
#include "base/file.h"
#include "base/hash.h"
#include "index/column.h"
#include "index/factors.h"
#include "index/query.h"
#include "index/rank.h"
#include "index/rerank.h"
#include "quality_data.h"

enum { DEPTH = 100, TOP = 10, FILE_MAX = 1 << 30 };
#define COLUMN KB_SV("embedding")
#define MODEL  KB_SV("bench")

/* Ways of ranking, each a run. */
static const struct way {
	const char *name;
	float words, vectors;
} ways[] = {
	{ "words", 1, 0 },      { "vectors", 0, 1 }, { "fused-.25", .25f, 1 }, { "fused", .4f, 1 },
	{ "fused-.7", .7f, 1 }, { "fused-1", 1, 1 }, { "fused-2", 2, 1 },
};

struct rows {
	struct kb_arena arena;
	struct kb_sv *ids;
	const float *v;
	size_t count;
	uint32_t dims;
};

static bool read_rows(struct rows *rows, const char *dir, const char *name, const char *kind,
                      struct kb_err *err)
{
	struct kb_sv text, floats, line;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s.%s.ids", dir, name, kind);
	if (!kb_file_read(&rows->arena, path, FILE_MAX, &text, err))
		return false;
	snprintf(path, sizeof(path), "%s/%s.%s.f32", dir, name, kind);
	if (!kb_file_read(&rows->arena, path, FILE_MAX, &floats, err))
		return false;
	rows->ids = KB_NEW_ARRAY(&rows->arena, text.n, struct kb_sv);
	while (text.n && kb_sv_split(&text, '\n', &line))
		if (line.n)
			rows->ids[rows->count++] = line;
	if (!rows->count || floats.n % (rows->count * sizeof(float)))
		return kb_fail(err, KB_E_INVALID, "%s does not fit its ids", path);
	rows->v = kb_arena_copy(&rows->arena, floats.p, floats.n);
	rows->dims = (uint32_t)(floats.n / rows->count / sizeof(float));
	return true;
}

static const float *row_of(const struct rows *rows, struct kb_sv id)
{
	for (size_t i = 0; i < rows->count; i++)
		if (kb_sv_eq(rows->ids[i], id))
			return rows->v + i * rows->dims;
	return NULL;
}

static const char *name_of(const char *folder)
{
	const char *slash = strrchr(folder, '/');

	return slash ? slash + 1 : folder;
}

/* ---- an index over the documents that have a vector ---- */

struct index {
	struct q_set set;
	struct rows docs, questions;
	uint32_t *doc_of; /* by passage */
	const float **vectors;
	uint32_t passages;
	struct kb_segment *segment;
	struct kb_vectors *columns[2];
	struct kb_factors *factors;
	struct kb_snapshot *snapshot;
	struct kb_analyzer *analyzer;
};

static bool build(struct index *index, const char *path, struct kb_err *err)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_segment_info info;
	bool ok;

	index->doc_of = KB_NEW_ARRAY(&index->docs.arena, index->set.doc_count, uint32_t);
	index->vectors = KB_NEW_ARRAY(&index->docs.arena, index->set.doc_count, const float *);
	for (size_t i = 0; i < index->set.doc_count; i++) {
		const struct q_doc *doc = &index->set.docs[i];
		const float *v = row_of(&index->docs, doc->id);

		if (!v)
			continue;
		kb_segment_writer_add(writer,
		                      &(struct kb_passage){ .page_id = (int64_t)i,
		                                            .lang = kb_lang_of_text(doc->text),
		                                            .title = doc->title,
		                                            .text = doc->text });
		index->doc_of[index->passages] = (uint32_t)i;
		index->vectors[index->passages++] = v;
	}
	ok = kb_segment_writer_finish(writer, path, &info, err)
	     && (index->segment = kb_segment_open(path, false, err)) != NULL;
	kb_segment_writer_free(writer);
	unlink(path);
	return ok;
}

static bool learn(struct index *index, const char *path, struct kb_err *err)
{
	struct kb_snapshot *alone = kb_snapshot_new(
	        &(struct kb_snapshot_part){ .segment = index->segment, .version = 1 }, 1, NULL, 0);
	struct kb_factors_info info;
	int64_t bytes;
	bool ok =
	        kb_factors_train(alone, &(struct kb_factors_options){ .seed = 1 }, path, &info, err)
	        && (index->factors = kb_factors_open(path, err)) != NULL
	        && kb_factors_fold(index->factors, index->segment, NULL, path, &bytes, err)
	        && (index->columns[1] = kb_vectors_open(path, true, err)) != NULL;

	unlink(path);
	kb_snapshot_release(alone);
	return ok;
}

static bool write_column(struct index *index, const char *path, struct kb_err *err)
{
	struct kb_vectors_writer *writer =
	        kb_vectors_writer_new(COLUMN, MODEL, index->docs.dims, index->passages);
	int64_t bytes;
	bool ok;

	for (uint32_t i = 0; i < index->passages; i++)
		kb_vectors_writer_set(writer, i, index->vectors[i]);
	ok = kb_vectors_writer_finish(writer, path, &bytes, err)
	     && (index->columns[0] = kb_vectors_open(path, true, err)) != NULL;
	kb_vectors_writer_free(writer);
	unlink(path);
	return ok;
}

static bool open_index(struct index *index, const char *data, const char *dir, const char *folder,
                       struct kb_err *err)
{
	char path[64];
	size_t columns;

	*index = (struct index){ .analyzer = kb_analyzer_new() };
	snprintf(path, sizeof(path), "/tmp/docent-fused-%d", (int)getpid());
	if (!q_set_read(&index->set, data, folder, 0, err)
	    || !read_rows(&index->docs, dir, name_of(folder), "d", err)
	    || !read_rows(&index->questions, dir, name_of(folder), "q", err)
	    || !build(index, path, err) || !write_column(index, path, err))
		return false;
	columns = 1 + learn(index, path, NULL); /* a small set learns nothing */
	index->snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ .segment = index->segment,
	                                                              .version = 1,
	                                                              .vectors = index->columns,
	                                                              .vectors_count = columns },
	                                  1, NULL, 0);
	kb_snapshot_set_factors(index->snapshot, index->factors);
	return true;
}

static void close_index(struct index *index)
{
	kb_snapshot_release(index->snapshot);
	kb_vectors_release(index->columns[0]);
	kb_vectors_release(index->columns[1]);
	kb_factors_release(index->factors);
	kb_segment_release(index->segment);
	kb_analyzer_free(index->analyzer);
	kb_arena_fini(&index->docs.arena);
	kb_arena_fini(&index->questions.arena);
	q_set_free(&index->set);
}

/* ---- runs ---- */

static void ask(const struct index *index, struct kb_arena *arena, struct kb_sv text,
                const float *v, const struct way *way, struct kb_hit **hits, size_t *count)
{
	struct kb_query words = { .limit = DEPTH,
		                  .rerank = KB_RERANK_DEFAULT,
		                  .factors = KB_FACTORS_WEIGHT };
	struct kb_vector_query vectors = {
		.name = COLUMN, .model = MODEL, .v = v, .dims = index->docs.dims, .limit = DEPTH
	};
	struct kb_hybrid_query query = { .words = &words,
		                         .vectors = &vectors,
		                         .word_weight = way->words,
		                         .vector_weight = way->vectors };

	if (way->words <= 0) {
		kb_vector_search(index->snapshot, arena, &vectors, hits, count);
		return;
	}
	kb_query_build(index->analyzer, arena, text, kb_lang_of_question(text), &words);
	if (way->vectors <= 0)
		kb_search(index->snapshot, arena, &words, hits, count);
	else
		kb_hybrid_search(index->snapshot, arena, &query, hits, count);
}

static bool write_run(const struct index *index, const char *runs, const char *name,
                      const struct way *way)
{
	struct kb_arena arena = { 0 };
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.%s", runs, name, way->name);
	file = fopen(path, "w");
	if (!file)
		return false;
	for (size_t i = 0; i < index->set.question_count; i++) {
		const struct q_question *question = &index->set.questions[i];
		const float *v = row_of(&index->questions, question->id);
		struct kb_hit *hits;
		size_t count;

		if (!v)
			continue;
		ask(index, &arena, question->text, v, way, &hits, &count);
		for (size_t k = 0; k < count; k++)
			fprintf(file, "%.*s Q0 %.*s %zu %.9g docent\n", KB_SV_ARG(question->id),
			        KB_SV_ARG(index->set.docs[index->doc_of[hits[k].doc]].id), k + 1,
			        (double)hits[k].score);
		kb_arena_reset(&arena);
	}
	kb_arena_fini(&arena);
	return fclose(file) == 0;
}

static bool write_judgments(const struct index *index, const char *runs, const char *name)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.qrels", runs, name);
	file = fopen(path, "w");
	if (!file)
		return false;
	for (size_t i = 0; i < index->set.question_count; i++) {
		const struct q_question *question = &index->set.questions[i];

		if (!row_of(&index->questions, question->id))
			continue;
		for (size_t k = 0; k < question->count; k++)
			if (question->judged[k].doc != UINT32_MAX)
				fprintf(file, "%.*s\t%.*s\t%d\n", KB_SV_ARG(question->id),
				        KB_SV_ARG(index->set.docs[question->judged[k].doc].id),
				        question->judged[k].grade);
	}
	return fclose(file) == 0;
}

/* ---- what bytes and bits lose ---- */

struct cosine {
	uint32_t doc;
	double value;
	uint32_t differences;
};

static int by_value(const void *a, const void *b)
{
	const struct cosine *x = a, *y = b;

	return x->value > y->value ? -1 : x->value < y->value;
}

static int by_differences(const void *a, const void *b)
{
	const struct cosine *x = a, *y = b;

	if (x->differences != y->differences)
		return x->differences < y->differences ? -1 : 1;
	return x->doc < y->doc ? -1 : x->doc > y->doc;
}

static double dot(const float *a, const float *b, uint32_t dims)
{
	double sum = 0;

	for (uint32_t i = 0; i < dims; i++)
		sum += (double)a[i] * (double)b[i];
	return sum;
}

/* The sign bits of each passage, as column.c makes them. */
static uint64_t *make_signs(const struct index *index, float *centre)
{
	uint32_t dims = index->docs.dims;
	uint64_t *signs = kb_xcalloc(index->passages * kb_sign_words(dims), sizeof(*signs));
	float *v = kb_xcalloc(dims, sizeof(*v));

	for (uint32_t i = 0; i < index->passages; i++)
		for (uint32_t d = 0; kb_vectors_get(index->columns[0], i, v) && d < dims; d++)
			centre[d] += v[d] / (float)index->passages;
	kb_rotate(centre, dims);
	for (uint32_t i = 0; i < index->passages; i++) {
		if (!kb_vectors_get(index->columns[0], i, v))
			continue;
		kb_rotate(v, dims);
		kb_signs(v, centre, dims, signs + i * kb_sign_words(dims));
	}
	free(v);
	return signs;
}

static size_t shared(const struct cosine *all, const uint32_t *docs, size_t n)
{
	size_t both = 0;

	for (size_t i = 0; i < TOP; i++)
		for (size_t k = 0; k < n; k++)
			both += all[i].doc == docs[k];
	return both;
}

/* Picks as many by their bits as the share of a large column would be, at least `least`. */
static void measure_recall(const struct index *index, const char *name, size_t least)
{
	uint32_t dims = index->docs.dims;
	float *centre = kb_xcalloc(dims, sizeof(*centre)), *v = kb_xcalloc(dims, sizeof(*v));
	struct cosine *all = kb_xcalloc(index->passages, sizeof(*all)),
	              *picked = kb_xcalloc(index->passages, sizeof(*picked));
	uint64_t *signs = make_signs(index, centre), *bits = kb_xcalloc(kb_sign_words(dims), 8);
	size_t asked = 0, bytes = 0, behind = 0, words = kb_sign_words(dims);
	struct kb_arena arena = { 0 };

	for (size_t q = 0; q < index->questions.count; q++, asked++) {
		const float *question = index->questions.v + q * dims;
		struct kb_vector_query query = { .name = COLUMN,
			                         .model = MODEL,
			                         .v = question,
			                         .dims = dims,
			                         .limit = TOP,
			                         .exhaustive = true };
		uint32_t docs[TOP] = { 0 };
		struct kb_hit *hits;
		size_t count, want = KB_MIN(KB_MAX(least, (size_t)1), (size_t)index->passages);

		for (uint32_t i = 0; i < index->passages; i++)
			all[i] = (struct cosine){ i,
				                  dot(question, index->vectors[i], dims)
				                          / sqrt(dot(index->vectors[i],
				                                     index->vectors[i], dims)),
				                  0 };
		memcpy(v, question, dims * sizeof(*v));
		kb_rotate(v, dims);
		kb_signs(v, centre, dims, bits);
		for (uint32_t i = 0; i < index->passages; i++)
			for (size_t w = 0; w < words; w++)
				all[i].differences += (uint32_t)__builtin_popcountll(
				        bits[w] ^ signs[i * words + w]);
		memcpy(picked, all, index->passages * sizeof(*all));
		qsort(all, index->passages, sizeof(*all), by_value);
		kb_vector_search(index->snapshot, &arena, &query, &hits, &count);
		for (size_t i = 0; i < count; i++)
			docs[i] = hits[i].doc;
		bytes += shared(all, docs, count);
		qsort(picked, index->passages, sizeof(*picked), by_differences);
		for (size_t i = 0; i < TOP; i++)
			for (size_t k = 0; k < want; k++)
				behind += picked[k].doc == all[i].doc;
		kb_arena_reset(&arena);
	}
	printf("recall@10 %s passages=%u questions=%zu bytes=%.4f picked=%zu behind_bits=%.4f\n",
	       name, index->passages, asked, (double)bytes / (double)(asked * TOP), least,
	       (double)behind / (double)(asked * TOP));
	kb_arena_fini(&arena);
	free(signs);
	free(bits);
	free(all);
	free(picked);
	free(centre);
	free(v);
}

/* ---- answers ---- */

static int64_t df(void *arg, struct kb_sv term)
{
	return kb_snapshot_df(arg, term);
}

static int by_score(const void *a, const void *b)
{
	const struct kb_hit *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return x->doc < y->doc ? -1 : x->doc > y->doc;
}

/* The passages of an answer as answer/steps.c finds them; v NULL: by words. */
static void find_passages(const struct index *index, struct kb_arena *arena,
                          const struct kb_query *words, const float *v, struct kb_hit **hits,
                          size_t *count)
{
	struct kb_vector_query vectors = {
		.name = COLUMN, .model = MODEL, .v = v, .dims = index->docs.dims
	};
	struct kb_retrieved found = { .vectors = KB_VECTORS_USED };
	struct kb_retrieval retrieval = { .snapshot = index->snapshot, .words = words };
	struct kb_hybrid_query query = { .words = words,
		                         .vectors = &vectors,
		                         .trace = &found.trace };

	if (!v) {
		kb_search(index->snapshot, arena, words, hits, count);
		return;
	}
	kb_hybrid_search(index->snapshot, arena, &query, hits, count);
	kb_retrieved_word_scores(arena, &retrieval, &found, *hits, *count);
	qsort(*hits, *count, sizeof(**hits), by_score);
}

struct told {
	bool answered;
	uint32_t doc;
	struct kb_sv sentence;
};

static struct told answer(const struct index *index, struct kb_arena *arena, struct kb_sv text,
                          const float *v)
{
	struct kb_evidence evidence = { .stats = { kb_snapshot_counted(index->snapshot), df,
		                                   index->snapshot } };
	struct kb_candidate *candidates;
	struct kb_selection selection;
	struct kb_question question;
	struct told told = { 0 };
	struct kb_query words;
	struct kb_hit *hits;
	size_t count;

	kb_question_build(index->analyzer, arena, &(struct kb_utterance){ .text = text },
	                  &question);
	words = kb_question_query(&question, KB_SELECT_ADVISED);
	find_passages(index, arena, &words, v, &hits, &count);
	candidates = KB_NEW_ARRAY(arena, count, struct kb_candidate);
	for (size_t i = 0; i < count; i++) {
		candidates[i].score = hits[i].score;
		if (!kb_snapshot_passage(index->snapshot, arena, hits[i].part, hits[i].doc,
		                         &candidates[i].passage, NULL))
			return told;
	}
	evidence.candidates = candidates;
	evidence.count = count;
	kb_select(index->analyzer, arena, &question, &evidence, KB_GATE_LENIENT, &selection);
	told.answered = selection.answered;
	if (told.answered) {
		const struct kb_scored_sentence *first = &selection.sentences[0];
		const struct kb_passage *passage = &candidates[first->candidate].passage;

		told.doc = (uint32_t)passage->page_id;
		told.sentence = kb_sv_sub(passage->text, first->start, first->end - first->start);
	}
	return told;
}

static bool is_right(const struct q_question *question, uint32_t doc)
{
	for (size_t i = 0; i < question->count; i++)
		if (question->judged[i].doc == doc)
			return true;
	return false;
}

static void measure_answers(const struct index *index, const char *name, const struct index *other)
{
	size_t asked = 0, given[2] = { 0 }, right[2] = { 0 }, same = 0, foreign = 0,
	       refused[2] = { 0 };
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < index->set.question_count; i++) {
		const struct q_question *question = &index->set.questions[i];
		const float *v = row_of(&index->questions, question->id);
		struct told told[2];

		if (!v)
			continue;
		asked++;
		for (int k = 0; k < 2; k++) {
			told[k] = answer(index, &arena, question->text, k ? v : NULL);
			given[k] += told[k].answered;
			right[k] += told[k].answered && is_right(question, told[k].doc);
		}
		same += told[0].answered == told[1].answered
		        && kb_sv_eq(told[0].sentence, told[1].sentence);
		kb_arena_reset(&arena);
	}
	for (size_t i = 0; i < other->set.question_count && other != index; i++) {
		const struct q_question *question = &other->set.questions[i];
		const float *v = row_of(&other->questions, question->id);

		if (!v)
			continue;
		foreign++;
		for (int k = 0; k < 2; k++)
			refused[k] += !answer(index, &arena, question->text, k ? v : NULL).answered;
		kb_arena_reset(&arena);
	}
	printf("answers %s questions=%zu given=%zu,%zu right_first=%zu,%zu same=%zu foreign=%zu "
	       "refused=%zu,%zu\n",
	       name, asked, given[0], given[1], right[0], right[1], same, foreign, refused[0],
	       refused[1]);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	const char *data = "../shared/data", *vectors = ".", *runs = ".";
	struct index *indexes;
	struct kb_err err;
	int at = 1, first;

	kb_crypto_init();
	for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
		if (strcmp(argv[at], "--data") == 0)
			data = argv[at + 1];
		else if (strcmp(argv[at], "--vectors") == 0)
			vectors = argv[at + 1];
		else if (strcmp(argv[at], "--runs") == 0)
			runs = argv[at + 1];
		else
			return fprintf(stderr, "unknown option %s\n", argv[at]), 2;
	}
	first = at;
	indexes = kb_xcalloc((size_t)argc, sizeof(*indexes));
	for (; at < argc; at++)
		if (!open_index(&indexes[at], data, vectors, argv[at], &err))
			return fprintf(stderr, "%s: %s\n", argv[at], err.msg), 1;
	for (at = first; at < argc; at++) {
		struct index *index = &indexes[at];
		const char *name = name_of(argv[at]);

		for (size_t i = 0; i < KB_COUNTOF(ways); i++)
			if (!write_run(index, runs, name, &ways[i]))
				return fprintf(stderr, "cannot write to %s\n", runs), 1;
		if (!write_judgments(index, runs, name))
			return fprintf(stderr, "cannot write to %s\n", runs), 1;
		/* One in 40, and the least number that a search picks. */
		measure_recall(index, name, index->passages / 40);
		measure_recall(index, name, 400);
		measure_answers(index, name, &indexes[at + 1 < argc ? at + 1 : first]);
	}
	for (at = first; at < argc; at++)
		close_index(&indexes[at]);
	free(indexes);
	return 0;
}
