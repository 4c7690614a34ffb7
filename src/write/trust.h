/*
 * How far an answer may be trusted, for six kinds of reader, by fixed rules over what is known of
 * it. No figure is made up: each sentence says what was counted. Pure; any thread.
 *
 * The rules, a flag each ("fail" before "review" before "pass"):
 *
 *   end_user              fail    a claim whose source does not say so
 *                         review  no answer was given; the reader disliked it; a claim that cannot
 *                                 be checked
 *   security_it           fail    the answer holds a script, or orders to a language model
 *                         review  the question holds such orders
 *   risk_compliance       fail    the answer holds personal details
 *                         review  the question does
 *   legal_compliance      fail    a claim whose source does not say so
 *                         review  a claim without a citation
 *   public_relations      fail    the reader disliked it and a claim is not supported
 *                         review  one of the two; the gate was barely open (below 1)
 *   executive_leadership  fail    less than half of the claims are supported
 *                         review  not all of them, or no answer was given
 *
 * overall_status is the worst of the six. An answer that claims nothing (small talk, an overview)
 * passes where nothing else is found.
 */
#ifndef KB_WRITE_TRUST_H
#define KB_WRITE_TRUST_H

#include "write/claims.h"

enum kb_trust_flag { KB_TRUST_PASS, KB_TRUST_REVIEW, KB_TRUST_FAIL };
/* "pass", "review", "fail" */
const char *kb_trust_flag_name(enum kb_trust_flag flag);

enum { KB_TRUST_ROWS = 6, KB_TRUST_ADVICE = 3 };

struct kb_trust_row {
	const char *stakeholder; /* "end_user", … */
	enum kb_trust_flag flag;
	struct kb_sv rationale;
	const char *advice[KB_TRUST_ADVICE]; /* up to the first NULL */
};

struct kb_trust {
	enum kb_trust_flag overall;
	struct kb_trust_row rows[KB_TRUST_ROWS];
};

/* claims as checked for this message. */
void kb_trust_judge(struct kb_arena *arena, const struct kb_message *message,
                    const struct kb_claims *claims, struct kb_trust *out);

#endif
