/*
 * Who makes vectors of texts: functions that a server's client fills (upstream/embed.h) and that
 * ingestion calls, so that neither knows the other.
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

/* May block for as long as the functions' own limits say; any thread. */
struct kb_vectorizer {
	/* The views live as long as the vectorizer. */
	bool (*column)(void *arg, struct kb_vector_column *out, struct kb_err *err);
	/* count * dims floats, in the arena. KB_E_INVALID: the server refuses these very texts. */
	bool (*embed)(void *arg, struct kb_arena *arena, const struct kb_sv *texts, size_t count,
	              const float **rows, struct kb_err *err);
	void *arg;
	size_t batch_texts, batch_bytes; /* of one call of embed, at most */
	size_t text_bytes;               /* of one text; longer ones are cut */
};

#endif
