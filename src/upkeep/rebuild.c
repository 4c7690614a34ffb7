#include "upkeep/rebuild.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/temp.h"
#include "ingest/origin.h"
#include "passages/document.h"
#include "upkeep/known_texts.h"

enum {
	RENEW_S = 5,
	PART_BYTES = 64 << 20, /* of a writer's memory; then a segment is written */
};

bool kb_rebuild_is_gone(const struct kb_err *err)
{
	return err->code == KB_E_CORRUPT || err->code == KB_E_NOT_FOUND;
}

bool kb_rebuild_goes_on(struct kb_rebuild *in, struct kb_err *err)
{
	if (kb_cancelled(in->with->cancel, err))
		return false;
	if (kb_clock_mono_us() - in->renewed_us < RENEW_S * KB_SECOND_US)
		return true;
	in->renewed_us = kb_clock_mono_us();
	return kb_store_repair_renew(in->with->store, in->repair, KB_REPAIR_LEASE_S * KB_SECOND_US,
	                             err);
}

static int by_number(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The pages whose passages are alive in this segment. */
static bool add_whole(struct kb_rebuild *in, const struct kb_segment_row *row, struct kb_err *err)
{
	struct kb_segment *segment = kb_catalog_segment(in->with->catalog, row->blob, err);
	const struct kb_snapshot_part part = { .segment = segment,
		                               .version = row->version,
		                               .page_shift = row->page_shift };
	struct kb_snapshot *snapshot;
	int64_t last = 0;

	if (!segment)
		return false;
	snapshot = kb_snapshot_new(&part, 1, NULL, 0);
	for (int64_t doc = 0; doc < kb_snapshot_counted(snapshot); doc++) {
		int64_t page_id = kb_snapshot_page(snapshot, 0, (uint32_t)doc);

		if (page_id == last || kb_dead_has(&in->state, row->version, page_id))
			continue;
		last = page_id;
		KB_GROW(in->whole, in->whole_capacity, in->whole_count + 1);
		in->whole[in->whole_count++] = page_id;
	}
	kb_snapshot_release(snapshot);
	kb_segment_release(segment);
	return true;
}

/* Another one that is found damaged joins those that are known, for the next try. */
static bool look_through(struct kb_rebuild *in, const struct kb_segment_row *row,
                         struct kb_err *err)
{
	struct kb_err why;

	if (add_whole(in, row, &why))
		return kb_rebuild_goes_on(in, err);
	if (kb_rebuild_is_gone(&why)
	    && !kb_store_segment_damaged(in->with->store, in->repair->agent_id, row->id, row->blob,
	                                 err))
		return false;
	return kb_fail(err, why.code, "%s", why.msg);
}

bool kb_rebuild_find_whole(struct kb_rebuild *in, struct kb_err *err)
{
	struct kb_index_state *state = &in->state;

	in->damaged = KB_NEW_ARRAY(&in->arena, state->damaged_count, int64_t);
	in->healed = KB_NEW_ARRAY(&in->arena, state->damaged_count, int64_t);
	for (size_t i = 0; i < state->damaged_count; i++) {
		const struct kb_segment_row *row = &state->damaged[i];
		struct kb_err why;

		/* Its file may have been put back. */
		if (kb_blob_verify(in->with->blobs, kb_arena_str(&in->arena, row->blob), &why)
		    && add_whole(in, row, &why))
			in->healed[in->healed_count++] = row->id;
		else if (kb_rebuild_is_gone(&why))
			in->damaged[in->damaged_count++] = row->id;
		else
			return kb_fail(err, why.code, "%s", why.msg);
	}
	for (size_t i = 0; i < state->segment_count; i++)
		if (!look_through(in, &state->segments[i], err))
			return false;
	if (in->whole_count)
		qsort(in->whole, in->whole_count, sizeof(*in->whole), by_number);
	return true;
}

bool kb_rebuild_is_whole(const struct kb_rebuild *in, int64_t page_id)
{
	return in->whole_count
	       && bsearch(&page_id, in->whole, in->whole_count, sizeof(*in->whole), by_number);
}

bool kb_rebuild_text(struct kb_blobs *blobs, struct kb_arena *arena, const struct kb_page *page,
                     struct kb_document *out, struct kb_err *err)
{
	struct kb_origin origin = kb_page_origin(arena, page);
	struct kb_parsed *parsed = KB_NEW(arena, struct kb_parsed);
	struct kb_sv json;

	if (!page->text_blob.n)
		return kb_fail(err, KB_E_NOT_FOUND, "the page has no text");
	if (!kb_blob_read(blobs, arena, kb_arena_str(arena, page->text_blob), KB_GIB(1), &json,
	                  err))
		return false;
	/* Its hash is right: what cannot be read now never will be. */
	return (kb_parsed_read(arena, json, parsed, NULL)
	        && kb_document_read(arena, &origin, parsed, out, NULL))
	       || kb_corrupt(err, "the text of page %" PRId64 " cannot be read", page->id);
}

/* ---- segments ---- */

void kb_rebuild_parts_init(struct kb_rebuild_parts *parts, const struct kb_repair_with *with,
                           struct kb_arena *arena, size_t pages)
{
	*parts =
	        (struct kb_rebuild_parts){ .with = with,
		                           .arena = arena,
		                           .writer = kb_segment_writer_new(),
		                           .v = KB_NEW_ARRAY(arena, pages, struct kb_segment_new) };
}

void kb_rebuild_parts_fini(struct kb_rebuild_parts *parts)
{
	kb_segment_writer_free(parts->writer);
}

void kb_rebuild_parts_add(struct kb_rebuild_parts *parts, int64_t page_id,
                          const struct kb_document *document)
{
	kb_document_add(parts->writer, page_id, document);
	parts->pages++;
}

bool kb_rebuild_parts_cut(struct kb_rebuild_parts *parts, bool last, struct kb_err *err)
{
	struct kb_segment_info info;
	struct kb_blob_name name;
	char path[KB_TEMP_PATH];
	int64_t bytes;

	if (parts->pages == 0 || (!last && kb_segment_writer_memory(parts->writer) < PART_BYTES))
		return true;
	kb_temp_path(path, parts->with->temp_dir, KB_TEMP_SEGMENT);
	if (!kb_segment_writer_finish(parts->writer, path, &info, err)
	    || !kb_blob_take(parts->with->blobs, path, &name, &bytes, err)) {
		unlink(path);
		return false;
	}
	parts->v[parts->count++] =
	        (struct kb_segment_new){ .blob = kb_arena_sv(parts->arena, kb_sv_str(name.hex)),
		                         .bytes = bytes,
		                         .passages = info.passages,
		                         .pages = parts->pages };
	parts->pages = 0;
	return true;
}
