/* What is kept of a call that changes something (store/audit.h), for dispatch.c, reply.c and
 * handlers. */
#ifndef KB_API_AUDIT_H
#define KB_API_AUDIT_H

#include "api/api.h"

/* From now on the call's next write carries what is kept of it: its row's action by who calls. */
void kb_call_audit(struct kb_call *call);
/* Whether its row's action is kept of it: of what changes something by anybody who is known; of
 * what reads from a level on, and not of one's own conversations. */
bool kb_call_is_audited(const struct kb_call *call);
/* A document is about to be shown, of a route for that: kept where it is one with labels, and reads
 * of these are. */
bool kb_call_audit_document(struct kb_call *call, const struct kb_page *page,
                            struct kb_err *err) KB_MUST_CHECK;
/* The same of a call that does one of several things, which its row does not say. */
void kb_call_audit_as(struct kb_call *call, enum kb_audit_action action);
/* How the thing was, as a JSON object with the members that are sent: what has changed is kept
 * beside what it was. Before the write. */
void kb_call_audit_before(struct kb_call *call, struct kb_sv json);
/* What it changes, in the form of audit rows, where its inputs do not say so: in the call's arena.
 * Before the write. */
void kb_call_audit_changes(struct kb_call *call, struct kb_sv json);
/* The call ends; err: why it failed, or NULL. Nothing where nothing was begun. */
void kb_call_audit_end(const struct kb_call *call, const struct kb_err *err);
/* Somebody who is known was refused a change. */
void kb_call_audit_refusal(struct kb_call *call);

#endif
