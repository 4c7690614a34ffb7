/* Vector search: each processor's loops alike, the same as a naive search over floats, filters. */
#include "columns.h"
#include "index/vector_search.h"

/* ---- paths ---- */

static void test_paths(struct kb_test *t)
{
	enum { ROWS = 41, STRIDE_MAX = 1024 };
	_Alignas(64) static int8_t rows[ROWS * STRIDE_MAX], question[STRIDE_MAX];
	_Alignas(64) static uint64_t signs[ROWS * KB_SIGNS_LANES * 16];
	static uint16_t differs[2][ROWS * KB_SIGNS_LANES];
	const struct kb_vector_path *portable = kb_vector_paths[kb_vector_path_count - 1];
	struct dice dice = { 1 };
	int ran = 0;

	for (size_t p = 0; p < kb_vector_path_count; p++) {
		const struct kb_vector_path *path = kb_vector_paths[p];

		if (!path->available())
			continue;
		t->row = path->name;
		ran++;
		for (size_t stride = 64; stride <= STRIDE_MAX; stride += 64) {
			uint32_t docs[ROWS];
			int32_t want[ROWS], got[ROWS];
			size_t n = roll(&dice, ROWS + 1);

			/* The ends of the range too: what is read may be damaged. */
			for (size_t i = 0; i < ROWS * stride; i++)
				rows[i] = (int8_t)(roll(&dice, 8) ? (int)roll(&dice, 256) - 128
				                                  : -128);
			for (size_t i = 0; i < stride; i++)
				question[i] = (int8_t)(roll(&dice, 8) ? (int)roll(&dice, 255) - 127
				                                      : 127);
			for (size_t i = 0; i < ROWS; i++)
				docs[i] = roll(&dice, ROWS);
			portable->dots(rows, stride, NULL, n, question, want);
			path->dots(rows, stride, NULL, n, question, got);
			CHECK(t, memcmp(want, got, n * sizeof(*got)) == 0);
			portable->dots(rows, stride, docs, n, question, want);
			path->dots(rows, stride, docs, n, question, got);
			CHECK(t, memcmp(want, got, n * sizeof(*got)) == 0);
		}
		for (size_t words = 1; words <= 16; words++) {
			uint64_t bits[16];

			for (size_t i = 0; i < KB_COUNTOF(signs); i++)
				signs[i] = (uint64_t)roll(&dice, UINT32_MAX) << 32
				           ^ (uint64_t)roll(&dice, UINT32_MAX) << 4
				           ^ roll(&dice, 256);
			for (size_t i = 0; i < words; i++)
				bits[i] = (uint64_t)roll(&dice, UINT32_MAX) << 33;
			portable->differences(signs, words, ROWS, bits, differs[0]);
			path->differences(signs, words, ROWS, bits, differs[1]);
			CHECK(t, memcmp(differs[0], differs[1], sizeof(differs[0])) == 0);
		}
	}
	t->row = NULL;
	CHECK(t, ran >= 1);
	CHECK(t, kb_vector_path()->available());
}

/* ---- against a naive search ---- */

enum { DIMS_MAX = 384, HITS = 10 };

/* What sums of doubles in another order are worth: a passage counts as right when it is one of the
 * exact ten best, rounding of rows to bytes or not. */
#define ROUNDING 1e-6

struct model {
	struct kb_snapshot *snapshot;
	uint32_t dims, parts;
	struct {
		uint32_t passages, per_page;
		int64_t first_page;
		float *v; /* first value NAN: none */
		bool column;
	} part[4];
	int64_t dead; /* a page */
};

/* Passages in clusters, as texts are: a few of each topic. */
static void topics(struct dice *dice, float *v, uint32_t count, uint32_t dims, float spread)
{
	enum { PER_TOPIC = 25 };
	uint32_t number = count / PER_TOPIC + 1;
	float *centres = kb_xcalloc((size_t)number * dims, sizeof(*centres));

	made_vector(dice, centres, number * dims);
	made_vector(dice, v, count * dims);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t topic = roll(dice, number);

		for (uint32_t k = 0; k < dims; k++)
			v[(size_t)i * dims + k] =
			        v[(size_t)i * dims + k] * spread + centres[topic * dims + k];
	}
	free(centres);
}

