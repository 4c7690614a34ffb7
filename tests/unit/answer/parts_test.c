#include "test.h"

#include <stdlib.h>

#include "answer/parts.h"
#include "index/sentence.h"

enum { SENTENCES = 16 };

#define NO (-9)
#define LONG                                                                                       \
	"This paragraph is about the river and what else is to be seen, and it goes on for as "    \
	"long as a paragraph does, so that nobody takes it for a part of anything beside it, "     \
	"of which there is little to be said, and nothing that would not be said somewhere else "  \
	"as well."

/* Sentences of one passage, how likely each answers (of those that are not given: not at all), and
 * what is said, a sentence a line. */
static const struct {
	const char *name, *text;
	float z[SENTENCES];
	enum kb_shape shape;
	bool bound;
	const char *want;
	enum kb_asks asks;
} rows[] = {
	{ "a fact with the paragraph that it begins",
	  "The mill grinds rye. It stands by the river, where the road to the north begins.\n" LONG,
	  { 1, NO, NO },
	  KB_SHAPE_FACT,
	  false,
	  "The mill grinds rye.\nIt stands by the river, where the road to the north begins." },
	{ "the best place comes first, wherever it stands",
	  "The old mill of the upper valley grinds rye, mostly on Monday.\n" LONG "\n" LONG
	  "\n" LONG "\nThe old mill of the upper valley grinds wheat on Tuesdays.",
	  { 0, NO, NO, NO, 1 },
	  KB_SHAPE_FACT,
	  false,
	  "The old mill of the upper valley grinds wheat on Tuesdays.\n"
	  "The old mill of the upper valley grinds rye, mostly on Monday." },
	{ "nothing is said twice",
	  "The mill of the valley is closed on Sundays and on all holidays.\n" LONG "\n" LONG
	  "\n" LONG "\nThe mill of the valley is closed on Sundays and on all holidays.",
	  { 1, NO, NO, NO, 1 },
	  KB_SHAPE_FACT,
	  false,
	  "The mill of the valley is closed on Sundays and on all holidays." },
	{ "steps from the line that leads to them to the last",
	  LONG "\nTo start it:\n1. Open the lid.\n2. Press the lever.\n3. Wait.\n" LONG,
	  { NO, NO, NO, 1, NO, NO },
	  KB_SHAPE_SECTION,
	  false,
	  "To start it:\n1. Open the lid.\n2. Press the lever.\n3. Wait." },
	{ "of a table the rows that matter",
	  "Size: S; Fee: 14\nSize: M; Fee: 31\nSize: L; Fee: 9",
	  { NO, 1, NO },
	  KB_SHAPE_FACT,
	  false,
	  "Size: M; Fee: 31" },
	{ "who asks whether hears first that it is not",
	  "The mill stands by the river. Dogs may not come in. They wait at the gate.",
	  { NO, 1, 0 },
	  KB_SHAPE_SECTION,
	  false,
	  "Dogs may not come in.\nThey wait at the gate.",
	  KB_ASKS_WHETHER },
	{ "and else as it stands there",
	  "The mill stands by the river. Dogs may not come in. They wait at the gate.",
	  { NO, 1, 0 },
	  KB_SHAPE_SECTION,
	  false,
	  "The mill stands by the river.\nDogs may not come in.\nThey wait at the gate.",
	  KB_ASKS_OTHER },
	{ "who asks for a figure hears it first, where it is about as likely",
	  "The mill has seats of oak. There are 40 of them.\n" LONG,
	  { 1, .5, NO },
	  KB_SHAPE_FACT,
	  false,
	  "There are 40 of them.\nThe mill has seats of oak.",
	  KB_ASKS_FIGURE },
	{ "what a name is, and not what else is said of it",
	  "The mill of Orlin is a house where rye is ground by the water of the river.\n" LONG
	  "\n" LONG "\n" LONG
	  "\nVisitors of the mill of Orlin leave their dogs at the gate of the yard.",
	  { 1, NO, NO, NO, 0 },
	  KB_SHAPE_FACT,
	  false,
	  "The mill of Orlin is a house where rye is ground by the water of the river.",
	  KB_ASKS_WHAT },
	{ "not over a heading, nor the heading",
	  "The mill is open in the summer.\nFees and times\nThe museum costs nine crowns.",
	  { NO, 1, NO },
	  KB_SHAPE_FACT,
	  false,
	  "The museum costs nine crowns." },
	{ "what leads to a list that is not there is left out at the end",
	  "The mill of the valley grinds rye for all who live by the river. On Mondays it grinds:",
	  { 1, .5 },
	  KB_SHAPE_FACT,
	  false,
	  "The mill of the valley grinds rye for all who live by the river." },
	{ "and is no place of its own",
	  LONG "\nThe mill of the valley grinds rye for all who live by the river.\n" LONG "\n" LONG
	       "\n" LONG "\nFor all who live by the river it grinds:",
	  { NO, 1, NO, NO, NO, .5 },
	  KB_SHAPE_FACT,
	  false,
	  "The mill of the valley grinds rye for all who live by the river." },
	{ "a question that nothing answers says nothing",
	  "Is it hot?",
	  { 1 },
	  KB_SHAPE_FACT,
	  false,
	  "" },
	{ "few words with the question that they answer",
	  "Is it hot?\nYes.\n" LONG,
	  { NO, 1, NO },
	  KB_SHAPE_FACT,
	  false,
	  "Is it hot?\nYes." },
	{ "debris is not said, nor at a sentence's end",
	  "Nine crowns.[^1]\n{: .note}\nChildren pay three crowns. {#fees}",
	  { 1, NO, 1 },
	  KB_SHAPE_SECTION,
	  false,
	  "Nine crowns.\nChildren pay three crowns." },
	{ "what stands beside a few words",
	  "E-12: the pump.\nE-13: the lid.",
	  { 1, NO },
	  KB_SHAPE_FACT,
	  false,
	  "E-12: the pump.\nE-13: the lid." },
	{ "and not where a code was asked for",
	  "E-12: the pump.\nE-13: the lid.",
	  { 1, NO },
	  KB_SHAPE_FACT,
	  true,
	  "E-12: the pump." },
};

