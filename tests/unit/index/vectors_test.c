/* A column's way: vectors in, a file, vectors and cosines out; merging; damage and faults. */
#include "base/fault.h"
#include "base/file.h"
#include "base/hash.h"
#include "columns.h"

enum { FILE_MAX = 64 << 20 };

static void test_round_trip(struct kb_test *t)
{
	static const uint32_t dims[] = { 1, 3, 64, 100, 384, 1000, KB_VECTOR_DIMS_MAX };
	const char *path = world_path("column", 0);
	struct dice dice = { 1 };

	for (size_t d = 0; d < KB_COUNTOF(dims); d++) {
		enum { PASSAGES = 9 };
		float *v = kb_xcalloc(PASSAGES * (size_t)dims[d], sizeof(*v));
		float *got = kb_xcalloc(dims[d], sizeof(*got));
		struct kb_vectors_info info;
		struct kb_vectors *vectors;
		struct kb_arena arena = { 0 };
		struct kb_err err = { 0 };

		made_vector(&dice, v, PASSAGES * dims[d]);
		v[2 * dims[d]] = NAN;
		memset(v + 3 * (size_t)dims[d], 0, dims[d] * sizeof(*v));
		for (uint32_t i = 0; i < dims[d]; i++) {
			v[4 * dims[d] + i] *= 1e37f; /* squares overflow */
			v[5 * dims[d] + i] *= 1e-39f;
		}
		CHECK(t, write_column(path, COLUMN, MODEL, v, dims[d], PASSAGES, &err));
		vectors = kb_vectors_open(path, true, &err);
		CHECK_SV(t, kb_sv_str(err.msg), "");
		CHECK(t, vectors);
		if (!vectors)
			return;
		kb_vectors_info(vectors, &info);
		CHECK(t, kb_sv_eq(info.name, COLUMN) && kb_sv_eq(info.model, MODEL));
		CHECK_INT(t, info.dims, dims[d]);
		CHECK_INT(t, info.passages, PASSAGES);
		CHECK_INT(t, info.filled, PASSAGES - 2);
		for (uint32_t p = 0; p < PASSAGES; p++) {
			const float *want = v + (size_t)p * dims[d];
			const struct kb_vector *vector =
			        kb_vector_new(&arena, v + dims[d], dims[d]);
			float cosine = kb_vectors_cosine(vectors, p, vector);

			if (p == 2 || p == 3) {
				CHECK(t, !kb_vectors_get(vectors, p, got));
				CHECK(t, cosine == -2);
				continue;
			}
			CHECK(t, kb_vectors_get(vectors, p, got));
			CHECK(t, cosine_of(got, want, dims[d]) > .9998);
			CHECK(t, fabs(cosine_of(got, got, dims[d]) - 1) < 1e-4);
			CHECK(t,
			      fabs((double)cosine - cosine_of(want, v + dims[d], dims[d])) < .004);
			CHECK(t, cosine <= 1 && cosine >= -1);
		}
		CHECK(t, !kb_vectors_get(vectors, PASSAGES, got));
		CHECK(t,
		      kb_vectors_cosine(vectors, 0, kb_vector_new(&arena, v, dims[d] + 1)) == -2);
		kb_vectors_release(vectors);
		kb_arena_fini(&arena);
		free(got);
		free(v);
	}
	unlink(path);
}

/* A vector of length 0, or of what is no number, is like none. */
static void test_strange_questions(struct kb_test *t)
{
	const char *path = world_path("strange", 0);
	static const float v[] = { 1, 2, 3 };
	static const float odd[][3] = { { 0, 0, 0 }, { NAN, 1, 1 }, { 1, INFINITY, 1 } };
	struct kb_arena arena = { 0 };
	struct kb_vectors *vectors;
	struct kb_err err;

	CHECK(t, write_column(path, COLUMN, MODEL, v, 3, 1, &err));
	vectors = kb_vectors_open(path, true, &err);
	CHECK(t, vectors);
	for (size_t i = 0; vectors && i < KB_COUNTOF(odd); i++)
		CHECK(t, kb_vectors_cosine(vectors, 0, kb_vector_new(&arena, odd[i], 3)) == 0);
	kb_vectors_release(vectors);
	kb_arena_fini(&arena);
	unlink(path);
}

