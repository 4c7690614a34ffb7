#include "upstream/models.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/hash.h"

enum { FILE_MAX = 1 << 20 };

/* ---- sets ---- */

struct held_set {
	struct kb_model_set set; /* first: what callers see */
	atomic_int refs;
	struct kb_arena arena;
};

struct kb_models {
	struct kb_models_config config;
	struct kb_chats *chats; /* NULL: there is no model to chat with */
	pthread_mutex_t lock;
	struct held_set *set;
};

static struct held_set *held(const struct kb_model_set *set)
{
	return (struct held_set *)(uintptr_t)set;
}

void kb_model_set_release(const struct kb_model_set *set)
{
	struct held_set *own = held(set);

	if (!set || atomic_fetch_sub_explicit(&own->refs, 1, memory_order_acq_rel) > 1)
		return;
	for (size_t i = 0; i < set->count; i++)
		kb_chat_line_release(set->v[i].line);
	kb_arena_fini(&own->arena);
	free(own);
}

static bool is_chat(const struct kb_model *model)
{
	return model->kind == KB_MODEL_CHAT || model->kind == KB_MODEL_VISION;
}

/* A model of before that is as it was keeps its line: what it has counted, how its server is doing,
 * and its limits, which are those of all its answers. */
static struct kb_chat_line *same_line(const struct held_set *before,
                                      const struct kb_chat_line_config *config)
{
	for (size_t i = 0; before && i < before->set.count; i++) {
		struct kb_chat_line *line = before->set.v[i].line;

		if (line && kb_chat_line_is_of(line, config)) {
			kb_chat_line_hold(line);
			return line;
		}
	}
	return NULL;
}

static void open_line(struct kb_models *models, struct kb_model_entry *entry)
{
	struct kb_model *model = &entry->model;
	struct kb_arena arena = { 0 };

	entry->line.name = kb_arena_str(&arena, model->id);
	entry->line.url = kb_arena_printf(&arena, "%.*s/chat/completions", KB_SV_ARG(model->url));
	entry->line.key = model->key;
	entry->line.model = model->name;
	model->line = same_line(models->set, &entry->line);
	if (!model->line)
		model->line = kb_chat_line_open(models->chats, &entry->line);
	kb_arena_fini(&arena);
}

static struct held_set *read_set(struct kb_models *models, struct kb_err *err)
{
	const struct kb_models_config *config = &models->config;
	struct held_set *set = kb_xcalloc(1, sizeof(*set));
	struct kb_model *list;
	struct kb_sv *ids, text;
	struct kb_model_entry *entries = NULL;
	size_t count = 0;
	bool ok;

	set->refs = 1;
	ok = kb_model_is_file(config->list)
	             ? kb_file_read(&set->arena, config->list, FILE_MAX, &text, err)
	                       && kb_model_read_file(&set->arena, text, config->list, &entries,
	                                             &count, err)
	             : kb_model_read_options(&set->arena, config, &entries, &count, err);
	for (size_t i = 0; ok && i < count; i++)
		if (is_chat(&entries[i].model) && entries[i].model.url.n && !models->chats)
			ok = (models->chats = kb_chats_open(config->log, err)) != NULL;
	if (!ok) {
		kb_arena_fini(&set->arena);
		free(set);
		return NULL;
	}
	list = KB_NEW_ARRAY(&set->arena, count, struct kb_model);
	ids = KB_NEW_ARRAY(&set->arena, count, struct kb_sv);
	for (size_t i = 0; i < count; i++) {
		if (is_chat(&entries[i].model) && entries[i].model.url.n)
			open_line(models, &entries[i]);
		if (is_chat(&entries[i].model))
			ids[set->set.id_count++] = entries[i].model.id;
		list[i] = entries[i].model;
	}
	set->set.v = list;
	set->set.count = count;
	set->set.ids = ids;
	return set;
}

struct kb_models *kb_models_open(const struct kb_models_config *config, struct kb_err *err)
{
	struct kb_models *models = kb_xcalloc(1, sizeof(*models));

	models->config = *config;
	pthread_mutex_init(&models->lock, NULL);
	if (kb_model_is_file(config->list) && config->url) {
		kb_fail(err, KB_E_INVALID,
		        "--models names a file and --model-url a server; put the server into the "
		        "file");
		kb_models_close(models);
		return NULL;
	}
	models->set = read_set(models, err);
	if (models->set)
		return models;
	kb_models_close(models);
	return NULL;
}

bool kb_models_reload(struct kb_models *models, struct kb_err *err)
{
	struct held_set *set = read_set(models, err), *before;

	if (!set)
		return false;
	pthread_mutex_lock(&models->lock);
	before = models->set;
	models->set = set;
	pthread_mutex_unlock(&models->lock);
	kb_model_set_release(&before->set);
	return true;
}

void kb_models_cancel(struct kb_models *models, int64_t grace_ms)
{
	if (models)
		kb_chats_cancel(models->chats, grace_ms);
}

