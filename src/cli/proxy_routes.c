/* What the extension calls. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/proxy.h"

enum { SESSION_MAX = 128, REPLY_MAX = 8 << 20 };

/* A call in hand: what it was asked and where its answer grows. */
struct call {
	struct kb_proxy *proxy;
	struct kb_request *req;
	struct kb_arena *arena;
};

/* --- answers --- */

static void respond(struct kb_request *req, int status, const struct kb_buf *buf)
{
	struct kb_sv body;
	struct kb_err err;

	if (!kb_buf_done(buf, &body, &err)) {
		status = 500;
		body = KB_SV("{\"error\":\"Internal error\",\"message\":\"The answer is too "
		             "large.\"}");
	}
	kb_respond(req,
	           &(struct kb_response){
	                   .status = status,
	                   .content_type = "application/json",
	                   .body = body,
	                   .fields = { { KB_SV("cache-control"), KB_SV("no-cache, private") } },
	           });
}

static const struct {
	int status;
	const char *error;
} names[] = {
	{ 400, "Invalid request" },
	{ 403, "Origin not allowed" },
	{ 404, "Not found" },
	{ 405, "Method not allowed" },
	{ 500, "Internal error" },
	{ 502, "Upstream error" },
	{ 503, "Busy" },
};

/* {"error": what in short, "message": the sentence that people see}; always false. */
static bool refuse(struct kb_request *req, int status, struct kb_sv sentence)
{
	const char *error = status >= 500 ? "Internal error" : "Invalid request";
	struct kb_buf buf;
	struct kb_jw jw;

	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (names[i].status == status)
			error = names[i].error;
	kb_buf_init(&buf, REPLY_MAX);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "error", error);
	kb_jw_key_sv(&jw, "message", sentence);
	kb_jw_end(&jw);
	respond(req, status, &buf);
	kb_buf_fini(&buf);
	return false;
}

static void begin_success(struct kb_buf *buf, struct kb_jw *jw)
{
	kb_buf_init(buf, REPLY_MAX);
	kb_jw_init(jw, buf);
	kb_jw_object(jw);
	kb_jw_key_bool(jw, "success", true);
}

static void end_success(struct call *call, struct kb_buf *buf, struct kb_jw *jw)
{
	kb_jw_end(jw);
	respond(call->req, 200, buf);
	kb_buf_fini(buf);
}

static void write_value(struct call *call, struct kb_jw *jw, const json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

	KB_ASSERT(text != NULL);
	kb_jw_raw(jw, kb_arena_sv(call->arena, kb_sv_str(text)));
	free(text);
}

/* {"success":true,"data": what the service said}. */
static void pass_on(struct call *call, const json_t *data)
{
	struct kb_buf buf;
	struct kb_jw jw;

	begin_success(&buf, &jw);
	kb_jw_key(&jw, "data");
	write_value(call, &jw, data);
	end_success(call, &buf, &jw);
}

/* --- before and after a call of the service --- */

static bool admit_origin(struct call *call)
{
	struct kb_sv origin = kb_request_field(call->req, "origin");

	if (!call->proxy->origin || !origin.p || kb_sv_eq_str(origin, call->proxy->origin))
		return true;
	return refuse(call->req, 403, KB_SV("This proxy serves another origin."));
}

static bool begin(struct call *call, struct kb_request *req)
{
	*call = (struct call){ .proxy = req->app, .req = req, .arena = req->arena };
	if (!admit_origin(call))
		return false;
	if (call->proxy->key && call->proxy->agent)
		return true;
	return refuse(req, 500,
	              kb_arena_printf(req->arena, "The proxy is not configured: it lacks %s%s%s.",
	                              call->proxy->key ? "" : "DOCENT_API_KEY",
	                              call->proxy->key || call->proxy->agent ? "" : " and ",
	                              call->proxy->agent ? "" : "DOCENT_AGENT_ID"));
}

/* One call of the service whose answer must be a JSON object. What a visitor did wrong (400) is
 * told in the service's words, and 404 where the caller named a record; what the operator did wrong
 * (the key, the agent) or the service is a 502. Always false after answering. */
static bool ask(struct call *call, const char *method, struct kb_sv path, struct kb_sv json,
                bool names_record, const json_t **data)
{
	struct kb_proxy_request request = {
		.method = method,
		.path = path,
		.json = json,
		.timeout_s = strcmp(method, "POST") == 0 ? KB_PROXY_CHAT_S : KB_PROXY_CALL_S,
	};
	struct kb_proxy_reply reply;
	struct kb_err err;
	int status;

	if (!kb_proxy_call(call->proxy, call->arena, &request, &reply, &err)) {
		kb_warn(&call->req->log, "the service gave no answer error=%s", err.msg);
		return refuse(call->req, 502,
		              err.code == KB_E_TIMEOUT
		                      ? KB_SV("The knowledge base did not answer in time.")
		                      : KB_SV("The knowledge base cannot be reached."));
	}
	if (reply.status == 200 && json_is_object(reply.data)) {
		*data = reply.data;
		return true;
	}
	kb_warn(&call->req->log, "the service refused status=%d message=%.*s", reply.status,
	        KB_SV_ARG(reply.message));
	status = reply.status == 400 || (reply.status == 404 && names_record) ? reply.status : 502;
	if (reply.status == 401 || reply.status == 403)
		return refuse(call->req, 502, KB_SV("The knowledge base refuses the proxy's key."));
	if (reply.message.n == 0)
		return refuse(call->req, status,
		              kb_arena_printf(call->arena,
		                              "The knowledge base answered with status %d.",
		                              reply.status));
	return refuse(call->req, status, reply.message);
}

