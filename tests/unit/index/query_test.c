/* Questions to weighted terms, and the second ranking step on passages made for the purpose. */
#include "index/explain.h"
#include "index/query.h"
#include "index/rank.h"
#include "index/rerank.h"
#include "test.h"
#include "world.h"

static void test_weights(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *term;
		float weight; /* 0: the term is not there */
	} rows[] = {
		{ "a word weighs one", "refund for a broken lamp", "lamp", 1 },
		{ "twice is less than double", "lamp after lamp", "lamp", 1.8f },
		{ "question words weigh little", "what is a lamp", "what", .15f },
		{ "function words weigh little", "did you break it", "you", .15f },
		{ "the few most frequent words are left out", "what is the lamp", "the", 0 },
		{ "words are stemmed", "the lamps", "lamp", 1 },
	};
	struct kb_analyzer *analyzer = kb_analyzer_new();

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_query query = { .limit = 3 };
		float got = 0;

		t->row = rows[i].name;
		kb_query_build(analyzer, &arena, kb_sv_str(rows[i].text), KB_LANG_EN, &query);
		for (size_t k = 0; k < query.term_count; k++)
			if (kb_sv_eq_str(query.terms[k].term, rows[i].term))
				got += query.terms[k].weight;
		CHECK(t, fabsf(got - rows[i].weight) < 1e-5f);
		CHECK_INT(t, query.limit, 3);
		kb_arena_fini(&arena);
	}
	kb_analyzer_free(analyzer);
}

/* Words enough that what stands before and after them is not near. */
#define FAR "little things get said about such guides there again "

static void test_rerank(struct kb_test *t)
{
	static const struct {
		const char *name, *question, *better, *worse;
	} rows[] = {
		{ "neighbours in the question's order", "solar panel warranty",
		  "The guide says solar panel things and then warranty things follow here.",
		  "The guide says panel things and then solar things warranty follow here." },
		{ "all in one sentence", "copper kettle price",
		  "Nothing there. The copper stands near some kettle with every price. Nothing "
		  "here.",
		  "Nothing there copper. The stands near some kettle every. With price nothing "
		  "here." },
		{ "words that are no neighbours in the question stand together",
		  "solar roof panel cheap warranty",
		  "Solar there warranty " FAR "panel " FAR "roof " FAR "cheap " FAR "end.",
		  "Solar there " FAR "warranty " FAR "panel " FAR "roof " FAR "cheap end." },
		{ "an earlier first match", "granite quarry",
		  "Granite holds every other stone while they look over some quarry again today.",
		  "Stone holds every other granite while they look over some quarry again today." },
		{ "letter pieces of an unseen form", "photosynthesis leaf",
		  "The leaf shows photosynthetic traces everywhere near winter months.",
		  "The leaf shows interesting traces everywhere near winter months." },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_segment_writer *writer = kb_segment_writer_new();
		struct kb_analyzer *analyzer = kb_analyzer_new();
		const char *path = world_path("rerank", (int)i);
		struct kb_passage p = { .lang = KB_LANG_EN };
		struct kb_query query = { .limit = 10,
			                  .rerank = KB_RERANK_DEFAULT,
			                  .purpose = KB_FOR_SEARCH };
		struct kb_arena arena = { 0 };
		struct kb_segment *segment;
		struct kb_snapshot *snapshot;
		struct kb_hit *hits;
		size_t count;
		struct kb_err err = { 0 };

		t->row = rows[i].name;
		/* The worse one first: equal scores would leave it there. */
		p.text = kb_sv_str(rows[i].worse);
		kb_segment_writer_add(writer, &p);
		p.page_id = 1;
		p.text = kb_sv_str(rows[i].better);
		kb_segment_writer_add(writer, &p);
		for (p.page_id = 2; p.page_id < 40; p.page_id++) {
			p.text =
			        kb_sv_str("Some other passage of a like length that says nothing.");
			kb_segment_writer_add(writer, &p);
		}
		CHECK(t, kb_segment_writer_finish(writer, path, NULL, &err));
		segment = kb_segment_open(path, true, &err);
		CHECK(t, segment);
		snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ segment, 1 }, 1, NULL, 0);
		kb_query_build(analyzer, &arena, kb_sv_str(rows[i].question), KB_LANG_EN, &query);
		kb_search(snapshot, &arena, &query, &hits, &count);
		CHECK(t, count >= 2);
		CHECK_INT(t, hits[0].doc, 1);
		CHECK(t, hits[0].score > hits[1].score);
		query.rerank = 0;
		kb_search(snapshot, &arena, &query, &hits, &count);
		CHECK_INT(t, hits[0].doc, 0); /* the first step alone does not tell them apart */
		CHECK(t, hits[0].score == hits[1].score);
		kb_snapshot_release(snapshot);
		kb_segment_release(segment);
		kb_segment_writer_free(writer);
		kb_analyzer_free(analyzer);
		kb_arena_fini(&arena);
		unlink(path);
	}
}

