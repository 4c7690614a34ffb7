/*
 * How well the search finds what people ask for in documents as they upload them:
 *
 *   bench/natural_search [--data DIR] [--program FILE] [--meaning FILE] [--encoder FILE]
 * [--verbose]
 *
 * Each corpus is parsed, cut and indexed as an agent's documents are, and learns its factors; each
 * question is asked as the search endpoint asks it. Printed: of the answerable questions, those
 * whose right document is the first, among the first three, among the distinct documents of the
 * first ten passages; and the same of passages that hold a phrase of the answer. The questions that
 * ask a second time, in the field's own words, stand in lines of their own. --verbose prints each
 * question's two ranks. The program that parses is the docent binary beside this one's folder.
 *
 * Documents are added in one order into one segment, so the same build gives the same figures.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "answer/question.h"
#include "answer/retrieve.h"
#include "base/hash.h"
#include "index/factors.h"
#include "index/meaning.h"
#include "index/rank.h"
#include "natural_data.h"

enum { DEPTH = 10, DEEP = 50 };

static const size_t ranks[] = { 1, 3, 10, 50 };

struct tally {
	size_t questions, docs[KB_COUNTOF(ranks)], passages[KB_COUNTOF(ranks)];
};

static void count(struct tally *tally, size_t doc_rank, size_t passage_rank)
{
	tally->questions++;
	for (size_t i = 0; i < KB_COUNTOF(ranks); i++) {
		tally->docs[i] += doc_rank && doc_rank <= ranks[i];
		tally->passages[i] += passage_rank && passage_rank <= ranks[i];
	}
}

static void print(const char *name, const struct tally *tally)
{
	printf("| %s | %zu | %zu / %zu / %zu | %zu / %zu / %zu / %zu |\n", name, tally->questions,
	       tally->docs[0], tally->docs[1], tally->docs[2], tally->passages[0],
	       tally->passages[1], tally->passages[2], tally->passages[3]);
}

struct bench {
	struct kb_analyzer *analyzer;
	struct kb_meaning *meaning; /* NULL: none */
	struct encoded *encoder;    /* the same */
	bool verbose;
};

/* Where the first right document and passage stand, from 1; 0: nowhere. */
static bool ask(const struct bench *bench, const struct n_corpus *corpus,
                const struct n_question *asked, size_t *doc_rank, size_t *passage_rank,
                struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_question question;
	struct kb_query query;
	struct kb_retrieval retrieval = { .snapshot = corpus->snapshot,
		                          .words = &query,
		                          .question = asked->text };
	struct kb_answerer answerer = { .vectorizer = encoded_vectorizer(bench->encoder) };
	struct kb_retrieved found;
	size_t docs = 0;
	int64_t seen[DEPTH];
	bool ok = true;

	*doc_rank = *passage_rank = 0;
	kb_question_read(bench->analyzer, &arena, corpus->snapshot,
	                 &(struct kb_utterance){ .text = asked->text }, &question);
	query = kb_question_query(&question, DEEP);
	query.purpose = KB_FOR_SEARCH;
	query.factors = KB_FACTORS_WEIGHT;
	query.meaning = bench->meaning;
	kb_retrieve(&answerer, &arena, &retrieval, &found);
	for (size_t i = 0; ok && i < found.count; i++) {
		const struct kb_hit *hit = &found.hits[i];
		int64_t page = kb_snapshot_page(corpus->snapshot, hit->part, hit->doc);
		struct kb_passage passage;
		size_t k = 0;

		while (k < docs && seen[k] != page)
			k++;
		if (k == docs && i < DEPTH)
			seen[docs++] = page;
		if (i < DEPTH && !*doc_rank && n_is_right(corpus, asked, page))
			*doc_rank = docs;
		ok = kb_snapshot_passage(corpus->snapshot, &arena, hit->part, hit->doc, &passage,
		                         err);
		if (ok && !*passage_rank && n_holds_phrase(&arena, asked, passage.text))
			*passage_rank = i + 1;
	}
	kb_arena_fini(&arena);
	return ok;
}

