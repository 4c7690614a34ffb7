/* The table of word vectors: which rows a word has, what the last step does with them, damage. */
#include "base/file.h"
#include "index/build.h"
#include "index/meaning_table.h"
#include "test.h"
#include "world.h"

enum { FILE_MAX = 64 << 20, GROUPS = 16 };

/* Words with the direction that they point in. */
static const struct {
	const char *word;
	int direction;
} words[] = {
	{ "fired", 0 },      { "terminated", 0 }, { "kiln", 1 },     { "clay", 1 },
	{ "employment", 2 }, { "festplatte", 3 }, { "laufwerk", 3 }, { "schlüssel", 4 },
	{ "注", 5 },         { "注释", 6 },       { "employee", 7 },
};

struct row {
	uint32_t key;
	int direction;
};

static int by_key(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* What goes wrong with a file. */
struct mischief {
	const char *name;
	uint32_t cut_section; /* loses its last byte */
	uint32_t dims;        /* 0: as they should be */
	float scale;          /* of the first row */
	bool double_key;
};

static bool write_table(const char *path, const struct mischief *mischief)
{
	struct kb_builder *builder = kb_builder_new(&kb_meaning_form, path);
	struct kb_meaning_head head = { .dims = mischief->dims ? mischief->dims : KB_MEANING_DIMS,
		                        .words = KB_COUNTOF(words),
		                        .groups = GROUPS };
	size_t count = KB_COUNTOF(words) + GROUPS;
	uint32_t keys[KB_COUNTOF(words)];
	float scales[KB_COUNTOF(words) + GROUPS];
	int8_t rows[KB_COUNTOF(words) + GROUPS][KB_MEANING_DIMS] = { 0 };
	struct row order[KB_COUNTOF(words)];
	struct kb_err err;
	int64_t bytes;
	bool ok;

	for (size_t i = 0; i < KB_COUNTOF(words); i++)
		order[i] = (struct row){ kb_meaning_key(kb_sv_str(words[i].word)),
			                 words[i].direction };
	qsort(order, KB_COUNTOF(words), sizeof(*order), by_key);
	for (size_t i = 0; i < count; i++) {
		scales[i] = 1.0f / 127;
		if (i < KB_COUNTOF(words)) {
			keys[i] = order[i].key;
			rows[i][order[i].direction] = 127;
		} else {
			rows[i][100] = 10;
		}
	}
	if (mischief->scale != 0)
		scales[0] = mischief->scale;
	if (mischief->double_key)
		keys[1] = keys[0];
	kb_builder_put(builder, KB_MEAN_INFO, &head,
	               sizeof(head) - (mischief->cut_section == KB_MEAN_INFO));
	kb_builder_put(builder, KB_MEAN_KEYS, keys,
	               sizeof(keys) - (mischief->cut_section == KB_MEAN_KEYS));
	kb_builder_put(builder, KB_MEAN_SCALES, scales,
	               sizeof(scales) - (mischief->cut_section == KB_MEAN_SCALES));
	kb_builder_put(builder, KB_MEAN_ROWS, rows,
	               sizeof(rows) - (mischief->cut_section == KB_MEAN_ROWS));
	ok = kb_builder_finish(builder, &bytes, &err);
	kb_builder_free(builder);
	return ok;
}

static struct kb_meaning *made_table(struct kb_test *t)
{
	const char *path = world_path("meaning", 0);
	struct kb_meaning *meaning;
	struct kb_err err = { 0 };

	CHECK(t, write_table(path, &(struct mischief){ 0 }));
	meaning = kb_meaning_open(path, &err);
	CHECK_SV(t, kb_sv_str(err.msg), "");
	unlink(path);
	KB_ASSERT(meaning);
	return meaning;
}

static void test_rows(struct kb_test *t)
{
	static const struct {
		const char *word;
		size_t known, groups; /* rows of words, and of letters */
	} cases[] = {
		{ "fired", 1, 0 },
		{ "kilns", 1, 0 },               /* one letter is left: too few */
		{ "festplattenlaufwerk", 2, 0 }, /* "n" between them */
		{ "schlüsselfestplatte", 2, 0 }, /* letters of two bytes */
		{ "unbekannt", 0, 3 },           /* unbe kann kann, the last from the end */
		{ "kilnunbekannt", 1, 3 },
		{ "abc", 0, 0 },
		{ "4711", 0, 0 },
		{ "注", 1, 0 },
		{ "释", 0, 0 },
	};
	struct kb_meaning *meaning = made_table(t);
	struct kb_meaning_info info;
	struct kb_meaning_words known;

	kb_meaning_info(meaning, &info);
	CHECK_INT(t, info.words, KB_COUNTOF(words));
	CHECK_INT(t, info.groups, GROUPS);
	kb_meaning_words(meaning, &known);
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		uint32_t rows[KB_MEANING_PIECES_MAX];
		size_t n = kb_meaning_rows(&known, kb_sv_str(cases[i].word), rows), groups = 0;

		for (size_t k = 0; k < n; k++)
			groups += rows[k] >= known.count;
		t->row = cases[i].word;
		CHECK_INT(t, n - groups, cases[i].known);
		CHECK_INT(t, groups, cases[i].groups);
	}
	t->row = NULL;
	CHECK(t, kb_meaning_pair(&known, KB_SV("注"), KB_SV("释")) != KB_MEANING_NONE);
	CHECK(t, kb_meaning_pair(&known, KB_SV("释"), KB_SV("注")) == KB_MEANING_NONE);
	kb_meaning_close(meaning);
}

