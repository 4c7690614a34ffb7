/*
 * What groups of an organisation are to accounts: the file of --roles.
 *
 *	# GROUP = ACCOUNT:ROLE, GROUP > LABEL
 *	Service desk = default:ask
 *	editors = default:content@12
 *	it = default:owner
 *	hr > hr
 *
 * ROLE is member, auditor, owner, or a right (store/people.h) for each agent or, behind @, for one.
 * The last " = " or " > " of a line parts it, so that names may hold either. Somebody is of the
 * account of the first line that names a group of theirs, and has there what all their groups are
 * given; who is in none of them is not let in. Pure.
 */
#ifndef KB_API_ROLES_H
#define KB_API_ROLES_H

#include "store/people.h"

/* Of a gateway (gateway.h): its fields, in lower case, and the file; subject NULL: there is none.
 */
struct kb_gateway {
	const char *subject, *name, *groups, *roles;
};

struct kb_groups {
	const struct kb_sv *v;
	size_t count;
};

/* Fills standing, grants and labels of the person, and the handle of their account, which is empty
 * where no group of theirs has one. Where *account is one already, lines of others say nothing.
 * KB_E_INVALID names the line that cannot be read, whoever it is for. */
bool kb_roles_judge(struct kb_arena *arena, struct kb_sv file, const struct kb_groups *groups,
                    struct kb_person *out, struct kb_sv *account, struct kb_err *err) KB_MUST_CHECK;

/* "staff, hr" as a gateway lists them: by semicolons, or where there are none by commas. */
struct kb_groups kb_groups_read(struct kb_arena *arena, struct kb_sv list);

#endif
