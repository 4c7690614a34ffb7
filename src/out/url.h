/*
 * URLs as browsers read them (the WHATWG URL standard): the one parser of this process.
 *
 * What is checked, what is connected to and what is stored all come from the same parse, so no two
 * readers can disagree about which host an address names. Pure but for the arena; any thread. The
 * time is linear in the text.
 */
#ifndef KB_OUT_URL_H
#define KB_OUT_URL_H

#include "base/arena.h"
#include "base/err.h"

enum kb_host_kind {
	KB_HOST_NONE,   /* host.p == NULL: the URL has none ("mailto:a"); else it is empty
	                   ("file:///") */
	KB_HOST_DOMAIN, /* in ASCII (punycode), lower case */
	KB_HOST_OPAQUE, /* of a scheme we do not know */
	KB_HOST_IPV4,
	KB_HOST_IPV6, /* in brackets */
};

struct kb_url {
	struct kb_sv href;   /* the whole, serialised; the others are its parts, percent-encoded */
	struct kb_sv scheme; /* without ':' */
	struct kb_sv username, password;
	struct kb_sv host;
	enum kb_host_kind host_kind;
	uint8_t address[16]; /* of an IP host, network order; IPv4 in the first four */
	int port;            /* -1: none, or the scheme's own */
	struct kb_sv path;
	struct kb_sv query;    /* with its '?', perhaps that alone; p == NULL: none was given */
	struct kb_sv fragment; /* with its '#', likewise */
	bool opaque_path;      /* mailto:, data:, … */
};

/* base: NULL or the URL that a relative one stands on. Ill-formed UTF-8 counts as U+FFFD. What out
 * names lives in the arena. KB_E_INVALID says what is wrong. */
bool kb_url_parse(struct kb_arena *arena, struct kb_sv text, const struct kb_url *base,
                  struct kb_url *out, struct kb_err *err) KB_MUST_CHECK;
/* The port to connect to: its own, or 80 and 443; 0: the scheme has none. */
int kb_url_port(const struct kb_url *url);
/* Same scheme, host and port. */
bool kb_url_same_origin(const struct kb_url *a, const struct kb_url *b);
/* Whether the scheme is http or https and there is a host: what a browser would go to. */
bool kb_url_is_web(const struct kb_url *url);
/* href without the fragment, with "/" for an empty path: one name for one document. */
struct kb_sv kb_url_document(struct kb_arena *arena, const struct kb_url *url);

#endif
