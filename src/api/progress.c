/* How far an agent's documents are, cheap enough to be asked for every second: who knows the
 * answer's tag is told only that nothing has changed. Who accepts events gets each change as one.
 */
#include "api/progress_record.h"
#include "api/routes.h"
#include "api/watch.h"
#include "base/hash.h"

bool kb_progress_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv known = kb_request_field(call->req, "if-none-match"), tag;
	struct kb_response response = { .status = 200, .content_type = "application/json" };
	struct kb_buf buf;
	struct kb_jw jw;
	bool ok;

	if (kb_sv_find(kb_request_field(call->req, "accept"), KB_SV("text/event-stream")) >= 0) {
		kb_watch(call->api->watchers, call);
		return true;
	}
	kb_call_begin(call, &buf, &jw);
	ok = kb_progress_write(call->api, call->arena, call->agent.id, &jw, err);
	kb_jw_end(&jw);
	ok = ok && kb_buf_done(&buf, &response.body, err);
	if (ok) {
		tag = kb_arena_printf(call->arena, "\"%016" PRIx64 "\"", kb_hash64(response.body));
		response.fields[0] = (struct kb_http_field){ KB_SV("cache-control"),
			                                     KB_SV("private, no-cache") };
		response.fields[1] = (struct kb_http_field){ KB_SV("etag"), tag };
		if (known.n && kb_sv_find(known, tag) >= 0) {
			response.status = 304;
			response.body = KB_SV("");
		}
		kb_call_respond(call, &response);
	}
	kb_buf_fini(&buf);
	return ok;
}
