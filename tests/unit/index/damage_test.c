/* Failing steps and damaged files: the old state stays, a damaged file is refused or survived. */
#include <dirent.h>
#include <fcntl.h>

#include "base/fault.h"
#include "base/file.h"
#include "test.h"
#include "world.h"

enum { VOCABULARY = 120, FILE_MAX = 1 << 24 };

static void fill(struct kb_segment_writer *writer, struct kb_arena *arena, uint64_t seed,
                 uint32_t passages)
{
	struct dice dice = { seed };

	for (uint32_t i = 0; i < passages; i++) {
		struct kb_passage p = { .page_id = i / 3, .ordinal = i % 3, .lang = KB_LANG_EN };

		p.title = made_text(arena, &dice, 3, VOCABULARY);
		p.heading = made_text(arena, &dice, roll(&dice, 3), VOCABULARY);
		p.text = made_text(arena, &dice, 5 + roll(&dice, 60), VOCABULARY);
		kb_segment_writer_add(writer, &p);
	}
}

static bool write_file(const char *path, uint64_t seed, uint32_t passages, struct kb_err *err)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_arena arena = { 0 };
	bool ok;

	fill(writer, &arena, seed, passages);
	ok = kb_segment_writer_finish(writer, path, NULL, err);
	kb_segment_writer_free(writer);
	kb_arena_fini(&arena);
	return ok;
}

/* How many files lie beside path whose names begin as its own does. */
static int files_like(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	DIR *dir = opendir("/tmp");
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir)))
		n += strncmp(entry->d_name, name, strlen(name)) == 0;
	if (dir)
		closedir(dir);
	return n;
}

static int64_t passages_in(struct kb_test *t, const char *path)
{
	struct kb_segment_info info = { 0 };
	struct kb_err err = { 0 };
	struct kb_segment *segment = kb_segment_open(path, true, &err);

	CHECK_SV(t, kb_sv_str(err.msg), "");
	if (segment)
		kb_segment_info(segment, &info);
	kb_segment_release(segment);
	return info.passages;
}

static void test_writer_faults(struct kb_test *t)
{
	const char *path = world_path("faults", 0);
	struct kb_err err;

	CHECK(t, write_file(path, 1, 10, &err));
	for (int n = 1;; n += KB_TEST_FAULT_STEP) {
		bool ok, fired;
		int64_t passages;

		kb_fault_arm(n);
		ok = write_file(path, 2, 300, &err);
		fired = kb_fault_disarm();
		CHECK(t, ok != fired);
		passages = passages_in(t, path);
		CHECK(t, passages == 300 || (fired && passages == 10));
		CHECK_INT(t, files_like(path), 1);
		if (!fired)
			break;
		CHECK(t, write_file(path, 1, 10, &err));
	}
	unlink(path);
}

static void test_merge_faults(struct kb_test *t)
{
	const char *path = world_path("merged", 0);
	struct kb_snapshot_part parts[2];
	struct kb_snapshot *snapshot;
	struct kb_err err;

	for (int i = 0; i < 2; i++) {
		const char *part = world_path("part", i);

		CHECK(t, write_file(part, (uint64_t)i, 200, &err));
		parts[i] = (struct kb_snapshot_part){ kb_segment_open(part, true, &err), 1 };
		unlink(part);
	}
	snapshot = kb_snapshot_new(parts, 2, &(struct kb_dead_page){ 5, 2 }, 1);
	CHECK(t, write_file(path, 1, 10, &err));
	for (int n = 1;; n += KB_TEST_FAULT_STEP) {
		bool ok, fired;
		int64_t passages;

		kb_fault_arm(n);
		ok = kb_segment_merge(&(struct kb_part_range){ .snapshot = snapshot, .count = 2 },
		                      NULL, path, NULL, &err);
		fired = kb_fault_disarm();
		CHECK(t, ok != fired);
		passages = passages_in(t, path);
		CHECK(t, passages == 394 || (fired && passages == 10));
		CHECK_INT(t, files_like(path), 1);
		if (!fired)
			break;
		CHECK(t, write_file(path, 1, 10, &err));
	}
	kb_snapshot_release(snapshot);
	kb_segment_release(parts[0].segment);
	kb_segment_release(parts[1].segment);
	unlink(path);
}

static bool at_last(void *arg)
{
	int *left = arg;

	return --*left == 0;
}

