#include "answer/find.h"

#include <math.h>
#include <stdlib.h>

#include "answer/fresh.h"
#include "answer/question.h"
#include "answer/steps.h"
#include "base/utf8.h"
#include "index/codes.h"
#include "index/factors.h"
#include "index/query.h"

static bool is_content(const struct kb_term *term)
{
	return !(term->flags & (KB_TERM_STOP | KB_TERM_FUNCTION));
}

static bool is_asked(const struct kb_find_words *words, struct kb_sv term, bool content_only)
{
	const struct kb_terms *query = &words->terms;

	for (size_t i = 0; i < query->count; i++) {
		const struct kb_term *asked = &query->v[i];

		if (!(asked->flags & KB_TERM_STOP) && (!content_only || is_content(asked))
		    && kb_sv_eq(asked->term, term))
			return true;
	}
	for (size_t i = 0; i < words->meant_count; i++)
		if (kb_sv_eq(words->meant[i].term, term))
			return true;
	return false;
}

/* Bytes of a text. */
struct range {
	uint32_t start, end;
};

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Codes of the text that the query names, in whatever spelling. */
static size_t code_ranges(struct kb_arena *arena, const struct kb_sv *codes, size_t code_count,
                          struct kb_sv text, struct range **out)
{
	struct kb_code *held;
	size_t held_count, count = 0;

	kb_codes(arena, text, false, &held, &held_count);
	*out = KB_NEW_ARRAY(arena, held_count, struct range);
	for (size_t i = 0; i < held_count; i++)
		for (size_t k = 0; k < code_count; k++)
			if (kb_sv_eq(held[i].term, codes[k])) {
				(*out)[count++] = (struct range){ held[i].start, held[i].end };
				break;
			}
	return count;
}

void kb_find_highlights(struct kb_analyzer *analyzer, struct kb_arena *arena,
                        const struct kb_find_words *words, struct kb_sv text,
                        struct kb_highlight **out, size_t *count)
{
	bool content_only = false;
	struct range *ranges, *codes;
	struct kb_terms terms;
	uint32_t at = 0, chars = 0, end = 0;
	size_t n = 0, code_count;

	for (size_t i = 0; i < words->terms.count; i++)
		content_only = content_only || is_content(&words->terms.v[i]);
	kb_analyze(analyzer, arena, words->lang, text, &terms);
	code_count = code_ranges(arena, words->codes, words->code_count, text, &codes);
	ranges = KB_NEW_ARRAY(arena, terms.count + code_count, struct range);
	for (size_t i = 0; i < terms.count; i++)
		if (is_asked(words, terms.v[i].term, content_only))
			ranges[n++] = (struct range){ terms.v[i].start, terms.v[i].end };
	for (size_t i = 0; i < code_count; i++)
		ranges[n++] = codes[i];
	if (n)
		qsort(ranges, n, sizeof(*ranges), by_start);
	*out = KB_NEW_ARRAY(arena, n, struct kb_highlight);
	*count = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t from = KB_MAX(ranges[i].start, end), length;

		if (ranges[i].end <= from)
			continue;
		chars += (uint32_t)kb_utf8_count(kb_sv_sub(text, at, from - at));
		length = (uint32_t)kb_utf8_count(kb_sv_sub(text, from, ranges[i].end - from));
		/* What begins inside the one before, or at its end without a blank, goes on. */
		if (*count && from == end)
			(*out)[*count - 1].length += length;
		else
			(*out)[(*count)++] = (struct kb_highlight){ chars, length };
		chars += length;
		at = end = ranges[i].end;
	}
}

/* Of the terms that kb_query_codes() has added; they begin with '='. */
static void take_codes(struct kb_arena *arena, const struct kb_query *query,
                       struct kb_find_words *words)
{
	words->codes = KB_NEW_ARRAY(arena, query->term_count, struct kb_sv);
	for (size_t i = 0; i < query->term_count; i++)
		if (kb_sv_starts(query->terms[i].term, KB_SV("=")))
			words->codes[words->code_count++] = query->terms[i].term;
}

static bool read_hit(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                     const struct kb_hit *hit, struct kb_found *out, struct kb_err *err)
{
	out->score = hit->score;
	return kb_snapshot_passage(snapshot, arena, hit->part, hit->doc, &out->passage, err);
}

/* The passage's score in the list; NAN: it is not in it. */
static float score_in(const struct kb_hit *hits, size_t count, const struct kb_hit *hit)
{
	for (size_t i = 0; hits && i < count; i++)
		if (hits[i].part == hit->part && hits[i].doc == hit->doc)
			return hits[i].score;
	return NAN;
}

static void explain(struct kb_arena *arena, const struct kb_retrieval *retrieval,
                    const struct kb_retrieved *found, struct kb_findings *out)
{
	const struct kb_hybrid_trace *trace = &found->trace;
	struct kb_hit *words = kb_arena_copy(arena, found->hits, found->count * sizeof(*words));

	out->explanations = KB_NEW_ARRAY(arena, out->count, struct kb_explanation);
	kb_retrieved_word_scores(arena, retrieval, found, words, found->count);
	kb_explain(retrieval->snapshot, arena, retrieval->words, words, out->count,
	           out->explanations);
	if (found->vectors == KB_VECTORS_OFF && found->reranker == KB_RERANKER_OFF)
		return;
	out->fusions = KB_NEW_ARRAY(arena, out->count, struct kb_fusion_why);
	for (size_t i = 0; i < out->count; i++) {
		const struct kb_hit *hit = &found->hits[i];
		struct kb_fusion_why *why = &out->fusions[i];

		out->explanations[i].score = hit->score;
		*why = (struct kb_fusion_why){
			.words = words[i].score,
			.word_weight = trace->lists[0].weight,
			.word_part = trace->fused ? kb_fuse_part(&trace->lists[0], hit) : NAN,
			.cosine = score_in(trace->lists[1].hits, trace->lists[1].count, hit),
			.vector_weight = trace->lists[1].weight,
			.vector_part = kb_fuse_part(&trace->lists[1], hit),
		};
		why->fused = score_in(trace->fused, trace->fused_count, hit);
		why->relevance = score_in(trace->judged, trace->judged_count, hit);
	}
}

