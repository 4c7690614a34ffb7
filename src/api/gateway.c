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
	struct kb_sv account = KB_SV("");

	return judge(arena, gateway, &none, &nobody, &account, err);
}

bool kb_gateway_open(struct kb_arena *arena, struct kb_gateway *gateway,
                     const struct kb_gateway_beside *beside, struct kb_err *err)
{
	gateway->subject = lowered(arena, gateway->subject);
	gateway->name = lowered(arena, gateway->name);
	gateway->groups = lowered(arena, gateway->groups);
	if (beside->provider && !gateway->roles)
		return kb_fail(err, KB_E_INVALID,
		               "--oidc-issuer needs --roles: it says who is let in");
	if (!gateway->subject)
		return !gateway->roles || check_roles(arena, gateway, err);
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

/* ---- who is let in ---- */

static bool arrive(struct kb_call *call, struct kb_person *person, struct kb_sv handle,
                   const struct kb_directory_match *match, struct kb_key *out, struct kb_err *err)
{
	struct kb_account account;

	if (!kb_store_account_ensure(call->api->store, call->arena, handle, KB_SV(""), &account,
	                             err))
		return false;
	person->account_id = account.id;
	if (!kb_store_person_arrive(call->api->store, call->arena, person, match ? match->id : 0,
	                            err))
		return false;
	*out = (struct kb_key){ .account_id = account.id, .person_id = person->id };
	return true;
}

/* Who they are in a directory: in that of the account that their groups open; or, where they open
 * none, as whom they have signed in, else in the one directory that knows them. NULL: in none. Of
 * two that claim somebody new nobody knows whose they are: what they were stays. */
static bool find_match(struct kb_call *call, const struct kb_person *person, struct kb_sv account,
                       const struct kb_directory_match **out, struct kb_err *err)
{
	const struct kb_directory_said said = { person->issuer, person->subject,
		                                person->external_id, person->address };
	struct kb_directory_match *matches;
	size_t count;

	*out = NULL;
	if (!kb_store_directory_find(call->api->store, call->arena, &said, &matches, &count, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (account.n ? kb_sv_eq(matches[i].handle, account)
		              : matches[i].is_theirs || count == 1)
			*out = &matches[i];
	return account.n || !count || *out
	       || kb_fail(err, KB_E_FORBIDDEN, "%zu accounts' directories name you", count);
}

/* Their groups and the directory's. */
static struct kb_groups joined(struct kb_arena *arena, const struct kb_groups *groups,
                               const struct kb_directory_match *match)
{
	struct kb_sv *v = KB_NEW_ARRAY(arena, groups->count + match->group_count, struct kb_sv);

	for (size_t i = 0; i < groups->count; i++)
		v[i] = groups->v[i];
	for (size_t i = 0; i < match->group_count; i++)
		v[groups->count + i] = match->groups[i];
	return (struct kb_groups){ v, groups->count + match->group_count };
}

static struct kb_sv groups_json(struct kb_arena *arena, const struct kb_groups *groups)
{
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv text, out = KB_SV("");
	struct kb_err ignored;

	kb_buf_init(&buf, KB_KIB(256));
	kb_jw_init(&jw, &buf);
	kb_jw_array(&jw);
	for (size_t i = 0; i < groups->count; i++)
		kb_jw_sv(&jw, groups->v[i]);
	kb_jw_end(&jw);
	if (kb_buf_done(&buf, &text, &ignored))
		out = kb_arena_sv(arena, text);
	kb_buf_fini(&buf);
	return out;
}

static bool refuse(struct kb_call *call, const struct kb_groups *groups,
                   const struct kb_person *person, struct kb_err *err)
{
	kb_warn(&call->req->log, "nobody's group signs in user=%.*s groups=%zu",
	        KB_SV_ARG(person->subject), groups->count);
	return kb_store_person_depart(call->api->store, person->issuer, person->subject, err)
	       && kb_fail(err, KB_E_FORBIDDEN, "none of your groups is let in");
}

bool kb_groups_admit(struct kb_call *call, const struct kb_groups *groups, struct kb_person *person,
                     struct kb_key *out, struct kb_err *err)
{
	const struct kb_gateway *gateway = &call->api->gateway;
	const struct kb_directory_match *match;
	struct kb_sv account = KB_SV("");
	struct kb_groups all = *groups;

	if (!judge(call->arena, gateway, groups, person, &account, err)
	    || !find_match(call, person, account, &match, err))
		return false;
	if (match && !match->is_on)
		return kb_fail(err, KB_E_FORBIDDEN, KB_DIRECTORY_OFF);
	if (match) {
		all = joined(call->arena, groups, match);
		account = match->handle;
		if (!judge(call->arena, gateway, &all, person, &account, err))
			return false;
	}
	person->said_groups = groups_json(call->arena, groups);
	return account.n ? arrive(call, person, account, match, out, err)
	                 : refuse(call, &all, person, err);
}

/* ---- what groups are to a directory's people ---- */

struct giving {
	struct kb_sv file, account;
};

static bool give(void *arg, struct kb_arena *arena, struct kb_directory_given *groups,
                 struct kb_person *out, struct kb_err *err)
{
	const struct giving *in = arg;
	const struct kb_groups all = { groups->names, groups->count };
	struct kb_sv account = in->account;

	if (!kb_roles_judge(arena, in->file, &all, out, &account, err))
		return false;
	groups->is_let_in = account.n > 0;
	return true;
}

bool kb_groups_roles(struct kb_call *call, int64_t account_id, struct kb_directory_roles *out,
                     struct kb_err *err)
{
	const struct kb_gateway *gateway = &call->api->gateway;
	struct giving *in = KB_NEW(call->arena, struct giving);
	struct kb_account account;

	*out = (struct kb_directory_roles){ .arg = in };
	if (!gateway->roles)
		return true;
	if (!read_roles(call->arena, gateway->roles, &in->file, err)
	    || !kb_store_account_get(call->api->store, call->arena, account_id, &account, err))
		return false;
	in->account = account.handle;
	out->judge = give;
	return true;
}

bool kb_gateway_admit(struct kb_call *call, struct kb_key *out, struct kb_err *err)
{
	const struct kb_gateway *gateway = &call->api->gateway;
	struct kb_sv subject = said(call, gateway->subject), name = said(call, gateway->name);
	struct kb_groups groups = kb_groups_read(call->arena, said(call, gateway->groups));
	struct kb_person person = { .issuer = ISSUER,
		                    .subject = subject,
		                    .email = KB_SV(""),
		                    .external_id = subject,
		                    .address = kb_directory_key(call->arena, subject) };

	if (!subject.n || kb_utf8_count(subject) > SUBJECT_CHARS)
		return kb_fail(err, KB_E_UNAUTHORIZED, "no gateway says who this is");
	person.name = kb_utf8_head(name.n ? name : subject, NAME_CHARS);
	if (kb_sv_find_byte(subject, '@') > 0)
		person.email = subject;
	return kb_groups_admit(call, &groups, &person, out, err);
}
