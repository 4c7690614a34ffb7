#include "test.h"

#include "answer/parts.h"
#include "answer/score.h"
#include "index/sentence.h"

/* A toy pool: what each document is about stands in its title. */
static const struct {
	const char *title, *text;
} docs[] = {
	{ "Returns",
	  "Our shop sells shoes. Goods may be returned within 30 days of purchase. They must be "
	  "unworn. Refunds are paid by bank transfer." },
	{ "Opening hours",
	  "The shop in Berlin opens at nine in the morning. It closes at six in the evening. On "
	  "Sundays the shop is closed." },
	{ "Company history",
	  "The company was founded in 1987 by Anna Keller in Hamburg. She led it until 2005. Today "
	  "it employs 250 people." },
	{ "Shipping",
	  "Parcels are shipped with the post office. Delivery takes two to four days because the "
	  "warehouse is in Poland. Shipping is free above 50 euros." },
};

struct toy {
	struct kb_analyzer *an;
	struct kb_arena arena;
	struct kb_candidate candidates[KB_COUNTOF(docs)];
	struct kb_evidence evidence;
	struct kb_question q;
};

/* Documents of the toy pool that hold the term. */
static int64_t df(void *arg, struct kb_sv term)
{
	struct toy *toy = arg;
	int64_t n = 0;

	for (size_t d = 0; d < KB_COUNTOF(docs); d++) {
		struct kb_arena arena = { 0 };
		struct kb_terms terms;
		bool found = false;

		kb_analyze(toy->an, &arena, KB_LANG_EN, kb_sv_str(docs[d].text), &terms);
		for (size_t i = 0; i < terms.count; i++)
			found |= kb_sv_eq(terms.v[i].term, term);
		n += found;
		kb_arena_fini(&arena);
	}
	return n;
}

/* Asks, with the documents in the order given by `first`: it leads, the others follow. Scores are
 * what a search would give roughly: the sum of idf found. */
static void ask(struct toy *toy, const char *question, const struct kb_sv *history, size_t turns)
{
	*toy = (struct toy){ .an = kb_analyzer_new() };
	toy->evidence = (struct kb_evidence){ .candidates = toy->candidates,
		                              .count = KB_COUNTOF(docs),
		                              .stats = { KB_COUNTOF(docs), df, toy } };
	kb_question_build(toy->an, &toy->arena,
	                  &(struct kb_utterance){ .text = kb_sv_str(question),
	                                          .lang = KB_LANG_EN,
	                                          .turns = history,
	                                          .turn_count = turns },
	                  &toy->q);
	for (size_t d = 0; d < KB_COUNTOF(docs); d++) {
		struct kb_terms terms;
		struct kb_candidate *c = &toy->candidates[d];

		c->passage = (struct kb_passage){ .page_id = (int64_t)d + 1,
			                          .lang = KB_LANG_EN,
			                          .title = kb_sv_str(docs[d].title),
			                          .text = kb_sv_str(docs[d].text) };
		kb_analyze(toy->an, &toy->arena, KB_LANG_EN, c->passage.text, &terms);
		for (size_t i = 0; i < toy->q.query_count; i++)
			for (size_t k = 0; k < terms.count; k++)
				if (kb_sv_eq(terms.v[k].term, toy->q.query[i].term)) {
					c->score += toy->q.query[i].weight;
					break;
				}
	}
	for (size_t i = 1; i < KB_COUNTOF(docs); i++)
		for (size_t k = i; k > 0 && toy->candidates[k].score > toy->candidates[k - 1].score;
		     k--) {
			struct kb_candidate swap = toy->candidates[k];

			toy->candidates[k] = toy->candidates[k - 1];
			toy->candidates[k - 1] = swap;
		}
}

static void done(struct toy *toy)
{
	kb_analyzer_free(toy->an);
	kb_arena_fini(&toy->arena);
}

static struct kb_sv sentence_of(const struct toy *toy, uint32_t candidate, uint32_t start,
                                uint32_t end)
{
	return kb_sv_sub(toy->candidates[candidate].passage.text, start, end - start);
}

