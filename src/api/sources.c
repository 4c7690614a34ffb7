/* Sources: the addresses an agent reads, and its uploads. */
#include <string.h>

#include "api/paths.h"
#include "api/reasons.h"
#include "api/routes.h"
#include "api/source_input.h"
#include "api/upload.h"
#include "crawl/kinds.h"
#include "out/link.h"
#include "settings/options.h"
#include "store/crawls.h"

enum {
	PAGES_SHOWN = 100, /* the newest of a source; GET pages has them all */
	PAGES_COUNTED = 10001,
	EXTENTS = 100, /* of so many sources of a list it is said how far they are */
};

/* Kinds of source that later revisions of the interface list, and Docent has none of. */
static const char *const absent[] = { "zapiers",    "confluences",   "youtubes",
	                              "vimeos",     "sharepoints",   "sharepoint_sites",
	                              "one_drives", "google_drives", "notions",
	                              "zendesks",   "hubspots" };

/* What an address was taken for, and how far its reading is; ours. */
struct extent {
	const char *kind;
	int64_t pages, waiting;
};

static const char *kind_of(struct kb_call *call, const struct kb_source *source)
{
	struct kb_source_settings settings;
	struct kb_agent_options options;

	kb_source_settings_read(call->arena, source->settings, &settings);
	kb_agent_options_read(call->arena, call->agent.options, &call->req->log, &options);
	return kb_source_kind(source->url, &settings, options.use_full_url_crawl)->name;
}

static bool read_extent(struct kb_call *call, const struct kb_source *source, struct extent *out,
                        struct kb_err *err)
{
	struct kb_store *store = call->api->store;

	out->kind = kind_of(call, source);
	return kb_store_crawl_pages(store, source->agent_id, source->id, PAGES_COUNTED, &out->pages,
	                            err)
	       && (source->status != KB_STATUS_QUEUED
	           || kb_store_crawl_waiting(store, source->agent_id, source->id, &out->waiting,
	                                     err));
}

/* pages: NULL for null. */
static void record(struct kb_call *call, struct kb_jw *jw, const struct kb_source *source,
                   const struct kb_page *pages, size_t count, const struct extent *extent)
{
	struct kb_sv url = kb_link_shown(call->arena, source->url);
	struct kb_reason reason = kb_reason_of_document(source->reason);
	struct kb_source_settings settings;

	kb_source_settings_read(call->arena, source->settings, &settings);
	kb_jw_object(jw);
	kb_jw_key_int(jw, "id", source->id);
	kb_jw_key_time(jw, "created_at", source->created_at);
	kb_jw_key_time(jw, "updated_at", source->updated_at);
	kb_jw_key_sv(jw, "type", source->type);
	kb_jw_key(jw, "settings");
	kb_jw_object(jw);
	kb_source_settings_write(&settings, jw);
	kb_jw_key_opt(jw, "sitemap_path", url.n ? url : (struct kb_sv){ 0 });
	kb_jw_end(jw);
	/* Our own: what its documents need to open, how its last reading went, and when the next
	 * one is. */
	kb_jw_key(jw, "label_ids");
	kb_jw_array(jw);
	for (size_t i = 0; i < source->label_count; i++)
		kb_jw_int(jw, source->label_ids[i]);
	kb_jw_end(jw);
	kb_jw_key_str(jw, "sync_status", kb_status_name(source->status));
	kb_jw_key_opt(jw, "sync_reason", source->reason.n ? source->reason : (struct kb_sv){ 0 });
	kb_reason_write(jw, &reason);
	kb_jw_key(jw, "synced_at");
	if (source->synced_at)
		kb_jw_time(jw, source->synced_at);
	else
		kb_jw_null(jw);
	kb_jw_key(jw, "next_sync_at");
	if (source->due_at && !source->is_read)
		kb_jw_time(jw, source->due_at);
	else
		kb_jw_null(jw);
	kb_jw_key_time_opt(jw, "review_at", source->review_at);
	kb_jw_key_bool(jw, "is_review_due",
	               source->review_at && source->review_at <= kb_clock_now_us(call->api->clock));
	if (extent) {
		kb_jw_key_str(jw, "kind", extent->kind);
		kb_jw_key_int(jw, "page_count", extent->pages);
		kb_jw_key_int(jw, "pages_waiting", extent->waiting);
	}
	kb_jw_key(jw, "pages");
	if (pages) {
		kb_jw_array(jw);
		for (size_t i = 0; i < count; i++)
			kb_record_page(call, jw, &pages[i]);
		kb_jw_end(jw);
	} else {
		kb_jw_null(jw);
	}
	kb_jw_end(jw);
}

