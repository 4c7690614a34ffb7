/*
 * The Model Context Protocol, so that agents of other programs ask ours: JSON-RPC over "streamable
 * HTTP". Every request is answered by itself with JSON, as the protocol allows; there are no
 * sessions and no stream from our side, so any process of a service may answer any request.
 */
#include "api/mcp.h"

#include "api/filter.h"
#include "api/routes.h"

/* Oldest first; a client that asks for another one is offered the newest. */
static const char *const versions[] = { "2025-06-18", "2025-11-25" };

enum rpc_code {
	RPC_NO_METHOD = -32601,
	RPC_BAD_PARAMS = -32602,
	RPC_INTERNAL = -32603,
	RPC_NO_RESOURCE = -32002, /* the protocol's own */
};

static bool is_version(struct kb_sv version)
{
	for (size_t i = 0; i < KB_COUNTOF(versions); i++)
		if (kb_sv_eq_str(version, versions[i]))
			return true;
	return false;
}

static bool initialize(struct kb_mcp *mcp, struct kb_err *err)
{
	struct kb_sv asked = kb_json_sv(mcp->params, "protocolVersion", KB_SV(""));
	struct kb_sv name = mcp->call->agent.name;
	struct kb_jw *jw = &mcp->jw;

	(void)err;
	kb_jw_key_sv(jw, "protocolVersion",
	             is_version(asked) ? asked : kb_sv_str(versions[KB_COUNTOF(versions) - 1]));
	kb_jw_key(jw, "capabilities");
	kb_jw_object(jw);
	kb_jw_key(jw, "tools");
	kb_jw_object(jw);
	kb_jw_end(jw);
	kb_jw_key(jw, "resources");
	kb_jw_object(jw);
	kb_jw_end(jw);
	kb_jw_end(jw);
	kb_jw_key(jw, "serverInfo");
	kb_jw_object(jw);
	kb_jw_key_str(jw, "name", "docent");
	kb_jw_key_sv(jw, "title", name);
	kb_jw_key_str(jw, "version", DOCENT_VERSION);
	kb_jw_end(jw);
	kb_jw_key_sv(
	        jw, "instructions",
	        kb_arena_printf(mcp->call->arena,
	                        "This is the knowledge base \"%.*s\". Ask it a question to get "
	                        "an answer with its sources, search it for passages, or read its "
	                        "documents.",
	                        KB_SV_ARG(name)));
	return true;
}

static bool ping(struct kb_mcp *mcp, struct kb_err *err)
{
	(void)mcp;
	(void)err;
	return true;
}

static bool list_templates(struct kb_mcp *mcp, struct kb_err *err)
{
	(void)err;
	kb_jw_key(&mcp->jw, "resourceTemplates");
	kb_jw_array(&mcp->jw);
	kb_jw_end(&mcp->jw);
	return true;
}

static const struct method {
	const char *name;
	bool (*run)(struct kb_mcp *mcp, struct kb_err *err);
} methods[] = {
	{ "initialize", initialize },
	{ "ping", ping },
	{ "tools/list", kb_mcp_list_tools },
	{ "tools/call", kb_mcp_call_tool },
	{ "resources/list", kb_mcp_list_documents },
	{ "resources/read", kb_mcp_read_document },
	{ "resources/templates/list", list_templates },
};

static const struct method *find_method(struct kb_sv name)
{
	for (size_t i = 0; i < KB_COUNTOF(methods); i++)
		if (kb_sv_eq_str(name, methods[i].name))
			return &methods[i];
	return NULL;
}

/* ---- answers ---- */

static void write_id(struct kb_jw *jw, const json_t *id)
{
	kb_jw_key(jw, "id");
	if (json_is_string(id))
		kb_jw_sv(jw, kb_sv(json_string_value(id), json_string_length(id)));
	else if (json_is_integer(id))
		kb_jw_int(jw, json_integer_value(id));
	else
		kb_jw_double(jw, json_number_value(id));
}

static void begin(struct kb_jw *jw, struct kb_buf *buf, const json_t *id)
{
	kb_jw_init(jw, buf);
	kb_jw_object(jw);
	kb_jw_key_str(jw, "jsonrpc", "2.0");
	write_id(jw, id);
}

