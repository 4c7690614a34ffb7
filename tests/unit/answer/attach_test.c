#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "answer/attach.h"
#include "index/query.h"
#include "index/rank.h"
#include "test.h"

struct fixture {
	char dir[64];
	struct kb_arena arena;
	struct kb_err err;
	struct kb_attached attached;
};

static void init(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	snprintf(f->dir, sizeof(f->dir), "/tmp/docent-attach-XXXXXX");
	if (!mkdtemp(f->dir))
		abort();
}

static void fini(struct kb_test *t, struct fixture *f)
{
	kb_attached_fini(&f->attached);
	kb_arena_fini(&f->arena);
	CHECK_INT(t, rmdir(f->dir), 0); /* nothing is left in it */
}

static bool add(struct fixture *f, const char *name, const char *text)
{
	struct kb_block block = { .type = KB_BLOCK_PARAGRAPH, .text = kb_sv_str(text) };
	struct kb_parsed parsed = { .blocks = &block, .block_count = text[0] != '\0' };

	return kb_attached_add(&f->attached, &f->arena, kb_sv_str(name), &parsed, &f->err);
}

/* The texts that hold the words, best first, as "page: text|". */
static struct kb_sv find(struct fixture *f, const struct kb_snapshot *snapshot, const char *words)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_query query = { .limit = 10 };
	struct kb_sv out = KB_SV("");
	struct kb_hit *hits;
	size_t count;

	kb_query_build(analyzer, &f->arena, kb_sv_str(words), KB_LANG_EN, &query);
	kb_search(snapshot, &f->arena, &query, &hits, &count);
	for (size_t i = 0; i < count; i++) {
		struct kb_passage passage;

		if (!kb_snapshot_passage(snapshot, &f->arena, hits[i].part, hits[i].doc, &passage,
		                         &f->err))
			abort();
		out = kb_arena_printf(&f->arena, "%.*s%" PRId64 ": %.*s|", KB_SV_ARG(out),
		                      passage.page_id, KB_SV_ARG(passage.text));
	}
	kb_analyzer_free(analyzer);
	return out;
}

static struct kb_snapshot *alone(struct fixture *f)
{
	return kb_snapshot_new(&(struct kb_snapshot_part){ .segment = f->attached.segment }, 1,
	                       NULL, 0);
}

static void test_documents(struct kb_test *t)
{
	struct kb_snapshot *snapshot;
	struct fixture f;

	init(&f);
	CHECK(t, add(&f, "a.txt", "The kiln weighs much."));
	CHECK(t, !add(&f, "b.txt", ""));
	CHECK_INT(t, f.err.code, KB_E_INVALID);
	CHECK(t, add(&f, "c.txt", "The kettle is light."));
	CHECK(t, kb_attached_done(&f.attached, f.dir, &f.err));
	snapshot = alone(&f);
	CHECK_SV(t, find(&f, snapshot, "kiln"), "-1: The kiln weighs much.|");
	CHECK_SV(t, find(&f, snapshot, "kettle"), "-2: The kettle is light.|");
	CHECK_SV(t, f.attached.names[kb_attached_place(-2)], "c.txt");
	CHECK(t, kb_attached_is_page(-1) && !kb_attached_is_page(1));
	kb_snapshot_release(snapshot);
	fini(t, &f);
}

static void test_text(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *want;
	} rows[] = {
		{ "one paragraph", "a word", "-1: a word|" },
		{ "line ends are blanks", " a\r\n\tword \n", "-1: a word|" },
		{ "paragraphs stay apart", "a word\n\n \nof two", "-1: a word\nof two|" },
		{ "a blank line with blanks parts", "a word\n \t\nof two", "-1: a word\nof two|" },
		{ "nothing", "", "" },
		{ "blanks alone", " \n\n\t", "" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct fixture f;

		t->row = rows[i].name;
		init(&f);
		kb_attached_add_text(&f.attached, &f.arena, kb_sv_str(rows[i].text));
		CHECK(t, kb_attached_done(&f.attached, f.dir, &f.err));
		CHECK_INT(t, f.attached.segment != NULL, rows[i].want[0] != '\0');
		if (f.attached.segment) {
			struct kb_snapshot *snapshot = alone(&f);

			CHECK_SV(t, find(&f, snapshot, "word"), rows[i].want);
			CHECK_INT(t, f.attached.names[0].n, 0);
			kb_snapshot_release(snapshot);
		}
		fini(t, &f);
	}
}

static void test_together(struct kb_test *t)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	const struct kb_dead_page dead = { 2, 9 };
	struct kb_snapshot *agent, *both;
	struct kb_segment *segment;
	char path[128];
	struct fixture f;

	init(&f);
	snprintf(path, sizeof(path), "%s/agent", f.dir);
	for (int64_t id = 1; id <= 2; id++)
		kb_segment_writer_add(writer, &(struct kb_passage){
		                                      .page_id = id,
		                                      .lang = KB_LANG_EN,
		                                      .text = KB_SV("A kiln of the agent."),
		                              });
	CHECK(t, kb_segment_writer_finish(writer, path, NULL, &f.err));
	segment = kb_segment_open(path, true, &f.err);
	unlink(path);
	kb_segment_writer_free(writer);
	agent = kb_snapshot_new(&(struct kb_snapshot_part){ .segment = segment, .version = 3 }, 1,
	                        &dead, 1);
	CHECK(t, add(&f, "a.txt", "A kiln of the file."));
	CHECK(t, kb_attached_done(&f.attached, f.dir, &f.err));
	both = kb_snapshot_with(agent, f.attached.segment);
	kb_snapshot_release(agent); /* it holds what it needs */
	kb_segment_release(segment);
	CHECK_INT(t, kb_snapshot_passages(both), 2);
	CHECK_INT(t, kb_snapshot_counted(both), 3);
	CHECK_INT(t, kb_snapshot_df(both, KB_SV("kiln")), 2); /* living ones */
	CHECK_SV(t, find(&f, both, "kiln"), "1: A kiln of the agent.|-1: A kiln of the file.|");
	CHECK_SV(t, find(&f, both, "file"), "-1: A kiln of the file.|");
	kb_snapshot_release(both);
	fini(t, &f);
}

static void test_masked(struct kb_test *t)
{
	struct kb_snapshot *snapshot;
	struct fixture f;

	init(&f);
	f.attached.masked = true;
	CHECK(t, add(&f, "a.txt", "The kiln of ann@example.org."));
	CHECK(t, kb_attached_done(&f.attached, f.dir, &f.err));
	snapshot = alone(&f);
	CHECK_SV(t, find(&f, snapshot, "kiln"), "-1: The kiln of [email].|");
	kb_snapshot_release(snapshot);
	fini(t, &f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "each document has its own negative page id and its name", test_documents },
		{ "plain text is cut at blank lines", test_text },
		{ "an agent's snapshot with a segment more finds both, and no dead page",
		  test_together },
		{ "personal details are masked where that is asked for", test_masked },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