static void test_rotation(struct kb_test *t)
{
	static const uint32_t dims[] = { 1, 2, 3, 63, 64, 100, 384, 1536, 4096 };
	struct dice dice = { 2 };

	for (size_t d = 0; d < KB_COUNTOF(dims); d++) {
		float a[KB_VECTOR_DIMS_MAX], b[KB_VECTOR_DIMS_MAX];
		float flat[KB_VECTOR_DIMS_MAX] = { 1 };
		double before, greatest = 0;

		made_vector(&dice, a, dims[d]);
		made_vector(&dice, b, dims[d]);
		before = cosine_of(a, b, dims[d]);
		kb_rotate(a, dims[d]);
		kb_rotate(b, dims[d]);
		CHECK(t, fabs(cosine_of(a, b, dims[d]) - before) < 1e-5);
		kb_rotate(flat, dims[d]);
		for (uint32_t i = 0; i < dims[d]; i++)
			greatest = KB_MAX(greatest, fabs((double)flat[i]));
		CHECK(t, dims[d] < 64 || greatest < .5); /* one dimension became many */
	}
}

/* ---- merging ---- */

static bool same_file(struct kb_test *t, const char *a, const char *b)
{
	struct kb_arena arena = { 0 };
	struct kb_sv x = { 0 }, y = { 0 };
	struct kb_err err;
	bool same;

	CHECK(t, kb_file_read(&arena, a, FILE_MAX, &x, &err));
	CHECK(t, kb_file_read(&arena, b, FILE_MAX, &y, &err));
	same = kb_sv_eq(x, y);
	kb_arena_fini(&arena);
	return same;
}

/* Sentences of a passage are near it, and keep their order by any question. */
static void test_parts(struct kb_test *t)
{
	enum { DIMS = 384, PASSAGES = 40, MANY = 7, QUESTIONS = 20 };
	static float rows[PASSAGES][DIMS], parts[PASSAGES][MANY * DIMS], question[DIMS];
	const char *path = world_path("parts", 0), *again = world_path("again", 0);
	struct kb_vectors_writer *writer = kb_vectors_writer_new(COLUMN, MODEL, DIMS, PASSAGES);
	struct kb_vectors_writer *copy = kb_vectors_writer_new(COLUMN, MODEL, DIMS, PASSAGES);
	struct kb_arena arena = { 0 };
	struct kb_vectors *vectors;
	struct dice dice = { 9 };
	double off = 0, most = 0;
	int64_t bytes;
	struct kb_err err;
	size_t count;

	made_vector(&dice, rows[0], PASSAGES * DIMS);
	for (uint32_t i = 0; i < PASSAGES; i++) {
		made_vector(&dice, parts[i], MANY * DIMS);
		for (size_t k = 0; k < MANY * DIMS; k++)
			parts[i][k] = rows[i][k % DIMS] + .8F * parts[i][k];
		memset(parts[i] + 3 * DIMS, 0, DIMS * sizeof(float));
		kb_vectors_writer_set(writer, i, rows[i]);
		kb_vectors_writer_parts(writer, i, parts[i], i % MANY);
	}
	CHECK(t, kb_vectors_writer_finish(writer, path, &bytes, &err));
	vectors = kb_vectors_open(path, true, &err);
	CHECK(t, vectors);
	for (int n = 0; n < QUESTIONS; n++) {
		const struct kb_vector *asked;

		made_vector(&dice, question, DIMS);
		for (size_t k = 0; k < DIMS; k++)
			question[k] += rows[n][k];
		asked = kb_vector_new(&arena, question, DIMS);
		for (uint32_t i = 0; i < PASSAGES; i++) {
			const float *got =
			        kb_vectors_part_cosines(vectors, &arena, i, asked, &count);

			CHECK_INT(t, count, i % MANY);
			for (size_t k = 0; k < count; k++) {
				double want =
				        k == 3 ? (double)kb_vectors_cosine(vectors, i, asked)
				               : cosine_of(parts[i] + k * DIMS, question, DIMS);
				double by = fabs((double)got[k] - want);

				off += by / PASSAGES / (MANY - 1) * 2 / QUESTIONS;
				most = KB_MAX(most, by);
			}
		}
	}
	CHECK(t, off < .012);
	CHECK(t, most < .06);
	for (uint32_t i = 0; i < PASSAGES; i++) {
		kb_vectors_writer_set(copy, i, rows[0]);
		CHECK(t, kb_vectors_writer_take(copy, i, vectors, i));
	}
	CHECK(t, !kb_vectors_writer_take(copy, 0, vectors, PASSAGES));
	CHECK(t, kb_vectors_writer_take(copy, 0, vectors, 0));
	CHECK(t, kb_vectors_writer_finish(copy, again, &bytes, &err));
	CHECK(t, same_file(t, path, again));
	kb_vectors_writer_free(writer);
	kb_vectors_writer_free(copy);
	kb_vectors_release(vectors);
	kb_arena_fini(&arena);
	unlink(path);
	unlink(again);
}

