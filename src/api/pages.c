/* Pages (documents): list, delete, reindex; the metadata a citation resolves to. */
#include <stdio.h>
#include <string.h>

#include "api/routes.h"
#include "crawl/source.h"
#include "out/link.h"

static void page_row(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i)
{
	kb_record_page(call, jw, (const struct kb_page *)rows + i);
}

/* crawl_status and index_status: missing, empty and "all" do not filter. */
static bool status_filter(struct kb_call *call, const char *name, int *out, struct kb_err *err)
{
	struct kb_sv text = kb_request_query(call->req, name);
	enum kb_status status;

	*out = -1;
	if (text.n == 0 || kb_sv_eq_str(text, "all"))
		return true;
	if (!kb_status_parse(text, &status))
		return kb_fail(err, KB_E_INVALID,
		               "%s must be all, ok, failed, n/a, queued or limited", name);
	*out = (int)status;
	return true;
}

bool kb_pages_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_page_filter filter = {
		.list = kb_call_list(call, 20),
		.search = kb_request_query(call->req, "search"),
	};
	struct kb_page_list pages;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!status_filter(call, "crawl_status", &filter.crawl, err)
	    || !status_filter(call, "index_status", &filter.index, err)
	    || !kb_store_page_list(call->api->store, call->arena, call->agent.id, &filter, &pages,
	                           err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key(&jw, "project");
	kb_record_agent(call, &jw, &call->agent, NULL);
	kb_jw_key(&jw, "pages");
	kb_call_paginate(call, &jw,
	                 &(struct kb_paginator){ .list = &filter.list,
	                                         .total = pages.total,
	                                         .count = pages.count,
	                                         .rows = pages.v,
	                                         .row = page_row });
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

static bool page_not_found(int64_t id, struct kb_err *err)
{
	if (err->code == KB_E_NOT_FOUND)
		kb_fail(err, KB_E_NOT_FOUND, "Page with id %" PRId64 " not found", id);
	return false;
}

bool kb_pages_delete(struct kb_call *call, struct kb_err *err)
{
	int64_t id;

	if (!kb_call_id(call, 1, "Page", &id, err))
		return false;
	if (!kb_store_page_delete(call->api->store, call->agent.id, id, err))
		return page_not_found(id, err);
	return kb_call_reply_flag(call, 200, "deleted", err);
}

static bool requeue(struct kb_call *call, int64_t id, struct kb_err *err)
{
	if (!kb_store_page_requeue(call->api->store, call->agent.id, id, err))
		return page_not_found(id, err);
	kb_api_wake(call->api);
	return kb_call_reply_flag(call, 200, "updated", err);
}

bool kb_pages_reindex(struct kb_call *call, struct kb_err *err)
{
	struct kb_source source;
	struct kb_page page;
	struct kb_source_settings settings;
	bool certain;
	int64_t id;

	if (!kb_call_id(call, 1, "Page", &id, err))
		return false;
	if (!kb_store_page_get(call->api->store, call->arena, call->agent.id, id, &page, err))
		return page_not_found(id, err);
	if (!kb_page_is_refreshable(&page))
		return kb_fail(err, KB_E_FORBIDDEN,
		               "The Document with the id %" PRId64 " couldn't have been updated",
		               id);
	if (page.is_ours)
		return requeue(call, id, err);
	/* The page that stands for a sitemap which could not be read: that is tried again. */
	if (!kb_store_source_get(call->api->store, call->arena, call->agent.id, page.source_id,
	                         &source, err))
		return false;
	kb_source_settings_read(call->arena, source.settings, &settings);
	if (kb_sv_eq(source.url, page.url)
	    && (kb_source_is_list(page.url, &certain) || settings.is_list)) {
		if (!kb_store_source_sync(
		            call->api->store, call->arena,
		            &(struct kb_source_sync){ .agent_id = call->agent.id, .id = source.id },
		            &source, err))
			return false;
		kb_api_wake(call->api);
		return kb_call_reply_flag(call, 200, "updated", err);
	}
	return requeue(call, id, err);
}

/* ---- metadata ---- */

static bool reply_metadata(struct kb_call *call, const struct kb_page *page, struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_call_begin(call, &buf, &jw);
	kb_record_metadata(call, &jw, page);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* Leaves *out alone when the field is missing; null and an empty text give the empty text, which
 * takes the owner's word away. */
static bool read_metadata(struct kb_call *call, const char *name, size_t max_chars,
                          struct kb_sv *out, struct kb_err *err)
{
	struct kb_sv text = { 0 };

	if (!kb_inputs_find(&call->inputs, name))
		return true;
	if (!kb_inputs_text(&call->inputs, call->arena, name, max_chars, &text, err))
		return false;
	*out = text.p ? kb_sv_trim(text) : KB_SV("");
	return true;
}

bool kb_metadata_update(struct kb_call *call, struct kb_err *err)
{
	enum { TITLE_MAX = 255, URL_MAX = 2000, DESCRIPTION_MAX = 500 };
	struct kb_page_metadata given = { .agent_id = call->agent.id };
	struct kb_page page;
	int64_t id;

	if (!kb_call_id(call, 1, "Page", &id, err))
		return false;
	given.page_id = id;
	if (!kb_store_page_get(call->api->store, call->arena, call->agent.id, id, &page, err))
		return page_not_found(id, err);
	if (!read_metadata(call, "title", TITLE_MAX, &given.title, err)
	    || !read_metadata(call, "url", URL_MAX, &given.url, err)
	    || !read_metadata(call, "description", DESCRIPTION_MAX, &given.description, err)
	    || !read_metadata(call, "image", URL_MAX, &given.image, err)
	    || !kb_inputs_date(&call->inputs, call->arena, "review_at", &given.review_at,
	                       &given.has_review, err))
		return false;
	if (given.url.n && !kb_link_is_plain(call->arena, given.url))
		return kb_fail(err, KB_E_INVALID, "Url must be valid url.");
	if (given.image.n && !kb_link_is_plain(call->arena, given.image))
		return kb_fail(err, KB_E_INVALID, "Image must be valid url.");
	if (!kb_store_page_set_metadata(call->api->store, call->arena, &given, &page, err))
		return page_not_found(id, err);
	return reply_metadata(call, &page, err);
}

bool kb_call_cited_page(struct kb_call *call, struct kb_page *out, struct kb_err *err)
{
	const int64_t *children;
	size_t count;
	int64_t id;

	if (!kb_call_id(call, 1, "Page", &id, err))
		return false;
	if (kb_store_page_get(call->api->store, call->arena, call->agent.id, id, out, err))
		return kb_call_opens(call, out, err);
	children = kb_agent_children(call->arena, &call->agent, &count);
	for (size_t i = 0; err->code == KB_E_NOT_FOUND && i < count; i++)
		if (kb_store_page_get(call->api->store, call->arena, children[i], id, out, err))
			return kb_call_opens(call, out, err);
	return page_not_found(id, err);
}

/* A citation's id is its document's. */
bool kb_citations_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_page page;

	return kb_call_cited_page(call, &page, err) && reply_metadata(call, &page, err);
}

bool kb_metadata_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_page page;
	int64_t id;

	if (!kb_call_id(call, 1, "Page", &id, err))
		return false;
	if (!kb_store_page_get(call->api->store, call->arena, call->agent.id, id, &page, err))
		return page_not_found(id, err);
	return kb_call_opens(call, &page, err) && reply_metadata(call, &page, err);
}
