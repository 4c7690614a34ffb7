/* Context of a message, and a stored note: any bytes. Paragraphs become passages, a damaged note
 * says nothing, and a judgement of both stands on what is there. */
#include "answer/attach.h"
#include "write/trust.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_sv text = kb_sv((const char *)data, size);
	struct kb_message message = { .query = text, .response = text, .details = text };
	struct kb_attached attached = { .masked = size & 1 };
	struct kb_arena arena = { 0 };
	struct kb_claims claims;
	struct kb_trust trust;

	kb_attached_add_text(&attached, &arena, text);
	KB_ASSERT(attached.count <= 1);
	kb_attached_fini(&attached);
	kb_claims_read(&arena, &message, &claims);
	KB_ASSERT(claims.count == 0);
	message.details =
	        kb_claims_verified(&arena, &message, &(struct kb_verification){ 1, 2, 3 });
	kb_claims_read(&arena, &message, &claims);
	KB_ASSERT(claims.verified.at == 1 && claims.verified.supported == 3);
	kb_trust_judge(&arena, &message, &claims, &trust);
	KB_ASSERT(trust.overall <= KB_TRUST_FAIL);
	kb_arena_fini(&arena);
	return 0;
}
