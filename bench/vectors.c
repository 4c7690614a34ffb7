/*
 * How fast vector columns are searched, and what of the exact float search's best they find:
 *
 *   bench/vectors                      the three shapes of the table in docs/makers/search.md
 *   bench/vectors PASSAGES DIMS [KIND] one shape; KIND: clusters, shifted, gauss, decay
 *
 * Vectors are made up: clusters as the topics of real texts make them, with a spread of 32 hidden
 * directions and noise; `shifted` has a large common part besides, as many embeddings have; `decay`
 * has dimensions of falling weight, as latent factors have; `gauss` has no structure at all, the
 * hardest. Times are this thread's processor time, the median of all questions. The peer is the
 * plain scan over floats that the compiler makes of three lines.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "index/vector_search.h"

enum { QUESTIONS = 60, HITS = 10, CLUSTERS = 2000, HIDDEN = 32, FLOATS_MAX = 100000, ROUNDS = 5 };

static int64_t cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

static float normal(uint64_t *state)
{
	float sum = 0;

	for (int i = 0; i < 3; i++) {
		*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		sum += (float)(*state >> 32 & 0xffff) + (float)(*state >> 48) - 65535;
	}
	return sum / 46341; /* the deviation of six uniform numbers */
}

struct maker {
	uint32_t dims;
	const char *kind;
	uint64_t state;
	float *centres, *hidden, *shift;
};

static float *normals(uint64_t *state, size_t count)
{
	float *v = kb_xmalloc(count * sizeof(*v));

	for (size_t i = 0; i < count; i++)
		v[i] = normal(state);
	return v;
}

static void maker_init(struct maker *maker, uint32_t dims, const char *kind)
{
	*maker = (struct maker){ .dims = dims, .kind = kind, .state = 1 };
	maker->centres = normals(&maker->state, (size_t)CLUSTERS * dims);
	maker->hidden = normals(&maker->state, (size_t)HIDDEN * dims);
	maker->shift = normals(&maker->state, dims);
}

static void maker_fini(struct maker *maker)
{
	free(maker->centres);
	free(maker->hidden);
	free(maker->shift);
}

static void make(struct maker *maker, float *v)
{
	bool gauss = strcmp(maker->kind, "gauss") == 0;
	bool shifted = strcmp(maker->kind, "shifted") == 0;
	bool decay = strcmp(maker->kind, "decay") == 0;
	const float *centre;
	float part[HIDDEN];
	double sum = 0;

	for (int h = 0; h < HIDDEN; h++)
		part[h] = normal(&maker->state) * .12f;
	centre = maker->centres + (size_t)((maker->state >> 40) % CLUSTERS) * maker->dims;
	for (uint32_t i = 0; i < maker->dims; i++) {
		v[i] = normal(&maker->state);
		if (!gauss) {
			v[i] = .35f * v[i] + centre[i];
			for (int h = 0; h < HIDDEN; h++)
				v[i] += part[h] * maker->hidden[h * maker->dims + i];
		}
		if (shifted)
			v[i] += 2 * maker->shift[i];
		if (decay)
			v[i] /= sqrtf((float)i + 1);
		sum += (double)v[i] * (double)v[i];
	}
	for (uint32_t i = 0; i < maker->dims; i++)
		v[i] = (float)((double)v[i] / sqrt(sum));
}

/* Eight sums, so that the compiler may use the processor's width without changing the order. */
static float dot(const float *a, const float *b, uint32_t n)
{
	float sums[8] = { 0 }, sum = 0;

	for (uint32_t i = 0; i + 8 <= n; i += 8)
		for (uint32_t k = 0; k < 8; k++)
			sums[k] += a[i + k] * b[i + k];
	for (uint32_t k = 0; k < 8; k++)
		sum += sums[k];
	return sum;
}

/* The best by exact floats. */
struct truth {
	float score[HITS];
	uint32_t doc[HITS], count;
};

