/*
 * What an answer claims, and whether its sources still say so.
 *
 * With each message a note is stored (kb_message.details): the kind of answer, the question's
 * language and kind, the gate's figure, and of each sentence that leans on a document its place in
 * the answer and in the document's extracted text. A claim is such a sentence. A quote is supported
 * while the text of its document holds it word for word, a model's sentence while what stands there
 * supports it (support.h); a document that has changed or is gone supports it no more. What came
 * from a file of the message, or from the caller's context, cannot be checked, since neither is
 * kept. Small talk, overviews and texts of the settings claim nothing.
 *
 * The note is a JSON object:
 *
 *   {"kind":"quotes","lang":"en","type":"who","confidence":2.5,
 *    "quotes":[{"at":0,"bytes":64,"page_id":7,"page_no":2,"offset":120},
 *              {"at":66,"bytes":20,"file":"invoice.pdf"},
 *              {"at":90,"bytes":70,"page_id":7,"page_no":2,"offset":120,"length":64},   a model's
 *              {"at":90,"bytes":70,"page_id":9,"page_no":0,"offset":12,"length":80},    sentence
 *              {"at":170,"bytes":40,"page_id":0}],                    that no source supports
 *    "checked":{"page_id":7,"version":2,"by":"Ann","at":1700000000000000},  a checked answer
 *    "conflicts":[{"said":{…},"other":{…}}],  what other documents say otherwise (conflict.h)
 *    "closest":[{"page_id":7,"page_no":2,"title":"…","quote":"…",…}],  (closest.h)
 *    "verified":{"at":1700000000000000,"claims":2,"supported":1}}     after a verification
 *
 * An answer that a model wrote also says which model that was ("model"), which documents it was
 * given ("given"), how many statements it makes and how many of them no document supports.
 *
 * For workers: a check reads the store and blobs. Results live in the caller's arena.
 */
#ifndef KB_WRITE_CLAIMS_H
#define KB_WRITE_CLAIMS_H

#include "answer/answer.h"
#include "blob/blob.h"
#include "store/conversations.h"

/* The note of a new message. */
struct kb_sv kb_claims_note(struct kb_arena *arena, const struct kb_answer *answer,
                            const struct kb_attached *attached);

/* Why the answer leaves a gap (store/gaps.h); 0: it does not. */
int64_t kb_claims_gap(const struct kb_answer *answer);

enum kb_claim_status {
	KB_CLAIM_SUPPORTED,
	KB_CLAIM_UNSUPPORTED,
	KB_CLAIM_UNVERIFIABLE,
};
/* "supported", … */
const char *kb_claim_status_name(enum kb_claim_status status);

enum { KB_CLAIM_PLACES = 4 };

/* What supports a claim, or did: bytes of the document's extracted text. */
struct kb_claim_place {
	int64_t page_id;
	uint32_t page_no; /* 0: none */
	uint32_t offset, length;
};

struct kb_claim {
	struct kb_sv text; /* of the stored answer */
	enum kb_claim_status status;
	/* None: a file of the message, the caller's context, or nothing supports it. */
	struct kb_claim_place places[KB_CLAIM_PLACES];
	size_t place_count;
	struct kb_sv reason;
};

struct kb_verification {
	int64_t at; /* 0: never */
	int64_t claims, supported;
};

struct kb_claims {
	/* Of the note; empty where an older message has none. */
	struct kb_sv kind, lang, type;
	double confidence;
	struct kb_claim *v;
	size_t count, supported, unsupported, unverifiable;
	struct kb_verification verified; /* the last stored one */
};

/* What the note says by itself, without a check. A damaged note says nothing. */
void kb_claims_read(struct kb_arena *arena, const struct kb_message *message,
                    struct kb_claims *out);
/* The documents that the answer was made of, whether it cites them or not. */
const int64_t *kb_claims_pages(struct kb_arena *arena, const struct kb_message *message,
                               size_t *count);
/* Where the answer stands in its documents, as the note says, without a check; where there is none,
 * the closest passages in their order. */
const struct kb_claim_place *kb_claims_places(struct kb_arena *arena,
                                              const struct kb_message *message, size_t *count);
/* The same with the claims checked against the documents as they are now. */
bool kb_claims_check(struct kb_store *store, struct kb_blobs *blobs, struct kb_arena *arena,
                     const struct kb_message *message, struct kb_claims *out,
                     struct kb_err *err) KB_MUST_CHECK;
/* The checked answer that it was answered with; false: none. */
bool kb_claims_checked(struct kb_arena *arena, const struct kb_message *message,
                       struct kb_checked *out);
/* The message's note with this verification in it. */
struct kb_sv kb_claims_verified(struct kb_arena *arena, const struct kb_message *message,
                                const struct kb_verification *verification);

#endif
