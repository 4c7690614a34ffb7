/* Agents: create, list, read, update, delete, statistics. */
#include <string.h>

#include "api/audit.h"
#include "api/quota.h"
#include "api/ready.h"
#include "api/routes.h"
#include "api/source_input.h"
#include "api/upload.h"
#include "base/utf8.h"
#include "settings/options.h"
#include "store/agent_new.h"

enum {
	NAME_CHARS = 255,
	FAST_BYTES = 8 << 10, /* of settings and options that a loop thread may parse */
};

/* One option of the request, into its place. */
static bool read_option(struct kb_call *call, const struct kb_setting *field, void *place,
                        struct kb_err *err)
{
	enum { WORD_CHARS = 40 };
	const struct kb_api_input *input = kb_inputs_find(&call->inputs, field->name);
	struct kb_sv text = { 0 };
	bool flag = false;

	if (!input || input->kind == KB_INPUT_NULL)
		return true;
	if (field->type == KB_FIELD_BOOL)
		return kb_inputs_bool(&call->inputs, field->name, place, err);
	if (field->type == KB_FIELD_INT) {
		/* older clients send false and true for 0 and 1 */
		if (input->kind == KB_INPUT_BOOL)
			*(int64_t *)place = input->flag;
		else if (input->kind == KB_INPUT_TEXT && kb_text_to_bool(input->text, &flag))
			*(int64_t *)place = flag;
		else
			return kb_inputs_int(&call->inputs, field->name, field->min, field->max,
			                     place, err);
		return true;
	}
	if (!kb_inputs_text(&call->inputs, call->arena, field->name, WORD_CHARS, &text, err))
		return false;
	for (const char *const *choice = field->choices; *choice; choice++) {
		if (kb_sv_eq_str(text, *choice)) {
			*(struct kb_sv *)place = kb_sv_str(*choice);
			return true;
		}
	}
	text = kb_sv_str(field->choices[0]);
	for (const char *const *choice = field->choices + 1; *choice; choice++)
		text = kb_arena_printf(call->arena, "%.*s or %s", KB_SV_ARG(text), *choice);
	return kb_fail(err, KB_E_INVALID, "%s must be %.*s", field->name, KB_SV_ARG(text));
}

bool kb_agent_read_options(struct kb_call *call, struct kb_arena *arena, struct kb_sv *stored,
                           struct kb_err *err)
{
	struct kb_agent_options options;
	size_t count;
	const struct kb_setting *fields = kb_agent_options_fields(&count);

	kb_agent_options_read(arena, *stored, &call->req->log, &options);
	for (size_t i = 0; i < count; i++)
		if (!read_option(call, &fields[i], (char *)&options + fields[i].offset, err))
			return false;
	*stored = kb_agent_options_text(arena, &options);
	return true;
}

void kb_agent_write_options(struct kb_call *call, struct kb_jw *jw, const struct kb_agent *agent)
{
	struct kb_agent_options options;
	struct kb_settings settings;

	kb_agent_options_read(call->arena, agent->options, &call->req->log, &options);
	kb_agent_options_write(&options, jw);
	/* What was sent at the creation is a setting since. */
	if (!kb_settings_read(call->arena, agent->settings, &settings, NULL))
		kb_settings_defaults(&settings);
	kb_jw_key_bool(jw, "use_planner_mode", settings.use_planner_mode.v);
}

/* sitemap_path of the request: left alone when missing or null. *url is its one name. */
static bool read_sitemap(struct kb_call *call, bool has_files, struct kb_agent *agent,
                         struct kb_sv *url, struct kb_err *err)
{
	const struct kb_api_input *input = kb_inputs_find(&call->inputs, "sitemap_path");
	bool certain;

	*url = (struct kb_sv){ 0 };
	if (!input || input->kind == KB_INPUT_NULL)
		return true;
	if (!kb_source_input_url(call, url, err))
		return false;
	if (url->n == 0) {
		/* Typed clients send the field empty beside files. */
		return has_files || kb_fail(err, KB_E_INVALID, "Sitemap path can't be empty");
	}
	agent->sitemap_path = kb_sv_trim(input->kind == KB_INPUT_TEXT ? input->text : *url);
	agent->type = kb_source_is_list(*url, &certain) ? KB_SV("SITEMAP") : KB_SV("URL");
	return true;
}

static bool read_name(struct kb_call *call, bool required, struct kb_agent *agent,
                      struct kb_err *err)
{
	struct kb_sv name = { 0 };

	if (!kb_inputs_text(&call->inputs, call->arena, "project_name", NAME_CHARS, &name, err))
		return false;
	if (name.p)
		name = kb_sv_trim(name);
	if (name.n == 0 && (required || name.p))
		return kb_fail(err, KB_E_INVALID, "Agent name can't be empty");
	if (name.n)
		agent->name = name;
	return true;
}

