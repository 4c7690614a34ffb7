/* The index against a naive one in memory: random segments, deletions, merges, queries. */
#include "base/fault.h"
#include "test.h"
#include "world.h"

enum {
	VOCABULARY = 400,
	PARTS_MAX = 12,
	PASSAGES_MAX = 4000,
	DEAD_MAX = 200,
};

/* What the naive index knows of a passage. */
struct known {
	struct kb_passage p;
	struct kb_terms terms[KB_FIELDS];
	uint32_t lengths[KB_FIELDS];
};

struct naive_part {
	struct known **v;
	size_t count;
	int64_t version;
};

struct model {
	struct kb_arena arena;
	struct kb_analyzer *analyzer;
	struct dice dice;
	struct kb_segment *segments[PARTS_MAX];
	struct naive_part parts[PARTS_MAX];
	size_t part_count;
	struct kb_dead_page dead[DEAD_MAX];
	size_t dead_count;
	int64_t version, next_page;
	int files;
	uint32_t length_table[256];
	bool bare;    /* passages have no titles and headings, and some say a few words often */
	int *failing; /* counts the steps that were made to fail; NULL: none is */
};

static void model_init(struct model *m, uint64_t seed)
{
	*m = (struct model){ .dice = { seed }, .analyzer = kb_analyzer_new(), .next_page = 1 };
	kb_length_table(m->length_table);
}

static void model_fini(struct model *m)
{
	for (size_t i = 0; i < m->part_count; i++)
		kb_segment_release(m->segments[i]);
	kb_analyzer_free(m->analyzer);
	kb_arena_fini(&m->arena);
}

static bool is_alive(const struct model *m, const struct naive_part *part, const struct known *k)
{
	for (size_t i = 0; i < m->dead_count; i++)
		if (m->dead[i].page_id == k->p.page_id && part->version < m->dead[i].version)
			return false;
	return true;
}

static struct known *known_of(struct model *m, const struct kb_passage *p)
{
	const struct kb_sv texts[KB_FIELDS] = { p->text, p->title, p->heading };
	struct known *k = KB_NEW(&m->arena, struct known);

	k->p = *p;
	for (int f = 0; f < KB_FIELDS; f++) {
		size_t count = 0;

		kb_analyze(m->analyzer, &m->arena, p->lang, texts[f], &k->terms[f]);
		for (size_t i = 0; i < k->terms[f].count; i++)
			count += !(k->terms[f].v[i].flags & KB_TERM_STOP);
		k->lengths[f] = m->length_table[kb_length_code(m->length_table, (uint32_t)count)];
	}
	return k;
}

/* Lets one of the next steps fail, where the history is of that kind. */
static void arm(struct model *m)
{
	if (m->failing)
		kb_fault_arm(1 + (int)roll(&m->dice, 12));
}

/* Whether to do it again: a fault made it fail. The file may be there if only its directory was not
 * synced. */
static bool again(struct kb_test *t, struct model *m, bool ok, const char *path)
{
	bool fired = m->failing && kb_fault_disarm();

	CHECK(t, ok != fired);
	if (!fired)
		return false;
	++*m->failing;
	if (path)
		unlink(path);
	return !ok;
}

static struct kb_segment *open_and_unlink(struct kb_test *t, struct model *m, const char *path)
{
	struct kb_err err = { 0 };
	struct kb_segment *segment;

	do {
		err.msg[0] = '\0';
		arm(m);
		segment = kb_segment_open(path, true, &err);
	} while (again(t, m, segment != NULL, NULL));

	CHECK(t, segment);
	CHECK_SV(t, kb_sv_str(err.msg), "");
	unlink(path);
	return segment;
}

/* Writes the file of the part, whose passages the writer has by now. */
static void finish(struct kb_test *t, struct model *m, struct kb_segment_writer *writer,
                   const struct naive_part *part, const char *path)
{
	struct kb_err err;
	bool ok;

	for (;;) {
		arm(m);
		ok = kb_segment_writer_finish(writer, path, NULL, &err);
		if (!again(t, m, ok, path))
			return;
		for (size_t i = 0; i < part->count; i++)
			kb_segment_writer_add(writer, &part->v[i]->p);
	}
}

