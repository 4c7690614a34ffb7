/*
 * Who is behind a proxy, and what was asked there: X-Forwarded-For, -Proto and -Host, believed from
 * the operator's own proxies alone.
 *
 * Each proxy writes the address that it sees behind those it was given, so the list is read from
 * its end: what a trusted proxy wrote is true, and the first address that is no trusted proxy's is
 * the client's. Whatever stands before it, the client may have made up. `Forwarded` (RFC 7239) is
 * not read: a proxy that writes one of the two lets clients write the other. Of schemes and hosts
 * the last one counts, which the proxy in front of us wrote. Pure; any thread.
 */
#ifndef KB_HTTP_FORWARDED_H
#define KB_HTTP_FORWARDED_H

#include <sys/socket.h>

#include "base/address.h"
#include "http/request.h"

/* Is it the address of one of the operator's proxies? */
bool kb_proxy_is_trusted(const struct kb_guard *proxies, const struct sockaddr *address);

/* The client of a request that came from a trusted proxy, as text. false: the fields do not say,
 * and out is as it was. */
bool kb_forwarded_client(const struct kb_guard *proxies, const struct kb_http_field *fields,
                         size_t count, char out[KB_ADDRESS_TEXT]);

/* The scheme and host under which the client reached the proxies; what the fields do not say stays
 * as it was. *host points into the fields. */
void kb_forwarded_place(const struct kb_http_field *fields, size_t count, bool *tls,
                        struct kb_sv *host);

#endif
