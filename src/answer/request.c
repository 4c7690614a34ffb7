#include "answer/request.h"

static bool is_named(const struct kb_sv_list *list, const char *action)
{
	for (size_t i = 0; i < list->count; i++)
		if (kb_sv_eq_str(list->v[i], action))
			return true;
	return false;
}

bool kb_action_on(const struct kb_answer_request *request, const char *action, bool setting)
{
	return !is_named(&request->actions_disabled, action)
	       && (setting || is_named(&request->actions_enabled, action));
}