/* Adds a segment of pages with one to four passages each; some pages replace older ones. */
static void add_segment(struct kb_test *t, struct model *m, uint32_t pages)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct naive_part *part = &m->parts[m->part_count];
	const char *path = world_path("model", m->files++);

	m->version++;
	*part = (struct naive_part){ .version = m->version,
		                     .v = KB_NEW_ARRAY(&m->arena, 4 * (size_t)pages,
		                                       struct known *) };
	for (uint32_t i = 0; i < pages; i++) {
		uint32_t passages = 1 + roll(&m->dice, 4);
		struct kb_passage p = { .page_id = m->next_page++, .lang = KB_LANG_NONE };

		if (p.page_id > 3 && roll(&m->dice, 10) == 0 && m->dead_count < DEAD_MAX) {
			p.page_id = 1 + roll(&m->dice, (uint32_t)p.page_id - 1);
			m->dead[m->dead_count++] = (struct kb_dead_page){ p.page_id, m->version };
		}
		if (!m->bare)
			p.title = made_text(&m->arena, &m->dice, roll(&m->dice, 5), VOCABULARY);
		for (p.ordinal = 0; p.ordinal < passages; p.ordinal++) {
			p.page_no = roll(&m->dice, 3);
			p.offset = roll(&m->dice, 100000);
			if (!m->bare && roll(&m->dice, 2))
				p.heading = made_text(&m->arena, &m->dice, roll(&m->dice, 4),
				                      VOCABULARY);
			p.text = made_text(&m->arena, &m->dice, roll(&m->dice, 90),
			                   m->bare && roll(&m->dice, 20) == 0 ? 6 : VOCABULARY);
			kb_segment_writer_add(writer, &p);
			part->v[part->count++] = known_of(m, &p);
		}
	}
	finish(t, m, writer, part, path);
	kb_segment_writer_free(writer);
	m->segments[m->part_count++] = open_and_unlink(t, m, path);
}

static void delete_pages(struct model *m, uint32_t pages)
{
	m->version++;
	for (uint32_t i = 0; i < pages && m->dead_count < DEAD_MAX; i++)
		m->dead[m->dead_count++] =
		        (struct kb_dead_page){ 1 + roll(&m->dice, (uint32_t)m->next_page),
			                       m->version };
}

static struct kb_snapshot *snapshot_of(const struct model *m)
{
	struct kb_snapshot_part parts[PARTS_MAX];

	for (size_t i = 0; i < m->part_count; i++)
		parts[i] = (struct kb_snapshot_part){ m->segments[i], m->parts[i].version };
	return kb_snapshot_new(parts, m->part_count, m->dead, m->dead_count);
}

/* The sections that say what is found, byte by byte; frames of text may be cut elsewhere. */
static void check_same_sections(struct kb_test *t, const struct kb_segment *a,
                                const struct kb_segment *b)
{
	for (uint32_t id = 0; id < KB_SEC_COUNT; id++) {
		if (id == KB_SEC_TEXT || id == KB_SEC_TEXT_BLOCKS)
			continue;
		t->row = kb_form_section(&kb_segment_form, id);
		CHECK(t, kb_sv_eq(a->sections[id], b->sections[id]));
	}
	t->row = NULL;
}

