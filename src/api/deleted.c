/* What was deleted and is kept for a while: listed, taken back, forgotten. */
#include "store/deleted.h"

#include "api/quota.h"
#include "api/routes.h"
#include "upkeep/takeback.h"

enum {
	ROWS = 25,
	AT_ONCE = 100, /* documents that are taken back in one request */
};

/* ---- documents ---- */

static void deleted_row(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i)
{
	const struct kb_deleted *row = (const struct kb_deleted *)rows + i;
	const struct kb_page *page = &row->page;

	(void)call;
	kb_jw_object(jw);
	kb_jw_key_int(jw, "id", page->id);
	kb_jw_key_sv(jw, "title", kb_page_title(page));
	kb_jw_key_int(jw, "source_id", page->source_id);
	kb_jw_key_opt(jw, "filename", page->filename.n ? page->filename : (struct kb_sv){ 0 });
	kb_jw_key_int(jw, "words", page->words);
	kb_jw_key_int(jw, "parts", row->parts);
	kb_jw_key_time(jw, "deleted_at", row->deleted_at);
	kb_jw_key_time(jw, "gone_at", row->gone_at);
	kb_jw_end(jw);
}

bool kb_deleted_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_list list = kb_call_list(call, ROWS);
	struct kb_deleted_list deleted;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_deleted_list(call->api->store, call->arena, call->agent.id, &list, &deleted,
	                           err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_call_paginate(call, &jw,
	                 &(struct kb_paginator){ .list = &list,
	                                         .total = deleted.total,
	                                         .count = deleted.count,
	                                         .rows = deleted.v,
	                                         .row = deleted_row });
	return kb_call_reply(call, 200, &buf, &jw, err);
}

static bool restore(struct kb_call *call, int64_t id, struct kb_err *err)
{
	const struct kb_api *api = call->api;
	const struct kb_repair_with with = { .store = api->store,
		                             .blobs = api->blobs,
		                             .catalog = api->catalog,
		                             .log = api->log,
		                             .temp_dir = api->temp_dir };

	return kb_limit_takeback(call, id, err) && kb_takeback_page(&with, call->agent.id, id, err);
}

bool kb_deleted_restore(struct kb_call *call, struct kb_err *err)
{
	int64_t id;

	if (!kb_call_id(call, 1, "Page", &id, err) || !restore(call, id, err))
		return false;
	kb_api_wake(call->api); /* it may wait to be read */
	return kb_call_reply_flag(call, 200, "restored", err);
}

/* It is not kept, something stands where it was, or the plan has no room for it. */
static bool cannot_come_back(const struct kb_err *err)
{
	return err->code == KB_E_NOT_FOUND || err->code == KB_E_CONFLICT
	       || err->code == KB_E_INVALID;
}

bool kb_deleted_restore_many(struct kb_call *call, struct kb_err *err)
{
	struct kb_input_ids ids = { .name = "page_ids", .max = AT_ONCE };
	int64_t done = 0;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_inputs_ids(&call->inputs, call->arena, &ids, err))
		return false;
	for (size_t i = 0; i < ids.count; i++) {
		struct kb_err why = { 0 };

		if (restore(call, ids.v[i], &why))
			done++;
		else if (!cannot_come_back(&why)) {
			*err = why;
			return false;
		}
	}
	kb_api_wake(call->api);
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "done", done);
	kb_jw_key_int(&jw, "skipped", (int64_t)ids.count - done);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_deleted_forget(struct kb_call *call, struct kb_err *err)
{
	int64_t id;

	return kb_call_id(call, 1, "Page", &id, err)
	       && kb_store_deleted_forget(call->api->store, call->agent.id, id, err)
	       && kb_call_reply_flag(call, 200, "deleted", err);
}

/* ---- agents: of those that one keeps ---- */

static bool keeps(const struct kb_call *call, int64_t id)
{
	return kb_principal_reaches(&call->who, id)
	       && kb_principal_is(&call->who, KB_ROLE_KEEPER, id, NULL);
}

bool kb_deleted_agents_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_deleted_agents agents;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_agents_deleted(call->api->store, call->arena, call->who.account, &agents,
	                             err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_array(&jw);
	for (size_t i = 0; i < agents.count; i++) {
		const struct kb_deleted_agent *agent = &agents.v[i];

		if (!keeps(call, agent->id))
			continue;
		kb_jw_object(&jw);
		kb_jw_key_int(&jw, "id", agent->id);
		kb_jw_key_sv(&jw, "project_name", agent->name);
		kb_jw_key_time(&jw, "deleted_at", agent->deleted_at);
		kb_jw_key_time(&jw, "gone_at", agent->gone_at);
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_deleted_agents_restore(struct kb_call *call, struct kb_err *err)
{
	int64_t id;

	if (!kb_call_id(call, 0, "Agent", &id, err))
		return false;
	if (!keeps(call, id))
		return kb_fail(err, KB_E_NOT_FOUND, "Agent with id %" PRId64 " not found", id);
	if (call->audit)
		call->audit->entry.agent_id = id;
	if (!kb_limit_agents(call, err)
	    || !kb_store_agent_take_back(call->api->store, call->who.account, id, err))
		return false;
	kb_api_wake(call->api);
	return kb_call_reply_flag(call, 200, "restored", err);
}
