/* How far an agent's documents are, cheap enough to be asked for every second: who knows the
 * answer's tag is told only that nothing has changed. */
#include "store/progress.h"

#include "api/routes.h"
#include "base/hash.h"

static void write_page(struct kb_jw *jw, const struct kb_progress_page *page)
{
	kb_jw_object(jw);
	kb_jw_key_int(jw, "id", page->id);
	kb_jw_key_sv(jw, "name", page->name);
	kb_jw_key_str(jw, "state", page->is_reading ? "reading" : "waiting");
	kb_jw_key_opt(jw, "reason", page->reason.n ? page->reason : (struct kb_sv){ 0 });
	kb_jw_key_int(jw, "attempts", page->attempts);
	if (page->next_try_at)
		kb_jw_key_time(jw, "next_try_at", page->next_try_at);
	else
		kb_jw_key_null(jw, "next_try_at");
	kb_jw_end(jw);
}

static void write_progress(struct kb_jw *jw, const struct kb_progress *progress)
{
	kb_jw_object(jw);
	kb_jw_key_int(jw, "total", progress->total);
	kb_jw_key_int(jw, "done", progress->done);
	kb_jw_key_int(jw, "queued", progress->working);
	kb_jw_key_int(jw, "failed", progress->failed);
	kb_jw_key(jw, "pages");
	kb_jw_array(jw);
	for (size_t i = 0; i < progress->page_count; i++)
		write_page(jw, &progress->pages[i]);
	kb_jw_end(jw);
	kb_jw_end(jw);
}

bool kb_progress_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv known = kb_request_field(call->req, "if-none-match"), tag;
	struct kb_progress progress;
	struct kb_response response = { .status = 200, .content_type = "application/json" };
	struct kb_buf buf;
	struct kb_jw jw;
	bool ok;

	if (!kb_store_progress(call->api->store, call->arena, call->agent.id, &progress, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	write_progress(&jw, &progress);
	kb_jw_end(&jw);
	ok = kb_buf_done(&buf, &response.body, err);
	if (ok) {
		tag = kb_arena_printf(call->arena, "\"%016" PRIx64 "\"", kb_hash64(response.body));
		response.fields[0] = (struct kb_http_field){ KB_SV("cache-control"),
			                                     KB_SV("private, no-cache") };
		response.fields[1] = (struct kb_http_field){ KB_SV("etag"), tag };
		if (known.n && kb_sv_find(known, tag) >= 0) {
			response.status = 304;
			response.body = KB_SV("");
		}
		kb_respond(call->req, &response);
	}
	kb_buf_fini(&buf);
	return ok;
}