/* Merges some neighbouring parts and compares the file with one written from scratch. */
static void merge_parts(struct kb_test *t, struct model *m)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_snapshot *snapshot = snapshot_of(m);
	size_t first = roll(&m->dice, (uint32_t)m->part_count);
	size_t count = 1 + roll(&m->dice, (uint32_t)(m->part_count - first)), total = 0;
	const char *path = world_path("merged", m->files++);
	const char *fresh = world_path("again", m->files++);
	struct naive_part merged = { .version = m->version };
	struct kb_segment *scratch;
	struct kb_err err = { 0 };
	bool ok;

	for (size_t i = first; i < first + count; i++)
		total += m->parts[i].count;
	merged.v = KB_NEW_ARRAY(&m->arena, total, struct known *);
	for (size_t i = first; i < first + count; i++)
		for (size_t k = 0; k < m->parts[i].count; k++)
			if (is_alive(m, &m->parts[i], m->parts[i].v[k])) {
				merged.v[merged.count++] = m->parts[i].v[k];
				kb_segment_writer_add(writer, &m->parts[i].v[k]->p);
			}
	do {
		err.msg[0] = '\0';
		arm(m);
		ok = kb_segment_merge(&(struct kb_part_range){ .snapshot = snapshot,
		                                               .first = first,
		                                               .count = count },
		                      NULL, path, NULL, &err);
	} while (again(t, m, ok, path));
	CHECK_SV(t, kb_sv_str(err.msg), "");
	finish(t, m, writer, &merged, fresh);
	kb_segment_writer_free(writer);
	kb_snapshot_release(snapshot);
	for (size_t i = first; i < first + count; i++)
		kb_segment_release(m->segments[i]);
	m->segments[first] = open_and_unlink(t, m, path);
	m->parts[first] = merged;
	for (size_t i = first + count; i < m->part_count; i++) {
		m->segments[i - count + 1] = m->segments[i];
		m->parts[i - count + 1] = m->parts[i];
	}
	m->part_count -= count - 1;
	scratch = open_and_unlink(t, m, fresh);
	check_same_sections(t, m->segments[first], scratch);
	kb_segment_release(scratch);
}

static uint32_t count_in(const struct kb_terms *terms, struct kb_sv term)
{
	uint32_t n = 0;

	for (size_t i = 0; i < terms->count; i++)
		n += !(terms->v[i].flags & KB_TERM_STOP) && kb_sv_eq(terms->v[i].term, term);
	return n;
}

typedef bool allow_fn(void *arg, int64_t page_id);

/* Alive, and not hidden from the reader. */
static bool is_open(const struct model *m, const struct naive_part *part, const struct known *known,
                    allow_fn *allow)
{
	return is_alive(m, part, known) && (!allow || allow(NULL, known->p.page_id));
}

struct naive_stats {
	double open, averages[KB_FIELDS];
};

static struct naive_stats stats_of(const struct model *m, allow_fn *allow)
{
	struct naive_stats stats = { 0 };

	for (size_t i = 0; i < m->part_count; i++)
		for (size_t k = 0; k < m->parts[i].count; k++) {
			if (!is_open(m, &m->parts[i], m->parts[i].v[k], allow))
				continue;
			stats.open++;
			for (int f = 0; f < KB_FIELDS; f++)
				stats.averages[f] += m->parts[i].v[k]->lengths[f];
		}
	for (int f = 0; f < KB_FIELDS; f++)
		stats.averages[f] = stats.averages[f] > 0 ? stats.averages[f] / stats.open : 1;
	return stats;
}

static double naive_df(const struct model *m, struct kb_sv term, allow_fn *allow)
{
	double df = 0;

	for (size_t i = 0; i < m->part_count; i++)
		for (size_t k = 0; k < m->parts[i].count; k++)
			for (int f = 0; f < KB_FIELDS; f++)
				if (is_open(m, &m->parts[i], m->parts[i].v[k], allow)
				    && count_in(&m->parts[i].v[k]->terms[f], term)) {
					df++;
					break;
				}
	return df;
}

static double naive_score(const struct known *k, const struct naive_stats *stats,
                          const struct kb_query *query, const double *dfs)
{
	static const double weights[KB_FIELDS] = { 1, 3, 1.5 }, b[KB_FIELDS] = { .75, .5, .5 };
	double n = KB_MAX(stats->open, KB_WEIGHED_LEAST), score = 0;

	for (size_t i = 0; i < query->term_count; i++) {
		double t = 0;

		for (int f = 0; f < KB_FIELDS; f++)
			t += weights[f] * count_in(&k->terms[f], query->terms[i].term)
			     / (1 - b[f] + b[f] * k->lengths[f] / stats->averages[f]);
		if (query->terms[i].weight > 0)
			score += (double)query->terms[i].weight
			         * log(1 + (n - dfs[i] + .5) / (dfs[i] + .5)) * t / (1.2 + t);
	}
	return score;
}

static bool allow_third(void *arg, int64_t page_id)
{
	(void)arg;
	return page_id % 3 == 0;
}

static int descending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x > *y ? -1 : *x < *y;
}

