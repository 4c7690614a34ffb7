/* The crew with a real encoder: the file in DOCENT_TEST_ENCODER, or share/docent/encoder.kbe. */
#include "encode/crew.h"

#include <pthread.h>
#include <stdatomic.h>

#include "../test.h"
#include "base/clock.h"

enum { DIMS_MAX = 1024, PASSAGES = 48, ASKERS = 4, QUESTIONS = 20 };

static const char *encoder_path(void)
{
	const char *named = getenv("DOCENT_TEST_ENCODER");
	const char *path = named ? named : "share/docent/encoder.kbe";

	return access(path, R_OK) == 0 ? path : NULL;
}

struct world {
	struct kb_encoder *encoder;
	struct kb_encoder_info info;
	struct kb_encode_crew *crew;
	char texts[PASSAGES][256];
	struct kb_sv passages[PASSAGES];
	float *out;
};

static bool open_world(struct kb_test *t, struct world *w, const char *path)
{
	struct kb_err err;

	*w = (struct world){ 0 };
	if (!path) {
		kb_test_skip(t, "there is no encoder (DOCENT_TEST_ENCODER)");
		return false;
	}
	w->encoder = kb_encoder_open(path, &err);
	CHECK(t, w->encoder != NULL);
	if (!w->encoder)
		return false;
	kb_encoder_info(w->encoder, &w->info);
	w->crew = kb_encode_crew_new(&(struct kb_encode_crew_config){
	        .encoder = w->encoder, .questions = 2, .passages = 3 });
	for (int i = 0; i < PASSAGES; i++) {
		snprintf(w->texts[i], sizeof(w->texts[i]),
		         "Room %d of the house is painted in colour %d, and its lamp is lit at %d "
		         "in the evening by whoever comes home first.",
		         i, i * 7 % 31, i % 12);
		w->passages[i] = kb_sv_str(w->texts[i]);
	}
	w->out = calloc(PASSAGES * w->info.dims, sizeof(float));
	return true;
}

static void close_world(struct world *w)
{
	kb_encode_crew_free(w->crew);
	kb_encoder_close(w->encoder);
	free(w->out);
}

/* Several threads in any order write what one context does, each vector in its place. */
static void test_passages(struct kb_test *t)
{
	struct kb_encode_crew_stats stats;
	struct kb_encoder_context *context;
	struct kb_err err;
	struct world w;
	float one[DIMS_MAX];

	if (!open_world(t, &w, encoder_path()))
		return;
	CHECK(t, kb_encode_crew_passages(w.crew, w.passages, 0, w.out, &err));
	CHECK(t, kb_encode_crew_passages(w.crew, w.passages, PASSAGES, w.out, &err));
	context = kb_encoder_context_new(w.encoder);
	for (int i = 0; i < PASSAGES; i++) {
		CHECK(t,
		      kb_encoder_encode(context, KB_ENCODER_PASSAGE, &w.passages[i], 1, one, &err));
		CHECK(t, memcmp(one, w.out + (size_t)i * w.info.dims, w.info.dims * sizeof(*one))
		                 == 0);
	}
	kb_encoder_context_free(context);
	kb_encode_crew_stats(w.crew, &stats);
	CHECK_INT(t, stats.passages, PASSAGES);
	CHECK_INT(t, stats.failures, 0);
	close_world(&w);
}

/* So do the parts of passages, of which each has another number. */
static void test_parts(struct kb_test *t)
{
	enum { MOST = 3 };
	static struct kb_encoder_text texts[PASSAGES];
	static uint32_t bounds[PASSAGES][MOST + 1];
	struct kb_encoder_context *context;
	float *parts, *at, one[DIMS_MAX], some[MOST * DIMS_MAX];
	struct kb_err err;
	struct world w;

	if (!open_world(t, &w, encoder_path()))
		return;
	parts = at = calloc((size_t)PASSAGES * MOST * w.info.dims, sizeof(float));
	for (int i = 0; i < PASSAGES; i++) {
		texts[i] = (struct kb_encoder_text){ w.passages[i], bounds[i],
			                             (size_t)i % (MOST + 1) };
		for (uint32_t k = 0; k <= MOST; k++)
			bounds[i][k] = k * 20;
	}
	CHECK(t, kb_encode_crew_parts(w.crew, texts, PASSAGES, w.out, parts, &err));
	context = kb_encoder_context_new(w.encoder);
	for (size_t i = 0; i < PASSAGES; i++) {
		CHECK(t, kb_encoder_encode_parts(context, &texts[i], 1, one, some, &err));
		CHECK(t, memcmp(one, w.out + i * w.info.dims, w.info.dims * sizeof(*one)) == 0);
		CHECK(t, memcmp(some, at, texts[i].parts * w.info.dims * sizeof(*at)) == 0);
		at += texts[i].parts * w.info.dims;
	}
	kb_encoder_context_free(context);
	free(parts);
	close_world(&w);
}

