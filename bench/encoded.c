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

/* Of the file: a hash of the text, how many parts it has, their vectors behind its own, until the
 * end. */
struct known {
	struct known_text {
		uint64_t key;
		uint32_t parts;
		bool taken;
		size_t at; /* floats before its rows */
	} * texts;         /* a hash table */
	size_t slots, count, used, capacity;
	float *rows;
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

static struct known_text *slot_of(const struct known *known, uint64_t key)
{
	size_t i = key & (known->slots - 1);

	while (known->texts[i].taken && known->texts[i].key != key)
		i = (i + 1) & (known->slots - 1);
	return &known->texts[i];
}

static void grow(struct known *known)
{
	struct known old = *known;

	known->slots = old.slots ? 2 * old.slots : 1 << 16;
	known->texts = kb_xcalloc(known->slots, sizeof(*known->texts));
	for (size_t i = 0; i < old.slots; i++)
		if (old.texts[i].taken)
			*slot_of(known, old.texts[i].key) = old.texts[i];
	free(old.texts);
}

/* Room for the text's rows, or NULL where it is known already. */
static float *learn(struct known *known, uint64_t key, uint32_t parts, uint32_t dims)
{
	size_t floats = (1 + (size_t)parts) * dims;
	struct known_text *text;

	if (2 * known->count >= known->slots)
		grow(known);
	text = slot_of(known, key);
	if (text->taken)
		return NULL;
	if (known->used + floats > known->capacity) {
		known->capacity = KB_MAX(2 * known->capacity, known->used + floats);
		known->rows = kb_xrealloc(known->rows, known->capacity * sizeof(float));
	}
	*text = (struct known_text){ key, parts, true, known->used };
	known->count++;
	known->used += floats;
	return known->rows + text->at;
}

static const float *recall(const struct known *known, uint64_t key, uint32_t *parts)
{
	const struct known_text *text = known->slots ? slot_of(known, key) : NULL;

	if (!text || !text->taken)
		return NULL;
	if (parts)
		*parts = text->parts;
	return known->rows + text->at;
}

static void keep(struct encoded *e, uint64_t key, uint32_t parts, const float *own,
                 const float *of_parts)
{
	size_t dims = e->info.dims;
	float *rows = learn(&e->known, key, parts, e->info.dims);

	if (!rows)
		return;
	memcpy(rows, own, dims * sizeof(*own));
	if (parts)
		memcpy(rows + dims, of_parts, parts * dims * sizeof(*of_parts));
	if (e->file)
		(void)(fwrite(&key, sizeof(key), 1, e->file) == 1
		       && fwrite(&parts, sizeof(parts), 1, e->file) == 1
		       && fwrite(rows, dims * sizeof(*rows), 1 + parts, e->file) == 1 + parts);
}

static void read_known(struct encoded *e)
{
	const char *folder = getenv("TMPDIR");
	size_t dims = e->info.dims;
	char path[512];
	uint64_t key;
	uint32_t parts;

	snprintf(path, sizeof(path), "%s/docent-bench-sentences-%u-%016" PRIx64,
	         folder ? folder : "/tmp", (unsigned)getuid(), e->info.fingerprint);
	e->file = fopen(path, "a+b");
	if (e->file)
		rewind(e->file);
	while (e->file && fread(&key, sizeof(key), 1, e->file) == 1
	       && fread(&parts, sizeof(parts), 1, e->file) == 1) {
		float *rows = learn(&e->known, key, parts, e->info.dims);

		if (!rows || fread(rows, dims * sizeof(*rows), 1 + parts, e->file) != 1 + parts)
			break;
	}
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
	const float *before = recall(&e->known, key, NULL);

	*out = v;
	if (before) {
		memcpy(v, before, e->info.dims * sizeof(*v));
		return true;
	}
	if (!kb_encode_crew_question(e->crew, text, v, err))
		return false;
	keep(e, key, 0, v, NULL);
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
	free(e->known.texts);
	free(e->known.rows);
	free(e);
}

/* Encodes what is not known of a batch of passages. */
static bool take(struct encoded *e, const struct kb_vectorizer_text *texts, size_t count,
                 struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_encoder_text *todo = KB_NEW_ARRAY(&arena, count, struct kb_encoder_text);
	float *rows = KB_NEW_ARRAY(&arena, count * e->info.dims, float), *parts;
	size_t n = 0, all = 0;
	bool ok;

	for (size_t i = 0; i < count; i++)
		if (!recall(&e->known, kb_hash64(texts[i].text), NULL)) {
			todo[n++] = (struct kb_encoder_text){ texts[i].text, texts[i].bounds,
				                              texts[i].parts };
			all += texts[i].parts;
		}
	parts = KB_NEW_ARRAY(&arena, all * e->info.dims, float);
	ok = n == 0 || kb_encode_crew_parts(e->crew, todo, n, rows, parts, err);
	for (size_t i = 0; ok && i < n; i++) {
		keep(e, kb_hash64(todo[i].text), (uint32_t)todo[i].parts, rows + i * e->info.dims,
		     parts);
		parts += todo[i].parts * e->info.dims;
	}
	kb_arena_fini(&arena);
	return ok;
}

/* A batch of passages from the one on into the column. */
static bool add_batch(struct encoded *e, struct kb_snapshot *snapshot, uint32_t from, size_t count,
                      struct kb_vectors_writer *writer, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_vectorizer_text texts[BATCH];
	bool ok = true;

	for (size_t i = 0; ok && i < count; i++) {
		struct kb_passage passage;

		ok = kb_snapshot_passage(snapshot, &arena, 0, from + (uint32_t)i, &passage, err);
		if (ok)
			kb_vectorizer_sentences(&arena, &passage, TEXT_BYTES, &texts[i]);
	}
	ok = ok && take(e, texts, count, err);
	for (size_t i = 0; ok && i < count; i++) {
		uint32_t parts = 0;
		const float *rows = recall(&e->known, kb_hash64(texts[i].text), &parts);

		kb_vectors_writer_set(writer, from + (uint32_t)i, rows);
		kb_vectors_writer_parts(writer, from + (uint32_t)i, rows + e->info.dims, parts);
	}
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
