/*
 * Programs that ask over the Model Context Protocol in the name of somebody whom the organisation's
 * provider has signed in (src/oidc): by an access token that the provider made for the address of
 * this agent (RFC 9728, 9068).
 *
 * The token says who it is. What they may is what their groups gave them when they signed in to the
 * dashboard, within KB_GATEWAY_LASTS_US, as a browser's sign-in lasts; it is read with each
 * request. The address is that of --public-url: a name that a request brings along would let in a
 * token that was made for whoever has that name.
 */
#ifndef KB_API_MCP_SIGNIN_H
#define KB_API_MCP_SIGNIN_H

#include "api/api.h"

/* Whether there is a provider whose tokens are taken, and a name that they can be made for. */
bool kb_mcp_takes_tokens(const struct kb_call *call);
/* Whether the request brings one, to an address that takes them. */
bool kb_mcp_has_token(const struct kb_call *call);
/* Whose it is: a key without an id, as of a browser's (signins.h). KB_E_UNAUTHORIZED. */
bool kb_mcp_token_check(struct kb_call *call, struct kb_key *out, struct kb_err *err) KB_MUST_CHECK;
/* How a client that was refused finds the provider: www-authenticate. */
struct kb_sv kb_mcp_challenge(struct kb_call *call);

#endif
