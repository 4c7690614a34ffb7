/* Which of a master's agents a question is for. */
#include "answer/answer.h"
#include "answer/answerer_impl.h"
#include "answer/smalltalk.h"
#include "answer/steps.h"

/* Whether the agent's documents answer, and how surely. */
struct verdict {
	bool answers;
	double confidence;
};

static bool try_agent(const struct kb_answer_job *job, const struct kb_answer_request *question,
                      const struct kb_agent *agent, struct verdict *out, struct kb_err *err)
{
	struct kb_answer_request request = *question;
	struct kb_steps steps = { 0 };
	struct kb_view view = { 0 };
	bool ok;

	*out = (struct verdict){ 0 };
	request.agent = agent;
	request.attached = NULL;
	ok = kb_steps_take(job, &request, &view, &steps, err);
	if (ok) {
		for (size_t i = 0; i < steps.count; i++)
			out->answers = out->answers || steps.v[i].part_count > 0;
		out->confidence = steps.confidence;
	} else if (err->code == KB_E_NOT_FOUND) {
		ok = true;
	}
	kb_snapshot_release(steps.searched);
	kb_view_release(&view);
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
		struct kb_arena arena = { 0 };
		struct kb_answer_job job = { answerer, analyzer, &arena };
		struct verdict verdict;

		ok = try_agent(&job, request, &agents[i], &verdict, err);
		if (ok && verdict.answers && (*best < 0 || verdict.confidence > highest)) {
			*best = (ptrdiff_t)i;
			highest = verdict.confidence;
		}
		kb_arena_fini(&arena);
	}
	kb_analyzer_give_back(answerer, analyzer);
	return ok;
}
