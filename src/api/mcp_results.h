/* What tools of the protocol share: the texts of a result, and arguments as models write them. */
#ifndef KB_API_MCP_RESULTS_H
#define KB_API_MCP_RESULTS_H

#include "api/mcp.h"

/* A text of the result; the first one opens the list, which the caller ends. */
void kb_mcp_begin_content(struct kb_mcp *mcp, struct kb_sv text);
void kb_mcp_write_text(struct kb_mcp *mcp, struct kb_sv text);
/* What the agent refused is for the client's model to read; false: it is nobody's to know. */
bool kb_mcp_refused(struct kb_mcp *mcp, struct kb_err *err) KB_MUST_CHECK;

/* A text argument that has to be there. */
bool kb_mcp_need_text(const json_t *arguments, const char *name, struct kb_sv *out,
                      struct kb_err *err) KB_MUST_CHECK;
/* A number that an argument is: its name, its range, and what it is where it is left out; 0: it
 * must not be. */
struct kb_mcp_number {
	const char *name;
	int64_t min, max, otherwise;
};
bool kb_mcp_read_number(const json_t *arguments, const struct kb_mcp_number *is, int64_t *out,
                        struct kb_err *err) KB_MUST_CHECK;

#endif
