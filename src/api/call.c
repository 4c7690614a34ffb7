/* The one way from a request to its handler: key, agent, body; and lists. Back: reply.c. */
#include <string.h>

#include "api/quota.h"
#include "api/routes.h"
#include "api/schema.h"
#include "api/session.h"
#include "store/nodes.h"
#include "store/signins.h"
#include "upstream/moderation.h"

enum { LIST_MAX = 100 };

static struct kb_api *api_of(const struct kb_request *req)
{
	return req->app;
}

static const struct kb_api_route *row_of(const struct kb_request *req)
{
	return req->route ? req->route->app : NULL;
}

struct kb_sv kb_call_base_url(struct kb_call *call)
{
	struct kb_sv host = call->req->host;

	if (call->api->public_url)
		return kb_sv_str(call->api->public_url);
	return kb_arena_printf(call->arena, "%s://%.*s", call->req->tls ? "https" : "http",
	                       KB_SV_ARG(host));
}

/* Whose an answer is (the request's owner): a key's by its id, a visitor's by that below 0, and a
 * signed-in browser's by its number with this bit. */
#define SIGNED_IN (INT64_C(1) << 62)

/* ---- the key ---- */

struct kb_sv kb_request_bearer(const struct kb_request *req)
{
	struct kb_sv value = kb_request_field(req, "authorization");
	struct kb_sv scheme = KB_SV("Bearer ");

	if (!value.p || !kb_sv_istarts(value, scheme))
		return KB_SV("");
	return kb_sv_trim(kb_sv_from(value, scheme.n));
}

void kb_call_by_key(struct kb_call *call, const struct kb_key *key)
{
	call->who = kb_principal_of_key(key);
	call->plan = kb_plans_get(&call->api->plans, key->plan);
}

/* By the key that the request carries or, of a signed-in browser that asks from our own page, by
 * the one it signed in with. */
static bool find_key(struct kb_call *call, struct kb_key *key, struct kb_err *err)
{
	struct kb_sv cookie =
	        kb_request_field(call->req, "authorization").p ? KB_SV("") : kb_call_sign_in(call);

	if (cookie.n ? !kb_store_sign_in_check(call->api->store, call->arena, cookie, key, err)
	             : !kb_store_key_check(call->api->store, call->arena,
	                                   kb_request_bearer(call->req), key, err))
		return false;
	call->req->owner = cookie.n ? SIGNED_IN | kb_store_sign_in_number(cookie) : key->id;
	return true;
}

static bool check_key(struct kb_call *call, struct kb_err *err)
{
	struct kb_key key;

	if (find_key(call, &key, err)) {
		kb_store_key_seen(call->api->store, &key);
		kb_call_by_key(call, &key);
		return true;
	}
	if (err->code == KB_E_UNAUTHORIZED)
		kb_fail(err, KB_E_UNAUTHORIZED, "API Token is either missing or invalid");
	return false;
}

/* Who calls, as the row wants to know it: the one place that makes the principal of a call. */
static bool identify(struct kb_call *call, struct kb_err *err)
{
	switch (call->row->role) {
	case KB_ROLE_NONE:
		return true;
	case KB_ROLE_VISITOR:
		return kb_call_visit(call, err);
	default:
		return check_key(call, err);
	}
}

struct kb_request_kept *kb_request_kept(struct kb_request *req)
{
	if (!req->user)
		req->user = KB_NEW(req->arena, struct kb_request_kept);
	return req->user;
}

static bool check_rate(struct kb_call *call, struct kb_err *err)
{
	const struct kb_plan *plan = call->plan;
	struct kb_request_kept *kept;
	int64_t wait_ms;

	if (!plan->rate_per_second)
		return true;
	kept = kb_request_kept(call->req);
	kept->rate_limit = plan->burst;
	kb_rates_share(call->api->rates, kb_store_nodes(call->api->store));
	if (kb_rates_take(call->api->rates, call->who.key, plan, kb_clock_mono_us(),
	                  &kept->rate_left, &wait_ms))
		return true;
	return kb_fail_for(err, KB_E_EXHAUSTED, (wait_ms + 999) / 1000, "Too Many Requests");
}

/* ---- the agent ---- */

/* The index of the path parameter of that name, or -1. */
static int param_index(const char *path, const char *name)
{
	int index = 0;

	for (const char *p = strchr(path, '{'); p; p = strchr(p + 1, '{'), index++)
		if (strncmp(p + 1, name, strlen(name)) == 0 && p[1 + strlen(name)] == '}')
			return index;
	return -1;
}

