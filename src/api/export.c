/* A conversation with all its messages, to take away: JSON, CSV (RFC 4180), text, or a page to
 * print (a PDF in every script would need fonts and shaping, which each browser has). */
#include <string.h>

#include "api/csv.h"
#include "api/routes.h"
#include "base/utf8.h"

enum {
	BATCH = 100,
	EXPORT_MAX = 64 << 20,
};

/* One format: how it begins, how a message stands in it, how it ends. */
struct format {
	const char *name, *content_type, *extension;
	void (*begin)(struct kb_buf *buf, struct kb_jw *jw,
	              const struct kb_conversation *conversation);
	void (*message)(struct kb_buf *buf, struct kb_jw *jw, const struct kb_message *message);
	void (*end)(struct kb_buf *buf, struct kb_jw *jw);
};

static void json_begin(struct kb_buf *buf, struct kb_jw *jw,
                       const struct kb_conversation *conversation)
{
	(void)buf;
	kb_jw_object(jw);
	kb_jw_key_str(jw, "status", "success");
	kb_jw_key(jw, "data");
	kb_jw_object(jw);
	kb_jw_key(jw, "conversation");
	kb_record_conversation(jw, conversation);
	kb_jw_key(jw, "messages");
	kb_jw_array(jw);
}

static void json_message(struct kb_buf *buf, struct kb_jw *jw, const struct kb_message *message)
{
	(void)buf;
	kb_record_message(jw, message);
}

static void json_end(struct kb_buf *buf, struct kb_jw *jw)
{
	(void)buf;
	kb_jw_end(jw);
	kb_jw_end(jw);
	kb_jw_end(jw);
}

static void csv_begin(struct kb_buf *buf, struct kb_jw *jw,
                      const struct kb_conversation *conversation)
{
	(void)jw;
	(void)conversation;
	kb_buf_str(buf, "id,created_at,user_query,llm_response,citations\r\n");
}

static void csv_message(struct kb_buf *buf, struct kb_jw *jw, const struct kb_message *message)
{
	char created[KB_TIME_TEXT];

	(void)jw;
	kb_time_format(created, message->created_at);
	kb_buf_int(buf, message->id);
	kb_buf_printf(buf, ",%s,", created);
	kb_csv_field(buf, message->query, ",");
	kb_csv_field(buf, message->response, ",\"");
	for (size_t i = 0; i < message->citation_count; i++) {
		kb_buf_str(buf, i ? " " : "");
		kb_buf_int(buf, message->citations[i]);
	}
	kb_buf_str(buf, "\"\r\n");
}

static void text_begin(struct kb_buf *buf, struct kb_jw *jw,
                       const struct kb_conversation *conversation)
{
	(void)jw;
	kb_buf_sv(buf, conversation->name);
	kb_buf_byte(buf, '\n');
}

static void text_message(struct kb_buf *buf, struct kb_jw *jw, const struct kb_message *message)
{
	char created[KB_TIME_TEXT];

	(void)jw;
	kb_time_format(created, message->created_at);
	kb_buf_printf(buf, "\n[%s]\n", created);
	kb_buf_str(buf, "Q: ");
	kb_buf_sv(buf, message->query);
	kb_buf_str(buf, "\nA: ");
	kb_buf_sv(buf, message->response);
	kb_buf_byte(buf, '\n');
}

/* A line of the text a paragraph; each finds its own direction. */
static void html_lines(struct kb_buf *buf, const char *of, struct kb_sv text)
{
	struct kb_sv rest = text, line;

	kb_buf_printf(buf, "<div class=\"%s\">", of);
	while (text.n && kb_sv_split(&rest, '\n', &line)) {
		if (kb_sv_trim(line).n == 0)
			continue;
		kb_buf_str(buf, "<p dir=\"auto\">");
		kb_html_text(buf, line);
		kb_buf_str(buf, "</p>");
	}
	kb_buf_str(buf, "</div>\n");
}

static void html_begin(struct kb_buf *buf, struct kb_jw *jw,
                       const struct kb_conversation *conversation)
{
	(void)jw;
	kb_buf_str(buf, "<!doctype html>\n<html><head><meta charset=\"utf-8\"><title>");
	kb_html_text(buf, conversation->name);
	kb_buf_str(buf, "</title>\n<style>\n"
	                "body { font: 11pt/1.45 sans-serif; max-width: 42em; margin: 2em auto; }\n"
	                "h1 { font-size: 15pt; }\n"
	                "article { break-inside: avoid; border-top: 1px solid #999; }\n"
	                ".asked { font-weight: bold; }\n"
	                "time, .sources { color: #555; font-size: 9pt; }\n"
	                "p { margin: .4em 0; overflow-wrap: anywhere; }\n"
	                "</style></head>\n<body><h1 dir=\"auto\">");
	kb_html_text(buf, conversation->name);
	kb_buf_str(buf, "</h1>\n");
}

