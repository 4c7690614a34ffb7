#include "api/source_input.h"

#include "api/routes.h"
#include "out/link.h"
#include "settings/options.h"

enum { URL_CHARS = 2000, SOURCES_MAX = 1000 };

bool kb_source_input_url(struct kb_call *call, struct kb_sv *url, struct kb_err *err)
{
	struct kb_sv text = { 0 };
	struct kb_url parsed;

	if (!kb_inputs_text(&call->inputs, call->arena, "sitemap_path", URL_CHARS, &text, err))
		return false;
	text = kb_sv_trim(text);
	if (text.n == 0)
		return true;
	if (!kb_url_parse(call->arena, text, NULL, &parsed, err))
		return kb_fail(err, KB_E_INVALID, "sitemap_path must be an http or https address");
	if (!kb_url_is_web(&parsed))
		return kb_fail(err, KB_E_INVALID, "sitemap_path must be an http or https address");
	if (!kb_link_refuse_credentials(&parsed, "sitemap_path", err))
		return false;
	*url = kb_url_document(call->arena, &parsed);
	return true;
}

bool kb_source_input_merge(struct kb_call *call, struct kb_source_settings *settings,
                           struct kb_err *err)
{
	const char *name;

	for (size_t i = 0; (name = kb_source_setting_name(i)); i++) {
		const struct kb_api_input *input = kb_inputs_find(&call->inputs, name);
		const json_t *value = kb_inputs_json(&call->inputs, call->arena, name);

		if (input && input->kind == KB_INPUT_FILE)
			return kb_fail(err, KB_E_INVALID, "%s must not be a file", name);
		if (!value || json_is_null(value))
			continue;
		if (!kb_source_settings_set(settings, name, value, err))
			return false;
	}
	return kb_source_settings_check(settings, err);
}

bool kb_source_input_settings(struct kb_call *call, struct kb_source_settings *settings,
                              struct kb_err *err)
{
	kb_source_settings_read(call->arena, KB_SV(""), settings);
	return kb_source_input_merge(call, settings, err);
}

/* ---- labels ---- */

static bool has_labels(struct kb_call *call)
{
	return kb_inputs_json(&call->inputs, call->arena, "label_ids") != NULL;
}

bool kb_source_input_labels(struct kb_call *call, struct kb_source *source, bool *given,
                            struct kb_err *err)
{
	*given = has_labels(call);
	if (!*given)
		return true;
	if (!(call->plan->features & KB_FEATURE_LABELS))
		return kb_fail(err, KB_E_FORBIDDEN, "Requires the %s plan feature",
		               kb_feature_title(KB_FEATURE_LABELS));
	return kb_label_ids_read(call, &source->label_ids, &source->label_count, err);
}

bool kb_source_input_no_labels(struct kb_call *call, struct kb_err *err)
{
	return !has_labels(call)
	       || kb_fail(
	               err, KB_E_INVALID,
	               "label_ids are those of a source of an address; label files one by one, or "
	               "the source of all uploads");
}

static bool set_labels(void *arg, struct kb_arena *arena, struct kb_source *source,
                       struct kb_err *err)
{
	const struct kb_source *wanted = arg;

	(void)arena;
	(void)err;
	source->label_ids = wanted->label_ids;
	source->label_count = wanted->label_count;
	return true;
}

/* Of a source that is there already, before it brings anything new. */
static bool relabel(struct kb_call *call, int64_t id, struct kb_err *err)
{
	struct kb_source wanted = { 0 }, after;
	const struct kb_source_edit edit = {
		.agent_id = call->agent.id, .id = id, .change = set_labels, .arg = &wanted
	};
	bool given;

	return kb_source_input_labels(call, &wanted, &given, err)
	       && (!given
	           || kb_store_source_update(call->api->store, call->arena, &edit, &after, err));
}

/* ---- sources ---- */

bool kb_source_input_new(struct kb_call *call, struct kb_sv url, struct kb_source *source,
                         struct kb_page_new *page, bool *has_page, struct kb_err *err)
{
	int64_t now = kb_clock_now_us(call->api->clock);
	struct kb_source_settings settings;
	struct kb_sv stored = call->agent.options; /* of a new agent none */
	struct kb_agent_options options;
	const struct kb_source_kind *kind;
	bool given;

	if (!kb_source_input_settings(call, &settings, err)
	    || !kb_agent_read_options(call, call->arena, &stored, err))
		return false;
	kb_agent_options_read(call->arena, stored, &call->req->log, &options);
	kind = kb_source_kind(url, &settings, options.use_full_url_crawl);
	*source = (struct kb_source){
		.agent_id = call->agent.id,
		.url = url,
		.settings = kb_source_settings_text(call->arena, &settings),
		.status = KB_STATUS_QUEUED,
		.reason = KB_SV("waiting for its turn"),
		.due_at = now,
	};
	*page = (struct kb_page_new){ .url = url, .depth = kind->is_crawl };
	*has_page = kind->has_page;
	return kb_source_input_labels(call, source, &given, err);
}

/* The agent's source of that address, put in the queue; *found tells whether it has one. */
static bool read_again(struct kb_call *call, struct kb_sv url, struct kb_source *out, bool *found,
                       struct kb_err *err)
{
	struct kb_source_list sources;

	*found = false;
	if (!kb_store_source_list(call->api->store, call->arena, call->agent.id, &sources, err))
		return false;
	for (size_t i = 0; i < sources.count; i++)
		if (kb_sv_eq(sources.v[i].url, url)) {
			*found = true;
			return relabel(call, sources.v[i].id, err)
			       && kb_store_source_sync(
			               call->api->store, call->arena,
			               &(struct kb_source_sync){ .agent_id = call->agent.id,
			                                         .id = sources.v[i].id },
			               out, err);
		}
	return sources.count < SOURCES_MAX
	       || kb_fail(err, KB_E_INVALID, "the agent has %zu sources, the limit is %d",
	                  sources.count, SOURCES_MAX);
}

bool kb_source_input_take(struct kb_call *call, struct kb_sv url, struct kb_source *out,
                          struct kb_err *err)
{
	struct kb_page_new page;
	bool has_page, found, ok;

	if (!read_again(call, url, out, &found, err))
		return false;
	if (!found) {
		if (!kb_source_input_new(call, url, out, &page, &has_page, err))
			return false;
		ok = kb_store_source_add(call->api->store, out, has_page ? &page : NULL, err);
		/* Somebody was quicker. */
		if (!ok && (err->code != KB_E_CONFLICT || !read_again(call, url, out, &found, err)))
			return false;
	}
	kb_api_wake(call->api);
	return true;
}
