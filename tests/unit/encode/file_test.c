/* The encoder's file: what is refused, and by which name; what is read without harm. */
#include <math.h>

#include "encode/encoder.h"
#include "small.h"
#include "test.h"

enum { SHIPPED_MAX = 64000000 };

static const struct kb_sv texts[] = { KB_SV_INIT("a abc"), KB_SV_INIT(""), KB_SV_INIT("日本é bc") };

static const char *new_path(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/docent-encoder-test-%d", (int)getpid());
	return path;
}

/* NULL where it is refused; then err says why. */
static struct kb_encoder *open_bytes(struct kb_sv bytes, struct kb_err *err)
{
	const char *path = new_path();
	struct kb_encoder *encoder;
	struct kb_err ignored;

	KB_ASSERT(kb_file_replace(path, bytes, &ignored));
	encoder = kb_encoder_open(path, err);
	unlink(path);
	return encoder;
}

static bool encode(struct kb_encoder *encoder, float *out, struct kb_err *err)
{
	struct kb_encoder_context *context = kb_encoder_context_new(encoder);
	bool ok =
	        kb_encoder_encode(context, KB_ENCODER_QUESTION, texts, KB_COUNTOF(texts), out, err);

	kb_encoder_context_free(context);
	return ok;
}

static void refused(struct kb_test *t, struct kb_sv bytes, const char *why)
{
	struct kb_err err = { 0 };
	struct kb_encoder *encoder = open_bytes(bytes, &err);

	CHECK(t, !encoder);
	CHECK_INT(t, err.code, KB_E_CORRUPT);
	CHECK(t, strstr(err.msg, why));
	CHECK(t, strstr(err.msg, "/tmp/docent-encoder-test"));
	kb_encoder_close(encoder);
}

static void test_sound(struct kb_test *t)
{
	float v[KB_COUNTOF(texts) * SMALL_WIDTH], length = 0;
	struct kb_encoder_info info;
	struct kb_encoder *encoder;
	struct kb_err err = { 0 };
	struct small s;

	small_make(&s);
	encoder = open_bytes(small_file(&s), &err);
	CHECK_SV(t, kb_sv_str(err.msg), "");
	KB_ASSERT(encoder);
	kb_encoder_info(encoder, &info);
	CHECK_INT(t, info.dims, SMALL_WIDTH);
	CHECK_INT(t, info.longest, SMALL_POSITIONS);
	CHECK_INT(t, info.pieces, SMALL_PIECES);
	CHECK_SV(t, info.about, "made for tests");
	CHECK(t, kb_encoder_verify(encoder, &err));
	CHECK(t, encode(encoder, v, &err));
	for (int i = 0; i < SMALL_WIDTH; i++)
		length += v[i] * v[i];
	CHECK(t, fabsf(length - 1) < 1e-5f);
	CHECK(t, memcmp(v, v + SMALL_WIDTH, SMALL_WIDTH * sizeof(*v)) != 0);
	kb_encoder_close(encoder);
	small_fini(&s);
}

static void test_frame(struct kb_test *t)
{
	struct kb_sv sound, bytes;
	struct kb_err err = { 0 };
	struct small s;
	char *copy;

	CHECK(t, !kb_encoder_open("/tmp/docent-no-such-file", &err));
	CHECK(t, strstr(err.msg, "/tmp/docent-no-such-file"));
	refused(t, kb_sv_str(""), "cut short (0 bytes)");
	refused(t, kb_sv_str("A text that stands where an encoder should, long enough for a head"),
	        "this is no encoder file");
	small_make(&s);
	sound = small_file(&s);
	for (size_t n = 1; n < sound.n; n += n / 9 + 1)
		refused(t, kb_sv(sound.p, n), n < KB_CONTAINER_HEADER ? "cut short" : "bytes");
	copy = kb_arena_alloc(&s.arena, sound.n);
	memcpy(copy, sound.p, sound.n);
	bytes = kb_sv(copy, sound.n);
	copy[8] = KB_ENCODER_VERSION - 1;
	refused(t, bytes, "version 1, known is 2");
	copy[8] = KB_ENCODER_VERSION + 1;
	refused(t, bytes, "version 3, known is 2");
	copy[8] = KB_ENCODER_VERSION;
	copy[KB_CONTAINER_HEADER + 8] ^= 1;
	refused(t, bytes, "section table");
	small_fini(&s);
}

/* Sections whose length the form tells: one byte less is refused. */
static void test_sizes(struct kb_test *t)
{
	for (uint32_t id = KB_ENC_FORM; id < KB_ENC_COUNT; id++) {
		struct small s;
		char why[64];

		if (id >= KB_ENC_QUESTION && id <= KB_ENC_ABOUT)
			continue;
		small_make(&s);
		s.sizes[id]--;
		snprintf(why, sizeof(why), "section %s is damaged",
		         kb_form_section(&kb_encoder_file_form, id));
		t->row = why;
		refused(t, small_file(&s), why);
		small_fini(&s);
	}
	for (uint32_t id = KB_ENC_QUESTION; id <= KB_ENC_PASSAGE; id++) {
		struct small s;

		small_make(&s);
		small_room(&s, id, KB_ENCODER_PREFIX_MAX + 1);
		t->row = kb_form_section(&kb_encoder_file_form, id);
		refused(t, small_file(&s), t->row);
		small_fini(&s);
	}
	t->row = NULL;
}

