/*
 * Programs that ask over the Model Context Protocol in somebody's name, by an access token that was
 * made for the address of this agent (RFC 9728). It is of the organisation's provider, which has
 * signed them in (src/oidc, RFC 9068), or where there is none of our own (oauth.h).
 *
 * A provider's token says who it is. What they may is what their groups gave them when they signed
 * in to the dashboard, within KB_GATEWAY_LASTS_US, as a browser's sign-in lasts; it is read with
 * each request. The address is that of --public-url: a name that a request brings along would let
 * in a token that was made for whoever has that name.
 */
#ifndef KB_API_MCP_SIGNIN_H
#define KB_API_MCP_SIGNIN_H

#include "api/api.h"

/* Whether tokens are taken at all: there is a name that they can be made for. */
bool kb_mcp_takes_tokens(const struct kb_call *call);
/* Whether the request brings one, to an address that takes them. */
bool kb_mcp_has_token(const struct kb_call *call);
/* Whose it is: a key without an id, as of a browser's (signins.h). KB_E_UNAUTHORIZED. */
bool kb_mcp_token_check(struct kb_call *call, struct kb_key *out, struct kb_err *err) KB_MUST_CHECK;
/* Whether it is one of our own, whose program may ask and no more. */
bool kb_mcp_is_program(const struct kb_call *call);
/* How a client that was refused finds who gives tokens: www-authenticate. */
struct kb_sv kb_mcp_challenge(struct kb_call *call);

#endif