/* Three parts, the second without the column, and a deleted page in the third; large enough for
 * the pre-filter. */
static void test_merge_equals_fresh(struct kb_test *t)
{
	enum { DIMS = 24, PER_PAGE = 10, FIRST = 9000, SECOND = 20, THIRD = 8000, DEAD = 2300 };
	const char *merged = world_path("merged", 0), *fresh = world_path("fresh", 0);
	const char *path = world_path("part", 0);
	const uint32_t sizes[] = { FIRST, SECOND, THIRD };
	const struct kb_dead_page dead[] = { { DEAD, 2 } };
	struct kb_snapshot_part parts[3] = { 0 };
	struct kb_vectors *columns[3] = { 0 };
	struct kb_vectors_writer *writer;
	struct kb_snapshot *snapshot;
	struct dice dice = { 3 };
	uint32_t at = 0;
	int64_t bytes;
	struct kb_err err;

	writer = kb_vectors_writer_new(COLUMN, MODEL, DIMS, FIRST + SECOND + THIRD - PER_PAGE);
	for (size_t i = 0; i < 3; i++) {
		float *v = kb_xcalloc(sizes[i] * (size_t)DIMS, sizeof(*v));

		made_vector(&dice, v, sizes[i] * DIMS);
		v[5 * DIMS] = NAN;
		parts[i].segment = made_segment(path, sizes[i], PER_PAGE, 1000 * (int64_t)i);
		parts[i].version = 1;
		for (uint32_t doc = 0; doc < sizes[i]; doc++) {
			if (1000 * (int64_t)i + doc / PER_PAGE == DEAD)
				continue;
			if (i != 1)
				set_passage(writer, at, v, DIMS, doc, sizes[i]);
			at++;
		}
		CHECK(t, write_column(path, COLUMN, i == 1 ? KB_SV("another") : MODEL, v, DIMS,
		                      sizes[i], &err));
		columns[i] = kb_vectors_open(path, true, &err);
		CHECK(t, columns[i] && parts[i].segment);
		parts[i].vectors = &columns[i];
		parts[i].vectors_count = 1;
		free(v);
	}
	snapshot = kb_snapshot_new(parts, 3, dead, 1);
	CHECK_INT(t, at, kb_snapshot_passages(snapshot));
	CHECK(t, kb_snapshot_vectors(snapshot, 0, COLUMN, MODEL) == columns[0]);
	CHECK(t, !kb_snapshot_vectors(snapshot, 1, COLUMN, MODEL));
	CHECK(t, !kb_snapshot_vectors(snapshot, 0, KB_SV("other"), MODEL));
	CHECK(t, !kb_snapshot_vectors(snapshot, 3, COLUMN, MODEL));
	CHECK(t, kb_vectors_writer_finish(writer, fresh, &bytes, &err));
	for (size_t i = 0; i < 3; i++) { /* the snapshot holds them */
		kb_vectors_release(columns[i]);
		kb_segment_release(parts[i].segment);
	}
	CHECK(t, kb_vectors_merge(&(struct kb_part_range){ .snapshot = snapshot, .count = 3 },
	                          &(struct kb_vector_column){ COLUMN, MODEL, DIMS }, merged, &bytes,
	                          &err));
	CHECK(t, same_file(t, merged, fresh));
	kb_vectors_writer_free(writer);
	kb_snapshot_release(snapshot);
	unlink(path);
	unlink(merged);
	unlink(fresh);
}

/* A column of another segment's size is not taken. */
static void test_foreign_column(struct kb_test *t)
{
	const char *path = world_path("foreign", 0);
	static const float v[] = { 1, 2, 3, 4 };
	struct kb_segment *segment = made_segment(path, 3, 1, 1);
	struct kb_vectors *vectors;
	struct kb_snapshot *snapshot;
	struct kb_err err;

	CHECK(t, write_column(path, COLUMN, MODEL, v, 1, 4, &err));
	vectors = kb_vectors_open(path, true, &err);
	CHECK(t, segment && vectors);
	snapshot = kb_snapshot_new(
	        &(struct kb_snapshot_part){
	                .segment = segment, .version = 1, .vectors = &vectors, .vectors_count = 1 },
	        1, NULL, 0);
	CHECK(t, !kb_snapshot_vectors(snapshot, 0, COLUMN, MODEL));
	kb_snapshot_release(snapshot);
	kb_vectors_release(vectors);
	kb_segment_release(segment);
	unlink(path);
}