static const struct n_question *question_named(const struct n_corpus *corpus, struct kb_sv id)
{
	for (size_t i = 0; i < corpus->question_count; i++)
		if (kb_sv_eq(corpus->questions[i].id, id))
			return &corpus->questions[i];
	return NULL;
}

static bool run_corpus(const struct bench *bench, const struct n_corpus *corpus, struct tally *own,
                       struct tally pairs[2], struct kb_err *err)
{
	for (size_t i = 0; i < corpus->question_count; i++) {
		const struct n_question *asked = &corpus->questions[i];
		const struct n_question *other;
		size_t doc, passage;

		if (!asked->answerable)
			continue;
		if (!ask(bench, corpus, asked, &doc, &passage, err))
			return false;
		if (bench->verbose)
			printf("%.*s\t%zu\t%zu\n", KB_SV_ARG(asked->id), doc, passage);
		if (!asked->pair.n) {
			count(own, doc, passage);
			continue;
		}
		count(&pairs[1], doc, passage);
		other = question_named(corpus, asked->pair);
		if (!other)
			continue;
		if (!ask(bench, corpus, other, &doc, &passage, err))
			return false;
		count(&pairs[0], doc, passage);
	}
	return true;
}

static bool run(const struct bench *bench, const char *data, const char *program,
                struct kb_err *err)
{
	struct tally all = { 0 }, pairs[2] = { 0 };
	struct n_set set;
	bool ok = n_set_read(&set, data, err);

	printf("| corpus | questions | right document at 1 / 3 / 10 | right passage at "
	       "1 / 3 / 10 / 50 |\n"
	       "| --- | --- | --- | --- |\n");
	for (size_t i = 0; ok && i < set.corpus_count; i++) {
		struct n_corpus *corpus = &set.corpora[i];
		struct tally own = { 0 };

		ok = n_corpus_open(&set, corpus, program, bench->encoder, err)
		     && run_corpus(bench, corpus, &own, pairs, err);
		print(kb_arena_str(&set.arena, corpus->name), &own);
		fflush(stdout);
		all.questions += own.questions;
		for (size_t k = 0; k < KB_COUNTOF(ranks); k++) {
			all.docs[k] += own.docs[k];
			all.passages[k] += own.passages[k];
		}
		n_corpus_close(corpus);
	}
	print("all", &all);
	print("pairs, in people's words", &pairs[0]);
	print("pairs, in the field's words", &pairs[1]);
	n_set_free(&set);
	return ok;
}

int main(int argc, char **argv)
{
	const char *data = "../shared/data/natural", *slash = strrchr(argv[0], '/');
	struct bench bench = { .analyzer = kb_analyzer_new() };
	struct kb_err err = { 0 };
	char program[4096];

	kb_crypto_init();
	snprintf(program, sizeof(program), "%.*s/../docent", (int)(slash ? slash - argv[0] : 1),
	         slash ? argv[0] : ".");
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--data") && i + 1 < argc) {
			data = argv[++i];
		} else if (!strcmp(argv[i], "--program") && i + 1 < argc) {
			snprintf(program, sizeof(program), "%s", argv[++i]);
		} else if (!strcmp(argv[i], "--verbose")) {
			bench.verbose = true;
		} else if (!strcmp(argv[i], "--meaning") && i + 1 < argc) {
			bench.meaning = kb_meaning_open(argv[++i], &err);
			if (!bench.meaning) {
				fprintf(stderr, "bench/natural_search: %s\n", err.msg);
				return 1;
			}
		} else if (!strcmp(argv[i], "--encoder") && i + 1 < argc) {
			bench.encoder = encoded_open(argv[++i], &err);
			if (!bench.encoder) {
				fprintf(stderr, "bench/natural_search: %s\n", err.msg);
				return 1;
			}
		} else {
			fprintf(stderr, "bench/natural_search: what is %s?\n", argv[i]);
			return 2;
		}
	}
	if (access(data, R_OK) != 0) {
		printf("skipped: there are no data in %s\n", data);
		return 0;
	}
	if (!run(&bench, data, program, &err)) {
		fprintf(stderr, "bench/natural_search: %s\n", err.msg);
		return 1;
	}
	encoded_close(bench.encoder);
	kb_meaning_close(bench.meaning);
	kb_analyzer_free(bench.analyzer);
	return 0;
}
