/* Latent factors: what is learned, folding, the third step, damage. The world has topics; the words
 * of a topic come together, but its two synonyms never in one passage. */
#include "base/fault.h"
#include "base/file.h"
#include "index/factors.h"
#include "index/factors_file.h"
#include "test.h"
#include "world.h"

enum { TOPICS = 60, WORDS = 12, PER_TOPIC = 10, FILE_MAX = 64 << 20 };

/* Word 0 and 1 of a topic are its synonyms. */
static struct kb_sv topic_word(struct kb_arena *arena, uint32_t topic, uint32_t word)
{
	return made_word(arena, 5000 + topic * WORDS + word);
}

static struct kb_sv passage_text(struct kb_arena *arena, struct dice *dice, uint32_t topic,
                                 uint32_t number)
{
	struct kb_buf buf;
	struct kb_sv text;

	kb_buf_init(&buf, KB_KIB(64));
	kb_buf_sv(&buf, topic_word(arena, topic, number % 2));
	for (uint32_t i = 0; i < 20; i++) {
		kb_buf_byte(&buf, ' ');
		kb_buf_sv(&buf, roll(dice, 3) ? topic_word(arena, topic, 2 + roll(dice, WORDS - 2))
		                              : made_word(arena, roll(dice, 300)));
	}
	text = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return text;
}

static struct kb_segment *made_world(uint32_t per_topic, uint64_t seed)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	const char *path = world_path("factors-world", 0);
	struct kb_arena arena = { 0 };
	struct dice dice = { seed };
	struct kb_segment *segment = NULL;
	struct kb_segment_info info;
	struct kb_err err;

	for (uint32_t i = 0; i < TOPICS * per_topic; i++)
		kb_segment_writer_add(
		        writer,
		        &(struct kb_passage){
		                .page_id = i,
		                .lang = KB_LANG_NONE,
		                .text = passage_text(&arena, &dice, i % TOPICS, i / TOPICS) });
	if (kb_segment_writer_finish(writer, path, &info, &err))
		segment = kb_segment_open(path, true, &err);
	unlink(path);
	kb_segment_writer_free(writer);
	kb_arena_fini(&arena);
	KB_ASSERT(segment);
	return segment;
}

/* A snapshot of the segments, the first so many of which have columns of the model. */
static struct kb_snapshot *made_snapshot(struct kb_segment *const *segments, size_t count,
                                         struct kb_factors *factors, size_t folded)
{
	struct kb_snapshot_part parts[4] = { 0 };
	struct kb_vectors *columns[4] = { 0 };
	struct kb_snapshot *snapshot;

	KB_ASSERT(count <= KB_COUNTOF(parts));
	for (size_t i = 0; i < count; i++) {
		const char *path = world_path("factors-column", (int)i);
		struct kb_err err;
		int64_t bytes;

		parts[i] = (struct kb_snapshot_part){ .segment = segments[i], .version = 1 };
		if (i >= folded)
			continue;
		KB_ASSERT(kb_factors_fold(factors, segments[i], NULL, path, &bytes, &err));
		columns[i] = kb_vectors_open(path, true, &err);
		KB_ASSERT(columns[i]);
		unlink(path);
		parts[i].vectors = &columns[i];
		parts[i].vectors_count = 1;
	}
	snapshot = kb_snapshot_new(parts, count, NULL, 0);
	for (size_t i = 0; i < count; i++)
		kb_vectors_release(columns[i]);
	if (factors)
		kb_snapshot_set_factors(snapshot, factors);
	return snapshot;
}

static bool train(const struct kb_snapshot *snapshot, const char *path, uint32_t sample,
                  struct kb_err *err)
{
	struct kb_factors_info info;

	return kb_factors_train(snapshot,
	                        &(struct kb_factors_options){ .seed = 7, .sample = sample }, path,
	                        &info, err);
}

static struct kb_factors *learn(struct kb_segment *segment)
{
	struct kb_snapshot *snapshot = made_snapshot(&segment, 1, NULL, 0);
	const char *path = world_path("factors-model", 0);
	struct kb_factors *factors;
	struct kb_err err;

	KB_ASSERT(train(snapshot, path, 0, &err));
	factors = kb_factors_open(path, &err);
	KB_ASSERT(factors);
	unlink(path);
	kb_snapshot_release(snapshot);
	return factors;
}