struct asker {
	struct world *w;
	const float *want;
	_Atomic int wrong;
};

static void *ask(void *arg)
{
	struct asker *in = arg;
	float v[DIMS_MAX];
	struct kb_err err;

	for (int i = 0; i < QUESTIONS; i++)
		if (!kb_encode_crew_question(in->w->crew, KB_SV("Which lamp is lit?"), v, &err)
		    || memcmp(v, in->want, in->w->info.dims * sizeof(*v)) != 0)
			atomic_fetch_add(&in->wrong, 1);
	return NULL;
}

/* More who ask than there are places, while passages are encoded: all of it is done, and right. */
static void test_questions_meanwhile(struct kb_test *t)
{
	pthread_t threads[ASKERS];
	struct kb_encode_crew_stats stats;
	struct kb_err err;
	struct world w;
	float want[DIMS_MAX];
	struct asker in = { .w = &w, .want = want };

	if (!open_world(t, &w, encoder_path()))
		return;
	CHECK(t, kb_encode_crew_question(w.crew, KB_SV("Which lamp is lit?"), want, &err));
	for (int i = 0; i < ASKERS; i++)
		pthread_create(&threads[i], NULL, ask, &in);
	CHECK(t, kb_encode_crew_passages(w.crew, w.passages, PASSAGES, w.out, &err));
	for (int i = 0; i < ASKERS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(t, atomic_load(&in.wrong), 0);
	kb_encode_crew_stats(w.crew, &stats);
	CHECK_INT(t, stats.questions, ASKERS * QUESTIONS + 1);
	CHECK_INT(t, stats.passages, PASSAGES);
	close_world(&w);
}

static void *cancel(void *arg)
{
	usleep(20 * 1000);
	kb_encode_crew_cancel(arg);
	return NULL;
}

static void test_cancel(struct kb_test *t)
{
	struct kb_err err = { 0 };
	pthread_t thread;
	struct world w;
	bool ok = true;

	if (!open_world(t, &w, encoder_path()))
		return;
	CHECK(t, kb_encode_crew_passages(w.crew, w.passages, 1, w.out, &err));
	pthread_create(&thread, NULL, cancel, w.crew);
	for (int i = 0; ok && i < 10000; i++)
		ok = kb_encode_crew_passages(w.crew, w.passages, PASSAGES, w.out, &err);
	pthread_join(thread, NULL);
	CHECK(t, !ok);
	CHECK_INT(t, err.code, KB_E_CANCELLED);
	CHECK(t, !kb_encode_crew_passages(w.crew, w.passages, 1, w.out, &err)); /* it stays so */
	close_world(&w);
}

/* The same file with a byte of its middle changed. */
static bool damage(const char *from, char *to)
{
	FILE *in = fopen(from, "rb"), *out;
	int fd = mkstemp(to);
	char block[1 << 16];
	size_t n, at = 0;

	if (!in || fd < 0 || !(out = fdopen(fd, "wb")))
		return false;
	while ((n = fread(block, 1, sizeof(block), in)) > 0) {
		if (at <= 32 << 20 && at + n > 32 << 20)
			block[(32 << 20) - at] ^= 1;
		fwrite(block, 1, n, out);
		at += n;
	}
	fclose(in);
	return fclose(out) == 0;
}

/* A file that opens but is not what it was: nothing is encoded, and it is said the same each time.
 */
static void test_damaged(struct kb_test *t)
{
	char path[] = "/tmp/docent-crew-XXXXXX";
	const char *whole = encoder_path();
	float v[DIMS_MAX];
	struct world w;

	if (whole && !damage(whole, path))
		kb_test_fail(t, __FILE__, __LINE__, "no copy of the file");
	if (!open_world(t, &w, whole ? path : NULL))
		return;
	CHECK(t, !kb_encode_crew_is_unfit(w.crew));
	for (int i = 0; i < 2; i++) {
		struct kb_err err = { 0 };

		CHECK(t, !kb_encode_crew_question(w.crew, KB_SV("a lamp"), v, &err));
		CHECK_INT(t, err.code, KB_E_CORRUPT);
		CHECK(t, !kb_encode_crew_passages(w.crew, w.passages, 1, w.out, &err));
		CHECK_INT(t, err.code, KB_E_CORRUPT);
		CHECK(t, kb_encode_crew_is_unfit(w.crew));
	}
	close_world(&w);
	unlink(path);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "threads write what one context does", test_passages },
		{ "and the vectors of their parts", test_parts },
		{ "questions are answered while passages are encoded", test_questions_meanwhile },
		{ "a cancelled crew ends soon", test_cancel },
		{ "a damaged file encodes nothing", test_damaged },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
