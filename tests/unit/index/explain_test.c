/* What explains a score adds up to it; counts and sections of a snapshot. */
#include "index/explain.h"
#include "index/outline.h"
#include "test.h"
#include "world.h"

enum { PASSAGES = 120, VOCABULARY = 60, PARTS = 3 };

/* Random passages in three segments, four to a page; page 2 is deleted. */
static struct kb_snapshot *random_snapshot(struct kb_test *t, struct kb_arena *arena,
                                           struct dice *dice)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_snapshot_part parts[PARTS];
	struct kb_dead_page dead = { 2, 2 };
	struct kb_snapshot *snapshot;
	struct kb_err err = { 0 };
	int64_t page = 0;

	for (size_t part = 0; part < PARTS; part++) {
		const char *path = world_path("explain", (int)part);

		for (uint32_t i = 0; i < PASSAGES / PARTS; i++) {
			struct kb_passage p = { .page_id = page += i % 4 == 0 };

			p.title = made_text(arena, dice, 2, VOCABULARY);
			p.heading = made_text(arena, dice, 1, VOCABULARY);
			p.text = made_text(arena, dice, 10 + roll(dice, 40), VOCABULARY);
			kb_segment_writer_add(writer, &p);
		}
		CHECK(t, kb_segment_writer_finish(writer, path, NULL, &err));
		parts[part] = (struct kb_snapshot_part){ kb_segment_open(path, true, &err), 1 };
		unlink(path);
	}
	snapshot = kb_snapshot_new(parts, PARTS, &dead, 1);
	for (size_t part = 0; part < PARTS; part++)
		kb_segment_release(parts[part].segment);
	kb_segment_writer_free(writer);
	return snapshot;
}

static bool near(float a, float b)
{
	return fabsf(a - b) <= 1e-4f * KB_MAX(1.0f, fabsf(b));
}

static void check_parts(struct kb_test *t, const struct kb_explanation *why, bool reranked)
{
	const struct kb_rerank_parts *p = &why->second;
	float sum = 0, second = 0;

	for (size_t i = 0; i < why->term_count; i++) {
		const struct kb_explained_term *term = &why->terms[i];

		sum += term->part;
		/* A passage scores by a term just when it holds it, and less than idf allows. */
		CHECK(t, (term->part > 0) == (term->body + term->title + term->heading > 0));
		CHECK(t, term->part <= term->weight * (float)term->idf * 1.001f);
	}
	CHECK(t, near(sum, why->first));
	for (size_t i = 0; i < KB_RERANK_FIGURES; i++) {
		CHECK(t, p->values[i] >= 0);
		second += p->weights[i] * p->values[i];
	}
	CHECK(t, p->values[KB_RERANK_TELLING] <= 1.001f);
	CHECK(t, p->values[KB_RERANK_TITLE] <= 1);
	CHECK(t, near(second, p->sum));
	CHECK(t, reranked ? p->sum > 0 : p->sum == 0);
	CHECK(t, near(why->first + p->sum, why->score));
	CHECK(t, why->later == 0);
}

static void test_sums(struct kb_test *t)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_arena arena = { 0 };
	struct dice dice = { 5 };
	struct kb_snapshot *snapshot = random_snapshot(t, &arena, &dice);

	for (int round = 0; round < 60; round++) {
		struct kb_sv text = made_text(&arena, &dice, 1 + roll(&dice, 20), VOCABULARY);
		struct kb_query query = { .limit = 20,
			                  .rerank = round % 2 ? KB_RERANK_DEFAULT : 0,
			                  .purpose = round / 2 % KB_PURPOSES };
		struct kb_explanation *why;
		struct kb_hit *hits;
		size_t count;

		kb_query_build(analyzer, &arena, text, KB_LANG_NONE, &query);
		kb_search(snapshot, &arena, &query, &hits, &count);
		CHECK(t, count > 0);
		why = KB_NEW_ARRAY(&arena, count, struct kb_explanation);
		kb_explain(snapshot, &arena, &query, hits, count, why);
		for (size_t i = 0; i < count; i++) {
			CHECK(t, why[i].score == hits[i].score);
			CHECK_INT(t, why[i].term_count, query.term_count);
			check_parts(t, &why[i], query.rerank > 0);
		}
	}
	kb_snapshot_release(snapshot);
	kb_analyzer_free(analyzer);
	kb_arena_fini(&arena);
}

