#include "upstream/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/utf8.h"

enum {
	KEY_FILE_MAX = 4096,
	TOKENS_MAX = 100000000,
	MS_MAX = 86400000,
	PLACES_MAX = 100000,
};

const char *kb_model_kind_name(enum kb_model_kind kind)
{
	static const char *const names[KB_MODEL_KINDS] = {
		[KB_MODEL_CHAT] = "chat",
		[KB_MODEL_VISION] = "vision",
		[KB_MODEL_EMBEDDINGS] = "embeddings",
		[KB_MODEL_RERANK] = "rerank",
		[KB_MODEL_TRANSCRIPTION] = "transcription",
		[KB_MODEL_MODERATION] = "moderation",
	};

	return names[kind];
}

/* ---- one entry of the file ---- */

struct entry_reading {
	struct kb_arena *arena;
	const char *file;
	struct kb_sv id;
	struct kb_model_entry *entry;
};

KB_PRINTF(3, 4)
static bool wrong(const struct entry_reading *r, struct kb_err *err, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return kb_fail(err, KB_E_INVALID, "%s: model %.*s: %s", r->file, KB_SV_ARG(r->id), text);
}

static bool take_text(const struct entry_reading *r, const json_t *value, const char *name,
                      struct kb_sv *out, struct kb_err *err)
{
	struct kb_sv text;

	if (!json_is_string(value))
		return wrong(r, err, "%s must be a text", name);
	text = kb_sv(json_string_value(value), json_string_length(value));
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] <= ' ' || text.p[i] == 0x7f)
			return wrong(r, err, "%s must be without blanks", name);
	if (text.n == 0 || text.n > KB_MODEL_ID_MAX)
		return wrong(r, err, "%s must have 1 to %d bytes", name, KB_MODEL_ID_MAX);
	*out = kb_arena_sv(r->arena, text);
	return true;
}

static bool take_int(const struct entry_reading *r, const json_t *value, const char *name,
                     int64_t max, int64_t *out, struct kb_err *err)
{
	if (!json_is_integer(value) || json_integer_value(value) < 1
	    || json_integer_value(value) > max)
		return wrong(r, err, "%s must be a whole number from 1 to %" PRId64, name, max);
	*out = json_integer_value(value);
	return true;
}

static bool read_id(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	(void)value; /* it was read first */
	(void)err;
	r->entry->model.id = r->id;
	return true;
}

static bool read_kind(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	for (int kind = 0; kind < KB_MODEL_KINDS; kind++)
		if (json_is_string(value)
		    && strcmp(json_string_value(value),
		              kb_model_kind_name((enum kb_model_kind)kind))
		               == 0) {
			r->entry->model.kind = (enum kb_model_kind)kind;
			return true;
		}
	return wrong(r, err,
	             "kind must be chat, vision, embeddings, rerank, transcription or moderation");
}

static bool read_url(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	struct kb_err why;

	if (!json_is_string(value))
		return wrong(r, err, "url must be a text");
	return kb_upstream_address(r->arena, "url", json_string_value(value), "",
	                           &r->entry->model.url, &why)
	       || wrong(r, err, "%s", why.msg);
}

static bool read_name(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	return take_text(r, value, "name", &r->entry->model.name, err);
}

static bool take_key(struct entry_reading *r, struct kb_sv key, const char *from,
                     struct kb_err *err)
{
	key = kb_sv_trim(key);
	for (size_t i = 0; i < key.n; i++)
		if ((unsigned char)key.p[i] <= ' ' || key.p[i] == 0x7f)
			key.n = KB_UPSTREAM_KEY_MAX + 1;
	if (key.n == 0 || key.n > KB_UPSTREAM_KEY_MAX)
		return wrong(r, err, "the key of %s must have 1 to %d bytes without blanks", from,
		             KB_UPSTREAM_KEY_MAX);
	r->entry->model.key = kb_arena_str(r->arena, key);
	return true;
}

