/*
 * The file of a vector column, version 1, and what its writer, reader and search share. Private to
 * this folder.
 *
 * The frame is that of every file of sections (base/container.h), its magic "KBVEC\r\n\x1a".
 * Passage numbers are those of the segment that the column belongs to. Sections:
 *
 *   INFO    u32 each: dimensions, passages, passages that have a vector, bytes of the name, bytes
 *           of the model's name; then the two names.
 *   SCALES  f32 a passage: what a row's integers are multiplied with to give a vector of length 1,
 *           measured along the vector that was rounded; 0: the passage has none.
 *   ROWS    i8, dimensions a passage, zeros up to the next multiple of 64: the vector, rounded to
 *           steps of its greatest value / 127.
 *   CENTRE  f32 a dimension: the mean of the vectors. With SIGNS only.
 *   SIGNS   the pre-filter, in columns of KB_SIGNS_MIN passages or more: the signs of the vector
 *           minus CENTRE after a fixed rotation (kb_rotate()), a bit a dimension. Eight passages
 *           lie together: word 0 of each, word 1 of each, …, a word being u64 of 64 dimensions,
 *           with zeros behind the last dimension and the last passage.
 *   ENDS    u32 a passage: how many parts it and those before it have. With PARTS only.
 *   PARTS   kb_part_stride() bytes a part, where any passage has parts: f32 a, f32 b, then two bits
 *           a dimension from the lowest on, which are -3, -1, 1, 3. The part's vector is a times
 *           the row's, and b times these, turned back: what the part has that its passage has not
 *           is turned by kb_rotate(), which makes it nearly normal, and rounded to the four steps
 *           that lose least then (Max 1960). b is measured as a row's scale is.
 *
 * The signs are made from ROWS and SCALES alone, so that a merged column is, byte for byte, the
 * column that a writer would make of these rows. A reader checks sizes, alignment and ENDS once;
 * all bytes are valid values, so damage beyond that gives wrong figures and never leads out of the
 * map.
 */
#ifndef KB_INDEX_COLUMN_H
#define KB_INDEX_COLUMN_H

#include <stdatomic.h>

#include "base/container.h"
#include "index/vectors.h"

enum kb_column_section {
	KB_VEC_INFO = 1,
	KB_VEC_SCALES,
	KB_VEC_ROWS,
	KB_VEC_CENTRE,
	KB_VEC_SIGNS,
	KB_VEC_ENDS,
	KB_VEC_PARTS,
	KB_VEC_COUNT
};

enum {
	KB_ROW_ALIGN = 64, /* bytes; what a scan reads at a time */
	KB_ROW_MAX = 127,
	KB_SIGNS_MIN = 16384, /* passages; below it the exact scan costs as little */
	KB_SIGNS_LANES = 8,   /* passages that lie together */
	/* A question is kept as 255 * high + low, so that its rounding can be left out of account.
	 */
	KB_VECTOR_RADIX = 255,
};

extern const struct kb_form kb_column_form;

struct kb_vectors {
	atomic_int count;
	struct kb_container file;
	struct kb_sv sections[KB_VEC_COUNT];
	struct kb_vectors_info info;
	size_t stride; /* bytes of a row */
	const int8_t *rows;
	const float *scales;
	const float *centre;   /* NULL: no pre-filter */
	const uint64_t *signs; /* so many words a passage: */
	size_t sign_words;
	const uint32_t *part_ends; /* NULL: no passage has parts */
	const uint8_t *parts;
	size_t part_stride;
};

struct kb_vector {
	uint32_t dims;
	size_t stride;
	float scale;              /* of 255 * high + low */
	const int8_t *high, *low; /* aligned, with zeros up to the stride */
	const float *v;           /* length 1 */
	const float *turned;      /* the same by kb_rotate() */
};

static inline size_t kb_row_stride(uint32_t dims)
{
	return ((size_t)dims + KB_ROW_ALIGN - 1) / KB_ROW_ALIGN * KB_ROW_ALIGN;
}

/* Of a part: two floats, two bits a dimension. */
static inline size_t kb_part_stride(uint32_t dims)
{
	return (2 * sizeof(float) + ((size_t)dims + 3) / 4 + 7) / 8 * 8;
}

static inline size_t kb_sign_words(uint32_t dims)
{
	return ((size_t)dims + 63) / 64;
}

/* Steps of the cosine that searches compare and report, so that equal is equal everywhere. */
#define KB_COSINE_ONE (1 << 24)

/* The cosine from the two dot products of a row, in steps. */
static inline int32_t kb_cosine_fixed(int32_t high, int32_t low, float row_scale,
                                      float vector_scale)
{
	double x = ((double)KB_VECTOR_RADIX * high + low) * (double)row_scale * (double)vector_scale
	           * KB_COSINE_ONE;

	if (!(x > -KB_COSINE_ONE))
		return -KB_COSINE_ONE;
	return x < KB_COSINE_ONE ? (int32_t)(x < 0 ? x - .5 : x + .5) : KB_COSINE_ONE;
}

static inline float kb_cosine_float(int32_t fixed)
{
	return (float)fixed / KB_COSINE_ONE;
}

/* Turns a vector by a fixed orthogonal matrix that mixes all dimensions: twice, random signs and
 * Hadamard transforms (Ailon, Chazelle 2009) over the first and the last 2^n dimensions. */
void kb_rotate(float *v, uint32_t dims);
/* The signs of v (already turned) minus `centre` (turned too), kb_sign_words() words. */
void kb_signs(const float *v, const float *centre, uint32_t dims, uint64_t *out);

struct kb_column_row {
	const int8_t *row;
	float scale;
	const uint8_t *parts; /* as in the file */
	uint32_t part_count;
};
struct kb_column_row kb_column_row(const struct kb_vectors *vectors, uint32_t passage);

/* What a column is written from: calls take for each passage in order, the same at each call. */
struct kb_column_source {
	struct kb_sv name, model;
	uint32_t dims, passages;
	void (*each)(void *arg, void (*take)(void *to, const struct kb_column_row *row), void *to);
	void *arg;
};
bool kb_column_write(const struct kb_column_source *source, const char *path, int64_t *bytes,
                     struct kb_err *err) KB_MUST_CHECK;

#endif