static void test_choice(struct kb_test *t)
{
	static const struct {
		const char *question, *best;
	} cases[] = {
		{ "Within how many days may goods be returned?",
		  "Goods may be returned within 30 days of purchase." },
		{ "When does the shop in Berlin open?",
		  "The shop in Berlin opens at nine in the morning." },
		{ "Who founded the company?",
		  "The company was founded in 1987 by Anna Keller in Hamburg." },
		{ "How long does delivery take?",
		  "Delivery takes two to four days because the warehouse is in Poland." },
		{ "How are refunds paid?", "Refunds are paid by bank transfer." },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct toy toy;
		struct kb_selection s;
		const struct kb_scored_sentence *best;

		t->row = cases[i].question;
		ask(&toy, cases[i].question, NULL, 0);
		kb_select(toy.an, &toy.arena, &toy.q, &toy.evidence, KB_GATE_LENIENT, &s);
		CHECK_INT(t, s.count, 13);
		CHECK(t, s.answered);
		best = &s.sentences[0];
		CHECK_SV(t, sentence_of(&toy, best->candidate, best->start, best->end),
		         cases[i].best);
		CHECK_INT(t, s.order[0], best->candidate);
		CHECK_INT(t, s.order_count, KB_COUNTOF(docs));
		for (size_t k = 1; k < s.count; k++)
			CHECK(t, s.sentences[k - 1].z >= s.sentences[k].z);
		done(&toy);
	}
}

static void test_gate(struct kb_test *t)
{
	static const char *const foreign[] = {
		"What is the boiling point of liquid nitrogen?",
		"Which enzyme splits lactose in the small intestine?",
		"Who won the chess world championship against Kasparov?",
	};

	for (size_t i = 0; i < KB_COUNTOF(foreign); i++) {
		struct toy toy;
		struct kb_selection s;
		struct kb_answer_part *parts;
		size_t count;

		t->row = foreign[i];
		ask(&toy, foreign[i], NULL, 0);
		kb_select(toy.an, &toy.arena, &toy.q, &toy.evidence, KB_GATE_LENIENT, &s);
		CHECK(t, !s.answered && s.gate_z < 0);
		kb_answer_parts(&toy.arena, toy.candidates, &s, &parts, &count);
		CHECK_INT(t, count, 0);
		kb_select(toy.an, &toy.arena, &toy.q, &toy.evidence, KB_GATE_NONE, &s);
		CHECK(t, s.answered); /* without a gate there is always a best sentence */
		toy.evidence.count = 0;
		kb_select(toy.an, &toy.arena, &toy.q, &toy.evidence, KB_GATE_NONE, &s);
		CHECK(t, !s.answered && s.count == 0);
		done(&toy);
	}
	t->row = NULL;
	CHECK(t, kb_weights_gate.strict > 0);
}

static void test_parts(struct kb_test *t)
{
	struct toy toy;
	struct kb_answer_part *parts;
	size_t count;
	/* Sentences of the first two documents by hand: byte ranges of "Company history". */
	struct kb_scored_sentence rows[] = {
		{ .candidate = 2, .start = 59, .end = 81, .z = 5, .leans = true },
		{ .candidate = 0, .start = 0, .end = 21, .z = 4.5f },
		{ .candidate = 2, .start = 82, .end = 110, .z = 3.5f },
		{ .candidate = 1, .start = 0, .end = 48, .z = 1 },
		{ .candidate = 2, .start = 0, .end = 58, .z = .5f },
	};
	struct kb_selection s = { .sentences = rows, .count = KB_COUNTOF(rows), .answered = true };

	ask(&toy, "x", NULL, 0);
	for (size_t d = 0; d < KB_COUNTOF(docs); d++)
		toy.candidates[d].passage.text = kb_sv_str(docs[d].text);
	kb_answer_parts(&toy.arena, toy.candidates, &s, &parts, &count);
	/* She ... brings the sentence before; the best one's document comes first, as it reads. */
	CHECK_INT(t, count, 4);
	CHECK_SV(t, sentence_of(&toy, parts[0].candidate, parts[0].start, parts[0].end),
	         "The company was founded in 1987 by Anna Keller in Hamburg.");
	CHECK_SV(t, sentence_of(&toy, parts[1].candidate, parts[1].start, parts[1].end),
	         "She led it until 2005.");
	CHECK_SV(t, sentence_of(&toy, parts[2].candidate, parts[2].start, parts[2].end),
	         "Today it employs 250 people.");
	CHECK_INT(t, parts[3].candidate, 0);
	/* The same words in two passages are said once. */
	rows[1] = (struct kb_scored_sentence){ .candidate = 3, .start = 59, .end = 81, .z = 4.5f };
	toy.candidates[3].passage.text = toy.candidates[2].passage.text;
	kb_answer_parts(&toy.arena, toy.candidates, &s, &parts, &count);
	CHECK_INT(t, count, 3);
	done(&toy);
}

