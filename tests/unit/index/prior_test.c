/* Changelogs, licences and their like come after what answers, but not where they are asked for. */
#include "test.h"
#include "world.h"

static const char *const text = "The export of reports was slow. The export writes a table.";

static bool is_behind(const char *title, enum kb_lang lang, const char *asked)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	const char *path = world_path("prior", 0);
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_query query = { .limit = 10, .rerank = 10, .purpose = KB_FOR_SEARCH };
	struct kb_arena arena = { 0 };
	struct kb_segment *segment;
	struct kb_snapshot *snapshot;
	struct kb_hit *hits;
	struct kb_err err;
	size_t count;
	bool behind;

	/* The first of two that say the same comes first, unless it is the noise. */
	kb_segment_writer_add(writer, &(struct kb_passage){ .page_id = 1,
	                                                    .lang = lang,
	                                                    .title = kb_sv_str(title),
	                                                    .text = kb_sv_str(text) });
	kb_segment_writer_add(writer,
	                      &(struct kb_passage){ .page_id = 2,
	                                            .lang = lang,
	                                            .title = KB_SV("Guide to all things here"),
	                                            .text = kb_sv_str(text) });
	KB_ASSERT(kb_segment_writer_finish(writer, path, NULL, &err));
	segment = kb_segment_open(path, true, &err);
	KB_ASSERT(segment);
	unlink(path);
	kb_segment_writer_free(writer);
	snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ .segment = segment, .version = 1 },
	                           1, NULL, 0);
	kb_query_build(analyzer, &arena, kb_sv_str(asked), lang, &query);
	kb_search(snapshot, &arena, &query, &hits, &count);
	KB_ASSERT(count == 2);
	behind = kb_snapshot_page(snapshot, hits[0].part, hits[0].doc) == 2;
	kb_arena_fini(&arena);
	kb_analyzer_free(analyzer);
	kb_snapshot_release(snapshot);
	kb_segment_release(segment);
	return behind;
}

static void test_titles(struct kb_test *t)
{
	static const struct {
		const char *title, *asked;
		enum kb_lang lang;
		bool behind;
	} cases[] = {
		{ "Change Log", "export table", KB_LANG_EN, true },
		{ "Changelog of the program", "export table", KB_LANG_EN, true },
		{ "Release notes", "export table", KB_LANG_EN, true },
		{ "Program 12.4.1", "export table", KB_LANG_EN, true },
		{ "License", "export table", KB_LANG_EN, true },
		{ "404: Page not found", "export table", KB_LANG_EN, true },
		{ "Änderungsprotokoll", "export table", KB_LANG_DE, true },
		{ "更新日志", "export table", KB_LANG_ZH, true },
		{ "Changing the log level", "export table", KB_LANG_EN, false },
		{ "A guide to the tables of version 12.4.1 for all", "export table", KB_LANG_EN,
		  false },
		{ "Reports in 2024", "export table", KB_LANG_EN, false },
		{ "Change Log", "what changed in the export table", KB_LANG_EN, false },
		{ "Release notes", "export table in 12.4", KB_LANG_EN, false },
		{ "License", "which license has the export table", KB_LANG_EN, false },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].title;
		CHECK(t,
		      is_behind(cases[i].title, cases[i].lang, cases[i].asked) == cases[i].behind);
	}
	t->row = NULL;
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a changelog comes after what answers, unless it is asked for", test_titles },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