/* --- reading the request --- */

static bool read_object(struct call *call, const json_t **out)
{
	struct kb_err err;
	const json_t *json = kb_json_parse(call->arena, call->req->body, &err);

	*out = json;
	if (!json)
		return refuse(call->req, 400, kb_arena_printf(call->arena, "%s.", err.msg));
	if (!json_is_object(json))
		return refuse(call->req, 400, KB_SV("The body must be a JSON object."));
	return true;
}

/* It becomes a segment of a path, so nothing in it may mean anything there. */
static bool read_session(struct call *call, const json_t *body, struct kb_sv *out)
{
	bool dots = true;

	*out = kb_json_sv(body, "sessionId", KB_SV(""));
	for (size_t i = 0; i < out->n; i++) {
		char c = out->p[i];

		dots = dots && c == '.';
		if (!(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
		    && !(c && strchr("-_.~", c)))
			out->n = 0;
	}
	if (out->n > 0 && out->n <= SESSION_MAX && !dots)
		return true;
	return refuse(call->req, 400,
	              KB_SV("sessionId is required: 1 to 128 letters, digits, -, _, . or ~."));
}

static bool read_id(struct call *call, struct kb_sv text, const char *name, int64_t *out)
{
	if (kb_sv_to_int(text, 1, INT64_MAX, out))
		return true;
	return refuse(
	        call->req, 400,
	        kb_arena_printf(call->arena, "%s is required: a whole number above 0.", name));
}

/* --- the routes --- */

static void write_chat(struct call *call, struct kb_sv session, const json_t *data)
{
	const json_t *id = kb_json_get(data, "id"), *citations = kb_json_get(data, "citations");
	struct kb_buf buf;
	struct kb_jw jw;

	begin_success(&buf, &jw);
	kb_jw_key_sv(&jw, "message", kb_json_sv(data, "llm_response", KB_SV("")));
	kb_jw_key_int(&jw, "conversationId", kb_json_int(data, "conversation_id", 0));
	kb_jw_key_sv(&jw, "sessionId", session);
	if (json_is_integer(id))
		kb_jw_key_int(&jw, "messageId", json_integer_value(id));
	else
		kb_jw_key_null(&jw, "messageId");
	kb_jw_key(&jw, "citations");
	if (json_is_array(citations)) {
		write_value(call, &jw, citations);
	} else {
		kb_jw_array(&jw);
		kb_jw_end(&jw);
	}
	end_success(call, &buf, &jw);
}

static void on_chat(struct kb_request *req)
{
	struct call call;
	const json_t *body, *data = NULL;
	struct kb_sv session, message, prompt;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!begin(&call, req) || !read_object(&call, &body)
	    || !read_session(&call, body, &session))
		return;
	message = kb_json_sv(body, "message", KB_SV(""));
	if (kb_sv_trim(message).n == 0) {
		refuse(req, 400, KB_SV("message is required: a text that is not blank."));
		return;
	}
	/* conversationId, which clients send back, says nothing that sessionId does not. */
	kb_buf_init(&buf, REPLY_MAX);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, "prompt", message);
	kb_jw_key_str(&jw, "response_source", "default");
	kb_jw_end(&jw);
	prompt = kb_arena_sv(call.arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	if (!ask(&call, "POST",
	         kb_arena_printf(call.arena, "/conversations/%.*s/messages?stream=false&lang=en",
	                         KB_SV_ARG(session)),
	         prompt, false, &data))
		return;
	if (!json_is_string(kb_json_get(data, "llm_response")))
		refuse(req, 502, KB_SV("The knowledge base gave no answer."));
	else
		write_chat(&call, session, data);
}

static void on_settings(struct kb_request *req)
{
	struct call call;
	const json_t *agent = NULL, *settings = NULL, *questions;
	struct kb_sv avatar;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!begin(&call, req) || !ask(&call, "GET", KB_SV(""), KB_SV(""), false, &agent)
	    || !ask(&call, "GET", KB_SV("/settings"), KB_SV(""), false, &settings))
		return;
	avatar = kb_json_sv(settings, "chatbot_avatar", KB_SV(""));
	questions = kb_json_get(settings, "example_questions");
	begin_success(&buf, &jw);
	kb_jw_key(&jw, "data");
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, "name", kb_json_sv(agent, "project_name", KB_SV("")));
	kb_jw_key_opt(&jw, "avatar", avatar.n ? avatar : (struct kb_sv){ 0 });
	kb_jw_key(&jw, "suggestedQuestions");
	if (json_is_array(questions)) {
		write_value(&call, &jw, questions);
	} else {
		kb_jw_array(&jw);
		kb_jw_end(&jw);
	}
	kb_jw_key_sv(&jw, "defaultPrompt", kb_json_sv(settings, "default_prompt", KB_SV("")));
	kb_jw_end(&jw);
	end_success(&call, &buf, &jw);
}

