/* The tools of editors: gaps (store/gaps.h), seen and answered. */
#ifndef KB_API_MCP_GAPS_H
#define KB_API_MCP_GAPS_H

#include "api/mcp.h"

bool kb_mcp_list_gaps(struct kb_mcp *mcp, const json_t *arguments,
                      struct kb_err *err) KB_MUST_CHECK;
bool kb_mcp_answer_gap(struct kb_mcp *mcp, const json_t *arguments,
                       struct kb_err *err) KB_MUST_CHECK;

#endif
