/* Words written apart and in one: what a question's terms become, by what the index knows. */
#include "index/joined.h"
#include "test.h"
#include "world.h"

static const struct kb_passage passages[] = {
	{ .page_id = 1, .lang = KB_LANG_EN, .text = KB_SV_INIT("Backups are kept for a month.") },
	{ .page_id = 2,
	  .lang = KB_LANG_EN,
	  .text = KB_SV_INIT("Log on with your name. Clean up.") },
	{ .page_id = 3, .lang = KB_LANG_EN, .text = KB_SV_INIT("A data base has tables.") },
	{ .page_id = 4,
	  .lang = KB_LANG_DE,
	  .text = KB_SV_INIT("Beim Einloggen wird das Passwort geprüft; die Änderung ist frei.") },
	{ .page_id = 5,
	  .lang = KB_LANG_DE,
	  .text = KB_SV_INIT("Die Arbeitszeit beginnt um acht.") },
};

static struct kb_snapshot *made_snapshot(void)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	const char *path = world_path("joined", 0);
	struct kb_segment *segment;
	struct kb_snapshot *snapshot;
	struct kb_err err;

	for (size_t i = 0; i < KB_COUNTOF(passages); i++)
		kb_segment_writer_add(writer, &passages[i]);
	KB_ASSERT(kb_segment_writer_finish(writer, path, NULL, &err));
	segment = kb_segment_open(path, true, &err);
	KB_ASSERT(segment);
	unlink(path);
	kb_segment_writer_free(writer);
	snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ .segment = segment, .version = 1 },
	                           1, NULL, 0);
	kb_segment_release(segment);
	return snapshot;
}

static void test_cases(struct kb_test *t)
{
	static const struct {
		const char *asked;
		enum kb_lang lang;
		int64_t found; /* the page that comes first; 0: nothing is added */
	} cases[] = {
		{ "How do I back up?", KB_LANG_EN, 1 },
		{ "back-up", KB_LANG_EN, 1 },
		{ "cleanup", KB_LANG_EN, 2 },
		{ "database", KB_LANG_EN, 3 },
		{ "Wie logge ich mich ein?", KB_LANG_DE, 4 },
		{ "Passwortänderung", KB_LANG_DE, 4 },
		{ "Zeit der Arbeit", KB_LANG_DE, 0 },
		{ "Backups for a month", KB_LANG_EN, 0 },
		{ "a month", KB_LANG_EN, 0 },
		{ "xylophone", KB_LANG_EN, 0 },
		{ "", KB_LANG_EN, 0 },
	};
	struct kb_snapshot *snapshot = made_snapshot();
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_query query = { .limit = 10, .rerank = 10 };
		struct kb_hit *hits;
		size_t count, before;

		t->row = cases[i].asked;
		kb_query_build(analyzer, &arena, kb_sv_str(cases[i].asked), cases[i].lang, &query);
		before = query.term_count;
		kb_query_join(analyzer, &arena, snapshot, cases[i].lang, &query);
		CHECK(t, (query.term_count > before) == (cases[i].found != 0));
		for (size_t k = before; k < query.term_count; k++)
			CHECK(t, query.terms[k].weight <= .5f);
		kb_search(snapshot, &arena, &query, &hits, &count);
		if (!cases[i].found)
			continue;
		CHECK(t, count > 0);
		if (count)
			CHECK_INT(t, kb_snapshot_page(snapshot, hits[0].part, hits[0].doc),
			          cases[i].found);
	}
	t->row = NULL;
	kb_arena_fini(&arena);
	kb_analyzer_free(analyzer);
	kb_snapshot_release(snapshot);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what is written apart finds what is written in one, and the other way round",
		  test_cases },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
