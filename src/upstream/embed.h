/*
 * Texts to vectors, by a server that speaks the OpenAI format (POST {url}/embeddings).
 *
 * A vectorizer (index/vectorizer.h) with two lines to one server, each with its own connections and
 * its own breaker: documents are embedded in the background and may wait, a question has
 * KB_EMBED_QUESTION_MS, and a server that is too slow for the one may serve the other. How many
 * dimensions the model has is learned from the first good answer and holds for this run of the
 * service; it is a part of the model's mark, so that a server that gives others after a restart
 * begins a new column (upkeep/vectorize.h).
 *
 * A server that fails on a text, rather than refuse it, is told from one that is down by a short
 * text: when that goes through, the failure is the text's (KB_E_INVALID), and does not make the
 * server be left alone.
 *
 * Calls block; any thread but a loop's. Nothing here is stored but the vectors of the last
 * questions, in memory.
 */
#ifndef KB_UPSTREAM_EMBED_H
#define KB_UPSTREAM_EMBED_H

#include "index/vectorizer.h"
#include "upstream/client.h"

enum {
	KB_EMBED_QUESTION_MS = 400,
	KB_EMBED_DOCUMENTS_MS = 60000,
	KB_EMBED_BATCH_TEXTS = 32,
	KB_EMBED_BATCH_BYTES = 64 << 10,
	KB_EMBED_TEXT_BYTES = 8000,
	KB_EMBED_CACHED = 256, /* questions */
};

struct kb_embedder;

struct kb_embedder_config {
	struct kb_sv url; /* of kb_upstream_check(), with "/embeddings" */
	const char *name, *key;
	const struct kb_log *log;
};
struct kb_embedder *kb_embedder_open(const struct kb_embedder_config *config,
                                     struct kb_err *err) KB_MUST_CHECK;
/* Calls in progress end within a second. NULL is fine, also below. */
void kb_embedder_cancel(struct kb_embedder *embedder);
void kb_embedder_close(struct kb_embedder *embedder);

/* What it is for. Lives as long as the embedder. */
const struct kb_vectorizer *kb_embedder_vectorizer(const struct kb_embedder *embedder);

/* Vectors of equal length, one after the other. */
struct kb_embedded {
	const float *rows;
	uint32_t dims; /* floats of each */
};

/*
 * Reads an answer of the server: `count` vectors of equal length, each once, in any order; they
 * come out in the order of their index. dims 0: whatever the first has, up to KB_VECTOR_DIMS_MAX.
 * Every figure is a finite float. KB_E_UPSTREAM says what is wrong with it. Pure.
 */
bool kb_embed_read(struct kb_arena *arena, struct kb_sv answer, size_t count, uint32_t dims,
                   struct kb_embedded *out, struct kb_err *err) KB_MUST_CHECK;

#endif
