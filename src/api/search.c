/* Finding passages by a query: no answer, nothing stored, no credit used. */
#include "answer/find.h"
#include "api/filter.h"
#include "api/routes.h"
#include "api/session.h"
#include "parse/parse.h"

enum { LIMIT_DEFAULT = 10, LIMIT_MAX = 100 };

/* How far a search ranks. A mode is listed when it works. */
static const struct mode {
	const char *name;
	bool words_only;
} modes[] = {
	{ "ranked", false }, /* all that there is; the default */
	{ "words", true },   /* the first step alone */
};

static bool read_mode(struct kb_sv name, const struct mode **out, struct kb_err *err)
{
	for (size_t i = 0; i < KB_COUNTOF(modes); i++)
		if (kb_sv_eq_str(name, modes[i].name)) {
			*out = &modes[i];
			return true;
		}
	return kb_fail(err, KB_E_INVALID, "mode must be ranked or words");
}

/* How it went with the servers; said where an explanation was asked for. */
static const char *const vectors_uses[] = {
	[KB_VECTORS_OFF] = "off",
	[KB_VECTORS_NONE] = "none",
	[KB_VECTORS_FAILED] = "failed",
	[KB_VECTORS_USED] = "used",
};
static const char *const reranker_uses[] = {
	[KB_RERANKER_OFF] = "off",
	[KB_RERANKER_FAILED] = "failed",
	[KB_RERANKER_USED] = "used",
};

struct search {
	struct kb_find_request find;
	struct kb_settings settings;
	const struct mode *mode;
};

static bool read_request(struct kb_call *call, struct search *search, struct kb_err *err)
{
	struct kb_inputs inputs = call->inputs;
	struct kb_sv mode = KB_SV("ranked");
	int64_t limit = LIMIT_DEFAULT;

	if (kb_sv_eq_str(call->req->method, "GET") && !kb_inputs_query(call->req, &inputs, err))
		return false;
	if (!kb_inputs_text(&inputs, call->arena, "query", KB_PROMPT_CHARS, &search->find.text, err)
	    || !kb_inputs_int(&inputs, "limit", 1, LIMIT_MAX, &limit, err)
	    || !kb_inputs_text(&inputs, call->arena, "mode", 20, &mode, err)
	    || !read_mode(mode.p ? mode : KB_SV("ranked"), &search->mode, err)
	    || !kb_inputs_bool(&inputs, "explain", &search->find.explain, err)
	    || !kb_call_labels(call, &inputs, &search->find.labels, err))
		return false;
	if (kb_sv_trim(search->find.text.p ? search->find.text : KB_SV("")).n == 0)
		return kb_fail(err, KB_E_INVALID, "query can't be empty");
	search->find.limit = (size_t)limit;
	search->find.words_only = search->mode->words_only;
	search->find.agent_id = call->agent.id;
	search->find.settings = &search->settings;
	return kb_settings_read(call->arena, call->agent.settings, &search->settings, err);
}

static void write_number(struct kb_jw *jw, const char *name, double n)
{
	kb_jw_key(jw, name);
	kb_jw_double(jw, n);
}

