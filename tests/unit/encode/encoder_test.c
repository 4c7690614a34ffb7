/* Texts to vectors with the file that is shipped: groups, lengths, contexts. */
#include "encode/encoder.h"

#include <math.h>
#include <pthread.h>

#include "base/arena.h"
#include "test.h"

enum { DIMS = 384, MANY = 40, THREADS = 3 };

static const struct kb_sv texts[] = {
	KB_SV_INIT("How do I return a parcel?"),
	KB_SV_INIT(""),
	KB_SV_INIT("Goods may be sent back within thirty days; the sender pays for the way."),
	KB_SV_INIT("水泵空转不得超过十秒。"),
	KB_SV_INIT("x"),
};

static struct kb_encoder *open_encoder(void)
{
	struct kb_err err = { 0 };
	struct kb_encoder *encoder = kb_encoder_open("share/docent/encoder.kbe", &err);

	if (!encoder)
		fprintf(stderr, "%s\n", err.msg);
	KB_ASSERT(encoder);
	return encoder;
}

static void encode(struct kb_encoder_context *context, const struct kb_sv *v, size_t count,
                   float *out)
{
	struct kb_err err;

	KB_ASSERT(kb_encoder_encode(context, KB_ENCODER_PASSAGE, v, count, out, &err));
}

static double cosine(const float *a, const float *b)
{
	double product = 0;

	for (size_t i = 0; i < DIMS; i++)
		product += (double)a[i] * (double)b[i];
	return product;
}

/* A text of n words. */
static struct kb_sv words(struct kb_arena *arena, size_t n)
{
	char *text = kb_arena_alloc(arena, n * 5);

	for (size_t i = 0; i < n; i++)
		memcpy(text + i * 5, i % 3 ? "road " : "the  ", 5);
	return kb_sv(text, n * 5);
}

static void test_groups(struct kb_test *t)
{
	static float alone[KB_COUNTOF(texts)][DIMS], together[MANY][DIMS];
	struct kb_encoder *encoder = open_encoder();
	struct kb_encoder_context *context = kb_encoder_context_new(encoder);
	struct kb_encoder_context *other = kb_encoder_context_new(encoder);
	struct kb_arena arena = { 0 };
	struct kb_sv many[MANY];

	for (size_t i = 0; i < KB_COUNTOF(texts); i++)
		encode(context, &texts[i], 1, alone[i]);
	for (size_t i = 0; i < MANY; i++)
		many[i] = i % 8 < KB_COUNTOF(texts) ? texts[i % 8] : words(&arena, i * 20);
	encode(other, many, MANY, together[0]);
	for (size_t i = 0; i < MANY; i++)
		if (i % 8 < KB_COUNTOF(texts))
			CHECK(t, memcmp(together[i], alone[i % 8], sizeof(alone[0])) == 0);
	encode(context, many, 0, together[0]);
	encode(context, many + 7, 1, together[0]);
	encode(context, &texts[0], 1, together[1]);
	CHECK(t, memcmp(together[1], alone[0], sizeof(alone[0])) == 0);
	for (size_t i = 0; i < KB_COUNTOF(texts); i++)
		CHECK(t, fabs(cosine(alone[i], alone[i]) - 1) < 1e-5);
	kb_encoder_context_free(context);
	kb_encoder_context_free(other);
	kb_encoder_close(encoder);
	kb_arena_fini(&arena);
}

static void test_lengths(struct kb_test *t)
{
	static float v[3][DIMS];
	struct kb_encoder *encoder = open_encoder();
	struct kb_encoder_context *context = kb_encoder_context_new(encoder);
	struct kb_arena arena = { 0 };
	struct kb_encoder_info info;
	struct kb_sv long_texts[] = { words(&arena, 300), words(&arena, 600),
		                      words(&arena, 90000) };

	kb_encoder_info(encoder, &info);
	CHECK_INT(t, kb_encoder_count(context, KB_ENCODER_PASSAGE, kb_sv_str("")), 4);
	CHECK(t, kb_encoder_count(context, KB_ENCODER_PASSAGE, long_texts[0]) < info.longest);
	for (size_t i = 1; i < 3; i++)
		CHECK_INT(t, kb_encoder_count(context, KB_ENCODER_PASSAGE, long_texts[i]),
		          info.longest);
	encode(context, long_texts, 3, v[0]);
	CHECK(t, memcmp(v[1], v[2], sizeof(v[1])) == 0);
	CHECK(t, memcmp(v[0], v[1], sizeof(v[1])) != 0);
	kb_encoder_context_free(context);
	kb_encoder_close(encoder);
	kb_arena_fini(&arena);
}

