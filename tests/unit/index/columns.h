/* Random vectors, columns and the segments they belong to, for the tests of vector columns. */
#ifndef KB_TEST_COLUMNS_H
#define KB_TEST_COLUMNS_H

#include "index/column.h"
#include "test.h"
#include "world.h"

#define COLUMN KB_SV("lsi")
#define MODEL  KB_SV("a model")

/* Nearly normal: the sum of six dice. */
static inline float normal(struct dice *dice)
{
	int sum = 0;

	for (int i = 0; i < 6; i++)
		sum += (int)roll(dice, 2001) - 1000;
	return (float)sum / 1414;
}

static inline void made_vector(struct dice *dice, float *v, uint32_t dims)
{
	for (uint32_t i = 0; i < dims; i++)
		v[i] = normal(dice);
}

static inline double cosine_of(const float *a, const float *b, uint32_t dims)
{
	double dot = 0, aa = 0, bb = 0;

	for (uint32_t i = 0; i < dims; i++) {
		dot += (double)a[i] * (double)b[i];
		aa += (double)a[i] * (double)a[i];
		bb += (double)b[i] * (double)b[i];
	}
	return aa > 0 && bb > 0 ? dot / sqrt(aa * bb) : 0;
}

/* Every fourth passage has two parts, of the rows of the next two. */
static inline void set_passage(struct kb_vectors_writer *writer, uint32_t passage, const float *v,
                               uint32_t dims, uint32_t i, uint32_t count)
{
	kb_vectors_writer_set(writer, passage, v + (size_t)i * dims);
	if (i % 4 == 1 && i + 2 < count)
		kb_vectors_writer_parts(writer, passage, v + (size_t)(i + 1) * dims, 2);
}

/* Row i of v is passage i's; a row whose first value is no number is left out. */
static inline bool write_column(const char *path, struct kb_sv name, struct kb_sv model,
                                const float *v, uint32_t dims, uint32_t passages,
                                struct kb_err *err)
{
	struct kb_vectors_writer *writer = kb_vectors_writer_new(name, model, dims, passages);
	int64_t bytes;
	bool ok;

	for (uint32_t i = 0; i < passages; i++)
		set_passage(writer, i, v, dims, i, passages);
	ok = kb_vectors_writer_finish(writer, path, &bytes, err);
	kb_vectors_writer_free(writer);
	return ok;
}

/* A segment of so many passages, `per_page` of them a page from page id `first_page` on. */
static inline struct kb_segment *made_segment(const char *path, uint32_t passages,
                                              uint32_t per_page, int64_t first_page)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_segment_info info;
	struct kb_segment *segment = NULL;
	struct kb_err err;

	for (uint32_t i = 0; i < passages; i++)
		kb_segment_writer_add(writer, &(struct kb_passage){
		                                      .page_id = first_page + i / per_page,
		                                      .ordinal = i % per_page,
		                                      .text = KB_SV("word"),
		                              });
	if (kb_segment_writer_finish(writer, path, &info, &err))
		segment = kb_segment_open(path, true, &err);
	unlink(path);
	kb_segment_writer_free(writer);
	return segment;
}

#endif
