/* Background work on what is indexed: merging segments, sweeping blobs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ingest/ingest.h"

enum {
	MERGE_AT_LEAST = 8,
	MERGE_AT_MOST = 64,
};

static int by_bytes(const void *a, const void *b)
{
	const struct kb_segment_row *x = a, *y = b;

	return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/*
 * Which of the rows (sorted by size) to merge: the small ones, and on from there while the next one
 * is no larger than all before it together. So a passage is written again about log2(n) times while
 * an agent grows to n segments' worth, and the largest segments rest.
 */
static size_t choose(const struct kb_segment_row *rows, size_t count)
{
	int64_t sum = 0;
	size_t n = 0;

	while (n < count && n < MERGE_AT_MOST && (n < MERGE_AT_LEAST || rows[n].bytes <= sum))
		sum += rows[n++].bytes;
	return n;
}

bool kb_merge_agent(struct kb_catalog *catalog, struct kb_store *store, struct kb_blobs *blobs,
                    const char *temp_dir, int64_t agent_id, bool *merged, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_snapshot *snapshot = NULL;
	struct kb_snapshot_part *parts = NULL;
	struct kb_segment_new segment = { 0 };
	struct kb_segment_info info = { 0 };
	struct kb_blob_name name;
	struct kb_index_state state;
	struct kb_dead_page *dead;
	size_t count, opened = 0;
	char path[512], random[17];
	int64_t *ids;
	bool ok = false;

	*merged = false;
	if (!kb_store_index_state(store, &arena, agent_id, &state, err))
		goto out;
	qsort(state.segments, state.segment_count, sizeof(*state.segments), by_bytes);
	count = choose(state.segments, state.segment_count);
	if (count < 2) {
		ok = true;
		goto out;
	}
	parts = KB_NEW_ARRAY(&arena, count, struct kb_snapshot_part);
	ids = KB_NEW_ARRAY(&arena, count, int64_t);
	dead = KB_NEW_ARRAY(&arena, state.dead_count, struct kb_dead_page);
	for (; opened < count; opened++) {
		const struct kb_segment_row *row = &state.segments[opened];

		ids[opened] = row->id;
		parts[opened].version = row->version;
		parts[opened].segment = kb_catalog_segment(catalog, row->blob, err);
		if (!parts[opened].segment)
			goto out;
	}
	for (size_t i = 0; i < state.dead_count; i++)
		dead[i] = (struct kb_dead_page){ state.dead[i].page_id, state.dead[i].version };
	snapshot = kb_snapshot_new(parts, count, dead, state.dead_count);
	if (kb_snapshot_passages(snapshot) > 0) {
		int64_t size;

		kb_random_text(random, 16);
		snprintf(path, sizeof(path), "%s/merge-%s", temp_dir, random);
		if (!kb_segment_merge(snapshot, 0, count, path, &info, err)
		    || !kb_blob_take(blobs, path, &name, &size, err)) {
			unlink(path);
			goto out;
		}
		segment = (struct kb_segment_new){ .blob = kb_sv_str(name.hex),
			                           .bytes = size,
			                           .passages = info.passages,
			                           .pages = info.pages };
	}
	if (segment.blob.n)
		kb_catalog_prepare(catalog, agent_id, segment.blob);
	ok = kb_store_segments_merge(store, agent_id, ids, count, &segment, state.version, err);
	kb_catalog_refresh(catalog, agent_id, segment.blob);
	*merged = ok;
out:
	kb_snapshot_release(snapshot);
	for (size_t i = 0; i < opened; i++)
		kb_segment_release(parts[i].segment);
	kb_arena_fini(&arena);
	return ok;
}

struct names {
	struct kb_sv *v; /* sorted */
	size_t count;
};

static int by_name(const void *a, const void *b)
{
	return kb_sv_cmp(*(const struct kb_sv *)a, *(const struct kb_sv *)b);
}

static bool is_wanted(void *arg, const char *name)
{
	const struct names *names = arg;
	struct kb_sv key = kb_sv_str(name);

	return names->count
	       && bsearch(&key, names->v, names->count, sizeof(*names->v), by_name) != NULL;
}

bool kb_sweep_blobs(struct kb_store *store, struct kb_blobs *blobs, int64_t min_age_s,
                    int64_t *removed, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct names names;
	bool ok = kb_store_blob_names(store, &arena, &names.v, &names.count, err)
	          && kb_blob_sweep(blobs, is_wanted, &names, min_age_s, removed, err);

	kb_arena_fini(&arena);
	return ok;
}