static void offer(struct truth *truth, float score, uint32_t doc)
{
	uint32_t at = truth->count;

	if (at == HITS && score <= truth->score[HITS - 1])
		return;
	if (at == HITS)
		at--;
	else
		truth->count++;
	for (; at && truth->score[at - 1] < score; at--) {
		truth->score[at] = truth->score[at - 1];
		truth->doc[at] = truth->doc[at - 1];
	}
	truth->score[at] = score;
	truth->doc[at] = doc;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static double median_ms(int64_t *us, size_t count)
{
	qsort(us, count, sizeof(*us), by_number);
	return (double)us[count / 2] / 1000;
}

static struct kb_segment *make_segment(const char *path, uint32_t passages)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_segment_info info;
	struct kb_segment *segment;
	struct kb_err err;

	for (uint32_t i = 0; i < passages; i++)
		kb_segment_writer_add(writer, &(struct kb_passage){ .page_id = i / 10 });
	if (!kb_segment_writer_finish(writer, path, &info, &err)
	    || !(segment = kb_segment_open(path, false, &err))) {
		fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
	unlink(path);
	kb_segment_writer_free(writer);
	return segment;
}

static bool every_tenth(void *arg, int64_t page_id)
{
	(void)arg;
	return page_id % 10 == 0;
}

struct world {
	uint32_t passages, dims;
	float *questions, *floats;
	size_t float_count;
	struct truth truths[QUESTIONS];
	struct kb_snapshot *snapshot;
	double write_s;
	struct kb_vectors_info info;
};

static void world_init(struct world *world, uint32_t passages, uint32_t dims, const char *kind)
{
	const char *path = "/tmp/docent-bench-vectors";
	struct kb_vectors_writer *writer =
	        kb_vectors_writer_new(KB_SV("bench"), KB_SV("made up"), dims, passages);
	struct kb_segment *segment = make_segment(path, passages);
	struct kb_vectors *vectors = NULL;
	float *v = kb_xmalloc(dims * sizeof(*v));
	struct maker maker;
	int64_t bytes, start;
	struct kb_err err;

	*world = (struct world){ .passages = passages, .dims = dims };
	world->float_count = KB_MIN((size_t)passages, (size_t)FLOATS_MAX);
	world->questions = kb_xmalloc((size_t)QUESTIONS * dims * sizeof(float));
	world->floats = kb_xmalloc(world->float_count * dims * sizeof(float));
	maker_init(&maker, dims, kind);
	for (uint32_t q = 0; q < QUESTIONS; q++)
		make(&maker, world->questions + (size_t)q * dims);
	for (uint32_t i = 0; i < passages; i++) {
		make(&maker, v);
		kb_vectors_writer_set(writer, i, v);
		if (i < world->float_count)
			memcpy(world->floats + (size_t)i * dims, v, dims * sizeof(*v));
		for (uint32_t q = 0; q < QUESTIONS; q++)
			offer(&world->truths[q], dot(v, world->questions + (size_t)q * dims, dims),
			      i);
	}
	start = cpu_us();
	if (kb_vectors_writer_finish(writer, path, &bytes, &err))
		vectors = kb_vectors_open(path, false, &err);
	world->write_s = (double)(cpu_us() - start) / 1e6;
	if (!vectors) {
		fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
	unlink(path);
	kb_vectors_info(vectors, &world->info);
	world->snapshot = kb_snapshot_new(
	        &(struct kb_snapshot_part){
	                .segment = segment, .version = 1, .vectors = &vectors, .vectors_count = 1 },
	        1, NULL, 0);
	kb_vectors_release(vectors);
	kb_segment_release(segment);
	kb_vectors_writer_free(writer);
	maker_fini(&maker);
	free(v);
}

static void world_fini(struct world *world)
{
	kb_snapshot_release(world->snapshot);
	free(world->questions);
	free(world->floats);
}

static void run(const struct world *world, const struct kb_vector_path *path, bool exhaustive,
                bool filtered, const char *name)
{
	struct kb_arena arena = { 0 };
	int64_t us[QUESTIONS * ROUNDS];
	size_t right = 0, n = 0;
	struct kb_snapshot *snapshot =
	        filtered ? kb_snapshot_hiding(world->snapshot, every_tenth, NULL)
	                 : kb_snapshot_hold(world->snapshot);

	for (int round = 0; round < ROUNDS; round++)
		for (uint32_t q = 0; q < QUESTIONS; q++) {
			struct kb_vector_query query = {
				.name = KB_SV("bench"),
				.model = KB_SV("made up"),
				.v = world->questions + (size_t)q * world->dims,
				.dims = world->dims,
				.limit = HITS,
				.exhaustive = exhaustive,
			};
			struct kb_hit *hits;
			size_t count;
			int64_t start = cpu_us();

			kb_vector_search_by(path, snapshot, &arena, &query, &hits, &count);
			us[n++] = cpu_us() - start;
			for (size_t i = 0; i < count && !round; i++)
				for (uint32_t k = 0; k < HITS; k++)
					right += hits[i].doc == world->truths[q].doc[k];
			kb_arena_reset(&arena);
		}
	kb_snapshot_release(snapshot);
	if (filtered)
		printf("  %-36s %8.2f ms\n", name, median_ms(us, n));
	else
		printf("  %-36s %8.2f ms   recall@10 %.4f\n", name, median_ms(us, n),
		       (double)right / (QUESTIONS * HITS));
	kb_arena_fini(&arena);
}

static void run_floats(const struct world *world)
{
	int64_t us[QUESTIONS];
	size_t right = 0; /* asked for, so that the compiler may not leave the work out */
	char name[64];

	for (uint32_t q = 0; q < QUESTIONS; q++) {
		struct truth truth = { .count = 0 };
		int64_t start = cpu_us();

		for (uint32_t i = 0; i < world->float_count; i++)
			offer(&truth,
			      dot(world->floats + (size_t)i * world->dims,
			          world->questions + (size_t)q * world->dims, world->dims),
			      i);
		us[q] = cpu_us() - start;
		for (uint32_t i = 0; i < truth.count; i++)
			right += truth.doc[i] == world->truths[q].doc[i];
	}
	snprintf(name, sizeof(name), "peer: plain scan of %zu floats", world->float_count);
	printf("  %-36s %8.2f ms", name, median_ms(us, QUESTIONS));
	if (world->float_count == world->passages)
		printf("   recall@10 %.4f", (double)right / (QUESTIONS * HITS));
	printf("\n");
}

static void bench(uint32_t passages, uint32_t dims, const char *kind)
{
	struct world world;
	char name[64];

	world_init(&world, passages, dims, kind);
	printf("%u x %u, %s: file %.1f MB, written in %.1f s\n", passages, dims, kind,
	       (double)world.info.bytes / 1e6, world.write_s);
	run(&world, kb_vector_path(), false, false, "as the service searches");
	run(&world, kb_vector_path(), false, true, "the same, one page in ten allowed");
	for (size_t i = 0; i < kb_vector_path_count; i++) {
		if (!kb_vector_paths[i]->available())
			continue;
		snprintf(name, sizeof(name), "every passage, %s", kb_vector_paths[i]->name);
		run(&world, kb_vector_paths[i], true, false, name);
	}
	run_floats(&world);
	world_fini(&world);
}

int main(int argc, char **argv)
{
	kb_crypto_init();
	if (argc > 2) {
		bench((uint32_t)atol(argv[1]), (uint32_t)atol(argv[2]),
		      argc > 3 ? argv[3] : "clusters");
		return 0;
	}
	bench(100000, 384, "clusters");
	bench(100000, 768, "clusters");
	bench(1000000, 384, "clusters");
	return 0;
}
