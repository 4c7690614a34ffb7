/* What operators ask: is it alive, is it ready, what is its interface. How it is doing: metrics.c.
 */
#include <ctype.h>

#include "api/routes.h"
#include "base/clock.h"
#include "store/backups.h"
#include "store/repairs.h"

static const struct kb_response alive = { .status = 200,
	                                  .content_type = "application/json",
	                                  .body = { "{\"status\":\"ok\"}", 15 } };

bool kb_system_health_fast(struct kb_request *req)
{
	/* Answered by the loop itself: says that it turns, whatever the workers do. */
	kb_respond(req, &alive);
	return true;
}

bool kb_system_health(struct kb_call *call, struct kb_err *err)
{
	(void)err;
	kb_call_respond(call, &alive); /* with a body, which workers wait for */
	return true;
}

/* The database has to answer. What is degraded is said, and no reason to send it nothing: it
 * answers from what is whole, and without the bucket from what is open or in its cache. */
bool kb_system_ready(struct kb_call *call, struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;
	int64_t agents;
	bool is_bucket_there;

	if (!kb_store_ready(call->api->store, err)
	    || !kb_store_repair_count(call->api->store, &agents, err))
		return kb_fail(err, KB_E_BUSY, "the database does not answer");
	is_bucket_there = kb_blobs_ready(call->api->blobs, NULL);
	kb_buf_init(&buf, 1024);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "status", agents || !is_bucket_there ? "degraded" : "ready");
	if (agents)
		kb_jw_key_int(&jw, "agents_repairing", agents);
	if (!is_bucket_there)
		kb_jw_key_str(&jw, "bucket", "does not answer");
	kb_jw_end(&jw);
	kb_call_respond(call, &(struct kb_response){ .status = 200,
	                                             .content_type = "application/json",
	                                             .body = kb_buf_view(&buf) });
	kb_buf_fini(&buf);
	return true;
}

/* Of all nodes. Why one failed names places of the machine: the log says it, and docent doctor. */
bool kb_system_backups(struct kb_call *call, struct kb_err *err)
{
	struct kb_backups backups;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_backups(call->api->store, call->arena, &backups, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "every_s", backups.every_us / KB_SECOND_US);
	kb_jw_key_time_opt(&jw, "finished_at", backups.last_at);
	kb_jw_key_time_opt(&jw, "state_at", backups.state_at);
	kb_jw_key_time_opt(&jw, "next_at", kb_backup_next(&backups));
	kb_jw_key_time_opt(&jw, "verified_at", backups.drill_at);
	kb_jw_key_int(&jw, "kept", backups.kept);
	kb_jw_key_int(&jw, "held_bytes", backups.held_bytes);
	kb_jw_key_bool(&jw, "is_encrypted", backups.is_sealed);
	kb_jw_key_bool(&jw, "is_late",
	               kb_backup_is_late(&backups, kb_clock_now_us(call->api->clock)));
	kb_jw_key_bool(&jw, "has_failed", backups.failure.n > 0);
	kb_jw_key_bool(&jw, "verification_failed", backups.drill_failure.n > 0);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_system_openapi(struct kb_call *call, struct kb_err *err)
{
	(void)err;
	kb_call_respond(call, &(struct kb_response){ .status = 200,
	                                             .content_type = "application/json",
	                                             .body = call->api->openapi });
	return true;
}

/* Whether a browser may be told that a page of another origin may send that field. Not ours of
 * pages that are signed in (signin.c): that it cannot come from elsewhere is what it is for. */
static bool may_send(struct kb_sv name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!isalnum((unsigned char)name.p[i]) && name.p[i] != '-' && name.p[i] != '_')
			return false;
	return name.n > 0 && !kb_sv_ieq_str(name, "x-docent-session");
}

/* Client libraries send fields of their own, and others with each version: whatever is asked for is
 * allowed. A key is in the page's hands, and cookies count with our own field alone. */
static struct kb_sv allowed_fields(struct kb_call *call)
{
	struct kb_sv rest = kb_request_field(call->req, "access-control-request-headers"), name,
	             out;
	struct kb_buf buf;

	kb_buf_init(&buf, KB_HTTP_HEAD_MAX + 64);
	kb_buf_str(&buf, "authorization, content-type, accept");
	while (kb_sv_split(&rest, ',', &name)) {
		name = kb_sv_trim(name);
		if (!may_send(name) || kb_sv_ieq_str(name, "authorization")
		    || kb_sv_ieq_str(name, "content-type") || kb_sv_ieq_str(name, "accept"))
			continue;
		kb_buf_str(&buf, ", ");
		kb_buf_sv(&buf, name);
	}
	out = kb_arena_sv(call->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

bool kb_system_preflight(struct kb_call *call, struct kb_err *err)
{
	(void)err;
	kb_call_respond(call,
	           &(struct kb_response){
		           .status = 204,
		           .fields = {
			           { KB_SV("access-control-allow-methods"),
			             KB_SV("GET, POST, PUT, PATCH, DELETE, OPTIONS") },
			           { KB_SV("access-control-allow-headers"), allowed_fields(call) },
			           { KB_SV("access-control-max-age"), KB_SV("86400") },
			           { KB_SV("vary"), KB_SV("access-control-request-headers") },
		           },
	           });
	return true;
}