static void search(const struct kb_snapshot *snapshot, struct kb_arena *arena, struct kb_sv text,
                   float weight, bool (*allow)(void *arg, int64_t page_id), struct kb_hit **hits,
                   size_t *count)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_query query = {
		.limit = 1000, .rerank = 200, .purpose = KB_FOR_SEARCH, .factors = weight
	};
	struct kb_snapshot *hidden = allow ? kb_snapshot_hiding(snapshot, allow, NULL) : NULL;

	kb_query_build(analyzer, arena, text, KB_LANG_NONE, &query);
	kb_search(hidden ? hidden : snapshot, arena, &query, hits, count);
	kb_snapshot_release(hidden);
	kb_analyzer_free(analyzer);
}

static void test_synonyms(struct kb_test *t)
{
	struct kb_segment *segment = made_world(PER_TOPIC, 1);
	struct kb_factors *factors = learn(segment);
	struct kb_snapshot *snapshot = made_snapshot(&segment, 1, factors, 1);
	struct kb_arena arena = { 0 };
	size_t right = 0, more = 0;

	for (uint32_t topic = 0; topic < TOPICS; topic++) {
		struct kb_hit *hits;
		size_t count, plain;

		search(snapshot, &arena, topic_word(&arena, topic, 0), 0, NULL, &hits, &plain);
		CHECK_INT(t, plain, PER_TOPIC / 2);
		search(snapshot, &arena, topic_word(&arena, topic, 0), .3f, NULL, &hits, &count);
		more += count > plain;
		for (size_t i = 0; i < KB_MIN(count, (size_t)PER_TOPIC); i++)
			right += hits[i].doc % TOPICS == topic;
		CHECK(t, right >= PER_TOPIC - 1);  /* those with the other word too */
		for (size_t i = 0; i < plain; i++) /* and first those with this one */
			CHECK_INT(t, hits[i].doc / TOPICS % 2, 0);
		for (size_t i = 1; i < count; i++) {
			CHECK(t, hits[i].score <= hits[i - 1].score);
			for (size_t k = 0; k < i; k++)
				CHECK(t, hits[i].doc != hits[k].doc);
		}
		kb_arena_reset(&arena);
	}
	/* Those with the other word stand high too. */
	CHECK(t, more > TOPICS * 9 / 10);
	CHECK(t, right > TOPICS * PER_TOPIC * 4 / 5);
	kb_arena_fini(&arena);
	kb_snapshot_release(snapshot);
	kb_factors_release(factors);
	kb_segment_release(segment);
}

static bool allow_odd(void *arg, int64_t page_id)
{
	(void)arg;
	return page_id % 2;
}

static void test_filter(struct kb_test *t)
{
	struct kb_segment *segment = made_world(PER_TOPIC, 1);
	struct kb_factors *factors = learn(segment);
	struct kb_snapshot *snapshot = made_snapshot(&segment, 1, factors, 1);
	struct kb_arena arena = { 0 };
	struct kb_hit *hits;
	size_t count;

	search(snapshot, &arena, topic_word(&arena, 7, 0), .3f, allow_odd, &hits, &count);
	CHECK(t, count >= PER_TOPIC);
	for (size_t i = 0; i < count; i++)
		CHECK(t, kb_snapshot_page(snapshot, hits[i].part, hits[i].doc) % 2);
	kb_arena_fini(&arena);
	kb_snapshot_release(snapshot);
	kb_factors_release(factors);
	kb_segment_release(segment);
}

/* A segment without its column yet: its passages are found by their words as before. */
static void test_half_folded(struct kb_test *t)
{
	struct kb_segment *segments[] = { made_world(PER_TOPIC, 1), made_world(2, 2) };
	struct kb_factors *factors = learn(segments[0]);
	struct kb_snapshot *half = made_snapshot(segments, 2, factors, 1);
	struct kb_snapshot *none = made_snapshot(segments, 2, factors, 0);
	struct kb_snapshot *whole = made_snapshot(segments, 2, factors, 2);
	struct kb_arena arena = { 0 };
	struct kb_sv word = topic_word(&arena, 9, 0);
	struct kb_hit *with, *without;
	size_t count, plain, found[2] = { 0 };

	search(none, &arena, word, 0, NULL, &without, &plain);
	search(none, &arena, word, .3f, NULL, &with, &count);
	CHECK_INT(t, count, plain);
	for (size_t i = 0; i < count; i++)
		CHECK(t, with[i].doc == without[i].doc && with[i].score == without[i].score);
	search(half, &arena, word, .3f, NULL, &with, &count);
	for (size_t i = 0; i < count; i++)
		found[with[i].part]++;
	CHECK_INT(t, found[1], 1);
	CHECK(t, found[0] > PER_TOPIC / 2);
	search(whole, &arena, word, .3f, NULL, &with, &count);
	found[1] = 0;
	for (size_t i = 0; i < count; i++)
		found[1] += with[i].part == 1 && with[i].doc % TOPICS == 9;
	CHECK_INT(t, found[1], 2);
	kb_arena_fini(&arena);
	kb_snapshot_release(half);
	kb_snapshot_release(none);
	kb_snapshot_release(whole);
	kb_factors_release(factors);
	for (size_t i = 0; i < KB_COUNTOF(segments); i++)
		kb_segment_release(segments[i]);
}