/* The third place of a section, a seventh as likely as the first, by the document that it is in. */
static void test_elsewhere(struct kb_test *t)
{
	static const struct {
		const char *name;
		int64_t third;
		size_t want;
	} cases[] = {
		{ "in the first one's document it adds something", 1, 3 },
		{ "in another it mostly speaks of something else", 3, 2 },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_candidate candidates[] = {
			{ .passage = { .page_id = 1, .text = KB_SV(LONG) } },
			{ .passage = { .page_id = 2, .text = KB_SV("Two. " LONG) } },
			{ .passage = { .page_id = cases[i].third, .text = KB_SV("Three. " LONG) } },
		};
		struct kb_scored_sentence scored[KB_COUNTOF(candidates)];
		struct kb_selection selection = { .sentences = scored,
			                          .count = KB_COUNTOF(scored),
			                          .shape = KB_SHAPE_SECTION,
			                          .lang = KB_LANG_EN,
			                          .answered = true };
		struct kb_arena arena = { 0 };
		struct kb_answer_part *parts;
		size_t count;

		t->row = cases[i].name;
		for (uint32_t k = 0; k < KB_COUNTOF(scored); k++)
			scored[k] = (struct kb_scored_sentence){
				.candidate = k,
				.end = (uint32_t)candidates[k].passage.text.n,
				.z = -(float)k,
			};
		kb_answer_parts(&arena, candidates, &selection, &parts, &count);
		CHECK_INT(t, count, cases[i].want);
		kb_arena_fini(&arena);
	}
	t->row = NULL;
}

/* A document's marks make lines of what is one sentence to who scores it. */
static void test_marked(struct kb_test *t)
{
	static const char text[] =
	        "To fire the kiln of the yard, type this on the panel of the wall:\nkiln start\n"
	        "\t--slow {#now}\nand wait. The door is cold.";
	struct kb_line_mark marks[] = { { 66, KB_MARK_CODE, 0, 0 }, { 77, KB_MARK_CODE, 0, 0 } };
	struct kb_candidate candidate = { .passage = { .text = kb_sv_str(text),
		                                       .marks = marks,
		                                       .mark_count = KB_COUNTOF(marks) } };
	struct kb_scored_sentence scored[] = { { .start = 0, .end = 101, .z = 1 },
		                               { .start = 102, .end = 119, .z = NO } };
	struct kb_selection selection = { .sentences = scored,
		                          .count = KB_COUNTOF(scored),
		                          .shape = KB_SHAPE_FACT,
		                          .lang = KB_LANG_EN,
		                          .answered = true };
	static const char *const want[] = {
		"To fire the kiln of the yard, type this on the panel of the wall:", "kiln start",
		"--slow {#now}", "and wait.", "The door is cold."
	};
	struct kb_arena arena = { 0 };
	struct kb_answer_part *parts;
	size_t count;

	kb_answer_parts(&arena, &candidate, &selection, &parts, &count);
	CHECK_INT(t, count, KB_COUNTOF(want));
	for (size_t i = 0; i < KB_MIN(count, KB_COUNTOF(want)); i++)
		CHECK_SV(t,
		         kb_sv_sub(candidate.passage.text, parts[i].start,
		                   parts[i].end - parts[i].start),
		         want[i]);
	kb_arena_fini(&arena);
}

static int best_first(const void *a, const void *b)
{
	const struct kb_scored_sentence *x = a, *y = b;

	return x->z > y->z ? -1 : x->z < y->z;
}

static void test_said(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_candidate candidate = { .passage = { .text = kb_sv_str(rows[i].text) } };
		struct kb_scored_sentence scored[SENTENCES] = { 0 };
		struct kb_selection selection = { .sentences = scored,
			                          .shape = rows[i].shape,
			                          .asks = rows[i].asks,
			                          .lang = KB_LANG_EN,
			                          .answered = true,
			                          .bound = rows[i].bound };
		struct kb_sv said = KB_SV("");
		struct kb_arena arena = { 0 };
		struct kb_answer_part *parts;
		struct kb_sentence *v;
		size_t count;

		t->row = rows[i].name;
		kb_sentences(&arena, candidate.passage.text, &v, &selection.count);
		CHECK(t, selection.count <= SENTENCES);
		for (size_t k = 0; k < selection.count; k++)
			scored[k] = (struct kb_scored_sentence){ .start = v[k].start,
				                                 .end = v[k].end,
				                                 .z = rows[i].z[k] };
		qsort(scored, selection.count, sizeof(*scored), best_first);
		kb_answer_parts(&arena, &candidate, &selection, &parts, &count);
		for (size_t k = 0; k < count; k++)
			said = kb_arena_printf(
			        &arena, "%.*s%s%.*s", KB_SV_ARG(said), k ? "\n" : "",
			        KB_SV_ARG(kb_sv_sub(candidate.passage.text, parts[k].start,
			                            parts[k].end - parts[k].start)));
		CHECK_SV(t, said, rows[i].want);
		kb_arena_fini(&arena);
	}
	t->row = NULL;
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what is said of a passage", test_said },
		{ "a third place in another document", test_elsewhere },
		{ "lines that are marked", test_marked },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
