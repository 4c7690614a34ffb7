/*
 * How good the search is, on collections with judged questions:
 *
 *   bench/quality [--data DIR] [--runs DIR] [--draw N] [--meaning FILE] [SET…]
 *
 * Builds an index of each set, learns its latent factors, asks its questions and prints nDCG@10,
 * Recall@100 and success@1 in percent: of BM25 with each of two settings over the same terms, and
 * after the first, second and third ranking step, to which --meaning adds the fourth with a table
 * of word vectors. One setting of ours for all sets. With --runs it
 * leaves judgments and runs there for another scorer; bench/quality.sh compares the two.
 *
 * Questions: all that have a judged document (scifact: its test questions; mtrag: the last turn).
 * The two mixed indexes take of each collection at most so many as the table says: those whose ids
 * have the smallest hashes. --draw does so for every set, to be quick.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "index/factors.h"
#include "index/joined.h"
#include "index/meaning.h"
#include "index/query.h"
#include "index/rank.h"
#include "index/rerank.h"
#include "index/snapshot.h"
#include "index/spell.h"
#include "quality_data.h"

enum { DEPTH = 100, TOP = 10 };

#define ALL_IR "ir/cranfield ir/cisi ir/med ir/scifact ir/nq-utd"
#define ALL_QA                                                                                     \
	"qa/squad qa/clapnq qa/mtrag qa/hotpotqa qa/xquad qa/cmrc2018 qa/drcd qa/jaquad qa/rgb-zh"

/* bm25: the better of two published settings (k1 .9 b .4; 1.2, .75) with Porter's stems and
 * Lucene's stop words, measured apart from this program; what gains are counted against. */
static const struct row {
	const char *name, *folders;
	size_t draw;
	double bm25;
} rows[] = {
	{ "cranfield", "ir/cranfield", 0, 51.2 },
	{ "cisi", "ir/cisi", 0, 38.8 },
	{ "med", "ir/med", 0, 68.5 },
	{ "scifact", "ir/scifact", 0, 68.1 },
	{ "nq-utd", "ir/nq-utd", 0, 80.1 },
	{ "squad", "qa/squad", 2500, 88.5 },
	{ "clapnq", "qa/clapnq", 0, 95.6 },
	{ "mtrag", "qa/mtrag", 0, 73.2 },
	{ "hotpotqa", "qa/hotpotqa", 0, 77.5 },
	{ "xquad", "qa/xquad", 2500, 91.1 },
	{ "cmrc2018", "qa/cmrc2018", 0, 99.2 },
	{ "drcd", "qa/drcd", 0, 97.8 },
	{ "jaquad", "qa/jaquad", 0, 91.6 },
	{ "rgb-zh", "qa/rgb-zh", 0, 72.2 },
	{ "pool-en", "qa/squad qa/clapnq qa/mtrag qa/hotpotqa", 600, 81.4 },
	{ "all", ALL_IR " " ALL_QA, 120, 75.3 },
};
enum { OWN_SETS = KB_COUNTOF(rows) - 1 }; /* the last is not part of the mean */

enum step { BM25_SHORT, BM25_LONG, FIRST, SECOND, THIRD, STEPS };
static const char *const step_names[STEPS] = { "bm25-.9-.4", "bm25-1.2-.75", "first", "second",
	                                       "third" };

struct scores {
	double ndcg, recall, success;
};

/* ---- an index over a set ---- */

struct index {
	const struct kb_meaning *meaning; /* NULL: none */
	const struct q_set *set;
	struct kb_segment *segment;
	struct kb_vectors *column;
	struct kb_factors *factors;
	struct kb_snapshot *snapshot;
	struct kb_analyzer *analyzer;
};

static bool build(struct index *index, const char *path, struct kb_err *err)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_segment_info info;
	bool ok;

	for (size_t i = 0; i < index->set->doc_count; i++) {
		const struct q_doc *doc = &index->set->docs[i];

		kb_segment_writer_add(writer,
		                      &(struct kb_passage){ .page_id = (int64_t)i,
		                                            .lang = kb_lang_of_text(doc->text),
		                                            .title = doc->title,
		                                            .text = doc->text });
	}
	ok = kb_segment_writer_finish(writer, path, &info, err)
	     && (index->segment = kb_segment_open(path, false, err)) != NULL;
	unlink(path);
	kb_segment_writer_free(writer);
	return ok;
}