static struct kb_sv file_of(struct kb_arena *arena, const char *path)
{
	struct kb_sv bytes = { 0 };
	struct kb_err err;

	KB_ASSERT(kb_file_read(arena, path, FILE_MAX, &bytes, &err));
	return bytes;
}

static void test_same_seed(struct kb_test *t)
{
	struct kb_segment *segment = made_world(PER_TOPIC, 1);
	struct kb_snapshot *snapshot = made_snapshot(&segment, 1, NULL, 0);
	const char *a = world_path("factors-a", 0), *b = world_path("factors-b", 0);
	struct kb_arena arena = { 0 };
	struct kb_err err;

	CHECK(t, train(snapshot, a, 400, &err) && train(snapshot, b, 400, &err));
	CHECK(t, kb_sv_eq(file_of(&arena, a), file_of(&arena, b)));
	CHECK(t, train(snapshot, b, 0, &err));
	CHECK(t, !kb_sv_eq(file_of(&arena, a), file_of(&arena, b)));
	unlink(a);
	unlink(b);
	kb_arena_fini(&arena);
	kb_snapshot_release(snapshot);
	kb_segment_release(segment);
}

/* The passages of the world from `first` on, each `step` after the one before, in one segment. */
static struct kb_segment *some_of_world(uint32_t first, uint32_t step, uint32_t count)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	const char *path = world_path("factors-some", (int)first);
	struct kb_arena arena = { 0 };
	struct kb_segment *segment;
	struct kb_err err;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t number = (first + i * step) % (TOPICS * PER_TOPIC);
		struct dice dice = { number };

		kb_segment_writer_add(
		        writer,
		        &(struct kb_passage){ .page_id = first * 10000 + i,
		                              .text = passage_text(&arena, &dice, number % TOPICS,
		                                                   number / TOPICS) });
	}
	KB_ASSERT(kb_segment_writer_finish(writer, path, NULL, &err));
	segment = kb_segment_open(path, true, &err);
	KB_ASSERT(segment);
	unlink(path);
	kb_segment_writer_free(writer);
	kb_arena_fini(&arena);
	return segment;
}

static void test_any_order(struct kb_test *t)
{
	enum { ALL = TOPICS * PER_TOPIC };
	/* 7 and 600 have no factor in common: so all come, in another order. */
	struct kb_segment *whole = some_of_world(0, 1, ALL);
	struct kb_segment *halves[] = { some_of_world(0, 7, ALL / 2),
		                        some_of_world(ALL / 2 * 7 % ALL, 7, ALL / 2) };
	struct kb_snapshot *one = made_snapshot(&whole, 1, NULL, 0);
	struct kb_snapshot *two = made_snapshot(halves, 2, NULL, 0);
	const char *a = world_path("factors-a", 0), *b = world_path("factors-b", 0);
	struct kb_arena arena = { 0 };
	struct kb_err err;

	CHECK(t, train(one, a, 0, &err) && train(two, b, 0, &err));
	CHECK(t, kb_sv_eq(file_of(&arena, a), file_of(&arena, b)));
	unlink(a);
	unlink(b);
	kb_arena_fini(&arena);
	kb_snapshot_release(one);
	kb_snapshot_release(two);
	kb_segment_release(whole);
	kb_segment_release(halves[0]);
	kb_segment_release(halves[1]);
}

static bool yes(void *arg)
{
	(void)arg;
	return true;
}

static const struct kb_cancel always = { .asked = yes };

static bool at_last(void *arg)
{
	int *left = arg;

	return --*left == 0;
}