bool kb_agents_create(struct kb_call *call, struct kb_err *err)
{
	struct kb_agent agent = {
		.account_id = call->who.account,
		.type = KB_SV("SITEMAP"),
	};
	struct kb_uploads uploads;
	struct kb_source source;
	struct kb_page_new *pages;
	struct kb_sv url;
	size_t count;
	int64_t first;
	struct kb_buf buf;
	struct kb_jw jw;
	bool planner = false, has_page = false;

	if (!kb_limit_agents(call, err) || !read_name(call, true, &agent, err))
		return false;
	kb_uploads_find(call, &uploads);
	if (!read_sitemap(call, uploads.count > 0, &agent, &url, err)
	    || !kb_inputs_bool(&call->inputs, "is_master", &agent.is_master, err)
	    || !kb_inputs_bool(&call->inputs, "use_planner_mode", &planner, err)
	    || !kb_agent_read_options(call, call->arena, &agent.options, err)
	    || (uploads.count && !kb_source_input_no_labels(call, err))
	    || !kb_uploads_take(call, &uploads, &pages, &count, err))
		return false;
	if (url.n) {
		if (!kb_source_input_new(call, url, &source, &pages[count], &has_page, err))
			return false;
		count += has_page;
	}
	if (planner)
		agent.settings = KB_SV("{\"use_planner_mode\":true}");
	if (!kb_store_agent_create_with_pages(
	            call->api->store, &agent,
	            &(struct kb_agent_start){
	                    .source = url.n ? &source : NULL, .pages = pages, .page_count = count },
	            &first, err))
		return false;
	if (count || url.n)
		kb_api_wake(call->api);
	kb_notes_wake(call->api->notes);
	kb_call_begin(call, &buf, &jw);
	kb_record_agent(call, &jw, &agent, NULL);
	return kb_call_reply(call, 201, &buf, &jw, err);
}

static void agent_row(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i)
{
	kb_record_agent(call, jw, (const struct kb_agent *)rows + i, NULL);
}

