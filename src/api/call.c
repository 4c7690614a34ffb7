/* What handlers ask of the call: its agent, its path, its list. The way to them: dispatch.c. */
#include <arpa/inet.h>
#include <string.h>

#include "api/call_own.h"
#include "api/quota.h"
#include "api/schema.h"
#include "api/session.h"

enum { LIST_MAX = 100 };

struct kb_sv kb_call_address(struct kb_call *call)
{
	char text[INET6_ADDRSTRLEN] = "";
	struct in6_addr six;

	if (inet_pton(AF_INET6, call->req->peer, &six) != 1)
		return kb_sv_str(call->req->peer);
	memset(six.s6_addr + 8, 0, 8);
	inet_ntop(AF_INET6, &six, text, sizeof(text));
	return kb_arena_sv(call->arena, kb_sv_str(text));
}

struct kb_sv kb_call_base_url(struct kb_call *call)
{
	struct kb_sv host = call->req->host;

	if (call->api->public_url)
		return kb_sv_str(call->api->public_url);
	return kb_arena_printf(call->arena, "%s://%.*s", call->req->tls ? "https" : "http",
	                       KB_SV_ARG(host));
}

/* ---- the key ---- */

struct kb_sv kb_request_bearer(const struct kb_request *req)
{
	struct kb_sv value = kb_request_field(req, "authorization");
	struct kb_sv scheme = KB_SV("Bearer ");

	if (!value.p || !kb_sv_istarts(value, scheme))
		return KB_SV("");
	return kb_sv_trim(kb_sv_from(value, scheme.n));
}

bool kb_call_by_key(struct kb_call *call, const struct kb_key *key, struct kb_err *err)
{
	struct kb_person person;

	if (!key->person_id) {
		call->who = kb_principal_of_key(key);
		call->plan = kb_plans_get(&call->api->plans, key->plan);
		return true;
	}
	if (!kb_store_person_get(call->api->store, call->arena, key->account_id, key->person_id,
	                         &person, err))
		return err->code == KB_E_NOT_FOUND
		       && kb_fail(err, KB_E_UNAUTHORIZED, "nobody signs in as that any more");
	if (person.is_out)
		return kb_fail(err, KB_E_UNAUTHORIZED, KB_DIRECTORY_OFF);
	call->who = kb_principal_of_person(call->arena, &person, key->id);
	call->plan = kb_plans_get(&call->api->plans, person.plan);
	call->ahead = NULL; /* it was read for an account, which has all conversations */
	return true;
}

struct kb_request_kept *kb_request_kept(struct kb_request *req)
{
	if (!req->user)
		req->user = KB_NEW(req->arena, struct kb_request_kept);
	return req->user;
}

/* ---- the agent ---- */

int kb_call_param(const char *path, const char *name)
{
	int index = 0;

	for (const char *p = strchr(path, '{'); p; p = strchr(p + 1, '{'), index++)
		if (strncmp(p + 1, name, strlen(name)) == 0 && p[1 + strlen(name)] == '}')
			return index;
	return -1;
}

/* ---- a question's trip to the database ---- */

bool kb_call_read_ahead(struct kb_call *call, struct kb_sv key, struct kb_err *err)
{
	const char *path = call->row->path;
	int agent = kb_call_param(path, "projectId"), session = kb_call_param(path, "sessionId");
	struct kb_ahead_want want = { .key = key, .history = KB_HISTORY_TURNS };

	if (!kb_call_id(call, (size_t)agent, "Agent", &want.agent_id, err))
		return false;
	want.visitor_id = call->who.person;
	if (session >= 0)
		want.session_id = call->req->params[session];
	if (call->plan && kb_limits_queries(call->plan))
		want.account_id = call->who.account;
	call->ahead = KB_NEW(call->arena, struct kb_ahead);
	return kb_store_read_ahead(call->api->store, call->arena, &want, call->ahead, err);
}

bool kb_call_reads_ahead(const struct kb_call *call)
{
	return call->row->verb == KB_ASK && kb_call_param(call->row->path, "projectId") >= 0
	       && !call->ahead && kb_store_reads_ahead(call->api->store);
}

static bool get_agent(struct kb_call *call, int64_t id, struct kb_err *err)
{
	int64_t before = kb_clock_mono_us();

	if (kb_call_reads_ahead(call) && !kb_call_read_ahead(call, KB_SV(""), err))
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

	if (kb_principal_reaches(&call->who, id)) {
		kb_principal_enter(&call->who, id, call->row->verb);
		if (get_agent(call, id, err))
			return kb_principal_is(&call->who, call->row->role, id, err);
		if (err->code != KB_E_NOT_FOUND)
			return false;
	}
	if (call->row->foreign_is_403
	    && kb_store_agent_find(call->api->store, call->arena, id, &other, err))
		return kb_fail(err, KB_E_FORBIDDEN, "This action is unauthorized.");
	return kb_fail(err, KB_E_NOT_FOUND, "Agent with id %" PRId64 " not found", id);
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

bool kb_call_dates(struct kb_call *call, int64_t *from, int64_t *until, struct kb_err *err)
{
	enum { DAY_CHARS = 10 };
	struct kb_sv start = kb_sv_trim(kb_request_query(call->req, "start_date"));
	struct kb_sv end = kb_sv_trim(kb_request_query(call->req, "end_date"));

	*from = 0;
	*until = INT64_MAX;
	if (start.n && !kb_time_parse(start, from))
		return kb_fail(err, KB_E_INVALID, "start_date must be a date or an ISO 8601 time");
	if (end.n && !kb_time_parse(end, until))
		return kb_fail(err, KB_E_INVALID, "end_date must be a date or an ISO 8601 time");
	if (end.n)
		*until += end.n == DAY_CHARS ? KB_DAY_US : 1;
	if (*from >= *until)
		return kb_fail(err, KB_E_INVALID, "start_date must not be after end_date");
	return true;
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
