/* The column of a merged segment, from the rows of its parts' columns. */
#include <stdlib.h>

#include "index/column.h"
#include "index/snapshot.h"

struct merge {
	const struct kb_snapshot *snapshot;
	size_t first, count;
	const struct kb_column_source *source;
	const int8_t *nothing; /* a row of zeros */
};

static void each_living(void *arg, void (*take)(void *to, const int8_t *row, float scale), void *to)
{
	const struct merge *merge = arg;
	const struct kb_column_source *source = merge->source;

	for (size_t i = merge->first; i < merge->first + merge->count; i++) {
		const struct kb_part *part = &merge->snapshot->parts[i];
		const struct kb_vectors *vectors = kb_snapshot_vectors(merge->snapshot, (uint32_t)i,
		                                                       source->name, source->model);

		if (vectors && vectors->info.dims != source->dims)
			vectors = NULL;
		for (uint32_t doc = 0; doc < part->segment->passages; doc++)
			if (!kb_part_alive(part, doc))
				continue;
			else if (vectors)
				take(to, vectors->rows + doc * vectors->stride,
				     vectors->scales[doc]);
			else
				take(to, merge->nothing, 0);
	}
}

bool kb_vectors_merge(const struct kb_snapshot *snapshot, size_t first, size_t count,
                      struct kb_sv name, struct kb_sv model, uint32_t dims, const char *path,
                      int64_t *bytes, struct kb_err *err)
{
	struct kb_column_source source = { .name = name, .model = model, .dims = dims };
	struct merge merge = { .snapshot = snapshot, .first = first, .count = count };
	int8_t *nothing = kb_xcalloc(1, kb_row_stride(dims));
	bool ok;

	KB_ASSERT(first + count <= snapshot->part_count && dims && dims <= KB_VECTOR_DIMS_MAX);
	for (size_t i = first; i < first + count; i++)
		source.passages += snapshot->parts[i].alive;
	merge.source = &source;
	merge.nothing = nothing;
	source.each = each_living;
	source.arg = &merge;
	ok = kb_column_write(&source, path, bytes, err);
	free(nothing);
	return ok;
}
