/* What a client of the Model Context Protocol can do: ask, search, read documents. */
#include "answer/find.h"
#include "answer/guard.h"
#include "api/closest_text.h"
#include "api/mcp.h"
#include "api/mcp_documents.h"
#include "api/mcp_gaps.h"
#include "api/mcp_results.h"
#include "api/routes.h"
#include "api/session.h"
#include "base/utf8.h"
#include "parse/parse.h"

enum {
	LIMIT_DEFAULT = 10,
	LIMIT_MAX = 50,
	LENGTH_DEFAULT = 20000, /* bytes of a document that are read at once */
	LENGTH_MAX = 100000,
};

static const struct kb_mcp_number limit_is = { "limit", 1, LIMIT_MAX, LIMIT_DEFAULT },
                                  id_is = { "document_id", 1, INT64_MAX, 0 },
                                  offset_is = { "offset", 0, INT32_MAX, 0 },
                                  length_is = { "length", 1, LENGTH_MAX, LENGTH_DEFAULT };

/* ---- ask ---- */

/* The documents that the answer cites, in order; those of a master's answer are its child's, and of
 * one that was deleted meanwhile the id is left. */
static struct kb_page *read_cited(struct kb_mcp *mcp, const struct kb_turn *turn)
{
	struct kb_call *call = mcp->call;
	const struct kb_message *message = &turn->message;
	struct kb_page *pages = KB_NEW_ARRAY(call->arena, message->citation_count, struct kb_page);
	const struct kb_page_ids ids = { turn->agent->id, message->citations,
		                         message->citation_count };
	bool known = kb_store_pages_get(call->api->store, call->arena, &ids, pages, NULL);

	for (size_t i = 0; i < message->citation_count; i++)
		if (!known || !pages[i].id)
			pages[i] = (struct kb_page){ .id = message->citations[i] };
	return pages;
}

/* What [n] means, for people who read the answer in a program that shows texts alone. */
static void write_sources(struct kb_mcp *mcp, const struct kb_page *pages, size_t count)
{
	struct kb_buf text;

	kb_buf_init(&text, KB_MIB(1));
	for (size_t i = 0; i < count; i++)
		if (pages[i].agent_id)
			kb_buf_printf(&text, "%s[%zu] %.*s: %.*s", text.n ? "\n" : "", i + 1,
			              KB_SV_ARG(kb_page_title(&pages[i])),
			              KB_SV_ARG(kb_page_link(mcp->call, &pages[i])));
	if (text.n)
		kb_mcp_write_text(mcp, kb_buf_view(&text));
	kb_buf_fini(&text);
}

