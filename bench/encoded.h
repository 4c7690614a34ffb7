/*
 * Passages and questions as the encoder in the process sees them, for benches that search by
 * meaning. An encoder takes minutes for what a bench asks in seconds: vectors are kept in a file
 * between runs, by text and by the encoder's fingerprint.
 */
#ifndef BENCH_ENCODED_H
#define BENCH_ENCODED_H

#include "index/vectors.h"

struct encoded;

/* The encoder's file; vectors are kept in the folder of temporary files. */
struct encoded *encoded_open(const char *path, struct kb_err *err);
void encoded_close(struct encoded *encoded);

/* The segment's column of all passages' vectors. `path` is a file that may be written and is gone
 * afterwards. */
bool encoded_column(struct encoded *encoded, struct kb_segment *segment, const char *path,
                    struct kb_vectors **out, struct kb_err *err);
/* It embeds questions, for kb_retrieve(); passages have their columns from the above. */
const struct kb_vectorizer *encoded_vectorizer(const struct encoded *encoded);

#endif