/* Scores, number and passages of a query's hits; `snapshot` hides what allow refuses. */
static void check_query(struct kb_test *t, struct model *m, const struct kb_snapshot *snapshot,
                        const struct kb_query *query, allow_fn *allow)
{
	struct kb_arena arena = { 0 };
	struct naive_stats stats = stats_of(m, allow);
	double *dfs = KB_NEW_ARRAY(&arena, query->term_count, double);
	double *wanted = KB_NEW_ARRAY(&arena, PASSAGES_MAX, double);
	size_t want = 0, count, exact_count;
	struct kb_hit *hits, *exact;

	for (size_t i = 0; i < query->term_count; i++) {
		dfs[i] = naive_df(m, query->terms[i].term, allow);
		CHECK_INT(t, kb_snapshot_df(snapshot, query->terms[i].term), dfs[i]);
	}
	for (size_t i = 0; i < m->part_count; i++)
		for (size_t k = 0; k < m->parts[i].count; k++) {
			const struct known *known = m->parts[i].v[k];
			double score = naive_score(known, &stats, query, dfs);

			if (score > 0 && is_open(m, &m->parts[i], known, allow))
				wanted[want++] = score;
		}
	qsort(wanted, want, sizeof(*wanted), descending);
	want = KB_MIN(want, query->limit);
	kb_search(snapshot, &arena, query, &hits, &count);
	CHECK_INT(t, count, want);
	for (size_t i = 0; i < KB_MIN(count, want); i++) {
		const struct known *known = m->parts[hits[i].part].v[hits[i].doc];
		double score = naive_score(known, &stats, query, dfs);
		float alone = kb_score(snapshot, hits[i].part, hits[i].doc, query->terms,
		                       query->term_count);
		struct kb_passage p;
		struct kb_err err;

		CHECK(t, fabs((double)hits[i].score - wanted[i]) < 1e-4 * wanted[i]);
		CHECK(t, fabs((double)hits[i].score - score) < 1e-4 * score);
		CHECK(t, alone == hits[i].score);
		CHECK(t, is_open(m, &m->parts[hits[i].part], known, allow));
		CHECK(t,
		      kb_snapshot_passage(snapshot, &arena, hits[i].part, hits[i].doc, &p, &err));
		CHECK_INT(t, p.page_id, known->p.page_id);
		CHECK_INT(t, p.ordinal, known->p.ordinal);
		CHECK_INT(t, p.page_no, known->p.page_no);
		CHECK_INT(t, p.offset, known->p.offset);
		CHECK(t, kb_sv_eq(p.text, known->p.text) && kb_sv_eq(p.title, known->p.title)
		                 && kb_sv_eq(p.heading, known->p.heading));
	}
	kb_search_exact(snapshot, &arena, query, &exact, &exact_count);
	CHECK_INT(t, count, exact_count);
	for (size_t i = 0; i < KB_MIN(count, exact_count); i++)
		CHECK(t, hits[i].part == exact[i].part && hits[i].doc == exact[i].doc
		                 && hits[i].score == exact[i].score);
	kb_arena_fini(&arena);
}

static void check_queries(struct kb_test *t, struct model *m, int queries)
{
	struct kb_snapshot *snapshot = snapshot_of(m);
	struct kb_snapshot *third = kb_snapshot_hiding(snapshot, allow_third, NULL);
	size_t alive = 0, open = 0;

	for (size_t i = 0; i < m->part_count; i++)
		for (size_t k = 0; k < m->parts[i].count; k++) {
			const struct known *known = m->parts[i].v[k];

			alive += is_alive(m, &m->parts[i], known);
			open += is_open(m, &m->parts[i], known, allow_third);
		}
	CHECK_INT(t, kb_snapshot_passages(snapshot), alive);
	CHECK_INT(t, kb_snapshot_passages(third), open);
	for (int i = 0; i < queries; i++) {
		struct kb_query_term terms[12];
		struct kb_query query = { .terms = terms, .limit = 1 + roll(&m->dice, 30) };
		bool hides = !roll(&m->dice, 3);

		query.term_count = 1 + roll(&m->dice, KB_COUNTOF(terms));
		for (size_t k = 0; k < query.term_count; k++)
			terms[k] = (struct kb_query_term){
				made_word(&m->arena, word_number(&m->dice, VOCABULARY)),
				(float)(1 + roll(&m->dice, 20)) * .1f
			};
		check_query(t, m, hides ? third : snapshot, &query, hides ? allow_third : NULL);
	}
	kb_snapshot_release(third);
	kb_snapshot_release(snapshot);
}

