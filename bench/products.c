/*
 * How fast 8-bit products are, by each path that this processor has:
 *
 *   bench/products [NAME]    billions of multiply-adds a second on one core; only what NAME is in
 *
 * Twelve matrices in turn, as a network has layers, so that their weights come from where they come
 * there. Ours takes floats, rounds them and gives floats with scales and bias. The peer is oneDNN's
 * matmul, where its library was there to build with: it is handed bytes that are rounded already,
 * and one scale for all tokens. Under DNNL_MAX_CPU_ISA=AVX512_CORE_VNNI it does without AMX. Times
 * are this thread's processor time, the best of some rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "encode/product.h"

enum { LAYERS = 12, TOKENS_MAX = 1024, WIDTH_MAX = 1536 };

static const double seconds = .2; /* of rounds, for each figure */

static const struct {
	uint32_t rows, cols;
} shapes[] = { { 384, 384 }, { 1536, 384 }, { 384, 1536 } };

static const size_t counts[] = { 1, 16, 230, TOKENS_MAX };

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *aligned(size_t size)
{
	void *p = aligned_alloc(KB_PRODUCT_ALIGN, (size + KB_PRODUCT_ALIGN - 1) / KB_PRODUCT_ALIGN
	                                                  * KB_PRODUCT_ALIGN);

	KB_ASSERT(p);
	return p;
}

/* What is measured: one product by the layer's matrix. */
struct work {
	void (*run)(const struct work *work, size_t layer);
	const struct kb_product_path *path;
	struct kb_product_matrix m[LAYERS];
	float *in, *out;
	void *scratch, *peer;
	size_t n;
};

/* Billions of multiply-adds a second. */
static double speed(const struct work *work)
{
	double products = (double)work->m[0].rows * work->m[0].cols * (double)work->n * LAYERS;
	double best = 0;
	int repeats = (int)(5e8 / products) + 1;

	for (double all = 0; all < seconds;) {
		double began = cpu_s(), took;

		for (int i = 0; i < repeats; i++)
			for (size_t layer = 0; layer < LAYERS; layer++)
				work->run(work, layer);
		took = cpu_s() - began;
		best = KB_MAX(best, products * repeats / took / 1e9);
		all += took;
	}
	return best;
}

static void make(struct kb_product_matrix *m, uint32_t rows, uint32_t cols)
{
	int8_t *tiles = aligned((size_t)rows * cols);
	float *scales = kb_xcalloc(rows, sizeof(*scales)), *bias = kb_xcalloc(rows, sizeof(*bias));
	int32_t *sums = kb_xcalloc(rows, sizeof(*sums));
	uint32_t state = rows + cols;

	for (size_t i = 0; i < (size_t)rows * cols; i++) {
		state = state * 1664525 + 1013904223;
		tiles[i] = (int8_t)((int)(state >> 24) % 255 - 127);
		sums[i / ((size_t)cols * KB_PRODUCT_TILE) * KB_PRODUCT_TILE
		     + i / KB_PRODUCT_STEP % KB_PRODUCT_TILE] += tiles[i];
	}
	for (uint32_t r = 0; r < rows; r++)
		scales[r] = .001f;
	*m = (struct kb_product_matrix){ tiles, scales, bias, sums, rows, cols };
}

static void run_ours(const struct work *work, size_t layer)
{
	kb_product_run(work->path, &work->m[layer], work->in, work->n, work->out, work->scratch);
}

#ifdef HAVE_DNNL
#include <oneapi/dnnl/dnnl.h>

void omp_set_num_threads(int n);

/* One shape's primitive with the memory of each layer. */
struct peer {
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	dnnl_primitive_t matmul;
	dnnl_memory_t in, out, bias, weights[LAYERS];
};

#define OK(call) KB_ASSERT((call) == dnnl_success)

static dnnl_memory_t memory(const struct peer *peer, const dnnl_memory_desc_t *desc)
{
	dnnl_memory_t memory;

	OK(dnnl_memory_create(&memory, desc, peer->engine, DNNL_MEMORY_ALLOCATE));
	return memory;
}

/* Weights are in what form the library likes best. They are written, as memory that never was is
 * one page of zeros; their values cost nothing. */
