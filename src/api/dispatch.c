/*
 * The one way from a request to its handler: who calls, what they may, which agent, which body. The
 * way back is reply.c.
 */
#include "api/audit.h"
#include "api/call_own.h"
#include "api/guesses.h"
#include "api/mcp_signin.h"
#include "api/quota.h"
#include "api/routes.h"
#include "store/nodes.h"
#include "store/signins.h"
#include "upstream/moderation.h"

static struct kb_api *api_of(const struct kb_request *req)
{
	return req->app;
}

static const struct kb_api_route *row_of(const struct kb_request *req)
{
	return req->route ? req->route->app : NULL;
}

/* Whose an answer is (the request's owner): a key's by its id, a visitor's by that below 0, and a
 * signed-in browser's by its number with this bit. */
#define SIGNED_IN (INT64_C(1) << 62)

/* ---- who calls ---- */

/* By the key that the request carries or, of a signed-in browser that asks from our own page, by
 * the one it signed in with. */
static bool find_key(struct kb_call *call, struct kb_key *key, struct kb_err *err)
{
	struct kb_sv cookie =
	        kb_request_field(call->req, "authorization").p ? KB_SV("") : kb_call_sign_in(call);

	if (kb_mcp_has_token(call))
		return kb_mcp_token_check(call, key, err);
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
		if (key.id)
			kb_store_key_seen(call->api->store, &key);
		if (kb_call_by_key(call, &key, err)) {
			call->who.is_program = kb_mcp_is_program(call);
			return true;
		}
	}
	if (err->code == KB_E_UNAUTHORIZED)
		kb_fail(err, KB_E_UNAUTHORIZED, "API Token is either missing or invalid");
	/* A token of the provider's ends by itself, and is no guess. */
	if (!kb_mcp_has_token(call))
		kb_call_guessed(call, kb_request_bearer(call->req), err);
	return false;
}

static bool check_directory(struct kb_call *call, struct kb_err *err)
{
	struct kb_directory_token token;

	if (!kb_store_directory_token_check(call->api->store, call->arena,
	                                    kb_request_bearer(call->req), &token, err)) {
		kb_call_guessed(call, kb_request_bearer(call->req), err);
		return false;
	}
	call->who = kb_principal_of_directory(&token);
	call->plan = kb_plans_get(&call->api->plans, token.plan);
	return true;
}

/* Who calls, as the row wants to know it: the one place that makes the principal of a call. */
static bool identify(struct kb_call *call, struct kb_err *err)
{
	switch (call->row->role) {
	case KB_ROLE_NONE:
		return true;
	case KB_ROLE_VISITOR:
		return kb_call_visit(call, err);
	case KB_ROLE_DIRECTORY:
		return check_directory(call, err);
	default:
		return check_key(call, err);
	}
}

/* Whose rate it is: a key's, a directory's, or a person's who is here without a key. */
static int64_t rated(const struct kb_principal *who)
{
	if (who->key)
		return who->key;
	return who->directory ? -(INT64_C(1) << 62) - who->directory : -who->member;
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
	if (kb_rates_take(call->api->rates, rated(&call->who), plan, kb_clock_mono_us(),
	                  &kept->rate_left, &wait_ms))
		return true;
	return kb_fail_for(err, KB_E_EXHAUSTED, (wait_ms + 999) / 1000, "Too Many Requests");
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

	if (!kb_call_reads_ahead(call) || !key.n || kb_mcp_has_token(call)
	    || kb_store_peek_key(call->api->store, call->arena, key, &known))
		return true;
	at = kb_call_param(call->row->path, "projectId");
	return !kb_call_id(call, (size_t)at, "Agent", &id, &ignored)
	       || kb_call_read_ahead(call, key, err);
}

static bool find_agent(struct kb_call *call, struct kb_err *err)
{
	int at = kb_call_param(call->row->path, "projectId");
	int64_t id = 0;

	return at < 0
	       || (kb_call_id(call, (size_t)at, "Agent", &id, err) && kb_call_agent(call, id, err));
}

/* ---- the way through ---- */

/* Whether who calls may do that, by the row. The agent of a visitor comes with the visit. */
static bool check_known(struct kb_call *call, bool counts, struct kb_err *err)
{
	const struct kb_api_route *row = call->row;

	if (row->role == KB_ROLE_VISITOR)
		return true;
	return (!counts || row->is_unrated || check_rate(call, err)) && find_agent(call, err)
	       && kb_principal_is(&call->who, row->role, call->agent.id, err);
}

/* Who calls, and whether they may: before a large body is taken and before it is handled, when the
 * rate counts too. */
static bool check(struct kb_call *call, bool counts, struct kb_err *err)
{
	return call->row->role == KB_ROLE_NONE
	       || (identify(call, err) && check_known(call, counts, err));
}

static bool check_feature(const struct kb_call *call, struct kb_err *err)
{
	if (call->row->feature && call->plan && !(call->plan->features & call->row->feature))
		return kb_fail(err, KB_E_FORBIDDEN, "Requires the %s plan feature",
		               kb_feature_title(call->row->feature));
	return true;
}

static bool run_within(struct kb_call *call, struct kb_err *err)
{
	KB_ASSERT(call->row->together && call->row->role >= KB_ROLE_MEMBER);
	return check_known(call, true, err) && check_feature(call, err)
	       && call->row->handle(call, err);
}

static bool run(struct kb_call *call, struct kb_err *err)
{
	if (!read_with_key(call, err) || !check(call, true, err) || !check_feature(call, err))
		return false;
	if ((call->row->body_max || call->row->upload)
	    && !kb_inputs_read(call->req, &call->inputs, err))
		return false;
	kb_inputs_unalias(&call->inputs, call->arena, &call->api->aliases);
	if (kb_call_is_audited(call))
		kb_call_audit(call);
	return call->row->handle(call, err);
}

/* Made once, before the first request. */
static struct kb_calls_within within = { .run = run_within };

static void dispatch(struct kb_request *req)
{
	struct kb_call *call = KB_NEW(req->arena, struct kb_call);
	struct kb_err err = { 0 };

	*call = (struct kb_call){ .api = api_of(req),
		                  .req = req,
		                  .arena = req->arena,
		                  .row = req->route->app,
		                  .calls = &within,
		                  .began_us = kb_clock_mono_us() };
	kb_job_set(call->row->path);
	/* Where it is true, the answer may be out, and the call gone with its request. */
	if (!run(call, &err)) {
		if (err.code == KB_E_FORBIDDEN && kb_call_is_audited(call))
			kb_call_audit_refusal(call);
		kb_call_error(call, &err);
	}
	kb_audit_drop();
	kb_job_set(NULL);
}

struct kb_route *kb_api_net_routes(struct kb_arena *arena, size_t *count)
{
	const struct kb_api_route *rows = kb_api_routes(count);
	struct kb_route *routes = KB_NEW_ARRAY(arena, *count, struct kb_route);

	within.rows = rows;
	within.count = *count;
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