static bool learn(struct index *index, const char *path, struct kb_err *err)
{
	struct kb_factors_info info;
	struct kb_snapshot *snapshot;
	int64_t bytes;
	bool ok;

	snapshot = kb_snapshot_new(
	        &(struct kb_snapshot_part){ .segment = index->segment, .version = 1 }, 1, NULL, 0);
	ok = kb_factors_train(snapshot, &(struct kb_factors_options){ .seed = 1 }, path, &info, err)
	     && (index->factors = kb_factors_open(path, err)) != NULL;
	unlink(path);
	ok = ok && kb_factors_fold(index->factors, index->segment, NULL, path, &bytes, err)
	     && (index->column = kb_vectors_open(path, true, err)) != NULL;
	unlink(path);
	kb_snapshot_release(snapshot);
	return ok;
}

static bool open_index(struct index *index, const struct q_set *set, struct kb_err *err)
{
	char path[64];

	index->set = set;
	index->analyzer = kb_analyzer_new();
	snprintf(path, sizeof(path), "/tmp/docent-quality-%d", (int)getpid());
	if (!build(index, path, err) || !learn(index, path, err))
		return false;
	index->snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ .segment = index->segment,
	                                                              .version = 1,
	                                                              .vectors = &index->column,
	                                                              .vectors_count = 1 },
	                                  1, NULL, 0);
	kb_snapshot_set_factors(index->snapshot, index->factors);
	return true;
}

static void close_index(struct index *index)
{
	kb_snapshot_release(index->snapshot);
	kb_vectors_release(index->column);
	kb_factors_release(index->factors);
	kb_segment_release(index->segment);
	kb_analyzer_free(index->analyzer);
}

/* ---- plain BM25, for comparison ---- */

static int by_score(const void *a, const void *b)
{
	const struct kb_hit *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return x->doc < y->doc ? -1 : x->doc > y->doc;
}

/* Every term weighs as often as the question has it; title and text are one field. */
static void search_bm25(const struct index *index, struct kb_arena *arena, struct kb_sv text,
                        float k1, float b, struct kb_hit **hits, size_t *count)
{
	const struct kb_segment *segment = index->segment;
	uint32_t lengths[256], n = segment->passages;
	float average =
	        (float)(segment->length_sums[KB_FIELD_BODY] + segment->length_sums[KB_FIELD_TITLE])
	        / (float)n;
	struct kb_terms terms;

	kb_analyze(index->analyzer, arena, kb_lang_of_question(text), text, &terms);
	kb_length_table(lengths);
	*hits = KB_NEW_ARRAY(arena, n, struct kb_hit);
	for (uint32_t i = 0; i < n; i++)
		(*hits)[i].doc = i;
	for (size_t t = 0; t < terms.count; t++) {
		struct kb_dict_entry entry;
		struct kb_cursor cursor;
		float idf;

		if (terms.v[t].flags & KB_TERM_STOP
		    || !kb_dict_find(segment, terms.v[t].term, &entry))
			continue;
		idf = logf(1 + ((float)n - (float)entry.df + .5f) / ((float)entry.df + .5f));
		kb_cursor_init(&cursor, entry.list, entry.df);
		for (uint32_t doc = kb_cursor_doc(&cursor); doc < n;
		     doc = kb_cursor_seek(&cursor, doc + 1)) {
			float tf,
			        length = (float)(lengths[segment->lengths[KB_FIELD_BODY][doc]]
			                         + lengths[segment->lengths[KB_FIELD_TITLE][doc]]);

			kb_cursor_counts(&cursor);
			tf = (float)(cursor.tf[KB_FIELD_BODY][cursor.at]
			             + (cursor.body_only ? 0
			                                 : cursor.tf[KB_FIELD_TITLE][cursor.at]));
			(*hits)[doc].score += idf * tf / (tf + k1 * (1 - b + b * length / average));
		}
	}
	qsort(*hits, n, sizeof(**hits), by_score);
	for (*count = 0; *count < KB_MIN(n, (uint32_t)DEPTH) && (*hits)[*count].score > 0;)
		++*count;
}

static void ask(const struct index *index, struct kb_arena *arena, struct kb_sv text,
                enum step step, struct kb_hit **hits, size_t *count)
{
	struct kb_query query = { .limit = DEPTH,
		                  .rerank = step >= SECOND ? KB_RERANK_DEFAULT : 0,
		                  .purpose = KB_FOR_SEARCH,
		                  .factors = step >= THIRD ? KB_FACTORS_WEIGHT : 0,
		                  .meaning = step >= THIRD ? index->meaning : NULL };
	enum kb_lang lang;