static void html_message(struct kb_buf *buf, struct kb_jw *jw, const struct kb_message *message)
{
	char created[KB_TIME_TEXT];

	(void)jw;
	kb_time_format(created, message->created_at);
	kb_buf_printf(buf, "<article><time datetime=\"%s\">%s</time>\n", created, created);
	html_lines(buf, "asked", message->query);
	html_lines(buf, "answered", message->response);
	for (size_t i = 0; i < message->citation_count; i++)
		kb_buf_printf(buf, "%s%" PRId64,
		              i ? ", " : "<p class=\"sources\">Sources: documents ",
		              message->citations[i]);
	kb_buf_str(buf, message->citation_count ? "</p></article>\n" : "</article>\n");
}

static void html_end(struct kb_buf *buf, struct kb_jw *jw)
{
	(void)jw;
	kb_buf_str(buf, "</body></html>\n");
}

static void no_end(struct kb_buf *buf, struct kb_jw *jw)
{
	(void)buf;
	(void)jw;
}

// clang-format off
static const struct format formats[] = {
	{ "json", "application/json", "json", json_begin, json_message, json_end },
	{ "csv", "text/csv; charset=utf-8", "csv", csv_begin, csv_message, no_end },
	{ "txt", "text/plain; charset=utf-8", "txt", text_begin, text_message, no_end },
	{ "html", "text/html; charset=utf-8", "html", html_begin, html_message, html_end },
};
// clang-format on

static const struct format *find_format(struct kb_sv name)
{
	if (name.n == 0)
		return &formats[0];
	for (size_t i = 0; i < KB_COUNTOF(formats); i++)
		if (kb_sv_ieq_str(name, formats[i].name))
			return &formats[i];
	return NULL;
}

static bool respond(struct kb_call *call, const struct format *format,
                    const struct kb_conversation *conversation, struct kb_buf *buf,
                    struct kb_err *err)
{
	struct kb_response head = {
		.status = 200,
		.content_type = format->content_type,
		.fields = {
			{ KB_SV("content-disposition"),
			  kb_arena_printf(call->arena,
			                  "attachment; filename=\"conversation-%" PRId64 ".%s\"",
			                  conversation->id, format->extension) },
			{ KB_SV("cache-control"), KB_SV("no-cache, private") },
			{ KB_SV("content-security-policy"),
			  KB_SV("default-src 'none'; style-src 'unsafe-inline'; sandbox") },
		},
	};

	return kb_call_respond_buf(call, &head, buf, err);
}

bool kb_conversations_export(struct kb_call *call, struct kb_err *err)
{
	struct kb_session session = kb_call_session(call, call->req->params[1]);
	const struct format *format = find_format(kb_request_query(call->req, "format"));
	struct kb_list list = { .page = 1, .limit = BATCH, .ascending = true };
	struct kb_transcript transcript;
	const struct kb_conversation *conversation = &transcript.conversation;
	struct kb_buf buf;
	struct kb_jw jw;
	bool ok = true;

	if (!format)
		return kb_fail(err, KB_E_INVALID, "format must be json, csv, txt or html%s",
		               kb_sv_ieq_str(kb_request_query(call->req, "format"), "pdf")
		                       ? "; print the html to get a PDF"
		                       : "");
	kb_buf_init(&buf, EXPORT_MAX);
	kb_api_jw(call->api, &jw, &buf);
	for (; ok; list.page++) {
		ok = kb_store_message_list(call->api->store, call->arena, &session, &list,
		                           &transcript, err);
		if (!ok)
			break;
		if (list.page == 1)
			format->begin(&buf, &jw, conversation);
		for (size_t i = 0; i < transcript.messages.count; i++) {
			if (kb_principal_is_visitor(&call->who))
				kb_message_for_visitor(&transcript.messages.v[i]);
			format->message(&buf, &jw, &transcript.messages.v[i]);
		}
		if (transcript.messages.count < BATCH)
			break;
	}
	if (!ok && err->code == KB_E_NOT_FOUND)
		kb_fail(err, KB_E_NOT_FOUND, "Conversation with session id %.*s not found",
		        KB_SV_ARG(kb_utf8_cut(call->req->params[1], 128)));
	if (ok)
		format->end(&buf, &jw);
	if (ok)
		return respond(call, format, conversation, &buf, err);
	kb_buf_fini(&buf);
	return false;
}
