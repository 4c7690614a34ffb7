/* Errors as messages of JSON-RPC. */
#include "api/mcp.h"

void kb_mcp_write_error(struct kb_jw *jw, enum kb_rpc_code code, const char *message)
{
	kb_jw_key(jw, "error");
	kb_jw_object(jw);
	kb_jw_key_int(jw, "code", code);
	kb_jw_key_str(jw, "message", message);
	kb_jw_end(jw);
}

void kb_mcp_write_refusal(struct kb_call *call, struct kb_jw *jw, int status, const char *message)
{
	bool is_json = call->inputs.json || !call->req->body.n
	               || kb_json_parse(call->arena, call->req->body, NULL);

	kb_jw_object(jw);
	kb_jw_key_str(jw, "jsonrpc", "2.0");
	kb_jw_key_null(jw, "id");
	kb_mcp_write_error(jw,
	                   status >= 500   ? KB_RPC_INTERNAL
	                   : status != 400 ? KB_RPC_REFUSED
	                   : is_json       ? KB_RPC_BAD_REQUEST
	                                   : KB_RPC_PARSE,
	                   message);
	kb_jw_end(jw);
}
