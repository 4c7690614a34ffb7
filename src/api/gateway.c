#include "api/gateway.h"

#include <ctype.h>

#include "api/api.h"
#include "base/file.h"
#include "base/utf8.h"

enum { SUBJECT_CHARS = 255, NAME_CHARS = 100, ROLES_MAX = 1 << 20 };

#define ISSUER KB_SV("gateway")

/* Fields are asked for in lower case. */
static const char *lowered(struct kb_arena *arena, const char *name)
{
	size_t n = name ? strlen(name) : 0;
	char *out = kb_arena_bytes(arena, n + 1);

	for (size_t i = 0; i <= n && name; i++)
		out[i] = (char)tolower((unsigned char)name[i]);
	return n ? out : NULL;
}

static bool read_roles(struct kb_arena *arena, const char *path, struct kb_sv *out,
                       struct kb_err *err)
{
	struct kb_err why;

	return kb_file_read(arena, path, ROLES_MAX, out, &why)
	       || kb_fail(err, KB_E_INVALID, "--roles: %s", why.msg);
}

static bool judge(struct kb_arena *arena, const struct kb_gateway *gateway,
                  const struct kb_groups *groups, struct kb_person *person, struct kb_sv *account,
                  struct kb_err *err)
{
	struct kb_err why;
	struct kb_sv file;

	return read_roles(arena, gateway->roles, &file, err)
	       && (kb_roles_judge(arena, file, groups, person, account, &why)
	           || kb_fail(err, KB_E_INVALID, "--roles: %s", why.msg));
}

/* Each line can be read. */
static bool check_roles(struct kb_arena *arena, const struct kb_gateway *gateway,
                        struct kb_err *err)
{
	struct kb_groups none = { 0 };
	struct kb_person nobody = { 0 };
	struct kb_sv account;

	return judge(arena, gateway, &none, &nobody, &account, err);
}

bool kb_gateway_open(struct kb_arena *arena, struct kb_gateway *gateway,
                     const struct kb_gateway_beside *beside, struct kb_err *err)
{
	gateway->subject = lowered(arena, gateway->subject);
	gateway->name = lowered(arena, gateway->name);
	gateway->groups = lowered(arena, gateway->groups);
	if (!gateway->subject)
		return !beside->provider
		       || (gateway->roles ? check_roles(arena, gateway, err)
		                          : kb_fail(err, KB_E_INVALID,
		                                    "--oidc-issuer needs --roles: it says who is "
		                                    "let in"));
	if (!beside->proxies)
		return kb_fail(err, KB_E_INVALID,
		               "--sign-in-header needs --trusted-proxies: from nobody else the "
		               "field counts");
	if (!gateway->roles || !gateway->groups)
		return kb_fail(err, KB_E_INVALID,
		               "--sign-in-header needs --sign-in-groups-header and --roles: they "
		               "say who is let in");
	return check_roles(arena, gateway, err);
}

/* A field of the gateway's; one that comes twice, or from elsewhere, says nothing. */
static struct kb_sv said(const struct kb_call *call, const char *name)
{
	struct kb_sv value = { 0 };
	size_t count = 0;

	for (size_t i = 0; name && call->req->from_proxy && i < call->req->field_count; i++)
		if (kb_sv_eq_str(call->req->fields[i].name, name)) {
			value = kb_sv_trim(call->req->fields[i].value);
			count++;
		}
	return count == 1 && kb_utf8_valid(value) && !kb_utf8_has_control(value) ? value
	                                                                         : KB_SV("");
}

bool kb_gateway_knows(const struct kb_call *call)
{
	return said(call, call->api->gateway.subject).n > 0;
}

static bool arrive(struct kb_call *call, struct kb_person *person, struct kb_sv handle,
                   struct kb_key *out, struct kb_err *err)
{
	struct kb_account account;

	if (!kb_store_account_ensure(call->api->store, call->arena, handle, KB_SV(""), &account,
	                             err))
		return false;
	person->account_id = account.id;
	if (!kb_store_person_arrive(call->api->store, call->arena, person, err))
		return false;
	*out = (struct kb_key){ .account_id = account.id, .person_id = person->id };
	return true;
}

bool kb_groups_admit(struct kb_call *call, const struct kb_groups *groups, struct kb_person *person,
                     struct kb_key *out, struct kb_err *err)
{
	struct kb_sv account;

	if (!judge(call->arena, &call->api->gateway, groups, person, &account, err))
		return false;
	if (!account.n) {
		kb_warn(&call->req->log, "nobody's group signs in user=%.*s groups=%zu",
		        KB_SV_ARG(person->subject), groups->count);
		if (!kb_store_person_depart(call->api->store, person->issuer, person->subject, err))
			return false;
		return kb_fail(err, KB_E_FORBIDDEN, "none of your groups is let in");
	}
	return arrive(call, person, account, out, err);
}

bool kb_gateway_admit(struct kb_call *call, struct kb_key *out, struct kb_err *err)
{
	const struct kb_gateway *gateway = &call->api->gateway;
	struct kb_sv subject = said(call, gateway->subject), name = said(call, gateway->name);
	struct kb_groups groups = kb_groups_read(call->arena, said(call, gateway->groups));
	struct kb_person person = { .issuer = ISSUER, .subject = subject, .email = KB_SV("") };

	if (!subject.n || kb_utf8_count(subject) > SUBJECT_CHARS)
		return kb_fail(err, KB_E_UNAUTHORIZED, "no gateway says who this is");
	person.name = kb_utf8_head(name.n ? name : subject, NAME_CHARS);
	if (kb_sv_find_byte(subject, '@') > 0)
		person.email = subject;
	return kb_groups_admit(call, &groups, &person, out, err);
}