static bool read_key_env(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	const char *key;

	if (!json_is_string(value))
		return wrong(r, err, "key_env must be the name of an environment variable");
	key = getenv(json_string_value(value));
	return take_key(r, kb_sv_str(key ? key : ""), "key_env", err);
}

static bool read_key_file(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	struct kb_err why;
	struct kb_sv key;

	if (!json_is_string(value))
		return wrong(r, err, "key_file must be the name of a file");
	if (!kb_file_read(r->arena, json_string_value(value), KEY_FILE_MAX, &key, &why))
		return wrong(r, err, "%s", why.msg);
	return take_key(r, key, "key_file", err);
}

static bool add_tier(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	enum kb_capability tier;

	if (!json_is_string(value)
	    || !kb_capability_of(kb_sv(json_string_value(value), json_string_length(value)), &tier))
		return wrong(r, err, "tier must be values of agent_capability");
	r->entry->model.tiers |= UINT32_C(1) << tier;
	return true;
}

static bool read_tier(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	const json_t *item;
	size_t i;

	if (!json_is_array(value))
		return add_tier(r, value, err);
	json_array_foreach(value, i, item) if (!add_tier(r, item, err)) return false;
	return true;
}

static bool read_context(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	return take_int(r, value, "context", TOKENS_MAX, &r->entry->model.context, err);
}

static bool read_max_tokens(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	return take_int(r, value, "max_tokens", TOKENS_MAX, &r->entry->model.max_tokens, err);
}

static bool read_price(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	const json_t *in = kb_json_get(value, "input"), *out = kb_json_get(value, "output");

	if (!json_is_object(value) || (in && !json_is_number(in)) || (out && !json_is_number(out)))
		return wrong(r, err, "price must be an object of the numbers input and output");
	r->entry->model.price_in = json_number_value(in);
	r->entry->model.price_out = json_number_value(out);
	if (!(r->entry->model.price_in >= 0 && r->entry->model.price_in < 1e9
	      && r->entry->model.price_out >= 0 && r->entry->model.price_out < 1e9))
		return wrong(r, err, "price must be from 0 to a thousand million");
	return true;
}

static bool read_fallback(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	size_t count = json_array_size(value);
	struct kb_sv *ids = KB_NEW_ARRAY(r->arena, count, struct kb_sv);

	if (!json_is_array(value))
		return wrong(r, err, "fallback must be an array of identifiers");
	for (size_t i = 0; i < count; i++)
		if (!take_text(r, json_array_get(value, i), "fallback", &ids[i], err))
			return false;
	r->entry->model.fallback = ids;
	r->entry->model.fallback_count = count;
	return true;
}

static bool read_concurrency(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	int64_t n = 0;

	if (!take_int(r, value, "concurrency", PLACES_MAX, &n, err))
		return false;
	r->entry->line.places = (size_t)n;
	return true;
}

static bool read_queue(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	int64_t n = 0;

	if (!take_int(r, value, "queue", PLACES_MAX, &n, err))
		return false;
	r->entry->line.queue_max = (size_t)n;
	return true;
}

static bool read_first(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	return take_int(r, value, "first_ms", MS_MAX, &r->entry->line.first_ms, err);
}

static bool read_gap(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	return take_int(r, value, "gap_ms", MS_MAX, &r->entry->line.gap_ms, err);
}

static bool read_whole(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	return take_int(r, value, "whole_ms", MS_MAX, &r->entry->line.whole_ms, err);
}

/* The likeliest words: an answer from documents is the same when it is asked for twice. */
#define USUAL_MORE "\"temperature\":0"

/* Members that go into every request as they are, without the object's braces. A temperature of
 * null leaves that to the server. */
