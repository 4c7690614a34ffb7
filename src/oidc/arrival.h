/* Who has signed in, as a provider's claims describe them. Pure but for the arena; any thread. */
#ifndef KB_OIDC_ARRIVAL_H
#define KB_OIDC_ARRIVAL_H

#include "base/json.h"

struct kb_oidc_arrival {
	struct kb_sv subject, sid;  /* of the token alone */
	struct kb_sv external_id;   /* the same: what the organisation's directory calls them */
	struct kb_sv name, email;   /* one line each; may be empty */
	bool is_verified;           /* the provider says that the address is theirs */
	const struct kb_sv *groups; /* NULL: the claim is nowhere */
	size_t group_count;
};

/* Fills what of groups, name and email is not known yet; an address that is not verified is none.
 * groups_claim: a name, or a path of names with dots. False: groups or name are missing still. */
bool kb_oidc_arrival_read(struct kb_arena *arena, const json_t *claims, const char *groups_claim,
                          struct kb_oidc_arrival *out);

#endif