	if (step == BM25_SHORT || step == BM25_LONG) {
		bool is_short = step == BM25_SHORT;

		search_bm25(index, arena, text, is_short ? .9f : 1.2f, is_short ? .4f : .75f, hits,
		            count);
		return;
	}
	lang = kb_query_lang(index->analyzer, arena, index->snapshot, text);
	kb_query_build(index->analyzer, arena, text, lang, &query);
	kb_query_spell(index->analyzer, arena, index->snapshot, lang, &query);
	kb_query_join(index->analyzer, arena, index->snapshot, lang, &query);
	kb_search(index->snapshot, arena, &query, hits, count);
}

/* ---- scores, as trec_eval has them ---- */

struct found {
	struct kb_sv id;
	uint32_t doc;
	float score;
};

/* Equal scores: the greater id first. */
static int by_rank(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return kb_sv_cmp(y->id, x->id);
}

static int by_grade(const void *a, const void *b)
{
	const struct q_judgment *x = a, *y = b;

	return x->grade > y->grade ? -1 : x->grade < y->grade;
}

static int grade_of(const struct q_question *question, uint32_t doc)
{
	for (size_t i = 0; i < question->count; i++)
		if (question->judged[i].doc == doc)
			return question->judged[i].grade;
	return 0;
}

static void score(const struct q_question *question, const struct found *found, size_t count,
                  struct scores *sum)
{
	double dcg = 0, ideal = 0;
	size_t right = 0;

	for (size_t i = 0; i < count; i++) {
		int grade = grade_of(question, found[i].doc);

		if (i < TOP)
			dcg += grade / log2((double)i + 2);
		right += grade > 0;
		if (i == 0)
			sum->success += grade > 0;
	}
	qsort(question->judged, question->count, sizeof(*question->judged), by_grade);
	for (size_t i = 0; i < KB_MIN(question->count, (size_t)TOP); i++)
		ideal += question->judged[i].grade / log2((double)i + 2);
	sum->ndcg += dcg / ideal;
	sum->recall += (double)right / (double)question->count;
}

static FILE *open_run(const char *runs, const char *set, const char *what)
{
	char path[512];

	if (!runs)
		return NULL;
	snprintf(path, sizeof(path), "%s/%s.%s", runs, set, what);
	return fopen(path, "w");
}

static struct scores evaluate(const struct index *index, enum step step, FILE *run)
{
	const struct q_set *set = index->set;
	struct kb_arena arena = { 0 };
	struct scores sum = { 0 };

	for (size_t i = 0; i < set->question_count; i++) {
		struct kb_hit *hits;
		struct found *found;
		size_t count;

		ask(index, &arena, set->questions[i].text, step, &hits, &count);
		found = KB_NEW_ARRAY(&arena, count, struct found);
		for (size_t k = 0; k < count; k++) {
			uint32_t doc = (uint32_t)kb_snapshot_page(index->snapshot, hits[k].part,
			                                          hits[k].doc);

			found[k] = (struct found){ set->docs[doc].id, doc, hits[k].score };
			if (run)
				fprintf(run, "%.*s Q0 %.*s %zu %.9g docent\n",
				        KB_SV_ARG(set->questions[i].id), KB_SV_ARG(found[k].id),
				        k + 1, (double)hits[k].score);
		}
		if (count)
			qsort(found, count, sizeof(*found), by_rank);
		score(&set->questions[i], found, count, &sum);
		kb_arena_reset(&arena);
	}
	kb_arena_fini(&arena);
	sum.ndcg *= 100. / (double)set->question_count;
	sum.recall *= 100. / (double)set->question_count;
	sum.success *= 100. / (double)set->question_count;
	return sum;
}

static void write_judgments(const struct q_set *set, FILE *file)
{
	for (size_t i = 0; file && i < set->question_count; i++)
		for (size_t k = 0; k < set->questions[i].count; k++) {
			const struct q_judgment *judged = &set->questions[i].judged[k];
			struct kb_sv id = judged->doc == UINT32_MAX ? KB_SV("absent")
			                                            : set->docs[judged->doc].id;

			fprintf(file, "%.*s\t%.*s\t%d\n", KB_SV_ARG(set->questions[i].id),
			        KB_SV_ARG(id), judged->grade);
		}
}

/* ---- the table ---- */

struct options {
	const char *data, *runs;
	struct kb_meaning *meaning;
	int64_t draw;
	char **names;
	int name_count;
};