/* ---- a question's trip to the database ---- */

/* Reads all that the route's question needs, with the key where the cache lacks it. Whose it is is
 * judged by who uses it. */
static bool read_ahead(struct kb_call *call, struct kb_sv key, struct kb_err *err)
{
	const char *path = call->row->path;
	int agent = param_index(path, "projectId"), session = param_index(path, "sessionId");
	struct kb_ahead_want want = { .key = key, .history = KB_HISTORY_TURNS };

	if (!kb_call_id(call, (size_t)agent, "Agent", &want.agent_id, err))
		return false;
	if (session >= 0)
		want.session_id = call->req->params[session];
	if (call->plan && kb_limits_queries(call->plan))
		want.account_id = call->who.account;
	call->ahead = KB_NEW(call->arena, struct kb_ahead);
	return kb_store_read_ahead(call->api->store, call->arena, &want, call->ahead, err);
}

static bool reads_ahead(const struct kb_call *call)
{
	return call->row->verb == KB_ASK && param_index(call->row->path, "projectId") >= 0
	       && !call->ahead && kb_store_reads_ahead(call->api->store);
}

/* A key that is known already is checked before anything is read for it; what is no agent's id is
 * refused behind the key. */
static bool read_with_key(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv key = kb_request_bearer(call->req);
	struct kb_err ignored;
	struct kb_key known;
	int64_t id;
	int at;

	if (!reads_ahead(call) || !key.n
	    || kb_store_peek_key(call->api->store, call->arena, key, &known))
		return true;
	at = param_index(call->row->path, "projectId");
	return !kb_call_id(call, (size_t)at, "Agent", &id, &ignored) || read_ahead(call, key, err);
}

static bool get_agent(struct kb_call *call, int64_t id, struct kb_err *err)
{
	int64_t before = kb_clock_mono_us();

	if (reads_ahead(call) && !read_ahead(call, KB_SV(""), err))
		return false;
	if (call->ahead && call->ahead->agent.id
	    && call->ahead->agent.account_id == call->who.account) {
		call->agent = call->ahead->agent;
		before = call->ahead->read_at;
	} else if (!kb_store_agent_get(call->api->store, call->arena, call->who.account, id,
	                               &call->agent, err)) {
		return false;
	}
	if (kb_store_reads_ahead(call->api->store))
		call->known = (struct kb_known_version){ id, call->agent.index_version, before };
	return true;
}

bool kb_call_agent(struct kb_call *call, int64_t id, struct kb_err *err)
{
	struct kb_agent other;

	if (kb_principal_reaches(&call->who, id) && get_agent(call, id, err))
		return true;
	if (kb_principal_reaches(&call->who, id) && err->code != KB_E_NOT_FOUND)
		return false;
	if (call->row->foreign_is_403
	    && kb_store_agent_find(call->api->store, call->arena, id, &other, err))
		return kb_fail(err, KB_E_FORBIDDEN, "This action is unauthorized.");
	return kb_fail(err, KB_E_NOT_FOUND, "Agent with id %" PRId64 " not found", id);
}

static bool find_agent(struct kb_call *call, struct kb_err *err)
{
	int at = param_index(call->row->path, "projectId");
	int64_t id = 0;

	return at < 0
	       || (kb_call_id(call, (size_t)at, "Agent", &id, err) && kb_call_agent(call, id, err));
}

bool kb_call_id(struct kb_call *call, size_t i, const char *what, int64_t *id, struct kb_err *err)
{
	if (i < call->req->param_count
	    && kb_sv_to_int(call->req->params[i], INT64_MIN, INT64_MAX, id))
		return true;
	return kb_fail(err, KB_E_INVALID, "%s id must be integer", what);
}

void kb_api_wake(struct kb_api *api)
{
	kb_ingest_wake(api->ingest);
	kb_crawler_wake(api->crawler);
	kb_upkeep_wake(api->upkeep);
}

/* ---- the way through ---- */

/* Who calls, and whether they may, by the row: before a large body is taken and before it is
 * handled, when the rate counts too. The agent of a visitor comes with the visit. */
static bool check(struct kb_call *call, bool counts, struct kb_err *err)
{
	const struct kb_api_route *row = call->row;

	if (row->role == KB_ROLE_NONE)
		return true;
	if (!identify(call, err))
		return false;
	if (row->role > KB_ROLE_VISITOR
	    && ((counts && !check_rate(call, err)) || !find_agent(call, err)))
		return false;
	return kb_principal_may(&call->who, row->verb, err);
}

