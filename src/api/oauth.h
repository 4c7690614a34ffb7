/*
 * The service's own authorization server (OAuth 2.1), for programs that speak the Model Context
 * Protocol where no provider signs people in: who may ask an agent in whose name.
 *
 * A program comes by the address of its description (oauth_client.h). Its person's browser, which
 * is signed in to the dashboard, is shown who asks for what, and its answer is the only thing that
 * gives anything (programs.c): a code, which the program turns into tokens with PKCE (oauth.c).
 * These count at one agent's address of the protocol (mcp_signin.h), and for asking alone; what
 * their person may there is read with each request. Rows of the store hold all of it
 * (store/programs.h), so that any node takes each step.
 */
#ifndef KB_API_OAUTH_H
#define KB_API_OAUTH_H

#include "api/api.h"
#include "store/programs.h"

#define KB_OAUTH_PATH  "/oauth/"
#define KB_OAUTH_SCOPE "ask"

/* Whether there is one: a name for it, and no provider. */
bool kb_oauth_is_on(const struct kb_call *call);
/* KB_E_NOT_FOUND where not. */
bool kb_oauth_check_on(struct kb_call *call, struct kb_err *err) KB_MUST_CHECK;
/* The agent whose address of the protocol that is. KB_E_INVALID. */
bool kb_oauth_resource(struct kb_call *call, struct kb_sv resource, int64_t *agent_id,
                       struct kb_err *err) KB_MUST_CHECK;
/* The key that stands for whoever let that program in; of a browser's, one without an id.
 * KB_E_UNAUTHORIZED where it is revoked. */
bool kb_oauth_key(struct kb_call *call, const struct kb_consent *program, struct kb_key *out,
                  struct kb_err *err) KB_MUST_CHECK;
/* What is kept of the call is about that program, and nothing that was sent with it. */
void kb_oauth_note(struct kb_call *call, enum kb_audit_action action,
                   const struct kb_consent *program);
/* The body of a refusal, as RFC 6749 has it. */
void kb_oauth_write_refusal(struct kb_call *call, struct kb_jw *jw, int status,
                            const char *message);

#endif
