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

void kb_answer_log(const struct kb_answerer *answerer, const struct kb_answer_request *request,
                   const struct kb_answer *answer)
{
	kb_info(answerer->log,
	        "answered agent=%" PRId64 " kind=%s steps=%zu quotes=%zu retrieve_us=%" PRId64
	        " rank_us=%" PRId64,
	        request->agent->id, kb_answer_kind_name(answer->kind), answer->steps,
	        answer->quote_count, answer->retrieve_us, answer->rank_us);
}
