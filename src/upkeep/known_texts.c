#include "upkeep/known_texts.h"

#include <stdlib.h>

#include "base/hash.h"

enum {
	PASSAGES_MAX = 10000, /* that are read: some tenths of a second */
	PARTS_MAX = 256,      /* segments that are looked into */
};

struct known {
	uint64_t key;
	uint32_t part, doc;
};

struct kb_known_texts {
	struct kb_vectors *columns[PARTS_MAX];
	uint32_t part_count;
	struct known *v; /* by key */
	size_t count, capacity;
};

/* ---- what is dead ---- */

static int by_page(const void *a, const void *b)
{
	const struct kb_dead_row *x = a, *y = b;

	return x->page_id < y->page_id ? -1 : x->page_id > y->page_id;
}

bool kb_dead_has(const struct kb_index_state *state, int64_t version, int64_t page_id)
{
	struct kb_dead_row key = { .page_id = page_id };
	const struct kb_dead_row *dead =
	        state->dead_count
	                ? bsearch(&key, state->dead, state->dead_count, sizeof(key), by_page)
	                : NULL;

	return dead && version < dead->version;
}

/* ---- what is known ---- */

static int by_key(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

static const struct kb_vectors_row *column_of(const struct kb_index_state *state,
                                              int64_t segment_id,
                                              const struct kb_vector_column *column)
{
	for (size_t i = 0; i < state->vectors_count; i++) {
		const struct kb_vectors_row *row = &state->vectors[i];

		if (row->segment_id == segment_id && kb_sv_eq(row->name, column->name)
		    && kb_sv_eq(row->model, column->model))
			return row;
	}
	return NULL;
}

/* The dead passages of a segment. */
static void read_segment(struct kb_known_texts *known, const struct kb_index_state *state,
                         const struct kb_segment_row *row, const struct kb_snapshot *snapshot,
                         size_t text_bytes)
{
	uint32_t passages = (uint32_t)kb_snapshot_passages(snapshot);

	for (uint32_t doc = 0; doc < passages && known->count < PASSAGES_MAX; doc++) {
		struct kb_arena arena = { 0 };
		struct kb_passage passage;

		if (kb_dead_has(state, row->version, kb_snapshot_page(snapshot, 0, doc))
		    && kb_snapshot_passage(snapshot, &arena, 0, doc, &passage, NULL)) {
			KB_GROW(known->v, known->capacity, known->count + 1);
			known->v[known->count++] = (struct known){
				.key = kb_hash64(kb_vectorizer_text(&arena, &passage, text_bytes)),
				.part = known->part_count,
				.doc = doc
			};
		}
		kb_arena_fini(&arena);
	}
}

static void take_segment(struct kb_known_texts *known, struct kb_catalog *catalog,
                         const struct kb_index_state *state, const struct kb_segment_row *row,
                         const struct kb_vector_column *column, size_t text_bytes)
{
	const struct kb_vectors_row *at = column_of(state, row->id, column);
	struct kb_vectors *vectors = at ? kb_catalog_vectors(catalog, at->blob, NULL) : NULL;
	struct kb_segment *segment = vectors ? kb_catalog_segment(catalog, row->blob, NULL) : NULL;
	struct kb_vectors_info info;

	if (segment) {
		struct kb_snapshot *snapshot =
		        kb_snapshot_new(&(struct kb_snapshot_part){ .segment = segment,
		                                                    .version = row->version,
		                                                    .page_shift = row->page_shift },
		                        1, NULL, 0);

		kb_vectors_info(vectors, &info);
		if (info.dims == column->dims
		    && info.passages == (uint32_t)kb_snapshot_passages(snapshot)) {
			read_segment(known, state, row, snapshot, text_bytes);
			known->columns[known->part_count++] = vectors;
			vectors = NULL;
		}
		kb_snapshot_release(snapshot);
		kb_segment_release(segment);
	}
	kb_vectors_release(vectors);
}

struct kb_known_texts *kb_known_texts_new(struct kb_catalog *catalog,
                                          const struct kb_index_state *state,
                                          const struct kb_vector_column *column, size_t text_bytes)
{
	struct kb_known_texts *known;

	if (!state->dead_count || !state->vectors_count)
		return NULL;
	known = kb_xcalloc(1, sizeof(*known));
	/* The newest hold what was replaced last. */
	for (size_t i = state->segment_count; i > 0 && known->part_count < PARTS_MAX; i--)
		take_segment(known, catalog, state, &state->segments[i - 1], column, text_bytes);
	if (!known->count) {
		kb_known_texts_free(known);
		return NULL;
	}
	qsort(known->v, known->count, sizeof(*known->v), by_key);
	return known;
}

void kb_known_texts_free(struct kb_known_texts *known)
{
	if (!known)
		return;
	for (uint32_t i = 0; i < known->part_count; i++)
		kb_vectors_release(known->columns[i]);
	free(known->v);
	free(known);
}

bool kb_known_texts_take(const struct kb_known_texts *known, struct kb_sv text,
                         struct kb_vectors_writer *writer, uint32_t passage)
{
	struct known key = { .key = kb_hash64(text) };
	const struct known *at = bsearch(&key, known->v, known->count, sizeof(key), by_key);

	/* Of equal texts one may have been refused its vector; then so is this. */
	return at && kb_vectors_writer_take(writer, passage, known->columns[at->part], at->doc);
}
