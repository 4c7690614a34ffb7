#include "api/principal.h"

#define MAY(verb) (1u << (verb))

/* What each role may do. */
static const unsigned roles[] = {
	[KB_ROLE_NONE] = 0,
	[KB_ROLE_VISITOR] = MAY(KB_READ) | MAY(KB_ASK) | MAY(KB_WRITE),
	[KB_ROLE_KEEPER] = MAY(KB_READ) | MAY(KB_ASK) | MAY(KB_WRITE),
	[KB_ROLE_OWNER] = MAY(KB_READ) | MAY(KB_ASK) | MAY(KB_WRITE) | MAY(KB_MANAGE),
};
static_assert(KB_COUNTOF(roles) == KB_ROLE_COUNT, "a role without a row");

/* What is said to who may not. */
static const char *const verbs[] = {
	[KB_READ] = "it is not for who calls",
	[KB_ASK] = "it is not for who calls",
	[KB_WRITE] = "it is not for who calls",
	[KB_MANAGE] = ("this key is limited to some agents: it can neither change the account nor "
	               "make agents"),
};
static_assert(KB_COUNTOF(verbs) == KB_VERB_COUNT, "a verb without a row");

struct kb_principal kb_principal_of_key(const struct kb_key *key)
{
	return (struct kb_principal){
		.role = key->agent_count ? KB_ROLE_KEEPER : KB_ROLE_OWNER,
		.account = key->account_id,
		.key = key->id,
		.agents = key->agents,
		.agent_count = key->agent_count,
	};
}

struct kb_principal kb_principal_of_visitor(const struct kb_visitor *visitor, int64_t account)
{
	return (struct kb_principal){
		.role = KB_ROLE_VISITOR,
		.account = account,
		.person = visitor->person_id,
		.labels = visitor->labels,
	};
}

bool kb_principal_reaches(const struct kb_principal *who, int64_t agent_id)
{
	for (size_t i = 0; i < who->agent_count; i++)
		if (who->agents[i] == agent_id)
			return true;
	return who->agent_count == 0;
}

bool kb_principal_may(const struct kb_principal *who, enum kb_verb verb, struct kb_err *err)
{
	return (roles[who->role] & MAY(verb)) != 0
	       || kb_fail(err, KB_E_FORBIDDEN, "%s", verbs[verb]);
}

bool kb_principal_is_visitor(const struct kb_principal *who)
{
	return who->role == KB_ROLE_VISITOR;
}

int64_t kb_principal_user(const struct kb_principal *who)
{
	return kb_principal_is_visitor(who) ? 0 : who->account;
}
