#include "api/roles.h"

#include "base/json.h"

enum { LABELS_MAX = 50, GROUPS_MAX = 1000 };

static bool has(const struct kb_groups *groups, struct kb_sv name)
{
	for (size_t i = 0; i < groups->count; i++)
		if (kb_sv_eq(groups->v[i], name))
			return true;
	return false;
}

/* What the person has so far. */
struct judging {
	struct kb_person *person;
	struct kb_sv account;
	bool is_let_in;
	struct kb_grant grants[KB_GRANTS_MAX];
	struct kb_sv labels[LABELS_MAX];
	size_t label_count;
};

static int place_of(const char *const *names, size_t count, struct kb_sv name)
{
	for (size_t i = 0; i < count; i++)
		if (kb_sv_eq_str(name, names[i]))
			return (int)i;
	return -1;
}

static void grant(struct judging *in, int64_t agent_id, int64_t right)
{
	struct kb_person *person = in->person;

	for (size_t i = 0; i < person->grant_count; i++)
		if (in->grants[i].agent_id == agent_id) {
			in->grants[i].rights |= right;
			return;
		}
	if (person->grant_count < KB_GRANTS_MAX)
		in->grants[person->grant_count++] = (struct kb_grant){ agent_id, right };
}

/* "default:content@12". mine: of who is judged; any line is read. */
static bool read_role(struct judging *in, struct kb_sv text, bool mine)
{
	ptrdiff_t colon = kb_sv_find_byte(text, ':'), at;
	struct kb_sv account, role;
	int64_t agent_id = 0;
	int standing, right;

	if (colon <= 0)
		return false;
	account = kb_sv_sub(text, 0, (size_t)colon);
	role = kb_sv_from(text, (size_t)colon + 1);
	at = kb_sv_find_byte(role, '@');
	if (at >= 0) {
		if (!kb_sv_to_int(kb_sv_from(role, (size_t)at + 1), 1, INT64_MAX, &agent_id))
			return false;
		role = kb_sv_sub(role, 0, (size_t)at);
	}
	standing = place_of(kb_standing_names, KB_STANDING_COUNT, role);
	right = place_of(kb_right_names, KB_RIGHT_COUNT, role);
	if ((standing < 0 && right < 0) || (standing >= 0 && agent_id))
		return false;
	if (!mine || (in->account.n && !kb_sv_eq(in->account, account)))
		return true;
	in->account = account;
	in->is_let_in = true;
	if (standing > (int)in->person->standing)
		in->person->standing = (enum kb_standing)standing;
	if (right >= 0)
		grant(in, agent_id, INT64_C(1) << right);
	return true;
}

static bool read_label(struct judging *in, struct kb_sv name, bool mine)
{
	if (!name.n)
		return false;
	if (mine && in->label_count < LABELS_MAX)
		in->labels[in->label_count++] = name;
	return true;
}

/* Where the last of the two stands, or -1. */
static ptrdiff_t last_sign(struct kb_sv line)
{
	for (size_t i = line.n; i-- > 1;)
		if ((line.p[i] == '=' || line.p[i] == '>') && line.p[i - 1] == ' ' && i + 1 < line.n
		    && line.p[i + 1] == ' ')
			return (ptrdiff_t)i;
	return -1;
}

static bool read_line(struct judging *in, const struct kb_groups *groups, struct kb_sv line)
{
	ptrdiff_t sign = last_sign(line);
	struct kb_sv group, rest;

	if (sign < 0)
		return false;
	group = kb_sv_trim(kb_sv_sub(line, 0, (size_t)sign));
	rest = kb_sv_trim(kb_sv_from(line, (size_t)sign + 1));
	if (!group.n)
		return false;
	return line.p[sign] == '=' ? read_role(in, rest, has(groups, group))
	                           : read_label(in, rest, has(groups, group));
}

static struct kb_sv labels_text(struct kb_arena *arena, const struct judging *in)
{
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv out;

	kb_buf_init(&buf, KB_KIB(256));
	kb_jw_init(&jw, &buf);
	kb_jw_array(&jw);
	for (size_t i = 0; i < in->label_count; i++)
		kb_jw_sv(&jw, in->labels[i]);
	kb_jw_end(&jw);
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

bool kb_roles_judge(struct kb_arena *arena, struct kb_sv file, const struct kb_groups *groups,
                    struct kb_person *out, struct kb_sv *account, struct kb_err *err)
{
	struct judging *in = KB_NEW(arena, struct judging);
	struct kb_sv line;
	int number = 0;

	*in = (struct judging){ .person = out, .account = *account };
	out->standing = KB_PERSON_MEMBER;
	out->grant_count = 0;
	out->grants = in->grants;
	while (kb_sv_split(&file, '\n', &line)) {
		number++;
		line = kb_sv_trim(line);
		if (line.n && line.p[0] != '#' && !read_line(in, groups, line))
			return kb_fail(err, KB_E_INVALID,
			               "line %d must be GROUP = ACCOUNT:ROLE or GROUP > LABEL",
			               number);
	}
	out->labels = labels_text(arena, in);
	*account = in->is_let_in ? in->account : KB_SV("");
	return true;
}

struct kb_groups kb_groups_read(struct kb_arena *arena, struct kb_sv list)
{
	char between = kb_sv_find_byte(list, ';') >= 0 ? ';' : ',';
	struct kb_sv *v = KB_NEW_ARRAY(arena, GROUPS_MAX, struct kb_sv), group;
	size_t count = 0;

	while (count < GROUPS_MAX && kb_sv_split(&list, between, &group)) {
		group = kb_sv_trim(group);
		if (group.n)
			v[count++] = group;
	}
	return (struct kb_groups){ v, count };
}