/* The scores stay where they are: they fall from place to place. */
static void move(struct kb_arena *arena, const size_t *to, size_t count, struct kb_findings *found)
{
	struct kb_found *v = kb_arena_copy(arena, found->v, count * sizeof(*v));
	struct kb_explanation *why = NULL;
	struct kb_fusion_why *fusions = NULL;

	if (found->explanations)
		why = kb_arena_copy(arena, found->explanations, count * sizeof(*why));
	if (found->fusions)
		fusions = kb_arena_copy(arena, found->fusions, count * sizeof(*fusions));
	for (size_t i = 0; i < count; i++) {
		found->v[i] = v[to[i]];
		found->v[i].score = v[i].score;
		if (why)
			found->explanations[i] = why[to[i]];
		if (fusions)
			found->fusions[i] = fusions[to[i]];
	}
}

/* Who says the same as another stands before it where it is newer, and is not to be reviewed. */
static bool put_fresh_first(const struct kb_fresh *with, struct kb_findings *found,
                            struct kb_err *err)
{
	struct kb_arena *arena = with->job->arena;
	struct kb_fresh_passages all = {
		KB_NEW_ARRAY(arena, found->count, const struct kb_passage *), found->count
	};
	size_t *order, count;

	for (size_t i = 0; i < found->count; i++)
		all.v[i] = &found->v[i].passage;
	if (!kb_fresh_order(with, &all, &order, &count, err))
		return false;
	if (order)
		move(arena, order, count, found);
	return true;
}

/* snapshot: what the request's labels open. */
static bool search(const struct kb_answer_job *job, const struct kb_find_request *request,
                   const struct kb_snapshot *snapshot, struct kb_findings *out, struct kb_err *err)
{
	struct kb_analyzer *analyzer = job->analyzer;
	struct kb_arena *arena = job->arena;
	struct kb_retrieval retrieval = { .snapshot = snapshot, .question = request->text };
	struct kb_retrieved found = { 0 };
	struct kb_find_words words;
	struct kb_question question;
	struct kb_query query;

	kb_question_read(analyzer, arena, snapshot, &(struct kb_utterance){ .text = request->text },
	                 &question);
	out->lang = question.lang;
	query = kb_question_query(&question, request->limit);
	query.purpose = KB_FOR_SEARCH;
	query.meaning = job->answerer->meaning;
	if (request->words_only)
		query.rerank = 0;
	else
		query.factors = KB_FACTORS_WEIGHT;
	if (request->settings->is_hybrid_search.v)
		kb_query_codes(arena, request->text, &query);
	words = (struct kb_find_words){ .terms = question.terms,
		                        .lang = question.lang,
		                        .meant = question.meant,
		                        .meant_count = question.meant_count };
	out->meant = question.meant;
	out->meant_count = question.meant_count;
	take_codes(arena, &query, &words);
	retrieval.words = &query;
	retrieval.rerank = kb_capability_is_judged(kb_settings_capability(request->settings));
	if (request->words_only)
		kb_search(snapshot, arena, &query, &found.hits, &found.count);
	else
		kb_retrieve(job->answerer, arena, &retrieval, &found);
	out->count = found.count;
	out->vectors = found.vectors;
	out->reranker = found.reranker;
	out->searched = kb_snapshot_passages(snapshot);
	out->v = KB_NEW_ARRAY(arena, out->count, struct kb_found);
	for (size_t i = 0; i < out->count; i++) {
		struct kb_found *one = &out->v[i];

		if (!read_hit(snapshot, arena, &found.hits[i], one, err))
			return false;
		kb_find_highlights(analyzer, arena, &words, one->passage.text, &one->highlights,
		                   &one->highlight_count);
	}
	if (request->explain)
		explain(arena, &retrieval, &found, out);
	return request->words_only
	       || put_fresh_first(&(struct kb_fresh){ job, request->agent_id, &question }, out,
	                          err);
}

bool kb_find(struct kb_answerer *answerer, struct kb_arena *arena,
             const struct kb_find_request *request, struct kb_findings *out, struct kb_err *err)
{
	int64_t start = kb_clock_mono_us();
	struct kb_answer_job job = { .answerer = answerer, .arena = arena };
	struct kb_snapshot *snapshot;
	struct kb_live live;
	bool ok;

	*out = (struct kb_findings){ 0 };
	if (!kb_catalog_get(answerer->catalog, request->agent_id, &live, err))
		return false;
	job.analyzer = kb_analyzer_borrow(answerer);
	snapshot = kb_live_opened(&live, arena, &request->labels);
	ok = search(&job, request, snapshot, out, err);
	kb_snapshot_release(snapshot);
	if (!ok && kb_catalog_reopen(answerer->catalog, request->agent_id, &live, err)) {
		*out = (struct kb_findings){ 0 };
		snapshot = kb_live_opened(&live, arena, &request->labels);
		ok = search(&job, request, snapshot, out, err);
		kb_snapshot_release(snapshot);
	}
	kb_analyzer_give_back(answerer, job.analyzer);
	kb_live_release(&live);
	out->took_us = kb_clock_mono_us() - start;
	return ok;
}
