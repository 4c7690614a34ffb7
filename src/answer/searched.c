#include "answer/searched.h"

static struct kb_searched_by by_request(const struct kb_answer_request *request)
{
	const struct kb_settings *settings = request->settings;
	struct kb_searched_by by = {
		.agent_id = request->agent->id,
		.prompt = request->prompt,
		.turns = request->turns,
		.turn_count = request->turn_count,
		.passages = request->passages,
		.capability = kb_settings_capability(settings),
		.codes = kb_action_on(request, KB_ACTION_CODES, settings->is_hybrid_search.v),
	};

	kb_steps_planned(request, &by.parts);
	return by;
}

static bool is_same(const struct kb_searched_by *one, const struct kb_searched_by *two)
{
	return one->agent_id == two->agent_id && kb_sv_eq(one->prompt, two->prompt)
	       && one->turns == two->turns && one->turn_count == two->turn_count
	       && one->parts == two->parts && one->passages == two->passages
	       && one->capability == two->capability && one->codes == two->codes;
}

bool kb_searched_make(struct kb_answerer *answerer, struct kb_analyzer *analyzer,
                      const struct kb_answer_request *request, struct kb_searched *out,
                      struct kb_err *err)
{
	struct kb_answer_job job = { answerer, analyzer, &out->arena };

	out->by = by_request(request);
	return kb_steps_take(&job, request, &out->live, &out->steps, err);
}

bool kb_searched_take(const struct kb_answer_request *request, struct kb_live *live,
                      struct kb_steps *out)
{
	struct kb_searched *searched = request->searched;
	struct kb_searched_by by;

	if (!searched || !searched->steps.count || request->attached || request->search_count)
		return false;
	by = by_request(request);
	if (!is_same(&by, &searched->by))
		return false;
	*live = searched->live;
	*out = searched->steps;
	searched->live = (struct kb_live){ 0 };
	searched->steps = (struct kb_steps){ 0 };
	return true;
}

void kb_searched_fini(struct kb_searched *searched)
{
	kb_snapshot_release(searched->steps.searched);
	kb_live_release(&searched->live);
	kb_arena_fini(&searched->arena);
	*searched = (struct kb_searched){ 0 };
}
