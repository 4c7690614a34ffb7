/*
 * Several reads in one request: over HTTP/1.1 each request of a page is a trip of its own. Each of
 * them goes the way of a request alone, as whoever asks for all of them: its agent, its verb, the
 * rate of the key and the plan are looked at for each, and each leaves by the one exit.
 */
#include <string.h>

#include "api/routes.h"

enum { TOGETHER_MAX = 32 };

#define BASE "/api/v1"

/* Whether the path fits, and what stands in its braces. A segment with an escape fits nothing: what
 * needs one is asked for alone. */
static bool fits(const char *row, struct kb_sv path, struct kb_request *req)
{
	struct kb_sv left = kb_sv_str(row), wanted, given;

	req->param_count = 0;
	for (;;) {
		bool more = kb_sv_split(&left, '/', &wanted);

		if (more != kb_sv_split(&path, '/', &given))
			return false;
		if (!more)
			return true;
		if (!kb_sv_starts(wanted, KB_SV("{"))) {
			if (!kb_sv_eq(wanted, given))
				return false;
		} else if (!given.n || memchr(given.p, '%', given.n)) {
			return false;
		} else {
			req->params[req->param_count++] = given;
		}
	}
}

static const struct kb_api_route *row_of(const struct kb_calls_within *calls, struct kb_sv path,
                                         struct kb_request *req)
{
	for (size_t i = 0; i < calls->count; i++)
		if (calls->rows[i].together && fits(calls->rows[i].path, path, req))
			return &calls->rows[i];
	return NULL;
}

/* The request that each of them is a part of, without what would make another answer of one: a
 * stream, a part, or that nothing has changed. */
static struct kb_request *plain_request(const struct kb_call *call)
{
	static const char *const left_out[] = { "accept", "if-none-match", "last-event-id",
		                                "range" };
	struct kb_request *req = KB_NEW(call->arena, struct kb_request);
	const struct kb_request *all = call->req;

	*req = *all;
	req->fields = KB_NEW_ARRAY(call->arena, all->field_count + 1, struct kb_http_field);
	req->field_count = 0;
	for (size_t i = 0; i < all->field_count; i++) {
		bool stays = true;

		for (size_t k = 0; k < KB_COUNTOF(left_out); k++)
			stays = stays && !kb_sv_eq_str(all->fields[i].name, left_out[k]);
		if (stays)
			req->fields[req->field_count++] = all->fields[i];
	}
	return req;
}

/* What that address is answered with. */
static void read_one(struct kb_call *call, const struct kb_request *plain, struct kb_sv address,
                     struct kb_response *out)
{
	struct kb_request *req = KB_NEW(call->arena, struct kb_request);
	struct kb_call *one = KB_NEW(call->arena, struct kb_call);
	struct kb_err err = { 0 };
	ptrdiff_t mark;

	*req = *plain;
	req->target = kb_arena_printf(call->arena, BASE "%.*s", KB_SV_ARG(address));
	mark = kb_sv_find(req->target, KB_SV("?"));
	req->path = mark < 0 ? req->target : kb_sv_sub(req->target, 0, (size_t)mark);
	req->query = mark < 0 ? KB_SV("") : kb_sv_from(req->target, (size_t)mark + 1);
	*one = (struct kb_call){ .api = call->api,
		                 .req = req,
		                 .arena = call->arena,
		                 .row = row_of(call->calls, req->path, req),
		                 .who = call->who,
		                 .plan = call->plan,
		                 .within = out };
	if (!one->row)
		kb_fail(&err, KB_E_NOT_FOUND, "There is nothing to read together at this address");
	if (!one->row || !call->calls->run(one, &err))
		kb_call_error(one, &err);
}

static void write_one(struct kb_jw *jw, const struct kb_response *response)
{
	struct kb_sv reason = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(response->fields) && response->fields[i].name.n; i++)
		if (kb_sv_eq(response->fields[i].name, KB_SV("docent-reason")))
			reason = response->fields[i].value;
	kb_jw_object(jw);
	kb_jw_key_int(jw, "status", response->status);
	if (reason.n)
		kb_jw_key_sv(jw, "reason", reason);
	if (response->retry_after_s > 0)
		kb_jw_key_int(jw, "retry_after", response->retry_after_s);
	kb_jw_key(jw, "body");
	kb_jw_raw(jw, response->body);
	kb_jw_end(jw);
}

bool kb_together_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_response *read = KB_NEW_ARRAY(call->arena, TOGETHER_MAX, struct kb_response);
	struct kb_sv rest = call->req->query, name, value, paths[TOGETHER_MAX];
	const struct kb_request *plain;
	size_t count = 0;
	struct kb_buf buf;
	struct kb_jw jw;

	kb_request_kept(call->req); /* one for all of them */
	plain = plain_request(call);
	while (kb_urlencoded_next(call->arena, &rest, &name, &value)) {
		if (!kb_sv_eq(name, KB_SV("path")))
			continue;
		if (count == TOGETHER_MAX)
			return kb_fail(err, KB_E_INVALID, "path may be sent %d times",
			               TOGETHER_MAX);
		paths[count++] = value;
	}
	if (!count)
		return kb_fail(err, KB_E_INVALID, "path is required");
	for (size_t i = 0; i < count; i++)
		read_one(call, plain, paths[i], &read[i]);
	kb_call_begin(call, &buf, &jw);
	kb_jw_array(&jw);
	for (size_t i = 0; i < count; i++)
		write_one(&jw, &read[i]);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}