/* Who types a heading wants what stands under it, not the line of a table of contents. */
static void test_echo(struct kb_test *t)
{
	static const char contents[] = "Opening hours\nRefund policy\nWhere we are";
	static const char refunds[] = "Money comes back within a week. Ask at the desk.";
	static const struct {
		const char *title, *heading, *best;
	} rows[] = {
		{ "Refund policy", "", "Money comes back within a week." },
		{ "All policies", "Our refund policies", "Money comes back within a week." },
		{ "Returns", "", "Refund policy" }, /* nothing stands under it */
	};
	struct kb_answer_part *parts;
	struct kb_selection s;
	struct toy toy;
	size_t count;

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		bool said = false;

		t->row = rows[i].title;
		ask(&toy, "refund policy", NULL, 0);
		toy.candidates[0] =
		        (struct kb_candidate){ .passage = { .page_id = 1,
			                                    .title = KB_SV("Contents"),
			                                    .text = kb_sv_str(contents) },
			                       .score = 5 };
		toy.candidates[1] =
		        (struct kb_candidate){ .passage = { .page_id = 2,
			                                    .title = kb_sv_str(rows[i].title),
			                                    .heading = kb_sv_str(rows[i].heading),
			                                    .text = kb_sv_str(refunds) },
			                       .score = 4 };
		toy.evidence.count = 2;
		kb_select(toy.an, &toy.arena, &toy.q, &toy.evidence, KB_GATE_NONE, &s);
		kb_answer_parts(&toy.arena, toy.candidates, &s, &parts, &count);
		CHECK(t, count > 0);
		for (size_t k = 0; k < count; k++) {
			said |= kb_sv_eq_str(
			        sentence_of(&toy, parts[k].candidate, parts[k].start, parts[k].end),
			        rows[i].best);
			CHECK_INT(t, parts[k].candidate, parts[0].candidate);
		}
		CHECK(t, said);
		CHECK_INT(t, s.order[0], parts[0].candidate);
		done(&toy);
	}
	t->row = NULL;
}