static void peer_open(struct peer *peer, uint32_t rows, uint32_t cols, size_t n)
{
	dnnl_dims_t in = { (dnnl_dim_t)n, cols }, weights = { cols, rows };
	dnnl_dims_t out = { (dnnl_dim_t)n, rows }, bias = { 1, rows };
	dnnl_memory_desc_t in_desc, weights_desc, out_desc, bias_desc;
	dnnl_matmul_desc_t desc;
	dnnl_primitive_desc_t chosen;
	dnnl_primitive_attr_t attr;
	float *scales = kb_xcalloc(rows, sizeof(*scales));
	const dnnl_memory_desc_t *best;
	void *bytes;

	OK(dnnl_memory_desc_init_by_tag(&in_desc, 2, in, dnnl_u8, dnnl_ab));
	OK(dnnl_memory_desc_init_by_tag(&weights_desc, 2, weights, dnnl_s8, dnnl_format_tag_any));
	OK(dnnl_memory_desc_init_by_tag(&out_desc, 2, out, dnnl_f32, dnnl_ab));
	OK(dnnl_memory_desc_init_by_tag(&bias_desc, 2, bias, dnnl_f32, dnnl_ab));
	OK(dnnl_matmul_desc_init(&desc, &in_desc, &weights_desc, &bias_desc, &out_desc));
	OK(dnnl_primitive_attr_create(&attr));
	for (uint32_t r = 0; r < rows; r++)
		scales[r] = .001f;
	OK(dnnl_primitive_attr_set_output_scales(attr, rows, 1 << 1, scales));
	OK(dnnl_primitive_desc_create(&chosen, &desc, attr, peer->engine, NULL));
	OK(dnnl_primitive_create(&peer->matmul, chosen));
	peer->in = memory(peer, &in_desc);
	peer->out = memory(peer, &out_desc);
	peer->bias = memory(peer, &bias_desc);
	best = dnnl_primitive_desc_query_md(chosen, dnnl_query_weights_md, 0);
	for (size_t layer = 0; layer < LAYERS; layer++) {
		peer->weights[layer] = memory(peer, best);
		OK(dnnl_memory_get_data_handle(peer->weights[layer], &bytes));
		memset(bytes, 7, dnnl_memory_desc_get_size(best));
	}
	OK(dnnl_memory_get_data_handle(peer->in, &bytes));
	memset(bytes, 3, dnnl_memory_desc_get_size(&in_desc));
	OK(dnnl_memory_get_data_handle(peer->bias, &bytes));
	memset(bytes, 0, dnnl_memory_desc_get_size(&bias_desc));
	OK(dnnl_primitive_desc_destroy(chosen));
	OK(dnnl_primitive_attr_destroy(attr));
	free(scales);
}

static void peer_close(struct peer *peer)
{
	for (size_t layer = 0; layer < LAYERS; layer++)
		OK(dnnl_memory_destroy(peer->weights[layer]));
	OK(dnnl_memory_destroy(peer->in));
	OK(dnnl_memory_destroy(peer->out));
	OK(dnnl_memory_destroy(peer->bias));
	OK(dnnl_primitive_destroy(peer->matmul));
}

static void run_peer(const struct work *work, size_t layer)
{
	const struct peer *peer = work->peer;
	const dnnl_exec_arg_t args[] = {
		{ DNNL_ARG_SRC, peer->in },
		{ DNNL_ARG_WEIGHTS, peer->weights[layer] },
		{ DNNL_ARG_BIAS, peer->bias },
		{ DNNL_ARG_DST, peer->out },
	};

	OK(dnnl_primitive_execute(peer->matmul, peer->stream, KB_COUNTOF(args), args));
	OK(dnnl_stream_wait(peer->stream));
}

static void print_peer(struct work *work)
{
	struct peer peer;

	omp_set_num_threads(1);
	OK(dnnl_engine_create(&peer.engine, dnnl_cpu, 0));
	OK(dnnl_stream_create(&peer.stream, peer.engine, dnnl_stream_default_flags));
	printf("  %-14s", "oneDNN");
	for (size_t k = 0; k < KB_COUNTOF(counts); k++) {
		work->n = counts[k];
		work->run = run_peer;
		work->peer = &peer;
		peer_open(&peer, work->m[0].rows, work->m[0].cols, work->n);
		printf("%8.1f", speed(work));
		peer_close(&peer);
	}
	printf("\n");
	OK(dnnl_stream_destroy(peer.stream));
	OK(dnnl_engine_destroy(peer.engine));
}
#else
static void print_peer(struct work *work)
{
	(void)work;
	printf("  %-14s built without it\n", "oneDNN");
}
#endif

static void print_ours(struct work *work, const struct kb_product_path *path)
{
	work->path = path;
	work->run = run_ours;
	printf("  %-14s", kb_product_name(path));
	if (!kb_product_available(path)) {
		printf(" not on this processor\n");
		return;
	}
	for (size_t k = 0; k < KB_COUNTOF(counts); k++) {
		work->n = counts[k];
		printf("%8.1f", speed(work));
		fflush(stdout);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	struct work work = { .in = aligned((size_t)TOKENS_MAX * WIDTH_MAX * sizeof(float)),
		             .out = aligned((size_t)TOKENS_MAX * WIDTH_MAX * sizeof(float)),
		             .scratch = aligned(kb_product_scratch(WIDTH_MAX, TOKENS_MAX)) };

	for (size_t i = 0; i < (size_t)TOKENS_MAX * WIDTH_MAX; i++)
		work.in[i] = (float)(i * 7919 % 2001) / 1000 - 1;
	for (size_t s = 0; s < KB_COUNTOF(shapes); s++) {
		for (size_t layer = 0; layer < LAYERS; layer++)
			make(&work.m[layer], shapes[s].rows, shapes[s].cols);
		printf("%u x %u, tokens:", shapes[s].rows, shapes[s].cols);
		for (size_t k = 0; k < KB_COUNTOF(counts); k++)
			printf("%8zu", counts[k]);
		printf("   G multiply-adds a second\n");
		for (size_t i = 0; kb_product_path(i); i++)
			if (argc < 2 || strstr(kb_product_name(kb_product_path(i)), argv[1]))
				print_ours(&work, kb_product_path(i));
		if (argc < 2 || strstr("oneDNN", argv[1]))
			print_peer(&work);
	}
	return 0;
}