static void on_feedback(struct kb_request *req)
{
	struct call call;
	const json_t *body, *id, *data = NULL;
	struct kb_sv session, reaction, id_text;
	int64_t message_id;

	if (!begin(&call, req) || !read_object(&call, &body)
	    || !read_session(&call, body, &session))
		return;
	id = kb_json_get(body, "messageId");
	id_text = json_is_integer(id) ? kb_arena_printf(call.arena, "%" JSON_INTEGER_FORMAT,
	                                                json_integer_value(id))
	                              : kb_json_sv(body, "messageId", KB_SV(""));
	if (!read_id(&call, id_text, "messageId", &message_id))
		return;
	reaction = kb_json_sv(body, "reaction", KB_SV(""));
	if (!kb_sv_eq_str(reaction, "liked") && !kb_sv_eq_str(reaction, "disliked")) {
		refuse(req, 400, KB_SV("reaction is required: liked or disliked."));
		return;
	}
	if (ask(&call, "PUT",
	        kb_arena_printf(call.arena, "/conversations/%.*s/messages/%" PRId64 "/feedback",
	                        KB_SV_ARG(session), message_id),
	        kb_arena_printf(call.arena, "{\"reaction\":\"%.*s\"}", KB_SV_ARG(reaction)), true,
	        &data))
		pass_on(&call, data);
}

static void on_citations(struct kb_request *req)
{
	struct call call;
	const json_t *data = NULL;
	int64_t id;

	if (begin(&call, req)
	    && read_id(&call, kb_request_query(req, "citationId"), "citationId", &id)
	    && ask(&call, "GET", kb_arena_printf(call.arena, "/citations/%" PRId64, id), KB_SV(""),
	           true, &data))
		pass_on(&call, data);
}

static void on_health(struct kb_request *req)
{
	struct call call = { .proxy = req->app, .req = req, .arena = req->arena };
	bool has_key = call.proxy->key != NULL, has_agent = call.proxy->agent != NULL;
	char now[KB_TIME_TEXT];
	struct kb_buf buf;
	struct kb_jw jw;

	if (!admit_origin(&call))
		return;
	kb_time_format(now, kb_clock_now_us(NULL));
	kb_buf_init(&buf, REPLY_MAX);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "status", "ok");
	kb_jw_key_str(&jw, "timestamp", now);
	kb_jw_key_bool(&jw, "configured", has_key && has_agent);
	kb_jw_key(&jw, "config");
	kb_jw_object(&jw);
	kb_jw_key_bool(&jw, "hasAPIKey", has_key);
	kb_jw_key_bool(&jw, "hasProjectID", has_agent);
	kb_jw_end(&jw);
	kb_jw_key(&jw, "features");
	kb_jw_object(&jw);
	kb_jw_key_bool(&jw, "chat", has_key && has_agent);
	kb_jw_end(&jw);
	kb_jw_key(&jw, "endpoints");
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "chat", "/api/chat");
	kb_jw_key_str(&jw, "health", "/api/health");
	kb_jw_key_str(&jw, "settings", "/api/settings");
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	respond(req, 200, &buf);
	kb_buf_fini(&buf);
}

const struct kb_route *kb_proxy_routes(size_t *count)
{
	// clang-format off
	static const struct kb_route rows[] = {
		{ .method = "POST", .path = "/api/chat", .handle = on_chat, .body_max = KB_PROXY_BODY_MAX },
		{ .method = "PUT", .path = "/api/feedback", .handle = on_feedback, .body_max = KB_PROXY_BODY_MAX },
		{ .method = "GET", .path = "/api/citations", .handle = on_citations },
		{ .method = "GET", .path = "/api/settings", .handle = on_settings },
		{ .method = "GET", .path = "/api/health", .handle = on_health },
	};
	// clang-format on

	*count = KB_COUNTOF(rows);
	return rows;
}

/* --- what the server asks --- */

void kb_proxy_refuse(struct kb_request *req, const struct kb_err *err)
{
	/* No row has the method OPTIONS: a browser asks before it calls any of them. */
	if (kb_sv_eq_str(req->method, "OPTIONS")
	    && (err->code == KB_E_METHOD || err->code == KB_E_NOT_FOUND)) {
		kb_respond(req, &(struct kb_response){ .status = 200 });
		return;
	}
	refuse(req, kb_err_status(err), kb_sv_str(err->msg));
}

void kb_proxy_decorate(struct kb_request *req, struct kb_buf *head)
{
	const struct kb_proxy *proxy = req->app;

	kb_buf_printf(head, "access-control-allow-origin: %s\r\n%s",
	              proxy->origin ? proxy->origin : "*", proxy->origin ? "vary: origin\r\n" : "");
	kb_buf_str(head, "access-control-allow-methods: GET, POST, PUT, DELETE, OPTIONS\r\n"
	                 "access-control-allow-headers: Content-Type, Authorization\r\n");
}