static bool run(struct kb_call *call, struct kb_err *err)
{
	if (!read_with_key(call, err) || !check(call, true, err))
		return false;
	if (call->row->feature && call->plan && !(call->plan->features & call->row->feature))
		return kb_fail(err, KB_E_FORBIDDEN, "Requires the %s plan feature",
		               kb_feature_title(call->row->feature));
	if ((call->row->body_max || call->row->upload)
	    && !kb_inputs_read(call->req, &call->inputs, err))
		return false;
	kb_inputs_unalias(&call->inputs, call->arena, &call->api->aliases);
	return call->row->handle(call, err);
}

static void dispatch(struct kb_request *req)
{
	struct kb_call *call = KB_NEW(req->arena, struct kb_call);
	struct kb_err err = { 0 };

	*call = (struct kb_call){
		.api = api_of(req), .req = req, .arena = req->arena, .row = req->route->app
	};
	kb_job_set(call->row->path);
	/* Where it is true, the answer may be out, and the call gone with its request. */
	if (!run(call, &err))
		kb_call_error(call, &err);
	kb_job_set(NULL);
}

struct kb_route *kb_api_net_routes(struct kb_arena *arena, size_t *count)
{
	const struct kb_api_route *rows = kb_api_routes(count);
	struct kb_route *routes = KB_NEW_ARRAY(arena, *count, struct kb_route);

	for (size_t i = 0; i < *count; i++) {
		KB_ASSERT(rows[i].handle);
		routes[i] = (struct kb_route){
			.method = rows[i].method,
			.path = rows[i].path,
			.handle = dispatch,
			.fast = rows[i].fast,
			.body_max = rows[i].body_max,
			.upload = rows[i].upload,
			.upload_max = rows[i].upload_max,
			.app = &rows[i],
		};
	}
	return routes;
}

bool kb_api_admit(struct kb_request *req)
{
	struct kb_call call = {
		.api = api_of(req), .req = req, .arena = req->arena, .row = row_of(req)
	};
	struct kb_err err = { 0 };

	if (!call.row
	    || (check(&call, false, &err) && (!call.row->admit || call.row->admit(&call, &err))))
		return true;
	kb_call_error(&call, &err);
	return false;
}

void kb_api_refuse(struct kb_request *req, const struct kb_err *err)
{
	struct kb_call call = {
		.api = api_of(req), .req = req, .arena = req->arena, .row = row_of(req)
	};
	struct kb_err ignored;

	/* No route has the method OPTIONS: a browser asks before it calls any of them. */
	if (kb_sv_eq_str(req->method, "OPTIONS")
	    && (err->code == KB_E_METHOD || err->code == KB_E_NOT_FOUND)) {
		kb_system_preflight(&call, &ignored);
	} else {
		kb_call_error(&call, err);
	}
}

void kb_api_decorate(struct kb_request *req, struct kb_buf *head)
{
	const struct kb_request_kept *kept = req->user;

	if (kept && kept->rate_limit)
		kb_buf_printf(head,
		              "x-ratelimit-limit: %" PRId64 "\r\nx-ratelimit-remaining: %" PRId64
		              "\r\n",
		              kept->rate_limit, kept->rate_left);
	/* Browsers call the service directly, with a key and without cookies; what they are not
	 * told to expose they hide from their pages. No answer is of another type than it says. */
	kb_buf_str(head, "access-control-allow-origin: *\r\n"
	                 "access-control-expose-headers: x-request-id, x-ratelimit-limit, "
	                 "x-ratelimit-remaining, retry-after, x-should-retry, etag, "
	                 "content-disposition, www-authenticate\r\n"
	                 "x-content-type-options: nosniff\r\n"
	                 "x-request-id: ");
	kb_buf_str(head, req->name);
	kb_buf_str(head, "\r\n");
}

/* A revoked key stops at once, its open streams and downloads included; so does a browser that
 * signs out, and the visit of an agent that is no longer public. */
bool kb_api_owner_holds(void *app, int64_t owner)
{
	struct kb_api *api = app;
	struct kb_err err;
	bool valid;

	if (owner < 0 ? kb_store_visitor_valid(api->store, -owner, &valid, &err)
	    : owner & SIGNED_IN
	            ? kb_store_sign_in_valid(api->store, owner & ~SIGNED_IN, &valid, &err)
	            : kb_store_key_valid(api->store, owner, &valid, &err))
		return valid;
	kb_warn(api->log, "owner not looked up id=%" PRId64 " error=%s", owner, err.msg);
	return true;
}