bool kb_agents_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_agent_filter filter = {
		.list = kb_call_list(call, 10),
		.name = kb_request_query(call->req, "name"),
		.by_created_at = kb_sv_eq_str(kb_request_query(call->req, "orderBy"), "created_at"),
		.only = call->who.agents,
		.only_count = call->who.agent_count,
	};
	struct kb_sv duration = kb_request_query(call->req, "duration");
	struct kb_agent_list agents;
	int64_t days;
	struct kb_buf buf;
	struct kb_jw jw;

	if (duration.n && kb_sv_to_int(duration, 1, 100000, &days))
		filter.created_after = kb_clock_now_us(call->api->clock) - days * KB_DAY_US;
	if (!kb_store_agent_list(call->api->store, call->arena, call->who.account, &filter, &agents,
	                         err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_call_paginate(call, &jw,
	                 &(struct kb_paginator){ .list = &filter.list,
	                                         .total = agents.total,
	                                         .count = agents.count,
	                                         .rows = agents.v,
	                                         .row = agent_row });
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* ready: what of it can be found by meaning; NULL: it is not said. */
static bool reply_agent(struct kb_call *call, const struct kb_agent *agent,
                        const struct kb_ready *ready, struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_call_begin(call, &buf, &jw);
	kb_record_agent(call, &jw, agent, ready);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_agents_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_ready ready;

	return kb_ready_read(call->api, call->agent.id, call->agent.index_version, &ready, err)
	       && reply_agent(call, &call->agent, &ready, err);
}

/* One id of child_project_ids, added unless it is there. */
static bool add_child(int64_t *ids, size_t *count, int64_t id, struct kb_err *err)
{
	for (size_t i = 0; i < *count; i++)
		if (ids[i] == id)
			return true;
	if (*count == KB_CHILDREN_MAX)
		return kb_fail(err, KB_E_INVALID,
		               "child_project_ids names more than %d agents, which is the limit",
		               KB_CHILDREN_MAX);
	ids[(*count)++] = id;
	return true;
}

/* An id, or a text of ids with commas between. */
static bool add_children(int64_t *ids, size_t *count, const json_t *value, struct kb_err *err)
{
	struct kb_sv rest = KB_SV(""), word;
	int64_t id;

	if (json_is_integer(value) && json_integer_value(value) > 0)
		return add_child(ids, count, json_integer_value(value), err);
	if (!json_is_string(value))
		return kb_fail(err, KB_E_INVALID, "child_project_ids must be ids of agents");
	rest = kb_sv(json_string_value(value), json_string_length(value));
	while (rest.n > 0 && kb_sv_split(&rest, ',', &word)) {
		word = kb_sv_trim(word);
		if (word.n == 0)
			continue;
		if (!kb_sv_to_int(word, 1, INT64_MAX, &id))
			return kb_fail(err, KB_E_INVALID,
			               "child_project_ids must be ids of agents");
		if (!add_child(ids, count, id, err))
			return false;
	}
	return true;
}

/* A key that is limited to some agents reaches no other through a master: it may keep the children
 * that are there, and add those of its own. */
static bool check_children(struct kb_call *call, const struct kb_agent *agent, const int64_t *ids,
                           size_t count, struct kb_err *err)
{
	size_t old_count;
	const int64_t *old = kb_agent_children(call->arena, agent, &old_count);

	for (size_t i = 0; i < count; i++) {
		bool known = kb_principal_reaches(&call->who, ids[i])
		             && kb_principal_is(&call->who, KB_ROLE_KEEPER, ids[i], NULL);

		for (size_t j = 0; j < old_count && !known; j++)
			known = old[j] == ids[i];
		if (!known)
			return kb_fail(err, KB_E_INVALID,
			               "child_project_ids: %" PRId64 " is no agent of this key",
			               ids[i]);
	}
	return true;
}

/* child_project_ids, in every form that a list of numbers comes in; null and an empty one take all
 * children away. Whether they may be children, the store says. */
static bool read_children(struct kb_call *call, struct kb_arena *arena, struct kb_agent *agent,
                          struct kb_err *err)
{
	const json_t *value = kb_inputs_json(&call->inputs, arena, "child_project_ids"), *item;
	int64_t ids[KB_CHILDREN_MAX];
	size_t count = 0, i;

	if (!value)
		return true;
	if (json_is_array(value)) {
		json_array_foreach(value, i, item)
		{
			if (!add_children(ids, &count, item, err))
				return false;
		}
	} else if (!json_is_null(value) && !add_children(ids, &count, value, err)) {
		return false;
	}
	if (!check_children(call, agent, ids, count, err))
		return false;
	agent->children = kb_agent_children_text(arena, ids, count);
	return true;
}

struct update {
	struct kb_call *call;
	bool has_files;
};

/* Runs inside the store's transaction, on the agent as it is there. */
static bool apply_update(void *arg, struct kb_arena *arena, struct kb_agent *agent,
                         struct kb_err *err)
{
	const struct update *update = arg;
	struct kb_call *call = update->call;
	bool was_shared = agent->is_shared;
	struct kb_sv url;

	if (!read_name(call, false, agent, err)
	    || !read_sitemap(call, update->has_files, agent, &url, err)
	    || !kb_inputs_bool(&call->inputs, "is_shared", &agent->is_shared, err)
	    || !kb_inputs_bool(&call->inputs, "are_licenses_allowed", &agent->are_licenses_allowed,
	                       err)
	    || !read_children(call, arena, agent, err)
	    || !kb_agent_read_options(call, arena, &agent->options, err))
		return false;
	if (agent->is_shared && !was_shared) {
		/* A fresh address each time: a link that was closed stays closed. */
		unsigned char bytes[16];
		char *slug = kb_arena_bytes(arena, 2 * sizeof(bytes) + 1);

		kb_random(bytes, sizeof(bytes));
		kb_hex(bytes, sizeof(bytes), slug);
		agent->shareable_slug = kb_sv(slug, 2 * sizeof(bytes));
	}
	return true;
}

/* How the agent is before it changes, for what is kept of that. */
static void note_before(struct kb_call *call)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, KB_MIB(1));
	kb_jw_init(&jw, &buf);
	kb_record_agent(call, &jw, &call->agent, NULL);
	kb_call_audit_before(call, kb_buf_view(&buf));
	kb_buf_fini(&buf);
}

bool kb_agents_update(struct kb_call *call, struct kb_err *err)
{
	struct kb_agent before = call->agent, after;
	struct update update = { .call = call };
	struct kb_source_settings settings;
	struct kb_uploads uploads;
	struct kb_source source;
	struct kb_page_new *pages;
	struct kb_sv url;
	size_t count;
	int64_t first;

	note_before(call);
	kb_uploads_find(call, &uploads);
	update.has_files = uploads.count > 0;
	/* The files are taken before the row changes: what fails, fails before anything is written.
	 */
	if (!read_sitemap(call, update.has_files, &call->agent, &url, err)
	    || !kb_source_input_settings(call, &settings, err)
	    || (uploads.count && !kb_source_input_no_labels(call, err))
	    || !kb_uploads_take(call, &uploads, &pages, &count, err)
	    || !kb_store_agent_update(call->api->store, call->arena,
	                              &(struct kb_agent_edit){ .account_id = call->who.account,
	                                                       .id = before.id,
	                                                       .change = apply_update,
	                                                       .arg = &update },
	                              &after, err))
		return false;
	/* The address it has already is no new document. */
	if (url.n && !kb_sv_eq(after.sitemap_path, before.sitemap_path)
	    && !kb_source_input_take(call, url, &source, err))
		return false;
	if (count) {
		if (!kb_store_pages_add(call->api->store, before.id, pages, count, &first, err))
			return false;
		kb_api_wake(call->api);
	}
	return reply_agent(call, &after, NULL, err);
}

