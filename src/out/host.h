/* The host of a URL: domains through IDNA, IPv4 in all its spellings, IPv6. For url.c; what others
 * need stands in url.h. */
#ifndef KB_OUT_HOST_H
#define KB_OUT_HOST_H

#include "base/buf.h"
#include "out/url.h"

/* A domain longer than this is refused where it needs IDNA, whose time grows with the square of a
 * label's length; names in the DNS end at 253. */
enum { KB_HOST_IDNA_MAX = 2048 };

/* Reads what stands between "//" (or '@') and the port into host, host_kind and address. special:
 * the scheme is one of http, https, ws, wss, ftp, file. *why is a constant when it is refused. */
bool kb_host_parse(struct kb_arena *arena, struct kb_sv text, bool special, struct kb_url *out,
                   const char **why) KB_MUST_CHECK;

/* What a part of a URL may not hold as it stands. Each set holds the one before it. */
enum kb_url_set {
	KB_URL_C0, /* controls and what is not ASCII */
	KB_URL_FRAGMENT,
	KB_URL_QUERY,
	KB_URL_SPECIAL_QUERY,
	KB_URL_PATH,
	KB_URL_USERINFO,
};
void kb_url_encode(struct kb_buf *buf, struct kb_sv text, enum kb_url_set set);

#endif
