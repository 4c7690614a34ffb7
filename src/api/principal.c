#include "api/principal.h"

#define IS(role)  (1u << KB_ROLE_##role)
#define OF_AGENTS (IS(ASKER) | IS(READER) | IS(EDITOR) | IS(CHECKER) | IS(KEEPER))

/* The roles that come with each right of a person, by its bit. */
static const unsigned by_right[] = {
	IS(ASKER),
	IS(ASKER) | IS(READER),
	IS(ASKER) | IS(EDITOR),
	IS(ASKER) | IS(READER) | IS(CHECKER),
	OF_AGENTS,
};
static_assert(KB_COUNTOF(by_right) == KB_RIGHT_COUNT, "a right without a row");

static const unsigned by_standing[] = {
	[KB_PERSON_MEMBER] = IS(MEMBER),
	[KB_PERSON_AUDITOR] = IS(MEMBER) | IS(AUDITOR),
	[KB_PERSON_OWNER] = IS(MEMBER) | OF_AGENTS | IS(AUDITOR) | IS(OWNER),
};
static_assert(KB_COUNTOF(by_standing) == KB_STANDING_COUNT, "a standing without a row");

/* What a person is told who lacks a role. */
static const char *const lacking[] = {
	[KB_ROLE_NONE] = "it is not for who calls",
	[KB_ROLE_VISITOR] = "it is for visitors of a public agent",
	[KB_ROLE_DIRECTORY] = "it is for a directory of the organisation",
	[KB_ROLE_MEMBER] = "it is for members of the account",
	[KB_ROLE_ASKER] = "you may not ask this agent",
	[KB_ROLE_READER] = "this is for who may see the agent's conversations",
	[KB_ROLE_EDITOR] = "this is for who manages the agent's content",
	[KB_ROLE_CHECKER] = "this is for who improves the agent's answers",
	[KB_ROLE_KEEPER] = "this is for who manages the agent",
	[KB_ROLE_AUDITOR] = "this is for auditors and owners of the account",
	[KB_ROLE_OWNER] = "this is for owners of the account",
};
static_assert(KB_COUNTOF(lacking) == KB_ROLE_COUNT, "a role without a sentence");

static const char *const names[] = {
	"nobody", "visitor", "directory", "member",  "asker", "reader",
	"editor", "checker", "keeper",    "auditor", "owner",
};
static_assert(KB_COUNTOF(names) == KB_ROLE_COUNT, "a role without a name");

static const int64_t no_agent[] = { 0 };

struct kb_principal kb_principal_of_key(const struct kb_key *key)
{
	return (struct kb_principal){
		.roles = by_standing[KB_PERSON_OWNER]
		         & ~(key->agent_count ? IS(AUDITOR) | IS(OWNER) : 0),
		.account = key->account_id,
		.key = key->id,
		.agents = key->agents,
		.agent_count = key->agent_count,
	};
}

struct kb_principal kb_principal_of_directory(const struct kb_directory_token *token)
{
	return (struct kb_principal){
		.roles = IS(DIRECTORY),
		.account = token->account_id,
		.directory = token->id,
		.agents = no_agent,
		.agent_count = 1,
	};
}

struct kb_principal kb_principal_of_visitor(const struct kb_visitor *visitor, int64_t account)
{
	return (struct kb_principal){
		.roles = IS(VISITOR),
		.account = account,
		.person = visitor->person_id,
		.labels = visitor->labels,
	};
}

static unsigned roles_of(int64_t rights)
{
	unsigned roles = 0;

	for (int i = 0; i < KB_RIGHT_COUNT; i++)
		if (rights & (INT64_C(1) << i))
			roles |= by_right[i];
	return roles;
}

/* An owner's grants say nothing more; who has none reaches no agent. */
static void reach(struct kb_arena *arena, const struct kb_person *person, struct kb_principal *who)
{
	int64_t *agents = KB_NEW_ARRAY(arena, person->grant_count, int64_t);

	if (person->standing == KB_PERSON_OWNER)
		return;
	who->grants = person->grants;
	who->grant_count = person->grant_count;
	who->agents = agents;
	for (size_t i = 0; i < person->grant_count; i++) {
		if (person->grants[i].agent_id == 0) {
			who->roles |= roles_of(person->grants[i].rights);
			who->agents = NULL;
		}
		agents[i] = person->grants[i].agent_id;
	}
	if (who->agents)
		who->agent_count = person->grant_count;
	if (!person->grant_count) {
		who->agents = no_agent;
		who->agent_count = 1;
	}
}

struct kb_principal kb_principal_of_person(struct kb_arena *arena, const struct kb_person *person,
                                           int64_t key)
{
	struct kb_principal who = {
		.roles = by_standing[person->standing],
		.account = person->account_id,
		.key = key,
		.member = person->id,
		.person = -person->id,
		.labels = person->labels,
	};

	reach(arena, person, &who);
	return who;
}

const char *kb_role_name(enum kb_role role)
{
	return names[role];
}

bool kb_principal_reaches(const struct kb_principal *who, int64_t agent_id)
{
	for (size_t i = 0; i < who->agent_count; i++)
		if (who->agents[i] == agent_id)
			return true;
	return who->agent_count == 0;
}

static bool has(const struct kb_principal *who, enum kb_role role, int64_t agent_id)
{
	unsigned roles = who->roles;

	for (size_t i = 0; i < who->grant_count; i++)
		if (agent_id == 0 || who->grants[i].agent_id == agent_id)
			roles |= roles_of(who->grants[i].rights);
	if (who->is_program)
		roles &= IS(ASKER);
	return (roles & (1u << role)) != 0;
}

bool kb_principal_is(const struct kb_principal *who, enum kb_role role, int64_t agent_id,
                     struct kb_err *err)
{
	if (has(who, role, agent_id))
		return true;
	if (!who->member && role >= KB_ROLE_AUDITOR)
		return kb_fail(err, KB_E_FORBIDDEN,
		               "this key is limited to some agents: it can neither change the "
		               "account nor make agents");
	return kb_fail(err, KB_E_FORBIDDEN, "%s", lacking[role]);
}

void kb_principal_enter(struct kb_principal *who, int64_t agent_id, enum kb_verb verb)
{
	enum kb_role role = verb == KB_READ ? KB_ROLE_READER : KB_ROLE_KEEPER;

	if (who->member)
		who->person = has(who, role, agent_id) ? 0 : -who->member;
}

bool kb_principal_is_visitor(const struct kb_principal *who)
{
	return (who->roles & IS(VISITOR)) != 0;
}

int64_t kb_principal_user(const struct kb_principal *who)
{
	return kb_principal_is_visitor(who) ? 0 : who->account;
}

int64_t kb_principal_person(const struct kb_principal *who)
{
	return who->member ? -who->member : who->person;
}