bool kb_agents_delete(struct kb_call *call, struct kb_err *err)
{
	if (!kb_store_agent_delete(call->api->store, call->who.account, call->agent.id, err))
		return false;
	kb_write_cancel(call->api->writer, call->agent.id, kb_sv(NULL, 0));
	kb_catalog_forget(call->api->catalog, call->agent.id);
	kb_api_wake(call->api); /* its rows go in the background */
	return kb_call_reply_flag(call, 200, "deleted", err);
}

/* A copy's name: the original's with a word behind it, cut where it grows too long. */
static struct kb_sv copy_name(struct kb_arena *arena, struct kb_sv name)
{
	static const char word[] = " (copy)";

	return kb_arena_printf(arena, "%.*s%s",
	                       KB_SV_ARG(kb_utf8_head(name, NAME_CHARS - (sizeof(word) - 1))),
	                       word);
}

bool kb_agents_replicate(struct kb_call *call, struct kb_err *err)
{
	struct kb_agent copy;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_limit_agents(call, err) || !kb_limit_copy(call, err)
	    || !kb_store_agent_replicate(
	            call->api->store, call->arena,
	            &(struct kb_agent_copy){ .account_id = call->who.account,
	                                     .id = call->agent.id,
	                                     .name = copy_name(call->arena, call->agent.name) },
	            &copy, err))
		return false;
	/* Documents that waited in the original wait in the copy, and so do notes. */
	kb_api_wake(call->api);
	kb_notes_wake(call->api->notes);
	kb_call_begin(call, &buf, &jw);
	kb_record_agent(call, &jw, &copy, NULL);
	return kb_call_reply(call, 201, &buf, &jw, err);
}

bool kb_agents_stats(struct kb_call *call, struct kb_err *err)
{
	struct kb_agent_stats stats;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_agent_stats(call->api->store, call->agent.id, &stats, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "pages_found", stats.pages_found);
	kb_jw_key_int(&jw, "pages_crawled", stats.pages_crawled);
	kb_jw_key_int(&jw, "pages_indexed", stats.pages_indexed);
	kb_jw_key_int(&jw, "crawl_credits_used", stats.crawl_credits);
	kb_jw_key_int(&jw, "query_credits_used", stats.query_credits);
	kb_jw_key_int(&jw, "total_queries", stats.queries);
	kb_jw_key_int(&jw, "total_words_indexed", stats.words_indexed);
	kb_jw_key_int(&jw, "total_storage_credits_used", stats.storage_bytes);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_agents_warm(struct kb_call *call, struct kb_err *err)
{
	int64_t began = kb_clock_mono_us();
	struct kb_live live;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_catalog_get(call->api->catalog, call->agent.id, &live, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "passages", kb_snapshot_passages(live.snapshot));
	kb_jw_key_int(&jw, "took_ms", (kb_clock_mono_us() - began) / 1000);
	kb_jw_end(&jw);
	kb_live_release(&live);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* The commonest small read, answered on the loop thread when key and agent are in memory. */
bool kb_agents_read_fast(struct kb_request *req)
{
	struct kb_call call = {
		.api = req->app, .req = req, .arena = req->arena, .row = req->route->app
	};
	struct kb_ready ready;
	struct kb_key key;
	struct kb_err err;
	int64_t id;

	if (!kb_sv_to_int(req->params[0], 1, INT64_MAX, &id)
	    || !kb_store_peek_key(call.api->store, call.arena, kb_request_bearer(req), &key))
		return false;
	/* Who a person is, the store has to be asked. */
	if (key.person_id || !kb_call_by_key(&call, &key, &err) || call.who.agent_count
	    || call.plan->rate_per_second
	    || !kb_store_peek_agent(call.api->store, call.arena, call.who.account, id, &call.agent)
	    || call.agent.settings.n + call.agent.options.n > FAST_BYTES
	    || !kb_ready_peek(call.api, id, call.agent.index_version, &ready))
		return false;
	return reply_agent(&call, &call.agent, &ready, &err);
}
