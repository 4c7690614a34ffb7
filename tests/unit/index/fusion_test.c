/* Fusing lists of hits, and the one entry that finds by words and vectors together. */
#include "columns.h"
#include "index/fusion.h"
#include "index/rank.h"

enum { MAX = 6 };

// clang-format off
static const struct {
	const char *name;
	float weights[2];
	bool leads;                  /* the first list */
	struct kb_hit lists[2][MAX]; /* a score of -9 ends them */
	size_t limit;
	struct kb_hit want[MAX];
} cases[] = {
	{ "one list keeps its order",
	  { 6, 6 }, false,
	  { { { 0, 1, 8 }, { 0, 2, 4 }, { 0, 0, -9 } }, { { 0, 0, -9 } } },
	  9,
	  { { 0, 1, 1 }, { 0, 2, 6 / 7.0f }, { 0, 0, -9 } } },
	{ "a passage of both lists gets both shares, ranks count and scores do not",
	  { 6, 3 }, false,
	  { { { 0, 1, 1e6f }, { 0, 2, 1 }, { 0, 0, -9 } }, { { 0, 2, .8f }, { 1, 1, .4f }, { 0, 0, -9 } } },
	  9,
	  { { 0, 2, 6 / 7.0f + .5f }, { 0, 1, 1 }, { 1, 1, 3 / 7.0f }, { 0, 0, -9 } } },
	{ "the first counts by its lead over the second",
	  { 6, 6 }, true,
	  { { { 0, 1, 10 }, { 0, 2, 8 }, { 0, 0, -9 } }, { { 0, 2, .9f }, { 0, 3, .1f }, { 0, 0, -9 } } },
	  9,
	  { { 0, 2, 1 + 6 / 7.0f }, { 0, 1, 1.8f }, { 0, 3, 6 / 7.0f }, { 0, 0, -9 } } },
	{ "one alone leads by all of its score",
	  { 6, 6 }, true,
	  { { { 0, 1, 10 }, { 0, 0, -9 } }, { { 0, 2, .9f }, { 0, 0, -9 } } },
	  9,
	  { { 0, 1, 5 }, { 0, 2, 1 }, { 0, 0, -9 } } },
	{ "who is not sorted leads by nothing, and a score of nought neither",
	  { 6, 6 }, true,
	  { { { 0, 1, 0 }, { 0, 2, 4 }, { 0, 0, -9 } }, { { 0, 0, -9 } } },
	  9,
	  { { 0, 1, 1 }, { 0, 2, 6 / 7.0f }, { 0, 0, -9 } } },
	{ "equals stand by part and passage, and the limit cuts",
	  { 6, 6 }, false,
	  { { { 1, 0, 3 }, { 0, 5, 3 }, { 0, 0, -9 } }, { { 0, 4, 7 }, { 0, 0, -9 } } },
	  2,
	  { { 0, 4, 1 }, { 1, 0, 1 }, { 0, 0, -9 } } },
	{ "nothing and nothing is nothing",
	  { 1, 1 }, true,
	  { { { 0, 0, -9 } }, { { 0, 0, -9 } } },
	  5,
	  { { 0, 0, -9 } } },
};
// clang-format on

static size_t length(const struct kb_hit *hits)
{
	size_t n = 0;

	while (hits[n].score > -9)
		n++;
	return n;
}

static void test_fuse(struct kb_test *t)
{
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_hit_list lists[2];
		struct kb_hit *hits;
		size_t count;

		t->row = cases[i].name;
		for (size_t k = 0; k < 2; k++)
			lists[k] = (struct kb_hit_list){ .hits = cases[i].lists[k],
				                         .count = length(cases[i].lists[k]),
				                         .weight = cases[i].weights[k],
				                         .leads = !k && cases[i].leads };
		kb_fuse(&arena, lists, KB_COUNTOF(lists), cases[i].limit, &hits, &count);
		CHECK_INT(t, count, length(cases[i].want));
		for (size_t k = 0; k < KB_MIN(count, length(cases[i].want)); k++) {
			CHECK_INT(t, hits[k].part, cases[i].want[k].part);
			CHECK_INT(t, hits[k].doc, cases[i].want[k].doc);
			CHECK(t, fabsf(hits[k].score - cases[i].want[k].score) < 1e-6f);
		}
	}
	kb_arena_fini(&arena);
}

/* ---- with an index ---- */

static const char *const texts[] = {
	"goods may be returned within thirty days",
	"a refund for goods is paid within ten days",
	"shipping takes a week",
	"our office is closed on sundays",
};
enum { TEXTS = KB_COUNTOF(texts), DIMS = 4 };

static struct kb_snapshot *make_snapshot(struct kb_test *t, bool column)
{
	const char *path = world_path("fusion", 0);
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_vectors *vectors = NULL;
	float v[TEXTS][DIMS] = { { 1 }, { .9f, 0, 0, .1f }, { 0, 1 }, { 0, 0, 1 } };
	struct kb_segment *segment;
	struct kb_segment_info info;
	struct kb_snapshot *snapshot;
	struct kb_err err;

	for (uint32_t i = 0; i < TEXTS; i++)
		kb_segment_writer_add(writer, &(struct kb_passage){ .page_id = i,
		                                                    .lang = KB_LANG_EN,
		                                                    .text = kb_sv_str(texts[i]) });
	CHECK(t, kb_segment_writer_finish(writer, path, &info, &err));
	segment = kb_segment_open(path, true, &err);
	kb_segment_writer_free(writer);
	if (column) {
		CHECK(t, write_column(path, COLUMN, MODEL, v[0], DIMS, TEXTS, &err));
		vectors = kb_vectors_open(path, true, &err);
	}
	snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ .segment = segment,
	                                                       .version = 1,
	                                                       .vectors = &vectors,
	                                                       .vectors_count = column },
	                           1, NULL, 0);
	kb_segment_release(segment);
	kb_vectors_release(vectors);
	unlink(path);
	return snapshot;
}

