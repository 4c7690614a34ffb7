/* Questions to begin with: the owner's; with use_context_aware_starter_question what the documents
 * have on the page that the agent stands on; what a model has written for that page or, where the
 * owner has no questions, for the agent; and what its documents were asked in the background and
 * answered for sure (answer/opening.h). Nobody waits for any of that: who asks first has the others
 * alone. */
#include "store/starters.h"
#include "answer/find.h"
#include "answer/mask.h"
#include "answer/opening.h"
#include "answer/persona.h"
#include "api/routes.h"
#include "api/session.h"
#include "api/shown_pages.h"
#include "base/utf8.h"
#include "index/langid.h"
#include "store/openings.h"

enum { PASSAGES = 12, TOPICS = 3, TOPIC_BYTES = 80 };

/* Where a passage stands: its heading, or else its document. */
static struct kb_sv topic_of(struct kb_call *call, const struct kb_passage *passage)
{
	struct kb_page page;

	if (passage->heading.n)
		return passage->heading;
	if (!kb_store_page_get(call->api->store, call->arena, call->agent.id, passage->page_id,
	                       &page, NULL))
		return KB_SV("");
	return page.meta_title.n ? page.meta_title : page.title;
}

/* The page around, as far as it matters: what stands behind a ? or # is the visitor's own. */
static struct kb_starters_page page_around(struct kb_call *call)
{
	struct kb_sv title = kb_utf8_mend(call->arena, kb_request_query(call->req, "title"));
	struct kb_sv address = kb_utf8_mend(call->arena, kb_request_query(call->req, "address"));
	struct kb_starters_page page = { .address = address };

	for (size_t i = 0; i < address.n && page.address.n == address.n; i++)
		if (address.p[i] == '?' || address.p[i] == '#')
			page.address = kb_sv_sub(address, 0, i);
	if (kb_agent_anonymises(call, &call->agent)) {
		title = kb_mask(call->arena, title);
		page.address = kb_mask(call->arena, page.address);
	}
	page.title = kb_utf8_cut(kb_sv_trim(title), KB_STARTERS_TITLE_BYTES);
	page.address = kb_utf8_cut(page.address, KB_STARTERS_ADDRESS_BYTES);
	return page;
}

/* *found: the documents have something on the page. */
static bool write_topics(struct kb_call *call, struct kb_jw *jw, const struct kb_settings *settings,
                         struct kb_sv title, bool *found, struct kb_err *err)
{
	struct kb_sv topics[TOPICS];
	const struct kb_find_request find = {
		.agent_id = call->agent.id,
		.settings = settings,
		.text = title,
		.limit = PASSAGES,
		.words_only = true,
	};
	struct kb_findings findings = { 0 };
	size_t count = 0;

	kb_jw_key(jw, "topics");
	kb_jw_array(jw);
	if (title.n && !kb_find(call->api->answerer, call->arena, &find, &findings, err))
		return false;
	for (size_t i = 0; i < findings.count && count < TOPICS; i++) {
		struct kb_sv topic = topic_of(call, &findings.v[i].passage);
		bool known = topic.n == 0 || topic.n > TOPIC_BYTES;

		for (size_t t = 0; t < count; t++)
			known = known || kb_sv_ieq(topics[t], topic);
		if (known)
			continue;
		topics[count++] = topic;
		kb_jw_sv(jw, topic);
	}
	kb_jw_end(jw);
	*found = findings.count > 0;
	return true;
}

/* What a model has written; where that is to be done, it is asked for. */
static bool write_suggested(struct kb_call *call, struct kb_jw *jw,
                            const struct kb_starters_page *page, bool may, struct kb_err *err)
{
	struct kb_starters starters = { 0 };
	struct kb_err why = { 0 };
	struct kb_sv line;

	if (may
	    && !kb_store_starters_get(call->api->store, call->arena, &call->agent, page, &starters,
	                              err))
		return false;
	/* What cannot be asked for now is asked for by the next visitor. */
	if (starters.wanted && !kb_store_starters_want(call->api->store, &call->agent, page, &why))
		kb_info(&call->req->log, "starters not asked for error=%s", why.msg);
	kb_jw_key(jw, "suggested");
	kb_jw_array(jw);
	while (kb_sv_split(&starters.questions, '\n', &line))
		if (line.n)
			kb_jw_sv(jw, line);
	kb_jw_end(jw);
	return true;
}

/* ---- what was asked in the background ---- */