static bool reply_error(struct kb_call *call, const json_t *id, enum rpc_code code,
                        const char *message, struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, KB_MIB(1));
	begin(&jw, &buf, id);
	kb_jw_key(&jw, "error");
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "code", code);
	kb_jw_key_str(&jw, "message", message);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

static enum rpc_code code_of(const struct kb_err *err)
{
	return err->code == KB_E_INVALID     ? RPC_BAD_PARAMS
	       : err->code == KB_E_NOT_FOUND ? RPC_NO_RESOURCE
	                                     : RPC_INTERNAL;
}

static bool reply(struct kb_mcp *mcp, bool ok, struct kb_err *err)
{
	struct kb_call *call = mcp->call;

	if (ok) {
		kb_jw_end(&mcp->jw);
		return kb_call_reply(call, 200, &mcp->buf, &mcp->jw, err);
	}
	kb_buf_fini(&mcp->buf);
	if (kb_err_info(err->code)->hide) {
		kb_warn(&call->req->log, "request failed method=%s error=%s", mcp->method,
		        err->msg);
		return reply_error(call, mcp->id, RPC_INTERNAL, "Internal error", err);
	}
	return reply_error(call, mcp->id, code_of(err),
	                   kb_arena_str(call->arena, kb_sv_str(err->msg)), err);
}

void kb_mcp_finish(struct kb_mcp *mcp, bool ok, struct kb_err *err)
{
	kb_view_release(&mcp->view);
	mcp->call->req->status = 0; /* a failure is told in the message */
	if (!reply(mcp, ok, err))
		kb_call_error(mcp->call, err);
}

static void run(struct kb_mcp *mcp, const struct method *method, struct kb_err *err)
{
	bool ok, later = false;

	mcp->method = method->name;
	/* Set before the answer is asked for: afterwards `mcp` may be gone. */
	mcp->later = &later; // cppcheck-suppress autoVariables
	kb_buf_init(&mcp->buf, KB_MIB(16));
	begin(&mcp->jw, &mcp->buf, mcp->id);
	kb_jw_key(&mcp->jw, "result");
	kb_jw_object(&mcp->jw);
	ok = method->run(mcp, err);
	if (!later)
		kb_mcp_finish(mcp, ok, err);
}

/* What wants no answer: a notification, or the answer to a question that we never ask. */
static bool accept(struct kb_call *call)
{
	kb_respond(call->req, &(struct kb_response){ .status = 202 });
	return true;
}

bool kb_mcp_serve(struct kb_call *call, struct kb_err *err)
{
	const json_t *body = call->inputs.json, *id = kb_json_get(body, "id");
	struct kb_sv version = kb_request_field(call->req, "mcp-protocol-version");
	struct kb_sv name = kb_json_sv(body, "method", KB_SV(""));
	struct kb_mcp *mcp = KB_NEW(call->arena, struct kb_mcp);
	const struct method *method = find_method(name);
	struct kb_inputs query;

	if (!body || !kb_sv_eq_str(kb_json_sv(body, "jsonrpc", KB_SV("")), "2.0"))
		return kb_fail(err, KB_E_INVALID, "the body must be one JSON-RPC 2.0 message");
	if (version.n && !is_version(version))
		return kb_fail(err, KB_E_INVALID,
		               "MCP-Protocol-Version must be 2025-06-18 or 2025-11-25");
	if (!name.n && !kb_json_get(body, "result") && !kb_json_get(body, "error"))
		return kb_fail(err, KB_E_INVALID, "the message has no method");
	if (!name.n || !id)
		return accept(call);
	if (!json_is_string(id) && !json_is_number(id))
		return kb_fail(err, KB_E_INVALID, "id must be a string or a number");
	mcp->call = call;
	mcp->id = id;
	mcp->params = kb_json_get(body, "params");
	if (mcp->params && !json_is_object(mcp->params))
		return reply_error(call, id, RPC_BAD_PARAMS, "params must be an object", err);
	if (!kb_inputs_query(call->req, &query, err)
	    || !kb_filter_read(&query, call->arena, &mcp->labels, err))
		return false;
	if (!method)
		return reply_error(call, id, RPC_NO_METHOD, "Method not found", err);
	run(mcp, method, err);
	return true;
}
