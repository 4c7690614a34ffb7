/*
 * Vectors of passages, made in the background by whoever makes them (docs/models.md).
 *
 * A document is searchable by its words at once. A thread of low priority looks for segments
 * without the model's column, has the texts of their living passages embedded in batches, and makes
 * the column true with its row in one transaction. A long segment becomes true in parts: what is
 * still to come stands in the row, so a crash, a merge or a stop costs some seconds of work. A text
 * that a replaced document had keeps the vector it had there (known_texts.h). A
 * model of another name makes a column of its own beside the old one; a segment keeps two.
 *
 * A model that fails stops nothing else: the thread tries again after the pauses that the
 * vectorizer asks for, and goes on where it was. Upkeep is given functions (index/vectorizer.h); it
 * does not know whether a server stands behind them.
 */
#ifndef KB_UPKEEP_VECTORIZE_H
#define KB_UPKEEP_VECTORIZE_H

#include "index/vectorizer.h"

struct kb_vectorize_stats {
	int64_t vectors;  /* made since the start */
	int64_t known;    /* taken over from the same texts of documents that were replaced */
	int64_t spent_us; /* on the others */
	int64_t refused;  /* passages that the model would not take */
	int64_t failures; /* rounds that ended with an error and a pause */
	int64_t waiting;  /* segments without the whole column, when last looked */
};

struct kb_upkeep_config;
struct kb_vectorize;

/* NULL where the configuration has no vectorizer; the others take NULL too. */
struct kb_vectorize *kb_vectorize_start(const struct kb_upkeep_config *config);
void kb_vectorize_stop(struct kb_vectorize *vectorize);
void kb_vectorize_stats(struct kb_vectorize *vectorize, struct kb_vectorize_stats *out);

/* Between the two no column becomes true, so that a merge is not overtaken by a part of one. */
void kb_vectorize_hold(struct kb_vectorize *vectorize);
void kb_vectorize_release(struct kb_vectorize *vectorize);

#endif