/* ---- searching ---- */

static struct kb_snapshot *made_snapshot(const struct kb_passage *passages, size_t count)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	const char *path = world_path("meaning-world", 0);
	struct kb_segment *segment;
	struct kb_snapshot *snapshot;
	struct kb_err err;

	for (size_t i = 0; i < count; i++)
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

struct found {
	struct kb_arena arena;
	struct kb_hit *hits;
	size_t count;
};

static void ask(const struct kb_snapshot *snapshot, const char *text,
                const struct kb_meaning *meaning, struct found *out)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_query query = { .limit = 10, .rerank = 10, .purpose = KB_FOR_SEARCH };

	*out = (struct found){ 0 };
	kb_query_build(analyzer, &out->arena, kb_sv_str(text), KB_LANG_EN, &query);
	query.meaning = meaning;
	kb_search(snapshot, &out->arena, &query, &out->hits, &out->count);
	kb_analyzer_free(analyzer);
}

/* Both passages have a word of the question, the first one a little oftener. */
static const struct kb_passage passages[] = {
	{ .page_id = 1,
	  .lang = KB_LANG_EN,
	  .title = KB_SV_INIT("Pottery"),
	  .text = KB_SV_INIT(
	          "The employee takes clay from the kiln. An employee cleans the kiln.") },
	{ .page_id = 2,
	  .lang = KB_LANG_EN,
	  .title = KB_SV_INIT("Handbook"),
	  .text = KB_SV_INIT("Employment is terminated by letter; the employee signs it.") },
	{ .page_id = 3,
	  .lang = KB_LANG_EN,
	  .title = KB_SV_INIT("Parking"),
	  .text = KB_SV_INIT("Cars are parked behind the house.") },
};

static void test_search(struct kb_test *t)
{
	struct kb_snapshot *snapshot = made_snapshot(passages, KB_COUNTOF(passages));
	struct kb_meaning *meaning = made_table(t);
	struct found without, with;

	ask(snapshot, "employee fired", NULL, &without);
	ask(snapshot, "employee fired", meaning, &with);
	CHECK_INT(t, without.count, 2);
	CHECK_INT(t, with.count, 2);
	CHECK_INT(t, without.hits[0].doc, 0);
	CHECK_INT(t, with.hits[0].doc, 1);
	kb_arena_fini(&without.arena);
	kb_arena_fini(&with.arena);
	kb_meaning_close(meaning);
	kb_snapshot_release(snapshot);
}

