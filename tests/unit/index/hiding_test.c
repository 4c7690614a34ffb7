/*
 * What a reader learns of passages that are hidden from it, or deleted: nothing of their words.
 *
 * Two indexes differ in nothing but the words of the closed passages. Whatever is asked of them,
 * words of the closed passages and slips of such words among it, both say the same, figure by
 * figure.
 */
#include "index/explain.h"
#include "index/outline.h"
#include "index/rerank.h"
#include "index/spell.h"
#include "test.h"
#include "world.h"

enum {
	PAGES = 90,
	PARTS = 3,
	VOCABULARY = 80,
	SECRET = 4000, /* the first of the words that only closed passages hold */
	SECRETS = 40,
	OTHER = 7, /* letters that a word of the other index is shifted by */
};

/* Two pages in three are closed. */
static bool is_open(void *arg, int64_t page_id)
{
	(void)arg;
	return page_id % 3 == 0;
}

/* Other letters, so other words, of the same number and lengths. */
static void shift(char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (text[i] >= 'a' && text[i] <= 'z')
			text[i] = (char)('a' + (text[i] - 'a' + OTHER) % 26);
}

static struct kb_sv closed_text(struct kb_arena *arena, struct dice *dice, bool other)
{
	struct kb_sv common = made_text(arena, dice, roll(dice, 30), VOCABULARY);
	struct kb_sv text =
	        kb_arena_printf(arena, "%.*s %.*s", KB_SV_ARG(common),
	                        KB_SV_ARG(made_word(arena, SECRET + roll(dice, SECRETS))));
	char *bytes = kb_arena_copy(arena, text.p, text.n);

	if (other)
		shift(bytes, text.n);
	return kb_sv(bytes, text.n);
}

struct world {
	struct kb_snapshot *hiding, *deleted;
};

static void open_world(struct kb_test *t, struct world *w, uint64_t seed, bool other)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_snapshot_part parts[PARTS];
	struct kb_dead_page dead[PAGES];
	struct kb_arena arena = { 0 };
	struct kb_snapshot *all;
	struct dice dice = { seed };
	struct kb_err err = { 0 };
	size_t dead_count = 0;

	for (int64_t page = 1; page <= PAGES; page++) {
		struct kb_passage p = { .page_id = page, .lang = KB_LANG_NONE };
		bool open = is_open(NULL, page);

		if (!open)
			dead[dead_count++] = (struct kb_dead_page){ page, 2 };
		for (; p.ordinal < 1 + (uint32_t)page % 4; p.ordinal++) {
			p.text = open ? made_text(&arena, &dice, 5 + roll(&dice, 40), VOCABULARY)
			              : closed_text(&arena, &dice, other);
			p.heading = open ? made_text(&arena, &dice, 2, VOCABULARY)
			                 : closed_text(&arena, &dice, other);
			kb_segment_writer_add(writer, &p);
		}
		if (page % (PAGES / PARTS) == 0) {
			size_t part = (size_t)page / (PAGES / PARTS) - 1;
			const char *path = world_path("hiding", (int)part);

			CHECK(t, kb_segment_writer_finish(writer, path, NULL, &err));
			parts[part] =
			        (struct kb_snapshot_part){ kb_segment_open(path, true, &err), 1 };
			unlink(path);
		}
	}
	kb_segment_writer_free(writer);
	all = kb_snapshot_new(parts, PARTS, NULL, 0);
	w->hiding = kb_snapshot_hiding(all, is_open, NULL);
	w->deleted = kb_snapshot_new(parts, PARTS, dead, dead_count);
	kb_snapshot_release(all);
	for (size_t part = 0; part < PARTS; part++)
		kb_segment_release(parts[part].segment);
	kb_arena_fini(&arena);
}

static void close_world(struct world *w)
{
	kb_snapshot_release(w->hiding);
	kb_snapshot_release(w->deleted);
}

/* A word that passages hold, one that only closed ones do, or a slip of one of these. */
static struct kb_sv asked_word(struct kb_arena *arena, struct dice *dice)
{
	struct kb_sv word = made_word(arena, roll(dice, 2) ? word_number(dice, VOCABULARY)
	                                                   : SECRET + roll(dice, SECRETS));
	char *bytes = kb_arena_copy(arena, word.p, word.n);
	size_t at = roll(dice, (uint32_t)word.n - 1);
	char kept = bytes[at];

	if (roll(dice, 3) == 0) {
		bytes[at] = bytes[at + 1];
		bytes[at + 1] = kept;
	}
	return kb_sv(bytes, word.n);
}

