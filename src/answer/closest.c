#include "answer/closest.h"

#include "answer/attach.h"
#include "parse/parse.h"

static uint32_t page_no_of(const json_t *place)
{
	int64_t second = kb_json_int(place, "second", -1);

	return second >= 0 && second < KB_MOMENT ? KB_MOMENT + (uint32_t)second
	                                         : (uint32_t)kb_json_int(place, "page_no", 0);
}

/* Of the gate: below it nothing is near. Most questions on another subject lie below. */
#define NEAR -2.5f

static const struct kb_answer_step *nearest(const struct kb_steps *steps)
{
	const struct kb_answer_step *best = NULL;

	for (size_t i = 0; i < steps->count; i++) {
		const struct kb_answer_step *step = &steps->v[i];

		if (step->selection.count && step->selection.gate_z >= NEAR
		    && (!best || step->selection.gate_z > best->selection.gate_z))
			best = step;
	}
	return best;
}

void kb_closest_find(struct kb_arena *arena, const struct kb_steps *steps,
                     struct kb_closest_list *out)
{
	const struct kb_answer_step *step = nearest(steps);
	struct kb_selection selection;
	struct kb_answer_part *parts;
	size_t count;

	*out = (struct kb_closest_list){ 0 };
	if (!step)
		return;
	selection = step->selection;
	selection.answered = true; /* where an answer would stand */
	selection.shape = KB_SHAPE_SECTION;
	kb_answer_parts(arena, step->candidates, &selection, &parts, &count);
	out->v = KB_NEW_ARRAY(arena, count, struct kb_closest);
	for (size_t i = 0, end; i < count; i = end) {
		const struct kb_passage *from = &step->candidates[parts[i].candidate].passage;

		end = i + 1;
		while (end < count && parts[end].candidate == parts[i].candidate
		       && parts[end].start >= parts[end - 1].end)
			end++;
		if (kb_attached_is_page(from->page_id))
			continue;
		out->v[out->count++] = (struct kb_closest){
			.page_id = from->page_id,
			.page_no = from->page_no,
			.title = from->title,
			.heading = from->heading,
			.quote = kb_sv_sub(from->text, parts[i].start,
			                   parts[end - 1].end - parts[i].start),
		};
	}
}

static struct kb_sv or_null(struct kb_sv text)
{
	return text.n ? text : (struct kb_sv){ 0 };
}

void kb_closest_write(struct kb_jw *jw, const struct kb_closest_list *list)
{
	kb_jw_array(jw);
	for (size_t i = 0; i < list->count; i++) {
		const struct kb_closest *one = &list->v[i];

		kb_jw_object(jw);
		kb_jw_key_int(jw, "page_id", one->page_id);
		kb_page_no_write(jw, one->page_no);
		kb_jw_key_opt(jw, "title", or_null(one->title));
		kb_jw_key_opt(jw, "heading", or_null(one->heading));
		kb_jw_key_sv(jw, "quote", one->quote);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

void kb_closest_read(struct kb_arena *arena, struct kb_sv note, struct kb_closest_list *out)
{
	json_t *root = note.n ? kb_json_parse(arena, note, NULL) : NULL, *list;
	size_t count;

	*out = (struct kb_closest_list){ 0 };
	list = kb_json_get(root, "closest");
	count = json_array_size(list);
	out->v = KB_NEW_ARRAY(arena, count, struct kb_closest);
	for (size_t i = 0; i < count; i++) {
		const json_t *one = json_array_get(list, i);

		out->v[out->count++] = (struct kb_closest){
			.page_id = kb_json_int(one, "page_id", 0),
			.page_no = page_no_of(one),
			.title = kb_json_sv(one, "title", KB_SV("")),
			.heading = kb_json_sv(one, "heading", KB_SV("")),
			.quote = kb_json_sv(one, "quote", KB_SV("")),
		};
	}
}