/* Row i is of document i. Those in the visitor's language first. */
static void write_asked(struct kb_jw *jw, const struct kb_settings *settings,
                        const struct kb_opening *opening, const struct kb_page *pages)
{
	enum kb_lang own = kb_lang_from_code(settings->chatbot_msg_lang);
	bool cites = kb_settings_citations(settings) != KB_CITATIONS_NONE;

	kb_jw_key(jw, "asked");
	kb_jw_array(jw);
	for (size_t i = 0; i < 2 * opening->question_count; i++) {
		size_t at = i % opening->question_count;
		bool is_own = kb_lang_of_text(opening->questions[at].text) == own;
		struct kb_sv title = kb_visitor_title(settings, &pages[at]);

		if (!pages[at].id || is_own != (i < opening->question_count))
			continue;
		kb_jw_object(jw);
		kb_jw_key_sv(jw, "question", opening->questions[at].text);
		kb_jw_key_int(jw, "page_id", pages[at].id);
		kb_jw_key_opt(jw, "title", cites && title.n ? title : (struct kb_sv){ 0 });
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

static void write_areas(struct kb_jw *jw, const struct kb_settings *settings,
                        const struct kb_page *pages, size_t count)
{
	bool cites = kb_settings_citations(settings) != KB_CITATIONS_NONE;

	kb_jw_key(jw, "areas");
	kb_jw_array(jw);
	for (size_t i = 0; i < count; i++)
		if (cites && pages[i].id && kb_visitor_title(settings, &pages[i]).n)
			kb_jw_sv(jw, kb_visitor_title(settings, &pages[i]));
	kb_jw_end(jw);
}

/* What was made, and the documents that it names: of its questions, then of its topics. */
struct shown_opening {
	struct kb_opening opening;
	struct kb_page *pages;
	bool is_coming;
};

/* How many documents everybody may find. */
static bool count_documents(struct kb_call *call, int64_t *out, struct kb_err *err)
{
	const struct kb_page_filter open = { .list = { .page = 1, .limit = 1 },
		                             .search = KB_SV(""),
		                             .crawl = -1,
		                             .index = KB_STATUS_OK,
		                             .unlabelled = true };
	struct kb_page_list pages;

	if (!kb_store_page_list(call->api->store, call->arena, call->agent.id, &open, &pages, err))
		return false;
	*out = pages.total;
	return true;
}

/* Where it is to be made anew, that is wanted from now on, unless there is nothing to make it of:
 * it would be shown for a while after there is. What is known of older documents tells nobody how
 * many there are now. */
static bool read_opening(struct kb_call *call, struct shown_opening *out, struct kb_err *err)
{
	int64_t *ids = KB_NEW_ARRAY(call->arena, KB_OPENING_QUESTIONS + KB_OPENING_TOPICS, int64_t);
	struct kb_page_ids wanted = { .agent_id = call->agent.id, .v = ids };
	struct kb_opening *opening = &out->opening;
	struct kb_opening_row row;
	struct kb_err why;
	bool has_content;

	if (!kb_store_opening_get(call->api->store, call->arena, &call->agent, &row, err))
		return false;
	kb_opening_read(call->arena, row.content, opening);
	if ((!row.content.n || row.wanted || row.is_coming)
	    && !count_documents(call, &opening->documents, err))
		return false;
	has_content = opening->documents || call->agent.is_master;
	/* What cannot be wanted now is wanted by who comes next. */
	if (row.wanted && has_content
	    && !kb_store_opening_want(call->api->store, call->agent.id, &why))
		kb_info(&call->req->log, "opening not wanted error=%s", why.msg);
	for (size_t i = 0; i < opening->question_count; i++)
		ids[wanted.count++] = opening->questions[i].page_id;
	for (size_t i = 0; i < opening->topic_count; i++)
		ids[wanted.count++] = opening->topics[i];
	out->pages =
	        KB_NEW_ARRAY(call->arena, KB_OPENING_QUESTIONS + KB_OPENING_TOPICS, struct kb_page);
	out->is_coming = !row.content.n && has_content;
	return kb_visitor_pages(call, &wanted, out->pages, err);
}

static void write_opening(struct kb_jw *jw, const struct kb_settings *settings,
                          const struct shown_opening *shown)
{
	kb_jw_key_int(jw, "documents", shown->opening.documents);
	write_asked(jw, settings, &shown->opening, shown->pages);
	write_areas(jw, settings, shown->pages + shown->opening.question_count,
	            shown->opening.topic_count);
	kb_jw_key_bool(jw, "is_coming", shown->is_coming);
}

static void write_name(struct kb_call *call, struct kb_jw *jw, const struct kb_settings *settings)
{
	struct kb_sv name = kb_persona_name(call->arena, settings->persona_instructions.p
	                                                         ? settings->persona_instructions
	                                                         : KB_SV(""));

	kb_jw_key_opt(jw, "name", name.n ? name : (struct kb_sv){ 0 });
}

bool kb_starters_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_starters_page page = { KB_SV(""), KB_SV("") };
	struct shown_opening shown;
	struct kb_settings settings;
	struct kb_buf buf;
	struct kb_jw jw;
	bool ok, found = false;

	if (!kb_call_settings(call, &call->agent, &settings, err))
		return false;
	if (settings.use_context_aware_starter_question.v)
		page = page_around(call);
	if (!page.title.n)
		page.address = KB_SV("");
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key(&jw, "questions");
	kb_jw_array(&jw);
	for (size_t i = 0; i < settings.example_questions.count; i++)
		kb_jw_sv(&jw, settings.example_questions.v[i]);
	kb_jw_end(&jw);
	ok = write_topics(call, &jw, &settings, page.title, &found, err);
	ok = ok
	     && write_suggested(call, &jw, &page,
	                        page.title.n ? found : settings.example_questions.count == 0, err)
	     && read_opening(call, &shown, err);
	if (!ok) {
		kb_buf_fini(&buf);
		return false;
	}
	write_name(call, &jw, &settings);
	write_opening(&jw, &settings, &shown);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* What visitors are greeted with, for who keeps the agent: every title is named, whatever of it
 * visitors are shown. */
bool kb_opening_show(struct kb_call *call, struct kb_err *err)
{
	struct kb_settings settings;
	struct shown_opening shown;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_call_settings(call, &call->agent, &settings, err)
	    || !read_opening(call, &shown, err))
		return false;
	settings.is_anonymize_pdfs = false;
	settings.enable_citations.v = KB_CITATIONS_LIST;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	write_opening(&jw, &settings, &shown);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}
