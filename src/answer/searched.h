/*
 * What a search has found, for an answer to the same question that is made later in the same turn:
 * whoever picks one of a master's agents has searched in it, and it is not searched once more.
 *
 * Belongs to the request that it was found for, and to one thread at a time.
 */
#ifndef KB_ANSWER_SEARCHED_H
#define KB_ANSWER_SEARCHED_H

#include "answer/steps.h"

/* All of a request that tells two searches of one turn apart. */
struct kb_searched_by {
	int64_t agent_id;
	struct kb_sv prompt;
	const struct kb_sv *turns;
	size_t turn_count, parts, passages;
	enum kb_capability capability;
	bool codes;
};

struct kb_searched {
	struct kb_arena arena; /* of what the steps hold */
	struct kb_searched_by by;
	struct kb_live live;
	struct kb_steps steps; /* count 0: nothing is there, or it was taken */
};

/* As kb_steps_take(), with the arena of `out`, which is zeroed. */
bool kb_searched_make(struct kb_answerer *answerer, struct kb_analyzer *analyzer,
                      const struct kb_answer_request *request, struct kb_searched *out,
                      struct kb_err *err) KB_MUST_CHECK;
/* What the request's `searched` holds, where the request would search for the same: what is live
 * and the snapshot are the caller's then, the rest stays in the arena of `searched`. */
bool kb_searched_take(const struct kb_answer_request *request, struct kb_live *live,
                      struct kb_steps *out);
void kb_searched_fini(struct kb_searched *searched);

#endif
