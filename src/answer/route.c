/* Which of a master's agents a question is for. */
#include "answer/answer.h"
#include "answer/answerer_impl.h"
#include "answer/smalltalk.h"
#include "answer/steps.h"

/* Whether the agent's documents answer, and how surely. */
static bool try_agent(struct kb_answerer *answerer, struct kb_analyzer *analyzer,
                      const struct kb_answer_request *question, const struct kb_agent *agent,
                      bool *answers, double *confidence, struct kb_err *err)
{
	struct kb_answer_request request = *question;
	struct kb_arena arena = { 0 };
	struct kb_steps steps = { 0 };
	struct kb_view view = { 0 };
	bool ok;

	request.agent = agent;
	request.attached = NULL;
	ok = kb_catalog_get(answerer->catalog, agent->id, &view, err)
	     && (kb_steps_take(answerer, analyzer, &arena, &request, &view, &steps, err)
	         || (kb_catalog_reopen(answerer->catalog, agent->id, &view, err)
	             && kb_steps_take(answerer, analyzer, &arena, &request, &view, &steps, err)));
	*answers = false;
	if (ok) {
		for (size_t i = 0; i < steps.count; i++)
			*answers = *answers || steps.v[i].part_count > 0;
		*confidence = steps.confidence;
	} else if (err->code == KB_E_NOT_FOUND) {
		ok = true;
	}
	kb_view_release(&view);
	kb_arena_fini(&arena);
	return ok;
}

bool kb_answer_route(struct kb_answerer *answerer, const struct kb_answer_request *request,
                     const struct kb_agent *agents, size_t count, ptrdiff_t *best,
                     struct kb_err *err)
{
	struct kb_analyzer *analyzer;
	enum kb_lang lang;
	double highest = 0;
	bool ok = true;

	*best = -1;
	if (kb_smalltalk(request->prompt, KB_LANG_NONE, &lang) != KB_TALK_NONE)
		return true;
	analyzer = kb_analyzer_borrow(answerer);
	for (size_t i = 0; ok && i < count; i++) {
		double confidence = 0;
		bool answers;

		ok = try_agent(answerer, analyzer, request, &agents[i], &answers, &confidence, err);
		if (ok && answers && (*best < 0 || confidence > highest)) {
			*best = (ptrdiff_t)i;
			highest = confidence;
		}
	}
	kb_analyzer_give_back(answerer, analyzer);
	return ok;
}