static bool is_wanted(const struct options *options, const char *name)
{
	for (int i = 0; i < options->name_count; i++)
		if (strcmp(options->names[i], name) == 0)
			return true;
	return options->name_count == 0;
}

static bool run_set(const struct options *options, const struct row *row,
                    struct scores results[STEPS], struct kb_err *err)
{
	size_t draw = options->draw && (!row->draw || (size_t)options->draw < row->draw)
	                      ? (size_t)options->draw
	                      : row->draw;
	struct index index = { .meaning = options->meaning };
	struct q_set set;
	FILE *file;
	bool ok;

	ok = q_set_read(&set, options->data, row->folders, draw, err)
	     && open_index(&index, &set, err);
	if (ok && (file = open_run(options->runs, row->name, "qrels"))) {
		write_judgments(&set, file);
		fclose(file);
	}
	for (enum step step = 0; ok && step < STEPS; step++) {
		file = open_run(options->runs, row->name, step_names[step]);
		results[step] = evaluate(&index, step, file);
		if (file)
			fclose(file);
		if (options->runs)
			printf("score %s %s %.4f %.4f %.4f\n", row->name, step_names[step],
			       results[step].ndcg / 100, results[step].recall / 100,
			       results[step].success / 100);
	}
	if (ok)
		printf("| %s | %zu | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %+.1f | %.1f %.1f "
		       "%.1f | %.1f %.1f %.1f |\n",
		       row->name, set.question_count, row->bm25, results[BM25_SHORT].ndcg,
		       results[BM25_LONG].ndcg, results[FIRST].ndcg, results[SECOND].ndcg,
		       results[THIRD].ndcg, 100 * (results[THIRD].ndcg / row->bm25 - 1),
		       results[FIRST].recall, results[SECOND].recall, results[THIRD].recall,
		       results[FIRST].success, results[SECOND].success, results[THIRD].success);
	fflush(stdout);
	close_index(&index);
	q_set_free(&set);
	return ok;
}

static bool run(const struct options *options, struct kb_err *err)
{
	struct scores sums[STEPS] = { 0 };
	double gains[STEPS] = { 0 };
	int sets = 0;

	printf("| set | questions | BM25 | ours .9 .4 | ours 1.2 .75 | first | second | third | "
	       "gain "
	       "| R@100 by step | s@1 by step |\n");
	printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct scores results[STEPS];

		if (!is_wanted(options, rows[i].name))
			continue;
		if (!run_set(options, &rows[i], results, err))
			return false;
		if (i >= OWN_SETS)
			continue;
		sets++;
		for (enum step step = 0; step < STEPS; step++) {
			sums[step].ndcg += results[step].ndcg;
			sums[step].recall += results[step].recall;
			sums[step].success += results[step].success;
			gains[step] += 100 * (results[step].ndcg / rows[i].bm25 - 1);
		}
	}
	for (enum step step = 0; sets && step < STEPS; step++)
		printf("mean of %d sets, %s: nDCG@10 %.2f, R@100 %.2f, s@1 %.2f, mean gain %+.2f "
		       "%%\n",
		       sets, step_names[step], sums[step].ndcg / sets, sums[step].recall / sets,
		       sums[step].success / sets, gains[step] / sets);
	return true;
}

int main(int argc, char **argv)
{
	struct options options = { .data = "../shared/data" };
	struct kb_err err = { 0 };
	int i = 1;

	kb_crypto_init();
	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
		if (strcmp(argv[i], "--data") == 0) {
			options.data = argv[i + 1];
		} else if (strcmp(argv[i], "--meaning") == 0) {
			options.meaning = kb_meaning_open(argv[i + 1], &err);
			if (!options.meaning) {
				fprintf(stderr, "bench/quality: %s\n", err.msg);
				return 1;
			}
		} else if (strcmp(argv[i], "--runs") == 0) {
			options.runs = argv[i + 1];
		} else if (strcmp(argv[i], "--draw") != 0
		           || !kb_sv_to_int(kb_sv_str(argv[i + 1]), 1, 1000000, &options.draw)) {
			fprintf(stderr, "bench/quality: what is %s %s?\n", argv[i], argv[i + 1]);
			return 2;
		}
	}
	options.names = argv + i;
	options.name_count = argc - i;
	if (access(options.data, R_OK) != 0) {
		printf("skipped: there are no data in %s\n", options.data);
		return 0;
	}
	if (!run(&options, &err)) {
		fprintf(stderr, "bench/quality: %s\n", err.msg);
		return 1;
	}
	return 0;
}