/* Figures that have a size of their own: counted by hand. */
static void test_figures(struct kb_test *t)
{
	static const struct {
		const char *title, *text;
		float in_title;
	} rows[] = {
		{ "Engine", "The engine stops. Coolant boils when the valve sticks.", 1 },
		{ "Engine handbook", "The engine stops. Coolant boils.", .5f },
		{ "Other handbook", "Some engine.", 0 },
	};
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_query query = { .limit = 50,
		                  .rerank = KB_RERANK_DEFAULT,
		                  .purpose = KB_FOR_SEARCH };
	const char *path = world_path("figures", 0);
	struct kb_explanation why[50];
	struct kb_arena arena = { 0 };
	struct kb_segment *segment;
	struct kb_snapshot *snapshot;
	struct kb_err err = { 0 };
	struct kb_hit *hits;
	float weights[3];
	size_t count;

	for (uint32_t i = 0; i < 50; i++) {
		size_t row = KB_MIN(i, KB_COUNTOF(rows) - 1);

		kb_segment_writer_add(writer,
		                      &(struct kb_passage){ .lang = KB_LANG_EN,
		                                            .page_id = i,
		                                            .title = kb_sv_str(rows[row].title),
		                                            .text = kb_sv_str(rows[row].text) });
	}
	CHECK(t, kb_segment_writer_finish(writer, path, NULL, &err));
	segment = kb_segment_open(path, true, &err);
	snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ segment, 1 }, 1, NULL, 0);
	kb_query_build(analyzer, &arena, KB_SV("engine coolant valve"), KB_LANG_EN, &query);
	kb_search(snapshot, &arena, &query, &hits, &count);
	CHECK_INT(t, count, 50);
	kb_explain(snapshot, &arena, &query, hits, count, why);
	/* engine, coolant, valve: 50, 2 and 1 of the 50 best have them. */
	weights[0] = logf(51 / 50.5f);
	weights[1] = logf(51 / 2.5f);
	weights[2] = logf(51 / 1.5f);
	for (size_t i = 0; i < count; i++) {
		const float *values = why[i].second.values;
		size_t row = KB_MIN(hits[i].doc, (uint32_t)KB_COUNTOF(rows) - 1);
		/* The best sentence has the last two, the middle one, or the first word. */
		float best = row == 0   ? weights[1] + weights[2]
		             : row == 1 ? weights[1]
		                        : weights[0];

		CHECK(t, values[KB_RERANK_TITLE] == rows[row].in_title);
		CHECK(t, fabsf(values[KB_RERANK_TELLING]
		               - best / (weights[0] + weights[1] + weights[2]))
		                 < 1e-5f);
	}
	kb_snapshot_release(snapshot);
	kb_segment_release(segment);
	kb_segment_writer_free(writer);
	kb_analyzer_free(analyzer);
	kb_arena_fini(&arena);
	unlink(path);
}

/* The step's sum does not depend on how the passages are spread over segments. */
static void test_rerank_parts(struct kb_test *t)
{
	enum { PASSAGES = 120, VOCABULARY = 60 };
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_arena arena = { 0 };
	struct kb_snapshot *snapshots[2];
	struct dice dice = { 21 };
	struct kb_err err;

	for (int k = 0; k < 2; k++) {
		struct kb_snapshot_part parts[3];
		size_t count = k ? 3 : 1;

		dice.state = 21;
		for (size_t part = 0; part < count; part++) {
			const char *path = world_path("parts", (int)part);

			for (uint32_t i = 0; i < PASSAGES / count; i++) {
				struct kb_passage p = { .page_id = i };

				p.title = made_text(&arena, &dice, 2, VOCABULARY);
				p.text = made_text(&arena, &dice, 10 + roll(&dice, 40), VOCABULARY);
				kb_segment_writer_add(writer, &p);
			}
			CHECK(t, kb_segment_writer_finish(writer, path, NULL, &err));
			parts[part] =
			        (struct kb_snapshot_part){ kb_segment_open(path, true, &err), 1 };
			unlink(path);
		}
		snapshots[k] = kb_snapshot_new(parts, count, NULL, 0);
		for (size_t part = 0; part < count; part++)
			kb_segment_release(parts[part].segment);
	}
	for (int round = 0; round < 40; round++) {
		struct kb_sv text = made_text(&arena, &dice, 1 + roll(&dice, 90), VOCABULARY);
		struct kb_hit *hits[2];
		size_t counts[2];

		for (int k = 0; k < 2; k++) {
			struct kb_query query = { .limit = PASSAGES,
				                  .rerank = PASSAGES,
				                  .purpose = round % KB_PURPOSES };

			kb_query_build(analyzer, &arena, text, KB_LANG_NONE, &query);
			kb_search(snapshots[k], &arena, &query, &hits[k], &counts[k]);
		}
		CHECK_INT(t, counts[0], counts[1]);
		for (size_t i = 0; i < KB_MIN(counts[0], counts[1]); i++) {
			CHECK_INT(t, hits[0][i].doc,
			          hits[1][i].part * (PASSAGES / 3) + hits[1][i].doc);
			CHECK(t, fabsf(hits[0][i].score - hits[1][i].score) < 1e-4f);
		}
	}
	for (int k = 0; k < 2; k++)
		kb_snapshot_release(snapshots[k]);
	kb_segment_writer_free(writer);
	kb_analyzer_free(analyzer);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a question's terms and their weights", test_weights },
		{ "the second step sees order, sentence, place and pieces", test_rerank },
		{ "the second step's figures of a title and of a sentence", test_figures },
		{ "the second step does not see how many segments there are", test_rerank_parts },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
