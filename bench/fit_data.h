/*
 * The question sets as the fitting tool sees them: one pool a set, a real index over it, and for
 * each question the candidates' features with what is right.
 */
#ifndef BENCH_FIT_DATA_H
#define BENCH_FIT_DATA_H

#include "answer/features.h"
#include "encoded.h"

struct fit_doc {
	struct kb_sv id, title, text;
};

struct fit_ask {
	struct kb_sv id, text;
	const char *source; /* the set's name */
	struct kb_sv *answers;
	size_t answer_count;
	bool impossible;
	bool again;                  /* a natural question in the field's words */
	bool foreign;                /* impossible, and of another subject */
	const struct fit_doc **docs; /* right ones */
	size_t doc_count;
	struct kb_sv *history; /* earlier user turns */
	size_t history_count;
	uint64_t group; /* of cross-validation: the article */
};

struct fit_set {
	const char *name;
	struct kb_arena arena;
	struct fit_doc *docs;
	size_t doc_count;
	struct fit_ask *asks;
	size_t ask_count;
	struct kb_segment *segment;
	struct kb_vectors *column; /* NULL: no encoder is used */
	struct kb_snapshot *snapshot;
	bool squeezed;        /* answers are phrases as bench_squeezed() gives them */
	struct kb_sv article; /* while reading */
	size_t articles;
};

/* "squad"; "xquad:th", one language of a set; "squad@3", the third article alone and what is asked
 * of it; "squad-3", an eighth of the articles taken out, and only
 * what is asked of them; "ir/med", questions without answers. false where the data are not to be
 * had. */
bool fit_set_open(struct fit_set *set, const char *root, const char *name);
void fit_set_close(struct fit_set *set);
bool fit_is_less(const char *name); /* of the form "squad-3" */

/* Ends reading: indexes the documents, each as one passage. */
void fit_set_build(struct fit_set *set);
/* The same with the passages that the writer has. */
void fit_set_index(struct fit_set *set, struct kb_segment_writer *writer);

/* So many agents of so few documents of the set, each with questions of its own: `count` documents
 * of one article, from the nth on. The source outlives it. */
bool fit_set_small(struct fit_set *set, const struct fit_set *source, size_t from, size_t count);

/* What the searches use from now on; NULL: none. */
void fit_use_meaning(const struct kb_meaning *meaning);
/* From now on searches find by its vectors too; NULL: none. */
void fit_use_encoder(struct encoded *encoder);

/* Fills in the candidates for a question of any set in this set's pool. */
void fit_search(struct fit_set *set, struct kb_arena *arena, const struct kb_question *q,
                size_t top, struct kb_evidence *out);
struct kb_answer_stats fit_stats(struct fit_set *set);

/* Whether text holds one of the answers, as the scorer compares: words in order, without case,
 * punctuation and articles; Chinese, Japanese, Korean, Thai by character. */
struct fit_gold; /* the answers, cut into such words */
struct fit_gold *fit_gold_new(struct kb_arena *arena, const struct fit_set *set,
                              const struct fit_ask *ask);
bool fit_gold_in(struct kb_arena *arena, const struct fit_gold *gold, struct kb_sv text);

#endif
