/*
 * Who makes vectors of texts, of passages and of questions: functions that a server's client fills
 * (upstream/embed.h), or an encoder in the process. Ingestion and answers call them and know
 * neither; how long a failure is waited out, and how much is given at once, is the vectorizer's to
 * say.
 */
#ifndef KB_INDEX_VECTORIZER_H
#define KB_INDEX_VECTORIZER_H

#include "base/arena.h"
#include "base/err.h"

/* Names of these columns begin so. */
#define KB_EMBED_FAMILY "embed:"

/* What a model makes: a column of this name, with this mark of the model. */
struct kb_vector_column {
	struct kb_sv name, model;
	uint32_t dims;
};

enum { KB_VECTORIZER_PARTS = 128 }; /* sentences of a passage that have vectors; it has some ten */

/* A text, and parts of it one behind the other: where the first begins and where each ends, in
 * bytes. */
struct kb_vectorizer_text {
	struct kb_sv text;
	const uint32_t *bounds; /* parts + 1 */
	size_t parts;
};

/* dims floats a text, and a part. */
struct kb_vectorized {
	const float *rows, *parts;
};

struct kb_health_stats; /* out/health.h */

/* Any thread. All but known() and stats() may block, for as long as their own limits say. */
struct kb_vectorizer {
	/* The column that it makes; its views live as long as the vectorizer. False: it has still
	 * to be found out. */
	bool (*known)(void *arg, struct kb_vector_column *out);
	/* The same, found out where need be. */
	bool (*column)(void *arg, struct kb_vector_column *out, struct kb_err *err);
	/* Passages, in the background: count * dims floats, in the arena. KB_E_INVALID: these very
	 * texts are refused. */
	bool (*embed)(void *arg, struct kb_arena *arena, const struct kb_sv *texts, size_t count,
	              const float **rows, struct kb_err *err);
	/* The same, and a vector for each part as its text understands it, text by text, of length
	 * 0 where there is none. NULL: this model tells of whole texts alone. */
	bool (*embed_parts)(void *arg, struct kb_arena *arena,
	                    const struct kb_vectorizer_text *texts, size_t count,
	                    struct kb_vectorized *out, struct kb_err *err);
	/* One question that somebody waits for: dims floats, in the arena. Only once the column is
	 * known. */
	bool (*question)(void *arg, struct kb_arena *arena, struct kb_sv text, const float **v,
	                 struct kb_err *err);
	/* How it does, a line for each way it is asked, `lines` of them. */
	void (*stats)(void *arg, struct kb_health_stats *out);
	void *arg;
	/* Answers are fitted to this model's cosines (answer/weights.h). */
	bool fitted;
	struct kb_sv model; /* its name, for clients; lives as long as the vectorizer */
	size_t lines;
	size_t batch_texts, batch_bytes; /* of one call of embed, at most */
	size_t text_bytes;               /* of one text; longer ones are cut */
	/* How long the background leaves it alone after a failure, twice as long after each further
	 * one, up to the most. Both 0: a failure of it is not worth waiting for. */
	int64_t pause_first_ms, pause_most_ms;
};

struct kb_passage; /* index/index.h */

/* What stands for a passage: where it is from, then its words; at most so many bytes. */
struct kb_sv kb_vectorizer_text(struct kb_arena *arena, const struct kb_passage *passage,
                                size_t text_bytes);
/* The same, its parts the passage's sentences (index/sentence.h), the first of them. */
void kb_vectorizer_sentences(struct kb_arena *arena, const struct kb_passage *passage,
                             size_t text_bytes, struct kb_vectorizer_text *out);

#endif
