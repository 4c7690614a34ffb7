/*
 * Who a visitor is, as their site has signed it: a JWT (RFC 7519) by HS256 with the agent's secret.
 *
 *   { "sub": "customer-4711", "name": "Ann", "labels": ["gold"], "exp": 1764000000 }
 *
 * sub and exp are needed, exp within the next hour; nbf is obeyed where it is there. sub and name
 * are one line each. What is signed is the site's word: the name is told to the agent where it may
 * know it, and the labels open the documents that carry one of them.
 */
#ifndef KB_API_IDENTITY_H
#define KB_API_IDENTITY_H

#include "base/arena.h"

struct kb_identity {
	struct kb_sv subject, name;
	struct kb_sv labels; /* JSON array of strings; empty: none */
	int64_t ends_at;     /* microseconds */
};

/* KB_E_FORBIDDEN says what is wrong with it. now: microseconds. Pure. */
bool kb_identity_read(struct kb_arena *arena, struct kb_sv jwt, struct kb_sv secret, int64_t now,
                      struct kb_identity *out, struct kb_err *err) KB_MUST_CHECK;

#endif
