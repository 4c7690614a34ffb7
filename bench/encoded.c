#include "encoded.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "encode/crew.h"

enum { BATCH = 64, TEXT_BYTES = 6000, SAID_EACH = 64 };
#define COLUMN   KB_SV("embed:encoder")
#define MODEL    KB_SV("bench")
#define QUESTION UINT64_C(0x9e3779b97f4a7c15)

/* Of the file: a hash of the text and its vector, until the end. */
struct known {
	uint64_t *keys; /* a hash table of places in the rows; 0: free */
	uint32_t *places;
	size_t slots;
	float *rows;
	size_t count, capacity;
};

struct encoded {
	struct kb_encoder *encoder;
	struct kb_encoder_info info;
	struct kb_encode_crew *crew;
	FILE *file;
	struct known known;
	struct kb_vectorizer vectorizer;
};

/* ---- what is known ---- */

static size_t slot_of(const struct known *known, uint64_t key)
{
	size_t i = key & (known->slots - 1);

	while (known->places[i] && known->keys[i] != key)
		i = (i + 1) & (known->slots - 1);
	return i;
}

static void grow(struct known *known)
{
	struct known old = *known;

	known->slots = old.slots ? 2 * old.slots : 1 << 16;
	known->keys = kb_xcalloc(known->slots, sizeof(*known->keys));
	known->places = kb_xcalloc(known->slots, sizeof(*known->places));
	for (size_t i = 0; i < old.slots; i++)
		if (old.places[i]) {
			size_t slot = slot_of(known, old.keys[i]);

			known->keys[slot] = old.keys[i];
			known->places[slot] = old.places[i];
		}
	free(old.keys);
	free(old.places);
}

static void learn(struct known *known, uint64_t key, const float *v, uint32_t dims)
{
	size_t slot;

	if (2 * known->count >= known->slots)
		grow(known);
	slot = slot_of(known, key);
	if (known->places[slot])
		return;
	if (known->count == known->capacity) {
		known->capacity = known->capacity ? 2 * known->capacity : 4096;
		known->rows = kb_xrealloc(known->rows, known->capacity * dims * sizeof(float));
	}
	memcpy(known->rows + known->count * dims, v, dims * sizeof(float));
	known->keys[slot] = key;
	known->places[slot] = (uint32_t)++known->count;
}

static const float *recall(const struct known *known, uint64_t key, uint32_t dims)
{
	size_t slot = known->slots ? slot_of(known, key) : 0;

	return known->slots && known->places[slot]
	               ? known->rows + (size_t)(known->places[slot] - 1) * dims
	               : NULL;
}

static void keep(struct encoded *e, uint64_t key, const float *v)
{
	learn(&e->known, key, v, e->info.dims);
	if (e->file)
		(void)(fwrite(&key, sizeof(key), 1, e->file) == 1
		       && fwrite(v, sizeof(*v), e->info.dims, e->file) == e->info.dims);
}

static void read_known(struct encoded *e)
{
	float *v = kb_xcalloc(e->info.dims, sizeof(*v));
	const char *folder = getenv("TMPDIR");
	char path[512];
	uint64_t key;

	snprintf(path, sizeof(path), "%s/docent-bench-vectors-%u-%016" PRIx64,
	         folder ? folder : "/tmp", (unsigned)getuid(), e->info.fingerprint);
	e->file = fopen(path, "a+b");
	if (e->file)
		rewind(e->file);
	while (e->file && fread(&key, sizeof(key), 1, e->file) == 1
	       && fread(v, sizeof(*v), e->info.dims, e->file) == e->info.dims)
		learn(&e->known, key, v, e->info.dims);
	free(v);
}

/* ---- questions ---- */

static bool known(void *arg, struct kb_vector_column *out)
{
	const struct encoded *e = arg;

	*out = (struct kb_vector_column){ .name = COLUMN, .model = MODEL, .dims = e->info.dims };
	return true;
}

static bool question(void *arg, struct kb_arena *arena, struct kb_sv text, const float **out,
                     struct kb_err *err)
{
	struct encoded *e = arg;
	uint64_t key = kb_hash64(text) ^ QUESTION;
	float *v = KB_NEW_ARRAY(arena, e->info.dims, float);
	const float *before = recall(&e->known, key, e->info.dims);