/* What the vectors are for. */
static void test_meaning(struct kb_test *t)
{
	static const struct kb_sv passages[] = {
		KB_SV_INIT(
		        "Goods may be sent back within thirty days. The buyer pays the postage."),
		KB_SV_INIT("Der Käufer darf die Ware binnen dreißig Tagen zurückschicken."),
		KB_SV_INIT("The pump must not run dry for more than ten seconds."),
		KB_SV_INIT("Our office is closed on public holidays."),
	};
	static float asked[DIMS], found[KB_COUNTOF(passages)][DIMS];
	struct kb_encoder *encoder = open_encoder();
	struct kb_encoder_context *context = kb_encoder_context_new(encoder);
	struct kb_err err;

	CHECK(t, kb_encoder_encode(context, KB_ENCODER_QUESTION, &texts[0], 1, asked, &err));
	encode(context, passages, KB_COUNTOF(passages), found[0]);
	for (size_t right = 0; right < 2; right++)
		for (size_t wrong = 2; wrong < 4; wrong++)
			CHECK(t, cosine(asked, found[right]) > cosine(asked, found[wrong]) + .05);
	encode(context, &texts[0], 1, found[0]);
	CHECK(t, memcmp(asked, found[0], sizeof(asked)) != 0); /* another kind, another vector */
	kb_encoder_context_free(context);
	kb_encoder_close(encoder);
}

/* Each sentence of a text is a part of it. */
static void test_parts(struct kb_test *t)
{
	static const char text[] =
	        "Shop rules\nGoods may be sent back within thirty days. The pump must not run dry. "
	        "Our office is closed on Sundays.";
	static const uint32_t bounds[] = { 11, 54, 82, sizeof(text) - 1 };
	static float plain[DIMS], whole[3][DIMS], parts[7][DIMS], asked[DIMS];
	const struct kb_encoder_text with = { kb_sv_str(text), bounds, 3 };
	struct kb_encoder *encoder = open_encoder();
	struct kb_encoder_context *context = kb_encoder_context_new(encoder);
	struct kb_arena arena = { 0 };
	struct kb_sv far = words(&arena, 600);
	const uint32_t far_bounds[] = { 0, 100, (uint32_t)far.n - 10, (uint32_t)far.n };
	struct kb_err err;

	encode(context, &with.text, 1, plain);
	CHECK(t, kb_encoder_encode_parts(
	                 context,
	                 (struct kb_encoder_text[]){ with, { far, far_bounds, 3 }, { texts[0] } },
	                 3, whole[0], parts[0], &err));
	CHECK(t, memcmp(whole[0], plain, sizeof(plain)) == 0);
	CHECK(t, kb_encoder_encode(context, KB_ENCODER_QUESTION, &texts[0], 1, asked, &err));
	for (size_t i = 0; i < 5; i++)
		CHECK(t, fabs(cosine(parts[i], parts[i]) - 1) < 1e-5);
	CHECK(t, cosine(asked, parts[0]) > cosine(asked, parts[1]) + .03);
	CHECK(t, cosine(asked, parts[0]) > cosine(asked, parts[2]) + .03);
	/* What is behind the pieces that count has no vector. */
	CHECK(t, cosine(parts[5], parts[5]) == 0);
	/* Alone a sentence is another thing than in its text. */
	encode(context, &(struct kb_sv){ text + 11, 43 }, 1, plain);
	CHECK(t, memcmp(plain, parts[0], sizeof(plain)) != 0);
	CHECK(t, cosine(plain, parts[0]) > cosine(plain, parts[1]) + .1);
	kb_encoder_context_free(context);
	kb_encoder_close(encoder);
	kb_arena_fini(&arena);
}

struct job {
	const struct kb_encoder *encoder;
	float out[KB_COUNTOF(texts)][DIMS];
};

static void *run_job(void *arg)
{
	struct job *job = arg;
	struct kb_encoder_context *context = kb_encoder_context_new(job->encoder);

	for (int i = 0; i < 3; i++)
		encode(context, texts, KB_COUNTOF(texts), job->out[0]);
	kb_encoder_context_free(context);
	return NULL;
}

static void test_threads(struct kb_test *t)
{
	static struct job jobs[THREADS];
	struct kb_encoder *encoder = open_encoder();
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++) {
		jobs[i].encoder = encoder;
		KB_ASSERT(pthread_create(&threads[i], NULL, run_job, &jobs[i]) == 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < THREADS; i++)
		CHECK(t, memcmp(jobs[i].out, jobs[0].out, sizeof(jobs[0].out)) == 0);
	kb_encoder_close(encoder);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a text has the same vector alone and among others", test_groups },
		{ "what is behind the longest that counts has no part", test_lengths },
		{ "an answer is nearer to its question than others, in another language too",
		  test_meaning },
		{ "parts of a text have vectors of their own", test_parts },
		{ "threads with contexts of their own get the same", test_threads },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
