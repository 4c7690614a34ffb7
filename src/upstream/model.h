/*
 * One model of the operator's catalogue (models.h), and how what the operator wrote of it is read:
 * from a file, or from options in its place. Pure, but for the files of keys; any thread.
 */
#ifndef KB_UPSTREAM_MODEL_H
#define KB_UPSTREAM_MODEL_H

#include "settings/settings.h"
#include "upstream/chat.h"

enum kb_model_kind {
	KB_MODEL_CHAT,
	KB_MODEL_VISION, /* a chat model that sees */
	KB_MODEL_EMBEDDINGS,
	KB_MODEL_RERANK,
	KB_MODEL_TRANSCRIPTION,
	KB_MODEL_MODERATION,
	KB_MODEL_KINDS
};
const char *kb_model_kind_name(enum kb_model_kind kind);

enum {
	KB_MODELS_MAX = 200,
	KB_MODEL_ID_MAX = 100,
	KB_MODEL_CONTEXT = 8192, /* tokens, where nothing is said */
	KB_MODEL_ANSWER = 512,
};

struct kb_model {
	struct kb_sv id;   /* what chatbot_model names */
	struct kb_sv name; /* the model's name at its server */
	enum kb_model_kind kind;
	struct kb_sv
	        url; /* without the path of an endpoint, and without a slash; empty: no server */
	const char *key;              /* NULL: none */
	uint32_t tiers;               /* a bit for each enum kb_capability; 0: all of them */
	int64_t context, max_tokens;  /* of prompt and answer together; of the answer */
	double price_in, price_out;   /* of a million tokens, in whatever currency */
	const struct kb_sv *fallback; /* ids */
	size_t fallback_count;
	struct kb_chat_line *line; /* chat and vision with an address; else NULL */
};

struct kb_models_config {
	const char *list;             /* --models: FILE.json or ID,…; NULL: none */
	const char *url, *name, *key; /* --model-url, …; NULL: none */
	int64_t context;
	const struct kb_log *log;
};

/* What an entry says beyond the model itself. */
struct kb_model_entry {
	struct kb_model model;
	struct kb_chat_line_config line;
};

bool kb_model_read_file(struct kb_arena *arena, struct kb_sv json, const char *file,
                        struct kb_model_entry **out, size_t *count,
                        struct kb_err *err) KB_MUST_CHECK;
bool kb_model_is_file(const char *list);
/* The one model first, then further names, which the same server is asked for. */
bool kb_model_read_options(struct kb_arena *arena, const struct kb_models_config *config,
                           struct kb_model_entry **out, size_t *count,
                           struct kb_err *err) KB_MUST_CHECK;

#endif