/* A passage with a sentence for each line, the best one marked by a star: which are said. */
static void test_windows(struct kb_test *t)
{
#define FILLER                                                                                     \
	"This sentence is here to fill the passage with words that nobody has asked for at all."
#define LONG FILLER " " FILLER " " FILLER
	static const struct {
		const char *name, *text, *best, *want;
		enum kb_shape shape;
	} rows[] = {
		{ "a list comes with what leads to it, and whole",
		  LONG
		  "\nTo fire the kiln:\nOpen the gas tap\nPress the lighter\nClose the door\n" LONG,
		  "Press the lighter",
		  "To fire the kiln:|Open the gas tap|Press the lighter|Close the door",
		  KB_SHAPE_FACT },
		{ "code comes with the sentence before it",
		  LONG "\nRun this command.\ntool build --all\ntool start\n" LONG, "tool start",
		  "Run this command.|tool build --all|tool start", KB_SHAPE_FACT },
		{ "the next section's heading does not",
		  LONG "\nThe kiln is hot for a day.\nCleaning\n" LONG,
		  "The kiln is hot for a day.", "The kiln is hot for a day.", KB_SHAPE_FACT },
		{ "nor its question", LONG "\nThe kiln is hot for a day.\nWho may clean it?\n" LONG,
		  "The kiln is hot for a day.", "The kiln is hot for a day.", KB_SHAPE_FACT },
		{ "nor an introduction without what it introduces",
		  LONG "\nThe kiln is hot for a day.\nSee what others say:\n" LONG LONG LONG,
		  "The kiln is hot for a day.", "The kiln is hot for a day.", KB_SHAPE_FACT },
		{ "nor a heading that is set into its paragraph",
		  LONG "\nThe kiln is hot for a day.\nCleaning. " LONG LONG LONG,
		  "The kiln is hot for a day.", "The kiln is hot for a day.", KB_SHAPE_SECTION },
		{ "a paragraph is said from its beginning to its end",
		  LONG "\nThe kiln is hot. It cools in a day. Nobody may open it.\n" LONG,
		  "It cools in a day.", "The kiln is hot.|It cools in a day.|Nobody may open it.",
		  KB_SHAPE_FACT },
		{ "an answer of a few words with its question",
		  LONG "\nMay I open it?\nNo.\nMay I clean it?\nYes.\n" LONG, "No.",
		  "May I open it?|No.", KB_SHAPE_FACT },
		{ "a question with its answer",
		  LONG "\nMay I open it?\nNever while it is hot.\n" LONG, "May I open it?",
		  "May I open it?|Never while it is hot.", KB_SHAPE_FACT },
		{ "no question that nothing answers", "May I open it?\nMay I clean it?",
		  "May I open it?", "", KB_SHAPE_FACT },
		{ "of a list that is too long whole items up to the best",
		  "Rules:\n- " FILLER "\n- " FILLER " " FILLER " " FILLER "\n- " LONG "\n- " LONG
		  "\n- The kiln is hot.\n- " FILLER,
		  "- The kiln is hot.",
		  "- " FILLER "|" FILLER "|" FILLER "|- " FILLER "|" FILLER "|" FILLER
		  "|- The kiln is hot.",
		  KB_SHAPE_FACT },
		{ "of a table the row that matters",
		  LONG "\nSize: S; Price: 1\nSize: M; Price: 2\nSize: L; Price: 3\n" LONG,
		  "Size: M; Price: 2", "Size: M; Price: 2", KB_SHAPE_FACT },
		{ "steps that end in a stop, from first to last",
		  LONG "\nTo fire the kiln:\nOpen the tap. Wait.\nPress it.\nClose it.\n" LONG,
		  "Press it.", "To fire the kiln:|Open the tap.|Wait.|Press it.|Close it.",
		  KB_SHAPE_SECTION },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_sv text = kb_sv_str(rows[i].text), said = KB_SV("");
		struct kb_scored_sentence scored[64];
		struct kb_selection s = { .shape = rows[i].shape,
			                  .sentences = scored,
			                  .answered = true };
		struct kb_sentence *sentences;
		struct kb_answer_part *parts;
		struct toy toy;
		size_t count, best = 0;

		t->row = rows[i].name;
		ask(&toy, "x", NULL, 0);
		toy.candidates[0].passage.text = text;
		kb_sentences(&toy.arena, text, &sentences, &s.count);
		for (size_t k = 0; k < s.count; k++) {
			scored[k] = (struct kb_scored_sentence){ .start = sentences[k].start,
				                                 .end = sentences[k].end,
				                                 .z = -60 };
			if (kb_sv_eq_str(kb_sv_sub(text, scored[k].start,
			                           scored[k].end - scored[k].start),
			                 rows[i].best))
				best = k;
		}
		scored[best].z = 5;
		kb_answer_parts(&toy.arena, toy.candidates, &s, &parts, &count);
		for (size_t k = 0; k < count; k++) {
			struct kb_sv one =
			        kb_sv_sub(text, parts[k].start, parts[k].end - parts[k].start);

			said = kb_arena_printf(&toy.arena, "%.*s%s%.*s", KB_SV_ARG(said),
			                       k ? "|" : "", KB_SV_ARG(one));
		}
		CHECK_SV(t, said, rows[i].want);
		done(&toy);
	}
	t->row = NULL;
}

/* A topic is answered with more of its section than a fact. */
static void test_shapes(struct kb_test *t)
{
	static const struct {
		const char *text;
		enum kb_shape shape;
	} rows[] = {
		{ "How do I reset my password?", KB_SHAPE_SECTION },
		{ "Can my wife use it, when I am away?", KB_SHAPE_SECTION },
		{ "My card is gone. What should I do?", KB_SHAPE_SECTION },
		{ "What happens if I pay late?", KB_SHAPE_SECTION },
		{ "Why is the sky blue?", KB_SHAPE_SECTION },
		{ "refund policy", KB_SHAPE_SECTION },
		{ "Explain the bill", KB_SHAPE_SECTION },
		{ "How many legs does it have?", KB_SHAPE_FACT },
		{ "Who can I phone?", KB_SHAPE_FACT },
		{ "When was it built?", KB_SHAPE_FACT },
		{ "What is the price of the pump?", KB_SHAPE_FACT },
		{ "Which port does it use?", KB_SHAPE_FACT },
		{ "Wie setze ich mein Passwort zurück?", KB_SHAPE_SECTION },
		{ "Wie viele Türen hat das Haus?", KB_SHAPE_FACT },
		{ "Comment changer de mot de passe ?", KB_SHAPE_SECTION },
		{ "Quel est le prix ?", KB_SHAPE_FACT },
		{ "怎么修改密码？", KB_SHAPE_SECTION },
		{ "公司有多少员工？", KB_SHAPE_FACT },
	};
	struct kb_analyzer *an = kb_analyzer_new();

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_question q;

		t->row = rows[i].text;
		kb_question_build(an, &arena,
		                  &(struct kb_utterance){ .text = kb_sv_str(rows[i].text) }, &q);
		CHECK_INT(t, q.shape, rows[i].shape);
		kb_arena_fini(&arena);
	}
	kb_analyzer_free(an);
	t->row = NULL;
}