static void test_unknown(struct kb_test *t)
{
	struct kb_snapshot *snapshot = made_snapshot(passages, KB_COUNTOF(passages));
	struct kb_meaning *meaning = made_table(t);
	/* Of the first the table knows nothing, of the second no word of its own. */
	static const char *const questions[] = { "who parks cars", "house 4711 parked", "the" };

	for (size_t i = 0; i < KB_COUNTOF(questions); i++) {
		struct found without, with;

		ask(snapshot, questions[i], NULL, &without);
		ask(snapshot, questions[i], meaning, &with);
		t->row = questions[i];
		CHECK_INT(t, with.count, without.count);
		for (size_t k = 0; k < KB_MIN(with.count, without.count); k++) {
			CHECK_INT(t, with.hits[k].doc, without.hits[k].doc);
			CHECK(t, with.hits[k].score == without.hits[k].score);
		}
		kb_arena_fini(&without.arena);
		kb_arena_fini(&with.arena);
	}
	kb_meaning_close(meaning);
	kb_snapshot_release(snapshot);
}

/* ---- damage ---- */

static void test_mischief(struct kb_test *t)
{
	static const struct mischief cases[] = {
		{ "a head of another size", .cut_section = KB_MEAN_INFO },
		{ "fewer keys than words", .cut_section = KB_MEAN_KEYS },
		{ "fewer scales than rows", .cut_section = KB_MEAN_SCALES },
		{ "fewer rows", .cut_section = KB_MEAN_ROWS },
		{ "other dimensions", .dims = 64 },
		{ "a row that drowns the others", .scale = 1e9f },
		{ "a length below nothing", .scale = -1 },
		{ "a length that is no number", .scale = NAN },
		{ "a key that comes twice", .double_key = true },
	};
	const char *path = world_path("meaning-mischief", 0);

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_meaning *meaning;
		struct kb_err err = { 0 };

		t->row = cases[i].name;
		CHECK(t, write_table(path, &cases[i]));
		meaning = kb_meaning_open(path, &err);
		CHECK(t, !meaning);
		CHECK_INT(t, err.code, KB_E_CORRUPT);
		CHECK(t, strstr(err.msg, path));
		kb_meaning_close(meaning);
	}
	unlink(path);
}

static void test_damage(struct kb_test *t)
{
	const char *path = world_path("meaning-damage", 0);
	struct kb_arena arena = { 0 };
	struct kb_err err = { 0 };
	struct kb_sv whole;

	CHECK(t, write_table(path, &(struct mischief){ 0 }));
	CHECK(t, kb_file_read(&arena, path, FILE_MAX, &whole, &err));
	for (size_t at = 0; at < whole.n; at += 37) {
		char *bytes = kb_arena_copy(&arena, whole.p, whole.n);
		struct kb_meaning *meaning;

		bytes[at] = (char)(bytes[at] ^ 0x20);
		CHECK(t, kb_file_replace(path, kb_sv(bytes, whole.n), &err));
		meaning = kb_meaning_open(path, &err);
		/* Bytes between sections belong to none. */
		CHECK(t, !meaning || bytes[at] == 0x20);
		kb_meaning_close(meaning);
	}
	CHECK(t, !kb_meaning_open("/nowhere/table", &err));
	CHECK(t, strstr(err.msg, "/nowhere/table"));
	unlink(path);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a word is known whole, in parts, or by its letters", test_rows },
		{ "a passage that means the question comes before one that has its words",
		  test_search },
		{ "what the table does not know stays as it was", test_unknown },
		{ "a file that is none is refused with a sentence", test_mischief },
		{ "damage is refused", test_damage },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