static void test_merge_cancelled(struct kb_test *t)
{
	const char *path = world_path("cancelled", 0), *part = world_path("part", 0);
	struct kb_snapshot_part parts[1];
	struct kb_snapshot *snapshot;
	struct kb_err err;
	bool ok = false;

	CHECK(t, write_file(part, 1, 4000, &err));
	parts[0] = (struct kb_snapshot_part){ kb_segment_open(part, true, &err), 1 };
	unlink(part);
	/* With deletions, so that nothing is copied unread. */
	snapshot = kb_snapshot_new(parts, 1, &(struct kb_dead_page){ 5, 2 }, 1);
	CHECK(t, write_file(path, 1, 10, &err));
	for (int n = 1; !ok; n++) {
		int left = n;

		ok = kb_segment_merge(&(struct kb_part_range){ .snapshot = snapshot, .count = 1 },
		                      &(struct kb_cancel){ at_last, &left }, path, NULL, &err);
		CHECK(t, ok ? left > 0 && n > 3 : left == 0 && err.code == KB_E_CANCELLED);
		CHECK_INT(t, files_like(path), 1);
		CHECK(t, ok || passages_in(t, path) == 10);
	}
	kb_snapshot_release(snapshot);
	kb_segment_release(parts[0].segment);
	unlink(path);
}

static void test_open_faults(struct kb_test *t)
{
	const char *path = world_path("open", 0);
	struct kb_err err;

	CHECK(t, write_file(path, 1, 10, &err));
	for (int n = 1;; n += KB_TEST_FAULT_STEP) {
		struct kb_segment *segment;
		bool fired;

		kb_fault_arm(n);
		segment = kb_segment_open(path, false, &err);
		fired = kb_fault_disarm();
		CHECK(t, (segment == NULL) == fired);
		kb_segment_release(segment);
		if (!fired)
			break;
	}
	unlink(path);
}

/* Uses everything of a segment that may be damaged; `merged` is a path to write to. */
static void use(struct kb_segment *segment, const char *merged)
{
	struct kb_arena arena = { 0 };
	struct dice dice = { 5 };
	struct kb_snapshot *snapshot = kb_snapshot_new(&(struct kb_snapshot_part){ segment, 1 }, 1,
	                                               &(struct kb_dead_page){ 7, 2 }, 1);
	struct kb_err err;

	for (int i = 0; i < 6; i++) {
		struct kb_query_term terms[5];
		struct kb_query query = { .terms = terms, .term_count = 5, .limit = 10 };
		struct kb_hit *hits;
		size_t count;

		for (size_t k = 0; k < KB_COUNTOF(terms); k++)
			terms[k] = (struct kb_query_term){
				made_word(&arena, word_number(&dice, VOCABULARY)), 1
			};
		kb_search(snapshot, &arena, &query, &hits, &count);
		for (size_t k = 0; k < count; k++)
			kb_score(snapshot, hits[k].part, hits[k].doc, terms, 5);
		kb_search_exact(snapshot, &arena, &query, &hits, &count);
	}
	for (uint32_t doc = 0; doc < KB_MIN(segment->passages, 2000u); doc += 7) {
		struct kb_passage p;

		if (!kb_snapshot_passage(snapshot, &arena, 0, doc, &p, &err))
			break;
	}
	if (kb_segment_merge(&(struct kb_part_range){ .snapshot = snapshot, .count = 1 }, NULL,
	                     merged, NULL, &err))
		unlink(merged);
	kb_snapshot_release(snapshot);
	kb_arena_fini(&arena);
}

static void put_file(struct kb_test *t, const char *path, struct kb_sv bytes)
{
	struct kb_err err;

	CHECK(t, kb_file_replace(path, bytes, &err));
}

