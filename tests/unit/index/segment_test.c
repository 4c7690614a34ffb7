/* A segment's way: passages in, a file, snapshots over it, searches and passages out. */
#include <stdlib.h>
#include <unistd.h>

#include "index/index.h"
#include "index/rank.h"
#include "test.h"

static const struct kb_line_mark steps[] = { { 0, KB_MARK_ITEM, 1, 300 },
	                                     { 6, KB_MARK_ITEM, 2, 0 },
	                                     { 20, KB_MARK_CODE, 0, 0 },
	                                     { 27, KB_MARK_ITEM, 1, 301 } };

static const struct kb_passage shop[] = {
	{ 7, 0, 0, 0, KB_LANG_EN, KB_SV_INIT("Returns"), KB_SV_INIT("Policy"),
	  KB_SV_INIT("Goods may be returned within thirty days.") },
	{ 7, 1, 2, 42, KB_LANG_EN, KB_SV_INIT("Returns"), KB_SV_INIT("Policy > Refunds"),
	  KB_SV_INIT("A refund is paid within ten days of the goods arriving.") },
	{ -3, 0, 0, 0, KB_LANG_DE, KB_SV_INIT("Versand"), KB_SV_INIT(""),
	  KB_SV_INIT("Waren werden in zehn Tagen geliefert."), steps, KB_COUNTOF(steps) },
	{ 9, 0, 0, 0, KB_LANG_NONE, KB_SV_INIT(""), KB_SV_INIT(""), KB_SV_INIT("") },
};

static char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "/tmp/docent-segment-%d-%s", (int)getpid(), name);
	return path;
}

static void write_shop(struct kb_test *t, const char *path)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_segment_info info;
	struct kb_err err;

	for (size_t i = 0; i < KB_COUNTOF(shop); i++)
		kb_segment_writer_add(writer, &shop[i]);
	CHECK(t, kb_segment_writer_finish(writer, path, &info, &err));
	CHECK_INT(t, info.passages, 4);
	CHECK_INT(t, info.pages, 3);
	kb_segment_writer_free(writer);
}

static void check_items(struct kb_test *t, const struct kb_passage *p,
                        const struct kb_passage *want)
{
	CHECK_INT(t, p->mark_count, want->mark_count);
	for (size_t i = 0; i < p->mark_count && i < want->mark_count; i++) {
		CHECK_INT(t, p->marks[i].at, want->marks[i].at);
		CHECK_INT(t, p->marks[i].depth, want->marks[i].depth);
		CHECK_INT(t, p->marks[i].number, want->marks[i].number);
	}
}

/* Two of them, one of which has lost a page: the items stay with their passages. */
static void test_merged_items(struct kb_test *t)
{
	const struct kb_dead_page dead = { 7, 2 };
	char *path = path_of("parts"), merged[300];
	struct kb_segment *segment, *out;
	struct kb_snapshot *snapshot;
	struct kb_arena arena = { 0 };
	struct kb_passage p;
	struct kb_err err;

	write_shop(t, path);
	snprintf(merged, sizeof(merged), "%s-merged", path);
	segment = kb_segment_open(path, true, &err);
	snapshot = kb_snapshot_new((struct kb_snapshot_part[]){ { segment, 1 }, { segment, 3 } }, 2,
	                           &dead, 1);
	CHECK(t, kb_segment_merge(&(struct kb_part_range){ snapshot, 0, 2 }, NULL, merged, NULL,
	                          &err));
	kb_snapshot_release(snapshot);
	kb_segment_release(segment);
	out = kb_segment_open(merged, true, &err);
	snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ out, 3 }, 1, NULL, 0);
	kb_segment_release(out);
	CHECK_INT(t, kb_snapshot_passages(snapshot), 6);
	for (uint32_t i = 0; i < 6; i++) {
		CHECK(t, kb_snapshot_passage(snapshot, &arena, 0, i, &p, &err));
		check_items(t, &p, p.page_id == -3 ? &shop[2] : &shop[0]);
	}
	kb_snapshot_release(snapshot);
	kb_arena_fini(&arena);
	unlink(path);
	unlink(merged);
}

static void test_round_trip(struct kb_test *t)
{
	const char *path = path_of("shop");
	struct kb_arena arena = { 0 };
	struct kb_segment *segment;
	struct kb_snapshot *snapshot;
	struct kb_err err = { 0 };

	write_shop(t, path);
	segment = kb_segment_open(path, true, &err);
	CHECK(t, segment);
	CHECK_SV(t, kb_sv_str(err.msg), "");
	if (!segment)
		return;
	snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ segment, 1 }, 1, NULL, 0);
	kb_segment_release(segment);
	CHECK_INT(t, kb_snapshot_passages(snapshot), 4);
	CHECK_INT(t, kb_snapshot_df(snapshot, KB_SV("return")), 2);
	CHECK_INT(t, kb_snapshot_df(snapshot, KB_SV("within")), 2);
	CHECK_INT(t, kb_snapshot_df(snapshot, KB_SV("nowhere")), 0);
	for (uint32_t i = 0; i < KB_COUNTOF(shop); i++) {
		struct kb_passage p;

		CHECK(t, kb_snapshot_passage(snapshot, &arena, 0, i, &p, &err));
		CHECK_INT(t, p.page_id, shop[i].page_id);
		CHECK_INT(t, p.ordinal, shop[i].ordinal);
		CHECK_INT(t, p.page_no, shop[i].page_no);
		CHECK_INT(t, p.offset, shop[i].offset);
		CHECK_INT(t, p.lang, shop[i].lang);
		CHECK(t, kb_sv_eq(p.title, shop[i].title));
		CHECK(t, kb_sv_eq(p.heading, shop[i].heading));
		CHECK(t, kb_sv_eq(p.text, shop[i].text));
		check_items(t, &p, &shop[i]);
	}
	kb_snapshot_release(snapshot);
	kb_arena_fini(&arena);
	unlink(path);
}

