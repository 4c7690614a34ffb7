/* The error that a call ends with, in the form that its client reads. */
#include "api/mcp.h"
#include "api/mcp_signin.h"
#include "api/oauth.h"
#include "api/reasons.h"
#include "api/reply_own.h"
#include "api/routes.h"
#include "api/scim.h"
#include "base/utf8.h"

/* Which member chat libraries read an error from, and what they call its kind. */
static const char *openai_type(int status)
{
	if (status == 401)
		return "authentication_error";
	if (status == 429)
		return "rate_limit_error";
	return status >= 500 ? "server_error" : "invalid_request_error";
}

/* Chat libraries ask again after any 429 and 5xx, unless they are told that it is no use. */
static bool is_in_vain(const struct kb_err *err)
{
	return err->code == KB_E_QUOTA || err->code == KB_E_UNSUPPORTED;
}

static void write_envelope(struct kb_call *call, struct kb_jw *jw, int status,
                           const struct kb_err *err)
{
	const char *message = kb_err_shown(err);

	kb_jw_object(jw);
	kb_jw_key_str(jw, "status", "error");
	kb_jw_key_sv(jw, "url",
	             kb_arena_printf(call->arena, "%.*s%.*s", KB_SV_ARG(kb_call_base_url(call)),
	                             KB_SV_ARG(kb_utf8_cut(call->req->target, 2000))));
	kb_jw_key(jw, "data");
	kb_jw_object(jw);
	kb_jw_key_int(jw, "code", status);
	kb_jw_key_str(jw, "message", message);
	kb_jw_end(jw);
	kb_jw_key_str(jw, "message", message);
	kb_jw_key(jw, "error");
	kb_jw_object(jw);
	kb_jw_key_str(jw, "message", message);
	kb_jw_key_str(jw, "type", openai_type(status));
	kb_jw_key_null(jw, "param");
	kb_jw_key_str(jw, "code", kb_err_info(err->code)->name);
	kb_jw_end(jw);
	kb_jw_end(jw);
}

static bool is_scim(const struct kb_call *call)
{
	return kb_sv_starts(call->req->path, KB_SV(KB_SCIM_PATH));
}

/* In the form that the clients of the address read. One that was refused before it found its row
 * (405) is known by its address. */
static void write_refusal(struct kb_call *call, struct kb_jw *jw, int status,
                          const struct kb_err *err)
{
	if (kb_sv_starts(call->req->path, KB_SV(KB_MCP_PATH)))
		kb_mcp_write_refusal(call, jw, status, kb_err_shown(err));
	else if (is_scim(call))
		kb_scim_write_refusal(call, jw, status, kb_err_shown(err));
	else if (kb_sv_starts(call->req->path, KB_SV(KB_OAUTH_PATH)))
		kb_oauth_write_refusal(call, jw, status, kb_err_shown(err));
	else
		write_envelope(call, jw, status, err);
}

static int status_of(const struct kb_call *call, const struct kb_err *err)
{
	int status = is_scim(call) ? kb_scim_status(err) : kb_err_status(err);

	return call->row && call->row->invalid_is_422 && status == 400 && !err->status ? 422
	                                                                               : status;
}

static void write_error(struct kb_call *call, struct kb_response *response, struct kb_buf *buf,
                        const struct kb_err *err)
{
	struct kb_reason reason = kb_reason_of_refusal(kb_sv_str(kb_err_shown(err)));
	struct kb_http_field *field = response->fields;
	struct kb_jw jw;

	kb_buf_init(buf, 64 << 10);
	kb_api_jw(call->api, &jw, buf);
	write_refusal(call, &jw, response->status, err);
	response->content_type = is_scim(call) ? KB_SCIM_TYPE : "application/json";
	response->body = kb_buf_view(buf);
	*field++ = (struct kb_http_field)KB_NO_CACHE;
	if (response->status == 401)
		*field++ =
		        (struct kb_http_field){ KB_SV("www-authenticate"), kb_mcp_challenge(call) };
	if (is_in_vain(err))
		*field++ = (struct kb_http_field){ KB_SV("x-should-retry"), KB_SV("false") };
	if (reason.code)
		*field++ = (struct kb_http_field){ KB_SV("docent-reason"),
			                           kb_reason_line(call->arena, &reason) };
}

void kb_call_error(struct kb_call *call, const struct kb_err *err)
{
	struct kb_response response = { .status = status_of(call, err) };
	struct kb_buf buf = { 0 };
	bool told = call->streaming; /* its handler has put the error into the stream */

	if (!told && !kb_dashboard_lost(call, err->code, &response))
		write_error(call, &response, &buf, err);
	response.retry_after_s = kb_err_retry_after(err);
	kb_call_fail(call, told ? NULL : &response, response.status, err);
	kb_buf_fini(&buf);
}