static bool read_more(struct entry_reading *r, const json_t *value, struct kb_err *err)
{
	static const char *const ours[] = { "model", "messages", "stream", "stream_options" };
	struct kb_sv text;
	json_t *all;
	char *dump;

	if (!json_is_object(value))
		return wrong(r, err, "more must be an object");
	for (size_t i = 0; i < KB_COUNTOF(ours); i++)
		if (kb_json_get(value, ours[i]))
			return wrong(r, err, "more may not hold %s", ours[i]);
	all = json_pack("{s:i}", "temperature", 0);
	json_object_update(all, (json_t *)(uintptr_t)value);
	if (json_is_null(json_object_get(all, "temperature")))
		json_object_del(all, "temperature");
	dump = json_dumps(all, JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(all);
	if (!dump)
		return wrong(r, err, "more cannot be written");
	text = kb_sv_str(dump);
	r->entry->line.more = kb_arena_sv(r->arena, kb_sv_sub(text, 1, text.n - 2));
	free(dump);
	return true;
}

static const struct {
	const char *name;
	bool (*read)(struct entry_reading *r, const json_t *value, struct kb_err *err);
} members[] = {
	{ "id", read_id },
	{ "kind", read_kind },
	{ "url", read_url },
	{ "name", read_name },
	{ "key_env", read_key_env },
	{ "key_file", read_key_file },
	{ "tier", read_tier },
	{ "context", read_context },
	{ "max_tokens", read_max_tokens },
	{ "price", read_price },
	{ "fallback", read_fallback },
	{ "concurrency", read_concurrency },
	{ "queue", read_queue },
	{ "first_ms", read_first },
	{ "gap_ms", read_gap },
	{ "whole_ms", read_whole },
	{ "more", read_more },
};

static bool read_member(struct entry_reading *r, const char *name, const json_t *value,
                        struct kb_err *err)
{
	for (size_t i = 0; i < KB_COUNTOF(members); i++)
		if (strcmp(members[i].name, name) == 0)
			return members[i].read(r, value, err);
	return wrong(r, err, "there is no member %.60s", name);
}

static struct kb_model_entry usual_entry(void)
{
	return (struct kb_model_entry){
		.model = { .context = KB_MODEL_CONTEXT },
		.line = { .first_ms = KB_CHAT_FIRST_MS,
		          .gap_ms = KB_CHAT_GAP_MS,
		          .whole_ms = KB_CHAT_WHOLE_MS,
		          .places = KB_CHAT_PLACES,
		          .queue_max = KB_CHAT_QUEUE_MAX,
		          .more = KB_SV(USUAL_MORE) },
	};
}

/* The answer's share of the context where nothing is said, at most a quarter. */
static void complete(struct kb_model *model)
{
	if (!model->name.n)
		model->name = model->id;
	if (!model->max_tokens)
		model->max_tokens = KB_MIN((int64_t)KB_MODEL_ANSWER, model->context / 4);
}

static bool read_entry(struct kb_arena *arena, const char *file, json_t *object,
                       struct kb_model_entry *entry, struct kb_err *err)
{
	struct entry_reading r = { arena, file, KB_SV("without an id"), entry };
	void *at;

	if (!json_is_object(object))
		return kb_fail(err, KB_E_INVALID, "%s: each model must be an object", file);
	if (!take_text(&r, kb_json_get(object, "id"), "id", &r.id, err))
		return false;
	for (at = json_object_iter(object); at; at = json_object_iter_next(object, at))
		if (!read_member(&r, json_object_iter_key(at), json_object_iter_value(at), err))
			return false;
	complete(&entry->model);
	if (!entry->model.url.n)
		return wrong(&r, err, "url is missing");
	if (entry->model.max_tokens >= entry->model.context)
		return wrong(&r, err, "max_tokens is %" PRId64 ", its context is %" PRId64,
		             entry->model.max_tokens, entry->model.context);
	return true;
}

static bool check_fallbacks(const struct kb_model_entry *entries, size_t count, const char *file,
                            struct kb_err *err)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < entries[i].model.fallback_count; k++) {
			struct kb_sv id = entries[i].model.fallback[k];
			bool known = false;

			for (size_t m = 0; m < count; m++)
				known |= kb_sv_eq(entries[m].model.id, id);
			if (!known)
				return kb_fail(err, KB_E_INVALID,
				               "%s: model %.*s: there is no model %.*s to fall "
				               "back to",
				               file, KB_SV_ARG(entries[i].model.id), KB_SV_ARG(id));
		}
	return true;
}

