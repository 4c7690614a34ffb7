/*
 * Pieces and vectors beside those of other programs (tools/encoder/reference.py), for texts in
 * sixteen languages and odd ones: tests/fixtures/encode. What is computed in 8 bits here is in
 * floats there, with the same weights.
 */
#include <math.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "encode/encoder.h"
#include "encode/network.h"
#include "encode/pieces.h"
#include "test.h"

enum { GOLDEN_MAX = 400, FILE_MAX = 1 << 20, DIMS = 384, FEW = 10, FEW_PIECES = 16, OTHERS = 5 };

/* Sanitizers and the emulator want the same addresses. */
#if defined(__clang__)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif
#if defined(__x86_64__)
#define EMULATED !SANITIZED
#else
#define EMULATED 0
#endif

static const char encoder_path[] = "share/docent/encoder.kbe";
static const float least = .995f;
/* Of the vectors of `FEW` texts, on every processor; of the vendored file. */
static const uint64_t bits_of_few = UINT64_C(0x9aa05e48b21cd0d0);

struct golden {
	enum kb_encoder_kind kind;
	struct kb_sv text;
	uint32_t count;
	const uint32_t *pieces;
	const int8_t *vector;
};

struct world {
	struct kb_arena arena;
	struct kb_encoder *encoder;
	struct golden golden[GOLDEN_MAX];
	size_t count;
};

static struct kb_sv read_fixture(struct world *w, const char *name)
{
	char path[256];
	struct kb_sv bytes;
	struct kb_err err;

	snprintf(path, sizeof(path), "tests/fixtures/encode/%s", name);
	KB_ASSERT(kb_file_read(&w->arena, path, FILE_MAX, &bytes, &err));
	return bytes;
}

static struct kb_sv take(struct kb_sv *from, size_t bytes)
{
	struct kb_sv taken = kb_sv(from->p, bytes);

	KB_ASSERT(bytes <= from->n);
	*from = kb_sv_from(*from, bytes);
	return taken;
}

static void open_world(struct world *w)
{
	struct kb_sv lines, bytes, line;
	struct kb_err err;

	*w = (struct world){ 0 };
	w->encoder = kb_encoder_open(encoder_path, &err);
	KB_ASSERT(w->encoder);
	lines = read_fixture(w, "texts.jsonl");
	bytes = read_fixture(w, "golden.bin");
	while (kb_sv_split(&lines, '\n', &line) && line.n) {
		json_t *row = kb_json_parse(&w->arena, line, &err);
		struct golden *golden = &w->golden[w->count++];

		KB_ASSERT(row && w->count < GOLDEN_MAX);
		golden->kind =
		        kb_sv_eq(kb_json_sv(row, "kind", kb_sv_str("")), kb_sv_str("question"))
		                ? KB_ENCODER_QUESTION
		                : KB_ENCODER_PASSAGE;
		golden->text = kb_json_sv(row, "text", kb_sv_str(""));
		golden->count = kb_get32(take(&bytes, sizeof(uint32_t)).p);
		golden->pieces = (const void *)take(&bytes, golden->count * sizeof(uint32_t)).p;
		golden->vector = (const void *)take(&bytes, DIMS).p;
	}
	KB_ASSERT(bytes.n == 0);
}

static void close_world(struct world *w)
{
	kb_encoder_close(w->encoder);
	kb_arena_fini(&w->arena);
}

static float cosine(const float *a, const int8_t *b)
{
	double product = 0, squares_a = 0, squares_b = 0;

	for (size_t i = 0; i < DIMS; i++) {
		product += (double)a[i] * b[i];
		squares_a += (double)a[i] * (double)a[i];
		squares_b += (double)b[i] * b[i];
	}
	return (float)(product / sqrt(squares_a * squares_b));
}

static void test_pieces(struct kb_test *t)
{
	static struct kb_pieces pieces;
	uint32_t got[KB_ENCODER_POSITIONS_MAX], longest, seen = 0;
	struct world w;

	open_world(&w);
	pieces.encoder = w.encoder;
	longest = w.encoder->form.positions;
	for (size_t i = 0; i < w.count; i++) {
		const struct golden *g = &w.golden[i];
		uint32_t count = kb_pieces_read(&pieces,
		                                g->kind == KB_ENCODER_QUESTION ? w.encoder->question
		                                                               : w.encoder->passage,
		                                g->text, NULL, longest, got);

		t->row = kb_arena_printf(&w.arena, "line %zu", i + 1).p;
		CHECK_INT(t, count, g->count);
		CHECK(t, count == g->count && memcmp(got, g->pieces, count * sizeof(*got)) == 0);
		seen = KB_MAX(seen, count);
	}
	t->row = NULL;
	CHECK(t, w.count >= 300);
	CHECK_INT(t, seen, longest);
	close_world(&w);
}