void kb_api_hurry(void *app)
{
	struct kb_api *api = app;

	kb_moderator_cancel(api->moderator);
}

/* ---- lists ---- */

static int64_t query_int(struct kb_call *call, const char *name, int64_t otherwise)
{
	struct kb_sv text = kb_request_query(call->req, name);
	int64_t n;

	if (text.p && kb_sv_to_int(kb_sv_trim(text), INT64_MIN, INT64_MAX, &n))
		return n;
	return otherwise;
}

struct kb_list kb_call_list(struct kb_call *call, int64_t limit)
{
	struct kb_sv order = kb_request_query(call->req, "order");
	struct kb_list list;

	list.limit = query_int(call, "limit", query_int(call, "per_page", limit));
	list.limit = KB_MAX(1, KB_MIN(list.limit, LIST_MAX));
	/* A page number is also an offset: keep their product in range. */
	list.page = KB_MAX(1, KB_MIN(query_int(call, "page", 1), INT64_MAX / LIST_MAX / 2));
	list.ascending = kb_sv_ieq_str(order, "asc");
	return list;
}

/* What the other pages of the same list are asked for with: each parameter that the route knows, as
 * it was sent, but the page. */
static struct kb_sv same_list(struct kb_call *call)
{
	const char *rest = call->row->query;
	struct kb_sv name, type, out;
	struct kb_buf buf;
	bool optional;

	kb_buf_init(&buf, 64 << 10);
	while (rest && kb_schema_next(&rest, &name, &optional, &type)) {
		const char *text = kb_arena_str(call->arena, name);
		struct kb_sv value = kb_request_query(call->req, text);

		if (value.n && !kb_sv_eq_str(name, "page"))
			kb_urlencoded_add(&buf, text, value);
	}
	out = kb_arena_sv(call->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

/* The addresses of a list and of its pages. */
struct list_urls {
	struct kb_sv path, rest; /* rest: what follows the page */
};

static void page_url(struct kb_call *call, struct kb_jw *jw, const char *name,
                     const struct list_urls *urls, int64_t page)
{
	if (page < 1) {
		kb_jw_key_null(jw, name);
		return;
	}
	kb_jw_key_sv(jw, name,
	             kb_arena_printf(call->arena, "%.*s?page=%" PRId64 "%.*s",
	                             KB_SV_ARG(urls->path), page, KB_SV_ARG(urls->rest)));
}

void kb_call_paginate_members(struct kb_call *call, struct kb_jw *jw,
                              const struct kb_paginator *page)
{
	const struct kb_list *list = page->list;
	int64_t total = page->total, count = (int64_t)page->count;
	int64_t last = total ? (total + list->limit - 1) / list->limit : 1;
	int64_t from = (list->page - 1) * list->limit + 1;
	const struct list_urls urls = {
		.path = kb_arena_printf(call->arena, "%.*s%.*s", KB_SV_ARG(kb_call_base_url(call)),
		                        KB_SV_ARG(call->req->path)),
		.rest = same_list(call),
	};

	kb_jw_key_int(jw, "current_page", list->page);
	kb_jw_key(jw, "data");
	kb_jw_array(jw);
	for (size_t i = 0; i < page->count; i++)
		page->row(call, jw, page->rows, i);
	kb_jw_end(jw);
	page_url(call, jw, "first_page_url", &urls, 1);
	kb_jw_key(jw, "from");
	if (count)
		kb_jw_int(jw, from);
	else
		kb_jw_null(jw);
	kb_jw_key_int(jw, "last_page", last);
	page_url(call, jw, "last_page_url", &urls, last);
	page_url(call, jw, "next_page_url", &urls, list->page < last ? list->page + 1 : 0);
	kb_jw_key_sv(jw, "path", urls.path);
	kb_jw_key_int(jw, "per_page", list->limit);
	page_url(call, jw, "prev_page_url", &urls,
	         list->page > 1 ? KB_MIN(list->page - 1, last) : 0);
	kb_jw_key(jw, "to");
	if (count)
		kb_jw_int(jw, from + count - 1);
	else
		kb_jw_null(jw);
	kb_jw_key_int(jw, "total", total);
}

void kb_call_paginate(struct kb_call *call, struct kb_jw *jw, const struct kb_paginator *page)
{
	kb_jw_object(jw);
	kb_call_paginate_members(call, jw, page);
	kb_jw_end(jw);
}