static void test_history(struct kb_test *t)
{
	for (uint64_t seed = 1; seed <= (KB_TEST_UNDER_SANITIZER ? 3 : 6); seed++) {
		struct model m;

		model_init(&m, seed);
		for (int step = 0; step < 12; step++) {
			uint32_t what = roll(&m.dice, 4);

			if (m.part_count < 2 || (what < 2 && m.part_count < PARTS_MAX))
				add_segment(t, &m, roll(&m.dice, 80));
			else if (what == 2)
				delete_pages(&m, 1 + roll(&m.dice, 12));
			else
				merge_parts(t, &m);
			check_queries(t, &m, 3);
		}
		model_fini(&m);
	}
}

/* The same history on a disk that fails now and then: a step that fails changes nothing, and is
 * done again. */
static void test_failing_disk(struct kb_test *t)
{
	int fired = 0;

	for (uint64_t seed = 11; seed <= 14; seed++) {
		struct model m;

		model_init(&m, seed);
		m.failing = &fired;
		for (int step = 0; step < 10; step++) {
			if (m.part_count < 2 || (roll(&m.dice, 3) && m.part_count < PARTS_MAX))
				add_segment(t, &m, roll(&m.dice, 40));
			else if (roll(&m.dice, 3) == 0)
				delete_pages(&m, 1 + roll(&m.dice, 12));
			else
				merge_parts(t, &m);
			check_queries(t, &m, 2);
		}
		model_fini(&m);
	}
	CHECK(t, fired >= 10);
}

/* Pruning is only at work where lists have many blocks. */
static void check_pruning(struct kb_test *t, bool bare)
{
	struct kb_arena arena = { 0 };
	struct model m;
	struct kb_snapshot *snapshot, *hidden;

	model_init(&m, 99);
	m.bare = bare;
	for (int i = 0; i < 3; i++)
		add_segment(t, &m, KB_TEST_UNDER_SANITIZER ? 2000 : 5000);
	delete_pages(&m, 150);
	snapshot = snapshot_of(&m);
	hidden = kb_snapshot_hiding(snapshot, allow_third, NULL);
	for (int i = 0; i < (KB_TEST_UNDER_SANITIZER ? 100 : 400); i++) {
		struct kb_query_term terms[16];
		struct kb_query query = { .terms = terms,
			                  .limit = 1 + roll(&m.dice, i % 10 ? 20 : 2000) };
		const struct kb_snapshot *seen = roll(&m.dice, 4) ? snapshot : hidden;
		struct kb_hit *hits, *exact;
		size_t count, exact_count;

		/* What people ask has one, two or three terms as often as many. */
		query.term_count = 1 + roll(&m.dice, i % 2 ? 3 : KB_COUNTOF(terms));
		for (size_t k = 0; k < query.term_count; k++)
			terms[k] =
			        (struct kb_query_term){ made_word(&arena,
				                                  word_number(&m.dice, VOCABULARY)),
				                        roll(&m.dice, 4) ? 1 : .15f };
		kb_search(seen, &arena, &query, &hits, &count);
		kb_search_exact(seen, &arena, &query, &exact, &exact_count);
		CHECK_INT(t, count, exact_count);
		for (size_t k = 0; k < KB_MIN(count, exact_count); k++)
			CHECK(t, hits[k].part == exact[k].part && hits[k].doc == exact[k].doc
			                 && hits[k].score == exact[k].score);
		kb_arena_reset(&arena);
	}
	kb_snapshot_release(hidden);
	kb_snapshot_release(snapshot);
	kb_arena_fini(&arena);
	model_fini(&m);
}

static void test_pruning(struct kb_test *t)
{
	check_pruning(t, false);
}

static void test_pruning_bare(struct kb_test *t)
{
	check_pruning(t, true);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "adds, deletes, merges: every answer is the naive index's", test_history },
		{ "the same while files fail to be written and opened", test_failing_disk },
		{ "pruning finds what the exhaustive search finds, bit by bit", test_pruning },
		{ "the same where passages have a body alone", test_pruning_bare },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
