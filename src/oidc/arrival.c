#include "oidc/arrival.h"

#include "base/utf8.h"

enum { GROUPS_MAX = 1000, NAME_CHARS = 100, EMAIL_CHARS = 255 };

/* A member by its whole name, or by a path of names with dots between. */
static const json_t *member_of(struct kb_arena *arena, const json_t *claims, const char *name)
{
	const json_t *at = kb_json_get(claims, name);
	struct kb_sv rest = kb_sv_str(name), part;

	if (at || kb_sv_find_byte(rest, '.') < 0)
		return at;
	at = claims;
	while (at && kb_sv_split(&rest, '.', &part))
		at = json_is_object(at) ? kb_json_get(at, kb_arena_str(arena, part)) : NULL;
	return at;
}

static void read_groups(struct kb_arena *arena, const json_t *claim, struct kb_oidc_arrival *out)
{
	size_t count = json_is_string(claim) ? 1 : KB_MIN(json_array_size(claim), GROUPS_MAX);
	struct kb_sv *groups = KB_NEW_ARRAY(arena, count + 1, struct kb_sv);

	out->groups = groups;
	out->group_count = 0;
	for (size_t i = 0; i < count; i++) {
		const json_t *one = json_is_string(claim) ? claim : json_array_get(claim, i);

		if (json_is_string(one) && json_string_length(one))
			groups[out->group_count++] =
			        kb_sv(json_string_value(one), json_string_length(one));
	}
}

static struct kb_sv line_of(const json_t *claims, const char *name, size_t max)
{
	struct kb_sv text = kb_json_sv(claims, name, KB_SV(""));

	return kb_utf8_has_control(text) ? KB_SV("") : kb_sv_trim(kb_utf8_head(text, max));
}

bool kb_oidc_arrival_read(struct kb_arena *arena, const json_t *claims, const char *groups_claim,
                          struct kb_oidc_arrival *out)
{
	const json_t *groups = member_of(arena, claims, groups_claim);

	if (!out->groups && groups)
		read_groups(arena, groups, out);
	if (!out->name.n)
		out->name = line_of(claims, "name", NAME_CHARS);
	if (!out->email.n && kb_json_bool(claims, "email_verified", true)) {
		out->email = line_of(claims, "email", EMAIL_CHARS);
		out->is_verified = kb_json_bool(claims, "email_verified", false);
	}
	return out->groups && out->name.n;
}
