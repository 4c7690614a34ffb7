#include "answer/conflict.h"

#include "base/clock.h"
#include "parse/parse.h"

static bool is_at(const struct kb_stated *stated, const struct kb_stated_place *place)
{
	return stated->page_id == place->page_id && stated->offset < place->offset + place->length
	       && place->offset < stated->offset + stated->length;
}

static bool is_said(const struct kb_stated *stated, const struct kb_stated_place *places,
                    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_at(stated, &places[i]))
			return true;
	return false;
}

void kb_conflicts_said(struct kb_arena *arena, const struct kb_conflict_list *all,
                       const struct kb_stated_place *places, size_t count,
                       struct kb_conflict_list *out)
{
	*out = (struct kb_conflict_list){ .v = KB_NEW_ARRAY(arena, KB_CONFLICTS_MOST,
		                                            struct kb_conflict) };
	for (size_t i = 0; i < all->count && out->count < KB_CONFLICTS_MOST; i++) {
		const struct kb_conflict *one = &all->v[i];

		if (is_said(&one->said, places, count))
			out->v[out->count++] = *one;
		else if (is_said(&one->other, places, count))
			out->v[out->count++] = (struct kb_conflict){ one->other, one->said };
	}
}

static void copy(struct kb_arena *arena, struct kb_stated *stated)
{
	stated->title = kb_arena_sv(arena, stated->title);
	stated->text = kb_arena_sv(arena, stated->text);
}

void kb_conflicts_copy(struct kb_arena *arena, const struct kb_conflict_list *list,
                       struct kb_conflict_list *out)
{
	*out = (struct kb_conflict_list){
		kb_arena_copy(arena, list->v, list->count * sizeof(*list->v)), list->count
	};
	for (size_t i = 0; i < out->count; i++) {
		copy(arena, &out->v[i].said);
		copy(arena, &out->v[i].other);
	}
}

static void write_stated(struct kb_jw *jw, const char *name, const struct kb_stated *stated)
{
	kb_jw_key(jw, name);
	kb_jw_object(jw);
	kb_jw_key_int(jw, "page_id", stated->page_id);
	kb_page_no_write(jw, stated->page_no);
	kb_jw_key_int(jw, "offset", stated->offset);
	kb_jw_key_int(jw, "length", stated->length);
	kb_jw_key_opt(jw, "title", stated->title.n ? stated->title : (struct kb_sv){ 0 });
	kb_jw_key_sv(jw, "text", stated->text);
	kb_jw_key_time_opt(jw, "dated_at", stated->dated_at);
	kb_jw_end(jw);
}

void kb_conflicts_write(struct kb_jw *jw, const struct kb_conflict_list *list)
{
	kb_jw_array(jw);
	for (size_t i = 0; i < list->count; i++) {
		kb_jw_object(jw);
		write_stated(jw, "said", &list->v[i].said);
		write_stated(jw, "other", &list->v[i].other);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

static void read_stated(const json_t *json, struct kb_stated *out)
{
	int64_t second = kb_json_int(json, "second", 0);

	*out = (struct kb_stated){
		.page_id = kb_json_int(json, "page_id", 0),
		.page_no = (uint32_t)kb_json_int(json, "page_no", second ? second + KB_MOMENT : 0),
		.offset = (uint32_t)kb_json_int(json, "offset", 0),
		.length = (uint32_t)kb_json_int(json, "length", 0),
		.title = kb_json_sv(json, "title", KB_SV("")),
		.text = kb_json_sv(json, "text", KB_SV("")),
	};
	if (!kb_time_parse(kb_json_sv(json, "dated_at", KB_SV("")), &out->dated_at))
		out->dated_at = 0;
}

void kb_conflicts_read(struct kb_arena *arena, struct kb_sv note, struct kb_conflict_list *out)
{
	const json_t *root = note.n ? kb_json_parse(arena, note, NULL) : NULL;
	const json_t *list = kb_json_get(root, "conflicts");

	*out = (struct kb_conflict_list){ .v = KB_NEW_ARRAY(arena, json_array_size(list),
		                                            struct kb_conflict) };
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);
		struct kb_conflict *to = &out->v[out->count++];

		read_stated(kb_json_get(one, "said"), &to->said);
		read_stated(kb_json_get(one, "other"), &to->other);
	}
}
