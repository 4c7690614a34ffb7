#include "test.h"

#include <string.h>

#include "answer/closest.h"

enum { PASSAGES = 5, SENTENCES = 8 };

/* A passage where the search has it, and how likely its first sentence answers. */
struct found {
	const char *text;
	uint32_t place;
	float z;
};

/* Of a text of lines. */
static const struct kb_line_mark marks[] = { { 12, KB_MARK_ITEM, 1, 1 },
	                                     { 18, KB_MARK_ITEM, 1, 0 } };

/* The candidates are in the order of their words; what is shown, a passage a line. */
static const struct {
	const char *name;
	struct found v[PASSAGES];
	const char *want;
} rows[] = {
	{ "first where the best sentence stands, then what the whole search has first",
	  { { "Rye is ground here.", 3, 0 },
	    { "Wheat is ground there.", 4, 2 },
	    { "Oats are sold.", 1, 0 },
	    { "Barley is grown.", 0, 1 },
	    { "Corn is fed.", 2, 1 } },
	  "Wheat is ground there.\nBarley is grown.\nOats are sold." },
	{ "a copy with other marks and case is shown once",
	  { { "Don\u2019t sell the \u201cold\u201d mill.", 0, 2 },
	    { "DON'T sell the \"old\" mill.", 1, 0 },
	    { "Don't sell the \"old\" mill 2.", 2, 0 } },
	  "Don\u2019t sell the \u201cold\u201d mill.\nDon't sell the \"old\" mill 2." },
	{ "items of lists have their marks",
	  { { "To open it:\nPull.\nHold.", 0, 2 } },
	  "To open it:\n1. Pull.\n• Hold." },
	{ "what asks alone shows nothing",
	  { { "Is it hot?", 0, 2 }, { "It is cold.", 1, 0 } },
	  "It is cold." },
};

static void find(struct kb_arena *arena, const struct found *v, struct kb_closest_list *out)
{
	struct kb_steps *steps = KB_NEW(arena, struct kb_steps);
	struct kb_answer_step *step = &steps->v[0];
	struct kb_selection *selection = &step->selection;
	struct kb_settings settings;

	kb_settings_defaults(&settings);
	steps->count = 1;
	step->candidates = KB_NEW_ARRAY(arena, PASSAGES, struct kb_candidate);
	selection->sentences = KB_NEW_ARRAY(arena, PASSAGES * SENTENCES, struct kb_scored_sentence);
	for (uint32_t i = 0; i < PASSAGES && v[i].text; i++) {
		struct kb_scored_sentence one = { i, 0, (uint32_t)strlen(v[i].text), v[i].z };
		size_t at = selection->count++;

		step->candidates[i] = (struct kb_candidate){
			.passage = { .page_id = i + 1,
			             .text = kb_sv_str(v[i].text),
			             .marks = marks,
			             .mark_count = strchr(v[i].text, '\n') ? 2 : 0 },
			.score = (float)(PASSAGES - i),
			.meant = (float)(PASSAGES - i),
			.place = v[i].place,
		};
		step->candidate_count++;
		for (; at > 0 && selection->sentences[at - 1].z < one.z; at--)
			selection->sentences[at] = selection->sentences[at - 1];
		selection->sentences[at] = one;
	}
	kb_closest_find(arena, steps, &settings, out);
}

static void test_which(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_closest_list list;
		struct kb_sv said = KB_SV("");

		t->row = rows[i].name;
		find(&arena, rows[i].v, &list);
		for (size_t k = 0; k < list.count; k++)
			said = kb_arena_printf(&arena, "%.*s%s%.*s", KB_SV_ARG(said), k ? "\n" : "",
			                       KB_SV_ARG(list.v[k].excerpt));
		CHECK_SV(t, said, rows[i].want);
		kb_arena_fini(&arena);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "which passages are shown", test_which },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