bool kb_model_read_file(struct kb_arena *arena, struct kb_sv json, const char *file,
                        struct kb_model_entry **out, size_t *count, struct kb_err *err)
{
	struct kb_err why;
	json_t *root = kb_json_parse(arena, json, &why), *list = kb_json_get(root, "models");
	size_t n = json_array_size(list);

	if (!root)
		return kb_fail(err, KB_E_INVALID, "%s: %s", file, why.msg);
	if (!json_is_array(list))
		return kb_fail(err, KB_E_INVALID, "%s: it must be an object with a list \"models\"",
		               file);
	if (n > KB_MODELS_MAX)
		return kb_fail(err, KB_E_INVALID, "%s: it holds %zu models, the limit is %d", file,
		               n, KB_MODELS_MAX);
	*out = KB_NEW_ARRAY(arena, n + 1, struct kb_model_entry);
	*count = n;
	for (size_t i = 0; i < n; i++) {
		(*out)[i] = usual_entry();
		if (!read_entry(arena, file, json_array_get(list, i), &(*out)[i], err))
			return false;
		for (size_t k = 0; k < i; k++)
			if (kb_sv_eq((*out)[k].model.id, (*out)[i].model.id))
				return kb_fail(err, KB_E_INVALID, "%s: there are two models %.*s",
				               file, KB_SV_ARG((*out)[i].model.id));
	}
	return check_fallbacks(*out, n, file, err);
}

/* ---- options instead of a file ---- */

bool kb_model_is_file(const char *list)
{
	return list && kb_sv_ends(kb_sv_str(list), KB_SV(".json"));
}

bool kb_model_read_options(struct kb_arena *arena, const struct kb_models_config *config,
                           struct kb_model_entry **out, size_t *count, struct kb_err *err)
{
	struct kb_upstream_option option = { "model", config->url, config->name, config->key };
	struct kb_sv rest = kb_sv_str(config->list ? config->list : ""), word, url;
	struct kb_model_entry *entries =
	        KB_NEW_ARRAY(arena, KB_MODELS_MAX + 1, struct kb_model_entry);

	*out = entries;
	*count = 0;
	if (!kb_upstream_check(arena, &option, "", &url, err))
		return false;
	if (url.n) {
		entries[0] = usual_entry();
		entries[0].model.id = kb_arena_sv(arena, kb_sv_str(config->name));
		++*count;
	}
	while (rest.n > 0 && kb_sv_split(&rest, ',', &word)) {
		word = kb_sv_trim(word);
		if (word.n == 0 || (*count && kb_sv_eq(word, entries[0].model.id)))
			continue;
		if (word.n > KB_MODEL_ID_MAX || !kb_utf8_valid(word))
			return kb_fail(err, KB_E_INVALID,
			               "--models: an identifier of %zu bytes, the limit is %d",
			               word.n, KB_MODEL_ID_MAX);
		if (*count == KB_MODELS_MAX)
			return kb_fail(err, KB_E_INVALID, "--models names more than %d models",
			               KB_MODELS_MAX);
		entries[*count] = usual_entry();
		entries[(*count)++].model.id = kb_arena_sv(arena, word);
	}
	for (size_t i = 0; i < *count; i++) {
		struct kb_model *model = &entries[i].model;

		model->url = url;
		model->key = config->key;
		if (config->context)
			model->context = config->context;
		complete(model);
	}
	return true;
}