static bool not_the_third(void *arg, int64_t page_id)
{
	(void)arg;
	return page_id != 2;
}

static const struct kb_query_term terms[] = { { KB_SV_INIT("good"), 1 }, { KB_SV_INIT("day"), 1 } };
static const float north[DIMS] = { 0, 1 };

static void test_hybrid(struct kb_test *t)
{
	struct kb_query words = { .terms = terms, .term_count = 2, .limit = 3 };
	struct kb_vector_query vectors = {
		.name = COLUMN, .model = MODEL, .v = north, .dims = DIMS
	};
	struct kb_hybrid_query query = { .words = &words, .vectors = &vectors };
	struct kb_snapshot *without = make_snapshot(t, false), *with = make_snapshot(t, true),
	                   *hidden;
	struct kb_arena arena = { 0 };
	struct kb_hit *hits, *want;
	size_t count, want_count;

	/* Without a column, or a question's vector, it is the search by words. */
	kb_search(without, &arena, &words, &want, &want_count);
	CHECK_INT(t, want_count, 2);
	for (int i = 0; i < 2; i++) {
		query.vectors = i ? NULL : &vectors;
		CHECK(t, kb_hybrid_search(i ? with : without, &arena, &query, &hits, &count));
		CHECK_INT(t, count, want_count);
		CHECK(t, memcmp(hits, want, count * sizeof(*hits)) == 0);
	}

	/* The vector brings what the words do not name. */
	query.vectors = &vectors;
	CHECK(t, kb_hybrid_search(with, &arena, &query, &hits, &count));
	CHECK_INT(t, count, 3);
	CHECK_INT(t, hits[0].doc, want[0].doc);
	CHECK_INT(t, hits[2].doc, 2);
	/* Given the weight, it comes first. */
	query.word_weight = .01f;
	query.vector_weight = 1;
	CHECK(t, kb_hybrid_search(with, &arena, &query, &hits, &count));
	CHECK_INT(t, hits[0].doc, 2);
	/* What is hidden is found by neither. */
	hidden = kb_snapshot_hiding(with, not_the_third, NULL);
	CHECK(t, kb_hybrid_search(hidden, &arena, &query, &hits, &count));
	for (size_t i = 0; i < count; i++)
		CHECK(t, hits[i].doc != 2);
	kb_snapshot_release(hidden);
	kb_snapshot_release(with);
	kb_snapshot_release(without);
	kb_arena_fini(&arena);
}

enum { LIKE_SHORT, FAIL, NO_NUMBER };

static bool judge(void *arg, struct kb_sv question, const struct kb_passage *passages, size_t count,
                  float *scores)
{
	if (!kb_sv_eq_str(question, "how short?"))
		return false;
	for (size_t i = 0; i < count; i++)
		scores[i] = *(int *)arg == NO_NUMBER ? NAN : -(float)passages[i].text.n;
	return *(int *)arg != FAIL;
}

static void test_reranker(struct kb_test *t)
{
	struct kb_query words = { .terms = terms, .term_count = 2, .limit = 10 };
	struct kb_vector_query vectors = {
		.name = COLUMN, .model = MODEL, .v = north, .dims = DIMS
	};
	int mode = LIKE_SHORT;
	struct kb_reranker reranker = {
		.score = judge, .arg = &mode, .top = 3, .weight = 1, .question = KB_SV("how short?")
	};
	struct kb_hybrid_query query = { .words = &words,
		                         .vectors = &vectors,
		                         .reranker = &reranker };
	struct kb_snapshot *snapshot = make_snapshot(t, true);
	struct kb_arena arena = { 0 };
	struct kb_hit *hits, *plain;
	size_t count, plain_count;

	CHECK(t, kb_hybrid_search(snapshot, &arena, &query, &hits, &count));
	CHECK_INT(t, count, 4);
	CHECK_INT(t, hits[0].doc, 2); /* the shortest of the three it got */
	CHECK(t, hits[0].score == 2);
	CHECK_INT(t, hits[1].doc, 0);
	CHECK_INT(t, hits[2].doc, 1);
	CHECK(t, hits[2].score == 1);
	CHECK_INT(t, hits[3].doc, 3); /* shorter than that, but it was not among them */
	CHECK(t, hits[3].score < 1);

	/* No say. */
	reranker.weight = 0;
	CHECK(t, kb_hybrid_search(snapshot, &arena, &query, &hits, &count));
	query.reranker = NULL;
	CHECK(t, kb_hybrid_search(snapshot, &arena, &query, &plain, &plain_count));
	for (size_t i = 0; i < count; i++)
		CHECK_INT(t, hits[i].doc, plain[i].doc);
	query.reranker = &reranker;
	for (mode = FAIL; mode <= NO_NUMBER; mode++) {
		CHECK(t, !kb_hybrid_search(snapshot, &arena, &query, &hits, &count));
		CHECK_INT(t, count, plain_count);
		CHECK(t, memcmp(hits, plain, count * sizeof(*hits)) == 0);
	}
	kb_snapshot_release(snapshot);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "lists are fused by ranks and by weight", test_fuse },
		{ "words and vectors find together", test_hybrid },
		{ "a reranker reorders the best, or nothing", test_reranker },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
