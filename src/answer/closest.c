#include "answer/closest.h"

#include "answer/attach.h"
#include "answer/excerpt.h"
#include "answer/guard.h"
#include "answer/layout.h"
#include "answer/outcome.h"
#include "parse/parse.h"

/* The first of an order counts as the nth, so that it does not outweigh what both have. */
#define RANKED_FROM 2.0

static uint32_t page_no_of(const json_t *place)
{
	int64_t second = kb_json_int(place, "second", -1);

	return second >= 0 && second < KB_MOMENT ? KB_MOMENT + (uint32_t)second
	                                         : (uint32_t)kb_json_int(place, "page_no", 0);
}

static const struct kb_answer_step *nearest(const struct kb_steps *steps)
{
	const struct kb_answer_step *best = NULL;

	for (size_t i = 0; i < steps->count; i++) {
		const struct kb_answer_step *step = &steps->v[i];

		if (kb_outcome_of(&step->selection, &step->named, step->verdict)
		            != KB_OUTCOME_NOTHING
		    && (!best || step->selection.gate_z > best->selection.gate_z))
			best = step;
	}
	return best;
}

/* Whether the list says it already. */
static bool is_there(struct kb_arena *arena, const struct kb_closest_list *list,
                     const struct kb_closest *one)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct kb_closest *other = &list->v[i];

		if (kb_excerpt_has(arena, other->excerpt, one->excerpt)
		    || (other->page_id == one->page_id && other->offset < one->offset + one->length
		        && one->offset < other->offset + other->length))
			return true;
	}
	return false;
}

/* Where in the passage an excerpt begins: where the stretch does, if the best sentence of it is
 * shown then, else at that. */
static uint32_t start_of(const struct kb_selection *selection, const struct kb_answer_part *from,
                         uint32_t end)
{
	for (size_t i = 0; i < selection->count; i++) {
		const struct kb_scored_sentence *s = &selection->sentences[i];

		if (s->candidate == from->candidate && s->start >= from->start && s->end <= end)
			return s->end - from->start > KB_EXCERPT_LETTERS / 2 ? s->start
			                                                     : from->start;
	}
	return from->start;
}

/* The selection with the sentences of one candidate alone. */
static struct kb_selection only(struct kb_arena *arena, const struct kb_selection *all,
                                uint32_t candidate)
{
	struct kb_selection one = *all;

	one.sentences = KB_NEW_ARRAY(arena, all->count, struct kb_scored_sentence);
	one.count = 0;
	for (size_t i = 0; i < all->count; i++)
		if (all->sentences[i].candidate == candidate)
			one.sentences[one.count++] = all->sentences[i];
	return one;
}

/* Of a passage where an answer would stand, were there no other. */
static void add(struct kb_arena *arena, const struct kb_answer_step *step,
                const struct kb_selection *selection, uint32_t candidate,
                struct kb_closest_list *out)
{
	const struct kb_passage *from = &step->candidates[candidate].passage;
	struct kb_selection alone = only(arena, selection, candidate);
	struct kb_answer_part *parts;
	struct kb_closest one;
	size_t count, end = 1, at;
	struct kb_sv text;
	uint32_t until;

	kb_answer_parts(arena, step->candidates, &alone, &parts, &count);
	if (!count || kb_attached_is_page(from->page_id))
		return;
	while (end < count && parts[end].start >= parts[end - 1].end)
		end++;
	until = parts[end - 1].end;
	one = (struct kb_closest){
		.page_id = from->page_id,
		.page_no = from->page_no,
		.offset = from->offset + parts[0].start,
		.length = until - parts[0].start,
		.title = from->title,
		.heading = from->heading,
		.quote = kb_sv_sub(from->text, parts[0].start, until - parts[0].start),
	};
	at = start_of(&alone, &parts[0], until);
	text = kb_layout_marked(arena, from, &at);
	one.excerpt = kb_outguard_quote(arena, kb_excerpt_of(arena, text, at));
	if (one.excerpt.n && !is_there(arena, out, &one))
		out->v[out->count++] = one;
}

