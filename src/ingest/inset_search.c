#include "ingest/inset_search.h"

#include <string.h>

#include "base/file.h"

static bool is_painted(const struct kb_parsed *parsed, uint32_t page_no)
{
	for (size_t i = 0; i < parsed->painted_count; i++)
		if (parsed->painted[i].page_no == page_no)
			return true;
	return false;
}

/* The pages that show pictures; with page_no the places of those on that one. */
static bool ask_pdf(const struct kb_inset_search *s, struct kb_arena *arena, uint32_t page_no,
                    struct kb_parsed *out, struct kb_err *err)
{
	struct kb_parse_request request = *s->request;
	bool ok;

	if (!kb_fd_open_again(s->request->fd, &request.fd, err))
		return false;
	request.painted = (struct kb_painted_page){ 0 };
	request.wants_painted = request.wants_insets = request.links = false;
	request.parts = NULL;
	request.cancel = s->cancel;
	request.look = (struct kb_page_look){ .page_no = page_no, .insets = true };
	ok = kb_parse(s->parser, arena, &request, out, err);
	kb_fd_close(&request.fd);
	return ok;
}

static bool has_hash(const struct kb_inset_search *s, uint64_t hash)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->v[i].hash == hash)
			return true;
	return false;
}

/* Behind the last block of its page. */
static uint32_t block_behind(const struct kb_parsed *parsed, uint32_t page_no)
{
	size_t at = parsed->block_count;

	while (at && parsed->blocks[at - 1].page_no > page_no)
		at--;
	return (uint32_t)at;
}

static void note_lost(struct kb_inset_search *s, struct kb_arena *arena, uint32_t page_no,
                      const struct kb_err *why)
{
	if (!s->lost.n)
		s->lost = kb_arena_printf(arena, "the pictures on page %u could not be found: %s",
		                          page_no, why->msg);
}

/* A page that has no text is looked at as a whole. */
static bool find_in_pdf(struct kb_inset_search *s, struct kb_arena *arena,
                        const struct kb_parsed *parsed, struct kb_err *err)
{
	struct kb_parsed pages, page;

	if (!ask_pdf(s, arena, 0, &pages, err))
		return false;
	for (size_t i = 0; i < pages.inset_count && s->count < KB_INSETS_MAX; i++) {
		uint32_t page_no = pages.insets[i].page_no;

		if (!page_no || is_painted(parsed, page_no))
			continue;
		if (!ask_pdf(s, arena, page_no, &page, err)) {
			if (err->code == KB_E_CANCELLED)
				return false;
			note_lost(s, arena, page_no, err);
			continue; /* the others may be better */
		}
		for (size_t k = 0; k < page.inset_count && s->count < KB_INSETS_MAX; k++) {
			struct kb_inset inset = page.insets[k];

			if (inset.page_no != page_no || inset.name.n || inset.x1 <= inset.x0
			    || inset.y1 <= inset.y0 || (inset.hash && has_hash(s, inset.hash)))
				continue;
			inset.block = block_behind(parsed, page_no);
			s->v[s->count++] = inset;
		}
	}
	return true;
}

static void find_on_web(struct kb_inset_search *s, const struct kb_parsed *parsed)
{
	for (size_t i = 0; i < parsed->picture_count && s->count < KB_INSETS_WEB_MAX; i++)
		s->v[s->count++] = (struct kb_inset){ .name = parsed->pictures[i].url,
			                              .block = parsed->pictures[i].block };
}

bool kb_insets_find(struct kb_inset_search *s, struct kb_arena *arena,
                    const struct kb_parsed *parsed, struct kb_err *err)
{
	s->v = KB_NEW_ARRAY(arena, KB_INSETS_MAX, struct kb_inset);
	if (s->on_web && parsed->picture_count) {
		find_on_web(s, parsed);
		return true;
	}
	if (kb_sv_eq_str(parsed->format, "pdf"))
		return find_in_pdf(s, arena, parsed, err);
	s->count = KB_MIN(parsed->inset_count, (size_t)KB_INSETS_MAX);
	memcpy(s->v, parsed->insets, s->count * sizeof(*s->v));
	return true;
}
