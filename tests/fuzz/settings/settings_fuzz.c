/*
 * Foreign bytes into an agent's settings: as the stored object, as a JSON body, as a form of
 * "name=value" lines, and as an image. Whatever was accepted must be stored, read back, and be
 * stored as the same bytes again.
 */
#include <string.h>

#include "settings/plans.h"
#include "settings/settings.h"

enum { MAX_INPUTS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct kb_sv write_stored(struct kb_arena *arena, const struct kb_settings *settings,
                                 size_t max)
{
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv text;

	kb_buf_init(&buf, max);
	kb_jw_init(&jw, &buf);
	kb_settings_write_stored(settings, &jw);
	KB_ASSERT(kb_buf_done(&buf, &text, NULL));
	text = kb_arena_sv(arena, text);
	kb_buf_fini(&buf);
	return text;
}

static void check_stored(struct kb_arena *arena, const struct kb_settings *settings, size_t max)
{
	struct kb_settings again;
	struct kb_sv stored = write_stored(arena, settings, max);

	KB_ASSERT(kb_settings_read(arena, stored, &again, NULL));
	KB_ASSERT(kb_sv_eq(write_stored(arena, &again, max), stored));
}

static size_t read_form(struct kb_sv text, struct kb_setting_input *inputs)
{
	struct kb_sv line, rest = text;
	size_t n = 0;

	while (n < MAX_INPUTS && kb_sv_split(&rest, '\n', &line)) {
		ptrdiff_t at = kb_sv_find_byte(line, '=');

		inputs[n] = (struct kb_setting_input){ .kind = KB_INPUT_TEXT, .name = line };
		if (at >= 0) {
			inputs[n].name = kb_sv_sub(line, 0, (size_t)at);
			inputs[n].text = kb_sv_from(line, (size_t)at + 1);
		}
		n++;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct kb_sv models[] = { KB_SV_INIT("small-1") };
	struct kb_settings_context context = { .models = models, .model_count = 1 };
	struct kb_setting_input form[MAX_INPUTS];
	struct kb_setting_inputs inputs;
	struct kb_settings settings, defaults, out;
	struct kb_settings_result result;
	struct kb_arena arena = { 0 };
	struct kb_sv text;
	struct kb_err err;
	json_t *json;
	size_t max = size * 8 + KB_KIB(64);

	if (size == 0)
		return 0;
	context.features = data[0] & KB_FEATURE_ALL;
	context.is_master = data[0] >> 7;
	text = kb_sv((const char *)data + 1, size - 1);
	kb_settings_defaults(&defaults);
	settings = defaults;

	/* The stored form's lengths are trusted; so what was read is not sent again here. */
	if (kb_settings_read(&arena, text, &settings, &err))
		check_stored(&arena, &settings, max);
	else
		KB_ASSERT(err.code == KB_E_CORRUPT
		          && memcmp(&settings, &defaults, sizeof(settings)) == 0);

	json = kb_json_parse(&arena, text, NULL);
	if (json && kb_setting_inputs_from_json(&arena, json, &inputs, &err)) {
		kb_settings_update(&arena, &settings, &inputs, &context, &out, &result);
		check_stored(&arena, &out, max);
		settings = out;
	}
	inputs = (struct kb_setting_inputs){ .v = form, .count = read_form(text, form) };
	kb_settings_update(&arena, &settings, &inputs, &context, &out, &result);
	check_stored(&arena, &out, max);

	form[0] = (struct kb_setting_input){ .kind = KB_INPUT_FILE,
		                             .name = KB_SV("chat_bot_avatar"),
		                             .text = text };
	inputs.count = 1;
	inputs.v = form;
	kb_settings_update(&arena, &defaults, &inputs, &context, &out, &result);
	KB_ASSERT(result.status == (result.image_count == 1 ? 200 : 400));
	kb_arena_fini(&arena);
	return 0;
}
