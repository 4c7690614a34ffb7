/*
 * The operator's catalogue of models: which there are, where they are asked, and which one an agent
 * gets.
 *
 * It comes from the options: one model by itself (--model-url, -name, -key, -context), names alone
 * (--models a,b: agents may name them, the one model's server is asked for them), or a file
 * (--models FILE.json), which is read again when the service is told to. What the file holds is
 * described in docs/models.md.
 *
 * A set is one reading of it and never changes: who uses it holds it. Any thread.
 */
#ifndef KB_UPSTREAM_MODELS_H
#define KB_UPSTREAM_MODELS_H

#include "settings/settings.h"
#include "upstream/model.h"

struct kb_model_set {
	const struct kb_model *v; /* in the order of the file */
	size_t count;
	/* The ids of those that chatbot_model may name. */
	const struct kb_sv *ids;
	size_t id_count;
};

struct kb_models;

/* Opens the event loop of chat servers too, where there is one. KB_E_INVALID names the option, or
 * the file and the model. */
struct kb_models *kb_models_open(const struct kb_models_config *config,
                                 struct kb_err *err) KB_MUST_CHECK;
/* Reads the file again. On a failure everything stays as it was. */
bool kb_models_reload(struct kb_models *models, struct kb_err *err) KB_MUST_CHECK;
/* See kb_chats_cancel(). NULL is fine. */
void kb_models_cancel(struct kb_models *models, int64_t grace_ms);
/* Nobody holds a set any more. NULL is fine. */
void kb_models_close(struct kb_models *models);

/* The present set, until kb_model_set_release(). models NULL: an empty one. */
const struct kb_model_set *kb_models_hold(struct kb_models *models);
void kb_model_set_release(const struct kb_model_set *set);
/* The same until the arena ends. */
const struct kb_model_set *kb_models_in(struct kb_models *models, struct kb_arena *arena);

/* Another figure where its models are others, are asked elsewhere, or serve others; never 0. */
uint64_t kb_model_set_mark(const struct kb_model_set *set);

/* The first of that kind with a server, or NULL. */
const struct kb_model *kb_model_of_kind(const struct kb_model_set *set, enum kb_model_kind kind);

enum { KB_MODEL_CHOICES_MAX = 8 };
/* Who answers for an agent: the model that chatbot_model names; else the first of the tier; else
 * the first for all tiers, or at all. Then those that it falls back to, each once. None without a
 * server. Returns how many. */
size_t kb_model_choose(const struct kb_model_set *set, struct kb_sv chatbot_model,
                       enum kb_capability tier, const struct kb_model *out[KB_MODEL_CHOICES_MAX]);

/* Who answers a question with pictures: those of the above that see, in their order; where none of
 * them does, the first of the catalogue that does. */
size_t kb_model_choose_seeing(const struct kb_model_set *set,
                              const struct kb_model *choices[KB_MODEL_CHOICES_MAX], size_t count);

/* In millionths of the currency of its prices. */
int64_t kb_model_cost(const struct kb_model *model, int64_t prompt_tokens,
                      int64_t completion_tokens);

#endif