static void model_init(struct kb_test *t, struct model *m, struct dice *dice, uint32_t dims,
                       uint32_t parts, uint32_t passages, bool holes)
{
	const char *path = world_path("naive", 0);
	struct kb_snapshot_part in[4] = { 0 };
	struct kb_vectors *columns[4] = { 0 };
	struct kb_err err;

	*m = (struct model){ .dims = dims, .parts = parts };
	for (uint32_t p = 0; p < parts; p++) {
		uint32_t n = passages / (p + 1);

		m->part[p].passages = n;
		m->part[p].per_page = 1 + roll(dice, 6);
		m->part[p].first_page = 100000 * (int64_t)(p + 1);
		m->part[p].column = !holes || p != 1;
		m->part[p].v = kb_xcalloc((size_t)n * dims, sizeof(float));
		topics(dice, m->part[p].v, n, dims, .7f);
		for (uint32_t i = 0; holes && i < n; i += 9)
			m->part[p].v[(size_t)i * dims] = NAN;
		/* As in an agent's copy, whose pages have other ids than the file says. */
		in[p].page_shift = p % 2 ? 1000 : 0;
		in[p].segment = made_segment(path, n, m->part[p].per_page,
		                             m->part[p].first_page - in[p].page_shift);
		in[p].version = 1;
		CHECK(t, in[p].segment);
		CHECK(t, write_column(path, COLUMN, MODEL, m->part[p].v, dims, n, &err));
		columns[p] = kb_vectors_open(path, true, &err);
		CHECK(t, columns[p]);
		in[p].vectors = &columns[p];
		in[p].vectors_count = m->part[p].column;
		unlink(path);
	}
	m->dead = holes ? m->part[0].first_page + 3 : -1;
	m->snapshot = kb_snapshot_new(in, parts, &(struct kb_dead_page){ m->dead, 2 }, 1);
	for (uint32_t p = 0; p < parts; p++) {
		kb_vectors_release(columns[p]);
		kb_segment_release(in[p].segment);
	}
}

static void model_fini(struct model *m)
{
	kb_snapshot_release(m->snapshot);
	for (uint32_t p = 0; p < m->parts; p++)
		free(m->part[p].v);
}

static bool every_third(void *arg, int64_t page_id)
{
	(void)arg;
	return page_id % 3 == 0;
}
static bool few(void *arg, int64_t page_id)
{
	(void)arg;
	return page_id % 97 == 0;
}
static bool nobody(void *arg, int64_t page_id)
{
	(void)arg;
	(void)page_id;
	return false;
}

static bool may(const struct model *m, bool (*allow)(void *arg, int64_t page_id), uint32_t p,
                uint32_t doc)
{
	int64_t page = m->part[p].first_page + doc / m->part[p].per_page;

	return m->part[p].column && page != m->dead && !isnan(m->part[p].v[(size_t)doc * m->dims])
	       && (!allow || allow(NULL, page));
}

/* The cosine of the HITS-th best of the naive search; how many there are in all in *count. */
static double naive_bar(const struct model *m, const float *v,
                        bool (*allow)(void *arg, int64_t page_id), size_t *count)
{
	double best[HITS];

	*count = 0;
	for (uint32_t p = 0; p < m->parts; p++)
		for (uint32_t doc = 0; doc < m->part[p].passages; doc++) {
			double c;
			size_t at;

			if (!may(m, allow, p, doc))
				continue;
			c = cosine_of(v, m->part[p].v + (size_t)doc * m->dims, m->dims);
			at = KB_MIN(*count, (size_t)HITS);
			++*count;
			if (at == HITS && c <= best[HITS - 1])
				continue;
			at = KB_MIN(at, (size_t)HITS - 1);
			for (; at && best[at - 1] < c; at--)
				best[at] = best[at - 1];
			best[at] = c;
		}
	return *count ? best[KB_MIN(*count, (size_t)HITS) - 1] : -1;
}

static bool same_hits(const struct kb_hit *a, const struct kb_hit *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (a[i].part != b[i].part || a[i].doc != b[i].doc || a[i].score != b[i].score)
			return false;
	return true;
}

/* One question in every way there is; counts the found ones that are no worse than the naive best.
 */
static void ask(struct kb_test *t, const struct model *m, struct dice *dice,
                bool (*allow)(void *arg, int64_t page_id), size_t *right, size_t *of)
{
	float v[DIMS_MAX];
	struct kb_vector_query query = {
		.name = COLUMN, .model = MODEL, .v = v, .dims = m->dims, .limit = HITS
	};
	struct kb_snapshot *hidden = allow ? kb_snapshot_hiding(m->snapshot, allow, NULL)
	                                   : kb_snapshot_hold(m->snapshot);
	uint32_t p = roll(dice, m->parts), doc = roll(dice, m->part[p].passages);
	struct kb_arena arena = { 0 };
	struct kb_hit *hits, *others;
	size_t count, other_count, all;
	double bar;

	while (isnan(m->part[p].v[(size_t)doc * m->dims]))
		doc = roll(dice, m->part[p].passages);
	made_vector(dice, v, m->dims);
	for (uint32_t i = 0; i < m->dims; i++)
		v[i] = v[i] * .6f + m->part[p].v[(size_t)doc * m->dims + i];
	bar = naive_bar(m, v, allow, &all);
	for (int exhaustive = 0; exhaustive < 2; exhaustive++) {
		query.exhaustive = exhaustive;
		kb_vector_search(hidden, &arena, &query, &hits, &count);
		CHECK_INT(t, count, KB_MIN(all, (size_t)HITS));
		for (size_t i = 0; i < count; i++) {
			const float *row = m->part[hits[i].part].v + (size_t)hits[i].doc * m->dims;
			const struct kb_vectors *vectors =
			        kb_snapshot_vectors(m->snapshot, hits[i].part, COLUMN, MODEL);
			double c = cosine_of(v, row, m->dims);

			CHECK(t, may(m, allow, hits[i].part, hits[i].doc));
			CHECK(t, !i || hits[i].score <= hits[i - 1].score);
			CHECK(t, fabs((double)hits[i].score - c) < .004);
			CHECK(t, hits[i].score
			                 == kb_vectors_cosine(vectors, hits[i].doc,
			                                      kb_vector_new(&arena, v, m->dims)));
			*right += c >= bar - ROUNDING;
		}
		*of += count;
		for (size_t i = 0; i < kb_vector_path_count; i++) {
			if (!kb_vector_paths[i]->available())
				continue;
			kb_vector_search_by(kb_vector_paths[i], hidden, &arena, &query, &others,
			                    &other_count);
			CHECK_INT(t, other_count, count);
			CHECK(t, same_hits(hits, others, KB_MIN(count, other_count)));
		}
	}
	kb_snapshot_release(hidden);
	kb_arena_fini(&arena);
}

