#include "upstream/moderation.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"

enum { TRIES = 2, ANSWER_MAX = 256 << 10, BODY_MAX = 1 << 20 };

struct kb_moderator {
	struct kb_upstream *line;
	char model[KB_UPSTREAM_NAME_MAX + 1];
};

bool kb_moderation_read(struct kb_sv answer, bool *flagged, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	const json_t *root = kb_json_parse(&arena, answer, NULL);
	const json_t *results = kb_json_get(root, "results"), *result;
	bool ok = json_array_size(results) > 0;
	size_t i;

	*flagged = false;
	json_array_foreach(results, i, result)
	{
		ok = ok && json_is_boolean(kb_json_get(result, "flagged"));
		*flagged |= kb_json_bool(result, "flagged", false);
	}
	kb_arena_fini(&arena);
	return ok
	       || kb_fail(err, KB_E_UPSTREAM,
	                  "the moderation server's answer lacks results with \"flagged\"");
}

static bool read_answer(void *arg, struct kb_sv answer, struct kb_err *err)
{
	return kb_moderation_read(answer, arg, err);
}

bool kb_moderator_flags(struct kb_moderator *moderator, struct kb_sv text, bool *flagged,
                        struct kb_err *err)
{
	struct kb_upstream_call call = {
		.deadline_us = kb_clock_mono_us() + KB_MODERATION_MS * INT64_C(1000),
		.tries = TRIES,
		.answer_max = ANSWER_MAX,
		.read = read_answer,
		.arg = flagged,
	};
	struct kb_upstream_ask body;

	kb_upstream_ask_begin(&body, moderator->model, BODY_MAX);
	kb_jw_key_sv(&body.jw, "input", text);
	return kb_upstream_ask_post(&body, moderator->line, &call, err);
}

struct kb_moderator *kb_moderator_open(const struct kb_moderator_config *config, struct kb_err *err)
{
	struct kb_moderator *moderator = kb_xcalloc(1, sizeof(*moderator));

	snprintf(moderator->model, sizeof(moderator->model), "%s", config->name);
	moderator->line =
	        kb_upstream_open(&(struct kb_upstream_config){ .name = "moderation",
	                                                       .what = "the moderation server",
	                                                       .url = config->url,
	                                                       .key = config->key,
	                                                       .log = config->log },
	                         err);
	if (moderator->line)
		return moderator;
	free(moderator);
	return NULL;
}

void kb_moderator_cancel(struct kb_moderator *moderator)
{
	if (moderator)
		kb_upstream_cancel(moderator->line);
}

void kb_moderator_close(struct kb_moderator *moderator)
{
	if (!moderator)
		return;
	kb_upstream_close(moderator->line);
	free(moderator);
}

void kb_moderator_stats(struct kb_moderator *moderator, struct kb_health_stats *out)
{
	kb_upstream_stats(moderator->line, out);
}
