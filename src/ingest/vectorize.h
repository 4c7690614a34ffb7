/*
 * Vectors of passages by a model elsewhere, made in the background (docs/models.md).
 *
 * A document is searchable by its words at once. A thread of low priority looks for segments
 * without the model's column, has the texts of their living passages embedded in batches, and makes
 * the column true with its row in one transaction. A long segment becomes true in parts: what is
 * still to come stands in the row, so a crash, a merge or a stop costs some seconds of work. A
 * model of another name makes a column of its own beside the old one; a segment keeps two.
 *
 * A server that is down, slow or wrong stops nothing else: the thread tries again with growing
 * pauses, and goes on where it was. ingest knows no servers: it is given functions
 * (upstream/embed.h has them).
 */
#ifndef KB_INGEST_VECTORIZE_H
#define KB_INGEST_VECTORIZE_H

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

struct kb_vectorize_stats {
	int64_t vectors;  /* made since the start */
	int64_t refused;  /* passages that the server would not take */
	int64_t failures; /* rounds that ended with an error and a pause */
	int64_t waiting;  /* segments without the whole column, when last looked */
};

struct kb_ingest_config;
struct kb_vectorize;

/* NULL where the configuration has no vectorizer; the others take NULL too. */
struct kb_vectorize *kb_vectorize_start(const struct kb_ingest_config *config);
void kb_vectorize_stop(struct kb_vectorize *vectorize);
void kb_vectorize_stats(struct kb_vectorize *vectorize, struct kb_vectorize_stats *out);

/* Between the two no column becomes true, so that a merge is not overtaken by a part of one. */
void kb_vectorize_hold(struct kb_vectorize *vectorize);
void kb_vectorize_release(struct kb_vectorize *vectorize);

#endif