static void write_second_step(struct kb_jw *jw, const struct kb_rerank_parts *step)
{
	kb_jw_array(jw);
	for (size_t i = 0; i < KB_RERANK_FIGURES; i++) {
		if (!(step->weights[i] > 0))
			continue;
		kb_jw_object(jw);
		kb_jw_key_str(jw, "figure", kb_rerank_names[i]);
		write_number(jw, "value", (double)step->values[i]);
		write_number(jw, "weight", (double)step->weights[i]);
		write_number(jw, "contribution", (double)(step->values[i] * step->weights[i]));
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

/* A passage that is not in a list has no score of it. */
static void write_side(struct kb_jw *jw, const char *name, float score, float weight, float part)
{
	kb_jw_key(jw, name);
	kb_jw_object(jw);
	write_number(jw, "score", (double)score);
	write_number(jw, "weight", (double)weight);
	write_number(jw, "contribution", (double)part);
	kb_jw_end(jw);
}

static void write_fusion(struct kb_jw *jw, const struct kb_fusion_why *why)
{
	kb_jw_key(jw, "fusion");
	kb_jw_object(jw);
	write_side(jw, "words", why->words, why->word_weight, why->word_part);
	write_side(jw, "vectors", why->cosine, why->vector_weight, why->vector_part);
	write_number(jw, "fused", (double)why->fused);
	write_number(jw, "relevance", (double)why->relevance);
	kb_jw_end(jw);
}

static void write_explanation(struct kb_jw *jw, const struct kb_explanation *why,
                              const struct kb_fusion_why *fusion)
{
	kb_jw_object(jw);
	write_number(jw, "score", (double)why->score);
	write_number(jw, "first_step", (double)why->first);
	write_number(jw, "second_step", (double)why->second.sum);
	write_number(jw, "later_steps", (double)why->later);
	kb_jw_key(jw, "terms");
	kb_jw_array(jw);
	for (size_t i = 0; i < why->term_count; i++) {
		const struct kb_explained_term *term = &why->terms[i];

		kb_jw_object(jw);
		kb_jw_key_sv(jw, "term", term->term);
		write_number(jw, "weight", (double)term->weight);
		kb_jw_key_int(jw, "df", term->df);
		write_number(jw, "idf", term->idf);
		kb_jw_key_int(jw, "tf_title", term->title);
		kb_jw_key_int(jw, "tf_heading", term->heading);
		kb_jw_key_int(jw, "tf_body", term->body);
		write_number(jw, "contribution", (double)term->part);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
	kb_jw_key(jw, "second_step_parts");
	if (why->reranked)
		write_second_step(jw, &why->second);
	else
		kb_jw_null(jw);
	if (fusion)
		write_fusion(jw, fusion);
	kb_jw_end(jw);
}

static void write_found(struct kb_call *call, struct kb_jw *jw, const struct kb_page *page,
                        const struct kb_findings *findings, size_t which)
{
	const struct kb_found *found = &findings->v[which];
	const struct kb_passage *passage = &found->passage;

	kb_jw_object(jw);
	kb_jw_key_int(jw, "page_id", page->id);
	kb_jw_key_opt(jw, "filename", page->is_ours ? page->filename : (struct kb_sv){ 0 });
	kb_jw_key(jw, "metadata");
	kb_record_metadata(call, jw, page);
	kb_jw_key_opt(jw, "heading", passage->heading.n ? passage->heading : (struct kb_sv){ 0 });
	kb_page_no_write(jw, passage->page_no);
	kb_jw_key_int(jw, "offset", passage->offset);
	kb_jw_key_int(jw, "length", (int64_t)passage->text.n);
	kb_jw_key_sv(jw, "text", passage->text);
	write_number(jw, "score", (double)found->score);
	kb_jw_key(jw, "highlights");
	kb_jw_array(jw);
	for (size_t i = 0; i < found->highlight_count; i++) {
		kb_jw_object(jw);
		kb_jw_key_int(jw, "start", found->highlights[i].start);
		kb_jw_key_int(jw, "length", found->highlights[i].length);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
	if (findings->explanations) {
		kb_jw_key(jw, "explanation");
		write_explanation(jw, &findings->explanations[which],
		                  findings->fusions ? &findings->fusions[which] : NULL);
	}
	kb_jw_end(jw);
}

/* Words of the query that no passage holds, and those that were looked for instead. */
static void write_meant(struct kb_jw *jw, const struct kb_findings *findings)
{
	kb_jw_array(jw);
	for (size_t i = 0; i < findings->meant_count; i++) {
		kb_jw_object(jw);
		kb_jw_key_sv(jw, "asked", findings->meant[i].asked);
		kb_jw_key_sv(jw, "word", findings->meant[i].word);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

bool kb_findings_pages(struct kb_call *call, const struct kb_findings *findings,
                       struct kb_page **out, struct kb_err *err)
{
	int64_t *ids = KB_NEW_ARRAY(call->arena, findings->count, int64_t);

	*out = KB_NEW_ARRAY(call->arena, findings->count, struct kb_page);
	for (size_t i = 0; i < findings->count; i++)
		ids[i] = findings->v[i].passage.page_id;
	return kb_store_pages_get(call->api->store, call->arena,
	                          &(struct kb_page_ids){ call->agent.id, ids, findings->count },
	                          *out, err);
}

bool kb_search_run(struct kb_call *call, struct kb_err *err)
{
	struct search search = { 0 };
	struct kb_findings findings;
	struct kb_page *pages;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!read_request(call, &search, err)
	    || !kb_find(call->api->answerer, call->arena, &search.find, &findings, err)
	    || !kb_findings_pages(call, &findings, &pages, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "mode", search.mode->name);
	kb_jw_key_str(&jw, "language", kb_lang_code(findings.lang));
	kb_jw_key(&jw, "meant");
	write_meant(&jw, &findings);
	kb_jw_key_int(&jw, "searched", findings.searched);
	kb_jw_key_int(&jw, "took_us", findings.took_us);
	kb_jw_key(&jw, "passages");
	kb_jw_array(&jw);
	for (size_t i = 0; i < findings.count; i++)
		if (pages[i].id)
			write_found(call, &jw, &pages[i], &findings, i);
	kb_jw_end(&jw);
	if (findings.fusions) {
		kb_jw_key_str(&jw, "vectors", vectors_uses[findings.vectors]);
		kb_jw_key_str(&jw, "reranker", reranker_uses[findings.reranker]);
	}
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}