/* A candidate, and how far ahead it is in what two orders say of it. */
struct found {
	uint32_t candidate;
	double ahead;
};

static int by_ahead(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->ahead != y->ahead)
		return x->ahead > y->ahead ? -1 : 1;
	return x->candidate < y->candidate ? -1 : x->candidate > y->candidate;
}

/* The candidates by their place in the whole search and by that of their best sentence; their own
 * order is that of the words alone. */
static struct found *as_found(struct kb_arena *arena, const struct kb_answer_step *step)
{
	struct found *out = KB_NEW_ARRAY(arena, step->candidate_count, struct found);
	bool *seen = KB_NEW_ARRAY(arena, step->candidate_count, bool);
	double place = RANKED_FROM;

	for (size_t i = 0; i < step->candidate_count; i++)
		out[i] = (struct found){ (uint32_t)i,
			                 1 / (RANKED_FROM + (double)step->candidates[i].place) };
	for (size_t i = 0; i < step->selection.count; i++) {
		uint32_t c = step->selection.sentences[i].candidate;

		if (!seen[c])
			out[c].ahead += 1 / place++;
		seen[c] = true;
	}
	if (step->candidate_count)
		qsort(out, step->candidate_count, sizeof(*out), by_ahead);
	return out;
}

void kb_closest_find(struct kb_arena *arena, const struct kb_steps *steps,
                     const struct kb_settings *settings, struct kb_closest_list *out)
{
	const struct kb_answer_step *step = nearest(steps);
	struct found *found;
	struct kb_selection selection;

	*out = (struct kb_closest_list){ 0 };
	if (!step || kb_settings_citations(settings) == KB_CITATIONS_NONE)
		return;
	out->v = KB_NEW_ARRAY(arena, KB_CLOSEST_MOST, struct kb_closest);
	selection = step->selection;
	selection.answered = true; /* where an answer would stand */
	selection.shape = KB_SHAPE_SECTION;
	found = as_found(arena, step);
	add(arena, step, &selection, selection.sentences[0].candidate, out);
	for (size_t i = 0; i < step->candidate_count && out->count < KB_CLOSEST_MOST; i++)
		add(arena, step, &selection, found[i].candidate, out);
	for (size_t i = 0; i < out->count && settings->hide_sources_from_responses.v; i++)
		out->v[i].title = KB_SV("");
}

void kb_closest_copy(struct kb_arena *arena, const struct kb_closest_list *list,
                     struct kb_closest_list *out)
{
	*out = (struct kb_closest_list){
		kb_arena_copy(arena, list->v, list->count * sizeof(*list->v)), list->count
	};
	for (size_t i = 0; i < out->count; i++) {
		struct kb_closest *one = &out->v[i];

		one->title = kb_arena_sv(arena, one->title);
		one->heading = kb_arena_sv(arena, one->heading);
		one->quote = kb_arena_sv(arena, one->quote);
		one->excerpt = kb_arena_sv(arena, one->excerpt);
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
		kb_jw_key_sv(jw, "excerpt", one->excerpt);
		kb_jw_key_int(jw, "offset", one->offset);
		kb_jw_key_int(jw, "length", one->length);
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
		struct kb_closest *to = &out->v[out->count++];

		*to = (struct kb_closest){
			.page_id = kb_json_int(one, "page_id", 0),
			.page_no = page_no_of(one),
			.offset = (uint32_t)kb_json_int(one, "offset", 0),
			.length = (uint32_t)kb_json_int(one, "length", 0),
			.title = kb_json_sv(one, "title", KB_SV("")),
			.heading = kb_json_sv(one, "heading", KB_SV("")),
			.quote = kb_json_sv(one, "quote", KB_SV("")),
			.excerpt = kb_json_sv(one, "excerpt", KB_SV("")),
		};
		/* Notes of before there were any. */
		if (!to->excerpt.n)
			to->excerpt = kb_outguard_quote(arena, kb_excerpt_of(arena, to->quote, 0));
	}
}
