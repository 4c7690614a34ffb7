/*
 * Learning: V of the truncated SVD of the sample's rows, by subspace iteration.
 *
 * Q is a matrix of terms by WIDTH (the factors and some more, which make it converge), at first
 * random. A round reads the sample: for each row x, y = Q x and Z += x y, so that Z = At A Q
 * without A ever being there; Q is Z made orthonormal. After the last round the eigenvectors W of
 * Qt Z turn Z into the factors, the greatest first. Memory: two such matrices and a number for each
 * word of the segments.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "index/build.h"
#include "index/factor_rows.h"
#include "index/factors.h"
#include "index/factors_file.h"
#include "index/snapshot.h"
#include "index/subspace.h"

enum {
	ROUNDS = 6,
	SPARE = 8, /* factors computed beside those asked for and the first, which is dropped */
	ASK_EVERY = 256, /* rows */
	TABLE_FIRST = 1 << 14,
};

/* Of the weight of a term in rows and questions. Above 1: rare words say more about what a passage
 * is about than about how good a match it is. docs/makers/search.md has the figures. */
#define IDF_POWER 1.75

struct known {
	uint64_t key;
	uint32_t rows; /* of the sample */
	uint32_t id;   /* in the model, or KB_ROW_NONE */
	int64_t df;    /* in the snapshot */
};

/* Terms by their keys: all at first, then those that are kept. */
struct vocabulary {
	struct known *v;
	size_t count, capacity;
	uint32_t *slots; /* place + 1 */
	size_t slot_count;
	bool closed; /* takes no new ones, gives the model's ids */
};

/* A passage, and the sum of the hashes of what its row is made of. */
struct place {
	uint64_t hash;
	uint32_t part, doc;
};

struct training {
	const struct kb_snapshot *snapshot;
	/* All living passages, where all are read; after the first reading by their rows, so that
	 * the documents' order does not tell in the last bits of a sum. NULL: they are read as they
	 * stand in the files. */
	struct place *places;
	uint64_t place_count;
	bool is_ordered;
	const struct kb_factors_options *options;
	struct vocabulary vocabulary;
	struct kb_factor_rows *rows; /* by part */
	uint64_t sample;             /* passages */
	float *idf;                  /* by model id */
	uint32_t terms, dims;
	unsigned width;
	float *q, *z;
	uint32_t *ids; /* of the row in hand */
	float *weights;
	size_t ids_capacity, weights_capacity;
};

static uint32_t *slot_of(struct vocabulary *vocabulary, uint64_t key)
{
	size_t slot = key & (vocabulary->slot_count - 1);

	while (vocabulary->slots[slot] && vocabulary->v[vocabulary->slots[slot] - 1].key != key)
		slot = (slot + 1) & (vocabulary->slot_count - 1);
	return &vocabulary->slots[slot];
}

static void rehash(struct vocabulary *vocabulary, size_t slot_count)
{
	free(vocabulary->slots);
	vocabulary->slot_count = slot_count;
	vocabulary->slots = kb_xcalloc(slot_count, sizeof(*vocabulary->slots));
	for (size_t i = 0; i < vocabulary->count; i++)
		*slot_of(vocabulary, vocabulary->v[i].key) = (uint32_t)i + 1;
}

static uint32_t find(void *arg, uint64_t key)
{
	struct vocabulary *vocabulary = arg;
	uint32_t *slot = slot_of(vocabulary, key);

	if (*slot)
		return vocabulary->closed ? vocabulary->v[*slot - 1].id : *slot - 1;
	if (vocabulary->closed)
		return KB_ROW_NONE;
	KB_GROW(vocabulary->v, vocabulary->capacity, vocabulary->count + 1);
	vocabulary->v[vocabulary->count++] = (struct known){ .key = key };
	*slot = (uint32_t)vocabulary->count;
	if (vocabulary->count * 2 > vocabulary->slot_count)
		rehash(vocabulary, vocabulary->slot_count * 2);
	return (uint32_t)vocabulary->count - 1;
}

static void add_df(void *arg, uint64_t key, uint32_t df)
{
	struct vocabulary *vocabulary = arg;
	uint32_t slot = *slot_of(vocabulary, key);

	if (slot)
		vocabulary->v[slot - 1].df += df;
}