/* All that a search says, its figures to the last bit. */
static struct kb_sv told(struct kb_analyzer *analyzer, struct kb_arena *arena,
                         const struct kb_snapshot *snapshot, struct kb_sv text, size_t rerank)
{
	enum kb_lang lang = kb_query_lang(analyzer, arena, snapshot, text);
	struct kb_query query = { .limit = 12, .rerank = rerank, .purpose = KB_FOR_SEARCH };
	struct kb_explanation *why;
	struct kb_hit *hits;
	struct kb_buf buf;
	struct kb_sv out;
	size_t count;

	kb_buf_init(&buf, KB_MIB(1));
	kb_query_build(analyzer, arena, text, lang, &query);
	kb_query_spell(analyzer, arena, snapshot, lang, &query);
	kb_search(snapshot, arena, &query, &hits, &count);
	why = KB_NEW_ARRAY(arena, count, struct kb_explanation);
	kb_explain(snapshot, arena, &query, hits, count, why);
	kb_buf_sv(&buf, kb_arena_printf(arena, "%d passages, read in %s\n",
	                                (int)kb_snapshot_passages(snapshot), kb_lang_code(lang)));
	for (size_t i = 0; i < query.meant_count; i++)
		kb_buf_sv(&buf, kb_arena_printf(arena, "meant %.*s for %.*s\n",
		                                KB_SV_ARG(query.meant[i].word),
		                                KB_SV_ARG(query.meant[i].asked)));
	for (size_t i = 0; i < query.term_count; i++)
		kb_buf_sv(&buf,
		          kb_arena_printf(arena, "term %.*s in %d passages\n",
		                          KB_SV_ARG(query.terms[i].term),
		                          (int)kb_snapshot_df(snapshot, query.terms[i].term)));
	for (size_t i = 0; i < count; i++) {
		kb_buf_sv(&buf, kb_arena_printf(arena, "hit %u/%u %a first %a second %a\n",
		                                hits[i].part, hits[i].doc, (double)hits[i].score,
		                                (double)why[i].first, (double)why[i].second.sum));
		for (size_t k = 0; k < why[i].term_count; k++)
			kb_buf_sv(&buf,
			          kb_arena_printf(arena, " df %d idf %a part %a",
			                          (int)why[i].terms[k].df, why[i].terms[k].idf,
			                          (double)why[i].terms[k].part));
		for (size_t k = 0; rerank && k < KB_RERANK_FIGURES; k++)
			kb_buf_sv(&buf,
			          kb_arena_printf(arena, " %a", (double)why[i].second.values[k]));
	}
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

static void test_words(struct kb_test *t)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();
	size_t meant = 0;

	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct world one, other;
		struct dice dice = { seed + 100 };

		open_world(t, &one, seed, false);
		open_world(t, &other, seed, true);
		for (int round = 0; round < 40; round++) {
			struct kb_arena arena = { 0 };
			struct kb_sv text = asked_word(&arena, &dice), a, b;

			for (uint32_t more = roll(&dice, 4); more; more--)
				text = kb_arena_printf(&arena, "%.*s %.*s", KB_SV_ARG(text),
				                       KB_SV_ARG(asked_word(&arena, &dice)));
			t->row = kb_arena_printf(&arena, "%.*s%c", KB_SV_ARG(text), 0).p;
			for (size_t rerank = 0; rerank <= KB_RERANK_DEFAULT;
			     rerank += KB_RERANK_DEFAULT) {
				a = told(analyzer, &arena, one.hiding, text, rerank);
				b = told(analyzer, &arena, other.hiding, text, rerank);
				CHECK(t, kb_sv_eq(a, b));
				meant += kb_sv_find(a, KB_SV("meant")) >= 0;
			}
			a = told(analyzer, &arena, one.deleted, text, 0);
			b = told(analyzer, &arena, other.deleted, text, 0);
			CHECK(t, kb_sv_eq(a, b));
			a = told(analyzer, &arena, one.hiding, text, 0);
			CHECK(t, kb_sv_eq(a, b)); /* and hidden is as good as deleted */
			t->row = NULL;
			kb_arena_fini(&arena);
		}
		close_world(&one);
		close_world(&other);
	}
	CHECK(t, meant > 0);
	kb_analyzer_free(analyzer);
}

/* Another agent's segment with page ids of its own: the filter is asked for these. */
static void test_shifted(struct kb_test *t)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	const char *path = world_path("shifted", 0);
	struct kb_snapshot_part part = { .version = 1, .page_shift = 2 };
	struct kb_snapshot *all, *open;
	struct kb_snapshot_size size;
	struct kb_arena arena = { 0 };
	struct kb_sections sections;
	struct kb_err err = { 0 };

	for (int64_t page = 1; page <= 3; page++)
		kb_segment_writer_add(
		        writer, &(struct kb_passage){
		                        .page_id = page,
		                        .heading = kb_arena_printf(&arena, "Part %d", (int)page),
		                        .text = KB_SV("Something.") });
	CHECK(t, kb_segment_writer_finish(writer, path, NULL, &err));
	kb_segment_writer_free(writer);
	part.segment = kb_segment_open(path, true, &err);
	unlink(path);
	all = kb_snapshot_new(&part, 1, NULL, 0);
	kb_segment_release(part.segment);
	open = kb_snapshot_hiding(all, is_open, NULL); /* 3 of 3, 4 and 5 */
	CHECK_INT(t, kb_snapshot_passages(open), 1);
	kb_snapshot_size(all, is_open, NULL, &size);
	CHECK_INT(t, size.pages, 1);
	CHECK_INT(t, size.passages, 1);
	CHECK(t, kb_snapshot_sections(open, &arena, 3, 2, &sections, &err));
	CHECK_INT(t, sections.count, 1);
	if (sections.count == 1)
		CHECK_SV(t, sections.v[0], "Part 1");
	kb_snapshot_release(open);
	kb_snapshot_release(all);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "no answer and no figure depends on a word that is hidden or deleted",
		  test_words },
		{ "pages of a shared segment are hidden by their own ids", test_shifted },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