static void test_form(struct kb_test *t)
{
	static const struct {
		const char *why;
		size_t place;
		uint32_t value;
	} cases[] = {
#define CASE(member, value)                                                                        \
	{ #member " is " #value, offsetof(struct kb_encoder_form, member), value }
		CASE(layers, 0),
		CASE(layers, 49),
		CASE(width, 0),
		CASE(width, 48),
		CASE(width, 2048),
		CASE(heads, 0),
		CASE(inner, 0),
		CASE(inner, 40),
		CASE(inner, 8192),
		CASE(positions, 15),
		CASE(pieces, 3),
		CASE(positions, 4096),
		CASE(nodes, 1),
		CASE(nodes, 9000000),
		CASE(pooling, 0),
		CASE(pooling, 2),
		CASE(pieces, 2000000),
		CASE(fine, 18),
#undef CASE
		{ "3 heads do not share", offsetof(struct kb_encoder_form, heads), 3 },
		{ "4 heads do not share", offsetof(struct kb_encoder_form, heads), 4 },
		{ "eps is no small", offsetof(struct kb_encoder_form, eps), 0 },
		{ "eps is no small", offsetof(struct kb_encoder_form, eps), 0x7fc00000 },
		{ "eps is no small", offsetof(struct kb_encoder_form, eps), 0x40000000 },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct small s;

		small_make(&s);
		memcpy((char *)s.bytes[KB_ENC_FORM] + cases[i].place, &cases[i].value,
		       sizeof(cases[i].value));
		t->row = cases[i].why;
		refused(t, small_file(&s), cases[i].why);
		small_fini(&s);
	}
	t->row = NULL;
}

/* Bytes that changed in their place, the frame being right: the file opens, and whatever its
 * numbers are now, a vector comes of them or a sentence. Its own checksum would have told. */
static void test_numbers(struct kb_test *t)
{
	float v[KB_COUNTOF(texts) * SMALL_WIDTH];

	for (uint32_t id = KB_ENC_QUESTION; id < KB_ENC_COUNT; id++)
		for (int turn = 0; turn < 2; turn++) {
			struct kb_err err = { 0 };
			struct kb_encoder *encoder;
			struct small s;

			small_make(&s);
			memset(s.bytes[id], turn ? 0xff : 0, s.sizes[id]);
			encoder = open_bytes(small_file(&s), &err);
			t->row = kb_form_section(&kb_encoder_file_form, id);
			CHECK(t, encoder);
			if (encoder && !encode(encoder, v, &err)) {
				CHECK_INT(t, err.code, KB_E_CORRUPT);
				CHECK(t, strstr(err.msg, "no vector"));
			}
			kb_encoder_close(encoder);
			small_fini(&s);
		}
	t->row = NULL;
}

static void test_checksums(struct kb_test *t)
{
	for (uint32_t id = KB_ENC_FORM; id < KB_ENC_COUNT; id++) {
		struct kb_err err = { 0 };
		struct kb_encoder *encoder;
		struct small s;
		const char *row;
		struct kb_sv bytes;
		uint64_t at;
		char *copy;

		small_make(&s);
		bytes = small_file(&s);
		if (!s.sizes[id] || id == KB_ENC_FORM) {
			small_fini(&s);
			continue;
		}
		row = bytes.p + KB_CONTAINER_HEADER + (id - 1) * KB_CONTAINER_ROW;
		at = kb_get64(row + 8);
		copy = kb_arena_alloc(&s.arena, bytes.n);
		memcpy(copy, bytes.p, bytes.n);
		copy[at + s.sizes[id] / 2] ^= 4;
		encoder = open_bytes(kb_sv(copy, bytes.n), &err);
		t->row = kb_form_section(&kb_encoder_file_form, id);
		KB_ASSERT(encoder);
		CHECK(t, !kb_encoder_verify(encoder, &err));
		CHECK(t, strstr(err.msg, t->row) && strstr(err.msg, "checksum"));
		kb_encoder_close(encoder);
		small_fini(&s);
	}
	t->row = NULL;
}

static void test_shipped(struct kb_test *t)
{
	static const char path[] = "share/docent/encoder.kbe";
	struct kb_arena arena = { 0 };
	struct kb_encoder_info info;
	struct kb_encoder *encoder;
	char sum[KB_SHA256_HEX];
	struct kb_sv bytes, named;
	struct kb_err err = { 0 };

	KB_ASSERT(kb_file_read(&arena, path, SHIPPED_MAX, &bytes, &err));
	KB_ASSERT(kb_file_read(&arena, "share/docent/encoder.kbe.sha256", 256, &named, &err));
	kb_sha256_hex(bytes, sum);
	CHECK(t, kb_sv_starts(named, kb_sv_str(sum)));
	encoder = kb_encoder_open(path, &err);
	KB_ASSERT(encoder);
	CHECK(t, kb_encoder_verify(encoder, &err));
	kb_encoder_info(encoder, &info);
	CHECK_INT(t, info.dims, 384);
	CHECK_INT(t, info.longest, 512);
	CHECK_INT(t, info.pieces, 250000);
	kb_encoder_close(encoder);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a sound file is read and used", test_sound },
		{ "a missing, foreign, cut or other version's file is refused", test_frame },
		{ "a section whose size does not fit is named", test_sizes },
		{ "a figure of the form out of its bounds is named", test_form },
		{ "wrong numbers lead to a vector or a sentence, never outside", test_numbers },
		{ "a changed byte is found in its section", test_checksums },
		{ "the file in share is the one that its checksum names", test_shipped },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
