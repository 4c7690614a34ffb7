#include "answer/request.h"

#include "base/utf8.h"
#include "store/accounts.h"

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

bool kb_answer_asker(struct kb_store *store, struct kb_arena *arena,
                     const struct kb_answer_request *request, struct kb_sv *name,
                     struct kb_err *err)
{
	struct kb_account account = { .name = request->asker };

	*name = KB_SV("");
	if (!request->settings->user_awareness)
		return true;
	if (request->account_id
	    && !kb_store_account_get(store, arena, request->account_id, &account, err)) {
		if (err->code != KB_E_NOT_FOUND)
			return false;
		*err = (struct kb_err){ 0 }; /* deleted meanwhile */
		return true;
	}
	if (!request->account_id || !kb_sv_eq_str(account.name, KB_ACCOUNT_DEFAULT))
		*name = kb_utf8_line(arena, account.name, KB_ASKER_CHARS);
	return true;
}