/* ---- damage and faults ---- */

enum { SMALL_DIMS = 70, SMALL = KB_SIGNS_MIN + 5 };

static bool write_small(const char *path, uint64_t seed, struct kb_err *err)
{
	struct dice dice = { seed };
	float *v = kb_xcalloc(SMALL * (size_t)SMALL_DIMS, sizeof(*v));
	bool ok;

	made_vector(&dice, v, SMALL * SMALL_DIMS);
	ok = write_column(path, COLUMN, MODEL, v, SMALL_DIMS, SMALL, err);
	free(v);
	return ok;
}

static void test_flipped_bits(struct kb_test *t)
{
	const char *path = world_path("flip", 0);
	struct kb_arena arena = { 0 };
	struct dice dice = { 4 };
	struct kb_sv good;
	char *bad;
	struct kb_err err;

	CHECK(t, write_small(path, 1, &err));
	CHECK(t, kb_file_read(&arena, path, FILE_MAX, &good, &err));
	bad = kb_arena_str(&arena, good);
	for (uint32_t row = 0; row < kb_get32(good.p + 12); row++) {
		const char *place = good.p + KB_CONTAINER_HEADER + row * KB_CONTAINER_ROW;
		const char *name = kb_form_section(&kb_column_form, kb_get32(place));
		uint64_t offset = kb_get64(place + 8), length = kb_get64(place + 16);

		t->row = name;
		for (int n = 0; n < 8; n++) {
			size_t at = offset
			            + roll(&dice, n % 2 ? (uint32_t)length
			                                : (uint32_t)KB_MIN(length, 32u));

			bad[at] = (char)(bad[at] ^ (1 << roll(&dice, 8)));
			CHECK(t, kb_file_replace(path, kb_sv(bad, good.n), &err));
			err = (struct kb_err){ 0 };
			CHECK(t, !kb_vectors_open(path, true, &err));
			CHECK_INT(t, err.code, KB_E_CORRUPT);
			CHECK(t, strstr(err.msg, name));
			bad[at] = good.p[at];
		}
	}
	t->row = "header";
	for (size_t at = 0; at < KB_CONTAINER_HEADER - 8; at++) {
		bad[at] ^= 1;
		CHECK(t, kb_file_replace(path, kb_sv(bad, good.n), &err));
		err = (struct kb_err){ 0 };
		CHECK(t, !kb_vectors_open(path, false, &err) && err.code == KB_E_CORRUPT);
		bad[at] = good.p[at];
	}
	t->row = NULL;
	for (int i = 0; i < 20; i++) {
		CHECK(t, kb_file_replace(path, kb_sv(good.p, roll(&dice, (uint32_t)good.n)), &err));
		err = (struct kb_err){ 0 };
		CHECK(t, !kb_vectors_open(path, false, &err) && err.code == KB_E_CORRUPT);
	}
	unlink(path);
	kb_arena_fini(&arena);
}

static void test_faults(struct kb_test *t)
{
	const char *path = world_path("fault", 0);
	struct kb_err err;

	CHECK(t, write_small(path, 1, &err));
	for (int n = 1;; n += KB_TEST_FAULT_STEP) {
		struct kb_vectors *vectors;
		bool ok, fired;

		kb_fault_arm(n);
		ok = write_small(path, 2, &err);
		fired = kb_fault_disarm();
		CHECK(t, ok || fired);
		vectors = kb_vectors_open(path, true, &err); /* the old one or the new one */
		CHECK(t, vectors);
		kb_vectors_release(vectors);
		if (!fired)
			break;
	}
	for (int n = 1;; n += KB_TEST_FAULT_STEP) {
		struct kb_vectors *vectors;
		bool fired;

		kb_fault_arm(n);
		vectors = kb_vectors_open(path, true, &err);
		fired = kb_fault_disarm();
		CHECK(t, (vectors != NULL) == !fired);
		kb_vectors_release(vectors);
		if (!fired)
			break;
	}
	unlink(path);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a vector comes back nearly as it went in", test_round_trip },
		{ "what is no vector is as far from all as from its opposite",
		  test_strange_questions },
		{ "the pre-filter's rotation keeps angles and mixes dimensions", test_rotation },
		{ "parts of a passage have cosines of their own", test_parts },
		{ "a merged column is the one a writer would make", test_merge_equals_fresh },
		{ "a column of another size is not the segment's", test_foreign_column },
		{ "a flipped bit in any section is refused by name", test_flipped_bits },
		{ "each step of writing and opening fails once", test_faults },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
