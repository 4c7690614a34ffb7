#include "api/mcp_gaps.h"

#include "answer/guard.h"
#include "api/audit.h"
#include "api/mcp_results.h"
#include "api/routes.h"
#include "store/gaps.h"

enum { GAPS_DEFAULT = 10, GAPS_MOST = 50, TEXT_MAX = 1 << 20 };

static const struct kb_mcp_number limit_is = { "limit", 1, GAPS_MOST, GAPS_DEFAULT },
                                  gap_is = { "gap_id", 1, INT64_MAX, 0 };

static struct kb_sv as_lines(struct kb_arena *arena, const struct kb_gap_list *gaps)
{
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, TEXT_MAX);
	for (size_t i = 0; i < gaps->count; i++)
		kb_buf_printf(&buf, "%s[%" PRId64 "] %" PRId64 " people: %.*s", i ? "\n" : "",
		              gaps->v[i].id, gaps->v[i].people, KB_SV_ARG(gaps->v[i].question));
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

bool kb_mcp_list_gaps(struct kb_mcp *mcp, const json_t *arguments, struct kb_err *err)
{
	struct kb_call *call = mcp->call;
	struct kb_gap_filter filter = { .list = { .page = 1 },
		                        .state = KB_GAP_OPEN,
		                        .people = KB_GAP_PEOPLE };
	struct kb_jw *jw = &mcp->jw;
	struct kb_gap_list gaps;

	if (!kb_principal_is(&call->who, KB_ROLE_CHECKER, call->agent.id, err)
	    || !kb_mcp_read_number(arguments, &limit_is, &filter.list.limit, err))
		return kb_mcp_refused(mcp, err);
	if (!kb_store_gap_list(call->api->store, call->arena, call->agent.id, &filter, &gaps, err))
		return false;
	kb_mcp_begin_content(
	        mcp, gaps.count ? kb_outguard_quote(call->arena, as_lines(call->arena, &gaps))
	                        : KB_SV("There is none."));
	kb_jw_end(jw);
	kb_jw_key(jw, "structuredContent");
	kb_jw_object(jw);
	kb_jw_key(jw, "gaps");
	kb_jw_array(jw);
	for (size_t i = 0; i < gaps.count; i++) {
		kb_jw_object(jw);
		kb_jw_key_int(jw, "gap_id", gaps.v[i].id);
		kb_jw_key_sv(jw, "question", gaps.v[i].question);
		kb_jw_key_int(jw, "asked", gaps.v[i].asked);
		kb_jw_key_int(jw, "people", gaps.v[i].people);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
	kb_jw_end(jw);
	return true;
}

bool kb_mcp_answer_gap(struct kb_mcp *mcp, const json_t *arguments, struct kb_err *err)
{
	struct kb_call *call = mcp->call;
	struct kb_jw *jw = &mcp->jw;
	struct kb_api_input input = { .name = KB_SV("answer"), .kind = KB_INPUT_TEXT };
	struct kb_gap gap;
	int64_t id;

	if (!kb_principal_is(&call->who, KB_ROLE_CHECKER, call->agent.id, err)
	    || !kb_mcp_read_number(arguments, &gap_is, &id, err)
	    || !kb_mcp_need_text(arguments, "answer", &input.text, err))
		return kb_mcp_refused(mcp, err);
	/* The answer alone: neither labels nor who has checked it is the calling model's to say. */
	call->inputs = (struct kb_inputs){ .v = &input, .count = 1 };
	kb_call_audit_as(call, KB_AUDIT_ANSWER_CREATE);
	if (!kb_gap_answer(call, id, &gap, err)) {
		kb_call_audit_end(call, err); /* the call itself goes well */
		call->audit = NULL;
		return kb_mcp_refused(mcp, err);
	}
	kb_mcp_begin_content(mcp, KB_SV("It is answered from now on."));
	kb_jw_end(jw);
	kb_jw_key(jw, "structuredContent");
	kb_jw_object(jw);
	kb_jw_key_int(jw, "gap_id", gap.id);
	kb_jw_key_int(jw, "answer_id", gap.answer_id);
	kb_jw_end(jw);
	return true;
}