static void test_flipped_bits(struct kb_test *t)
{
	const char *path = world_path("flip", 0), *merged = world_path("flip-merged", 0);
	struct kb_arena arena = { 0 };
	struct dice dice = { 3 };
	struct kb_sv good;
	char *bad;
	struct kb_err err;

	CHECK(t, write_file(path, 1, 900, &err));
	CHECK(t, kb_file_read(&arena, path, FILE_MAX, &good, &err));
	bad = kb_arena_str(&arena, good);
	for (uint32_t row = 0; row < kb_get32(good.p + 12); row++) {
		const char *place = good.p + KB_CONTAINER_HEADER + row * KB_CONTAINER_ROW;
		const char *name = kb_form_section(&kb_segment_form, kb_get32(place));
		uint64_t offset = kb_get64(place + 8), length = kb_get64(place + 16);

		t->row = name;
		for (int n = 0; n < 24 && length; n++) {
			/* The first bytes are counts and widths: hit them more often. */
			size_t at = offset
			            + roll(&dice, n % 2 ? (uint32_t)length
			                                : (uint32_t)KB_MIN(length, 64u));
			struct kb_segment *segment;

			bad[at] = (char)(bad[at] ^ (n % 3 ? 1 << roll(&dice, 8) : 0xff));
			put_file(t, path, kb_sv(bad, good.n));
			err = (struct kb_err){ 0 };
			segment = kb_segment_open(path, true, &err);
			CHECK(t, !segment && err.code == KB_E_CORRUPT);
			CHECK(t, strstr(err.msg, name));
			kb_segment_release(segment);
			segment = kb_segment_open(path, false, &err);
			if (segment)
				use(segment, merged);
			kb_segment_release(segment);
			memcpy(bad + at, good.p + at, 1);
		}
	}
	for (size_t at = 0; at < KB_CONTAINER_HEADER - 8; at++) {
		bad[at] ^= 1;
		put_file(t, path, kb_sv(bad, good.n));
		err = (struct kb_err){ 0 };
		CHECK(t, !kb_segment_open(path, false, &err) && err.code == KB_E_CORRUPT);
		bad[at] = good.p[at];
	}
	t->row = NULL;
	unlink(path);
	kb_arena_fini(&arena);
}

static void test_cut_files(struct kb_test *t)
{
	const char *path = world_path("cut", 0);
	struct kb_arena arena = { 0 };
	struct dice dice = { 4 };
	struct kb_sv good;
	struct kb_err err;

	CHECK(t, write_file(path, 1, 50, &err));
	CHECK(t, kb_file_read(&arena, path, FILE_MAX, &good, &err));
	for (int i = 0; i < 100; i++) {
		size_t n = i < 10 ? (size_t)i * 10 : roll(&dice, (uint32_t)good.n);

		put_file(t, path, kb_sv(good.p, n));
		err = (struct kb_err){ 0 };
		CHECK(t, !kb_segment_open(path, false, &err));
		CHECK_INT(t, err.code, KB_E_CORRUPT);
	}
	unlink(path);
	CHECK(t, !kb_segment_open(path, false, &err));
	CHECK_INT(t, err.code, KB_E_IO);
	kb_arena_fini(&arena);
}

static void test_unknown_section(struct kb_test *t)
{
	const char *path = world_path("later", 0);
	struct kb_arena arena = { 0 };
	struct kb_segment *segment;
	struct kb_sv good;
	uint32_t rows, id = 4711;
	uint64_t hash;
	char *later;
	struct kb_err err = { 0 };

	/* A row of the table for a section that this version has never heard of. */
	CHECK(t, write_file(path, 1, 50, &err));
	CHECK(t, kb_file_read(&arena, path, FILE_MAX, &good, &err));
	later = kb_arena_str(&arena, good);
	rows = kb_get32(later + 12) + 1;
	CHECK(t, KB_CONTAINER_HEADER + rows * KB_CONTAINER_ROW <= kb_get64(later + 48));
	memcpy(later + 12, &rows, sizeof(rows));
	memcpy(later + KB_CONTAINER_HEADER + (rows - 1) * KB_CONTAINER_ROW,
	       later + KB_CONTAINER_HEADER, KB_CONTAINER_ROW);
	memcpy(later + KB_CONTAINER_HEADER + (rows - 1) * KB_CONTAINER_ROW, &id, sizeof(id));
	hash = kb_hash64(kb_sv(later + KB_CONTAINER_HEADER, rows * KB_CONTAINER_ROW));
	memcpy(later + 24, &hash, sizeof(hash));
	put_file(t, path, kb_sv(later, good.n));
	segment = kb_segment_open(path, true, &err);
	CHECK(t, segment);
	CHECK_SV(t, kb_sv_str(err.msg), "");
	kb_segment_release(segment);
	unlink(path);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "each step of writing fails once: the old file stays", test_writer_faults },
		{ "a merge is given up when it is told to: the old file stays",
		  test_merge_cancelled },
		{ "each step of merging fails once: the old file stays", test_merge_faults },
		{ "each step of opening fails once", test_open_faults },
		{ "a flipped bit in any section is refused, or survived", test_flipped_bits },
		{ "a file that was cut is refused", test_cut_files },
		{ "a section of a later writer is skipped", test_unknown_section },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