/* Rows of a part that is filtered first. */
enum {
	LARGE = KB_TEST_UNDER_SANITIZER ? 12000 : 20000,
	LARGER = KB_TEST_UNDER_SANITIZER ? 12000 : 36000
};

static const struct {
	const char *name;
	uint32_t dims, parts, passages;
	bool holes;
	int questions;
} worlds[] = {
	{ "one small part", 48, 1, 700, false, 60 },
	{ "four parts with holes and a deletion", 100, 4, 900, true, 60 },
	{ "a large part, with the pre-filter", 384, 1, LARGE, false, 48 },
	{ "large parts with holes, the pre-filter and a deletion", 300, 3, LARGER, true, 36 },
};

static void test_against_naive(struct kb_test *t)
{
	static bool (*const filters[])(void *arg, int64_t page_id) = { NULL, every_third, few,
		                                                       nobody };
	struct dice dice = { 7 };
	size_t all_right = 0, all_of = 0;

	for (size_t w = 0; w < KB_COUNTOF(worlds); w++) {
		size_t right = 0, of = 0;
		struct model m;

		t->row = worlds[w].name;
		model_init(t, &m, &dice, worlds[w].dims, worlds[w].parts, worlds[w].passages,
		           worlds[w].holes);
		for (int q = 0; q < worlds[w].questions; q += KB_TEST_UNDER_SANITIZER ? 5 : 1)
			ask(t, &m, &dice, filters[q % KB_COUNTOF(filters)], &right, &of);
		/* A few rows of a world stand closer together than bytes tell apart. */
		CHECK(t, of > 0
		                 && (double)right
		                            >= (KB_TEST_UNDER_SANITIZER ? .95 : .985) * (double)of);
		all_right += right;
		all_of += of;
		model_fini(&m);
	}
	CHECK(t, KB_TEST_UNDER_SANITIZER
	                 || (double)all_right >= .993 * (double)all_of); /* they are .995 */
}

/* ---- edges ---- */

static void test_edges(struct kb_test *t)
{
	struct dice dice = { 8 };
	struct kb_arena arena = { 0 };
	struct model m;
	float v[8] = { 1 };
	struct kb_vector_query query = {
		.name = COLUMN, .model = MODEL, .v = v, .dims = 8, .limit = 1000
	};
	struct kb_hit *hits;
	size_t count;

	model_init(t, &m, &dice, 8, 2, 60, true);
	kb_vector_search(m.snapshot, &arena, &query, &hits, &count);
	CHECK(t, count > 0 && count < 60); /* all of the first part that live and have one */
	query.limit = 0;
	kb_vector_search(m.snapshot, &arena, &query, &hits, &count);
	CHECK_INT(t, count, 0);
	query.limit = 5;
	query.dims = 7;
	kb_vector_search(m.snapshot, &arena, &query, &hits, &count);
	CHECK_INT(t, count, 0);
	query.dims = 8;
	query.model = KB_SV("another");
	kb_vector_search(m.snapshot, &arena, &query, &hits, &count);
	CHECK_INT(t, count, 0);
	query.model = MODEL;
	v[0] = 0;
	kb_vector_search(m.snapshot, &arena, &query, &hits, &count);
	CHECK_INT(t, count, 0);
	model_fini(&m);

	m.snapshot = kb_snapshot_new(NULL, 0, NULL, 0);
	v[0] = 1;
	kb_vector_search(m.snapshot, &arena, &query, &hits, &count);
	CHECK_INT(t, count, 0);
	kb_snapshot_release(m.snapshot);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "each path of the scan gives the portable one's figures", test_paths },
		{ "search finds what a naive search over floats finds", test_against_naive },
		{ "nothing to find, nothing to compare with", test_edges },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
