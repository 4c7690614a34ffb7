/*
 * What visitors are greeted with (answer/opening.h), a row an agent. store.h's rules hold.
 *
 * Who greets a visitor says that it is wanted; one node's thread makes it (store/work.h) and puts
 * it here, where all nodes show it. What is here may be of documents that are gone: whoever shows
 * it looks whether they are there.
 */
#ifndef KB_STORE_OPENINGS_H
#define KB_STORE_OPENINGS_H

#include "store/agents.h"

enum {
	KB_OPENING_AGAIN_S = 60,       /* documents have changed */
	KB_OPENING_KEPT_S = 24 * 3600, /* visitors ask other questions */
	KB_OPENING_ASKED = 20,         /* questions of visitors that are looked at */
	KB_OPENING_ASKED_DAYS = 30,    /* and how old they are at most */
	KB_OPENING_LATER_S = 60,       /* after a failure */
};

struct kb_opening_row {
	struct kb_sv content; /* empty: it was not made yet */
	bool wanted;    /* it is to be made anew, and nobody has said so: kb_store_opening_want() */
	bool is_coming; /* somebody has */
};
bool kb_store_opening_get(struct kb_store *store, struct kb_arena *arena,
                          const struct kb_agent *agent, struct kb_opening_row *out,
                          struct kb_err *err) KB_MUST_CHECK;
bool kb_store_opening_want(struct kb_store *store, int64_t agent_id,
                           struct kb_err *err) KB_MUST_CHECK;

/* The agent whose opening has been wanted for longest; 0: none. */
bool kb_store_opening_next(struct kb_store *store, int64_t *agent_id,
                           struct kb_err *err) KB_MUST_CHECK;
/* What was made of the documents of that version. */
bool kb_store_opening_put(struct kb_store *store, int64_t agent_id, int64_t index_version,
                          struct kb_sv content, struct kb_err *err) KB_MUST_CHECK;
/* It could not be made: again later. */
bool kb_store_opening_later(struct kb_store *store, int64_t agent_id,
                            struct kb_err *err) KB_MUST_CHECK;

/* Questions that three visitors or more have asked lately, in the same words, and got an answer to;
 * the most asked first. What fewer have asked might tell of them. */
bool kb_store_opening_asked(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                            struct kb_sv *out, size_t *count, struct kb_err *err) KB_MUST_CHECK;

#endif
