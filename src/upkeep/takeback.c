#include "upkeep/takeback.h"

#include "passages/document.h"
#include "store/takeback.h"

struct anew {
	const struct kb_repair_with *with;
	struct kb_arena arena; /* of the whole */
	struct kb_page_list pages;
	struct kb_rebuild_parts parts;
};

/* One that could not be found before will not be found now. */
static bool add_page(struct anew *in, const struct kb_page *page, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_document document;
	bool ok = !page->passages || kb_rebuild_text(in->with->blobs, &arena, page, &document, err);

	if (ok && page->passages)
		kb_rebuild_parts_add(&in->parts, page->id, &document);
	kb_arena_fini(&arena);
	return ok && kb_rebuild_parts_cut(&in->parts, false, err);
}

static bool add_pages(struct anew *in, struct kb_err *err)
{
	kb_rebuild_parts_init(&in->parts, in->with, &in->arena, in->pages.count);
	for (size_t i = 0; i < in->pages.count; i++)
		if (!add_page(in, &in->pages.v[i], err))
			return false;
	return kb_rebuild_parts_cut(&in->parts, true, err);
}

bool kb_takeback_page(const struct kb_repair_with *with, int64_t agent_id, int64_t id,
                      struct kb_err *err)
{
	struct anew in = { .with = with };
	bool ok =
	        kb_store_deleted_pages(with->store, &in.arena, agent_id, id, &in.pages, err)
	        && add_pages(&in, err)
	        && kb_store_page_take_back(with->store,
	                                   &(struct kb_takeback){ .agent_id = agent_id,
	                                                          .id = id,
	                                                          .segments = in.parts.v,
	                                                          .segment_count = in.parts.count },
	                                   err);

	kb_rebuild_parts_fini(&in.parts);
	kb_arena_fini(&in.arena);
	return ok;
}
