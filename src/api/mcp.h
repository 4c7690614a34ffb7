/*
 * What mcp.c (the protocol) and mcp_tools.c (what a client can do by it) share.
 */
#ifndef KB_API_MCP_H
#define KB_API_MCP_H

#include "api/api.h"

/* One request, in the call's arena. */
struct kb_mcp {
	struct kb_call *call;
	const json_t *id;
	const char *method;
	const json_t *params;          /* or NULL */
	struct kb_label_filter labels; /* of the address: the client's model has no say in it */
	struct kb_buf buf;
	struct kb_jw jw; /* within the members of the result */
	/* A method sets it that has begun what kb_mcp_finish() will end, perhaps before it returns:
	 * the request may be gone by then. */
	bool *later;
	/* The documents that the labels open, of one index version. */
	struct kb_view view;
	struct kb_pass pass;
};

/* Ends the request: with the result as it is written, or with the error. */
void kb_mcp_finish(struct kb_mcp *mcp, bool ok, struct kb_err *err);

/* tools/list and tools/call. A call that the agent refuses (a limit, a locked conversation) is a
 * result that says so; one that names no tool, or leaves out what it needs, is an error. */
bool kb_mcp_list_tools(struct kb_mcp *mcp, struct kb_err *err) KB_MUST_CHECK;
bool kb_mcp_call_tool(struct kb_mcp *mcp, struct kb_err *err) KB_MUST_CHECK;
/* resources/list and resources/read: the documents. */
bool kb_mcp_list_documents(struct kb_mcp *mcp, struct kb_err *err) KB_MUST_CHECK;
bool kb_mcp_read_document(struct kb_mcp *mcp, struct kb_err *err) KB_MUST_CHECK;

#endif