/* The text's vector by the network as it stands, which is the reference's. */
static void compare(struct kb_test *t, struct kb_encoder_network *network, const struct golden *g,
                    const char *how, float v[DIMS])
{
	t->row = how;
	kb_encoder_network_run(network,
	                       &(struct kb_encoder_network_batch){ g->pieces, &g->count, 1 }, v);
	CHECK(t, cosine(v, g->vector) >= least);
	t->row = NULL;
}

/* All texts on the best way that there is, every fifth on the others, to the bit. */
static void test_lanes(struct kb_test *t)
{
	static float best[GOLDEN_MAX][DIMS], other[DIMS];
	struct kb_encoder_network network;
	struct world w;
	size_t step = 1;

	open_world(&w);
	kb_encoder_network_init(&network, w.encoder);
	for (size_t k = 0; kb_lanes_way(k); k++) {
		network.lanes = kb_lanes_way(k);
		if (!network.lanes->available())
			continue;
		for (size_t i = 0; i < w.count; i += step) {
			float *v = step == 1 ? best[i] : other;

			compare(t, &network, &w.golden[i], network.lanes->name, v);
			CHECK(t, memcmp(v, best[i], sizeof(other)) == 0);
		}
		step = OTHERS;
	}
	kb_encoder_network_fini(&network);
	close_world(&w);
}

/* A path that is slow is slow: some short texts. */
static void test_products(struct kb_test *t)
{
	static float v[FEW][DIMS];
	struct kb_encoder_network network;
	struct world w;

	open_world(&w);
	kb_encoder_network_init(&network, w.encoder);
	for (size_t k = 0; kb_product_path(k); k++) {
		size_t seen = 0;

		network.product = kb_product_path(k);
		if (!kb_product_available(network.product))
			continue;
		for (size_t i = 0; i < w.count && seen < FEW; i += 11)
			if (w.golden[i].count <= FEW_PIECES) {
				compare(t, &network, &w.golden[i], kb_product_name(network.product),
				        v[seen]);
				seen++;
			}
		CHECK_INT(t, seen, FEW);
		CHECK_INT(t, kb_hash64(kb_sv((const char *)v, sizeof(v))), bits_of_few);
	}
	kb_encoder_network_fini(&network);
	close_world(&w);
}

static void test_encoder(struct kb_test *t)
{
	struct kb_encoder_context *context;
	struct kb_err err;
	struct world w;
	float v[DIMS];

	open_world(&w);
	context = kb_encoder_context_new(w.encoder);
	for (size_t i = 0; i < w.count; i += 7) {
		const struct golden *g = &w.golden[i];

		CHECK(t, kb_encoder_encode(context, g->kind, &g->text, 1, v, &err));
		CHECK(t, cosine(v, g->vector) >= least);
	}
	kb_encoder_context_free(context);
	close_world(&w);
}

/* This program once more, on a processor of 2008, which has neither AVX nor what came after. */
static void test_old_processor(struct kb_test *t)
{
	static const char qemu[] = "/usr/bin/qemu-x86_64";
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int status;
	pid_t pid;

	if (!EMULATED) {
		t->skipped = true;
		return;
	}
	if (access(qemu, X_OK) != 0) {
		kb_test_skip(t, "there is no qemu-x86_64 (qemu-user)");
		return;
	}
	KB_ASSERT(n > 0);
	self[n] = '\0';
	pid = fork();
	if (pid == 0) {
		execl(qemu, qemu, "-cpu", "Nehalem", self, "paths of products", (char *)NULL);
		_exit(127);
	}
	CHECK(t, waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "texts are cut into the pieces that another program cuts", test_pieces },
		{ "all ways of floats lead to another program's vectors", test_lanes },
		{ "all paths of products lead to them", test_products },
		{ "the encoder gives them", test_encoder },
		{ "a processor without AVX2 gives them", test_old_processor },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
