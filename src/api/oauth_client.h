/*
 * Programs that come by the address of their own description (OAuth Client ID Metadata Documents):
 * the address is their name, and whoever answers there says what they are called and where a
 * browser may be sent back to.
 *
 * It is fetched as any address that a stranger gives (out/fetch.h): no inner addresses, no
 * redirect, little and soon. Nothing in it is believed but for the program itself.
 */
#ifndef KB_API_OAUTH_CLIENT_H
#define KB_API_OAUTH_CLIENT_H

#include "out/fetch.h"

enum {
	KB_OAUTH_CLIENT_BYTES = 10240, /* of the document */
	KB_OAUTH_CLIENT_REDIRECTS = 50,
	KB_OAUTH_CLIENT_NAME = 100,
	KB_OAUTH_ADDRESS_CHARS = 2000,
};

struct kb_oauth_client {
	struct kb_sv id;   /* its address, as it was given */
	struct kb_sv host; /* of that: who vouches for it */
	struct kb_sv name; /* in its own words; empty: none */
	const struct kb_sv *redirects;
	size_t redirect_count;
};

/* For tests: reads its document, where its address can be one: https, a path, no user, no fragment,
 * no way up. KB_E_INVALID says what is wrong. Pure, as is the next. */
bool kb_oauth_client_read(struct kb_arena *arena, struct kb_sv id, struct kb_sv json,
                          struct kb_oauth_client *out, struct kb_err *err) KB_MUST_CHECK;
/* Whether a browser may be sent there: an address that it lists, byte for byte; of one on the
 * reader's own machine with any port (RFC 8252). *host: who that is; empty: that machine.
 * KB_E_INVALID. */
bool kb_oauth_client_takes(struct kb_arena *arena, const struct kb_oauth_client *client,
                           struct kb_sv redirect, struct kb_sv *host,
                           struct kb_err *err) KB_MUST_CHECK;

/* Fetches and reads it. KB_E_INVALID, whatever went wrong there; KB_E_CANCELLED: the service stops.
 */
bool kb_oauth_client_fetch(struct kb_fetcher *fetcher, struct kb_arena *arena, struct kb_sv id,
                           struct kb_oauth_client *out, struct kb_err *err) KB_MUST_CHECK;

#endif
