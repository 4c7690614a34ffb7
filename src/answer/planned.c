#include "answer/planned.h"

#include "base/json.h"
#include "base/utf8.h"

struct kb_sv kb_unfenced(struct kb_sv text)
{
	static const struct kb_sv fence = KB_SV_INIT("```");
	ptrdiff_t line;

	text = kb_sv_trim(text);
	if (!kb_sv_starts(text, fence) || !kb_sv_ends(text, fence) || text.n < 2 * fence.n)
		return text;
	text = kb_sv_sub(text, fence.n, text.n - 2 * fence.n);
	line = kb_sv_find_byte(text, '\n');
	return line < 0 ? text : kb_sv_trim(kb_sv_from(text, (size_t)line + 1));
}

static bool is_new(const struct kb_sv *searches, size_t count, struct kb_sv text)
{
	for (size_t i = 0; i < count; i++)
		if (kb_sv_eq(searches[i], text))
			return false;
	return true;
}

size_t kb_planned_read(struct kb_arena *arena, struct kb_sv text, size_t max,
                       struct kb_sv searches[KB_PLAN_PARTS_MAX])
{
	const json_t *list = kb_json_get(kb_json_parse(arena, kb_unfenced(text), NULL), "searches"),
	             *item;
	size_t count = 0, i;

	if (!json_is_array(list))
		return 0;
	json_array_foreach(list, i, item)
	{
		struct kb_sv search;

		if (!json_is_string(item))
			return 0;
		search = kb_sv_trim(kb_sv(json_string_value(item), json_string_length(item)));
		search = kb_utf8_head(search, KB_SEARCH_CHARS);
		if (search.n && count < max && count < KB_PLAN_PARTS_MAX
		    && is_new(searches, count, search))
			searches[count++] = search;
	}
	return count;
}