static bool in_order(struct training *t,
                     bool (*fn)(struct training *t, uint32_t part, uint32_t doc),
                     struct kb_err *err)
{
	for (uint64_t i = 0; i < t->place_count; i++) {
		const struct place *place = &t->places[i];

		if (i % ASK_EVERY == 0 && kb_cancelled(t->options->cancel, err))
			return false;
		kb_rows_read(&t->rows[place->part], place->doc);
		if (!fn(t, place->part, place->doc))
			return false;
	}
	return true;
}

/* Calls fn for each living passage of the sample, which is spread evenly; false: fn did not want to
 * go on, or we were told to stop. */
static bool each_row(struct training *t,
                     bool (*fn)(struct training *t, uint32_t part, uint32_t doc),
                     struct kb_err *err)
{
	const struct kb_snapshot *snapshot = t->snapshot;
	uint64_t at = 0, read = 0;

	if (t->is_ordered)
		return in_order(t, fn, err);
	for (uint32_t p = 0; p < snapshot->part_count; p++) {
		const struct kb_part *part = &snapshot->parts[p];

		for (uint32_t doc = 0; doc < part->segment->passages; doc++) {
			if (!kb_part_alive(part, doc))
				continue;
			at++;
			if (at * t->sample / snapshot->alive
			    == (at - 1) * t->sample / snapshot->alive)
				continue;
			if (read++ % ASK_EVERY == 0 && kb_cancelled(t->options->cancel, err))
				return false;
			kb_rows_read(&t->rows[p], doc);
			if (!fn(t, p, doc))
				return false;
		}
	}
	return true;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static bool count_row(struct training *t, uint32_t part, uint32_t doc)
{
	const struct kb_segment *segment = t->rows[part].segment;
	uint64_t hash = 0, lengths = 0;

	for (size_t i = 0; i < t->rows[part].count; i++) {
		const struct kb_row_term *term = &t->rows[part].terms[i];
		struct known *known = &t->vocabulary.v[term->id];
		uint64_t own = known->key;

		known->rows++;
		for (int f = 0; f < KB_FIELDS; f++)
			own = mix(own + term->tf[f]);
		hash += own; /* a sum, for the terms come in any order */
	}
	for (int f = 0; f < KB_FIELDS; f++)
		lengths = lengths << 8 | segment->lengths[f][doc];
	if (t->places)
		t->places[t->place_count++] = (struct place){ hash ^ mix(lengths + 1), part, doc };
	return true;
}

/* Rows that are the same may stand in any order. */
static int by_hash(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static void open_rows(struct training *t)
{
	for (size_t i = 0; i < t->snapshot->part_count; i++)
		kb_rows_init(&t->rows[i], t->snapshot->parts[i].segment, find, &t->vocabulary,
		             t->vocabulary.closed ? add_df : NULL);
}

static void close_rows(struct training *t)
{
	for (size_t i = 0; i < t->snapshot->part_count; i++)
		kb_rows_fini(&t->rows[i]);
}

static int by_key(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Keeps the terms that the most rows hold, in the order of their keys, and closes the vocabulary.
 * Small indexes keep all: a rare word of a question then points to its passage. */
static void choose_terms(struct training *t)
{
	struct vocabulary *vocabulary = &t->vocabulary;
	uint32_t least = 1, kept;

	for (;; least++) {
		kept = 0;
		for (size_t i = 0; i < vocabulary->count; i++)
			kept += vocabulary->v[i].rows >= least;
		if (kept <= KB_FACTORS_TERMS_MAX)
			break;
	}
	for (size_t i = kept = 0; i < vocabulary->count; i++)
		if (vocabulary->v[i].rows >= least)
			vocabulary->v[kept++] = vocabulary->v[i];
	vocabulary->count = kept;
	if (kept)
		qsort(vocabulary->v, kept, sizeof(*vocabulary->v), by_key);
	for (uint32_t i = 0; i < kept; i++)
		vocabulary->v[i].id = i;
	rehash(vocabulary, vocabulary->slot_count);
	vocabulary->closed = true;
	t->terms = kept;
}

static void set_idfs(struct training *t)
{
	double n = (double)t->snapshot->passages;

	t->idf = kb_xcalloc(t->terms, sizeof(*t->idf));
	for (uint32_t i = 0; i < t->terms; i++) {
		double df = (double)t->vocabulary.v[i].df;

		t->idf[i] = (float)pow(log(1 + (n - KB_MIN(df, n) + .5) / (df + .5)), IDF_POWER);
	}
}

/* y = Q x, Z += x y, for the row x of length 1. */
static bool iterate_row(struct training *t, uint32_t part, uint32_t doc)
{
	float y[KB_SUB_WIDTH_MAX] __attribute__((aligned(64)));
	const struct kb_factor_rows *rows = &t->rows[part];
	float sum = 0;

	KB_GROW(t->ids, t->ids_capacity, rows->count);
	KB_GROW(t->weights, t->weights_capacity, rows->count);
	for (size_t i = 0; i < rows->count; i++) {
		float w = kb_row_weight(&t->snapshot->scoring, rows->segment, doc, &rows->terms[i],
		                        t->idf[rows->terms[i].id]);

		t->ids[i] = rows->terms[i].id;
		t->weights[i] = w;
		sum += w * w;
	}
	if (!(sum > 0))
		return true;
	sum = 1 / sqrtf(sum);
	for (size_t i = 0; i < rows->count; i++)
		t->weights[i] *= sum;
	kb_sub_gather(y, t->q, t->width, t->ids, t->weights, rows->count);
	kb_sub_scatter(t->z, y, t->width, t->ids, t->weights, rows->count);
	return true;
}

static float random_float(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	x ^= x >> 31;
	return (float)(x >> 40) / (float)(1 << 23) - 1;
}

static struct kb_tall tall(const struct training *t, float *v)
{
	return (struct kb_tall){ .v = v, .rows = t->terms, .width = t->width };
}

static bool iterate(struct training *t, struct kb_err *err)
{
	size_t cells = (size_t)t->terms * t->width;
	uint64_t state = t->options->seed;

	t->q = kb_xcalloc(cells, sizeof(*t->q));
	t->z = kb_xcalloc(cells, sizeof(*t->z));
	for (size_t i = 0; i < cells; i++)
		t->q[i] = random_float(&state);
	for (int round = 0; round < ROUNDS; round++) {
		struct kb_tall q = tall(t, t->q);

		if (!kb_sub_orthonormal(&q, t->options->cancel, err))
			return false;
		memset(t->z, 0, cells * sizeof(*t->z));
		if (!each_row(t, iterate_row, err))
			return false;
		if (round + 1 < ROUNDS) {
			t->q = t->z;
			t->z = q.v;
		}
	}
	return true;
}

/* Turns Z into the factors: its columns 1 to dims are then those asked for. */
static bool turn(struct training *t, struct kb_err *err)
{
	unsigned width = t->width;
	double *square = kb_xcalloc((size_t)width * width, sizeof(*square));
	double *vectors = kb_xcalloc((size_t)width * width, sizeof(*vectors));
	double *values = kb_xcalloc(width, sizeof(*values));
	struct kb_tall q = tall(t, t->q), z = tall(t, t->z);
	bool ok = kb_sub_cross(square, &q, &z, t->options->cancel, err);

	for (unsigned i = 0; i < width; i++) /* symmetric but for rounding */
		for (unsigned k = 0; k < i; k++)
			square[i * width + k] = square[k * width + i] =
			        (square[i * width + k] + square[k * width + i]) / 2;
	kb_sub_eigen(square, vectors, values, width);
	for (unsigned k = 0; k < width; k++) {
		bool counts = values[k] > 1e-7 * values[0];

		for (unsigned i = 0; i < width; i++)
			vectors[i * width + k] = counts ? vectors[i * width + k] / values[k] : 0;
	}
	ok = ok && kb_sub_apply(&z, vectors, t->options->cancel, err);
	free(square);
	free(vectors);
	free(values);
	return ok;
}

/* The row of V in whole steps; returns the step. */
static float pack_row(const struct training *t, uint32_t term, int8_t packed[KB_FACTORS_DIMS_MAX])
{
	const float *row = t->z + (size_t)term * t->width + 1; /* without the first factor */
	float step = 0;

	for (uint32_t k = 0; k < t->dims; k++)
		step = KB_MAX(step, fabsf(row[k]));
	step /= INT8_MAX;
	for (uint32_t k = 0; k < t->dims; k++)
		packed[k] = (int8_t)(step > 0 ? lrintf(row[k] / step) : 0);
	return step;
}

static bool write_model(const struct training *t, const char *path, struct kb_factors_info *info,
                        struct kb_err *err)
{
	struct kb_builder *builder = kb_builder_new(&kb_factors_form, path);
	struct kb_factors_head head = { .dims = t->dims,
		                        .terms = t->terms,
		                        .sample = (uint32_t)t->sample,
		                        .passages = (int64_t)t->snapshot->passages };
	int8_t packed[KB_FACTORS_DIMS_MAX];
	bool ok;

	kb_snapshot_averages(t->snapshot, head.averages);
	kb_builder_put(builder, KB_FAC_INFO, &head, sizeof(head));
	kb_builder_section(builder, KB_FAC_KEYS);
	for (uint32_t i = 0; i < t->terms; i++)
		kb_builder_add(builder, &t->vocabulary.v[i].key, sizeof(uint64_t));
	kb_builder_put(builder, KB_FAC_IDFS, t->idf, t->terms * sizeof(*t->idf));
	kb_builder_section(builder, KB_FAC_SCALES);
	for (uint32_t i = 0; i < t->terms; i++) {
		float step = pack_row(t, i, packed);

		kb_builder_add(builder, &step, sizeof(step));
	}
	kb_builder_section(builder, KB_FAC_ROWS);
	for (uint32_t i = 0; i < t->terms; i++) {
		pack_row(t, i, packed);
		kb_builder_add(builder, packed, t->dims);
	}
	*info = (struct kb_factors_info){ .dims = t->dims,
		                          .terms = t->terms,
		                          .passages = head.passages };
	ok = kb_builder_finish(builder, &info->bytes, err);
	kb_builder_free(builder);
	return ok;
}

static bool train(struct training *t, const char *path, struct kb_factors_info *info,
                  struct kb_err *err)
{
	uint32_t spare;
	bool ok;

	rehash(&t->vocabulary, TABLE_FIRST);
	open_rows(t);
	if (t->sample == t->snapshot->alive)
		t->places = kb_xcalloc(t->sample, sizeof(*t->places));
	ok = each_row(t, count_row, err);
	close_rows(t);
	if (t->places) {
		qsort(t->places, t->place_count, sizeof(*t->places), by_hash);
		t->is_ordered = true;
	}
	if (!ok)
		return false;
	choose_terms(t);
	open_rows(t); /* anew, with the model's numbers */
	spare = t->dims + 1 + SPARE;
	t->width = (spare + KB_SUB_LANES - 1) / KB_SUB_LANES * KB_SUB_LANES;
	if (t->terms < t->width)
		ok = kb_fail(err, KB_E_INVALID,
		             "the passages share only %u words, %u factors need %u", t->terms,
		             t->dims, t->width);
	set_idfs(t);
	ok = ok && iterate(t, err);
	close_rows(t);
	if (!ok)
		return false;
	return turn(t, err) && write_model(t, path, info, err);
}

bool kb_factors_train(const struct kb_snapshot *snapshot, const struct kb_factors_options *options,
                      const char *path, struct kb_factors_info *info, struct kb_err *err)
{
	struct training t = { .snapshot = snapshot, .options = options };
	uint32_t sample = options->sample ? options->sample : KB_FACTORS_SAMPLE_MAX;
	bool ok;

	t.dims = options->dims ? options->dims : KB_FACTORS_DIMS;
	if (t.dims > KB_FACTORS_DIMS_MAX)
		return kb_fail(err, KB_E_INVALID, "%u factors are more than %d", t.dims,
		               KB_FACTORS_DIMS_MAX);
	if (snapshot->alive < KB_FACTORS_PASSAGES_MIN)
		return kb_fail(err, KB_E_INVALID, "%" PRIu64 " passages are fewer than %d",
		               snapshot->alive, KB_FACTORS_PASSAGES_MIN);
	t.sample = KB_MIN(snapshot->alive, (uint64_t)sample);
	t.rows = kb_xcalloc(snapshot->part_count, sizeof(*t.rows));
	ok = train(&t, path, info, err);
	free(t.rows);
	free(t.places);
	free(t.vocabulary.v);
	free(t.vocabulary.slots);
	free(t.idf);
	free(t.q);
	free(t.z);
	free(t.ids);
	free(t.weights);
	return ok;
}
