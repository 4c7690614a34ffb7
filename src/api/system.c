/* What operators ask: is it alive, is it ready, what is its interface. How it is doing: metrics.c.
 */
#include "api/routes.h"
#include "store/repairs.h"

bool kb_system_health_fast(struct kb_request *req)
{
	/* Answered by the loop itself: says that it turns, whatever the workers do. */
	kb_respond(req, &(struct kb_response){ .status = 200,
	                                       .content_type = "application/json",
	                                       .body = KB_SV("{\"status\":\"ok\"}") });
	return true;
}

bool kb_system_health(struct kb_call *call, struct kb_err *err)
{
	(void)err;
	return kb_system_health_fast(call->req); /* with a body, which workers wait for */
}

bool kb_system_ready(struct kb_call *call, struct kb_err *err)
{
	int64_t agents;

	if (!kb_store_ready(call->api->store, err)
	    || !kb_store_repair_count(call->api->store, &agents, err))
		return kb_fail(err, KB_E_BUSY, "the store does not answer");
	/* It answers: from what is whole. That is no reason to send it nothing. */
	kb_respond(call->req,
	           &(struct kb_response){
	                   .status = 200,
	                   .content_type = "application/json",
	                   .body = agents ? kb_arena_printf(call->arena,
	                                                    "{\"status\":\"degraded\","
	                                                    "\"agents_repairing\":%" PRId64 "}",
	                                                    agents)
	                                  : KB_SV("{\"status\":\"ready\"}"),
	           });
	return true;
}

bool kb_system_openapi(struct kb_call *call, struct kb_err *err)
{
	(void)err;
	kb_respond(call->req, &(struct kb_response){ .status = 200,
	                                             .content_type = "application/json",
	                                             .body = call->api->openapi });
	return true;
}

bool kb_system_preflight(struct kb_call *call, struct kb_err *err)
{
	(void)err;
	kb_respond(call->req,
	           &(struct kb_response){
		           .status = 204,
		           .fields = {
			           { KB_SV("access-control-allow-methods"),
			             KB_SV("GET, POST, PUT, PATCH, DELETE, OPTIONS") },
			           { KB_SV("access-control-allow-headers"),
			             KB_SV("authorization, content-type, accept") },
			           { KB_SV("access-control-max-age"), KB_SV("86400") },
		           },
	           });
	return true;
}
