/*
 * Whole documents with people's questions, as bench/natural_search reads them: a folder with
 * corpora.tar.xz and questions.jsonl. Documents go the way of an upload: parsed in the sandbox, cut
 * into passages, named as whoever uploads them would name them.
 */
#ifndef BENCH_NATURAL_DATA_H
#define BENCH_NATURAL_DATA_H

#include "index/index.h"
#include "index/vectors.h"
#include "parse/parse.h"

struct n_question {
	struct kb_sv id, text, pair; /* pair: of whom it asks the same in the field's words */
	struct kb_sv *files, *phrases;
	size_t file_count, phrase_count;
	bool answerable;
};

struct n_corpus {
	struct kb_sv name;
	struct kb_sv *files; /* by page id */
	size_t file_count;
	struct n_question *questions;
	size_t question_count;
	/* Its index, while it is open. */
	struct kb_segment *segment;
	struct kb_vectors *column;
	struct kb_factors *factors;
	struct kb_snapshot *snapshot;
};

struct n_set {
	struct kb_arena arena;
	struct n_corpus *corpora;
	size_t corpus_count;
	char folder[64]; /* where the documents lie until n_set_free() */
};

bool n_set_read(struct n_set *set, const char *root, struct kb_err *err);
void n_set_free(struct n_set *set);

/* Parses the documents and makes an index of them; `program` is the docent binary. */
bool n_corpus_open(struct n_set *set, struct n_corpus *corpus, const char *program,
                   struct kb_err *err);
void n_corpus_close(struct n_corpus *corpus);

/* Whether the file of the page is one of those that answer. */
bool n_is_right(const struct n_corpus *corpus, const struct n_question *question, int64_t page_id);
/* Whether the text holds one of the phrases: compared without white space, case, `*`, `_`, '`'. */
bool n_holds_phrase(struct kb_arena *arena, const struct n_question *question, struct kb_sv text);

#endif
