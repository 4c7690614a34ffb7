/* What the settings' tests share: an agent in memory that is sent JSON and forms. */
#ifndef KB_SETTINGS_TEST_H
#define KB_SETTINGS_TEST_H

#include <stdlib.h>

#include "settings/plans.h"
#include "settings/settings.h"
#include "test.h"

enum { MAX_JSON = 1 << 20, MAX_INPUTS = 256 };

static const struct kb_sv test_models[] = { KB_SV_INIT("small-1"), KB_SV_INIT("large-2") };

struct agent {
	struct kb_arena arena;
	struct kb_settings settings;
	struct kb_settings_context context;
	struct kb_settings_result result; /* of the last update */
};

/* A regular agent at its defaults on a plan that unlocks everything. */
static inline void agent_init(struct agent *a)
{
	*a = (struct agent){
		.context = { .features = KB_FEATURE_ALL,
		             .models = test_models,
		             .model_count = KB_COUNTOF(test_models) },
	};
	kb_settings_defaults(&a->settings);
}

static inline void agent_fini(struct agent *a)
{
	kb_arena_fini(&a->arena);
}

static inline int send_inputs(struct agent *a, const struct kb_setting_input *inputs, size_t count)
{
	struct kb_settings out;

	kb_settings_update(&a->arena, &a->settings,
	                   &(struct kb_setting_inputs){ .v = inputs, .count = count }, &a->context,
	                   &out, &a->result);
	a->settings = out;
	return a->result.status;
}

/* A JSON body; returns the status. */
static inline int send_json(struct agent *a, const char *body)
{
	struct kb_setting_inputs inputs;
	struct kb_err err;
	json_t *json = kb_json_parse(&a->arena, kb_sv_str(body), &err);

	KB_ASSERT(json && kb_setting_inputs_from_json(&a->arena, json, &inputs, &err));
	return send_inputs(a, inputs.v, inputs.count);
}

/* One text part of a form. */
static inline int send_text(struct agent *a, const char *name, const char *value)
{
	struct kb_setting_input input = { .name = kb_sv_str(name),
		                          .kind = KB_INPUT_TEXT,
		                          .text = kb_sv_str(value) };

	return send_inputs(a, &input, 1);
}

/* The parts of a form: "name=value", NULL at the end. */
static inline int send_form(struct agent *a, const char *const *parts)
{
	struct kb_setting_input inputs[MAX_INPUTS];
	size_t count = 0;

	for (; parts[count]; count++) {
		struct kb_sv value = kb_sv_str(parts[count]), name;

		KB_ASSERT(count < MAX_INPUTS && kb_sv_split(&value, '=', &name));
		inputs[count] = (struct kb_setting_input){ .name = name,
			                                   .kind = KB_INPUT_TEXT,
			                                   .text = value };
	}
	return send_inputs(a, inputs, count);
}

static inline int send_file(struct agent *a, const char *name, struct kb_sv bytes)
{
	struct kb_setting_input input = { .name = kb_sv_str(name),
		                          .kind = KB_INPUT_FILE,
		                          .text = bytes };

	return send_inputs(a, &input, 1);
}

static inline struct kb_sv test_url(void *arg, const char *field, struct kb_sv image)
{
	return kb_arena_printf(arg, "http://kb/%s/%.*s", field, KB_SV_ARG(image));
}

static inline struct kb_sv written(struct agent *a, bool response)
{
	struct kb_image_urls urls = { .url = test_url, .arg = &a->arena };
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv text;

	kb_buf_init(&buf, MAX_JSON);
	kb_jw_init(&jw, &buf);
	if (response)
		kb_settings_write_response(&a->settings, &urls, &jw);
	else
		kb_settings_write_stored(&a->settings, &jw);
	KB_ASSERT(kb_buf_done(&buf, &text, NULL));
	text = kb_arena_sv(&a->arena, text);
	kb_buf_fini(&buf);
	return text;
}

static inline struct kb_sv stored(struct agent *a)
{
	return written(a, false);
}

/* The read endpoint's value of that name as JSON; "" when it is missing. */
static inline struct kb_sv answered(struct agent *a, const char *name)
{
	json_t *object = kb_json_parse(&a->arena, written(a, true), NULL);
	json_t *value = kb_json_get(object, name);
	struct kb_sv out;
	char *text;

	KB_ASSERT(object);
	if (!value)
		return KB_SV("");
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	out = kb_arena_sv(&a->arena, kb_sv_str(text));
	free(text);
	return out;
}

/* The sentences of a field that the last update refused, with " / " between; "" when it did not. */
static inline struct kb_sv refusal(struct agent *a, const char *name)
{
	struct kb_sv all = KB_SV("");

	for (size_t i = 0; i < a->result.failed_count; i++) {
		const struct kb_setting_failure *failed = &a->result.failed[i];

		if (strcmp(failed->name, name) != 0)
			continue;
		for (size_t j = 0; j < failed->count; j++)
			all = kb_arena_printf(&a->arena, "%.*s%s%.*s", KB_SV_ARG(all),
			                      j ? " / " : "", KB_SV_ARG(failed->sentences[j]));
	}
	return all;
}

static inline bool updated(const struct agent *a, const char *name)
{
	for (size_t i = 0; i < a->result.updated_count; i++)
		if (strcmp(a->result.updated[i], name) == 0)
			return true;
	return false;
}

/* The same settings after a way through the store. */
static inline bool survives_store(struct agent *a)
{
	struct agent other;
	struct kb_err err;
	bool same;

	agent_init(&other);
	same = kb_settings_read(&other.arena, stored(a), &other.settings, &err)
	       && kb_sv_eq(written(&other, true), written(a, true))
	       && kb_sv_eq(stored(&other), stored(a));
	agent_fini(&other);
	return same;
}

#endif
