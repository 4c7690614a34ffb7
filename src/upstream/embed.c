#include "upstream/embed.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/utf8.h"
#include "index/vectors.h"

enum {
	QUESTION_TRIES = 2,
	DOCUMENT_TRIES = 3,
	PROBE_MS = 10000,
	ANSWER_BASE = 64 << 10,
	FIGURE_BYTES = 32, /* of the answer, a dimension: more than any server writes */
	BODY_MAX = 4 << 20,
	MARK_BYTES = KB_UPSTREAM_NAME_MAX + 16,
	BUCKETS = 512, /* of the cache */
	/* Between tries of the background: as long as the breaker leaves the server alone. */
	PAUSE_FIRST_MS = 1000,
	PAUSE_MOST_MS = 30000,
	LINES = 2,
};

/* A question that was asked before. */
struct cached {
	char key[KB_HASH_HEX];
	float *v;
	struct cached *next;          /* in its bucket */
	struct cached *newer, *older; /* by use */
};

struct kb_embedder {
	struct kb_upstream *questions, *documents;
	struct kb_vectorizer vectorizer;
	char model[KB_UPSTREAM_NAME_MAX + 1];
	pthread_mutex_t lock;
	uint32_t dims;      /* 0: not known yet */
	atomic_bool choked; /* the server failed on the last texts and goes on with others */
	char mark[MARK_BYTES], column[KB_VECTORS_NAME_MAX];
	struct cached *buckets[BUCKETS], *newest, *oldest;
	size_t cached_count;
};

/* ---- what the model makes ---- */

static uint32_t dims_of(struct kb_embedder *e)
{
	uint32_t dims;

	pthread_mutex_lock(&e->lock);
	dims = e->dims;
	pthread_mutex_unlock(&e->lock);
	return dims;
}

/* The first answer decides; false: it was another one's. */
static bool learn_dims(struct kb_embedder *e, uint32_t dims)
{
	char hex[KB_HASH_HEX];
	bool fits;

	pthread_mutex_lock(&e->lock);
	if (!e->dims) {
		e->dims = dims;
		snprintf(e->mark, sizeof(e->mark), "%s:%u", e->model, dims);
		kb_hash_hex(kb_sv_str(e->mark), hex);
		snprintf(e->column, sizeof(e->column), KB_EMBED_FAMILY "%.16s", hex);
	}
	fits = e->dims == dims;
	pthread_mutex_unlock(&e->lock);
	return fits;
}

static bool known(void *arg, struct kb_vector_column *out)
{
	struct kb_embedder *e = arg;
	uint32_t dims = dims_of(e);

	/* Both texts stay as they are once the dimensions are known. */
	*out = (struct kb_vector_column){ .dims = dims };
	if (!dims)
		return false;
	out->name = kb_sv_str(e->column);
	out->model = kb_sv_str(e->mark);
	return true;
}

/* ---- one call ---- */

struct reading {
	struct kb_embedder *e;
	struct kb_arena *arena;
	size_t count;
	struct kb_embedded out;
};

static bool read_answer(void *arg, struct kb_sv answer, struct kb_err *err)
{
	struct reading *r = arg;
	struct kb_arena scratch = { 0 };
	struct kb_embedded read;
	bool ok = kb_embed_read(&scratch, answer, r->count, dims_of(r->e), &read, err);

	if (ok && !learn_dims(r->e, read.dims))
		ok = kb_fail(err, KB_E_UPSTREAM,
		             "the embedding server gave vectors of two lengths at once");
	if (ok) {
		r->out.rows = kb_arena_copy(r->arena, read.rows,
		                            r->count * read.dims * sizeof(*read.rows));
		r->out.dims = read.dims;
	}
	kb_arena_fini(&scratch);
	return ok;
}

/* Texts of one call, and how long and how often the server is asked. */
struct batch {
	struct kb_upstream *line;
	const struct kb_sv *texts;
	size_t count;
	int64_t deadline_ms; /* of all tries together */
	int tries;
};

