/*
 * Whole documents with people's questions, as natural_search and fit_answers read them: a folder
 * with corpora.tar.xz and questions.jsonl. Documents go the way of an upload: parsed in the
 * sandbox, cut into passages, named as whoever uploads them would name them.
 */
#ifndef BENCH_NATURAL_DATA_H
#define BENCH_NATURAL_DATA_H

#include "encoded.h"
#include "index/build.h"
#include "index/index.h"
#include "index/vectors.h"
#include "parse/parse.h"

struct n_question {
	struct kb_sv id, text;
	struct kb_sv pair;  /* of whom it asks the same in the field's words */
	struct kb_sv after; /* the question before it; empty: none */
	struct kb_sv *files, *phrases;
	size_t file_count, phrase_count;
	bool answerable;
	bool foreign; /* not answerable, and of another subject */
};

struct n_corpus {
	struct kb_sv name;
	struct kb_sv *files; /* by page id */
	size_t file_count;
	struct n_question *questions;
	size_t question_count;
	/* Its index, while it is open. */
	struct kb_segment *segment;
	struct kb_vectors *columns[2]; /* of the factors and of the encoder, those that it has */
	size_t column_count;
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

/* Parses the documents into the writer, each under its place from 1. What is not read is not found,
 * as with an upload. `program` is a binary that can be the parser's child; NULL: this one. */
bool n_corpus_write(const struct n_set *set, const struct n_corpus *corpus, const char *program,
                    struct kb_segment_writer *writer, struct kb_err *err);
/* The same, and an index of them, with the encoder's vectors where there is one. */
bool n_corpus_open(struct n_set *set, struct n_corpus *corpus, const char *program,
                   struct encoded *encoder, struct kb_err *err);
void n_corpus_close(struct n_corpus *corpus);

/* Whether the file of the page is one of those that answer. */
bool n_is_right(const struct n_corpus *corpus, const struct n_question *question, int64_t page_id);
/* Whether the text holds one of the phrases: compared without white space, case, `*`, `_`, '`'. */
bool n_holds_phrase(struct kb_arena *arena, const struct n_question *question, struct kb_sv text);

#endif
