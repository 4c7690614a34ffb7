/* Questions to begin with: the owner's, and with use_context_aware_starter_question what the
 * documents have on the page that the agent stands on. */
#include "answer/find.h"
#include "api/routes.h"

enum { TITLE_BYTES = 300, PASSAGES = 12, TOPICS = 3, TOPIC_BYTES = 80 };

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

static bool write_topics(struct kb_call *call, struct kb_jw *jw, const struct kb_settings *settings,
                         struct kb_err *err)
{
	struct kb_sv title = kb_request_query(call->req, "title"), topics[TOPICS];
	const struct kb_find_request find = {
		.agent_id = call->agent.id,
		.settings = settings,
		.text = kb_sv_sub(title, 0, KB_MIN(title.n, TITLE_BYTES)),
		.limit = PASSAGES,
		.words_only = true,
	};
	struct kb_findings findings = { 0 };
	size_t count = 0;

	kb_jw_key(jw, "topics");
	kb_jw_array(jw);
	if (settings->use_context_aware_starter_question.v && title.n
	    && !kb_find(call->api->answerer, call->arena, &find, &findings, err))
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
	return true;
}

bool kb_starters_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_settings settings;
	struct kb_buf buf;
	struct kb_jw jw;
	bool ok;

	if (!kb_settings_read(call->arena, call->agent.settings, &settings, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key(&jw, "questions");
	kb_jw_array(&jw);
	for (size_t i = 0; i < settings.example_questions.count; i++)
		kb_jw_sv(&jw, settings.example_questions.v[i]);
	kb_jw_end(&jw);
	ok = write_topics(call, &jw, &settings, err);
	kb_jw_end(&jw);
	if (!ok) {
		kb_buf_fini(&buf);
		return false;
	}
	return kb_call_reply(call, 200, &buf, &jw, err);
}
