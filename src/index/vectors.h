/*
 * Vector columns: a vector for each passage of a segment, in a file of its own beside it.
 *
 * Vectors arrive later than text: a passage can be found by its words at once and gains vectors in
 * the background. So a column is not a section of the segment but an immutable file that belongs to
 * one, named ("lsi", "embedding", …) and marked with the model that made it; a segment may have
 * several. A vector has length 1, kept as signed bytes with one scale; a passage without one (text
 * not yet embedded) has none and is never found by it. A scan is exact over the bytes; where a
 * column is large, a pre-filter of one bit a dimension picks the passages that are scored.
 *
 * A passage with a vector may have parts, such as its sentences, with a vector each: they are found
 * by nothing, and tell which part of what was found is nearest to the question. They are kept as
 * what they have beside their passage's, in two bits a dimension: a cosine with one is off by some
 * hundredths at most.
 *
 * Two models' vectors are never compared: a search names column and model, and parts that have no
 * such column take no part. Writers belong to one thread; open columns may be read by any number.
 */
#ifndef KB_INDEX_VECTORS_H
#define KB_INDEX_VECTORS_H

#include "index/index.h"
#include "index/vectorizer.h"

enum {
	KB_VECTOR_DIMS_MAX = 4096,
	KB_VECTORS_NAME_MAX = 32, /* bytes */
	KB_VECTORS_MODEL_MAX = 128,
};

struct kb_vectors;
struct kb_vectors_writer;

struct kb_vectors_info {
	struct kb_sv name, model;        /* in the map */
	uint32_t dims, passages, filled; /* filled: passages that have a vector */
	int64_t bytes;
};

struct kb_vectors_writer *kb_vectors_writer_new(struct kb_sv name, struct kb_sv model,
                                                uint32_t dims, uint32_t passages);
void kb_vectors_writer_free(struct kb_vectors_writer *writer);
/* The passage's vector, of any length; one of length 0 or with a value that is no number is none.
 */
void kb_vectors_writer_set(struct kb_vectors_writer *writer, uint32_t passage, const float *v);
/* Parts of a passage whose vector was set, in their order, dims floats each; one of length 0 is
 * taken for its passage. Once a passage; none where that has no vector. */
void kb_vectors_writer_parts(struct kb_vectors_writer *writer, uint32_t passage, const float *parts,
                             uint32_t count);
/* What another column has of a passage, its parts too, bit for bit. False: nothing. */
bool kb_vectors_writer_take(struct kb_vectors_writer *writer, uint32_t passage,
                            const struct kb_vectors *from, uint32_t from_passage);
/* Writes the file (durable). */
bool kb_vectors_writer_finish(struct kb_vectors_writer *writer, const char *path, int64_t *bytes,
                              struct kb_err *err) KB_MUST_CHECK;

/* Maps the file and checks its form; with `verify` its checksums. KB_E_CORRUPT. Count starts at 1.
 */
struct kb_vectors *kb_vectors_open(const char *path, bool verify, struct kb_err *err) KB_MUST_CHECK;
struct kb_vectors *kb_vectors_hold(struct kb_vectors *vectors);
void kb_vectors_release(struct kb_vectors *vectors);
void kb_vectors_info(const struct kb_vectors *vectors, struct kb_vectors_info *out);
/* The passage's vector as floats of length about 1; false: it has none. */
bool kb_vectors_get(const struct kb_vectors *vectors, uint32_t passage, float *v);

/* A question's vector, prepared once: length 1, as bytes. Lives in the arena. */
struct kb_vector;
const struct kb_vector *kb_vector_new(struct kb_arena *arena, const float *v, uint32_t dims);
/* The cosine of the two, from -1 to 1; -2: the passage has none, or the dimensions differ. */
float kb_vectors_cosine(const struct kb_vectors *vectors, uint32_t passage,
                        const struct kb_vector *vector);

/* The cosine of each of the passage's parts, as many as *count says, in the arena. */
const float *kb_vectors_part_cosines(const struct kb_vectors *vectors, struct kb_arena *arena,
                                     uint32_t passage, const struct kb_vector *vector,
                                     size_t *count);

/* The segment's column of that name and model in this snapshot, or NULL. Not held. */
const struct kb_vectors *kb_snapshot_vectors(const struct kb_snapshot *snapshot, uint32_t part,
                                             struct kb_sv name, struct kb_sv model);

/* How many parts of the snapshot have that column. */
size_t kb_snapshot_column_parts(const struct kb_snapshot *snapshot, struct kb_sv name,
                                struct kb_sv model);

struct kb_vector_query {
	struct kb_sv name, model;
	const float *v;
	uint32_t dims;
	size_t limit;
	/* Score every passage, without the pre-filter. */
	bool exhaustive;
};
/* The passages with the greatest cosine, best first, equal ones by (part, doc); score is the
 * cosine. None for a vector of length 0. */
void kb_vector_search(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                      const struct kb_vector_query *query, struct kb_hit **hits, size_t *count);

/* Writes the column of a merged segment: the rows of the living passages of the parts, in
 * kb_segment_merge()'s order. Passages of parts without the column have none. *bytes: of the file.
 */
bool kb_vectors_merge(const struct kb_part_range *parts, const struct kb_vector_column *column,
                      const char *path, int64_t *bytes, struct kb_err *err) KB_MUST_CHECK;

#endif