static void test_search_finds_by_title(struct kb_test *t)
{
	const char *path = path_of("shop");
	struct kb_query_term terms[] = { { KB_SV_INIT("refund"), 1 }, { KB_SV_INIT("day"), 1 } };
	struct kb_query query = { .terms = terms, .term_count = 2, .limit = 10 };
	struct kb_arena arena = { 0 };
	struct kb_segment *segment;
	struct kb_snapshot *snapshot;
	struct kb_hit *hits;
	size_t count;
	struct kb_err err;

	write_shop(t, path);
	segment = kb_segment_open(path, true, &err);
	if (!segment) {
		CHECK(t, segment);
		return;
	}
	snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ segment, 1 }, 1, NULL, 0);
	kb_search(snapshot, &arena, &query, &hits, &count);
	CHECK_INT(t, count, 2);
	CHECK_INT(t, hits[0].doc, 1);
	CHECK_INT(t, hits[1].doc, 0);
	CHECK(t, hits[0].score > hits[1].score);
	CHECK(t, kb_score(snapshot, 0, 1, terms, 2) == hits[0].score);
	kb_snapshot_release(snapshot);

	/* The page is deleted at version 2: a part of version 1 loses it. */
	snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ segment, 1 }, 1,
	                           &(struct kb_dead_page){ 7, 2 }, 1);
	CHECK_INT(t, kb_snapshot_passages(snapshot), 2);
	kb_search(snapshot, &arena, &query, &hits, &count);
	CHECK_INT(t, count, 0);
	kb_snapshot_release(snapshot);

	/* A part of version 2 was written after it and keeps it. */
	snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ segment, 2 }, 1,
	                           &(struct kb_dead_page){ 7, 2 }, 1);
	CHECK_INT(t, kb_snapshot_passages(snapshot), 4);
	kb_snapshot_release(snapshot);
	kb_segment_release(segment);
	kb_arena_fini(&arena);
	unlink(path);
}

/* Two agents share the file: the second one's pages are the first one's and 100. */
static void test_shared_under_other_ids(struct kb_test *t)
{
	const char *path = path_of("shop"), *merged = "/tmp/docent-segment-shifted";
	struct kb_query_term terms[] = { { KB_SV_INIT("day"), 1 } };
	struct kb_query query = { .terms = terms, .term_count = 1, .limit = 10 };
	struct kb_snapshot_part parts[2] = { 0 };
	struct kb_arena arena = { 0 };
	struct kb_snapshot *snapshot;
	struct kb_passage p;
	struct kb_hit *hits;
	size_t count;
	struct kb_err err;

	write_shop(t, path);
	for (int i = 0; i < 2; i++) {
		parts[i] = (struct kb_snapshot_part){ .segment = kb_segment_open(path, true, &err),
			                              .version = i + 1,
			                              .page_shift = i ? 1000 : 100 };
		CHECK(t, parts[i].segment);
	}
	/* 107 is dead in the first part; 7 and 1007 name other pages there. */
	snapshot = kb_snapshot_new(parts, 2,
	                           (struct kb_dead_page[]){ { 7, 9 }, { 107, 2 }, { 1007, 2 } }, 3);
	CHECK_INT(t, kb_snapshot_passages(snapshot), 6);
	CHECK_INT(t, kb_snapshot_page(snapshot, 0, 2), 97);
	CHECK_INT(t, kb_snapshot_page(snapshot, 1, 0), 1007);
	kb_search(snapshot, &arena, &query, &hits, &count);
	CHECK_INT(t, count, 2);
	for (size_t i = 0; i < count; i++) {
		CHECK(t,
		      kb_snapshot_passage(snapshot, &arena, hits[i].part, hits[i].doc, &p, &err));
		CHECK_INT(t, p.page_id, shop[hits[i].doc].page_id + (hits[i].part ? 1000 : 100));
	}

	/* What is merged stands under the sums and needs no shift. */
	CHECK(t, kb_segment_merge(&(struct kb_part_range){ .snapshot = snapshot, .count = 2 }, NULL,
	                          merged, NULL, &err));
	kb_snapshot_release(snapshot);
	for (int i = 0; i < 2; i++)
		kb_segment_release(parts[i].segment);
	parts[0] = (struct kb_snapshot_part){ .segment = kb_segment_open(merged, true, &err),
		                              .version = 3 };
	CHECK(t, parts[0].segment);
	snapshot = kb_snapshot_new(parts, 1, &(struct kb_dead_page){ 1007, 4 }, 1);
	CHECK_INT(t, kb_snapshot_passages(snapshot), 4);
	CHECK_INT(t, kb_snapshot_page(snapshot, 0, 0), 97);
	CHECK_INT(t, kb_snapshot_page(snapshot, 0, 1), 109);
	CHECK_INT(t, kb_snapshot_page(snapshot, 0, 4), 997);
	kb_snapshot_release(snapshot);
	kb_segment_release(parts[0].segment);
	kb_arena_fini(&arena);
	unlink(path);
	unlink(merged);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a passage comes back as it went in", test_round_trip },
		{ "items of lists stay with their passages", test_merged_items },
		{ "search finds by heading and body, and not what is deleted",
		  test_search_finds_by_title },
		{ "a shared segment is found under the ids of who shares it",
		  test_shared_under_other_ids },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