/* The newest pages of the source. */
static bool pages_of(struct kb_call *call, const struct kb_source *source, int64_t limit,
                     struct kb_page_list *out, struct kb_err *err)
{
	if (!kb_store_source_pages(call->api->store, call->arena, source, limit, out, err))
		return false;
	if (!out->v)
		out->v = KB_NEW(call->arena, struct kb_page); /* none is a list too */
	return true;
}

bool kb_sources_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_source_list sources;
	struct kb_page_list *pages; /* a list a source */
	struct extent extents[EXTENTS] = { 0 };
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_source_list(call->api->store, call->arena, call->agent.id, &sources, err))
		return false;
	pages = KB_NEW_ARRAY(call->arena, sources.count, struct kb_page_list);
	for (size_t i = 0; i < sources.count; i++)
		if (sources.v[i].url.n == 0
		    && !pages_of(call, &sources.v[i], PAGES_SHOWN, &pages[i], err))
			return false;
	for (size_t i = 0; i < KB_MIN(sources.count, (size_t)EXTENTS); i++)
		if (sources.v[i].url.n && !read_extent(call, &sources.v[i], &extents[i], err))
			return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key(&jw, "sitemaps");
	kb_jw_array(&jw);
	for (size_t i = 0; i < sources.count; i++)
		if (sources.v[i].url.n)
			record(call, &jw, &sources.v[i], NULL, 0, i < EXTENTS ? &extents[i] : NULL);
	kb_jw_end(&jw);
	for (size_t i = 0; i < sources.count; i++)
		if (sources.v[i].url.n == 0) {
			kb_jw_key(&jw, "uploads");
			record(call, &jw, &sources.v[i], pages[i].v, pages[i].count, NULL);
		}
	for (size_t i = 0; i < KB_COUNTOF(absent); i++) {
		kb_jw_key(&jw, absent[i]);
		kb_jw_array(&jw);
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

static bool reply(struct kb_call *call, const struct kb_source *source, int64_t pages_shown,
                  struct kb_err *err)
{
	struct kb_page_list pages;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!pages_of(call, source, pages_shown, &pages, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	record(call, &jw, source, pages.v, pages.count, NULL);
	return kb_call_reply(call, 201, &buf, &jw, err);
}

static bool add_pages(struct kb_call *call, const struct kb_path_input *at,
                      struct kb_page_new *pages, size_t count, int64_t *first, struct kb_err *err)
{
	if (!at->path.n)
		return kb_store_pages_add(call->api->store, call->agent.id, pages, count, first,
		                          err);
	pages->path = at->path;
	pages->filename = at->filename;
	pages->meta_url = at->url;
	return kb_store_page_put(call->api->store, call->agent.id, pages, first, err);
}

static bool add_files(struct kb_call *call, const struct kb_uploads *uploads, struct kb_err *err)
{
	struct kb_source source;
	struct kb_path_input at;
	struct kb_page_new *pages;
	struct kb_page *added;
	struct kb_buf buf;
	struct kb_jw jw;
	size_t count;
	int64_t first;

	if (!kb_path_input(call, &at, err) || !kb_source_input_no_labels(call, err))
		return false;
	if (at.path.n && uploads->count != 1)
		return kb_fail(err, KB_E_INVALID, "path is of one file: send each by itself");
	if (!kb_uploads_take(call, uploads, &pages, &count, err)
	    || !kb_store_source_upload(call->api->store, call->arena, call->agent.id, &source, err)
	    || !add_pages(call, &at, pages, count, &first, err))
		return false;
	kb_api_wake(call->api);
	/* The new ones, in the order they were sent: clients take the first. */
	added = KB_NEW_ARRAY(call->arena, count, struct kb_page);
	for (size_t i = 0; i < count; i++)
		if (!kb_store_page_get(call->api->store, call->arena, call->agent.id,
		                       first + (int64_t)i, &added[i], err))
			return false;
	kb_call_begin(call, &buf, &jw);
	record(call, &jw, &source, added, count, NULL);
	return kb_call_reply(call, 201, &buf, &jw, err);
}

static bool add_address(struct kb_call *call, struct kb_sv url, struct kb_err *err)
{
	struct kb_source source;

	if (!kb_source_input_take(call, url, &source, err))
		return false;
	return reply(call, &source, PAGES_SHOWN, err);
}

/* The flags of an agent's creation are the agent's, whoever sends them. */
static bool set_options(void *arg, struct kb_arena *arena, struct kb_agent *agent,
                        struct kb_err *err)
{
	return kb_agent_read_options(arg, arena, &agent->options, err);
}

bool kb_sources_create(struct kb_call *call, struct kb_err *err)
{
	struct kb_uploads uploads;
	struct kb_agent after;
	struct kb_sv url = { 0 }, options = call->agent.options;
	struct kb_source_settings settings;

	kb_uploads_find(call, &uploads);
	if (!kb_source_input_url(call, &url, err))
		return false;
	if (uploads.count && url.n)
		return kb_fail(err, KB_E_INVALID,
		               "sitemap_path and files make two sources: send them one by one");
	if (!uploads.count && !url.n)
		return kb_fail(err, KB_E_INVALID, "Sitemap URL is empty");
	/* What is wrong with the rest is said before anything is kept. */
	if (!kb_agent_read_options(call, call->arena, &options, err)
	    || !kb_source_input_settings(call, &settings, err))
		return false;
	if (!kb_sv_eq(options, call->agent.options)
	    && !kb_store_agent_update(call->api->store, call->arena,
	                              &(struct kb_agent_edit){ .account_id = call->who.account,
	                                                       .id = call->agent.id,
	                                                       .change = set_options,
	                                                       .arg = call },
	                              &after, err))
		return false;
	return uploads.count ? add_files(call, &uploads, err) : add_address(call, url, err);
}

static bool source_not_found(int64_t id, struct kb_err *err)
{
	if (err->code == KB_E_NOT_FOUND)
		kb_fail(err, KB_E_NOT_FOUND, "Agent source with id %" PRId64 " not found", id);
	return false;
}

/* Runs inside the store's transaction, on the source as it is there. */
static bool change(void *arg, struct kb_arena *arena, struct kb_source *source, struct kb_err *err)
{
	struct kb_call *call = arg;
	int64_t now = kb_clock_now_us(call->api->clock);
	struct kb_source_settings settings;
	struct kb_sv url = { 0 };
	bool has_labels, has_review;

	if (!kb_source_input_labels(call, source, &has_labels, err)
	    || !kb_inputs_date(&call->inputs, arena, "review_at", &source->review_at, &has_review,
	                       err))
		return false;
	if (source->url.n == 0)
		return has_labels || has_review
		       || kb_fail(
		               err, KB_E_INVALID,
		               "the source of uploads reads no address: it has nothing to set but "
		               "label_ids and review_at");
	kb_source_settings_read(arena, source->settings, &settings);
	if (!kb_source_input_merge(call, &settings, err) || !kb_source_input_url(call, &url, err))
		return false;
	source->settings = kb_source_settings_text(arena, &settings);
	if (url.n && !kb_sv_eq(url, source->url)) {
		source->url = url;
		settings.is_list = false;
		source->settings = kb_source_settings_text(arena, &settings);
		source->status = KB_STATUS_QUEUED;
		source->reason = KB_SV("waiting for its turn");
		source->due_at = now;
	} else if (source->status != KB_STATUS_QUEUED) {
		source->due_at = kb_source_next(&settings, now);
	}
	return true;
}

bool kb_sources_update(struct kb_call *call, struct kb_err *err)
{
	struct kb_source source;
	int64_t id;

	if (!kb_call_id(call, 1, "Agent source", &id, err))
		return false;
	if (!kb_store_source_update(
	            call->api->store, call->arena,
	            &(struct kb_source_edit){
	                    .agent_id = call->agent.id, .id = id, .change = change, .arg = call },
	            &source, err))
		return source_not_found(id, err);
	kb_api_wake(call->api);
	return reply(call, &source, PAGES_SHOWN, err);
}

bool kb_sources_delete(struct kb_call *call, struct kb_err *err)
{
	int64_t id;

	if (!kb_call_id(call, 1, "Agent source", &id, err))
		return false;
	if (!kb_store_source_delete(call->api->store, call->agent.id, id, err))
		return source_not_found(id, err);
	kb_api_wake(call->api); /* its pages go in the background */
	return kb_call_reply_flag(call, 200, "deleted", err);
}

bool kb_sources_sync(struct kb_call *call, struct kb_err *err)
{
	struct kb_source source;
	int64_t id;

	if (!kb_call_id(call, 1, "Agent source", &id, err))
		return false;
	if (!kb_store_source_get(call->api->store, call->arena, call->agent.id, id, &source, err))
		return source_not_found(id, err);
	if (!(call->plan->features & KB_FEATURE_INSTANT_SYNC))
		return kb_fail(err, KB_E_FORBIDDEN, "Your plan not eligible for instant sync");
	if (!kb_store_source_sync(
	            call->api->store, call->arena,
	            &(struct kb_source_sync){ .agent_id = call->agent.id,
	                                      .id = id,
	                                      .min_interval_us =
	                                              call->plan->sync_interval_s * KB_SECOND_US },
	            &source, err))
		return source_not_found(id, err);
	kb_api_wake(call->api);
	return reply(call, &source, PAGES_SHOWN, err);
}