	*out = v;
	if (before) {
		memcpy(v, before, e->info.dims * sizeof(*v));
		return true;
	}
	if (!kb_encode_crew_question(e->crew, text, v, err))
		return false;
	keep(e, key, v);
	return true;
}

/* ---- texts to vectors ---- */

struct encoded *encoded_open(const char *path, struct kb_err *err)
{
	struct kb_encoder *encoder = kb_encoder_open(path, err);
	struct encoded *e;

	if (!encoder)
		return NULL;
	e = kb_xcalloc(1, sizeof(*e));
	e->encoder = encoder;
	kb_encoder_info(encoder, &e->info);
	e->crew = kb_encode_crew_new(&(struct kb_encode_crew_config){
	        .encoder = encoder, .passages = (int)sysconf(_SC_NPROCESSORS_ONLN) });
	read_known(e);
	e->vectorizer = (struct kb_vectorizer){
		.known = known, .question = question, .arg = e, .fitted = true
	};
	return e;
}

void encoded_close(struct encoded *e)
{
	if (!e)
		return;
	if (e->file)
		fclose(e->file);
	kb_encode_crew_free(e->crew);
	kb_encoder_close(e->encoder);
	free(e->known.keys);
	free(e->known.places);
	free(e->known.rows);
	free(e);
}

/* Encodes what is not known of a batch of passages. */
static bool take(struct encoded *e, const struct kb_sv *texts, size_t count, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	float *rows = KB_NEW_ARRAY(&arena, count * e->info.dims, float);
	struct kb_sv *todo = KB_NEW_ARRAY(&arena, count, struct kb_sv);
	size_t n = 0;
	bool ok;

	for (size_t i = 0; i < count; i++)
		if (!recall(&e->known, kb_hash64(texts[i]), e->info.dims))
			todo[n++] = texts[i];
	ok = n == 0 || kb_encode_crew_passages(e->crew, todo, n, rows, err);
	for (size_t i = 0; ok && i < n; i++)
		keep(e, kb_hash64(todo[i]), rows + i * e->info.dims);
	kb_arena_fini(&arena);
	return ok;
}

/* A batch of passages from the one on into the column. */
static bool add_batch(struct encoded *e, struct kb_snapshot *snapshot, uint32_t from, size_t count,
                      struct kb_vectors_writer *writer, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_sv texts[BATCH];
	bool ok = true;

	for (size_t i = 0; ok && i < count; i++) {
		struct kb_passage passage;

		ok = kb_snapshot_passage(snapshot, &arena, 0, from + (uint32_t)i, &passage, err);
		if (ok)
			texts[i] = kb_vectorizer_text(&arena, &passage, TEXT_BYTES);
	}
	ok = ok && take(e, texts, count, err);
	for (size_t i = 0; ok && i < count; i++)
		kb_vectors_writer_set(writer, from + (uint32_t)i,
		                      recall(&e->known, kb_hash64(texts[i]), e->info.dims));
	kb_arena_fini(&arena);
	return ok;
}

bool encoded_column(struct encoded *e, struct kb_segment *segment, const char *path,
                    struct kb_vectors **out, struct kb_err *err)
{
	struct kb_snapshot *snapshot = kb_snapshot_new(
	        &(struct kb_snapshot_part){ .segment = segment, .version = 1 }, 1, NULL, 0);
	uint32_t passages = (uint32_t)kb_snapshot_passages(snapshot);
	struct kb_vectors_writer *writer =
	        kb_vectors_writer_new(COLUMN, MODEL, e->info.dims, passages);
	int64_t bytes;
	bool ok = true;

	for (uint32_t i = 0; ok && i < passages; i += BATCH) {
		ok = add_batch(e, snapshot, i, KB_MIN(passages - i, (size_t)BATCH), writer, err);
		if (i / BATCH % SAID_EACH == SAID_EACH - 1)
			fprintf(stderr, "encoded %" PRIu32 " of %" PRIu32 "\r", i, passages);
	}
	ok = ok && kb_vectors_writer_finish(writer, path, &bytes, err)
	     && (*out = kb_vectors_open(path, false, err)) != NULL;
	unlink(path);
	kb_vectors_writer_free(writer);
	kb_snapshot_release(snapshot);
	return ok;
}

const struct kb_vectorizer *encoded_vectorizer(const struct encoded *e)
{
	return e ? &e->vectorizer : NULL;
}
