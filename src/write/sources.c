#include "write/sources.h"

#include <stdlib.h>

#include "store/pages.h"

static int by_place(const void *a, const void *b)
{
	const struct kb_candidate *x = *(const struct kb_candidate *const *)a,
	                          *y = *(const struct kb_candidate *const *)b;

	return x->place < y->place ? -1 : x->place > y->place;
}

/* The passages of a search in its own order. */
static struct kb_context_list list_of(struct kb_arena *arena, const struct kb_answer_step *step)
{
	const struct kb_candidate **sorted =
	        KB_NEW_ARRAY(arena, step->candidate_count, const struct kb_candidate *);
	const struct kb_passage **v =
	        KB_NEW_ARRAY(arena, step->candidate_count, const struct kb_passage *);

	for (size_t i = 0; i < step->candidate_count; i++)
		sorted[i] = &step->candidates[i];
	if (step->candidate_count)
		qsort(sorted, step->candidate_count, sizeof(*sorted), by_place);
	for (size_t i = 0; i < step->candidate_count; i++)
		v[i] = &sorted[i]->passage;
	return (struct kb_context_list){ v, step->candidate_count };
}

struct found {
	struct kb_arena *arena;
	const struct kb_snapshot *snapshot;
};

/* Passages of a page lie one after another in their segment. One of an attached file that was
 * searched alone is not where this snapshot has it, and nothing stands beside it. */
static const struct kb_passage *beside(void *arg, const struct kb_passage *passage, int by)
{
	const struct found *found = arg;
	const struct kb_candidate *at = KB_OUTER(passage, struct kb_candidate, passage);
	int64_t doc = (int64_t)at->doc + by;
	struct kb_passage *out;

	if (doc < 0 || kb_snapshot_page(found->snapshot, at->part, at->doc) != passage->page_id
	    || kb_snapshot_page(found->snapshot, at->part, (uint32_t)doc) != passage->page_id)
		return NULL;
	out = KB_NEW(found->arena, struct kb_passage);
	return kb_snapshot_passage(found->snapshot, found->arena, at->part, (uint32_t)doc, out,
	                           NULL)
	                       && (int64_t)out->ordinal == (int64_t)passage->ordinal + by
	               ? out
	               : NULL;
}

void kb_sources_build(struct kb_arena *arena, const struct kb_steps *steps,
                      const struct kb_context_limits *limits, struct kb_excerpt **out,
                      size_t *count)
{
	struct kb_context_list *lists = KB_NEW_ARRAY(arena, steps->count, struct kb_context_list);
	struct found found = { arena, steps->searched };

	for (size_t i = 0; i < steps->count; i++)
		lists[i] = list_of(arena, &steps->v[i]);
	kb_context_build(arena, &(struct kb_context_found){ lists, steps->count, beside, &found },
	                 limits, out, count);
}

/* The place from 1 of a document's first source; 0: it has none. */
static size_t source_of(const struct kb_excerpt *sources, size_t count, int64_t page_id)
{
	for (size_t i = 0; i < count; i++)
		if (sources[i].page_id == page_id)
			return i + 1;
	return 0;
}

static void date_sides(const struct kb_conflict *conflict, struct kb_excerpt *sources, size_t count)
{
	size_t said = source_of(sources, count, conflict->said.page_id);

	for (size_t i = 0; i < count; i++) {
		if (sources[i].page_id == conflict->said.page_id) {
			sources[i].dated_at = conflict->said.dated_at;
		} else if (sources[i].page_id == conflict->other.page_id) {
			sources[i].dated_at = conflict->other.dated_at;
			sources[i].prefer = said;
		}
	}
}

void kb_sources_date(const struct kb_steps *steps, struct kb_excerpt *sources, size_t count)
{
	for (size_t i = 0; i < steps->count; i++)
		for (size_t k = 0; k < steps->v[i].conflicts.count; k++)
			date_sides(&steps->v[i].conflicts.v[k], sources, count);
}

bool kb_sources_places(struct kb_store *store, struct kb_arena *arena,
                       const struct kb_answer_request *request, const struct kb_sources *sources,
                       struct kb_named **out, struct kb_err *err)
{
	struct kb_arena scratch = { 0 };
	int64_t *ids = KB_NEW_ARRAY(&scratch, sources->count, int64_t);
	struct kb_page *pages = KB_NEW_ARRAY(&scratch, sources->count, struct kb_page);
	bool ok;

	*out = kb_named_new(arena);
	kb_named_add_owner(*out, request->settings->persona_instructions);
	for (size_t i = 0; i < sources->count; i++) {
		kb_named_add_source(*out, sources->v[i].text);
		if (!kb_attached_is_page(sources->v[i].page_id))
			ids[i] = sources->v[i].page_id;
	}
	ok = kb_store_pages_get(store, &scratch,
	                        &(struct kb_page_ids){ request->agent->id, ids, sources->count },
	                        pages, err);
	for (size_t i = 0; ok && i < sources->count; i++)
		if (pages[i].url.n)
			kb_named_add_site(*out, pages[i].url);
	kb_arena_fini(&scratch);
	return ok;
}
