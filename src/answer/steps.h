/*
 * The searches of one answer: the question, or its parts one by one, each retrieved and ranked.
 *
 * Planner mode and the higher agent_capability values take a question apart (plan.h); else there is
 * one step. Of a question that compares two things (compare.h), and whose answer does not speak of
 * both, each side is a step too, unless the documents lack its words. All steps read the same
 * snapshot. Belongs to a worker, as the answer does.
 */
#ifndef KB_ANSWER_STEPS_H
#define KB_ANSWER_STEPS_H

#include "answer/answerer_impl.h"
#include "answer/conflict.h"
#include "answer/evidence.h"
#include "answer/named.h"
#include "answer/parts.h"
#include "answer/plan.h"
#include "answer/request.h"

/* The question, or a part of it, with what was found for it. */
struct kb_answer_step {
	struct kb_question question;
	struct kb_candidate *candidates;
	size_t candidate_count;
	struct kb_nearness nearness;
	size_t with_code; /* so many first ones hold a code of the question (is_hybrid_search) */
	/* What the question names, and whether the candidates hold it: where they do, those that
	 * must not answer are no candidates any more; where they lack it, nothing answers. */
	struct kb_named_things named;
	enum kb_named_verdict verdict;
	struct kb_selection selection;
	/* None where the gate closed. So many more candidates stand behind the others, in which the
	 * rest of a list is that is said (joined.h). */
	struct kb_answer_part *parts;
	size_t joined_count;
	size_t part_count;
	struct kb_conflict_list conflicts; /* what documents say otherwise; of all that was found */
	struct kb_sv missing; /* the side of a comparison that no passage speaks of; its text */
};

struct kb_steps {
	struct kb_answer_step v[KB_PLAN_PARTS_MAX + 1];
	size_t count, sides;          /* sides: so many last ones are of what is compared */
	struct kb_snapshot *searched; /* what the request may find; the caller releases it */
	double confidence;            /* of the surest */
	int64_t retrieve_us, rank_us;
};

/* Whether agents of that agent_capability have a reranker judge what was found, if there is one. */
bool kb_capability_is_judged(enum kb_capability capability);

/* Whether the request's question is planned, and into how many searches at most. */
bool kb_steps_planned(const struct kb_answer_request *request, size_t *max);

/* Of the request's agent as it is now; a damaged file is checked and left out (catalog.h). *live is
 * what was searched; it is zeroed at first, and the caller releases it, after a failure too. */
bool kb_steps_take(const struct kb_answer_job *job, const struct kb_answer_request *request,
                   struct kb_live *live, struct kb_steps *out, struct kb_err *err) KB_MUST_CHECK;
/* The same in what is open already; `searched` stays empty. */
bool kb_steps_search(const struct kb_answer_job *job, const struct kb_answer_request *request,
                     struct kb_snapshot *snapshot, struct kb_steps *out,
                     struct kb_err *err) KB_MUST_CHECK;

/* What documents say otherwise, of all steps: nothing where the agent tells no citations, and no
 * titles, which may be names of files, where it hides its sources. */
void kb_steps_conflicts(struct kb_arena *arena, const struct kb_steps *steps,
                        const struct kb_settings *settings, struct kb_conflict_list *out);

#endif
