/*
 * People whom a gateway before the service has signed in (--sign-in-header): by SAML, Kerberos,
 * LDAP, certificates, whatever it speaks. It says who they are in fields of each request, which
 * count from trusted proxies alone; the proxy has to take them out of what clients send.
 *
 * Who they are there is who they are here, and their groups say what they may (roles.h). Both are
 * asked anew after KB_GATEWAY_LASTS_US, when the browser signs in again by itself.
 */
#ifndef KB_API_GATEWAY_H
#define KB_API_GATEWAY_H

#include "api/roles.h"
#include "store/directory.h"

#define KB_GATEWAY_LASTS_US (8 * 3600 * KB_SECOND_US)

struct kb_call;

/* What else is configured: proxies that are trusted, a provider (src/oidc) of the same roles. */
struct kb_gateway_beside {
	bool proxies, provider;
};
/* Whether all of it is there and can be read, and the fields' names as requests are asked for
 * them. */
bool kb_gateway_open(struct kb_arena *arena, struct kb_gateway *gateway,
                     const struct kb_gateway_beside *beside, struct kb_err *err) KB_MUST_CHECK;
/* Whether the gateway says who sends this. */
bool kb_gateway_knows(const struct kb_call *call);
/* That person is here, with what their groups give them now: a key without an id (signins.h).
 * KB_E_UNAUTHORIZED where nobody is named, KB_E_FORBIDDEN where no group of theirs is let in: then
 * they are let go. */
bool kb_gateway_admit(struct kb_call *call, struct kb_key *out, struct kb_err *err) KB_MUST_CHECK;
/* The same of somebody whom another knows: of the person, issuer, subject, name, email and what
 * they say besides are set. Who is in a directory (store/directory.h) has its groups too, and is
 * not let in where that has switched them off. */
bool kb_groups_admit(struct kb_call *call, const struct kb_groups *groups, struct kb_person *person,
                     struct kb_key *out, struct kb_err *err) KB_MUST_CHECK;

/* What groups are to people of that account, by the file of today; nothing where there is none. */
bool kb_groups_roles(struct kb_call *call, int64_t account_id, struct kb_directory_roles *out,
                     struct kb_err *err) KB_MUST_CHECK;

#endif