static bool ask(struct kb_embedder *e, struct kb_arena *arena, const struct batch *batch,
                struct kb_embedded *out, struct kb_err *err)
{
	uint32_t known = dims_of(e);
	struct reading reading = { .e = e, .arena = arena, .count = batch->count };
	struct kb_upstream_call call = {
		.deadline_us = kb_clock_mono_us() + batch->deadline_ms * 1000,
		.tries = batch->tries,
		.answer_max = ANSWER_BASE
		              + batch->count * (known ? known : KB_VECTOR_DIMS_MAX) * FIGURE_BYTES,
		.read = read_answer,
		.arg = &reading,
	};
	struct kb_upstream_ask body;
	bool ok;

	kb_upstream_ask_begin(&body, e->model, BODY_MAX);
	kb_jw_key(&body.jw, "input");
	kb_jw_array(&body.jw);
	for (size_t i = 0; i < batch->count; i++)
		kb_jw_sv(&body.jw, batch->texts[i]);
	kb_jw_end(&body.jw);
	ok = kb_upstream_ask_post(&body, batch->line, &call, err);
	*out = reading.out;
	return ok;
}

/* ---- documents ---- */

/* Whether a short text goes through. */
static bool probe(struct kb_embedder *e, int64_t deadline_ms, struct kb_err *err)
{
	struct kb_sv text = KB_SV("dimensions");
	struct kb_arena arena = { 0 };
	struct kb_embedded made;
	bool ok = ask(e, &arena,
	              &(struct batch){ .line = e->documents,
	                               .texts = &text,
	                               .count = 1,
	                               .deadline_ms = deadline_ms,
	                               .tries = 1 },
	              &made, err);

	kb_arena_fini(&arena);
	return ok;
}

static bool is_left_alone(struct kb_embedder *e)
{
	struct kb_health_stats line;

	kb_upstream_stats(e->documents, &line);
	return line.state != KB_BREAKER_CLOSED;
}

static bool embed(void *arg, struct kb_arena *arena, const struct kb_sv *texts, size_t count,
                  const float **rows, struct kb_err *err)
{
	struct kb_embedder *e = arg;
	struct batch batch = { .line = e->documents,
		               .texts = texts,
		               .count = count,
		               .deadline_ms = KB_EMBED_DOCUMENTS_MS,
		               .tries = atomic_load(&e->choked) ? 1 : DOCUMENT_TRIES };
	struct kb_embedded made;
	struct kb_err ignored;

	/* Whether it is back is not asked with what may have brought it down. */
	if (is_left_alone(e) && !probe(e, PROBE_MS, err))
		return false;
	if (ask(e, arena, &batch, &made, err)) {
		*rows = made.rows;
		atomic_store(&e->choked, false);
		return true;
	}
	if ((err->code != KB_E_UPSTREAM && err->code != KB_E_TIMEOUT)
	    || !probe(e, PROBE_MS, &ignored))
		return false;
	atomic_store(&e->choked, true);
	err->code = KB_E_INVALID;
	return false;
}

/* Asks for any vector where none has come yet. */
static bool column(void *arg, struct kb_vector_column *out, struct kb_err *err)
{
	return known(arg, out) || (probe(arg, KB_EMBED_DOCUMENTS_MS, err) && known(arg, out));
}

/* ---- questions ---- */

static struct cached **bucket_of(struct kb_embedder *e, const char *key)
{
	return &e->buckets[kb_hash64(kb_sv(key, KB_HASH_HEX - 1)) % BUCKETS];
}

static void unlink_use(struct kb_embedder *e, struct cached *c)
{
	*(c->newer ? &c->newer->older : &e->newest) = c->older;
	*(c->older ? &c->older->newer : &e->oldest) = c->newer;
}

static void link_use(struct kb_embedder *e, struct cached *c)
{
	c->newer = NULL;
	c->older = e->newest;
	*(e->newest ? &e->newest->newer : &e->oldest) = c;
	e->newest = c;
}

static void cached_free(struct cached *c)
{
	if (!c)
		return;
	free(c->v);
	free(c);
}

static const float *cache_find(struct kb_embedder *e, struct kb_arena *arena, const char *key)
{
	const float *v = NULL;
	struct cached *c;

	pthread_mutex_lock(&e->lock);
	c = *bucket_of(e, key);
	while (c && strcmp(c->key, key) != 0)
		c = c->next;
	if (c) {
		unlink_use(e, c);
		link_use(e, c);
		v = kb_arena_copy(arena, c->v, e->dims * sizeof(*v));
	}
	pthread_mutex_unlock(&e->lock);
	return v;
}