/* What comes near an answer that there is not. */
static void write_closest(struct kb_mcp *mcp, const struct kb_turn *turn)
{
	const struct kb_closest_list *list = &turn->answer.closest;
	const struct kb_page *pages =
	        turn->message.closest ? kb_closest_pages(mcp->call, turn) : NULL;
	struct kb_jw *jw = &mcp->jw;

	kb_jw_key(jw, "closest");
	kb_jw_array(jw);
	for (size_t i = 0; pages && i < list->count; i++) {
		if (!pages[i].id)
			continue;
		kb_jw_object(jw);
		kb_mcp_write_document(mcp, &pages[i]);
		kb_jw_key_sv(jw, "excerpt", list->v[i].excerpt);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

static void write_answer(struct kb_mcp *mcp, const struct kb_turn *turn)
{
	const struct kb_page *pages = read_cited(mcp, turn);
	size_t count = turn->message.citation_count;
	struct kb_sv closest = kb_closest_text(mcp->call, turn);
	struct kb_jw *jw = &mcp->jw;

	kb_mcp_begin_content(mcp, turn->answer.text);
	for (size_t i = 0; mcp->has_links && i < count; i++)
		if (pages[i].agent_id == mcp->call->agent.id)
			kb_mcp_write_link(mcp, &pages[i]);
	write_sources(mcp, pages, count);
	if (closest.n)
		kb_mcp_write_text(mcp, closest);
	kb_jw_end(jw);
	kb_jw_key(jw, "structuredContent");
	kb_jw_object(jw);
	kb_jw_key_sv(jw, "answer", turn->answer.text);
	kb_jw_key_bool(jw, "answered", turn->message.answered);
	kb_record_outcome(jw, &turn->message);
	kb_jw_key(jw, "citations");
	kb_jw_array(jw);
	for (size_t i = 0; i < count; i++) {
		kb_jw_object(jw);
		kb_mcp_write_document(mcp, &pages[i]);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
	write_closest(mcp, turn);
	kb_jw_key_sv(jw, "conversation", turn->session_id);
	kb_jw_key_int(jw, "message_id", turn->message.id);
	kb_jw_end(jw);
}

static void answered(struct kb_call *call, struct kb_turn *turn, struct kb_err *err, void *arg)
{
	struct kb_mcp *mcp = arg;
	bool ok = err->code == KB_OK;

	(void)call;
	if (ok)
		write_answer(mcp, turn);
	else
		ok = kb_mcp_refused(mcp, err);
	kb_mcp_finish(mcp, ok, err);
}

static bool ask(struct kb_mcp *mcp, const json_t *arguments, struct kb_err *err)
{
	struct kb_turn *turn = KB_NEW(mcp->call->arena, struct kb_turn);
	bool goes_on;

	turn->source = KB_SOURCE_API;
	turn->labels = mcp->labels;
	turn->inline_citations = true; /* the settings may still say no */
	if (!kb_mcp_need_text(arguments, "question", &turn->prompt, err))
		return kb_mcp_refused(mcp, err);
	turn->session_id = kb_json_sv(arguments, "conversation", KB_SV(""));
	goes_on = turn->session_id.n > 0;
	if (goes_on) {
		if (!kb_session_id_check(turn->session_id, err))
			return kb_mcp_refused(mcp, err);
	} else {
		kb_turn_new_session(mcp->call, turn);
	}
	if (!kb_turn_begin(mcp->call, turn, !goes_on, err))
		return kb_mcp_refused(mcp, err);
	*mcp->later = true;
	kb_turn_answer(mcp->call, turn, &(struct kb_turn_sink){ .done = answered, .arg = mcp });
	return true;
}

/* ---- search ---- */

static bool find(struct kb_mcp *mcp, const json_t *arguments, struct kb_findings *out,
                 struct kb_err *err)
{
	struct kb_find_request request = { .agent_id = mcp->call->agent.id, .labels = mcp->labels };
	struct kb_settings settings;
	int64_t limit;

	if (!kb_mcp_need_text(arguments, "query", &request.text, err)
	    || !kb_mcp_read_number(arguments, &limit_is, &limit, err)
	    || !kb_settings_read(mcp->call->arena, mcp->call->agent.settings, &settings, err))
		return false;
	request.settings = &settings;
	request.limit = (size_t)limit;
	return kb_find(mcp->call->api->answerer, mcp->call->arena, &request, out, err);
}

static bool search(struct kb_mcp *mcp, const json_t *arguments, struct kb_err *err)
{
	struct kb_call *call = mcp->call;
	struct kb_jw *jw = &mcp->jw;
	struct kb_findings findings;
	struct kb_page *pages;
	struct kb_buf text;

	if (!find(mcp, arguments, &findings, err))
		return kb_mcp_refused(mcp, err);
	if (!kb_findings_pages(call, &findings, &pages, err))
		return false;
	kb_buf_init(&text, KB_MIB(4));
	for (size_t i = 0; i < findings.count; i++) {
		const struct kb_passage *passage = &findings.v[i].passage;

		/* One that was deleted meanwhile is passed over. */
		if (pages[i].id)
			kb_buf_printf(&text, "%s[%" PRId64 "] %.*s\n%.*s\n", text.n ? "\n" : "",
			              pages[i].id, KB_SV_ARG(kb_page_title(&pages[i])),
			              KB_SV_ARG(passage->text));
	}
	kb_mcp_begin_content(mcp, text.n ? kb_outguard_quote(call->arena, kb_buf_view(&text))
	                                 : KB_SV("Nothing was found."));
	kb_buf_fini(&text);
	kb_jw_end(jw);
	kb_jw_key(jw, "structuredContent");
	kb_jw_object(jw);
	kb_jw_key(jw, "passages");
	kb_jw_array(jw);
	for (size_t i = 0; i < findings.count; i++) {
		const struct kb_passage *passage = &findings.v[i].passage;

		if (!pages[i].id)
			continue;
		kb_jw_object(jw);
		kb_mcp_write_document(mcp, &pages[i]);
		kb_jw_key_opt(jw, "heading",
		              passage->heading.n ? passage->heading : (struct kb_sv){ 0 });
		kb_page_no_write(jw, passage->page_no);
		kb_jw_key_int(jw, "offset", passage->offset);
		kb_jw_key_sv(jw, "text", passage->text);
		kb_jw_key(jw, "score");
		kb_jw_double(jw, (double)findings.v[i].score);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
	kb_jw_end(jw);
	return true;
}

/* ---- read_document ---- */

static bool read_document(struct kb_mcp *mcp, const json_t *arguments, struct kb_err *err)
{
	int64_t id, offset, length;
	struct kb_jw *jw = &mcp->jw;
	struct kb_sv text, part;
	struct kb_page page;

	if (!kb_mcp_read_number(arguments, &id_is, &id, err)
	    || !kb_mcp_read_number(arguments, &offset_is, &offset, err)
	    || !kb_mcp_read_number(arguments, &length_is, &length, err)
	    || !kb_mcp_document(mcp, id, &page, err))
		return kb_mcp_refused(mcp, err);
	if (!kb_mcp_document_text(mcp, &page, &text, err))
		return false;
	/* From the next whole character on. */
	while ((size_t)offset < text.n && ((unsigned char)text.p[offset] & 0xc0) == 0x80)
		offset++;
	part = kb_utf8_cut(kb_sv_from(text, (size_t)offset), (size_t)length);
	kb_mcp_begin_content(mcp, kb_outguard_quote(mcp->call->arena, part));
	kb_jw_end(jw);
	kb_jw_key(jw, "structuredContent");
	kb_jw_object(jw);
	kb_mcp_write_document(mcp, &page);
	kb_jw_key_int(jw, "offset", offset);
	kb_jw_key_int(jw, "length", (int64_t)part.n);
	kb_jw_key_int(jw, "total", (int64_t)text.n);
	kb_jw_key_sv(jw, "text", part);
	kb_jw_end(jw);
	return true;
}

/* ---- the table ---- */

// clang-format off
#define OBJECT(properties, required) \
	"{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "]}"
#define STRING(name, text) "\"" name "\":{\"type\":\"string\",\"description\":\"" text "\"}"
#define INTEGER(name, range, text) \
	"\"" name "\":{\"type\":\"integer\"," range ",\"description\":\"" text "\"}"
#define OF_TYPE(name, type)  "\"" name "\":{\"type\":\"" type "\"}"
#define OR_NULL(name, type)  "\"" name "\":{\"type\":[\"" type "\",\"null\"]}"
#define LIST_OF(name, items) "\"" name "\":{\"type\":\"array\",\"items\":" items "}"
#define DOCUMENT OF_TYPE("document_id", "integer") "," OF_TYPE("title", "string") "," OR_NULL("url", "string")
#define DOCUMENT_HAS "\"document_id\",\"title\",\"url\""

static const struct tool {
	const char *name, *title, *description, *input, *output;
	bool changes; /* it stores something */
	bool edits;   /* it is for editors: of an address that says so */
	bool (*run)(struct kb_mcp *mcp, const json_t *arguments, struct kb_err *err);
} tools[] = {
	{ "ask", "Ask a question",
	  "Answers a question from the documents of this knowledge base, with the documents that say "
	  "so. [n] in the answer is the n-th citation. Where outcome is closest, nothing answers for "
	  "sure: the closest excerpts may help, and must not be told as the answer. To ask a "
	  "follow-up, pass the conversation of the answer before.",
	  OBJECT(STRING("question", "In the user's own words, up to 8000 characters.") ","
	         STRING("conversation", "Of an earlier answer; leave out to begin a new one."),
	         "\"question\""),
	  OBJECT(OF_TYPE("answer", "string") "," OF_TYPE("answered", "boolean") ","
	         OF_TYPE("outcome", "string") ","
	         LIST_OF("closest", OBJECT(DOCUMENT "," OF_TYPE("excerpt", "string"),
	                                   DOCUMENT_HAS ",\"excerpt\"")) ","
	         LIST_OF("citations", OBJECT(DOCUMENT, DOCUMENT_HAS)) ","
	         OF_TYPE("conversation", "string") "," OF_TYPE("message_id", "integer"),
	         "\"answer\",\"answered\",\"outcome\",\"closest\",\"citations\",\"conversation\",\"message_id\""),
	  true, false, ask },
	{ "search", "Search passages",
	  "Finds the passages that fit a query best, as they stand in the documents.",
	  OBJECT(STRING("query", "Words or a question, up to 8000 characters.") ","
	         INTEGER("limit", "\"minimum\":1,\"maximum\":50", "1 to 50, or 10."),
	         "\"query\""),
	  OBJECT(LIST_OF("passages",
	                 OBJECT(DOCUMENT "," OR_NULL("heading", "string") "," OR_NULL("page_no", "integer") ","
	                        OF_TYPE("offset", "integer") "," OF_TYPE("text", "string") ","
	                        OF_TYPE("score", "number"),
	                        DOCUMENT_HAS ",\"offset\",\"text\",\"score\"")),
	         "\"passages\""),
	  false, false, search },
	{ "read_document", "Read a document",
	  "The text of a document, or a part of it. Offsets are bytes, as search gives them.",
	  OBJECT(INTEGER("document_id", "\"minimum\":1", "As search and ask give it.") ","
	         INTEGER("offset", "\"minimum\":0", "Where to begin, or 0.") ","
	         INTEGER("length", "\"minimum\":1,\"maximum\":100000", "Bytes to read, up to 100000, or 20000."),
	         "\"document_id\""),
	  OBJECT(DOCUMENT "," OF_TYPE("offset", "integer") "," OF_TYPE("length", "integer") ","
	         OF_TYPE("total", "integer") "," OF_TYPE("text", "string"),
	         DOCUMENT_HAS ",\"offset\",\"length\",\"total\",\"text\""),
	  false, false, read_document },
	{ "list_gaps", "List questions without a good answer",
	  "Questions of visitors that were not answered well, in groups of those that ask the same, the most "
	  "asked first: open ones that three people have asked or more.",
	  OBJECT(INTEGER("limit", "\"minimum\":1,\"maximum\":50", "1 to 50, or 10."), ""),
	  OBJECT(LIST_OF("gaps",
	                 OBJECT(OF_TYPE("gap_id", "integer") "," OF_TYPE("question", "string") ","
	                        OF_TYPE("asked", "integer") "," OF_TYPE("people", "integer"),
	                        "\"gap_id\",\"question\",\"asked\",\"people\"")),
	         "\"gaps\""),
	  false, true, kb_mcp_list_gaps },
	{ "answer_gap", "Answer such questions",
	  "Says what is to be answered to all questions of a group from now on, word for word. Only what a person "
	  "has approved, or what the documents say, may be given here.",
	  OBJECT(INTEGER("gap_id", "\"minimum\":1", "As list_gaps gives it.") ","
	         STRING("answer", "What is said, up to 8000 characters."),
	         "\"gap_id\",\"answer\""),
	  OBJECT(OF_TYPE("gap_id", "integer") "," OF_TYPE("answer_id", "integer"), "\"gap_id\",\"answer_id\""),
	  true, true, kb_mcp_answer_gap },
};
// clang-format on

bool kb_mcp_list_tools(struct kb_mcp *mcp, struct kb_err *err)
{
	struct kb_jw *jw = &mcp->jw;

	(void)err;
	kb_jw_key(jw, "tools");
	kb_jw_array(jw);
	for (size_t i = 0; i < KB_COUNTOF(tools); i++) {
		if (tools[i].edits && !mcp->edits)
			continue;
		kb_jw_object(jw);
		kb_jw_key_str(jw, "name", tools[i].name);
		kb_jw_key_str(jw, "title", tools[i].title);
		kb_jw_key_str(jw, "description", tools[i].description);
		kb_jw_key(jw, "inputSchema");
		kb_jw_raw(jw, kb_sv_str(tools[i].input));
		kb_jw_key(jw, "outputSchema");
		kb_jw_raw(jw, kb_sv_str(tools[i].output));
		kb_jw_key(jw, "annotations");
		kb_jw_object(jw);
		kb_jw_key_bool(jw, "readOnlyHint", !tools[i].changes);
		kb_jw_key_bool(jw, "destructiveHint", false);
		kb_jw_key_bool(jw, "openWorldHint", false);
		kb_jw_end(jw);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
	return true;
}

bool kb_mcp_call_tool(struct kb_mcp *mcp, struct kb_err *err)
{
	struct kb_sv name = kb_json_sv(mcp->params, "name", KB_SV(""));

	for (size_t i = 0; i < KB_COUNTOF(tools); i++)
		if (kb_sv_eq_str(name, tools[i].name) && (!tools[i].edits || mcp->edits))
			return tools[i].run(mcp, kb_json_get(mcp->params, "arguments"), err);
	return kb_fail(err, KB_E_INVALID, "there is no tool of that name");
}
