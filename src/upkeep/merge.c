#include "upkeep/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/temp.h"
#include "index/vectors.h"
#include "store/vectors.h"

enum {
	MERGE_AT_LEAST = 2,
	MERGE_AT_MOST = 64,
	LARGER_BY = 3,
	DEAD_SHARE = 4, /* one in so many */
};

static int by_bytes(const void *a, const void *b)
{
	const struct kb_segment_row *x = a, *y = b;

	return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/*
 * Which of the rows (sorted by size) to merge: the two smallest, and on from there while the next
 * one is not so much larger than all before it together. A merge so makes a segment that later ones
 * leave alone until as much has gathered beside it as a third of its size: while n segments of one
 * size come, a passage is written again about 3 log3(n) times, and a large segment rests while
 * small ones come and go. It is called when an agent has MERGE_SEGMENTS of them, and always leaves
 * fewer.
 */
static size_t choose(const struct kb_segment_row *rows, size_t count)
{
	int64_t sum = 0;
	size_t n = 0;

	while (n < count && n < MERGE_AT_MOST
	       && (n < MERGE_AT_LEAST || rows[n].bytes <= LARGER_BY * sum))
		sum += rows[n++].bytes;
	return n;
}

/* Whether so much of the agent's index is dead that the segments that rest are worth writing again
 * too: they are searched, count in the statistics and take room until they are. */
static bool has_many_dead(struct kb_catalog *catalog, int64_t agent_id)
{
	struct kb_live live;
	struct kb_err err;
	bool many;

	if (!kb_catalog_get(catalog, agent_id, &live, &err))
		return false;
	many = (kb_snapshot_counted(live.snapshot) - kb_snapshot_passages(live.snapshot))
	               * DEAD_SHARE
	       > kb_snapshot_counted(live.snapshot);
	kb_live_release(&live);
	return many;
}

/* Segments that have no column of the agent's factors yet come last, as `count` does not count
 * them: merged now, their whole new segment would have to be folded again. They get theirs within a
 * second; where that fails for long, merging goes on without. */
static size_t put_unfolded_last(const struct kb_index_state *state)
{
	struct kb_segment_row *rows = state->segments;
	size_t folded = 0;

	if (!state->factors.mark.n || state->segment_count > MERGE_AT_MOST)
		return state->segment_count;
	for (size_t i = 0; i < state->segment_count; i++) {
		struct kb_segment_row row = rows[i];
		bool has = false;

		for (size_t k = 0; k < state->vectors_count && !has; k++)
			has = state->vectors[k].segment_id == row.id
			      && kb_sv_eq(state->vectors[k].model, state->factors.mark);
		if (has) {
			rows[i] = rows[folded];
			rows[folded++] = row;
		}
	}
	return folded;
}

/* One merge on its way. */
struct merge {
	const struct kb_merge_places *places;
	struct kb_arena arena;
	struct kb_index_state state;
	size_t count; /* of state.segments, from the first on */
	struct kb_snapshot_part *parts;
	size_t opened;
	struct kb_snapshot *snapshot;
	struct kb_vectors_new *columns;
	size_t column_count;
};

static bool open_parts(struct merge *merge, struct kb_err *err)
{
	const struct kb_index_state *state = &merge->state;
	struct kb_arena *arena = &merge->arena;
	struct kb_dead_page *dead = KB_NEW_ARRAY(arena, state->dead_count, struct kb_dead_page);

	merge->parts = KB_NEW_ARRAY(arena, merge->count, struct kb_snapshot_part);
	for (; merge->opened < merge->count; merge->opened++) {
		const struct kb_segment_row *row = &state->segments[merge->opened];
		struct kb_snapshot_part *part = &merge->parts[merge->opened];
		struct kb_vectors **columns =
		        KB_NEW_ARRAY(arena, KB_SEGMENT_COLUMNS_MAX, struct kb_vectors *);

		part->version = row->version;
		part->page_shift = row->page_shift;
		part->segment = kb_catalog_segment(merge->places->catalog, row->blob, err);
		if (!part->segment)
			return false;
		part->vectors = columns;
		for (size_t i = 0; i < state->vectors_count; i++)
			/* One that cannot be opened is made again for the merged segment. */
			if (state->vectors[i].segment_id == row->id
			    && part->vectors_count < KB_SEGMENT_COLUMNS_MAX
			    && (columns[part->vectors_count] = kb_catalog_vectors(
			                merge->places->catalog, state->vectors[i].blob, NULL)))
				part->vectors_count++;
	}
	for (size_t i = 0; i < state->dead_count; i++)
		dead[i] = (struct kb_dead_page){ state->dead[i].page_id, state->dead[i].version };
	merge->snapshot = kb_snapshot_new(merge->parts, merge->count, dead, state->dead_count);
	return true;
}

static void close_parts(struct merge *merge)
{
	kb_snapshot_release(merge->snapshot);
	for (size_t i = 0; i < merge->opened; i++) {
		kb_segment_release(merge->parts[i].segment);
		for (size_t k = 0; k < merge->parts[i].vectors_count; k++)
			kb_vectors_release(merge->parts[i].vectors[k]);
	}
	kb_arena_fini(&merge->arena);
}

/* A file in the making becomes a blob; false: it is gone. */
static bool take_file(struct merge *merge, bool written, const char *path, struct kb_sv *blob,
                      int64_t *bytes, struct kb_err *err)
{
	struct kb_blob_name name;

	if (!written || !kb_blob_take(merge->places->blobs, path, &name, bytes, err)) {
		unlink(path);
		return false;
	}
	*blob = kb_arena_sv(&merge->arena, kb_sv_str(name.hex));
	return true;
}

static bool merge_column(struct merge *merge, const struct kb_vectors_info *info, int64_t passages,
                         struct kb_err *err)
{
	struct kb_vectors_new *out = &merge->columns[merge->column_count];
	struct kb_vectors *vectors;
	struct kb_vectors_info merged;
	char path[KB_TEMP_PATH];
	int64_t bytes;
	bool ok;

	kb_temp_path(path, merge->places->temp_dir, KB_TEMP_COLUMN);
	ok = kb_vectors_merge(
	             &(struct kb_part_range){ .snapshot = merge->snapshot, .count = merge->count },
	             &(struct kb_vector_column){ info->name, info->model, info->dims }, path,
	             &bytes, err)
	     && (vectors = kb_vectors_open(path, false, err)) != NULL;
	if (ok) {
		kb_vectors_info(vectors, &merged);
		out->filled = merged.filled;
		kb_vectors_release(vectors);
	}
	if (!take_file(merge, ok, path, &out->blob, &out->bytes, err))
		return false;
	out->name = kb_arena_sv(&merge->arena, info->name);
	out->model = kb_arena_sv(&merge->arena, info->model);
	/* What its parts lacked: a part without it, and what was still to be made of one. */
	for (size_t i = 0; i < merge->count; i++) {
		const struct kb_segment_row *row = &merge->state.segments[i];
		int64_t lacks = row->passages;

		for (size_t k = 0; k < merge->state.vectors_count; k++) {
			const struct kb_vectors_row *column = &merge->state.vectors[k];

			/* A column that could not be opened is as if it were not there. */
			if (kb_snapshot_vectors(merge->snapshot, (uint32_t)i, info->name,
			                        info->model)
			    && column->segment_id == row->id && kb_sv_eq(column->name, info->name)
			    && kb_sv_eq(column->model, info->model))
				lacks = column->pending;
		}
		out->pending += lacks;
	}
	/* Which of the passages without a vector were refused is not known any more: all are asked
	 * for once again, if some are. */
	out->pending = out->pending ? passages - out->filled : 0;
	merge->column_count++;
	return true;
}

/* Each column by its name; of two models' columns that of the larger part. */
static bool merge_columns(struct merge *merge, int64_t passages, struct kb_err *err)
{
	merge->columns = KB_NEW_ARRAY(&merge->arena, KB_SEGMENT_COLUMNS_MAX, struct kb_vectors_new);
	for (size_t i = merge->count; i-- > 0;) { /* by size: the largest is the last */
		for (size_t k = 0; k < merge->parts[i].vectors_count; k++) {
			struct kb_vectors_info info;
			bool done = merge->column_count == KB_SEGMENT_COLUMNS_MAX;

			kb_vectors_info(merge->parts[i].vectors[k], &info);
			for (size_t c = 0; c < merge->column_count; c++)
				done |= kb_sv_eq(merge->columns[c].name, info.name);
			if (!done && !merge_column(merge, &info, passages, err))
				return false;
		}
	}
	return true;
}

bool kb_merge_agent(const struct kb_merge_places *places, int64_t agent_id,
                    const struct kb_cancel *cancel, bool *merged, struct kb_err *err)
{
	struct kb_catalog *catalog = places->catalog;
	struct kb_store *store = places->store;
	struct merge merge = { .places = places };
	struct kb_segment_new segment = { 0 };
	struct kb_segment_info info = { 0 };
	char path[KB_TEMP_PATH];
	size_t folded;
	int64_t *ids;
	bool ok = false;

	*merged = false;
	if (!kb_store_index_state(store, &merge.arena, agent_id, &merge.state, err))
		goto out;
	folded = put_unfolded_last(&merge.state);
	if (folded)
		qsort(merge.state.segments, folded, sizeof(*merge.state.segments), by_bytes);
	merge.count = choose(merge.state.segments, folded);
	if (merge.count < folded && merge.state.dead_count && has_many_dead(catalog, agent_id))
		merge.count = KB_MIN(folded, (size_t)MERGE_AT_MOST);
	if (merge.count < 2) {
		ok = true;
		goto out;
	}
	if (!open_parts(&merge, err))
		goto out;
	ids = KB_NEW_ARRAY(&merge.arena, merge.count, int64_t);
	for (size_t i = 0; i < merge.count; i++)
		ids[i] = merge.state.segments[i].id;
	if (kb_snapshot_passages(merge.snapshot) > 0) {
		kb_temp_path(path, places->temp_dir, KB_TEMP_MERGE);
		ok = kb_segment_merge(
		        &(struct kb_part_range){ .snapshot = merge.snapshot, .count = merge.count },
		        cancel, path, &info, err);
		segment.passages = info.passages;
		segment.pages = info.pages;
		if (!take_file(&merge, ok, path, &segment.blob, &segment.bytes, err)
		    || !merge_columns(&merge, info.passages, err)) {
			ok = false;
			goto out;
		}
	}
	if (segment.blob.n)
		kb_catalog_prepare(catalog, agent_id, segment.blob);
	ok = kb_store_segments_merge(store, agent_id,
	                             &(struct kb_merged){ .version = merge.state.version,
	                                                  .old_ids = ids,
	                                                  .old_count = merge.count,
	                                                  .segment = segment,
	                                                  .columns = merge.columns,
	                                                  .column_count = merge.column_count },
	                             err);
	kb_catalog_refresh(catalog, agent_id, segment.blob);
	*merged = ok;
out:
	close_parts(&merge);
	return ok;
}
