/*
 * The documents of an agent as a client of the Model Context Protocol sees them (mcp.h): those that
 * the labels of its address open, and no others.
 */
#ifndef KB_API_MCP_DOCUMENTS_H
#define KB_API_MCP_DOCUMENTS_H

#include "api/mcp.h"

struct kb_parsed;

/* A hidden document is not found, in the same words as one that is not there. */
bool kb_mcp_document(struct kb_mcp *mcp, int64_t id, struct kb_page *out, struct kb_err *err);
/* The extracted text; places of passages and claims are bytes of it. */
bool kb_mcp_document_text(struct kb_mcp *mcp, const struct kb_page *page, struct kb_sv *out,
                          struct kb_err *err);
void kb_mcp_write_document(struct kb_mcp *mcp, const struct kb_page *page);
/* A link to the document among the contents of a result. */
void kb_mcp_write_link(struct kb_mcp *mcp, const struct kb_page *page);

#endif
