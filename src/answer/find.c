#include "answer/find.h"

#include "answer/answerer.h"
#include "answer/question.h"
#include "base/utf8.h"
#include "index/outline.h"
#include "index/query.h"

static bool is_content(const struct kb_term *term)
{
	return !(term->flags & (KB_TERM_STOP | KB_TERM_FUNCTION));
}

static bool is_asked(const struct kb_terms *query, struct kb_sv term, bool content_only)
{
	for (size_t i = 0; i < query->count; i++) {
		const struct kb_term *asked = &query->v[i];

		if (!(asked->flags & KB_TERM_STOP) && (!content_only || is_content(asked))
		    && kb_sv_eq(asked->term, term))
			return true;
	}
	return false;
}

void kb_find_highlights(struct kb_analyzer *analyzer, struct kb_arena *arena,
                        const struct kb_terms *query, enum kb_lang lang, struct kb_sv text,
                        struct kb_highlight **out, size_t *count)
{
	bool content_only = false;
	struct kb_terms terms;
	uint32_t at = 0, chars = 0, end = 0;

	for (size_t i = 0; i < query->count; i++)
		content_only = content_only || is_content(&query->v[i]);
	kb_analyze(analyzer, arena, lang, text, &terms);
	*out = KB_NEW_ARRAY(arena, terms.count, struct kb_highlight);
	*count = 0;
	/* Terms come in the order of their words; those of one run without blanks overlap. */
	for (size_t i = 0; i < terms.count; i++) {
		const struct kb_term *term = &terms.v[i];
		uint32_t from = KB_MAX(term->start, end), length;

		if (term->end <= from || !is_asked(query, term->term, content_only))
			continue;
		chars += (uint32_t)kb_utf8_count(kb_sv_sub(text, at, from - at));
		length = (uint32_t)kb_utf8_count(kb_sv_sub(text, from, term->end - from));
		/* What begins inside the one before, or at its end without a blank, goes on. */
		if (*count && from == end)
			(*out)[*count - 1].length += length;
		else
			(*out)[(*count)++] = (struct kb_highlight){ chars, length };
		chars += length;
		at = end = term->end;
	}
}

static bool read_hit(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                     const struct kb_hit *hit, struct kb_found *out, struct kb_err *err)
{
	out->score = hit->score;
	return kb_snapshot_passage(snapshot, arena, hit->part, hit->doc, &out->passage, err);
}

static bool search(struct kb_analyzer *analyzer, struct kb_arena *arena,
                   const struct kb_find_request *request, const struct kb_view *view,
                   struct kb_findings *out, struct kb_err *err)
{
	struct kb_snapshot_size size;
	struct kb_question question;
	struct kb_query query;
	struct kb_pass pass;
	struct kb_hit *hits;

	kb_question_build(analyzer, arena, request->text, KB_LANG_NONE, NULL, 0, &question);
	out->lang = question.lang;
	query = kb_question_query(&question, request->limit);
	if (request->words_only)
		query.rerank = 0;
	if (request->settings->is_hybrid_search.v)
		kb_query_codes(arena, request->text, &query);
	kb_pass_init(&pass, view->access, arena, &request->labels);
	query.allow = pass.all_open ? NULL : kb_pass_allows;
	query.allow_arg = &pass;
	kb_search(view->snapshot, arena, &query, &hits, &out->count);
	kb_snapshot_size(view->snapshot, query.allow, query.allow_arg, &size);
	out->searched = size.passages;
	out->v = KB_NEW_ARRAY(arena, out->count, struct kb_found);
	for (size_t i = 0; i < out->count; i++) {
		struct kb_found *found = &out->v[i];

		if (!read_hit(view->snapshot, arena, &hits[i], found, err))
			return false;
		kb_find_highlights(analyzer, arena, &question.terms, question.lang,
		                   found->passage.text, &found->highlights,
		                   &found->highlight_count);
	}
	if (request->explain) {
		out->explanations = KB_NEW_ARRAY(arena, out->count, struct kb_explanation);
		kb_explain(view->snapshot, arena, &query, hits, out->count, out->explanations);
	}
	return true;
}

bool kb_find(struct kb_answerer *answerer, struct kb_arena *arena,
             const struct kb_find_request *request, struct kb_findings *out, struct kb_err *err)
{
	int64_t start = kb_clock_mono_us();
	struct kb_analyzer *analyzer;
	struct kb_view view;
	bool ok;

	*out = (struct kb_findings){ 0 };
	if (!kb_catalog_get(answerer->catalog, request->agent_id, &view, err))
		return false;
	analyzer = kb_analyzer_borrow(answerer);
	ok = search(analyzer, arena, request, &view, out, err);
	kb_analyzer_give_back(answerer, analyzer);
	kb_view_release(&view);
	out->took_us = kb_clock_mono_us() - start;
	return ok;
}
