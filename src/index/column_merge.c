/* The column of a merged segment, from the rows of its parts' columns. */
#include <stdlib.h>

#include "index/column.h"
#include "index/snapshot.h"

struct merge {
	const struct kb_part_range *parts;
	const struct kb_column_source *source;
	const int8_t *nothing; /* a row of zeros */
};

static void each_living(void *arg, void (*take)(void *to, const struct kb_column_row *row),
                        void *to)
{
	const struct merge *merge = arg;
	const struct kb_column_source *source = merge->source;
	const struct kb_part_range *parts = merge->parts;

	for (size_t i = parts->first; i < parts->first + parts->count; i++) {
		const struct kb_part *part = &parts->snapshot->parts[i];
		const struct kb_vectors *vectors = kb_snapshot_vectors(parts->snapshot, (uint32_t)i,
		                                                       source->name, source->model);

		if (vectors && vectors->info.dims != source->dims)
			vectors = NULL;
		for (uint32_t doc = 0; doc < part->segment->passages; doc++) {
			struct kb_column_row row = { .row = merge->nothing };

			if (!kb_part_alive(part, doc))
				continue;
			if (vectors)
				row = kb_column_row(vectors, doc);
			take(to, &row);
		}
	}
}

bool kb_vectors_merge(const struct kb_part_range *parts, const struct kb_vector_column *column,
                      const char *path, int64_t *bytes, struct kb_err *err)
{
	const struct kb_snapshot *snapshot = parts->snapshot;
	size_t end = parts->first + parts->count;
	struct kb_column_source source = { .name = column->name,
		                           .model = column->model,
		                           .dims = column->dims,
		                           .each = each_living };
	int8_t *nothing = kb_xcalloc(1, kb_row_stride(column->dims));
	struct merge merge = { .parts = parts, .source = &source, .nothing = nothing };
	bool ok;

	KB_ASSERT(end <= snapshot->part_count && column->dims
	          && column->dims <= KB_VECTOR_DIMS_MAX);
	for (size_t i = parts->first; i < end; i++)
		source.passages += snapshot->parts[i].alive;
	source.arg = &merge;
	ok = kb_column_write(&source, path, bytes, err);
	free(nothing);
	return ok;
}