void kb_models_close(struct kb_models *models)
{
	if (!models)
		return;
	kb_model_set_release(models->set ? &models->set->set : NULL);
	kb_chats_close(models->chats);
	pthread_mutex_destroy(&models->lock);
	free(models);
}

const struct kb_model_set *kb_models_hold(struct kb_models *models)
{
	struct held_set *set;

	if (!models) {
		set = kb_xcalloc(1, sizeof(*set));
		set->refs = 1;
		return &set->set;
	}
	pthread_mutex_lock(&models->lock);
	set = models->set;
	atomic_fetch_add_explicit(&set->refs, 1, memory_order_relaxed);
	pthread_mutex_unlock(&models->lock);
	return &set->set;
}

static void release(void *set)
{
	kb_model_set_release(set);
}

const struct kb_model_set *kb_models_in(struct kb_models *models, struct kb_arena *arena)
{
	const struct kb_model_set *set = kb_models_hold(models);

	kb_arena_on_fini(arena, release, held(set));
	return set;
}

static void mark_text(struct kb_hash64 *hash, struct kb_sv text)
{
	const uint64_t n = text.n;

	kb_hash64_add(hash, &n, sizeof(n));
	kb_hash64_add(hash, text.p, text.n);
}

uint64_t kb_model_set_mark(const struct kb_model_set *set)
{
	struct kb_hash64 *hash = kb_hash64_new();
	uint64_t mark;

	for (size_t i = 0; i < set->count; i++) {
		const struct kb_model *model = &set->v[i];
		const int64_t figures[] = { model->kind, model->tiers, model->context,
			                    model->max_tokens, (int64_t)model->fallback_count };

		mark_text(hash, model->id);
		mark_text(hash, model->name);
		mark_text(hash, model->url);
		kb_hash64_add(hash, figures, sizeof(figures));
		for (size_t k = 0; k < model->fallback_count; k++)
			mark_text(hash, model->fallback[k]);
	}
	mark = kb_hash64_end(hash);
	kb_hash64_free(hash);
	return mark ? mark : 1;
}

/* ---- choosing ---- */

/* The model of that id, or NULL. */
static const struct kb_model *find(const struct kb_model_set *set, struct kb_sv id)
{
	for (size_t i = 0; i < set->count; i++)
		if (kb_sv_eq(set->v[i].id, id))
			return &set->v[i];
	return NULL;
}

const struct kb_model *kb_model_of_kind(const struct kb_model_set *set, enum kb_model_kind kind)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->v[i].kind == kind && set->v[i].url.n)
			return &set->v[i];
	return NULL;
}

static const struct kb_model *first_choice(const struct kb_model_set *set, struct kb_sv named,
                                           enum kb_capability tier)
{
	const struct kb_model *model = named.n ? find(set, named) : NULL;
	const struct kb_model *any = NULL, *first = NULL;

	if (model && is_chat(model) && model->line)
		return model;
	for (size_t i = 0; i < set->count; i++) {
		model = &set->v[i];
		if (!is_chat(model) || !model->line)
			continue;
		if (model->tiers & (UINT32_C(1) << tier))
			return model;
		if (!any && !model->tiers)
			any = model;
		if (!first)
			first = model;
	}
	return any ? any : first;
}

static bool is_among(const struct kb_model *const *list, size_t count, const struct kb_model *model)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == model)
			return true;
	return false;
}

size_t kb_model_choose(const struct kb_model_set *set, struct kb_sv chatbot_model,
                       enum kb_capability tier, const struct kb_model *out[KB_MODEL_CHOICES_MAX])
{
	size_t count = 0;

	out[0] = first_choice(set, chatbot_model, tier);
	count = out[0] != NULL;
	/* Those that a fallback falls back to come behind it. */
	for (size_t at = 0; at < count; at++)
		for (size_t k = 0; k < out[at]->fallback_count && count < KB_MODEL_CHOICES_MAX;
		     k++) {
			const struct kb_model *model = find(set, out[at]->fallback[k]);

			if (model && model->line && !is_among(out, count, model))
				out[count++] = model;
		}
	return count;
}

size_t kb_model_choose_seeing(const struct kb_model_set *set,
                              const struct kb_model *choices[KB_MODEL_CHOICES_MAX], size_t count)
{
	size_t seeing = 0;

	for (size_t i = 0; i < count; i++)
		if (choices[i]->kind == KB_MODEL_VISION)
			choices[seeing++] = choices[i];
	if (seeing)
		return seeing;
	choices[0] = kb_model_of_kind(set, KB_MODEL_VISION);
	return choices[0] && choices[0]->line;
}

int64_t kb_model_cost(const struct kb_model *model, int64_t prompt_tokens,
                      int64_t completion_tokens)
{
	return (int64_t)llround((double)KB_MAX(prompt_tokens, (int64_t)0) * model->price_in
	                        + (double)KB_MAX(completion_tokens, (int64_t)0) * model->price_out);
}
