/*
 * Documents that give different figures for the same statements (answer/disagree.h), a row an
 * agent. store.h's rules hold.
 *
 * Who looks at them says that they are wanted; one node's thread finds them (store/work.h) and puts
 * them here. What is here may be of documents that are gone: whoever shows it looks whether they
 * are there.
 */
#ifndef KB_STORE_CONFLICTS_H
#define KB_STORE_CONFLICTS_H

#include "store/agents.h"

enum {
	KB_CONFLICTS_AGAIN_S = 30,    /* documents have changed */
	KB_CONFLICTS_LATER_S = 60,    /* after a failure */
	KB_CONFLICTS_DISMISSED = 500, /* pairs; the oldest go */
};

struct kb_conflicts_row {
	struct kb_sv content;   /* empty: nothing was found out yet */
	struct kb_sv dismissed; /* "7 9" a line: pairs of documents that may both be right */
	bool wanted; /* it is to be made anew, and nobody has said so: kb_store_conflicts_want() */
	bool is_coming; /* somebody has */
};
bool kb_store_conflicts_get(struct kb_store *store, struct kb_arena *arena,
                            const struct kb_agent *agent, struct kb_conflicts_row *out,
                            struct kb_err *err) KB_MUST_CHECK;
bool kb_store_conflicts_want(struct kb_store *store, int64_t agent_id,
                             struct kb_err *err) KB_MUST_CHECK;

/* Two documents may both be right, or are looked at again. KB_E_NOT_FOUND where the agent has no
 * such document. */
struct kb_conflict_pair {
	int64_t agent_id, a, b; /* a < b */
	bool dismissed;
};
bool kb_store_conflicts_dismiss(struct kb_store *store, const struct kb_conflict_pair *pair,
                                struct kb_err *err) KB_MUST_CHECK;

/* The agent whose conflicts have been wanted for longest; 0: none. */
bool kb_store_conflicts_next(struct kb_store *store, int64_t *agent_id,
                             struct kb_err *err) KB_MUST_CHECK;
/* What was found in the documents of that version. */
bool kb_store_conflicts_put(struct kb_store *store, int64_t agent_id, int64_t index_version,
                            struct kb_sv content, struct kb_err *err) KB_MUST_CHECK;
/* They could not be looked for: again later. */
bool kb_store_conflicts_later(struct kb_store *store, int64_t agent_id,
                              struct kb_err *err) KB_MUST_CHECK;

#endif
