/*
 * What mcp.c (the protocol) and mcp_tools.c (what a client can do by it) share.
 */
#ifndef KB_API_MCP_H
#define KB_API_MCP_H

#include "api/api.h"

/* Codes of errors: those of JSON-RPC, and those that the protocol adds. */
enum kb_rpc_code {
	KB_RPC_PARSE = -32700,
	KB_RPC_BAD_REQUEST = -32600,
	KB_RPC_NO_METHOD = -32601,
	KB_RPC_BAD_PARAMS = -32602,
	KB_RPC_INTERNAL = -32603,
	KB_RPC_REFUSED = -32000,     /* ours: a key, a limit, another method of HTTP */
	KB_RPC_NO_RESOURCE = -32002, /* of versions up to 2025-11-25 */
	KB_RPC_HEADER = -32020,      /* a field of HTTP says something else than the message */
	KB_RPC_VERSION = -32022,
};

/* One request, in the call's arena. */
struct kb_mcp {
	struct kb_call *call;
	const json_t *id;
	bool is_stateless;                  /* of a version that says in each request what it is */
	bool has_links;                     /* of one whose results may link to resources */
	const struct kb_mcp_method *method; /* mcp.c's */
	const json_t *params;               /* or NULL */
	struct kb_label_filter labels; /* of the address: the client's model has no say in it */
	bool edits;                    /* the same: its tools are an editor's too */
	struct kb_buf buf;
	struct kb_jw jw; /* within the members of the result */
	/* A method sets it that has begun what kb_mcp_finish() will end, perhaps before it returns:
	 * the request may be gone by then. */
	bool *later;
	/* The documents that the labels open, of one index version. */
	struct kb_live live;
	struct kb_pass pass;
};

struct kb_mcp_method;

/* Ends the request: with the result as it is written, or with the error. */
void kb_mcp_finish(struct kb_mcp *mcp, bool ok, struct kb_err *err);

/* ---- mcp_error.c ---- */

/* The member "error". */
void kb_mcp_write_error(struct kb_jw *jw, enum kb_rpc_code code, const char *message);
/* The body of a refusal of HTTP (a wrong key, no JSON, another method): a message of JSON-RPC as
 * well.
 */
void kb_mcp_write_refusal(struct kb_call *call, struct kb_jw *jw, int status, const char *message);

/* tools/list and tools/call. A call that the agent refuses (a limit, a locked conversation), or
 * whose arguments are wrong, is a result that says so, for the caller's model to read and do
 * better; one that names no tool is an error. */
bool kb_mcp_list_tools(struct kb_mcp *mcp, struct kb_err *err) KB_MUST_CHECK;
bool kb_mcp_call_tool(struct kb_mcp *mcp, struct kb_err *err) KB_MUST_CHECK;
/* resources/list and resources/read: the documents. */
bool kb_mcp_list_documents(struct kb_mcp *mcp, struct kb_err *err) KB_MUST_CHECK;
bool kb_mcp_read_document(struct kb_mcp *mcp, struct kb_err *err) KB_MUST_CHECK;

#endif