static void cache_add(struct kb_embedder *e, const char *key, const float *v, uint32_t dims)
{
	struct cached *c = kb_xcalloc(1, sizeof(*c)), *gone = NULL, **place;

	memcpy(c->key, key, KB_HASH_HEX);
	c->v = kb_xcalloc(dims, sizeof(*v));
	memcpy(c->v, v, dims * sizeof(*v));
	pthread_mutex_lock(&e->lock);
	for (place = bucket_of(e, key); *place && strcmp((*place)->key, key) != 0;)
		place = &(*place)->next;
	if (*place) { /* two asked the same at once */
		gone = c;
	} else {
		*place = c;
		link_use(e, c);
		if (e->cached_count == KB_EMBED_CACHED) {
			gone = e->oldest;
			unlink_use(e, gone);
			for (place = bucket_of(e, gone->key); *place != gone;)
				place = &(*place)->next;
			*place = gone->next;
		} else {
			e->cached_count++;
		}
	}
	pthread_mutex_unlock(&e->lock);
	cached_free(gone);
}

static bool question(void *arg, struct kb_arena *arena, struct kb_sv text, const float **v,
                     struct kb_err *err)
{
	struct kb_embedder *e = arg;
	struct batch batch = { .line = e->questions,
		               .texts = &text,
		               .count = 1,
		               .deadline_ms = KB_EMBED_QUESTION_MS,
		               .tries = QUESTION_TRIES };
	struct kb_embedded made;
	char key[KB_HASH_HEX];

	text = kb_utf8_cut(text, KB_EMBED_TEXT_BYTES);
	kb_hash_hex(text, key);
	*v = cache_find(e, arena, key);
	if (*v)
		return true;
	if (!ask(e, arena, &batch, &made, err))
		return false;
	*v = made.rows;
	cache_add(e, key, *v, made.dims);
	return true;
}

static void stats(void *arg, struct kb_health_stats *out)
{
	struct kb_embedder *e = arg;

	kb_upstream_stats(e->questions, &out[0]);
	kb_upstream_stats(e->documents, &out[1]);
}

/* ---- open and close ---- */

const struct kb_vectorizer *kb_embedder_vectorizer(const struct kb_embedder *e)
{
	return e ? &e->vectorizer : NULL;
}

struct kb_embedder *kb_embedder_open(const struct kb_embedder_config *config, struct kb_err *err)
{
	struct kb_embedder *e = kb_xcalloc(1, sizeof(*e));
	struct kb_upstream_config line = { .what = "the embedding server",
		                           .url = config->url,
		                           .key = config->key,
		                           .log = config->log };

	pthread_mutex_init(&e->lock, NULL);
	snprintf(e->model, sizeof(e->model), "%s", config->name);
	e->vectorizer = (struct kb_vectorizer){ .known = known,
		                                .column = column,
		                                .embed = embed,
		                                .question = question,
		                                .stats = stats,
		                                .arg = e,
		                                .model = kb_sv_str(e->model),
		                                .lines = LINES,
		                                .batch_texts = KB_EMBED_BATCH_TEXTS,
		                                .batch_bytes = KB_EMBED_BATCH_BYTES,
		                                .text_bytes = KB_EMBED_TEXT_BYTES,
		                                .pause_first_ms = PAUSE_FIRST_MS,
		                                .pause_most_ms = PAUSE_MOST_MS };
	line.name = "embed_questions";
	e->questions = kb_upstream_open(&line, err);
	line.name = "embed_documents";
	e->documents = e->questions ? kb_upstream_open(&line, err) : NULL;
	if (e->documents)
		return e;
	kb_embedder_close(e);
	return NULL;
}

void kb_embedder_cancel(struct kb_embedder *e)
{
	if (!e)
		return;
	kb_upstream_cancel(e->questions);
	kb_upstream_cancel(e->documents);
}

void kb_embedder_close(struct kb_embedder *e)
{
	if (!e)
		return;
	while (e->newest) {
		struct cached *c = e->newest;

		e->newest = c->older;
		cached_free(c);
	}
	kb_upstream_close(e->questions);
	kb_upstream_close(e->documents);
	pthread_mutex_destroy(&e->lock);
	free(e);
}
