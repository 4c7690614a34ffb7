#include "api/filter.h"

#include "base/utf8.h"
#include "store/labels.h"

/* Reads on while labels fit into the limits. */
struct reader {
	struct kb_arena *arena;
	size_t labels;
};

/* Adds it to the group, if it is one: a number or a text that is not empty. */
static bool read_label(struct reader *reader, const json_t *json, struct kb_label_ref *refs,
                       struct kb_label_group *group, struct kb_err *err)
{
	struct kb_label_ref *out = &refs[group->count];
	struct kb_sv text;
	int64_t id;

	*out = (struct kb_label_ref){ 0 };
	if (json_is_integer(json)) {
		out->id = json_integer_value(json);
		group->count++;
		return true;
	}
	if (!json_is_string(json))
		return true;
	text = kb_sv(json_string_value(json), json_string_length(json));
	group->count += kb_sv_trim(text).n > 0;
	if (kb_utf8_count(text) > KB_FILTER_CHARS)
		return kb_fail(err, KB_E_INVALID,
		               "labels holds a label of %zu characters, the limit is %d",
		               kb_utf8_count(text), KB_FILTER_CHARS);
	/* No name begins with a digit. */
	if (kb_sv_to_int(kb_sv_trim(text), 0, INT64_MAX, &id))
		out->id = id;
	else
		out->name = kb_label_fold(reader->arena, text);
	return true;
}

static bool read_group(struct reader *reader, const json_t *json, struct kb_label_group *out,
                       struct kb_err *err)
{
	size_t count = json_is_array(json) ? json_array_size(json) : 1;
	struct kb_label_ref *refs;

	reader->labels += count;
	if (count > KB_FILTER_GROUP_MAX)
		return kb_fail(err, KB_E_INVALID,
		               "labels holds a group of %zu labels, the limit is %d", count,
		               KB_FILTER_GROUP_MAX);
	if (reader->labels > KB_FILTER_MAX)
		return kb_fail(err, KB_E_INVALID, "labels holds %zu labels, the limit is %d",
		               reader->labels, KB_FILTER_MAX);
	refs = KB_NEW_ARRAY(reader->arena, count, struct kb_label_ref);
	*out = (struct kb_label_group){ refs, 0 };
	for (size_t i = 0; i < count; i++)
		if (!read_label(reader, json_is_array(json) ? json_array_get(json, i) : json, refs,
		                out, err))
			return false;
	return true;
}

static bool is_grouped(const json_t *labels)
{
	const json_t *item;
	size_t i;

	json_array_foreach(labels, i, item) if (json_is_array(item)) return true;
	return false;
}

bool kb_filter_read(const struct kb_inputs *inputs, struct kb_arena *arena,
                    struct kb_label_filter *out, struct kb_err *err)
{
	const json_t *labels = kb_inputs_json(inputs, arena, "labels");
	struct reader reader = { .arena = arena };
	struct kb_label_group *groups;
	size_t count;

	*out = (struct kb_label_filter){ 0 };
	if (!kb_inputs_bool(inputs, "labels_exclusive", &out->exclusive, err))
		return false;
	if (json_array_size(labels) == 0)
		return true;
	count = is_grouped(labels) ? json_array_size(labels) : 1;
	if (count > KB_FILTER_GROUPS_MAX)
		return kb_fail(err, KB_E_INVALID, "labels holds %zu groups, the limit is %d", count,
		               KB_FILTER_GROUPS_MAX);
	groups = KB_NEW_ARRAY(arena, count, struct kb_label_group);
	out->groups = groups;
	for (size_t i = 0; i < count; i++) {
		if (!read_group(&reader, is_grouped(labels) ? json_array_get(labels, i) : labels,
		                &groups[out->group_count], err))
			return false;
		out->group_count += groups[out->group_count].count > 0;
	}
	return true;
}
