#include "answer/answer.h"

#include "answer/answerer_impl.h"

const char *kb_answer_kind_name(enum kb_answer_kind kind)
{
	static const char *const names[KB_ANSWER_KINDS] = {
		[KB_ANSWER_QUOTES] = "quotes",       [KB_ANSWER_NONE] = "none",
		[KB_ANSWER_SMALLTALK] = "smalltalk", [KB_ANSWER_MODERATED] = "moderated",
		[KB_ANSWER_OVERVIEW] = "overview",   [KB_ANSWER_WRITTEN] = "written",
		[KB_ANSWER_FAILED] = "failed",
	};

	return names[kind];
}

enum kb_outcome kb_answer_outcome(const struct kb_answer *answer)
{
	switch (answer->kind) {
	case KB_ANSWER_NONE:
		return answer->closest.count ? KB_OUTCOME_CLOSEST : KB_OUTCOME_NOTHING;
	case KB_ANSWER_MODERATED:
	case KB_ANSWER_FAILED:
		return KB_OUTCOME_NOTHING;
	default:
		return KB_OUTCOME_ANSWER;
	}
}

struct kb_histogram *kb_answerer_search_times(struct kb_answerer *answerer)
{
	return &answerer->search_times;
}

void kb_answer_log(struct kb_answerer *answerer, const struct kb_answer_request *request,
                   const struct kb_answer *answer)
{
	kb_histogram_add(&answerer->search_times, answer->retrieve_us + answer->rank_us);
	kb_info(answerer->log,
	        "answered agent=%" PRId64 " kind=%s steps=%zu quotes=%zu retrieve_us=%" PRId64
	        " rank_us=%" PRId64 " outcome=%s",
	        request->agent->id, kb_answer_kind_name(answer->kind), answer->steps,
	        answer->quote_count, answer->retrieve_us, answer->rank_us,
	        kb_outcome_name(kb_answer_outcome(answer)));
}

void kb_answer_conflicts(struct kb_arena *arena, const struct kb_conflict_list *found,
                         struct kb_answer *answer)
{
	struct kb_stated_place *places;

	answer->conflicts = (struct kb_conflict_list){ 0 };
	if (!found->count)
		return;
	places = KB_NEW_ARRAY(arena, answer->quote_count, struct kb_stated_place);
	for (size_t i = 0; i < answer->quote_count; i++) {
		const struct kb_quote *quote = &answer->quotes[i];

		places[i] = (struct kb_stated_place){ quote->page_id, quote->offset,
			                              quote->length ? quote->length : quote->said };
	}
	kb_conflicts_said(arena, found, places, answer->quote_count, &answer->conflicts);
}
