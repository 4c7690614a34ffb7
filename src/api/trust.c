/* How far a stored answer may be trusted: its claims, the judgement of them, a check to keep. */
#include "write/trust.h"

#include "api/routes.h"
#include "parse/parse.h"

static bool load(struct kb_call *call, struct kb_message *message, struct kb_claims *claims,
                 struct kb_err *err)
{
	return kb_call_message(call, message, err)
	       && kb_claims_check(call->api->store, call->api->blobs, call->arena, message, claims,
	                          err);
}

static void write_verification(struct kb_jw *jw, const struct kb_verification *verified)
{
	kb_jw_key(jw, "last_verification");
	if (verified->at == 0) {
		kb_jw_null(jw);
		return;
	}
	kb_jw_object(jw);
	kb_jw_key_time(jw, "verified_at", verified->at);
	kb_jw_key_int(jw, "claims", verified->claims);
	kb_jw_key_int(jw, "supported", verified->supported);
	kb_jw_end(jw);
}

static void write_places(struct kb_jw *jw, const struct kb_claim *claim)
{
	kb_jw_key(jw, "places");
	kb_jw_array(jw);
	for (size_t i = 0; i < claim->place_count; i++) {
		const struct kb_claim_place *place = &claim->places[i];

		kb_jw_object(jw);
		kb_jw_key_int(jw, "page_id", place->page_id);
		kb_page_no_write(jw, place->page_no);
		kb_jw_key_int(jw, "offset", place->offset);
		kb_jw_key_int(jw, "length", place->length);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

bool kb_trust_claims(struct kb_call *call, struct kb_err *err)
{
	struct kb_message message;
	struct kb_claims claims;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!load(call, &message, &claims, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key(&jw, "claims");
	kb_jw_array(&jw);
	for (size_t i = 0; i < claims.count; i++) {
		const struct kb_claim *claim = &claims.v[i];

		kb_jw_object(&jw);
		kb_jw_key_sv(&jw, "claim", claim->text);
		kb_jw_key_str(&jw, "status", kb_claim_status_name(claim->status));
		kb_jw_key(&jw, "sources");
		kb_jw_array(&jw);
		for (size_t k = 0; k < claim->place_count; k++)
			kb_jw_int(&jw, claim->places[k].page_id);
		kb_jw_end(&jw);
		write_places(&jw, claim);
		kb_jw_key_sv(&jw, "reason", claim->reason);
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	write_verification(&jw, &claims.verified);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

static void write_row(struct kb_jw *jw, const struct kb_trust_row *row)
{
	kb_jw_key(jw, row->stakeholder);
	kb_jw_object(jw);
	kb_jw_key_str(jw, "flag", kb_trust_flag_name(row->flag));
	kb_jw_key_sv(jw, "rationale", row->rationale);
	kb_jw_key_str(jw, "stakeholder", row->stakeholder);
	kb_jw_key(jw, "recommendations");
	kb_jw_array(jw);
	for (size_t i = 0; i < KB_TRUST_ADVICE && row->advice[i]; i++)
		kb_jw_str(jw, row->advice[i]);
	kb_jw_end(jw);
	kb_jw_end(jw);
}

bool kb_trust_score(struct kb_call *call, struct kb_err *err)
{
	struct kb_message message;
	struct kb_claims claims;
	struct kb_trust trust;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!load(call, &message, &claims, err))
		return false;
	kb_trust_judge(call->arena, &message, &claims, &trust);
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "overall_status", kb_trust_flag_name(trust.overall));
	kb_jw_key(&jw, "stakeholder_analysis");
	kb_jw_object(&jw);
	for (size_t i = 0; i < KB_TRUST_ROWS; i++)
		write_row(&jw, &trust.rows[i]);
	kb_jw_end(&jw);
	write_verification(&jw, &claims.verified);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

static struct kb_sv outcome(struct kb_arena *arena, const struct kb_claims *claims)
{
	if (claims->count == 0)
		return KB_SV("The answer claims nothing that could be verified.");
	if (claims->unverifiable)
		return kb_arena_printf(
		        arena,
		        "%zu of %zu statements stand in their sources; %zu cannot be "
		        "verified.",
		        claims->supported, claims->count, claims->unverifiable);
	return kb_arena_printf(arena, "%zu of %zu statements stand in their sources.",
	                       claims->supported, claims->count);
}

bool kb_trust_verify(struct kb_call *call, struct kb_err *err)
{
	struct kb_message message;
	struct kb_claims claims;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!load(call, &message, &claims, err))
		return false;
	claims.verified = (struct kb_verification){ .at = kb_clock_now_us(call->api->clock),
		                                    .claims = (int64_t)claims.count,
		                                    .supported = (int64_t)claims.supported };
	if (!kb_store_message_set_details(
	            call->api->store, call->agent.id, message.conversation_id, message.id,
	            kb_claims_verified(call->arena, &message, &claims.verified), err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, "message", outcome(call->arena, &claims));
	write_verification(&jw, &claims.verified);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}
