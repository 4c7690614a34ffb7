#include "upkeep/takeback.h"

#include "passages/document.h"
#include "store/takeback.h"

struct anew {
	const struct kb_repair_with *with;
	struct kb_arena arena; /* of the whole */
	struct kb_page_list pages;
	struct kb_segment_writer *writer;
	int64_t part_pages;
	struct kb_segment_new *segments;
	size_t segment_count;
};

static bool write_part(struct anew *in, struct kb_err *err)
{
	if (in->part_pages == 0)
		return true;
	if (!kb_rebuild_segment(in->with, &in->arena, in->writer, &in->segments[in->segment_count],
	                        err))
		return false;
	in->segments[in->segment_count++].pages = in->part_pages;
	in->part_pages = 0;
	return true;
}

/* One that could not be found before will not be found now. */
static bool add_page(struct anew *in, const struct kb_page *page, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_document document;
	bool ok = !page->passages || kb_rebuild_text(in->with->blobs, &arena, page, &document, err);

	if (ok && page->passages) {
		kb_document_add(in->writer, page->id, &document);
		in->part_pages++;
	}
	kb_arena_fini(&arena);
	return ok
	       && (kb_segment_writer_memory(in->writer) < KB_REBUILD_PART_BYTES
	           || write_part(in, err));
}

static bool add_pages(struct anew *in, struct kb_err *err)
{
	in->segments = KB_NEW_ARRAY(&in->arena, in->pages.count, struct kb_segment_new);
	for (size_t i = 0; i < in->pages.count; i++)
		if (!add_page(in, &in->pages.v[i], err))
			return false;
	return write_part(in, err);
}

bool kb_takeback_page(const struct kb_repair_with *with, int64_t agent_id, int64_t id,
                      struct kb_err *err)
{
	struct anew in = { .with = with, .writer = kb_segment_writer_new() };
	bool ok = kb_store_deleted_pages(with->store, &in.arena, agent_id, id, &in.pages, err)
	          && add_pages(&in, err)
	          && kb_store_page_take_back(
	                  with->store,
	                  &(struct kb_takeback){ .agent_id = agent_id,
	                                         .id = id,
	                                         .segments = in.segments,
	                                         .segment_count = in.segment_count },
	                  err);

	kb_segment_writer_free(in.writer);
	kb_arena_fini(&in.arena);
	return ok;
}