static void test_features(struct kb_test *t)
{
	struct toy toy;
	struct kb_features f;
	const struct kb_feature_row *row = NULL;

	ask(&toy, "How many people does the company from Hamburg employ?", NULL, 0);
	kb_features_compute(toy.an, &toy.arena, &toy.q, &toy.evidence, &f);
	CHECK_INT(t, f.term_count, 4); /* people, company, Hamburg, employ */
	CHECK_INT(t, f.row_count, 13);
	for (size_t i = 0; i < f.row_count; i++)
		if (kb_sv_eq_str(
		            sentence_of(&toy, f.rows[i].candidate, f.rows[i].start, f.rows[i].end),
		            "Today it employs 250 people."))
			row = &f.rows[i];
	CHECK(t, row != NULL);
	if (row) {
		CHECK(t, row->f[KB_F_COV] > .4f && row->f[KB_F_COV] < .6f);
		CHECK(t, row->f[KB_F_COV_TITLE] > .2f); /* company */
		CHECK(t, row->f[KB_F_COV_NEAR] > .2f);  /* Hamburg, two before */
		CHECK(t, row->f[KB_F_DOC_COV] > .99f);
		CHECK(t, row->f[KB_F_NUM_DIGIT] > .5f && row->f[KB_F_TYPE_HIT] > .5f);
		CHECK(t, row->f[KB_F_NUM_FOCUS] > .5f); /* 250 people */
		CHECK(t, row->f[KB_F_TYPE_MISS] < .5f && row->f[KB_F_WHEN_YEAR] < .5f);
		CHECK(t, row->f[KB_F_PLACE] > .99f && row->f[KB_F_FIRST] < .5f);
		CHECK(t, row->f[KB_F_CAP_CTX] > .99f && row->f[KB_F_CAP] < .01f);
	}
	done(&toy);
}

static void test_follow_up(struct kb_test *t)
{
	struct kb_sv history[] = { KB_SV("When was the company founded?") };
	struct kb_selection s;
	struct toy toy;

	ask(&toy, "And who founded it?", history, 1);
	CHECK(t, toy.q.follow_up);
	kb_select(toy.an, &toy.arena, &toy.q, &toy.evidence, KB_GATE_LENIENT, &s);
	CHECK(t, s.count > 0);
	if (s.count > 0)
		CHECK_INT(t, toy.candidates[s.sentences[0].candidate].passage.page_id, 3);
	done(&toy);
}

/* What is carried finds the passage; the turn's own words must stand there too. */
static void test_own_words(struct kb_test *t)
{
	static const struct {
		const char *text;
		bool answered;
	} turns[] = {
		{ "And who founded it?", true },
		{ "And where is the museum?", false },
		{ "Does it have a swimming pool?", false },
	};
	struct kb_sv history[] = { KB_SV("When was the company founded in Hamburg?") };

	for (size_t i = 0; i < KB_COUNTOF(turns); i++) {
		struct kb_selection s;
		struct toy toy;

		t->row = turns[i].text;
		ask(&toy, turns[i].text, history, 1);
		CHECK(t, toy.q.follow_up);
		kb_select(toy.an, &toy.arena, &toy.q, &toy.evidence, KB_GATE_LENIENT, &s);
		CHECK_INT(t, s.answered, turns[i].answered);
		done(&toy);
	}
}

static void test_same_again(struct kb_test *t)
{
	float z[16] = { 0 };

	for (int round = 0; round < 3; round++) {
		struct kb_selection s;
		struct toy toy;

		ask(&toy, "Who founded the company in Hamburg?", NULL, 0);
		kb_select(toy.an, &toy.arena, &toy.q, &toy.evidence, KB_GATE_STRICT, &s);
		for (size_t i = 0; i < KB_MIN(s.count, KB_COUNTOF(z)); i++) {
			CHECK(t,
			      round == 0 || memcmp(&z[i], &s.sentences[i].z, sizeof(float)) == 0);
			z[i] = s.sentences[i].z;
		}
		done(&toy);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "the sentence that answers comes first", test_choice },
		{ "a foreign question gets no answer", test_gate },
		{ "the answer's parts and their order", test_parts },
		{ "a heading asked for is answered by what stands under it", test_echo },
		{ "what stands together is said together", test_windows },
		{ "in what form a question is answered", test_shapes },
		{ "features of a toy passage", test_features },
		{ "a follow-up finds what it is about", test_follow_up },
		{ "carried words do not open the gate", test_own_words },
		{ "the same input gives the same bits", test_same_again },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