/* A score that the two steps do not make: the rest is a later step's. */
static void test_later(struct kb_test *t)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_arena arena = { 0 };
	struct dice dice = { 8 };
	struct kb_snapshot *snapshot = random_snapshot(t, &arena, &dice);
	struct kb_query query = { .limit = 3, .rerank = KB_RERANK_DEFAULT };
	struct kb_explanation why;
	struct kb_hit *hits;
	size_t count;

	kb_query_build(analyzer, &arena, made_text(&arena, &dice, 5, VOCABULARY), KB_LANG_NONE,
	               &query);
	kb_search(snapshot, &arena, &query, &hits, &count);
	CHECK(t, count > 0);
	hits[0].score += 1.5f;
	kb_explain(snapshot, &arena, &query, hits, 1, &why);
	CHECK(t, near(why.later, 1.5f));
	CHECK(t, near(why.first + why.second.sum + why.later, why.score));
	kb_snapshot_release(snapshot);
	kb_analyzer_free(analyzer);
	kb_arena_fini(&arena);
}

static bool odd_pages(void *arg, int64_t page_id)
{
	(void)arg;
	return page_id % 2 == 1;
}

static void test_size(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct dice dice = { 5 };
	struct kb_snapshot *snapshot = random_snapshot(t, &arena, &dice);
	struct kb_snapshot_size size;

	kb_snapshot_size(snapshot, NULL, NULL, &size);
	CHECK_INT(t, size.pages, 29); /* 30 less the deleted one */
	CHECK_INT(t, size.passages, PASSAGES - 4);
	kb_snapshot_size(snapshot, odd_pages, NULL, &size);
	CHECK_INT(t, size.pages, 15);
	CHECK_INT(t, size.passages, 60);
	kb_snapshot_release(snapshot);
	kb_arena_fini(&arena);
}

static void test_sections(struct kb_test *t)
{
	static const struct {
		int64_t page;
		const char *heading;
	} passages[] = {
		{ 7, "Manual" },           { 7, "Manual > Faults" },
		{ 7, "Manual > Faults" },  { 7, "" },
		{ 7, "Manual > Care" },    { 9, "Other" },
		{ 8, "Never looked for" },
	};
	static const struct {
		const char *name;
		int64_t page;
		size_t max, count;
		bool more;
	} rows[] = {
		{ "each path once, in order", 7, 5, 3, false },
		{ "no more than asked for", 7, 2, 2, true },
		{ "another page", 9, 5, 1, false },
		{ "a deleted page has none", 8, 5, 0, false },
		{ "neither has an unknown one", 6, 5, 0, false },
	};
	struct kb_segment_writer *writer = kb_segment_writer_new();
	const char *path = world_path("sections", 0);
	struct kb_dead_page dead = { 8, 2 };
	struct kb_snapshot *snapshot;
	struct kb_segment *segment;
	struct kb_arena arena = { 0 };
	struct kb_err err = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(passages); i++) {
		struct kb_passage p = { .page_id = passages[i].page,
			                .heading = kb_sv_str(passages[i].heading),
			                .text = KB_SV("some words") };

		kb_segment_writer_add(writer, &p);
	}
	CHECK(t, kb_segment_writer_finish(writer, path, NULL, &err));
	segment = kb_segment_open(path, true, &err);
	unlink(path);
	snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ segment, 1 }, 1, &dead, 1);
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_sections out;

		t->row = rows[i].name;
		CHECK(t, kb_snapshot_sections(snapshot, &arena, rows[i].page, rows[i].max, &out,
		                              &err));
		CHECK_INT(t, out.count, rows[i].count);
		CHECK(t, out.more == rows[i].more);
		if (rows[i].page == 7)
			CHECK_SV(t, out.v[1], "Manual > Faults");
	}
	kb_snapshot_release(snapshot);
	kb_segment_release(segment);
	kb_segment_writer_free(writer);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "the parts of a score add up to it", test_sums },
		{ "what two steps do not explain is a later step's", test_later },
		{ "a snapshot's size counts what lives and is allowed", test_size },
		{ "the sections of a page", test_sections },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