static void test_refusals(struct kb_test *t)
{
	struct kb_segment *small = made_world(4, 1), *enough = made_world(5, 1);
	struct kb_snapshot *few = made_snapshot(&small, 1, NULL, 0);
	struct kb_snapshot *many = made_snapshot(&enough, 1, NULL, 0);
	const char *path = world_path("factors-no", 0);
	struct kb_factors_info info;
	struct kb_err err = { 0 };

	CHECK(t, !train(few, path, 0, &err));
	CHECK_SV(t, kb_sv_str(err.msg), "240 passages are fewer than 300");
	CHECK(t, train(many, path, 0, &err));
	unlink(path);
	CHECK(t, !kb_factors_train(many, &(struct kb_factors_options){ .cancel = &always }, path,
	                           &info, &err));
	CHECK_INT(t, err.code, KB_E_CANCELLED);
	for (int n = 2, left = n; (left = n) && n < 1000; n += KB_TEST_UNDER_SANITIZER ? 25 : 5) {
		const struct kb_cancel later = { at_last, &left };

		if (kb_factors_train(many, &(struct kb_factors_options){ .cancel = &later }, path,
		                     &info, &err)) {
			CHECK(t, left > 0 && n > 20);
			unlink(path);
			break;
		}
		CHECK(t, left == 0 && err.code == KB_E_CANCELLED && access(path, F_OK) != 0);
	}
	CHECK(t, !kb_factors_train(many, &(struct kb_factors_options){ .dims = 5000 }, path, &info,
	                           &err));
	CHECK_INT(t, err.code, KB_E_INVALID);
	CHECK(t, access(path, F_OK) != 0);
	kb_snapshot_release(few);
	kb_snapshot_release(many);
	kb_segment_release(small);
	kb_segment_release(enough);
}

/* Three hundred passages that all say the same have nothing to learn from. */
static void test_nothing_to_learn(struct kb_test *t)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	const char *path = world_path("factors-same", 0);
	struct kb_segment *segment;
	struct kb_snapshot *snapshot;
	struct kb_segment_info info;
	struct kb_err err = { 0 };

	for (int i = 0; i < 400; i++)
		kb_segment_writer_add(
		        writer, &(struct kb_passage){ .page_id = i, .text = KB_SV("same words") });
	CHECK(t, kb_segment_writer_finish(writer, path, &info, &err));
	segment = kb_segment_open(path, true, &err);
	unlink(path);
	snapshot = made_snapshot(&segment, 1, NULL, 0);
	CHECK(t, !train(snapshot, path, 0, &err));
	CHECK_INT(t, err.code, KB_E_INVALID);
	kb_snapshot_release(snapshot);
	kb_segment_release(segment);
	kb_segment_writer_free(writer);
}

static void test_damage(struct kb_test *t)
{
	struct kb_segment *segment = made_world(5, 1);
	struct kb_snapshot *snapshot = made_snapshot(&segment, 1, NULL, 0);
	const char *path = world_path("factors-damage", 0);
	struct kb_arena arena = { 0 };
	struct dice dice = { 11 };
	struct kb_err err = { 0 };
	struct kb_sv good;

	CHECK(t, train(snapshot, path, 0, &err));
	good = file_of(&arena, path);
	for (int i = 0; i < 300; i++) {
		char *bytes = kb_arena_str(&arena, good);
		size_t at = i < 64 ? (size_t)i : roll(&dice, (uint32_t)good.n);
		size_t n = i % 10 == 9 ? at : good.n; /* cut there, or a bit flipped */
		struct kb_factors *factors;

		bytes[at] ^= (char)(1 << roll(&dice, 8));
		CHECK(t, kb_file_replace(path, kb_sv(bytes, n), &err));
		factors = kb_factors_open(path, &err);
		/* Between the sections lie bytes that nobody reads. */
		if (factors)
			CHECK(t, n == good.n && good.p[at] == 0);
		else
			CHECK_INT(t, err.code, KB_E_CORRUPT);
		kb_factors_release(factors);
	}
	unlink(path);
	kb_arena_fini(&arena);
	kb_snapshot_release(snapshot);
	kb_segment_release(segment);
}

static void test_faults(struct kb_test *t)
{
	struct kb_segment *segment = made_world(5, 1);
	struct kb_snapshot *snapshot = made_snapshot(&segment, 1, NULL, 0);
	const char *path = world_path("factors-fault", 0);
	bool fired = true;

	for (int n = 1; fired && n < 100; n++) {
		struct kb_err err = { 0 };
		bool ok;

		unlink(path);
		kb_fault_arm(n);
		ok = train(snapshot, path, 0, &err);
		fired = kb_fault_disarm();
		CHECK(t, ok == !fired);
		/* The last step syncs the directory: then the file is there. */
		CHECK(t, ok || err.code != KB_OK);
	}
	CHECK(t, !fired);
	unlink(path);
	kb_snapshot_release(snapshot);
	kb_segment_release(segment);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a question finds what says it in another word", test_synonyms },
		{ "what the query does not allow is not near either", test_filter },
		{ "passages without a vector are found by their words", test_half_folded },
		{ "the same seed gives the same file", test_same_seed },
		{ "the same passages give the same file, in whatever order they came",
		  test_any_order },
		{ "too few passages, too many factors and an order to stop are refused",
		  test_refusals },
		{ "passages that all say the same teach nothing", test_nothing_to_learn },
		{ "damage is refused", test_damage },
		{ "each step of writing fails once", test_faults },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
